//! The table `runs` by setting: policy, options and budget, with each session's figures.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use cwl_host::api::DetailKind;
use cwl_host::with_commas;

use crate::make::CorpusError;
use crate::read_back::{ReadTable, read_table};
use crate::stats::{ConfidenceInterval, mean_interval, ratio_interval};
use crate::table::RUNS;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Setting {
    pub(crate) policy: Arc<str>,
    /// Non-default options: `key=value` pairs, comma-separated and sorted by key.
    pub(crate) options: Arc<str>,
    /// Budget in tokens; `None` for the policy `none`.
    pub(crate) budget: Option<u64>,
}

impl Setting {
    /// Formats as on the command line: `mask:keep=5@80,000`.
    pub(crate) fn write_setting(&self) -> String {
        let named = self.policy_name();
        self.budget.map_or_else(|| named.clone(), |tau| format!("{named}@{}", with_commas(tau)))
    }

    pub(crate) fn policy_name(&self) -> String {
        policy_label(&self.policy, &self.options)
    }

    pub(crate) fn changed_options(&self) -> impl Iterator<Item = (&str, &str)> {
        self.options.split(',').filter_map(|option| option.split_once('='))
    }
}

/// Formats a policy with its options as `--runs` takes it: `mask:keep=5`.
pub fn policy_label(policy: &str, options: &str) -> String {
    if options.is_empty() { policy.to_owned() } else { format!("{policy}:{options}") }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RunFigures {
    /// In millionths of a US dollar. `None` if the model has no known price.
    pub(crate) cost: Option<f64>,
    /// Tokens that later turns use again.
    pub(crate) used: f64,
    pub(crate) found: f64,
    pub(crate) reacquired: f64,
    pub(crate) over: f64,
    pub(crate) n_requests: f64,
    /// Share of later uses that any policy could have found with the same room.
    pub(crate) bound: f64,
    /// Mean tokens of a request as sent. The column `mean_request` has the size as the policy counts it, and one that does
    /// not count what the log does not hold would seem to send less.
    pub(crate) mean_request: f64,
    /// Needs of details, in the order of [`SURVIVAL_COLUMNS`].
    pub(crate) survival: [NeedCounts; N_KINDS],
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct NeedCounts {
    pub(crate) needed: f64,
    pub(crate) kept: f64,
}

pub(crate) const N_KINDS: usize = 7;

/// The columns of each kind of detail: its needs, and the needs that a request met, word for word or by name.
pub(crate) const SURVIVAL_COLUMNS: [(DetailKind, &str, &[&str]); N_KINDS] = [
    (DetailKind::File, "files_needed", &["files_literal", "files_named"]),
    (DetailKind::Command, "commands_needed", &["commands_literal", "commands_named"]),
    (DetailKind::Number, "numbers_needed", &["numbers_literal"]),
    (DetailKind::Error, "errors_needed", &["errors_literal"]),
    (DetailKind::Decision, "decisions_needed", &["decisions_literal"]),
    (DetailKind::Constraint, "constraints_needed", &["constraints_literal"]),
    (DetailKind::OpenItem, "open_items_needed", &["open_items_literal"]),
];

impl RunFigures {
    /// Share of later uses that found their block; 1 if nothing is used again.
    pub(crate) fn recall(&self) -> f64 {
        if self.used > 0.0 { self.found / self.used } else { 1.0 }
    }
}

pub(crate) type Runs = BTreeMap<Setting, BTreeMap<Arc<str>, RunFigures>>;

pub(crate) const RUN_COLUMNS: [&str; 28] = [
    "log",
    "policy",
    "options",
    "budget",
    "cost",
    "used",
    "found",
    "reacquired",
    "over_budget_turns",
    "n_requests",
    "bound",
    "sent",
    "files_needed",
    "files_literal",
    "files_named",
    "commands_needed",
    "commands_literal",
    "commands_named",
    "numbers_needed",
    "numbers_literal",
    "errors_needed",
    "errors_literal",
    "decisions_needed",
    "decisions_literal",
    "constraints_needed",
    "constraints_literal",
    "open_items_needed",
    "open_items_literal",
];

pub(crate) fn read_runs(folder: &Path) -> Result<Runs, CorpusError> {
    Ok(gather_runs(&read_table(folder, &RUNS, &RUN_COLUMNS)?))
}

/// Gathers rows of the table `runs`, with [`RUN_COLUMNS`]. Rows without figures are left out, and so is a second row with the
/// same log and setting.
pub(crate) fn gather_runs(table: &ReadTable) -> Runs {
    let mut runs = Runs::new();
    for row in 0..table.n_rows {
        let real = |name| table.real_number(name, row);
        let figures = || {
            Some(RunFigures {
                cost: real("cost"),
                used: real("used")?,
                found: real("found")?,
                reacquired: real("reacquired")?,
                over: real("over_budget_turns")?,
                n_requests: real("n_requests")?,
                bound: real("bound")? / 1000.0,
                mean_request: real("sent")? / real("n_requests")?.max(1.0),
                survival: SURVIVAL_COLUMNS.map(|(_, needed, kept)| NeedCounts {
                    needed: real(needed).unwrap_or(0.0),
                    kept: kept.iter().filter_map(|name| real(name)).sum(),
                }),
            })
        };
        let named = table.text_value("log", row).zip(table.text_value("policy", row));
        let (Some((log, policy)), Some(figures)) = (named, figures()) else { continue };
        let budget = table.whole_number("budget", row).and_then(|budget| u64::try_from(budget).ok());
        let options = table.text_value("options", row).cloned().unwrap_or_else(|| "".into());
        let setting = Setting { policy: policy.clone(), options, budget };
        runs.entry(setting).or_default().entry(log.clone()).or_insert(figures);
    }
    runs
}

/// Mean cost per session with a known price, in millionths of a US dollar.
pub(crate) fn mean_cost<'a>(runs: impl Iterator<Item = &'a RunFigures>) -> Option<ConfidenceInterval> {
    mean_interval(&runs.filter_map(|run| run.cost).collect::<Vec<_>>())
}

pub(crate) fn recall_ratio<'a>(runs: impl Iterator<Item = &'a RunFigures>) -> Option<ConfidenceInterval> {
    ratio_interval(runs.map(|run| (run.found, run.used)).collect())
}

/// Mean tokens per session that the agent read again.
pub(crate) fn mean_reacquired<'a>(runs: impl Iterator<Item = &'a RunFigures>) -> Option<ConfidenceInterval> {
    mean_interval(&runs.map(|run| run.reacquired).collect::<Vec<_>>())
}
