//! SWE-agent (`.traj`): one document with the history and, beside it, its steps.
//!
//! The history holds every message as it was. What was sent may be less: where a step holds its request
//! (`query`, in older versions `messages`), that is the context of its reply, to the letter.

use cwl_engine::{Author, EventBody, Header, MessageForm, ProblemKind, RawPayload, Role};

use crate::blocks::Frame;
use crate::bodies::history::History;
use crate::bodies::item::{Item, Scribe};
use crate::bodies::parts::{Run, envelope, items_of, push_result, push_text_part, push_unknown, text_member};
use crate::bodies::{chat_message, history};
use crate::format::{Adapter, At};
use crate::json::{Kind, Value};
use crate::reader::Batch;

/// Tells whether a document, which may be cut at its end, is such a trajectory.
pub(crate) fn recognises(document: Value<'_>) -> bool {
    let [steps, history] = document.fields(["trajectory", "history"]);
    let is_step = |step: Value<'_>| {
        let [action, response, thought, observation] =
            step.fields(["action", "response", "thought", "observation"]);
        action.is_some() && response.or(thought).or(observation).is_some()
    };
    match steps.filter(|steps| steps.kind() == Kind::List) {
        Some(steps) => steps.items().next().map_or(history.is_some(), is_step),
        None => false,
    }
}

/// Makes a reader of documents.
pub(crate) fn adapter(_: u32, _: u64) -> Box<dyn Adapter> {
    Box::new(Swe { history: History::default() })
}

#[derive(Clone)]
struct Swe {
    history: history::History,
}

impl Adapter for Swe {
    fn record(&mut self, document: Value<'_>, at: At, out: &mut Batch) {
        let scribe = Scribe::new(at);
        let [steps, history] = document.fields(["trajectory", "history"]);
        let header = Header { cwd: working_folder(steps), ..Header::default() };
        out.events.push(scribe.outside("header", EventBody::Header(header), RawPayload::default()));
        let steps: Vec<Value<'_>> = steps.into_iter().flat_map(Value::items).collect();
        match history.filter(|history| history.kind() == Kind::List) {
            Some(history) => self.messages(history, &steps, &scribe, out),
            None => self.bare_steps(&steps, &scribe, out),
        }
    }

    fn pass_over(&mut self) {}

    fn resumable(&self) -> Option<(u32, u64)> {
        // A document is written whole, and anew when it changes.
        None
    }

    fn copy(&self) -> Box<dyn Adapter> {
        Box::new(self.clone())
    }
}

impl Swe {
    fn messages(&mut self, history: Value<'_>, steps: &[Value<'_>], scribe: &Scribe, out: &mut Batch) {
        let mut next_step = 0;
        let mut has_begun = false;
        for (nth, message) in history.items().enumerate() {
            let is_reply = text_member(message, "role") == "assistant" && !is_demonstration(message);
            if is_reply {
                has_begun = true;
                if let Some((at, step)) = step_of(message, steps, next_step) {
                    next_step = at + 1;
                    self.query(step, at, scribe, out);
                }
            }
            let items = message_items(message, &format!("{nth}"), has_begun, scribe, out);
            self.history.append(items, scribe, out);
        }
    }

    /// Takes what a step says was really sent.
    fn query(&mut self, step: Value<'_>, at: usize, scribe: &Scribe, out: &mut Batch) {
        let [query, messages] = step.fields(["query", "messages"]);
        let Some(sent) = query.or(messages).filter(|sent| sent.kind() == Kind::List) else { return };
        let mut items = Vec::new();
        let mut has_begun = false;
        for (nth, message) in sent.items().enumerate() {
            has_begun |= text_member(message, "role") == "assistant";
            items.extend(message_items(message, &format!("step-{at}.{nth}"), has_begun, scribe, out));
        }
        self.history.advance(items, scribe, out);
    }

    /// Reads a document that has nothing but its steps.
    fn bare_steps(&mut self, steps: &[Value<'_>], scribe: &Scribe, out: &mut Batch) {
        for (nth, step) in steps.iter().enumerate() {
            self.query(*step, nth, scribe, out);
            let [response, observation] = step.fields(["response", "observation"]);
            for (place, run, text) in
                [("response", Run::Reply, response), ("observation", Run::Injected, observation)]
            {
                let parts = text.filter(|text| text.kind() == Kind::Text).into_iter().map(|text| (run, text));
                let place = format!("{nth}/{place}");
                let mut items = items_of(scribe, &place, &RawPayload::default(), parts, |blocks, _, text| {
                    push_text_part(blocks, cwl_engine::BlockKind::Text, text, Some(text), "text");
                });
                if run == Run::Injected {
                    items.iter_mut().for_each(|item| item.read.message.author = Author::Tool);
                }
                self.history.append(items, scribe, out);
            }
        }
    }
}

