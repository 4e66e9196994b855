//! Rows in the `user` role: tool results, texts of the harness, and the human's texts.

use cwl_engine::{Author, Compaction, EventBody, Keep, MessageForm, ProblemKind, RawPayload, Role};

use super::message::read_parts;
use super::row::{ClaudeRow, RowEvent};
use super::voice::{TextAuthorship, voice_of_row, voice_of_text};
use crate::blocks::formed_message;
use crate::content::{check_content, parts_of};
use crate::event::EventDraft;
use crate::json::{JsonType, Value};
use crate::notes::Notes;
use crate::payload::payload_around;

/// Reads a `user` row as up to three events: results, then the harness's texts, then the human's.
pub(super) fn read_user(row: &ClaudeRow<'_>, notes: &mut Notes<'_>) -> Vec<RowEvent> {
    let Some(message) = row.get("message").and_then(Value::object) else {
        notes.odd("message");
        return vec![RowEvent::whole(row, EventBody::Opaque { record: "user".into() })];
    };
    let content = message.get("content");
    check_content(content, "message.content", notes);
    let parts = parts_of(content);
    let envelope = payload_around(message, content);
    if notes.flag(row.get("isCompactSummary"), "isCompactSummary") {
        return vec![summary(content, envelope, notes)];
    }
    let row_voice = voice_of_row(row, notes);
    let mut groups = AuthorGroups::default();
    for part in parts {
        groups.add(part, row_voice.as_ref());
    }
    groups.into_events(row_voice, envelope, notes)
}

fn summary(content: Option<Value<'_>>, envelope: RawPayload, notes: &mut Notes<'_>) -> RowEvent {
    let frame = formed_message(Role::User, Author::Harness, MessageForm::Summary);
    let read = read_parts(parts_of(content), frame, notes);
    let compaction = Compaction { summary: Some(read.message), keep: Keep::Nothing, tokens_before: None };
    RowEvent::own(EventDraft { body: EventBody::Compaction(compaction), contents: read.contents, envelope })
}

#[derive(Default)]
struct AuthorGroups<'a> {
    results: Vec<(u32, Value<'a>)>,
    harness: Vec<(u32, Value<'a>)>,
    human: Vec<(u32, Value<'a>)>,
    harness_voice: Option<TextAuthorship>,
    human_voice: Option<TextAuthorship>,
    unsure: bool,
}

impl<'a> AuthorGroups<'a> {
    fn add(&mut self, part: (u32, Value<'a>), row_voice: Option<&TextAuthorship>) {
        let voice = voice_of_part(part.1, row_voice);
        self.unsure |= voice == Some(TextAuthorship::Unsure);
        match voice {
            Some(TextAuthorship::Tool) => self.results.push(part),
            Some(TextAuthorship::Harness(_)) => {
                self.harness_voice = self.harness_voice.take().or(voice);
                self.harness.push(part);
            }
            Some(TextAuthorship::Human | TextAuthorship::Shell | TextAuthorship::Unsure) => {
                self.human_voice = self.human_voice.take().or(voice);
                self.human.push(part);
            }
            None => self.human.push(part),
        }
    }

    fn into_events(
        self,
        row_voice: Option<TextAuthorship>,
        envelope: RawPayload,
        notes: &mut Notes<'_>,
    ) -> Vec<RowEvent> {
        // Beside results, nothing tells the human's texts from the harness's.
        if self.unsure || (!self.results.is_empty() && !self.human.is_empty()) {
            notes.note(ProblemKind::UnsureAuthor);
        }
        let human_voice = self.human_voice.or(row_voice).unwrap_or(TextAuthorship::Human);
        let mut events = Vec::new();
        let all = [
            ("results", TextAuthorship::Tool, self.results),
            ("injected", self.harness_voice.unwrap_or(TextAuthorship::Human), self.harness),
            ("human", human_voice, self.human),
        ];
        for (name, voice, group) in all {
            // A row without parts is still an event.
            if group.is_empty() && (name != "human" || !events.is_empty()) {
                continue;
            }
            let read = read_parts(group, voice.frame(), notes);
            events.push(RowEvent { name, draft: EventDraft::message(read, RawPayload::default()) });
        }
        if let Some(own) = events.last_mut() {
            own.draft.envelope = envelope;
        }
        events
    }
}

/// Returns the authorship of `part`; `None` if the part has no text to judge by.
fn voice_of_part(part: Value<'_>, row_voice: Option<&TextAuthorship>) -> Option<TextAuthorship> {
    let text = if part.kind() == JsonType::Text {
        Some(part)
    } else {
        let [kind, text] = part.fields(["type", "text"]);
        match kind.and_then(Value::string).as_deref() {
            Some("tool_result") => return Some(TextAuthorship::Tool),
            Some("text") => text,
            _ => return row_voice.cloned(),
        }
    };
    match row_voice {
        Some(voice) => Some(voice.clone()),
        None => Some(voice_of_text(&text?.string()?)),
    }
}
