//! Inference: episodes for sessions without the agent's own marks.
//!
//! Reading order: [`BlockFacts`] are everything inference knows about a block, and [`TurnFacts`] about a
//! turn: effects of its calls (`effect`), cues in its words (`cue`), files and names. Every turn has a class
//! (`class`). Facts and classes give features (`feature`), whose weights (`weight`, `table`) were fitted to
//! sessions marked by readers. The optimal division is found exactly (`decode`). Acts get their edges from
//! names and positions (`depend`), and episodes their names from the agent's own words (`naming`).
//!
//! Inference is local and deterministic, uses only integers, and takes time linear in the number of turns.
//! See `docs/inference.md`.

mod class;
mod contents;
mod cue;
mod phrases;
mod decode;
mod depend;
mod effect;
mod git;
mod programs;
mod facts;
mod turns;
mod feature;
mod naming;
mod table;
mod weight;

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{Annotation, DeclaredKind, EpisodeName, Evidence, Session, Span};
use class::Classes;
pub use contents::{CONTENTS, StretchCounts};
pub use cue::Cues;
pub use decode::LabeledSegment;
use decode::{ACT, EXPLORATION, NONE};
pub use depend::{EdgeFeature, Hindsight};
pub(crate) use effect::effects_of_call;
pub use effect::{Effect, Effects};
pub use facts::{BlockFacts, Facts, FactsBuilder, FileFact, HumanFacts, TaskFacts};
use feature::TurnStretch;
pub use feature::{StartFeature, TurnFeature};
pub use table::WEIGHTS;
pub use turns::TurnFacts;
use turns::{TurnBlocks, turns_of};
pub use weight::{LENGTHS, Weights};

/// An episode that reaches the last turn stays open. A session without calls has no episodes.
pub fn infer_episodes(session: &Session, facts: &Facts, hindsight: Hindsight) -> Annotation {
    infer_with(session, facts, hindsight, |turns| divide_weighted(turns, &WEIGHTS))
}

pub fn infer_with(
    session: &Session,
    facts: &Facts,
    hindsight: Hindsight,
    divide: impl FnOnce(&[TurnFacts]) -> Vec<LabeledSegment>,
) -> Annotation {
    let (turns, places) = turns_of(session, facts);
    let segments: Vec<_> = divide(&turns).into_iter().map(|segment| (segment, None)).collect();
    Annotation::from_inferred(spans_of_segments(session, facts, hindsight, (&turns, &places), &segments))
}

/// Infers episodes in the stretches without the agent's own marks; `given` are its own episodes in log
/// order.
///
/// Inferred acts may draw on the agent's explorations; its own acts draw only on what they declare.
pub fn infer_between(session: &Session, facts: &Facts, hindsight: Hindsight, given: &[Span]) -> Annotation {
    let (turns, places) = turns_of(session, facts);
    let is_in =
        |span: &Span, at: &TurnBlocks| span.first <= at.last && span.last.is_none_or(|last| at.first <= last);
    // The first given episode that shares a block with each turn.
    let mut next = 0;
    let holder: Vec<Option<usize>> = places
        .iter()
        .map(|at| {
            while given.get(next).is_some_and(|span| span.last.is_some_and(|last| last < at.first)) {
                next += 1;
            }
            given.get(next).filter(|span| is_in(span, at)).map(|_| next)
        })
        .collect();
    let mut segments = Vec::new();
    let mut first = 0;
    for stretch in holder.chunk_by(|one, other| one == other) {
        let end = first + stretch.len();
        match stretch[0] {
            None => {
                let of_whole = |part: LabeledSegment| LabeledSegment {
                    first: part.first + first,
                    end: part.end + first,
                    ..part
                };
                segments.extend(
                    divide_weighted(&turns[first..end], &WEIGHTS)
                        .into_iter()
                        .map(|part| (of_whole(part), None)),
                );
            }
            Some(span) => {
                let label = match given[span].kind {
                    DeclaredKind::Exploratory => EXPLORATION,
                    DeclaredKind::Action => ACT,
                };
                segments.push((LabeledSegment { first, end, label, margin: 0 }, Some(&given[span])));
            }
        }
        first = end;
    }
    let inferred = spans_of_segments(session, facts, hindsight, (&turns, &places), &segments);
    Annotation::from_filled(given.iter().cloned().chain(inferred).collect())
}

