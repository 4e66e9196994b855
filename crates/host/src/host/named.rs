//! Finds a log by a path, by a session's number or id (or the beginning of an id), or by a file name.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use cwl_discover::{
    Catalogue, FoundLog, ListedSession, SessionSource, StorageFile, folder_of_database, look_up_file,
    real_path, row_named, storage_file, storage_of,
};
use cwl_formats::Format;
use cwl_formats::layout::{caller_of, is_copy};
use cwl_formats::title::session_title;
use cwl_store::SourceRow;

use crate::error::unreadable_file;
use crate::host::corpora::{a_corpus, is_corpus};
use crate::host::documents::{document_path, write_document, write_files};
use crate::stored::position::cursor_of;
use crate::stored::stores::title_of;
use crate::{ApiError, ErrorCode, Inspector};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NameTarget {
    Log(PathBuf),
    Row {
        database: PathBuf,
        id: String,
    },
    /// The main file of an OpenCode session up to 1.1.
    Files(PathBuf),
}

/// Finds a target's log. A session kept elsewhere is first written as a document.
pub(crate) fn path_of(host: &Inspector, target: &str) -> Result<PathBuf, ApiError> {
    let named = match at_place(Path::new(target))? {
        Some(NameTarget::Log(path)) => return Ok(first_name(host, &path)?.unwrap_or(path)),
        Some(named) => named,
        None => {
            let (catalogue, data_dir) = (&host.catalogue, host.stores.store_folder());
            NameResolver { catalogue, data_dir, stored: host.stores.all_sources()? }.find_target(target)?
        }
    };
    match named {
        NameTarget::Log(path) => Ok(path),
        NameTarget::Row { database, id } => {
            // Outside the harnesses' folders, nothing else would tell that the database changed.
            folder_of_database(&database).into_iter().for_each(|folder| host.tail.watch_folder(folder));
            write_document(host, &database, &id)
        }
        NameTarget::Files(file) => write_files(host, &file),
    }
}

/// Resolves a target without any search: a path, or `DATABASE#ID`.
pub(crate) fn at_place(target: &Path) -> Result<Option<NameTarget>, ApiError> {
    if target.as_os_str().is_empty() {
        return Err(
            ApiError::new(ErrorCode::Missing, "no session was named").with_hint("name a file or a session")
        );
    }
    let row = target.to_str().and_then(row_named).filter(|(database, _)| database.is_file());
    if let Some((database, id)) = row {
        return Ok(Some(NameTarget::Row { database: real_path(database), id: id.to_owned() }));
    }
    if let (Some(StorageFile::Session(_)), true) = (storage_file(target), target.is_file()) {
        return Ok(Some(NameTarget::Files(real_path(target))));
    }
    if is_corpus(target) {
        return Err(a_corpus(target));
    }
    match target.try_exists() {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(unreadable_file(target, &error)),
        there => Ok(there.unwrap_or(false).then(|| NameTarget::Log(real_path(target)))),
    }
}

pub(crate) struct NameResolver<'a> {
    pub(crate) catalogue: &'a Catalogue,
    /// The store's folder, beside which documents are written.
    pub(crate) data_dir: &'a Path,
    pub(crate) stored: Vec<SourceRow>,
}

struct KeptSession {
    named: NameTarget,
    document: PathBuf,
    session: ListedSession,
}

impl KeptSession {
    /// Accepts the id, alone or after the name of its database (`opencode.db#ses_…`).
    fn is_called(&self, name: &str) -> bool {
        let of_database = || match (&self.named, name.split_once('#')) {
            (NameTarget::Row { database, id }, Some((file, of))) => {
                id == of && database.file_name().is_some_and(|own| own == file)
            }
            _ => false,
        };
        self.session.id == name || of_database()
    }
}

