//! Parts of content, calls and results to blocks.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cwl_engine::{BlockKind, Content, ContentBlock, ProblemKind, RawPayload, ToolCallId, ToolResult};

use super::version::{Answer, payload};
use crate::blocks::{Blocks, MAX_PARTS, call_of};
use crate::json::{Kind, Value, js_json};
use crate::notes::Notes;
use crate::payload::whole;

/// The calls that a message's record lists, and those of them that are among its parts as well.
#[derive(Default)]
pub(super) struct Functions<'a> {
    listed: Vec<Value<'a>>,
    /// Ids of the calls among the parts.
    ids: BTreeSet<String>,
    /// Listed calls by name and arguments, for parts that have no id; made when one is met.
    by_text: Option<BTreeMap<String, VecDeque<String>>>,
}

impl<'a> Functions<'a> {
    pub(super) fn new(listed: Option<Value<'a>>) -> Self {
        let listed = listed.into_iter().flat_map(Value::items).take(MAX_PARTS as usize).collect();
        Self { listed, ..Self::default() }
    }

    /// Tells whether the record lists any.
    pub(super) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Finds the id of a listed call that says the same as a part without an id.
    fn id_of(&mut self, text: &str) -> Option<String> {
        let listed = &self.listed;
        let by_text = self.by_text.get_or_insert_with(|| {
            let mut by_text: BTreeMap<String, VecDeque<String>> = BTreeMap::new();
            for record in listed {
                let [id, name, arguments] = record.fields(["id", "name", "args"]);
                let of = |value: Option<Value<'_>>| Some(value?.text()?.value.into_owned());
                let (id, name) = (of(id).unwrap_or_default(), of(name).unwrap_or_default());
                let (_, text) = call_of(ToolCallId::new(id.as_str()), &name, arguments);
                by_text.entry(text).or_default().push_back(id);
            }
            by_text
        });
        by_text.get_mut(text)?.pop_front()
    }
}

/// Adds the block of one part.
pub(super) fn push_part(blocks: &mut Blocks<'_, '_>, part: Value<'_>, functions: &mut Functions<'_>) {
    if part.kind() == Kind::Text {
        let text = blocks.notes.decode(part).unwrap_or_default().into_owned();
        return blocks.push(BlockKind::Text, text, payload(part, Some(part)));
    }
    let [text, thought, call, inline, file] =
        part.fields(["text", "thought", "functionCall", "inlineData", "fileData"]);
    if let Some(call) = call {
        return push_function_call(blocks, part, call, functions);
    }
    if let Some(data) = inline.or(file) {
        let [mime] = data.fields(["mimeType"]);
        let mime = mime.and_then(|mime| blocks.notes.decode(mime)).unwrap_or_default();
        if mime.starts_with("image/") {
            return blocks.push_with_images(BlockKind::Image, 1, String::new(), whole(part));
        }
        return blocks.push(BlockKind::Opaque, String::new(), whole(part));
    }
    if let Some(text) = text.filter(|text| text.kind() == Kind::Text) {
        let is_thought = thought.is_some_and(|thought| thought.kind() == Kind::Bool(true));
        let kind = if is_thought { BlockKind::Reasoning } else { BlockKind::Text };
        let decoded = blocks.notes.decode(text).unwrap_or_default().into_owned();
        if decoded.is_empty() {
            // An empty text carries a signature at most.
            blocks.next = blocks.next.saturating_add(1);
            return;
        }
        return blocks.push(kind, decoded, payload(part, Some(text)));
    }
    let name = part.members().next().and_then(|(key, _)| key.text()).map(|key| key.value.into_owned());
    let part_name = name.unwrap_or_else(|| part.kind().name().to_owned()).into();
    blocks.notes.note_part(blocks.next, ProblemKind::UnknownPart { part: part_name });
    blocks.push(BlockKind::Opaque, String::new(), whole(part));
}

fn push_function_call(
    blocks: &mut Blocks<'_, '_>,
    part: Value<'_>,
    call: Value<'_>,
    functions: &mut Functions<'_>,
) {
    let [id, name, arguments] = call.fields(["id", "name", "args"]);
    let id = blocks.notes.text(id, "functionCall.id").unwrap_or_default().into_owned();
    let name = blocks.notes.required_text(name, "functionCall.name");
    let (mut call, text) = call_of(ToolCallId::new(id.as_str()), &name, arguments);
    let id = if id.is_empty() { functions.id_of(&text).unwrap_or_default() } else { id };
    call.id = ToolCallId::new(id.as_str());
    functions.ids.insert(id);
    blocks.push(BlockKind::Call(call), text, whole(part));
}

/// Adds the summaries of what the model thought: a subject and a description.
pub(super) fn push_thoughts(blocks: &mut Blocks<'_, '_>, thoughts: Option<Value<'_>>) {
    for thought in thoughts.into_iter().flat_map(Value::items).take(MAX_PARTS as usize) {
        let [subject, description] = thought.fields(["subject", "description"]);
        let subject = blocks.notes.text(subject, "thoughts.subject").unwrap_or_default();
        let text = blocks.notes.text(description, "thoughts.description").unwrap_or_default();
        let joined = match (&*subject, &*text) {
            ("", text) => text.to_owned(),
            (subject, "") => subject.to_owned(),
            (subject, text) => format!("{subject}\n{text}"),
        };
        blocks.push(BlockKind::Reasoning, joined, whole(thought));
    }
}

