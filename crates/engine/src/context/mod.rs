//! The rendered context: what the model would receive at a cut, and why each block is in it or
//! not.

pub(crate) mod render;
pub(crate) mod composition;
pub(crate) mod frame;
pub(crate) mod validity;

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::{
    Action, BlockIdx, EntryId, EpisodeIdx, EvictionLevel, KeptReason, MessageIdx, Placeholder,
    ReplacementCause, Subject, TurnIdx,
};

/// A context in model order, with ghosts for absent blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedContext {
    pub turn: TurnIdx,
    pub step: usize,
    /// Tokens, `overhead` included.
    pub total: u64,
    /// Tokens of system prompt and tool definitions, which the log does not hold.
    pub overhead: u64,
    pub answers_calls: bool,
    pub messages: Vec<RenderedMessage>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedMessage {
    pub origin: MessageOrigin,
    pub tokens: u64,
    /// Empty for a residue or a summary.
    pub items: Vec<RenderedItem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageOrigin {
    Log(MessageIdx),
    /// Synthetic: what remains after an exploration's eviction, as a harness message in the user's slot.
    Residue {
        episode: EpisodeIdx,
        text: String,
    },
    /// Synthetic: a summary by fixed rules, as a harness message in the user's slot.
    Summary {
        before: MessageIdx,
        covers: Range<usize>,
        /// Nesting depth: 0 if the summary covers messages only, else how many summaries deep.
        depth: u32,
        text: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedItem {
    pub block: BlockIdx,
    /// `None` if the block is outside episodes.
    pub episode: Option<EpisodeIdx>,
    pub fate: Fate,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    Kept(KeptReason),
    Gone(GoneReason),
    /// A [`Placeholder`] replaces the block; its call and its message stay.
    Masked(Placeholder, GoneReason),
}

impl Fate {
    pub fn is_kept(&self) -> bool {
        matches!(self, Self::Kept(_))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GoneReason {
    Evicted {
        subject: Subject,
        action: Action,
        turn: TurnIdx,
        step: usize,
    },
    /// The policy stripped the block on arrival, because its episode or turn had already been
    /// stripped to this level. No step counts it.
    ArrivedStripped {
        level: EvictionLevel,
    },
    Harness {
        by: EntryId,
        cause: ReplacementCause,
    },
    /// The log excludes the block: a shell command run by the human outside the context, or a
    /// loop's command.
    Excluded,
}
