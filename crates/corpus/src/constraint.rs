//! Constraints on a choice, as users type them: `recall>=0.85`.

use crate::settings::{RunFigures, mean_reacquired, recall_ratio};
use crate::stats::{ConfidenceInterval, mean_interval, ratio_interval};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Figure {
    Recall,
    Reacquired,
    Over,
    Cost,
}

const FIGURES: [(&str, Figure); 4] = [
    ("recall", Figure::Recall),
    ("reacquired", Figure::Reacquired),
    ("over", Figure::Over),
    ("cost", Figure::Cost),
];
const COMPARISONS: [&str; 4] = [">=", "<=", ">", "<"];

/// A condition on a setting's runs, such as `recall>=0.85`.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    figure: Figure,
    comparison: &'static str,
    limit: f64,
}

impl Constraint {
    /// Parses `FIGURE>=LIMIT` (or `<=`, `>`, `<`). Figures: `recall` (a share, 0.85 or 85%), `reacquired`
    /// (mean tokens per session), `over` (share of turns over the budget), `cost` (mean dollars per session).
    ///
    /// # Errors
    /// A sentence with the correct form.
    pub fn parse_constraint(text: &str) -> Result<Self, String> {
        let way = "write FIGURE>=LIMIT, as recall>=0.85; the figures are recall, reacquired, over and cost";
        let parts =
            COMPARISONS.iter().find_map(|comparison| Some((*comparison, text.split_once(comparison)?)));
        let Some((comparison, (name, limit))) = parts else { return Err(way.to_owned()) };
        let named = match name.trim() {
            // Names of earlier versions.
            "look_back" => "recall",
            "regret" => "reacquired",
            other => other,
        };
        let figure = FIGURES.iter().find(|(known, _)| *known == named);
        let Some((_, figure)) = figure else {
            return Err(format!("there is no figure `{}`; {way}", name.trim()));
        };
        let limit = limit.trim();
        let (number, by) = limit.strip_suffix('%').map_or((limit, 1.0), |share| (share.trim(), 100.0));
        let limit = number.parse::<f64>().ok().filter(|limit| limit.is_finite() && *limit >= 0.0);
        let Some(limit) = limit else { return Err(format!("`{number}` is no number; {way}")) };
        Ok(Self { figure: *figure, comparison, limit: limit / by })
    }

    pub(crate) fn write_constraint(&self) -> String {
        let name = FIGURES.iter().find(|(_, figure)| *figure == self.figure).map_or("", |(name, _)| name);
        format!("{name}{}{}", self.comparison, self.limit)
    }

    pub(crate) fn is_met_by(&self, value: f64) -> bool {
        match self.comparison {
            ">=" => value >= self.limit,
            "<=" => value <= self.limit,
            ">" => value > self.limit,
            _ => value < self.limit,
        }
    }

    /// How far `value` is beyond the limit, relative to the limit; 0 if the constraint is met.
    pub(crate) fn relative_excess(&self, value: f64) -> f64 {
        if self.is_met_by(value) { 0.0 } else { (value - self.limit).abs() / self.limit.max(1e-9) }
    }

    pub(crate) fn figure_of(&self, runs: &[&RunFigures]) -> Option<ConfidenceInterval> {
        let runs = runs.iter().copied();
        match self.figure {
            Figure::Recall => recall_ratio(runs),
            Figure::Reacquired => mean_reacquired(runs),
            Figure::Over => ratio_interval(runs.map(|run| (run.over, run.n_requests)).collect()),
            Figure::Cost => mean_interval(&runs.filter_map(|run| Some(run.cost? / 1e6)).collect::<Vec<_>>()),
        }
    }

    pub(crate) fn figure_of_one(&self, run: &RunFigures) -> Option<f64> {
        Some(match self.figure {
            Figure::Recall => run.recall(),
            Figure::Reacquired => run.reacquired,
            Figure::Over => run.over / run.n_requests.max(1.0),
            Figure::Cost => run.cost? / 1e6,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn constraints_are_read() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Constraint::parse_constraint(text).unwrap().write_constraint(), expected, "{text}")
        };
        check("recall>=0.85", "recall>=0.85");
        check(" recall >= 85% ", "recall>=0.85");
        check("reacquired<1000", "reacquired<1000");
        check("look_back>=0.5", "recall>=0.5");
        check("regret<1000", "reacquired<1000");
        check("cost<=0.5", "cost<=0.5");
        check("over>0", "over>0");
        for odd in
            ["", "recall", "recall=0.8", "luck>=1", "recall>=", "cost<=x", "cost<=NaN", "reacquired<-1"]
        {
            let said = Constraint::parse_constraint(odd).unwrap_err();
            assert!(said.contains("recall>=0.85"), "{odd}: {said}");
        }
    }

    #[test]
    fn limits_are_met_or_not() {
        let check = |text: &str, value: f64, is_met: bool| {
            let constraint = Constraint::parse_constraint(text).unwrap();
            assert_eq!(constraint.is_met_by(value), is_met, "{text} {value}");
            assert_eq!(constraint.relative_excess(value) == 0.0, is_met || value == 1.0, "{text} {value}");
        };
        check("recall>=0.5", 0.5, true);
        check("recall>=0.5", 0.25, false);
        check("over<1", 1.0, false);
        check("over<=1", 1.0, true);
        check("over>1", 1.0, false);
    }
}
