//! The system prompt of a conversation, its compactions and its clearings.

use cwl_engine::{
    Author, BlockKind, Change, Compaction, EntryId, EventBody, Keep, MessageForm, ProblemKind,
    ReplacementCause, Rewrite, RewriteTarget, Role,
};

use super::message::Usages;
use super::row::CopilotRow;
use crate::adapter::Batch;
use crate::blocks::{Blocks, ReadMessage, formed_message, plain_message};
use crate::event::{EventDraft, InOneRecord};
use crate::json::Value;
use crate::notes::Notes;
use crate::payload::{around_text, payload_around};

/// Maximum number of bytes that all compactions and clearings of a log may repeat: a short row can stand for
/// much text.
const REPEATED_BYTES: usize = 64 << 20;

/// Maximum number of bytes of human messages repeated beside one summary.
const ASKED_BYTES: usize = 1 << 20;

#[derive(Clone, Default)]
pub(super) struct Conversation {
    standing: Option<SystemPromptState>,
    pub(super) usages: Usages,
    pub(super) window: Option<u64>,
    /// The human's messages as typed, which newer versions repeat beside a summary.
    asked: Vec<String>,
    asked_bytes: usize,
    /// Events whose reasoning is sent only until the session is resumed.
    reasoning: Vec<EntryId>,
    repeated: usize,
}

#[derive(Clone)]
struct SystemPromptState {
    prompt: ReadMessage,
    entry: EntryId,
    summary: Option<ReadMessage>,
}

impl SystemPromptState {
    fn text(&self) -> &str {
        self.prompt.contents.first().map_or("", |content| &content.text)
    }

    fn n_bytes(&self) -> usize {
        let all = self.prompt.contents.iter().chain(self.summary.iter().flat_map(|read| &read.contents));
        all.map(|content| content.text.len()).sum()
    }

    fn whole(&self) -> InOneRecord {
        let mut all = InOneRecord::default();
        all.push(self.prompt.clone());
        self.summary.iter().for_each(|summary| all.push(summary.clone()));
        all
    }
}

impl Conversation {
    /// A prompt comes with every user message; the last one counts.
    pub(super) fn instruct(&mut self, row: &CopilotRow<'_>, out: &mut Batch) {
        let content = row.data.get("content");
        let mut notes = row.notes(&mut out.problems);
        let mut blocks = Blocks::new(0, &mut notes);
        blocks.push_text(BlockKind::Text, content.unwrap_or(row.data), content, "content");
        let prompt = blocks.into_message(plain_message(Role::System, Author::Harness));
        let text = prompt.contents.first().map_or("", |content| &content.text);
        match &mut self.standing {
            Some(standing) if standing.text() == text => out.events.push(row.event(row.quiet())),
            Some(standing) => {
                standing.prompt = prompt;
                let new = standing.whole();
                let target = RewriteTarget::Entry(std::mem::replace(&mut standing.entry, row.entry.clone()));
                let change = Change { target, replaced_by: new.messages };
                let rewrite = Rewrite { cause: ReplacementCause::Revision, changes: vec![change] };
                let draft = EventDraft::whole(EventBody::Rewrite(rewrite), row.value);
                out.events.push(row.event(EventDraft { contents: new.contents, ..draft }));
            }
            None => {
                self.standing = Some(SystemPromptState {
                    prompt: prompt.clone(),
                    entry: row.entry.clone(),
                    summary: None,
                });
                out.events.push(row.event(EventDraft::message(prompt, payload_around(row.value, content))));
            }
        }
    }

    pub(super) fn ask(&mut self, read: &ReadMessage) {
        if read.message.author != Author::Human {
            return;
        }
        for content in read.contents.iter().filter(|content| !content.text.is_empty()) {
            self.asked_bytes = self.asked_bytes.saturating_add(content.text.len());
            if self.asked_bytes <= ASKED_BYTES {
                self.asked.push(content.text.clone());
            }
        }
    }

