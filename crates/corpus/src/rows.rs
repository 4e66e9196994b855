//! One log's rows in all tables.

use std::sync::Arc;

use cwl_host::api::{
    CacheRules, CostRequest, GraphAnswer, HistoryAnswer, ReplayAnswer, ViewRequest, ViewSettings,
};
use cwl_host::commands::{self, RunsAsked};
use cwl_host::{ApiError, SessionSnapshot, budget_of};

use crate::cell::ColumnValues;
use crate::table::{
    CorpusTable, EPISODES, ReadLog, TABLES, TURNS, TurnRow, UnreadLog, push_compaction, push_dependency,
    push_episode, push_finding, push_loss, push_reacquisition, push_run, push_session, push_turn,
    push_unread,
};
use crate::texts::{CorpusKey, LogTexts, TextsAs};

/// Everything that a log's rows depend on, besides the log.
#[derive(Debug, Clone)]
pub struct LogAsked {
    /// The view. Its policy and budget apply to findings, reacquisitions and turns.
    pub view: ViewSettings,
    /// Budget set by the user. `None` means the harness's own budget, else the default.
    pub budget: Option<String>,
    pub runs: Vec<RunsAsked>,
    pub texts: TextsAs,
    pub key: CorpusKey,
}

pub(crate) struct LogName {
    pub(crate) key: Arc<str>,
    pub(crate) path: String,
    pub(crate) n_bytes: Option<u64>,
}

impl LogName {
    fn new(path: &str, n_bytes: Option<u64>, key: CorpusKey) -> Self {
        Self { key: key.hash(path), path: path.to_owned(), n_bytes }
    }
}

pub(crate) struct Views {
    pub(crate) graph: GraphAnswer,
    pub(crate) history: HistoryAnswer,
    pub(crate) replay: ReplayAnswer,
}

impl Views {
    pub(crate) fn n_edges(&self, wanted: impl Fn((u32, u32)) -> bool) -> u64 {
        self.graph.edges.iter().filter(|edge| wanted(**edge)).count() as u64
    }
}

/// Rows in all [`TABLES`], column by column.
#[derive(Debug, Clone, PartialEq)]
pub struct LogRows {
    /// Each table's columns, in [`TABLES`] order.
    tables: Vec<Vec<ColumnValues>>,
    n_rows: Vec<usize>,
    /// How many logs are unreadable: 0 or 1 before [`Self::append_log`].
    pub n_unread: u32,
}

impl Default for LogRows {
    fn default() -> Self {
        let columns =
            |table: &CorpusTable| table.columns.iter().map(|one| ColumnValues::empty(one.kind)).collect();
        Self { tables: TABLES.iter().map(columns).collect(), n_rows: vec![0; TABLES.len()], n_unread: 0 }
    }
}

impl LogRows {
    /// A table's columns and row count; `place` is the index in [`TABLES`].
    pub fn table_columns(&self, place: usize) -> (&[ColumnValues], usize) {
        let columns = self.tables.get(place).map(Vec::as_slice).unwrap_or_default();
        (columns, self.n_rows.get(place).copied().unwrap_or(0))
    }

    pub fn append_log(&mut self, other: Self) {
        for (columns, more) in self.tables.iter_mut().zip(other.tables) {
            columns.iter_mut().zip(more).for_each(|(column, more)| column.append_column(more));
        }
        self.n_rows.iter_mut().zip(other.n_rows).for_each(|(n, more)| *n += more);
        self.n_unread += other.n_unread;
    }

    fn reserve_rows(&mut self, table: &CorpusTable, n_rows: usize) {
        let columns = place_of(table).and_then(|place| self.tables.get_mut(place));
        columns.into_iter().flatten().for_each(|column| column.reserve_rows(n_rows));
    }

    pub(crate) fn append_all(&mut self, others: Vec<Self>) {
        for (place, columns) in self.tables.iter_mut().enumerate() {
            let n_more: usize = others.iter().map(|other| other.n_rows[place]).sum();
            columns.iter_mut().for_each(|column| column.reserve_rows(n_more));
        }
        others.into_iter().for_each(|other| self.append_log(other));
    }

