//! Rewrites: what the harness or the human changed in the history without a summary.

use alloc::vec::Vec;

use crate::{EntryId, Message, ReplacementCause, ToolCallId};

/// The history was changed without a summary: outputs cleared, turns rolled back, a message written anew.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewrite {
    /// Why; never a compaction.
    pub cause: ReplacementCause,
    /// What was changed, in order; each change sees what the ones before it left.
    pub changes: Vec<Change>,
}

/// One change of a rewrite.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// What goes.
    pub target: Target,
    /// The messages that stand in its place from here on. None of them is a reply of its own, and a result among
    /// them answers the same call as the one that went.
    pub replaced_by: Vec<Message>,
}

impl Change {
    /// Makes a change that takes something out and puts nothing in its place.
    pub fn gone(target: Target) -> Self {
        Self { target, replaced_by: Vec::new() }
    }
}

/// What a change takes out of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The blocks of that record.
    Entry(EntryId),
    /// The results of that call.
    Results(ToolCallId),
    /// That record and everything after it.
    From(EntryId),
    /// Everything from the human message on that stands so many human messages before the end.
    Turns(u32),
    /// Everything.
    All,
}
