//! Facts from a log's name and place: whether it is a log, whether it was archived, and whose subagent wrote
//! it.

use std::path::{Path, PathBuf};

/// Files with a log extension that are no logs: typed history, indexes.
const NO_LOGS: [&str; 2] = ["history.jsonl", "session_index.jsonl"];

const COPIES: [(&str, &str); 2] = [
    ("agent-acompact-", "to have it summarised before a compaction"),
    ("agent-aside_question-", "to answer a question aside"),
];

pub fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Accepts names for line-based logs, also compressed, deleted or reset ones.
pub fn is_log_name(name: &str) -> bool {
    let Some((stem, rest)) = split_extension(name) else { return false };
    !stem.is_empty()
        && (rest.is_empty() || is_put_away(rest))
        && !NO_LOGS.contains(&name)
        && purpose_of(name).is_none()
}

/// Tells whether a log is a copy of its session plus a question by the harness or the user. Claude Code makes
/// such copies to compact, and for side questions.
pub fn is_copy(path: &Path) -> bool {
    copied_for(path).is_some()
}

/// A session copy's purpose, to follow the word "copied". `None` for an original.
pub fn copied_for(path: &Path) -> Option<&'static str> {
    purpose_of(name_of(path))
}

fn purpose_of(name: &str) -> Option<&'static str> {
    COPIES.iter().find(|(start, _)| name.starts_with(start)).map(|(_, purpose)| *purpose)
}

/// Tells whether the harness compressed, archived, deleted or reset the log by renaming it.
pub fn is_archived(path: &Path) -> bool {
    let by_name = split_extension(name_of(path)).is_some_and(|(_, rest)| is_put_away(rest));
    by_name || path.parent().is_some_and(|folder| folder.ends_with("archived_sessions"))
}

pub fn is_deleted(path: &Path) -> bool {
    split_extension(name_of(path)).is_some_and(|(_, rest)| is_marked(rest))
}

pub fn uncompressed_name(path: &Path) -> Option<PathBuf> {
    let (_, rest) = split_extension(name_of(path))?;
    (rest == ".zst").then(|| path.with_extension(""))
}

fn is_put_away(rest: &str) -> bool {
    rest == ".zst" || is_marked(rest)
}

fn is_marked(rest: &str) -> bool {
    let marked = rest.strip_prefix(".deleted.").or_else(|| rest.strip_prefix(".reset."));
    marked.is_some_and(|when| !when.is_empty())
}

fn split_extension(name: &str) -> Option<(&str, &str)> {
    const END: &str = ".jsonl";
    let ends = |at: &usize| name.get(*at..*at + END.len()).is_some_and(|end| end.eq_ignore_ascii_case(END));
    let at = name.rmatch_indices('.').map(|(at, _)| at).find(ends)?;
    Some((&name[..at], &name[at + END.len()..]))
}

/// A subagent's caller, as far as the log's place tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubagentParent {
    Log(PathBuf),
    /// The session with this id, whose log is in `folder`.
    Session {
        folder: PathBuf,
        id: String,
    },
    /// A session with its log in the same folder; the subagent's log says which one.
    Beside,
}

/// `None` if the place does not mark a subagent's log.
pub fn caller_of(path: &Path) -> Option<SubagentParent> {
    beside_chats(path)
        .or_else(|| under_session(path))
        .or_else(|| of_run(path))
        .or_else(|| in_chats(path))
        .or_else(|| beside_main(path))
        .or_else(|| in_transcripts(path))
        .or_else(|| in_debug_logs(path))
        .or_else(|| name_of(path).starts_with("agent-").then_some(SubagentParent::Beside))
}

/// Qwen Code: `<project>/subagents/<session>/<log>`, beside `<project>/chats/<session>.jsonl`. Claude Code's
/// folders below `subagents` are not named after sessions.
fn beside_chats(path: &Path) -> Option<SubagentParent> {
    let session = path.parent()?;
    let subagents = session.parent().filter(|folder| folder.ends_with("subagents"))?;
    let id = name_of(session);
    let is_id = id.len() == 36 && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    is_id.then(|| SubagentParent::Session { folder: subagents.with_file_name("chats"), id: id.to_owned() })
}

