//! Drift: how the sizes that providers report follow the sizes that are counted here.
//!
//! No tokenizer that is public counts exactly what every provider bills. The log says what some requests really
//! were, so a line through the two tells how far a figure here is from a figure there, per session.

use cwl_engine::Session;

use crate::figures::grouped;
use crate::measure::overhead::reported;

/// So few turns say nothing about a slope.
const FEWEST_TURNS: usize = 3;

/// The share by which a report must fall to say that content was taken out.
const CLEARLY: f64 = 0.01;

/// A line through counted and reported sizes: reported ≈ `base` + `factor` × counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Drift {
    /// Reported tokens for each counted one.
    pub(crate) factor: f64,
    /// Reported tokens where nothing is counted: what the log does not hold, by the provider's measure.
    pub(crate) base: f64,
    /// How many turns it is fitted to.
    pub(crate) n_turns: usize,
}

impl Drift {
    /// Says it in words: how a reported size is made of one that this tokenizer counted.
    pub(crate) fn sentence(&self, tokenizer: &str) -> String {
        let base = self.base.round();
        let rest = grouped(base.abs() as u64);
        let sign = if base < 0.0 { "−" } else { "+" };
        format!(
            "the provider reports {:.2} × what {tokenizer} counts {sign} {rest} tokens, fitted to {} turns",
            self.factor, self.n_turns
        )
    }
}

/// Fits the line by least squares over the turns with usage; `full` is the counted history of every turn.
///
/// It stops where clearly less is reported while the history grew: from there on the harness sends less than
/// the log tells, as one that evicts by itself does, and the two are not of the same content. `None` with fewer than three such turns, where their counted sizes are all the same, or where the
/// reported ones fall while the counted ones grow.
pub(crate) fn fit(session: &Session, full: &[u64]) -> Option<Drift> {
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for (reported, counted) in reported(session).into_iter().zip(full) {
        let Some(reported) = reported else { continue };
        let pair = (*counted as f64, reported as f64);
        let falls = |last: &(f64, f64)| pair.0 > last.0 && pair.1 < last.1 * (1.0 - CLEARLY);
        if pairs.last().is_some_and(falls) {
            break;
        }
        pairs.push(pair);
    }
    if pairs.len() < FEWEST_TURNS {
        return None;
    }
    let n_turns = pairs.len();
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n_turns as f64;
    let (mean_counted, mean_reported) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut spread, mut shared) = (0.0, 0.0);
    for (counted, reported) in &pairs {
        spread += (counted - mean_counted).powi(2);
        shared += (counted - mean_counted) * (reported - mean_reported);
    }
    let factor = shared / spread;
    let is_line = factor.is_finite() && factor > 0.0;
    is_line.then_some(Drift { factor, base: mean_reported - factor * mean_counted, n_turns })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::overhead::session_with;

    fn check(pairs: &[(u64, Option<u64>)], expected: Option<(f64, f64)>) {
        let usages: Vec<Option<u64>> = pairs.iter().map(|pair| pair.1).collect();
        let mut full: Vec<u64> = pairs.iter().map(|pair| pair.0).collect();
        full.push(0);
        let found = fit(&session_with(&usages), &full);
        let rounded = |number: f64| (number * 1000.0).round() / 1000.0;
        assert_eq!(found.map(|drift| (rounded(drift.factor), rounded(drift.base))), expected, "{pairs:?}");
    }

    #[test]
    fn a_line_through_what_is_counted_and_what_is_reported() {
        check(&[], None);
        check(&[(10, Some(20)), (20, Some(30))], None);
        check(&[(10, Some(120)), (20, Some(140)), (30, Some(160))], Some((2.0, 100.0)));
        check(&[(10, Some(120)), (15, None), (20, Some(140)), (30, Some(160))], Some((2.0, 100.0)));
        check(&[(10, Some(12)), (10, Some(14)), (10, Some(16))], None);
        check(&[(10, Some(30)), (20, Some(20)), (30, Some(10))], None);
        check(
            &[(10, Some(120)), (20, Some(140)), (30, Some(160)), (40, Some(90)), (50, Some(95))],
            Some((2.0, 100.0)),
        );
        check(&[(10, Some(120)), (20, Some(140)), (5, Some(110)), (30, Some(160))], Some((2.0, 100.0)));
        check(&[(0, Some(1)), (10, Some(9)), (20, Some(21)), (30, Some(29))], Some((0.96, 0.6)));
    }
}
