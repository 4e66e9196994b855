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
    /// What stands in its place from here on, and is no reply of its own. A result among them answers the
    /// same call as the one that went.
    pub stand_ins: Vec<Message>,
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
