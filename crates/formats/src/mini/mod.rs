//! mini-SWE-agent: one document with a list of messages that only grows.
//!
//! Newer versions store the provider's response with each reply, including its usage; the oldest documents
//! are only the list. Commands are calls, or fenced blocks whose output comes back in the `user` role.

use cwl_engine::{Author, BlockKind, EventBody, Header, ProblemKind, RawPayload, Role, Usage};

use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::bodies::chat::{message_items, read_usage, seconds_to_ms};
use crate::bodies::history::BodyHistory;
use crate::bodies::item::{Item, Scribe};
use crate::document::DocumentLines;
use crate::json::{JsonType, Value};
use crate::payload::whole_payload;
use crate::time::time_of;

const ROLES: [&str; 5] = ["system", "user", "assistant", "tool", "exit"];

pub(crate) fn is_document(document: Value<'_>) -> bool {
    let is_message = |message: Value<'_>| {
        let [role, content, kind] = message.fields(["role", "content", "type"]);
        let role = role.and_then(Value::string);
        content.is_some() && kind.is_none() && role.is_some_and(|role| ROLES.contains(&&*role))
    };
    if document.kind() == JsonType::List {
        return document.items().next().is_some_and(is_message);
    }
    let [format, info, messages] = document.fields(["trajectory_format", "info", "messages"]);
    if format.and_then(Value::string).is_some_and(|format| format.starts_with("mini-swe-agent")) {
        return true;
    }
    let own = info.map_or([None; 2], |info| info.fields(["mini_version", "model_stats"]));
    let begins = messages.and_then(|messages| messages.items().next());
    own[0].is_some() || (own[1].is_some() && begins.is_some_and(is_message))
}

#[derive(Clone, Default)]
pub(crate) struct Mini {
    history: BodyHistory,
}

impl Adapter for Mini {
    fn record(&mut self, document: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let scribe = Scribe::new(at);
        let is_list = document.kind() == JsonType::List;
        let [messages, info] =
            if is_list { [Some(document), None] } else { document.fields(["messages", "info"]) };
        out.events.push(scribe.make_event(
            "header",
            EventBody::Header(session_header(info)),
            RawPayload::default(),
        ));
        if messages.is_none_or(|messages| messages.kind() != JsonType::List) {
            scribe.begin_notes("header", &mut out.problems).odd("messages");
        }
        let mut has_begun = false;
        let mut lines = DocumentLines::new(document, at.line);
        for (nth, message) in messages.into_iter().flat_map(Value::items).enumerate() {
            let scribe = scribe.on_line(lines.line_of(message));
            has_begun = self.add_message(message, &format!("{nth}"), has_begun, &scribe, out);
        }
    }
}

impl Mini {
    /// Returns true once the agent has replied.
    fn add_message(
        &mut self,
        message: Value<'_>,
        place: &str,
        has_begun: bool,
        scribe: &Scribe,
        out: &mut Batch,
    ) -> bool {
        let role = message.text_of("role");
        let [extra, timestamp] = message.fields(["extra", "timestamp"]);
        if role == "exit" {
            let body = EventBody::Quiet { record: "exit".into() };
            out.events.push(scribe.make_event(place, body, whole_payload(message)));
            return has_begun;
        }
        let mut items = message_items(message, place, scribe, &mut out.problems);
        for item in &mut items {
            if item.read.message.role == Role::User {
                tell_author(item, has_begun);
            }
        }
        let [own_time, response] = extra.map_or([None; 2], |extra| extra.fields(["timestamp", "response"]));
        let at_ms = seconds_to_ms(own_time).or_else(|| time_of(timestamp?));
        let model = response.map(|response| response.text_of("model")).filter(|model| !model.is_empty());
        let usage: Option<Usage> = response.and_then(|response| {
            read_usage(response.get("usage"), &mut scribe.begin_notes(place, &mut out.problems))
        });
        for item in &mut items {
            item.at_ms = at_ms;
            item.read.message.model = model.as_deref().map(Into::into);
        }
        if let Some(last) = items.last_mut().filter(|last| last.is_model()) {
            last.read.message.usage = usage;
        }
        self.history.append_items(items, out);
        has_begun || role == "assistant"
    }
}

fn session_header(info: Option<Value<'_>>) -> Header {
    let config = info.and_then(|info| info.get("config"));
    let [model, environment] = config.map_or([None; 2], |config| config.fields(["model", "environment"]));
    let member = |value: Option<Value<'_>>, key: &str| {
        value.map(|value| value.text_of(key)).filter(|text| !text.is_empty()).map(Into::into)
    };
    Header { model: member(model, "model_name"), cwd: member(environment, "cwd"), ..Header::default() }
}

/// Sets the author of a `user` text: the first messages are the human's, outputs are the tool's.
///
/// Other texts come from the harness or from a human it asked; the log does not tell which.
fn tell_author(item: &mut Item, has_begun: bool) {
    let text = item.read.contents.first().map_or("", |content| content.text.trim_start());
    let is_text = item.read.message.blocks.iter().all(|block| matches!(block.kind, BlockKind::Text));
    let is_output = ["<returncode>", "<output>", "Observation:"].iter().any(|mark| text.starts_with(mark));
    let author = if !has_begun {
        Author::Human
    } else if is_text && (is_output || text.is_empty()) {
        Author::Tool
    } else {
        return;
    };
    item.read.message.author = author;
    item.problems.retain(|problem| problem.kind != ProblemKind::UnsureAuthor);
}
