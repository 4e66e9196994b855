use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;

use cwl_engine::{
    Author, BlockKind, Compaction, Content, ContentBlock, EntryId, EventBody, Keep, Message, MessageForm,
    Problem, ProblemKind, RawPayload, Role, ToolCallId, Usage,
};

use super::parts::{Functions, push_responses, push_thoughts, push_tool_results};
use crate::adapter::RecordPlace;
use crate::blocks::{Blocks, MAX_PARTS, ReadMessage, formed_message, hash_block, plain_message};
use crate::content::gemini::{push_part, response_of};
use crate::json::{JsonType, Value, owned};
use crate::known::{lists_of, names_of};
use crate::notes::Notes;
use crate::payload::payload_around;
use crate::time::iso_time;
use crate::usage::{count_paths, counts_in, usage_with_cache};

pub(super) struct MessageVersion {
    /// The message's id, or one made from the line.
    pub(super) id: String,
    pub(super) at_ms: Option<i64>,
    pub(super) said: VersionContent,
    pub(super) envelope: RawPayload,
    pub(super) problems: Vec<Problem>,
}

pub(super) enum VersionContent {
    User(Vec<ReadMessage>),
    Model {
        reply: ReadMessage,
        results: Vec<CallAnswer>,
    },
    /// Only results; their calls' record also holds them.
    Results(Vec<CallAnswer>),
    /// Not seen by the model: shown to the human only, or an unknown type.
    Aside(EventBody),
}

pub(crate) struct CallAnswer {
    pub(super) block: ContentBlock,
    pub(super) content: Content,
}

impl CallAnswer {
    pub(super) fn call(&self) -> Option<&ToolCallId> {
        if let BlockKind::Result(result) = &self.block.kind { Some(&result.call) } else { None }
    }

    pub(super) fn key(&self) -> u64 {
        key_of(&self.block, &self.content)
    }
}

pub(super) fn key_of(block: &ContentBlock, content: &Content) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash_block(block, content, &mut hasher);
    hasher.finish()
}

impl MessageVersion {
    /// A subagent's recording has no human author.
    pub(super) fn read(record: Value<'_>, is_subagent: bool, at: RecordPlace) -> Self {
        let [id, time, kind, content] = record.fields(["id", "timestamp", "type", "content"]);
        let mut problems = Vec::new();
        let own = owned(id).filter(|id| !id.is_empty());
        let id = own.unwrap_or_else(|| at.entry().as_str().to_owned());
        let mut notes = Notes::new(at.line, EntryId::new(id.as_str()), &mut problems);
        let at_ms = time.and_then(iso_time);
        if at_ms.is_none() {
            notes.odd("timestamp");
        }
        let kind = notes.required_text(kind, "type");
        let mut envelope = payload_around(record, content);
        let said = match &*kind {
            "user" => read_user(content, is_subagent, &mut notes),
            "gemini" => {
                let (said, has_calls) = read_reply(record, content, &id, &mut notes);
                if has_calls {
                    // Calls and results keep their own JSON; the envelope would repeat it.
                    envelope = RawPayload::default();
                }
                said
            }
            "info" if is_compression(content) => {
                notes.note(ProblemKind::UnnamedKeep);
                VersionContent::Aside(EventBody::Compaction(Compaction {
                    summary: None,
                    keep: Keep::Nothing,
                    tokens_before: None,
                }))
            }
            "info" | "error" | "warning" => VersionContent::Aside(EventBody::Quiet { record: kind.into() }),
            unknown => VersionContent::Aside(notes.unknown(format!("message/{unknown}"))),
        };
        Self { id, at_ms, said, envelope, problems }
    }

    pub(super) fn is_snapshot(&self) -> bool {
        let is_summary = |run: &ReadMessage| run.message.form == MessageForm::Summary;
        matches!(&self.said, VersionContent::User(runs) if runs.iter().any(is_summary))
    }

    pub(super) fn is_bare_reply(&self) -> bool {
        let is_call = |block: &ContentBlock| matches!(block.kind, BlockKind::Call(_));
        matches!(&self.said, VersionContent::Model { reply, .. } if !reply.message.blocks.iter().any(is_call))
    }
}

/// Form of results that a resumed session sends a second time.
pub(crate) const SENT_AGAIN: &str = "results, sent again";
const SNAPSHOT: &str = "<state_snapshot>";
const SHELL: &str = "I ran the following shell command:\n```sh\n";
/// Begins the files named by the human, which fill the rest of the message.
const FILES: &str = "--- Content from referenced files ---";

