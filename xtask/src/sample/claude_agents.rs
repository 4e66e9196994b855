//! Subagents of Claude Code in the three ways in which they were logged, and sessions that were copied on.

use serde_json::{Value, json};

use super::claude_rows::Rows;
use super::claude_sketch::{CWD, Sketch};

pub(crate) const SIDECHAIN: &str = "\
# sidechain

Invented. Version 1.0 kept a subagent's conversation in the file of the session, in rows with
`isSidechain`; they are no part of the session's context, also where the subagent marks
episodes of its own. The tools are those of that time (Task, LS, TodoWrite).
";

pub(crate) fn sidechain() -> String {
    let mut it = Sketch::new("1.0.98", 26);
    it.rows.bare(&json!({ "type": "summary", "summary": "Feed tree keyboard support", "leafUuid": "d3a50b1e-6c2f-4d7a-a9e8-4b5c6d7e8f90" }));
    it.human("Where are entries deduplicated, and is the hash good enough?");
    it.starts("expl", "find-deduplication", &[]);
    it.answer();
    it.says("I let a subagent search while I look at the schema.", 1);
    let task = it.calls("Task", json!({ "description": "Find deduplication", "prompt": DEDUPLICATION, "subagent_type": "general-purpose" }), 180);
    side_conversation(&mut it);
    it.rows.leaf = Some(task.row.clone());
    let report = "Entries are deduplicated in `store/entries.rs` by a hash of guid and link; a feed without guids falls back to the title.";
    let copy = json!({ "content": [{ "type": "text", "text": report }], "totalDurationMs": 21_400, "totalTokens": 8_211, "totalToolUseCount": 2, "usage": { "input_tokens": 4, "output_tokens": 61 } });
    it.answered_with(&task, json!([{ "type": "text", "text": report }]), copy);
    it.runs("LS", json!({ "path": format!("{CWD}/migrations") }), "- 0001_init.sql\n- 0002_fts.sql");
    it.runs("TodoWrite", json!({ "todos": [{ "content": "Judge the hash", "status": "in_progress", "activeForm": "Judging the hash" }] }), "Todos have been modified successfully.");
    it.ends(Some("`store/entries.rs` hashes guid and link; without a guid it hashes the title, which collides for daily columns."));
    it.answer();
    it.says("The hash is fine where feeds have guids; where they have none, two columns of one title become one entry.", 38);
    it.text()
}

const DEDUPLICATION: &str = "Search the crate for where entries are deduplicated. Report the file, the key of the hash, and fallbacks.";

/// The subagent's rows, with a root of their own.
fn side_conversation(it: &mut Sketch) {
    it.rows.session.sidechain = true;
    it.rows.leaf = None;
    it.human(DEDUPLICATION);
    it.starts("expl", "search-entries", &[]);
    it.runs(
        "Grep",
        json!({ "pattern": "hash", "path": "src/store", "output_mode": "files_with_matches" }),
        "Found 1 file\nsrc/store/entries.rs",
    );
    it.runs("Read", json!({ "file_path": format!("{CWD}/src/store/entries.rs"), "offset": 60, "limit": 20 }), "    61→    fn key(&self) -> [u8; 32] {\n    62→        // A feed without guids is told apart by title.");
    it.ends(Some("The key is guid and link, else the title."));
    it.answer();
    it.says("Entries are deduplicated in `store/entries.rs` by a hash of guid and link; a feed without guids falls back to the title.", 61);
    it.rows.session.sidechain = false;
}

const BESIDE: &str = "\
# subagent-beside

Invented. Version 2.0 wrote a subagent's conversation into `agent-<id>.jsonl` beside the
session's file. Its rows carry the session's id; `toolUseResult.agentId` of the call names the
file.
";

/// The session and its subagent's file beside it.
pub(crate) fn beside() -> Vec<(String, String)> {
    let mut it = Sketch::new("2.0.71", 27);
    let agent = "1f3a9c2";
    it.human("Is every setting in the docs?");
    it.answer();
    it.says("A subagent compares the docs with the code.", 1);
    let task = it.calls(
        "Task",
        json!({ "description": "Compare settings", "prompt": SETTINGS, "subagent_type": "Explore" }),
        150,
    );
    let conversation = conversation(&it, agent, 28);
    let report = "`max_redirects` and `prune_after` are not in docs/settings.md; all others are.";
    it.answered_with(
        &task,
        json!([{ "type": "text", "text": report }]),
        report_copy(agent, "Explore", report),
    );
    it.answer();
    it.says("Two are missing: `max_redirects` and `prune_after`.", 19);
    files("subagent-beside", BESIDE, it, vec![(format!("agent-{agent}.jsonl"), conversation)])
}