impl NameResolver<'_> {
    pub(crate) fn find_target(&self, target: &str) -> Result<NameTarget, ApiError> {
        let stored = &self.stored;
        let by_path = real_path(Path::new(target)).display().to_string();
        // Logs by Claude Code's subagents carry the calling session's id.
        let is_main = |row: &SourceRow| caller_of(Path::new(&row.path)).is_none();
        let exactly = |row: &&SourceRow| {
            row.path == by_path || target.parse::<i64>().is_ok_and(|number| number == row.id.number())
        };
        let of_id = |row: &&SourceRow| row.session.as_deref() == Some(target);
        let known =
            stored.iter().find(exactly).or_else(|| stored.iter().filter(|row| is_main(row)).find(of_id));
        if let Some(row) = known {
            return Ok(self.of_row(row));
        }
        if !target.contains(['/', '\\']) {
            let kept = self.kept_sessions();
            if let Some(found) = kept.iter().find(|kept| kept.is_called(target)) {
                return Ok(found.named.clone());
            }
            let beside = self.unstored_logs();
            if let Some(path) = self.log_of_id(&beside, target) {
                return Ok(NameTarget::Log(path));
            }
            if let Some(row) = stored.iter().find(of_id) {
                return Ok(self.of_row(row));
            }
            if let Some(named) = self.log_of_file(&beside, target)? {
                return Ok(named);
            }
            if let Some(named) = self.log_of_beginning(&kept, &beside, target)? {
                return Ok(named);
            }
        }
        if target.parse::<u32>().is_ok() {
            return Err(ApiError::new(ErrorCode::UnknownSession, format!("no session {target}"))
                .with_hint("look at the list of sessions"));
        }
        Err(ApiError::new(ErrorCode::Missing, "no such file and no session of that id")
            .with_hint("check the path, or look at `cwl sessions`")
            .with_path(Path::new(target)))
    }

    /// A document made from a session leads back to its source if that is still there.
    fn of_row(&self, row: &SourceRow) -> NameTarget {
        let path = PathBuf::from(&row.path);
        let is_document = [Format::Opencode, Format::Hermes].iter().any(|format| row.format == format.name());
        let kept = if is_document { self.kept_sessions() } else { Vec::new() };
        kept.into_iter().find(|kept| kept.document == path).map_or(NameTarget::Log(path), |kept| kept.named)
    }

    fn kept_sessions(&self) -> Vec<KeptSession> {
        let mut kept = Vec::new();
        for source in self.catalogue.all_sources() {
            match source {
                SessionSource::Log(_) => {}
                SessionSource::Database(found) => {
                    for session in self.catalogue.databases.list_sessions(&found).iter().cloned() {
                        let named = NameTarget::Row { database: found.path.clone(), id: session.id.clone() };
                        let document = document_path(self.data_dir, &found.path, &session.id);
                        kept.push(KeptSession { named, document, session });
                    }
                }
                SessionSource::Files(file) => {
                    let session = self.catalogue.storages.read_session(&file).map(ListedSession::from);
                    if let (Some(session), Some(storage)) = (session, storage_of(&file.path)) {
                        let document = document_path(self.data_dir, storage, &session.id);
                        kept.push(KeptSession { named: NameTarget::Files(file.path), document, session });
                    }
                }
            }
        }
        kept
    }

    fn unstored_logs(&self) -> Vec<FoundLog> {
        let taken: BTreeSet<&str> = self.stored.iter().map(|row| row.path.as_str()).collect();
        let logs = self.catalogue.found_logs();
        let beside = logs.into_iter().filter(|log| !taken.contains(log.path.to_string_lossy().as_ref()));
        let beside: Vec<FoundLog> = beside.collect();
        self.catalogue.heads.read_all(&beside, None);
        beside
    }

    /// Finds a log outside the store by its session id. A subagent's log is chosen only if there is no other.
    fn log_of_id(&self, beside: &[FoundLog], id: &str) -> Option<PathBuf> {
        let of_id = |log: &&FoundLog| {
            let head = self.catalogue.heads.cached_head(&log.path, &log.stamp);
            head.is_some_and(|head| head.id.as_deref() == Some(id))
        };
        let main = beside.iter().filter(|log| caller_of(&log.path).is_none()).find(of_id);
        main.or_else(|| beside.iter().find(of_id)).map(|log| log.path.clone())
    }

    fn log_of_file(&self, beside: &[FoundLog], name: &str) -> Result<Option<NameTarget>, ApiError> {
        let is_listed = |row: &&SourceRow| row.n_events > 0 && !is_copy(Path::new(&row.path));
        let stored = self.stored.iter().filter(is_listed).map(|row| PathBuf::from(&row.path));
        let heads = &self.catalogue.heads;
        let is_log = |log: &&FoundLog| {
            heads.cached_head(&log.path, &log.stamp).is_some_and(|head| head.format.is_some())
        };
        let mut of_name =
            stored.chain(beside.iter().filter(is_log).map(|log| log.path.clone())).filter(|path| {
                file_name(path) == Some(name) || path.file_name().is_some_and(|full| full == name)
            });
        let Some(path) = of_name.next() else { return Ok(None) };
        match of_name.count() {
            0 => {
                let text = path.display().to_string();
                let row = self.stored.iter().find(|row| row.path == text);
                Ok(Some(row.map_or(NameTarget::Log(path), |row| self.of_row(row))))
            }
            more => {
                Err(ApiError::new(ErrorCode::Ambiguous, format!("{} logs are called `{name}`", more + 1))
                    .with_hint("name one by its path, or by its number in the list of sessions"))
            }
        }
    }

    fn log_of_beginning(
        &self,
        kept: &[KeptSession],
        beside: &[FoundLog],
        beginning: &str,
    ) -> Result<Option<NameTarget>, ApiError> {
        if beginning.chars().count() < LEAST_OF_ID || beginning.contains('.') {
            return Ok(None);
        }
        let of_kept =
            kept.iter().map(|kept| (kept.session.id.clone(), kept.named.clone(), kept.session.title.clone()));
        let of_stored = self.stored.iter().filter_map(|row| {
            Some((row.session.clone()?, NameTarget::Log(PathBuf::from(&row.path)), title_of(row)))
        });
        let of_beside = beside.iter().filter_map(|log| {
            let head = self.catalogue.heads.cached_head(&log.path, &log.stamp)?;
            let opening = head.opening.as_deref().or(head.task.as_deref());
            let title = session_title(head.title.as_deref(), opening, &log.path);
            Some((head.id.clone()?, NameTarget::Log(log.path.clone()), title))
        });
        let mut known: BTreeMap<String, (NameTarget, String)> = BTreeMap::new();
        let all = of_stored.chain(of_beside).chain(of_kept);
        for (id, named, title) in all.filter(|(id, ..)| id.starts_with(beginning)) {
            // A subagent's log may carry its caller's id; then the caller is meant.
            let is_called = matches!(&named, NameTarget::Log(path) if caller_of(path).is_some());
            if !is_called || !known.contains_key(&id) {
                known.insert(id, (named, title));
            }
        }
        if known.len() < 2 {
            return Ok(known.into_values().next().map(|(named, _)| named));
        }
        let mut names: Vec<String> =
            known.iter().take(NAMED).map(|(id, (_, title))| format!("{id} ({title})")).collect();
        if known.len() > NAMED {
            names.push(format!("and {} more", known.len() - NAMED));
        }
        let message = format!("{} sessions have an id that begins with `{beginning}`", known.len());
        Err(ApiError::new(ErrorCode::Ambiguous, message)
            .with_hint(format!("write more of the one that you mean: {}", names.join(", "))))
    }
}

