//! Antigravity, Google's agent: `transcript.jsonl`, one step per line, whose full form is `transcript_full.jsonl`.
//!
//! A reply of the model is one step with its calls, and the output of each call is a step behind it, named by its
//! sort. Calls have no ids: outputs belong to the calls in their order. A checkpoint is the summary of a compaction.

mod step;

use cwl_engine::{Compaction, EntryId, EventBody, Header, Keep, ProblemKind};

use self::step::{
    PendingCall, read_note, read_planner, read_request, read_result, read_summary, selected_model,
};
use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::event::{EventDraft, RecordStamp};
use crate::json::{JsonType, Value, owned};
use crate::known::is_known;
use crate::notes::Notes;
use crate::payload::payload_around;
use crate::time::iso_time;

const RESUMING: &str = "# Resuming from a compaction";

pub(crate) fn recognises(record: Value<'_>) -> bool {
    let [number, source, kind, status] = record.fields(["step_index", "source", "type", "status"]);
    let is_text = |value: Option<Value<'_>>| value.is_some_and(|value| value.kind() == JsonType::Text);
    number.is_some_and(|number| number.kind() == JsonType::Number)
        && [source, kind, status].into_iter().all(is_text)
}

/// The adapter, which never resumes: an output belongs to the oldest call without one.
#[derive(Clone, Default)]
pub(crate) struct Antigravity {
    has_begun: bool,
    has_messages: bool,
    is_cut: bool,
    pending: Vec<PendingCall>,
    asked: Vec<EntryId>,
    next: f64,
    early: Vec<EarlyStep>,
}

#[derive(Clone)]
struct EarlyStep {
    number: f64,
    json: String,
    at: RecordPlace,
}

const MAX_EARLY: usize = 64;

struct Step<'v> {
    value: Value<'v>,
    kind: String,
    stamp: RecordStamp,
    entry: EntryId,
}

impl Step<'_> {
    fn push(&self, name: &str, draft: EventDraft, out: &mut Batch) {
        out.events.push(draft.event(self.stamp, self.named(name)));
    }

    fn named(&self, name: &str) -> EntryId {
        match name {
            "" => self.entry.clone(),
            name => EntryId::new(format!("{}/{name}", self.entry)),
        }
    }

    fn notes<'p>(&self, out: &'p mut Batch) -> Notes<'p> {
        Notes::new(self.stamp.line, self.entry.clone(), &mut out.problems)
    }
}

impl Adapter for Antigravity {
    /// Steps that run beside each other may stand in the log in another order than their numbers say.
    fn record(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let number = value.get("step_index").and_then(Value::number);
        if let Some(number) = number
            && self.is_early(value, number)
        {
            return self.early.push(EarlyStep { number, json: value.raw().to_owned(), at });
        }
        let is_before = |early: &EarlyStep| number.is_some_and(|number| number < early.number);
        if self.early.first().is_some_and(is_before) {
            self.read(value, at, out);
            self.release(out);
        } else {
            self.release(out);
            self.read(value, at, out);
        }
    }

    fn waiting(&self, out: &mut Batch) {
        self.clone().release(out);
    }

    fn resumable(&self) -> Option<(u32, u64)> {
        (!self.has_begun).then_some((0, 0))
    }
}

impl Antigravity {
    fn is_early(&self, value: Value<'_>, number: f64) -> bool {
        let [kind, source] = value.fields(["type", "source"]).map(|value| owned(value).unwrap_or_default());
        let is_reply = matches!(kind.as_str(), "PLANNER_RESPONSE" | "CHECKPOINT");
        let is_output = !is_reply && source == "MODEL";
        is_output && self.pending.is_empty() && number > self.next && self.early.len() < MAX_EARLY
    }

    fn release(&mut self, out: &mut Batch) {
        for EarlyStep { json, at, .. } in std::mem::take(&mut self.early) {
            self.read(Value::trusted(&json, 0), at, out);
        }
    }