fn spans_of_segments(
    session: &Session,
    facts: &Facts,
    hindsight: Hindsight,
    (turns, places): (&[TurnFacts], &[TurnBlocks]),
    segments: &[(LabeledSegment, Option<&Span>)],
) -> Vec<Span> {
    let classes = Classes::classify(turns);
    let plain: Vec<LabeledSegment> = segments.iter().map(|(segment, _)| *segment).collect();
    let edges = depend::infer_edges(turns, &classes, &plain, hindsight, &WEIGHTS);
    let stretch = TurnStretch::new(turns, &classes);
    let taken = segments.iter().filter_map(|(_, given)| Some(String::from(given.as_ref()?.name.as_str())));
    let mut namer = Namer { session, facts, turns, classes: &classes, places, taken: taken.collect() };
    let mut name = |(segment, given): &(LabeledSegment, Option<&Span>)| match given {
        Some(span) => Some(span.name.clone()),
        None => (segment.label != NONE).then(|| namer.name_segment(segment)),
    };
    let names: Vec<Option<EpisodeName>> = segments.iter().map(&mut name).collect();
    let span = |(at, (segment, given)): (usize, &(LabeledSegment, Option<&Span>))| {
        let name = names[at].clone().filter(|_| given.is_none())?;
        let next = segments.get(at + 1).filter(|(next, given)| next.label == NONE && given.is_none());
        let end_of_report = next.map_or(segment.end, |(next, _)| end_of_report(turns, segment.end, next.end));
        let last = places[end_of_report - 1].last;
        // Edges are sorted by act.
        let (first, end) =
            (edges.partition_point(|(_, act)| *act < at), edges.partition_point(|(_, act)| *act <= at));
        let drawn = edges[first..end].iter();
        let cues = decode::start_reasons(&stretch, segment.first, segment.label, &WEIGHTS);
        let evidence = Evidence {
            confidence: confidence_of_margin(segment.margin),
            cues: cues.into_iter().map(StartFeature::name).collect(),
        };
        let is_exploration = segment.label == EXPLORATION;
        Some(Span {
            name,
            kind: if is_exploration { DeclaredKind::Exploratory } else { DeclaredKind::Action },
            first: places[segment.first].first,
            last: (segment.end < turns.len()).then_some(last),
            dependencies: drawn.filter_map(|(from, _)| names[*from].clone()).collect(),
            description: if is_exploration { namer.describe_segment(segment) } else { None },
            evidence: Some(Arc::new(evidence)),
        })
    };
    segments.iter().enumerate().filter_map(span).collect()
}

/// The end of the words that report on an episode: turns without a call from `first` on, before the human speaks again.
///
/// Readers leave reports outside, so the division does not look for them; but they tell the human what the episode
/// did, and are needed as little as the rest of it afterwards.
fn end_of_report(turns: &[TurnFacts], first: usize, end: usize) -> usize {
    let is_report = |turn: &&TurnFacts| turn.n_calls == 0 && turn.human.is_none();
    first + turns[first..end].iter().take_while(is_report).count()
}

/// Lists facts per turn with two log lines: the reply's first line, and its last result's line.
pub fn turn_facts(session: &Session, facts: &Facts) -> Vec<(TurnFacts, u64, u64)> {
    let (turns, places) = turns_of(session, facts);
    let line = |block| session.message_of(block).line;
    turns.into_iter().zip(places).map(|(turn, at)| (turn, line(at.first), line(at.last))).collect()
}

pub fn divide_weighted(turns: &[TurnFacts], weights: &Weights) -> Vec<LabeledSegment> {
    decode::divide_turns(turns, weights)
}

pub fn label_stretches(turns: &[TurnFacts], lengths: &[usize], weights: &Weights) -> Vec<LabeledSegment> {
    decode::label_stretches(turns, &Classes::classify(turns), lengths, weights)
}

/// Shuffles stretch lengths, deterministically for a seed. Episodes with equal lengths but arbitrary starts
/// are the baseline for inferred ones.
pub fn shuffle_lengths(lengths: &[usize], seed: u64) -> Vec<usize> {
    let mut order = lengths.to_vec();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for at in (1..order.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let other = usize::try_from(state % (at as u64 + 1)).unwrap_or(0);
        order.swap(at, other);
    }
    order
}

pub fn edges_between(
    turns: &[TurnFacts],
    segments: &[LabeledSegment],
    hindsight: Hindsight,
    weights: &Weights,
) -> Vec<(usize, usize)> {
    depend::infer_edges(turns, &Classes::classify(turns), segments, hindsight, weights)
}

pub fn features_of(turns: &[TurnFacts]) -> Vec<(Vec<StartFeature>, Vec<TurnFeature>)> {
    let classes = Classes::classify(turns);
    let stretch = TurnStretch::new(turns, &classes);
    (0..turns.len()).map(|at| (stretch.start_features(at), stretch.turn_features(at))).collect()
}