    /// Version 1.0.102 was observed to send this form.
    fn summary_as_sent(&mut self, summary: &str) -> String {
        const INTRODUCTION: &str = "Some of the conversation history has been summarized to free up context.";
        const ASKED: &str = "You were originally given instructions from a user over one or more turns. Here were the user messages:";
        let messages = self.asked.iter().map(|text| format!("<user_message>\n{text}\n</user_message>\n"));
        let messages: String = messages.collect();
        self.repeated = self.repeated.saturating_add(messages.len());
        format!(
            "{INTRODUCTION}\n\n{ASKED}\n{messages}\nHere is a summary of the prior context:\n<summary>\n{summary}\n</summary>\n"
        )
    }

    /// The summary replaces older messages, but the row does not say which.
    pub(super) fn compact(&mut self, row: &CopilotRow<'_>, out: &mut Batch) {
        let [success, summary, tokens, outcome] =
            row.data.fields(["success", "summaryContent", "preCompactionTokens", "outcome"]);
        if !success.is_some_and(Value::is_true) {
            return out.events.push(row.event(row.quiet()));
        }
        let mut notes = row.notes(&mut out.problems);
        notes.note(ProblemKind::UnnamedKeep);
        let tokens_before = notes.tokens(tokens, "preCompactionTokens");
        let text = notes.text(summary, "summaryContent");
        let summary = text.filter(|text| !text.is_empty()).zip(summary).map(|(text, value)| {
            // Rows without an outcome are older than the known form.
            let sent = if outcome.is_some() { self.summary_as_sent(&text) } else { text.into_owned() };
            let mut blocks = Blocks::new(0, &mut notes);
            blocks.push(BlockKind::Text, sent, around_text(value, Some(value)));
            blocks.into_message(formed_message(Role::User, Author::Harness, MessageForm::Summary))
        });
        let new = self.restart(row, summary, &mut notes);
        let keep = Keep::Retained(new.messages);
        let body = EventBody::Compaction(Compaction { summary: None, keep, tokens_before });
        let draft = EventDraft { contents: new.contents, ..EventDraft::whole(body, row.value) };
        out.events.push(row.event(draft));
    }

    pub(super) fn think(&mut self, entry: EntryId) {
        self.reasoning.push(entry);
    }

    pub(super) fn resume(&mut self, row: &CopilotRow<'_>, out: &mut Batch) {
        let gone = std::mem::take(&mut self.reasoning).into_iter();
        let changes: Vec<Change> = gone.map(|entry| Change::removal(RewriteTarget::Entry(entry))).collect();
        if changes.is_empty() {
            return out.events.push(row.event(row.quiet()));
        }
        let rewrite = Rewrite { cause: ReplacementCause::Revision, changes };
        out.events.push(row.event(EventDraft::whole(EventBody::Rewrite(rewrite), row.value)));
    }

    /// The system prompt stays.
    pub(super) fn clear(&mut self, row: &CopilotRow<'_>, out: &mut Batch) {
        self.asked.clear();
        let new = self.restart(row, None, &mut row.notes(&mut out.problems));
        let change = Change { target: RewriteTarget::All, replaced_by: new.messages };
        let rewrite = Rewrite { cause: ReplacementCause::Rewind, changes: vec![change] };
        let draft = EventDraft::whole(EventBody::Rewrite(rewrite), row.value);
        out.events.push(row.event(EventDraft { contents: new.contents, ..draft }));
    }

    fn restart(
        &mut self,
        row: &CopilotRow<'_>,
        summary: Option<ReadMessage>,
        notes: &mut Notes<'_>,
    ) -> InOneRecord {
        self.reasoning.clear();
        if let Some(standing) = &mut self.standing {
            standing.summary = None;
            self.repeated = self.repeated.saturating_add(standing.n_bytes());
            if self.repeated > REPEATED_BYTES {
                notes.note(ProblemKind::MissingHistory {
                    before: "a system prompt that is repeated too often".into(),
                });
                self.standing = None;
            }
        }
        if let Some(standing) = &mut self.standing {
            standing.entry = row.entry.clone();
            standing.summary = summary;
            return standing.whole();
        }
        let mut new = InOneRecord::default();
        summary.into_iter().for_each(|summary| new.push(summary));
        new
    }
}
