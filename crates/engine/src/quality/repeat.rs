//! Repeats: a resource acquired twice, while still in the context or after its eviction (Q006).

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::course::Course;
use super::remark::displayed_name;
use super::{Remark, RemarkKind, Threshold};
use crate::{BlockIdx, Effect, NameKind, Use};

pub(super) fn find_remarks(course: &Course<'_>, found: &mut Vec<Remark>) {
    remarks_of_policy(course, found);
    let changes = Changes::from_course(course);
    let mut seen: BTreeSet<BlockIdx> = BTreeSet::new();
    for one in &course.input.material.uses {
        let Some(again) = one.again else { continue };
        // A file may be read in parts, so only an identical text is a waste.
        if !is_same(course, one.held, again) || is_small(course, again) || changes.any_between(course, one) {
            continue;
        }
        let is_gone = course.is_gone(one.held, course.turn_of(one.by)) || course.is_dropped(one.held, one.by);
        if !is_gone && seen.insert(again) {
            found.extend(repeat_remark(course, one, false, true));
        }
    }
}

pub(super) fn remarks_of_policy(course: &Course<'_>, found: &mut Vec<Remark>) {
    let session = course.input.session;
    for story in course.input.stories.iter().filter(|story| !story.cause.is_of_change()) {
        let one = &story.reacquisition;
        let Some(by) = session.blocks[one.again.at()].pair else { continue };
        let Some(name) = one.names.first().copied() else { continue };
        let it = Use { name, by, held: one.held, again: Some(one.again) };
        if !is_small(course, one.again) {
            found.extend(repeat_remark(course, &it, true, is_same(course, one.held, one.again)));
        }
    }
}

fn is_small(course: &Course<'_>, again: BlockIdx) -> bool {
    course.tokens_of([again].into_iter()) < course.threshold(Threshold::AgainTokens)
}

fn is_same(course: &Course<'_>, held: BlockIdx, again: BlockIdx) -> bool {
    let alike = &course.input.material.alike;
    let print = |block: BlockIdx| alike.get(block.at()).copied().filter(|print| *print != 0);
    print(held).is_some() && print(held) == print(again)
}

fn repeat_remark(course: &Course<'_>, one: &Use, is_gone: bool, is_same: bool) -> Option<Remark> {
    let episode = course.graph.owner_of(one.by)?;
    let name = course.graph.episode(episode).name.clone();
    let what = displayed_name(&course.input.material.names.get(one.name as usize)?.text).into();
    let kind = if is_gone {
        RemarkKind::AcquiredAfterEviction { name, what }
    } else {
        RemarkKind::AcquiredTwice { name, what }
    };
    let again = one.again?;
    let strength = if is_same { 900 } else { 600 };
    let remark = course.new_remark(episode, [one.held, one.by, again], strength, kind);
    Some(Remark { at: one.by, cost: Some(course.tokens_of([again].into_iter())), ..remark })
}

struct Changes {
    of_name: Vec<(u32, BlockIdx)>,
    /// Calls that may change any file: moves, branch switches, unknown programs.
    of_any: Vec<BlockIdx>,
    /// Calls with any change, after which a command may answer differently.
    all: Vec<BlockIdx>,
}

impl Changes {
    fn from_course(course: &Course<'_>) -> Self {
        let is_edit =
            |by: BlockIdx| course.call_at(by).is_some_and(|deed| deed.effects.contains(Effect::Edit));
        let edits = course.input.material.uses.iter().filter(|one| is_edit(one.by));
        let mut of_name: Vec<(u32, BlockIdx)> = edits.map(|one| (one.name, one.by)).collect();
        of_name.sort_unstable();
        of_name.dedup();
        let deeds =
            || (0..course.input.session.blocks.len()).filter_map(|at| course.call_at(BlockIdx::new(at)));
        let of = |effects: &[Effect]| -> Vec<BlockIdx> {
            deeds().filter(|deed| deed.effects.has_any(effects)).map(|deed| deed.block).collect()
        };
        Self {
            of_name,
            of_any: of(&[Effect::Mutate, Effect::Delegate]),
            all: of(&[
                Effect::Edit,
                Effect::Publish,
                Effect::Mutate,
                Effect::Delegate,
                Effect::Run,
                Effect::Wait,
            ]),
        }
    }

    fn any_between(&self, course: &Course<'_>, one: &Use) -> bool {
        let is_in = |blocks: &[BlockIdx]| {
            let first = blocks.partition_point(|block| *block < one.held);
            blocks.get(first).is_some_and(|block| *block <= one.by)
        };
        let name = course.input.material.names.get(one.name as usize);
        if name.is_some_and(|name| name.kind == NameKind::Command) {
            return is_in(&self.all);
        }
        let first = self.of_name.partition_point(|edit| *edit < (one.name, one.held));
        let is_edited = || self.of_name.get(first).is_some_and(|edit| *edit <= (one.name, one.by));
        is_in(&self.of_any) || is_edited()
    }
}
