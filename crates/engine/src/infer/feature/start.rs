//! The features of a start.

use alloc::vec::Vec;

use super::{AHEAD, BEHIND, Present, StartFeature, Stretch, n_shared};
use crate::infer::class::{Class, Group};
use crate::infer::cue::Cue;
use crate::infer::turns::TurnFacts;

impl Stretch<'_> {
    /// Finds the features of a start at a turn.
    pub(in crate::infer) fn start(&self, at: usize) -> Vec<StartFeature> {
        use StartFeature as F;
        let mut f = Present(Vec::with_capacity(32));
        let turn = &self.turns[at];
        let before = at.checked_sub(1).map(|at| &self.turns[at]);
        let class = self.class(at);
        let is_human = self.is_human(at);
        let last = self.class_before(at);
        let last_class = last.map(|(_, class)| class);
        let next = self.class_from(at);
        let has_words = turn.text_bytes > 0;
        f.add(F::Always, true);
        f.add(F::FirstTurn, at == 0);
        self.human(at, last_class, next, &mut f);
        f.add(F::Harness, turn.harness && at > 0 && turn.human.is_none());
        f.add(F::Compacted, turn.compacted);
        f.add(F::Interrupted, turn.interrupted && at > 0);
        f.add(F::NoCall, class == Class::NoCall);
        f.add(F::AfterNoCall, at > 0 && !is_human && self.class(at - 1) == Class::NoCall);
        self.words(at, next, &mut f);
        if !is_human {
            f.0.extend(change(last_class, class));
        }
        f.0.extend(is_class(class));
        let edited_before = |n: usize| self.names(at.saturating_sub(n), at, |turn| &turn.edited);
        let n_looks_before = self.looks_before(at);
        let (n_looks, n_looking_calls) = self.looks_from(at);
        let mut is_elsewhere = false;
        if class.is_doing() && !is_human {
            f.add(F::WorkAfterNoLook, n_looks_before == 0);
            f.add(F::WorkAfterOneLook, n_looks_before == 1);
            f.add(F::WorkAfterTwoLooks, n_looks_before == 2);
            f.add(F::WorkAfterSomeLooks, (3..=4).contains(&n_looks_before));
            f.add(F::WorkAfterManyLooks, n_looks_before > 4);
            f.add(F::TurnOver, self.learned(at) && n_looks_before >= 2);
            if class == Class::Edit {
                let own = self.names(at, at + 1, |turn| &turn.edited);
                let read = self.names(at.saturating_sub(n_looks_before.max(1)), at, |turn| &turn.read);
                let edited = edited_before(8);
                let folders = self.folders(at, at + 1, |turn| &turn.edited);
                let edited_folders = self.folders(at.saturating_sub(8), at, |turn| &turn.edited);
                let is_new = !own.is_empty() && !edited.is_empty() && n_shared(&own, &edited) == 0;
                let is_new_folder = !folders.is_empty()
                    && !edited_folders.is_empty()
                    && n_shared(&folders, &edited_folders) == 0;
                is_elsewhere = is_new || is_new_folder;
                f.add(F::EditOfRead, n_looks_before > 0 && n_shared(&own, &read) > 0);
                f.add(F::EditAgain, n_shared(&own, &edited) > 0);
                f.add(F::EditNewFile, is_new);
                f.add(F::EditNewFolder, is_new_folder);
                if matches!(last_class, Some(Class::Edit | Class::Mutate | Class::Check)) {
                    f.add(F::EditElsewhereWithWords, is_elsewhere && has_words);
                    let is_check = last_class == Some(Class::Check);
                    let has_failed = last.is_some_and(|(at, _)| self.turns[at].failed);
                    f.add(F::EditAfterGoodCheck, is_check && !has_failed);
                    f.add(F::EditAfterBadCheck, is_check && has_failed);
                }
            }
        }
        let own_reads = || self.names(at, at + 1, |turn| &turn.read);
        if class.is_look() && !is_human && last_class.is_some_and(Class::is_work_or_check) {
            f.add(F::OneLookAfterWork, n_looks == 1);
            f.add(F::TwoLooksAfterWork, n_looks == 2);
            f.add(F::ThreeLooksAfterWork, n_looks == 3);
            f.add(F::SomeLooksAfterWork, (4..=5).contains(&n_looks));
            f.add(F::ManyLooksAfterWork, n_looks > 5);
            f.add(F::ThreeLookingCalls, n_looking_calls >= 3);
            f.add(F::LookAfterFailure, before.is_some_and(|turn| turn.failed));
            let (own, edited) = (own_reads(), edited_before(8));
            let is_own = n_shared(&own, &edited) > 0;
            f.add(F::LookAtOwn, is_own);
            f.add(F::LookAtOther, !own.is_empty() && !is_own);
            f.add(F::FreshLook, n_looks >= 3 && !is_own);
        }
        let (folders, folders_before) = (
            self.folders(at, at + 1, |turn| &turn.files),
            self.folders(at.saturating_sub(5), at, |turn| &turn.files),
        );
        let (files, files_before) = (
            self.names(at, at + 1, |turn| &turn.files),
            self.names(at.saturating_sub(5), at, |turn| &turn.files),
        );
        if class.is_look() && !is_human && last_class.is_some_and(Class::is_look) {
            let drifts = !folders.is_empty() && n_shared(&folders, &folders_before) == 0;
            f.add(F::LooksBefore2, n_looks_before <= 2);
            f.add(F::LooksBefore4, (3..=4).contains(&n_looks_before));
            f.add(F::LooksBefore8, (5..=8).contains(&n_looks_before));
            f.add(F::LooksBefore14, (9..=14).contains(&n_looks_before));
            f.add(F::LooksBeforeMore, n_looks_before > 14);
            f.add(F::LookDrifts, n_looks_before >= 3 && drifts);
            f.add(F::LookDriftsWithWords, n_looks_before >= 2 && drifts && has_words);
            f.add(
                F::LookDisjoint,
                n_looks_before >= 3 && !files.is_empty() && n_shared(&files, &files_before) == 0,
            );
            let announces = turn.cues.has(Cue::Announces) && !turn.cues.has(Cue::Also);
            f.add(F::LookAnnouncedLate, n_looks_before >= 4 && announces);
        }
        let counts = turn.cues.has(Cue::Step) || turn.cues.has(Cue::Heading);
        let says = turn.cues.has(Cue::Now) || turn.cues.has(Cue::Announces) || turn.tasks_started > 0;
        f.add(F::NewUnit, !is_human && counts && says && (is_elsewhere || turn.tasks_started > 0));
        self.publishing(at, last_class, &mut f);
        self.tasks(at, next, n_looks, &mut f);
        let is_delegate = class == Class::Delegate;
        f.add(F::DelegateAfterOther, is_delegate && last_class != Some(Class::Delegate));
        f.add(F::AfterDelegate, !is_delegate && last_class == Some(Class::Delegate));
        f.add(
            F::WritesBySubagent,
            turn.delegates_writing && !before.is_some_and(|turn| turn.delegates_writing),
        );
        f.add(F::AsksFirst, class == Class::Ask && last_class != Some(Class::Ask));
        let was_waiting = at > 0 && self.classes.waits[at - 1];
        f.add(F::Waiting, self.classes.waits[at]);
        f.add(F::AfterWaiting, was_waiting && !self.classes.waits[at]);
        f.add(F::Failed, turn.failed);
        f.add(F::FailedBefore, before.is_some_and(|turn| turn.failed));
        let was_check = at > 0 && self.class(at - 1) == Class::Check;
        let has_failed = before.is_some_and(|turn| turn.failed);
        f.add(F::CheckBegins, class == Class::Check && last_class != Some(Class::Check));
        f.add(F::AfterGoodCheck, was_check && !has_failed && class != Class::Check);
        f.add(F::AfterBadCheck, was_check && has_failed);
        f.add(F::BigOutput, turn.out_bytes > 14_000);
        let was_over = at > 0
            && !has_failed
            && matches!(self.class(at - 1), Class::Check | Class::Publish | Class::Mutate);
        let done = turn.cues.has(Cue::Done) && turn.cues.has(Cue::Announces);
        f.add(F::DoneThenAnnounces, was_over && done && !is_human);
        f.add(F::NewFolders, at > 0 && !folders.is_empty() && n_shared(&folders, &folders_before) == 0);
        f.add(F::NewFiles, at > 0 && !files.is_empty() && n_shared(&files, &files_before) == 0);
        if !is_human {
            let ahead = self.names(at, at + 4, |turn| &turn.files);
            let shared = n_shared(&ahead, &files_before);
            f.add(F::WindowDisjoint, !ahead.is_empty() && !files_before.is_empty() && shared == 0);
            f.add(F::WindowAlike, shared > 0 && 3 * shared >= ahead.len() + files_before.len() - shared);
        }
        if let Some(shared) = self.words_shared(at).filter(|_| at > 0) {
            f.add(F::WordsApart, shared < 120);
            f.add(F::WordsLittleShared, (120..200).contains(&shared));
            f.add(F::WordsShared, shared >= 400);
            let near = [at.wrapping_sub(2), at - 1, at + 1, at + 2];
            let others = near.into_iter().filter(|near| *near > 0 && *near < self.turns.len());
            let least = others.filter_map(|near| self.words_shared(near)).min();
            f.add(F::WordsTurn, least.is_some_and(|least| shared <= least));
        }
        f.0
    }

    pub(super) fn learned(&self, at: usize) -> bool {
        let turn = &self.turns[at];
        turn.cues.has(Cue::Learned) || turn.text_bytes == 0 && turn.reasoning_cues.has(Cue::Learned)
    }

    fn human(&self, at: usize, last: Option<Class>, next: Option<Class>, f: &mut Present<StartFeature>) {
        use StartFeature as F;
        let Some(human) = self.turns[at].human.filter(|_| at > 0) else { return };
        let end = self.request_end(at);
        let is_whole = end < self.turns.len().min(at + AHEAD);
        let group = |class: Option<Class>| class.map(Class::group);
        let edited = self.names(at, end, |turn| &turn.edited);
        let edited_before = self.names(at.saturating_sub(10), at, |turn| &turn.edited);
        let files = self.names(at, end, |turn| &turn.files);
        let files_before = self.names(at.saturating_sub(10), at, |turn| &turn.files);
        let same_files = !edited.is_empty() && n_shared(&edited, &edited_before) == edited.len();
        f.add(F::Human, true);
        f.add(F::HumanApproves, human.approves);
        f.add(F::HumanLong, human.n_bytes > 200);
        f.add(F::HumanShort, human.n_bytes <= 40);
        f.add(F::HumanAsks, human.asks);
        f.add(F::HumanSameWork, next.is_some() && group(last) == group(next));
        f.add(F::HumanAfterNoCall, self.class(at - 1) == Class::NoCall);
        f.add(F::HumanMidRun, self.class(at - 1) != Class::NoCall);
        f.add(F::HumanAfterWork, matches!(last, Some(Class::Edit | Class::Mutate | Class::Check)));
        f.add(F::HumanThenLook, next.is_some_and(Class::is_look));
        f.add(F::HumanThenEdit, next.is_some_and(Class::is_doing));
        f.add(F::HumanThenPublish, next == Some(Class::Publish));
        f.add(F::HumanNoCalls, self.turns[at..end].iter().all(|turn| turn.n_calls == 0));
        f.add(F::HumanFewTurns, end - at <= 3 && is_whole);
        f.add(F::HumanSameFiles, same_files);
        f.add(F::HumanNewFiles, !edited.is_empty() && n_shared(&edited, &edited_before) == 0);
        f.add(F::HumanKnownFiles, !files.is_empty() && n_shared(&files, &files_before) == files.len());
        f.add(F::HumanUnknownFiles, !files.is_empty() && n_shared(&files, &files_before) == 0);
        f.add(F::HumanTweak, end - at <= 4 && is_whole && same_files && human.n_bytes < 150);
    }

    fn words(&self, at: usize, next: Option<Class>, f: &mut Present<StartFeature>) {
        use StartFeature as F;
        let turn = &self.turns[at];
        let has = |cue: Cue| turn.cues.has(cue);
        if turn.text_bytes > 0 {
            let is_silent = |at: &usize| self.turns[*at].text_bytes == 0;
            let n_silent = (at.saturating_sub(6)..at).rev().take_while(is_silent).count();
            f.add(F::Words, true);
            f.add(F::WordsMiddling, (121..=300).contains(&turn.text_bytes));
            f.add(F::WordsLong, turn.text_bytes > 300);
            f.add(F::WordsAfterSilence, n_silent == 1);
            f.add(F::WordsAfterLongSilence, n_silent >= 2);
            f.add(F::SaysNow, has(Cue::Now));
            f.add(F::Announces, has(Cue::Announces));
            f.add(F::SaysDone, has(Cue::Done));
            f.add(F::DoneAndAnnounces, has(Cue::Done) && has(Cue::Announces));
            f.add(F::CountsStep, has(Cue::Step));
            f.add(F::Heading, has(Cue::Heading));
            f.add(F::SpeaksOfCommit, has(Cue::Commits) && self.class(at) == Class::Publish);
            f.add(F::GoesOn, has(Cue::Also));
            f.add(F::WaitsInWords, has(Cue::Waits));
            f.add(F::WillWrite, has(Cue::Writes));
            f.add(F::WillLook, has(Cue::Looks));
            f.add(F::WillCheck, has(Cue::Checks));
            f.add(F::SpeaksOfAll, has(Cue::Plural));
        } else {
            f.add(F::OnlyReasoning, turn.reasoning_bytes > 0);
            f.add(F::ReasonedLearned, turn.reasoning_cues.has(Cue::Learned));
        }
        let learned = self.learned(at);
        f.add(F::Learned, learned);
        f.add(F::LearnedThenWork, learned && next.is_some_and(Class::is_work));
    }

    fn publishing(&self, at: usize, last: Option<Class>, f: &mut Present<StartFeature>) {
        use StartFeature as F;
        let is_publish = |at: usize| self.class(at) == Class::Publish;
        let recent = (at.saturating_sub(4)..at).any(|at| self.classes.publishes[at]);
        f.add(F::PublishGoesOn, self.classes.publishes[at] && recent);
        let soon = (at..self.request_end(at).min(at + 3)).any(|at| self.classes.publishes[at]);
        f.add(F::AfterPublish, last == Some(Class::Publish) && !self.classes.publishes[at] && !soon);
        let begins = is_publish(at) && !recent && !(at > 0 && is_publish(at - 1));
        if !begins || self.is_human(at) {
            return;
        }
        let (mut n_edits, mut n_turns) = (0, 0);
        for here in (at.saturating_sub(BEHIND)..at).rev() {
            if self.classes.publishes[here] {
                break;
            }
            n_edits += usize::from(self.class(here) == Class::Edit);
            n_turns += 1;
            if self.is_human(here) {
                break;
            }
        }
        let n_publish = (at..self.request_end(at).min(at + 10)).filter(|at| is_publish(*at)).count();
        let turn = &self.turns[at];
        f.add(F::PublishBegins, true);
        f.add(F::PublishBeginsAfterEdits, n_edits >= 2);
        f.add(F::PublishBeginsLong, n_publish >= 3);
        f.add(F::PublishBeginsSingle, n_publish <= 1);
        f.add(F::PublishBeginsAfterMuch, n_edits >= 2 || n_turns >= 6);
        f.add(F::PublishBeginsSaid, turn.text_bytes > 0 && turn.cues.has(Cue::Commits));
    }

    fn tasks(&self, at: usize, next: Option<Class>, n_looks: usize, f: &mut Present<StartFeature>) {
        use StartFeature as F;
        let turn = &self.turns[at];
        let none = TurnFacts::default();
        let before = if at > 0 { &self.turns[at - 1] } else { &none };
        let (created, started, done) = (turn.tasks_created > 0, turn.tasks_started > 0, turn.tasks_done > 0);
        f.add(F::TasksCreated, created && before.tasks_created == 0);
        f.add(F::TasksCreatedOn, created && before.tasks_created > 0);
        f.add(F::TasksCreatedBefore, !created && before.tasks_created > 0);
        f.add(F::TaskStarted, started);
        f.add(F::TaskDone, done);
        let was_done = (at.saturating_sub(2)..at).any(|at| self.turns[at].tasks_done > 0);
        f.add(F::TaskSwitched, started && (done || was_done));
        f.add(F::TaskStartedSilent, started && turn.text_bytes == 0);
        if started {
            let end = self.turns.len().min(at + AHEAD);
            let n = (at + 1..end)
                .take_while(|at| self.turns[*at].tasks_started == 0 && !self.is_human(*at))
                .count();
            f.add(F::TaskStartedShort, n <= 2);
            f.add(F::TaskStartedMiddling, (3..=7).contains(&n));
            f.add(F::TaskStartedLong, n > 7);
            let ahead = self.folders(at, at + 6, |turn| &turn.edited);
            let behind = self.folders(at.saturating_sub(6), at, |turn| &turn.edited);
            f.add(
                F::TaskNewFolder,
                !ahead.is_empty() && !behind.is_empty() && n_shared(&ahead, &behind) == 0,
            );
        }
        f.add(F::AfterTaskDone, before.tasks_done > 0 && !done);
        f.add(F::AfterTaskStarted, before.tasks_started > 0 && !started);
        f.add(F::AfterPlan, before.leaves_plan);
        if self.class(at) == Class::Tasks {
            f.add(F::TasksThenLook, n_looks >= 3);
            f.add(F::TasksThenWork, next.is_some_and(Class::is_work));
        }
    }
}

/// Returns the feature of one class of work after another, where there is one.
fn change(before: Option<Class>, class: Class) -> Option<StartFeature> {
    use Group as G;
    use StartFeature as F;
    Some(match (before?.group(), class.group()) {
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
