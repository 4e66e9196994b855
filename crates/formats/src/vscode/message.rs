use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, Message, MessageForm, ProblemKind, RawPayload, Role, ToolCallId, ToolResult,
};

use super::DebugRecord;
use super::held::ReplyRequest;
use super::sent::{SentMessages, SentOutput};
use super::texts::{arguments_of, before_cut, string_or_start, texts_of_tree};
use crate::blocks::{Blocks, ReadMessage, call_of_text, formed_message, plain_message};
use crate::content::overflow::failed_with;
use crate::event::EventDraft;
use crate::json::{JsonType, Object, Value, is_json, js_json, owned};
use crate::notes::Notes;
use crate::payload::{around_text, whole_payload};
use crate::usage::{count_paths, usage_with_cache};

const ENCRYPTED: &str = "[encrypted]";

/// A call of a reply, or of a record, whose call has the id of its line.
#[derive(Clone)]
pub(super) struct CallFacts {
    pub(super) id: String,
    pub(super) name: String,
    arguments: String,
    /// The arguments without white space, if they are JSON.
    compact: Option<String>,
}

impl CallFacts {
    pub(super) fn from_record(record: &DebugRecord<'_>) -> Self {
        let name = record.value.text_of("name").into_owned();
        Self::new(record.entry.to_string(), name, owned(record.get("args")).unwrap_or_default())
    }

    fn new(id: String, name: String, arguments: String) -> Self {
        let compact = is_json(&arguments).then(|| js_json(&arguments));
        Self { id, name, arguments, compact }
    }

    /// Finds the call of a record: one with its name and arguments, or the oldest with its name.
    pub(super) fn position_in(&self, calls: &[Self]) -> Option<usize> {
        let of_name = |call: &Self| call.name == self.name;
        let cut = before_cut(&self.arguments);
        let is_same = |call: &Self| match cut {
            Some(cut) => call.arguments.starts_with(cut),
            None => {
                call.arguments == self.arguments || self.compact.is_some() && call.compact == self.compact
            }
        };
        let of_both = |call: &Self| of_name(call) && is_same(call);
        calls.iter().position(of_both).or_else(|| calls.iter().position(of_name))
    }
}

/// Payload of a text that the log has only inside of another string.
fn nested_payload() -> RawPayload {
    RawPayload::Around { before: String::new(), after: String::new() }
}

fn note_cut(is_cut: &mut bool, notes: &mut Notes<'_>) {
    if !std::mem::replace(is_cut, true) {
        notes.note(ProblemKind::TextsCut);
    }
}

pub(super) fn read_reply_request(record: &DebugRecord<'_>, notes: &mut Notes<'_>) -> ReplyRequest {
    let paths = ["attrs.inputTokens", "attrs.cachedTokens", "attrs.outputTokens"];
    let [input, cached, output] = count_paths(record.attributes, paths, notes);
    let usage = usage_with_cache(input, cached, output, 0);
    let model = notes.text(record.get("model"), "attrs.model");
    let model = model.filter(|model| !model.is_empty() && model != "unknown");
    ReplyRequest {
        entry: Some(record.entry.clone()),
        stamp: record.stamp,
        model: model.map(|model| Arc::from(&*model)),
        usage: (!usage.is_empty()).then_some(usage),
    }
}

pub(super) fn read_failure(
    record: &DebugRecord<'_>,
    request: ReplyRequest,
    notes: &mut Notes<'_>,
) -> EventDraft {
    let error = notes.text(record.get("error"), "attrs.error").unwrap_or_default();
    let mut message = plain_message(Role::Assistant, Author::Model);
    (message.model, message.usage) = (request.model, request.usage);
    message.outcome = failed_with(&error);
    EventDraft::message(ReadMessage { message, contents: Vec::new() }, Default::default())
}

pub(super) fn read_user(
    content: Option<Value<'_>>,
    is_called: bool,
    sent: &SentMessages,
    is_cut: &mut bool,
    notes: &mut Notes<'_>,
) -> ReadMessage {
    let frame = match is_called {
        true => formed_message(Role::User, Author::Harness, MessageForm::Custom { name: "prompt".into() }),
        false => plain_message(Role::User, Author::Human),
    };
    let mut blocks = Blocks::new(0, notes);
    let text = blocks.notes.required_text(content, "attrs.content").into_owned();
    push_text(&mut blocks, BlockKind::Text, &text, content, sent, is_cut);
    blocks.into_message(frame)
}

