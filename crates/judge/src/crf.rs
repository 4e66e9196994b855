//! The objective: a semi-Markov conditional random field over a session's segmentations, with its gradient.

use std::ops::Range;

use cwl_engine::{
    CONTENTS, EdgeFeature, LENGTHS, StartFeature, StretchCounts, TurnFacts, TurnFeature, Weights,
    contents_of, features_of,
};
use strum::EnumCount;

const LONGEST: usize = 90;
const S: usize = StartFeature::COUNT;
const T: usize = TurnFeature::COUNT;
// Weights for a start shared by both kinds, then weights for none, for explorations and for acts alone.
const NONE: usize = S;
const EXPLORATION: usize = 2 * S;
const ACT: usize = 3 * S;
const TURN: usize = 4 * S;
const AFTER: usize = TURN + 2 * T;
const LENGTH: usize = AFTER + 12;
const CONTENT: usize = LENGTH + 3 * LENGTHS;
/// Parameters that distinguish explorations from acts turn by turn.
pub(crate) const KINDS: Range<usize> = TURN..AFTER;
pub(crate) const N: usize = CONTENT + 3 * CONTENTS;

/// Features whose weights may grow, since each is strong evidence.
const STRONG: [StartFeature; 19] = [
    StartFeature::Human,
    StartFeature::HumanApproves,
    StartFeature::HumanTweak,
    StartFeature::HumanNoCalls,
    StartFeature::PublishBegins,
    StartFeature::PublishBeginsAfterEdits,
    StartFeature::PublishBeginsAfterMuch,
    StartFeature::PublishBeginsSingle,
    StartFeature::TaskStarted,
    StartFeature::TaskSwitched,
    StartFeature::WorkAfterDelegate,
    StartFeature::TurnOver,
    StartFeature::NewUnit,
    StartFeature::FreshLook,
    StartFeature::WorkAfterManyLooks,
    StartFeature::Compacted,
    StartFeature::DoneThenAnnounces,
    StartFeature::NoCall,
    StartFeature::FirstTurn,
];

/// A training session: its features, and readers' segmentations as (first, end, label).
pub(crate) struct Example {
    starts: Vec<Vec<usize>>,
    turns: Vec<Vec<usize>>,
    contents: StretchCounts,
    gold: Vec<Vec<(usize, usize, usize)>>,
}

impl Example {
    pub(crate) fn new(facts: &[TurnFacts], readings: &[Vec<Option<(usize, bool)>>]) -> Self {
        let features = features_of(facts);
        let gold = readings.iter().map(|labels| stretches(labels)).collect();
        Self {
            starts: features.iter().map(|(start, _)| start.iter().map(|f| *f as usize).collect()).collect(),
            turns: features.iter().map(|(_, turn)| turn.iter().map(|f| *f as usize).collect()).collect(),
            contents: contents_of(facts),
            gold,
        }
    }
}

fn stretches(labels: &[Option<(usize, bool)>]) -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    let mut first = 0;
    for at in 1..=labels.len() {
        if at == labels.len()
            || labels[at].map(|(episode, _)| episode) != labels[first].map(|(episode, _)| episode)
        {
            let label = labels[first].map_or(0, |(_, is_act)| 1 + usize::from(is_act));
            let mut from = first;
            while at - from > LONGEST {
                found.push((from, from + LONGEST, label));
                from += LONGEST;
            }
            found.push((from, at, label));
            first = at;
        }
    }
    found
}

fn bucket(n_turns: usize) -> usize {
    const ENDS: [usize; LENGTHS - 1] = [1, 2, 3, 4, 6, 9, 14, 22, 35];
    ENDS.iter().position(|end| n_turns <= *end).unwrap_or(LENGTHS - 1)
}

fn lse(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = values.clone().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        most
    } else {
        most + values.map(|value| (value - most).exp()).sum::<f64>().ln()
    }
}

pub(crate) fn regularisation(scale: f64) -> Vec<f64> {
    let mut strength = vec![0.5; N];
    strength[..S].fill(1.0);
    strength[S..TURN].fill(2.0);
    strength[TURN..AFTER].fill(1.0);
    for feature in STRONG {
        for part in [0, NONE, EXPLORATION, ACT] {
            strength[part + feature as usize] /= 4.0;
        }
    }
    strength.iter_mut().for_each(|one| *one *= scale);
    strength
}

