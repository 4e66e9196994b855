//! System messages (pi from 0.86 on): the prompt in named sections, and tool definitions.
//!
//! The first system message and every compaction hold everything; the others hold changes.

use cwl_engine::{Author, BlockKind, Message, Role};

use crate::blocks::{Blocks, MAX_PARTS, plain_message};
use crate::content::parts_of;
use crate::json::{Fields, JsonType, Value};
use crate::payload::{around_text, whole_payload};

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
        blocks.push_tool_definition(tool);
    }
    plain_message(Role::System, Author::Harness)
}

/// pi announces a later change in its own words.
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
