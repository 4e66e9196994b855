//! Statistics over sessions: quantiles, and means with reproducible bootstrap intervals.
//!
//! A resample draws as many sessions as there are, with replacement. BLAKE3 with a constant seed generates
//! the draws, so equal tables give equal intervals on every machine. Values are sorted first: two corpora of
//! the same sessions agree, although their keys order the sessions differently.

/// Seed for all draws, shown on every page and in every answer.
pub const SEED: u64 = 16;
pub const N_RESAMPLES: u32 = 1000;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ConfidenceInterval {
    pub(crate) value: f64,
    /// Percentile 2.5 over the resamples.
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl ConfidenceInterval {
    fn from_resamples(value: f64, mut resamples: Vec<f64>) -> Self {
        resamples.sort_by(f64::total_cmp);
        let end = |share| quantile(&resamples, share).unwrap_or(value);
        Self { value, low: end(0.025), high: end(0.975) }
    }
}

struct Draws {
    stream: blake3::OutputReader,
    block: [u8; 4096],
    at: usize,
}

impl Draws {
    fn new() -> Self {
        let stream = blake3::Hasher::new().update(&SEED.to_le_bytes()).finalize_xof();
        Self { stream, block: [0; 4096], at: 4096 }
    }

    fn draw_below(&mut self, n: usize) -> usize {
        if self.at >= self.block.len() {
            self.stream.fill(&mut self.block);
            self.at = 0;
        }
        let word = self.block.get(self.at..self.at + 8).and_then(|bytes| bytes.try_into().ok());
        self.at += 8;
        let word = word.map_or(0, u64::from_le_bytes);
        usize::try_from((u128::from(word) * n as u128) >> 64).unwrap_or(0)
    }
}

pub(crate) fn mean_interval(values: &[f64]) -> Option<ConfidenceInterval> {
    ratio_interval(values.iter().map(|value| (*value, 1.0)).collect())
}

/// Sum over the first values divided by the sum over the second ones, with a pair per session. `None` if the
/// divisor is 0.
pub(crate) fn ratio_interval(mut pairs: Vec<(f64, f64)>) -> Option<ConfidenceInterval> {
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let of = |sums: (f64, f64)| (sums.1 > 0.0).then(|| sums.0 / sums.1);
    let add = |sums: (f64, f64), pair: &(f64, f64)| (sums.0 + pair.0, sums.1 + pair.1);
    let value = of(pairs.iter().fold((0.0, 0.0), add))?;
    let mut draws = Draws::new();
    let mut resample = || {
        let drawn = (0..pairs.len()).filter_map(|_| pairs.get(draws.draw_below(pairs.len())));
        of(drawn.fold((0.0, 0.0), add))
    };
    // A resample with the divisor 0 is dropped.
    Some(ConfidenceInterval::from_resamples(value, (0..N_RESAMPLES).filter_map(|_| resample()).collect()))
}

/// Mean of `values` less the mean of `base`; each resample draws from both. `None` if one is empty.
pub(crate) fn difference_interval(values: &[f64], base: &[f64]) -> Option<ConfidenceInterval> {
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values
    };
    let (values, base) = (sorted(values), sorted(base));
    if values.is_empty() || base.is_empty() {
        return None;
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let value = mean(&values) - mean(&base);
    let mut draws = Draws::new();
    let mut resample = |values: &[f64]| {
        let sum: f64 = (0..values.len()).filter_map(|_| values.get(draws.draw_below(values.len()))).sum();
        sum / values.len() as f64
    };
    let differences = (0..N_RESAMPLES).map(|_| resample(&values) - resample(&base)).collect();
    Some(ConfidenceInterval::from_resamples(value, differences))
}

/// Value at a share (0 to 1) in sorted values, by the nearest rank.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    // A share is between 0 and 1, so the index is valid.
    let place = (share * last as f64).round() as usize;
    sorted.get(place.min(last)).copied()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_interval_is_the_same_in_every_run_and_in_every_order() {
        let values: Vec<f64> = (0..50).map(|n| f64::from(n * n % 17)).collect();
        let found = mean_interval(&values).unwrap();
        assert_eq!(mean_interval(&values), Some(found));
        let mut turned = values.clone();
        turned.reverse();
        assert_eq!(mean_interval(&turned), Some(found));
        // Other draws would change the page for the same tables.
        let text = format!("{:.4} {:.4} {:.4}", found.value, found.low, found.high);
        insta::assert_snapshot!(text, @"8.1400 6.5200 9.5400");
    }

    #[test]
    fn an_interval_is_as_wide_as_the_theory_says() {
        // 400 values, half 0 and half 1: the standard error of the mean is 0.5 / 20, and the interval 1.96
        // times as much.
        let values: Vec<f64> = (0..400).map(|n| f64::from(n % 2)).collect();
        let ConfidenceInterval { value, low, high } = mean_interval(&values).unwrap();
        assert_eq!(value, 0.5);
        for half in [value - low, high - value] {
            assert!((half - 1.96 * 0.025).abs() < 0.006, "{half}");
        }
    }

    #[test]
    fn a_difference_has_the_width_of_both_groups() {
        // The standard errors are 0.5 / 20 and 0.5 / 10, together 0.0559.
        let values: Vec<f64> = (0..400).map(|n| f64::from(n % 2)).collect();
        let base: Vec<f64> = (0..100).map(|n| f64::from(n % 2) + 1.0).collect();
        let ConfidenceInterval { value, low, high } = difference_interval(&values, &base).unwrap();
        assert_eq!(value, -1.0);
        for half in [value - low, high - value] {
            assert!((half - 1.96 * 0.0559).abs() < 0.012, "{half}");
        }
        assert_eq!(difference_interval(&[], &base), None);
        assert_eq!(difference_interval(&values, &[]), None);
    }

    #[test]
    fn sums_are_divided_and_not_shares_averaged() {
        let found = ratio_interval(vec![(1.0, 1.0), (0.0, 9.0)]).unwrap();
        assert_eq!(found.value, 0.1);
        assert_eq!(ratio_interval(vec![(0.0, 0.0)]), None);
        assert_eq!(mean_interval(&[]), None);
        let one = mean_interval(&[3.0]).unwrap();
        assert_eq!((one.value, one.low, one.high), (3.0, 3.0, 3.0));
    }

    #[test]
    fn quantiles_are_values_that_there_are() {
        let values = [1.0, 2.0, 3.0, 4.0, 100.0];
        for (share, expected) in [(0.0, 1.0), (0.5, 3.0), (0.9, 100.0), (1.0, 100.0)] {
            assert_eq!(quantile(&values, share), Some(expected), "{share}");
        }
        assert_eq!(quantile(&[], 0.5), None);
    }
}
