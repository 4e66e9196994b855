//! Columns in the window's table: all columns from `sessions`, and a few about runs.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use cwl_host::api::{CorpusColumnKind, CorpusColumnRow};

use crate::cell::{ColumnKind, ColumnValues};
use crate::make::CorpusError;
use crate::read_back::{ReadTable, read_table};
use crate::settings::Setting;
use crate::table::{CorpusColumn, RUNS, SESSIONS};

pub(super) const BASE: [&str; 11] = [
    "log",
    "path",
    "title",
    "folder",
    "problem",
    "harness",
    "format",
    "model",
    "price_row",
    "policy",
    "budget",
];

const NAMES: [&str; 2] = ["log", "title"];

const USUAL: [&str; 15] = [
    "harness",
    "price_row",
    "started_at",
    "n_turns",
    "tokens",
    "n_expl",
    "n_act",
    "reported_cost",
    "n_errors",
    "n_warnings",
    "n_compactions",
    "n_steps",
    "n_reacquisitions",
    "reacquired_tokens",
    "cheapest_run",
];

/// Columns about runs, computed from the table `runs`, one row per log.
pub(super) const OF_RUNS: [CorpusColumn; 3] = [
    CorpusColumn {
        name: "n_runs",
        kind: ColumnKind::Count,
        about: "The runs of it in the table `runs`; null where there are none.",
    },
    CorpusColumn {
        name: "cheapest_run",
        kind: ColumnKind::Word,
        about: "The policy, its options and the budget whose run costs least.",
    },
    CorpusColumn {
        name: "cheapest_cost",
        kind: ColumnKind::Money,
        about: "The cost of that run, by list prices.",
    },
];

pub(super) fn all_columns() -> impl Iterator<Item = &'static CorpusColumn> {
    SESSIONS.columns.iter().filter(|column| !NAMES.contains(&column.name)).chain(&OF_RUNS)
}

pub(super) fn find_column(name: &str) -> Option<&'static CorpusColumn> {
    SESSIONS.columns.iter().chain(&OF_RUNS).find(|column| column.name == name)
}

pub(super) fn column_row(column: &CorpusColumn) -> CorpusColumnRow {
    CorpusColumnRow {
        name: column.name.to_owned(),
        kind: match column.kind {
            ColumnKind::Key | ColumnKind::Text | ColumnKind::Word => CorpusColumnKind::Text,
            ColumnKind::Bytes => CorpusColumnKind::Bytes,
            ColumnKind::Money => CorpusColumnKind::Money,
            ColumnKind::PerMille => CorpusColumnKind::PerMille,
            ColumnKind::Ratio => CorpusColumnKind::Ratio,
            ColumnKind::Time => CorpusColumnKind::Time,
            ColumnKind::Flag => CorpusColumnKind::Flag,
            _ => CorpusColumnKind::Number,
        },
        unit: match column.kind {
            // The window formats money in dollars.
            ColumnKind::Money => "US dollars".to_owned(),
            kind => kind.unit_name().to_owned(),
        },
        about: column.about.to_owned(),
        usual: USUAL.contains(&column.name),
    }
}

pub(super) fn join_runs(folder: &Path, sessions: &mut ReadTable) -> Result<(), CorpusError> {
    let runs = read_table(folder, &RUNS, &["log", "policy", "options", "budget", "cost"])?;
    type OfLog = (i64, Option<(i64, usize)>);
    let mut of_logs: HashMap<&Arc<str>, OfLog> = HashMap::new();
    for row in 0..runs.n_rows {
        let Some(log) = runs.text_value("log", row) else { continue };
        let (n, cheapest) = of_logs.entry(log).or_default();
        *n += 1;
        if let Some(cost) = runs.whole_number("cost", row)
            && cheapest.is_none_or(|(least, _)| cost < least)
        {
            *cheapest = Some((cost, row));
        }
    }
    // Few settings exist, so their names are shared.
    let mut names: HashMap<String, Arc<str>> = HashMap::new();
    let (mut n_runs, mut settings, mut costs) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..sessions.n_rows {
        let found = sessions.text_value("log", row).and_then(|log| of_logs.get(log)).copied();
        n_runs.push(found.map(|(n, _)| n));
        let cheapest = found.and_then(|(_, cheapest)| cheapest);
        costs.push(cheapest.map(|(cost, _)| cost));
        settings.push(cheapest.and_then(|(_, row)| {
            let budget = runs.whole_number("budget", row).and_then(|budget| u64::try_from(budget).ok());
            let options = runs.text_value("options", row).cloned().unwrap_or_else(|| "".into());
            let name =
                Setting { policy: runs.text_value("policy", row)?.clone(), options, budget }.write_setting();
            Some(Arc::clone(names.entry(name).or_insert_with_key(|name| name.as_str().into())))
        }));
    }
    sessions.put_column("n_runs", ColumnValues::Numbers(n_runs));
    sessions.put_column("cheapest_run", ColumnValues::Texts(settings));
    sessions.put_column("cheapest_cost", ColumnValues::Numbers(costs));
    Ok(())
}
