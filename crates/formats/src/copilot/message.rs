use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{Author, BlockKind, Message, MessageForm, RawPayload, Role, ToolCallId, ToolResult, Usage};

use super::model_of;
use super::row::CopilotRow;
use crate::blocks::{
    Blocks, MAX_PARTS, ReadMessage, call_of, call_of_free_text, formed_message, plain_message,
};
use crate::json::{JsonType, Value, owned};
use crate::notes::Notes;
use crate::payload::{around_text, payload_around, whole_payload};
use crate::usage::count_paths;

/// Splits a user message into runs by author, each with a name; the human's run has an empty name.
///
/// The model gets `transformedContent`: `content` as typed, between texts added by Copilot.
pub(super) fn read_user(row: &CopilotRow<'_>, notes: &mut Notes<'_>) -> Vec<(&'static str, ReadMessage)> {
    let [content, transformed, attachments] =
        row.data.fields(["content", "transformedContent", "attachments"]);
    let (author, form) = voice_of(row, notes);
    let typed = notes.required_text(content, "content");
    let sent = notes.text(transformed, "transformedContent");
    let around = sent.as_deref().and_then(|sent| sent.split_once(&*typed)).filter(|_| !typed.is_empty());
    let mut index = 0;
    let mut runs = Vec::new();
    let mut push = |name: &'static str, index: &mut u32, text: &str, raw, frame, notes: &mut Notes<'_>| {
        let mut blocks = Blocks::new(*index, notes);
        blocks.push(BlockKind::Text, text.to_owned(), raw);
        if name.is_empty() {
            push_images(attachments, &mut blocks);
        }
        *index = blocks.next;
        runs.push((name, blocks.into_message(frame)));
    };
    let own = formed_message(Role::User, author, form);
    let raw_of = |value: Option<Value<'_>>| value.map(|value| around_text(value, Some(value)));
    match (around, sent.as_deref()) {
        (Some((before, after)), _) => {
            let wrapping = |name: &str| {
                formed_message(Role::User, Author::Harness, MessageForm::Custom { name: name.into() })
            };
            // Added texts have no JSON in the log.
            let bare = || RawPayload::Around { before: String::new(), after: String::new() };
            if !before.is_empty() {
                push("before", &mut index, before, bare(), wrapping("context"), notes);
            }
            push("", &mut index, &typed, raw_of(content).unwrap_or_default(), own, notes);
            if !after.is_empty() {
                push("after", &mut index, after, bare(), wrapping("context"), notes);
            }
        }
        (None, Some(sent)) => push("", &mut index, sent, raw_of(transformed).unwrap_or_default(), own, notes),
        (None, None) => push("", &mut index, &typed, raw_of(content).unwrap_or_default(), own, notes),
    }
    runs
}

fn voice_of(row: &CopilotRow<'_>, notes: &mut Notes<'_>) -> (Author, MessageForm) {
    let of_harness = |name: &str| (Author::Harness, MessageForm::Custom { name: name.into() });
    if row.kind == "system.notification" {
        return of_harness("notification");
    }
    let [source, continuation] = row.data.fields(["source", "isAutopilotContinuation"]);
    if notes.flag(continuation, "isAutopilotContinuation") {
        return of_harness("autopilot");
    }
    let source = notes.text(source, "source").filter(|source| {
        // A skill's text or another agent's prompt; other sources are the human.
        source.starts_with("skill-") || source.starts_with("agent-")
    });
    source.map_or((Author::Human, MessageForm::Plain), |source| of_harness(&source))
}

fn push_images(list: Option<Value<'_>>, blocks: &mut Blocks<'_, '_>) {
    for part in images_of(list) {
        blocks.push_image(part);
    }
}