const BELOW: &str = "\
# subagents

Invented. Since version 2.1 a subagent's conversation is in
`<session>/subagents/agent-<id>.jsonl`, with the session's id in every row and a small
`.meta.json` beside it. The session's file still holds a full copy of each of its messages, as
progress (`agent_progress`), which is not context. One subagent was told more by SendMessage.
";

/// The session, and its subagents' files below a folder of its name.
pub(crate) fn below() -> Vec<(String, String)> {
    let mut it = Sketch::new("2.1.79", 29);
    it.rows.session.slug = Some("patient-wading-ibis");
    let (first, second) = ("a7c41d09e2b35f681", "a90be2245d7c1f3aa");
    it.human("Is every setting in the docs, and is every command?");
    it.starts("expl", "compare-with-docs", &[]);
    it.answer();
    it.says("Two subagents, one for settings and one for commands.", 2);
    let settings = it.calls(
        "Agent",
        json!({ "description": "Compare settings", "prompt": SETTINGS, "subagent_type": "Explore" }),
        2,
    );
    let commands = it.calls("Agent", json!({ "description": "Compare commands", "prompt": "Compare the commands in src/cli.rs with docs/commands.md. Report what is missing.", "subagent_type": "Explore" }), 260);
    let texts = [conversation(&it, first, 30), conversation(&it, second, 31)];
    for (agent, call, text) in [(first, &settings, &texts[0]), (second, &commands, &texts[1])] {
        copies(&mut it, agent, &call.id, text);
    }
    let report = "`max_redirects` and `prune_after` are not in docs/settings.md; all others are.";
    it.answered_with(
        &settings,
        json!([{ "type": "text", "text": report }]),
        report_copy(first, "Explore", report),
    );
    let report = "Every command is in docs/commands.md.";
    it.answered_with(
        &commands,
        json!([{ "type": "text", "text": report }]),
        report_copy(second, "Explore", report),
    );
    it.runs(
        "SendMessage",
        json!({ "to": first, "message": "Which defaults do they have?" }),
        "Message sent.",
    );
    it.ends(Some(
        "Two settings are not in docs/settings.md: `max_redirects` and `prune_after`. Commands are complete.",
    ));
    it.answer();
    it.says("Two settings are missing from the docs; every command is there.", 19);
    let meta = |kind: &str| format!("{}\n", json!({ "agentType": kind, "description": "Compare" }));
    let [one, two] = texts;
    let below = vec![
        (format!("input/subagents/agent-{first}.jsonl"), one),
        (format!("input/subagents/agent-{first}.meta.json"), meta("Explore")),
        (format!("input/subagents/agent-{second}.jsonl"), two),
        (format!("input/subagents/agent-{second}.meta.json"), meta("Explore")),
    ];
    files("subagents", BELOW, it, below)
}

const SETTINGS: &str = "Compare the settings in src/config.rs with docs/settings.md. Report what is missing.";

/// A subagent's conversation as a file of its own.
fn conversation(parent: &Sketch, agent: &str, seed: u64) -> String {
    let mut it = Sketch::new(parent.rows.session.version, seed);
    it.rows.session.id = parent.rows.session.id.clone();
    it.rows.session.slug = parent.rows.session.slug;
    it.rows.session.agent = Some(agent.to_owned());
    it.rows.session.sidechain = true;
    it.now_ms = parent.now_ms;
    it.human(SETTINGS);
    it.answer();
    it.thinks("Both are short; I read both.", 2);
    let code = it.calls("Read", json!({ "file_path": format!("{CWD}/src/config.rs") }), 2);
    let docs = it.calls("Read", json!({ "file_path": format!("{CWD}/docs/settings.md") }), 118);
    it.answered(&code, "     8→    pub max_redirects: u8,\n     9→    pub prune_after: Days,");
    it.answered(&docs, "     1→# Settings\n     2→\n     3→`bind`, `database`, `poll_every`");
    it.answer();
    it.says("`max_redirects` and `prune_after` are not in docs/settings.md; all others are.", 40);
    it.text()
}

