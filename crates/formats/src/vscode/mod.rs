//! VS Code Copilot Chat: `debug-logs/<session>/main.jsonl`, one record of a finished span per line.
//!
//! A request is written when its reply has come, right before the reply; a call is written with its output. Calls
//! have ids in the reply alone: a record of a call belongs to the reply's call of this name. The log cuts long texts
//! short. The next request may have them in full, as the messages that were sent, so such records are held until then, with
//! all behind them.

mod held;
mod message;
mod sent;
mod texts;

use cwl_engine::{Compaction, EntryId, EventBody, Header, Keep, ProblemKind, SessionId};

use self::held::{HeldLine, HeldRecord, KeepableMessage, OpenReply, Release, ReplyRequest};
use self::message::{read_failure, read_reply_request, read_summary};
use self::sent::SentMessages;
use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::event::{EventDraft, RecordStamp, order_lines};
use crate::json::{JsonType, Value, owned};
use crate::known::is_known;
use crate::notes::Notes;
use crate::payload::payload_around;
use crate::time::milliseconds_of;

const NEWEST: u64 = 1;

const MAX_ASIDES: usize = 64;
const MAX_HELD: usize = 4096;

const SUMMARIES: &str = "summarizeConversationHistory";

pub(crate) fn recognises(record: Value<'_>) -> bool {
    let [at, duration, session, kind, span, attributes] =
        record.fields(["ts", "dur", "sid", "type", "spanId", "attrs"]);
    let is = |value: Option<Value<'_>>, kind| value.is_some_and(|value| value.kind() == kind);
    [at, duration].into_iter().all(|value| is(value, JsonType::Number))
        && [session, kind, span].into_iter().all(|value| is(value, JsonType::Text))
        && is(attributes, JsonType::Object)
}

/// The adapter, which never resumes: a request tells what the records before it left out.
#[derive(Clone, Default)]
pub(crate) struct VscodeCopilot {
    has_begun: bool,
    /// True if another session called this one, so that no human writes to it.
    is_called: bool,
    is_cut: bool,
    held: Vec<HeldRecord>,
    reply: Option<OpenReply>,
    /// Requests that are no part of the conversation and still wait for their replies.
    asides: Vec<AsideRequest>,
    /// A summary that no request has sent yet.
    summary: Option<(EventDraft, RecordStamp, EntryId)>,
    keepable: Vec<KeepableMessage>,
    last_line: u64,
}

#[derive(Clone)]
struct AsideRequest {
    span: String,
    /// The request, if its reply is a summary of the conversation.
    summary: Option<ReplyRequest>,
}

struct DebugRecord<'v> {
    value: Value<'v>,
    attributes: Value<'v>,
    kind: String,
    stamp: RecordStamp,
    entry: EntryId,
}

impl<'v> DebugRecord<'v> {
    fn read(value: Value<'v>, at: RecordPlace, notes: &mut Notes<'_>) -> Self {
        let [kind, begun, duration, attributes] = value.fields(["type", "ts", "dur", "attrs"]);
        let begun = notes.time(begun, "ts", milliseconds_of);
        let duration = duration.and_then(milliseconds_of).unwrap_or(0);
        let at_ms = begun.map(|begun| begun.saturating_add(duration));
        Self {
            value,
            attributes: attributes.unwrap_or_default(),
            kind: notes.required_text(kind, "type").into_owned(),
            stamp: RecordStamp { line: at.line, at_ms, side: false },
            entry: at.entry(),
        }
    }

    fn get(&self, name: &str) -> Option<Value<'v>> {
        self.attributes.get(name)
    }

    fn named(&self, name: &str) -> EntryId {
        EntryId::new(format!("{}/{name}", self.entry))
    }

    fn push(&self, draft: EventDraft, out: &mut Batch) {
        out.events.push(draft.event(self.stamp, self.entry.clone()));
    }

    fn quiet(&self) -> EventDraft {
        EventDraft::whole(EventBody::Quiet { record: self.kind.as_str().into() }, self.value)
    }

    fn notes<'p>(&self, out: &'p mut Batch) -> Notes<'p> {
        Notes::new(self.stamp.line, self.entry.clone(), &mut out.problems)
    }
}