fn images_of(list: Option<Value<'_>>) -> impl Iterator<Item = Value<'_>> {
    let items = list.into_iter().flat_map(Value::items).take(MAX_PARTS as usize);
    items.filter(|item| item.get("data").is_some() && item.text_of("mimeType").starts_with("image/"))
}

pub(super) struct Reply {
    pub(super) reasoning: Option<ReadMessage>,
    pub(super) rest: ReadMessage,
    pub(super) envelope: RawPayload,
}

/// Rows with the same `apiCallId` form one reply.
pub(super) fn read_reply(row: &CopilotRow<'_>, usages: &mut Usages, notes: &mut Notes<'_>) -> Reply {
    let [content, calls, text, opaque, encrypted, api_call, message, output] = row.data.fields([
        "content",
        "toolRequests",
        "reasoningText",
        "reasoningOpaque",
        "encryptedContent",
        "apiCallId",
        "messageId",
        "outputTokens",
    ]);
    let model = model_of(row, notes);
    let api_call = notes.text(api_call, "apiCallId").or_else(|| notes.text(message, "messageId"));
    // A failed request is logged with 0 output tokens.
    let output = notes.tokens(output, "outputTokens").filter(|output| *output > 0);
    let mut blocks = Blocks::new(0, notes);
    let filled = |value: &Value<'_>| value.string_body().is_some_and(|body| !body.is_empty());
    let own: Vec<Value<'_>> = reasoning_blocks(row).collect();
    // Anthropic's reasoning is still sent after a resume.
    let is_bound = !row.data.get("reasoningBlocks").is_some_and(is_of_anthropic);
    if !own.is_empty() {
        for block in own {
            push_reasoning(block, &mut blocks);
        }
    } else if let Some(text) = text.filter(filled) {
        blocks.push_text(BlockKind::Reasoning, text, Some(text), "reasoningText");
    } else if let Some(hidden) = opaque.filter(filled).or(encrypted.filter(filled)) {
        blocks.push(BlockKind::Reasoning, String::new(), whole_payload(hidden));
    }
    let n_reasoning = blocks.n_blocks();
    let reported = api_call.as_deref().map(|id| usages.take(id)).unwrap_or_default();
    let calls = calls.filter(|calls| !calls.is_null());
    if calls.is_some_and(|calls| calls.kind() != JsonType::List) {
        blocks.notes.odd("toolRequests");
    }
    // A reply that only calls tools has an empty text.
    if content.is_none_or(|content| filled(&content) || content.kind() != JsonType::Text) {
        let part = content.unwrap_or(row.data);
        match owned(content).filter(|text| reported.is_trimmed && !text.trim().is_empty()) {
            Some(text) => {
                blocks.push(BlockKind::Text, text.trim_end().to_owned(), around_text(part, content));
            }
            None => blocks.push_text(BlockKind::Text, part, content, "content"),
        }
    }
    let mut has_calls = false;
    for call in calls.into_iter().flat_map(Value::items).take(MAX_PARTS as usize) {
        has_calls = true;
        push_call(call, &mut blocks);
    }
    let frame = Message {
        model,
        // Older rows state nothing else about a single request.
        usage: reported.usage.or(output.map(|output| Usage { output, ..Usage::default() })),
        reply: api_call.filter(|id| !id.is_empty()).map(Arc::from),
        ..plain_message(Role::Assistant, Author::Model)
    };
    // Calls keep their own JSON; the envelope would repeat it.
    let envelope = if has_calls { RawPayload::default() } else { payload_around(row.value, content) };
    let mut rest = blocks.into_message(frame.clone());
    let is_apart = is_bound && n_reasoning > 0 && frame.reply.is_some();
    let reasoning = is_apart.then(|| {
        let behind = rest.message.blocks.split_off(n_reasoning);
        let contents = rest.contents.split_off(n_reasoning);
        let message = Message { blocks: behind, ..frame };
        let reasoning = std::mem::replace(&mut rest, ReadMessage { message, contents });
        ReadMessage { message: Message { usage: None, ..reasoning.message }, ..reasoning }
    });
    Reply { reasoning, rest, envelope }
}

fn is_of_anthropic(reasoning: Value<'_>) -> bool {
    reasoning.text_of("provider").starts_with("anthropic")
}

fn reasoning_blocks<'a>(row: &CopilotRow<'a>) -> impl Iterator<Item = Value<'a>> {
    let blocks = row.data.get("reasoningBlocks").and_then(|reasoning| reasoning.get("blocks"));
    blocks.into_iter().flat_map(Value::items).take(MAX_PARTS as usize)
}

fn push_reasoning(block: Value<'_>, blocks: &mut Blocks<'_, '_>) {
    let [thinking, summary] = block.fields(["thinking", "summary"]);
    match thinking.filter(|thinking| thinking.kind() == JsonType::Text) {
        Some(text) => blocks.push_text(BlockKind::Reasoning, block, Some(text), "reasoningBlocks.thinking"),
        None => {
            let texts = summary.into_iter().flat_map(Value::items).filter_map(|part| owned(part.get("text")));
            let text = texts.collect::<Vec<_>>().join("\n\n");
            blocks.push(BlockKind::Reasoning, text, whole_payload(block));
        }
    }
}

