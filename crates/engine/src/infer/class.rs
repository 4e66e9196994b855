//! Classes: the kind of work in a turn.

use alloc::vec::Vec;

use super::effect::Effect;
use super::turns::TurnFacts;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Edit,
    Publish,
    Mutate,
    Delegate,
    Check,
    Run,
    Look,
    Ask,
    Tasks,
    NoCall,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClassGroup {
    Look,
    Work,
    Publish,
    Check,
    Delegate,
    Tasks,
    NoCall,
}

impl Class {
    pub(super) fn group_of_class(self) -> ClassGroup {
        match self {
            Self::Look | Self::Ask | Self::Run => ClassGroup::Look,
            Self::Edit | Self::Mutate => ClassGroup::Work,
            Self::Publish => ClassGroup::Publish,
            Self::Check => ClassGroup::Check,
            Self::Delegate => ClassGroup::Delegate,
            Self::Tasks => ClassGroup::Tasks,
            Self::NoCall => ClassGroup::NoCall,
        }
    }

    pub(super) fn is_look(self) -> bool {
        matches!(self, Self::Look | Self::Delegate | Self::Ask | Self::Run)
    }

    pub(super) fn is_work(self) -> bool {
        matches!(self, Self::Edit | Self::Publish | Self::Mutate)
    }

    pub(super) fn is_doing(self) -> bool {
        matches!(self, Self::Edit | Self::Mutate)
    }

    pub(super) fn is_work_or_check(self) -> bool {
        self.is_work() || self == Self::Check
    }

    pub(super) fn is_aside(self) -> bool {
        matches!(self, Self::Tasks | Self::NoCall)
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Classes {
    pub(super) all: Vec<Class>,
    /// Turns that only wait; they have the class of the turn before.
    pub(super) waits: Vec<bool>,
    pub(super) publishes: Vec<bool>,
}

impl Classes {
    pub(super) fn classify(turns: &[TurnFacts]) -> Self {
        let mut classes = Self::default();
        classes.go_on(turns);
        classes
    }

    pub(super) fn go_on(&mut self, turns: &[TurnFacts]) {
        let from = self.all.len().saturating_sub(PUBLISH_AHEAD);
        self.all.truncate(from);
        self.waits.truncate(from);
        self.publishes.truncate(from);
        for (at, turn) in turns.iter().enumerate().skip(from) {
            let first = turn.effects.first();
            self.waits.push(first == Some(Effect::Wait));
            self.publishes.push(turn.effects.contains(Effect::Publish));
            let before = at.checked_sub(1).map(|at| self.all[at]).filter(|class| !class.is_aside());
            self.all.push(match first {
                None => Class::NoCall,
                Some(Effect::Edit) => Class::Edit,
                Some(Effect::Publish) => Class::Publish,
                Some(Effect::Mutate) => Class::Mutate,
                Some(Effect::Delegate) => Class::Delegate,
                Some(Effect::Check) => Class::Check,
                Some(Effect::Run) => Class::Run,
                Some(Effect::Look) => Class::Look,
                Some(Effect::Ask) => Class::Ask,
                Some(Effect::Tasks) => Class::Tasks,
                Some(Effect::Wait) => before.unwrap_or(Class::Look),
                Some(Effect::GitLook) if publishes_near(turns, at) => Class::Publish,
                Some(Effect::GitLook) => Class::Look,
            });
        }
    }
}

const PUBLISH_AHEAD: usize = 4;

/// Returns `true` if a look at the repository belongs to publishing: a publication follows within four turns
/// or precedes within three, with only looks in between and no human message.
fn publishes_near(turns: &[TurnFacts], at: usize) -> bool {
    let only_looks = |turn: &TurnFacts| {
        let others = [Effect::Edit, Effect::Delegate, Effect::Check, Effect::Run, Effect::Ask, Effect::Wait];
        turn.n_calls > 0 && !turn.effects.has_any(&others)
    };
    let publishes = |turn: &TurnFacts| turn.effects.contains(Effect::Publish);
    let mut ahead = turns.iter().skip(at + 1).take(PUBLISH_AHEAD).take_while(|turn| turn.human.is_none());
    if ahead.by_ref().find(|turn| publishes(turn) || !only_looks(turn)).is_some_and(publishes) {
        return true;
    }
    for here in (at.saturating_sub(3)..at).rev() {
        if turns[here + 1].human.is_some() {
            return false;
        }
        if publishes(&turns[here]) {
            return true;
        }
        if !only_looks(&turns[here]) || turns[here].effects.contains(Effect::Mutate) {
            return false;
        }
    }
    false
}
