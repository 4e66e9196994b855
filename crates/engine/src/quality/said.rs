//! Wording: descriptions that lack what later turns needed (Q007), and names that say nothing
//! (Q012).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::course::{Course, per_mille};
use super::{NAMES_LISTED, Remark, RemarkKind, Threshold};
use crate::{
    BlockIdx, Episode, EpisodeIdx, EpisodeKind, ReacquisitionCause, ReacquisitionStory, TurnIdx, Use,
};

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

pub(super) fn find_remarks(course: &Course<'_>, needs: &Needs, found: &mut Vec<Remark>) {
    remarks_of_policy(course, needs, found);
    // No agent chose the words in inferred episodes.
    if !course.is_worded() {
        return;
    }
    for (idx, episode) in course.graph.episodes() {
        if episode.kind != EpisodeKind::Unannotated && !says_something(episode, course) {
            let kind = RemarkKind::EmptyName { name: episode.name.clone() };
            found.push(course.new_remark(idx, [episode.start], 500, kind));
        }
    }
}

pub(super) fn remarks_of_policy(course: &Course<'_>, needs: &Needs, found: &mut Vec<Remark>) {
    let charged = charged_stories(course);
    let holders = needs.all.iter().map(|one| one.holder).chain(charged.keys().copied());
    for holder in holders.collect::<BTreeSet<EpisodeIdx>>() {
        let first = needs.all.partition_point(|one| one.holder < holder);
        let after = needs.all.partition_point(|one| one.holder <= holder);
        let charged = charged.get(&holder).map_or(&[][..], Vec::as_slice);
        found.extend(thin_description(course, holder, &needs.all[first..after], charged));
    }
}

fn charged_stories<'a>(course: &Course<'a>) -> BTreeMap<EpisodeIdx, Vec<&'a ReacquisitionStory>> {
    let mut charged: BTreeMap<EpisodeIdx, Vec<&ReacquisitionStory>> = BTreeMap::new();
    for story in course.input.stories.iter().filter(|_| course.is_worded()) {
        let is_described = |holder: &EpisodeIdx| course.graph.episode(*holder).description.is_some();
        if let (ReacquisitionCause::ThinDescription { .. }, Some(holder)) =
            (&story.cause, story.first.filter(is_described))
        {
            charged.entry(holder).or_default().push(story);
        }
    }
    charged
}

fn says_something(episode: &Episode, course: &Course<'_>) -> bool {
    // Strip the suffix of a reused name, `name#2`.
    let name = episode.name.as_str().split('#').next().unwrap_or_default();
    let n_chars = name.chars().count() as u64;
    let mut words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_empty = |word: &str| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
        word.is_empty() || EMPTY_WORDS.contains(&word.as_str())
    };
    n_chars >= course.threshold(Threshold::NameChars) && words.any(|word| !is_empty(word))
}

/// Names from described explorations used by later episodes, by exploration and name, in log
/// order.
#[derive(Debug)]
pub(super) struct Needs {
    all: Vec<Need>,
}

#[derive(Debug)]
struct Need {
    holder: EpisodeIdx,
    name: u32,
    by: BlockIdx,
    turn: TurnIdx,
    held: BlockIdx,
    again: Option<BlockIdx>,
    is_said: bool,
}

