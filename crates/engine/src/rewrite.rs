//! Rewrites: what the harness or the human changed in the history without a summary.

use alloc::vec::Vec;

use crate::{EntryId, Message, ReplacementCause, ToolCallId};

/// The history was changed without a summary: outputs cleared, turns rolled back, a message written anew.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewrite {
    /// Why the history was rewritten; never a compaction.
    pub cause: ReplacementCause,
    /// The changes, in order; each one sees the history as the ones before it have left it.
    pub changes: Vec<Change>,
}

/// One change of a rewrite.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The blocks that go.
    pub target: RewriteTarget,
    /// The messages that stand in its place from here on. None of them is a reply of its own, and a result among
    /// them answers the same call as the one that went.
    pub replaced_by: Vec<Message>,
}

impl Change {
    /// Makes a change that takes something out and puts nothing in its place.
    pub fn removal(target: RewriteTarget) -> Self {
        Self { target, replaced_by: Vec::new() }
    }
}

/// The part of the history a change takes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RewriteTarget {
    /// The blocks of that record.
    Entry(EntryId),
    /// The results of that call.
    Results(ToolCallId),
    /// That record and everything after it.
    From(EntryId),
    /// Everything from a human message on, which is given by its number from the end: 1 is the last one.
    Turns(u32),
    /// Everything.
    All,
}
