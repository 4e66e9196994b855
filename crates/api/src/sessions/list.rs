//! The list of sessions: what the store holds, and what the folders hold beside it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use cwl_store::SourceRow;
use cwl_tail::OpencodeRow;
use cwl_tokens::Tokenizer;

use crate::ApiError;
use crate::discover::{
    Found, FoundLog, Head, Leaf, OPENCODE, TOGETHER, caller_of, grow, is_archived, is_deleted, look,
    name_of_row, storage_of, title,
};
use crate::dto::{AnnotationDto, PushDto, SessionRowDto, SessionsDto, SessionsRequest};
use crate::host::documents::document_path;
use crate::host::inspector::{Inspector, Total, blocking};
use crate::host::moved::new_name;
use crate::measure::opened::n_images;
use crate::recent::locked;
use crate::sessions::made::mark_made;
use crate::stored::counts::counter;
use crate::stored::position::cursor_of;

/// A followed log that was written to within this time is live.
const LIVE_FOR_MS: i64 = 5 * 60 * 1000;
/// Logs that were not looked at before are looked at for so long before an answer is given.
const FIRST_ROWS: Duration = Duration::from_millis(100);
/// While logs are looked at behind an answer, the list is said to have changed so often.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// How far the list goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What can be told at once; the rest is worked out behind it and pushed.
    FirstRows,
    /// All of it.
    Whole,
}

impl Inspector {
    /// Lists what the store holds and what is found in the folders, newest first: what can be told at once. What
    /// is still to be looked at is, behind the answer, and pushed.
    pub async fn sessions(self: &Arc<Self>, _: SessionsRequest) -> Result<SessionsDto, ApiError> {
        let host = Arc::clone(self);
        blocking(move || list(&host, Extent::FirstRows)).await
    }

    /// Lists all sessions as [`Self::sessions`] does, when everything has been looked at.
    pub async fn all_sessions(self: &Arc<Self>) -> Result<SessionsDto, ApiError> {
        let host = Arc::clone(self);
        blocking(move || list(&host, Extent::Whole)).await
    }
}

/// Lists all sessions, newest first.
fn list(host: &Arc<Inspector>, extent: Extent) -> Result<SessionsDto, ApiError> {
    let until = match extent {
        Extent::FirstRows => Some(Instant::now() + FIRST_ROWS),
        Extent::Whole => None,
    };
    let survey = Survey::of(host)?;
    let unread = survey.unread(host);
    let n_left = host.catalogue.heads.read_all(&unread, until);
    if extent == Extent::Whole {
        for row in survey.uncounted(host) {
            count(host, row)?;
        }
    }
    let answer = survey.answer(host, n_left)?;
    if extent == Extent::FirstRows {
        fill_behind(host, n_left, &survey);
    }
    Ok(answer)
}

/// What there is, before any log is looked at.
struct Survey {
    /// With the file as it is now, if it is there, under this name or another.
    stored: Vec<(SourceRow, Option<FoundLog>)>,
    /// Logs that the store does not hold, the last changed first.
    beside: Vec<FoundLog>,
    /// Sessions that are kept otherwise than as logs, by the documents that are or would be made of them.
    rows: BTreeMap<PathBuf, KeptRow>,
}

/// A session that is a row of a database, or several files.
struct KeptRow {
    /// By which it is opened.
    name: String,
    row: OpencodeRow,
}

