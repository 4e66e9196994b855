//! SWE-agent (`.traj`): one document with the history and the steps.
//!
//! The history holds all messages unchanged. A request may have held fewer: a step may store its own messages
//! (`query`, in older versions `messages`), the exact context of its reply.

use cwl_engine::{
    Author, BlockKind, EventBody, Header, MessageForm, ProblemKind, RawPayload, Role, ToolCallId, ToolResult,
};

use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::blocks::plain_message;
use crate::bodies::chat;
use crate::bodies::history::BodyHistory;
use crate::bodies::item::{Item, Scribe};
use crate::bodies::parts::{PartRun, items_of};
use crate::content::anthropic::push_part;
use crate::document::DocumentLines;
use crate::json::{JsonType, Value, owned};
use crate::payload::payload_around;

/// Returns true if `document`, which may be cut at its end, is a trajectory.
pub(crate) fn is_document(document: Value<'_>) -> bool {
    let [steps, history] = document.fields(["trajectory", "history"]);
    let is_step = |step: Value<'_>| {
        let [action, response, thought, observation] =
            step.fields(["action", "response", "thought", "observation"]);
        action.is_some() && response.or(thought).or(observation).is_some()
    };
    match steps.and_then(Value::list) {
        Some(steps) => steps.items().next().map_or(history.is_some(), is_step),
        None => false,
    }
}

#[derive(Clone, Default)]
pub(crate) struct Swe {
    history: BodyHistory,
}

impl Adapter for Swe {
    fn record(&mut self, document: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let scribe = Scribe::new(at);
        let [steps, history] = document.fields(["trajectory", "history"]);
        let header = Header { cwd: working_folder(steps), ..Header::default() };
        out.events.push(scribe.make_event("header", EventBody::Header(header), RawPayload::default()));
        let lines = DocumentLines::new(document, at.line);
        let steps: Vec<Value<'_>> = steps.into_iter().flat_map(Value::items).collect();
        match history.and_then(Value::list) {
            Some(history) => self.add_messages(history, &steps, lines, &scribe, out),
            None => self.bare_steps(&steps, lines, &scribe, out),
        }
    }
}

