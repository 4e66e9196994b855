//! System messages (pi from 0.86 on): the prompt in named sections, and the definitions of tools.
//!
//! The first one holds all of it. Later ones hold what changed, and a compaction holds all of it again.

use cwl_engine::{Author, BlockKind, Message, Role};

use crate::blocks::{Blocks, MAX_PARTS, plain_message};
use crate::content::parts_of;
use crate::json::{Fields, JsonType, Value, js_json};
use crate::payload::{around_text, whole_payload};

/// Reads a system message: a block for its own text, for each section, and for each tool.
pub(super) fn system_message(fields: &Fields<'_>, is_first: bool, blocks: &mut Blocks<'_, '_>) -> Message {
    let content = fields.get("content");
    for (_, part) in parts_of(content) {
        let text = if part.kind() == JsonType::Text { Some(part) } else { part.get("text") };
        if text.is_some_and(|text| text.string_body() != Some("")) {
            blocks.push_text(BlockKind::Text, part, text, "content");
        }
    }
    let sections = fields.get("sections").into_iter().flat_map(Value::members);
    for (name, section) in sections.take(MAX_PARTS as usize) {
        push_section(&name.string().unwrap_or_default(), section, is_first, blocks);
    }
    let tools = fields.get("toolsAdded").into_iter().flat_map(Value::items);
    for tool in tools.take(MAX_PARTS as usize) {
        blocks.push(BlockKind::Text, js_json(tool.raw()), whole_payload(tool));
    }
    plain_message(Role::System, Author::Harness)
}

/// Adds `section`; one that changes later is sent in words of pi's.
fn push_section(name: &str, section: Value<'_>, is_first: bool, blocks: &mut Blocks<'_, '_>) {
    if section.is_null() {
        if !is_first {
            let text = format!("Removed system prompt section \"{name}\".");
            blocks.push(BlockKind::Text, text, whole_payload(section));
        }
        return;
    }
    let text = blocks.notes.required_text(Some(section), "sections").into_owned();
    if is_first {
        blocks.push(BlockKind::Text, text, around_text(section, Some(section)));
    } else {
        let text = format!("Updated system prompt section \"{name}\":\n\n{text}");
        blocks.push(BlockKind::Text, text, whole_payload(section));
    }
}
