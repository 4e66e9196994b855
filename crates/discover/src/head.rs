//! Heads: facts from a log's first bytes, cached as long as the log only grows.

use std::collections::HashMap;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use cwl_engine::{EventBody, ParsedEvent};
use cwl_formats::layout::caller_of;
use cwl_formats::title::{opening_of, prompt_of};
use cwl_formats::{Compression, Format, HEAD, detect_format, parse_log, plain_beginning};
use cwl_tail::{FileStamp, TailError, open_log};
use rayon::prelude::*;

use crate::catalogue::FoundLog;
use crate::cut::{close_document, closed_in_text};
use crate::lock_unpoisoned;
use crate::task::call_beside;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// `None` if the log is in no known format.
    pub format: Option<Format>,
    pub forbidden: bool,
    pub id: Option<String>,
    pub title: Option<String>,
    /// The first human message's start.
    pub opening: Option<String>,
    pub cwd: Option<String>,
    pub model: Option<String>,
    /// The session or log that called this subagent, or that this session continues.
    pub parent_session: Option<String>,
    /// Kind, name or id, if a subagent wrote the log: `Explore`, ….
    pub subagent: Option<String>,
    pub task: Option<String>,
}

/// Maximum number of bytes read for a head: harnesses may write much before the first request.
const FAR: usize = 1 << 20;
pub const TOGETHER: usize = 32;
/// Bytes read first; usually enough for a row in the list.
const FIRST: usize = 16 << 10;

#[derive(Debug, Clone)]
struct CachedHead {
    stamp: FileStamp,
    /// Bytes read from the start; fewer than requested if the log ends there.
    n_read: u64,
    head: Arc<Head>,
}

#[derive(Debug, Default)]
pub struct Heads {
    known: Mutex<HashMap<PathBuf, CachedHead>>,
    n_read: AtomicUsize,
}

impl Heads {
    pub fn cached_head(&self, path: &Path, stamp: &FileStamp) -> Option<Arc<Head>> {
        let known = lock_unpoisoned(&self.known);
        let CachedHead { stamp: then, n_read, head } = known.get(path)?;
        // A log that is still the same file, and did not end within its head, only grew after it.
        let has_grown =
            then.identity == stamp.identity && *n_read < then.length && then.length <= stamp.length;
        (then == stamp || has_grown).then(|| Arc::clone(head))
    }

    pub fn read_head(&self, path: &Path, stamp: &FileStamp) -> Arc<Head> {
        if let Some(head) = self.cached_head(path, stamp) {
            return head;
        }
        self.n_read.fetch_add(1, Ordering::Relaxed);
        let (head, n_read) = read_head(path);
        let known = CachedHead { stamp: *stamp, n_read, head: Arc::new(head) };
        let head = Arc::clone(&known.head);
        lock_unpoisoned(&self.known).insert(path.to_owned(), known);
        head
    }

    /// Reads several logs' heads, at most until `until`. Returns how many are left.
    pub fn read_all(&self, logs: &[FoundLog], until: Option<Instant>) -> usize {
        for (at, some) in logs.chunks(TOGETHER).enumerate() {
            if at > 0 && until.is_some_and(|until| Instant::now() >= until) {
                return logs.len() - at * TOGETHER;
            }
            some.par_iter().for_each(|log| drop(self.read_head(&log.path, &log.stamp)));
        }
        0
    }

    pub fn unreadable_logs(&self) -> Vec<PathBuf> {
        let known = lock_unpoisoned(&self.known);
        let mut logs: Vec<PathBuf> =
            known.iter().filter(|(_, known)| known.head.forbidden).map(|(path, _)| path.clone()).collect();
        logs.sort_unstable();
        logs
    }

    pub fn forget_log(&self, path: &Path) {
        lock_unpoisoned(&self.known).remove(path);
    }

    /// How many reads there were, for tests.
    pub fn n_read(&self) -> usize {
        self.n_read.load(Ordering::Relaxed)
    }
}

/// Reads a log's first bytes, and the file beside a subagent's log. Also returns how many bytes of the log
/// were read. An unreadable log, or one in no known format, has an empty head.
pub(crate) fn read_head(path: &Path) -> (Head, u64) {
    let (mut head, n_read) = read_log(path);
    if head.subagent.is_none() && caller_of(path).is_none() {
        // Only a subagent's task counts; a harness adds texts to any session.
        head.task = None;
    } else if head.format.is_some() {
        let call = call_beside(path);
        head.task = call.description.or(head.task);
        head.subagent = call.agent.or(head.subagent);
    }
    (head, n_read)
}

