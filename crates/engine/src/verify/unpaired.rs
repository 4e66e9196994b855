//! Unpaired calls: calls without results and results without calls, caused by the policy.

use alloc::vec::Vec;

use crate::{BlockIdx, BlockKind, BlockState, FindingKind, GraphTimeline, PairSide, ReplyOutcome, Session};

/// A call with its replacements and results; arrays are [calls, results].
#[derive(Debug, Clone, Default)]
struct CallPair {
    there: [u32; 2],
    taken: [u32; 2],
    newest: [Option<BlockIdx>; 2],
    gone: [Option<BlockIdx>; 2],
    finding: Option<usize>,
    dirty: bool,
}

pub(super) struct UnpairedCalls<'a> {
    growth: &'a GraphTimeline,
    pair_of: Vec<u32>,
    pairs: Vec<CallPair>,
    dirty: Vec<u32>,
}

const NO_PAIR: u32 = u32::MAX;

pub(super) type PairingFault = (FindingKind, Option<BlockIdx>, Option<BlockIdx>);

impl<'a> UnpairedCalls<'a> {
    pub(super) fn new(session: &Session, growth: &'a GraphTimeline) -> Self {
        let (pair_of, n_pairs) = number_pairs(session);
        Self { growth, pair_of, pairs: alloc::vec![CallPair::default(); n_pairs], dirty: Vec::new() }
    }

    pub(super) fn set_state(&mut self, block: BlockIdx, was: BlockState, is: BlockState) {
        let number = self.pair_of[block.at()];
        let Some(pair) = self.pairs.get_mut(number as usize) else { return };
        let side = usize::from(self.growth.side_of(block) == PairSide::Result);
        let is_there = BlockState::is_sent;
        let is_taken = |state: BlockState| state.has_arrived() && !state.is_dropped() && state.is_taken();
        pair.there[side] = pair.there[side] + u32::from(is_there(is)) - u32::from(is_there(was));
        pair.taken[side] = pair.taken[side] + u32::from(is_taken(is)) - u32::from(is_taken(was));
        if is_taken(is) {
            pair.gone[side] = Some(block);
        } else if is_there(is) {
            pair.newest[side] = Some(block);
        }
        if !core::mem::replace(&mut pair.dirty, true) {
            self.dirty.push(number);
        }
    }

    /// Re-checks every changed pair. `note` gets the old finding and the current fault, and
    /// returns the new finding.
    pub(super) fn settle_pairs(
        &mut self,
        mut note: impl FnMut(Option<usize>, Option<PairingFault>) -> Option<usize>,
    ) {
        for number in self.dirty.drain(..) {
            let pair = &mut self.pairs[number as usize];
            pair.dirty = false;
            let is_alone =
                |side: usize| pair.there[side] > 0 && pair.there[1 - side] == 0 && pair.taken[1 - side] > 0;
            let wrong = match (is_alone(0), is_alone(1)) {
                (true, _) => Some((FindingKind::CallAlone, pair.newest[0], pair.gone[1])),
                (_, true) => Some((FindingKind::ResultAlone, pair.newest[1], pair.gone[0])),
                _ => None,
            };
            if wrong.is_some() || pair.finding.is_some() {
                pair.finding = note(pair.finding, wrong);
            }
        }
    }
}

/// Numbers the pairs of calls and results; unsent calls have no number.
fn number_pairs(session: &Session) -> (Vec<u32>, usize) {
    let mut numbers = alloc::vec![NO_PAIR; session.blocks.len()];
    let mut n_pairs = 0u32;
    for (at, block) in session.blocks.iter().enumerate() {
        match block.kind {
            BlockKind::Call(_) => {
                let is_sent = session.messages[block.message.at()].outcome == ReplyOutcome::Complete;
                let of_original = block.stands_for.map_or(NO_PAIR, |other| numbers[other.at()]);
                numbers[at] = match (is_sent, of_original) {
                    (false, _) => NO_PAIR,
                    (true, NO_PAIR) => {
                        n_pairs += 1;
                        n_pairs - 1
                    }
                    (true, number) => number,
                };
            }
            BlockKind::Result(_) => numbers[at] = block.pair.map_or(NO_PAIR, |call| numbers[call.at()]),
            BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {}
        }
    }
    (numbers, n_pairs as usize)
}
