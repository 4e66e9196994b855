//! One step of a trajectory: a message, the calls in it, and what came back.

use cwl_engine::{
    Author, BlockKind, EventBody, ParsedEvent, Problem, ProblemKind, RawPayload, Role, ToolCallId,
    ToolResult, Usage,
};

use crate::blocks::{Blocks, Frame, MAX_PARTS, call_of};
use crate::bodies::item::{Item, Scribe};
use crate::bodies::parts::{
    ResultContent, parts_of, push_image, push_text_part, push_unknown, result_content, text_member,
    usage_with_cache,
};
use crate::json::{Kind, Value};
use crate::notes::Notes;
use crate::payload::whole;
use crate::time::time_of;

/// What a step is.
pub(super) enum Step {
    /// Its messages in order.
    Items { items: Vec<Item>, is_copied: bool },
    /// A step of a source that nobody knows.
    Unknown(Box<ParsedEvent>),
}

/// Reads a step; `nth` stands for an id that is missing.
pub(super) fn read_step(step: Value<'_>, nth: u64, scribe: &Scribe, problems: &mut Vec<Problem>) -> Step {
    let [id, copied, timestamp, observation, calls] =
        step.fields(["step_id", "is_copied_context", "timestamp", "observation", "tool_calls"]);
    // The position tells steps apart whose ids are the same.
    let stated = id.and_then(|id| id.raw().parse::<u64>().ok());
    let place = nth.to_string();
    if stated != Some(nth) {
        scribe.notes(&place, problems).odd("step_id");
    }
    let is_copied = scribe.notes(&place, problems).flag(copied, "is_copied_context");
    let source = text_member(step, "source");
    let frame = match source.as_str() {
        "system" => Frame::plain(Role::System, Author::Harness),
        "user" => Frame::plain(Role::User, Author::Human),
        "agent" => Frame::plain(Role::Assistant, Author::Model),
        unknown => {
            let record: Box<str> = format!("step/{unknown}").into();
            scribe.notes(&place, problems).note(ProblemKind::UnknownRecord { record: record.clone() });
            let event = scribe.outside(&place, EventBody::Opaque { record }, whole(step));
            return Step::Unknown(Box::new(event));
        }
    };
    let calls = calls.filter(|calls| calls.kind() == Kind::List);
    let at_ms = timestamp.filter(|timestamp| !timestamp.is_null()).and_then(|timestamp| {
        let time = time_of(timestamp);
        if time.is_none() {
            scribe.notes(&place, problems).odd("timestamp");
        }
        time
    });
    let is_agent = frame.role == Role::Assistant;
    let mut call_ids: Vec<ToolCallId> = Vec::new();
    let item = scribe.item(&place, 0, |blocks| message(step, calls, frame, &mut call_ids, blocks));
    let mut items = vec![Item { envelope: whole(step), ..item }];
    let results = observation.and_then(|observation| observation.fields(["results"])[0]);
    if let Some(results) = results.filter(|results| results.kind() == Kind::List) {
        items.extend(observed(results, &call_ids, is_agent, &place, scribe));
    }
    items.iter_mut().for_each(|item| item.at_ms = at_ms);
    Step::Items { items, is_copied }
}

fn message(
    step: Value<'_>,
    calls: Option<Value<'_>>,
    frame: Frame,
    call_ids: &mut Vec<ToolCallId>,
    blocks: &mut Blocks<'_, '_>,
) -> Frame {
    let [content, reasoning, metrics, model] =
        step.fields(["message", "reasoning_content", "metrics", "model_name"]);
    if let Some(reasoning) = reasoning.filter(|reasoning| !reasoning.is_null()) {
        push_text_part(blocks, BlockKind::Reasoning, reasoning, Some(reasoning), "reasoning_content");
    }
    let mut is_odd = content.is_none();
    let parts: Vec<Value<'_>> = parts_of(content, || is_odd = true).take(MAX_PARTS as usize).collect();
    if is_odd {
        blocks.notes.odd("message");
    }
    for part in parts {
        let [text] = part.fields(["text"]);
        match (part.kind(), text_member(part, "type").as_str()) {
            // An agent that only calls says nothing.
            (Kind::Text, _) if part.string_body() == Some("") => {}
            (Kind::Text, _) => push_text_part(blocks, BlockKind::Text, part, Some(part), "message"),
            (_, "text") => push_text_part(blocks, BlockKind::Text, part, text, "text"),
            (_, "image") => push_image(blocks, part),
            _ => push_unknown(blocks, part),
        }
    }
    for (_, call) in (0..MAX_PARTS).zip(calls.into_iter().flat_map(Value::items)) {
        let [id, name, arguments] = call.fields(["tool_call_id", "function_name", "arguments"]);
        let id = ToolCallId::new(blocks.notes.required_text(id, "tool_call_id"));
        let name = blocks.notes.required_text(name, "function_name");
        if arguments.is_none_or(|arguments| arguments.kind() != Kind::Object) {
            blocks.notes.odd("arguments");
        }
        call_ids.push(id.clone());
        let (row, text) = call_of(id, &name, arguments);
        blocks.push(BlockKind::Call(row), text, whole(call));
    }
    let model = blocks.notes.text(model, "model_name").map(Into::into);
    let usage = metrics.and_then(|metrics| read_usage(metrics, blocks.notes));
    if frame.role == Role::Assistant { Frame { model, usage, ..frame } } else { frame }
}

