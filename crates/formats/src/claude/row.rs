//! Rows: the fields all types share, and the events that each type becomes.

use cwl_engine::{
    Author, EntryId, EventBody, Keep, Message, MessageForm, Parent, Usage, UsageReport, UsageScope,
};

use super::Boundary;
use super::attachment::read_attachment;
use super::message::{SYNTHETIC, read_assistant};
use super::system::{names, read_system};
use super::user::read_user;
use crate::adapter::RecordPlace;
use crate::event::EventDraft;
use crate::json::{Fields, Value, owned};
use crate::known::is_known;
use crate::notes::Notes;
use crate::time::iso_time;
use crate::usage::read_dollars;

/// The first version whose rows are held back until the reply.
const HOLDING_SINCE: [u32; 3] = [2, 1, 190];

pub(super) struct ClaudeRow<'a> {
    pub(super) value: Value<'a>,
    fields: Fields<'a>,
    kind: Option<String>,
    pub(super) side: bool,
}

impl<'a> ClaudeRow<'a> {
    pub(super) fn parse(value: Value<'a>) -> Self {
        let fields = Fields::parse(value);
        let side = fields.get("isSidechain").is_some_and(Value::is_true);
        Self { value, kind: owned(fields.get("type")), fields, side }
    }

    pub(super) fn get(&self, name: &str) -> Option<Value<'a>> {
        self.fields.get(name)
    }

    pub(super) fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    pub(super) fn is_of_requests(&self) -> bool {
        self.is_since(HOLDING_SINCE)
    }

    pub(super) fn is_since(&self, first: [u32; 3]) -> bool {
        let Some(version) = self.get("version").and_then(Value::string) else { return false };
        let mut numbers =
            version.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse::<u32>().ok());
        let mut next = || numbers.next().flatten().unwrap_or(0);
        [next(), next(), next()] >= first
    }

    pub(super) fn is_reply(&self) -> bool {
        let is_written = || {
            let model = self.get("message").map(|message| message.text_of("model"));
            model.is_some_and(|model| model == SYNTHETIC)
                && !self.get("isApiErrorMessage").is_some_and(Value::is_true)
        };
        self.kind() == Some("assistant") && !is_written()
    }

    pub(super) fn message_json(&self) -> String {
        self.get("message")
            .and_then(Value::object)
            .map_or_else(String::new, |message| message.raw().to_owned())
    }

    pub(super) fn rendered(&self) -> Vec<String> {
        let lists = ["rendered", "renderedInHumanTurn"].into_iter().filter_map(|list| self.get(list));
        lists.flat_map(Value::items).filter_map(|one| owned(one.get("content"))).collect()
    }

    pub(super) fn entry(&self, at: RecordPlace) -> EntryId {
        self.own_id().map_or_else(|| at.entry(), EntryId::new)
    }

    pub(super) fn is_progress(&self) -> bool {
        self.kind() == Some("progress")
    }

    pub(super) fn own_id(&self) -> Option<String> {
        owned(self.get("uuid")).filter(|id| !id.is_empty())
    }

    fn is_spoken(&self) -> bool {
        matches!(self.kind(), Some("user" | "assistant" | "attachment"))
    }

    fn is_boundary(&self) -> bool {
        self.kind() == Some("system") && owned(self.get("subtype")).as_deref() == Some("compact_boundary")
    }

    pub(super) fn boundary(&self, notes: &mut Notes<'_>) -> Option<Boundary> {
        if !self.is_boundary() {
            return None;
        }
        let metadata = self.get("compactMetadata");
        let tokens = metadata.and_then(|metadata| metadata.get("preTokens"));
        let tokens_before = tokens.and_then(|tokens| tokens.raw().parse().ok());
        Some(Boundary { keep: kept_by(metadata, notes), tokens_before })
    }

    pub(super) fn parent(&self, notes: &mut Notes<'_>) -> Parent {
        if notes.flag(self.get("isSidechain"), "isSidechain") != self.side {
            notes.odd("isSidechain");
        }
        if self.own_id().is_none() {
            if !self.is_spoken() {
                return Parent::Outside;
            }
            notes.odd("uuid");
        }
        // For Claude Code a boundary is a root; a separate field states the record before it.
        let field = if self.is_boundary() { "logicalParentUuid" } else { "parentUuid" };
        let parent = self.get(field);
        match parent {
            Some(null) if null.is_null() && !self.is_boundary() => Parent::Root,
            _ => match notes.text(parent, field).filter(|id| !id.is_empty()) {
                Some(id) => Parent::Woven(EntryId::new(id)),
                None if self.is_boundary() => Parent::Previous,
                None => {
                    if parent.is_none() {
                        notes.odd(field);
                    }
                    Parent::Previous
                }
            },
        }
    }

    pub(super) fn time(&self, notes: &mut Notes<'_>) -> Option<i64> {
        notes.time(self.get("timestamp").filter(|own| !own.is_null()), "timestamp", iso_time)
    }
}

