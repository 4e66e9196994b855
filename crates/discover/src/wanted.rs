//! Rules for the harnesses' folders, one per layout: which names are logs, and which folders to enter.

use std::path::Path;

use cwl_tail::EntryKind;

use crate::opencode::storage::{StorageFile, storage_file};
use cwl_formats::layout::{is_log_name, name_of};

const DEPTH: usize = 10;

pub(crate) fn depth_below(below: &Path) -> usize {
    below.components().count()
}

pub(crate) fn folder_at_depth(below: &Path, number: usize) -> Option<&str> {
    below.iter().nth(number.checked_sub(1)?)?.to_str()
}

/// `<project>/<log>`, and subagents' logs below `<project>/<session>/`.
pub(crate) fn sessions_of_projects(below: &Path, kind: EntryKind) -> bool {
    match kind {
        EntryKind::Folder => depth_below(below) <= DEPTH,
        EntryKind::File => is_log_name(name_of(below)),
    }
}

/// `<log>`, and logs of subagents in a folder with its name; also `--<project>--/<log>`, as in pi's own
/// folder.
///
/// The user named the folder, which may hold much that is not pi's.
pub(crate) fn sessions_in_named(below: &Path, kind: EntryKind) -> bool {
    let top = folder_at_depth(below, 1).unwrap_or_default();
    let is_project = top.starts_with("--") && top.ends_with("--");
    let is_of_session = top.starts_with(|first: char| first.is_ascii_digit()) && top.contains('_');
    match (kind, depth_below(below)) {
        (EntryKind::Folder, n) => n <= DEPTH && (is_project || is_of_session),
        (EntryKind::File, _) => is_log_name(name_of(below)),
    }
}

/// `<agent>/sessions/<log>`.
pub(crate) fn sessions_of_agents(below: &Path, kind: EntryKind) -> bool {
    match (kind, depth_below(below)) {
        (EntryKind::Folder, 1) => true,
        (EntryKind::Folder, 2) => folder_at_depth(below, 2) == Some("sessions"),
        (EntryKind::Folder, _) => false,
        (EntryKind::File, 3) => is_log_name(name_of(below)),
        (EntryKind::File, _) => false,
    }
}

/// `<project>/<log>` and `<project>/<session>/subagents/…/<log>`, beside large tool outputs.
pub(crate) fn of_claude_code(below: &Path, kind: EntryKind) -> bool {
    let is_of_subagents = || folder_at_depth(below, 3) == Some("subagents");
    match (kind, depth_below(below)) {
        (EntryKind::Folder, 1) => true,
        (EntryKind::Folder, 2) => folder_at_depth(below, 2) != Some("memory"),
        (EntryKind::Folder, n) => n <= DEPTH && is_of_subagents(),
        (EntryKind::File, 2) => is_log_name(name_of(below)),
        (EntryKind::File, n) => n >= 4 && is_of_subagents() && is_log_name(name_of(below)),
    }
}

/// `<year>/<month>/<day>/rollout-….jsonl`, or flat for archived logs; idle logs may be compressed.
pub(crate) fn is_rollout(below: &Path, kind: EntryKind) -> bool {
    match kind {
        EntryKind::Folder => depth_below(below) <= 3,
        EntryKind::File => name_of(below).starts_with("rollout-") && is_log_name(name_of(below)),
    }
}

/// `<session>/events.jsonl`, beside the session's plans, checkpoints and other files.
pub(crate) fn events_of_sessions(below: &Path, kind: EntryKind) -> bool {
    match kind {
        EntryKind::Folder => depth_below(below) == 1,
        EntryKind::File => depth_below(below) == 2 && name_of(below) == "events.jsonl",
    }
}

/// Kimi Code: `<project>/<session>/agents/<agent>/wire.jsonl`, beside each agent's media and the session's state.
pub(crate) fn wire_of_agents(below: &Path, kind: EntryKind) -> bool {
    let is_in_agents = || folder_at_depth(below, 3) == Some("agents");
    match (kind, depth_below(below)) {
        (EntryKind::Folder, n) => n <= 2 || n <= 4 && is_in_agents(),
        (EntryKind::File, n) => n == 5 && is_in_agents() && name_of(below) == "wire.jsonl",
    }
}

