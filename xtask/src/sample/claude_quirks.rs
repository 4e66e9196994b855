//! Oddities of Claude Code's session files, one small invented session each.

use serde_json::{Value, json};

use super::SampleFile;
use super::claude_agents;
use super::claude_sketch::{CWD, Sketch};
use super::claude_trees;

/// Makes the samples.
pub(crate) fn samples() -> Vec<SampleFile> {
    let file = |path: &str, text: String| SampleFile { path: format!("claude-code/{path}"), text };
    let mut files = Vec::new();
    for (case, log, readme) in [
        ("compaction", compaction(), COMPACTION),
        ("errors", claude_trees::errors(), claude_trees::ERRORS),
        ("injected", injected(), INJECTED),
        ("parallel", claude_trees::parallel(), claude_trees::PARALLEL),
        ("resumed", claude_agents::resumed(), claude_agents::RESUMED),
        ("sidechain", claude_agents::sidechain(), claude_agents::SIDECHAIN),
        ("torn-tree", claude_trees::torn_tree(), claude_trees::TORN_TREE),
    ] {
        files.push(file(&format!("{case}/README.md"), readme.to_owned()));
        files.push(file(&format!("{case}/input.jsonl"), log));
    }
    files.extend(claude_agents::beside().into_iter().map(|(path, text)| file(&path, text)));
    files.extend(claude_agents::below().into_iter().map(|(path, text)| file(&path, text)));
    files
}

const COMPACTION: &str = "\
# compaction

Invented. How Claude Code makes room, in one file:

- a `microcompact_boundary`: two results and an attachment are cleared in the prompt, while
  the log keeps their text
- an output that was too large: the model saw the beginning of it, the rest is in a file
- a `compact_boundary` whose `logicalParentUuid` was never written, the summary
  (`isCompactSummary`), and a reference to a file in its place
- a second compaction by the command `/compact`
- titles of older sessions (`summary`) at the head of the file
";

/// How much of an output stays in the prompt where the rest is in a file.
const KEPT_OF_OUTPUT: usize = 2_000;

