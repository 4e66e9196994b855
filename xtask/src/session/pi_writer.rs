//! Writes a session as pi logs it, with the delimiter tool.

use std::io::Write;

use anyhow::Result;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::provider::{Provider, tokens, usage_fields};
use super::rng::{BASE62, Rng};

const MODEL: &str = "claude-sonnet-4-5";
/// 2026-01-05T07:00:00Z: time is simulated, so that sessions do not depend on the date.
const START_MS: i64 = 1_767_596_400_000;

pub(crate) struct Reply {
    pub(crate) reasoning: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) calls: Vec<ToolCall>,
}

pub(crate) struct ToolCall {
    pub(crate) id: String,
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
    pub(crate) details: Option<Value>,
}

/// Writes each event as a row at once, and holds no more than one row and some counters.
pub(crate) struct PiWriter<W> {
    out: W,
    rng: Rng,
    requests: Provider,
    leaf: Option<String>,
    now_ms: i64,
    pub(crate) n_bytes: u64,
}

impl<W: Write> PiWriter<W> {
    pub(crate) fn new(out: W, seed: u64, cwd: &str) -> Result<Self> {
        let (mut rng, requests) = (Rng::new(seed), Provider::new(seed));
        let [a, b, c, d, e] = [8, 4, 3, 3, 12].map(|length| rng.hex(length));
        let id = format!("{a}-{b}-4{c}-a{d}-{e}");
        let mut writer = Self { out, rng, requests, leaf: None, now_ms: START_MS, n_bytes: 0 };
        writer.line(
            &json!({ "type": "session", "version": 3, "id": id, "timestamp": iso(START_MS), "cwd": cwd }),
        )?;
        Ok(writer)
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        Ok(self.out.flush()?)
    }

    pub(crate) fn human(&mut self, text: &str) -> Result<()> {
        self.now_ms += 60_000;
        self.requests.add(tokens(text));
        let content = json!([{ "type": "text", "text": text }]);
        self.message(&json!({ "role": "user", "content": content, "timestamp": self.now_ms }))
    }

    pub(crate) fn reply(&mut self, reply: &Reply) -> Result<()> {
        let began_ms = self.now_ms;
        self.now_ms += 2_000;
        let mut content = Vec::new();
        let mut n_tokens = 0;
        if let Some(text) = &reply.reasoning {
            let signature = self.rng.text(BASE62, (88 + text.len() / 8 * 4).min(240));
            content.push(json!({ "type": "thinking", "thinking": text, "thinkingSignature": signature }));
            n_tokens += tokens(text);
        }
        if let Some(text) = &reply.text {
            content.push(json!({ "type": "text", "text": text }));
            n_tokens += tokens(text);
        }
        for ToolCall { id, tool, arguments, .. } in &reply.calls {
            content.push(json!({ "type": "toolCall", "id": id, "name": tool, "arguments": arguments }));
            n_tokens += tokens(tool) + tokens(&arguments.to_string());
        }
        let usage = self.requests.answer(began_ms, n_tokens);
        self.message(&json!({
            "role": "assistant",
            "content": content,
            "api": "anthropic-messages",
            "provider": "anthropic",
            "model": MODEL,
            "usage": usage_fields(usage),
            "stopReason": if reply.calls.is_empty() { "stop" } else { "toolUse" },
            "timestamp": began_ms,
        }))
    }

    pub(crate) fn result(&mut self, call: ToolCall, text: &str) -> Result<()> {
        self.now_ms += 40;
        self.requests.add(tokens(text));
        let mut message = json!({
            "role": "toolResult",
            "toolCallId": call.id,
            "toolName": call.tool,
            "content": [{ "type": "text", "text": text }],
            "isError": false,
            "timestamp": self.now_ms,
        });
        if let Some(details) = call.details {
            message["details"] = details;
        }
        self.message(&message)
    }

    fn message(&mut self, message: &Value) -> Result<()> {
        let id = self.rng.hex(8);
        let timestamp = iso(self.now_ms);
        let parent = self.leaf.replace(id.clone());
        self.line(&json!({ "type": "message", "id": id, "parentId": parent, "timestamp": timestamp, "message": message }))
    }

    fn line(&mut self, row: &Value) -> Result<()> {
        let line = format!("{row}\n");
        self.n_bytes += line.len() as u64;
        Ok(self.out.write_all(line.as_bytes())?)
    }
}

/// Formats a time like JavaScript's `toISOString`; times beyond the calendar become 1970.
fn iso(at_ms: i64) -> String {
    let at = Timestamp::from_millisecond(at_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_javascript_writes_them() {
        assert_eq!(iso(START_MS), "2026-01-05T07:00:00.000Z");
        assert_eq!(iso(START_MS + 30), "2026-01-05T07:00:00.030Z");
    }
}
