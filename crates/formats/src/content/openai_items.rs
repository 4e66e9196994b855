//! Items of the OpenAI Responses API, in requests and in Codex's rollouts.
//!
//! `render/openai_responses.rs` writes them.

use std::borrow::Cow;

use cwl_engine::{BlockKind, Content, ProblemKind, ToolCall, ToolCallId, ToolResult};

use crate::blocks::{Blocks, call_of, call_of_free_text, call_of_text};
use crate::json::{JsonType, Value, js_json};
use crate::payload::{around_text, whole_payload};

/// Calls run by the provider; the item includes the result.
pub(crate) const SERVED_CALLS: [&str; 5] =
    ["web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"];
/// Histories compacted and encrypted by the provider, which may stand anywhere.
pub(crate) const COMPACTIONS: [&str; 3] = ["compaction", "compaction_summary", "context_compaction"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Message,
    Reasoning,
    /// Run by the client.
    Call,
    /// Run by the provider within the reply.
    ServedCall,
    Output,
    Compaction,
    Other,
}

impl ItemKind {
    pub(crate) fn parse(kind: &str) -> Self {
        match kind {
            "message" => Self::Message,
            "reasoning" => Self::Reasoning,
            "function_call" | "custom_tool_call" | "local_shell_call" | "shell_call" | "apply_patch_call"
            | "computer_call" | "tool_search_call" => Self::Call,
            served if SERVED_CALLS.contains(&served) => Self::ServedCall,
            output if output.ends_with("_output") => Self::Output,
            compaction if COMPACTIONS.contains(&compaction) => Self::Compaction,
            _ => Self::Other,
        }
    }
}

pub(crate) fn push_message_part(blocks: &mut Blocks<'_, '_>, part: Value<'_>) {
    if part.kind() == JsonType::Text {
        return blocks.push_text(BlockKind::Text, part, Some(part), "content");
    }
    let [kind, text, refusal] = part.fields(["type", "text", "refusal"]);
    match kind.and_then(Value::string).as_deref() {
        Some("input_text" | "output_text" | "text" | "summary_text") => {
            blocks.push_text(BlockKind::Text, part, text, "text");
        }
        Some("refusal") => blocks.push_text(BlockKind::Text, part, refusal, "refusal"),
        Some("input_image") => blocks.push_image(part),
        Some("input_file") => blocks.push_opaque(part),
        _ => blocks.push_unknown(part),
    }
}

pub(crate) fn push_item(blocks: &mut Blocks<'_, '_>, kind: &str, item: Value<'_>) {
    match ItemKind::parse(kind) {
        ItemKind::Reasoning => push_reasoning(blocks, item),
        ItemKind::Call => {
            let call = read_call(blocks, kind, item);
            blocks.push_call(call, item);
        }
        ItemKind::Compaction => {
            blocks.notes.note(ProblemKind::UnreadableSummary);
            blocks.push_opaque(item);
        }
        // Definitions of tools that the provider fetched from an MCP server.
        _ if kind == "mcp_list_tools" => blocks.push_opaque(item),
        _ => blocks.push_unknown(item),
    }
}

/// Adds the readable parts of reasoning, usually a summary; the encrypted rest has zero tokens.
fn push_reasoning(blocks: &mut Blocks<'_, '_>, item: Value<'_>) {
    let lists = item.fields(["summary", "content"]);
    for (list, name) in lists.into_iter().zip(["summary", "content"]) {
        if list.is_some_and(|list| !matches!(list.kind(), JsonType::List | JsonType::Null)) {
            blocks.notes.odd(name);
        }
    }
    let texts: Vec<Option<Value<'_>>> =
        lists.into_iter().flatten().flat_map(Value::items).map(|part| part.get("text")).collect();
    let decoded: Vec<_> = texts.iter().map(|text| blocks.notes.required_text(*text, "text")).collect();
    let only = if let [only] = texts[..] { only } else { None };
    blocks.push(BlockKind::Reasoning, decoded.join("\n\n"), around_text(item, only));
}