fn compaction() -> String {
    let mut it = Sketch::new("2.1.17", 21);
    it.rows.bare(&json!({ "type": "summary", "summary": "Backoff for hosts that refuse", "leafUuid": "77b0c9d2-51d0-4f0e-a1b6-2f5e8c9b7a10" }));
    it.rows.bare(&json!({ "type": "summary", "summary": "OPML export keeps folders", "leafUuid": "c2f1a7e4-9b3d-4c55-a8e1-0d6f7b2c3e94" }));
    it.human("The nightly poll takes forty minutes since last week. Find out why, then fix it.");
    it.starts("expl", "read-poll-log", &[]);
    it.answer();
    it.thinks(
        "The log of the last night first: which hosts take long, and whether it is one of them or all.",
        2,
    );
    let log =
        it.calls("Bash", json!({ "command": "grep slow var/poll.log", "description": "Slow polls" }), 104);
    let output = slow_polls();
    let kept: String = output.chars().take(KEPT_OF_OUTPUT).collect();
    let shown = format!(
        "<persisted-output>\nOutput too large ({}KB). Full output saved to: {CWD}/.claude/tool-results/b1f7.txt\n\nPreview (first 2KB):\n{kept}\n...\n</persisted-output>",
        output.len() / 1024
    );
    let copy = json!({ "stdout": output, "stderr": "", "interrupted": false, "persistedOutputPath": "tool-results/b1f7.txt" });
    it.answered_with(&log, json!(shown), copy);
    let first = it.runs(
        "Grep",
        json!({ "pattern": "timeout", "path": "src/ingest", "output_mode": "content", "-n": true }),
        &POLLER_HITS.repeat(3),
    );
    it.ends(Some("Every slow poll ends after exactly 30 s, which is the timeout of `Fetcher::get`; the hosts differ, so it is ours: the pool hands out connections that the far side has closed."));
    it.starts("expl", "find-pool-settings", &[]);
    let reminder = it.attachment("edited_text_file", json!({ "filename": "src/ingest/fetcher.rs", "snippet": "12→const TIMEOUT: Duration = Duration::from_secs(30);" }));
    let second =
        it.runs("Read", json!({ "file_path": format!("{CWD}/src/ingest/fetcher.rs") }), &FETCHER.repeat(2));
    it.ends(Some("`Fetcher::new` builds its client with `pool_idle_timeout(None)`: idle connections are never given up."));
    it.note(
        "system",
        json!({
            "subtype": "microcompact_boundary",
            "content": "Context microcompacted",
            "isMeta": false,
            "level": "info",
            "microcompactMetadata": {
                "trigger": "auto",
                "preTokens": 46_211,
                "tokensSaved": 21_350,
                "compactedToolIds": [first.id, second.id],
                "clearedAttachmentUUIDs": [reminder],
            },
        }),
    );
    it.starts("act", "bound-idle-connections", &["read-poll-log", "find-pool-settings"]);
    it.runs(
        "Edit",
        json!({
            "file_path": format!("{CWD}/src/ingest/fetcher.rs"),
            "old_string": ".pool_idle_timeout(None)",
            "new_string": ".pool_idle_timeout(Duration::from_secs(20))",
        }),
        "The file src/ingest/fetcher.rs has been updated successfully.",
    );
    it.runs(
        "Bash",
        json!({ "command": "cargo test -q", "description": "Run the tests" }),
        "running 41 tests\n.........................................\ntest result: ok. 41 passed; 0 failed",
    );
    it.ends(None);
    it.answer();
    it.says(
        "Idle connections are now given up after 20 s, well before the hosts close them. All tests pass.",
        44,
    );
    boundary(
        &mut it,
        Some("0e9f3f0a-7f5b-4a1b-a0b7-1d2c3b4a5968"),
        "auto",
        158_204,
        "The nightly poll was slow because `Fetcher::new` never gave idle connections up; each cost 30 s. The idle timeout is 20 s now and the tests pass. The user has not seen it run yet.",
    );
    it.attachment(
        "compact_file_reference",
        json!({ "filename": "src/ingest/fetcher.rs", "displayPath": "src/ingest/fetcher.rs" }),
    );
    it.human("Last night it took six minutes. Say in the changelog what changed.");
    it.starts("act", "note-in-changelog", &[]);
    it.runs("Edit", json!({ "file_path": format!("{CWD}/CHANGELOG.md"), "old_string": "## Unreleased\n", "new_string": "## Unreleased\n\n- Idle connections to feeds are given up after 20 s.\n" }), "The file CHANGELOG.md has been updated successfully.");
    it.ends(None);
    it.answer();
    it.says("Noted under Unreleased.", 9);
    it.user(json!("<command-name>/compact</command-name>\n            <command-message>compact</command-message>\n            <command-args></command-args>"), json!({}));
    let last = it.rows.leaf.clone();
    boundary(
        &mut it,
        last.as_deref(),
        "manual",
        24_019,
        "The slow nightly poll is fixed and in the changelog.",
    );
    it.user(json!("<local-command-stdout>Compacted</local-command-stdout>"), json!({}));
    it.human("What is left of the poller's list?");
    it.answer();
    it.says("Only the retry of a redirect to another host, which has a test that is switched off.", 27);
    it.text()
}

fn boundary(it: &mut Sketch, before: Option<&str>, trigger: &str, tokens: u64, summary: &str) {
    it.rows.leaf = None;
    it.carries_nothing();
    it.note(
        "system",
        json!({
            "logicalParentUuid": before,
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "isMeta": false,
            "level": "info",
            "compactMetadata": { "trigger": trigger, "preTokens": tokens },
        }),
    );
    let text = format!(
        "This session is being continued from a previous conversation that ran out of context. This is what happened:\n\n{summary}"
    );
    it.user(json!(text), json!({ "isVisibleInTranscriptOnly": true, "isCompactSummary": true }));
}