fn push_text(
    blocks: &mut Blocks<'_, '_>,
    kind: BlockKind,
    text: &str,
    value: Option<Value<'_>>,
    sent: &SentMessages,
    is_cut: &mut bool,
) {
    let Some(start) = before_cut(text) else {
        let raw = value.map_or_else(nested_payload, |value| around_text(value, Some(value)));
        return blocks.push(kind, text.to_owned(), raw);
    };
    let whole = sent.whole_text(start);
    if whole.is_none() {
        note_cut(is_cut, blocks.notes);
    }
    blocks.push(kind, whole.unwrap_or(start).to_owned(), nested_payload());
}

/// Reads a reply with its calls; the flag is false if the log may lack some of them.
pub(super) fn read_reply(
    record: &DebugRecord<'_>,
    sent: &SentMessages,
    is_cut: &mut bool,
    notes: &mut Notes<'_>,
) -> (ReadMessage, Vec<CallFacts>, bool) {
    let mut blocks = Blocks::new(0, notes);
    let reasoning = record.get("reasoning");
    match blocks.notes.text(reasoning, "attrs.reasoning").unwrap_or_default() {
        text if text.is_empty() => {}
        text if text == ENCRYPTED => {
            let raw = reasoning.map(whole_payload).unwrap_or_default();
            blocks.push(BlockKind::Reasoning, String::new(), raw);
        }
        text => push_text(&mut blocks, BlockKind::Reasoning, &text, reasoning, sent, is_cut),
    }
    let response = blocks.notes.required_text(record.get("response"), "attrs.response").into_owned();
    let start = before_cut(&response);
    let mut reply = ReplyParts { calls: Vec::new(), sent, is_cut, id: record.entry.to_string() };
    if start.is_none() && !is_json(&response) {
        blocks.push(BlockKind::Text, response.clone(), nested_payload());
    } else {
        let messages = Value::trusted(start.unwrap_or(&response), 0);
        for message in messages.items() {
            for part in message.get("parts").into_iter().flat_map(Value::items) {
                reply.push(part, &mut blocks);
            }
        }
        if start.is_some() && reply.is_short(messages) {
            note_cut(reply.is_cut, blocks.notes);
        }
    }
    let calls = reply.calls;
    (blocks.into_message(plain_message(Role::Assistant, Author::Model)), calls, start.is_none())
}

struct ReplyParts<'s> {
    calls: Vec<CallFacts>,
    sent: &'s SentMessages,
    is_cut: &'s mut bool,
    id: String,
}

impl ReplyParts<'_> {
    fn push(&mut self, part: Value<'_>, blocks: &mut Blocks<'_, '_>) {
        let [kind, content, id, name, arguments] =
            part.fields(["type", "content", "id", "name", "arguments"]);
        if content.or(name).is_none() && !is_json(part.raw()) {
            // The cut left nothing of the part but its beginning.
            return;
        }
        match kind.and_then(Value::string).as_deref() {
            Some(kind @ ("text" | "reasoning")) => {
                let kind = if kind == "text" { BlockKind::Text } else { BlockKind::Reasoning };
                match content.filter(|content| content.string_body().is_none()).and_then(string_or_start) {
                    // The text was cut with the reply around it.
                    Some(start) => {
                        let whole = self.sent.whole_text(&start).unwrap_or(&start).to_owned();
                        blocks.push(kind, whole, nested_payload());
                    }
                    None => blocks.push_text(kind, part, content, "response.content"),
                }
            }
            Some("tool_call") => self.push_call([id, name, arguments], part, blocks),
            _ => blocks.push_unknown(part),
        }
    }

    fn push_call(
        &mut self,
        [id, name, arguments]: [Option<Value<'_>>; 3],
        part: Value<'_>,
        blocks: &mut Blocks<'_, '_>,
    ) {
        let is_torn = !is_json(part.raw());
        let name = match owned(name) {
            Some(name) => name,
            None if is_torn => return,
            None => blocks.notes.required_text(name, "response.name").into_owned(),
        };
        let number = self.calls.len() + 1;
        let own = owned(id).filter(|id| !id.is_empty());
        let id = own.unwrap_or_else(|| format!("{}.{number}", self.id));
        let sent = if is_torn { self.sent.arguments(&id).map(str::to_owned) } else { None };
        let arguments = sent.unwrap_or_else(|| arguments.map(arguments_of).unwrap_or_default());
        let read = call_of_text(ToolCallId::new(&*id), &name, &arguments);
        let raw = if is_torn { call_json(&id, &name, &arguments) } else { part.raw().to_owned() };
        blocks.push(BlockKind::Call(read.0), read.1, RawPayload::Whole(raw));
        self.calls.push(CallFacts::new(id, name, arguments));
    }

    fn is_short(&self, messages: Value<'_>) -> bool {
        let last = messages.items().last().and_then(|message| message.get("parts"));
        let Some(part) = last.and_then(|parts| parts.items().last()) else { return true };
        let [content, id] = part.fields(["content", "id"]);
        let is_whole = match (content.and_then(string_or_start), owned(id)) {
            (Some(start), _) => self.sent.whole_text(&start).is_some(),
            (None, Some(id)) => self.sent.arguments(&id).is_some(),
            (None, None) => false,
        };
        !is_whole
    }
}

