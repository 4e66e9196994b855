//! Findings: what a verification of a policy's passes says, as data with a place.

use alloc::sync::Arc;

use thiserror::Error;

use crate::{
    BlockIdx, Cut, EpisodeIdx, EpisodeName, Replay, ReplayInput, Rule, TurnIdx, step_that_takes, with_commas,
};

/// Something that a pass did and should not have done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The first request that has it.
    pub turn: TurnIdx,
    /// The first request after it that has it no more; `None` if it lasts to the end.
    pub until: Option<TurnIdx>,
    /// The block that it is about.
    pub block: Option<BlockIdx>,
    /// The block whose going brought it about, where a policy took one.
    pub taken: Option<BlockIdx>,
    /// The kind of fault.
    pub kind: FindingKind,
}

/// The kinds of findings; their codes and severities are rows of `docs/rules.md`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FindingKind {
    /// A pass took steps and made nothing smaller.
    #[error("the pass took steps and made nothing smaller: {} tokens before, {} after", with_commas(*.before), with_commas(*.after))]
    NotSmaller {
        /// The total before, tokens.
        before: u64,
        /// The total after, tokens.
        after: u64,
    },
    /// The budget is not met.
    #[error("the budget is not met, by up to {} tokens", with_commas(*.most))]
    OverBudget {
        /// The most that any of these requests is above it, tokens.
        most: u64,
    },
    /// A call stays, and the policy took its result.
    #[error("a call stays whose result the policy took")]
    CallAlone,
    /// A result stays, and the policy took its call.
    #[error("a result stays whose call the policy took")]
    ResultAlone,
    /// The policy took a block the human had pinned.
    #[error("the policy took a block that is pinned")]
    PinnedBlockTaken,
    /// Nothing in the context has the text of a pin any more.
    #[error("the pin {pin} has not survived")]
    PinLost {
        /// The pin as the human typed it.
        pin: Arc<str>,
    },
    /// An active episode has lost the call that opened it.
    #[error("{name} is active, and the call that opened it is gone")]
    EpisodeLost {
        /// The episode.
        episode: EpisodeIdx,
        /// The name.
        name: EpisodeName,
    },
    /// A call went before it was answered.
    #[error("a call is gone before it was answered")]
    PendingCallLost,
    /// Nothing in the context has an unfinished item of the agent's own list any more.
    #[error("the unfinished item \u{201c}{item}\u{201d} is gone")]
    TodoLost {
        /// The item.
        item: Arc<str>,
    },
    /// Nothing in the context has a probe's text.
    #[error("the probe {probe} is not answerable: {why}")]
    Unanswerable {
        /// The probe as the human typed it.
        probe: Arc<str>,
        /// Why it is not answerable.
        why: UnansweredReason,
    },
    /// A pin or a probe matches nothing in the whole history.
    #[error("{text} matches nothing in the whole history")]
    MatchesNothing {
        /// The text as the human typed it.
        text: Arc<str>,
    },
}

/// Why a probe is not answerable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UnansweredReason {
    /// The text that answers it has not come in yet.
    #[error("nothing before this request has it")]
    NotYet,
    /// The harness itself took the text that answers it.
    #[error("the harness took out what had it")]
    Harness,
    /// The policy took it.
    #[error("the policy took what had it")]
    Policy,
}

impl FindingKind {
    /// Returns the rule it breaks: a row of `docs/rules.md`.
    pub fn rule(&self) -> &'static Rule {
        match self {
            Self::NotSmaller { .. } => const { &Rule::look_up("V001") },
            Self::OverBudget { .. } => const { &Rule::look_up("V002") },
            Self::CallAlone => const { &Rule::look_up("V003") },
            Self::ResultAlone => const { &Rule::look_up("V004") },
            Self::PinnedBlockTaken => const { &Rule::look_up("V005") },
            Self::PinLost { .. } => const { &Rule::look_up("V006") },
            Self::EpisodeLost { .. } => const { &Rule::look_up("V007") },
            Self::PendingCallLost => const { &Rule::look_up("V008") },
            Self::TodoLost { .. } => const { &Rule::look_up("V009") },
            Self::Unanswerable { .. } => const { &Rule::look_up("V010") },
            Self::MatchesNothing { .. } => const { &Rule::look_up("V011") },
        }
    }

    /// Returns the stable code, `V…`.
    pub fn code(&self) -> &'static str {
        self.rule().code
    }

    /// Tells whether it is about a pin or a probe of the human's.
    pub fn is_watched(&self) -> bool {
        matches!(
            self,
            Self::PinnedBlockTaken
                | Self::PinLost { .. }
                | Self::Unanswerable { .. }
                | Self::MatchesNothing { .. }
        )
    }
}

impl Finding {
    /// Tells whether a request has it.
    pub fn is_at(&self, turn: TurnIdx) -> bool {
        self.turn <= turn && self.until.is_none_or(|until| turn < until)
    }

    /// Tells whether it is there at a cut: what a step of the same turn brought about, only after that step.
    pub fn is_at_cut(&self, input: &ReplayInput<'_>, replay: &Replay, cut: Cut) -> bool {
        if !self.is_at(cut.turn) {
            return false;
        }
        let n_steps = replay.outcome_at(cut.turn).n_steps as usize;
        if self.turn != cut.turn || cut.step >= n_steps {
            return true;
        }
        self.causing_step(input, replay).is_some_and(|step| step <= cut.step)
    }

    /// Finds the step of its first turn that brought it about, from 1; `None` if no single step did.
    pub fn causing_step(&self, input: &ReplayInput<'_>, replay: &Replay) -> Option<usize> {
        step_that_takes(input, replay, self.turn, self.taken?)
    }
}