fn slow_polls() -> String {
    let hosts = ["feeds.example.org", "news.example.net", "blog.example.com", "planet.example.org"];
    (0..220)
        .map(|at| {
            let host = hosts[at * 7 % hosts.len()];
            format!(
                "2026-01-19T03:{:02}:{:02}Z WARN slow poll feed={} host={host} took=30.0{}s\n",
                at / 6,
                at * 10 % 60,
                100 + at * 3 % 89,
                at % 10
            )
        })
        .collect()
}

const POLLER_HITS: &str = "\
src/ingest/fetcher.rs:12:const TIMEOUT: Duration = Duration::from_secs(30);
src/ingest/fetcher.rs:41:            .timeout(TIMEOUT)
src/ingest/fetcher.rs:42:            .pool_idle_timeout(None)
src/ingest/mod.rs:88:        // A timeout counts as a failure like any other.
";

const FETCHER: &str = "\
    36→    pub fn new() -> Result<Self> {
    37→        let client = Client::builder()
    38→            .user_agent(USER_AGENT)
    39→            .gzip(true)
    40→            .redirect(Policy::limited(5))
    41→            .timeout(TIMEOUT)
    42→            .pool_idle_timeout(None)
    43→            .build()?;
    44→        Ok(Self { client })
    45→    }
";

const INJECTED: &str = "\
# injected

Invented. What stands in the user's slot without the user having typed it: a skill's body and
caveats (`isMeta`), output of slash commands, attachments of every kind, a prompt that was
queued while the model worked and came in as an attachment, one that came in as a row, a
notification of a background task; and beside it what the user did write: prompts, a slash
command, a shell command, a picture, a document.
";