impl Swe {
    fn add_messages(
        &mut self,
        history: Value<'_>,
        steps: &[Value<'_>],
        mut lines: DocumentLines<'_>,
        scribe: &Scribe,
        out: &mut Batch,
    ) {
        let mut next_step = 0;
        let mut has_begun = false;
        for (nth, message) in history.items().enumerate() {
            let scribe = &scribe.on_line(lines.line_of(message));
            let is_reply = message.text_of("role") == "assistant" && !is_demonstration(message);
            if is_reply {
                has_begun = true;
                if let Some((at, step)) = step_of(message, steps, next_step) {
                    next_step = at + 1;
                    self.take_query(step, at, scribe, out);
                }
            }
            let items = message_items(message, &format!("{nth}"), has_begun, scribe, out);
            self.history.append_items(items, out);
        }
    }

    fn take_query(&mut self, step: Value<'_>, at: usize, scribe: &Scribe, out: &mut Batch) {
        let [query, messages] = step.fields(["query", "messages"]);
        let Some(sent) = query.or(messages).and_then(Value::list) else { return };
        let mut items = Vec::new();
        let mut has_begun = false;
        for (nth, message) in sent.items().enumerate() {
            has_begun |= message.text_of("role") == "assistant";
            items.extend(message_items(message, &format!("step-{at}.{nth}"), has_begun, scribe, out));
        }
        self.history.advance_to(items, scribe, out);
    }

    fn bare_steps(
        &mut self,
        steps: &[Value<'_>],
        mut lines: DocumentLines<'_>,
        scribe: &Scribe,
        out: &mut Batch,
    ) {
        for (nth, step) in steps.iter().enumerate() {
            let scribe = &scribe.on_line(lines.line_of(*step));
            self.take_query(*step, nth, scribe, out);
            let [response, observation] = step.fields(["response", "observation"]);
            for (place, run, text) in
                [("response", PartRun::Reply, response), ("observation", PartRun::Injected, observation)]
            {
                let parts =
                    text.filter(|text| text.kind() == JsonType::Text).into_iter().map(|text| (run, text));
                let place = format!("{nth}/{place}");
                let mut items = items_of(scribe, &place, &RawPayload::default(), parts, |blocks, _, text| {
                    blocks.push_text(BlockKind::Text, text, Some(text), "text");
                });
                if run == PartRun::Injected {
                    items.iter_mut().for_each(|item| item.read.message.author = Author::Tool);
                }
                self.history.append_items(items, out);
            }
        }
    }
}

fn step_of<'a>(message: Value<'_>, steps: &[Value<'a>], from: usize) -> Option<(usize, Value<'a>)> {
    let content = message.text_of("content");
    let is_own = |step: &Value<'a>| step.text_of("response") == content;
    let at = match steps.get(from) {
        Some(step) if is_own(step) => from,
        // A repeated request has no step of its own.
        _ => (from..steps.len()).take(4).find(|at| is_own(&steps[*at]))?,
    };
    Some((at, steps[at]))
}

fn working_folder(steps: Option<Value<'_>>) -> Option<Box<str>> {
    let state = steps?.items().next()?.get("state")?;
    let folder = match state.string() {
        // Older versions store the state as JSON in a string.
        Some(json) => owned(Value::trusted(&json, 0).get("working_dir")),
        None => owned(state.get("working_dir")),
    };
    folder.filter(|folder| !folder.is_empty()).map(Into::into)
}

fn is_demonstration(message: Value<'_>) -> bool {
    message.get("is_demo").is_some_and(Value::is_true) || message.text_of("message_type") == "demonstration"
}

fn message_items(
    message: Value<'_>,
    place: &str,
    has_begun: bool,
    scribe: &Scribe,
    out: &mut Batch,
) -> Vec<Item> {
    let role = message.text_of("role");
    let [content, calls, thinking] = message.fields(["content", "tool_call_ids", "thinking_blocks"]);
    if role == "tool" {
        let item = scribe.make_item(place, 0, |blocks| {
            let call = calls.and_then(|calls| calls.items().next()).or(calls);
            let call = ToolCallId::new(blocks.notes.text(call, "tool_call_ids").unwrap_or_default());
            let result = ToolResult { call, name: None, ok: true, mark: None };
            blocks.push_result(result, message, content, "content");
            plain_message(Role::Tool, Author::Tool)
        });
        return vec![Item { envelope: payload_around(message, content), ..item }];
    }
    let mut items = chat::message_items(message, place, scribe, &mut out.problems);
    if is_demonstration(message) {
        for item in &mut items {
            // A demonstration is in the context, but is not a turn of this session.
            let row = &mut item.read.message;
            (row.role, row.author, row.reply) = (Role::User, Author::Harness, None);
            row.form = MessageForm::Custom { name: "demonstration".into() };
            item.problems.retain(|problem| problem.kind != ProblemKind::UnsureAuthor);
        }
    }
    // Anthropic's thinking blocks, passed on by LiteLLM.
    let thoughts = thinking.into_iter().flat_map(Value::items).map(|part| (PartRun::Reasoning, part));
    let own = format!("{place}/thinking");
    let thoughts = items_of(scribe, &own, &RawPayload::default(), thoughts, |blocks, _, part| {
        push_part(blocks, part);
    });
    if role == "user" {
        items.iter_mut().for_each(|item| tell_author(item, message, has_begun));
    }
    let reply = Some(scribe.reply_at(place));
    thoughts.into_iter().map(|item| item.of_reply(reply.clone())).chain(items).collect()
}

/// Sets the author of a `user` text: the first observation is the task, later ones are the tool's.
fn tell_author(item: &mut Item, message: Value<'_>, has_begun: bool) {
    let row = &mut item.read.message;
    let is_observation = message.text_of("message_type") == "observation";
    row.author = match (is_observation, has_begun) {
        _ if row.form != MessageForm::Plain => return,
        (_, false) => Author::Human,
        (true, true) => Author::Tool,
        (false, true) => return,
    };
    item.problems.retain(|problem| problem.kind != ProblemKind::UnsureAuthor);
}
