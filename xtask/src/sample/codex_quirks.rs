//! Rollouts of a few rows, each about one thing that Codex does.

use serde_json::{Value, json};

use super::codex_items::message_item;
use super::codex_tools::{Shape, function, printed};
use super::codex_writer::{About, CodexWriter, Era};
use super::rng::Rng;
use super::story::{Event, Timed};
use super::teller::CWD;

/// 2026-03-16T09:00:00Z.
const START_MS: i64 = 1_773_651_600_000;

/// A rollout that is written row by row.
struct Rows {
    writer: CodexWriter,
    rng: Rng,
    now_ms: i64,
    n_calls: u32,
}

impl Rows {
    fn new(about: About) -> Self {
        let mut rows = Self {
            writer: CodexWriter::new(Era::Streamed, about, 90),
            rng: Rng::new(91),
            now_ms: START_MS,
            n_calls: 0,
        };
        rows.tell(Event::Begin { cwd: CWD.to_owned() });
        rows
    }

    fn tell(&mut self, event: Event) {
        self.now_ms += 1_250;
        let timed = Timed { began_ms: self.now_ms, at_ms: self.now_ms, event };
        // Only calls of unknown tools and marks without a name can fail, and none is told here.
        drop(self.writer.write(&timed));
    }

    fn human(&mut self, text: &str) {
        self.tell(Event::Human(text.to_owned()));
    }

    fn item(&mut self, item: Value) {
        self.writer.line("response_item", item);
    }

    /// Writes a call with its output.
    fn call(&mut self, name: &str, arguments: &Value, output: Value) {
        self.n_calls += 1;
        let id = format!("call_{:04}", self.n_calls);
        self.item(function(&id, name, arguments));
        self.output(&id, output);
    }

    fn output(&mut self, id: &str, output: Value) {
        self.item(json!({ "type": "function_call_output", "call_id": id, "output": output }));
    }

    fn printed(&mut self, shape: Shape, text: &str, exit_code: i64) -> Value {
        json!(printed(shape, text, exit_code, 1_340, &mut self.rng))
    }