    pub(crate) fn begin_row(&mut self, table: &CorpusTable) -> &mut [ColumnValues] {
        let Some(place) = place_of(table) else { return &mut [] };
        self.n_rows[place] += 1;
        &mut self.tables[place]
    }
}

fn place_of(table: &CorpusTable) -> Option<usize> {
    TABLES.iter().position(|one| one.name == table.name)
}

/// Returns a log's rows in all tables. `path` names the log, `n_bytes` is the size of its content, `solved` tells whether its
/// task was solved.
///
/// # Errors
/// If the view does not fit the log, or the log's texts cannot be read.
pub fn rows_of_log(
    opened: &SessionSnapshot,
    path: &str,
    n_bytes: u64,
    solved: Option<bool>,
    asked: &LogAsked,
) -> Result<LogRows, ApiError> {
    let (budget, _) = budget_of(opened, asked.budget.as_deref());
    let request = ViewRequest { view: ViewSettings { budget, ..asked.view.clone() } };
    let log = LogName::new(path, Some(n_bytes), asked.key);
    let mut texts = LogTexts::of_log(asked.key, asked.texts, opened)?;
    let session = commands::session(opened)?;
    let views = Views {
        graph: commands::graph(opened, &request)?,
        history: commands::history(opened, &request)?,
        replay: commands::replay(opened, &request)?,
    };
    let cache = CacheRules::default();
    let cost = commands::reported_cost(opened, &CostRequest { view: request.view.clone(), cache })?;
    let made = commands::requests_made(opened, &request)?;
    let (lint, dependencies) = commands::lint_with_dependencies(opened, &request)?;
    let reacquisitions = commands::reacquisition_stories(opened, &request)?;
    let compactions = commands::compactions(opened, &request)?;
    let runs = commands::runs(opened, &request, &asked.runs)?;

    let mut rows = LogRows::default();
    let read = ReadLog {
        session: &session,
        cost: &cost,
        made: &made,
        lint: &lint,
        reacquisitions: &reacquisitions,
        compactions: &compactions,
        solved,
    };
    push_session(&mut rows, &log, &views, &read, &mut texts);
    rows.reserve_rows(&TURNS, made.requests.len());
    for (at, request) in made.requests.iter().enumerate() {
        let miss = cost.misses.binary_search_by_key(&request.turn, |miss| miss.turn).ok();
        let turn = TurnRow {
            made: request,
            at,
            miss: miss.map(|place| &cost.misses[place]),
            is_over: views.replay.over_budget.binary_search(&request.turn).is_ok(),
        };
        push_turn(&mut rows, &log, &views, &turn, &mut texts);
    }
    rows.reserve_rows(&EPISODES, views.graph.episodes.len());
    for (place, episode) in (0..).zip(&views.graph.episodes) {
        push_episode(&mut rows, &log, &views, place, episode, &mut texts);
    }
    for edge in &dependencies {
        push_dependency(&mut rows, &log, edge);
    }
    for finding in &lint.findings {
        push_finding(&mut rows, &log, finding, &mut texts);
    }
    for story in &reacquisitions.stories {
        push_reacquisition(&mut rows, &log, story, &mut texts);
    }
    for audit in &compactions.compactions {
        push_compaction(&mut rows, &log, audit);
    }
    for loss in &views.history.losses {
        push_loss(&mut rows, &log, loss);
    }
    let n_requests = u32::try_from(made.requests.len()).unwrap_or(u32::MAX);
    for run in &runs {
        push_run(&mut rows, &log, n_requests, run);
    }
    Ok(rows)
}

/// Returns the single row for a log that is unreadable or cannot be computed.
pub fn rows_of_unread(path: &str, n_bytes: Option<u64>, problem: &ApiError, asked: &LogAsked) -> LogRows {
    let log = LogName::new(path, n_bytes, asked.key);
    let mut texts = LogTexts::of_unread(asked.key, asked.texts);
    let mut rows = LogRows { n_unread: 1, ..LogRows::default() };
    push_unread(&mut rows, &log, &UnreadLog { problem }, &mut texts);
    rows
}
