//! Items of the history, as the provider's interface has them: what each becomes.

use std::borrow::Cow;

use cwl_engine::{
    Author, BlockKind, Content, Message, MessageForm, ProblemKind, RawPayload, Role, ToolCall, ToolCallId,
    ToolResult,
};

use super::author::author_of;
use super::output::{Failures, read_output};
use crate::blocks::{Blocks, Frame, MAX_PARTS, ReadMessage, call_of, call_of_text};
use crate::json::{Kind, Value, js_json};
use crate::notes::Notes;
use crate::payload::{around_text, whole};

/// What became of an item.
pub(super) enum Read {
    /// It is a message.
    Item(Box<ReadItem>),
    /// The model does not see it; its type.
    Quiet(String),
    /// Nobody knows it; its name for a problem.
    Unknown(String),
}

/// An item as a message.
pub(super) struct ReadItem {
    pub(super) message: Message,
    pub(super) contents: Vec<Content>,
    pub(super) origin: Origin,
    /// What the provider itself answered to a tool that it ran.
    pub(super) answer: Option<ReadMessage>,
}

/// Where an item comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// The model: a part of a reply.
    Model {
        /// It calls a tool that Codex runs.
        is_call: bool,
    },
    /// A tool.
    Output,
    /// The human, as far as the item tells.
    Human,
    /// Codex.
    Harness,
}

/// Reads an item; its blocks are counted from `first`.
pub(super) fn read_item(item: Value<'_>, first: u32, failures: &mut Failures, notes: &mut Notes<'_>) -> Read {
    let kind = item.fields(["type"])[0].and_then(Value::text).map(|kind| kind.value).unwrap_or_default();
    let mut blocks = Blocks::new(first, notes);
    let (frame, origin) = match &*kind {
        "message" => match message(item, &mut blocks) {
            Ok(read) => read,
            Err(role) => return Read::Unknown(format!("message/{role}")),
        },
        "reasoning" => reasoning(item, &mut blocks),
        "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call" => {
            let (call, text) = call(item, &kind, &mut blocks);
            blocks.push(BlockKind::Call(call), text, whole(item));
            (Frame::plain(Role::Assistant, Author::Model), Origin::Model { is_call: true })
        }
        "web_search_call" | "image_generation_call" => {
            return run_by_provider(item, &kind, first, blocks.notes);
        }
        "function_call_output" | "custom_tool_call_output" => answered(item, failures, &mut blocks),
        "tool_search_output" => found_tools(item, &mut blocks),
        "agent_message" => {
            let [content] = item.fields(["content"]);
            content_of(content, &mut blocks);
            harness(MessageForm::Custom { name: "agent_message".into() })
        }
        "compaction" | "compaction_summary" | "context_compaction" => {
            blocks.notes.note(ProblemKind::UnreadableSummary);
            blocks.push(BlockKind::Opaque, String::new(), whole(item));
            harness(MessageForm::Summary)
        }
        "ghost_snapshot" | "compaction_trigger" | "additional_tools" => {
            return Read::Quiet(kind.into_owned());
        }
        "" => {
            blocks.notes.odd("type");
            return Read::Unknown("response_item".to_owned());
        }
        unknown => return Read::Unknown(format!("response_item/{unknown}")),
    };
    done(blocks.into_message(frame), origin, None)
}

fn done(read: ReadMessage, origin: Origin, answer: Option<ReadMessage>) -> Read {
    let ReadMessage { message, contents } = read;
    Read::Item(Box::new(ReadItem { message, contents, origin, answer }))
}

fn harness(form: MessageForm) -> (Frame, Origin) {
    (Frame::new(Role::User, Author::Harness, form), Origin::Harness)
}

/// Reads a message; gives back a role that nobody knows.
fn message(item: Value<'_>, blocks: &mut Blocks<'_, '_>) -> Result<(Frame, Origin), String> {
    let [role, content] = item.fields(["role", "content"]);
    let role = blocks.notes.required_text(role, "role");
    let plain = |role, author| Frame::plain(role, author);
    let (frame, origin) = match &*role {
        "user" => {
            let texts = texts_of(content);
            let (author, form) = author_of(&texts.iter().map(|text| &**text).collect::<Vec<_>>());
            let is_turn = author == Author::Human && form == MessageForm::Plain;
            let origin = if is_turn { Origin::Human } else { Origin::Harness };
            (Frame::new(Role::User, author, form), origin)
        }
        "assistant" => (plain(Role::Assistant, Author::Model), Origin::Model { is_call: false }),
        // Codex instructs the model in the developer's name.
        "developer" | "system" => (plain(Role::System, Author::Harness), Origin::Harness),
        unknown => return Err(unknown.to_owned()),
    };
    content_of(content, blocks);
    Ok((frame, origin))
}

