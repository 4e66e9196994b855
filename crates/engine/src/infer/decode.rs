//! Decoding: finds the optimal division of a session into episodes, and fixes it a few turns behind the end.
//!
//! Every stretch gets a label: none, exploration or act. The division maximises the summed weights of all
//! stretches: label transition, start features, turn features, and length. At every [`STEP`]th turn, starts
//! at least [`SETTLE`] turns back become final, so later lines never change them: a growing log gives the
//! same episodes as one read at once.

use alloc::vec::Vec;

use super::class::Classes;
use super::contents::{StretchCounts, TurnContent};
use super::feature::{AHEAD, StartFeature, TurnStretch};
use super::turns::TurnFacts;
use super::weight::{LENGTHS, Weights};

/// Maximum length of a stretch, turns.
pub(super) const LONGEST: usize = 90;
/// Turns between two points at which starts become final.
const STEP: usize = 8;
/// Minimum distance between a final start and the end, turns.
const SETTLE: usize = 6;

pub(super) const NONE: usize = 0;
pub(super) const EXPLORATION: usize = 1;
pub(super) const ACT: usize = 2;

const NEVER: i32 = i32::MIN / 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabeledSegment {
    pub first: usize,
    /// Exclusive.
    pub end: usize,
    pub label: usize,
    /// Score lead, in sixteenths, that the best division with a start here has over the best one without.
    pub margin: i32,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Scores {
    pub(super) start: Vec<[i32; 3]>,
    pub(super) turn: Vec<[i32; 3]>,
    pub(super) content: Vec<TurnContent>,
}

impl Scores {
    fn from(&mut self, from: usize, stretch: &TurnStretch<'_>, end: usize, weights: &Weights) {
        self.start.truncate(from);
        self.turn.truncate(from);
        self.content.truncate(from);
        for at in from..end {
            self.start.push(weights.of_start(&stretch.start_features(at)));
            self.turn.push(weights.of_turn(&stretch.turn_features(at)));
            self.content.push(stretch.content_at(at));
        }
    }
}

pub(super) fn divide_turns(turns: &[TurnFacts], weights: &Weights) -> Vec<LabeledSegment> {
    let (mut scores, mut settled): (Scores, Vec<LabeledSegment>) = (Scores::default(), Vec::new());
    let (mut base, mut known) = (0, 0usize);
    // Margin of the start at `base`, from when it became final.
    let mut settled_margin = None;
    // A look at the repository may turn out to be part of publishing later, so classes use only turns up to
    // `end`.
    let mut classes = Classes::default();
    let mut end = 0;
    while end < turns.len() {
        end = (end + STEP).min(turns.len());
        classes.go_on(&turns[..end]);
        let stretch = TurnStretch::new(&turns[..end], &classes);
        scores.from(known.saturating_sub(AHEAD).max(base), &stretch, end, weights);
        known = end;
        let before = settled.last().map(|segment: &LabeledSegment| segment.label);
        let mut found = best_division(&scores, base, end, before, weights);
        if let (Some(first), Some(margin)) = (found.first_mut(), settled_margin) {
            first.margin = margin;
        }
        if end == turns.len() {
            settled.extend(found);
            break;
        }
        let until = found.iter().rposition(|segment| segment.first + SETTLE <= end).unwrap_or(0);
        settled.extend_from_slice(&found[..until]);
        if let Some(next) = found.get(until) {
            base = next.first;
            settled_margin = Some(next.margin);
        }
    }
    settled
}

pub(super) fn label_stretches(
    turns: &[TurnFacts],
    classes: &Classes,
    lengths: &[usize],
    weights: &Weights,
) -> Vec<LabeledSegment> {
    let mut scores = Scores::default();
    scores.from(0, &TurnStretch::new(turns, classes), turns.len(), weights);
    let contents = StretchCounts::count(scores.content.iter().copied());
    let mut first = 0;
    let mut found = Vec::new();
    for length in lengths {
        let end = (first + length).min(turns.len());
        if first == end {
            break;
        }
        let of = |label: usize| {
            let own: i32 = scores.turn[first..end].iter().map(|scores| scores[label]).sum();
            scores.start[first][label] + own + weights.contents[label][contents.content_kind(first, end)]
        };
        let label = (0..3).max_by_key(|label| (of(*label), core::cmp::Reverse(*label))).unwrap_or(NONE);
        found.push(LabeledSegment { first, end, label, margin: 0 });
        first = end;
    }
    found
}

struct StretchWeight<'a> {
    weights: &'a Weights,
    contents: StretchCounts,
}

impl StretchWeight<'_> {
    fn score(&self, first: usize, end: usize, label: usize) -> i32 {
        self.weights.lengths[label][length_bucket(end - first)]
            + self.weights.contents[label][self.contents.content_kind(first, end)]
    }
}

fn length_bucket(n_turns: usize) -> usize {
    const ENDS: [usize; LENGTHS - 1] = [1, 2, 3, 4, 6, 9, 14, 22, 35];
    ENDS.iter().position(|end| n_turns <= *end).unwrap_or(LENGTHS - 1)
}

