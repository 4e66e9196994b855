//! Makes a corpus: finds the outdated parts, and works on them on all cores.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cwl_host::api::{CorpusAnswer, CorpusTableSummary, ViewSettings};
use cwl_host::commands::RunsAsked;
use cwl_host::{ApiError, SessionPlace, Tools, hash_of_tables, places_of_sessions, tools_of_user};

use crate::parquet_file::write_table;
use crate::part::{
    CorpusForm, LogIdentity, PartList, clear_beside, file_of, make_folders, parts_on_disk, remove_part,
    settle_key,
};
use crate::place::rows_of_identified;
use crate::rows::{LogAsked, LogRows};
use crate::table::{TABLES, VERSION};
use crate::texts::TextsAs;

#[derive(Debug, Clone)]
pub struct CorpusAsked {
    /// Logs, folders and databases. Empty means the harnesses' folders.
    pub paths: Vec<PathBuf>,
    pub folder: PathBuf,
    pub view: ViewSettings,
    /// Budget set by the user; see [`LogAsked::budget`].
    pub budget: Option<String>,
    pub runs: Vec<RunsAsked>,
    pub texts: TextsAs,
    /// File with the key for hashes. `None` means `key` in the tables' folder.
    pub key: Option<PathBuf>,
    /// The share for this process, if several work on one corpus.
    pub shard: Shard,
    /// `true` rewrites every part, even if it is up to date.
    pub fresh: bool,
    pub n_threads: usize,
}

/// One share among several, divided by parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    pub number: u32,
    /// At least 1.
    pub of: u32,
}

impl Shard {
    pub const WHOLE: Self = Self { number: 0, of: 1 };

    /// Parses `I/N`, with I from 1 to N.
    pub fn parse_shard(text: &str) -> Option<Self> {
        let (number, of) = text.split_once('/')?;
        let (number, of): (u32, u32) = (number.trim().parse().ok()?, of.trim().parse().ok()?);
        (1..=of).contains(&number).then(|| Self { number: number - 1, of })
    }

