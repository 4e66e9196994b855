//! Features of a start.

use alloc::vec::Vec;

use super::{AHEAD, BEHIND, FeatureList, StartFeature, TurnStretch, n_shared};
use crate::infer::class::{Class, ClassGroup};
use crate::infer::cue::Cue;
use crate::infer::turns::TurnFacts;

impl TurnStretch<'_> {
    pub(in crate::infer) fn start_features(&self, at: usize) -> Vec<StartFeature> {
        use StartFeature as F;
        let mut f = FeatureList(Vec::with_capacity(32));
        let turn = &self.turns[at];
        let before = at.checked_sub(1).map(|at| &self.turns[at]);
        let class = self.class_at(at);
        let is_human = self.is_human(at);
        let last = self.class_before(at);
        let last_class = last.map(|(_, class)| class);
        let next = self.class_from(at);
        let has_words = turn.text_bytes > 0;
        f.add_if(F::Always, true);
        f.add_if(F::FirstTurn, at == 0);
        self.add_human(at, last_class, next, &mut f);
        f.add_if(F::Harness, turn.harness && at > 0 && turn.human.is_none());
        f.add_if(F::Compacted, turn.compacted);
        f.add_if(F::Interrupted, turn.interrupted && at > 0);
        f.add_if(F::NoCall, class == Class::NoCall);
        f.add_if(F::AfterNoCall, at > 0 && !is_human && self.class_at(at - 1) == Class::NoCall);
        self.add_words(at, next, &mut f);
        if !is_human {
            f.0.extend(class_change(last_class, class));
        }
        f.0.extend(is_class(class));
        let edited_before = |n: usize| self.names_between(at.saturating_sub(n), at, |turn| &turn.edited);
        let n_looks_before = self.looks_before(at);
        let (n_looks, n_looking_calls) = self.looks_from(at);
        let mut is_elsewhere = false;
        if class.is_doing() && !is_human {
            f.add_if(F::WorkAfterNoLook, n_looks_before == 0);
            f.add_if(F::WorkAfterOneLook, n_looks_before == 1);
            f.add_if(F::WorkAfterTwoLooks, n_looks_before == 2);
            f.add_if(F::WorkAfterSomeLooks, (3..=4).contains(&n_looks_before));
            f.add_if(F::WorkAfterManyLooks, n_looks_before > 4);
            f.add_if(F::TurnOver, self.has_learned(at) && n_looks_before >= 2);
            if class == Class::Edit {
                let own = self.names_between(at, at + 1, |turn| &turn.edited);
                let read =
                    self.names_between(at.saturating_sub(n_looks_before.max(1)), at, |turn| &turn.read);
                let edited = edited_before(8);
                let folders = self.folders_between(at, at + 1, |turn| &turn.edited);
                let edited_folders = self.folders_between(at.saturating_sub(8), at, |turn| &turn.edited);
                let is_new = !own.is_empty() && !edited.is_empty() && n_shared(&own, &edited) == 0;
                let is_new_folder = !folders.is_empty()
                    && !edited_folders.is_empty()
                    && n_shared(&folders, &edited_folders) == 0;
                is_elsewhere = is_new || is_new_folder;
                f.add_if(F::EditOfRead, n_looks_before > 0 && n_shared(&own, &read) > 0);
                f.add_if(F::EditAgain, n_shared(&own, &edited) > 0);
                f.add_if(F::EditNewFile, is_new);
                f.add_if(F::EditNewFolder, is_new_folder);
                if matches!(last_class, Some(Class::Edit | Class::Mutate | Class::Check)) {
                    f.add_if(F::EditElsewhereWithWords, is_elsewhere && has_words);
                    let is_check = last_class == Some(Class::Check);
                    let has_failed = last.is_some_and(|(at, _)| self.turns[at].failed);
                    f.add_if(F::EditAfterGoodCheck, is_check && !has_failed);
                    f.add_if(F::EditAfterBadCheck, is_check && has_failed);
                }
            }
        }
        let own_reads = || self.names_between(at, at + 1, |turn| &turn.read);
        if class.is_look() && !is_human && last_class.is_some_and(Class::is_work_or_check) {
            f.add_if(F::OneLookAfterWork, n_looks == 1);
            f.add_if(F::TwoLooksAfterWork, n_looks == 2);
            f.add_if(F::ThreeLooksAfterWork, n_looks == 3);
            f.add_if(F::SomeLooksAfterWork, (4..=5).contains(&n_looks));
            f.add_if(F::ManyLooksAfterWork, n_looks > 5);
            f.add_if(F::ThreeLookingCalls, n_looking_calls >= 3);
            f.add_if(F::LookAfterFailure, before.is_some_and(|turn| turn.failed));
            let (own, edited) = (own_reads(), edited_before(8));
            let is_own = n_shared(&own, &edited) > 0;
            f.add_if(F::LookAtOwn, is_own);
            f.add_if(F::LookAtOther, !own.is_empty() && !is_own);
            f.add_if(F::FreshLook, n_looks >= 3 && !is_own);
        }
        let (folders, folders_before) = (
            self.folders_between(at, at + 1, |turn| &turn.files),
            self.folders_between(at.saturating_sub(5), at, |turn| &turn.files),
        );
        let (files, files_before) = (
            self.names_between(at, at + 1, |turn| &turn.files),
            self.names_between(at.saturating_sub(5), at, |turn| &turn.files),
        );
        if class.is_look() && !is_human && last_class.is_some_and(Class::is_look) {
            let drifts = !folders.is_empty() && n_shared(&folders, &folders_before) == 0;
            f.add_if(F::LooksBefore2, n_looks_before <= 2);
            f.add_if(F::LooksBefore4, (3..=4).contains(&n_looks_before));
            f.add_if(F::LooksBefore8, (5..=8).contains(&n_looks_before));
            f.add_if(F::LooksBefore14, (9..=14).contains(&n_looks_before));
            f.add_if(F::LooksBeforeMore, n_looks_before > 14);
            f.add_if(F::LookDrifts, n_looks_before >= 3 && drifts);
            f.add_if(F::LookDriftsWithWords, n_looks_before >= 2 && drifts && has_words);
            f.add_if(
                F::LookDisjoint,
                n_looks_before >= 3 && !files.is_empty() && n_shared(&files, &files_before) == 0,
            );
            let announces = turn.cues.contains(Cue::Announces) && !turn.cues.contains(Cue::Also);
            f.add_if(F::LookAnnouncedLate, n_looks_before >= 4 && announces);
        }
        let counts = turn.cues.contains(Cue::Step) || turn.cues.contains(Cue::Heading);
        let says =
            turn.cues.contains(Cue::Now) || turn.cues.contains(Cue::Announces) || turn.tasks_started > 0;
        f.add_if(F::NewUnit, !is_human && counts && says && (is_elsewhere || turn.tasks_started > 0));
        self.add_publishing(at, last_class, &mut f);
        self.add_tasks(at, next, n_looks, &mut f);
        let is_delegate = class == Class::Delegate;
        f.add_if(F::DelegateAfterOther, is_delegate && last_class != Some(Class::Delegate));
        f.add_if(F::AfterDelegate, !is_delegate && last_class == Some(Class::Delegate));
        f.add_if(
            F::WritesBySubagent,
            turn.delegates_writing && !before.is_some_and(|turn| turn.delegates_writing),
        );
        f.add_if(F::AsksFirst, class == Class::Ask && last_class != Some(Class::Ask));
        let was_waiting = at > 0 && self.classes.waits[at - 1];
        f.add_if(F::Waiting, self.classes.waits[at]);
        f.add_if(F::AfterWaiting, was_waiting && !self.classes.waits[at]);
        f.add_if(F::Failed, turn.failed);
        f.add_if(F::FailedBefore, before.is_some_and(|turn| turn.failed));
        let was_check = at > 0 && self.class_at(at - 1) == Class::Check;
        let has_failed = before.is_some_and(|turn| turn.failed);
        f.add_if(F::CheckBegins, class == Class::Check && last_class != Some(Class::Check));
        f.add_if(F::AfterGoodCheck, was_check && !has_failed && class != Class::Check);
        f.add_if(F::AfterBadCheck, was_check && has_failed);
        f.add_if(F::BigOutput, turn.out_bytes > 14_000);
        let was_over = at > 0
            && !has_failed
            && matches!(self.class_at(at - 1), Class::Check | Class::Publish | Class::Mutate);
        let done = turn.cues.contains(Cue::Done) && turn.cues.contains(Cue::Announces);
        f.add_if(F::DoneThenAnnounces, was_over && done && !is_human);
        f.add_if(F::NewFolders, at > 0 && !folders.is_empty() && n_shared(&folders, &folders_before) == 0);
        f.add_if(F::NewFiles, at > 0 && !files.is_empty() && n_shared(&files, &files_before) == 0);
        if !is_human {
            let ahead = self.names_between(at, at + 4, |turn| &turn.files);
            let shared = n_shared(&ahead, &files_before);
            f.add_if(F::WindowDisjoint, !ahead.is_empty() && !files_before.is_empty() && shared == 0);
            f.add_if(F::WindowAlike, shared > 0 && 3 * shared >= ahead.len() + files_before.len() - shared);
        }
        if let Some(shared) = self.words_shared(at).filter(|_| at > 0) {
            f.add_if(F::WordsApart, shared < 120);
            f.add_if(F::WordsLittleShared, (120..200).contains(&shared));
            f.add_if(F::WordsShared, shared >= 400);
            let near = [at.wrapping_sub(2), at - 1, at + 1, at + 2];
            let others = near.into_iter().filter(|near| *near > 0 && *near < self.turns.len());
            let least = others.filter_map(|near| self.words_shared(near)).min();
            f.add_if(F::WordsTurn, least.is_some_and(|least| shared <= least));
        }
        f.0
    }

    pub(super) fn has_learned(&self, at: usize) -> bool {
        let turn = &self.turns[at];
        turn.cues.contains(Cue::Learned) || turn.text_bytes == 0 && turn.reasoning_cues.contains(Cue::Learned)
    }

    fn add_human(
        &self,
        at: usize,
        last: Option<Class>,
        next: Option<Class>,
        f: &mut FeatureList<StartFeature>,
    ) {
        use StartFeature as F;
        let Some(human) = self.turns[at].human.filter(|_| at > 0) else { return };
        let end = self.request_end(at);
        let is_whole = end < self.turns.len().min(at + AHEAD);
        let group = |class: Option<Class>| class.map(Class::group_of_class);
        let edited = self.names_between(at, end, |turn| &turn.edited);
        let edited_before = self.names_between(at.saturating_sub(10), at, |turn| &turn.edited);
        let files = self.names_between(at, end, |turn| &turn.files);
        let files_before = self.names_between(at.saturating_sub(10), at, |turn| &turn.files);
        let same_files = !edited.is_empty() && n_shared(&edited, &edited_before) == edited.len();
        f.add_if(F::Human, true);
        f.add_if(F::HumanApproves, human.approves);
        f.add_if(F::HumanLong, human.n_bytes > 200);
        f.add_if(F::HumanShort, human.n_bytes <= 40);
        f.add_if(F::HumanAsks, human.asks);
        f.add_if(F::HumanSameWork, next.is_some() && group(last) == group(next));
        f.add_if(F::HumanAfterNoCall, self.class_at(at - 1) == Class::NoCall);
        f.add_if(F::HumanMidRun, self.class_at(at - 1) != Class::NoCall);
        f.add_if(F::HumanAfterWork, matches!(last, Some(Class::Edit | Class::Mutate | Class::Check)));
        f.add_if(F::HumanThenLook, next.is_some_and(Class::is_look));
        f.add_if(F::HumanThenEdit, next.is_some_and(Class::is_doing));
        f.add_if(F::HumanThenPublish, next == Some(Class::Publish));
        f.add_if(F::HumanNoCalls, self.turns[at..end].iter().all(|turn| turn.n_calls == 0));
        f.add_if(F::HumanFewTurns, end - at <= 3 && is_whole);
        f.add_if(F::HumanSameFiles, same_files);
        f.add_if(F::HumanNewFiles, !edited.is_empty() && n_shared(&edited, &edited_before) == 0);
        f.add_if(F::HumanKnownFiles, !files.is_empty() && n_shared(&files, &files_before) == files.len());
        f.add_if(F::HumanUnknownFiles, !files.is_empty() && n_shared(&files, &files_before) == 0);
        f.add_if(F::HumanTweak, end - at <= 4 && is_whole && same_files && human.n_bytes < 150);
    }

    fn add_words(&self, at: usize, next: Option<Class>, f: &mut FeatureList<StartFeature>) {
        use StartFeature as F;
        let turn = &self.turns[at];
        let has = |cue: Cue| turn.cues.contains(cue);
        if turn.text_bytes > 0 {
            let is_silent = |at: &usize| self.turns[*at].text_bytes == 0;
            let n_silent = (at.saturating_sub(6)..at).rev().take_while(is_silent).count();
            f.add_if(F::Words, true);
            f.add_if(F::WordsMiddling, (121..=300).contains(&turn.text_bytes));
            f.add_if(F::WordsLong, turn.text_bytes > 300);
            f.add_if(F::WordsAfterSilence, n_silent == 1);
            f.add_if(F::WordsAfterLongSilence, n_silent >= 2);
            f.add_if(F::SaysNow, has(Cue::Now));
            f.add_if(F::Announces, has(Cue::Announces));
            f.add_if(F::SaysDone, has(Cue::Done));
            f.add_if(F::DoneAndAnnounces, has(Cue::Done) && has(Cue::Announces));
            f.add_if(F::CountsStep, has(Cue::Step));
            f.add_if(F::Heading, has(Cue::Heading));
            f.add_if(F::SpeaksOfCommit, has(Cue::Commits) && self.class_at(at) == Class::Publish);
            f.add_if(F::GoesOn, has(Cue::Also));
            f.add_if(F::WaitsInWords, has(Cue::Waits));
            f.add_if(F::WillWrite, has(Cue::Writes));
            f.add_if(F::WillLook, has(Cue::Looks));
            f.add_if(F::WillCheck, has(Cue::Checks));
            f.add_if(F::SpeaksOfAll, has(Cue::Plural));
        } else {
            f.add_if(F::OnlyReasoning, turn.reasoning_bytes > 0);
            f.add_if(F::ReasonedLearned, turn.reasoning_cues.contains(Cue::Learned));
        }
        let learned = self.has_learned(at);
        f.add_if(F::Learned, learned);
        f.add_if(F::LearnedThenWork, learned && next.is_some_and(Class::is_work));
    }

    fn add_publishing(&self, at: usize, last: Option<Class>, f: &mut FeatureList<StartFeature>) {
        use StartFeature as F;
        let is_publish = |at: usize| self.class_at(at) == Class::Publish;
        let recent = (at.saturating_sub(4)..at).any(|at| self.classes.publishes[at]);
        f.add_if(F::PublishGoesOn, self.classes.publishes[at] && recent);
        let soon = (at..self.request_end(at).min(at + 3)).any(|at| self.classes.publishes[at]);
        f.add_if(F::AfterPublish, last == Some(Class::Publish) && !self.classes.publishes[at] && !soon);
        let begins = is_publish(at) && !recent && !(at > 0 && is_publish(at - 1));
        if !begins || self.is_human(at) {
            return;
        }
        let (mut n_edits, mut n_turns) = (0, 0);
        for here in (at.saturating_sub(BEHIND)..at).rev() {
            if self.classes.publishes[here] {
                break;
            }
            n_edits += usize::from(self.class_at(here) == Class::Edit);
            n_turns += 1;
            if self.is_human(here) {
                break;
            }
        }
        let n_publish = (at..self.request_end(at).min(at + 10)).filter(|at| is_publish(*at)).count();
        let turn = &self.turns[at];
        f.add_if(F::PublishBegins, true);
        f.add_if(F::PublishBeginsAfterEdits, n_edits >= 2);
        f.add_if(F::PublishBeginsLong, n_publish >= 3);
        f.add_if(F::PublishBeginsSingle, n_publish <= 1);
        f.add_if(F::PublishBeginsAfterMuch, n_edits >= 2 || n_turns >= 6);
        f.add_if(F::PublishBeginsSaid, turn.text_bytes > 0 && turn.cues.contains(Cue::Commits));
    }

    fn add_tasks(&self, at: usize, next: Option<Class>, n_looks: usize, f: &mut FeatureList<StartFeature>) {
        use StartFeature as F;
        let turn = &self.turns[at];
        let none = TurnFacts::default();
        let before = if at > 0 { &self.turns[at - 1] } else { &none };
        let (created, started, done) = (turn.tasks_created > 0, turn.tasks_started > 0, turn.tasks_done > 0);
        f.add_if(F::TasksCreated, created && before.tasks_created == 0);
        f.add_if(F::TasksCreatedOn, created && before.tasks_created > 0);
        f.add_if(F::TasksCreatedBefore, !created && before.tasks_created > 0);
        f.add_if(F::TaskStarted, started);
        f.add_if(F::TaskDone, done);
        let was_done = (at.saturating_sub(2)..at).any(|at| self.turns[at].tasks_done > 0);
        f.add_if(F::TaskSwitched, started && (done || was_done));
        f.add_if(F::TaskStartedSilent, started && turn.text_bytes == 0);
        if started {
            let end = self.turns.len().min(at + AHEAD);
            let n = (at + 1..end)
                .take_while(|at| self.turns[*at].tasks_started == 0 && !self.is_human(*at))
                .count();
            f.add_if(F::TaskStartedShort, n <= 2);
            f.add_if(F::TaskStartedMiddling, (3..=7).contains(&n));
            f.add_if(F::TaskStartedLong, n > 7);
            let ahead = self.folders_between(at, at + 6, |turn| &turn.edited);
            let behind = self.folders_between(at.saturating_sub(6), at, |turn| &turn.edited);
            f.add_if(
                F::TaskNewFolder,
                !ahead.is_empty() && !behind.is_empty() && n_shared(&ahead, &behind) == 0,
            );
        }
        f.add_if(F::AfterTaskDone, before.tasks_done > 0 && !done);
        f.add_if(F::AfterTaskStarted, before.tasks_started > 0 && !started);
        f.add_if(F::AfterPlan, before.leaves_plan);
        if self.class_at(at) == Class::Tasks {
            f.add_if(F::TasksThenLook, n_looks >= 3);
            f.add_if(F::TasksThenWork, next.is_some_and(Class::is_work));
        }
    }
}