/// Copies a subagent's messages into the session's file, as progress.
fn copies(it: &mut Sketch, agent: &str, call: &str, text: &str) {
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap_or_default();
        let copy = json!({ "type": row["type"], "message": row["message"], "uuid": row["uuid"], "timestamp": row["timestamp"] });
        let data = json!({ "type": "agent_progress", "message": copy, "normalizedMessages": [], "prompt": SETTINGS, "agentId": agent });
        let id = format!("agent_{}", row["message"]["id"].as_str().unwrap_or("msg_user"));
        it.note("progress", json!({ "data": data, "toolUseID": id, "parentToolUseID": call }));
    }
}

fn report_copy(agent: &str, kind: &str, report: &str) -> Value {
    json!({
        "status": "completed",
        "prompt": SETTINGS,
        "agentId": agent,
        "agentType": kind,
        "content": [{ "type": "text", "text": report }],
        "totalDurationMs": 18_250,
        "totalTokens": 6_402,
        "totalToolUseCount": 2,
        "usage": { "input_tokens": 4, "output_tokens": 40 },
    })
}

fn files(case: &str, readme: &str, it: Sketch, others: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut files = vec![("README.md".to_owned(), readme.to_owned()), ("input.jsonl".to_owned(), it.text())];
    files.extend(others);
    files.into_iter().map(|(name, text)| (format!("{case}/{name}"), text)).collect()
}

pub(crate) const RESUMED: &str = "\
# resumed

Invented. A session that an older version resumed: the rows of the session before stand at the
head of a new file with their old ids and the new session's, and some rows were written twice. Around them all the small rows that are not for the model: titles,
modes, states of work trees, links to pull requests.
";

pub(crate) fn resumed() -> String {
    let mut old = Sketch::new("1.0.98", 32);
    old.human("The export forgets folders that are empty.");
    old.starts("expl", "read-export", &[]);
    old.runs(
        "Read",
        json!({ "file_path": format!("{CWD}/src/opml.rs") }),
        "    22→        for feed in &folder.feeds {\n    23→            outline(out, feed);",
    );
    old.ends(Some(
        "`opml.rs` walks feeds and writes their folders on the way, so a folder without feeds is never met.",
    ));
    old.answer();
    old.says("An empty folder is never visited, because the export walks feeds.", 21);
    let (leaf, now_ms) = (old.rows.leaf.clone(), old.now_ms);
    let first = old.text();

    let mut it = Sketch::new("1.0.98", 33);
    it.now_ms = now_ms + 86_400_000;
    it.rows.bare(&json!({ "type": "summary", "summary": "Empty folders in the export", "leafUuid": leaf }));
    copied(&mut it.rows, &first);
    it.rows.leaf = leaf;
    it.human("Good. Now fix it.");
    it.starts("act", "walk-folders", &["read-export"]);
    it.runs("Edit", json!({ "file_path": format!("{CWD}/src/opml.rs"), "old_string": "for feed in &folder.feeds", "new_string": "for folder in folders" }), "The file src/opml.rs has been updated successfully.");
    it.ends(None);
    for line in first.lines().take(2) {
        it.rows.raw(line);
    }
    asides(&mut it);
    it.answer();
    it.says("The export walks folders now, the empty ones too.", 15);
    it.aside("custom-title", json!({ "customTitle": "opml-empty-folders" }));
    it.text()
}

/// Copies rows of the session before: with their old ids, and the new session's.
fn copied(rows: &mut Rows, first: &str) {
    for line in first.lines() {
        let mut row: Value = serde_json::from_str(line).unwrap_or_default();
        row["sessionId"] = json!(rows.session.id);
        rows.bare(&row);
    }
}

/// The small rows that no model sees.
fn asides(it: &mut Sketch) {
    it.aside("ai-title", json!({ "aiTitle": "Empty folders in the OPML export" }));
    it.aside("agent-name", json!({ "agentName": "opml" }));
    it.aside("mode", json!({ "mode": "normal" }));
    it.aside("permission-mode", json!({ "permissionMode": "acceptEdits" }));
    it.aside("pr-link", json!({ "prNumber": 118, "prUrl": "https://example.org/tidewater/pull/118", "prRepository": "example/tidewater" }));
    it.aside("worktree-state", json!({ "worktreeSession": null }));
    it.aside("relocated", json!({ "relocatedCwd": CWD }));
    it.aside("bridge-session", json!({ "bridgeSessionId": "b-1" }));
    it.aside("frame-link", json!({ "frameId": "f-1" }));
    it.aside("started", json!({}));
    it.aside("result", json!({ "ok": true }));
    it.aside("atis-latch", json!({ "latched": false }));
    it.note(
        "system",
        json!({ "subtype": "session_start", "content": "resumed", "level": "info", "isMeta": false }),
    );
}
