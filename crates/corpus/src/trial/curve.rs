//! The figures of one policy on one session, between its budgets.

use crate::settings::{N_KINDS, NeedCounts, RunFigures};

/// The figures of a policy on a session at some level. Sums are over the session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CurvePoint {
    /// Mean tokens of a request.
    pub(super) request: f64,
    /// Millionths of a US dollar; `None` if the model has no known price.
    pub(super) cost: Option<f64>,
    /// Tokens that later turns use again, and those that were still there.
    pub(super) used: f64,
    pub(super) found: f64,
    /// Tokens that any policy could have found with the same room.
    pub(super) bound: f64,
    pub(super) reacquired: f64,
    /// Needs of details by kind, in the order of [`crate::settings::SURVIVAL_COLUMNS`].
    pub(super) survival: [NeedCounts; N_KINDS],
}

impl CurvePoint {
    pub(super) fn from_run(run: &RunFigures) -> Self {
        let RunFigures { cost, used, found, bound, reacquired, mean_request, survival, .. } = *run;
        Self { request: mean_request, cost, used, found, bound: bound * used, reacquired, survival }
    }

    pub(super) fn recall(&self) -> f64 {
        if self.used > 0.0 { self.found / self.used } else { 1.0 }
    }

    pub(super) fn all_needs(&self) -> NeedCounts {
        let sum = |count: fn(&NeedCounts) -> f64| self.survival.iter().map(count).sum();
        NeedCounts { needed: sum(|kind| kind.needed), kept: sum(|kind| kind.kept) }
    }

    fn mix(&self, other: &Self, share: f64) -> Self {
        let between = |one: f64, other: f64| one + (other - one) * share;
        Self {
            request: between(self.request, other.request),
            cost: self.cost.zip(other.cost).map(|(one, other)| between(one, other)),
            used: self.used,
            found: between(self.found, other.found),
            bound: between(self.bound, other.bound),
            reacquired: between(self.reacquired, other.reacquired),
            survival: std::array::from_fn(|kind| NeedCounts {
                needed: between(self.survival[kind].needed, other.survival[kind].needed),
                kept: between(self.survival[kind].kept, other.survival[kind].kept),
            }),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct PolicyCurve {
    points: Vec<CurvePoint>,
}

impl PolicyCurve {
    pub(super) fn new(mut points: Vec<CurvePoint>, whole: CurvePoint) -> Self {
        points.push(whole);
        Self { points }
    }

    /// Returns the figures at a mean request, between the two nearest budgets. `None` beyond the smallest or largest.
    pub(super) fn at_request(&self, target: f64) -> Option<CurvePoint> {
        let mut points = self.points.clone();
        points.sort_by(|one, other| {
            one.request.total_cmp(&other.request).then(other.found.total_cmp(&one.found))
        });
        between(&points, target, |point| Some(point.request))
    }

    /// Returns the figures at a cost, between two settings that no other setting of the policy beats in cost and
    /// recall. `None` if every setting costs more, or the cost is unknown.
    pub(super) fn at_cost(&self, target: f64) -> Option<CurvePoint> {
        let mut points: Vec<CurvePoint> =
            self.points.iter().copied().filter(|point| point.cost.is_some()).collect();
        points.sort_by(|one, other| {
            let by_cost = one.cost.unwrap_or(0.0).total_cmp(&other.cost.unwrap_or(0.0));
            by_cost.then(other.found.total_cmp(&one.found))
        });
        let mut most = f64::NEG_INFINITY;
        points.retain(|point| {
            let is_better = point.found > most;
            most = most.max(point.found);
            is_better
        });
        // More money than the dearest setting costs buys that setting all the same.
        let last = points.last().filter(|last| last.cost.is_some_and(|cost| cost <= target)).copied();
        last.or_else(|| between(&points, target, |point| point.cost))
    }
}

fn between(
    points: &[CurvePoint],
    target: f64,
    figure: impl Fn(&CurvePoint) -> Option<f64>,
) -> Option<CurvePoint> {
    let after = points.iter().position(|point| figure(point).is_some_and(|value| value >= target))?;
    let right = points.get(after)?;
    let high = figure(right)?;
    if high == target {
        return Some(*right);
    }
    let left = points.get(after.checked_sub(1)?)?;
    let low = figure(left)?;
    Some(left.mix(right, (target - low) / (high - low)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Points as request, cost and found of 100 used tokens; the last is that without eviction.
    fn curve(points: &[(f64, f64, f64)]) -> PolicyCurve {
        let point = |(request, cost, found): &(f64, f64, f64)| CurvePoint {
            request: *request,
            cost: Some(*cost),
            used: 100.0,
            found: *found,
            bound: 100.0,
            reacquired: 100.0 - found,
            survival: [NeedCounts { needed: 10.0, kept: found / 10.0 }; N_KINDS],
        };
        let (last, rest) = points.split_last().unwrap();
        PolicyCurve::new(rest.iter().map(point).collect(), point(last))
    }

    #[test]
    fn a_level_lies_between_two_budgets() {
        let one = curve(&[(20.0, 2.0, 10.0), (60.0, 5.0, 50.0), (100.0, 9.0, 100.0)]);
        let check = |target: f64, expected: Option<(f64, f64)>| {
            let point = one.at_request(target);
            let found = point.map(|point| (point.recall(), point.cost.unwrap()));
            assert_eq!(found, expected, "{target}");
            let kept = point.map(|point| point.all_needs().kept / point.all_needs().needed);
            assert_eq!(kept, expected.map(|(recall, _)| recall), "{target}");
        };
        check(40.0, Some((0.3, 3.5)));
        check(60.0, Some((0.5, 5.0)));
        check(80.0, Some((0.75, 7.0)));
        check(100.0, Some((1.0, 9.0)));
        check(10.0, None);
        check(110.0, None);
    }

    #[test]
    fn only_settings_that_none_beats_count_at_a_cost() {
        // The second one costs more than the first and finds less.
        let one = curve(&[(20.0, 4.0, 40.0), (30.0, 6.0, 20.0), (60.0, 8.0, 80.0), (100.0, 9.0, 100.0)]);
        let check = |target: f64, expected: Option<f64>| {
            assert_eq!(one.at_cost(target).map(|point| point.recall()), expected, "{target}");
        };
        check(3.0, None);
        check(4.0, Some(0.4));
        check(6.0, Some(0.6));
        check(9.0, Some(1.0));
        check(50.0, Some(1.0));
    }

    #[test]
    fn an_unknown_price_has_no_place_at_a_cost() {
        let mut one = curve(&[(20.0, 4.0, 40.0), (100.0, 9.0, 100.0)]);
        one.points.iter_mut().for_each(|point| point.cost = None);
        assert_eq!(one.at_cost(5.0), None);
        assert_eq!(one.at_request(60.0).unwrap().cost, None);
    }
}
