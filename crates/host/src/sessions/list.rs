//! The session list: sessions in the store and sessions found in folders.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use cwl_discover::{
    FoundLog, ListedSession, Notice, SessionSource, TOGETHER, look_up_file, name_of_row, storage_of,
};
use cwl_formats::layout::{caller_of, is_copy};
use cwl_inspect::figures::saturate_u32;
use cwl_inspect::recent::lock_unpoisoned;
use cwl_store::{SessionFigures, SourceId, SourceRow};

use crate::ApiError;
use crate::api::{EmptyRequest, NoticeRow, Push, SessionsAnswer};
use crate::host::documents::document_path;
use crate::host::inspector::Inspector;
use crate::host::moved::new_name;
use crate::reading::derive::{DERIVED_VERSION, derive_figures};
use crate::reading::lately::{is_live, now_ms};
use crate::sessions::made::mark_made;
use crate::sessions::names::name_all;
use crate::sessions::rows::{found_row, is_outdated, kept_row, nest_subagents, stored_row};
use crate::stored::position::cursor_of;

/// Time spent on unknown logs before the first answer.
const FIRST_ROWS: Duration = Duration::from_millis(100);
const TELL_EVERY: Duration = Duration::from_millis(250);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListExtent {
    /// Rows known at once. The rest follows in the background and is pushed.
    FirstRows,
    Whole,
}

impl Inspector {
    /// Lists sessions in the store and in folders, newest first, as far as known at once. Missing rows are
    /// computed in the background and pushed.
    pub fn sessions(self: &Arc<Self>, _: EmptyRequest) -> Result<SessionsAnswer, ApiError> {
        list_sessions(self, ListExtent::FirstRows)
    }

    /// Like [`Self::sessions`], but waits until every log was looked at.
    pub async fn all_sessions(self: &Arc<Self>) -> Result<SessionsAnswer, ApiError> {
        self.run_blocking(|host| list_sessions(host, ListExtent::Whole)).await
    }
}

fn list_sessions(host: &Arc<Inspector>, extent: ListExtent) -> Result<SessionsAnswer, ApiError> {
    let until = match extent {
        ListExtent::FirstRows => Some(Instant::now() + FIRST_ROWS),
        ListExtent::Whole => None,
    };
    let mut survey = Survey::take(host)?;
    let unread = survey.unread_logs(host);
    let n_left = host.catalogue.heads.read_all(&unread, until);
    if extent == ListExtent::Whole {
        for row in survey.underived_logs() {
            survey.figures.insert(row.id, derive_row(host, &row)?);
        }
    }
    let answer = survey.sessions_answer(host, n_left)?;
    if extent == ListExtent::FirstRows {
        fill_behind(host, n_left, &survey);
    }
    Ok(answer)
}

struct Survey {
    /// Stored logs, each with its present file, if there is one under this name or another.
    stored: Vec<(SourceRow, Option<FoundLog>)>,
    beside: Vec<FoundLog>,
    /// Figures for stored logs, if known; open logs have none here.
    figures: BTreeMap<SourceId, SessionFigures>,
    open: BTreeSet<SourceId>,
    /// Sessions kept elsewhere, by the paths that their documents have or would have.
    rows: BTreeMap<PathBuf, KeptRow>,
}

struct KeptRow {
    name: String,
    session: ListedSession,
}