    fn say(&mut self, text: &str) {
        self.item(json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": text }], "phase": "final_answer" }));
    }
}

/// Every way in which a command's output and its end have been written.
pub(crate) fn shell_outputs(about: About) -> String {
    let mut rows = Rows::new(about);
    rows.human("Run the same few commands with every tool that you have had for it.");
    let bash = |command: &str| json!({ "command": ["bash", "-lc", command] });
    for (command, text, exit_code) in [("ls ui", "package.json\nsrc\n", 0), ("rg -n nowhere src", "", 1)] {
        let output = rows.printed(Shape::Json, text, exit_code);
        rows.call("shell", &bash(command), output);
    }
    let output = rows.printed(Shape::Lines, "fatal: not a git repository\n", 128);
    rows.call("shell_command", &json!({ "command": "git grep prune", "workdir": "/tmp" }), output);
    let output = rows.printed(Shape::Lines, "src\nui\n", 0);
    rows.call("shell_command", &json!({ "command": "ls", "workdir": CWD }), output);
    let output = rows.printed(Shape::Chunk, "src/main.rs\n", 0);
    rows.call("exec_command", &json!({ "cmd": "rg --files src -g main.rs" }), output);
    let output = rows.printed(Shape::Chunk, "Total output lines: 2104\n\nwarning: unused import\n…7340 tokens truncated…\nerror: could not compile\n", 101);
    rows.call("exec_command", &json!({ "cmd": "cargo build" }), output);
    let running = "Chunk ID: 77aa01\nWall time: 10.0012 seconds\nProcess running with session ID 1042\nOriginal token count: 4\nOutput:\nlistening on 8420\n";
    rows.call("exec_command", &json!({ "cmd": "cargo run", "tty": true }), json!(running));
    let output = rows.printed(Shape::Chunk, "^C\n", 130);
    rows.call("write_stdin", &json!({ "session_id": 1042, "chars": "\u{3}" }), output);
    // What is no command's output: a refusal, and the object of the oldest versions.
    rows.call(
        "exec_command",
        &json!({ "cmd": "rm -rf /srv" }),
        json!("exec_command failed for `rm -rf /srv`: rejected by user"),
    );
    rows.call("shell", &bash("pwd"), json!({ "content": "failed in sandbox", "success": false }));
    rows.call("shell", &bash("cat notes.txt"), json!("Exit code: see below"));
    rows.say("Done.");
    patches(&mut rows);
    rows.writer.into_text()
}

/// The three ways to patch: a shell command, a function, a tool with free text.
fn patches(rows: &mut Rows) {
    let patch = "*** Begin Patch\n*** Update File: docs/a.md\n@@\n-one\n+two\n*** End Patch";
    let success = "Success. Updated the following files:\nM docs/a.md\n";
    rows.human("And the same patch three times.");
    let output = rows.printed(Shape::Json, success, 0);
    rows.call("shell", &json!({ "command": ["apply_patch", patch] }), output);
    let output = rows.printed(Shape::Json, success, 0);
    rows.call("apply_patch", &json!({ "input": patch }), output);
    for (n_tries, (text, exit_code)) in
        [(success, 0), ("apply_patch verification failed: no line reads `one`\n", 1)].into_iter().enumerate()
    {
        let id = format!("call_patch_{n_tries}");
        rows.item(json!({ "type": "custom_tool_call", "status": "completed", "call_id": id, "name": "apply_patch", "input": patch }));
        let output = rows.printed(Shape::Lines, text, exit_code);
        rows.item(json!({ "type": "custom_tool_call_output", "call_id": id, "output": output }));
    }
    rows.say("The fourth did not apply: the line is gone.");
}

/// Tools that are no commands, and the items that the provider makes by itself.
pub(crate) fn tools(about: About) -> String {
    let mut rows = Rows::new(about);
    let image = format!("data:image/png;base64,{}", super::tools::SCREENSHOT.trim_end());
    rows.item(json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "What is wrong in this picture?" }, { "type": "input_image", "image_url": image }] }));
    rows.writer.event("user_message", json!({ "message": "What is wrong in this picture?", "images": [image], "local_images": [], "text_elements": [] }));
    rows.item(json!({ "type": "reasoning", "summary": [], "content": [{ "type": "reasoning_text", "text": "The tree is cut off at the right." }], "encrypted_content": null }));
    mcp(&mut rows);
    rows.call(
        "view_image",
        &json!({ "path": "shot.png" }),
        json!([{ "type": "input_image", "image_url": image }]),
    );
    rows.call(
        "update_plan",
        &json!({ "plan": [{ "step": "look", "status": "in_progress" }] }),
        json!("Plan updated"),
    );
    rows.item(json!({ "type": "web_search_call", "status": "completed", "action": { "type": "search", "query": "css tree overflow", "queries": ["css tree overflow"] } }));
    rows.item(json!({ "type": "web_search_call", "status": "completed", "action": { "type": "open_page", "url": "https://www.example.org/overflow" } }));
    rows.item(json!({ "type": "tool_search_call", "call_id": "call_find", "status": "completed", "execution": "client", "arguments": { "query": "calendar" } }));
    rows.item(json!({ "type": "tool_search_output", "call_id": "call_find", "status": "completed", "execution": "client", "tools": [] }));
    rows.item(json!({ "type": "image_generation_call", "id": "ig_1", "status": "completed", "revised_prompt": "a tree", "result": super::tools::SCREENSHOT.trim_end() }));
    rows.item(json!({ "type": "local_shell_call", "call_id": "call_local", "status": "completed", "action": { "type": "exec", "command": ["rg", "overflow", "ui"], "timeout_ms": 1000 } }));
    let output = rows.printed(Shape::Json, "ui/src/tree.css:4:  overflow: hidden;\n", 0);
    rows.output("call_local", output);
    rows.call(
        "spawn_agent",
        &json!({ "agent_type": "explorer", "message": "Find every overflow." }),
        json!("{\"agent_id\":\"019c0000-0000-7000-a000-000000000001\",\"nickname\":\"Ada\"}"),
    );
    rows.item(message_item("user", "<subagent_notification>\n{\"agent_id\":\"019c0000-0000-7000-a000-000000000001\",\"status\":{\"completed\":\"One place.\"}}\n</subagent_notification>"));
    rows.item(json!({ "type": "ghost_snapshot", "ghost_commit": { "id": "abc", "parent": null } }));
    rows.item(json!({ "type": "crystal_ball", "sees": "an item of a later version" }));
    rows.say("`overflow: hidden` in ui/src/tree.css.");
    rows.writer.into_text()
}

