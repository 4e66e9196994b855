//! A small session of Claude Code drawn row by row, for samples that show one oddity each.

use serde_json::{Value, json};

use super::claude_rows::{Answer, Rows, user};
use super::clock::iso;
use super::meter::Usage;

/// The folder of the invented project.
pub(crate) const CWD: &str = "/home/dev/tidewater";

/// When the sketches begin: 2026-01-19T09:12:00Z.
const BEGIN_MS: i64 = 1_768_813_920_000;

/// Rows with a clock, and a reply that is being written.
pub(crate) struct Sketch {
    pub(crate) rows: Rows,
    pub(crate) now_ms: i64,
    pub(crate) model: &'static str,
    answer: Option<Answer>,
    seed: u64,
    n_calls: u32,
    /// Characters that the next request carries beside what the log does not hold.
    n_chars: u64,
    /// Tokens of this request, and of the one before, which are read from the cache.
    prompt: u64,
    cached: u64,
}

/// Tokens of the system prompt and the tools.
const UNLOGGED: u64 = 18_400;

/// A call that was written: its row and its id.
#[derive(Debug, Clone)]
pub(crate) struct Called {
    pub(crate) row: String,
    pub(crate) id: String,
}

impl Sketch {
    pub(crate) fn new(version: &'static str, seed: u64) -> Self {
        Self {
            rows: Rows::new(version, CWD, seed),
            now_ms: BEGIN_MS,
            model: "claude-sonnet-4-5-20250929",
            answer: None,
            seed,
            n_calls: 0,
            n_chars: 0,
            prompt: UNLOGGED,
            cached: 0,
        }
    }

    /// Lets time pass; it may go back.
    pub(crate) fn wait(&mut self, ms: i64) -> i64 {
        self.now_ms += ms;
        self.now_ms
    }

    /// The human writes.
    pub(crate) fn human(&mut self, text: &str) -> String {
        self.user(json!(text), json!({}))
    }

    /// A row in the user's slot, with what marks it.
    pub(crate) fn user(&mut self, content: Value, more: Value) -> String {
        self.answer = None;
        self.carries(&content);
        let at = self.wait(31_000);
        self.rows.user(at, content, more)
    }

    /// The next request carries a content, too.
    fn carries(&mut self, content: &Value) {
        self.n_chars += content.to_string().len() as u64;
    }

    /// Nothing written so far is in the next request.
    pub(crate) fn carries_nothing(&mut self) {
        self.n_chars = 0;
    }

    /// A row of another type in the tree.
    pub(crate) fn note(&mut self, kind: &str, fields: Value) -> String {
        let at = self.wait(40);
        self.rows.row(at, kind, fields)
    }

    /// A reminder that newer versions keep as a row of its own.
    pub(crate) fn attachment(&mut self, kind: &str, fields: Value) -> String {
        let attachment = super::claude_rows::merged(json!({ "type": kind }), fields);
        self.carries(&attachment);
        self.note("attachment", json!({ "attachment": attachment }))
    }

    /// A row outside the tree that names its session.
    pub(crate) fn aside(&mut self, kind: &str, fields: Value) {
        let row = json!({ "type": kind, "sessionId": self.rows.session.id });
        self.rows.bare(&super::claude_rows::merged(row, fields));
    }

    /// A prompt typed while the model works, or its way out of the queue.
    pub(crate) fn queued(&mut self, operation: &str, content: Option<&str>) {
        let at = self.wait(900);
        let mut fields = json!({ "operation": operation, "timestamp": iso(at) });
        if let Some(content) = content {
            fields["content"] = json!(content);
        }
        self.aside("queue-operation", fields);
    }

    /// The model begins another answer.
    pub(crate) fn answer(&mut self) -> &mut Self {
        let answer = self.rows.answer(self.model);
        self.answer = Some(answer);
        self.cached = if self.n_chars == 0 { 0 } else { self.prompt };
        // About 3.3 characters of code and prose make a token.
        self.prompt = UNLOGGED + self.n_chars * 10 / 33;
        self
    }

