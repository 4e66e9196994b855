//! The provider's unit: how many tokens the provider counts for one of the tokenizer's.
//!
//! The program fits the factor once enough requests report usage, and keeps it: figures that change with every turn are of no use.
//! With each eighth more reports a new fit takes its place if it is clearly better, on all requests or on the recent half.
//! The factor depends on nothing but the log, so nothing stores it.

use cwl_engine::Material;
use cwl_tokens::Tokenizer;

use crate::measure::calibration::{
    CalibrationRequest, FEWEST_TURNS, FactorSample, USABLE, is_clearly_better, main_factor,
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProviderUnit {
    /// Tokens of the provider for each of the tokenizer's.
    pub factor: f64,
    /// The turn after which `factor` was worked out; `None` if too few requests report usage, or their sizes do not follow it.
    pub since: Option<usize>,
    replaced: Option<f64>,
    n_reported: usize,
}

impl ProviderUnit {
    pub fn fit(requests: &[CalibrationRequest<'_>]) -> Self {
        let reported: Vec<usize> =
            (0..requests.len()).filter(|at| requests[*at].reported.is_some()).collect();
        let mut unit = Self { factor: 1.0, since: None, replaced: None, n_reported: reported.len() };
        let mut n_seen = FEWEST_TURNS;
        while let Some(last) = reported.get(n_seen - 1) {
            let seen = &requests[..=*last];
            // In hundredths, so that what people are told is what counts.
            let factor = (main_factor(seen) * 100.0).round() / 100.0;
            let is_first = unit.since.is_none();
            // An equal factor is no better, and most fits give an equal one.
            if is_first || factor != unit.factor {
                let all = FactorSample::from_requests(seen);
                let is_better = || {
                    let recent = FactorSample::from_requests(&seen[reported[n_seen / 2]..]);
                    let [new, old] = [factor, unit.factor]
                        .map(|factor| all.spread_of_factor(factor).max(recent.spread_of_factor(factor)));
                    is_clearly_better(new, old)
                };
                if all.spread_of_factor(factor) <= USABLE && (is_first || is_better()) {
                    let replaced = unit.since.map(|_| unit.factor);
                    unit = Self { factor, since: Some(last + 1), replaced, ..unit };
                }
            }
            n_seen += (n_seen / 8).max(1);
        }
        unit
    }

    pub(crate) fn describe(&self, tokenizer: &str) -> String {
        let Some(since) = self.since else {
            return match self.n_reported {
                0 => format!("{tokenizer}, as no request reports usage"),
                1 => format!("{tokenizer}, as only 1 request reports usage"),
                n if n < FEWEST_TURNS => format!("{tokenizer}, as only {n} requests report usage"),
                _ => format!("{tokenizer}, as the reported sizes do not follow it"),
            };
        };
        let better = match self.replaced {
            Some(replaced) => format!(", which since turn {since} fits clearly better than × {replaced:.2}"),
            None => String::new(),
        };
        format!("provider's tokens ({tokenizer} × {:.2}{better})", self.factor)
    }
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