    fn has_part(self, part: u32) -> bool {
        part % self.of.max(1) == self.number
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    #[error(transparent)]
    Asked(#[from] ApiError),
    #[error("cannot write the corpus ({source}): {}", path.display())]
    Disk { path: PathBuf, source: io::Error },
    #[error("cannot write the table ({source}): {}", path.display())]
    Table { path: PathBuf, source: parquet::errors::ParquetError },
    #[error("cannot read this table of a corpus ({source}); make the corpus again with --fresh: {}", path.display())]
    Unread { path: PathBuf, source: parquet::errors::ParquetError },
    #[error("there is nothing to compare ({why}); `cwl corpus … --runs cwl,mask,none@40k..160k:40k` makes runs: {}", path.display())]
    NoRuns { path: PathBuf, why: String },
    #[error("this folder is no corpus of this program ({why}); `cwl corpus PATH… --out DIR` makes one: {}", path.display())]
    NoCorpus { path: PathBuf, why: String },
    /// A corpus file is not as this program writes it.
    #[error("this is no corpus of this program ({why}); choose another folder with --out: {}", path.display())]
    Odd { path: PathBuf, why: String },
}

struct PartWork<'a> {
    number: u32,
    logs: Vec<(String, &'a SessionPlace)>,
    done: Mutex<BTreeMap<String, (LogIdentity, LogRows)>>,
}

/// Makes tables of many sessions, or updates them. `progress` receives bytes done and bytes in total.
///
/// A run may be stopped at any moment: the next run makes all unfinished parts.
///
/// # Errors
/// If a path is missing or the disk fails. An unreadable log is no error but a row with its problem.
pub fn make_corpus(
    asked: &CorpusAsked,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<CorpusAnswer, CorpusError> {
    let places = places_of_sessions(&asked.paths)?;
    let folder = &asked.folder;
    make_folders(folder)?;
    let form = CorpusForm::read_or_create(folder, places.len(), asked.shard.of)?;
    let key_file = asked.key.clone().unwrap_or_else(|| folder.join("key"));
    let key = settle_key(&key_file)?;
    [folder.join("corpus.json"), key_file].iter().try_for_each(|file| clear_beside(file))?;
    let log_asked = LogAsked {
        view: asked.view.clone(),
        budget: asked.budget.clone(),
        runs: asked.runs.clone(),
        texts: asked.texts,
        key,
    };
    let fingerprint = request_fingerprint(&log_asked);
    let mut parts: BTreeMap<u32, Vec<(String, &SessionPlace)>> = BTreeMap::new();
    for place in &places {
        let part = form.part_of(place);
        if asked.shard.has_part(part) {
            let name = key.hash(&place.name.to_string_lossy()).to_string();
            parts.entry(part).or_default().push((name, place));
        }
    }
    let (mut kept, mut work) = (Vec::new(), Vec::new());
    for (number, logs) in parts.iter_mut() {
        // Rows are ordered by hashes, so the order reveals nothing about names.
        logs.sort();
        let known = if asked.fresh { None } else { PartList::read_list(folder, *number) };
        match known.as_ref().and_then(|known| known.if_unchanged(folder, *number, &fingerprint, logs)) {
            Some(now) => {
                if known.as_ref() != Some(&now) {
                    now.write_list(folder, *number)?;
                }
                kept.push(now);
            }
            None => work.push(PartWork { number: *number, logs: logs.clone(), done: Mutex::default() }),
        }
    }
    let mut n_removed = 0;
    for part in parts_on_disk(folder).into_iter().filter(|part| asked.shard.has_part(*part)) {
        if !parts.contains_key(&part) {
            remove_part(folder, part)?;
            n_removed += 1;
        }
    }
    let n_kept = count_u32(kept.len());
    let written =
        CorpusBuild { folder, asked: &log_asked, fingerprint: &fingerprint, tools: tools_of_user() }
            .make_parts(&work, asked.n_threads, progress)?;
    let n_written = count_u32(written.len());
    let lists: Vec<PartList> = kept.into_iter().chain(written).collect();
    let n_rows = |name: &str| lists.iter().filter_map(|list| list.tables.get(name)).map(|(n, _)| n).sum();
    Ok(CorpusAnswer {
        folder: folder.display().to_string(),
        version: VERSION,
        n_logs: count_u32(lists.iter().map(|list| list.logs.len()).sum()),
        n_unread: lists.iter().map(|list| list.n_unread).sum(),
        n_bytes: lists.iter().flat_map(|list| list.logs.values()).filter_map(|log| log.size).sum(),
        n_written,
        n_kept,
        n_removed,
        tables: TABLES
            .iter()
            .map(|table| CorpusTableSummary { name: table.name.to_owned(), n_rows: n_rows(table.name) })
            .collect(),
    })
}

fn count_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Hashes everything that rows depend on besides the log: program and columns, request, key, and the user's
/// tool and price tables.
fn request_fingerprint(asked: &LogAsked) -> String {
    let LogAsked { view, budget, runs, texts, key } = asked;
    let view = serde_json::to_string(view).unwrap_or_default();
    let text = format!(
        "{VERSION}\n{}\n{view}\n{budget:?}\n{runs:?}\n{}\n{}\n{}",
        env!("CARGO_PKG_VERSION"),
        texts.name(),
        key.hash("the key"),
        hash_of_tables()
    );
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

struct CorpusBuild<'a> {
    folder: &'a Path,
    asked: &'a LogAsked,
    fingerprint: &'a str,
    tools: Tools,
}

impl CorpusBuild<'_> {
    /// Processes the logs of all parts in order. The thread that finishes a part's last log writes the part,
    /// so at most as many parts are unfinished as there are threads.
    fn make_parts(
        &self,
        work: &[PartWork<'_>],
        n_threads: usize,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Vec<PartList>, CorpusError> {
        let jobs: Vec<(&PartWork<'_>, &String, &SessionPlace)> = work
            .iter()
            .flat_map(|part| part.logs.iter().map(move |(key, place)| (part, key, *place)))
            .collect();
        let n_all: u64 =
            jobs.iter().filter_map(|(_, _, place)| place.log_stamp()).map(|(size, _)| size).sum();
        let (next, n_done, is_stopped) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicBool::new(false));
        let written: Mutex<BTreeMap<u32, PartList>> = Mutex::default();
        let failed: Mutex<Option<CorpusError>> = Mutex::default();
        let worker = || {
            while !is_stopped.load(Ordering::Relaxed) {
                let Some((part, key, place)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                let found = self.make_log_rows(place);
                let n_bytes = found.0.size.unwrap_or(0);
                let mut done = lock_unpoisoned(&part.done);
                done.insert((*key).clone(), found);
                let all = (done.len() == part.logs.len()).then(|| std::mem::take(&mut *done));
                drop(done);
                match all.map(|all| self.write_part(part.number, all)) {
                    Some(Ok(list)) => drop(lock_unpoisoned(&written).insert(part.number, list)),
                    Some(Err(error)) => {
                        is_stopped.store(true, Ordering::Relaxed);
                        lock_unpoisoned(&failed).get_or_insert(error);
                    }
                    None => {}
                }
                progress(n_done.fetch_add(n_bytes, Ordering::Relaxed) + n_bytes, n_all);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..n_threads.max(1) {
                scope.spawn(worker);
            }
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(written.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()),
        }
    }

    fn make_log_rows(&self, place: &SessionPlace) -> (LogIdentity, LogRows) {
        let identity = LogIdentity::read(place);
        let name = place.name.to_string_lossy();
        let rows = rows_of_identified(place, &name, &identity, &self.tools, self.asked);
        (identity, rows)
    }

    /// Writes `part`. Its list is removed first and written last, so an incomplete part never counts as
    /// finished.
    fn write_part(
        &self,
        part: u32,
        logs: BTreeMap<String, (LogIdentity, LogRows)>,
    ) -> Result<PartList, CorpusError> {
        let mut list = PartList { asked: self.fingerprint.to_owned(), ..PartList::default() };
        let mut of_logs = Vec::with_capacity(logs.len());
        for (key, (identity, of_log)) in logs {
            list.logs.insert(key, identity);
            of_logs.push(of_log);
        }
        let mut rows = LogRows::default();
        rows.append_all(of_logs);
        list.n_unread = rows.n_unread;
        PartList::remove_list(self.folder, part)?;
        for (place, table) in TABLES.iter().enumerate() {
            let path = file_of(self.folder, table.name, part);
            let unfinished = path.with_extension("tmp");
            let (columns, n_rows) = rows.table_columns(place);
            write_table(&unfinished, table, columns, n_rows)
                .map_err(|source| CorpusError::Table { path: unfinished.clone(), source })?;
            let failed = |source: io::Error| CorpusError::Disk { path: path.clone(), source };
            let size = fs::metadata(&unfinished).map_err(failed)?.len();
            fs::rename(&unfinished, &path).map_err(failed)?;
            list.tables.insert(table.name.to_owned(), (n_rows as u64, size));
        }
        list.write_list(self.folder, part)?;
        Ok(list)
    }
}

/// Locks even after a panic elsewhere: the guarded values are valid at every moment.
pub(crate) fn lock_unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
