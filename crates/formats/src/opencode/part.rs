//! Parts of OpenCode's messages, where a call and its result are one part.

use std::collections::BTreeSet;

use cwl_engine::{
    Author, BlockKind, Content, ContentBlock, Holds, Message, MessageForm, RawPayload, Role, ToolCallId,
    ToolResult,
};

use crate::blocks::{Blocks, ReadMessage, call_of, formed_message, plain_message};
use crate::json::{JsonType, Value, owned};
use crate::payload::{around_text, whole_payload};
use crate::time::milliseconds_of;

const CLEARED: &str = "[Old tool result content cleared]";
const INTERRUPTED: &str = "[Tool execution was interrupted]";

/// Ids used so far; some providers reuse ids of calls.
#[derive(Clone, Default)]
pub(super) struct CallIds {
    used: BTreeSet<String>,
    messages: BTreeSet<String>,
    n_unnamed: u32,
}

impl CallIds {
    pub(super) fn unnamed(&mut self, line: u64) -> String {
        self.n_unnamed += 1;
        format!("L{line}.{}", self.n_unnamed)
    }

    pub(super) fn message(&mut self, id: String) -> String {
        let numbered = (2u32..).map(|number| format!("{id}#{number}"));
        let own = std::iter::once(id.clone()).chain(numbered).find(|own| !self.messages.contains(own));
        let own = own.unwrap_or(id);
        self.messages.insert(own.clone());
        own
    }

    fn assign(&mut self, call: &str, part: &str) -> ToolCallId {
        if !call.is_empty() && self.used.insert(call.to_owned()) {
            return ToolCallId::new(call);
        }
        let own = format!("{call}#{part}");
        self.used.insert(own.clone());
        ToolCallId::new(own)
    }
}

pub(super) struct ClearedResult {
    pub(super) at_ms: i64,
    pub(super) part: String,
    pub(super) call: ToolCallId,
    pub(super) message: Message,
    pub(super) content: Content,
}

pub(super) struct Outcome {
    part: String,
    index: u32,
    call: ToolCallId,
    name: String,
    /// The text the call is counted by.
    text: String,
    answer: Option<PartAnswer>,
    cleared_ms: Option<i64>,
    raw: RawPayload,
    command: Option<String>,
}

struct PartAnswer {
    text: String,
    images: u32,
    ok: bool,
}

impl Outcome {
    /// Returns call and result as one message: the human's shell command, or a subagent's run.
    pub(super) fn as_command(&self) -> ReadMessage {
        let output = self.answer.as_ref().map_or("", |answer| &answer.text);
        let (author, form, said) = match &self.command {
            Some(command) => (Author::Human, MessageForm::HumanShell { excluded: false }, command),
            None => (Author::Harness, MessageForm::Custom { name: self.name.as_str().into() }, &self.text),
        };
        let blocks = vec![ContentBlock {
            index: self.index,
            kind: BlockKind::Text,
            images: 0,
            holds: Holds::default(),
        }];
        let message = Message { blocks, ..formed_message(Role::User, author, form) };
        let content = Content { text: format!("{said}{output}"), raw: RawPayload::default() };
        ReadMessage { message, contents: vec![content] }
    }
}

pub(super) fn is_signed(part: Value<'_>) -> bool {
    let [kind, metadata] = part.fields(["type", "metadata"]);
    let signature = metadata.and_then(|told| told.get("anthropic")?.get("signature"));
    owned(kind).as_deref() == Some("reasoning") && signature.is_some_and(|signature| !signature.is_null())
}

/// Adds an empty text as a space, as version 1.18.33 sends it behind signed reasoning.
pub(super) fn push_blank(blocks: &mut Blocks<'_, '_>, part: Value<'_>) {
    blocks.push(BlockKind::Text, " ".to_owned(), around_text(part, part.get("text")));
}

