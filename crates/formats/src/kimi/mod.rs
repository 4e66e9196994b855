//! Kimi Code: `wire.jsonl`, one record of an agent per line, from which the harness itself rebuilds the context.
//!
//! System prompt, tools, messages, steps and usage are all in the log. A reply is a step: its parts and calls
//! are records of their own, its results come behind it. A message that comes while results are open is sent
//! behind them. A compaction, a clearing and an undo change the history that the records before them made.

mod history;
mod message;
mod record;

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{
    Change, EntryId, EventBody, Header, Message, ProblemKind, ReplacementCause, RewriteTarget, UsageReport,
};

use self::history::{CompactedRows, KimiHistory, RowKind};
use self::message::{
    message_kind, read_call, read_message, read_part, read_prompt, read_result, read_summary, read_tools,
    read_usage,
};
use self::record::KimiRecord;
use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::blocks::ReadMessage;
use crate::event::{EventDraft, RecordStamp};
use crate::json::{JsonType, Value, owned};
use crate::known::is_known;
use crate::notes::Notes;
use crate::payload::payload_around;
use crate::time::milliseconds_of;

const NEWEST: (u32, u32) = (1, 5);

const MAX_TABLES: usize = 256;

pub(crate) fn recognises(record: Value<'_>) -> bool {
    let [kind, version, created, time] = record.fields(["type", "protocol_version", "created_at", "time"]);
    let is_number = |value: Option<Value<'_>>| value.is_some_and(|value| value.kind() == JsonType::Number);
    match kind.and_then(Value::string).as_deref() {
        Some("metadata") => {
            version.is_some_and(|version| version.kind() == JsonType::Text) && is_number(created)
        }
        Some(kind) => {
            is_number(time) && (is_known("kimi-code.read", kind) || is_known("kimi-code.rows", kind))
        }
        None => false,
    }
}

/// The adapter, which never resumes: a compaction names messages by their number.
#[derive(Clone, Default)]
pub(crate) struct KimiCode {
    has_begun: bool,
    has_header: bool,
    model: Option<Arc<str>>,
    prompt: Option<Standing>,
    tools: Option<Standing>,
    tables: BTreeMap<String, ReadMessage>,
    history: KimiHistory,
}

#[derive(Clone)]
struct Standing {
    /// The prompt's text, or the hash of the tools.
    key: String,
    entry: EntryId,
}

impl Adapter for KimiCode {
    fn record(&mut self, value: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let [kind, time, created] = value.fields(["type", "time", "created_at"]);
        let entry = at.entry();
        let mut notes = Notes::new(at.line, entry.clone(), &mut out.problems);
        let at_ms = notes.time(time.or(created), "time", milliseconds_of);
        let kind = notes.required_text(kind, "type").into_owned();
        if !std::mem::replace(&mut self.has_begun, true) && kind != "metadata" {
            notes.note(ProblemKind::NoHeader);
        }
        let record =
            KimiRecord { value, kind, stamp: RecordStamp { line: at.line, at_ms, side: false }, entry };
        match record.kind.as_str() {
            "metadata" => read_version(&record, out),
            "config.update" | "profile.bind" => self.configure(&record, out),
            "llm.tools_snapshot" => self.note_tools(&record, out),
            "llm.request" => self.request(&record, out),
            "context.append_message" => self.add_message(&record, out),
            "context.append_loop_event" => self.add_step(&record, out),
            "context.apply_compaction" => self.compact(&record, out),
            "context.undo" => self.undo(&record, out),
            "context.clear" => {
                let gone = self.history.clear(out);
                self.take_back(&record, gone, out);
            }
            "" => record.push(EventDraft::opaque("no type", value), out),
            known if is_known("kimi-code.rows", known) => record.push(record.quiet(), out),
            unknown => {
                let body = record.notes(out).unknown(unknown);
                record.push(EventDraft::whole(body, value), out);
            }
        }
    }

    fn waiting(&self, out: &mut Batch) {
        out.events.extend(self.history.waiting());
    }
}

fn read_version(record: &KimiRecord<'_>, out: &mut Batch) {
    let mut notes = record.notes(out);
    let version = notes.required_text(record.value.get("protocol_version"), "protocol_version");
    let parts = version
        .split_once('.')
        .and_then(|(major, minor)| Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?)));
    match parts {
        None => notes.odd("protocol_version"),
        Some((major, _)) if major > NEWEST.0 => notes.note(ProblemKind::UnknownVersion { version: major }),
        Some((_, minor)) if minor > NEWEST.1 => notes.note(ProblemKind::UnknownVersion { version: minor }),
        Some(_) => {}
    }
    record.push(record.quiet(), out);
}