/// Reads the metrics of one request; the prompt's tokens include the cached ones.
fn read_usage(metrics: Value<'_>, notes: &mut Notes<'_>) -> Option<Usage> {
    let [prompt, completion, cached] =
        metrics.fields(["prompt_tokens", "completion_tokens", "cached_tokens"]);
    let prompt = notes.count(prompt, "metrics.prompt_tokens")?;
    let completion = notes.count(completion, "metrics.completion_tokens").unwrap_or(0);
    let cached = notes.count(cached, "metrics.cached_tokens").unwrap_or(0);
    Some(usage_with_cache(prompt, cached, completion))
}

/// Reads what came back of a step's calls.
///
/// A result that names its call answers it; of those that do not, the n-th answers the n-th call that is left.
/// Where there are fewer of them than calls, the last answers all of these: one screen after several
/// keystrokes. The other calls then have an empty result.
fn observed(
    results: Value<'_>,
    calls: &[ToolCallId],
    is_agent: bool,
    place: &str,
    scribe: &Scribe,
) -> Option<Item> {
    let results: Vec<Value<'_>> = results.items().take(MAX_PARTS as usize).collect();
    if results.is_empty() {
        return None;
    }
    if !is_agent || calls.is_empty() {
        return Some(scribe.item(format!("{place}/observation"), 0, |blocks| {
            for result in results {
                let [content] = result.fields(["content"]);
                let ResultContent { text, images, raw } = result_content(content, blocks.next, blocks.notes);
                blocks.push_with_images(BlockKind::Text, images, text, raw);
            }
            Frame::plain(Role::User, Author::Harness)
        }));
    }
    Some(scribe.item(format!("{place}/results"), 0, |blocks| {
        let named: Vec<Option<ToolCallId>> = results
            .iter()
            .map(|result| {
                let [id] = result.fields(["source_call_id"]);
                blocks.notes.text(id, "source_call_id").map(ToolCallId::new)
            })
            .collect();
        let known: std::collections::BTreeSet<&ToolCallId> = named.iter().flatten().collect();
        let mut left = calls.iter().filter(|call| !known.contains(call));
        let mut n_unnamed = named.iter().filter(|id| id.is_none()).count();
        let n_left = left.clone().count();
        let mut skipped = n_left.saturating_sub(n_unnamed);
        for (result, id) in results.iter().zip(&named) {
            let call = match id {
                Some(id) => id.clone(),
                None => {
                    if n_unnamed == 1 {
                        for call in left.by_ref().take(std::mem::take(&mut skipped)) {
                            push(blocks, call.clone(), None);
                        }
                    }
                    n_unnamed -= 1;
                    let [content] = result.fields(["content"]);
                    match left.next() {
                        Some(call) => call.clone(),
                        None if content.is_none_or(Value::is_null) => continue,
                        None => ToolCallId::new(format!("{place}/{}", blocks.next)),
                    }
                }
            };
            push(blocks, call, result.fields(["content"])[0]);
        }
        Frame::plain(Role::Tool, Author::Tool)
    }))
}

fn push(blocks: &mut Blocks<'_, '_>, call: ToolCallId, content: Option<Value<'_>>) {
    let ResultContent { text, images, raw } = match content {
        Some(_) => result_content(content, blocks.next, blocks.notes),
        None => ResultContent { text: String::new(), images: 0, raw: RawPayload::default() },
    };
    let result = ToolResult { call, name: None, ok: true, mark: None };
    blocks.push_with_images(BlockKind::Result(result), images, text, raw);
}