fn class_change(before: Option<Class>, class: Class) -> Option<StartFeature> {
    use ClassGroup as G;
    use StartFeature as F;
    Some(match (before?.group_of_class(), class.group_of_class()) {
        (G::Look, G::Look) => F::LookAfterLook,
        (G::Look, G::Work) => F::WorkAfterLook,
        (G::Look, G::Publish) => F::PublishAfterLook,
        (G::Look, G::Check) => F::CheckAfterLook,
        (G::Look, G::Delegate) => F::DelegateAfterLook,
        (G::Look, G::Tasks) => F::TasksAfterLook,
        (G::Look, G::NoCall) => F::NoCallAfterLook,
        (G::Work, G::Look) => F::LookAfterWork,
        (G::Work, G::Work) => F::WorkAfterWork,
        (G::Work, G::Publish) => F::PublishAfterWork,
        (G::Work, G::Check) => F::CheckAfterWork,
        (G::Work, G::Delegate) => F::DelegateAfterWork,
        (G::Work, G::Tasks) => F::TasksAfterWork,
        (G::Work, G::NoCall) => F::NoCallAfterWork,
        (G::Publish, G::Look) => F::LookAfterPublish,
        (G::Publish, G::Work) => F::WorkAfterPublish,
        (G::Publish, G::Publish) => F::PublishAfterPublish,
        (G::Publish, G::Tasks) => F::TasksAfterPublish,
        (G::Check, G::Look) => F::LookAfterCheck,
        (G::Check, G::Work) => F::WorkAfterCheck,
        (G::Check, G::Publish) => F::PublishAfterCheck,
        (G::Check, G::Check) => F::CheckAfterCheck,
        (G::Check, G::Tasks) => F::TasksAfterCheck,
        (G::Delegate, G::Look) => F::LookAfterDelegate,
        (G::Delegate, G::Work) => F::WorkAfterDelegate,
        (G::Delegate, G::Delegate) => F::DelegateAfterDelegate,
        _ => return None,
    })
}

fn is_class(class: Class) -> Option<StartFeature> {
    use StartFeature as F;
    Some(match class {
        Class::Edit => F::IsEdit,
        Class::Publish => F::IsPublish,
        Class::Mutate => F::IsMutate,
        Class::Delegate => F::IsDelegate,
        Class::Check => F::IsCheck,
        Class::Run => F::IsRun,
        Class::Look => F::IsLook,
        Class::Ask => F::IsAsk,
        Class::Tasks => F::IsTasks,
        Class::NoCall => return None,
    })
}
