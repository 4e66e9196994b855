//! A log by its name: a path, or the number, the id or the beginning of the id of a session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cwl_discover::{FoundLog, StorageFile, caller_of, look, real, row_named, storage_file, title};
use cwl_store::SourceRow;

use crate::host::documents::{write_document, write_files};
use crate::stored::position::cursor_of;
use crate::stored::stores::title_of;
use crate::{ApiError, ErrorCode, Inspector};

/// Finds the log of a target: a path, or the number or id of a known session.
pub(crate) fn path_of(host: &Inspector, target: &str) -> Result<PathBuf, ApiError> {
    let path = Path::new(target);
    if target.is_empty() {
        return Err(
            ApiError::new(ErrorCode::Missing, "no session was named").hint("name a file or a session")
        );
    }
    if let Some((database, id)) = row_named(target).filter(|(database, _)| database.is_file()) {
        return write_document(host, &real(database), id);
    }
    if let (Some(StorageFile::Session(_)), true) = (storage_file(path), path.is_file()) {
        return write_files(host, &real(path));
    }
    if path.exists() {
        let path = real(path);
        return Ok(first_name(host, &path)?.unwrap_or(path));
    }
    let stored = host.stores.sources()?;
    let by_path = real(path).display().to_string();
    // Logs of Claude Code's subagents carry the id of the session that called them.
    let is_main = |row: &SourceRow| caller_of(Path::new(&row.path)).is_none();
    let exactly = |row: &&SourceRow| {
        row.path == by_path || target.parse::<i64>().is_ok_and(|number| number == row.id.number())
    };
    let of_id = |row: &&SourceRow| row.session.as_deref() == Some(target);
    let known = stored.iter().find(exactly).or_else(|| stored.iter().filter(|row| is_main(row)).find(of_id));
    if let Some(row) = known {
        return Ok(PathBuf::from(&row.path));
    }
    if !target.contains(['/', '\\', '.'])
        && let Some(path) = log_of_id(host, target, &stored)
    {
        return Ok(path);
    }
    if let Some(row) = stored.iter().find(of_id) {
        return Ok(PathBuf::from(&row.path));
    }
    if let Some(path) = log_of_beginning(host, target, &stored)? {
        return Ok(path);
    }
    if target.parse::<u32>().is_ok() {
        return Err(ApiError::new(ErrorCode::UnknownSession, format!("no session {target}"))
            .hint("look at the list of sessions"));
    }
    Err(ApiError::new(ErrorCode::Missing, "no such file and no session of that id")
        .hint("check the path, or look at the list of sessions")
        .at(path))
}

/// Returns the name that the store knows a log by, where the log had another name when it was read.
fn first_name(host: &Inspector, path: &Path) -> Result<Option<PathBuf>, ApiError> {
    if host.live(path).is_some() {
        return Ok(None);
    }
    let name = path.display().to_string();
    if host.stores.main().read(|reader| reader.find_source(&name)).is_ok_and(|known| known.is_some()) {
        return Ok(None);
    }
    let Some(FoundLog { stamp, .. }) = look(path) else { return Ok(None) };
    let same_file = |row: &SourceRow| {
        let cursor = cursor_of(&row.cursor);
        let is_it = cursor.identity == stamp.identity && cursor.identity != cwl_tail::FileIdentity::UNKNOWN;
        is_it && cursor.offset > 0 && !Path::new(&row.path).exists() && cwl_tail::continues(path, &cursor)
    };
    let stored = host.stores.sources()?;
    Ok(stored.into_iter().find(same_file).map(|row| PathBuf::from(row.path)))
}

/// Finds the log of a session that was not opened before, by the id in it; a subagent's only where there is no other.
fn log_of_id(host: &Inspector, id: &str, stored: &[SourceRow]) -> Option<PathBuf> {
    let beside = logs_beside(host, stored);
    let of_id = |log: &&FoundLog| {
        let head = host.catalogue.heads.known(&log.path, &log.stamp);
        head.is_some_and(|head| head.id.as_deref() == Some(id))
    };
    let main = beside.iter().filter(|log| caller_of(&log.path).is_none()).find(of_id);
    main.or_else(|| beside.iter().find(of_id)).map(|log| log.path.clone())
}

/// Returns the logs that the store does not hold, each with its first bytes looked at.
fn logs_beside(host: &Inspector, stored: &[SourceRow]) -> Vec<FoundLog> {
    let taken: BTreeSet<&str> = stored.iter().map(|row| row.path.as_str()).collect();
    let logs = host.catalogue.logs();
    let beside = logs.into_iter().filter(|log| !taken.contains(log.path.to_string_lossy().as_ref()));
    let beside: Vec<FoundLog> = beside.collect();
    host.catalogue.heads.read_all(&beside, None);
    beside
}

/// The least of an id that stands for it, characters: less is more likely a file that is not there.
const LEAST_OF_ID: usize = 4;
/// How many sessions are named when several are meant.
const NAMED: usize = 4;

/// Finds the log of the one session whose id begins so.
fn log_of_beginning(
    host: &Inspector,
    beginning: &str,
    stored: &[SourceRow],
) -> Result<Option<PathBuf>, ApiError> {
    if beginning.chars().count() < LEAST_OF_ID || beginning.contains(['/', '\\', '.']) {
        return Ok(None);
    }
    let of_stored =
        stored.iter().filter_map(|row| Some((row.session.clone()?, PathBuf::from(&row.path), title_of(row))));
    let of_beside = logs_beside(host, stored).into_iter().filter_map(|log| {
        let head = host.catalogue.heads.known(&log.path, &log.stamp)?;
        let opening = head.opening.as_deref().or(head.task.as_deref());
        Some((head.id.clone()?, log.path.clone(), title(head.title.as_deref(), opening, &log.path)))
    });
    let mut known: BTreeMap<String, (PathBuf, String)> = BTreeMap::new();
    for (id, path, title) in of_stored.chain(of_beside).filter(|(id, ..)| id.starts_with(beginning)) {
        // A subagent's log may carry the id of its caller, who is meant then.
        if caller_of(&path).is_none() || !known.contains_key(&id) {
            known.insert(id, (path, title));
        }
    }
    if known.len() < 2 {
        return Ok(known.into_values().next().map(|(path, _)| path));
    }
    let mut names: Vec<String> =
        known.iter().take(NAMED).map(|(id, (_, title))| format!("{id} ({title})")).collect();
    if known.len() > NAMED {
        names.push(format!("and {} more", known.len() - NAMED));
    }
    let message = format!("{} sessions have an id that begins with `{beginning}`", known.len());
    Err(ApiError::new(ErrorCode::Ambiguous, message)
        .hint(format!("write more of the one that you mean: {}", names.join(", "))))
}
