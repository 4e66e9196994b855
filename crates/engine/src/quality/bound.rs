//! Episode bounds: episodes left open (Q010), and human words inside one that change the task
//! (Q011).

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::course::{Course, per_mille};
use super::{Remark, RemarkKind, Threshold};
use crate::{BlockIdx, BlockKind, Episode, EpisodeIdx, EpisodeKind};

pub(super) fn find_remarks(course: &Course<'_>, found: &mut Vec<Remark>) {
    for (idx, episode) in
        course.graph.episodes().filter(|(_, episode)| episode.kind != EpisodeKind::Unannotated)
    {
        if episode.is_open() && course.is_worded() {
            found.extend(left_open(course, idx, episode));
        }
        task_changed(course, idx, episode, found);
    }
}

fn left_open(course: &Course<'_>, idx: EpisodeIdx, episode: &Episode) -> Option<Remark> {
    let tokens = course.tokens_of(episode.blocks.iter().copied());
    let (n_turns, share) = (course.n_turns(episode), per_mille(tokens, course.input.budget));
    let is_long = u64::from(n_turns) >= course.threshold(Threshold::OpenTurns)
        || share >= course.threshold(Threshold::OpenShare).max(1);
    if !is_long {
        return None;
    }
    let kind = RemarkKind::LeftOpen { name: episode.name.clone(), n_turns, tokens };
    let remark =
        course.new_remark(idx, [episode.start], 300 + share.min(500) + u64::from(n_turns).min(100), kind);
    Some(Remark { cost: Some(tokens), ..remark })
}

fn task_changed(course: &Course<'_>, idx: EpisodeIdx, episode: &Episode, found: &mut Vec<Remark>) {
    let session = course.input.session;
    let typed = |block: &BlockIdx| {
        session.blocks[block.at()].kind == BlockKind::Text && session.message_of(*block).is_typed()
    };
    // Human messages belong to no episode.
    let last = episode.blocks.last().copied().unwrap_or(episode.start);
    let humans: Vec<BlockIdx> = (episode.start.at()..last.at()).map(BlockIdx::new).filter(typed).collect();
    let files = |from: BlockIdx, to: Option<BlockIdx>| -> BTreeSet<u32> {
        let within = episode.blocks.iter().filter(|block| **block > from && to.is_none_or(|to| **block < to));
        within.flat_map(|block| course.input.facts.files_of(*block)).map(|file| file.name).collect()
    };
    for (at, block) in humans.iter().enumerate() {
        let Some(words) = course.input.facts.human_facts(*block) else { continue };
        if words.approves || u64::from(words.n_bytes) < course.threshold(Threshold::HumanBytes) {
            continue;
        }
        let before = files(episode.start, Some(*block));
        let after = files(*block, humans.get(at + 1).copied());
        let (n_before, n_after) = (before.len() as u64, after.len() as u64);
        let is_apart = n_before >= course.threshold(Threshold::FilesBefore).max(1)
            && n_after >= course.threshold(Threshold::FilesAfter).max(1)
            && before.is_disjoint(&after);
        if is_apart {
            let kind = RemarkKind::TaskChanged {
                name: episode.name.clone(),
                n_before: u32::try_from(n_before).unwrap_or(u32::MAX),
                n_after: u32::try_from(n_after).unwrap_or(u32::MAX),
            };
            found.push(course.new_remark(idx, [*block], 400 + 50 * (n_before.min(n_after)).min(10), kind));
        }
    }
}
