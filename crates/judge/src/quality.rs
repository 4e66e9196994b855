//! Evaluates the quality rules: how rarely they fire on sound marks, and whether they find spoiled ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cwl_engine::{Remark, Thresholds};

use crate::fit::MarkedSession;
use crate::play::{Mark, Stage};

const MOVED: usize = 5;

struct SpoiledMarking {
    marking: Vec<Mark>,
    place: (usize, usize),
    /// Turns in the exploration whose edge was removed or added.
    on: Option<usize>,
}

/// A way to spoil marks: its name, the rules that should find it, and its copies of a marking.
struct Way {
    name: &'static str,
    rules: &'static [&'static str],
    copies: fn(&[Mark], usize) -> Vec<SpoiledMarking>,
}

const WAYS: [Way; 8] = [
    Way { name: "an act marked as an exploration", rules: &["Q001"], copies: act_flipped },
    Way { name: "an exploration marked as an act", rules: &["Q002"], copies: exploration_flipped },
    Way { name: "a dependency dropped", rules: &["Q003"], copies: dropped },
    Way { name: "a dependency added", rules: &["Q004"], copies: added },
    Way { name: "two episodes merged", rules: &["Q001", "Q008", "Q011"], copies: merged },
    Way { name: "a boundary moved by five turns", rules: &["Q001", "Q003", "Q009"], copies: moved },
    Way { name: "the marks of two episodes removed", rules: &["Q009"], copies: removed },
    Way { name: "an episode never ended, and nothing marked after it", rules: &["Q010"], copies: left_open },
];

fn marking_of(session: &MarkedSession, reading: usize) -> Vec<Mark> {
    let marks = &session.readings[reading];
    let (segments, episodes) = session.read_segments(marks);
    let place = |name: &str| episodes.iter().position(|episode| marks.episodes[*episode].name == name);
    let mark = |(segment, episode): (&cwl_engine::LabeledSegment, &usize)| {
        let episode = &marks.episodes[*episode];
        Mark {
            name: episode.name.clone(),
            is_act: segment.label == 2,
            first: segment.first,
            end: Some(segment.end),
            needs: episode.dependencies.iter().filter_map(|name| place(name)).collect(),
        }
    };
    segments.iter().zip(&episodes).map(mark).collect()
}

fn end_of(mark: &Mark, n_turns: usize) -> usize {
    mark.end.unwrap_or(n_turns)
}

fn flipped(marking: &[Mark], n_turns: usize, is_act: bool) -> Vec<SpoiledMarking> {
    let wanted = (0..marking.len()).filter(|at| marking[*at].is_act == is_act);
    let spoil = |at: usize| {
        let mut copy = marking.to_vec();
        copy[at].is_act = !is_act;
        copy[at].needs.clear();
        copy.iter_mut().for_each(|mark| mark.needs.retain(|on| *on != at));
        let place = (copy[at].first, end_of(&copy[at], n_turns));
        SpoiledMarking { marking: copy, place, on: None }
    };
    wanted.map(spoil).collect()
}

fn act_flipped(marking: &[Mark], n_turns: usize) -> Vec<SpoiledMarking> {
    flipped(marking, n_turns, true)
}

fn exploration_flipped(marking: &[Mark], n_turns: usize) -> Vec<SpoiledMarking> {
    flipped(marking, n_turns, false)
}

fn dropped(marking: &[Mark], n_turns: usize) -> Vec<SpoiledMarking> {
    let edges = marking.iter().enumerate().flat_map(|(at, mark)| mark.needs.iter().map(move |on| (at, *on)));
    let spoil = |(at, on): (usize, usize)| {
        let mut copy = marking.to_vec();
        copy[at].needs.retain(|other| *other != on);
        let place = (copy[at].first, end_of(&copy[at], n_turns));
        SpoiledMarking { marking: copy, place, on: Some(marking[on].first) }
    };
    edges.map(spoil).collect()
}

fn added(marking: &[Mark], n_turns: usize) -> Vec<SpoiledMarking> {
    let mut found = Vec::new();
    for (at, mark) in marking.iter().enumerate().filter(|(_, mark)| mark.is_act) {
        let before = (0..at).rev().filter(|on| !marking[*on].is_act && !mark.needs.contains(on));
        for on in before.take(2) {
            let mut copy = marking.to_vec();
            copy[at].needs.push(on);
            let place = (mark.first, end_of(mark, n_turns));
            found.push(SpoiledMarking { marking: copy, place, on: Some(marking[on].first) });
        }
    }
    found
}

