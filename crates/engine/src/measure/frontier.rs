//! The Pareto frontier: policy settings judged by cost and by what they keep.

use alloc::vec::Vec;

/// A policy setting as a point: less `cost` and more `kept` are better, each in one unit for all points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tradeoff {
    pub cost: u64,
    pub kept: u64,
}

impl Tradeoff {
    pub fn dominates(&self, other: &Self) -> bool {
        self.cost <= other.cost && self.kept >= other.kept && self != other
    }
}

/// Returns the Pareto frontier as indices into `settings`, cheapest first. Equal points are all on
/// it or all off it.
pub fn pareto_frontier(settings: &[Tradeoff]) -> Vec<usize> {
    let mut order: Vec<(usize, &Tradeoff)> = settings.iter().enumerate().collect();
    order.sort_by_key(|(at, one)| (one.cost, core::cmp::Reverse(one.kept), *at));
    let mut found: Vec<usize> = Vec::new();
    let mut best: Option<&Tradeoff> = None;
    for (at, one) in order {
        // All earlier points cost no more, so this one must keep more or equal the best.
        if best.is_none_or(|best| one.kept > best.kept || one == best) {
            found.push(at);
            best = Some(one);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn settings(pairs: &[(u64, u64)]) -> Vec<Tradeoff> {
        pairs.iter().map(|(cost, kept)| Tradeoff { cost: *cost, kept: *kept }).collect()
    }

    #[test]
    fn only_what_nothing_beats_is_on_the_frontier() {
        let check = |pairs: &[(u64, u64)], expected: &[usize]| {
            assert_eq!(pareto_frontier(&settings(pairs)), expected, "{pairs:?}");
        };
        check(&[], &[]);
        check(&[(5, 5)], &[0]);
        check(&[(5, 5), (4, 6)], &[1]);
        check(&[(5, 9), (4, 6)], &[1, 0]);
        // Same cost and worse, same quality and dearer.
        check(&[(5, 5), (5, 6)], &[1]);
        check(&[(5, 5), (6, 5)], &[0]);
        // Equal points are both on the frontier, or neither is.
        check(&[(5, 5), (5, 5), (9, 9)], &[0, 1, 2]);
        check(&[(5, 5), (5, 5), (1, 9)], &[2]);
        check(&[(u64::MAX, u64::MAX), (0, 0)], &[1, 0]);
    }

    proptest! {
        #[test]
        fn it_is_what_a_look_at_every_pair_finds(pairs in prop::collection::vec((0..9u64, 0..9u64), 0..24)) {
            let all = settings(&pairs);
            let plain: Vec<usize> =
                (0..all.len()).filter(|at| !all.iter().any(|other| other.dominates(&all[*at]))).collect();
            let mut found = pareto_frontier(&all);
            prop_assert!(found.is_sorted_by_key(|at| (all[*at].cost, *at)), "the cheapest first");
            found.sort_unstable();
            prop_assert_eq!(found, plain);
        }
    }
}
