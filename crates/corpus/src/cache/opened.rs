//! An open corpus: its loaded columns, its logs' places, and the last row order.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cwl_host::api::{CorpusOverview, CorpusRow, CorpusRowsAnswer, CorpusRowsRequest, CorpusValue};
use cwl_host::places_of_sessions;

use super::columns::{BASE, OF_RUNS, all_columns, column_row, find_column, join_runs};
use crate::cell::{Cell, ColumnValues};
use crate::make::CorpusError;
use crate::part::read_key;
use crate::read_back::{ReadTable, check_folder, read_table, stamp_of};
use crate::table::SESSIONS;
use crate::texts::is_full_path;

const MOST_ROWS: u32 = 500;

type RowOrder = (String, [Option<String>; 3], Option<String>, bool);

#[derive(Debug)]
pub(super) struct CorpusSnapshot {
    folder: PathBuf,
    stamps: [String; 2],
    n_unfinished: usize,
    sessions: ReadTable,
    targets: Vec<Option<Arc<str>>>,
    order: Option<(RowOrder, Vec<u32>)>,
}

impl CorpusSnapshot {
    pub(super) fn read_corpus(folder: &Path) -> Result<Self, CorpusError> {
        let n_unfinished = check_folder(folder)?;
        let stamps = table_stamps(folder)?;
        let sessions = read_table(folder, &SESSIONS, &BASE)?;
        let targets = session_targets(folder, &sessions);
        Ok(Self { folder: folder.to_owned(), stamps, n_unfinished, sessions, targets, order: None })
    }

    pub(super) fn folder_path(&self) -> &Path {
        &self.folder
    }

    pub(super) fn is_stale(&self) -> bool {
        table_stamps(&self.folder).ok().as_ref() != Some(&self.stamps)
    }

    /// Loads missing columns. `false` if the tables were rewritten meanwhile. Unknown names are ignored.
    pub(super) fn load_columns<'a>(
        &mut self,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<bool, CorpusError> {
        let wanted: BTreeSet<&'static str> = names
            .filter_map(find_column)
            .map(|column| column.name)
            .filter(|name| !self.sessions.has_column(name))
            .collect();
        if wanted.is_empty() {
            return Ok(true);
        }
        if self.is_stale() {
            return Ok(false);
        }
        let is_of_runs = |name: &&str| OF_RUNS.iter().any(|column| column.name == *name);
        let (of_runs, own): (Vec<_>, Vec<_>) = wanted.into_iter().partition(is_of_runs);
        let read = read_table(&self.folder, &SESSIONS, &own)?;
        if !own.is_empty() && read.n_rows != self.sessions.n_rows {
            return Ok(false);
        }
        self.sessions.join_columns(read);
        if !of_runs.is_empty() {
            join_runs(&self.folder, &mut self.sessions)?;
        }
        Ok(true)
    }

    pub(super) fn corpus_view(&self) -> CorpusOverview {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let rows = || 0..self.sessions.n_rows;
        let words = |name: &str| -> Vec<String> {
            let words: BTreeSet<&Arc<str>> =
                rows().filter_map(|row| self.sessions.text_value(name, row)).collect();
            words.into_iter().map(ToString::to_string).collect()
        };
        CorpusOverview {
            folder: self.folder.display().to_string(),
            n_logs: count(self.sessions.n_rows),
            n_unread: count(rows().filter(|row| self.sessions.text_value("problem", *row).is_some()).count()),
            n_unfinished: count(self.n_unfinished),
            n_placed: count(self.targets.iter().flatten().count()),
            has_texts: self.has_texts(),
            columns: all_columns().map(column_row).collect(),
            harnesses: words("harness"),
            formats: words("format"),
            models: words(self.model_column()),
        }
    }

    /// If the tables hold hashes, a log's path is its naming hash.
    fn has_texts(&self) -> bool {
        (0..self.sessions.n_rows).any(|row| !self.is_hashed(row))
    }

    fn is_hashed(&self, row: usize) -> bool {
        self.sessions.text_value("path", row) == self.sessions.text_value("log", row)
    }

