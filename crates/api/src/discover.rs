//! Discovery: which logs there are in the folders where harnesses keep them.
//!
//! Only these folders are looked into. Working directories that a log names are shown, never touched.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use cwl_engine::EventBody;
use cwl_formats::{Format, detect, parse};

use crate::load::{HEAD, opening_of};

/// No more logs than this are listed.
const LOGS_LISTED: usize = 20_000;
/// Folders are not looked into deeper than this.
const DEPTH: usize = 8;

/// A log file as a folder shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundLog {
    pub(crate) path: PathBuf,
    /// Bytes.
    pub(crate) size: u64,
    /// Milliseconds since 1970.
    pub(crate) changed_at_ms: Option<i64>,
}

/// What the first bytes of a log tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) format: Option<Format>,
    pub(crate) id: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) opening: Option<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) model: Option<String>,
}

/// Returns the folders where harnesses keep logs: of pi, of pi-cwl, and where `PI_CODING_AGENT_DIR` says.
pub(crate) fn default_folders() -> Vec<PathBuf> {
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    folders_of(home.as_deref(), std::env::var_os("PI_CODING_AGENT_DIR"))
}

fn folders_of(home: Option<&Path>, agent_dir: Option<OsString>) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    folders.extend(agent_dir.filter(|dir| !dir.is_empty()).map(|dir| PathBuf::from(dir).join("sessions")));
    if let Some(home) = home {
        folders.push(home.join(".pi/agent/sessions"));
        folders.push(home.join(".claude/agent/sessions"));
    }
    let mut seen = std::collections::BTreeSet::new();
    folders.retain(|folder| seen.insert(folder.clone()));
    folders
}

/// Lists the logs below some folders, at any depth; links to folders are not gone into.
pub(crate) fn logs_below(folders: &[PathBuf]) -> Vec<FoundLog> {
    let mut found = Vec::new();
    let mut open: Vec<(PathBuf, usize)> = folders.iter().map(|folder| (folder.clone(), 0)).collect();
    while let Some((folder, depth)) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_dir() && depth < DEPTH {
                open.push((path, depth + 1));
            } else if kind.is_file()
                && path.extension().is_some_and(|extension| extension == "jsonl")
                && let Ok(metadata) = entry.metadata()
            {
                found.push(FoundLog { path, size: metadata.len(), changed_at_ms: changed_at_ms(&metadata) });
            }
        }
        if found.len() >= LOGS_LISTED {
            break;
        }
    }
    found.sort_by(|a, b| b.changed_at_ms.cmp(&a.changed_at_ms).then_with(|| a.path.cmp(&b.path)));
    found.truncate(LOGS_LISTED);
    found
}

/// Returns when a file last changed, milliseconds since 1970.
pub(crate) fn changed_at_ms(metadata: &std::fs::Metadata) -> Option<i64> {
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(changed.as_millis()).ok()
}

/// Reads the first 64 KiB of a log.
pub(crate) fn read_head(path: &Path) -> Head {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(HEAD as u64).read_to_end(&mut bytes));
    if read.is_err() {
        return Head::default();
    }
    head_of(&bytes)
}

fn head_of(bytes: &[u8]) -> Head {
    let Ok(format) = detect(bytes) else { return Head::default() };
    // A line that the window cuts says nothing reliable.
    let whole =
        if bytes.len() < HEAD { bytes.len() } else { bytes.iter().rposition(|b| *b == b'\n').unwrap_or(0) };
    let (events, _) = parse(format, &bytes[..whole]);
    let mut head = Head { format: Some(format), ..Head::default() };
    for parsed in &events {
        match &parsed.event.body {
            EventBody::Header(header) => {
                head.id = head.id.or_else(|| header.session.as_ref().map(ToString::to_string));
                head.cwd = head.cwd.or_else(|| header.cwd.as_deref().map(str::to_owned));
                head.model = head.model.or_else(|| header.model.as_deref().map(str::to_owned));
            }
            EventBody::Title(title) => head.title = title.as_deref().map(str::to_owned),
            EventBody::ModelChange { model } => head.model = Some(model.to_string()),
            EventBody::Message(_) | EventBody::Compaction(_) | EventBody::Rewrite(_) => {
                if head.opening.is_none() {
                    head.opening = opening_of(parsed);
                }
            }
            EventBody::Usage(_)
            | EventBody::Label { .. }
            | EventBody::Quiet { .. }
            | EventBody::Opaque { .. } => {}
        }
    }
    head
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn folders_of_harnesses() {
        let check = |home: Option<&str>, agent: Option<&str>, expected: &[&str]| {
            let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(folders_of(home.map(Path::new), agent.map(OsString::from)), expected);
        };
        check(None, None, &[]);
        check(Some("/h"), None, &["/h/.pi/agent/sessions", "/h/.claude/agent/sessions"]);
        check(Some("/h"), Some(""), &["/h/.pi/agent/sessions", "/h/.claude/agent/sessions"]);
        check(Some("/h"), Some("/h/.pi/agent"), &["/h/.pi/agent/sessions", "/h/.claude/agent/sessions"]);
        check(Some("/h"), Some("/a"), &["/a/sessions", "/h/.pi/agent/sessions", "/h/.claude/agent/sessions"]);
    }

    #[test]
    fn logs_and_their_heads() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("--home-me--");
        std::fs::create_dir_all(&inner).unwrap();
        let log = concat!(
            r#"{"type":"session","version":3,"id":"s1","cwd":"/never/touched"}"#,
            "\n",
            r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"  Fix it\nnow"}}"#,
            "\n"
        );
        std::fs::write(inner.join("a.jsonl"), log).unwrap();
        std::fs::write(inner.join("notes.txt"), log).unwrap();
        std::fs::write(dir.path().join("b.jsonl"), [0, 1, 2]).unwrap();
        let found = logs_below(&[dir.path().to_owned(), dir.path().join("missing")]);
        let names: std::collections::BTreeSet<_> =
            found.iter().map(|log| log.path.file_name().unwrap().to_string_lossy().into_owned()).collect();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["a.jsonl", "b.jsonl"]);
        let head = read_head(&inner.join("a.jsonl"));
        assert_eq!(head.format, Some(Format::Pi));
        assert_eq!((head.id.as_deref(), head.cwd.as_deref()), (Some("s1"), Some("/never/touched")));
        assert_eq!(head.opening.as_deref(), Some("Fix it"));
        assert_eq!(read_head(&dir.path().join("b.jsonl")), Head::default());
    }
}
