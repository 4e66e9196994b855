//! Rewrites: changes to the history without a summary, by the harness or the human.

use alloc::vec::Vec;

use strum::{EnumString, IntoStaticStr};

use crate::{EntryId, Message, ToolCallId};

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rewrite {
    /// Never [`ReplacementCause::Compaction`].
    pub cause: ReplacementCause,
    /// In order; each change applies to the previous one's result.
    pub changes: Vec<Change>,
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Change {
    pub target: RewriteTarget,
    /// Messages that replace the target. None is a reply on its own, and a result among them answers the
    /// same call as the removed one.
    pub replaced_by: Vec<Message>,
}

impl Change {
    pub fn removal(target: RewriteTarget) -> Self {
        Self { target, replaced_by: Vec::new() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RewriteTarget {
    Entry(EntryId),
    /// One block of that record, by its position in the record's content array; an eviction may put
    /// the block back.
    Part(EntryId, u32),
    /// No block goes; a block of that record that an eviction took is put back.
    PartBack(EntryId, u32),
    /// No block goes; the new messages stand before that record's message, or behind all messages.
    Before(Option<EntryId>),
    Results(ToolCallId),
    From(EntryId),
    /// Everything from the n-th last human message on; 1 is the last.
    Turns(u32),
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[strum(serialize_all = "snake_case")]
pub enum ReplacementCause {
    Compaction,
    Clearing,
    Rewind,
    /// A message grew or was edited, or a whole history was exchanged.
    Revision,
    /// Reasoning which is sent back only until the human speaks again; not recorded in the log.
    Lapse,
    /// A policy at work in the agent evicted it.
    Eviction,
}

impl ReplacementCause {
    /// Returns the name on the wire: `compaction`, `clearing`, `rewind`, `revision`, `lapse` or `eviction`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// A replay over the full history ignores a replacement that saves room.
    pub fn saves_room(self) -> bool {
        matches!(self, Self::Compaction | Self::Clearing | Self::Eviction)
    }
}
