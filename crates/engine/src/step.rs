//! Steps: what a policy does, one move of its pass at a time.

use core::ops::Range;

use strum::{IntoStaticStr, VariantArray};

use crate::{BlockIdx, EpisodeIdx, EpisodeName, EvictionLevel, Placeholder, TurnIdx};

/// The part of a session a step is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// An episode of the graph.
    Episode(EpisodeIdx),
    /// A range of messages the policy itself cuts out and names (`pi-cwl`).
    Segment {
        /// The name, if it has one.
        name: Option<EpisodeName>,
        /// The episode of the graph that begins where it begins, if there is one.
        episode: Option<EpisodeIdx>,
    },
    /// Everything of one turn: a reply with what came after it, up to the next reply.
    Turn(TurnIdx),
    /// One output of a tool, by its result.
    Output(BlockIdx),
    /// A span of the history, by its first and last turn.
    Span(TurnIdx, TurnIdx),
}

impl Subject {
    /// Returns the episode of the graph the step is about.
    pub fn episode(&self) -> Option<EpisodeIdx> {
        match self {
            Self::Episode(episode) => Some(*episode),
            Self::Segment { episode, .. } => *episode,
            Self::Turn(_) | Self::Output(_) | Self::Span(..) => None,
        }
    }
}

/// The action a step takes on its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Action {
    /// Takes reasoning.
    Reasoning,
    /// Takes searches with their results.
    #[strum(serialize = "bulk")]
    BulkOutput,
    /// Takes reads, shell commands and other tools with their results.
    Intermediate,
    /// Takes shell commands with their results.
    #[strum(serialize = "bash")]
    Shell,
    /// Takes reads with their results.
    Read,
    /// Takes everything that is left.
    Remove,
    /// Takes a whole turn.
    #[strum(serialize = "drop")]
    DropTurn,
    /// Puts a placeholder in place of an output.
    Clear,
    /// Puts a placeholder in place of an output another one repeats.
    Dedupe,
    /// Puts a placeholder in place of an output whose subject was read or written again later.
    Supersede,
    /// Leaves an episode's description in its place.
    Fold,
    /// Puts a summary in place of a span.
    Summarise,
    /// Takes a span and keeps a summary of it outside the context.
    PageOut,
    /// Puts back what was taken, or a summary of it.
    PageIn,
}

impl Action {
    /// All actions.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Returns the name in a trace.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the level at which an episode is after it; `None` if it is not about whole episodes.
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

/// One step of a pass: what a policy does to one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvictionStep {
    /// The turn before whose request it was taken.
    pub turn: TurnIdx,
    /// The subject the step is about.
    pub subject: Subject,
    /// The action the step takes on its subject.
    pub action: Action,
    /// True when the episode is at that level after the step (item by item, only the last one is).
    pub reached: bool,
    /// The total before, tokens.
    pub before: u64,
    /// The total after, tokens.
    pub after: u64,
    /// True when the step leaves the episode's description in its place.
    pub residue: bool,
    /// The blocks it takes, as places in the pass; a log of steps sets them.
    pub(crate) blocks: Range<u32>,
    /// The other moves of the step, as places in the pass; a log of steps sets them.
    pub(crate) moves: Range<u32>,
}

impl EvictionStep {
    /// Makes a step; the log of steps adds the blocks it takes.
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

    /// Returns the episode of the graph that it is about.
    pub fn episode(&self) -> Option<EpisodeIdx> {
        self.subject.episode()
    }
}

/// One primitive move of content: out, back, masked, placed or lifted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// A block goes.
    Out(BlockIdx),
    /// A block comes back to the letter.
    In(BlockIdx),
    /// A placeholder takes a block's place.
    Masked(BlockIdx, Placeholder),
    /// A summary comes in; the number is its place in [`crate::Steps::summary_numbered`].
    Placed(u32),
    /// A summary goes.
    Lifted(u32),
    /// An episode's description comes in, or goes.
    Residue(EpisodeIdx, bool),
}
