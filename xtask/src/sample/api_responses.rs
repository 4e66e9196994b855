//! Bodies of the OpenAI Responses API.

use serde_json::{Value, json};

use super::api_anthropic::signature;
use super::api_history::{Entry, Exchange, SYSTEM};
use super::api_writer::{Wire, tools};
use super::rng::Rng;
use super::story::{Block, Reply};

pub(crate) struct Responses {
    rng: Rng,
}

impl Responses {
    pub(crate) fn new(seed: u64) -> Self {
        Self { rng: Rng::new(seed) }
    }
}

const MODEL: &str = "kestrel-2";

impl Wire for Responses {
    fn name(&self) -> &'static str {
        "openai-responses"
    }

    fn request(&mut self, exchange: &Exchange) -> Value {
        let input: Vec<Value> = exchange.history.iter().flat_map(items).collect();
        let tools: Vec<Value> = tools()
            .into_iter()
            .map(|(name, description, schema)| {
                json!({ "type": "function", "name": name, "description": description, "parameters": schema, "strict": false })
            })
            .collect();
        json!({
            "model": MODEL,
            "instructions": SYSTEM,
            "input": input,
            "tools": tools,
            "reasoning": { "effort": "medium", "summary": "auto" },
            "include": ["reasoning.encrypted_content"],
            "store": false,
        })
    }

    fn response(&mut self, exchange: &Exchange) -> Value {
        let usage = exchange.usage;
        let prompt = usage.input + usage.cache_read + usage.cache_write;
        json!({
            "id": format!("resp_{}", self.rng.hex(48)),
            "object": "response",
            "created_at": exchange.at_ms / 1000,
            "status": "completed",
            "model": MODEL,
            "output": reply_items(&exchange.reply),
            "usage": {
                "input_tokens": prompt,
                "input_tokens_details": { "cached_tokens": usage.cache_read },
                "output_tokens": usage.output,
                "output_tokens_details": { "reasoning_tokens": 0 },
                "total_tokens": prompt + usage.output,
            },
        })
    }
}

/// Writes what one message of the history is as items.
pub(crate) fn items(entry: &Entry) -> Vec<Value> {
    match entry {
        Entry::Human(text) | Entry::Injected(text) => {
            let content = json!([{ "type": "input_text", "text": text }]);
            vec![json!({ "type": "message", "role": "user", "content": content })]
        }
        Entry::Reply(reply) => reply_items(reply),
        Entry::Result(result) => {
            vec![json!({ "type": "function_call_output", "call_id": result.call_id, "output": result.text })]
        }
    }
}

fn reply_items(reply: &Reply) -> Vec<Value> {
    reply
        .blocks
        .iter()
        .map(|block| match block {
            Block::Reasoning(text) => json!({
                "type": "reasoning",
                "id": format!("rs_{}", signature(text, 24)),
                "summary": [{ "type": "summary_text", "text": text }],
                "encrypted_content": signature(text, 200),
            }),
            Block::Text(text) => json!({
                "type": "message",
                "id": format!("msg_{}", signature(text, 24)),
                "role": "assistant",
                "status": "completed",
                "content": [{ "type": "output_text", "text": text, "annotations": [] }],
            }),
            Block::Call(call) => json!({
                "type": "function_call",
                "id": format!("fc_{}", signature(&call.id, 24)),
                "call_id": call.id,
                "name": call.tool,
                "arguments": call.arguments.to_string(),
                "status": "completed",
            }),
        })
        .collect()
}
