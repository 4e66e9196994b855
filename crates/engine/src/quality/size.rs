//! Sizes: episodes too coarse or too fine (Q008), and long unannotated stretches (Q009).

use alloc::vec::Vec;

use super::course::{Course, per_mille};
use super::{Remark, RemarkKind, Threshold};
use crate::{EpisodeKind, Life};

pub(super) fn find_remarks(course: &Course<'_>, found: &mut Vec<Remark>) {
    let budget = course.input.budget;
    let has_episodes = course.graph.episodes().any(|(_, episode)| episode.kind != EpisodeKind::Unannotated);
    for (idx, episode) in course.graph.episodes() {
        let tokens = course.tokens_of(episode.blocks.iter().copied());
        let (share, n_turns) = (per_mille(tokens, budget), course.n_turns(episode));
        let largest = || {
            let mut blocks = episode.blocks.clone();
            blocks.sort_by_key(|block| core::cmp::Reverse(course.input.table.units(*block)));
            blocks.truncate(4);
            blocks
        };
        if episode.kind == EpisodeKind::Unannotated {
            let is_long = u64::from(n_turns) >= course.threshold(Threshold::StretchTurns)
                || share >= course.threshold(Threshold::StretchShare);
            if is_long && has_episodes {
                let strength = 400 + share.min(400) + u64::from(n_turns).min(100) * 2;
                let kind = RemarkKind::LongStretch { n_turns, tokens };
                let remark = course.new_remark(idx, [episode.start], strength, kind);
                found.push(Remark { cost: Some(tokens), ..remark });
            }
            continue;
        }
        if share >= course.threshold(Threshold::CoarseShare).max(1) {
            let kind = RemarkKind::TooCoarse { name: episode.name.clone(), tokens, per_mille: share };
            let remark = course.new_remark(idx, largest(), share / 2 + 200, kind);
            let limit = budget.saturating_mul(course.threshold(Threshold::CoarseShare)) / 1000;
            let cost = Some(tokens.saturating_sub(limit));
            found.push(Remark { cost, at: episode.start, ..remark });
        } else if episode.state == Life::Closed && tokens <= course.threshold(Threshold::FineTokens) {
            let kind = RemarkKind::TooFine { name: episode.name.clone(), tokens };
            found.push(course.new_remark(idx, [episode.start], 400, kind));
        }
    }
}
