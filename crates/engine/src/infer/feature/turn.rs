//! Features of a turn.

use alloc::vec::Vec;

use super::{AHEAD, BEHIND, FeatureList, TurnFeature, TurnStretch, n_shared};
use crate::infer::Effect;
use crate::infer::class::Class;
use crate::infer::cue::Cue;

impl TurnStretch<'_> {
    pub(in crate::infer) fn turn_features(&self, at: usize) -> Vec<TurnFeature> {
        use TurnFeature as F;
        let mut f = FeatureList(Vec::with_capacity(24));
        let turn = &self.turns[at];
        let class = self.class_at(at);
        let next = self.class_from(at);
        let has = |effect| turn.effects.contains(effect);
        f.add_if(F::Always, true);
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
        f.add_if(F::HasEdit, has(Effect::Edit));
        f.add_if(F::HasMutate, has(Effect::Mutate));
        f.add_if(F::HasDelegate, has(Effect::Delegate));
        f.add_if(F::HasRun, has(Effect::Run));
        f.add_if(F::HasLook, has(Effect::Look));
        f.add_if(F::HasGitLook, has(Effect::GitLook));
        let own = if class == Class::Tasks { next } else { Some(class) };
        let looks = |class: Class| matches!(class, Class::Look | Class::Ask | Class::Delegate);
        let by_subagent = self.by_subagent(at);
        f.add_if(F::NextIsLook, own.is_some_and(looks) && !by_subagent);
        f.add_if(F::NextIsWork, own.is_some_and(Class::is_work) || by_subagent);
        f.add_if(F::WritesBySubagent, by_subagent);
        let goes_on = at + 1 < self.turns.len() && !self.is_human(at + 1);
        f.add_if(F::LastBeforeHuman, !goes_on);
        if class == Class::NoCall {
            f.add_if(F::NoCallLast, !goes_on);
            f.add_if(F::NoCallMiddle, goes_on);
            f.add_if(F::NoCallLong, turn.text_bytes > 400);
            f.add_if(F::NoCallShort, turn.text_bytes < 80);
            f.add_if(F::NoCallAfterHuman, self.is_human(at));
        }
        if class.is_look() {
            self.run_of_looks(at, &mut f);
        }
        let count = |from: usize, to: usize, is: fn(Class) -> bool| {
            (from..to.min(self.turns.len())).filter(|at| is(self.class_at(*at))).count()
        };
        let (work, look) = (Class::is_work as fn(Class) -> bool, Class::is_look as fn(Class) -> bool);
        let around = |n: usize, is: fn(Class) -> bool| {
            (count(at.saturating_sub(n), at, is), count(at + 1, at + 1 + n, is))
        };
        let ((work3, next_work3), (look3, next_look3)) = (around(3, work), around(3, look));
        let ((work8, next_work8), (look8, next_look8)) = (around(8, work), around(8, look));
        f.add_if(F::WorkAround, work8 + next_work8 > look8 + next_look8);
        f.add_if(F::WorkBefore, work8 > look8);
        f.add_if(F::WorkNext, next_work3 > next_look3);
        f.add_if(F::LooksBefore, look3 > work3);
        f.add_if(F::LooksNext, next_look3 > next_work3);
        let (start, end) = (self.request_start(at), self.request_end(at));
        let n_earlier = count(start, at, work);
        f.add_if(F::WorkInRequest, n_earlier + count(at, end, work) > 0);
        f.add_if(F::WorkEarlierInRequest, n_earlier > 0);
        f.add_if(F::WorkLaterInRequest, count(at + 1, end, work) > 0);
        f.add_if(F::NoCallsInRequest, self.turns[start..end].iter().all(|turn| turn.n_calls == 0));
        if class == Class::Tasks {
            f.add_if(F::TasksBeforeLook, next.is_some_and(Class::is_look));
            f.add_if(F::TasksBeforeWork, next.is_some_and(Class::is_work));
            f.add_if(F::TasksDone, turn.tasks_done > 0);
            f.add_if(F::TasksStarted, turn.tasks_started > 0);
        }
        if matches!(class, Class::Check | Class::Run) {
            f.add_if(F::RunAfterWork, count(at.saturating_sub(6), at, work) > 0);
            f.add_if(F::RunThenWork, next_work3 > 0);
        }
        let cues = if turn.text_bytes > 0 { turn.cues } else { turn.reasoning_cues };
        f.add_if(F::WillWrite, cues.contains(Cue::Writes));
        f.add_if(F::WillLook, cues.contains(Cue::Looks));
        f.add_if(F::Learned, self.has_learned(at));
        f.add_if(F::Failed, turn.failed);
        f.add_if(F::Waiting, self.classes.waits[at]);
        f.0
    }

    fn run_of_looks(&self, at: usize, f: &mut FeatureList<TurnFeature>) {
        use TurnFeature as F;
        let in_run = |at: usize| self.class_at(at).is_look() || self.class_at(at) == Class::Tasks;
        let mut first = at;
        while first > at.saturating_sub(BEHIND) && first > 0 && in_run(first - 1) && !self.is_human(first) {
            first -= 1;
        }
        let mut last = at;
        while last + 1 < self.turns.len().min(at + AHEAD) && in_run(last + 1) && !self.is_human(last + 1) {
            last += 1;
        }
        let looks = (first..=last).filter(|at| self.class_at(*at).is_look());
        let (n, n_calls) =
            looks.fold((0, 0u32), |(n, n_calls), at| (n + 1, n_calls + u32::from(self.turns[at].n_looks)));
        let goes_on = last + 1 < self.turns.len() && !self.is_human(last + 1);
        let after = goes_on.then(|| self.class_at(last + 1)).filter(|class| class.is_work_or_check());
        let before = (first > 0 && !self.is_human(first)).then(|| self.class_at(first - 1));
        f.add_if(F::RunOfOne, n == 1);
        f.add_if(F::RunOfTwo, n == 2);
        f.add_if(F::RunOfThree, n == 3);
        f.add_if(F::RunOfFive, (4..=5).contains(&n));
        f.add_if(F::RunOfMany, n > 5);
        f.add_if(F::ShortRunThenWork, n <= 2 && after.is_some());
        f.add_if(F::ShortRunThenNoWork, n <= 2 && after.is_none());
        f.add_if(F::LongRunThenWork, n > 2 && after.is_some());
        f.add_if(F::LongRunThenNoWork, n > 2 && after.is_none());
        f.add_if(F::OneCallRun, n_calls <= 1);
        f.add_if(F::TwoCallRun, n_calls == 2);
        f.add_if(F::SomeCallRun, (3..=4).contains(&n_calls));
        f.add_if(F::ManyCallRun, n_calls > 8);
        f.add_if(F::AfterWorkRun, before.is_some_and(Class::is_doing));
        f.add_if(F::AfterPublishRun, before == Some(Class::Publish));
        f.add_if(F::AfterCheckRun, before == Some(Class::Check));
        let read = self.names_between(at, at + 1, |turn| &turn.read);
        if after.is_some() {
            let edited = self.names_between(last + 1, last + 4, |turn| &turn.edited);
            let n_shared = n_shared(&read, &edited);
            f.add_if(F::ReadsToEdit, n_shared > 0);
            f.add_if(F::OnlyReadsToEdit, n_shared > 0 && n_shared == read.len());
            f.add_if(F::EditNext, after == Some(Class::Edit));
            f.add_if(F::MutateNext, after == Some(Class::Mutate));
        }
        let own = self.names_between(at.saturating_sub(10), at, |turn| &turn.edited);
        f.add_if(F::ReadsOwn, n_shared(&read, &own) > 0);
    }
}