impl KimiCode {
    fn configure(&mut self, record: &KimiRecord<'_>, out: &mut Batch) {
        let [cwd, disclosed, alias, prompt] =
            record.value.fields(["cwd", "environmentDisclosure", "modelAlias", "systemPrompt"]);
        let cwd = cwd.or_else(|| disclosed.and_then(|disclosed| disclosed.get("cwd")));
        let mut notes = record.notes(out);
        let cwd = notes.text(cwd, "cwd");
        let model = notes.text(alias, "modelAlias").filter(|model| !model.is_empty());
        let prompt = notes.text(prompt, "systemPrompt").map(|text| (text.into_owned(), prompt));
        if (cwd.is_some() || model.is_some()) && !std::mem::replace(&mut self.has_header, true) {
            let header = Header {
                cwd: cwd.map(|cwd| cwd.into()),
                model: model.as_deref().map(Into::into),
                ..Header::default()
            };
            record.push_named("session", EventDraft::bare(EventBody::Header(header)), out);
        }
        if let Some(model) = model
            && self.model.as_deref() != Some(&*model)
        {
            self.model = Some(Arc::from(&*model));
            let change = EventBody::ModelChange { model: model.into() };
            record.push_named("model", EventDraft::bare(change), out);
        }
        let is_new = |text: &str| self.prompt.as_ref().is_none_or(|standing| standing.key != text);
        match prompt.filter(|(text, _)| !text.is_empty() && is_new(text)) {
            Some((text, part)) => {
                let read = read_prompt(&text, part, &mut record.notes(out));
                let envelope = payload_around(record.value, part);
                replace_standing(&mut self.prompt, text, EventDraft::message(read, envelope), record, out);
            }
            None => record.push(record.quiet(), out),
        }
    }

    fn note_tools(&mut self, record: &KimiRecord<'_>, out: &mut Batch) {
        let [hash, tools] = record.value.fields(["hash", "tools"]);
        let mut notes = record.notes(out);
        let hash = notes.required_text(hash, "hash").into_owned();
        let read = read_tools(tools, &mut notes);
        if self.tables.len() < MAX_TABLES {
            self.tables.insert(hash, read);
        }
        record.push(record.quiet(), out);
    }

    fn request(&mut self, record: &KimiRecord<'_>, out: &mut Batch) {
        let [kind, model, hash] = record.value.fields(["kind", "model", "toolsHash"]);
        if kind.and_then(Value::string).as_deref() == Some("compaction") {
            return record.push(record.quiet(), out);
        }
        let mut notes = record.notes(out);
        if let Some(model) = notes.text(model, "model").filter(|model| !model.is_empty()) {
            self.model = Some(Arc::from(&*model));
        }
        let hash = notes.text(hash, "toolsHash").unwrap_or_default().into_owned();
        let is_new = self.tools.as_ref().is_none_or(|standing| standing.key != hash);
        match self.tables.get(&hash).filter(|table| is_new && !table.contents.is_empty()) {
            Some(table) => {
                let draft = EventDraft::message(table.clone(), record.quiet().envelope);
                replace_standing(&mut self.tools, hash, draft, record, out);
            }
            None => record.push(record.quiet(), out),
        }
    }

    fn add_message(&mut self, record: &KimiRecord<'_>, out: &mut Batch) {
        let Some(message) = record.value.get("message").and_then(Value::object) else {
            record.notes(out).odd("message");
            return record.push(EventDraft::opaque(record.kind.as_str(), record.value), out);
        };
        let kind = message_kind(message);
        let read = read_message(message, self.model.clone(), &mut record.notes(out));
        let draft = EventDraft::message(read, payload_around(record.value, message.get("content")));
        let event = draft.event(record.stamp, record.entry.clone());
        self.history.add_message(kind, event, out);
    }