/// Removes marks. Dependencies on them move to `instead`, or are dropped.
fn without(marking: &[Mark], gone: &BTreeSet<usize>, instead: Option<usize>) -> Vec<Mark> {
    let mut places = BTreeMap::new();
    let left: Vec<usize> = (0..marking.len()).filter(|at| !gone.contains(at)).collect();
    for (new, old) in left.iter().enumerate() {
        places.insert(*old, new);
    }
    let to = |on: &usize| places.get(on).or_else(|| places.get(&instead?)).copied();
    left.iter()
        .map(|at| {
            let mut mark = marking[*at].clone();
            let own = places.get(at).copied();
            mark.needs = mark.needs.iter().filter_map(to).filter(|on| Some(*on) != own).collect();
            mark.needs.sort_unstable();
            mark.needs.dedup();
            mark
        })
        .collect()
}

fn merged(marking: &[Mark], n_turns: usize) -> Vec<SpoiledMarking> {
    let spoil = |at: usize| {
        let mut copy = marking.to_vec();
        let next = copy[at + 1].clone();
        copy[at].end = next.end;
        copy[at].needs.extend(next.needs);
        let place = (copy[at].first, end_of(&copy[at], n_turns));
        let copy = without(&copy, &BTreeSet::from([at + 1]), Some(at));
        SpoiledMarking { marking: copy, place, on: None }
    };
    (0..marking.len().saturating_sub(1)).map(spoil).collect()
}

fn moved(marking: &[Mark], n_turns: usize) -> Vec<SpoiledMarking> {
    let mut found = Vec::new();
    for at in 1..marking.len() {
        let (before, next) = (&marking[at - 1], &marking[at]);
        let (Some(old_end), next_end) = (before.end, end_of(next, n_turns)) else { continue };
        let mut spoil = |start: usize| {
            let mut copy = marking.to_vec();
            copy[at - 1].end = Some(start.min(old_end.max(start)));
            copy[at].first = start;
            found.push(SpoiledMarking { marking: copy, place: (before.first, next_end), on: None });
        };
        if next.first > before.first + MOVED {
            spoil(next.first - MOVED);
        }
        if next.first + MOVED < next_end {
            spoil(next.first + MOVED);
        }
    }
    found
}

fn removed(marking: &[Mark], n_turns: usize) -> Vec<SpoiledMarking> {
    let spoil = |at: usize| {
        let place = (marking[at].first, end_of(&marking[at + 1], n_turns));
        let marking = without(marking, &BTreeSet::from([at, at + 1]), None);
        SpoiledMarking { marking, place, on: None }
    };
    (0..marking.len().saturating_sub(1)).map(spoil).collect()
}

fn left_open(marking: &[Mark], n_turns: usize) -> Vec<SpoiledMarking> {
    let spoil = |at: usize| {
        let mut copy: Vec<Mark> = marking[..=at].to_vec();
        copy[at].end = None;
        let place = (copy[at].first, n_turns);
        SpoiledMarking { marking: copy, place, on: None }
    };
    (0..marking.len().saturating_sub(1)).map(spoil).collect()
}

/// A finding by turns: its rule, its episode's turns, and the exploration's first turn.
type Found = (&'static str, (usize, usize), Option<usize>);

struct Judged<'a> {
    session: &'a MarkedSession,
    stage: Stage,
    thresholds: &'a Thresholds,
}

impl Judged<'_> {
    fn found(&self, marking: &[Mark]) -> anyhow::Result<Vec<Found>> {
        let (growth, all) = self.stage.remarks(marking, self.thresholds)?;
        let n_turns = self.session.facts.len();
        let turn_of = |block: cwl_engine::BlockIdx| {
            (0..n_turns).take_while(|turn| self.stage.block(*turn) <= block).last().unwrap_or(0)
        };
        let place = |remark: &Remark| {
            let episode = growth.graph.episode(remark.episode);
            let last = episode.blocks.last().copied().unwrap_or(episode.start);
            let on = remark.on.map(|on| turn_of(growth.graph.episode(on).start));
            (remark.kind.code(), (turn_of(episode.start), turn_of(last) + 1), on)
        };
        Ok(all.iter().map(place).collect())
    }
}

