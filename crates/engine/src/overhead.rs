//! The overhead: what a request holds and the log does not (system prompt, tool definitions, unlogged attachments).

use alloc::vec::Vec;

use crate::TurnIdx;

/// The tokens of each request the log does not hold. They change at few turns, as at a compaction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overhead {
    /// The turns from which on another size holds, in order; before the first it is 0.
    changes: Vec<(TurnIdx, u64)>,
}

impl Overhead {
    /// Makes an overhead of turns, in order, each with the size from there on, tokens. A size that is the same as the one
    /// before is no change.
    pub fn new(sizes: impl IntoIterator<Item = (TurnIdx, u64)>) -> Self {
        let mut changes: Vec<(TurnIdx, u64)> = Vec::new();
        for (turn, tokens) in sizes {
            if changes.last().map_or(0, |last| last.1) != tokens {
                changes.push((turn, tokens));
            }
        }
        Self { changes }
    }

    /// Returns the size at `turn`, tokens.
    pub fn tokens_at(&self, turn: TurnIdx) -> u64 {
        let after = self.changes.partition_point(|(from, _)| *from <= turn);
        after.checked_sub(1).map_or(0, |last| self.changes[last].1)
    }
}

impl From<u64> for Overhead {
    /// Makes an overhead that is the same in every request.
    fn from(tokens: u64) -> Self {
        Self::new([(TurnIdx::FIRST, tokens)])
    }
}
