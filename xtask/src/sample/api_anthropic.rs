//! Bodies of the Anthropic Messages API.

use serde_json::{Value, json};

use super::api_history::{Entry, Exchange, SYSTEM};
use super::api_writer::{Wire, tools, turns};
use super::rng::{BASE62, Rng};
use super::story::{Block, Stop};

pub(crate) struct Anthropic {
    rng: Rng,
}

impl Anthropic {
    pub(crate) fn new(seed: u64) -> Self {
        Self { rng: Rng::new(seed) }
    }
}

impl Wire for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn request(&mut self, exchange: &Exchange) -> Value {
        let mut messages: Vec<Value> = turns(&exchange.history)
            .map(|turn| {
                let reply = turn.iter().any(|entry| matches!(entry, Entry::Reply(_)));
                let content: Vec<Value> = turn.iter().flat_map(parts).collect();
                json!({ "role": if reply { "assistant" } else { "user" }, "content": content })
            })
            .collect();
        // The client lets the provider cache up to the newest message, so the mark moves with every request.
        if let Some(last) = messages.last_mut()
            && let Some(part) = last["content"].as_array_mut().and_then(|parts| parts.last_mut())
        {
            part["cache_control"] = json!({ "type": "ephemeral" });
        }
        let tools: Vec<Value> = tools()
            .into_iter()
            .map(|(name, description, schema)| {
                json!({ "name": name, "description": description, "input_schema": schema })
            })
            .collect();
        json!({
            "model": exchange.model,
            "max_tokens": 32_000,
            "system": [{ "type": "text", "text": SYSTEM, "cache_control": { "type": "ephemeral" } }],
            "tools": tools,
            "thinking": { "type": "enabled", "budget_tokens": 8_000 },
            "messages": messages,
        })
    }

    fn response(&mut self, exchange: &Exchange) -> Value {
        let content: Vec<Value> = parts(&Entry::Reply(exchange.reply.clone()));
        json!({
            "id": format!("msg_01{}", self.rng.text(BASE62, 22)),
            "type": "message",
            "role": "assistant",
            "model": exchange.model,
            "content": content,
            "stop_reason": if exchange.reply.stop == Stop::ToolUse { "tool_use" } else { "end_turn" },
            "stop_sequence": null,
            "usage": {
                "input_tokens": exchange.usage.input,
                "cache_creation_input_tokens": exchange.usage.cache_write,
                "cache_read_input_tokens": exchange.usage.cache_read,
                "output_tokens": exchange.usage.output,
            },
        })
    }
}

/// Writes a message's content blocks; a signature depends on its text alone, so that it is the same each time.
fn parts(entry: &Entry) -> Vec<Value> {
    match entry {
        Entry::Human(text) | Entry::Injected(text) => vec![json!({ "type": "text", "text": text })],
        Entry::Reply(reply) => reply.blocks.iter().map(reply_part).collect(),
        Entry::Result(result) => {
            let mut part =
                json!({ "type": "tool_result", "tool_use_id": result.call_id, "content": result.text });
            if let Some(image) = &result.image {
                let source = json!({ "type": "base64", "media_type": image.mime_type, "data": image.data });
                part["content"] =
                    json!([{ "type": "text", "text": result.text }, { "type": "image", "source": source }]);
            }
            if result.failed {
                part["is_error"] = json!(true);
            }
            vec![part]
        }
    }
}

fn reply_part(block: &Block) -> Value {
    match block {
        Block::Reasoning(text) => {
            json!({ "type": "thinking", "thinking": text, "signature": signature(text, 120) })
        }
        Block::Text(text) => json!({ "type": "text", "text": text }),
        Block::Call(call) => {
            json!({ "type": "tool_use", "id": call.id, "name": call.tool, "input": call.arguments })
        }
    }
}

/// Makes an opaque text that belongs to another one.
pub(crate) fn signature(text: &str, length: usize) -> String {
    let seed = text.bytes().fold(7_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    Rng::new(seed).text(BASE62, length)
}