/// Claude Code: `<session>/subagents/…/agent-<id>.jsonl`, beside `<session>.jsonl`.
fn under_session(path: &Path) -> Option<SubagentParent> {
    if !name_of(path).starts_with("agent-") {
        return None;
    }
    let folder = path.ancestors().skip(1).find(|folder| folder.ends_with("subagents"))?;
    Some(SubagentParent::Log(log_of(folder.parent()?)?))
}

/// Subagents in pi: `<stem of the caller's log>/<hash>/run-<n>/session.jsonl`.
fn of_run(path: &Path) -> Option<SubagentParent> {
    let run = path.parent().filter(|_| name_of(path) == "session.jsonl")?;
    let number = name_of(run).strip_prefix("run-")?;
    if number.is_empty() || !number.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    Some(SubagentParent::Log(log_of(run.parent()?.parent()?)?))
}

/// Kimi Code: `<session>/agents/<agent>/wire.jsonl`, beside `<session>/agents/main/wire.jsonl`.
fn beside_main(path: &Path) -> Option<SubagentParent> {
    let agent = path.parent().filter(|_| name_of(path) == "wire.jsonl")?;
    let agents = agent.parent().filter(|agents| agents.ends_with("agents"))?;
    (name_of(agent) != "main").then(|| SubagentParent::Log(agents.join("main").join("wire.jsonl")))
}

/// Cursor: `agent-transcripts/<session>/subagents/<id>.jsonl`, beside `<session>/<session>.jsonl`.
fn in_transcripts(path: &Path) -> Option<SubagentParent> {
    let session = path.parent().filter(|folder| folder.ends_with("subagents"))?.parent()?;
    let is_in = session.parent().is_some_and(|folder| folder.ends_with("agent-transcripts"));
    is_in.then(|| SubagentParent::Log(session.join(name_of(session)).with_extension("jsonl")))
}

/// VS Code Copilot Chat: `debug-logs/<session>/runSubagent-<name>-<id>.jsonl`, beside `main.jsonl`.
fn in_debug_logs(path: &Path) -> Option<SubagentParent> {
    let session = path.parent().filter(|_| is_named_as_subagents(name_of(path)))?;
    let is_in = session.parent().is_some_and(|folder| folder.ends_with("debug-logs"));
    is_in.then(|| SubagentParent::Log(session.join("main.jsonl")))
}

/// Tells a subagent's log from those of titles and prompts, in VS Code's folder of a session.
pub fn is_named_as_subagents(name: &str) -> bool {
    ["runSubagent-", "searchSubagent-"].iter().any(|label| name.starts_with(label))
}

/// Gemini CLI: `chats/<session>/<id>.jsonl`, beside `chats/session-<time>-<start of the id>.jsonl`.
fn in_chats(path: &Path) -> Option<SubagentParent> {
    let session = path.parent()?;
    let chats = session.parent().filter(|chats| chats.ends_with("chats"))?;
    let id = name_of(session);
    (!id.is_empty()).then(|| SubagentParent::Session { folder: chats.to_owned(), id: id.to_owned() })
}

fn log_of(folder: &Path) -> Option<PathBuf> {
    let mut name = folder.file_name()?.to_owned();
    name.push(".jsonl");
    Some(folder.with_file_name(name))
}

/// Session id characters in Gemini CLI's log names.
const ID_IN_NAME: usize = 8;