/// Calls are read elsewhere, and some parts are never sent.
pub(super) fn push_sent(blocks: &mut Blocks<'_, '_>, part: Value<'_>, kind: &str) {
    let [text, ignored, mime] = part.fields(["text", "ignored", "mime"]);
    match kind {
        "text" | "reasoning" => {
            let is_ignored = ignored.is_some_and(Value::is_true);
            let decoded = blocks.notes.required_text(text, "parts.text").into_owned();
            let kind = if kind == "text" { BlockKind::Text } else { BlockKind::Reasoning };
            // Reasoning without text is encrypted, but sent.
            if !is_ignored && (!decoded.is_empty() || kind == BlockKind::Reasoning) {
                let is_reasoning = kind == BlockKind::Reasoning;
                blocks.push(kind, decoded, around_text(part, text));
                let mut told = part.get("metadata").into_iter().flat_map(Value::members);
                let is_anthropics = |told: Value<'_>| {
                    let [signature, redacted] = told.fields(["signature", "redactedData"]);
                    signature.or(redacted).and_then(Value::string).is_some_and(|one| !one.trim().is_empty())
                };
                if is_reasoning && told.any(|(_, told)| is_anthropics(told)) {
                    blocks.sign();
                }
                return;
            }
        }
        "file" => {
            let mime = blocks.notes.text(mime, "parts.mime").unwrap_or_default();
            // The harness adds the text of such files as separate parts.
            if mime.starts_with("image/") {
                return blocks.push_image(part);
            } else if mime != "text/plain" && mime != "application/x-directory" {
                return blocks.push_opaque(part);
            }
        }
        "step-start" | "step-finish" | "snapshot" | "patch" | "retry" | "agent" | "compaction"
        | "subtask" => {}
        _ => return blocks.push_unknown(part),
    }
    blocks.next = blocks.next.saturating_add(1);
}

/// A running reply's calls may have no result yet.
pub(super) fn push_call(
    blocks: &mut Blocks<'_, '_>,
    part: Value<'_>,
    ids: &mut CallIds,
    is_running: bool,
) -> Outcome {
    let [id, call, tool, state] = part.fields(["id", "callID", "tool", "state"]);
    let [status, input, output, error, metadata, time, attachments] = state.unwrap_or_default().fields([
        "status",
        "input",
        "output",
        "error",
        "metadata",
        "time",
        "attachments",
    ]);
    let notes = &mut *blocks.notes;
    let part_id = notes.text(id, "parts.id").unwrap_or_default().into_owned();
    let call = ids.assign(&notes.text(call, "parts.callID").unwrap_or_default(), &part_id);
    let name = notes.required_text(tool, "parts.tool").into_owned();
    let status = notes.required_text(status, "parts.state.status").into_owned();
    let (tool_call, text) = call_of(call.clone(), &name, input);
    let command = owned(input.filter(|_| name == "bash").and_then(|input| input.get("command")));
    let mut raw = RawPayload::default();
    let mut cleared_ms = None;
    let answer = match &*status {
        "completed" => {
            let text = notes.required_text(output, "parts.state.output").into_owned();
            raw = around_text(part, output);
            cleared_ms = time.and_then(|time| time.get("compacted")).and_then(milliseconds_of);
            Some(PartAnswer { text, images: n_images(attachments), ok: true })
        }
        "error" => {
            let [interrupted, partial] =
                metadata.map_or([None; 2], |it| it.fields(["interrupted", "output"]));
            let is_interrupted = interrupted.is_some_and(Value::is_true);
            let partial = partial.filter(|partial| is_interrupted && partial.kind() == JsonType::Text);
            raw = around_text(part, partial.or(error));
            let text = notes.required_text(partial.or(error), "parts.state.error").into_owned();
            Some(PartAnswer { text, images: 0, ok: partial.is_some() })
        }
        "pending" | "running" if is_running => None,
        "pending" | "running" => Some(PartAnswer { text: INTERRUPTED.into(), images: 0, ok: false }),
        _ => {
            notes.odd("parts.state.status");
            None
        }
    };
    let index = blocks.next;
    let own = if raw == RawPayload::default() { whole_payload(part) } else { RawPayload::default() };
    blocks.push(BlockKind::Call(tool_call), text.clone(), own);
    Outcome { part: part_id, index, call, name, text, answer, cleared_ms, raw, command }
}

pub(super) fn push_result(blocks: &mut Blocks<'_, '_>, outcome: Outcome) -> Option<ClearedResult> {
    let answer = outcome.answer?;
    let kind = BlockKind::Result(ToolResult {
        call: outcome.call.clone(),
        name: Some(outcome.name.as_str().into()),
        ok: answer.ok,
        mark: None,
    });
    blocks.next = outcome.index;
    blocks.push_with_images(kind.clone(), answer.images, answer.text, outcome.raw);
    let at_ms = outcome.cleared_ms?;
    let block = ContentBlock { index: outcome.index, kind, images: 0, holds: Holds::default() };
    let message = Message { blocks: vec![block], ..plain_message(Role::Tool, Author::Tool) };
    let content = Content { text: CLEARED.to_owned(), raw: RawPayload::default() };
    Some(ClearedResult { at_ms, part: outcome.part, call: outcome.call, message, content })
}

fn n_images(attachments: Option<Value<'_>>) -> u32 {
    let is_image = |attachment: &Value<'_>| attachment.text_of("mime").starts_with("image/");
    let n_images = attachments.into_iter().flat_map(Value::items).filter(is_image).count();
    u32::try_from(n_images).unwrap_or(u32::MAX)
}
