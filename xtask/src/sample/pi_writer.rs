//! Writes a story as a pi session log with the delimiter tool.

use std::io::Write;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::clock::iso;
use super::provider::{Provider, SCREENSHOT_TOKENS, tokens, usage_fields};
use super::rng::{BASE62, Rng};
use super::story::{Block, Effect, Episode, Event, Reply, Stop, Timed, ToolResult};

/// Writes each event as a row at once, and holds no more than one row and some counters.
pub(crate) struct PiWriter<W> {
    out: W,
    rng: Rng,
    requests: Provider,
    leaf: Option<String>,
    last_human: Option<String>,
    provider: String,
    model: String,
}

impl<W: Write> PiWriter<W> {
    pub(crate) fn new(out: W, seed: u64) -> Self {
        Self {
            out,
            rng: Rng::new(seed),
            requests: Provider::new(seed),
            leaf: None,
            last_human: None,
            provider: "anthropic".to_owned(),
            model: "claude-sonnet-4-5".to_owned(),
        }
    }

    pub(crate) fn out(&self) -> &W {
        &self.out
    }

    pub(crate) fn into_inner(self) -> W {
        self.out
    }

    pub(crate) fn write(&mut self, timed: &Timed) -> Result<()> {
        match &timed.event {
            Event::Begin { cwd } => self.header(timed.at_ms, cwd),
            Event::Model { provider, model } => {
                self.provider.clone_from(provider);
                self.model.clone_from(model);
                self.row(timed.at_ms, "model_change", json!({ "provider": provider, "modelId": model }))
            }
            Event::Named(name) => self.row(timed.at_ms, "session_info", json!({ "name": name })),
            Event::Labelled(label) => {
                let target = self.last_human.clone().context("a label needs a human message")?;
                self.row(timed.at_ms, "label", json!({ "targetId": target, "label": label }))
            }
            Event::Human(text) => {
                self.requests.add(tokens(text));
                let content = json!([{ "type": "text", "text": text }]);
                self.message(timed, json!({ "role": "user", "content": content, "timestamp": timed.at_ms }))?;
                self.last_human.clone_from(&self.leaf);
                Ok(())
            }
            Event::HumanShell { command, output, exit_code } => {
                self.requests.add(tokens(command) + tokens(output));
                let message = json!({
                    "role": "bashExecution",
                    "command": command,
                    "output": output,
                    "exitCode": exit_code,
                    "cancelled": false,
                    "truncated": false,
                    "timestamp": timed.at_ms,
                });
                self.message(timed, message)
            }
            Event::Injected { kind, text } => {
                self.requests.add(tokens(text));
                let fields = json!({ "customType": kind, "content": text, "display": true });
                self.row(timed.at_ms, "custom_message", fields)
            }
            Event::Reply(reply) => self.reply(timed, reply),
            Event::Result(result) => self.result(timed, result),
        }
    }

    fn header(&mut self, at_ms: i64, cwd: &str) -> Result<()> {
        let id = format!(
            "{}-{}-4{}-a{}-{}",
            self.rng.hex(8),
            self.rng.hex(4),
            self.rng.hex(3),
            self.rng.hex(3),
            self.rng.hex(12)
        );
        let header =
            json!({ "type": "session", "version": 3, "id": id, "timestamp": iso(at_ms), "cwd": cwd });
        self.line(&header)
    }

    fn message(&mut self, timed: &Timed, message: Value) -> Result<()> {
        self.row(timed.at_ms, "message", json!({ "message": message }))
    }

    fn row(&mut self, at_ms: i64, kind: &str, fields: Value) -> Result<()> {
        let id = self.rng.hex(8);
        let mut row = json!({ "type": kind, "id": id, "parentId": self.leaf, "timestamp": iso(at_ms) });
        self.leaf = Some(id);
        if let (Some(row), Value::Object(fields)) = (row.as_object_mut(), fields) {
            row.extend(fields);
        }
        self.line(&row)
    }

    fn line(&mut self, row: &Value) -> Result<()> {
        serde_json::to_writer(&mut self.out, row)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }

    fn reply(&mut self, timed: &Timed, reply: &Reply) -> Result<()> {
        let content: Vec<Value> = reply
            .blocks
            .iter()
            .map(|block| match block {
                Block::Reasoning(text) => {
                    let length = 88 + text.len() / 8 * 4;
                    json!({ "type": "thinking", "thinking": text, "thinkingSignature": self.rng.text(BASE62, length.min(240)) })
                }
                Block::Text(text) => json!({ "type": "text", "text": text }),
                Block::Call(call) => json!({ "type": "toolCall", "id": call.id, "name": call.tool, "arguments": call.arguments }),
            })
            .collect();
        let (stop, error) = match &reply.stop {
            Stop::ToolUse => ("toolUse", None),
            Stop::Finished => ("stop", None),
            Stop::Failed(message) => ("error", Some(message.as_str())),
            Stop::Aborted => ("aborted", Some("Request was aborted")),
        };
        let usage = self.requests.answer(timed.began_ms, reply);
        let mut message = json!({
            "role": "assistant",
            "content": content,
            "api": if self.provider == "anthropic" { "anthropic-messages" } else { "openai-responses" },
            "provider": self.provider,
            "model": self.model,
            "usage": usage_fields(usage, &self.model),
            "stopReason": stop,
        });
        if let Some(error) = error {
            message["errorMessage"] = json!(error);
        }
        message["timestamp"] = json!(timed.began_ms);
        self.message(timed, message)
    }

    fn result(&mut self, timed: &Timed, result: &ToolResult) -> Result<()> {
        let mut content = vec![json!({ "type": "text", "text": result.text })];
        self.requests.add(tokens(&result.text));
        if let Some(image) = &result.image {
            self.requests.add(SCREENSHOT_TOKENS);
            content.push(json!({ "type": "image", "data": image.data, "mimeType": image.mime_type }));
        }
        let mut message = json!({
            "role": "toolResult",
            "toolCallId": result.call_id,
            "toolName": result.tool,
            "content": content,
            "isError": result.failed,
            "timestamp": timed.at_ms,
        });
        match &result.effect {
            None => {}
            Some(Effect::Opened(episode)) => message["details"] = chunk_event("start", episode, None),
            Some(Effect::Closed { episode, description }) => {
                message["details"] = chunk_event("end", episode, description.as_deref())
            }
            Some(Effect::Edited { diff, first_changed_line }) => {
                message["details"] = json!({ "diff": diff, "firstChangedLine": first_changed_line });
            }
        }
        self.message(timed, message)
    }
}

fn chunk_event(action: &str, episode: &Episode, description: Option<&str>) -> Value {
    let mut chunk = json!({ "name": episode.name, "type": episode.kind });
    if !episode.dependencies.is_empty() {
        chunk["dependencies"] = json!(episode.dependencies);
    }
    if let Some(description) = description {
        chunk["description"] = json!(description);
    }
    json!({ "chunkEvent": { "action": action, "chunk": chunk } })
}
