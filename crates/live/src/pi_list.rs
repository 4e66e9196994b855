//! pi's list of messages, kept as the log of pi would have it: records of messages, compactions and branches.
//!
//! The list before a request holds all messages, with a summary where pi compacted. What is new in it becomes records as pi
//! writes them, and the adapter of pi's logs reads those. So the session has the history that the log has, also what a
//! compaction took out of the list, as long as the same process has seen it.

use cwl_engine::{Content, ContentBlock, EventIdx, Problem, ProblemKind, SessionBlock};
use cwl_formats::{Format, LogReader};
use cwl_inspect::{PartPlace, SessionHistory};
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

/// The difference between a list and the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListChange {
    /// The list only grew.
    Grew,
    /// Messages are gone, or others stand in their place.
    Changed,
    /// The messages before `from` are not those that are known: all have to be sent.
    Unknown,
}

/// The messages of pi's list, in order.
pub struct PiList {
    reader: LogReader,
    messages: Vec<PiListMessage>,
    /// The position in the list of each event's message.
    places: Vec<Option<usize>>,
    n_rows: u64,
}

struct PiListMessage {
    /// The digest of this message and all before it.
    digest: String,
    /// The digest of this message alone.
    own: [u8; 32],
    /// The id of its record.
    row: String,
    /// The id of the record that the next message continues: its own, or a compaction's that kept it.
    tip: String,
    /// Its event, and that of what came with it.
    event: Option<EventIdx>,
    role: String,
    json: Box<str>,
    /// The words of the adapter for what it did not understand.
    unread: Option<String>,
}

/// The events of a record, and what of it was not understood.
struct ReadRow {
    events: Vec<EventIdx>,
    unread: Option<String>,
}

/// The members of a message that say what it is.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct MessageHead {
    role: String,
    summary: Option<Box<RawValue>>,
    tokens_before: Option<Box<RawValue>>,
}

impl PiList {
    /// Begins an empty list.
    pub fn new() -> Self {
        let mut reader = LogReader::new(Format::Pi);
        // The header is no message, and its event is not kept.
        let header = br#"{"type":"session","version":3,"id":"live","timestamp":"1970-01-01T00:00:00.000Z"}"#;
        drop(reader.feed_bytes(&[header, &b"\n"[..]].concat()));
        Self { reader, messages: Vec::new(), places: Vec::new(), n_rows: 0 }
    }

    /// Returns how many messages the list has.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Tells whether the list has no message.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Returns the first message of which something was not understood, and what.
    pub fn first_unread(&self) -> Option<(usize, &str)> {
        self.messages.iter().enumerate().find_map(|(at, message)| Some((at, message.unread.as_deref()?)))
    }

    /// Returns the place of a block in the list.
    pub fn place_of(&self, row: &SessionBlock) -> Option<PartPlace> {
        let message = (*self.places.get(row.event.at())?)?;
        Some(PartPlace { message, part: row.id.index })
    }

    /// Takes the messages behind the first `from`, whose digest is `digest`; adds their events to `history`.
    pub fn advance(
        &mut self,
        from: usize,
        digest: &str,
        messages: &[&RawValue],
        history: &mut SessionHistory,
        count_block: &mut dyn FnMut(&ContentBlock, &Content) -> u32,
    ) -> ListChange {
        let known = from.checked_sub(1).map_or(Some(""), |at| Some(self.messages.get(at)?.digest.as_str()));
        if known != Some(digest) {
            return ListChange::Unknown;
        }
        let has_grown = from == self.messages.len();
        let gone = self.messages.split_off(from);
        let mut rest = messages;
        if !has_grown {
            self.places.iter_mut().for_each(|place| *place = place.filter(|place| *place < from));
            rest = self.follow_compaction(gone, messages, history, count_block);
        }
        for json in rest {
            self.push_message(json.get(), history, count_block);
        }
        if has_grown { ListChange::Grew } else { ListChange::Changed }
    }

