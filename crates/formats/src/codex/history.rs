//! Compactions, which exchange the whole history.
//!
//! Newer versions log the new history. Older ones log the summary only, and Codex rebuilds the history from
//! the initial context, the newest human messages and the summary.

use cwl_engine::{
    Author, BlockKind, Change, Compaction, Content, ContentBlock, EventBody, Holds, Keep, Message,
    MessageForm, ProblemKind, RawPayload, ReplacementCause, Rewrite, RewriteTarget, Role,
};

use super::item::{Origin, ReadItem, ReadItemKind, read_item, texts_of};
use super::{Codex, RolloutLine};
use crate::adapter::Batch;
use crate::blocks::{MAX_PARTS, ReadMessage, formed_message};
use crate::event::{EventDraft, InOneRecord};
use crate::json::{JsonType, Value};
use crate::notes::Notes;

/// How much of the human's messages Codex keeps, newest first: 20,000 tokens, estimated as 4 bytes each.
const KEPT_BYTES: usize = 20_000 * 4;
const CONTEXT_BYTES: usize = 1 << 20;
/// Maximum number of bytes that all compactions of a log may repeat: a short record can stand for a long
/// history.
const REPEATED_BYTES: usize = 64 << 20;

#[derive(Clone, Default)]
pub(super) struct CompactedHistory {
    /// The system prompt, which is sent with every request and so survives any compaction.
    instructions: Option<ReadMessage>,
    /// JSON, up to the human's first message.
    context: Vec<String>,
    context_bytes: usize,
    has_begun: bool,
    repeated: usize,
    humans: Vec<String>,
}

impl CompactedHistory {
    pub(super) fn note_prompt(&mut self, prompt: &ReadMessage) {
        self.instructions = Some(prompt.clone());
    }

    pub(super) fn note_item(&mut self, item: Value<'_>, origin: &Origin, message: &Message) {
        match origin {
            Origin::Human => {
                self.add_human(texts_of(item.get("content")).concat());
            }
            // Keeps only texts of the harness: model messages and, later on, notes such as an interrupted
            // turn's are not initial context.
            Origin::Harness
                if !self.has_begun
                    && message.form != MessageForm::Summary
                    && self.context_bytes + item.raw().len() <= CONTEXT_BYTES =>
            {
                self.context_bytes += item.raw().len();
                self.context.push(item.raw().to_owned());
            }
            _ => {}
        }
    }

    fn add_human(&mut self, text: String) {
        self.has_begun = true;
        self.humans.push(shorten_middle(text, KEPT_BYTES));
        let mut room = KEPT_BYTES;
        let kept = self.humans.iter().rev().take_while(|text| {
            let fits = room > 0;
            room = room.saturating_sub(text.len());
            fits
        });
        let kept = kept.count();
        self.humans.drain(..self.humans.len() - kept);
    }

    /// Returns the system prompt for a compaction that also repeats `n_bytes`; `None` and a note beyond
    /// [`REPEATED_BYTES`].
    fn repeated_prompt(&mut self, n_bytes: usize, notes: &mut Notes<'_>) -> Option<InOneRecord> {
        let instructions = self.instructions.as_ref();
        self.repeated += n_bytes
            + instructions
                .map_or(0, |prompt| prompt.contents.iter().map(|content| content.text.len()).sum::<usize>());
        if self.repeated > REPEATED_BYTES {
            notes.note(ProblemKind::MissingHistory { before: "what too many compactions repeat".into() });
            return None;
        }
        let mut new = InOneRecord::default();
        if let Some(prompt) = instructions {
            new.push(prompt.clone());
        }
        Some(new)
    }

    /// Oldest first; the oldest may be truncated.
    fn kept_messages(&self) -> Vec<String> {
        let mut room = KEPT_BYTES;
        let mut kept = Vec::new();
        for text in self.humans.iter().rev() {
            if room == 0 {
                break;
            }
            kept.push(shorten_middle(text.clone(), room));
            room = room.saturating_sub(text.len());
        }
        kept.reverse();
        kept
    }
}

/// Cuts the middle out of a text longer than `max_bytes`, with the same marker as Codex.
fn shorten_middle(text: String, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text;
    }
    let head = text.floor_char_boundary(max_bytes / 2);
    let tail = text.ceil_char_boundary(text.len() - (max_bytes - max_bytes / 2));
    let n_tokens = (tail - head).div_ceil(4);
    format!("{}…{n_tokens} tokens truncated…{}", &text[..head], &text[tail..])
}

impl InOneRecord {
    fn push_text(&mut self, frame: Message, content: Content) {
        let block = ContentBlock { index: 0, kind: BlockKind::Text, images: 0, holds: Holds::default() };
        self.push(ReadMessage { message: Message { blocks: vec![block], ..frame }, contents: vec![content] });
    }