fn read_log(path: &Path) -> (Head, u64) {
    let mut bytes = Vec::new();
    let file = match open_log(path) {
        Ok(file) => file,
        Err(error) => {
            let forbidden = matches!(&error, TailError::Read { source, .. } if source.kind() == ErrorKind::PermissionDenied);
            return (Head { forbidden, ..Head::default() }, 0);
        }
    };
    if (&file).take(FIRST as u64).read_to_end(&mut bytes).is_err() {
        return (Head::default(), 0);
    }
    let head = head_of(&bytes, FIRST);
    let is_tasked = head.subagent.is_some() && head.task.is_some();
    let is_told = head.opening.is_some()
        || is_tasked
        || (head.format.is_none() && Compression::detect(&bytes).is_none());
    if is_told || bytes.len() < FIRST {
        return (head, bytes.len() as u64);
    }
    read_on(&file, head, bytes)
}

fn read_on(file: &File, mut head: Head, mut bytes: Vec<u8>) -> (Head, u64) {
    for limit in [HEAD, FAR / 4, FAR] {
        // A failed read is tried again when the log changes; the bytes so far are still useful.
        let n_before = bytes.len();
        if file.take((limit - n_before) as u64).read_to_end(&mut bytes).is_ok() {
            head = head_of(&bytes, limit);
        }
        let is_packed = Compression::detect(&bytes).is_some();
        if head.opening.is_some() || head.format.is_none() || is_packed || bytes.len() < limit {
            break;
        }
    }
    (head, bytes.len() as u64)
}

/// Parses a log's first bytes. If there are `limit` bytes, the log may have more.
fn head_of(bytes: &[u8], limit: usize) -> Head {
    let is_packed = Compression::detect(bytes).is_some();
    let limit = if is_packed { HEAD } else { limit };
    let bytes = &*plain_beginning(bytes, HEAD);
    let Ok(format) = detect_format(bytes) else { return Head::default() };
    if bytes.len() < limit {
        return told_by(format, &parse_log(format, bytes).0);
    }
    // A line cut by the limit is unreliable.
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    let head = told_by(format, &parse_log(format, &bytes[..whole]).0);
    let says_nothing = head == Head { format: Some(format), ..Head::default() };
    // A single document; these bytes are its beginning.
    let document = close_document(bytes).filter(|_| says_nothing);
    let head = document.map_or(head, |document| told_by(format, &parse_log(format, &document).0));
    // A cut text could be mistaken for the human's, so it is used only once no more can be read.
    if head.opening.is_some() || limit < FAR && !is_packed {
        return head;
    }
    // The human's first words may be longer than the bytes read.
    let cut = if whole == 0 { bytes } else { &bytes[whole + 1..] };
    let Some(line) = closed_in_text(cut) else { return head };
    let with_line = told_by(format, &parse_log(format, &[&bytes[..whole], b"\n", &line].concat()).0);
    if with_line.opening.is_some() { with_line } else { head }
}