/// Adds the calls that are not among the parts already, and reads their results.
pub(super) fn push_tool_results(blocks: &mut Blocks<'_, '_>, functions: &mut Functions<'_>) -> Vec<Answer> {
    let mut answers = Vec::new();
    for (index, record) in (0..MAX_PARTS).zip(std::mem::take(&mut functions.listed)) {
        let [id, name, arguments, result, status] = record.fields(["id", "name", "args", "result", "status"]);
        let own = blocks.notes.text(id, "toolCalls.id").unwrap_or_default().into_owned();
        let name = blocks.notes.required_text(name, "toolCalls.name");
        let status = blocks.notes.text(status, "toolCalls.status").unwrap_or_default();
        let (call, text) = call_of(ToolCallId::new(own.as_str()), &name, arguments);
        let id = call.id.clone();
        if functions.ids.remove(&own) {
            blocks.next = blocks.next.saturating_add(1);
        } else {
            // The record holds the result too, which has its own bytes.
            blocks.push(BlockKind::Call(call), text, RawPayload::default());
        }
        let Some(result) = result.filter(|result| !result.is_null()) else { continue };
        let ok = !matches!(&*status, "error" | "cancelled");
        let (text, images, text_at) = read_result(result, blocks.notes);
        let kind = BlockKind::Result(ToolResult { call: id, name: Some((&*name).into()), ok, mark: None });
        let raw = payload(result, text_at);
        let content = Content { text, raw };
        answers.push(Answer { block: ContentBlock { index, kind, images }, content });
    }
    answers
}

/// Reads results that stand in the user's slot, as the provider takes them.
pub(super) fn push_responses(parts: &[Value<'_>], notes: &mut Notes<'_>) -> Vec<Answer> {
    let mut answers: Vec<Answer> = Vec::new();
    for (index, part) in (0..MAX_PARTS).zip(parts) {
        let [response] = part.fields(["functionResponse"]);
        let Some(response) = response else {
            // Images of a result stand behind it.
            if let Some(last) = answers.last_mut() {
                last.block.images += u32::from(is_image(*part));
            }
            continue;
        };
        let [id, name] = response.fields(["id", "name"]);
        let call = ToolCallId::new(notes.required_text(id, "functionResponse.id"));
        let name = notes.text(name, "functionResponse.name").map(|name| name.into());
        let mut read = Outcome::default();
        read.add(*part, notes);
        let kind = BlockKind::Result(ToolResult { call, name, ok: !read.failed, mark: None });
        let raw = payload(*part, read.text_at);
        let block = ContentBlock { index, kind, images: read.images };
        answers.push(Answer { block, content: Content { text: read.text, raw } });
    }
    answers
}

/// Reads a result: a plain text, one part, or parts. Where one string is the whole text, it comes too.
fn read_result<'a>(result: Value<'a>, notes: &mut Notes<'_>) -> (String, u32, Option<Value<'a>>) {
    let mut read = Outcome::default();
    match result.kind() {
        Kind::List => {
            for part in result.items().take(MAX_PARTS as usize) {
                read.add(part, notes);
            }
        }
        _ => read.add(result, notes),
    }
    let text_at = read.text_at.filter(|_| read.n_texts == 1);
    (read.text, read.images, text_at)
}

/// What a tool gave back, part by part.
#[derive(Default)]
struct Outcome<'a> {
    text: String,
    images: u32,
    failed: bool,
    n_texts: u32,
    text_at: Option<Value<'a>>,
}

impl<'a> Outcome<'a> {
    fn add(&mut self, part: Value<'a>, notes: &mut Notes<'_>) {
        if part.kind() == Kind::Text {
            return self.add_text(part, notes);
        }
        let [response, text] = part.fields(["functionResponse", "text"]);
        if let Some(response) = response {
            let [response, parts] = response.fields(["response", "parts"]);
            self.images += parts.map_or(0, |parts| parts.items().map(|part| u32::from(is_image(part))).sum());
            return self.add_response(response, notes);
        }
        match text {
            Some(text) if text.kind() == Kind::Text => self.add_text(text, notes),
            _ => self.images += u32::from(is_image(part)),
        }
    }

    /// Adds what a function answered: its output, its error, or else all of it as JSON.
    fn add_response(&mut self, response: Option<Value<'a>>, notes: &mut Notes<'_>) {
        let Some(response) = response.filter(|response| !response.is_null()) else { return };
        let [output, error] = response.fields(["output", "error"]);
        self.failed |= error.is_some() && output.is_none();
        match output.or(error).filter(|text| text.kind() == Kind::Text) {
            Some(text) => self.add_text(text, notes),
            None => {
                self.text.push_str(&js_json(response.raw()));
                self.n_texts += 1;
            }
        }
    }

    fn add_text(&mut self, text: Value<'a>, notes: &mut Notes<'_>) {
        self.text.push_str(&notes.decode(text).unwrap_or_default());
        self.n_texts += 1;
        self.text_at = if self.n_texts == 1 { Some(text) } else { None };
    }
}

fn is_image(part: Value<'_>) -> bool {
    let [inline, file] = part.fields(["inlineData", "fileData"]);
    let mime = inline.or(file).and_then(|data| data.fields(["mimeType"])[0]?.text());
    mime.is_some_and(|mime| mime.value.starts_with("image/"))
}
