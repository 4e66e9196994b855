//! A live decision as data: edits, evicted parts, reasons and sizes.

use cwl_engine::{Action, EpisodeName, EvictionLevel, TurnIdx};

use crate::live_decision::{MessageEdit, PartPlace};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvictionDecision {
    pub turn: TurnIdx,
    pub verdict: Verdict,
    /// Sorted by list position; empty unless `verdict` is [`Verdict::Evict`].
    pub edits: Vec<MessageEdit>,
    /// All parts left out, sorted by list position, including parts evicted at earlier turns.
    pub evicted: Vec<EvictedPart>,
    pub figures: DecisionFigures,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Keep,
    /// The harness must apply [`EvictionDecision::edits`].
    Evict,
    /// The list stays unchanged although the policy would evict, or cannot decide.
    PassThrough(PassThroughReason),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PassThroughReason {
    #[error("{policy} goes by the marks of the agent, and this session has none so far")]
    NoMarks { policy: &'static str },
    #[error("{block} is not where the list of messages should have it")]
    UnknownPlace {
        /// Block name in the form `entry:index`, as in the inspector.
        block: String,
    },
    /// A residue or summary would split a message whose role is not `user` or `tool`.
    #[error("what stands for {episode} has no place in message {message}")]
    NoPlaceForText {
        episode: String,
        /// Position in the list.
        message: usize,
    },
    /// The edited list breaks a provider rule the whole list keeps.
    #[error("the provider would refuse what is left ({violation} at {place})")]
    WouldBeRefused {
        /// Rule name from [`Violation::name`](cwl_engine::Violation::name).
        violation: &'static str,
        place: String,
    },
    /// The policy evicts a protected block, such as human text or the system prompt.
    #[error("{block} may not go")]
    Protected { block: String },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvictedPart {
    pub place: PartPlace,
    pub tokens: u64,
    /// `None` outside any episode.
    pub episode: Option<EpisodeName>,
    pub reason: EvictionReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvictionReason {
    Step {
        action: Action,
        turn: TurnIdx,
        /// Step number within `turn`, from 1.
        number: usize,
    },
    /// The part arrived after its episode had reached `level`.
    ArrivedStripped { level: EvictionLevel },
    /// Reasoning no longer followed by another part of its reply; the provider refuses it.
    ReasoningApart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DecisionFigures {
    /// Request without any eviction, `overhead` included.
    pub whole: u64,
    /// Request before this turn's pass: earlier evictions are already subtracted.
    pub before: u64,
    pub sent: u64,
    pub overhead: u64,
    pub budget: u64,
    pub over_budget: bool,
}
