//! Rows: the fields that all of them share, and what each type becomes.

use cwl_engine::{
    Author, Content, EntryId, EventBody, Message, MessageForm, Parent, ProblemKind, RawPayload,
};

use super::Boundary;
use super::attachment::read_attachment;
use super::message::read_assistant;
use super::system::read_system;
use super::user::read_user;
use crate::blocks::ReadMessage;
use crate::format::At;
use crate::json::{Kind, Value};
use crate::notes::Notes;
use crate::payload::whole;
use crate::time::iso_time;

/// Rows that the model never sees and that stand outside the tree.
const QUIET: [&str; 16] = [
    "file-history-snapshot",
    "queue-operation",
    // The title of another session.
    "summary",
    "last-prompt",
    "permission-mode",
    "pr-link",
    "agent-name",
    "mode",
    "worktree-state",
    "relocated",
    "bridge-session",
    "frame-link",
    "started",
    "result",
    "atis-latch",
    "progress",
];

/// The fields of a row, of whatever type; a row is walked once.
pub(super) struct Row<'a> {
    pub(super) value: Value<'a>,
    kind: Option<String>,
    uuid: Option<Value<'a>>,
    parent: Option<Value<'a>>,
    logical_parent: Option<Value<'a>>,
    timestamp: Option<Value<'a>>,
    pub(super) session: Option<Value<'a>>,
    pub(super) cwd: Option<Value<'a>>,
    pub(super) agent: Option<Value<'a>>,
    /// True for a row of a subagent's conversation.
    pub(super) side: bool,
    side_field: Option<Value<'a>>,
    pub(super) message: Option<Value<'a>>,
    pub(super) subtype: Option<Value<'a>>,
    pub(super) content: Option<Value<'a>>,
    pub(super) data: Option<Value<'a>>,
    pub(super) attachment: Option<Value<'a>>,
    pub(super) is_meta: Option<Value<'a>>,
    pub(super) is_summary: Option<Value<'a>>,
    pub(super) is_api_error: Option<Value<'a>>,
    pub(super) origin: Option<Value<'a>>,
    pub(super) source_tool: Option<Value<'a>>,
    pub(super) plan: Option<Value<'a>>,
}

impl<'a> Row<'a> {
    pub(super) fn of(value: Value<'a>) -> Self {
        let [kind, uuid, parent, logical_parent, timestamp, session, cwd, agent, side_field, message] = value
            .fields([
                "type",
                "uuid",
                "parentUuid",
                "logicalParentUuid",
                "timestamp",
                "sessionId",
                "cwd",
                "agentId",
                "isSidechain",
                "message",
            ]);
        let [
            subtype,
            content,
            data,
            attachment,
            is_meta,
            is_summary,
            is_api_error,
            origin,
            source_tool,
            plan,
        ] = value.fields([
            "subtype",
            "content",
            "data",
            "attachment",
            "isMeta",
            "isCompactSummary",
            "isApiErrorMessage",
            "origin",
            "sourceToolUseID",
            "planContent",
        ]);
        let kind = kind.and_then(Value::text).map(|kind| kind.value.into_owned());
        let side = side_field.is_some_and(|side| side.kind() == Kind::Bool(true));
        Self {
            value,
            kind,
            uuid,
            parent,
            logical_parent,
            timestamp,
            session,
            cwd,
            agent,
            side,
            side_field,
            message,
            subtype,
            content,
            data,
            attachment,
            is_meta,
            is_summary,
            is_api_error,
            origin,
            source_tool,
            plan,
        }
    }

    /// Returns the row's type.
    pub(super) fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// Returns the row's own id, or its line's.
    pub(super) fn entry(&self, at: At) -> EntryId {
        match self.own_id() {
            Some(id) => EntryId::new(id),
            None => at.entry(),
        }
    }

    /// Tells whether the row only shows what goes on.
    pub(super) fn is_progress(&self) -> bool {
        self.kind() == Some("progress")
    }

    /// Returns the row's own id; nothing where it has none.
    pub(super) fn own_id(&self) -> Option<String> {
        let id = self.uuid.and_then(Value::text)?.value.into_owned();
        (!id.is_empty()).then_some(id)
    }

    /// Tells whether the row is a message of the conversation by its type.
    fn is_spoken(&self) -> bool {
        matches!(self.kind(), Some("user" | "assistant" | "attachment"))
    }

    fn is_boundary(&self) -> bool {
        self.kind() == Some("system")
            && self.subtype.and_then(Value::text).is_some_and(|subtype| subtype.value == "compact_boundary")
    }

