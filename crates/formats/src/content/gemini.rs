//! Parts of the Gemini API, in requests and in recordings of Gemini CLI.
//!
//! `render/gemini.rs` writes them.

use cwl_engine::{BlockKind, ProblemKind, ToolCallId};

use super::ResultParts;
use crate::blocks::{Blocks, call_of};
use crate::json::{Fields, JsonType, Value, js_json};
use crate::notes::Notes;

pub(crate) fn response_of(part: Value<'_>) -> Option<Value<'_>> {
    part.first_of(["functionResponse", "function_response"])
}

fn data_of(part: Value<'_>) -> Option<Value<'_>> {
    part.first_of(["inlineData", "inline_data", "fileData", "file_data"])
}

pub(crate) fn is_image(part: Value<'_>) -> bool {
    let mime = data_of(part).and_then(|data| data.first_of(["mimeType", "mime_type"]));
    mime.and_then(Value::string).is_some_and(|mime| mime.starts_with("image/"))
}

/// Function responses are read elsewhere. `name_call` makes a call's id from the stated id, which may be
/// empty, and the text the call is counted by.
pub(crate) fn push_part(
    blocks: &mut Blocks<'_, '_>,
    part: Value<'_>,
    name_call: impl FnOnce(&str, &str) -> String,
) {
    if part.kind() == JsonType::Text {
        return blocks.push_text(BlockKind::Text, part, Some(part), "text");
    }
    let fields = Fields::parse(part);
    if let Some(call) = fields.first_of(&["functionCall", "function_call"]) {
        let [id, name, arguments] = call.fields(["id", "name", "args"]);
        let id = blocks.notes.text(id, "functionCall.id").unwrap_or_default();
        let name = blocks.notes.required_text(name, "functionCall.name");
        let (mut call, text) = call_of(ToolCallId::new(""), &name, arguments);
        call.id = ToolCallId::new(name_call(&id, &text));
        return blocks.push_call((call, text), part);
    }
    if let Some(text) = fields.get("text").filter(|text| text.kind() == JsonType::Text) {
        if text.string_body() == Some("") {
            // An empty text at most carries a signature.
            blocks.next = blocks.next.saturating_add(1);
            return;
        }
        let kind = if fields.get("thought").is_some_and(Value::is_true) {
            BlockKind::Reasoning
        } else {
            BlockKind::Text
        };
        return blocks.push_text(kind, part, Some(text), "text");
    }
    if is_image(part) {
        blocks.push_image(part);
    } else if data_of(part).is_some() {
        blocks.push_opaque(part);
    } else if let Some(code) = fields.first_of(&["executableCode", "executable_code"]) {
        blocks.push_text(BlockKind::Text, part, code.get("code"), "executableCode.code");
    } else if let Some(executed) = fields.first_of(&["codeExecutionResult", "code_execution_result"]) {
        // Code without any output.
        let output = executed.get("output");
        let text = blocks.notes.text(output, "codeExecutionResult.output").unwrap_or_default().into_owned();
        blocks.push(BlockKind::Text, text, crate::payload::whole_payload(part));
    } else {
        let name = part.members().next().and_then(|(key, _)| key.string());
        let name = name.unwrap_or(part.kind().name().into()).into();
        blocks.notes.note_part(blocks.next, ProblemKind::UnknownPart { part: name });
        blocks.push_opaque(part);
    }
}

impl<'a> ResultParts<'a> {
    pub(crate) fn returned(&mut self, part: Value<'a>, notes: &mut Notes<'_>) {
        if part.kind() == JsonType::Text {
            return self.text(Some(part), "text", notes);
        }
        if let Some(response) = response_of(part) {
            return self.response(response, notes);
        }
        match part.get("text").filter(|text| text.kind() == JsonType::Text) {
            Some(text) => self.text(Some(text), "text", notes),
            None => self.images += u32::from(is_image(part)),
        }
    }

    /// Adds a function response: its `output` or `error` if this is the only member, otherwise the whole JSON
    /// as the provider gets it.
    pub(crate) fn response(&mut self, response: Value<'a>, notes: &mut Notes<'_>) {
        let [response, parts] = response.fields(["response", "parts"]);
        self.images +=
            parts.into_iter().flat_map(Value::items).map(|part| u32::from(is_image(part))).sum::<u32>();
        let Some(response) = response.filter(|response| !response.is_null()) else { return };
        let [output, error] = response.fields(["output", "error"]);
        self.failed |= output.is_none() && error.is_some_and(|error| !error.is_null());
        let is_all = response.members().nth(1).is_none();
        match output.or(error).filter(|text| is_all && text.kind() == JsonType::Text) {
            Some(text) => self.text(Some(text), "text", notes),
            None => self.add(&js_json(response.raw())),
        }
    }
}
