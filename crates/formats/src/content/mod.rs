//! Readers of the providers' message formats, shared by logs and captured requests.
//!
//! Agents' logs and request bodies hold the same parts and items. Each format has one reader here that turns
//! them into blocks; adapters add author, tree and time. `render` writes the same format in a file with the
//! same name, so a change of a format is made in both files.

pub(crate) mod anthropic;
pub(crate) mod openai_chat;
pub(crate) mod openai_items;
pub(crate) mod gemini;
pub(crate) mod overflow;
mod result;

pub(crate) use result::{ResultParts, result_content};

use cwl_engine::{BlockKind, ProblemKind, ToolCall, ToolCallId};

use crate::blocks::{Blocks, MAX_PARTS, call_of};
use crate::json::{JsonType, Value};
use crate::notes::Notes;
use crate::payload::{around_text, whole_payload};

pub(crate) fn parts_of<'a>(content: Option<Value<'a>>) -> impl Iterator<Item = (u32, Value<'a>)> {
    let text = content.filter(|content| content.kind() == JsonType::Text);
    (0..MAX_PARTS).zip(text.into_iter().chain(content.into_iter().flat_map(Value::items)))
}

pub(crate) fn check_content(content: Option<Value<'_>>, field: &str, notes: &mut Notes<'_>) {
    let is_odd = match content.map(|content| (content, content.kind())) {
        Some((_, JsonType::Text | JsonType::Null)) => false,
        Some((list, JsonType::List)) => {
            // A list has fewer items than bytes, so short lists need not be walked.
            let limit = MAX_PARTS as usize;
            list.raw().len() > limit && list.items().nth(limit).is_some()
        }
        None | Some((_, JsonType::Bool(_) | JsonType::Number | JsonType::Object)) => true,
    };
    if is_odd {
        notes.odd(field);
    }
}

pub(crate) fn part_name(part: Value<'_>) -> String {
    match part.get("type").and_then(Value::string) {
        Some(kind) => kind.into_owned(),
        None => part.kind().name().to_owned(),
    }
}

impl Blocks<'_, '_> {
    pub(crate) fn push_text(
        &mut self,
        kind: BlockKind,
        part: Value<'_>,
        text: Option<Value<'_>>,
        field: &str,
    ) {
        let decoded = self.notes.required_text(text, field).into_owned();
        self.push(kind, decoded, around_text(part, text));
    }

    pub(crate) fn push_image(&mut self, part: Value<'_>) {
        self.push_with_images(BlockKind::Image, 1, String::new(), whole_payload(part));
    }

    /// Adds a part with zero tokens, because only the provider knows its size.
    pub(crate) fn push_opaque(&mut self, part: Value<'_>) {
        self.push(BlockKind::Opaque, String::new(), whole_payload(part));
    }

    pub(crate) fn push_unknown(&mut self, part: Value<'_>) {
        self.notes.note_part(self.next, ProblemKind::UnknownPart { part: part_name(part).into() });
        self.push_opaque(part);
    }

    pub(crate) fn push_call(&mut self, (call, text): (ToolCall, String), part: Value<'_>) {
        self.push(BlockKind::Call(call), text, whole_payload(part));
    }

    pub(crate) fn push_call_at(&mut self, part: Value<'_>, paths: [&str; 3]) -> ToolCallId {
        let [id, name, arguments] = part.path_ends(paths);
        let id = ToolCallId::new(self.notes.required_text(id, paths[0]));
        let name = self.notes.required_text(name, paths[1]);
        if arguments.is_none_or(|arguments| arguments.kind() != JsonType::Object) {
            self.notes.odd(paths[2]);
        }
        self.push_call(call_of(id.clone(), &name, arguments), part);
        id
    }
}
