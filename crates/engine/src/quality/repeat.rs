//! Repeats: the same resource acquired twice, while it was there or after its eviction (Q006).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::course::Course;
use super::remark::shown;
use super::{Remark, RemarkKind, Threshold};
use crate::{BlockIdx, Effect, Material, NameKind, Use};

pub(super) fn remarks(course: &Course<'_>, found: &mut Vec<Remark>) {
    let material = course.input.material;
    let changes = Changes::of(course, material);
    let is_small = |again| course.tokens([again].into_iter()) < course.least(Threshold::AgainTokens);
    let print = |block: BlockIdx| material.alike.get(block.at()).copied().filter(|print| *print != 0);
    let is_same = |held, again| print(held).is_some() && print(held) == print(again);
    let session = course.input.session;
    for one in &course.input.absences.regrets {
        let Some(by) = session.blocks[one.again.at()].pair else { continue };
        let Some(name) = one.names.first().copied() else { continue };
        let it = Use { name, by, held: one.held, again: Some(one.again) };
        if !is_small(one.again) && !changes.between(&it) {
            found.extend(remark(course, &it, true, is_same(one.held, one.again)));
        }
    }
    let mut seen: BTreeSet<BlockIdx> = BTreeSet::new();
    for one in &material.uses {
        let Some(again) = one.again else { continue };
        let is_gone = course.is_gone(one.held, course.turn_of(one.by)) || course.is_dropped(one.held, one.by);
        // A path may be read in parts: only the same text again is a waste.
        if is_gone || !is_same(one.held, again) || is_small(again) || changes.between(one) {
            continue;
        }
        if seen.insert(again) {
            found.extend(remark(course, one, false, true));
        }
    }
}

fn remark(course: &Course<'_>, one: &Use, is_gone: bool, is_same: bool) -> Option<Remark> {
    let episode = course.graph.owner(one.by)?;
    let name = course.graph.get(episode).name.clone();
    let what = shown(&course.input.material.names.get(one.name as usize)?.text).into();
    let kind = if is_gone {
        RemarkKind::AcquiredAfterEviction { name, what }
    } else {
        RemarkKind::AcquiredTwice { name, what }
    };
    let again = one.again?;
    let strength = if is_same { 900 } else { 600 };
    let remark = course.remark(episode, [one.held, one.by, again], strength, kind);
    Some(Remark { at: one.by, cost: Some(course.tokens([again].into_iter())), ..remark })
}

/// The calls that may have changed something between two acquisitions.
struct Changes {
    /// By name, the calls that edit the file of that name.
    of_name: BTreeMap<u32, BTreeSet<BlockIdx>>,
    /// The calls that may change any file: they move, switch a branch, run something unknown.
    of_any: BTreeSet<BlockIdx>,
    /// The calls that change anything at all, so that a command may answer otherwise.
    all: BTreeSet<BlockIdx>,
    is_command: Vec<bool>,
}

impl Changes {
    fn of(course: &Course<'_>, material: &Material) -> Self {
        let mut of_name: BTreeMap<u32, BTreeSet<BlockIdx>> = BTreeMap::new();
        for one in &material.uses {
            if course.deed(one.by).is_some_and(|deed| deed.effects.has(Effect::Edit)) {
                of_name.entry(one.name).or_default().insert(one.by);
            }
        }
        let deeds = || (0..course.input.session.blocks.len()).filter_map(|at| course.deed(BlockIdx::new(at)));
        let of = |effects: &[Effect]| -> BTreeSet<BlockIdx> {
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
            is_command: material.names.iter().map(|name| name.kind == NameKind::Command).collect(),
        }
    }

    /// Tells whether what a use gets again may have changed since it was held.
    fn between(&self, one: &Use) -> bool {
        let is_in = |blocks: &BTreeSet<BlockIdx>| blocks.range(one.held..=one.by).next().is_some();
        let is_command = self.is_command.get(one.name as usize).copied().unwrap_or(false);
        if is_command {
            is_in(&self.all)
        } else {
            is_in(&self.of_any) || self.of_name.get(&one.name).is_some_and(is_in)
        }
    }
}