impl Needs {
    pub(super) fn from_course(course: &Course<'_>) -> Self {
        let mut all = Vec::new();
        // No agent chose the words in inferred episodes.
        if !course.is_worded() {
            return Self { all };
        }
        let material = course.input.material;
        for one in &material.uses {
            let is_telling = material.names.get(one.name as usize).is_some_and(crate::Name::is_telling);
            let Some(holder) = course.graph.owner_of(one.held).filter(|_| is_telling) else { continue };
            let episode = course.graph.episode(holder);
            let is_described = episode.kind == EpisodeKind::Exploratory && episode.description.is_some();
            if is_described && course.graph.owner_of(one.by) != Some(holder) {
                let Use { name, by, held, again } = *one;
                all.push(Need { holder, name, by, turn: course.turn_of(by), held, again, is_said: false });
            }
        }
        all.sort_by_key(|one| (one.holder, one.name));
        for of_episode in all.chunk_by_mut(|one, other| one.holder == other.holder) {
            let description =
                of_episode.first().map(|one| course.graph.episode(one.holder).description.as_deref());
            let said = description.flatten().unwrap_or_default().to_ascii_lowercase();
            for of_name in of_episode.chunk_by_mut(|one, other| one.name == other.name) {
                let name = of_name.first().and_then(|one| material.names.get(one.name as usize));
                let is_said = name.is_none_or(|name| {
                    let text = name.text.to_ascii_lowercase();
                    said.contains(text.rsplit('/').next().unwrap_or(&text))
                });
                of_name.iter_mut().for_each(|one| one.is_said = is_said);
            }
        }
        Self { all }
    }
}

/// A name missing in the description, with what shows the need: the holder and the user.
struct MissingName {
    name: u32,
    shown_by: [BlockIdx; 2],
}

fn thin_description(
    course: &Course<'_>,
    holder: EpisodeIdx,
    needs: &[Need],
    charged: &[&ReacquisitionStory],
) -> Option<Remark> {
    let mut missing: Vec<MissingName> = Vec::new();
    for story in charged {
        let ReacquisitionCause::ThinDescription { names } = &story.cause else { continue };
        let shown_by = [story.reacquisition.held, story.reacquisition.again];
        missing.extend(names.iter().map(|name| MissingName { name: *name, shown_by }));
    }
    let mut n_needed = missing.len() as u64;
    // As long as the block is in the context, the agent reads it there and needs no description. What it
    // got again it did not lack, unless the cause of that is the description.
    let is_lost = |one: &&Need| one.again.is_none() && course.is_gone(one.held, one.turn);
    for uses in needs.chunk_by(|one, other| one.name == other.name) {
        let Some(first) = uses.iter().find(is_lost) else { continue };
        n_needed += 1;
        if !first.is_said {
            missing.push(MissingName { name: first.name, shown_by: [first.held, first.by] });
        }
    }
    let n_of_uses = missing.len();
    let name = |one: &MissingName| course.input.material.names.get(one.name as usize);
    missing.sort_by_key(|one| (one.name, one.shown_by));
    missing.dedup_by_key(|one| one.name);
    n_needed -= (n_of_uses - missing.len()) as u64;
    missing.sort_by_key(|one| (name(one).map(|name| name.kind), one.shown_by[1]));
    let share = per_mille(missing.len() as u64, n_needed);
    let is_thin = (missing.len() as u64) >= course.threshold(Threshold::MissingNames).max(1)
        && share >= course.threshold(Threshold::MissingShare);
    if !is_thin && charged.is_empty() {
        return None;
    }
    let episode = course.graph.episode(holder);
    let kind = RemarkKind::ThinDescription {
        name: episode.name.clone(),
        missing: name(missing.first()?)?.text.clone(),
        lacks: missing
            .iter()
            .take(NAMES_LISTED)
            .filter_map(|one| Some(Arc::clone(&name(one)?.text)))
            .collect(),
        n_missing: u32::try_from(missing.len()).unwrap_or(u32::MAX),
        n_needed: u32::try_from(n_needed).unwrap_or(u32::MAX),
    };
    let evidence = missing.iter().take(4).flat_map(|one| one.shown_by);
    let strength = if charged.is_empty() { share / 3 } else { 500 + share / 3 };
    let remark = course.new_remark(holder, evidence, strength, kind);
    let at = episode.end_call.unwrap_or(episode.start);
    let again: BTreeSet<BlockIdx> = charged.iter().map(|story| story.reacquisition.again).collect();
    Some(Remark { at, cost: Some(course.tokens_of(again.into_iter())), ..remark })
}