    /// One block of the answer, in a row of its own; `output` is the usage so far.
    pub(crate) fn block(&mut self, block: Value, output: u64) -> String {
        if self.answer.is_none() {
            self.answer();
        }
        self.carries(&block);
        let at = self.wait(1_900);
        let usage = self.usage(output);
        match &self.answer {
            Some(answer) => self.rows.block(at, answer, block, usage),
            None => String::new(),
        }
    }

    fn usage(&self, output: u64) -> Usage {
        let cache_read = self.cached.min(self.prompt - 4);
        Usage { input: 4, output, cache_read, cache_write: self.prompt - 4 - cache_read }
    }

    /// Changes the ids of the answer that is being written.
    pub(crate) fn answer_mut(&mut self) -> Option<&mut Answer> {
        self.answer.as_mut()
    }

    pub(crate) fn thinks(&mut self, text: &str, output: u64) -> String {
        let signature = self.rows.signature(text.len());
        self.block(json!({ "type": "thinking", "thinking": text, "signature": signature }), output)
    }

    pub(crate) fn says(&mut self, text: &str, output: u64) -> String {
        self.block(json!({ "type": "text", "text": text }), output)
    }

    pub(crate) fn calls(&mut self, tool: &str, input: Value, output: u64) -> Called {
        self.n_calls += 1;
        let id = format!("toolu_01Tide{:02}{:018}", self.seed, self.n_calls);
        let block = json!({ "type": "tool_use", "id": id, "name": tool, "input": input });
        Called { row: self.block(block, output), id }
    }

    /// The answer to a call, below the row of the call.
    pub(crate) fn answered(&mut self, call: &Called, text: &str) -> String {
        self.answered_with(call, json!(text), json!({ "stdout": text, "stderr": "", "interrupted": false }))
    }

    pub(crate) fn answered_with(&mut self, call: &Called, content: Value, copy: Value) -> String {
        self.carries(&content);
        let at = self.wait(350);
        self.rows.result(at, (&call.row, &call.id), content, false, copy)
    }

    /// A tool that failed.
    pub(crate) fn failed(&mut self, call: &Called, text: &str) -> String {
        self.carries(&json!(text));
        let at = self.wait(350);
        self.rows.result(at, (&call.row, &call.id), json!(text), true, json!(format!("Error: {text}")))
    }

    /// Opens an episode: an answer of its own, and what the delimiter says.
    pub(crate) fn starts(&mut self, kind: &str, name: &str, dependencies: &[&str]) {
        let mut input = json!({ "action": "start", "name": name, "type": kind });
        if !dependencies.is_empty() {
            input["dependencies"] = json!(dependencies);
        }
        self.delimiter(input, &format!("start [{kind}] {name}"));
    }

    /// Closes the open episode.
    pub(crate) fn ends(&mut self, description: Option<&str>) {
        let mut input = json!({ "action": "end" });
        if let Some(description) = description {
            input["description"] = json!(description);
        }
        self.delimiter(input, "end");
    }

    fn delimiter(&mut self, input: Value, said: &str) {
        self.answer();
        let call = self.calls("mcp__cwl__delimiter", input, 61);
        let content = json!([{ "type": "text", "text": said }]);
        self.answered_with(&call, content.clone(), content);
    }

    /// An answer that calls one tool, and its result.
    pub(crate) fn runs(&mut self, tool: &str, input: Value, text: &str) -> Called {
        self.answer();
        let call = self.calls(tool, input, 88);
        self.answered(&call, text);
        call
    }

    /// Writes a row of the user with its id and parent given.
    pub(crate) fn user_as(&mut self, id: &str, parent: Option<&str>, content: Value) {
        self.answer = None;
        let at = self.wait(5_000);
        self.rows.row_as(id, parent, at, "user", user(content, json!({})));
    }

    /// Ends the sketch.
    pub(crate) fn text(self) -> String {
        self.rows.into_text()
    }
}
