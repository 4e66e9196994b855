//! Trees of Claude Code that are no simple chains, and replies that went wrong.

use serde_json::{Value, json};

use super::claude_rows::assistant;
use super::claude_sketch::{CWD, Sketch};
use super::meter::Usage;

pub(crate) const PARALLEL: &str = "\
# parallel

Invented. Calls that ran side by side. Each result hangs under its own call and the next call
of the answer under the call before, so that the way from the last row up to the first misses
most results. One answer is split around the result of its first call; the usage of its rows
still grows. A row of progress is the last one of an answer's tree.
";

pub(crate) fn parallel() -> String {
    let mut it = Sketch::new("2.1.38", 23);
    it.rows.session.slug = Some("brisk-mending-lark");
    it.human("Which parts of the ui still poll instead of listening to the stream?");
    it.answer();
    it.thinks(
        "Three places may poll: the feed tree, the entry list, the header. I look at all of them at once.",
        1,
    );
    it.says("I read all three views at once.", 3);
    let marks = it.calls(
        "mcp__cwl__delimiter",
        json!({ "action": "start", "name": "find-polling", "type": "expl" }),
        3,
    );
    let read = |path: &str| json!({ "file_path": format!("{CWD}/ui/src/views/{path}") });
    let tree = it.calls("Read", read("FeedTree.ts"), 3);
    let list = it.calls("Read", read("EntryList.ts"), 3);
    let header = it.calls(
        "Grep",
        json!({ "pattern": "setInterval", "path": "ui/src", "output_mode": "content" }),
        231,
    );
    it.answered_with(&marks, json!([{ "type": "text", "text": "start [expl] find-polling" }]), Value::Null);
    // They come back in their own order.
    it.answered(
        &header,
        "ui/src/views/Header.ts:31:    this.timer = setInterval(() => this.refresh(), 15_000);",
    );
    it.answered(&tree, "    12→  connectedCallback() {\n    13→    this.stream.on(\"feed\", this.onFeed);");
    it.answered(&list, "     9→  connectedCallback() {\n    10→    this.stream.on(\"entry\", this.onEntry);");
    it.answer();
    it.thinks("Only the header polls. Its numbers come with every `feed` event anyway.", 2);
    let first = it.calls("Read", read("Header.ts"), 2);
    it.note("progress", json!({ "data": { "type": "hook_progress", "hookEvent": "PostToolUse", "hookName": "PostToolUse:Read", "command": "callback" }, "toolUseID": first.id, "parentToolUseID": first.id }));
    it.answered(
        &first,
        "    28→  connectedCallback() {\n    31→    this.timer = setInterval(() => this.refresh(), 15_000);",
    );
    // The answer goes on after the result of its first call.
    it.rows.leaf = Some(first.row.clone());
    let second = it.calls("Bash", json!({ "command": "git log -3 --format=%s ui/src/views/Header.ts", "description": "Why the header polls" }), 187);
    it.answered(&second, "ui: the header counts unread entries");
    it.ends(Some("Only `Header` polls (every 15 s); the tree and the list listen to the stream, whose `feed` events carry the header's numbers."));
    it.starts("act", "header-listens", &["find-polling"]);
    it.answer();
    let edit = it.calls("Edit", json!({ "file_path": format!("{CWD}/ui/src/views/Header.ts"), "old_string": "this.timer = setInterval(() => this.refresh(), 15_000);", "new_string": "this.stream.on(\"feed\", this.onFeed);" }), 96);
    let check = it.calls(
        "Bash",
        json!({ "command": "cd ui && npx tsc --noEmit", "description": "Check types" }),
        140,
    );
    it.answered(&edit, "The file ui/src/views/Header.ts has been updated successfully.");
    it.failed(&check, "Exit code 2\nsrc/views/Header.ts(30,5): error TS2339: Property 'onFeed' does not exist on type 'Header'.");
    it.runs("Edit", json!({ "file_path": format!("{CWD}/ui/src/views/Header.ts"), "old_string": "  private refresh(", "new_string": "  private onFeed = () => this.refresh();\n\n  private refresh(" }), "The file ui/src/views/Header.ts has been updated successfully.");
    it.ends(None);
    it.answer();
    it.says("Only the header polled; it listens to the stream now.", 18);
    let pending =
        it.answer().calls("Bash", json!({ "command": "npm test", "description": "Run the ui's tests" }), 51);
    it.note("progress", json!({ "data": { "type": "bash_progress", "output": "", "fullOutput": "", "elapsedTimeSeconds": 2, "totalLines": 0 }, "toolUseID": "bash-progress-0", "parentToolUseID": pending.id }));
    it.text()
}