impl Survey {
    fn take(host: &Inspector) -> Result<Self, ApiError> {
        let rows = host.stores.all_sources()?;
        let mut beside = Vec::new();
        let mut kept = BTreeMap::new();
        for source in host.catalogue.all_sources() {
            match source {
                SessionSource::Log(log) => beside.push(log),
                SessionSource::Database(database) => {
                    for session in host.catalogue.databases.list_sessions(&database).iter().cloned() {
                        let document = document_path(host.stores.store_folder(), &database.path, &session.id);
                        let name = name_of_row(&database.path, &session.id);
                        kept.insert(document, KeptRow { name, session });
                    }
                }
                SessionSource::Files(file) => {
                    let session = host.catalogue.storages.read_session(&file).map(ListedSession::from);
                    if let (Some(session), Some(storage)) = (session, storage_of(&file.path)) {
                        let document = document_path(host.stores.store_folder(), storage, &session.id);
                        let name = file.path.display().to_string();
                        kept.insert(document, KeptRow { name, session });
                    }
                }
            }
        }
        // Most rows are looked up by path, and comparing paths is slow.
        let places: HashMap<PathBuf, usize> =
            beside.iter().enumerate().map(|(at, log)| (log.path.clone(), at)).collect();
        let mut taken = vec![false; beside.len()];
        let mut take = |path: &Path| {
            let at = *places.get(path)?;
            (!std::mem::replace(&mut taken[at], true)).then(|| beside[at].clone())
        };
        let moves = host.catalogue.moved_names();
        let open: BTreeSet<SourceId> =
            lock_unpoisoned(&host.opened).keys().map(|session| SourceId::new((*session).into())).collect();
        let mut stored = Vec::with_capacity(rows.len());
        for row in rows.into_iter().filter(|row| row.n_events > 0 && !is_copy(Path::new(&row.path))) {
            let path = PathBuf::from(&row.path);
            let name = moves.get(&path).cloned().unwrap_or(path);
            // The catalogue is not informed about followed logs.
            let known = take(&name).filter(|_| !open.contains(&row.id));
            let mut log = known.or_else(|| look_up_file(&name));
            if log.is_none()
                && let Some(new) = new_name(&host.catalogue, &name, &cursor_of(&row.cursor))
            {
                log = take(&new).or_else(|| look_up_file(&new));
            }
            stored.push((row, log));
        }
        let mut taken = taken.into_iter();
        beside.retain(|log| !taken.next().unwrap_or(false) && log.stamp.length > 0);
        let mut figures = host.stores.session_figures(DERIVED_VERSION)?;
        let worked_out = lock_unpoisoned(&host.figures);
        for (row, _) in &stored {
            if let Some((_, of_row)) = worked_out.get(&row.id).filter(|(then, _)| *then == row.cursor) {
                figures.entry(row.id).or_insert_with(|| of_row.clone());
            }
        }
        drop(worked_out);
        figures.retain(|source, _| !open.contains(source));
        Ok(Self { stored, beside, figures, open, rows: kept })
    }

    fn unread_logs(&self, host: &Inspector) -> Vec<FoundLog> {
        let heads = &host.catalogue.heads;
        let of_stored =
            self.stored.iter().filter_map(|(row, log)| log.as_ref().filter(|log| wants_head(row, log)));
        let logs = self.beside.iter().chain(of_stored);
        logs.filter(|log| heads.cached_head(&log.path, &log.stamp).is_none()).cloned().collect()
    }

    fn underived_logs(&self) -> Vec<SourceRow> {
        let is_known = |source: &SourceId| self.figures.contains_key(source) || self.open.contains(source);
        let rows = self.stored.iter().map(|(row, _)| row);
        rows.filter(|row| !is_known(&row.id)).cloned().collect()
    }