/// `<project>/chats/session-….json` or `.jsonl`. Subagents: `<project>/chats/<session>/<log>` (Gemini CLI),
/// or `<project>/subagents/<session>/<log>` (Qwen Code, with old chats in `<project>/chats/archive`).
pub(crate) fn is_chat(below: &Path, kind: EntryKind) -> bool {
    let folder = folder_at_depth(below, 2);
    let is_in_chats = || folder == Some("chats");
    let is_in_either = || is_in_chats() || folder == Some("subagents");
    match (kind, depth_below(below)) {
        (EntryKind::Folder, 1) => true,
        (EntryKind::Folder, n) => n <= 3 && is_in_either(),
        (EntryKind::File, 3) => is_in_chats() && (is_old_chat(below) || is_log_name(name_of(below))),
        (EntryKind::File, 4) => is_in_either() && is_log_name(name_of(below)),
        (EntryKind::File, _) => false,
    }
}

/// A single JSON document, rewritten at each change.
fn is_old_chat(below: &Path) -> bool {
    let name = name_of(below);
    name.starts_with("session-") && name.ends_with(".json")
}

/// `opencode.db` and its write-ahead log, which changes when the database does not; before 1.2
/// `storage/session/<project>/<session>.json`.
pub(crate) fn of_opencode(below: &Path, kind: EntryKind) -> bool {
    match (kind, depth_below(below)) {
        (EntryKind::Folder, 1) => folder_at_depth(below, 1) == Some("storage"),
        (EntryKind::Folder, 2 | 3) => folder_at_depth(below, 2) == Some("session"),
        (EntryKind::Folder, _) => false,
        (EntryKind::File, 1) => is_database(below),
        (EntryKind::File, _) => matches!(storage_file(below), Some(StorageFile::Session(_))),
    }
}

/// Like [`of_opencode`], and `storage/message/<session>/<message>.json`: far too many to list, but the only
/// sign that a session continues.
pub(crate) fn of_opencode_and_messages(below: &Path, kind: EntryKind) -> bool {
    of_opencode(below, kind) || is_of_messages(below, kind)
}

fn is_of_messages(below: &Path, kind: EntryKind) -> bool {
    match kind {
        EntryKind::Folder => {
            below.ends_with("storage/message")
                || below.parent().is_some_and(|of| of.ends_with("storage/message"))
        }
        EntryKind::File => matches!(storage_file(below), Some(StorageFile::Message(_))),
    }
}

fn is_database(below: &Path) -> bool {
    ["opencode.db", "opencode.db-wal"].contains(&name_of(below))
}

/// Hermes Agent: `state.db` and its write-ahead log, also in `profiles/<name>/`.
pub(crate) fn databases_of_hermes(below: &Path, kind: EntryKind) -> bool {
    let in_profiles = || folder_at_depth(below, 1) == Some("profiles");
    match (kind, depth_below(below)) {
        (EntryKind::Folder, n) => n <= 2 && in_profiles(),
        (EntryKind::File, n) => {
            ["state.db", "state.db-wal"].contains(&name_of(below)) && (n == 1 || n == 3 && in_profiles())
        }
    }
}

/// A folder named by the user: line-based logs anywhere in it, chats, databases, OpenCode's files.
pub(crate) fn of_any_harness(below: &Path, kind: EntryKind) -> bool {
    match kind {
        EntryKind::Folder => {
            let is_of_pieces = || {
                let in_storage = below.parent().is_some_and(|folder| name_of(folder) == "storage");
                in_storage && ["message", "part"].contains(&name_of(below))
            };
            let others = ["tool-results", "node_modules", ".git"];
            depth_below(below) <= DEPTH && !others.contains(&name_of(below)) && !is_of_pieces()
        }
        EntryKind::File => {
            let in_chats = below.parent().is_some_and(|folder| folder.ends_with("chats"));
            let is_session = || matches!(storage_file(below), Some(StorageFile::Session(_)));
            is_log_name(name_of(below))
                || (in_chats && is_old_chat(below))
                || is_database(below)
                || is_session()
        }
    }
}

/// Like [`of_any_harness`], and the messages in OpenCode's files.
pub(crate) fn of_any_harness_and_messages(below: &Path, kind: EntryKind) -> bool {
    of_any_harness(below, kind) || (depth_below(below) <= DEPTH && is_of_messages(below, kind))
}

#[cfg(test)]
mod tests {
    use cwl_tail::PathFilter;

    use super::*;
    use crate::wanted_in_editors::{in_brain, in_debug_logs, in_transcripts};

