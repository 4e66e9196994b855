//! Alignment: two sessions' turns side by side, matched by shared work.
//!
//! A sequence alignment computed elsewhere gives the common units of work. Here, turns are paired: the pairs
//! share the most units and keep both sessions' order. Between two pairs, the remaining turns stand side by
//! side in order, as in any two-column diff.

use alloc::vec::Vec;

use strum::{Display, IntoStaticStr};

use super::{SessionWork, WorkKind, WorkUnit};
use crate::TurnIdx;

/// The greatest difference between a row's two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Display, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
pub enum RowDifference {
    Nothing,
    /// Same work, but other words, results or turns.
    Texts,
    Marks,
    /// One side does something the other does not.
    Work,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlignedTurn {
    pub a: Option<TurnIdx>,
    pub b: Option<TurnIdx>,
    pub differs: RowDifference,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Alignment {
    /// In both sessions' order; each turn with work is in exactly one row.
    pub rows: Vec<AlignedTurn>,
    pub a_shared: Vec<bool>,
    pub b_shared: Vec<bool>,
}

impl Alignment {
    /// `common` lists shared units as index pairs, ascending on both sides; other pairs are skipped.
    pub fn align(a: &SessionWork, b: &SessionWork, common: &[(usize, usize)]) -> Self {
        let mut partner_of_a = alloc::vec![None; a.units.len()];
        let mut partner_of_b = alloc::vec![None; b.units.len()];
        let mut shared: Vec<SharedTurns> = Vec::new();
        let mut next = (0, 0);
        for &(in_a, in_b) in common {
            let (Some(one), Some(other)) = (a.units.get(in_a), b.units.get(in_b)) else { continue };
            if in_a < next.0 || in_b < next.1 || one.key != other.key {
                continue;
            }
            next = (in_a + 1, in_b + 1);
            partner_of_a[in_a] = Some(in_b);
            partner_of_b[in_b] = Some(in_a);
            match shared.last_mut().filter(|last| (last.a, last.b) == (one.turn, other.turn)) {
                Some(last) => last.n += 1,
                None => shared.push(SharedTurns { a: one.turn, b: other.turn, n: 1 }),
            }
        }
        let mut found = Self {
            rows: Vec::new(),
            a_shared: partner_of_a.iter().map(Option::is_some).collect(),
            b_shared: partner_of_b.iter().map(Option::is_some).collect(),
        };
        let (turns_a, turns_b) = (turns_of(a), turns_of(b));
        let (mut at_a, mut at_b) = (0, 0);
        let place = |turns: &[TurnIdx], turn: TurnIdx| turns.partition_point(|other| *other < turn);
        let sides = WorkSides { a, b, partner_of_a: &partner_of_a, partner_of_b: &partner_of_b };
        for pair in longest_chain(&shared) {
            let (to_a, to_b) = (place(&turns_a, pair.a), place(&turns_b, pair.b));
            found.add_gap(&sides, &turns_a[at_a..to_a], &turns_b[at_b..to_b]);
            found.rows.push(sides.aligned_row(Some(pair.a), Some(pair.b)));
            (at_a, at_b) = (to_a + 1, to_b + 1);
        }
        found.add_gap(&sides, &turns_a[at_a.min(turns_a.len())..], &turns_b[at_b.min(turns_b.len())..]);
        found
    }

    fn add_gap(&mut self, sides: &WorkSides<'_>, a: &[TurnIdx], b: &[TurnIdx]) {
        for at in 0..a.len().max(b.len()) {
            self.rows.push(sides.aligned_row(a.get(at).copied(), b.get(at).copied()));
        }
    }

    /// Returns the divergence point: the first row where one side does something that the other
    /// does not.
    pub fn divergence_row(&self) -> Option<usize> {
        self.rows.iter().position(|row| row.differs == RowDifference::Work)
    }

    pub fn first_difference(&self) -> Option<usize> {
        self.rows.iter().position(|row| row.differs != RowDifference::Nothing)
    }

    pub fn n_of(&self, differs: RowDifference) -> usize {
        self.rows.iter().filter(|row| row.differs == differs).count()
    }
}

#[derive(Debug, Clone, Copy)]
struct SharedTurns {
    a: TurnIdx,
    b: TurnIdx,
    n: usize,
}

/// Returns the turn pairs with the most shared units in total, ascending on both sides.
///
/// The input never descends on either side, so a pair's possible predecessors are a prefix, whose best chain
/// is already known.
fn longest_chain(shared: &[SharedTurns]) -> Vec<SharedTurns> {
    // Per pair: the most units of a chain ending there, and its predecessor. `best[n]` is the best
    // end among the first n pairs.
    let mut most: Vec<(usize, Option<usize>)> = Vec::with_capacity(shared.len());
    let mut best: Vec<Option<usize>> = alloc::vec![None];
    for (at, pair) in shared.iter().enumerate() {
        let n_before = shared[..at].partition_point(|one| one.a < pair.a && one.b < pair.b);
        let before = best[n_before];
        most.push((pair.n + before.map_or(0, |before| most[before].0), before));
        let so_far = best[at].filter(|best| most[*best].0 >= most[at].0);
        best.push(so_far.or(Some(at)));
    }
    let mut found = Vec::new();
    let mut at = best[shared.len()];
    while let Some(here) = at {
        found.push(shared[here]);
        at = most[here].1;
    }
    found.reverse();
    found
}

fn turns_of(work: &SessionWork) -> Vec<TurnIdx> {
    let mut turns: Vec<TurnIdx> = work.units.iter().map(|unit| unit.turn).collect();
    turns.dedup();
    turns
}

struct WorkSides<'a> {
    a: &'a SessionWork,
    b: &'a SessionWork,
    partner_of_a: &'a [Option<usize>],
    partner_of_b: &'a [Option<usize>],
}

impl WorkSides<'_> {
    fn aligned_row(&self, a: Option<TurnIdx>, b: Option<TurnIdx>) -> AlignedTurn {
        let mut differs = match (a, b) {
            (Some(in_a), Some(in_b)) if self.a.said_at(in_a) == self.b.said_at(in_b) => {
                RowDifference::Nothing
            }
            _ => RowDifference::Texts,
        };
        if let Some(turn) = a {
            differs = differs.max(one_side(self.a, self.partner_of_a, turn, self.b, b));
        }
        if let Some(turn) = b {
            differs = differs.max(one_side(self.b, self.partner_of_b, turn, self.a, a));
        }
        AlignedTurn { a, b, differs }
    }
}

