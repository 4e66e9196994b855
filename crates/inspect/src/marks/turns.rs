//! The lines of each turn, for marks that name turns.

use cwl_engine::{BlockIdx, EventLog, Session};

use super::spans::numbers_in_lines;
use crate::figures::saturate_u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MarkPlace {
    pub line: u64,
    /// The block within the line, from 0. `None` unless turns share lines.
    pub block: Option<u32>,
}

/// The number of the first reply for readers: as in the graph, a reply counts to the first turn whose request holds
/// it, and the first request holds none.
pub const FIRST_NUMBER: usize = 2;

/// First and last place of each turn, without the last one, which has no reply.
pub struct TurnLines {
    places: Vec<(MarkPlace, MarkPlace)>,
}

impl TurnLines {
    pub fn new(log: &EventLog, session: &Session) -> Self {
        let numbers = share_lines(session).then(|| numbers_in_lines(log, session));
        let place = |block: BlockIdx| MarkPlace {
            line: log.record(session.blocks[block.at()].event).line,
            block: numbers.as_ref().map(|numbers| saturate_u32(numbers.get(&block).copied().unwrap_or(0))),
        };
        let replies = session.turns.iter().filter_map(|turn| turn.message);
        let places = replies.map(|message| {
            let own = session.blocks_of(message);
            let blocks: Vec<BlockIdx> =
                own.flat_map(|(block, row)| [Some(block), row.pair]).flatten().collect();
            let of_line = MarkPlace { line: session.messages[message.at()].line, block: None };
            let first = blocks.iter().map(|block| place(*block)).min().unwrap_or(of_line);
            (first, blocks.iter().map(|block| place(*block)).max().unwrap_or(of_line))
        });
        Self { places: places.collect() }
    }

    #[cfg(test)]
    pub fn from_places(places: Vec<(MarkPlace, MarkPlace)>) -> Self {
        Self { places }
    }

    pub fn last_number(&self) -> usize {
        (FIRST_NUMBER + self.places.len()).saturating_sub(1)
    }

    /// Returns the first or the last place of the turn `number`, counted from [`FIRST_NUMBER`].
    pub fn place_of_turn(&self, number: u64, is_first: bool) -> Option<MarkPlace> {
        let at = usize::try_from(number).ok()?.checked_sub(FIRST_NUMBER)?;
        let (first, last) = self.places.get(at)?;
        Some(if is_first { *first } else { *last })
    }
}

/// Tells whether turns share lines, as in a document without line ends. Then a line alone does not locate a
/// mark.
pub fn share_lines(session: &Session) -> bool {
    let lines = session.turns.iter().filter_map(|turn| Some(session.messages[turn.message?.at()].line));
    let mut lines: Vec<u64> = lines.collect();
    lines.sort_unstable();
    lines.windows(2).any(|pair| pair[0] == pair[1])
}
