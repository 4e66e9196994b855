//! The features of a turn.

use alloc::vec::Vec;

use super::{AHEAD, BEHIND, Present, Stretch, TurnFeature, n_shared};
use crate::infer::Effect;
use crate::infer::class::Class;
use crate::infer::cue::Cue;

impl Stretch<'_> {
    /// Finds the features of a turn as a part of an episode.
    pub(in crate::infer) fn turn(&self, at: usize) -> Vec<TurnFeature> {
        use TurnFeature as F;
        let mut f = Present(Vec::with_capacity(24));
        let turn = &self.turns[at];
        let class = self.class(at);
        let next = self.class_from(at);
        let has = |effect| turn.effects.has(effect);
        f.add(F::Always, true);
        f.0.push(match class {
            Class::Edit => F::IsEdit,
            Class::Publish => F::IsPublish,
            Class::Mutate => F::IsMutate,
            Class::Delegate => F::IsDelegate,
            Class::Check => F::IsCheck,
            Class::Run => F::IsRun,
            Class::Look => F::IsLook,
            Class::Ask => F::IsAsk,
            Class::Tasks => F::IsTasks,
            Class::NoCall => F::IsNoCall,
        });
        f.add(F::HasEdit, has(Effect::Edit));
        f.add(F::HasMutate, has(Effect::Mutate));
        f.add(F::HasDelegate, has(Effect::Delegate));
        f.add(F::HasRun, has(Effect::Run));
        f.add(F::HasLook, has(Effect::Look));
        f.add(F::HasGitLook, has(Effect::GitLook));
        let own = if class == Class::Tasks { next } else { Some(class) };
        let looks = |class: Class| matches!(class, Class::Look | Class::Ask | Class::Delegate);
        let by_subagent = self.by_subagent(at);
        f.add(F::NextIsLook, own.is_some_and(looks) && !by_subagent);
        f.add(F::NextIsWork, own.is_some_and(Class::is_work) || by_subagent);
        f.add(F::WritesBySubagent, by_subagent);
        let goes_on = at + 1 < self.turns.len() && !self.is_human(at + 1);
        f.add(F::LastBeforeHuman, !goes_on);
        if class == Class::NoCall {
            f.add(F::NoCallLast, !goes_on);
            f.add(F::NoCallMiddle, goes_on);
            f.add(F::NoCallLong, turn.text_bytes > 400);
            f.add(F::NoCallShort, turn.text_bytes < 80);
            f.add(F::NoCallAfterHuman, self.is_human(at));
        }
        if class.is_look() {
            self.run_of_looks(at, &mut f);
        }
        let count = |from: usize, to: usize, is: fn(Class) -> bool| {
            (from..to.min(self.turns.len())).filter(|at| is(self.class(*at))).count()
        };
        let (work, look) = (Class::is_work as fn(Class) -> bool, Class::is_look as fn(Class) -> bool);
        let around = |n: usize, is: fn(Class) -> bool| {
            (count(at.saturating_sub(n), at, is), count(at + 1, at + 1 + n, is))
        };
        let ((work3, next_work3), (look3, next_look3)) = (around(3, work), around(3, look));
        let ((work8, next_work8), (look8, next_look8)) = (around(8, work), around(8, look));
        f.add(F::WorkAround, work8 + next_work8 > look8 + next_look8);
        f.add(F::WorkBefore, work8 > look8);
        f.add(F::WorkNext, next_work3 > next_look3);
        f.add(F::LooksBefore, look3 > work3);
        f.add(F::LooksNext, next_look3 > next_work3);
        let (start, end) = (self.request_start(at), self.request_end(at));
        let n_earlier = count(start, at, work);
        f.add(F::WorkInRequest, n_earlier + count(at, end, work) > 0);
        f.add(F::WorkEarlierInRequest, n_earlier > 0);
        f.add(F::WorkLaterInRequest, count(at + 1, end, work) > 0);
        f.add(F::NoCallsInRequest, self.turns[start..end].iter().all(|turn| turn.n_calls == 0));
        if class == Class::Tasks {
            f.add(F::TasksBeforeLook, next.is_some_and(Class::is_look));
            f.add(F::TasksBeforeWork, next.is_some_and(Class::is_work));
            f.add(F::TasksDone, turn.tasks_done > 0);
            f.add(F::TasksStarted, turn.tasks_started > 0);
        }
        if matches!(class, Class::Check | Class::Run) {
            f.add(F::RunAfterWork, count(at.saturating_sub(6), at, work) > 0);
            f.add(F::RunThenWork, next_work3 > 0);
        }
        let cues = if turn.text_bytes > 0 { turn.cues } else { turn.reasoning_cues };
        f.add(F::WillWrite, cues.has(Cue::Writes));
        f.add(F::WillLook, cues.has(Cue::Looks));
        f.add(F::Learned, self.learned(at));
        f.add(F::Failed, turn.failed);
        f.add(F::Waiting, self.classes.waits[at]);
        f.0
    }

    /// Finds the features of the run of looking that a turn is in.
    fn run_of_looks(&self, at: usize, f: &mut Present<TurnFeature>) {
        use TurnFeature as F;
        let in_run = |at: usize| self.class(at).is_look() || self.class(at) == Class::Tasks;
        let mut first = at;
        while first > at.saturating_sub(BEHIND) && first > 0 && in_run(first - 1) && !self.is_human(first) {
            first -= 1;
        }
        let mut last = at;
        while last + 1 < self.turns.len().min(at + AHEAD) && in_run(last + 1) && !self.is_human(last + 1) {
            last += 1;
        }
        let looks = (first..=last).filter(|at| self.class(*at).is_look());
        let (n, n_calls) =
            looks.fold((0, 0u32), |(n, n_calls), at| (n + 1, n_calls + u32::from(self.turns[at].n_looks)));
        let goes_on = last + 1 < self.turns.len() && !self.is_human(last + 1);
        let after = goes_on.then(|| self.class(last + 1)).filter(|class| class.is_work_or_check());
        let before = (first > 0 && !self.is_human(first)).then(|| self.class(first - 1));
        f.add(F::RunOfOne, n == 1);
        f.add(F::RunOfTwo, n == 2);
        f.add(F::RunOfThree, n == 3);
        f.add(F::RunOfFive, (4..=5).contains(&n));
        f.add(F::RunOfMany, n > 5);
        f.add(F::ShortRunThenWork, n <= 2 && after.is_some());
        f.add(F::ShortRunThenNoWork, n <= 2 && after.is_none());
        f.add(F::LongRunThenWork, n > 2 && after.is_some());
        f.add(F::LongRunThenNoWork, n > 2 && after.is_none());
        f.add(F::OneCallRun, n_calls <= 1);
        f.add(F::TwoCallRun, n_calls == 2);
        f.add(F::SomeCallRun, (3..=4).contains(&n_calls));
        f.add(F::ManyCallRun, n_calls > 8);
        f.add(F::AfterWorkRun, before.is_some_and(Class::is_doing));
        f.add(F::AfterPublishRun, before == Some(Class::Publish));
        f.add(F::AfterCheckRun, before == Some(Class::Check));
        let read = self.names(at, at + 1, |turn| &turn.read);
        if after.is_some() {
            let edited = self.names(last + 1, last + 4, |turn| &turn.edited);
            let n_shared = n_shared(&read, &edited);
            f.add(F::ReadsToEdit, n_shared > 0);
            f.add(F::OnlyReadsToEdit, n_shared > 0 && n_shared == read.len());
            f.add(F::EditNext, after == Some(Class::Edit));
            f.add(F::MutateNext, after == Some(Class::Mutate));
        }
        let own = self.names(at.saturating_sub(10), at, |turn| &turn.edited);
        f.add(F::ReadsOwn, n_shared(&read, &own) > 0);
    }
}
