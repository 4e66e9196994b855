//! Steps: a policy's actions, one subject at a time.

use core::ops::Range;

use strum::{Display, IntoStaticStr, VariantArray};

use crate::{BlockIdx, EpisodeIdx, EpisodeName, EvictionLevel, Placeholder, TurnIdx};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    Episode(EpisodeIdx),
    /// A message range the policy itself delimits and names (`pi-cwl`).
    Segment {
        name: Option<EpisodeName>,
        episode: Option<EpisodeIdx>,
    },
    /// A reply and everything up to the next reply.
    Turn(TurnIdx),
    Output(BlockIdx),
    /// A part of the history, given by its first and last turn.
    Span(TurnIdx, TurnIdx),
}

impl Subject {
    pub fn episode(&self) -> Option<EpisodeIdx> {
        match self {
            Self::Episode(episode) => Some(*episode),
            Self::Segment { episode, .. } => *episode,
            Self::Turn(_) | Self::Output(_) | Self::Span(..) => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray, Display)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
#[strum(serialize_all = "kebab-case")]
pub enum Action {
    Reasoning,
    #[strum(serialize = "bulk")]
    #[cfg_attr(feature = "serde", serde(rename = "bulk"))]
    BulkOutput,
    Intermediate,
    #[strum(serialize = "bash")]
    #[cfg_attr(feature = "serde", serde(rename = "bash"))]
    Shell,
    Read,
    Remove,
    #[strum(serialize = "drop")]
    #[cfg_attr(feature = "serde", serde(rename = "drop"))]
    DropTurn,
    Clear,
    /// Masks an output with an identical copy elsewhere.
    Dedupe,
    /// Masks an output whose subject was read or written again later.
    Supersede,
    /// Reduces an episode to its description.
    Fold,
    Summarise,
    /// Evicts a span, with its summary kept outside the context.
    PageOut,
    /// Restores evicted content, or its summary.
    PageIn,
}

impl Action {
    pub const ALL: &'static [Self] = Self::VARIANTS;

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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvictionStep {
    /// The step precedes this turn's request.
    pub turn: TurnIdx,
    pub subject: Subject,
    pub action: Action,
    /// True if the episode is at the action's level after the step. Under item-by-item eviction,
    /// only the last step reaches it.
    pub reached: bool,
    pub before: u64,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    Out(BlockIdx),
    In(BlockIdx),
    Masked(BlockIdx, Placeholder),
    Placed(u32),
    Lifted(u32),
    Residue(EpisodeIdx, bool),
}