fn told_by(format: Format, events: &[ParsedEvent]) -> Head {
    let mut head = Head { format: Some(format), ..Head::default() };
    let mut has_header = false;
    let text = |text: &Option<Box<str>>| text.as_deref().map(str::to_owned);
    for parsed in events {
        match &parsed.event.body {
            EventBody::Header(header) => {
                if !std::mem::replace(&mut has_header, true) {
                    // A fork may repeat its original's header after its own.
                    head.id = header.session.as_ref().map(ToString::to_string);
                    head.parent_session = text(&header.parent_session);
                    head.subagent = text(&header.subagent);
                }
                head.cwd = head.cwd.or_else(|| text(&header.cwd));
                head.model = head.model.or_else(|| text(&header.model));
            }
            EventBody::Title(title) => head.title = title.as_deref().map(str::to_owned),
            EventBody::ModelChange { model } => head.model = Some(model.to_string()),
            EventBody::Message(_) | EventBody::Compaction(_) | EventBody::Rewrite(_) => {
                if head.opening.is_none() {
                    head.opening = opening_of(parsed);
                }
                head.task = head.task.or_else(|| prompt_of(parsed));
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

    const HEADER: &str =
        r#"{"type":"session","version":3,"id":"s1","cwd":"/never/touched","parentSession":"/s/0.jsonl"}"#;
    const PROMPT: &str =
        r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"  Fix it\nnow"}}"#;

    fn stamp(path: &Path) -> FileStamp {
        FileStamp::from_metadata(&std::fs::metadata(path).unwrap())
    }

    #[test]
    fn a_head_tells_what_a_list_shows() {
        let head = head_of(format!("{HEADER}\n{PROMPT}\n").as_bytes(), FIRST);
        assert_eq!(head.format, Some(Format::Pi));
        assert_eq!((head.id.as_deref(), head.cwd.as_deref()), (Some("s1"), Some("/never/touched")));
        assert_eq!(
            (head.opening.as_deref(), head.parent_session.as_deref()),
            (Some("Fix it"), Some("/s/0.jsonl"))
        );
        assert_eq!(head_of(&[0, 1, 2], FIRST), Head::default());
        assert_eq!(head_of(b"", FIRST), Head::default());
        assert_eq!(read_head(Path::new("/no/such/log.jsonl")), (Head::default(), 0));
        let long = format!("{HEADER}\n{PROMPT}\n{}", "x".repeat(2 * HEAD));
        assert_eq!(
            head_of(&long.as_bytes()[..HEAD], HEAD).opening.as_deref(),
            Some("Fix it"),
            "a line is cut"
        );
    }

    #[test]
    fn a_first_message_that_is_longer_than_the_head_makes_a_title() {
        let pasted = format!("  Read this\\n{}", "QUJD".repeat(FAR));
        let row = |text: &str| {
            format!(
                r#"{{"type":"message","id":"a","parentId":null,"message":{{"role":"user","content":"{text}"}}}}"#
            )
        };
        let claude = format!(
            r#"{{"parentUuid":null,"isSidechain":false,"sessionId":"s","cwd":"/p","type":"user","message":{{"role":"user","content":[{{"type":"text","text":"{pasted}"}}]}},"uuid":"u"}}"#
        );
        let snapshot = r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#;
        for log in [
            format!("{HEADER}\n{}\n", row(&pasted)),
            format!("{claude}\n"),
            format!("{snapshot}\n{claude}\n"),
        ] {
            let head = head_of(&log.as_bytes()[..FAR], FAR);
            assert_eq!(head.opening.as_deref(), Some("Read this"), "{}", &log[..80]);
        }
    }

    #[test]
    fn what_stands_before_the_first_request_may_be_long() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.jsonl");
        let claude = |content: &str| {
            format!(
                r#"{{"parentUuid":null,"isSidechain":false,"sessionId":"s","cwd":"/p","type":"user","message":{{"role":"user","content":{content}}},"uuid":"u"}}"#
            )
        };
        let codex = |kind: &str, rest: &str| {
            format!(r#"{{"timestamp":"2026-09-01T09:00:20.000Z","type":"{kind}","payload":{rest}}}"#)
        };
        let said = |role: &str, text: &str| {
            codex(
                "response_item",
                &format!(
                    r#"{{"type":"message","role":"{role}","content":[{{"type":"input_text","text":"{text}"}}]}}"#
                ),
            )
        };
        let long = "QUJD".repeat(HEAD / 2);
        let check = |log: &str| {
            std::fs::write(&path, log).unwrap();
            assert_eq!(read_head(&path).0.opening.as_deref(), Some("Fix it"), "{}", &log[..60]);
        };
        let image = format!(
            r#"[{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{long}"}}}},{{"type":"text","text":"Fix it"}}]"#
        );
        check(&format!("{}\n", claude(&image)));
        let queued = format!(
            r#"{{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"{long}"}}"#
        );
        check(&format!("{queued}\n{}\n", claude("\"Fix it\"")));
        let meta = codex(
            "session_meta",
            &format!(r#"{{"id":"s","cwd":"/p","base_instructions":{{"text":"{long}"}}}}"#),
        );
        let notes =
            said("user", &format!("# AGENTS.md instructions for /p <INSTRUCTIONS>{long}</INSTRUCTIONS>"));
        check(&format!("{meta}\n{notes}\n{}\n", said("user", "Fix it")));
    }

    #[test]
    fn a_packed_log_has_the_head_of_what_is_in_it() {
        let log = format!("{HEADER}\n{PROMPT}\n{}", "{\"type\":\"custom\"}\n".repeat(HEAD));
        let packed = zstd::encode_all(log.as_bytes(), 3).unwrap();
        assert_eq!(head_of(&packed, FIRST), head_of(&log.as_bytes()[..HEAD], HEAD));
        assert_eq!(head_of(&packed, FIRST).opening.as_deref(), Some("Fix it"));
        // A cut or damaged file gives what can be decompressed.
        for end in 0..packed.len().min(200) {
            head_of(&packed[..end], FIRST);
        }
    }

    #[test]
    fn a_head_is_read_again_only_when_it_may_have_changed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.jsonl");
        let heads = Heads::default();
        let check = |text: &str, n_read: usize, why: &str| {
            std::fs::write(&path, text).unwrap();
            let head = heads.read_head(&path, &stamp(&path));
            assert_eq!(heads.n_read(), n_read, "{why}");
            head
        };
        let short = format!("{HEADER}\n");
        check(&short, 1, "the first time");
        heads.read_head(&path, &stamp(&path));
        assert_eq!(heads.n_read(), 1, "nothing has changed");
        let long = format!("{HEADER}\n{PROMPT}\n{}", " ".repeat(HEAD));
        assert_eq!(check(&long, 2, "it was short, and has grown").opening.as_deref(), Some("Fix it"));
        check(&format!("{long}{PROMPT}\n"), 2, "its head was whole, and it has grown");
        check(&short, 3, "it was truncated");
        std::fs::remove_file(&path).unwrap();
        assert!(
            heads
                .cached_head(Path::new("/other"), &FileStamp::from_metadata(&dir.path().metadata().unwrap()))
                .is_none()
        );
    }
}