fn call_json(id: &str, name: &str, arguments: &str) -> String {
    Object::with_type("tool_call").text("id", id).text("name", name).text("arguments", arguments).done()
}

pub(super) fn read_own_call(
    record: &DebugRecord<'_>,
    facts: &CallFacts,
    is_cut: &mut bool,
    notes: &mut Notes<'_>,
) -> ReadMessage {
    if record.value.get("name").is_none_or(|name| name.kind() != JsonType::Text) {
        notes.odd("name");
    }
    let start = before_cut(&facts.arguments);
    if start.is_some() {
        note_cut(is_cut, notes);
    }
    let mut blocks = Blocks::new(0, notes);
    let arguments = start.unwrap_or(&facts.arguments);
    let (call, text) = call_of_text(ToolCallId::new(&*facts.id), &facts.name, arguments);
    blocks.push(BlockKind::Call(call), text, RawPayload::Whole(call_json(&facts.id, &facts.name, arguments)));
    blocks.into_message(plain_message(Role::Assistant, Author::Model))
}

pub(super) fn read_result(
    record: &DebugRecord<'_>,
    (id, name): (&str, &str),
    sent: Option<&SentOutput>,
    is_cut: &mut bool,
    notes: &mut Notes<'_>,
) -> ReadMessage {
    let [result, error] = record.attributes.fields(["result", "error"]);
    let ok = record.value.text_of("status") != "error";
    let kind = result_kind(id, name, ok);
    let output = result.filter(|output| !output.is_null()).or(error);
    let mut blocks = Blocks::new(0, notes);
    if let Some(sent) = sent {
        let is_same = owned(output).is_some_and(|output| output == sent.text);
        let raw = output.filter(|_| is_same).map(|output| around_text(output, Some(output)));
        blocks.push_with_images(kind, sent.images, sent.text.clone(), raw.unwrap_or_else(nested_payload));
        return blocks.into_message(plain_message(Role::Tool, Author::Tool));
    }
    let text = blocks.notes.text(output, "attrs.result").unwrap_or_default().into_owned();
    let start = before_cut(&text);
    if start.is_some() {
        note_cut(is_cut, blocks.notes);
    }
    let whole = start.unwrap_or(&text);
    let texts = texts_of_tree(whole);
    let raw = output.filter(|_| start.is_none() && texts.is_none());
    let raw = raw.map_or_else(nested_payload, |output| around_text(output, Some(output)));
    blocks.push(kind, texts.unwrap_or_else(|| whole.to_owned()), raw);
    blocks.into_message(plain_message(Role::Tool, Author::Tool))
}

pub(super) fn read_sent_output(call: &CallFacts, output: &SentOutput, notes: &mut Notes<'_>) -> ReadMessage {
    let mut blocks = Blocks::new(0, notes);
    let kind = result_kind(&call.id, &call.name, true);
    blocks.push_with_images(kind, output.images, output.text.clone(), nested_payload());
    blocks.into_message(plain_message(Role::Tool, Author::Tool))
}

fn result_kind(id: &str, name: &str, ok: bool) -> BlockKind {
    BlockKind::Result(ToolResult { call: ToolCallId::new(id), name: Some(name.into()), ok, mark: None })
}

/// Reads the reply to a request for a summary, which stands in the user's slot later.
pub(super) fn read_summary(
    record: &DebugRecord<'_>,
    request: ReplyRequest,
    is_cut: &mut bool,
    notes: &mut Notes<'_>,
) -> EventDraft {
    let (reply, ..) = read_reply(record, &SentMessages::default(), is_cut, notes);
    let text: String = (reply.message.blocks.iter().zip(&reply.contents))
        .filter(|(block, _)| block.kind == BlockKind::Text)
        .map(|(_, content)| content.text.as_str())
        .collect();
    let frame = formed_message(Role::User, Author::Harness, MessageForm::Summary);
    let mut blocks = Blocks::new(0, notes);
    blocks.push(BlockKind::Text, text, nested_payload());
    let mut read = blocks.into_message(Message { usage: request.usage, ..frame });
    read.message.model = None;
    EventDraft::message(read, whole_payload(record.value))
}
