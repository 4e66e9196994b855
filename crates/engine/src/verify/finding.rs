//! Findings: results of verifying a policy's passes, as data with a place.

use alloc::sync::Arc;

use thiserror::Error;

use crate::{
    BlockIdx, Cut, EpisodeIdx, EpisodeName, Replay, ReplayInput, Rule, TurnIdx, step_that_takes, with_commas,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub turn: TurnIdx,
    /// `None` if the fault lasts to the end.
    pub until: Option<TurnIdx>,
    pub block: Option<BlockIdx>,
    /// The evicted block behind the fault, if a policy took one.
    pub taken: Option<BlockIdx>,
    pub kind: FindingKind,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum FindingKind {
    #[error("the pass took steps and made nothing smaller: {} tokens before, {} after", with_commas(*.before), with_commas(*.after))]
    NotSmaller { before: u64, after: u64 },
    #[error(
        "the pass takes {} tokens where {} would do: it leaves {}, and its stop is {}; its largest step takes {}",
        with_commas(*.taken), with_commas(*.needed), with_commas(*.after), with_commas(*.stop), with_commas(*.step)
    )]
    TooMuchTaken {
        taken: u64,
        /// Tokens above the stop before the pass.
        needed: u64,
        after: u64,
        stop: u64,
        step: u64,
    },
    #[error("the budget is not met, by up to {} tokens", with_commas(*.most))]
    OverBudget { most: u64 },
    #[error("a call stays whose result the policy took")]
    CallAlone,
    #[error("a result stays whose call the policy took")]
    ResultAlone,
    #[error("the policy took a block that is pinned")]
    PinnedBlockTaken,
    #[error("the pin {pin} has not survived")]
    PinLost { pin: Arc<str> },
    #[error("{name} is active, and the call that opened it is gone")]
    EpisodeLost { episode: EpisodeIdx, name: EpisodeName },
    #[error("a call is gone before it was answered")]
    PendingCallLost,
    #[error("the unfinished item \u{201c}{item}\u{201d} is gone")]
    TodoLost { item: Arc<str> },
    #[error("the probe {probe} is not answerable: {why}")]
    Unanswerable { probe: Arc<str>, why: UnansweredReason },
    #[error("{text} matches nothing in the whole history")]
    MatchesNothing { text: Arc<str> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum UnansweredReason {
    #[error("nothing before this request has it")]
    NotYet,
    #[error("the harness took out what had it")]
    Harness,
    #[error("the policy took what had it")]
    Policy,
}

impl FindingKind {
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
            Self::TooMuchTaken { .. } => const { &Rule::look_up("V012") },
        }
    }

    pub fn code(&self) -> &'static str {
        self.rule().code
    }

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
    pub fn is_at(&self, turn: TurnIdx) -> bool {
        self.turn <= turn && self.until.is_none_or(|until| turn < until)
    }

    /// Returns `true` if the fault is present at a cut. A fault caused by a step of the same turn is
    /// present only after this step.
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

    /// Returns the step, from 1, of the first faulty turn that took [`Finding::taken`]; `None` if
    /// no single step did.
    pub fn causing_step(&self, input: &ReplayInput<'_>, replay: &Replay) -> Option<usize> {
        step_that_takes(input, replay, self.turn, self.taken?)
    }
}