/// A tool of a server, under each of its names; one call is refused.
fn mcp(rows: &mut Rows) {
    let start = json!({ "action": "start", "name": "look-at-picture", "type": "expl" });
    let again = json!({ "action": "start", "name": "look-twice", "type": "expl" });
    let end = json!({ "action": "end", "description": "The tree hides what is wider than its box." });
    let id = "call_mcp_1";
    rows.item(json!({ "type": "function_call", "name": "delimiter", "namespace": "mcp__cwl", "arguments": start.to_string(), "call_id": id }));
    rows.output(id, json!([{ "type": "input_text", "text": "start [expl] look-at-picture" }]));
    let refusal = "an episode is open: end look-at-picture first";
    let result = json!({ "Ok": { "content": [{ "type": "text", "text": refusal }], "isError": true } });
    let id = "call_mcp_2";
    rows.item(function(id, "mcp__cwl__delimiter", &again));
    rows.writer.event("mcp_tool_call_end", json!({ "call_id": id, "invocation": { "server": "cwl", "tool": "delimiter", "arguments": again }, "duration": { "secs": 0, "nanos": 800_000 }, "result": result }));
    rows.output(id, json!([{ "type": "input_text", "text": refusal }]));
    rows.call("calendar__list_events", &json!({ "day": "today" }), json!("err: \"the server is gone\""));
    rows.call("cwl__delimiter", &end, json!("end [expl] look-at-picture"));
}

/// Rows that say something about the session, and rows that a later version will write.
pub(crate) fn records(about: About) -> String {
    let mut later = about.clone();
    let mut rows = Rows::new(about);
    rows.human("What does `make test` run?");
    let total = |n: u64| json!({ "input_tokens": n, "cached_input_tokens": n / 2, "output_tokens": 40, "reasoning_output_tokens": 0, "total_tokens": n + 40 });
    let count = |total: Value, last: Value| json!({ "info": { "total_token_usage": total, "last_token_usage": last, "model_context_window": 258_400 }, "rate_limits": null });
    rows.item(function("call_make", "exec_command", &json!({ "cmd": "cat Makefile" })));
    for _ in 0..4 {
        rows.writer.event("token_count", count(total(5_000), total(5_000)));
    }
    rows.writer.event("token_count", json!({ "info": null, "rate_limits": null }));
    rows.output("call_make", json!("Chunk ID: 01ab23\nWall time: 0.0510 seconds\nProcess exited with code 0\nOutput:\ntest:\n\tcargo test\n"));
    rows.say("`cargo test`.");
    rows.writer.event("token_count", count(total(10_100), total(5_100)));
    for version in ["0.105.0", "0.106.0"] {
        later.cli_version = version;
        rows.writer.session_meta(&later, START_MS);
    }
    for (kind, payload) in [
        ("world_state", json!({ "files": [] })),
        (
            "inter_agent_communication",
            json!({ "author": "/crew/ada", "recipient": "/crew", "content": "One place." }),
        ),
        ("token_usage_record", json!({ "total_tokens": 10_140 })),
        ("weather_report", json!({ "sky": "clear" })),
    ] {
        rows.writer.line(kind, payload);
    }
    rows.writer.event("entered_review_mode", json!({ "target": { "type": "uncommittedChanges" } }));
    rows.writer.event("exited_review_mode", json!({ "review_output": null }));
    rows.writer.event("moon_phase", json!({ "phase": "full" }));
    rows.tell(Event::Named("What make test runs".into()));
    rows.human("Run it.");
    rows.item(message_item("user", "Warning: your account's model is busy, a smaller one answers."));
    let arguments = json!({ "cmd": "make test" });
    rows.call("exec_command", &arguments, json!("aborted by user after 3.1s"));
    rows.item(message_item(
        "user",
        "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>",
    ));
    rows.writer.event("turn_aborted", json!({ "turn_id": null, "reason": "interrupted" }));
    let numbered = rows.writer.lines.iter().enumerate().map(|(at, line)| {
        let head = line.strip_suffix('}').unwrap_or(line);
        format!("{head},\"ordinal\":{at}}}\n")
    });
    numbered.collect()
}