/// Returns the records a compaction keeps. They stand before it in the file and behind its summary in the
/// context.
fn kept_by(metadata: Option<Value<'_>>, notes: &mut Notes<'_>) -> Keep {
    let field = |outer: &str, inner: &str| metadata.and_then(|metadata| metadata.get(outer)?.get(inner));
    let rows = names(field("preservedMessages", "uuids"), "preservedMessages", notes);
    if !rows.is_empty() {
        // A row with several authors becomes several events.
        let of_row =
            |row: &String| ["", "/results", "/injected"].map(|part| EntryId::new(format!("{row}{part}")));
        return Keep::Entries(rows.iter().flat_map(of_row).collect());
    }
    // The preserved segment ends where the conversation stood.
    match notes.text(field("preservedSegment", "headUuid"), "preservedSegment") {
        Some(head) if !head.is_empty() => Keep::From(EntryId::new(head)),
        _ => Keep::Nothing,
    }
}

#[derive(Clone)]
pub(super) struct RowEvent {
    /// Suffix that distinguishes the events of one row.
    pub(super) name: &'static str,
    pub(super) draft: EventDraft,
}

impl RowEvent {
    pub(super) fn own(draft: EventDraft) -> Self {
        Self { name: "row", draft }
    }

    pub(super) fn whole(row: &ClaudeRow<'_>, body: EventBody) -> Self {
        Self::own(EventDraft::whole(body, row.value))
    }

    pub(super) fn is_prompt(&self) -> bool {
        let is_prompt = |message: &Message| {
            message.author == Author::Human
                && message.form == MessageForm::Plain
                && !message.blocks.is_empty()
        };
        matches!(&self.draft.body, EventBody::Message(message) if is_prompt(message))
    }

    pub(super) fn quiet(row: &ClaudeRow<'_>, record: impl Into<Box<str>>) -> Self {
        Self::whole(row, EventBody::Quiet { record: record.into() })
    }

    pub(super) fn unknown(row: &ClaudeRow<'_>, record: &str, notes: &mut Notes<'_>) -> Self {
        Self::whole(row, notes.unknown(record))
    }
}

/// Reads a row as one or more events; the last one is the row's own.
pub(super) fn read_row(row: &ClaudeRow<'_>, notes: &mut Notes<'_>) -> Vec<RowEvent> {
    let Some(kind) = row.kind() else {
        notes.odd("type");
        return vec![RowEvent::whole(row, EventBody::Opaque { record: "no type".into() })];
    };
    vec![match kind {
        "user" => return read_user(row, notes),
        "assistant" => read_assistant(row, notes),
        "system" => return read_system(row, notes),
        "attachment" => read_attachment(row, notes),
        // The full texts stand in other rows; progress rows repeat them for the screen.
        "progress" => {
            let kind = row.get("data").and_then(|data| data.get("type")).and_then(Value::string);
            let kind = kind.unwrap_or("unknown".into());
            RowEvent::own(EventDraft::bare(EventBody::Quiet { record: format!("progress/{kind}").into() }))
        }
        "file-history-snapshot" => RowEvent::own(EventDraft::bare(EventBody::Quiet { record: kind.into() })),
        "custom-title" | "ai-title" => {
            let title = row.get("customTitle").or(row.get("aiTitle"));
            let title = notes.text(title, "title").filter(|title| !title.is_empty());
            RowEvent::whole(row, EventBody::Title(title.map(|title| title.into())))
        }
        "cost-state" => {
            let stated_cost = read_dollars(row.get("totalCostUSD"), "totalCostUSD", notes);
            // A cost of 0 means that the session's requests have no price.
            let usage = stated_cost
                .filter(|cost| *cost > 0)
                .map(|cost| Usage { stated_cost: Some(cost), ..Usage::default() });
            let report = UsageReport { of: UsageScope::Session, usage, ..UsageReport::default() };
            RowEvent::whole(row, EventBody::Usage(report))
        }
        quiet if is_known("claude-code.rows", quiet) => RowEvent::quiet(row, quiet),
        unknown => RowEvent::unknown(row, unknown, notes),
    }]
}