    /// Takes a compaction, if that is what changed the list: a summary, and then the last messages that were there. Returns
    /// the messages that are behind it.
    fn follow_compaction<'m>(
        &mut self,
        gone: Vec<PiListMessage>,
        messages: &'m [&'m RawValue],
        history: &mut SessionHistory,
        count_block: &mut dyn FnMut(&ContentBlock, &Content) -> u32,
    ) -> &'m [&'m RawValue] {
        let heads_system = |at: usize| messages.get(at).is_some_and(|json| role_of(json.get()) == "system");
        // The prompt stands before the summary where pi keeps it among the messages.
        let n_system = usize::from(heads_system(0));
        let Some(summary) = messages.get(n_system).map(|json| json.get()) else { return messages };
        let head: MessageHead = serde_json::from_str(summary).unwrap_or_default();
        let only_system = self.messages.iter().all(|message| message.role == "system");
        if head.role != "compactionSummary" || !only_system || self.messages.len() > 1 {
            return messages;
        }
        let behind = &messages[n_system + 1..];
        let kept = kept_from(&gone, behind);
        let first_kept = kept.map_or("", |at| gone[at].row.as_str()).to_owned();
        let system = match n_system {
            1 => Some(messages[0].get()),
            _ => self.messages.first().map(|message| &*message.json),
        };
        let member =
            |name: &str, json: Option<&str>| json.map_or(String::new(), |json| format!(",\"{name}\":{json}"));
        let fields = [
            member("summary", head.summary.as_deref().map(RawValue::get)),
            member("tokensBefore", head.tokens_before.as_deref().map(RawValue::get)),
            member("firstKeptEntryId", Some(&format!("\"{first_kept}\""))),
            member("systemMessage", system),
        ];
        let parent = gone.last().or(self.messages.last()).map(|message| message.tip.clone());
        let system: Option<Box<str>> = system.map(Into::into);
        let read = self.read_row("compaction", parent.as_deref(), &fields.concat(), history, count_block);
        let row = row_id(self.n_rows);
        self.messages.clear();
        self.places.fill(None);
        // The prompt's event comes behind the compaction's.
        if let Some(system) = system {
            self.list_message(&system, row.clone(), read.events.get(1).copied(), None);
        }
        self.list_message(summary, row.clone(), read.events.first().copied(), read.unread);
        let n_kept = kept.map_or(0, |at| gone.len() - at);
        for message in gone.into_iter().skip(kept.unwrap_or(usize::MAX)) {
            self.list_message(&message.json, message.row, message.event, message.unread);
        }
        // The next message continues the compaction, not the last message that it kept.
        self.messages.iter_mut().for_each(|message| message.tip.clone_from(&row));
        &behind[n_kept..]
    }

    fn push_message(
        &mut self,
        json: &str,
        history: &mut SessionHistory,
        count_block: &mut dyn FnMut(&ContentBlock, &Content) -> u32,
    ) {
        let parent = self.messages.last().map(|message| message.tip.clone());
        let ReadRow { events, unread } = self.read_row(
            "message",
            parent.as_deref(),
            &format!(",\"message\":{json}"),
            history,
            count_block,
        );
        self.list_message(json, row_id(self.n_rows), events.first().copied(), unread);
    }

    /// Lists a message at the end.
    fn list_message(&mut self, json: &str, row: String, event: Option<EventIdx>, unread: Option<String>) {
        let at = self.messages.len();
        let before = self.messages.last().map_or("", |message| message.digest.as_str());
        let digest = chain_digest(before, json);
        if let Some(event) = event {
            self.places.resize(self.places.len().max(event.at() + 1), None);
            self.places[event.at()] = Some(at);
        }
        let own = Sha256::digest(json).into();
        let (tip, role) = (row.clone(), role_of(json));
        self.messages.push(PiListMessage { digest, own, row, tip, event, role, json: json.into(), unread });
    }

    /// Writes a record, reads it, and adds its events to the history.
    fn read_row(
        &mut self,
        kind: &str,
        parent: Option<&str>,
        fields: &str,
        history: &mut SessionHistory,
        count_block: &mut dyn FnMut(&ContentBlock, &Content) -> u32,
    ) -> ReadRow {
        self.n_rows += 1;
        let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
        let id = row_id(self.n_rows);
        let line = format!("{{\"type\":\"{kind}\",\"id\":\"{id}\",\"parentId\":{parent}{fields}}}\n");
        let batch = self.reader.feed_bytes(line.as_bytes());
        let unread = batch.problems.iter().find(|one| is_unread(one)).map(|one| one.kind.to_string());
        let events = batch.events.into_iter().map(|event| history.push_event(event, &mut *count_block));
        ReadRow { events: events.collect(), unread }
    }
}

impl Default for PiList {
    fn default() -> Self {
        Self::new()
    }
}

fn row_id(number: u64) -> String {
    format!("m{number}")
}

fn role_of(json: &str) -> String {
    serde_json::from_str::<MessageHead>(json).unwrap_or_default().role
}

/// Tells whether a problem says that a message was not understood whole.
fn is_unread(problem: &Problem) -> bool {
    matches!(
        problem.kind,
        ProblemKind::UnknownRecord { .. } | ProblemKind::UnknownPart { .. } | ProblemKind::NotJson { .. }
    )
}

/// Finds the first of the messages that were there from which on they stand behind a summary.
fn kept_from(gone: &[PiListMessage], behind: &[&RawValue]) -> Option<usize> {
    let first: [u8; 32] = Sha256::digest(behind.first()?.get()).into();
    let starts = gone.iter().enumerate().filter(|(_, message)| message.own == first).map(|(at, _)| at);
    let stands = |at: &usize| {
        let kept = &gone[*at..];
        kept.len() <= behind.len()
            && kept.iter().zip(behind).all(|(message, json)| *message.json == *json.get())
    };
    starts.into_iter().find(stands)
}

/// Returns the digest of a list with one more message.
pub(crate) fn chain_digest(before: &str, json: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(before);
    hasher.update(json);
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
