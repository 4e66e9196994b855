//! Content blocks of the Anthropic Messages API, in requests and in Claude Code's rows.
//!
//! `render/anthropic.rs` writes them.

use cwl_engine::{BlockKind, ToolCallId, ToolResult, Usage};

use crate::blocks::Blocks;
use crate::json::{JsonType, Value};
use crate::notes::Notes;
use crate::payload::whole_payload;
use crate::usage::{count_paths, counts_in};

pub(crate) fn push_part(blocks: &mut Blocks<'_, '_>, part: Value<'_>) {
    if part.kind() == JsonType::Text {
        return blocks.push_text(BlockKind::Text, part, Some(part), "content");
    }
    let [kind, text, thinking, source, signature] =
        part.fields(["type", "text", "thinking", "source", "signature"]);
    match kind.and_then(Value::string).as_deref() {
        Some("text") => blocks.push_text(BlockKind::Text, part, text, "text"),
        // Newer models return only the signature of their thinking.
        Some("thinking") => {
            blocks.push_text(BlockKind::Reasoning, part, thinking, "thinking");
            if signature.and_then(Value::string).is_some_and(|signature| !signature.trim().is_empty()) {
                blocks.sign();
            }
        }
        Some("redacted_thinking") => {
            blocks.push(BlockKind::Reasoning, String::new(), whole_payload(part));
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
                blocks.push(BlockKind::Text, text, whole_payload(part));
            }
            None => blocks.push_opaque(part),
        },
        // Marks where a fallback model continued.
        Some("fallback") => blocks.push_opaque(part),
        _ => blocks.push_unknown(part),
    }
}

/// A failed search has a content type of its own.
fn push_result(blocks: &mut Blocks<'_, '_>, part: Value<'_>) {
    let [call, content, is_error] = part.fields(["tool_use_id", "content", "is_error"]);
    let call = ToolCallId::new(blocks.notes.required_text(call, "tool_use_id"));
    let is_served_error = content.is_some_and(|content| content.text_of("type").ends_with("_error"));
    let ok = !blocks.notes.flag(is_error, "is_error") && !is_served_error;
    let result = ToolResult { call, name: None, ok, mark: None };
    blocks.push_result(result, part, content, "tool_result.content");
}

/// If the provider ran tools itself, the counts are sums over several rounds, and the last round had the
/// whole prompt.
pub(crate) fn read_usage(usage: Option<Value<'_>>, notes: &mut Notes<'_>) -> Option<Usage> {
    let usage = counts_in(usage, "usage", notes)?;
    let paths = |of: &str| {
        ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
            .map(|count| format!("{of}.{count}"))
    };
    let read = |value: Value<'_>, of: &str, notes: &mut Notes<'_>| {
        let paths = paths(of);
        count_paths(value, [&*paths[0], &*paths[1], &*paths[2], &*paths[3]], notes)
    };
    let [input, output, cache_read, cache_write] = read(usage, "usage", notes);
    let details = usage.get("output_tokens_details");
    let thinking = details.and_then(|details| details.get("thinking_tokens"));
    let reasoning = notes.tokens(thinking, "usage.output_tokens_details.thinking_tokens").unwrap_or(0);
    let kept = usage.get("cache_creation").and_then(|kept| kept.get("ephemeral_1h_input_tokens"));
    let cache_write_hour = notes.tokens(kept, "usage.cache_creation.ephemeral_1h_input_tokens").unwrap_or(0);
    let reasoning = reasoning.min(output);
    let whole =
        Usage { input, output, reasoning, cache_read, cache_write, cache_write_hour, ..Usage::default() };
    let rounds: Vec<[u64; 4]> = usage
        .get("iterations")
        .and_then(Value::list)
        .into_iter()
        .flat_map(Value::items)
        .filter_map(Value::object)
        .map(|round| read(round, "usage.iterations", notes))
        .collect();
    Some(of_last_round(whole, &rounds))
}

fn of_last_round(whole: Usage, rounds: &[[u64; 4]]) -> Usage {
    let [.., [input, _, read, write]] = *rounds else { return whole };
    let is_sum = rounds.len() > 1
        && input.saturating_add(read).saturating_add(write) > 0
        && input <= whole.input
        && read <= whole.cache_read
        && write <= whole.cache_write;
    if !is_sum {
        return whole;
    }
    Usage {
        input,
        cache_read: read,
        cache_write: write,
        beside_input: whole.input - input,
        beside_cache_read: whole.cache_read - read,
        beside_cache_write: whole.cache_write - write,
        ..whole
    }
}
