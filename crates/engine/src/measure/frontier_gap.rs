//! The gap between two Pareto frontiers, at equal cost and at equal retention.
//!
//! Between two neighbours on a frontier lies a line, since a budget between theirs makes a setting between
//! theirs.

use alloc::vec::Vec;

use super::{Tradeoff, pareto_frontier};

/// The parts of one unit in a mean.
pub const MEAN_PARTS: u128 = 1000;

/// Means of two frontiers over a range that both cover, in parts of [`MEAN_PARTS`].
///
/// Without a common range, `from` and `to` are equal: the one point at which the frontiers come nearest to
/// each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EqualRange {
    pub from: u64,
    pub to: u64,
    pub first: u128,
    pub second: u128,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrontierGap {
    /// The range of costs, and what each frontier keeps there.
    pub equal_cost: EqualRange,
    /// The range of retention, and what each frontier costs there.
    pub equal_kept: EqualRange,
}

/// Compares two sets of settings by their Pareto frontiers; `None` if one set is empty. The order of settings
/// has no influence.
pub fn frontier_gap(first: &[Tradeoff], second: &[Tradeoff]) -> Option<FrontierGap> {
    let (first, second) = (frontier_line(first), frontier_line(second));
    let kept = |(cost, kept): &(u64, u64)| (*kept, *cost);
    let ends = |line: &[(u64, u64)]| Some((*line.first()?, *line.last()?));
    let ((first_low, first_high), (second_low, second_high)) = (ends(&first)?, ends(&second)?);
    let from = first_low.0.max(second_low.0);
    // More money than the dearest setting costs buys that setting all the same.
    let to = first_high.0.min(second_high.0).max(from);
    let equal_cost = equal_range(&first, &second, from, to);
    let (first, second): (Vec<_>, Vec<_>) =
        (first.iter().map(kept).collect(), second.iter().map(kept).collect());
    let to = first_high.1.min(second_high.1);
    let from = first_low.1.max(second_low.1).min(to);
    Some(FrontierGap { equal_cost, equal_kept: equal_range(&first, &second, from, to) })
}

fn frontier_line(settings: &[Tradeoff]) -> Vec<(u64, u64)> {
    let mut line: Vec<(u64, u64)> =
        pareto_frontier(settings).into_iter().map(|at| (settings[at].cost, settings[at].kept)).collect();
    line.dedup();
    line
}

fn equal_range(first: &[(u64, u64)], second: &[(u64, u64)], from: u64, to: u64) -> EqualRange {
    EqualRange { from, to, first: mean_over(first, from, to), second: mean_over(second, from, to) }
}

/// Returns the mean of a rising line between two places, in parts of [`MEAN_PARTS`]. Beyond its ends the line is flat.
fn mean_over(line: &[(u64, u64)], from: u64, to: u64) -> u128 {
    if from >= to {
        return value_at(line, from);
    }
    let inner = line.iter().map(|(x, _)| *x).filter(|x| *x > from && *x < to);
    let places: Vec<u64> = core::iter::once(from).chain(inner).chain([to]).collect();
    let doubled: u128 = places
        .windows(2)
        .map(|pair| u128::from(pair[1] - pair[0]) * (value_at(line, pair[0]) + value_at(line, pair[1])))
        .sum();
    doubled / (2 * u128::from(to - from))
}

fn value_at(line: &[(u64, u64)], x: u64) -> u128 {
    let after = line.partition_point(|(known, _)| *known < x);
    let (Some(right), Some(left)) = (line.get(after).or(line.last()), line.get(after.saturating_sub(1)))
    else {
        return 0;
    };
    if left.0 == right.0 {
        return MEAN_PARTS * u128::from(right.1);
    }
    let (rise, run) = (u128::from(right.1 - left.1), u128::from(right.0 - left.0));
    MEAN_PARTS * u128::from(left.1) + MEAN_PARTS * rise * u128::from(x - left.0) / run
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::prelude::*;

    fn settings(pairs: &[(u64, u64)]) -> Vec<Tradeoff> {
        pairs.iter().map(|(cost, kept)| Tradeoff { cost: *cost, kept: *kept }).collect()
    }

    #[test]
    fn frontiers_are_compared_where_both_are() {
        let check = |first: &[(u64, u64)], second: &[(u64, u64)], cost: [u128; 4], kept: [u128; 4]| {
            let told = frontier_gap(&settings(first), &settings(second)).unwrap();
            let flat = |one: EqualRange| [one.from.into(), one.to.into(), one.first, one.second];
            assert_eq!((flat(told.equal_cost), flat(told.equal_kept)), (cost, kept), "{first:?} {second:?}");
        };
        // A line against a line: half of the way up is the mean.
        check(&[(0, 0), (10, 100)], &[(0, 20), (10, 80)], [0, 10, 50_000, 50_000], [20, 80, 5_000, 5_000]);
        check(&[(0, 10), (10, 30)], &[(0, 0), (10, 20)], [0, 10, 20_000, 10_000], [10, 20, 2_500, 7_500]);
        // Settings that another one of their own set beats have no influence.
        check(
            &[(0, 10), (5, 5), (10, 30)],
            &[(0, 10), (10, 30)],
            [0, 10, 20_000, 20_000],
            [10, 30, 5_000, 5_000],
        );
        // Only the common range counts.
        check(&[(0, 0), (10, 100)], &[(5, 50), (20, 60)], [5, 10, 75_000, 51_666], [50, 60, 5_500, 12_500]);
        // Without one, the dearer set is asked at its cheapest setting, and the poorer one at its best.
        check(&[(0, 10), (1, 20)], &[(5, 30), (9, 40)], [5, 5, 20_000, 30_000], [20, 20, 1_000, 5_000]);
        check(&[(3, 7)], &[(3, 7)], [3, 3, 7_000, 7_000], [7, 7, 3_000, 3_000]);
        assert_eq!(frontier_gap(&settings(&[(1, 1)]), &[]), None);
    }

    proptest! {
        #[test]
        fn order_has_no_influence_and_exchange_exchanges(
            pairs in prop::collection::vec((0..50u64, 0..50u64), 1..9),
            others in prop::collection::vec((0..50u64, 0..50u64), 1..9),
            turned in 0..9usize,
        ) {
            let gap = |one: &[(u64, u64)], other: &[(u64, u64)]| frontier_gap(&settings(one), &settings(other)).unwrap();
            let mut other_way = pairs.clone();
            other_way.rotate_left(turned % pairs.len());
            let told = gap(&pairs, &others);
            prop_assert_eq!(told, gap(&other_way, &others));
            let exchanged = gap(&others, &pairs);
            prop_assert_eq!(told.equal_cost.first, exchanged.equal_cost.second);
            prop_assert_eq!(told.equal_kept.second, exchanged.equal_kept.first);
            // A set equals itself.
            let same = gap(&pairs, &pairs);
            prop_assert_eq!(same.equal_cost.first, same.equal_cost.second);
            prop_assert_eq!(same.equal_kept.first, same.equal_kept.second);
        }
    }
}
