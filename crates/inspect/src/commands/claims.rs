//! The paper's claims about budgets (sections 5 and 6.4), each as a test of one figure against an interval.
//!
//! A claim is tested only on sessions with requests above its budgets. A saving larger than the paper's
//! largest confirms a claim. No log tells accuracy or time: recall and reacquisition stand in for them, and the
//! claims say so.

use std::ops::RangeInclusive;

use crate::api::{ClaimCheck, SweepPoint};
use crate::figures::with_commas;
use crate::measure::measured::{write_dollars, write_percent};

/// Budgets in the paper's claims, in tokens.
pub(crate) const CLAIMED: [u64; 5] = [50_000, 80_000, 120_000, 160_000, 200_000];

struct ClaimPoints<'a> {
    points: &'a [SweepPoint],
    uncapped: &'a SweepPoint,
}

impl<'a> ClaimPoints<'a> {
    fn point_at(&self, budget: u64) -> &'a SweepPoint {
        self.points.iter().find(|point| point.budget == Some(budget)).unwrap_or(self.uncapped)
    }

    fn cost_at(&self, budget: u64) -> u64 {
        self.point_at(budget).measured.cost.total_cost
    }

    fn hits_at(&self, budget: u64) -> u32 {
        self.point_at(budget).measured.recall.hit_per_mille
    }

    fn reacquired_at(&self, budget: u64) -> u64 {
        self.point_at(budget).measured.recall.reacquired_tokens
    }

    /// Makes a claim about sessions with requests above `least` tokens. The figure and `interval` are in per
    /// mille.
    fn make_claim(
        &self,
        claim: &str,
        least: u64,
        figure: u64,
        interval: &RangeInclusive<u64>,
        figures: String,
    ) -> ClaimCheck {
        let largest = self.uncapped.measured.max_total;
        let tells = largest > least;
        let untold = || {
            format!(
                "the largest request has {} tokens, no more than {}; {figures}",
                with_commas(largest),
                with_commas(least)
            )
        };
        ClaimCheck {
            claim: claim.to_owned(),
            holds: tells.then(|| interval.contains(&figure)),
            figures: if tells { figures } else { untold() },
        }
    }

    fn if_priced(&self, told: ClaimCheck) -> ClaimCheck {
        match self.uncapped.measured.cost.unpriced {
            true => ClaimCheck {
                holds: None,
                figures: "no list of prices here names the model".to_owned(),
                ..told
            },
            false => told,
        }
    }
}

fn ratio_per_mille(one: u64, other: u64) -> u64 {
    u64::try_from(u128::from(one) * 1000 / u128::from(other.max(1))).unwrap_or(u64::MAX)
}

fn write_factor(per_mille: u64) -> String {
    format!("{}.{:02} ×", per_mille / 1000, per_mille % 1000 / 10)
}

pub(crate) fn test_claims(points: &[SweepPoint], uncapped: &SweepPoint) -> Vec<ClaimCheck> {
    let points = ClaimPoints { points, uncapped };
    let [low, usual, edge, high, highest] = CLAIMED;
    let money = |budget: u64| write_dollars(points.cost_at(budget));
    let hit = |budget: u64| format!("{} %", write_percent(points.hits_at(budget)));
    let rise = ratio_per_mille(points.cost_at(high), points.cost_at(edge));
    let gained = u64::from(points.hits_at(high).saturating_sub(points.hits_at(edge)));
    let dearest = [edge, high, highest].map(|budget| points.cost_at(budget)).into_iter().max().unwrap_or(0);
    let cheaper = ratio_per_mille(dearest, points.cost_at(low));
    let more_reacquired = match points.reacquired_at(usual) {
        0 if points.reacquired_at(low) == 0 => 1000,
        usual => ratio_per_mille(points.reacquired_at(low), usual),
    };
    let falls = ratio_per_mille(points.cost_at(usual).max(points.cost_at(low)), points.cost_at(edge));
    let read = u64::from(points.point_at(usual).measured.cost.cached_per_mille);
    let mut all = vec![
        points.if_priced(points.make_claim(
            "above 120k the cost rises sharply (6.4): from 120k to 160k by a third or more, as the budget does",
            high,
            rise,
            &(1333..=u64::MAX),
            format!("{} at 120k, {} at 160k: {}; {} at 200k", money(edge), money(high), write_factor(rise), money(highest)),
        )),
        points.make_claim(
            "above 120k a larger budget brings nothing (6.4; recall in the place of accuracy): from 120k to 160k at \
             most 1 point",
            high,
            gained,
            &(0..=10),
            format!("recall {} at 120k, {} at 160k, {} at 200k", hit(edge), hit(high), hit(highest)),
        ),
        points.if_priced(points.make_claim(
            "around 50k costs up to 3 × less than 120k and more (6.4): 120k to 200k cost at least 1.05 times as much, \
             and 3 times or more is more than claimed",
            edge,
            cheaper,
            &(1050..=u64::MAX),
            format!("{} at 50k; the dearest of the others {}: {}", money(low), write_dollars(dearest), write_factor(cheaper)),
        )),
        points.make_claim(
            "around 50k the agent looks for things again (6.4; reacquisition in the place of time): at least 1.05 times the \
             reacquisition at 80k",
            usual,
            more_reacquired,
            &(1050..=u64::MAX),
            format!(
                "read again after eviction: {} tokens at 50k, {} at 80k, {} at 120k",
                with_commas(points.reacquired_at(low)),
                with_commas(points.reacquired_at(usual)),
                with_commas(points.reacquired_at(edge))
            ),
        ),
        points.if_priced(points.make_claim(
            "a lower budget is cheaper (5): neither 50k nor 80k costs more than 120k",
            edge,
            falls,
            &(0..=1000),
            format!("{} at 50k, {} at 80k, {} at 120k", money(low), money(usual), money(edge)),
        )),
        points.make_claim(
            "near the budget the prefix stays, and is read from the cache (5): at 80k at least half of all prompts",
            usual,
            read,
            &(500..=1000),
            format!("{} % of the prompts at 80k", write_percent(points.point_at(usual).measured.cost.cached_per_mille)),
        ),
    ];
    all.push(test_saving(&points));
    all
}