#[expect(clippy::needless_range_loop, reason = "turns and labels are places in several tables")]
fn best_division(
    scores: &Scores,
    base: usize,
    end: usize,
    before: Option<usize>,
    weights: &Weights,
) -> Vec<LabeledSegment> {
    let n = end - base;
    let mut sums = alloc::vec![[0i32; 3]; n + 1];
    for at in 0..n {
        sums[at + 1] = core::array::from_fn(|label| sums[at][label] + scores.turn[base + at][label]);
    }
    let whole =
        StretchWeight { weights, contents: StretchCounts::count(scores.content[base..end].iter().copied()) };
    // Best score up to a turn, by the last stretch's label, and how this stretch begins.
    let mut until = alloc::vec![[NEVER; 3]; n + 1];
    let mut from = alloc::vec![[(0usize, None::<usize>); 3]; n + 1];
    // Best score for a stretch that begins at a turn, and the label before it.
    let mut entry = alloc::vec![[(NEVER, None::<usize>); 3]; n];
    for at in 0..n {
        for label in 0..3 {
            let start = scores.start[base + at][label];
            let first = (at == 0).then(|| weights.transition_weight(before, label));
            let (score, previous) = match first {
                Some(score) => (score, before),
                None => (0..3)
                    .map(|previous| {
                        (
                            until[at][previous] + weights.transition_weight(Some(previous), label),
                            Some(previous),
                        )
                    })
                    .max_by_key(|(score, previous)| (*score, core::cmp::Reverse(*previous)))
                    .unwrap_or((NEVER, None)),
            };
            entry[at][label] = (score + start - sums[at][label], previous);
        }
        for label in 0..3 {
            for first in (at + 1).saturating_sub(LONGEST)..=at {
                let score = entry[first][label].0 + whole.score(first, at + 1, label) + sums[at + 1][label];
                if score > until[at + 1][label] {
                    until[at + 1][label] = score;
                    from[at + 1][label] = (first, entry[first][label].1);
                }
            }
        }
    }
    let margins = start_margins(&until, &entry, &sums, &whole);
    let mut found = Vec::new();
    let mut at = n;
    let mut label = (0..3).max_by_key(|label| (until[n][*label], core::cmp::Reverse(*label))).unwrap_or(NONE);
    while at > 0 {
        let (first, previous) = from[at][label];
        found.push(LabeledSegment { first: base + first, end: base + at, label, margin: margins[first] });
        at = first;
        label = previous.unwrap_or(NONE);
    }
    found.reverse();
    found
}

#[expect(clippy::needless_range_loop, reason = "turns and labels are places in several tables")]
fn start_margins(
    until: &[[i32; 3]],
    entry: &[[(i32, Option<usize>); 3]],
    sums: &[[i32; 3]],
    stretch: &StretchWeight<'_>,
) -> Vec<i32> {
    let (weights, n) = (stretch.weights, entry.len());
    // Best score for everything after a stretch that ends at a turn, by its label.
    let mut behind = alloc::vec![[NEVER; 3]; n + 1];
    behind[n] = [0; 3];
    let start = |at: usize, label: usize| {
        // An entry includes the best label before it; subtracting it leaves the start's own score.
        let before = (0..3)
            .map(|previous| until[at][previous] + weights.transition_weight(Some(previous), label))
            .max();
        entry[at][label].0 - before.unwrap_or(0)
    };
    let mut whole = alloc::vec![[NEVER; 3]; n];
    for at in (0..n).rev() {
        for label in 0..3 {
            let last = n.min(at + LONGEST);
            let rest = (at + 1..=last)
                .map(|end| stretch.score(at, end, label) + sums[end][label] + behind[end][label]);
            whole[at][label] = rest.max().unwrap_or(NEVER);
        }
        if at > 0 {
            for previous in 0..3 {
                let next = (0..3).map(|label| {
                    weights.transition_weight(Some(previous), label) + start(at, label) + whole[at][label]
                });
                behind[at][previous] = next.max().unwrap_or(NEVER);
            }
        }
    }
    let mut over = alloc::vec![NEVER; n];
    for first in 0..n {
        for label in 0..3 {
            let mut best = NEVER;
            for end in (first + 1..=n.min(first + LONGEST)).rev() {
                let score = entry[first][label].0
                    + stretch.score(first, end, label)
                    + sums[end][label]
                    + behind[end][label];
                best = best.max(score);
                if end - 1 > first {
                    over[end - 1] = over[end - 1].max(best);
                }
            }
        }
    }
    (0..n)
        .map(|at| {
            let with = (0..3).map(|label| entry[at][label].0 + whole[at][label]).max().unwrap_or(NEVER);
            with.saturating_sub(over[at]).clamp(-999, 999)
        })
        .collect()
}

pub(super) fn start_reasons(
    stretch: &TurnStretch<'_>,
    at: usize,
    label: usize,
    weights: &Weights,
) -> Vec<StartFeature> {
    let mut found: Vec<(i32, StartFeature)> = stretch
        .start_features(at)
        .into_iter()
        .filter(|feature| *feature != StartFeature::Always)
        .map(|feature| (weights.of_start(&[feature])[label], feature))
        .filter(|(weight, _)| *weight > 0)
        .collect();
    found.sort_by_key(|(weight, feature)| (core::cmp::Reverse(*weight), *feature));
    // Features with the same first word say much the same; only the strongest is listed.
    let group = |feature: StartFeature| feature.name().split('_').next();
    let mut reasons: Vec<StartFeature> = Vec::new();
    for (_, feature) in found {
        if reasons.iter().all(|other| group(*other) != group(feature)) {
            reasons.push(feature);
        }
    }
    reasons
}
