//! Steps: a policy's actions, one subject at a time.

use core::ops::Range;

use strum::{IntoStaticStr, VariantArray};

use crate::{BlockIdx, EpisodeIdx, EpisodeName, EvictionLevel, Placeholder, TurnIdx};

/// The part of a session a step acts on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    Episode(EpisodeIdx),
    /// A range of messages the policy itself delimits and names (`pi-cwl`).
    Segment {
        name: Option<EpisodeName>,
        /// The episode of the graph with the same start, if any.
        episode: Option<EpisodeIdx>,
    },
    /// A reply and everything up to the next reply.
    Turn(TurnIdx),
    /// A tool's output, given by its result.
    Output(BlockIdx),
    /// A part of the history, given by its first and last turn.
    Span(TurnIdx, TurnIdx),
}

impl Subject {
    /// Returns the subject's episode in the graph.
    pub fn episode(&self) -> Option<EpisodeIdx> {
        match self {
            Self::Episode(episode) => Some(*episode),
            Self::Segment { episode, .. } => *episode,
            Self::Turn(_) | Self::Output(_) | Self::Span(..) => None,
        }
    }
}

/// A step's action on its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Action {
    /// Evicts reasoning.
    Reasoning,
    /// Evicts searches and their results.
    #[strum(serialize = "bulk")]
    BulkOutput,
    /// Evicts reads, shell commands and other tools, with their results.
    Intermediate,
    /// Evicts shell commands and their results.
    #[strum(serialize = "bash")]
    Shell,
    /// Evicts reads and their results.
    Read,
    /// Evicts everything left.
    Remove,
    /// Evicts a whole turn.
    #[strum(serialize = "drop")]
    DropTurn,
    /// Masks an output.
    Clear,
    /// Masks an output with an identical copy elsewhere.
    Dedupe,
    /// Masks an output whose subject was read or written again later.
    Supersede,
    /// Reduces an episode to its description.
    Fold,
    /// Replaces a span with a summary.
    Summarise,
    /// Evicts a span, with its summary kept outside the context.
    PageOut,
    /// Restores evicted content, or its summary.
    PageIn,
}

impl Action {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Returns the name in a trace.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the episode's level after the action; `None` if the action does not concern
    /// episodes.
    pub fn level(self) -> Option<EvictionLevel> {
        match self {
            Self::Reasoning => Some(EvictionLevel::Reasoning),
            Self::BulkOutput => Some(EvictionLevel::BulkOutput),
            Self::Intermediate | Self::Shell | Self::Read => Some(EvictionLevel::Intermediate),
            Self::Remove | Self::Fold => Some(EvictionLevel::WholeEpisode),
            Self::DropTurn
            | Self::Clear
            | Self::Dedupe
            | Self::Supersede
            | Self::Summarise
            | Self::PageOut
            | Self::PageIn => None,
        }
    }
}

impl From<EvictionLevel> for Action {
    fn from(level: EvictionLevel) -> Self {
        match level {
            EvictionLevel::Reasoning => Self::Reasoning,
            EvictionLevel::BulkOutput => Self::BulkOutput,
            EvictionLevel::Intermediate => Self::Intermediate,
            EvictionLevel::WholeEpisode => Self::Remove,
        }
    }
}

/// One action of a policy on one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvictionStep {
    /// The step precedes this turn's request.
    pub turn: TurnIdx,
    pub subject: Subject,
    pub action: Action,
    /// True if the episode is at the action's level after the step. Under item-by-item eviction,
    /// only the last step reaches it.
    pub reached: bool,
    /// Total before, tokens.
    pub before: u64,
    /// Total after, tokens.
    pub after: u64,
    /// True if the step leaves the episode's description in the context.
    pub residue: bool,
    /// Taken blocks, as positions in the step log, which sets this field.
    pub(crate) blocks: Range<u32>,
    /// Other moves, as positions in the step log, which sets this field.
    pub(crate) moves: Range<u32>,
}

impl EvictionStep {
    /// Makes a step without blocks and moves; `StepLog` adds them.
    pub fn new(turn: TurnIdx, subject: Subject, action: Action, before: u64, after: u64) -> Self {
        Self {
            turn,
            subject,
            action,
            reached: true,
            before,
            after,
            residue: false,
            blocks: 0..0,
            moves: 0..0,
        }
    }

    pub fn episode(&self) -> Option<EpisodeIdx> {
        self.subject.episode()
    }
}

/// A primitive move of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// A block is evicted.
    Out(BlockIdx),
    /// A block is restored unchanged.
    In(BlockIdx),
    /// A placeholder replaces a block.
    Masked(BlockIdx, Placeholder),
    /// A summary enters the context; see [`crate::Steps::summary_numbered`].
    Placed(u32),
    /// A summary leaves the context.
    Lifted(u32),
    /// An episode's description enters or leaves the context.
    Residue(EpisodeIdx, bool),
}