fn test_saving(points: &ClaimPoints<'_>) -> ClaimCheck {
    let [_, usual, ..] = CLAIMED;
    let (with, without) = (points.cost_at(usual), points.uncapped.measured.cost.total_cost);
    let saved = ratio_per_mille(without.saturating_sub(with), without);
    let less = match with > without {
        true => format!("{} of it", write_factor(ratio_per_mille(with, without))),
        false => format!("{} % less", write_percent(u32::try_from(saved).unwrap_or(0))),
    };
    let figures = format!("{} at 80k, {} without: {less}", write_dollars(with), write_dollars(without));
    let claim =
        "80k costs 20 to 70 % less than no budget (5): at least 20 %, and 70 % or more is more than claimed";
    let told = points.if_priced(points.make_claim(claim, usual, saved, &(200..=1000), figures));
    match points.uncapped.measured.beyond_window {
        0 => told,
        n_refused => ClaimCheck {
            holds: None,
            figures: format!(
                "without a budget the model would refuse {} requests; {}",
                with_commas(n_refused.into()),
                told.figures
            ),
            ..told
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{ContextFindings, CostFigures, MeasuredFigures, ProbeCounts, RecallFigures};

    /// A sweep point: cost in cents, recall in per mille, reacquisition, and largest request.
    fn point(budget: Option<u64>, cents: u64, hits: u32, reacquisition: u64, largest: u64) -> SweepPoint {
        SweepPoint {
            budget,
            over_budget_turns: 0,
            frontier: false,
            measured: MeasuredFigures {
                cost: CostFigures {
                    total_cost: cents * 10_000,
                    cached_per_mille: 800,
                    ..CostFigures::default()
                },
                recall: RecallFigures {
                    hit_per_mille: hits,
                    reacquired_tokens: reacquisition,
                    ..RecallFigures::default()
                },
                probes: ProbeCounts::default(),
                found: ContextFindings::default(),
                n_steps: 1,
                mean_total: 0,
                max_total: largest,
                beyond_window: 0,
            },
        }
    }

    /// Tests claims about costs at the five budgets, and without a budget.
    #[track_caller]
    fn check(cents: [u64; 5], uncapped: u64, largest: u64, expected: [Option<bool>; 7]) {
        let points: Vec<SweepPoint> = CLAIMED
            .iter()
            .zip(cents)
            .map(|(budget, cents)| point(Some(*budget), cents, 900, 200_000_000 / budget, *budget))
            .collect();
        let found: Vec<Option<bool>> = test_claims(&points, &point(None, uncapped, 1000, 0, largest))
            .into_iter()
            .map(|claim| claim.holds)
            .collect();
        assert_eq!(found, expected, "{cents:?} {uncapped} {largest}");
    }

    #[test]
    fn a_claim_holds_where_its_figure_is_in_its_interval() {
        let (yes, no) = (Some(true), Some(false));
        check([100, 150, 200, 280, 300], 400, 300_000, [yes, yes, yes, yes, yes, yes, yes]);
        // A convex rise smaller than the rise of the budget is not sharp.
        check([100, 150, 200, 260, 300], 400, 300_000, [no, yes, yes, yes, yes, yes, yes]);
        // A larger saving than claimed confirms the claim.
        check([50, 80, 200, 280, 300], 900, 300_000, [yes, yes, yes, yes, yes, yes, yes]);
        check([100, 81, 100, 134, 134], 100, 300_000, [yes, yes, yes, yes, yes, yes, no]);
        check([100, 101, 100, 100, 100], 100, 300_000, [no, yes, no, yes, no, yes, no]);
    }

    #[test]
    fn a_session_that_stays_below_a_budget_tells_nothing_of_it() {
        check([1, 1, 1, 1, 1], 1, 50_000, [None; 7]);
        let (yes, no) = (Some(true), Some(false));
        check([100, 150, 200, 200, 200], 200, 130_000, [None, None, yes, yes, yes, yes, yes]);
        check([100, 100, 100, 100, 100], 100, 90_000, [None, None, None, yes, None, yes, no]);
    }

    #[test]
    fn nothing_is_saved_against_a_session_that_cannot_be() {
        let mut uncapped = point(None, 400, 1000, 0, 300_000);
        uncapped.measured.beyond_window = 7;
        let last = test_claims(&[point(Some(80_000), 100, 900, 0, 80_000)], &uncapped).pop();
        assert_eq!(last.map(|claim| claim.holds), Some(None));
    }
}