impl Survey {
    fn of(host: &Inspector) -> Result<Self, ApiError> {
        let rows = host.stores.sources()?;
        let mut beside = Vec::new();
        let mut kept = BTreeMap::new();
        for source in host.catalogue.found() {
            match source {
                Found::Log(log) => beside.push(log),
                Found::Database(database) => {
                    for row in host.catalogue.databases.sessions(&database).iter().cloned() {
                        let document = document_path(host, &database.path, &row.id);
                        let name = name_of_row(&database.path, &row.id);
                        kept.insert(document, KeptRow { name, row });
                    }
                }
                Found::Files(file) => {
                    let row = host.catalogue.storages.session(&file);
                    if let (Some(row), Some(storage)) = (row, storage_of(&file.path)) {
                        let document = document_path(host, storage, &row.id);
                        let name = file.path.display().to_string();
                        kept.insert(document, KeptRow { name, row });
                    }
                }
            }
        }
        // Most of the list is looked up by path, and comparing paths is slow.
        let places: HashMap<PathBuf, usize> =
            beside.iter().enumerate().map(|(at, log)| (log.path.clone(), at)).collect();
        let mut taken = vec![false; beside.len()];
        let mut take = |path: &Path| {
            let at = *places.get(path)?;
            (!std::mem::replace(&mut taken[at], true)).then(|| beside[at].clone())
        };
        let moves = host.catalogue.moves();
        let opened = locked(&host.opened);
        let is_open =
            |row: &SourceRow| u32::try_from(row.id.number()).is_ok_and(|id| opened.contains_key(&id));
        let mut stored = Vec::with_capacity(rows.len());
        for row in rows.into_iter().filter(|row| row.n_events > 0) {
            let path = PathBuf::from(&row.path);
            let name = moves.get(&path).cloned().unwrap_or(path);
            // What is followed is told to somebody else than the catalogue.
            let known = take(&name).filter(|_| !is_open(&row));
            let mut log = known.or_else(|| look(&name));
            if log.is_none()
                && let Some(new) = new_name(host, &name, &cursor_of(&row.cursor))
            {
                log = take(&new).or_else(|| look(&new));
            }
            stored.push((row, log));
        }
        let mut taken = taken.into_iter();
        beside.retain(|log| !taken.next().unwrap_or(false) && log.stamp.length > 0);
        Ok(Self { stored, beside, rows: kept })
    }

    /// Returns the logs whose first bytes have to be read, the last changed first.
    fn unread(&self, host: &Inspector) -> Vec<FoundLog> {
        let heads = &host.catalogue.heads;
        let of_stored =
            self.stored.iter().filter_map(|(row, log)| log.as_ref().filter(|log| wants_head(row, log)));
        let logs = self.beside.iter().chain(of_stored);
        logs.filter(|log| heads.known(&log.path, &log.stamp).is_none()).cloned().collect()
    }

    /// Returns the stored logs that are not open and whose tokens have to be added up.
    fn uncounted(&self, host: &Inspector) -> Vec<&SourceRow> {
        let opened = locked(&host.opened);
        let rows = self.stored.iter().map(|(row, _)| row);
        let rows =
            rows.filter(|row| u32::try_from(row.id.number()).is_ok_and(|id| !opened.contains_key(&id)));
        rows.filter(|row| known_total(host, row).is_none()).collect()
    }

    fn answer(&self, host: &Inspector, n_left: usize) -> Result<SessionsDto, ApiError> {
        let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
        let now_ms = i64::try_from(now_ms).unwrap_or(i64::MAX);
        let harnesses = host.catalogue.harnesses();
        let harness = |path: &Path, format: &str| harnesses.harness_of(path).unwrap_or(format).to_owned();
        let heads = &host.catalogue.heads;
        let mut leaves = Vec::with_capacity(self.stored.len() + self.beside.len());
        let mut is_shown = BTreeSet::new();
        for (row, log) in &self.stored {
            let head = log.as_ref().filter(|log| wants_head(row, log));
            let head = head.and_then(|log| heads.known(&log.path, &log.stamp));
            let mut leaf = stored_leaf(host, row, log.as_ref(), head.as_deref(), &harness, now_ms)?;
            if let Some(known) = self.rows.get(Path::new(&row.path)) {
                is_shown.insert(Path::new(&row.path));
                leaf.row.changed_at_ms = Some(known.row.updated_ms);
                leaf.called_by.clone_from(&known.row.parent);
            }
            leaves.push(leaf);
        }
        for log in &self.beside {
            let head = heads.known(&log.path, &log.stamp);
            leaves.extend(head.and_then(|head| found_leaf(log, &head, &harness)));
        }
        for (document, known) in &self.rows {
            if !is_shown.contains(document.as_path()) {
                leaves.push(row_leaf(known));
            }
        }
        let mut rows = grow(leaves, n_left == 0);
        mark_made(host, &mut rows);
        Ok(SessionsDto {
            rows,
            folders: host.catalogue.shown_folders(),
            notices: host.catalogue.notices(),
            n_pending: u32::try_from(n_left).unwrap_or(u32::MAX),
        })
    }
}

