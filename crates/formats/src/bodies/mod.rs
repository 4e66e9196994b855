//! Bodies of providers' APIs: requests, which carry their context themselves, and responses.
//!
//! A log is one body, or one after the other. Each request repeats what came before: what it has in common
//! with the history so far says nothing new, what it leaves out is gone, and the rest is new. A response is
//! the reply to the request before it.

mod align;
mod anthropic;
mod chat;
mod gemini;
pub(crate) mod history;
pub(crate) mod item;
mod known;
pub(crate) mod parts;
mod responses;

use std::collections::BTreeMap;

use cwl_engine::{EventBody, Header, Parent, ParsedEvent, Problem, ProblemKind, RawPayload, SessionEvent};

use crate::format::{Adapter, At};
use crate::json::{Kind, Value};
use crate::payload::whole;
use crate::reader::Batch;
use history::History;
use item::{Item, Scribe};

pub(crate) use chat::{message_items as chat_message, read_usage as chat_usage, seconds};

/// A record as one of the APIs has it.
enum Body {
    Request(Request),
    Response(Response),
}

struct Request {
    /// Tools and system prompt beside the messages.
    head: Vec<Item>,
    items: Vec<Item>,
    model: Option<String>,
    /// The response whose history it goes on from instead of repeating it.
    previous: Option<String>,
    /// The answer, where the record holds both.
    reply: Option<Response>,
}

struct Response {
    items: Vec<Item>,
    id: Option<String>,
}

type Read = fn(Value<'_>, &Scribe, &mut Vec<Problem>) -> Option<Body>;

/// Anthropic Messages.
pub(crate) mod anthropic_api {
    pub(crate) use super::anthropic::recognises;

    pub(crate) fn adapter(_: u32, _: u64) -> Box<dyn crate::format::Adapter> {
        Box::new(super::Bodies::new(super::anthropic::read))
    }
}

/// OpenAI Chat Completions, also as LiteLLM dumps them.
pub(crate) mod chat_api {
    pub(crate) use super::chat::recognises;

    pub(crate) fn adapter(_: u32, _: u64) -> Box<dyn crate::format::Adapter> {
        Box::new(super::Bodies::new(super::chat::read))
    }
}

/// OpenAI Responses.
pub(crate) mod responses_api {
    pub(crate) use super::responses::recognises;

    pub(crate) fn adapter(_: u32, _: u64) -> Box<dyn crate::format::Adapter> {
        Box::new(super::Bodies::new(super::responses::read))
    }
}

/// Gemini.
pub(crate) mod gemini_api {
    pub(crate) use super::gemini::recognises;

    pub(crate) fn adapter(_: u32, _: u64) -> Box<dyn crate::format::Adapter> {
        Box::new(super::Bodies::new(super::gemini::read))
    }
}

/// Reads bodies of one API in file order.
#[derive(Clone)]
struct Bodies {
    read: Read,
    history: History,
    /// How long the history was with each response; only while nothing of it was written anew.
    responses: BTreeMap<String, usize>,
    begun: bool,
    model: Option<String>,
}

impl Bodies {
    fn new(read: Read) -> Self {
        Self { read, history: History::default(), responses: BTreeMap::new(), begun: false, model: None }
    }

    fn body(&mut self, value: Value<'_>, scribe: &Scribe, out: &mut Batch) {
        match (self.read)(value, scribe, &mut out.problems) {
            Some(Body::Request(request)) => self.request(request, scribe, out),
            Some(Body::Response(response)) => self.response(response, scribe, out),
            None => out.events.push(unread(value, scribe, &mut out.problems)),
        }
    }

    fn request(&mut self, request: Request, scribe: &Scribe, out: &mut Batch) {
        let Request { head, items, model, previous, reply } = request;
        self.learn_model(model, scribe, out);
        match previous.map(|id| self.responses.get(&id).copied().ok_or(id)) {
            Some(Ok(n_known)) => {
                if n_known < self.history.len() {
                    self.history.cut(n_known, scribe, out);
                }
                self.history.exchange_head(head, scribe, out);
                self.history.append(items, scribe, out);
            }
            missing => {
                if let Some(Err(before)) = missing {
                    let before = before.into();
                    scribe.notes("request", &mut out.problems).note(ProblemKind::MissingHistory { before });
                }
                let items = head.into_iter().chain(items).collect();
                if !self.history.advance(items, scribe, out) {
                    self.responses.clear();
                }
            }
        }
        if let Some(reply) = reply {
            self.response(reply, scribe, out);
        }
    }

    fn response(&mut self, response: Response, scribe: &Scribe, out: &mut Batch) {
        let Response { items, id } = response;
        self.begin(None, scribe, out);
        self.history.append(items, scribe, out);
        if let Some(id) = id {
            self.responses.insert(id, self.history.len());
        }
    }

    fn begin(&mut self, model: Option<&str>, scribe: &Scribe, out: &mut Batch) {
        if !std::mem::replace(&mut self.begun, true) {
            let header = Header { model: model.map(Into::into), ..Header::default() };
            out.events.push(scribe.outside("header", EventBody::Header(header), RawPayload::default()));
        }
    }

    fn learn_model(&mut self, model: Option<String>, scribe: &Scribe, out: &mut Batch) {
        let has_begun = self.begun;
        self.begin(model.as_deref(), scribe, out);
        let Some(model) = model else { return };
        if has_begun && self.model.as_ref().is_some_and(|before| *before != model) {
            let body = EventBody::ModelChange { model: model.as_str().into() };
            let event = SessionEvent {
                line: scribe.line,
                entry: scribe.entry("model"),
                parent: Parent::Previous,
                at_ms: None,
                side: false,
                body,
            };
            out.events.push(ParsedEvent { event, contents: Vec::new(), envelope: RawPayload::default() });
        }
        self.model = Some(model);
    }
}

impl Adapter for Bodies {
    fn record(&mut self, value: Value<'_>, at: At, out: &mut Batch) {
        let scribe = Scribe::new(at);
        if value.kind() != Kind::List {
            return self.body(value, &scribe, out);
        }
        for (nth, body) in value.items().enumerate() {
            let scribe = Scribe { line: scribe.line, record: scribe.entry(format!("body-{nth}")) };
            self.body(body, &scribe, out);
        }
    }

    fn pass_over(&mut self) {}

    fn resumable(&self) -> Option<(u32, u64)> {
        // What the next request repeats is only known from the ones before.
        None
    }

    fn copy(&self) -> Box<dyn Adapter> {
        Box::new(self.clone())
    }
}

/// Makes the event of a record that is no body: an error that a provider answered, or something unknown.
fn unread(value: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> ParsedEvent {
    let [error] = value.fields(["error"]);
    let body = if error.is_some() {
        EventBody::Quiet { record: "error".into() }
    } else {
        let record: Box<str> =
            if value.kind() == Kind::Object { "body".into() } else { value.kind().name().into() };
        scribe.notes("body", problems).note(ProblemKind::UnknownRecord { record: record.clone() });
        EventBody::Opaque { record }
    };
    scribe.outside("body", body, whole(value))
}