    fn model_column(&self) -> &'static str {
        if self.has_texts() { "model" } else { "price_row" }
    }

    pub(super) fn page_rows(&mut self, request: &CorpusRowsRequest) -> CorpusRowsAnswer {
        self.sort_rows(request);
        let order = self.order.as_ref().map_or(&[][..], |(_, order)| order);
        let from = usize::try_from(request.offset).unwrap_or(usize::MAX).min(order.len());
        let limit = usize::try_from(request.limit.min(MOST_ROWS)).unwrap_or(0);
        let to = (from + limit).min(order.len());
        let rows =
            order[from..to].iter().map(|row| self.corpus_row(*row as usize, &request.columns)).collect();
        CorpusRowsAnswer { n_rows: u32::try_from(order.len()).unwrap_or(u32::MAX), rows }
    }

    fn corpus_row(&self, row: usize, columns: &[String]) -> CorpusRow {
        let text = |name: &str| self.sessions.text_value(name, row).map(ToString::to_string);
        let target = self.targets.get(row).and_then(Option::as_ref);
        let log = text("log").unwrap_or_default();
        let title = text("title").filter(|_| !self.is_hashed(row));
        let name = title.or_else(|| Some(file_of(target?).to_owned()));
        let cell = |name: &String| match (name.as_str(), target) {
            ("path", Some(target)) => CorpusValue::Text(target.to_string()),
            (name, _) => match self.sessions.cell_value(name, row) {
                Cell::Null => CorpusValue::Null,
                Cell::Number(number) => CorpusValue::Number(number),
                Cell::Real(number) => CorpusValue::Real(number),
                Cell::Flag(flag) => CorpusValue::Flag(flag),
                Cell::Text(text) => CorpusValue::Text(text.to_string()),
            },
        };
        let problem = text("problem");
        CorpusRow {
            is_hashed: name.is_none(),
            name: name.unwrap_or_else(|| log.clone()),
            target: target.filter(|_| problem.is_none()).map(ToString::to_string),
            problem,
            policy: text("policy"),
            budget: self.sessions.whole_number("budget", row).and_then(|budget| u64::try_from(budget).ok()),
            cells: columns.iter().map(cell).collect(),
            log,
        }
    }

    fn sort_rows(&mut self, request: &CorpusRowsRequest) {
        let CorpusRowsRequest { find, harness, format, model, sort, down, .. } = request;
        let asked: RowOrder =
            (find.clone(), [harness.clone(), format.clone(), model.clone()], sort.clone(), *down);
        if self.order.as_ref().is_some_and(|(known, _)| *known == asked) {
            return;
        }
        let words: Vec<String> = find.split_whitespace().map(str::to_lowercase).collect();
        let of_model = self.model_column();
        let is = |name: &str, wanted: &Option<String>, row: usize| {
            wanted.as_ref().is_none_or(|wanted| {
                self.sessions.text_value(name, row).is_some_and(|text| **text == **wanted)
            })
        };
        let n_rows = u32::try_from(self.sessions.n_rows).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = (0..n_rows)
            .filter(|row| {
                let row = *row as usize;
                is("harness", harness, row)
                    && is("format", format, row)
                    && is(of_model, model, row)
                    && self.has_words(row, &words)
            })
            .collect();
        if let Some(column) = sort.as_deref().and_then(|name| self.sort_column(name)) {
            sort_by(&mut order, &column, *down);
        }
        self.order = Some((asked, order));
    }

    fn sort_column(&self, name: &str) -> Option<std::borrow::Cow<'_, ColumnValues>> {
        if name != "title" {
            return self.sessions.find_column(name).map(std::borrow::Cow::Borrowed);
        }
        let names = (0..self.sessions.n_rows).map(|row| Some(self.corpus_row(row, &[]).name.into()));
        Some(std::borrow::Cow::Owned(ColumnValues::Texts(names.collect())))
    }

    fn has_words(&self, row: usize, words: &[String]) -> bool {
        if words.is_empty() {
            return true;
        }
        const LOOKED_AT: [&str; 8] =
            ["title", "path", "folder", "harness", "format", "model", "price_row", "problem"];
        let texts = LOOKED_AT.iter().filter_map(|name| self.sessions.text_value(name, row));
        let texts =
            texts.chain(self.targets.get(row).and_then(Option::as_ref)).map(|text| text.to_lowercase());
        let texts: Vec<String> = texts.collect();
        words.iter().all(|word| texts.iter().any(|text| text.contains(word)))
    }
}

/// Sorts rows stably by `column`; rows without a value come last.
fn sort_by(rows: &mut [u32], column: &ColumnValues, down: bool) {
    fn compare_values<T>(
        a: Option<T>,
        b: Option<T>,
        down: bool,
        compare: impl Fn(&T, &T) -> Ordering,
    ) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) if down => compare(&b, &a),
            (Some(a), Some(b)) => compare(&a, &b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }
    match column {
        ColumnValues::Numbers(values) => {
            let of = |row: &u32| values.get(*row as usize).copied().flatten();
            rows.sort_by(|a, b| compare_values(of(a), of(b), down, i64::cmp));
        }
        ColumnValues::Reals(values) => {
            let of = |row: &u32| values.get(*row as usize).copied().flatten();
            rows.sort_by(|a, b| compare_values(of(a), of(b), down, f64::total_cmp));
        }
        ColumnValues::Flags(values) => {
            let of = |row: &u32| values.get(*row as usize).copied().flatten();
            rows.sort_by(|a, b| compare_values(of(a), of(b), down, bool::cmp));
        }
        ColumnValues::Texts(values) => {
            let of = |row: &u32| values.get(*row as usize)?.as_ref().map(|text| text.to_lowercase());
            let keys: HashMap<u32, Option<String>> = rows.iter().map(|row| (*row, of(row))).collect();
            let key = |row: &u32| keys.get(row).and_then(Option::as_ref);
            rows.sort_by(|a, b| compare_values(key(a), key(b), down, |a, b| a.cmp(b)));
        }
    }
}

fn file_of(target: &str) -> &str {
    target.rsplit(['/', '\\']).next().unwrap_or(target)
}

/// Finds the names that open logs: paths from the tables if these are complete, else sessions of this machine
/// with a matching hash under the corpus's key.
fn session_targets(folder: &Path, sessions: &ReadTable) -> Vec<Option<Arc<str>>> {
    let mut names: HashMap<Arc<str>, Arc<str>> = HashMap::new();
    if let Some(key) = read_key(&folder.join("key")) {
        for place in places_of_sessions(&[]).unwrap_or_default() {
            let name = place.name.to_string_lossy();
            names.insert(key.hash(&name), name.as_ref().into());
        }
    }
    (0..sessions.n_rows)
        .map(|row| {
            let path = sessions.text_value("path", row).filter(|path| is_full_path(path)).cloned();
            path.or_else(|| names.get(sessions.text_value("log", row)?).cloned())
        })
        .collect()
}

fn table_stamps(folder: &Path) -> Result<[String; 2], CorpusError> {
    check_folder(folder)?;
    Ok([stamp_of(folder, "sessions")?, stamp_of(folder, "runs")?])
}