/// Whether the list needs more of a log than the store tells: whether a subagent wrote it or it goes on from
/// another one; or what a subagent was asked to do, which no human said.
fn wants_head(row: &SourceRow, log: &FoundLog) -> bool {
    match caller_of(&log.path) {
        Some(_) => row.title.is_none() && row.opening.is_none(),
        None => row.parent_session.is_some(),
    }
}

/// Works out behind an answer what it did not tell, and pushes that there is more.
fn fill_behind(host: &Arc<Inspector>, n_left: usize, survey: &Survey) {
    if n_left == 0 && survey.uncounted(host).is_empty() {
        return;
    }
    let Some(turn) = host.catalogue.begin_filling() else { return };
    let host = Arc::downgrade(host);
    drop(tokio::task::spawn_blocking(move || {
        if let Err(error) = fill(&host) {
            tracing::warn!(%error, "the list of sessions is not complete");
        }
        drop(turn);
    }));
}

/// Reads heads, then adds up tokens, the last changed logs first.
fn fill(host: &Weak<Inspector>) -> Result<(), ApiError> {
    let mut told = Instant::now();
    let mut tell = |host: &Inspector, at_once: bool| {
        if at_once || told.elapsed() >= TELL_EVERY {
            told = Instant::now();
            host.push(PushDto::Sessions);
        }
    };
    let first = {
        let Some(host) = host.upgrade() else { return Ok(()) };
        let survey = Survey::of(&host)?;
        (survey.unread(&host), survey.uncounted(&host).into_iter().cloned().collect::<Vec<_>>())
    };
    let (unread, uncounted) = first;
    for logs in unread.chunks(TOGETHER) {
        let Some(host) = host.upgrade() else { return Ok(()) };
        host.catalogue.heads.read_all(logs, None);
        tell(&host, false);
    }
    if let Some(host) = host.upgrade().filter(|_| !unread.is_empty()) {
        tell(&host, true);
    }
    for row in &uncounted {
        let Some(host) = host.upgrade() else { return Ok(()) };
        count(&host, row)?;
        tell(&host, false);
    }
    if let Some(host) = host.upgrade().filter(|_| !uncounted.is_empty()) {
        tell(&host, true);
    }
    Ok(())
}

fn stored_leaf(
    host: &Inspector,
    row: &SourceRow,
    log: Option<&FoundLog>,
    head: Option<&Head>,
    harness: &dyn Fn(&Path, &str) -> String,
    now_ms: i64,
) -> Result<Leaf, ApiError> {
    let session = u32::try_from(row.id.number()).ok();
    let opened = session.and_then(|session| locked(&host.opened).get(&session).cloned());
    let changed_at_ms = log.and_then(|log| log.stamp.modified_ms()).or(row.last_ms);
    let path = log.map_or_else(|| PathBuf::from(&row.path), |log| log.path.clone());
    // Under another name it is still read; whether it counts as gone, that name says.
    let is_moved = path.as_path() != Path::new(&row.path);
    let gone = match &opened {
        Some(opened) if is_moved => opened.about.gone,
        Some(_) | None => log.is_none() || (is_moved && is_deleted(&path)),
    };
    let annotation = match &opened {
        Some(opened) => opened.current().annotation(),
        None if row.n_marks > 0 => AnnotationDto::Annotated,
        None => AnnotationDto::None,
    };
    let tokens = match &opened {
        Some(opened) => Some(opened.n_tokens(Tokenizer::O200k)?),
        None => known_total(host, row).and_then(|total| total.tokens),
    };
    let live_range = -LIVE_FOR_MS..LIVE_FOR_MS;
    let subagent = head.and_then(|head| head.subagent.clone());
    let task = head.and_then(|head| head.task.as_deref());
    Ok(Leaf {
        id: row.session.clone(),
        called_by: subagent.as_ref().and(row.parent_session.clone()),
        row: SessionRowDto {
            session,
            id: row.session.clone(),
            harness: harness(&path, &row.format),
            format: row.format.clone(),
            title: title(row.title.as_deref(), row.opening.as_deref().or(task), &path),
            cwd: row.cwd.clone(),
            model: row.model.clone(),
            size: log.map_or(row.cursor.offset, |log| log.stamp.length),
            n_turns: u32::try_from(row.n_turns).ok(),
            tokens,
            tokenizer: Some(Tokenizer::O200k.name().to_owned()),
            annotation,
            changed_at_ms,
            // A clock that is a little ahead makes no session live for ever.
            live: opened.is_some()
                && !gone
                && changed_at_ms.is_some_and(|changed| live_range.contains(&now_ms.saturating_sub(changed))),
            gone,
            pinned: false,
            n_notes: 0,
            archived: is_archived(&path),
            parent: None,
            continues: row
                .parent_session
                .clone()
                .filter(|_| subagent.is_none() && caller_of(&path).is_none()),
            subagent,
            children: Vec::new(),
            path: path.display().to_string(),
        },
    })
}