/// Rules that hit the fault, through an episode that shares half its turns with it.
fn rules_at(found: &[Found], spoiled: &SpoiledMarking) -> BTreeSet<&'static str> {
    let (first, end) = spoiled.place;
    let is_there = |(_, (from, to), on): &&Found| {
        let both = (*to).min(end).saturating_sub((*from).max(first));
        2 * both >= (to - from) && both > 0 && (spoiled.on.is_none() || on.is_none() || *on == spoiled.on)
    };
    found.iter().filter(is_there).map(|(code, ..)| *code).collect()
}

#[derive(Default, Clone, Copy)]
struct Tally {
    hits: u32,
    before: u32,
}

pub(crate) fn thresholds(set: &[String]) -> anyhow::Result<Thresholds> {
    let mut thresholds = Thresholds::default();
    for one in set {
        let known = one.split_once('=').and_then(|(name, value)| {
            let (code, key) = name.split_once('.')?;
            thresholds.set_value(code, key, value.parse().ok()?).then_some(())
        });
        anyhow::ensure!(known.is_some(), "{one} is no threshold with a number");
    }
    Ok(thresholds)
}

pub(crate) fn report(sessions: &[MarkedSession], thresholds: &Thresholds) -> anyhow::Result<String> {
    let mut sound: BTreeMap<&'static str, u32> = BTreeMap::new();
    let (mut n_episodes, mut n_readings) = (0u32, 0u32);
    let mut ways: Vec<(u32, BTreeMap<&'static str, Tally>, Tally)> =
        WAYS.iter().map(|_| (0, BTreeMap::new(), Tally::default())).collect();
    for session in sessions {
        let judged = Judged { session, stage: Stage::from_marked(session), thresholds };
        for reading in 0..session.readings.len() {
            let marking = marking_of(session, reading);
            let before = judged.found(&marking)?;
            n_episodes += u32::try_from(marking.len())?;
            n_readings += 1;
            before.iter().for_each(|(code, ..)| *sound.entry(code).or_insert(0) += 1);
            for (way, (n, by_rule, any)) in WAYS.iter().zip(&mut ways) {
                for spoiled in (way.copies)(&marking, session.facts.len()) {
                    let after = rules_at(&judged.found(&spoiled.marking)?, &spoiled);
                    let known = rules_at(&before, &spoiled);
                    *n += 1;
                    for code in after.iter().chain(&known).collect::<BTreeSet<_>>() {
                        let tally = by_rule.entry(code).or_default();
                        tally.hits += u32::from(after.contains(code));
                        tally.before += u32::from(known.contains(code));
                    }
                    let has = |found: &BTreeSet<&str>| way.rules.iter().any(|rule| found.contains(rule));
                    any.hits += u32::from(has(&after));
                    any.before += u32::from(has(&known));
                }
            }
        }
    }
    let mut text = format!(
        "{n_readings} readings of {} sessions, {n_episodes} episodes; cwl at 80,000 tokens, four bytes a token.\n\n\
         | rule | findings per 100 episodes of sound marks |\n|---|---|\n",
        sessions.len()
    );
    for code in ["Q001", "Q002", "Q003", "Q004", "Q005", "Q006", "Q008", "Q009", "Q010", "Q011", "Q012"] {
        let n = sound.get(code).copied().unwrap_or(0);
        writeln!(text, "| {code} | {:.1} |", 100.0 * f64::from(n) / f64::from(n_episodes.max(1)))?;
    }
    text += "\n| the marks are spoiled: | rule | places | found (recall) | of the same places while sound | precision |\n|---|---|---|---|---|---|\n";
    for (way, (n, by_rule, any)) in WAYS.iter().zip(&ways) {
        let mut row = |name: &str, rule: &str, tally: Tally| -> std::fmt::Result {
            let share = |n: u32, of: u32| 100.0 * f64::from(n) / f64::from(of.max(1));
            let precision = share(tally.hits, tally.hits + tally.before);
            writeln!(
                text,
                "| {name} | {rule} | {n} | {:.0} % | {:.0} % | {precision:.0} % |",
                share(tally.hits, *n),
                share(tally.before, *n),
            )
        };
        for (at, rule) in way.rules.iter().enumerate() {
            let name = if at == 0 { way.name } else { "" };
            row(name, rule, by_rule.get(rule).copied().unwrap_or_default())?;
        }
        if way.rules.len() > 1 {
            row("", "any of these", *any)?;
        }
    }
    Ok(text.trim_end().to_owned())
}
