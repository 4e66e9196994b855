//! Records between two requests. A record whose texts are cut is read when the second request tells what the model got of
//! it, and so are those behind it.

use std::sync::Arc;

use cwl_engine::{Author, EntryId, EventBody, Role, Usage};

use super::DebugRecord;
use super::message::{CallFacts, read_own_call, read_reply, read_result, read_sent_output, read_user};
use super::sent::SentMessages;
use super::texts::{CUT, TREE};
use crate::adapter::{Batch, RecordPlace};
use crate::blocks::plain_message;
use crate::event::{EventDraft, RecordStamp};
use crate::json::Value;
use crate::notes::Notes;
use crate::payload::payload_around;

#[derive(Clone)]
pub(super) struct HeldLine {
    json: String,
    at: RecordPlace,
}

impl HeldLine {
    pub(super) fn new(value: Value<'_>, at: RecordPlace) -> Self {
        Self { json: value.raw().to_owned(), at }
    }

    fn may_be_cut(&self) -> bool {
        self.json.contains(CUT)
    }

    /// True if the next request has no more of an output: trees of VS Code's prompt library are longer there, and pictures
    /// stand nowhere else.
    fn has_output(&self) -> bool {
        self.with(|record| {
            let result = record.get("result").and_then(Value::string);
            result.is_some_and(|text| !text.is_empty() && !text.starts_with(TREE))
        })
    }

    /// Reads the record without its notes, which were made when the line came.
    fn with<T>(&self, read: impl FnOnce(&DebugRecord<'_>) -> T) -> T {
        let mut told = Vec::new();
        let mut notes = Notes::new(self.at.line, self.at.entry(), &mut told);
        read(&DebugRecord::read(Value::trusted(&self.json, 0), self.at, &mut notes))
    }
}

#[derive(Clone)]
pub(super) enum HeldRecord {
    User(HeldLine),
    /// A request, and its reply if it has one.
    Reply(ReplyRequest, Option<HeldLine>),
    Call(HeldLine),
    /// A record that the model never sees, held for the order of the log.
    Quiet(HeldLine),
}

impl HeldRecord {
    /// True if the record can be read before the next request comes. `is_answered` tells that no call is open.
    pub(super) fn is_ready(&self, is_answered: bool) -> bool {
        match self {
            Self::User(line) => is_answered && !line.may_be_cut(),
            Self::Reply(_, response) => response.as_ref().is_some_and(|line| !line.may_be_cut()),
            Self::Call(line) => !line.may_be_cut() && line.has_output(),
            Self::Quiet(_) => true,
        }
    }
}

#[derive(Clone, Default)]
pub(super) struct ReplyRequest {
    pub(super) entry: Option<EntryId>,
    pub(super) stamp: RecordStamp,
    pub(super) model: Option<Arc<str>>,
    pub(super) usage: Option<Usage>,
}

#[derive(Clone)]
pub(super) struct KeepableMessage {
    pub(super) entry: EntryId,
    pub(super) calls: Vec<String>,
    /// The words of the human; empty for all others.
    pub(super) asked: String,
}

#[derive(Clone)]
pub(super) struct OpenReply {
    entry: EntryId,
    stamp: RecordStamp,
    /// True if the log has all calls of the reply.
    is_whole: bool,
    /// The request, if no event of the reply has its usage yet.
    request: Option<ReplyRequest>,
    pub(super) calls: Vec<CallFacts>,
}

pub(super) struct Release<'s> {
    sent: &'s SentMessages,
    is_called: bool,
    is_cut: &'s mut bool,
    pub(super) reply: Option<OpenReply>,
    pub(super) keepable: Vec<KeepableMessage>,
}

impl<'s> Release<'s> {
    pub(super) fn new(
        sent: &'s SentMessages,
        is_called: bool,
        is_cut: &'s mut bool,
        reply: Option<OpenReply>,
    ) -> Self {
        Self { sent, is_called, is_cut, reply, keepable: Vec::new() }
    }

    pub(super) fn read(&mut self, held: HeldRecord, out: &mut Batch) {
        match held {
            HeldRecord::Call(line) => line.with(|record| self.call(record, out)),
            HeldRecord::Quiet(line) => line.with(|record| record.push(record.quiet(), out)),
            HeldRecord::User(line) => {
                self.end_reply(out);
                line.with(|record| self.user(record, out));
            }
            HeldRecord::Reply(request, response) => {
                self.end_reply(out);
                match response {
                    Some(line) => line.with(|record| self.reply(record, request, out)),
                    None => {
                        let entry = request.entry.clone();
                        let named = entry.map(|entry| EntryId::new(format!("{entry}/reply")));
                        self.reply = Some(OpenReply {
                            entry: named.unwrap_or_else(|| EntryId::new("reply")),
                            stamp: request.stamp,
                            is_whole: false,
                            request: Some(request),
                            calls: Vec::new(),
                        });
                    }
                }
            }
        }
    }

