//! Writes a story as a rollout of Codex, with all that it writes twice.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::clock::iso;
use super::codex_items::{
    AGENTS, INSTRUCTIONS, SUMMARY_PREFIX, WINDOW, added, context_items, environment, last_usage,
    message_item, uuid,
};
use super::codex_tools::{call_id, call_item, output_item};
use super::meter::{Meter, Usage};
use super::rng::{BASE62, Rng};
use super::story::{Block, Event, Reply, Stop, Timed, ToolCall, ToolResult};

/// How Codex writes its rollouts, by age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// Before 0.32: items without an envelope, no events beside them.
    Bare,
    /// Up to about 0.60: items are written when their reply is done, each call with its output, behind
    /// what the reply cost.
    Paired,
    /// Since: items are written as they come, then what the reply cost, then the outputs.
    Streamed,
}

/// What a rollout says about itself beyond its story.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) id: String,
    pub(crate) cli_version: &'static str,
    pub(crate) originator: &'static str,
    pub(crate) source: Value,
    pub(crate) forked_from: Option<String>,
}

/// Writes events as lines.
pub(crate) struct CodexWriter {
    pub(crate) lines: Vec<String>,
    about: About,
    era: Era,
    rng: Rng,
    meter: Meter,
    total: Usage,
    model: String,
    turn_id: String,
    now_ms: i64,
    calls: BTreeMap<String, ToolCall>,
    /// Messages of the human, by text, that are still in the history.
    humans: Vec<String>,
    /// How many messages of the human stood before each mark.
    marks: BTreeMap<String, usize>,
    last_said: String,
    in_turn: bool,
}

impl CodexWriter {
    pub(crate) fn new(era: Era, about: About, seed: u64) -> Self {
        Self {
            lines: Vec::new(),
            about,
            era,
            rng: Rng::new(seed),
            meter: Meter::new(seed),
            total: Usage::default(),
            model: if era == Era::Streamed { "gpt-5.3-codex" } else { "gpt-5-codex" }.to_owned(),
            turn_id: String::new(),
            now_ms: 0,
            calls: BTreeMap::new(),
            humans: Vec::new(),
            marks: BTreeMap::new(),
            last_said: String::new(),
            in_turn: false,
        }
    }

    /// Joins the lines, each with its newline.
    pub(crate) fn into_text(self) -> String {
        self.lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
    }

    /// Writes one event; marks, labels and changes of another harness's model write nothing.
    pub(crate) fn write(&mut self, timed: &Timed) -> Result<()> {
        self.now_ms = timed.at_ms;
        match &timed.event {
            Event::Begin { cwd } => self.begin(cwd),
            Event::Model { .. } | Event::Labelled(_) => {}
            Event::Named(name) => {
                self.event("thread_name_updated", json!({ "thread_id": self.about.id, "thread_name": name }));
            }
            Event::Human(text) => self.human(text),
            Event::HumanShell { command, output, exit_code } => {
                let text = format!(
                    "<user_shell_command>\n<command>\n{command}\n</command>\n<result>\nExit code: {exit_code}\n\
                     Duration: 0.0{}1 seconds\nOutput:\n{output}\n</result>\n</user_shell_command>",
                    self.rng.between(100, 900)
                );
                self.message("user", &text);
            }
            Event::Injected { kind, text } => {
                self.message("developer", &format!("<{kind}>\n{text}\n</{kind}>"));
            }
            Event::Reply(reply) => self.reply(reply, timed.at_ms - timed.began_ms)?,
            Event::Result(result) => self.result(result, timed.at_ms - timed.began_ms)?,
            Event::Mark(name) => drop(self.marks.insert(name.clone(), self.humans.len())),
            Event::Compaction { summary, .. } => self.compaction(summary),
            Event::Rewind { to, .. } => {
                let before = *self.marks.get(to).with_context(|| format!("no mark {to}"))?;
                self.rollback(before.min(self.humans.len().saturating_sub(1)));
            }
        }
        Ok(())
    }

