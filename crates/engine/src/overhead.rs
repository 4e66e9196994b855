//! The overhead: what a request holds and the log does not (system prompt, tool definitions, unlogged attachments, and
//! history from before the log begins).

use alloc::vec::Vec;

use crate::TurnIdx;

/// The tokens of each request the log does not hold. They change at few turns, as at a compaction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overhead {
    /// The turns from which on another size holds, in order; before the first it is 0.
    changes: Vec<(TurnIdx, u64)>,
    /// The turns from which on another part of it is history that the log begins behind.
    history: Vec<(TurnIdx, u64)>,
}

impl Overhead {
    /// Makes an overhead of turns, in order, each with the size from there on, tokens. A size that is the same as the one
    /// before is no change.
    pub fn new(sizes: impl IntoIterator<Item = (TurnIdx, u64)>) -> Self {
        Self { changes: size_changes(sizes), history: Vec::new() }
    }

    /// Says how much of it is history that the log begins behind, as [`Self::new`] does of the whole.
    ///
    /// A policy cannot take what is not there, so that the budget holds for the rest.
    pub fn with_history(self, sizes: impl IntoIterator<Item = (TurnIdx, u64)>) -> Self {
        Self { history: size_changes(sizes), ..self }
    }

    /// Returns the size at `turn`, tokens.
    pub fn tokens_at(&self, turn: TurnIdx) -> u64 {
        size_at(&self.changes, turn)
    }

    /// Returns how much of it is history that the log begins behind, tokens.
    pub fn history_at(&self, turn: TurnIdx) -> u64 {
        size_at(&self.history, turn).min(self.tokens_at(turn))
    }
}

fn size_changes(sizes: impl IntoIterator<Item = (TurnIdx, u64)>) -> Vec<(TurnIdx, u64)> {
    let mut changes: Vec<(TurnIdx, u64)> = Vec::new();
    for (turn, tokens) in sizes {
        if changes.last().map_or(0, |last| last.1) != tokens {
            changes.push((turn, tokens));
        }
    }
    changes
}

fn size_at(changes: &[(TurnIdx, u64)], turn: TurnIdx) -> u64 {
    let after = changes.partition_point(|(from, _)| *from <= turn);
    after.checked_sub(1).map_or(0, |last| changes[last].1)
}

impl From<u64> for Overhead {
    /// Makes an overhead that is the same in every request.
    fn from(tokens: u64) -> Self {
        Self::new([(TurnIdx::FIRST, tokens)])
    }
}
