//! Rewrites: changes to the history without a summary, by the harness or the human.

use alloc::vec::Vec;

use crate::{EntryId, Message, ReplacementCause, ToolCallId};

/// A change without a summary: outputs cleared, turns rolled back, a message rewritten.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewrite {
    /// Never [`ReplacementCause::Compaction`].
    pub cause: ReplacementCause,
    /// In order; each change applies to the result of the previous one.
    pub changes: Vec<Change>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub target: RewriteTarget,
    /// Messages in place of the target. None is a reply on its own, and a result among them
    /// answers the same call as the removed one.
    pub replaced_by: Vec<Message>,
}

impl Change {
    /// Removes `target` without a substitute.
    pub fn removal(target: RewriteTarget) -> Self {
        Self { target, replaced_by: Vec::new() }
    }
}

/// The part of the history a change removes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RewriteTarget {
    /// All blocks of a record.
    Entry(EntryId),
    /// All results of a call.
    Results(ToolCallId),
    /// A record and everything after it.
    From(EntryId),
    /// Everything from the n-th last human message on; 1 is the last.
    Turns(u32),
    All,
}