fn one_side(
    work: &SessionWork,
    partners: &[Option<usize>],
    turn: TurnIdx,
    other: &SessionWork,
    beside: Option<TurnIdx>,
) -> RowDifference {
    let first = work.units.partition_point(|unit| unit.turn < turn);
    let units: &[WorkUnit] = work.of_turn(turn);
    let differs = |(at, unit): (usize, &WorkUnit)| match partners[first + at].map(|at| &other.units[at]) {
        None if unit.kind == WorkKind::Mark => RowDifference::Marks,
        None => RowDifference::Work,
        Some(same) if Some(same.turn) == beside && same.reads_as(unit) => RowDifference::Nothing,
        Some(_) => RowDifference::Texts,
    };
    units.iter().enumerate().map(differs).max().unwrap_or(RowDifference::Nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(number: u32) -> TurnIdx {
        TurnIdx::new(number)
    }

    /// Pairs are (turn, turn, units).
    fn check(shared: &[(u32, u32, usize)], expected: &[(u32, u32)]) {
        let shared: Vec<SharedTurns> =
            shared.iter().map(|&(a, b, n)| SharedTurns { a: turn(a), b: turn(b), n }).collect();
        let found: Vec<(u32, u32)> =
            longest_chain(&shared).iter().map(|pair| (pair.a.number(), pair.b.number())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn turns_that_share_the_most_are_pairs() {
        check(&[], &[]);
        check(&[(1, 1, 1), (2, 2, 1)], &[(1, 1), (2, 2)]);
        // One turn of the first session corresponds to two of the second.
        check(&[(1, 1, 1), (1, 2, 3), (2, 3, 1)], &[(1, 2), (2, 3)]);
        check(&[(1, 1, 3), (1, 2, 1), (2, 3, 1)], &[(1, 1), (2, 3)]);
        // A tie goes to the first.
        check(&[(1, 1, 1), (1, 2, 1)], &[(1, 1)]);
        check(&[(1, 1, 2), (1, 2, 1), (2, 2, 2)], &[(1, 1), (2, 2)]);
        check(&[(1, 1, 1), (2, 1, 2), (3, 1, 1)], &[(2, 1)]);
    }
}
