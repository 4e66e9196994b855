//! Words: descriptions that lack what later turns needed (Q007), and names that say nothing (Q012).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::course::{Course, per_mille};
use super::{NAMES_LISTED, Remark, RemarkKind, Threshold};
use crate::{BlockIdx, Episode, EpisodeIdx, EpisodeKind};

/// Words of which a name that says nothing is made.
const EMPTY_WORDS: [&str; 45] = [
    "act",
    "action",
    "again",
    "analyse",
    "analyze",
    "change",
    "changes",
    "chunk",
    "code",
    "context",
    "continue",
    "do",
    "edit",
    "episode",
    "expl",
    "exploration",
    "explore",
    "final",
    "first",
    "fix",
    "go",
    "implement",
    "implementation",
    "investigate",
    "last",
    "look",
    "misc",
    "more",
    "new",
    "next",
    "other",
    "part",
    "phase",
    "read",
    "second",
    "start",
    "step",
    "stuff",
    "task",
    "test",
    "the",
    "thing",
    "todo",
    "update",
    "work",
];

pub(super) fn remarks(course: &Course<'_>, found: &mut Vec<Remark>) {
    // Of inferred episodes no agent chose a word.
    if !course.is_worded() {
        return;
    }
    let needs = Needs::of(course);
    for (idx, episode) in course.graph.iter() {
        if episode.kind == EpisodeKind::Exploratory && episode.description.is_some() {
            found.extend(thin_description(course, idx, episode, &needs));
        }
        if episode.kind != EpisodeKind::Unannotated && !says_something(episode, course) {
            let kind = RemarkKind::EmptyName { name: episode.name.clone() };
            found.push(course.remark(idx, [episode.start], 500, kind));
        }
    }
}

fn says_something(episode: &Episode, course: &Course<'_>) -> bool {
    // The second of a name is `name#2`.
    let name = episode.name.as_str().split('#').next().unwrap_or_default();
    let n_chars = name.chars().count() as u64;
    let mut words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_empty = |word: &str| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
        word.is_empty() || EMPTY_WORDS.contains(&word.as_str())
    };
    n_chars >= course.least(Threshold::NameChars) && words.any(|word| !is_empty(word))
}

/// The names of each exploration that later episodes used after it had gone, with the block that used each first and what
/// was got again.
struct Needs {
    by_episode: BTreeMap<EpisodeIdx, BTreeMap<u32, Needed>>,
}

struct Needed {
    by: BlockIdx,
    held: BlockIdx,
    again: BTreeSet<BlockIdx>,
}

impl Needs {
    fn of(course: &Course<'_>) -> Self {
        let mut by_episode: BTreeMap<EpisodeIdx, BTreeMap<u32, Needed>> = BTreeMap::new();
        let material = course.input.material;
        for one in &material.uses {
            let is_telling = material.names.get(one.name as usize).is_some_and(crate::Name::is_telling);
            let Some(holder) = course.graph.owner(one.held).filter(|_| is_telling) else { continue };
            // A block that is still there is read there, and no description is asked.
            let is_gone = course.is_gone(one.held, course.turn_of(one.by));
            if course.graph.owner(one.by) == Some(holder) || !is_gone {
                continue;
            }
            let names = by_episode.entry(holder).or_default();
            let known = names.entry(one.name).or_insert_with(|| Needed {
                by: one.by,
                held: one.held,
                again: BTreeSet::new(),
            });
            known.again.extend(one.again);
        }
        Self { by_episode }
    }
}

fn thin_description(
    course: &Course<'_>,
    idx: EpisodeIdx,
    episode: &Episode,
    needs: &Needs,
) -> Option<Remark> {
    let needed = needs.by_episode.get(&idx)?;
    let said: String = episode.description.as_deref()?.to_ascii_lowercase();
    let name = |name: u32| course.input.material.names.get(name as usize);
    let is_said = |text: &str| {
        let text = text.to_ascii_lowercase();
        let last = text.rsplit('/').next().unwrap_or(&text);
        said.contains(last)
    };
    let mut missing: Vec<(u32, &Needed)> = needed
        .iter()
        .filter(|(place, _)| name(**place).is_some_and(|name| !is_said(&name.text)))
        .map(|(place, needed)| (*place, needed))
        .collect();
    missing.sort_by_key(|(place, needed)| (name(*place).map(|name| name.kind), needed.by));
    let share = per_mille(missing.len() as u64, needed.len() as u64);
    let is_thin = (missing.len() as u64) >= course.least(Threshold::MissingNames).max(1)
        && share >= course.least(Threshold::MissingShare);
    if !is_thin {
        return None;
    }
    let again: BTreeSet<BlockIdx> = missing.iter().flat_map(|(_, needed)| &needed.again).copied().collect();
    let first = name(missing.first()?.0)?.text.clone();
    let kind = RemarkKind::ThinDescription {
        name: episode.name.clone(),
        missing: first,
        lacks: missing
            .iter()
            .take(NAMES_LISTED)
            .filter_map(|(place, _)| Some(Arc::clone(&name(*place)?.text)))
            .collect(),
        n_missing: u32::try_from(missing.len()).unwrap_or(u32::MAX),
        n_needed: u32::try_from(needed.len()).unwrap_or(u32::MAX),
    };
    let evidence = missing.iter().take(4).flat_map(|(_, needed)| [needed.held, needed.by]);
    let strength = if again.is_empty() { share / 3 } else { 500 + share / 3 };
    let remark = course.remark(idx, evidence, strength, kind);
    let at = episode.end_call.unwrap_or(episode.start);
    Some(Remark { at, cost: Some(course.tokens(again.into_iter())), ..remark })
}
