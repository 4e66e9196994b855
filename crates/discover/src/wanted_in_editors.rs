//! Rules for the folders of agents that belong to an editor.

use std::path::Path;

use cwl_formats::layout::{is_log_name, is_named_as_subagents, name_of};
use cwl_tail::EntryKind;

use crate::wanted::{depth_below, folder_at_depth};

/// Antigravity: `<session>/.system_generated/logs/transcript_full.jsonl`, or the short form of old versions.
pub(crate) fn in_brain(below: &Path, kind: EntryKind) -> bool {
    let in_logs = |n: usize| {
        (n < 2 || folder_at_depth(below, 2) == Some(".system_generated"))
            && (n < 3 || folder_at_depth(below, 3) == Some("logs"))
    };
    match (kind, depth_below(below)) {
        (EntryKind::Folder, n) => n <= 3 && in_logs(n),
        (EntryKind::File, n) => {
            n == 4 && in_logs(n) && ["transcript_full.jsonl", "transcript.jsonl"].contains(&name_of(below))
        }
    }
}

/// Cursor: `<project>/agent-transcripts/<session>/<log>` and `…/<session>/subagents/<log>`.
pub(crate) fn in_transcripts(below: &Path, kind: EntryKind) -> bool {
    let in_folder = || folder_at_depth(below, 2) == Some("agent-transcripts");
    let of_subagents = || folder_at_depth(below, 4) == Some("subagents");
    match (kind, depth_below(below)) {
        (EntryKind::Folder, 1) => true,
        (EntryKind::Folder, n) => in_folder() && (n <= 3 || n == 4 && of_subagents()),
        (EntryKind::File, n) => {
            in_folder() && (n == 4 || n == 5 && of_subagents()) && is_log_name(name_of(below))
        }
    }
}

/// VS Code Copilot Chat: `workspaceStorage/<storage>/GitHub.copilot-chat/debug-logs/<session>/main.jsonl` and logs of
/// subagents beside it, among logs of titles and prompts; in `globalStorage` without `<storage>`.
pub(crate) fn in_debug_logs(below: &Path, kind: EntryKind) -> bool {
    // The depth of the extension's folder.
    let at = match folder_at_depth(below, 1) {
        Some("workspaceStorage") => 3,
        Some("globalStorage") => 2,
        _ => return false,
    };
    let is_extension =
        || folder_at_depth(below, at).is_some_and(|name| name.eq_ignore_ascii_case("GitHub.copilot-chat"));
    let in_logs = || folder_at_depth(below, at + 1) == Some("debug-logs");
    let n = depth_below(below);
    let is_on_way = (n < at || is_extension()) && (n <= at || in_logs());
    match kind {
        EntryKind::Folder => n <= at + 2 && is_on_way,
        EntryKind::File => n == at + 3 && is_on_way && is_debug_log(name_of(below)),
    }
}

fn is_debug_log(name: &str) -> bool {
    name == "main.jsonl" || is_log_name(name) && is_named_as_subagents(name)
}