fn found_leaf(log: &FoundLog, head: &Head, harness: &dyn Fn(&Path, &str) -> String) -> Option<Leaf> {
    let format = head.format?.name();
    Some(Leaf {
        id: head.id.clone(),
        called_by: head.subagent.as_ref().and(head.parent_session.clone()),
        row: SessionRowDto {
            session: None,
            id: head.id.clone(),
            path: log.path.display().to_string(),
            harness: harness(&log.path, format),
            format: format.to_owned(),
            title: title(head.title.as_deref(), head.opening.as_deref().or(head.task.as_deref()), &log.path),
            cwd: head.cwd.clone(),
            model: head.model.clone(),
            size: log.stamp.length,
            n_turns: None,
            tokens: None,
            tokenizer: None,
            annotation: AnnotationDto::Unknown,
            changed_at_ms: log.stamp.modified_ms(),
            live: false,
            gone: false,
            pinned: false,
            n_notes: 0,
            archived: is_archived(&log.path),
            parent: None,
            continues: head
                .parent_session
                .clone()
                .filter(|_| head.subagent.is_none() && caller_of(&log.path).is_none()),
            subagent: head.subagent.clone(),
            children: Vec::new(),
        },
    })
}

/// Makes the row of a session that is in a database, or in files, and was not opened yet.
fn row_leaf(known: &KeptRow) -> Leaf {
    let KeptRow { name, row } = known;
    Leaf {
        id: Some(row.id.clone()),
        called_by: row.parent.clone(),
        row: SessionRowDto {
            session: None,
            id: Some(row.id.clone()),
            harness: OPENCODE.to_owned(),
            format: OPENCODE.to_owned(),
            title: title(Some(&row.title), None, Path::new(&row.id)),
            path: name.clone(),
            cwd: Some(row.directory.clone()).filter(|folder| !folder.is_empty()),
            model: None,
            size: 0,
            n_turns: None,
            tokens: None,
            tokenizer: None,
            annotation: AnnotationDto::Unknown,
            changed_at_ms: Some(row.updated_ms),
            live: false,
            gone: false,
            pinned: false,
            n_notes: 0,
            archived: false,
            parent: None,
            continues: None,
            subagent: None,
            children: Vec::new(),
        },
    }
}

/// Returns the tokens of a stored log that were added up before, if they were.
fn known_total(host: &Inspector, row: &SourceRow) -> Option<Total> {
    let total = *locked(&host.totals).get(&row.id.number())?;
    (total.generation == row.generation && total.offset == row.cursor.offset).then_some(total)
}

/// Adds up the tokens of a stored log.
fn count(host: &Inspector, row: &SourceRow) -> Result<(), ApiError> {
    let (counts, log) = host
        .stores
        .of(row.id)
        .read(|reader| Ok((reader.counts(row.id, counter(Tokenizer::O200k))?, reader.load_log(row.id)?.0)))?;
    let texts: Option<u64> = counts.into_iter().map(|units| units.map(u64::from)).sum();
    let images = u64::from(n_images(&log)) * u64::from(Tokenizer::O200k.image_units());
    let tokens = texts.map(|texts| texts + images);
    let total = Total { generation: row.generation, offset: row.cursor.offset, tokens };
    locked(&host.totals).insert(row.id.number(), total);
    Ok(())
}
