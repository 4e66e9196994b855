//! A subagent's task: as its call put it, from a file beside the log, else from its prompt's start.

use std::path::Path;

use serde_json::Value;

use crate::head::read_head;
use crate::read_beginning;
use cwl_formats::layout::{caller_of, name_of};
use cwl_formats::title::first_words;

/// Maximum number of bytes read from a file beside a log.
const LIMIT: u64 = 64 << 10;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SubagentCall {
    pub(crate) description: Option<String>,
    pub(crate) agent: Option<String>,
}

/// Reads Claude Code's note about the call: `agent-<id>.meta.json` beside `agent-<id>.jsonl`. A missing or
/// odd file counts as empty.
pub(crate) fn call_beside(log: &Path) -> SubagentCall {
    let name = name_of(log);
    let Some(stem) = name.strip_suffix(".jsonl").filter(|stem| stem.starts_with("agent-")) else {
        return SubagentCall::default();
    };
    let beside = log.with_file_name(format!("{stem}.meta.json"));
    let noted = read_beginning(&beside, LIMIT).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let noted: Value = noted.unwrap_or_default();
    let words = |key: &str| {
        let text = noted.get(key).and_then(Value::as_str).map(first_words);
        text.filter(|text| !text.is_empty())
    };
    SubagentCall { description: words("description"), agent: words("agentType") }
}

/// The task of the subagent that wrote a log. `None` if the log's place does not mark a subagent's log.
pub fn task_of(log: &Path) -> Option<String> {
    caller_of(log)?;
    read_head(log).0.task
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const PROMPT: &str = concat!(
        r#"{"parentUuid":null,"isSidechain":true,"userType":"external","cwd":"/w","sessionId":"s","version":"2.1.79","#,
        r#""agentId":"a1","type":"user","message":{"role":"user","content":"  Look at\nall of it."},"uuid":"u","#,
        r#""timestamp":"2026-01-19T09:13:09.950Z"}"#,
        "\n"
    );

    /// Finds the task with `beside` as the file beside the log.
    fn check(beside: Option<&[u8]>, task: &str, agent: Option<&str>) {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("agent-a1.jsonl");
        std::fs::write(&log, PROMPT).unwrap();
        if let Some(bytes) = beside {
            std::fs::write(dir.path().join("agent-a1.meta.json"), bytes).unwrap();
        }
        let shown = beside.map(String::from_utf8_lossy);
        let head = read_head(&log).0;
        assert_eq!((head.task.as_deref(), head.opening), (Some(task), None), "{shown:?}");
        assert_eq!(head.subagent.as_deref(), agent.or(Some("a1")), "{shown:?}");
        assert_eq!(task_of(&log).as_deref(), Some(task));
    }

    #[test]
    fn a_subagent_is_told_by_its_call_else_by_its_prompt() {
        check(None, "Look at", None);
        check(Some(br#"{"agentType":"Explore","description":"Map it\nall"}"#), "Map it", Some("Explore"));
        check(Some(br#"{"agentType":"Explore"}"#), "Look at", Some("Explore"));
        check(Some(br#"{"agentType":7,"description":"  "}"#), "Look at", None);
        for broken in [&b"{"[..], b"[]", b"", b"\xFF", &[b'['; 100_000]] {
            check(Some(broken), "Look at", None);
        }
    }

    #[test]
    fn who_is_no_subagent_has_no_task() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("s1.jsonl");
        std::fs::write(&log, PROMPT.replace("true", "false").replace(r#""agentId":"a1","#, "")).unwrap();
        std::fs::write(dir.path().join("s1.meta.json"), r#"{"description":"Map it"}"#).unwrap();
        let head = read_head(&log).0;
        assert_eq!((head.task, head.opening.as_deref()), (None, Some("Look at")));
        assert_eq!(task_of(&log), None);
        assert_eq!(task_of(&dir.path().join("agent-none.jsonl")), None);
    }
}