pub fn contents_of(turns: &[TurnFacts]) -> StretchCounts {
    let classes = Classes::classify(turns);
    let stretch = TurnStretch::new(turns, &classes);
    StretchCounts::count((0..turns.len()).map(|at| stretch.content_at(at)))
}

pub fn edge_features(
    turns: &[TurnFacts],
    segments: &[LabeledSegment],
    hindsight: Hindsight,
) -> Vec<(usize, usize, Vec<EdgeFeature>)> {
    depend::candidate_edges(turns, &Classes::classify(turns), segments, hindsight)
}

/// Converts a start's margin to the measured rate at which such starts are correct, per mille
/// (`docs/inference.md`).
pub fn confidence_of_margin(margin: i32) -> u16 {
    const STEPS: [(i32, u16); 3] = [(12, 770), (40, 840), (96, 920)];
    STEPS.iter().find(|(below, _)| margin < *below).map_or(990, |(_, confidence)| *confidence)
}

const INTENT_WITHIN: usize = 3;

struct Namer<'a> {
    session: &'a Session,
    facts: &'a Facts,
    turns: &'a [TurnFacts],
    classes: &'a Classes,
    places: &'a [TurnBlocks],
    taken: BTreeSet<String>,
}

impl Namer<'_> {
    /// Names an episode by its first words, else by the intent in the agent's reasoning, else by its first
    /// file, else by its kind.
    fn name_segment(&mut self, segment: &LabeledSegment) -> EpisodeName {
        let blocks = || (segment.first..segment.end).flat_map(|turn| self.facts_of_turn(turn));
        let by_file = |verb: &str| {
            let file = blocks().filter_map(|facts| facts.file.as_deref()).next()?;
            Some(naming::name_of_file(verb, file))
        };
        let by_words = || {
            let first =
                self.facts_of_turn(segment.first).filter_map(|facts| facts.headline.as_deref()).next()?;
            // An act may begin with a look, but should be named after its work.
            let intent = cue::first_intent(first);
            let done = || {
                let mut said = blocks().filter_map(|facts| facts.headline.as_deref());
                said.find(|said| naming::announces_work(said))
            };
            let looks_first = segment.label == ACT && intent == Some(cue::Cue::Looks);
            let name = naming::name_of(looks_first.then(done).flatten().unwrap_or(first))?;
            // A single word, as from "Let me fix that", says too little.
            let is_bare = name.is_ascii() && !name.contains('-') && intent.is_some();
            if is_bare { by_file(&name).or(Some(name)) } else { Some(name) }
        };
        // If the agent only reasons, use a sentence of intent that fits the kind and has more than two
        // words.
        let by_intent = || {
            let own = if segment.label == ACT { cue::Cue::Writes } else { cue::Cue::Looks };
            let near = segment.first..segment.end.min(segment.first + INTENT_WITHIN);
            let thoughts =
                near.flat_map(|turn| self.facts_of_turn(turn)).filter_map(|facts| facts.intent.as_deref());
            let mut fitting = thoughts.filter(|said| cue::first_intent(said) == Some(own));
            fitting.find_map(|said| naming::name_of(said).filter(|name| name.matches('-').count() >= 2))
        };
        let verb = if segment.label == ACT { "edit" } else { "read" };
        let plain = by_words().or_else(by_intent).or_else(|| by_file(verb)).unwrap_or_else(|| {
            let is_act = segment.label == ACT;
            let publishes = self.classes.publishes[segment.first..segment.end].contains(&true);
            String::from(if is_act && publishes {
                "publish"
            } else if is_act {
                "work"
            } else {
                "look-around"
            })
        });
        let mut name = plain.clone();
        let mut number = 2u32;
        while !self.taken.insert(name.clone()) {
            name = format!("{plain}-{number}");
            number += 1;
        }
        EpisodeName::new(name)
    }

    fn describe_segment(&self, segment: &LabeledSegment) -> Option<Arc<str>> {
        let found = |turn: usize| self.facts_of_turn(turn).filter_map(|facts| facts.finding.clone()).last();
        let own = (segment.first..segment.end).rev().find_map(found);
        let next = || {
            let goes_on = self.turns.get(segment.end).is_some_and(|turn| turn.human.is_none());
            goes_on.then(|| found(segment.end)).flatten()
        };
        let said = |turn: usize| self.facts_of_turn(turn).filter_map(|facts| facts.headline.clone()).last();
        own.or_else(next).or_else(|| (segment.first..segment.end).rev().find_map(said))
    }

    fn facts_of_turn(&self, turn: usize) -> impl Iterator<Item = &BlockFacts> {
        let message = self.session.message_of(self.places[turn].first);
        message.blocks.clone().filter_map(|at| self.facts.block_facts(crate::BlockIdx::new(at)))
    }
}