/// Adds an example's negative log-likelihood under its readings, and the gradient.
#[expect(clippy::needless_range_loop, reason = "turns and labels are places in several tables")]
pub(crate) fn add_loss(theta: &[f64], example: &Example, gradient: &mut [f64]) -> f64 {
    let n = example.starts.len();
    let after = |before: usize, label: usize| {
        if before == 0 && label == 0 { f64::NEG_INFINITY } else { theta[AFTER + 3 * before + label] }
    };
    let contents = &example.contents;
    let whole = |first: usize, end: usize, label: usize| {
        theta[LENGTH + LENGTHS * label + bucket(end - first)]
            + theta[CONTENT + CONTENTS * label + contents.content_kind(first, end)]
    };
    let own = [NONE, EXPLORATION, ACT];
    let start: Vec<[f64; 3]> = example
        .starts
        .iter()
        .map(|features| {
            let shared: f64 = features.iter().map(|f| theta[*f]).sum();
            core::array::from_fn(|label| {
                let alone: f64 = features.iter().map(|f| theta[own[label] + f]).sum();
                if label == 0 { alone } else { shared + alone }
            })
        })
        .collect();
    let mut sums = vec![[0.0; 3]; n + 1];
    for at in 0..n {
        let of = |part: usize| example.turns[at].iter().map(|f| theta[TURN + part * T + f]).sum::<f64>();
        sums[at + 1] = [0.0, sums[at][1] + of(0), sums[at][2] + of(1)];
    }
    let mut until = vec![[f64::NEG_INFINITY; 3]; n + 1];
    let mut entry = vec![[f64::NEG_INFINITY; 3]; n];
    for at in 0..n {
        for label in 0..3 {
            let before = if at == 0 {
                after(3, label)
            } else {
                lse((0..3).map(|before| until[at][before] + after(before, label)))
            };
            entry[at][label] = before + start[at][label] - sums[at][label];
        }
        for label in 0..3 {
            let firsts = (at + 1).saturating_sub(LONGEST)..=at;
            until[at + 1][label] = sums[at + 1][label]
                + lse(firsts.map(|first| entry[first][label] + whole(first, at + 1, label)));
        }
    }
    let total = lse(until[n].into_iter());
    let mut behind = vec![[f64::NEG_INFINITY; 3]; n + 1];
    behind[n] = [0.0; 3];
    let mut d_start = vec![[0.0; 3]; n];
    let mut d_cover = vec![[0.0; 3]; n + 1];
    let mut d_length = [[0.0; LENGTHS]; 3];
    let mut d_content = [[0.0; CONTENTS]; 3];
    let mut d_after = [[0.0; 3]; 4];
    for at in (0..n).rev() {
        let mut rest = [f64::NEG_INFINITY; 3];
        for label in 0..3 {
            let ends = at + 1..=n.min(at + LONGEST);
            let score = |end: usize| whole(at, end, label) + sums[end][label] + behind[end][label];
            rest[label] = lse(ends.clone().map(score));
            for end in ends {
                let p = (entry[at][label] + score(end) - total).exp();
                if p > 0.0 {
                    d_start[at][label] += p;
                    d_length[label][bucket(end - at)] += p;
                    d_content[label][contents.content_kind(at, end)] += p;
                    d_cover[at][label] += p;
                    d_cover[end][label] -= p;
                }
            }
        }
        for label in 0..3 {
            let rated = start[at][label] - sums[at][label] + rest[label];
            if at == 0 {
                d_after[3][label] += (after(3, label) + rated - total).exp();
                continue;
            }
            for before in 0..3 {
                let p = (until[at][before] + after(before, label) + rated - total).exp();
                if p.is_finite() {
                    d_after[before][label] += p;
                }
            }
        }
        if at > 0 {
            for before in 0..3 {
                behind[at][before] = lse((0..3)
                    .map(|label| after(before, label) + start[at][label] - sums[at][label] + rest[label]));
            }
        }
    }
    let mut loss = total;
    let weight = 1.0 / example.gold.len().max(1) as f64;
    for reading in &example.gold {
        let mut before = 3;
        for &(first, end, label) in reading {
            let turns = sums[end][label] - sums[first][label];
            loss -= weight * (start[first][label] + turns + after(before, label) + whole(first, end, label));
            d_start[first][label] -= weight;
            d_cover[first][label] -= weight;
            d_cover[end][label] += weight;
            d_length[label][bucket(end - first)] -= weight;
            d_content[label][contents.content_kind(first, end)] -= weight;
            d_after[before][label] -= weight;
            before = label;
        }
    }
    let mut cover = [0.0; 3];
    for at in 0..n {
        for feature in &example.starts[at] {
            gradient[*feature] += d_start[at][1] + d_start[at][2];
            for label in 0..3 {
                gradient[own[label] + feature] += d_start[at][label];
            }
        }
        for label in 0..3 {
            cover[label] += d_cover[at][label];
        }
        for feature in &example.turns[at] {
            gradient[TURN + feature] += cover[1];
            gradient[TURN + T + feature] += cover[2];
        }
    }
    for before in 0..4 {
        for label in 0..3 {
            if before != 0 || label != 0 {
                gradient[AFTER + 3 * before + label] += d_after[before][label];
            }
        }
    }
    for label in 0..3 {
        for at in 0..LENGTHS {
            gradient[LENGTH + LENGTHS * label + at] += d_length[label][at];
        }
        for at in 0..CONTENTS {
            gradient[CONTENT + CONTENTS * label + at] += d_content[label][at];
        }
    }
    loss
}

/// Converts parameters to a weight table in sixteenths; `bonus` is added to every episode start.
pub(crate) fn table(theta: &[f64], edge: [i32; EdgeFeature::COUNT], bonus: f64) -> Weights {
    let unit = |value: f64| (16.0 * value).round() as i32;
    Weights {
        start: core::array::from_fn(|feature| {
            let more = if feature == StartFeature::Always as usize { bonus } else { 0.0 };
            [
                unit(theta[NONE + feature]),
                unit(theta[feature] + theta[EXPLORATION + feature] + more),
                unit(theta[feature] + theta[ACT + feature] + more),
            ]
        }),
        turn: core::array::from_fn(|feature| [unit(theta[TURN + feature]), unit(theta[TURN + T + feature])]),
        after: core::array::from_fn(|before| {
            core::array::from_fn(|label| unit(theta[AFTER + 3 * before + label]))
        }),
        lengths: core::array::from_fn(|label| {
            core::array::from_fn(|at| unit(theta[LENGTH + LENGTHS * label + at]))
        }),
        contents: core::array::from_fn(|label| {
            core::array::from_fn(|at| unit(theta[CONTENT + CONTENTS * label + at]))
        }),
        edge,
    }
}