    fn sessions_answer(&self, host: &Inspector, n_left: usize) -> Result<SessionsAnswer, ApiError> {
        let now_ms = now_ms();
        let harnesses = host.catalogue.harness_folders();
        let harness = |path: &Path, format: &str| harnesses.harness_of(path).unwrap_or(format).to_owned();
        let heads = &host.catalogue.heads;
        let mut listed = Vec::with_capacity(self.stored.len() + self.beside.len());
        let mut is_shown = BTreeSet::new();
        for (row, log) in &self.stored {
            let head = log.as_ref().filter(|log| wants_head(row, log));
            let head = head.and_then(|log| heads.cached_head(&log.path, &log.stamp));
            let mut one = stored_row(
                host,
                row,
                log.as_ref(),
                head.as_deref(),
                &harness,
                now_ms,
                self.figures.get(&row.id),
            )?;
            if let Some(known) = self.rows.get(Path::new(&row.path)) {
                is_shown.insert(Path::new(&row.path));
                one.row.changed_at_ms = Some(known.session.updated_ms);
                one.row.live = is_live(one.row.changed_at_ms, now_ms);
                one.called_by.clone_from(&known.session.parent);
            }
            listed.push(one);
        }
        for log in &self.beside {
            let head = heads.cached_head(&log.path, &log.stamp);
            listed.extend(head.and_then(|head| found_row(log, &head, &harness, now_ms)));
        }
        for (_, known) in self.rows.iter().filter(|(document, _)| !is_shown.contains(document.as_path())) {
            listed.push(kept_row(&known.name, &known.session, now_ms));
        }
        let mut rows = nest_subagents(listed, n_left == 0);
        name_all(&mut rows);
        mark_made(host, &mut rows);
        let notice = |Notice { harness, path, message, hint }| NoticeRow { harness, path, message, hint };
        Ok(SessionsAnswer {
            rows,
            folders: host.catalogue.shown_folders(),
            notices: host.catalogue.list_notices().into_iter().map(notice).collect(),
            n_pending: saturate_u32(n_left),
        })
    }
}

/// Tells whether the list needs the first bytes of a stored log: to find its caller or the session it
/// continues, the task of a subagent (which no human typed), or the human's first words if other rules read
/// the log.
fn wants_head(row: &SourceRow, log: &FoundLog) -> bool {
    match caller_of(&log.path) {
        _ if is_outdated(row) => true,
        Some(_) => row.title.is_none() && row.opening.is_none(),
        None => row.parent_session.is_some(),
    }
}

fn fill_behind(host: &Arc<Inspector>, n_left: usize, survey: &Survey) {
    if n_left == 0 && survey.underived_logs().is_empty() {
        return;
    }
    let Some(turn) = host.begin_filling() else { return };
    let host = Arc::downgrade(host);
    drop(tokio::task::spawn_blocking(move || {
        if let Err(error) = complete_list(&host) {
            tracing::warn!(%error, "the list of sessions is not complete");
        }
        drop(turn);
    }));
}

/// Reads first bytes, then derives missing figures; last changed logs first.
fn complete_list(host: &Weak<Inspector>) -> Result<(), ApiError> {
    let mut told = Instant::now();
    let mut tell = |host: &Inspector, at_once: bool| {
        if at_once || told.elapsed() >= TELL_EVERY {
            told = Instant::now();
            host.send_push(Push::Sessions);
        }
    };
    let first = {
        let Some(host) = host.upgrade() else { return Ok(()) };
        let survey = Survey::take(&host)?;
        (survey.unread_logs(&host), survey.underived_logs())
    };
    let (unread, underived) = first;
    for logs in unread.chunks(TOGETHER) {
        let Some(host) = host.upgrade() else { return Ok(()) };
        host.catalogue.heads.read_all(logs, None);
        tell(&host, false);
    }
    if let Some(host) = host.upgrade().filter(|_| !unread.is_empty()) {
        tell(&host, true);
    }
    for row in &underived {
        let Some(host) = host.upgrade() else { return Ok(()) };
        derive_row(&host, row)?;
        tell(&host, false);
    }
    if let Some(host) = host.upgrade().filter(|_| !underived.is_empty()) {
        tell(&host, true);
    }
    Ok(())
}

fn derive_row(host: &Inspector, row: &SourceRow) -> Result<SessionFigures, ApiError> {
    let figures = derive_figures(&host.stores.library_of(row.id), row, &host.tools)?;
    lock_unpoisoned(&host.figures).insert(row.id, (row.cursor, figures.clone()));
    Ok(figures)
}
