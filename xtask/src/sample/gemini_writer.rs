//! Writes a story as a chat recording of Gemini CLI: one JSON document (old) or a record per line (new).

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use super::clock::iso;
use super::gemini_tools::{Generation, call_of, record_of};
use super::meter::{Meter, Usage};
use super::rng::Rng;
use super::story::{Block, Event, Reply, Stop, Timed, ToolCall};

const MODEL: &str = "gemini-2.5-pro";

/// Tells a story as a recording.
pub(crate) struct GeminiWriter {
    generation: Generation,
    rng: Rng,
    meter: Meter,
    metadata: Map<String, Value>,
    /// The messages as the harness holds them: the document, or what the lines add up to.
    messages: Vec<Value>,
    lines: String,
    /// Calls of the last reply that are not answered yet, with their ids.
    open: Vec<(ToolCall, String)>,
    marks: BTreeMap<String, Mark>,
}

/// A named place in the conversation.
#[derive(Debug, Clone, Copy)]
struct Mark {
    n_messages: usize,
    chars: u64,
}

impl GeminiWriter {
    pub(crate) fn new(generation: Generation, seed: u64) -> Self {
        Self {
            generation,
            rng: Rng::new(seed),
            meter: Meter::new(seed),
            metadata: Map::new(),
            messages: Vec::new(),
            lines: String::new(),
            open: Vec::new(),
            marks: BTreeMap::new(),
        }
    }

    /// Gives back the file.
    pub(crate) fn into_text(mut self) -> Result<String> {
        if self.generation == Generation::Lines {
            return Ok(self.lines);
        }
        self.metadata.insert("messages".into(), Value::Array(self.messages));
        Ok(serde_json::to_string_pretty(&self.metadata)?)
    }

    /// Writes one event. Labels have no place in a recording; a name becomes the summary.
    pub(crate) fn write(&mut self, timed: &Timed) -> Result<()> {
        match &timed.event {
            Event::Begin { .. } => self.begin(timed.at_ms),
            Event::Model { .. } | Event::Labelled(_) => Ok(()),
            Event::Named(name) => self.set(json!({ "summary": name })),
            Event::Human(text) => self.user(timed.at_ms, text),
            Event::HumanShell { command, output, .. } => {
                let text = format!(
                    "I ran the following shell command:\n```sh\n{command}\n```\n\nThis produced the following result:\n```\n{output}\n```"
                );
                self.user(timed.at_ms, &text)
            }
            Event::Injected { text, .. } => {
                self.user(timed.at_ms, &format!("<hook_context>{text}</hook_context>"))
            }
            Event::Reply(reply) => self.reply(timed, reply),
            Event::Result(result) => {
                let place = self.open.iter().position(|(call, _)| call.id == result.call_id);
                let (call, id) = self.open.remove(place.context("a result without its call")?);
                self.meter.add(result.text.len());
                let record = record_of(&call, &id, result, &iso(timed.at_ms), self.generation);
                let last = self.messages.last_mut().context("a reply before its result")?;
                match last.get_mut("toolCalls").and_then(Value::as_array_mut) {
                    Some(calls) => calls.push(record),
                    None => last["toolCalls"] = json!([record]),
                }
                if self.open.is_empty() { self.again() } else { Ok(()) }
            }
            Event::Mark(name) => {
                let mark = Mark { n_messages: self.messages.len(), chars: self.meter.chars() };
                self.marks.insert(name.clone(), mark);
                Ok(())
            }
            Event::Compaction { keep_from, summary } => self.compress(timed.at_ms, keep_from, summary),
            Event::Rewind { to, .. } => {
                let mark = self.marks.get(to).copied().with_context(|| format!("no mark {to}"))?;
                let first = self.messages.get(mark.n_messages).context("nothing after the mark")?;
                let line = json!({ "$rewindTo": first["id"] });
                self.messages.truncate(mark.n_messages);
                self.meter.replace(mark.chars);
                self.line(&line)
            }
        }
    }

    fn begin(&mut self, at_ms: i64) -> Result<()> {
        let session = self.uuid();
        let time = iso(at_ms);
        let metadata = json!({
            "sessionId": session,
            "projectHash": self.rng.hex(64),
            "startTime": time,
            "lastUpdated": time,
        });
        if let Value::Object(metadata) = metadata {
            self.metadata = metadata;
        }
        if self.generation == Generation::Document {
            return Ok(());
        }
        self.metadata.insert("kind".into(), json!("main"));
        self.line(&Value::Object(self.metadata.clone()))?;
        let context = format!(
            "<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\nToday's date is {} (formatted according to the user's locale).\nMy operating system is: linux\n</session_context>",
            &time[..10]
        );
        self.message(at_ms, "user", &context)
    }

    fn user(&mut self, at_ms: i64, text: &str) -> Result<()> {
        self.meter.add(text.len());
        self.message(at_ms, "user", text)
    }

    /// Adds a message that is nobody's answer.
    pub(crate) fn message(&mut self, at_ms: i64, kind: &str, text: &str) -> Result<()> {
        let content = match self.generation {
            Generation::Document => json!(text),
            Generation::Lines if kind == "user" => json!([{ "text": text }]),
            Generation::Lines => json!(text),
        };
        let id = self.uuid();
        self.messages.push(json!({ "id": id, "timestamp": iso(at_ms), "type": kind, "content": content }));
        self.again()?;
        self.updated(at_ms)
    }