    fn user(&mut self, record: &DebugRecord<'_>, out: &mut Batch) {
        let content = record.get("content");
        let mut notes = record.notes(out);
        let read = read_user(content, self.is_called, self.sent, self.is_cut, &mut notes);
        let asked = match read.message.author {
            Author::Human => read.contents.first().map(|content| content.text.clone()),
            _ => None,
        };
        self.add_keepable(record.entry.clone(), Vec::new(), asked.unwrap_or_default());
        record.push(EventDraft::message(read, payload_around(record.value, content)), out);
    }

    fn reply(&mut self, record: &DebugRecord<'_>, request: ReplyRequest, out: &mut Batch) {
        let mut notes = record.notes(out);
        let (mut read, calls, is_whole) = read_reply(record, self.sent, self.is_cut, &mut notes);
        read.message.model = request.model;
        read.message.usage = request.usage;
        read.message.reply = Some(record.entry.as_str().into());
        self.add_keepable(
            record.entry.clone(),
            calls.iter().map(|call| call.id.clone()).collect(),
            String::new(),
        );
        self.reply = Some(OpenReply {
            entry: record.entry.clone(),
            stamp: record.stamp,
            is_whole,
            request: None,
            calls,
        });
        record.push(EventDraft::message(read, payload_around(record.value, record.get("response"))), out);
    }

    fn call(&mut self, record: &DebugRecord<'_>, out: &mut Batch) {
        // Without a request the harness itself has called: it looks into the list of things to do, for example.
        let Some(reply) = &mut self.reply else { return record.push(record.quiet(), out) };
        let facts = CallFacts::from_record(record);
        let found = facts.position_in(&reply.calls);
        let (id, name) = match found {
            Some(at) => {
                let call = reply.calls.remove(at);
                (call.id, call.name)
            }
            None if reply.is_whole => return record.push(record.quiet(), out),
            None => {
                let mut read = read_own_call(record, &facts, self.is_cut, &mut record.notes(out));
                read.message.reply = Some(reply.entry.as_str().into());
                if let Some(request) = reply.request.take() {
                    (read.message.model, read.message.usage) = (request.model, request.usage);
                }
                let entry = record.named("call");
                let draft = EventDraft::message(read, Default::default());
                out.events.push(draft.event(record.stamp, entry.clone()));
                self.add_keepable(entry, vec![facts.id.clone()], String::new());
                (facts.id, facts.name)
            }
        };
        let output = self.sent.output(&id);
        let read = read_result(record, (&id, &name), output, self.is_cut, &mut record.notes(out));
        self.add_keepable(record.entry.clone(), vec![id], String::new());
        record.push(EventDraft::message(read, payload_around(record.value, record.get("result"))), out);
    }

    /// Ends a reply: calls that the harness refused have an output in the next request alone.
    pub(super) fn end_reply(&mut self, out: &mut Batch) {
        let Some(reply) = self.reply.take() else { return };
        for (number, call) in (1..).zip(&reply.calls) {
            let Some(output) = self.sent.output(&call.id) else { continue };
            let entry = EntryId::new(format!("{}/{number}", reply.entry));
            let mut notes = Notes::new(reply.stamp.line, entry.clone(), &mut out.problems);
            let read = read_sent_output(call, output, &mut notes);
            self.add_keepable(entry.clone(), vec![call.id.clone()], String::new());
            out.events.push(EventDraft::message(read, Default::default()).event(reply.stamp, entry));
        }
        if let Some(request) = reply.request.filter(|request| request.usage.is_some()) {
            // The log has the tokens of the reply, but not what it said.
            let mut message = plain_message(Role::Assistant, Author::Model);
            (message.model, message.usage) = (request.model, request.usage);
            let draft = EventDraft::bare(EventBody::Message(message));
            out.events.push(draft.event(reply.stamp, reply.entry));
        }
    }

    fn add_keepable(&mut self, entry: EntryId, calls: Vec<String>, asked: String) {
        self.keepable.push(KeepableMessage { entry, calls, asked });
    }
}