#[derive(Clone, Default)]
pub(super) struct Usages {
    by_call: BTreeMap<String, UsageRecord>,
}

#[derive(Clone, Copy, Default)]
struct UsageRecord {
    usage: Option<Usage>,
    /// True if trailing whitespace is cut before the reply is sent back: Anthropic's API rejects it.
    is_trimmed: bool,
}

impl Usages {
    /// Also returns the context window's size, in tokens.
    pub(super) fn note(&mut self, row: &CopilotRow<'_>, notes: &mut Notes<'_>) -> Option<u64> {
        let told = row.data.get("usage").and_then(Value::object)?;
        let paths = ["inputTokens", "outputTokens", "reasoningTokens", "cacheReadTokens", "cacheWriteTokens"];
        let [prompt, output, reasoning, read, write] = count_paths(told, paths, notes);
        let cache_read = read.min(prompt);
        let cache_write = write.min(prompt - cache_read);
        let input = prompt - cache_read - cache_write;
        let usage = Usage {
            input,
            output,
            reasoning: reasoning.min(output),
            cache_read,
            cache_write,
            ..Usage::default()
        };
        if let Some(id) = owned(told.get("apiCallId")) {
            let usage = Some(usage).filter(|usage| !usage.is_empty());
            let is_trimmed = told.text_of("apiEndpoint").ends_with("/messages");
            self.by_call.insert(id, UsageRecord { usage, is_trimmed });
        }
        notes.tokens(told.get("maxPromptTokens"), "maxPromptTokens").filter(|window| *window > 0)
    }

    fn take(&mut self, id: &str) -> UsageRecord {
        self.by_call.remove(id).unwrap_or_default()
    }
}

fn push_call(call: Value<'_>, blocks: &mut Blocks<'_, '_>) {
    let [id, name, arguments] = call.fields(["toolCallId", "name", "arguments"]);
    match arguments.filter(|arguments| arguments.kind() == JsonType::Text) {
        Some(input) => {
            let id = ToolCallId::new(blocks.notes.required_text(id, "toolCallId"));
            let name = blocks.notes.required_text(name, "name");
            let input = blocks.notes.required_text(Some(input), "arguments");
            blocks.push_call(call_of_free_text(id, &name, &input), call);
        }
        // Tools without parameters may have no arguments.
        None if arguments.is_none_or(Value::is_null) => {
            let id = ToolCallId::new(blocks.notes.required_text(id, "toolCallId"));
            let name = blocks.notes.required_text(name, "name");
            blocks.push_call(call_of(id, &name, None), call);
        }
        None => {
            blocks.push_call_at(call, ["toolCallId", "name", "arguments"]);
        }
    }
}

pub(super) fn read_result(row: &CopilotRow<'_>, notes: &mut Notes<'_>) -> Option<(ReadMessage, RawPayload)> {
    let [call, success, result, error, requested] =
        row.data.fields(["toolCallId", "success", "result", "error", "isUserRequested"]);
    if notes.flag(requested, "isUserRequested") {
        return None;
    }
    let result = result.and_then(Value::object);
    let [content, binary] =
        result.map_or([None; 2], |result| result.fields(["content", "binaryResultsForLlm"]));
    let error = error.and_then(|error| error.get("message"));
    if success.is_none_or(|success| !matches!(success.kind(), JsonType::Bool(_))) {
        notes.odd("success");
    }
    let (content, field) = match content {
        Some(content) => (Some(content), "result.content"),
        None => (error, "error.message"),
    };
    if content.is_none() {
        notes.odd("result");
    }
    let answered = ToolResult {
        call: ToolCallId::new(notes.required_text(call, "toolCallId")),
        name: None,
        ok: success.is_some_and(Value::is_true),
        mark: None,
    };
    let mut blocks = Blocks::new(0, notes);
    blocks.push_result(answered, row.data, content, field);
    for _ in images_of(binary) {
        blocks.add_image();
    }
    let read = blocks.into_message(plain_message(Role::Tool, Author::Tool));
    // The envelope would repeat the text shown on the screen.
    Some((read, RawPayload::default()))
}
