//! Rows in the user's role: results of tools, texts of the harness, and texts of the human.

use cwl_engine::{Author, EventBody, Message, MessageForm, ProblemKind, RawPayload, Role};

use crate::blocks::{Blocks, formed_message, plain_message};
use crate::content::anthropic::push_part;
use crate::content::{check_content, parts_of};
use crate::event::EventDraft;
use crate::json::{JsonType, Value, owned};
use crate::notes::Notes;
use crate::payload::payload_around;

const OPENING: &str = "<system-reminder>";
const CLOSING: &str = "</system-reminder>";

/// The name of an event, its parts with their numbers, and its frame.
type DroidPartGroup<'a> = (&'static str, Vec<(u32, Value<'a>)>, Message);

pub(super) enum RowVoice {
    Human,
    Harness(&'static str),
}

impl RowVoice {
    pub(super) fn of_message(message: Value<'_>, is_called: bool, notes: &mut Notes<'_>) -> Self {
        let [visibility, hidden, source] =
            message.fields(["visibility", "hiddenFromUserViews", "userMessageSource"]);
        let is_hidden = notes.flag(hidden, "message.hiddenFromUserViews");
        let text = |value: Option<Value<'_>>| owned(value).unwrap_or_default();
        if is_hidden || text(visibility) == "llm_only" {
            return Self::Harness("context");
        }
        match text(source).as_str() {
            "automation" => Self::Harness("automation"),
            // The calling agent writes to a subagent.
            _ if is_called => Self::Harness("prompt"),
            _ => Self::Human,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PartVoice {
    Result,
    Reminder,
    /// Begins as a reminder and continues with other text.
    Unsure,
    Other,
}

fn voice_of_part(part: Value<'_>) -> PartVoice {
    let text = match part.kind() {
        JsonType::Text => Some(part),
        _ => {
            let [kind, text] = part.fields(["type", "text"]);
            match kind.and_then(Value::string).as_deref() {
                Some("tool_result") => return PartVoice::Result,
                Some("text") => text,
                _ => None,
            }
        }
    };
    let text = owned(text).unwrap_or_default();
    match text.trim() {
        text if !text.starts_with(OPENING) => PartVoice::Other,
        text if text.ends_with(CLOSING) => PartVoice::Reminder,
        text if text.contains(CLOSING) => PartVoice::Unsure,
        _ => PartVoice::Other,
    }
}

pub(super) fn is_results(content: Option<Value<'_>>) -> bool {
    let mut parts = parts_of(content).peekable();
    parts.peek().is_some() && parts.all(|(_, part)| voice_of_part(part) == PartVoice::Result)
}

/// Reads a row as up to three events, named but for the last: results, the harness's texts, then the human's.
pub(super) fn read_user(
    record: Value<'_>,
    content: Option<Value<'_>>,
    row: &RowVoice,
    notes: &mut Notes<'_>,
) -> Vec<(&'static str, EventDraft)> {
    check_content(content, "message.content", notes);
    let (mut results, mut injected, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let mut is_unsure = false;
    for part in parts_of(content) {
        let voice = voice_of_part(part.1);
        is_unsure |= voice == PartVoice::Unsure && matches!(row, RowVoice::Human);
        match (voice, row) {
            (PartVoice::Result, _) => results.push(part),
            (PartVoice::Reminder, RowVoice::Human) => injected.push(part),
            _ => others.push(part),
        }
    }
    if is_unsure || (!results.is_empty() && !others.is_empty() && matches!(row, RowVoice::Human)) {
        notes.note(ProblemKind::UnsureAuthor);
    }
    let harness =
        |name: &str| formed_message(Role::User, Author::Harness, MessageForm::Custom { name: name.into() });
    let own = match row {
        RowVoice::Human => plain_message(Role::User, Author::Human),
        RowVoice::Harness(name) => harness(name),
    };
    let groups: [DroidPartGroup<'_>; 3] = [
        ("results", results, plain_message(Role::Tool, Author::Tool)),
        ("injected", injected, harness("system-reminder")),
        ("", others, own),
    ];
    let mut drafts = Vec::new();
    for (name, parts, frame) in groups {
        if parts.is_empty() {
            continue;
        }
        let mut blocks = Blocks::new(0, notes);
        blocks.keeps_parts = true;
        for (index, part) in parts {
            blocks.next = index;
            push_part(&mut blocks, part);
        }
        drafts.push((name, EventDraft::message(blocks.into_message(frame), RawPayload::default())));
    }
    match drafts.last_mut() {
        Some((name, draft)) => {
            *name = "";
            draft.envelope = payload_around(record, content);
        }
        None => {
            let body = EventBody::Quiet { record: "message without parts".into() };
            drafts.push(("", EventDraft::whole(body, record)));
        }
    }
    drafts
}