    /// Writes the line about the session; Codex does so again when something in it changes.
    pub(crate) fn session_meta(&mut self, about: &About, at_ms: i64) {
        let mut meta = json!({ "id": about.id, "timestamp": iso(at_ms), "cwd": super::teller::CWD });
        if let Some(parent) = &about.forked_from {
            meta["forked_from_id"] = json!(parent);
        }
        meta["originator"] = json!(about.originator);
        meta["cli_version"] = json!(about.cli_version);
        if self.era == Era::Streamed {
            meta["source"] = about.source.clone();
            meta["model_provider"] = json!("openai");
            meta["base_instructions"] = json!({ "text": INSTRUCTIONS });
        } else {
            meta["instructions"] = json!(AGENTS);
        }
        meta["git"] = json!({
            "commit_hash": "5b0cf1f39e3a7a5d4c4f0f4f6e2f7c0a9d1e8b37",
            "branch": "main",
            "repository_url": "https://git.example.org/home/tidewater.git",
        });
        self.line("session_meta", meta);
    }

    fn begin(&mut self, cwd: &str) {
        if self.era == Era::Bare {
            let head = json!({ "id": self.about.id, "timestamp": iso(self.now_ms), "instructions": AGENTS });
            self.lines.push(head.to_string());
            self.message("user", &environment(cwd, None));
            return;
        }
        let about = self.about.clone();
        self.session_meta(&about, self.now_ms);
        if self.era == Era::Paired {
            self.message("user", &format!("<user_instructions>\n\n{AGENTS}\n</user_instructions>"));
            self.message("user", &environment(cwd, None));
        }
    }

    /// A task begins: what is said around the human's message.
    fn human(&mut self, text: &str) {
        if self.era == Era::Streamed {
            self.start_task();
            if self.humans.is_empty() {
                self.context();
            }
            self.turn_context();
        }
        self.message("user", text);
        if self.era != Era::Bare {
            let mut twin = json!({ "message": text });
            if self.era == Era::Streamed {
                twin["images"] = json!([]);
                twin["local_images"] = json!([]);
                twin["text_elements"] = json!([]);
            } else {
                twin["kind"] = json!("plain");
            }
            self.event("user_message", twin);
        }
        if self.era == Era::Streamed {
            self.token_count(None);
        }
        self.humans.push(text.to_owned());
    }

    fn start_task(&mut self) {
        self.turn_id = self.uuid();
        self.in_turn = true;
        let started = json!({
            "turn_id": self.turn_id,
            "model_context_window": WINDOW,
            "collaboration_mode_kind": "default",
        });
        self.event("task_started", started);
    }

    fn end_task(&mut self, last: Option<String>) {
        if std::mem::take(&mut self.in_turn) {
            self.event("task_complete", json!({ "turn_id": self.turn_id, "last_agent_message": last }));
        }
    }

    /// What Codex tells the model before the first task, and again with a compaction.
    fn context(&mut self) {
        for item in context_items(&iso(self.now_ms)[..10]) {
            self.meter.add(item.to_string().len());
            self.line("response_item", item);
        }
    }

    fn turn_context(&mut self) {
        let mut context = json!({ "cwd": super::teller::CWD, "approval_policy": "on-request" });
        context["sandbox_policy"] = json!({ "type": "workspace-write", "network_access": false, "exclude_tmpdir_env_var": false, "exclude_slash_tmp": false });
        context["model"] = json!(self.model);
        if self.era == Era::Streamed {
            context["turn_id"] = json!(self.turn_id);
            context["current_date"] = json!(iso(self.now_ms)[..10]);
            context["collaboration_mode"] = json!({ "mode": "default", "settings": { "model": self.model, "reasoning_effort": "medium", "developer_instructions": null } });
            context["truncation_policy"] = json!({ "mode": "tokens", "limit": 10_000 });
        }
        context["effort"] = json!("medium");
        context["summary"] = json!("auto");
        self.line("turn_context", context);
    }

