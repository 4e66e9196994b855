//! Rows in the user's slot: results of tools, what the harness put in, and what the human wrote.

use cwl_engine::{Author, Compaction, EventBody, Keep, MessageForm, ProblemKind, RawPayload, Role};

use super::message::{parts_of, read_part};
use super::row::{Part, Row};
use super::voice::{Voice, voice_of_row, voice_of_text};
use crate::blocks::{Blocks, Frame};
use crate::json::{Kind, Value};
use crate::notes::Notes;
use crate::payload::around;

/// Reads a row of the user's slot. Results come out first, then what the harness put in, then the human.
pub(super) fn read_user(row: &Row<'_>, notes: &mut Notes<'_>) -> Vec<Part> {
    let Some(message) = row.message.filter(|message| message.kind() == Kind::Object) else {
        notes.odd("message");
        return vec![Part::whole(row, EventBody::Opaque { record: "user".into() })];
    };
    let [content] = message.fields(["content"]);
    let parts = parts_of(content, notes);
    let envelope = around(message, content);
    if notes.flag(row.is_summary, "isCompactSummary") {
        return vec![summary(&parts, envelope, notes)];
    }
    let row_voice = voice_of_row(row, notes);
    let mut groups = Groups::default();
    for part in parts {
        groups.add(part, row_voice.as_ref());
    }
    groups.into_parts(row_voice, envelope, notes)
}

/// Returns the message of that voice, apart from its blocks.
pub(super) fn frame_of(voice: &Voice) -> Frame {
    let role = if *voice == Voice::Tool { Role::Tool } else { Role::User };
    Frame::new(role, voice.author(), voice.form())
}

/// A summary takes the place of everything before it.
fn summary(parts: &[(u32, Value<'_>)], envelope: RawPayload, notes: &mut Notes<'_>) -> Part {
    let mut blocks = Blocks::new(0, notes);
    for (index, part) in parts {
        read_part(*index, *part, &mut blocks);
    }
    let read = blocks.into_message(Frame::new(Role::User, Author::Harness, MessageForm::Summary));
    let compaction = Compaction { summary: Some(read.message), keep: Keep::Nothing, tokens_before: None };
    Part { contents: read.contents, envelope, ..Part::bare("row", EventBody::Compaction(compaction)) }
}

/// The parts of a row by whose they are.
#[derive(Default)]
struct Groups<'a> {
    results: Vec<(u32, Value<'a>)>,
    harness: Vec<(u32, Value<'a>)>,
    human: Vec<(u32, Value<'a>)>,
    /// What the first text of the harness is called.
    harness_voice: Option<Voice>,
    human_voice: Option<Voice>,
    unsure: bool,
}

impl<'a> Groups<'a> {
    fn add(&mut self, part: (u32, Value<'a>), row_voice: Option<&Voice>) {
        let voice = voice_of_part(part.1, row_voice);
        self.unsure |= voice == Some(Voice::Unsure);
        match voice {
            Some(Voice::Tool) => self.results.push(part),
            Some(Voice::Harness(_)) => {
                self.harness_voice = self.harness_voice.take().or(voice);
                self.harness.push(part);
            }
            Some(Voice::Human | Voice::Shell | Voice::Unsure) => {
                self.human_voice = self.human_voice.take().or(voice);
                self.human.push(part);
            }
            None => self.human.push(part),
        }
    }

    fn into_parts(self, row_voice: Option<Voice>, envelope: RawPayload, notes: &mut Notes<'_>) -> Vec<Part> {
        // Beside results no mark tells whether the human said something or the harness did.
        if self.unsure || (!self.results.is_empty() && !self.human.is_empty()) {
            notes.note(ProblemKind::UnsureAuthor);
        }
        let human_voice = self.human_voice.or(row_voice).unwrap_or(Voice::Human);
        let mut parts = Vec::new();
        let all = [
            ("results", Voice::Tool, self.results),
            ("injected", self.harness_voice.unwrap_or(Voice::Human), self.harness),
            ("human", human_voice, self.human),
        ];
        for (name, voice, group) in all {
            // A row without any part is still a row.
            if group.is_empty() && (name != "human" || !parts.is_empty()) {
                continue;
            }
            let mut blocks = Blocks::new(0, notes);
            for (index, part) in group {
                read_part(index, part, &mut blocks);
            }
            let read = blocks.into_message(frame_of(&voice));
            parts.push(Part::message(name, read, RawPayload::default()));
        }
        if let Some(own) = parts.last_mut() {
            own.envelope = envelope;
        }
        parts
    }
}

/// Tells whose a part is; `None` where it is whoever's the rest of the row is.
fn voice_of_part(part: Value<'_>, row_voice: Option<&Voice>) -> Option<Voice> {
    let text = if part.kind() == Kind::Text {
        Some(part)
    } else {
        let [kind, text] = part.fields(["type", "text"]);
        match kind.and_then(Value::text).as_ref().map(|kind| &*kind.value) {
            Some("tool_result") => return Some(Voice::Tool),
            Some("text") => text,
            _ => return row_voice.cloned(),
        }
    };
    match row_voice {
        Some(voice) => Some(voice.clone()),
        None => Some(voice_of_text(&text?.text()?.value)),
    }
}
