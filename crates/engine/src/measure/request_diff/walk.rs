//! Walks a request from its end, hashing its elements.

use alloc::vec::Vec;

use super::{InsertedMessageKey, PrefixSums, RequestAtTurn, Spot, SpotPart};
use crate::{BlockForm, BlockIdx, BlockRun, EpisodeIdx, MessageClass, Placeholder, Replay};

#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedElement {
    pub(crate) spot: Spot,
    pub(crate) print: u64,
    /// True if the model wrote it; the provider groups everything else into user messages.
    pub(crate) by_model: bool,
}

impl PlacedElement {
    pub(crate) fn as_block(&self) -> Option<BlockIdx> {
        match self.spot.within {
            SpotPart::Block(block) => Some(block),
            SpotPart::Before(_) => None,
        }
    }
}

/// Mixes two numbers such that sums of results identify sets.
pub(crate) fn print_of(one: u64, other: u64) -> u64 {
    let mixed = (one ^ other.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29 ^ other).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ mixed >> 32
}

pub(super) fn print_of_block(block: BlockIdx, form: BlockForm) -> u64 {
    let form = match form {
        BlockForm::Nothing => return 0,
        BlockForm::Whole => 1,
        BlockForm::Placeholder(Placeholder::Cleared) => 2,
        BlockForm::Placeholder(Placeholder::Duplicate) => 3,
        BlockForm::Placeholder(Placeholder::Superseded) => 4,
        BlockForm::Placeholder(Placeholder::Arguments) => 7,
    };
    print_of(block.at() as u64, form)
}

pub(super) fn print_of_key(key: InsertedMessageKey, position: usize, replay: &Replay) -> u64 {
    let content = match key {
        InsertedMessageKey::Residue(episode) => print_of(5, episode.at() as u64),
        InsertedMessageKey::Summary(number) => {
            let lines = &replay.summary_numbered(number).lines;
            lines.iter().fold(6, |print, line| print_of(print, u64::from(*line)))
        }
    };
    print_of(content, position as u64)
}

impl RequestAtTurn<'_> {
    pub(crate) fn print_sum(&self) -> u64 {
        self.print
    }

    pub(crate) fn new_blocks(&self) -> Option<BlockRun> {
        self.came
    }

    pub(crate) fn walk_backward(&self) -> ReverseElements<'_> {
        let last = self.synthetic.last_key_value().map_or(0, |((position, _), _)| position + 1);
        let position = self.end.max(last).min(self.layout.order.len());
        ReverseElements { requests: self, position, waiting: Vec::new() }
    }

    pub(crate) fn system_prefix(&self, sums: &PrefixSums) -> (u64, u64) {
        let is_system = |position: &usize| {
            self.session.messages[self.layout.order[*position].at()].class == MessageClass::System
        };
        let n_head = (0..self.end).take_while(is_system).count();
        let blocks = (0..n_head).flat_map(|position| self.blocks_at(position));
        (blocks.fold(0, |print, placed| print.wrapping_add(placed.print)), sums.sum_before(n_head))
    }

    /// Returns the request's tokens up to and including an element; a message that continues after
    /// it is rounded down.
    pub(crate) fn tokens_through(&self, sums: &PrefixSums, spot: Spot) -> u64 {
        let SpotPart::Block(block) = spot.within else {
            let beside =
                self.synthetic.range((spot.position, InsertedMessageKey::Residue(EpisodeIdx::new(0)))..);
            let beside = beside.take_while(|((position, key), _)| {
                *position == spot.position && SpotPart::Before(*key) <= spot.within
            });
            return sums.sum_before(spot.position) + beside.map(|(_, tokens)| tokens).sum::<u64>();
        };
        let next = BlockIdx::new(block.at() + 1);
        let rest = self.growth.blocks_of(self.layout.order[spot.position].at()).end;
        let goes_on =
            (next.at()..rest.at()).any(|at| self.current_form(BlockIdx::new(at)) != BlockForm::Nothing);
        match goes_on {
            true => self.tokens_before(sums, Spot { within: SpotPart::Block(next), ..spot }),
            false => sums.sum_before(spot.position + 1),
        }
    }

    fn blocks_at(&self, position: usize) -> impl Iterator<Item = PlacedElement> {
        let message = self.layout.order[position];
        let by_model = self.session.messages[message.at()].class == MessageClass::Assistant;
        self.growth.blocks_of(message.at()).blocks().filter_map(move |block| {
            let print = print_of_block(block, self.current_form(block));
            let spot = Spot { position, within: SpotPart::Block(block) };
            (print != 0).then_some(PlacedElement { spot, print, by_model })
        })
    }
}

pub(crate) struct ReverseElements<'r> {
    requests: &'r RequestAtTurn<'r>,
    position: usize,
    waiting: Vec<PlacedElement>,
}

impl Iterator for ReverseElements<'_> {
    type Item = PlacedElement;

    fn next(&mut self) -> Option<PlacedElement> {
        while self.waiting.is_empty() {
            self.position = self.position.checked_sub(1)?;
            let (requests, position) = (self.requests, self.position);
            let beside =
                requests.synthetic.range((position, InsertedMessageKey::Residue(EpisodeIdx::new(0)))..);
            let beside = beside.take_while(|((at, _), _)| *at == position);
            self.waiting.extend(beside.map(|((_, key), _)| PlacedElement {
                spot: Spot { position, within: SpotPart::Before(*key) },
                print: requests.beside.get(key).copied().unwrap_or(0),
                by_model: false,
            }));
            self.waiting.extend(requests.blocks_at(position));
        }
        self.waiting.pop()
    }
}
