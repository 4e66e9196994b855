//! Dependencies: which explorations an act draws on, judged by position and by shared names.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use strum::{EnumCount, IntoStaticStr, VariantArray};

use super::class::{Class, Classes};
use super::decode::{ACT, EXPLORATION, LabeledSegment};
use super::facts::FileFact;
use super::feature::n_shared;
use super::turns::TurnFacts;
use super::weight::Weights;

/// Number of earlier explorations an act may draw on.
const REACH: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumCount, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs)]
pub enum EdgeFeature {
    Always,
    Last,
    SecondLast,
    NoActBetween,
    OneActBetween,
    ManyActsBetween,
    LastAndNoActBetween,
    SameRequest,
    NoActBetweenInRequest,
    OneHumanBetween,
    NamesMost,
    NamesMany,
    NamesSome,
    NamesFew,
    NamesAlmostNone,
    HoldsMany,
    HoldsSome,
    EditsRead,
    EditsOnlyRead,
    TouchesRead,
    TouchesTwoRead,
    OnlyPublishes,
    EditsNothing,
    LongExploration,
    FirstExploration,
}

impl EdgeFeature {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The lines that count as evidence for an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hindsight {
    #[default]
    WholeAct,
    UpToStart,
}

struct NameFrequencies {
    first: BTreeMap<u32, u32>,
    n_turns: BTreeMap<u32, u32>,
}

impl NameFrequencies {
    fn count(turns: &[TurnFacts]) -> Self {
        let mut names = Self { first: BTreeMap::new(), n_turns: BTreeMap::new() };
        for (at, turn) in (0u32..).zip(turns) {
            for name in turn.used.iter().chain(&turn.held) {
                names.first.entry(*name).or_insert(at);
                *names.n_turns.entry(*name).or_insert(0) += 1;
            }
        }
        names
    }

    fn name_weight(&self, name: u32) -> u32 {
        match self.n_turns.get(&name).copied().unwrap_or(0) {
            0..=3 => 4,
            4..=8 => 2,
            9..=20 => 1,
            _ => 0,
        }
    }
}

/// Lists the features for every possible edge as (exploration, act, features); explorations and acts are
/// segment positions.
pub(super) fn candidate_edges(
    turns: &[TurnFacts],
    classes: &Classes,
    segments: &[LabeledSegment],
    hindsight: Hindsight,
) -> Vec<(usize, usize, Vec<EdgeFeature>)> {
    let names = NameFrequencies::count(turns);
    let n_acts = running_counts(segments.iter().map(|segment| segment.label == ACT));
    let n_humans = running_counts(turns.iter().map(|turn| turn.human.is_some()));
    let mut found = Vec::new();
    let mut explorations: Vec<usize> = Vec::new();
    for (act, segment) in segments.iter().enumerate() {
        if segment.label == EXPLORATION {
            explorations.push(act);
        }
        if segment.label != ACT {
            continue;
        }
        let end = match hindsight {
            Hindsight::WholeAct => segment.end,
            Hindsight::UpToStart => segment.first + 1,
        };
        let own = OwnNames::collect(
            &turns[segment.first..end],
            &classes.all[segment.first..end],
            &names,
            segment.first,
        );
        let near = explorations.iter().rev().take(REACH);
        let shares: Vec<u32> = near.clone().map(|from| own.share_of_names(&segments[*from])).collect();
        let most = shares.iter().copied().max().unwrap_or(0);
        for (rank, (&from, share)) in near.zip(shares).enumerate() {
            let exploration = &segments[from];
            let first = explorations.first() == Some(&from);
            let at = Position {
                rank,
                n_acts: n_acts[act] - n_acts[from + 1],
                n_humans: n_humans[segment.first + 1] - n_humans[exploration.end],
                first,
            };
            let features = own.edge_features(&turns[exploration.first..exploration.end], &at, share, most);
            found.push((from, act, features));
        }
    }
    found
}

fn running_counts(all: impl Iterator<Item = bool>) -> Vec<usize> {
    let mut n = 0;
    let mut counts = alloc::vec![0];
    counts.extend(all.map(|is| {
        n += usize::from(is);
        n
    }));
    counts
}

struct Position {
    rank: usize,
    n_acts: usize,
    n_humans: usize,
    first: bool,
}

struct OwnNames {
    used: Vec<u32>,
    seen: Vec<(u32, u32)>,
    seen_weight: u32,
    edited: Vec<u32>,
    files: Vec<u32>,
    n_edits: usize,
    publishes: bool,
}

impl OwnNames {
    fn collect(turns: &[TurnFacts], classes: &[Class], names: &NameFrequencies, start: usize) -> Self {
        let mut used: Vec<u32> = turns.iter().flat_map(|turn| &turn.used).copied().collect();
        used.sort_unstable();
        used.dedup();
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        let seen: Vec<(u32, u32)> = used
            .iter()
            .filter_map(|name| Some((*names.first.get(name)?, names.name_weight(*name))))
            .filter(|(first, _)| *first < start)
            .collect();
        let n_edits = classes.iter().filter(|class| **class == Class::Edit).count();
        Self {
            used,
            seen_weight: seen.iter().map(|(_, weight)| weight).sum(),
            seen,
            edited: names_of(turns, |turn| &turn.edited),
            files: names_of(turns, |turn| &turn.files),
            n_edits,
            publishes: n_edits == 0 && classes.contains(&Class::Publish),
        }
    }

