//! The list of sessions: what the store holds, and what the folders hold beside it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use cwl_store::SourceRow;
use cwl_tokens::Tokenizer;

use crate::commands::session::annotation;
use crate::counts::counter;
use crate::discover::{FoundLog, Head, changed_at_ms, logs_below, read_head};
use crate::dto::{AnnotationDto, SessionRowDto, SessionsDto};
use crate::opened::{Opened, first_words, n_images};
use crate::recent::locked;
use crate::{ApiError, ErrorCode, Inspector};

/// A followed log that was written to within this time is live.
const LIVE_FOR_MS: i64 = 5 * 60 * 1000;

/// Lists all sessions, newest first.
pub(crate) fn sessions(host: &Inspector) -> Result<SessionsDto, ApiError> {
    let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
    let now_ms = i64::try_from(now_ms).unwrap_or(i64::MAX);
    let stored = host.library.read(|reader| reader.sources())?;
    let mut found: BTreeMap<PathBuf, FoundLog> =
        logs_below(&host.folders).into_iter().map(|log| (real(&log.path), log)).collect();
    let mut rows = Vec::with_capacity(stored.len() + found.len());
    for row in stored.iter().filter(|row| row.n_events > 0) {
        let path = PathBuf::from(&row.path);
        let log = found.remove(&path).or_else(|| {
            let metadata = std::fs::metadata(&path).ok()?;
            Some(FoundLog { size: metadata.len(), changed_at_ms: changed_at_ms(&metadata), path })
        });
        rows.push(stored_row(host, row, log.as_ref(), now_ms)?);
    }
    for log in found.into_values().filter(|log| log.size > 0) {
        let head = head_of(host, &log);
        rows.extend(found_row(&log, &head));
    }
    rows.sort_by(|a: &SessionRowDto, b| {
        b.changed_at_ms.cmp(&a.changed_at_ms).then_with(|| a.path.cmp(&b.path))
    });
    let folders = host.folders.iter().map(|folder| folder.display().to_string()).collect();
    Ok(SessionsDto { rows, folders })
}

/// Returns the name under which a log is known: its real path, where there is one.
pub(crate) fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

fn stored_row(
    host: &Inspector,
    row: &SourceRow,
    log: Option<&FoundLog>,
    now_ms: i64,
) -> Result<SessionRowDto, ApiError> {
    let session = u32::try_from(row.id.number()).ok();
    let opened = session.and_then(|session| locked(&host.opened).get(&session).cloned());
    let changed_at_ms = log.and_then(|log| log.changed_at_ms).or(row.last_ms);
    let gone = log.is_none();
    let annotation = match &opened {
        Some(opened) => annotation(&opened.current()),
        None if row.n_marks > 0 => AnnotationDto::Annotated,
        None => AnnotationDto::None,
    };
    Ok(SessionRowDto {
        session,
        path: row.path.clone(),
        format: row.format.clone(),
        title: title(row.title.as_deref(), row.opening.as_deref(), Path::new(&row.path)),
        cwd: row.cwd.clone(),
        model: row.model.clone(),
        size: log.map_or(row.cursor.offset, |log| log.size),
        n_turns: u32::try_from(row.n_turns).ok(),
        tokens: tokens(host, row, opened.as_deref())?,
        tokenizer: Some(Tokenizer::O200k.name().to_owned()),
        annotation,
        changed_at_ms,
        live: opened.is_some()
            && !gone
            && changed_at_ms.is_some_and(|changed| now_ms.saturating_sub(changed) < LIVE_FOR_MS),
        gone,
    })
}

/// Returns the tokens of a whole log; `None` where the store has not counted all of it.
fn tokens(host: &Inspector, row: &SourceRow, opened: Option<&Opened>) -> Result<Option<u64>, ApiError> {
    if let Some(opened) = opened {
        return opened.n_tokens(Tokenizer::O200k).map(Some);
    }
    let key = (row.generation, row.cursor.offset);
    if let Some((generation, offset, tokens)) = locked(&host.totals).get(&row.id.number())
        && (*generation, *offset) == key
    {
        return Ok(Some(*tokens));
    }
    let (counts, log) = host
        .library
        .read(|reader| Ok((reader.counts(row.id, counter(Tokenizer::O200k))?, reader.load_log(row.id)?.0)))?;
    let texts: Option<u64> = counts.into_iter().map(|units| units.map(u64::from)).sum();
    let images = u64::from(n_images(&log)) * u64::from(Tokenizer::O200k.image_units());
    let tokens = texts.map(|texts| texts + images);
    if let Some(tokens) = tokens {
        locked(&host.totals).insert(row.id.number(), (key.0, key.1, tokens));
    }
    Ok(tokens)
}

fn found_row(log: &FoundLog, head: &Head) -> Option<SessionRowDto> {
    Some(SessionRowDto {
        session: None,
        path: real(&log.path).display().to_string(),
        format: head.format?.name().to_owned(),
        title: title(head.title.as_deref(), head.opening.as_deref(), &log.path),
        cwd: head.cwd.clone(),
        model: head.model.clone(),
        size: log.size,
        n_turns: None,
        tokens: None,
        tokenizer: None,
        annotation: AnnotationDto::Unknown,
        changed_at_ms: log.changed_at_ms,
        live: false,
        gone: false,
    })
}

fn title(named: Option<&str>, opening: Option<&str>, path: &Path) -> String {
    let text = named.map(str::trim).filter(|name| !name.is_empty()).or(opening);
    text.map_or_else(
        || path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        first_words,
    )
}

/// Returns what the first bytes of a log tell, read again only where the file has changed.
fn head_of(host: &Inspector, log: &FoundLog) -> Head {
    if let Some((known, head)) = locked(&host.heads).get(&log.path)
        && known == log
    {
        return head.clone();
    }
    let head = read_head(&log.path);
    locked(&host.heads).insert(log.path.clone(), (log.clone(), head.clone()));
    head
}

/// Finds the log that somebody names: a path, or the number or id of a known session.
pub(crate) fn path_of(host: &Inspector, target: &str) -> Result<PathBuf, ApiError> {
    let path = Path::new(target);
    if target.is_empty() {
        return Err(
            ApiError::new(ErrorCode::Missing, "no session was named").hint("name a file or a session")
        );
    }
    if path.exists() {
        return Ok(real(path));
    }
    let stored = host.library.read(|reader| reader.sources())?;
    let by_path = real(path).display().to_string();
    let known = |row: &&SourceRow| {
        row.path == by_path
            || row.session.as_deref() == Some(target)
            || target.parse::<i64>().is_ok_and(|number| number == row.id.number())
    };
    if let Some(row) = stored.iter().find(known) {
        return Ok(PathBuf::from(&row.path));
    }
    let of_id = |log: &FoundLog| head_of(host, log).id.as_deref() == Some(target);
    if !target.contains(['/', '\\', '.'])
        && let Some(log) = logs_below(&host.folders).into_iter().find(of_id)
    {
        return Ok(real(&log.path));
    }
    if target.parse::<u32>().is_ok() {
        return Err(ApiError::new(ErrorCode::UnknownSession, format!("no session {target}"))
            .hint("look at the list of sessions"));
    }
    Err(ApiError::new(ErrorCode::Missing, "no such file and no session of that id")
        .hint("check the path, or look at the list of sessions")
        .at(path))
}
