//! Writes a story as a pi session log with the delimiter tool.

use std::io::Write;

use anyhow::Result;
use serde_json::{Value, json};

use super::clock::iso;
use super::provider::{Provider, tokens, usage_fields};
use super::rng::{BASE62, Rng};
use super::story::{Block, Effect, Episode, Event, Reply, Stop, Timed, ToolResult};

const MODEL: &str = "claude-sonnet-4-5";

/// Writes each event as a row at once, and holds no more than one row and some counters.
pub(crate) struct PiWriter<W> {
    out: W,
    rng: Rng,
    requests: Provider,
    leaf: Option<String>,
}

impl<W: Write> PiWriter<W> {
    pub(crate) fn new(out: W, seed: u64) -> Self {
        Self { out, rng: Rng::new(seed), requests: Provider::new(seed), leaf: None }
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
            Event::Human(text) => {
                self.requests.add(tokens(text));
                let content = json!([{ "type": "text", "text": text }]);
                self.message(timed, json!({ "role": "user", "content": content, "timestamp": timed.at_ms }))
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
        let stop = match reply.stop {
            Stop::ToolUse => "toolUse",
            Stop::Finished => "stop",
        };
        let usage = self.requests.answer(timed.began_ms, reply);
        let message = json!({
            "role": "assistant",
            "content": content,
            "api": "anthropic-messages",
            "provider": "anthropic",
            "model": MODEL,
            "usage": usage_fields(usage),
            "stopReason": stop,
            "timestamp": timed.began_ms,
        });
        self.message(timed, message)
    }

    fn result(&mut self, timed: &Timed, result: &ToolResult) -> Result<()> {
        let content = json!([{ "type": "text", "text": result.text }]);
        self.requests.add(tokens(&result.text));
        let mut message = json!({
            "role": "toolResult",
            "toolCallId": result.call_id,
            "toolName": result.tool,
            "content": content,
            "isError": false,
            "timestamp": timed.at_ms,
        });
        match &result.effect {
            None => {}
            Some(Effect::Opened(episode)) => message["details"] = chunk_event("start", episode, None),
            Some(Effect::Closed { episode, description }) => {
                message["details"] = chunk_event("end", episode, description.as_deref())
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
