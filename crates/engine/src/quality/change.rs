//! Changes: explorations that change something (Q001), and acts that change nothing (Q002).

use alloc::vec::Vec;

use super::course::{CHANGES, CallWithEffects, Course, EDITS, per_mille};
use super::{Remark, RemarkKind, Threshold};
use crate::{Effect, Episode, EpisodeIdx, EpisodeKind, Life};

pub(super) fn find_remarks(course: &Course<'_>, found: &mut Vec<Remark>) {
    for (idx, episode) in course.graph.episodes() {
        match episode.kind {
            EpisodeKind::Exploratory => found.extend(of_exploration(course, idx, episode)),
            EpisodeKind::Action => found.extend(of_act(course, idx, episode)),
            EpisodeKind::Unannotated => {}
        }
    }
}

fn of_exploration<'a>(course: &Course<'a>, idx: EpisodeIdx, episode: &'a Episode) -> Option<Remark> {
    let deeds: Vec<CallWithEffects> = course.calls_in(episode).collect();
    let is_edit = |deed: &&CallWithEffects| deed.ok && deed.effects.has_any(&EDITS);
    let is_other = |deed: &&CallWithEffects| {
        deed.ok && deed.effects.contains(Effect::Mutate) && !deed.effects.has_any(&EDITS)
    };
    let edits: Vec<&CallWithEffects> = deeds.iter().filter(is_edit).collect();
    let others: Vec<&CallWithEffects> = deeds.iter().filter(is_other).collect();
    let (n_edits, n_others) = (edits.len() as u64, others.len() as u64);
    let is_meant = n_edits >= course.threshold(Threshold::Edits).max(1)
        || n_others >= course.threshold(Threshold::Mutations).max(1);
    if !is_meant {
        return None;
    }
    let share = per_mille(n_edits + n_others, deeds.len() as u64);
    let strength = if n_edits > 0 { 500 + share / 2 } else { 300 + share / 3 };
    let kind = RemarkKind::ExplorationChanges {
        name: episode.name.clone(),
        n_edits: u32::try_from(n_edits).unwrap_or(u32::MAX),
        n_others: u32::try_from(n_others).unwrap_or(u32::MAX),
    };
    Some(course.new_remark(idx, edits.into_iter().chain(others).map(|deed| deed.block), strength, kind))
}

fn of_act<'a>(course: &Course<'a>, idx: EpisodeIdx, episode: &'a Episode) -> Option<Remark> {
    if episode.state != Life::Closed {
        return None;
    }
    let deeds: Vec<CallWithEffects> = course.calls_in(episode).collect();
    let n_calls = deeds.len() as u64;
    let changes = deeds.iter().any(|deed| deed.effects.has_any(&CHANGES));
    let looks = deeds.iter().filter(|deed| deed.effects.has_any(&[Effect::Look, Effect::GitLook]));
    if changes || (looks.clone().count() as u64) < course.threshold(Threshold::Looks).max(1) {
        return None;
    }
    // A check may be the act's whole purpose.
    let checks = deeds.iter().any(|deed| deed.effects.contains(Effect::Check));
    let strength = if checks { 300 } else { 600 + 50 * n_calls.min(6) };
    let kind = RemarkKind::ActChangesNothing {
        name: episode.name.clone(),
        n_calls: u32::try_from(n_calls).unwrap_or(u32::MAX),
    };
    Some(course.new_remark(idx, looks.map(|deed| deed.block), strength, kind))
}