/// Returns the texts of a message's parts, for its marks.
fn texts_of(content: Option<Value<'_>>) -> Vec<Cow<'_, str>> {
    let decoded = |value: Value<'_>| value.text().map(|text| text.value.into_owned());
    let Some(content) = content else { return Vec::new() };
    match content.kind() {
        Kind::Text => decoded(content).map(Cow::Owned).into_iter().collect(),
        _ => content
            .items()
            .take(MAX_PARTS as usize)
            .filter_map(|part| part.fields(["text"])[0]?.text())
            .map(|text| text.value)
            .collect(),
    }
}

/// Reads the parts of a message.
fn content_of(content: Option<Value<'_>>, blocks: &mut Blocks<'_, '_>) {
    let Some(content) = content else { return blocks.notes.odd("content") };
    match content.kind() {
        Kind::Null => {}
        Kind::Text => {
            let text = blocks.notes.required_text(Some(content), "content").into_owned();
            blocks.push(BlockKind::Text, text, around_text(content, Some(content)));
        }
        Kind::List => {
            for (n_parts, part) in (0..).zip(content.items()) {
                if n_parts == MAX_PARTS {
                    return blocks.notes.odd("content");
                }
                content_part(part, blocks);
            }
        }
        Kind::Bool(_) | Kind::Number | Kind::Object => blocks.notes.odd("content"),
    }
}

fn content_part(part: Value<'_>, blocks: &mut Blocks<'_, '_>) {
    let [kind, text] = part.fields(["type", "text"]);
    match kind.and_then(Value::text).as_ref().map(|kind| &*kind.value) {
        Some("input_text" | "output_text" | "text") => {
            let decoded = blocks.notes.required_text(text, "text").into_owned();
            blocks.push(BlockKind::Text, decoded, around_text(part, text));
        }
        Some("input_image") => blocks.push_with_images(BlockKind::Image, 1, String::new(), whole(part)),
        other => {
            let part_name = other.unwrap_or(part.kind().name()).into();
            blocks.notes.note_part(blocks.next, ProblemKind::UnknownPart { part: part_name });
            blocks.push(BlockKind::Opaque, String::new(), whole(part));
        }
    }
}

/// Reads reasoning: what is readable of it, a summary as a rule; the rest is encrypted.
fn reasoning(item: Value<'_>, blocks: &mut Blocks<'_, '_>) -> (Frame, Origin) {
    let [summary, content] = item.fields(["summary", "content"]);
    for (list, name) in [(summary, "summary"), (content, "content")] {
        if list.is_some_and(|list| !matches!(list.kind(), Kind::List | Kind::Null)) {
            blocks.notes.odd(name);
        }
    }
    let mut text = String::new();
    let mut parts = Vec::new();
    for part in summary.into_iter().chain(content).flat_map(Value::items) {
        let [own] = part.fields(["text"]);
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&blocks.notes.required_text(own, "text"));
        parts.push(own);
    }
    let only = if let [only] = parts[..] { only } else { None };
    blocks.push(BlockKind::Reasoning, text, around_text(item, only));
    (Frame::plain(Role::Assistant, Author::Model), Origin::Model { is_call: false })
}