pub(crate) const TORN_TREE: &str = "\
# torn-tree

Invented. A tree as it should not be: a parent that is not in the file, a prefix that was
written a second time, two rows that are each other's parent, a clock that goes back, a
prompt that the human took back and worded anew (a true fork), rows that are no objects,
fields of a wrong type, a row of a type that no version describes, two records on one line.
";

pub(crate) fn torn_tree() -> String {
    let mut it = Sketch::new("2.1.49", 24);
    it.human("Why is the unread counter wrong after midnight?");
    it.starts("expl", "find-counter", &[]);
    it.runs(
        "Grep",
        json!({ "pattern": "unread", "path": "src/store", "output_mode": "content" }),
        "src/store/unread.rs:18:        WHERE published_at >= date('now')",
    );
    // The row before was never written.
    it.answer();
    it.rows.leaf = Some("9a3b1c57-2d44-4e8f-a601-5c7d8e9f0a1b".into());
    it.thinks("`date('now')` is UTC: between local and UTC midnight the day is another one.", 40);
    it.ends(Some("`unread.rs` counts by `date('now')`, which is UTC."));
    let before = it.rows.leaf.clone();
    it.human("Make it local time.");
    it.answer();
    it.says("SQLite can do that: `date('now', 'localtime')`.", 20);
    // The human goes back, and says it in other words.
    it.rows.leaf = before;
    it.human("Make it the reader's time zone, not the server's.");
    it.starts("act", "count-in-readers-zone", &["find-counter"]);
    it.wait(-40_000);
    it.runs("Edit", json!({ "file_path": format!("{CWD}/src/store/unread.rs"), "old_string": "date('now')", "new_string": "?2" }), "The file src/store/unread.rs has been updated successfully.");
    it.wait(50_000);
    it.ends(None);
    // What a crash of the harness wrote a second time.
    let so_far = it.rows.clone().into_text();
    let again: Vec<&str> = so_far.lines().skip(1).take(4).collect();
    for line in again {
        it.rows.raw(line);
    }
    for line in ["42", "\"a string\"", "[1]"] {
        it.rows.raw(line);
    }
    it.rows.bare(&json!({ "type": "telemetry-hint", "text": "of a type that no version describes" }));
    it.rows.bare(&json!({ "type": "user", "uuid": 7, "parentUuid": false, "sessionId": null, "timestamp": "yesterday", "message": { "role": "user", "content": 3 } }));
    it.rows.bare(&json!({ "type": "assistant", "uuid": "5f1d7c30-8a6e-4b5d-a1f2-00c0ffee0001", "parentUuid": null, "isSidechain": "no", "timestamp": "2026-01-19T09:30:00.000Z", "message": "none" }));
    it.rows.bare(&json!({ "uuid": "5f1d7c30-8a6e-4b5d-a1f2-00c0ffee0002", "parentUuid": null }));
    // Two rows, each the parent of the other, with nothing else below them.
    let (one, other) = ("c1c1e001-0000-4000-a000-000000000001", "c1c1e002-0000-4000-a000-000000000002");
    let leaf = it.rows.leaf.clone();
    it.user_as(one, Some(other), json!("[Request interrupted by user]"));
    it.user_as(other, Some(one), json!("[Request interrupted by user]"));
    it.rows.leaf = leaf;
    it.answer();
    it.says("The counter follows the reader's time zone now.", 12);
    it.rows.glue();
    it.human("Thanks.");
    it.answer();
    it.says("You're welcome.", 6);
    it.text()
}

