//! Alignment: the turns of two sessions beside each other, by the work that both did.
//!
//! Which units of work are common to both comes from outside, as a sequence alignment gives it. Here turns become
//! pairs: those that share the most units, in an order that both sessions have. Between two pairs the turns that are left
//! stand beside each other in their order, as every list of differences in two columns shows them.

use alloc::vec::Vec;

use super::{SessionWork, WorkKind, WorkUnit};
use crate::TurnIdx;

/// The difference between the two sides of a row; of several, the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowDifference {
    /// In nothing.
    Nothing,
    /// Both do the same, with other words or other results, or in another turn.
    Texts,
    /// Both do the same, and only the marks of episodes are others.
    Marks,
    /// One side does what the other does not.
    Work,
}

/// One row: a turn of either session, or of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlignedTurn {
    /// The turn of the first session.
    pub a: Option<TurnIdx>,
    /// The turn of the second session.
    pub b: Option<TurnIdx>,
    /// How they differ.
    pub differs: RowDifference,
}

/// The turns of two sessions, aligned by the work they share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Alignment {
    /// The rows, in the order of both sessions; each turn that has work stands in one.
    pub rows: Vec<AlignedTurn>,
    /// For each unit of the first session whether the second one has it.
    pub a_shared: Vec<bool>,
    /// For each unit of the second session whether the first one has it.
    pub b_shared: Vec<bool>,
}

impl Alignment {
    /// Aligns the turns of two sessions.
    ///
    /// `common` are the units that both have, as places in their lists, ascending in both; what does not ascend is passed over.
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

    /// Adds the rows of turns between two pairs.
    fn add_gap(&mut self, sides: &WorkSides<'_>, a: &[TurnIdx], b: &[TurnIdx]) {
        for at in 0..a.len().max(b.len()) {
            self.rows.push(sides.aligned_row(a.get(at).copied(), b.get(at).copied()));
        }
    }

    /// Returns the divergence point: the first row where one side does something that the other does not.
    pub fn divergence_row(&self) -> Option<usize> {
        self.rows.iter().position(|row| row.differs == RowDifference::Work)
    }

    /// Returns the place of the first row that differs in anything.
    pub fn first_difference(&self) -> Option<usize> {
        self.rows.iter().position(|row| row.differs != RowDifference::Nothing)
    }

    /// Counts the rows that differ in a given way.
    pub fn n_of(&self, differs: RowDifference) -> usize {
        self.rows.iter().filter(|row| row.differs == differs).count()
    }
}

/// Two turns that share units, and how many.
#[derive(Debug, Clone, Copy)]
struct SharedTurns {
    a: TurnIdx,
    b: TurnIdx,
    n: usize,
}

/// Returns the pairs of turns that share the most units in all, ascending on both sides.
///
/// The pairs come in an order that never falls on either side, so those before a pair it can follow are the first ones: the
/// best of them is known when the pair comes.
fn longest_chain(shared: &[SharedTurns]) -> Vec<SharedTurns> {
    // For each pair the most units with it as the last one, and the pair before it; and the best of the first n pairs.
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

/// Both sessions, and which units of theirs are the same.
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

/// Tells how a turn of `work` differs from `beside`, a turn of `other`.
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

    /// Chains pairs given as turn, turn, units.
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
        // One turn of the first session is two of the second one.
        check(&[(1, 1, 1), (1, 2, 3), (2, 3, 1)], &[(1, 2), (2, 3)]);
        check(&[(1, 1, 3), (1, 2, 1), (2, 3, 1)], &[(1, 1), (2, 3)]);
        // A tie goes to the first.
        check(&[(1, 1, 1), (1, 2, 1)], &[(1, 1)]);
        check(&[(1, 1, 2), (1, 2, 1), (2, 2, 2)], &[(1, 1), (2, 2)]);
        check(&[(1, 1, 1), (2, 1, 2), (3, 1, 1)], &[(2, 1)]);
    }
}
