//! What rollouts of Codex are made of: texts that it says itself, items, counts.

use serde_json::{Value, json};

use super::meter::Usage;
use super::rng::Rng;
use super::teller::CWD;

/// The model's window as Codex reports it: 95 % of 272,000.
pub(crate) const WINDOW: u64 = 258_400;
pub(crate) const INSTRUCTIONS: &str = include_str!("texts/codex/instructions.txt");
const PERMISSIONS: &str = include_str!("texts/codex/permissions.txt");
pub(crate) const AGENTS: &str = include_str!("texts/codex/agents.txt");
/// What Codex itself puts before a summary, as a user's message; shortened.
pub(crate) const SUMMARY_PREFIX: &str = "Another language model started to solve this problem and produced a summary of its thinking process. Use it to build on the work that has already been done. Here is the summary:";

/// Makes what Codex tells the model before the first task, and again with a compaction.
pub(crate) fn context_items(day: &str) -> [Value; 3] {
    [
        message_item("developer", PERMISSIONS),
        message_item("user", AGENTS.trim_end()),
        message_item("user", &environment(CWD, Some(day))),
    ]
}

/// Makes an id whose first part is a time, as Codex does.
pub(crate) fn uuid(rng: &mut Rng) -> String {
    format!("019c{}-{}-7{}-a{}-{}", rng.hex(4), rng.hex(4), rng.hex(3), rng.hex(3), rng.hex(12))
}

/// Makes a message of one text.
pub(crate) fn message_item(role: &str, text: &str) -> Value {
    json!({ "type": "message", "role": role, "content": [{ "type": "input_text", "text": text }] })
}

/// Makes what Codex says of where it works.
pub(crate) fn environment(cwd: &str, day: Option<&str>) -> String {
    let day = day.map(|day| format!("  <current_date>{day}</current_date>\n")).unwrap_or_default();
    format!("<environment_context>\n  <cwd>{cwd}</cwd>\n  <shell>bash</shell>\n{day}</environment_context>")
}

/// Writes what requests cost: the prompt's tokens hold the cached ones; the reply's hold those of its reasoning.
pub(crate) fn last_usage(usage: Usage, reasoning: u64) -> Value {
    let input = usage.input + usage.cache_read + usage.cache_write;
    json!({
        "input_tokens": input,
        "cached_input_tokens": usage.cache_read,
        "output_tokens": usage.output,
        "reasoning_output_tokens": reasoning,
        "total_tokens": input + usage.output,
    })
}

/// Adds up what two requests cost.
pub(crate) fn added(one: Usage, other: Usage) -> Usage {
    Usage {
        input: one.input + other.input,
        output: one.output + other.output,
        cache_read: one.cache_read + other.cache_read,
        cache_write: one.cache_write + other.cache_write,
    }
}
