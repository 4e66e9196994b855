//! The rendered context: what the model would receive at a turn and step, item by item, with a reason
//! for everything that is there and for everything that is not.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::{
    Action, BlockIdx, EntryId, EpisodeIdx, EvictionLevel, MessageIdx, Placeholder, ReplacementCause, Subject,
    TurnIdx, WaitingActs,
};

/// The context the model would receive, in model order, with ghosts for the blocks that are not in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedContext {
    /// The request.
    pub turn: TurnIdx,
    /// How many of the turn's steps are taken.
    pub step: usize,
    /// The total, tokens, overhead included.
    pub total: u64,
    /// The overhead (system prompt, tool definitions), which the log does not hold, tokens.
    pub overhead: u64,
    /// True if the harness itself answers calls that have lost their results, by an error.
    pub answers_calls: bool,
    /// The messages, ghosts and residues.
    pub messages: Vec<RenderedMessage>,
}

/// One message of the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedMessage {
    /// The message's source.
    pub origin: MessageOrigin,
    /// The size of everything that is left of the message, tokens; 0 when nothing is left.
    pub tokens: u64,
    /// The blocks; empty for a residue.
    pub items: Vec<RenderedItem>,
}

/// The source of a message of the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageOrigin {
    /// From the log.
    Log(MessageIdx),
    /// Synthetic: what stays of an evicted exploration, a message of the harness in the user's slot.
    Residue {
        /// The exploration.
        episode: EpisodeIdx,
        /// `[NAME] DESCRIPTION`.
        text: String,
    },
    /// Synthetic: a summary by fixed rules, a message of the harness in the user's slot.
    Summary {
        /// The message it stands before.
        before: MessageIdx,
        /// The messages it covers, from the first to before the last.
        covers: Range<usize>,
        /// How many summaries it is a summary of; 0 is one of messages.
        depth: u32,
        /// The message.
        text: String,
    },
}

/// One block of the context, or its ghost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedItem {
    /// The block.
    pub block: BlockIdx,
    /// The episode, if it is in one.
    pub episode: Option<EpisodeIdx>,
    /// Says why the block is in the context or is not.
    pub fate: Fate,
}

/// Says why a block is in the context or is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// The block is in the context, to the letter.
    Kept(KeptReason),
    /// The block is not in the context.
    Gone(GoneReason),
    /// A placeholder stands in its place: its call and its message stay.
    Masked(Placeholder, GoneReason),
}

impl Fate {
    /// Tells whether the block is in the context.
    pub fn is_kept(&self) -> bool {
        matches!(self, Self::Kept(_))
    }
}

/// Why a block is in the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptReason {
    /// The block stands before the first episode.
    Prologue,
    /// System prompt or instructions.
    System,
    /// The human's words.
    Human,
    /// The block belongs to no episode (a result whose call is unknown).
    NoEpisode,
    /// The episode is active.
    Active,
    /// The block belongs to the last reply of an open tool loop; the provider requires that reply's signed reasoning.
    InLoop,
    /// Acts that draw on its episode are not fully evicted.
    BlockedBy(WaitingActs),
    /// The block is among the last human turns, which an option protects.
    Protected,
    /// The levels that would take it are switched off.
    LevelOff,
    /// The block may go, but the budget is met without it.
    Eligible,
    /// The human has pinned it.
    Pinned,
    /// The block is among the newest, which the policy keeps.
    Recent,
    /// The policy never takes such content.
    OutOfReach,
}

/// Why a block is not in the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GoneReason {
    /// A step of the policy took it.
    Evicted {
        /// The subject the step was about.
        subject: Subject,
        /// The action the step took on its subject.
        action: Action,
        /// The step's turn.
        turn: TurnIdx,
        /// The number of the step in that turn, from 1.
        step: usize,
    },
    /// The policy took the block as it came in, because blocks like it in its episode or turn had gone already; no
    /// step counts it.
    ArrivedStripped {
        /// The level that takes such a block.
        level: EvictionLevel,
    },
    /// The harness or the human took it out, as the log says.
    Harness {
        /// The record that says so.
        by: EntryId,
        /// Why it was taken out.
        cause: ReplacementCause,
    },
    /// The log keeps it out of the context (a shell command the human ran apart, the command of a loop).
    Excluded,
}