/// The file name up to its first dot: names a session without an id.
pub(crate) fn file_name(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    name.split('.').next().filter(|name| !name.is_empty())
}

/// Shortest id prefix, in characters. A shorter target is more likely a missing file.
const LEAST_OF_ID: usize = 4;
const NAMED: usize = 4;

/// The name under which the store knows a renamed log.
fn first_name(host: &Inspector, path: &Path) -> Result<Option<PathBuf>, ApiError> {
    if host.live_slot(path).is_some() {
        return Ok(None);
    }
    let name = path.display().to_string();
    if host.stores.main().run_read(|reader| reader.find_source(&name)).is_ok_and(|known| known.is_some()) {
        return Ok(None);
    }
    let Some(FoundLog { stamp, .. }) = look_up_file(path) else { return Ok(None) };
    let same_file = |row: &SourceRow| {
        let cursor = cursor_of(&row.cursor);
        let is_it = cursor.identity == stamp.identity && cursor.identity != cwl_tail::FileIdentity::UNKNOWN;
        is_it && cursor.offset > 0 && !Path::new(&row.path).exists() && cwl_tail::continues(path, &cursor)
    };
    let stored = host.stores.all_sources()?;
    Ok(stored.into_iter().find(same_file).map(|row| PathBuf::from(row.path)))
}