    fn reply(&mut self, reply: &Reply, _took_ms: i64) -> Result<()> {
        if self.era == Era::Paired {
            self.turn_context();
        }
        if let Stop::Failed(message) = &reply.stop {
            // Nothing of a reply that failed is kept; Codex tells the human and asks again.
            self.event(
                "error",
                json!({ "message": message, "codex_error_info": "response_stream_disconnected" }),
            );
            return Ok(());
        }
        let usage = self.meter.reply(reply.n_chars());
        let is_last = reply.stop == Stop::Finished;
        let mut items = Vec::new();
        for block in &reply.blocks {
            match block {
                Block::Reasoning(text) => {
                    let encrypted = format!("gAAAA{}", self.rng.text(BASE62, (180 + text.len()).min(400)));
                    if self.era != Era::Bare {
                        self.event("agent_reasoning", json!({ "text": text }));
                    }
                    let summary = json!([{ "type": "summary_text", "text": text }]);
                    items.push(json!({ "type": "reasoning", "summary": summary, "content": null, "encrypted_content": encrypted }));
                }
                Block::Text(text) => {
                    let phase = if is_last { "final_answer" } else { "commentary" };
                    let mut twin = json!({ "message": text });
                    let mut item = json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": text }] });
                    if self.era == Era::Streamed {
                        twin["phase"] = json!(phase);
                        item["phase"] = json!(phase);
                    }
                    if self.era != Era::Bare {
                        self.event("agent_message", twin);
                    }
                    self.last_said.clone_from(text);
                    items.push(item);
                }
                Block::Call(call) => {
                    self.calls.insert(call.id.clone(), call.clone());
                    if self.era != Era::Paired || reply.stop == Stop::Aborted {
                        items.push(call_item(self.era, call)?);
                    }
                }
            }
            if self.era == Era::Streamed {
                items.drain(..).for_each(|item| self.item(item));
            }
        }
        if self.era != Era::Bare {
            self.token_count(Some((usage, reply)));
        }
        items.drain(..).for_each(|item| self.item(item));
        match reply.stop {
            Stop::Finished if self.era == Era::Streamed => self.end_task(Some(self.last_said.clone())),
            Stop::Aborted => {
                self.in_turn = false;
                self.message("user", "<turn_aborted>\nThe user interrupted the previous turn on purpose. Any running commands may still be running.\n</turn_aborted>");
                self.event("turn_aborted", json!({ "turn_id": self.turn_id, "reason": "interrupted" }));
            }
            _ => {}
        }
        Ok(())
    }

    fn result(&mut self, result: &ToolResult, took_ms: i64) -> Result<()> {
        let call = self.calls.remove(&result.call_id).context("a result answers a call")?;
        if self.era == Era::Paired {
            let item = call_item(self.era, &call)?;
            self.item(item);
        }
        self.twin_of_result(&call, result, took_ms);
        if let Some(item) = output_item(self.era, &call, result, took_ms, &mut self.rng)? {
            self.meter.add(item["output"].to_string().len());
            self.item(item);
        }
        Ok(())
    }

    /// What the ui is told when a tool is through.
    fn twin_of_result(&mut self, call: &ToolCall, result: &ToolResult, took_ms: i64) {
        if self.era == Era::Bare {
            return;
        }
        let id = call_id(&call.id);
        match call.tool.as_str() {
            "delimiter" => {
                let content = json!([{ "type": "text", "text": result.text }]);
                let duration = json!({ "secs": took_ms / 1000, "nanos": took_ms % 1000 * 1_000_000 });
                let invocation = json!({ "server": "cwl", "tool": "delimiter", "arguments": call.arguments });
                let outcome = json!({ "Ok": { "content": content, "isError": result.failed } });
                self.event("mcp_tool_call_end", json!({ "call_id": id, "invocation": invocation, "duration": duration, "result": outcome }));
            }
            "edit" | "write" if self.era == Era::Streamed => {
                let path = call.arguments.get("path").cloned().unwrap_or_default();
                self.event("patch_apply_end", json!({ "call_id": id, "turn_id": self.turn_id, "stdout": result.text, "stderr": "", "success": !result.failed, "changes": { "path": path }, "status": if result.failed { "failed" } else { "completed" } }));
            }
            "web_fetch" => {
                let action = json!({ "type": "open_page", "url": call.arguments.get("url") });
                self.event("web_search_end", json!({ "call_id": id, "query": "", "action": action }));
            }
            _ => {}
        }
    }

