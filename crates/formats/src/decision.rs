//! Decisions of `cwl live`: records in which a policy at work in the agent states what it evicted from the
//! next request.
//!
//! Each decision states the difference from the one before; the first of a process, and one after a change of
//! the history, states everything (`whole`). Evicted parts are out of the context from there on, as after a
//! rewrite by the harness.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{
    Author, BlockKind, Change, EntryId, EventBody, MessageForm, ReplacementCause, Rewrite, RewriteTarget,
    Role, ToolCallId, ToolResult,
};

use crate::blocks::{Blocks, formed_message, plain_message};
use crate::event::{EventDraft, InOneRecord};
use crate::json::{Fields, Value, is_json};
use crate::notes::Notes;

pub(crate) const DECISION: &str = "cwl.decision";
/// Type of the messages that stand in place of evicted parts.
const INSERTED: &str = "cwl.residue";

type RecordPart = (EntryId, u32);

/// Evicted parts and inserted texts of the decisions so far, as the log names them.
#[derive(Clone, Default)]
pub(crate) struct Evictions {
    parts: BTreeSet<RecordPart>,
    /// Each with its place in the record that inserted it.
    texts: Vec<(String, RecordPart)>,
    stand_ins: BTreeMap<RecordPart, RecordPart>,
    has_begun: bool,
}

impl Evictions {
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_begun
    }

    pub(crate) fn read_decision(
        &mut self,
        own: &Fields<'_>,
        entry: &EntryId,
        notes: &mut Notes<'_>,
    ) -> EventDraft {
        self.has_begun = true;
        let data = Fields::parse(own.get("data").unwrap_or_default());
        let is_whole = notes.flag(data.get("whole"), "data.whole");
        let evicted = read_parts(data.get("evicted"), "data.evicted", notes);
        let mut restored = read_parts(data.get("restored"), "data.restored", notes);
        let replaced: Vec<(RecordPart, Fields<'_>)> = items(data.get("replaced"))
            .map(Fields::parse)
            .filter_map(|one| Some((read_part(one.get("entry"), one.get("part"))?, one)))
            .collect();
        let mut removed: Vec<String> =
            items(data.get("removed")).filter_map(Value::string).map(|text| text.into_owned()).collect();
        if is_whole {
            let stays = |part: &&RecordPart| {
                evicted.contains(part) || replaced.iter().any(|(replaced, _)| replaced == *part)
            };
            restored = self.parts.iter().filter(|part| !stays(part)).cloned().collect();
            removed = self.texts.iter().map(|(text, _)| text.clone()).collect();
        }
        let mut targets: Vec<RewriteTarget> = Vec::new();
        for text in removed {
            if let Some(at) = self.texts.iter().position(|(known, _)| *known == text) {
                let (_, (holder, index)) = self.texts.remove(at);
                targets.push(RewriteTarget::Part(holder, index));
            }
        }
        for part in restored.iter().chain(&evicted).chain(replaced.iter().map(|(part, _)| part)) {
            targets.extend(
                self.stand_ins.remove(part).map(|(holder, index)| RewriteTarget::Part(holder, index)),
            );
        }
        for part in restored {
            self.parts.remove(&part);
            targets.push(RewriteTarget::PartBack(part.0, part.1));
        }
        for part in evicted {
            self.parts.insert(part.clone());
            targets.push(RewriteTarget::Part(part.0, part.1));
        }
        let mut changes: Vec<Change> = targets.into_iter().map(Change::removal).collect();
        let mut put = InOneRecord::default();
        for (part, one) in replaced {
            self.parts.insert(part.clone());
            self.stand_ins.insert(part.clone(), (entry.clone(), put.next));
            push_result(&one, &mut put, notes);
            let replaced_by = std::mem::take(&mut put.messages);
            changes.push(Change { target: RewriteTarget::Part(part.0, part.1), replaced_by });
        }
        for inserted in items(data.get("inserted")).map(Fields::parse) {
            let before = notes.text(inserted.get("before"), "data.inserted.before").map(EntryId::new);
            self.texts.push((inserted.text_of("text").into_owned(), (entry.clone(), put.next)));
            push_text(inserted.get("text"), &mut put, notes);
            let replaced_by = std::mem::take(&mut put.messages);
            changes.push(Change { target: RewriteTarget::Before(before), replaced_by });
        }
        if changes.is_empty() {
            return EventDraft::whole(EventBody::Quiet { record: DECISION.into() }, own.value);
        }
        let body = EventBody::Rewrite(Rewrite { cause: ReplacementCause::Eviction, changes });
        EventDraft { contents: put.contents, ..EventDraft::whole(body, own.value) }
    }
}