    fn reply(&mut self, timed: &Timed, reply: &Reply) -> Result<()> {
        let mut thoughts = Vec::new();
        let mut text = String::new();
        for block in &reply.blocks {
            match block {
                Block::Reasoning(thought) => thoughts.push(json!({
                    "subject": subject(thought),
                    "description": thought,
                    "timestamp": iso(timed.began_ms + 900),
                })),
                Block::Text(said) => text.push_str(said),
                Block::Call(call) => {
                    let (name, _) = call_of(call, self.generation);
                    let id = match self.generation {
                        Generation::Document => format!("{name}-{}-{}", timed.at_ms, self.rng.hex(13)),
                        Generation::Lines => format!("{name}_{}_{}", timed.at_ms, self.open.len()),
                    };
                    self.open.push((call.clone(), id));
                }
            }
        }
        if let Stop::Failed(reason) = &reply.stop {
            return self.message(timed.at_ms, "error", &format!("[API Error: {reason}]"));
        }
        let has_text = !text.is_empty();
        let usage = self.meter.reply(reply.n_chars());
        let tokens = tokens_of(usage, thoughts.iter().map(|it| it.to_string().len() as u64 / 4).sum());
        let id = self.uuid();
        let mut record =
            json!({ "id": id, "timestamp": iso(timed.at_ms), "type": "gemini", "content": text });
        if self.generation == Generation::Lines && has_text {
            record["content"] = json!([{ "text": text }]);
        }
        record["thoughts"] = json!(thoughts);
        // The counts of a stream sometimes come in only after its text was recorded.
        let late = has_text && self.rng.chance(500);
        record["tokens"] = if late { Value::Null } else { tokens.clone() };
        record["model"] = json!(MODEL);
        self.messages.push(record);
        if has_text {
            self.again()?;
            self.updated(timed.at_ms)?;
        }
        if late && let Some(last) = self.messages.last_mut() {
            last["tokens"] = tokens;
            self.again()?;
        }
        if reply.stop == Stop::Aborted {
            self.open.clear();
            return self.message(timed.at_ms, "info", "Request cancelled.");
        }
        Ok(())
    }

    /// The harness sums up what came before a mark, and puts the list of messages in anew.
    fn compress(&mut self, at_ms: i64, keep_from: &str, summary: &str) -> Result<()> {
        let mark = self.marks.get(keep_from).copied().with_context(|| format!("no mark {keep_from}"))?;
        let snapshot = format!("<state_snapshot>\n{summary}\n</state_snapshot>");
        let kept: Vec<Value> = self.messages.split_off(mark.n_messages);
        self.meter.replace(self.meter.chars() - mark.chars + snapshot.len() as u64);
        let time = iso(at_ms);
        let (first, second) = (self.uuid(), self.uuid());
        let mut messages = vec![
            json!({ "id": first, "timestamp": time, "type": "user", "content": [{ "text": snapshot }] }),
            json!({ "id": second, "timestamp": time, "type": "gemini", "content": [{ "text": "Got it. Thanks for the additional context!" }] }),
        ];
        for message in kept {
            messages.extend(self.as_history(message, &time));
        }
        self.messages = messages;
        self.set(json!({ "messages": self.messages, "lastUpdated": time }))
    }

    /// A message as it comes back from the history: calls among its parts, their results as a turn of the user.
    fn as_history(&mut self, mut message: Value, time: &str) -> Vec<Value> {
        let mut parts = match message["content"].take() {
            Value::Array(parts) => parts,
            Value::String(text) if !text.is_empty() => vec![json!({ "text": text })],
            _ => Vec::new(),
        };
        let mut responses = Vec::new();
        for call in message["toolCalls"].as_array().into_iter().flatten() {
            parts.push(
                json!({ "functionCall": { "id": call["id"], "name": call["name"], "args": call["args"] } }),
            );
            responses.extend(call["result"].as_array().cloned().unwrap_or_default());
        }
        message["content"] = Value::Array(parts);
        if responses.is_empty() {
            return vec![message];
        }
        let id = self.uuid();
        let answer = json!({ "id": id, "timestamp": time, "type": "user", "content": responses });
        vec![message, answer]
    }

    /// Sets metadata.
    pub(crate) fn set(&mut self, fields: Value) -> Result<()> {
        if let Value::Object(fields) = &fields {
            let fields = fields.iter().filter(|(key, _)| *key != "messages");
            self.metadata.extend(fields.map(|(key, value)| (key.clone(), value.clone())));
        }
        self.line(&json!({ "$set": fields }))
    }

    fn updated(&mut self, at_ms: i64) -> Result<()> {
        self.set(json!({ "lastUpdated": iso(at_ms) }))
    }

    /// Writes the last message once more, as it is now.
    fn again(&mut self) -> Result<()> {
        let last = self.messages.last().cloned().context("a message to write")?;
        self.line(&last)
    }

    fn line(&mut self, row: &Value) -> Result<()> {
        if self.generation == Generation::Lines {
            self.lines.push_str(&serde_json::to_string(row)?);
            self.lines.push('\n');
        }
        Ok(())
    }

    fn uuid(&mut self) -> String {
        let rng = &mut self.rng;
        format!("{}-{}-4{}-a{}-{}", rng.hex(8), rng.hex(4), rng.hex(3), rng.hex(3), rng.hex(12))
    }
}

/// The heading that the provider gives a thought: its first words.
fn subject(thought: &str) -> String {
    let first = thought.split(['.', ':', ',', ';', '?']).next().unwrap_or_default();
    first.split_whitespace().take(6).collect::<Vec<_>>().join(" ")
}

fn tokens_of(usage: Usage, thoughts: u64) -> Value {
    let input = usage.input + usage.cache_read + usage.cache_write;
    let output = usage.output.saturating_sub(thoughts).max(1);
    json!({
        "input": input,
        "output": output,
        "cached": usage.cache_read,
        "thoughts": thoughts,
        "tool": 0,
        "total": input + output + thoughts,
    })
}