    /// Tells whether all parent folders of `file` are wanted, as a walk would ask.
    fn wants(wanted: PathFilter, file: &str) -> bool {
        let path = Path::new(file);
        let above = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        let mut above = above.collect::<Vec<_>>();
        above.reverse();
        above.into_iter().all(|folder| wanted(folder, EntryKind::Folder)) && wanted(path, EntryKind::File)
    }

    #[test]
    fn names_are_logs_or_not() {
        let of = |harness: &str| -> PathFilter {
            match harness {
                "pi" | "pi-cwl" | "droid" => sessions_of_projects,
                "claude-code" => of_claude_code,
                "codex" => is_rollout,
                "copilot" => events_of_sessions,
                "gemini-cli" | "qwen-code" => is_chat,
                "kimi-code" => wire_of_agents,
                "openclaw" => sessions_of_agents,
                "opencode" => of_opencode,
                "hermes" => databases_of_hermes,
                "antigravity" => in_brain,
                "cursor" => in_transcripts,
                "vscode-copilot" => in_debug_logs,
                _ => of_any_harness,
            }
        };
        for (harness, file, expected) in [
            ("pi", "--home-a--/2026-01-02T03-04-05-000Z_0.jsonl", true),
            ("pi", "--home-a--/2026_0/ab12/run-0/session.jsonl", true),
            ("pi", "--home-a--/notes.txt", false),
            ("pi-cwl", "--home-a--/a.jsonl", true),
            ("claude-code", "-home-a/11.jsonl", true),
            ("claude-code", "-home-a/agent-1f3a9c2.jsonl", true),
            ("claude-code", "-home-a/11/subagents/agent-1f.jsonl", true),
            ("claude-code", "-home-a/11/subagents/workflows/w/agent-1f.jsonl", true),
            ("claude-code", "-home-a/11/subagents/agent-1f.meta.json", false),
            ("claude-code", "-home-a/11/tool-results/x.jsonl", false),
            ("claude-code", "-home-a/memory/x.jsonl", false),
            ("claude-code", "-home-a/sessions-index.json", false),
            ("claude-code", "history.jsonl", false),
            ("codex", "2026/01/02/rollout-2026-01-02T03-04-05-0.jsonl", true),
            ("codex", "2026/01/02/rollout-2026-01-02T03-04-05-0.jsonl.zst", true),
            ("codex", "rollout-2026-01-02T03-04-05-0.jsonl", true),
            ("codex", "session_index.jsonl", false),
            ("copilot", "5f0c-1/events.jsonl", true),
            ("copilot", "5f0c-1/plan.jsonl", false),
            ("copilot", "5f0c-1/files/events.jsonl", false),
            ("copilot", "events.jsonl", false),
            ("gemini-cli", "ab12/chats/session-2026-01-02T03-04-aabbccdd.json", true),
            ("gemini-cli", "ab12/chats/session-2026-01-02T03-04-aabbccdd.jsonl", true),
            ("gemini-cli", "ab12/chats/aabbccdd-0/sub.jsonl", true),
            ("gemini-cli", "ab12/logs.json", false),
            ("gemini-cli", "ab12/chats/checkpoint-x.json", false),
            ("gemini-cli", "ab12/shell_history.jsonl", false),
            ("qwen-code", "-home-a/chats/6b1f0c2d-0000-4000-8000-000000000001.jsonl", true),
            ("qwen-code", "-home-a/subagents/6b1f0c2d-0000-4000-8000-000000000001/agent-x.jsonl", true),
            ("qwen-code", "-home-a/memory/x.jsonl", false),
            ("kimi-code", "wd_a_01/session_1/agents/main/wire.jsonl", true),
            ("kimi-code", "wd_a_01/session_1/agents/main/other.jsonl", false),
            ("kimi-code", "wd_a_01/session_1/wire.jsonl", false),
            ("kimi-code", "wd_a_01/session_1/tasks/main/wire.jsonl", false),
            ("droid", "-home-a/6b1f0c2d-0000-4000-8000-000000000001.jsonl", true),
            ("droid", "-home-a/6b1f0c2d-0000-4000-8000-000000000001.settings.json", false),
            ("openclaw", "main/sessions/0.jsonl", true),
            ("openclaw", "main/sessions/0.jsonl.deleted.2026-01-02T03-04-05.000Z", true),
            ("openclaw", "main/sessions/0.jsonl.reset.2026-01-02T03-04-05.000Z", true),
            ("openclaw", "main/sessions/sessions.json", false),
            ("openclaw", "main/agent/x.jsonl", false),
            ("antigravity", "5f0c-1/.system_generated/logs/transcript_full.jsonl", true),
            ("antigravity", "5f0c-1/.system_generated/logs/transcript.jsonl", true),
            ("antigravity", "5f0c-1/.system_generated/logs/other.jsonl", false),
            ("antigravity", "5f0c-1/.system_generated/steps/transcript.jsonl", false),
            ("antigravity", "5f0c-1/transcript.jsonl", false),
            ("cursor", "home-a/agent-transcripts/5f0c-1/5f0c-1.jsonl", true),
            ("cursor", "home-a/agent-transcripts/5f0c-1/subagents/6a1b-2.jsonl", true),
            ("cursor", "home-a/agent-transcripts/5f0c-1/assets/6a1b-2.jsonl", false),
            ("cursor", "home-a/terminals/5f0c-1/1.jsonl", false),
            ("vscode-copilot", "workspaceStorage/5f/GitHub.copilot-chat/debug-logs/6a/main.jsonl", true),
            (
                "vscode-copilot",
                "workspaceStorage/5f/GitHub.copilot-chat/debug-logs/6a/runSubagent-X-7.jsonl",
                true,
            ),
            ("vscode-copilot", "workspaceStorage/5f/GitHub.copilot-chat/debug-logs/6a/title-7.jsonl", false),
            ("vscode-copilot", "workspaceStorage/5f/GitHub.copilot-chat/debug-logs/6a/models.json", false),
            ("vscode-copilot", "workspaceStorage/5f/GitHub.copilot-chat/other/6a/main.jsonl", false),
            ("vscode-copilot", "workspaceStorage/5f/chatSessions/6a.jsonl", false),
            ("vscode-copilot", "globalStorage/github.copilot-chat/debug-logs/6a/main.jsonl", true),
            ("vscode-copilot", "globalStorage/another.extension/debug-logs/6a/main.jsonl", false),
            ("vscode-copilot", "History/5f/GitHub.copilot-chat/debug-logs/6a/main.jsonl", false),
            ("hermes", "state.db", true),
            ("hermes", "state.db-wal", true),
            ("hermes", "profiles/work/state.db", true),
            ("hermes", "profiles/work/deep/state.db", false),
            ("hermes", "backups/state.db", false),
            ("hermes", "cron.db", false),
            ("opencode", "opencode.db", true),
            ("opencode", "opencode.db-wal", true),
            ("opencode", "opencode.db-shm", false),
            ("opencode", "storage/session/p/ses_1.json", true),
            ("opencode", "storage/session/p/info.json", false),
            ("opencode", "storage/message/ses_1/msg_1.json", false),
            ("opencode", "storage/part/msg_1/prt_1.json", false),
            ("opencode", "storage/project/p.json", false),
            ("opencode", "log/storage/session/p/ses_1.json", false),
            ("", "d/opencode/storage/session/p/ses_1.json", true),
            ("", "d/opencode/storage/message/ses_1/msg_1.json", false),
            ("", "anything/at/all/a.jsonl", true),
            ("", "p/chats/session-2026-01-02T03-04-aabbccdd.json", true),
            ("", "p/package.json", false),
            ("", "p/tool-results/a.jsonl", false),
            ("", "p/history.jsonl", false),
        ] {
            assert_eq!(wants(of(harness), file), expected, "{harness}: {file}");
        }
    }

    #[test]
    fn messages_of_opencode_are_watched_and_not_listed() {
        for (file, expected) in [
            ("storage/message/ses_1/msg_1.json", true),
            ("storage/session/p/ses_1.json", true),
            ("storage/part/msg_1/prt_1.json", false),
            ("storage/message/msg_1.json", false),
            ("opencode.db", true),
        ] {
            assert_eq!(wants(of_opencode_and_messages, file), expected, "{file}");
            assert_eq!(wants(of_any_harness_and_messages, &format!("x/{file}")), expected, "x/{file}");
        }
    }

    #[test]
    fn of_a_folder_that_pi_was_told_to_use_only_what_pi_makes_is_wanted() {
        for (file, expected) in [
            ("2026-01-02T03-04-05-000Z_0.jsonl", true),
            ("--home-a--/2026-01-02T03-04-05-000Z_0.jsonl", true),
            ("2026-01-02T03-04-05-000Z_0/ab12/run-0/session.jsonl", true),
            ("2026-01-02T03-04-05-000Z_0.txt", false),
            ("photos/a.jsonl", false),
            (".cache/x/a.jsonl", false),
        ] {
            assert_eq!(wants(sessions_in_named, file), expected, "{file}");
        }
    }
}
