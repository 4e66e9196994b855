//! Rows in the session list, for stored logs, found logs and sessions in databases.

use std::path::{Path, PathBuf};

use cwl_discover::{FoundLog, Head, Leaf, ListedSession, TreeNode, TreeSession, build_tree};
use cwl_formats::Format;
use cwl_formats::layout::{caller_of, is_archived, is_deleted};
use cwl_formats::title::session_title;
use cwl_inspect::recent::lock_unpoisoned;
use cwl_store::{SessionFigures, SourceRow};

use crate::ApiError;
use crate::api::{AnnotationPresence, SessionListRow};
use crate::host::inspector::Inspector;
use crate::reading::derive::figures_of;
use crate::reading::lately::is_live;

/// A row, with the session or log that called it if the log belongs to a subagent.
#[derive(Debug, Clone)]
pub(crate) struct ListedRow {
    pub(crate) row: SessionListRow,
    pub(crate) called_by: Option<String>,
}

pub(crate) type HarnessOf<'a> = &'a dyn Fn(&Path, &str) -> String;

fn blank_row(path: &Path, harness: String, format: &str, title: String) -> SessionListRow {
    SessionListRow {
        path: path.display().to_string(),
        harness,
        format: format.to_owned(),
        title,
        archived: is_archived(path),
        ..SessionListRow::default()
    }
}

/// Tells whether the log was read by older rules. Such a log is read again on opening.
pub(crate) fn is_outdated(row: &SourceRow) -> bool {
    row.format.parse().is_ok_and(|format: Format| format.rules() != row.rules)
}

pub(crate) fn stored_row(
    host: &Inspector,
    row: &SourceRow,
    log: Option<&FoundLog>,
    head: Option<&Head>,
    harness: HarnessOf<'_>,
    now_ms: i64,
    figures: Option<&SessionFigures>,
) -> Result<ListedRow, ApiError> {
    let session = u32::try_from(row.id.number()).ok();
    let opened = session.and_then(|session| lock_unpoisoned(&host.opened).get(&session).cloned());
    let changed_at_ms = log.and_then(|log| log.stamp.modified_ms()).or(row.last_ms);
    let path = log.map_or_else(|| PathBuf::from(&row.path), |log| log.path.clone());
    // A log under another name is still readable; that name decides whether the log counts as deleted.
    let is_moved = path.as_path() != Path::new(&row.path);
    let gone = match &opened {
        Some(opened) if is_moved => opened.about.gone,
        Some(_) | None => log.is_none() || (is_moved && is_deleted(&path)),
    };
    let figures = match &opened {
        Some(opened) => Some(figures_of(opened)?),
        None => figures.cloned(),
    };
    let subagent = head.and_then(|head| head.subagent.clone());
    let task = head.and_then(|head| head.task.as_deref());
    let opening = head.filter(|_| is_outdated(row)).map_or(&row.opening, |head| &head.opening);
    let title = session_title(row.title.as_deref(), opening.as_deref().or(task), &path);
    let is_subagents = subagent.is_some();
    let parent = row.parent_session.clone();
    let row = SessionListRow {
        session,
        id: row.session.clone(),
        cwd: row.cwd.clone(),
        model: row.model.clone(),
        size: log.map_or(row.cursor.offset, |log| log.stamp.length),
        n_turns: figures.as_ref().map(|figures| figures.n_turns).or_else(|| u32::try_from(row.n_turns).ok()),
        tokens: figures.as_ref().map(|figures| figures.tokens),
        n_episodes: figures.as_ref().map(|figures| figures.n_episodes),
        n_problems: figures.as_ref().map(|figures| figures.n_problems),
        annotation: AnnotationPresence::from_annotated(
            figures.as_ref().map_or(row.n_marks > 0, |figures| figures.is_annotated),
        ),
        tokenizer: figures.map(|figures| figures.tokenizer),
        changed_at_ms,
        live: !gone && is_live(changed_at_ms, now_ms),
        gone,
        continues: parent.clone().filter(|_| !is_subagents && caller_of(&path).is_none()),
        subagent,
        ..blank_row(&path, harness(&path, &row.format), &row.format, title)
    };
    Ok(ListedRow { row, called_by: parent.filter(|_| is_subagents) })
}

/// `None` if the log is in no known format.
pub(crate) fn found_row(
    log: &FoundLog,
    head: &Head,
    harness: HarnessOf<'_>,
    now_ms: i64,
) -> Option<ListedRow> {
    let format = head.format?.name();
    let title =
        session_title(head.title.as_deref(), head.opening.as_deref().or(head.task.as_deref()), &log.path);
    let is_subagents = head.subagent.is_some();
    let row = SessionListRow {
        id: head.id.clone(),
        cwd: head.cwd.clone(),
        model: head.model.clone(),
        size: log.stamp.length,
        changed_at_ms: log.stamp.modified_ms(),
        live: is_live(log.stamp.modified_ms(), now_ms),
        continues: head.parent_session.clone().filter(|_| !is_subagents && caller_of(&log.path).is_none()),
        subagent: head.subagent.clone(),
        ..blank_row(&log.path, harness(&log.path, format), format, title)
    };
    Some(ListedRow { row, called_by: head.parent_session.clone().filter(|_| is_subagents) })
}

pub(crate) fn kept_row(name: &str, session: &ListedSession, now_ms: i64) -> ListedRow {
    let title = session_title(Some(&session.title), None, Path::new(&session.id));
    let row = SessionListRow {
        id: Some(session.id.clone()),
        cwd: Some(session.directory.clone()).filter(|folder| !folder.is_empty()),
        changed_at_ms: Some(session.updated_ms),
        live: is_live(Some(session.updated_ms), now_ms),
        ..blank_row(Path::new(name), session.harness.to_owned(), session.harness, title)
    };
    ListedRow { row, called_by: session.parent.clone() }
}

pub(crate) fn nest_subagents(listed: Vec<ListedRow>, complete: bool) -> Vec<SessionListRow> {
    let leaves: Vec<Leaf<'_>> = listed
        .iter()
        .map(|ListedRow { row, called_by }| Leaf {
            path: &row.path,
            id: row.id.as_deref(),
            called_by: called_by.as_deref(),
            changed_at_ms: row.changed_at_ms,
        })
        .collect();
    let nodes = build_tree(&leaves, complete);
    let rows: Vec<SessionListRow> = listed.into_iter().map(|listed| listed.row).collect();
    nodes.iter().map(|node| with_children(node, &rows, None)).collect()
}

fn with_children(node: &TreeNode, rows: &[SessionListRow], parent: Option<&str>) -> SessionListRow {
    let mut row = match &node.of {
        TreeSession::Leaf(at) => rows[*at].clone(),
        TreeSession::Missing { log, called } => {
            let child = &rows[*called];
            let name = log.file_stem().unwrap_or(log.as_os_str()).to_string_lossy().into_owned();
            SessionListRow {
                gone: true,
                archived: false,
                cwd: child.cwd.clone(),
                ..blank_row(log, child.harness.clone(), &child.format, name)
            }
        }
    };
    row.parent = parent.map(str::to_owned);
    row.children = node.children.iter().map(|child| with_children(child, rows, Some(&row.path))).collect();
    row
}