    /// Writes what a reply cost, now and then twice; without a reply, what Codex says at the start of a task.
    fn token_count(&mut self, of: Option<(Usage, &Reply)>) {
        let info = match of {
            None => Value::Null,
            Some((usage, reply)) => {
                self.total = added(self.total, usage);
                let thought = reply.blocks.iter().any(|block| matches!(block, Block::Reasoning(_)));
                let reasoning = if thought { usage.output / 2 } else { 0 };
                self.info(last_usage(usage, reasoning))
            }
        };
        let row = json!({ "info": info, "rate_limits": self.rate_limits() });
        let again = of.is_some() && self.rng.chance(160);
        self.event("token_count", row);
        if again {
            let row = json!({ "info": info, "rate_limits": self.rate_limits() });
            self.event("token_count", row);
        }
    }

    fn info(&self, last: Value) -> Value {
        json!({ "total_token_usage": last_usage(self.total, self.total.output / 3), "last_token_usage": last, "model_context_window": WINDOW })
    }

    fn rate_limits(&mut self) -> Value {
        let used = self.rng.between(2, 40) as f64;
        let reset = self.now_ms / 1000 + 9_000;
        json!({ "limit_id": "codex", "primary": { "used_percent": used, "window_minutes": 300, "resets_at": reset }, "credits": null, "plan_type": "plus" })
    }

    /// The history is replaced: by what Codex writes down whole, or, in old versions, by a summary alone.
    fn compaction(&mut self, summary: &str) {
        if self.era == Era::Bare {
            return;
        }
        let kept: usize = self.humans.iter().map(String::len).sum();
        self.meter.replace((kept + summary.len()) as u64);
        if self.era == Era::Paired {
            self.line("compacted", json!({ "message": format!("{SUMMARY_PREFIX}\n{summary}") }));
            return;
        }
        self.start_task();
        self.turn_context();
        let mut history: Vec<Value> = self.humans.iter().map(|text| message_item("user", text)).collect();
        let last = history.pop();
        history.extend(context_items(&iso(self.now_ms)[..10]));
        history.extend(last);
        let encrypted = format!("gAAAA{}", self.rng.text(BASE62, 640));
        history.push(json!({ "type": "compaction", "encrypted_content": encrypted }));
        let window = self.uuid();
        self.line("compacted", json!({ "message": "", "replacement_history": history, "window_id": window }));
        let mut nothing = last_usage(Usage::default(), 0);
        nothing["total_tokens"] = json!(self.meter.prompt());
        let row = json!({ "info": self.info(nothing), "rate_limits": self.rate_limits() });
        self.event("token_count", row);
        self.event("context_compacted", json!({}));
        self.end_task(None);
    }

    /// Goes back to before a message of the human; Codex forgets whole tasks only. The human says it again.
    fn rollback(&mut self, before: usize) {
        let dropped = self.humans.split_off(before);
        self.event("thread_rolled_back", json!({ "num_turns": dropped.len() }));
        if let Some(again) = dropped.last() {
            self.human(again);
        }
    }

    fn message(&mut self, role: &str, text: &str) {
        self.meter.add(text.len());
        self.item(message_item(role, text));
    }

    fn item(&mut self, item: Value) {
        if self.era == Era::Bare {
            self.lines.push(item.to_string());
            self.lines.push(json!({ "record_type": "state" }).to_string());
        } else {
            self.line("response_item", item);
        }
    }

    pub(crate) fn event(&mut self, kind: &str, mut fields: Value) {
        let mut payload = json!({ "type": kind });
        if let (Some(payload), Some(fields)) = (payload.as_object_mut(), fields.as_object_mut()) {
            payload.append(fields);
        }
        if self.era != Era::Bare {
            self.line("event_msg", payload);
        }
    }

    pub(crate) fn line(&mut self, kind: &str, payload: Value) {
        let line = json!({ "timestamp": iso(self.now_ms), "type": kind, "payload": payload });
        self.lines.push(line.to_string());
    }

    fn uuid(&mut self) -> String {
        uuid(&mut self.rng)
    }
}
