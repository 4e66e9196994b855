//! Bodies of the OpenAI Chat Completions API, with the reasoning field of those who imitate it.

use serde_json::{Value, json};

use super::api_history::{Entry, Exchange, SYSTEM};
use super::api_writer::{Wire, tools};
use super::rng::{BASE62, Rng};
use super::story::{Block, Reply, Stop};

pub(crate) struct Chat {
    rng: Rng,
}

impl Chat {
    pub(crate) fn new(seed: u64) -> Self {
        Self { rng: Rng::new(seed) }
    }
}

const MODEL: &str = "kestrel-2-chat";

impl Wire for Chat {
    fn name(&self) -> &'static str {
        "openai-chat"
    }

    fn request(&mut self, exchange: &Exchange) -> Value {
        let mut messages = vec![json!({ "role": "system", "content": SYSTEM })];
        // Earlier reasoning is not sent back.
        messages.extend(exchange.history.iter().map(|entry| message(entry, false)));
        let tools: Vec<Value> = tools()
            .into_iter()
            .map(|(name, description, schema)| {
                let function = json!({ "name": name, "description": description, "parameters": schema });
                json!({ "type": "function", "function": function })
            })
            .collect();
        json!({ "model": MODEL, "messages": messages, "tools": tools, "tool_choice": "auto", "parallel_tool_calls": true })
    }

    fn response(&mut self, exchange: &Exchange) -> Value {
        let usage = exchange.usage;
        let prompt = usage.input + usage.cache_read + usage.cache_write;
        let stop = if exchange.reply.stop == Stop::ToolUse { "tool_calls" } else { "stop" };
        json!({
            "id": format!("chatcmpl-{}", self.rng.text(BASE62, 24)),
            "object": "chat.completion",
            "created": exchange.at_ms / 1000,
            "model": MODEL,
            "choices": [{ "index": 0, "message": message(&Entry::Reply(exchange.reply.clone()), true), "finish_reason": stop }],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": usage.output,
                "total_tokens": prompt + usage.output,
                "prompt_tokens_details": { "cached_tokens": usage.cache_read },
            },
        })
    }
}

fn message(entry: &Entry, with_reasoning: bool) -> Value {
    match entry {
        Entry::Human(text) | Entry::Injected(text) => json!({ "role": "user", "content": text }),
        Entry::Reply(reply) => assistant(reply, with_reasoning),
        Entry::Result(result) => {
            json!({ "role": "tool", "tool_call_id": result.call_id, "content": result.text })
        }
    }
}

/// Writes a reply; also what other writers keep of a chat completion.
pub(crate) fn assistant(reply: &Reply, with_reasoning: bool) -> Value {
    let texts: Vec<&str> = reply
        .blocks
        .iter()
        .filter_map(|block| if let Block::Text(text) = block { Some(text.as_str()) } else { None })
        .collect();
    let reasoning: Vec<&str> = reply
        .blocks
        .iter()
        .filter_map(|block| if let Block::Reasoning(text) = block { Some(text.as_str()) } else { None })
        .collect();
    let calls: Vec<Value> = reply
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Call(call) => Some(json!({
                "id": call.id,
                "type": "function",
                "function": { "name": call.tool, "arguments": call.arguments.to_string() },
            })),
            _ => None,
        })
        .collect();
    let mut message = json!({ "role": "assistant", "content": null });
    if !texts.is_empty() {
        message["content"] = json!(texts.join("\n\n"));
    }
    if with_reasoning && !reasoning.is_empty() {
        message["reasoning_content"] = json!(reasoning.join("\n\n"));
    }
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    message
}