    fn read(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        if let Some(number) = value.get("step_index").and_then(Value::number) {
            self.next = self.next.max(number + 1.0);
        }
        let [kind, source, created, content] = value.fields(["type", "source", "created_at", "content"]);
        let entry = at.entry();
        let mut notes = Notes::new(at.line, entry.clone(), &mut out.problems);
        let at_ms = notes.time(created, "created_at", iso_time);
        let kind = notes.required_text(kind, "type").into_owned();
        let is_models = owned(source).as_deref() == Some("MODEL");
        let step = Step { value, kind, stamp: RecordStamp { line: at.line, at_ms, side: false }, entry };
        if !std::mem::replace(&mut self.has_begun, true) {
            // The log names neither its session nor a folder.
            step.push("session", EventDraft::bare(EventBody::Header(Header::default())), out);
        }
        self.note_cut(&step, out);
        match step.kind.as_str() {
            "USER_INPUT" => self.ask(&step, content, out),
            "PLANNER_RESPONSE" => {
                let (read, calls) = read_planner(value, &step.entry, &mut step.notes(out));
                self.pending = calls;
                self.has_messages = true;
                step.push("", EventDraft::message(read, payload_around(value, content)), out);
            }
            "CHECKPOINT" => self.compact(&step, content, out),
            "" => step.push("", EventDraft::opaque("no type", value), out),
            quiet if is_known("antigravity.rows", quiet) => {
                step.push("", EventDraft::whole(EventBody::Quiet { record: quiet.into() }, value), out);
            }
            note if is_known("antigravity.injected", note) => {
                let read = read_note(content, note, &mut step.notes(out));
                step.push("", EventDraft::message(read, payload_around(value, content)), out);
            }
            kind if is_models || is_known("antigravity.results", kind) => self.answer(&step, content, out),
            unknown => {
                let body = step.notes(out).unknown(unknown);
                step.push("", EventDraft::whole(body, value), out);
            }
        }
    }

    fn note_cut(&mut self, step: &Step<'_>, out: &mut Batch) {
        let cut = step.value.get("truncated_fields").and_then(Value::list);
        if cut.is_some_and(|cut| cut.items().next().is_some()) && !std::mem::replace(&mut self.is_cut, true) {
            step.notes(out).note(ProblemKind::TextsCut);
        }
    }

    fn ask(&mut self, step: &Step<'_>, content: Option<Value<'_>>, out: &mut Batch) {
        let text = content.and_then(Value::string).unwrap_or_default();
        if let Some(model) = selected_model(&text) {
            step.push("model", EventDraft::bare(EventBody::ModelChange { model: model.into() }), out);
        }
        self.asked.clear();
        for (name, read) in read_request(content, &mut step.notes(out)) {
            self.asked.push(step.named(name));
            let envelope = payload_around(step.value, content.filter(|_| name.is_empty()));
            step.push(name, EventDraft::message(read, envelope), out);
        }
        self.has_messages = true;
    }

    fn answer(&mut self, step: &Step<'_>, content: Option<Value<'_>>, out: &mut Batch) {
        let draft = if self.pending.is_empty() {
            // An output that no call waits for: a text of the harness.
            let read = read_note(content, &step.kind, &mut step.notes(out));
            EventDraft::message(read, payload_around(step.value, content))
        } else {
            let call = self.pending.remove(0);
            EventDraft::message(
                read_result(step.value, content, call, &mut step.notes(out)),
                Default::default(),
            )
        };
        step.push("", draft, out);
    }

    /// The step does not say which messages stay. A summary that speaks of the task above it stands behind the last
    /// request.
    fn compact(&mut self, step: &Step<'_>, content: Option<Value<'_>>, out: &mut Batch) {
        let text = content.and_then(Value::string).unwrap_or_default();
        if !self.asked.is_empty() && text.starts_with(RESUMING) {
            self.pending.clear();
            let keep = Keep::Entries(self.asked.clone());
            let body = EventBody::Compaction(Compaction { summary: None, keep, tokens_before: None });
            step.push("", EventDraft::whole(body, step.value), out);
            let read = read_summary(content, &mut step.notes(out));
            return step.push("summary", EventDraft::message(read, Default::default()), out);
        }
        let mut notes = step.notes(out);
        if std::mem::replace(&mut self.has_messages, true) {
            notes.note(ProblemKind::UnnamedKeep);
        }
        let read = read_summary(content, &mut notes);
        self.pending.clear();
        let body = EventBody::Compaction(Compaction {
            summary: Some(read.message),
            keep: Keep::Nothing,
            tokens_before: None,
        });
        let draft = EventDraft { contents: read.contents, ..EventDraft::whole(body, step.value) };
        step.push("", draft, out);
    }
}
