//! Content blocks of the Anthropic Messages API, as its requests and Claude Code's rows hold them.
//!
//! `render/anthropic.rs` writes them.

use cwl_engine::{BlockKind, ToolCallId, ToolResult, Usage};

use crate::blocks::Blocks;
use crate::json::{Kind, Value};
use crate::notes::Notes;
use crate::payload::whole;
use crate::usage::{counts, counts_in};

/// Adds the block of one part of a message of any role.
pub(crate) fn push_part(blocks: &mut Blocks<'_, '_>, part: Value<'_>) {
    if part.kind() == Kind::Text {
        return blocks.push_text(BlockKind::Text, part, Some(part), "content");
    }
    let [kind, text, thinking, source, signature] =
        part.fields(["type", "text", "thinking", "source", "signature"]);
    match kind.and_then(Value::string).as_deref() {
        Some("text") => blocks.push_text(BlockKind::Text, part, text, "text"),
        // Newer models give only the signature of their thinking.
        Some("thinking") => {
            blocks.push_text(BlockKind::Reasoning, part, thinking, "thinking");
            if signature.and_then(Value::string).is_some_and(|signature| !signature.trim().is_empty()) {
                blocks.sign();
            }
        }
        Some("redacted_thinking") => {
            blocks.push(BlockKind::Reasoning, String::new(), whole(part));
            blocks.sign();
        }
        Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
            blocks.push_call_at(part, ["tool_use.id", "tool_use.name", "tool_use.input"]);
        }
        Some(result) if result.ends_with("tool_result") => push_result(blocks, part),
        Some("image") => blocks.push_image(part),
        Some("document") => match source.filter(|source| source.text_of("type") == "text") {
            Some(source) => {
                let text = blocks.notes.required_text(source.get("data"), "source.data").into_owned();
                blocks.push(BlockKind::Text, text, whole(part));
            }
            None => blocks.push_opaque(part),
        },
        // The place where another model went on.
        Some("fallback") => blocks.push_opaque(part),
        _ => blocks.push_unknown(part),
    }
}

/// Adds the result of a tool that the client ran, or the provider itself: a search's error has a type of its own.
fn push_result(blocks: &mut Blocks<'_, '_>, part: Value<'_>) {
    let [call, content, is_error] = part.fields(["tool_use_id", "content", "is_error"]);
    let call = ToolCallId::new(blocks.notes.required_text(call, "tool_use_id"));
    let is_served_error = content.is_some_and(|content| content.text_of("type").ends_with("_error"));
    let ok = !blocks.notes.flag(is_error, "is_error") && !is_served_error;
    let result = ToolResult { call, name: None, ok, mark: None };
    blocks.push_result(result, part, content, "tool_result.content");
}

/// Reads the tokens of a reply; `None` where there is nothing of them.
pub(crate) fn read_usage(usage: Option<Value<'_>>, notes: &mut Notes<'_>) -> Option<Usage> {
    let usage = counts_in(usage, "usage", notes)?;
    let [input, output, cache_read, cache_write] = counts(
        usage,
        [
            "usage.input_tokens",
            "usage.output_tokens",
            "usage.cache_read_input_tokens",
            "usage.cache_creation_input_tokens",
        ],
        notes,
    );
    let details = usage.get("output_tokens_details");
    let thinking = details.and_then(|details| details.get("thinking_tokens"));
    let reasoning = notes.count(thinking, "usage.output_tokens_details.thinking_tokens").unwrap_or(0);
    Some(Usage { input, output, reasoning: reasoning.min(output), cache_read, cache_write })
}