    /// Returns the compaction that the row announces.
    pub(super) fn boundary(&self) -> Option<Boundary> {
        if !self.is_boundary() {
            return None;
        }
        let [metadata] = self.value.fields(["compactMetadata"]);
        let tokens = metadata.and_then(|metadata| metadata.fields(["preTokens"])[0]);
        Some(Boundary { tokens_before: tokens.and_then(|tokens| tokens.raw().parse().ok()) })
    }

    /// Reads what the row continues.
    pub(super) fn parent(&self, notes: &mut Notes<'_>) -> Parent {
        if notes.flag(self.side_field, "isSidechain") != self.side {
            notes.odd("isSidechain");
        }
        if self.own_id().is_none() {
            if !self.is_spoken() {
                return Parent::Outside;
            }
            notes.odd("uuid");
        }
        // A boundary is a root to Claude Code; where the session came from is said beside it.
        let (parent, field) = if self.is_boundary() {
            (self.logical_parent, "logicalParentUuid")
        } else {
            (self.parent, "parentUuid")
        };
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

    /// Reads the row's time in milliseconds since 1970.
    pub(super) fn time(&self, notes: &mut Notes<'_>) -> Option<i64> {
        let own = self.timestamp.filter(|own| !own.is_null())?;
        let time = iso_time(own);
        if time.is_none() {
            notes.odd("timestamp");
        }
        time
    }
}

/// One event that a row becomes.
pub(super) struct Part {
    /// What tells it from the other events of its row.
    pub(super) name: &'static str,
    pub(super) body: EventBody,
    pub(super) contents: Vec<Content>,
    pub(super) envelope: RawPayload,
}

impl Part {
    /// Makes a part that holds nothing of its row's bytes.
    pub(super) fn bare(name: &'static str, body: EventBody) -> Self {
        Self { name, body, contents: Vec::new(), envelope: RawPayload::default() }
    }

    /// Makes the part of a message.
    pub(super) fn message(name: &'static str, read: ReadMessage, envelope: RawPayload) -> Self {
        Self { name, body: EventBody::Message(read.message), contents: read.contents, envelope }
    }

    /// Makes the only part of a row, which is kept as it is.
    pub(super) fn whole(row: &Row<'_>, body: EventBody) -> Self {
        Self { envelope: whole(row.value), ..Self::bare("row", body) }
    }

    /// Tells whether the human says something to the model with it.
    pub(super) fn is_prompt(&self) -> bool {
        let is_prompt = |message: &Message| {
            message.author == Author::Human
                && message.form == MessageForm::Plain
                && !message.blocks.is_empty()
        };
        matches!(&self.body, EventBody::Message(message) if is_prompt(message))
    }

    /// Makes the part of a row that is known and never seen by the model.
    pub(super) fn quiet(row: &Row<'_>, record: impl Into<Box<str>>) -> Self {
        Self::whole(row, EventBody::Quiet { record: record.into() })
    }

    /// Makes the part of a row that nobody knows.
    pub(super) fn unknown(row: &Row<'_>, record: &str, notes: &mut Notes<'_>) -> Self {
        notes.note(ProblemKind::UnknownRecord { record: record.into() });
        Self::whole(row, EventBody::Opaque { record: record.into() })
    }
}

/// Reads a row: never nothing, and the last part is the row's own.
pub(super) fn read_row(row: &Row<'_>, notes: &mut Notes<'_>) -> Vec<Part> {
    let Some(kind) = row.kind() else {
        notes.odd("type");
        return vec![Part::whole(row, EventBody::Opaque { record: "no type".into() })];
    };
    vec![match kind {
        "user" => return read_user(row, notes),
        "assistant" => read_assistant(row, notes),
        "system" => return read_system(row, notes),
        "attachment" => read_attachment(row, notes),
        // What is copied for the screen stands in full where it belongs.
        "progress" => {
            let kind = row.data.and_then(|data| data.fields(["type"])[0]).and_then(Value::text);
            let kind = kind.map_or_else(|| "unknown".into(), |kind| kind.value);
            Part::bare("row", EventBody::Quiet { record: format!("progress/{kind}").into() })
        }
        "file-history-snapshot" => Part::bare("row", EventBody::Quiet { record: kind.into() }),
        "custom-title" | "ai-title" => {
            let [custom, own] = row.value.fields(["customTitle", "aiTitle"]);
            let title = notes.text(custom.or(own), "title").filter(|title| !title.is_empty());
            Part::whole(row, EventBody::Title(title.map(|title| title.into())))
        }
        quiet if QUIET.contains(&quiet) => Part::quiet(row, quiet),
        unknown => Part::unknown(row, unknown, notes),
    }]
}