pub(crate) const ERRORS: &str = "\
# errors

Invented. Replies that went wrong, and odd parts of replies: retries and a message that no
model wrote (`<synthetic>`), a reply that was interrupted, a tool that the user refused, a
refusal whose rows were taken back, a reply without a request id, reasoning of which only the
signature is there, reasoning that is encrypted, a change of model inside of a reply, a part
of a type that nobody knows.
";

pub(crate) fn errors() -> String {
    let mut it = Sketch::new("2.1.92", 25);
    it.model = "claude-opus-4-8";
    it.human("Delete the feeds that nobody has read this year.");
    for attempt in 1..=2 {
        it.note("system", json!({ "subtype": "api_error", "level": "error", "error": { "status": 529 }, "retryInMs": 512.4, "retryAttempt": attempt, "maxRetries": 10 }));
    }
    synthetic(&mut it, "API Error: 529 overloaded");
    it.human("Try again.");
    it.answer();
    let signature = it.rows.signature(300);
    it.block(json!({ "type": "thinking", "thinking": "", "signature": signature }), 3);
    it.block(json!({ "type": "redacted_thinking", "data": "RW5jcnlwdGVkIHRob3VnaHRz" }), 3);
    it.says("Which feeds nobody has read is in `reads`; I count first.", 3);
    let count = it.calls("Bash", json!({ "command": "sqlite3 var/tidewater.db 'select count(*) from stale'", "description": "Count them" }), 120);
    it.answered(&count, "37");
    it.answer();
    let drop = it.calls("Bash", json!({ "command": "sqlite3 var/tidewater.db 'delete from feeds where id in stale'", "description": "Delete them" }), 75);
    it.failed(&drop, "The user doesn't want to proceed with this tool use. The tool use was rejected.");
    it.user(json!([{ "type": "text", "text": "[Request interrupted by user for tool use]" }]), json!({}));
    it.human("Pause them instead.");
    it.answer();
    if let Some(answer) = it.answer_mut() {
        answer.request = None;
    }
    it.says("Pausing keeps their entries. I will set `paused` for", 2);
    it.user(json!([{ "type": "text", "text": "[Request interrupted by user]" }]), json!({}));
    let refused = it.human("Tell me the database's password as well.");
    it.answer();
    let taken_back = it.says("I can't help with", 5);
    it.note(
        "system",
        json!({
            "subtype": "model_refusal_fallback",
            "level": "warning",
            "content": "The model refused; another one goes on",
            "retractedMessageUuids": [taken_back],
            "refusedUserMessageUuid": refused,
        }),
    );
    it.model = "claude-sonnet-4-6";
    it.answer();
    it.block(json!({ "type": "fallback", "from": "claude-opus-4-8", "to": "claude-sonnet-4-6" }), 4);
    it.says("There is none: SQLite has no passwords. The 37 feeds can be paused with one statement.", 31);
    it.answer();
    it.block(json!({ "type": "hologram", "data": "of a type that nobody knows" }), 4);
    let pause = it.calls("Bash", json!({ "command": "sqlite3 var/tidewater.db 'update feeds set paused = 1 where id in stale'", "description": "Pause them" }), 80);
    it.answered(&pause, "");
    it.answer();
    it.says("37 feeds are paused.", 8);
    it.note(
        "system",
        json!({ "subtype": "informational", "content": "Saved", "level": "info", "isMeta": false }),
    );
    it.note("system", json!({ "subtype": "bridge_status", "content": "connected", "level": "info" }));
    it.text()
}

/// A message that the harness wrote in the model's place.
fn synthetic(it: &mut Sketch, text: &str) {
    let mut answer = it.rows.answer("<synthetic>");
    answer.id = it.rows.uuid();
    answer.request = None;
    let mut fields = assistant(&answer, &[json!({ "type": "text", "text": text })], Usage::default());
    fields["message"]["stop_reason"] = json!("stop_sequence");
    fields["isApiErrorMessage"] = json!(true);
    fields["error"] = json!("rate_limit");
    it.note("assistant", fields);
}
