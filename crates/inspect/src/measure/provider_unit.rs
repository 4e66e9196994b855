//! The provider's unit: how many tokens the provider counts for one of the tokenizer's.
//!
//! The program fits the factor once enough requests report usage, and keeps it: figures that change with every turn are of no use.
//! With each eighth more reports a new fit takes its place if it is clearly better, on all requests or on the recent half.
//! The factor depends on nothing but the log, so nothing stores it.

use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::iter::successors;

use cwl_engine::Material;
use cwl_tokens::Tokenizer;

use crate::measure::calibration::{
    CalibrationRequest, FEWEST_TURNS, FactorSample, USABLE, is_clearly_better, main_factor,
};
use crate::texts::fitted::{FittedFactor, KnownFits};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProviderUnit {
    pub fitted: FittedFactor,
    n_reported: usize,
}

impl ProviderUnit {
    /// Fits the factor to `requests`, unless it is known from a revision whose requests are the first ones of these.
    pub fn fit(requests: &[CalibrationRequest<'_>], known: &KnownFits) -> Self {
        let reported: Vec<usize> =
            (0..requests.len()).filter(|at| requests[*at].reported.is_some()).collect();
        let n_fitted = numbers_of_reports().take_while(|n_seen| *n_seen <= reported.len()).last();
        let fit = |n_seen: usize| Ok::<_, Infallible>(fit_factor(requests, &reported[..n_seen]));
        let fitted = n_fitted.map(|n_seen| {
            let mut hasher = DefaultHasher::new();
            requests[..=reported[n_seen - 1]].hash(&mut hasher);
            let Ok(fitted) = known.get_or_make(&hasher.finish(), || fit(n_seen));
            *fitted
        });
        Self { fitted: fitted.unwrap_or(NOT_FITTED), n_reported: reported.len() }
    }

    pub fn factor(&self) -> f64 {
        self.fitted.factor
    }

    pub(crate) fn describe(&self, tokenizer: &str) -> String {
        let FittedFactor { factor, since, replaced } = self.fitted;
        let Some(since) = since else {
            return match self.n_reported {
                0 => format!("{tokenizer}, as no request reports usage"),
                1 => format!("{tokenizer}, as only 1 request reports usage"),
                n if n < FEWEST_TURNS => format!("{tokenizer}, as only {n} requests report usage"),
                _ => format!("{tokenizer}, as the reported sizes do not follow it"),
            };
        };
        let better = match replaced {
            Some(replaced) => format!(", which since turn {since} fits clearly better than × {replaced:.2}"),
            None => String::new(),
        };
        format!("provider's tokens ({tokenizer} × {factor:.2}{better})")
    }
}

const NOT_FITTED: FittedFactor = FittedFactor { factor: 1.0, since: None, replaced: None };

fn numbers_of_reports() -> impl Iterator<Item = usize> {
    successors(Some(FEWEST_TURNS), |n_seen| Some(n_seen + (n_seen / 8).max(1)))
}

/// Fits the factor to `requests`; `reported` lists the indices of requests with reported usage, in order.
fn fit_factor(requests: &[CalibrationRequest<'_>], reported: &[usize]) -> FittedFactor {
    let mut fitted = NOT_FITTED;
    for n_seen in numbers_of_reports() {
        let Some(last) = reported.get(n_seen - 1) else { break };
        let seen = &requests[..=*last];
        // In hundredths, so that what people are told is what counts.
        let factor = (main_factor(seen) * 100.0).round() / 100.0;
        let is_first = fitted.since.is_none();
        // An equal factor is no better, and most fits give an equal one.
        if is_first || factor != fitted.factor {
            let all = FactorSample::from_requests(seen);
            let is_better = || {
                let recent = FactorSample::from_requests(&seen[reported[n_seen / 2]..]);
                let [new, old] = [factor, fitted.factor]
                    .map(|factor| all.spread_of_factor(factor).max(recent.spread_of_factor(factor)));
                is_clearly_better(new, old)
            };
            if all.spread_of_factor(factor) <= USABLE && (is_first || is_better()) {
                let replaced = fitted.since.map(|_| fitted.factor);
                fitted = FittedFactor { factor, since: Some(last + 1), replaced };
            }
        }
    }
    fitted
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct SizeScale {
    pub tokenizer: Tokenizer,
    /// The provider's tokens for each of the tokenizer's; `None` if sizes are the tokenizer's own.
    pub factor: Option<f64>,
}

impl SizeScale {
    pub(crate) fn divisor(self) -> u32 {
        self.factor.map_or(self.tokenizer.divisor(), |_| 1)
    }

    /// Returns the size of a text of that many units of the tokenizer; in the provider's tokens whole ones, so that parts add up.
    pub(crate) fn text_units(self, units: u32) -> u32 {
        self.factor.map_or(units, |factor| self.provider_units(units, factor))
    }

    /// Returns the size of pictures or documents, which the provider's own rule counts.
    pub(crate) fn media_units(self, units: u32) -> u32 {
        self.factor.map_or(units, |_| self.provider_units(units, 1.0))
    }

    fn provider_units(self, units: u32, factor: f64) -> u32 {
        (f64::from(units) / f64::from(self.tokenizer.divisor()) * factor).round() as u32
    }

    pub(crate) fn scale_material(self, material: &Material) -> Material {
        let mut scaled = material.clone();
        scaled.title_units = self.text_units(scaled.title_units);
        scaled.heading_units = scaled.heading_units.map(|units| self.text_units(units));
        for line in &mut scaled.digest {
            line.units = self.text_units(line.units);
        }
        scaled
    }
}

#[cfg(test)]
#[path = "provider_unit_tests.rs"]
mod tests;