impl Adapter for VscodeCopilot {
    fn record(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let first = out.events.len();
        self.read_record(value, at, out);
        self.release_ready(out);
        self.last_line = order_lines(out, first, self.last_line);
    }

    fn waiting(&self, out: &mut Batch) {
        let first = out.events.len();
        let mut rest = self.clone();
        rest.release(&SentMessages::default(), true, out);
        order_lines(out, first, self.last_line);
    }

    fn resumable(&self) -> Option<(u32, u64)> {
        (!self.has_begun).then_some((0, 0))
    }
}

impl VscodeCopilot {
    fn read_record(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let mut notes = Notes::new(at.line, at.entry(), &mut out.problems);
        let record = DebugRecord::read(value, at, &mut notes);
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        if is_first && record.kind != "session_start" {
            // Older versions write no header.
            let session = owned(value.get("sid")).filter(|id| !id.is_empty()).map(SessionId::new);
            let header = EventDraft::bare(EventBody::Header(Header { session, ..Header::default() }));
            out.events.push(header.event(record.stamp, record.named("session")));
        }
        match record.kind.as_str() {
            "session_start" if is_first => self.begin(&record, out),
            // VS Code was started again.
            "session_start" => record.push(record.quiet(), out),
            "llm_request" => self.request(&record, out),
            "agent_response" => self.reply(&record, at, out),
            "user_message" => self.hold(HeldRecord::User(HeldLine::new(value, at)), out),
            "tool_call" => self.hold(HeldRecord::Call(HeldLine::new(value, at)), out),
            "" => record.push(EventDraft::opaque("no type", value), out),
            quiet if is_known("vscode-copilot.rows", quiet) => match self.held.is_empty() {
                true => record.push(record.quiet(), out),
                false => self.hold(HeldRecord::Quiet(HeldLine::new(value, at)), out),
            },
            unknown => {
                let body = record.notes(out).unknown(unknown);
                record.push(EventDraft::whole(body, value), out);
            }
        }
    }

    fn begin(&mut self, record: &DebugRecord<'_>, out: &mut Batch) {
        let [version, session] = record.value.fields(["v", "sid"]);
        let mut notes = record.notes(out);
        let version = notes.count(version, "v").and_then(|version| u32::try_from(version).ok());
        if let Some(version) = version.filter(|version| u64::from(*version) > NEWEST) {
            notes.note(ProblemKind::UnknownVersion { version });
        }
        let parent = notes.text(record.get("parentSessionId"), "attrs.parentSessionId");
        let label = notes.text(record.get("label"), "attrs.label").unwrap_or_default();
        let name = label.strip_prefix("runSubagent-").unwrap_or(&label);
        self.is_called = parent.is_some();
        let header = Header {
            session: notes.text(session, "sid").filter(|id| !id.is_empty()).map(SessionId::new),
            version,
            subagent: parent.is_some().then(|| name.into()),
            parent_session: parent.map(|parent| parent.into()),
            ..Header::default()
        };
        record.push(EventDraft::whole(EventBody::Header(header), record.value), out);
    }

    fn hold(&mut self, held: HeldRecord, out: &mut Batch) {
        if self.held.len() >= MAX_HELD {
            self.release(&SentMessages::default(), false, out);
        }
        self.held.push(held);
    }

    /// Reads all held records if none of them needs the next request, so that the end of a log is not held.
    fn release_ready(&mut self, out: &mut Batch) {
        let is_answered = self.reply.as_ref().is_none_or(|reply| reply.calls.is_empty());
        if !self.held.is_empty() && self.held.iter().all(|held| held.is_ready(is_answered)) {
            self.release(&SentMessages::default(), false, out);
        }
    }

