//! Writes a story as a session that OpenCode exports: one JSON document of messages and their parts.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use super::clock::iso;
use super::meter::{Meter, Usage};
use super::opencode_tools::{call_of, finished, running};
use super::rng::{BASE62, Rng};
use super::story::{Block, Effect, Event, Reply, Stop, Timed, ToolCall};
use super::teller::CWD;

const PROVIDER: &str = "anthropic";
const MODEL: &str = "claude-sonnet-4-5";
const SLUG: &str = "quiet-harbor";

/// Tells a story as an export.
pub(crate) struct OpencodeWriter {
    rng: Rng,
    meter: Meter,
    info: Map<String, Value>,
    session: String,
    messages: Vec<Exported>,
    /// Ids rise with time and, within a millisecond, by this.
    n_ids: i64,
    last_user: String,
    /// Calls of the last reply that are not answered yet.
    open: Vec<ToolCall>,
    edited: Vec<String>,
    marks: BTreeMap<String, Mark>,
}

/// One message with its parts.
struct Exported {
    info: Value,
    parts: Vec<Value>,
}

/// A named place in the conversation.
#[derive(Debug, Clone, Copy)]
struct Mark {
    n_messages: usize,
    chars: u64,
}

impl OpencodeWriter {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            rng: Rng::new(seed),
            meter: Meter::new(seed),
            info: Map::new(),
            session: String::new(),
            messages: Vec::new(),
            n_ids: 0,
            last_user: String::new(),
            open: Vec::new(),
            edited: Vec::new(),
            marks: BTreeMap::new(),
        }
    }

    /// Gives back the export.
    pub(crate) fn into_text(mut self) -> Result<String> {
        self.info.insert("id".into(), json!(self.session));
        let messages: Vec<Value> =
            self.messages.into_iter().map(|it| json!({ "info": it.info, "parts": it.parts })).collect();
        let export = json!({ "info": self.info, "messages": messages });
        Ok(format!("{}\n", serde_json::to_string_pretty(&export)?))
    }

    /// Writes one event. Labels and the summaries of branches have no place in a session.
    pub(crate) fn write(&mut self, timed: &Timed) -> Result<()> {
        if !matches!(timed.event, Event::Begin { .. }) {
            self.info["time"]["updated"] = json!(timed.at_ms);
        }
        match &timed.event {
            Event::Begin { .. } => self.begin(timed.at_ms),
            Event::Model { .. } | Event::Labelled(_) => {}
            Event::Named(name) => self.info["title"] = json!(name),
            Event::Human(text) => self.user(timed.at_ms, json!({ "type": "text", "text": text })),
            Event::Injected { text, .. } => {
                self.user(timed.at_ms, json!({ "type": "text", "text": text, "synthetic": true }));
            }
            Event::HumanShell { command, output, exit_code } => {
                self.human_shell(timed, command, output, *exit_code);
            }
            Event::Reply(reply) => self.reply(timed, reply),
            Event::Result(result) => {
                let place = self.open.iter().position(|call| call.id == result.call_id);
                let call = self.open.remove(place.context("a result without its call")?);
                self.meter.add(result.text.len());
                if matches!(result.effect, Some(Effect::Edited { .. })) || call.tool == "write" {
                    let path = call.arguments.get("path").and_then(Value::as_str).unwrap_or_default();
                    self.edited.push(format!("{CWD}/{path}"));
                }
                let last = self.messages.last_mut().context("a reply before its result")?;
                let part = last.parts.iter_mut().find(|part| part["callID"] == json!(call.id));
                part.context("the call's part")?["state"] =
                    finished(&call, result, timed.began_ms, timed.at_ms);
                if self.open.is_empty() {
                    self.end_step(timed.at_ms, "tool-calls");
                }
            }
            Event::Mark(name) => {
                let mark = Mark { n_messages: self.messages.len(), chars: self.meter.chars() };
                self.marks.insert(name.clone(), mark);
            }
            Event::Compaction { keep_from, summary } => {
                let mark =
                    self.marks.get(keep_from).copied().with_context(|| format!("no mark {keep_from}"))?;
                self.compact(timed, mark, summary);
            }
            Event::Rewind { to, .. } => {
                // What came since is deleted as soon as the human writes on.
                let mark = self.marks.get(to).copied().with_context(|| format!("no mark {to}"))?;
                self.messages.truncate(mark.n_messages);
                self.meter.replace(mark.chars);
            }
        }
        Ok(())
    }

    fn begin(&mut self, at_ms: i64) {
        self.session = self.id("ses", at_ms);
        let info = json!({
            "slug": SLUG,
            "projectID": self.rng.hex(40),
            "directory": CWD,
            "title": format!("New session - {}", iso(at_ms)),
            "version": "1.2.24",
            "summary": { "additions": 0, "deletions": 0, "files": 0 },
            "time": { "created": at_ms, "updated": at_ms },
        });
        if let Value::Object(info) = info {
            self.info = info;
        }
    }

    fn user(&mut self, at_ms: i64, part: Value) {
        self.meter.add(part["text"].as_str().unwrap_or_default().len());
        let info = json!({
            "role": "user",
            "time": { "created": at_ms },
            "summary": { "diffs": [] },
            "agent": "build",
            "model": { "providerID": PROVIDER, "modelID": MODEL },
        });
        self.last_user = self.message(at_ms, info);
        self.part(at_ms, part);
    }

    /// The human's own command: a line of the harness, and an answer that no model gave.
    fn human_shell(&mut self, timed: &Timed, command: &str, output: &str, exit_code: i32) {
        let said = "The following tool was executed by the user";
        self.user(timed.began_ms, json!({ "type": "text", "text": said, "synthetic": true }));
        self.meter.add(command.len() + output.len());
        let info = self.answer(timed.began_ms, Some(timed.at_ms), "build", Usage::default());
        self.message(timed.began_ms, info);
        let call = format!("call_{}", self.rng.text(BASE62, 24));
        let state = json!({
            "status": "completed",
            "input": { "command": command },
            "output": output,
            "title": "",
            "metadata": { "output": output, "description": "", "exit": exit_code },
            "time": { "start": timed.began_ms, "end": timed.at_ms },
        });
        self.part(timed.began_ms, json!({ "type": "tool", "callID": call, "tool": "bash", "state": state }));
    }

    fn reply(&mut self, timed: &Timed, reply: &Reply) {
        let usage = match reply.stop {
            Stop::Failed(_) => Usage::default(),
            _ => self.meter.reply(reply.n_chars()),
        };
        let mut info = self.answer(timed.began_ms, None, "build", usage);
        match &reply.stop {
            Stop::Failed(reason) => {
                let data = json!({ "message": reason, "statusCode": 529, "isRetryable": false });
                info["error"] = json!({ "name": "APIError", "data": data });
            }
            Stop::Aborted => {
                let data = json!({ "message": "The operation was aborted." });
                info["error"] = json!({ "name": "MessageAbortedError", "data": data });
            }
            Stop::ToolUse | Stop::Finished => {}
        }
        self.message(timed.began_ms, info);
        let snapshot = self.rng.hex(40);
        self.part(timed.began_ms, json!({ "type": "step-start", "snapshot": snapshot }));
        for block in &reply.blocks {
            let time = json!({ "start": timed.began_ms + 700, "end": timed.at_ms });
            let part = match block {
                Block::Reasoning(text) => {
                    let signature = self.rng.text(BASE62, (88 + text.len() / 8 * 4).min(240));
                    let metadata = json!({ "anthropic": { "signature": signature } });
                    json!({ "type": "reasoning", "text": text, "metadata": metadata, "time": time })
                }
                Block::Text(text) => json!({ "type": "text", "text": text, "time": time }),
                Block::Call(call) => {
                    self.open.push(call.clone());
                    let (tool, _) = call_of(call);
                    let state = running(call, timed.at_ms);
                    json!({ "type": "tool", "callID": call.id, "tool": tool, "state": state })
                }
            };
            self.part(timed.at_ms, part);
        }
        match reply.stop {
            Stop::Finished => self.end_step(timed.at_ms, "stop"),
            Stop::Failed(_) | Stop::Aborted => {
                self.open.clear();
                self.complete(timed.at_ms);
            }
            Stop::ToolUse => {}
        }
    }

    /// Ends the last message: what the step cost, and which files it changed.
    fn end_step(&mut self, at_ms: i64, reason: &str) {
        let Some(last) = self.messages.last_mut() else { return };
        last.info["finish"] = json!(reason);
        let (cost, tokens) = (last.info["cost"].clone(), last.info["tokens"].clone());
        let snapshot = self.rng.hex(40);
        self.part(
            at_ms,
            json!({ "type": "step-finish", "reason": reason, "snapshot": snapshot, "cost": cost, "tokens": tokens }),
        );
        let mut files = std::mem::take(&mut self.edited);
        files.dedup();
        if !files.is_empty() {
            self.part(at_ms, json!({ "type": "patch", "hash": snapshot, "files": files }));
        }
        self.complete(at_ms);
    }

    fn complete(&mut self, at_ms: i64) {
        if let Some(last) = self.messages.last_mut() {
            last.info["time"]["completed"] = json!(at_ms);
        }
    }

    /// A message that asks for a summary, and the answer that is one.
    fn compact(&mut self, timed: &Timed, mark: Mark, summary: &str) {
        let tail = self.messages.get(mark.n_messages).map(|it| it.info["id"].clone());
        self.user(timed.began_ms, json!({ "type": "compaction", "auto": false, "tail_start_id": tail }));
        let usage = self.meter.reply(summary.len());
        self.meter.replace(self.meter.chars() - mark.chars);
        let mut info = self.answer(timed.began_ms + 12, None, "compaction", usage);
        info["summary"] = json!(true);
        self.message(timed.began_ms + 12, info);
        let snapshot = self.rng.hex(40);
        self.part(timed.began_ms + 12, json!({ "type": "step-start", "snapshot": snapshot }));
        let time = json!({ "start": timed.began_ms + 900, "end": timed.at_ms });
        self.part(timed.at_ms, json!({ "type": "text", "text": summary, "time": time }));
        self.end_step(timed.at_ms, "stop");
    }

    fn answer(&self, began_ms: i64, completed_ms: Option<i64>, agent: &str, usage: Usage) -> Value {
        let mut time = json!({ "created": began_ms });
        if let Some(completed) = completed_ms {
            time["completed"] = json!(completed);
        }
        json!({
            "role": "assistant",
            "time": time,
            "parentID": self.last_user,
            "modelID": MODEL,
            "providerID": PROVIDER,
            "mode": agent,
            "agent": agent,
            "path": { "cwd": CWD, "root": CWD },
            "cost": 0,
            "tokens": {
                "total": usage.total(),
                "input": usage.input,
                "output": usage.output,
                "reasoning": 0,
                "cache": { "read": usage.cache_read, "write": usage.cache_write },
            },
        })
    }

    /// Adds a message without parts and returns its id.
    fn message(&mut self, at_ms: i64, mut info: Value) -> String {
        let id = self.id("msg", at_ms);
        info["id"] = json!(id);
        info["sessionID"] = json!(self.session);
        self.messages.push(Exported { info, parts: Vec::new() });
        id
    }

    /// Adds a part to the last message.
    fn part(&mut self, at_ms: i64, mut part: Value) {
        let id = self.id("prt", at_ms);
        if let Some(last) = self.messages.last_mut() {
            part["id"] = json!(id);
            part["sessionID"] = json!(self.session);
            part["messageID"] = last.info["id"].clone();
            last.parts.push(part);
        }
    }

    fn id(&mut self, kind: &str, at_ms: i64) -> String {
        self.n_ids += 1;
        let rising = at_ms * 0x1000 + self.n_ids % 0x1000;
        format!("{kind}_{:012x}{}", rising & 0xffff_ffff_ffff, self.rng.text(BASE62, 14))
    }
}