/// Finds the step that a reply belongs to: the next whose response it is, else the next one.
fn step_of<'a>(message: Value<'_>, steps: &[Value<'a>], from: usize) -> Option<(usize, Value<'a>)> {
    let content = text_member(message, "content");
    let is_own = |step: &Value<'a>| text_member(*step, "response") == content;
    let at = match steps.get(from) {
        Some(step) if is_own(step) => from,
        // A reply that was asked for again has no step; only the next few are looked at.
        _ => (from..steps.len()).take(4).find(|at| is_own(&steps[*at]))?,
    };
    Some((at, steps[at]))
}

fn working_folder(steps: Option<Value<'_>>) -> Option<Box<str>> {
    let state = steps?.items().next()?.fields(["state"])[0]?;
    let folder = match state.kind() {
        // Older versions keep the state as JSON in a string.
        Kind::Text => text_member(Value::trusted(&state.text()?.value, 0), "working_dir"),
        _ => text_member(state, "working_dir"),
    };
    (!folder.is_empty()).then(|| folder.into())
}

fn is_demonstration(message: Value<'_>) -> bool {
    let [is_demo] = message.fields(["is_demo"]);
    is_demo.is_some_and(|is_demo| is_demo.kind() == Kind::Bool(true))
        || text_member(message, "message_type") == "demonstration"
}

fn message_items(
    message: Value<'_>,
    place: &str,
    has_begun: bool,
    scribe: &Scribe,
    out: &mut Batch,
) -> Vec<Item> {
    let role = text_member(message, "role");
    let [content, calls, thinking] = message.fields(["content", "tool_call_ids", "thinking_blocks"]);
    if role == "tool" {
        let item = scribe.item(place, 0, |blocks| {
            let call = calls.and_then(|calls| calls.items().next()).or(calls);
            let call = blocks.notes.text(call, "tool_call_ids").unwrap_or_default();
            push_result(blocks, &call, None, true, content);
            Frame::plain(Role::Tool, Author::Tool)
        });
        return vec![Item { envelope: envelope(message, content), ..item }];
    }
    let mut items = chat_message(message, place, scribe, &mut out.problems);
    if is_demonstration(message) {
        for item in &mut items {
            // It is in the context, but nobody said it in this session: it is no turn.
            let row = &mut item.read.message;
            (row.role, row.author, row.reply) = (Role::User, Author::Harness, None);
            row.form = MessageForm::Custom { name: "demonstration".into() };
            item.problems.retain(|problem| problem.kind != ProblemKind::UnsureAuthor);
        }
    }
    let thoughts = thinking.filter(|list| list.kind() == Kind::List).into_iter().flat_map(Value::items);
    let thoughts = thoughts.map(|part| (Run::Reasoning, part));
    let mut thoughts = items_of(
        scribe,
        &format!("{place}/thinking"),
        &RawPayload::default(),
        thoughts,
        |blocks, _, part| {
            let [thinking] = part.fields(["thinking"]);
            match thinking {
                Some(_) => {
                    push_text_part(blocks, cwl_engine::BlockKind::Reasoning, part, thinking, "thinking")
                }
                None => push_unknown(blocks, part),
            }
        },
    );
    for item in &mut thoughts {
        item.read.message.reply = Some(scribe.reply(place));
    }
    if role == "user" {
        items.iter_mut().for_each(|item| tell_author(item, message, has_begun));
    }
    thoughts.append(&mut items);
    thoughts
}

/// Says who wrote a text in the user's slot: the first observation is the task, later ones are the tool's.
fn tell_author(item: &mut Item, message: Value<'_>, has_begun: bool) {
    let row = &mut item.read.message;
    let is_observation = text_member(message, "message_type") == "observation";
    row.author = match (is_observation, has_begun) {
        _ if row.form != MessageForm::Plain => return,
        (_, false) => Author::Human,
        (true, true) => Author::Tool,
        (false, true) => return,
    };
    item.problems.retain(|problem| problem.kind != ProblemKind::UnsureAuthor);
}