fn read_call(blocks: &mut Blocks<'_, '_>, kind: &str, item: Value<'_>) -> (ToolCall, String) {
    let [id, own_id, name, namespace, arguments, input, action, operation] =
        item.fields(["call_id", "id", "name", "namespace", "arguments", "input", "action", "operation"]);
    let id = id.filter(|id| !id.is_null()).or(own_id);
    let id = ToolCallId::new(blocks.notes.required_text(id, "call_id"));
    match kind {
        "function_call" => {
            let name = blocks.notes.required_text(name, "name");
            let name = match blocks.notes.text(namespace, "namespace").filter(|it| !it.is_empty()) {
                Some(namespace) => Cow::Owned(format!("{}__{name}", namespace.trim_end_matches('_'))),
                None => name,
            };
            let (mut call, text) = with_arguments(blocks, id, &name, arguments);
            // A shell command `apply_patch` is an edit: its text must stay like the tool's.
            if call.program.as_deref() == Some("apply_patch") {
                call.name = "apply_patch".into();
            }
            (call, text)
        }
        "custom_tool_call" => {
            let name = blocks.notes.required_text(name, "name");
            call_of_free_text(id, &name, &blocks.notes.required_text(input, "input"))
        }
        "tool_search_call" => with_arguments(blocks, id, "tool_search", arguments),
        kind => call_of(id, kind.strip_suffix("_call").unwrap_or(kind), action.or(operation)),
    }
}

fn with_arguments(
    blocks: &mut Blocks<'_, '_>,
    id: ToolCallId,
    name: &str,
    arguments: Option<Value<'_>>,
) -> (ToolCall, String) {
    match arguments {
        Some(arguments) if arguments.kind() == JsonType::Object => call_of(id, name, Some(arguments)),
        arguments => call_of_text(id, name, &blocks.notes.required_text(arguments, "arguments")),
    }
}

/// Adds a call run by the provider; returns its result and number of images, all that the model saw of it.
///
/// `or_id` is the id of a call without one.
pub(crate) fn push_served_call(
    blocks: &mut Blocks<'_, '_>,
    kind: &str,
    item: Value<'_>,
    or_id: &str,
) -> (ToolResult, u32) {
    let [id, status, result] = item.fields(["id", "status", "result"]);
    let id = blocks.notes.text(id, "id").filter(|id| !id.is_empty()).unwrap_or(Cow::Borrowed(or_id));
    let id = ToolCallId::new(id);
    let asked = item.fields(["action", "queries", "code", "arguments", "revised_prompt"]);
    let asked = asked.into_iter().flatten().find(|asked| !asked.is_null());
    let asked = asked.map(|asked| js_json(asked.raw())).unwrap_or_default();
    blocks.push_call(call_of_free_text(id.clone(), kind, &asked), item);
    let ok = status.and_then(Value::string).is_none_or(|status| status != "failed");
    let images = u32::from(result.is_some_and(|result| result.kind() == JsonType::Text));
    (ToolResult { call: id, name: None, ok, mark: None }, images)
}

/// Adds a call's output.
///
/// `did_work` returns whether the tool succeeded, from the call's id and the output's text; only old rollouts
/// state this in the item.
pub(crate) fn push_output(
    blocks: &mut Blocks<'_, '_>,
    kind: &str,
    item: Value<'_>,
    did_work: impl FnOnce(&str, &str) -> bool,
) {
    let [call, name, output, tools] = item.fields(["call_id", "name", "output", "tools"]);
    let call = blocks.notes.required_text(call, "call_id");
    let name = blocks.notes.text(name, "name").map(Into::into);
    let mut result = ToolResult { call: ToolCallId::new(&*call), name, ok: true, mark: None };
    if kind == "tool_search_output" {
        let text = tools.map(|tools| js_json(tools.raw())).unwrap_or_default();
        return blocks.push(BlockKind::Result(result), text, whole_payload(item));
    }
    let Some(output) = output else {
        blocks.notes.odd("output");
        result.ok = did_work(&call, "");
        return blocks.push_result(result, item, None, "output");
    };
    let [content, success] = output.fields(["content", "success"]);
    let content = content.filter(|content| content.kind() == JsonType::Text);
    let holder = content.map(|_| output);
    let (images, Content { text, raw }) =
        super::result_content(content.or(Some(output)), holder, "output", blocks);
    let failed = success.is_some_and(|success| success.kind() == JsonType::Bool(false));
    result.ok = did_work(&call, &text) && !failed;
    blocks.push_with_images(BlockKind::Result(result), images, text, raw);
}