    fn add_step(&mut self, record: &KimiRecord<'_>, out: &mut Batch) {
        let event = record.value.get("event").and_then(Value::object).unwrap_or_default();
        let [kind, uuid, step] = event.fields(["type", "uuid", "stepUuid"]);
        let step = owned(step).or_else(|| owned(uuid)).unwrap_or_default();
        let kind = record.notes(out).required_text(kind, "event.type").into_owned();
        match kind.as_str() {
            "step.begin" => {
                self.history.begin_step(&step, out);
                record.push(record.quiet(), out);
            }
            "step.end" => {
                let usage = read_usage(event.get("usage"), &mut record.notes(out));
                let draft = match usage.filter(|_| self.history.has_parts(&step)) {
                    Some(usage) => {
                        let model = self.model.clone();
                        let report = UsageReport { usage: Some(usage), model, ..UsageReport::default() };
                        EventDraft::whole(EventBody::Usage(report), record.value)
                    }
                    None => record.quiet(),
                };
                record.push(draft, out);
                self.history.end_step(&step, out);
            }
            "content.part" | "tool.call" => {
                if !self.history.is_open(&step) {
                    record.notes(out).odd("stepUuid");
                    self.history.begin_step(&step, out);
                }
                let mut notes = record.notes(out);
                let (read, call) = match kind.as_str() {
                    "tool.call" => read_call(event, &mut notes),
                    _ => (read_part(event, &mut notes), None),
                };
                let message =
                    Message { model: self.model.clone(), reply: Some(Arc::from(&*step)), ..read.message };
                let read = ReadMessage { message, ..read };
                record.push(EventDraft::message(read, record.quiet().envelope), out);
                self.history.add_part(&step, record.entry.clone(), call);
            }
            "tool.result" => {
                let (read, call) = read_result(event, &mut record.notes(out));
                // The harness passes over a result that no open call waits for.
                if !self.history.awaits(&call) {
                    return record.push(record.quiet(), out);
                }
                let draft = EventDraft::message(read, record.quiet().envelope);
                self.history.add_result(draft.event(record.stamp, record.entry.clone()), &call, out);
            }
            unknown => {
                let body = record.notes(out).unknown(format!("event/{unknown}"));
                record.push(EventDraft::whole(body, record.value), out);
            }
        }
    }

    /// The human's messages stay, as far as they fit, and the summary stands behind them; before protocol 1.3 the
    /// summary stood first, and the messages behind the summarised ones stayed.
    fn compact(&mut self, record: &KimiRecord<'_>, out: &mut Batch) {
        let mut notes = record.notes(out);
        let told = |name: &str, notes: &mut Notes<'_>| notes.count(record.value.get(name), name);
        let tokens_before = told("tokensBefore", &mut notes);
        let n_kept = told("keptUserMessageCount", &mut notes);
        let n_head = told("keptHeadUserMessageCount", &mut notes);
        let n_compacted = told("compactedCount", &mut notes).or_else(|| told("count", &mut notes));
        let summary = read_summary(record.value, &mut notes);
        let CompactedRows { kept, is_behind } = self.history.compact(n_kept, n_head, n_compacted, out);
        let standing = [&self.prompt, &self.tools].into_iter().flatten().map(|standing| &standing.entry);
        let keep: Vec<EntryId> = standing.chain(&kept).cloned().collect();
        let (first, last) = if is_behind { (None, Some(summary)) } else { (Some(summary), None) };
        let (own, contents) = first.map(|read| (read.message, read.contents)).unzip();
        let body = EventBody::Compaction(cwl_engine::Compaction {
            summary: own,
            keep: cwl_engine::Keep::Entries(keep),
            tokens_before,
        });
        let draft = EventDraft::whole(body, record.value);
        record.push(EventDraft { contents: contents.unwrap_or_default(), ..draft }, out);
        if let Some(read) = last {
            record.push_named("summary", EventDraft::message(read, Default::default()), out);
            self.history.add_row(RowKind::Summary, EntryId::new(format!("{}/summary", record.entry)));
        } else {
            self.history.add_first(RowKind::Summary);
        }
    }

    fn undo(&mut self, record: &KimiRecord<'_>, out: &mut Batch) {
        let count = record.notes(out).count(record.value.get("count"), "count").unwrap_or(0);
        let gone = self.history.undo(count, out);
        self.take_back(record, gone, out);
    }

    fn take_back(&mut self, record: &KimiRecord<'_>, gone: Vec<EntryId>, out: &mut Batch) {
        self.history.drop_waiting(out);
        let changes: Vec<Change> =
            gone.into_iter().map(|entry| Change::removal(RewriteTarget::Entry(entry))).collect();
        let draft = match changes.is_empty() {
            true => record.quiet(),
            false => record.rewrite(ReplacementCause::Rewind, changes),
        };
        record.push(draft, out);
    }
}

fn replace_standing(
    standing: &mut Option<Standing>,
    key: String,
    draft: EventDraft,
    record: &KimiRecord<'_>,
    out: &mut Batch,
) {
    let new = Standing { key, entry: record.entry.clone() };
    let Some(old) = standing.replace(new) else {
        return record.push(draft, out);
    };
    let EventBody::Message(message) = draft.body else { return };
    let change = Change { target: RewriteTarget::Entry(old.entry), replaced_by: vec![message] };
    let rewrite = record.rewrite(ReplacementCause::Revision, vec![change]);
    record.push(EventDraft { contents: draft.contents, ..rewrite }, out);
}
