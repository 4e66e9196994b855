//! Bodies of provider APIs: requests, which carry their own context, and responses.
//!
//! A log is one body or a sequence of bodies. Each request repeats the history: messages it shares with the
//! request before are known, missing ones were dropped, the others are new. A response is the reply to the
//! request before it.

pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod responses;
pub(crate) mod gemini;
pub(crate) mod parts;
pub(crate) mod item;
pub(crate) mod history;
mod known;
pub(crate) mod align;

use std::collections::BTreeMap;

use cwl_engine::{EventBody, Header, ParsedEvent, Problem, ProblemKind, RawPayload};

use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::document::DocumentLines;
use crate::json::{JsonType, Value};
use crate::payload::whole_payload;
use history::BodyHistory;
use item::{Item, Scribe};

pub(crate) enum Body {
    Request(ApiRequest),
    Response(Response),
}

#[derive(Default)]
pub(crate) struct ApiRequest {
    /// Tools and system prompt, if they are not among the messages.
    head: Vec<Item>,
    items: Vec<Item>,
    model: Option<String>,
    /// Id of the response whose history this request continues instead of repeating it.
    previous: Option<String>,
    reply: Option<Response>,
}

pub(crate) struct Response {
    items: Vec<Item>,
    id: Option<String>,
}

type BodyReader = fn(Value<'_>, &Scribe, &mut Vec<Problem>) -> Option<Body>;

#[derive(Clone)]
struct Bodies {
    read: BodyReader,
    history: BodyHistory,
    /// The history's length after each response; emptied at any rewrite, because the lengths no longer hold.
    responses: BTreeMap<String, usize>,
    begun: bool,
    model: Option<String>,
}

pub(crate) fn new_adapter(read: BodyReader) -> Box<dyn Adapter> {
    let (history, responses) = (BodyHistory::default(), BTreeMap::new());
    Box::new(Bodies { read, history, responses, begun: false, model: None })
}

impl Bodies {
    fn add_body(&mut self, value: Value<'_>, scribe: &Scribe, out: &mut Batch) {
        match (self.read)(value, scribe, &mut out.problems) {
            Some(Body::Request(request)) => self.add_request(request, scribe, out),
            Some(Body::Response(response)) => self.add_response(response, scribe, out),
            None => out.events.push(unread_event(value, scribe, &mut out.problems)),
        }
    }

    fn add_request(&mut self, request: ApiRequest, scribe: &Scribe, out: &mut Batch) {
        let ApiRequest { head, items, model, previous, reply } = request;
        self.learn_model(model, scribe, out);
        match previous.map(|id| self.responses.get(&id).copied().ok_or(id)) {
            Some(Ok(n_known)) => {
                if n_known < self.history.len() {
                    self.history.cut_after(n_known, scribe, out);
                }
                self.history.exchange_head(head, scribe, out);
                self.history.append_items(items, out);
            }
            missing => {
                if let Some(Err(before)) = missing {
                    let before = before.into();
                    scribe
                        .begin_notes("request", &mut out.problems)
                        .note(ProblemKind::MissingHistory { before });
                }
                let items = head.into_iter().chain(items).collect();
                if !self.history.advance_to(items, scribe, out) {
                    self.responses.clear();
                }
            }
        }
        if let Some(reply) = reply {
            self.add_response(reply, scribe, out);
        }
    }

    fn add_response(&mut self, response: Response, scribe: &Scribe, out: &mut Batch) {
        let Response { items, id } = response;
        self.begin_session(None, scribe, out);
        self.history.append_items(items, out);
        if let Some(id) = id {
            self.responses.insert(id, self.history.len());
        }
    }

    fn begin_session(&mut self, model: Option<&str>, scribe: &Scribe, out: &mut Batch) {
        if !std::mem::replace(&mut self.begun, true) {
            let header = Header { model: model.map(Into::into), ..Header::default() };
            out.events.push(scribe.make_event("header", EventBody::Header(header), RawPayload::default()));
        }
    }

    fn learn_model(&mut self, model: Option<String>, scribe: &Scribe, out: &mut Batch) {
        let has_begun = self.begun;
        self.begin_session(model.as_deref(), scribe, out);
        let Some(model) = model else { return };
        if has_begun && self.model.as_ref().is_some_and(|before| *before != model) {
            let body = EventBody::ModelChange { model: model.as_str().into() };
            out.events.push(scribe.make_event("model", body, RawPayload::default()));
        }
        self.model = Some(model);
    }
}

impl Adapter for Bodies {
    fn record(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let scribe = Scribe::new(at);
        if value.kind() != JsonType::List {
            return self.add_body(value, &scribe, out);
        }
        let mut lines = DocumentLines::new(value, at.line);
        for (nth, body) in value.items().enumerate() {
            let scribe = Scribe { line: lines.line_of(body), record: scribe.entry_at(format!("body-{nth}")) };
            self.add_body(body, &scribe, out);
        }
    }
}

fn unread_event(value: Value<'_>, scribe: &Scribe, problems: &mut Vec<Problem>) -> ParsedEvent {
    let body = if value.get("error").is_some() {
        EventBody::Quiet { record: "error".into() }
    } else {
        let record = if value.kind() == JsonType::Object { "body" } else { value.kind().name() };
        scribe.begin_notes("body", problems).unknown(record)
    };
    scribe.make_event("body", body, whole_payload(value))
}
