//! Facts about a log's texts used by inference: computed once per block, and shared by all revisions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use cwl_engine::{BlockFacts, BlockIdx, BlockKind, BlockPlace, Facts, Session};
use cwl_formats::read_call;

use crate::ApiError;
use crate::figures::saturate_u32;
use crate::recent::lock_unpoisoned;
use crate::texts::log_texts::Texts;

const FEW: usize = 512;

#[derive(Default)]
pub struct KnownFacts(Mutex<HashMap<BlockPlace, Arc<BlockFacts>>>);

impl KnownFacts {
    /// Returns the facts of every block. Blocks in an unfinished line are read anew each time.
    pub(crate) fn facts_of_session(&self, session: &Session, texts: &Texts) -> Result<Facts, ApiError> {
        let mut known = lock_unpoisoned(&self.0);
        let place_of = |block: BlockIdx| {
            let row = &session.blocks[block.at()];
            BlockPlace { seq: saturate_u32(row.event.at()), part: row.part }
        };
        let sent = (0..session.blocks.len()).map(BlockIdx::new).filter(|block| !session.is_excluded(*block));
        let mut missing: Vec<(BlockPlace, BlockIdx)> = sent
            .map(|block| (place_of(block), block))
            .filter(|(place, _)| !known.contains_key(place))
            .collect();
        missing.sort_unstable();
        let mut found: HashMap<BlockIdx, Arc<BlockFacts>> = HashMap::with_capacity(missing.len());
        if missing.len() > FEW {
            let mut rest = missing.iter().peekable();
            texts.scan_blocks(|at, text| {
                while rest.next_if(|(place, _)| *place < at).is_some() {}
                while let Some((_, block)) = rest.next_if(|(place, _)| *place == at) {
                    found.insert(*block, facts_of(session, *block, text));
                }
            })?;
        } else {
            let places: Vec<BlockPlace> = missing.iter().map(|(place, _)| *place).collect();
            for ((_, block), content) in missing.iter().zip(texts.block_contents(&places)?) {
                found.insert(*block, facts_of(session, *block, &content.text));
            }
        }
        for (place, block) in &missing {
            if let Some(facts) = found.get(block).filter(|_| texts.is_settled(*place)) {
                known.insert(*place, Arc::clone(facts));
            }
        }
        let nothing = Arc::new(BlockFacts::default());
        let of = |at: usize| {
            let block = BlockIdx::new(at);
            let known = known.get(&place_of(block)).filter(|_| !session.is_excluded(block));
            Arc::clone(found.get(&block).or(known).unwrap_or(&nothing))
        };
        Ok(Facts::new((0..session.blocks.len()).map(of).collect()))
    }
}

fn facts_of(session: &Session, block: BlockIdx, text: &str) -> Arc<BlockFacts> {
    let row = &session.blocks[block.at()];
    let reading = match &row.kind {
        BlockKind::Call(call) => Some(read_call(&call.name, text)),
        _ => None,
    };
    Arc::new(BlockFacts::from_block(row, session.message_of(block).class, text, reading.as_ref()))
}

#[cfg(test)]
mod tests {
    use cwl_engine::{EventLog, History};
    use cwl_formats::{Format, default_tools, parse_log};

    use super::*;
    use crate::texts::log_texts::split_texts;

    /// Reads the first lines of a log into memory.
    fn read(lines: &[&str]) -> (Session, Texts) {
        let (events, _) = parse_log(Format::ClaudeCode, format!("{}\n", lines.join("\n")).as_bytes());
        let mut log = EventLog::default();
        let mut records = Vec::new();
        for (event, record) in events.into_iter().map(split_texts) {
            log.push(event);
            records.push(record);
        }
        let (session, _) = Session::build(&log, None, History::AsRecorded, &default_tools());
        (session, Texts { stored: None, records })
    }

    #[test]
    fn a_log_that_grows_has_the_facts_of_one_that_is_read_at_once() -> Result<(), ApiError> {
        let log = include_str!("../../../../samples/claude-code/quickstart/input.jsonl");
        let lines: Vec<&str> = log.lines().collect();
        let growing = KnownFacts::default();
        for n_lines in [1, lines.len() / 3, lines.len() / 2, lines.len()] {
            let (session, texts) = read(&lines[..n_lines]);
            let grown = growing.facts_of_session(&session, &texts)?;
            let fresh = KnownFacts::default().facts_of_session(&session, &texts)?;
            assert_eq!(grown, fresh, "{n_lines} lines");
            let infer = |facts| cwl_engine::infer_episodes(&session, facts, cwl_engine::Hindsight::default());
            assert_eq!(infer(&grown), infer(&fresh));
        }
        Ok(())
    }
}
