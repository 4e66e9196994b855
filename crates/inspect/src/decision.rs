//! A decision: what goes from a request, what stands in its place, the figures and the reasons, as data.

use cwl_engine::{Action, EpisodeName, EvictionLevel, TurnIdx};

use crate::{MessageEdit, PartPlace};

/// The decision about one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvictionDecision {
    /// The request's turn: the one that waits for its reply.
    pub turn: TurnIdx,
    /// Whether the list is edited, and why not.
    pub verdict: Verdict,
    /// The edits in the order of the list; empty unless the verdict is [`Verdict::Evict`].
    pub edits: Vec<MessageEdit>,
    /// Every part that is not sent, in the order of the list, also those that went at earlier turns.
    pub evicted: Vec<EvictedPart>,
    /// The sizes.
    pub figures: DecisionFigures,
}

/// Whether a list is edited, and why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing has to go: the list goes as it is.
    Keep,
    /// The edits are to be made.
    Evict,
    /// The policy would act, or cannot tell, and the list goes through as it is all the same.
    PassThrough(PassThroughReason),
}

/// Why a list goes through as it is although a policy is in force.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PassThroughReason {
    /// The policy goes by marks, and the session has none.
    #[error("{policy} goes by the marks of the agent, and this session has none so far")]
    NoMarks {
        /// The policy.
        policy: &'static str,
    },
    /// A part that the policy takes stands nowhere in the harness's list.
    #[error("{block} is not where the list of messages should have it")]
    UnknownPlace {
        /// The block, as the inspector names it.
        block: String,
    },
    /// A text would have to come into a message that is not the user's.
    #[error("what stands for {episode} has no place in message {message}")]
    NoPlaceForText {
        /// The episode.
        episode: String,
        /// The message, by its position in the list.
        message: usize,
    },
    /// The provider would refuse the rest.
    #[error("the provider would refuse what is left ({violation} at {place})")]
    WouldBeRefused {
        /// The stable name of the engine's rule.
        violation: &'static str,
        /// The block or message.
        place: String,
    },
    /// The policy took what no live decision may take: the human's words, the system prompt, the last turn.
    #[error("{block} may not go")]
    Protected {
        /// The block.
        block: String,
    },
}

/// A part that is not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvictedPart {
    /// The part's place.
    pub place: PartPlace,
    /// The part's size, tokens.
    pub tokens: u64,
    /// The episode that it belongs to, if it is in one.
    pub episode: Option<EpisodeName>,
    /// Why it is not sent.
    pub reason: EvictionReason,
}

/// Why a part is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvictionReason {
    /// A step of the policy took it, or put a text in its place.
    Step {
        /// The action of the step.
        action: Action,
        /// The step's turn.
        turn: TurnIdx,
        /// The number of the step in that turn, from 1.
        number: usize,
    },
    /// The part came in where everything of its kind had gone already.
    ArrivedStripped {
        /// The level that takes such a part.
        level: EvictionLevel,
    },
    /// Reasoning with nothing of its reply behind it, which its provider refuses.
    ReasoningApart,
}

/// The sizes of a request, tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DecisionFigures {
    /// Everything that the harness has, the overhead included.
    pub whole: u64,
    /// The request before this turn's pass: what went earlier is not in it.
    pub before: u64,
    /// The request as it is sent.
    pub sent: u64,
    /// The overhead: system prompt and tools, as far as the list does not hold them.
    pub overhead: u64,
    /// The budget τ.
    pub budget: u64,
    /// True when the budget cannot be met.
    pub over_budget: bool,
}