fn items<'a>(list: Option<Value<'a>>) -> impl Iterator<Item = Value<'a>> {
    list.into_iter().flat_map(Value::items)
}

fn read_parts(list: Option<Value<'_>>, field: &str, notes: &mut Notes<'_>) -> Vec<RecordPart> {
    let mut found = Vec::new();
    for pair in items(list) {
        let mut pair = pair.items();
        match read_part(pair.next(), pair.next()) {
            Some(part) => found.push(part),
            None => notes.odd(field),
        }
    }
    found
}

fn read_part(entry: Option<Value<'_>>, part: Option<Value<'_>>) -> Option<RecordPart> {
    Some((EntryId::new(entry?.string()?), part?.raw().parse().ok()?))
}

fn push_text(text: Option<Value<'_>>, put: &mut InOneRecord, notes: &mut Notes<'_>) {
    let mut blocks = Blocks::new(put.next, notes);
    blocks.push_text(BlockKind::Text, text.unwrap_or_default(), text, "data.inserted.text");
    let frame = formed_message(Role::User, Author::Harness, MessageForm::Custom { name: INSERTED.into() });
    put.push(blocks.into_message(frame));
}

fn push_result(one: &Fields<'_>, put: &mut InOneRecord, notes: &mut Notes<'_>) {
    let mut blocks = Blocks::new(put.next, notes);
    let call = ToolCallId::new(blocks.notes.required_text(one.get("call"), "data.replaced.call"));
    let result = ToolResult { call, name: None, ok: true, mark: None };
    blocks.push_result(result, one.value, one.get("text"), "data.replaced.text");
    put.push(blocks.into_message(plain_message(Role::Tool, Author::Tool)));
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoggedDecision {
    /// Turn of the request, as the live process counted.
    pub turn: u32,
    pub policy: String,
    /// Options that differ from their defaults.
    pub options: BTreeMap<String, String>,
    /// τ, in tokens.
    pub budget: u64,
    /// Tokens of system prompt and tools, which the messages do not hold.
    pub overhead: u64,
    pub tokenizer: String,
    /// Marks in use: `declared`, `filled` or `inferred`.
    pub marks: String,
    /// `keep`, `evict` or `pass_through`.
    pub verdict: String,
    /// The reason for passing the messages through unchanged.
    pub reason: Option<String>,
    /// Size of everything the agent had, in tokens.
    pub whole: u64,
    /// In tokens.
    pub sent: u64,
    pub digest: Option<String>,
}

/// Reads a decision's record, as [`cwl_engine::ParsedEvent::envelope`] has it; `None` for any other record.
pub fn read_logged_decision(record: &str) -> Option<LoggedDecision> {
    if !is_json(record) {
        return None;
    }
    let own = Fields::parse(Value::trusted(record, 0));
    if own.text_of("customType") != DECISION {
        return None;
    }
    let data = Fields::parse(own.get("data")?);
    let count = |value: Option<Value<'_>>| value.and_then(|value| value.raw().parse().ok()).unwrap_or(0);
    let tokens = Fields::parse(data.get("tokens").unwrap_or_default());
    let text = |name: &str| data.text_of(name).into_owned();
    let maybe = |name: &str| data.get(name).and_then(Value::string).map(|text| text.into_owned());
    let options = data.get("options").into_iter().flat_map(Value::members);
    let option = |(key, value): (Value<'_>, Value<'_>)| {
        Some((key.string()?.into_owned(), value.string()?.into_owned()))
    };
    Some(LoggedDecision {
        turn: u32::try_from(count(data.get("turn"))).unwrap_or(u32::MAX),
        policy: text("policy"),
        options: options.filter_map(option).collect(),
        budget: count(data.get("budget")),
        overhead: count(data.get("overhead")),
        tokenizer: text("tokenizer"),
        marks: text("marks"),
        verdict: text("verdict"),
        reason: maybe("reason"),
        whole: count(tokens.get("whole")),
        sent: count(tokens.get("sent")),
        digest: maybe("digest"),
    })
}
