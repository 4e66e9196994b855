//! Overhead: what a request holds beyond the log, such as the system prompt, tool definitions,
//! unlogged attachments and history before the log's start.

use alloc::vec::Vec;

use crate::TurnIdx;

/// Tokens per request outside the log. The number changes rarely, mostly at compactions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overhead {
    changes: Vec<(TurnIdx, u64)>,
    /// Turns from which another part of the overhead is history before the log's start.
    history: Vec<(TurnIdx, u64)>,
}

impl Overhead {
    pub fn new(sizes: impl IntoIterator<Item = (TurnIdx, u64)>) -> Self {
        Self { changes: size_changes(sizes), history: Vec::new() }
    }

    /// Sets the part that is history before the log's start, like [`Self::new`].
    ///
    /// A policy cannot evict history it does not have, so the budget applies to the rest.
    pub fn with_history(self, sizes: impl IntoIterator<Item = (TurnIdx, u64)>) -> Self {
        Self { history: size_changes(sizes), ..self }
    }

    pub fn tokens_at(&self, turn: TurnIdx) -> u64 {
        size_at(&self.changes, turn)
    }

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
    fn from(tokens: u64) -> Self {
        Self::new([(TurnIdx::FIRST, tokens)])
    }
}