fn injected() -> String {
    let mut it = Sketch::new("2.1.79", 22);
    it.rows.session.slug = Some("amber-folding-quay");
    it.aside("permission-mode", json!({ "permissionMode": "default" }));
    it.attachment(
        "deferred_tools_delta",
        json!({ "addedNames": ["WebFetch", "LSP"], "addedLines": ["WebFetch", "LSP"], "removedNames": [] }),
    );
    it.attachment("mcp_instructions_delta", json!({ "addedNames": ["cwl"], "addedBlocks": ["Mark episodes with `delimiter`."], "removedNames": [] }));
    it.attachment("skill_listing", json!({ "content": "- release: how a release of tidewater is made", "skillCount": 1, "isInitial": true }));
    it.user(json!("<local-command-caveat>What follows was made by commands that the user ran; do not answer it unless asked to.</local-command-caveat>"), json!({ "isMeta": true }));
    it.user(json!("<command-name>/model</command-name>\n            <command-message>model</command-message>\n            <command-args>sonnet</command-args>"), json!({}));
    it.user(json!("<local-command-stdout>Set model to sonnet</local-command-stdout>"), json!({}));
    it.note("system", json!({ "subtype": "local_command", "content": "<command-name>/cost</command-name>", "level": "info", "isMeta": false }));
    it.note("system", json!({ "subtype": "local_command", "content": "<local-command-stdout>$0.41</local-command-stdout>", "level": "info", "isMeta": false }));
    it.user(json!("<bash-input>git status --short</bash-input>"), json!({}));
    it.user(
        json!("<bash-stdout> M ui/src/views/FeedTree.ts</bash-stdout><bash-stderr></bash-stderr>"),
        json!({}),
    );
    it.user(
        json!([
            { "type": "text", "text": "Make the release. The picture shows what the page looked like before [Image #1]." },
            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": super::tools::SCREENSHOT.trim_end() } },
        ]),
        json!({ "imagePasteIds": [1], "permissionMode": "default", "promptId": "5d0c-1" }),
    );
    it.user(
        json!([{ "type": "document", "source": { "type": "text", "media_type": "text/plain", "data": "Release checklist: tests, changelog, tag." } }]),
        json!({}),
    );
    it.answer();
    let skill = it.calls("Skill", json!({ "skill": "release" }), 40);
    it.answered_with(
        &skill,
        json!("Launching skill: release"),
        json!({ "success": true, "commandName": "release" }),
    );
    it.user(
        json!([{ "type": "text", "text": "Base directory for this skill: .claude/skills/release\n\nRun the tests, cut the changelog, tag." }]),
        json!({ "isMeta": true, "sourceToolUseID": skill.id }),
    );
    it.starts("expl", "what-changed-since", &[]);
    it.queued("enqueue", Some("and mention the new tooltip"));
    let log = {
        it.answer();
        it.calls(
            "Bash",
            json!({ "command": "git log --oneline v0.7.2..", "description": "Commits since the release" }),
            70,
        )
    };
    it.note("progress", json!({ "data": { "type": "hook_progress", "hookEvent": "PreToolUse", "hookName": "PreToolUse:Bash", "command": "callback" }, "toolUseID": log.id, "parentToolUseID": log.id }));
    it.answered(
        &log,
        "4be19f2 ui: say when a failing feed is tried again\n0d2c7aa store: keep starred entries",
    );
    it.queued("remove", None);
    it.attachment(
        "queued_command",
        json!({ "prompt": "and mention the new tooltip", "commandMode": "prompt" }),
    );
    for (kind, fields) in attachments() {
        it.attachment(kind, fields);
    }
    it.ends(Some(
        "Two commits since 0.7.2: the tooltip with the next try, and starred entries that survive pruning.",
    ));
    it.queued("enqueue", Some("stop before the tag"));
    it.queued("dequeue", None);
    it.user(json!("stop before the tag"), json!({ "promptId": "5d0c-2" }));
    it.answer();
    it.says("Understood, the tag is yours. I only write the changelog.", 15);
    it.user(json!("<task-notification>\n<task-id>b7</task-id>\n<status>completed</status>\n<summary>cargo test finished</summary>\n</task-notification>"), json!({ "origin": { "kind": "task-notification" } }));
    it.answer();
    it.says("The tests in the background have passed.", 10);
    it.aside("last-prompt", json!({ "lastPrompt": "stop before the tag", "leafUuid": it.rows.leaf }));
    it.text()
}

/// The reminders that newer versions keep as rows, with what they hold.
fn attachments() -> Vec<(&'static str, Value)> {
    vec![
        ("task_reminder", json!({ "content": [], "itemCount": 0 })),
        (
            "todo_reminder",
            json!({ "content": [{ "content": "Cut the changelog", "status": "pending" }], "itemCount": 1 }),
        ),
        ("edited_text_file", json!({ "filename": "CHANGELOG.md", "snippet": "1→# Changelog\n2→" })),
        (
            "nested_memory",
            json!({ "path": "ui/CLAUDE.md", "content": { "path": "ui/CLAUDE.md", "type": "Project", "content": "Views are pure." } }),
        ),
        (
            "file",
            json!({ "filename": "README.md", "content": { "type": "text", "file": { "filePath": "README.md", "content": "# tidewater\n", "numLines": 1, "startLine": 1, "totalLines": 1 } } }),
        ),
        ("plan_mode", json!({ "reminderType": "full", "isSubAgent": false, "planExists": false })),
        (
            "hook_success",
            json!({ "hookName": "PostToolUse:Bash", "hookEvent": "PostToolUse", "toolUseID": "x", "content": "formatted", "stdout": "formatted", "stderr": "", "exitCode": 0 }),
        ),
        ("date_change", json!({ "newDate": "2026-01-20" })),
        ("total_tokens_reminder", json!({ "used": 41_208, "total": 200_000, "remaining": 158_792 })),
        ("weather_report", json!({ "text": "a kind that no version describes" })),
    ]
}