    fn add_built(&mut self, author: Author, form: MessageForm, text: String) {
        let (before, after) = (r#"{"type":"input_text","text":"#.to_owned(), "}".to_owned());
        let content = Content { text, raw: RawPayload::Around { before, after } };
        self.push_text(formed_message(Role::User, author, form), content);
    }
}

impl Codex {
    pub(super) fn read_compacted(&mut self, row: &RolloutLine<'_>, compacted: Value<'_>, out: &mut Batch) {
        let [summary, history] = compacted.fields(["message", "replacement_history"]);
        let mut notes = row.begin_notes(&mut out.problems);
        let summary = notes.text(summary, "message").unwrap_or_default().into_owned();
        let new = match history.map(|history| (history, history.kind())) {
            Some((history, JsonType::List)) => self.read_replacement(history, summary.is_empty(), &mut notes),
            odd => {
                if odd.is_some_and(|(_, kind)| kind != JsonType::Null) {
                    notes.odd("replacement_history");
                }
                self.rebuild_history(summary, row, &mut notes)
            }
        };
        self.replies.on_exchange();
        let keep = Keep::Retained(new.messages);
        let body = EventBody::Compaction(Compaction { summary: None, keep, tokens_before: None });
        let draft = EventDraft { contents: new.contents, ..EventDraft::whole(body, row.value) };
        out.events.push(row.make_event(draft));
    }

    fn read_replacement(
        &mut self,
        history: Value<'_>,
        is_silent: bool,
        notes: &mut Notes<'_>,
    ) -> InOneRecord {
        let mut new = self.history.repeated_prompt(0, notes).unwrap_or_default();
        let mut has_summary = false;
        self.history.humans.clear();
        for (n_items, item) in (0..).zip(history.items()) {
            if n_items == MAX_PARTS {
                notes.odd("replacement_history");
                break;
            }
            match read_item(item, new.next, &mut self.failures, notes) {
                ReadItemKind::Item(read) => {
                    let ReadItem { read, origin, answer } = *read;
                    has_summary |= read.message.form == MessageForm::Summary;
                    if origin == Origin::Human {
                        self.history.add_human(texts_of(item.get("content")).concat());
                    }
                    new.push(read);
                    answer.into_iter().for_each(|answer| new.push(answer));
                }
                ReadItemKind::Quiet(_) => {}
                ReadItemKind::Unknown(record) => {
                    notes.note(ProblemKind::UnknownRecord { record: record.into() })
                }
            }
        }
        if is_silent && !has_summary {
            // Some archives remove the encrypted summary.
            notes.note(ProblemKind::UnreadableSummary);
        }
        new
    }

    fn rebuild_history(
        &mut self,
        summary: String,
        row: &RolloutLine<'_>,
        notes: &mut Notes<'_>,
    ) -> InOneRecord {
        let kept = self.history.kept_messages();
        let n_bytes = self.history.context_bytes + kept.iter().map(String::len).sum::<usize>();
        let repeated = self.history.repeated_prompt(n_bytes, notes);
        let (context, kept) = match repeated {
            Some(_) => (&self.history.context[..], kept),
            None => (&[][..], Vec::new()),
        };
        let mut new = repeated.unwrap_or_default();
        for item in context {
            // Problems of these items were already noted at their own lines.
            let mut noted = Vec::new();
            let mut quietly = row.begin_notes(&mut noted);
            let item = Value::trusted(item, 0);
            if let ReadItemKind::Item(read) = read_item(item, new.next, &mut self.failures, &mut quietly) {
                new.push(read.read);
            }
        }
        for text in kept {
            new.add_built(Author::Human, MessageForm::Plain, text);
        }
        let summary = if summary.is_empty() { "(no summary available)".to_owned() } else { summary };
        new.add_built(Author::Harness, MessageForm::Summary, summary);
        new
    }

    pub(super) fn rolled_back(&mut self, row: &RolloutLine<'_>, event: Value<'_>, out: &mut Batch) {
        let n_turns = event.get("num_turns");
        let n_turns = row.begin_notes(&mut out.problems).count(n_turns, "num_turns").unwrap_or(0);
        let n_turns = u32::try_from(n_turns).unwrap_or(u32::MAX);
        if n_turns == 0 {
            return out.events.push(row.quiet_event("thread_rolled_back"));
        }
        let kept = self.history.humans.len().saturating_sub(n_turns as usize);
        self.history.humans.truncate(kept);
        self.replies.on_exchange();
        let change = Change::removal(RewriteTarget::Turns(n_turns));
        let rewrite = Rewrite { cause: ReplacementCause::Rewind, changes: vec![change] };
        out.events.push(row.whole_event(EventBody::Rewrite(rewrite)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_long_text_goes() {
        assert_eq!(shorten_middle("short".into(), 5), "short");
        assert_eq!(shorten_middle("0123456789".into(), 4), "01…2 tokens truncated…89");
        assert_eq!(shorten_middle("éééééééé".into(), 5), "é…3 tokens truncated…é");
        assert_eq!(shorten_middle("abc".into(), 0), "…1 tokens truncated…");
    }

    #[test]
    fn the_newest_messages_are_kept() {
        let mut history = CompactedHistory::default();
        for n in 0..100 {
            history.add_human(format!("{n} ").repeat(1000));
        }
        let kept = history.kept_messages();
        assert!(kept.last().unwrap_or(&String::new()).starts_with("99 "));
        let n_bytes: usize = kept.iter().map(String::len).sum();
        assert!((KEPT_BYTES..KEPT_BYTES + 100).contains(&n_bytes), "{n_bytes}");
        assert!(kept[0].contains("tokens truncated…"));
        assert!(history.humans.len() <= kept.len() + 1);
    }
}
