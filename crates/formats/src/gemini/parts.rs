use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cwl_engine::{BlockKind, Content, ContentBlock, RawPayload, ToolCallId, ToolResult};

use super::version::CallAnswer;
use crate::blocks::{Blocks, MAX_PARTS, call_of};
use crate::content::ResultParts;
use crate::content::gemini::{is_image, response_of};
use crate::json::{Value, owned};
use crate::notes::Notes;
use crate::payload::{around_text, whole_payload};
use crate::words::words_in;

/// The calls in a message's `toolCalls`, and the ids of those also among its parts.
#[derive(Default)]
pub(super) struct Functions<'a> {
    listed: Vec<Value<'a>>,
    ids: BTreeSet<String>,
    /// Listed ids by name and arguments, for parts without an id; built on first use.
    by_text: Option<BTreeMap<String, VecDeque<String>>>,
}

impl<'a> Functions<'a> {
    pub(super) fn new(listed: Option<Value<'a>>) -> Self {
        let listed = listed.into_iter().flat_map(Value::items).take(MAX_PARTS as usize).collect();
        Self { listed, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    pub(super) fn name(&mut self, id: &str, text: &str) -> String {
        let id = if id.is_empty() { self.id_of(text).unwrap_or_default() } else { id.to_owned() };
        self.ids.insert(id.clone());
        id
    }

    fn id_of(&mut self, text: &str) -> Option<String> {
        let listed = &self.listed;
        let by_text = self.by_text.get_or_insert_with(|| {
            let mut by_text: BTreeMap<String, VecDeque<String>> = BTreeMap::new();
            for record in listed {
                let [id, name, arguments] = record.fields(["id", "name", "args"]);
                let (id, name) = (owned(id).unwrap_or_default(), owned(name).unwrap_or_default());
                let (_, text) = call_of(ToolCallId::new(id.as_str()), &name, arguments);
                by_text.entry(text).or_default().push_back(id);
            }
            by_text
        });
        by_text.get_mut(text)?.pop_front()
    }
}

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
        blocks.push(BlockKind::Reasoning, joined, whole_payload(thought));
    }
}

pub(super) fn push_tool_results(
    blocks: &mut Blocks<'_, '_>,
    functions: &mut Functions<'_>,
) -> Vec<CallAnswer> {
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
            // The record also holds the result, which keeps its own JSON.
            blocks.push(BlockKind::Call(call), text, RawPayload::default());
        }
        let Some(result) = result.filter(|result| !result.is_null()) else { continue };
        let ok = !matches!(&*status, "error" | "cancelled");
        let mut read = ResultParts::default();
        match result.list() {
            Some(parts) => {
                parts.items().take(MAX_PARTS as usize).for_each(|part| read.returned(part, blocks.notes))
            }
            None => read.returned(result, blocks.notes),
        }
        let answer = ToolResult { call: id, name: Some((&*name).into()), ok, mark: None };
        answers.push(CallAnswer::from_part(index, answer, read, result));
    }
    answers
}

pub(crate) fn push_responses(parts: &[Value<'_>], notes: &mut Notes<'_>) -> Vec<CallAnswer> {
    let mut answers: Vec<CallAnswer> = Vec::new();
    for (index, part) in (0..MAX_PARTS).zip(parts) {
        let Some(response) = response_of(*part) else {
            // A result's images stand behind it.
            if let Some(last) = answers.last_mut() {
                last.block.images += u32::from(is_image(*part));
            }
            continue;
        };
        let [id, name] = response.fields(["id", "name"]);
        let call = ToolCallId::new(notes.required_text(id, "functionResponse.id"));
        let name = notes.text(name, "functionResponse.name").map(|name| name.into());
        let mut read = ResultParts::default();
        read.response(response, notes);
        let answer = ToolResult { call, name, ok: !read.failed, mark: None };
        answers.push(CallAnswer::from_part(index, answer, read, *part));
    }
    answers
}

impl CallAnswer {
    fn from_part(index: u32, answer: ToolResult, read: ResultParts<'_>, part: Value<'_>) -> Self {
        let holds = words_in(&read.text, answer.ok);
        let block = ContentBlock { index, kind: BlockKind::Result(answer), images: read.images, holds };
        Self { block, content: Content { raw: around_text(part, read.only), text: read.text } }
    }
}