    fn request(&mut self, record: &DebugRecord<'_>, out: &mut Batch) {
        let messages = record.get("inputMessages");
        let name = owned(record.get("debugName")).unwrap_or_default();
        let span = owned(record.value.get("spanId")).unwrap_or_default();
        let name = strip_retries(&name);
        let is_summary = name.starts_with(SUMMARIES);
        let request = read_reply_request(record, &mut record.notes(out));
        if is_summary || is_known("vscode-copilot.asides", name) {
            let summary = is_summary.then_some(request);
            if self.asides.len() == MAX_ASIDES {
                self.asides.remove(0);
            }
            self.asides.push(AsideRequest { span, summary });
        } else {
            let sent = SentMessages::read(messages);
            self.release(&sent, true, out);
            self.apply_summary(&sent, out);
            if record.value.text_of("status") == "error" {
                let failure = read_failure(record, request, &mut record.notes(out));
                out.events.push(failure.event(record.stamp, record.named("failure")));
            } else {
                self.hold(HeldRecord::Reply(request, None), out);
            }
        }
        // Each request repeats all messages: the log's size grows with their square.
        let body = EventBody::Quiet { record: record.kind.as_str().into() };
        let envelope = payload_around(record.value, messages);
        record.push(EventDraft { envelope, ..EventDraft::bare(body) }, out);
    }

    fn reply(&mut self, record: &DebugRecord<'_>, at: RecordPlace, out: &mut Batch) {
        let span = owned(record.value.get("spanId")).unwrap_or_default();
        let span = span.strip_prefix("agent-msg-").unwrap_or(&span);
        if let Some(at) = self.asides.iter().position(|aside| aside.span == span) {
            let aside = self.asides.remove(at);
            if let Some(request) = aside.summary {
                let draft = read_summary(record, request, &mut self.is_cut, &mut record.notes(out));
                self.summary = Some((draft, record.stamp, record.named("summary")));
            }
            return record.push(record.quiet(), out);
        }
        let line = HeldLine::new(record.value, at);
        let mut held = self.held.iter_mut().rev().filter(|held| !matches!(held, HeldRecord::Quiet(_)));
        match held.next() {
            Some(HeldRecord::Reply(_, response @ None)) => *response = Some(line),
            _ => self.hold(HeldRecord::Reply(ReplyRequest::default(), Some(line)), out),
        }
    }

    /// Reads the held records; `ends_reply` tells that no more calls of the last reply follow.
    fn release(&mut self, sent: &SentMessages, ends_reply: bool, out: &mut Batch) {
        let mut release = Release::new(sent, self.is_called, &mut self.is_cut, self.reply.take());
        for held in std::mem::take(&mut self.held) {
            release.read(held, out);
        }
        if ends_reply {
            release.end_reply(out);
        }
        self.reply = release.reply.take();
        self.keepable.append(&mut release.keepable);
    }

    /// Replaces the history by its summary in the first request that sends it, or in the next one if the log does
    /// not have what was sent.
    fn apply_summary(&mut self, sent: &SentMessages, out: &mut Batch) {
        let has_sent = |(draft, ..): &mut (EventDraft, RecordStamp, EntryId)| {
            let text = draft.contents.first().map_or("", |content| &content.text);
            !sent.is_complete || sent.has_text(text)
        };
        let Some((draft, stamp, entry)) = self.summary.take_if(has_sent) else { return };
        let EventBody::Message(summary) = draft.body else { return };
        let keep = if sent.is_complete {
            // Earlier words of the human may be words of the summary.
            let asked = self.keepable.iter().rposition(|message| !message.asked.is_empty());
            let keepable = std::mem::take(&mut self.keepable).into_iter().enumerate();
            let is_sent = |(at, message): &(usize, KeepableMessage)| {
                message.calls.iter().any(|call| sent.has_call(call))
                    || Some(*at) == asked && sent.has_text(&message.asked)
            };
            self.keepable = keepable.filter(is_sent).map(|(_, message)| message).collect();
            Keep::Entries(self.keepable.iter().map(|message| message.entry.clone()).collect())
        } else {
            Notes::new(stamp.line, entry.clone(), &mut out.problems).note(ProblemKind::UnnamedKeep);
            self.keepable.clear();
            Keep::Nothing
        };
        let body = EventBody::Compaction(Compaction { summary: Some(summary), keep, tokens_before: None });
        let draft = EventDraft { contents: draft.contents, ..EventDraft::bare(body) };
        out.events.push(draft.event(stamp, entry));
    }
}

/// A repeated request has its reason before its name.
fn strip_retries(name: &str) -> &str {
    ["retry-server-error-", "retry-error-", "retry-"]
        .iter()
        .fold(name, |name, retry| name.strip_prefix(retry).unwrap_or(name))
}