/// Tells whether a log's name is the id (Qwen Code), or ends with the start of the id (Gemini CLI).
pub fn is_named_after(path: &Path, id: &str) -> bool {
    let name = name_of(path);
    let stem = name.strip_suffix(".jsonl").or_else(|| name.strip_suffix(".json")).unwrap_or(name);
    let start = id.get(..ID_IN_NAME).unwrap_or(id);
    !start.is_empty() && (stem == id || stem.rsplit('-').next() == Some(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_logs() {
        for (name, is_log, archived, deleted) in [
            ("a.jsonl", true, false, false),
            ("A.JSONL", true, false, false),
            ("a.b.jsonl", true, false, false),
            ("a.jsonl.zst", true, true, false),
            ("a.jsonl.deleted.2026-01-02T03-04-05.000Z", true, true, true),
            ("a.jsonl.reset.2026-01-02T03-04-05.000Z", true, true, true),
            ("a.jsonl.jsonl", true, false, false),
            ("a.jsonl.deleted.", false, false, false),
            ("a.jsonl.tmp", false, false, false),
            (".jsonl", false, false, false),
            ("jsonl", false, false, false),
            ("a.json", false, false, false),
            ("history.jsonl", false, false, false),
            ("session_index.jsonl", false, false, false),
            ("agent-1f.jsonl", true, false, false),
            ("agent-acompact-1f2e.jsonl", false, false, false),
            ("agent-aside_question-1f2e.jsonl", false, false, false),
            ("ä.jsonl", true, false, false),
            ("", false, false, false),
        ] {
            let path = Path::new("/s").join(name);
            assert_eq!(is_log_name(name), is_log, "{name} is a log");
            assert_eq!((is_archived(&path), is_deleted(&path)), (archived, deleted), "{name}");
        }
        assert!(is_archived(Path::new("/c/archived_sessions/rollout-1.jsonl")));
        assert_eq!(uncompressed_name(Path::new("/c/a.jsonl.zst")), Some("/c/a.jsonl".into()));
        assert_eq!(uncompressed_name(Path::new("/c/a.jsonl")), None);
    }

    #[test]
    fn places_of_subagents() {
        let log = |path: &str| Some(SubagentParent::Log(path.into()));
        let in_chats = |folder: &str, id: &str| {
            Some(SubagentParent::Session { folder: folder.into(), id: id.to_owned() })
        };
        for (path, expected) in [
            ("/c/-home-a/11.jsonl", None),
            ("/c/-home-a/11/subagents/agent-1f.jsonl", log("/c/-home-a/11.jsonl")),
            ("/c/-home-a/11/subagents/deep/er/agent-1f.jsonl", log("/c/-home-a/11.jsonl")),
            ("/c/-home-a/agent-1f3a9c2.jsonl", Some(SubagentParent::Beside)),
            ("/p/--a--/2026_0.jsonl", None),
            ("/p/--a--/2026_0/ab12/run-0/session.jsonl", log("/p/--a--/2026_0.jsonl")),
            (
                "/p/--a--/2026_0/ab/run-0/session/cd/run-12/session.jsonl",
                log("/p/--a--/2026_0/ab/run-0/session.jsonl"),
            ),
            ("/p/--a--/2026_0/ab12/run-x/session.jsonl", None),
            ("/p/--a--/2026_0/ab12/run-/session.jsonl", None),
            ("/p/session.jsonl", None),
            ("/g/ab/chats/session-2026-01-02T03-04-aabbccdd.jsonl", None),
            ("/g/ab/chats/aabbccdd-0/sub.jsonl", in_chats("/g/ab/chats", "aabbccdd-0")),
            (
                "/q/-a/subagents/6b1f0c2d-0000-4000-8000-000000000001/agent-x.jsonl",
                in_chats("/q/-a/chats", "6b1f0c2d-0000-4000-8000-000000000001"),
            ),
            (
                "/c/p/agent-transcripts/5f-1/subagents/6a-2.jsonl",
                log("/c/p/agent-transcripts/5f-1/5f-1.jsonl"),
            ),
            ("/c/p/agent-transcripts/5f-1/5f-1.jsonl", None),
            ("/v/debug-logs/5f-1/runSubagent-Explore-6a-2.jsonl", log("/v/debug-logs/5f-1/main.jsonl")),
            ("/v/debug-logs/5f-1/title-6a-2.jsonl", None),
            ("/v/debug-logs/5f-1/main.jsonl", None),
            ("run-0/session.jsonl", None),
            ("subagents/agent-1.jsonl", Some(SubagentParent::Beside)),
            ("/", None),
        ] {
            assert_eq!(caller_of(Path::new(path)), expected, "{path}");
        }
        let named = |name: &str, id: &str| is_named_after(Path::new(name), id);
        assert!(named("/g/chats/session-2026-01-02T03-04-aabbccdd.json", "aabbccdd-1122-3344"));
        assert!(!named("/g/chats/session-2026-01-02T03-04-aabbccdd.json", "aabbccde-1122-3344"));
        assert!(named("/q/chats/aabbccdd-1122-3344.jsonl", "aabbccdd-1122-3344"));
        assert!(!named("/g/chats/session-2026-01-02T03-04-.json", ""));
    }
}