    fn share_of_names(&self, exploration: &LabeledSegment) -> u32 {
        let is_in = |turn: u32| (exploration.first..exploration.end).contains(&(turn as usize));
        self.seen.iter().filter(|(first, _)| is_in(*first)).map(|(_, weight)| weight).sum()
    }

    fn edge_features(&self, turns: &[TurnFacts], at: &Position, share: u32, most: u32) -> Vec<EdgeFeature> {
        use EdgeFeature as F;
        let mut found = Vec::new();
        let mut add = |feature: F, is: bool| {
            if is {
                found.push(feature);
            }
        };
        let per_mille = |part: u32, whole: u32| (part * 1000).checked_div(whole).unwrap_or(0);
        let share_of_all = per_mille(share, self.seen_weight);
        let mut held: Vec<u32> = turns.iter().flat_map(|turn| &turn.held).copied().collect();
        held.sort_unstable();
        held.dedup();
        let shared = n_shared(&self.used, &held);
        let holds =
            per_mille(u32::try_from(shared).unwrap_or(0), u32::try_from(self.used.len()).unwrap_or(1));
        let read = names_of(turns, |turn| &turn.files);
        let n_edited = n_shared(&self.edited, &read);
        let n_touched = n_shared(&self.files, &read);
        add(F::Always, true);
        add(F::Last, at.rank == 0);
        add(F::SecondLast, at.rank == 1);
        add(F::NoActBetween, at.n_acts == 0);
        add(F::OneActBetween, at.n_acts == 1);
        add(F::ManyActsBetween, at.n_acts >= 3);
        add(F::LastAndNoActBetween, at.n_acts == 0 && at.rank == 0);
        add(F::SameRequest, at.n_humans == 0);
        add(F::NoActBetweenInRequest, at.n_acts == 0 && at.n_humans == 0);
        add(F::OneHumanBetween, at.n_humans == 1);
        add(F::NamesMost, share > 0 && share == most);
        add(F::NamesMany, share_of_all > 400);
        add(F::NamesSome, share_of_all > 150);
        add(F::NamesFew, share_of_all < 60);
        add(F::NamesAlmostNone, share_of_all < 20);
        add(F::HoldsMany, holds > 400);
        add(F::HoldsSome, holds > 200);
        add(F::EditsRead, n_edited > 0);
        add(F::EditsOnlyRead, n_edited > 0 && n_edited == self.edited.len());
        add(F::TouchesRead, n_touched > 0);
        add(F::TouchesTwoRead, n_touched > 1);
        add(F::OnlyPublishes, self.publishes);
        add(F::EditsNothing, self.n_edits == 0);
        add(F::LongExploration, turns.len() > 5);
        add(F::FirstExploration, at.first);
        found
    }
}

fn names_of(turns: &[TurnFacts], of: impl Fn(&TurnFacts) -> &Vec<FileFact>) -> Vec<u32> {
    let mut names: Vec<u32> = turns.iter().flat_map(of).map(|file| file.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

pub(super) fn infer_edges(
    turns: &[TurnFacts],
    classes: &Classes,
    segments: &[LabeledSegment],
    hindsight: Hindsight,
    weights: &Weights,
) -> Vec<(usize, usize)> {
    let score = |features: &[EdgeFeature]| {
        features.iter().map(|feature| weights.edge[*feature as usize]).sum::<i32>()
    };
    let all = candidate_edges(turns, classes, segments, hindsight);
    all.into_iter().filter(|(_, _, features)| score(features) > 0).map(|(from, to, _)| (from, to)).collect()
}