/// Reads a call and the text that it counts as.
fn call(item: Value<'_>, kind: &str, blocks: &mut Blocks<'_, '_>) -> (ToolCall, String) {
    let [id, own_id, name, namespace, arguments, input, action] =
        item.fields(["call_id", "id", "name", "namespace", "arguments", "input", "action"]);
    let id = id.filter(|id| !id.is_null()).or(own_id);
    let id = ToolCallId::new(blocks.notes.required_text(id, "call_id"));
    match kind {
        "function_call" => {
            let name = blocks.notes.required_text(name, "name");
            let name = match blocks.notes.text(namespace, "namespace").filter(|it| !it.is_empty()) {
                Some(namespace) => Cow::Owned(format!("{}__{name}", namespace.trim_end_matches('_'))),
                None => name,
            };
            let (mut call, text) = with_arguments(id, &name, arguments, blocks);
            // Codex takes such a command for the tool: it edits, and what it wrote stays.
            if call.program.as_deref() == Some("apply_patch") {
                call.name = "apply_patch".into();
            }
            (call, text)
        }
        "custom_tool_call" => {
            let name = blocks.notes.required_text(name, "name");
            let input = blocks.notes.required_text(input, "input");
            // The input is text of the tool's own, and no JSON even where it looks like it.
            let (call, mut text) = call_of(id, &name, None);
            text.push_str(&input);
            (call, text)
        }
        "local_shell_call" => call_of(id, "local_shell", action),
        _ => with_arguments(id, "tool_search", arguments, blocks),
    }
}

/// Arguments are JSON in a string; those of some tools are JSON.
fn with_arguments(
    id: ToolCallId,
    name: &str,
    arguments: Option<Value<'_>>,
    blocks: &mut Blocks<'_, '_>,
) -> (ToolCall, String) {
    match arguments {
        Some(arguments) if arguments.kind() == Kind::Object => call_of(id, name, Some(arguments)),
        arguments => call_of_text(id, name, &blocks.notes.required_text(arguments, "arguments")),
    }
}

/// Reads a tool that the provider runs within the reply: a call, and an answer of which the log holds
/// nothing but a picture.
fn run_by_provider(item: Value<'_>, kind: &str, first: u32, notes: &mut Notes<'_>) -> Read {
    let mut blocks = Blocks::new(first, notes);
    let [id, action, prompt, result, status] =
        item.fields(["id", "action", "revised_prompt", "result", "status"]);
    let own = blocks.notes.text(id, "id").filter(|id| !id.is_empty());
    let id = match own {
        Some(id) => ToolCallId::new(id),
        None => ToolCallId::new(format!("{}:{}", blocks.notes.entry(), blocks.next)),
    };
    let (call, mut text) = call_of(id.clone(), kind, None);
    if let Some(said) = action.or(prompt).filter(|said| !said.is_null()) {
        text.push_str(&js_json(said.raw()));
    }
    blocks.push(BlockKind::Call(call), text, whole(item));
    let images = u32::from(result.is_some_and(|result| result.kind() == Kind::Text));
    let ok = status.and_then(Value::text).is_none_or(|status| status.value != "failed");
    let next = blocks.next;
    let read = blocks.into_message(Frame::plain(Role::Assistant, Author::Model));
    let result = BlockKind::Result(ToolResult { call: id, name: None, ok, mark: None });
    let mut blocks = Blocks::new(next, notes);
    blocks.push_with_images(result, images, String::new(), RawPayload::default());
    let answer = blocks.into_message(Frame::plain(Role::Tool, Author::Tool));
    done(read, Origin::Model { is_call: false }, Some(answer))
}

/// Reads what came out of a tool that Codex ran: one block whatever its parts.
fn answered(item: Value<'_>, failures: &mut Failures, blocks: &mut Blocks<'_, '_>) -> (Frame, Origin) {
    let [id, name, output] = item.fields(["call_id", "name", "output"]);
    let id = blocks.notes.required_text(id, "call_id");
    let name = blocks.notes.text(name, "name").map(|name| name.into());
    let read = read_output(output, &id, failures, blocks);
    let result = ToolResult { call: ToolCallId::new(id), name, ok: read.ok, mark: None };
    blocks.push_with_images(BlockKind::Result(result), read.images, read.text, read.raw);
    (Frame::plain(Role::Tool, Author::Tool), Origin::Output)
}

/// Reads the tools that a search for tools found.
fn found_tools(item: Value<'_>, blocks: &mut Blocks<'_, '_>) -> (Frame, Origin) {
    let [id, tools] = item.fields(["call_id", "tools"]);
    let call = ToolCallId::new(blocks.notes.required_text(id, "call_id"));
    let text = tools.map(|tools| js_json(tools.raw())).unwrap_or_default();
    let result = ToolResult { call, name: None, ok: true, mark: None };
    blocks.push(BlockKind::Result(result), text, whole(item));
    (Frame::plain(Role::Tool, Author::Tool), Origin::Output)
}