fn read_user(content: Option<Value<'_>>, is_subagent: bool, notes: &mut Notes<'_>) -> VersionContent {
    let parts: Vec<Value<'_>> = parts_of(content);
    if parts.iter().any(|part| response_of(*part).is_some()) {
        return VersionContent::Results(push_responses(&parts, notes));
    }
    let mut runs: Vec<ReadMessage> = Vec::new();
    let mut files = false;
    for (index, part) in (0..MAX_PARTS).zip(parts) {
        let text = part.string().or_else(|| part.get("text")?.string()).unwrap_or_default();
        let text = text.trim_start();
        files |= text.starts_with(FILES);
        let (author, form) = if files {
            (Author::Harness, MessageForm::Custom { name: "referenced files".into() })
        } else {
            voice_of(text, is_subagent)
        };
        let mut blocks = Blocks::new(index, notes);
        push_part(&mut blocks, part, |id, _| id.to_owned());
        let read = blocks.into_message(formed_message(Role::User, author, form));
        let is_same = |run: &&mut ReadMessage| {
            (run.message.author, &run.message.form) == (read.message.author, &read.message.form)
        };
        match runs.last_mut().filter(is_same) {
            Some(run) => run.append_message(read),
            None => runs.push(read),
        }
    }
    runs.retain(|run| !run.message.blocks.is_empty());
    VersionContent::User(runs)
}

fn voice_of(text: &str, is_subagent: bool) -> (Author, MessageForm) {
    if text.starts_with(SNAPSHOT) {
        return (Author::Harness, MessageForm::Summary);
    }
    if let Some(name) = injected_as("gemini-cli-injected", text) {
        return (Author::Harness, MessageForm::Custom { name: name.into() });
    }
    if text.starts_with(SHELL) {
        return (Author::Human, MessageForm::HumanShell { excluded: false });
    }
    (if is_subagent { Author::Harness } else { Author::Human }, MessageForm::Plain)
}

pub(crate) fn injected_as(section: &str, text: &str) -> Option<&'static str> {
    let is_marked = |marks: &[String]| marks.iter().any(|mark| text.starts_with(mark));
    lists_of(section).find(|(_, marks)| is_marked(marks)).map(|(name, _)| name)
}

fn parts_of(content: Option<Value<'_>>) -> Vec<Value<'_>> {
    match content.map(|content| (content, content.kind())) {
        Some((content, JsonType::List)) => content.items().take(MAX_PARTS as usize).collect(),
        Some((content, JsonType::Text)) if content.string_body() == Some("") => Vec::new(),
        Some((content, JsonType::Text | JsonType::Object)) => vec![content],
        _ => Vec::new(),
    }
}

fn read_reply(
    record: Value<'_>,
    content: Option<Value<'_>>,
    id: &str,
    notes: &mut Notes<'_>,
) -> (VersionContent, bool) {
    let [thoughts, calls, tokens, model] = record.fields(["thoughts", "toolCalls", "tokens", "model"]);
    let mut functions = Functions::new(calls);
    let has_calls = !functions.is_empty();
    let mut blocks = Blocks::new(0, notes);
    push_thoughts(&mut blocks, thoughts);
    for part in parts_of(content) {
        push_part(&mut blocks, part, |id, text| functions.name(id, text));
    }
    let results = push_tool_results(&mut blocks, &mut functions);
    let model = blocks.notes.text(model, "model").map(|model| Arc::from(&*model));
    let usage = read_usage(tokens, blocks.notes);
    let frame =
        Message { model, usage, reply: Some(id.into()), ..plain_message(Role::Assistant, Author::Model) };
    (VersionContent::Model { reply: blocks.into_message(frame), results }, has_calls)
}

/// `input` includes cached tokens.
fn read_usage(tokens: Option<Value<'_>>, notes: &mut Notes<'_>) -> Option<Usage> {
    let tokens = counts_in(tokens, "tokens", notes)?;
    let paths = ["tokens.input", "tokens.output", "tokens.cached", "tokens.thoughts", "tokens.tool"];
    let [input, output, cached, thoughts, tool] = count_paths(tokens, paths, notes);
    let usage = usage_with_cache(input, cached, output.saturating_add(thoughts), thoughts);
    // Results of the provider's own tools are billed as another prompt.
    Some(Usage { beside_input: tool, ..usage })
}

/// Older versions log a compression only in a note to the user.
fn is_compression(content: Option<Value<'_>>) -> bool {
    let Some(said) = content.and_then(Value::string) else { return false };
    names_of("gemini-cli-notes.compressed").iter().any(|beginning| said.starts_with(beginning.as_str()))
}

pub(crate) fn message_of(answers: Vec<CallAnswer>) -> ReadMessage {
    let (blocks, contents) = answers.into_iter().map(|answer| (answer.block, answer.content)).unzip();
    ReadMessage { message: Message { blocks, ..plain_message(Role::Tool, Author::Tool) }, contents }
}

/// Makes a message from results already sent. They become texts, because a call has only one result.
pub(super) fn repeat_of(answers: Vec<CallAnswer>) -> ReadMessage {
    let form = MessageForm::Custom { name: SENT_AGAIN.into() };
    let mut read = message_of(answers);
    for block in &mut read.message.blocks {
        block.kind = BlockKind::Text;
    }
    ReadMessage {
        message: Message { blocks: read.message.blocks, ..formed_message(Role::User, Author::Harness, form) },
        ..read
    }
}
