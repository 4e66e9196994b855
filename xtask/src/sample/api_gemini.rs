//! Bodies of the Gemini API.

use serde_json::{Value, json};

use super::api_anthropic::signature;
use super::api_history::{Entry, Exchange, SYSTEM};
use super::api_writer::{Wire, tools, turns};
use super::rng::{BASE62, Rng};
use super::story::Block;

pub(crate) struct Gemini {
    rng: Rng,
}

impl Gemini {
    pub(crate) fn new(seed: u64) -> Self {
        Self { rng: Rng::new(seed) }
    }
}

impl Wire for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn request(&mut self, exchange: &Exchange) -> Value {
        let contents: Vec<Value> = turns(&exchange.history)
            .map(|turn| {
                let reply = turn.iter().any(|entry| matches!(entry, Entry::Reply(_)));
                // Thoughts are for the reader: a client does not send them back.
                let parts: Vec<Value> =
                    turn.iter().flat_map(parts).filter(|part| part.get("thought").is_none()).collect();
                json!({ "role": if reply { "model" } else { "user" }, "parts": parts })
            })
            .collect();
        let tools: Vec<Value> = tools()
            .into_iter()
            .map(|(name, description, schema)| {
                json!({ "name": name, "description": description, "parametersJsonSchema": schema })
            })
            .collect();
        json!({
            "systemInstruction": { "role": "user", "parts": [{ "text": SYSTEM }] },
            "contents": contents,
            "tools": [{ "functionDeclarations": tools }],
            "generationConfig": { "temperature": 0, "thinkingConfig": { "includeThoughts": true } },
        })
    }

    fn response(&mut self, exchange: &Exchange) -> Value {
        let usage = exchange.usage;
        let prompt = usage.input + usage.cache_read + usage.cache_write;
        let content = json!({ "role": "model", "parts": parts(&Entry::Reply(exchange.reply.clone())) });
        json!({
            "candidates": [{ "content": content, "finishReason": "STOP", "index": 0 }],
            "usageMetadata": {
                "promptTokenCount": prompt,
                "candidatesTokenCount": usage.output,
                "cachedContentTokenCount": usage.cache_read,
                "totalTokenCount": prompt + usage.output,
            },
            "modelVersion": "gemini-2.5-pro",
            "responseId": self.rng.text(BASE62, 22),
        })
    }
}

/// Writes the parts of a message. Calls have no id: a response names its function and stands in the order of
/// the calls.
fn parts(entry: &Entry) -> Vec<Value> {
    match entry {
        Entry::Human(text) | Entry::Injected(text) => vec![json!({ "text": text })],
        Entry::Reply(reply) => reply
            .blocks
            .iter()
            .map(|block| match block {
                Block::Reasoning(text) => json!({ "text": text, "thought": true }),
                Block::Text(text) => json!({ "text": text }),
                Block::Call(call) => json!({
                    "functionCall": { "name": call.tool, "args": call.arguments },
                    "thoughtSignature": signature(&call.id, 60),
                }),
            })
            .collect(),
        Entry::Result(result) => {
            let key = if result.failed { "error" } else { "output" };
            let response = json!({ key: result.text });
            vec![json!({ "functionResponse": { "name": result.tool, "response": response } })]
        }
    }
}
