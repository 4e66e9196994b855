//! pi's list of messages, kept as records of pi's log: messages, compactions and branches.
//!
//! Before a request, the list holds all messages, with a summary in place of compacted ones. New messages become
//! records as pi writes them, and the adapter for pi's logs reads the records. The session thus has the log's history,
//! including messages a compaction removed, if the same process has seen them.

use cwl_engine::{Content, ContentBlock, EventIdx, SessionBlock};
use cwl_formats::{Format, LogReader};
use cwl_inspect::{PartPlace, SessionHistory};
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::list::{ListChange, MessageList, chain_digest, is_unread, matches_digest};

pub(crate) struct PiList {
    reader: LogReader,
    messages: Vec<PiListMessage>,
    /// List position per event; `None` if the event's message is no longer listed.
    places: Vec<Option<usize>>,
    first_unread: Option<usize>,
    n_rows: u64,
}

struct PiListMessage {
    digest: String,
    /// SHA-256 over this message alone.
    own: [u8; 32],
    row: String,
    /// Parent id for the next message's record: `row`, or the compaction that kept this message.
    tip: String,
    event: Option<EventIdx>,
    role: String,
    json: Box<str>,
    /// The adapter's problem with the message, if not fully understood.
    unread: Option<String>,
}

struct ReadRow {
    events: Vec<EventIdx>,
    unread: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct MessageHead {
    role: String,
    summary: Option<Box<RawValue>>,
    tokens_before: Option<Box<RawValue>>,
}

impl PiList {
    pub(crate) fn new() -> Self {
        let mut reader = LogReader::new(Format::Pi);
        // The header is no message, so its event is dropped.
        let header = br#"{"type":"session","version":3,"id":"live","timestamp":"1970-01-01T00:00:00.000Z"}"#;
        drop(reader.feed_bytes(&[header, &b"\n"[..]].concat()));
        Self { reader, messages: Vec::new(), places: Vec::new(), first_unread: None, n_rows: 0 }
    }

    /// Records a compaction, if one changed the list: a summary followed by the old list's last messages. Returns the
    /// messages after the kept ones, or all `messages` if no compaction is found.
    fn follow_compaction<'m>(
        &mut self,
        gone: Vec<PiListMessage>,
        messages: &'m [&'m RawValue],
        history: &mut SessionHistory,
        count_block: &mut dyn FnMut(&ContentBlock, &Content) -> u32,
    ) -> &'m [&'m RawValue] {
        let heads_system = |at: usize| messages.get(at).is_some_and(|json| role_of(json.get()) == "system");
        // pi may keep the system prompt among the messages, before the summary.
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
        // The event of the prompt follows the event of the compaction.
        if let Some(system) = system {
            self.list_message(&system, row.clone(), read.events.get(1).copied(), None);
        }
        self.list_message(summary, row.clone(), read.events.first().copied(), read.unread);
        let n_kept = kept.map_or(0, |at| gone.len() - at);
        for message in gone.into_iter().skip(kept.unwrap_or(usize::MAX)) {
            self.list_message(&message.json, message.row, message.event, message.unread);
        }
        // The next message's parent is the compaction, not the last kept message.
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

impl MessageList for PiList {
    fn n_places(&self) -> usize {
        self.messages.len()
    }

    fn first_unread(&self) -> Option<(usize, &str)> {
        let at = self.first_unread?;
        Some((at, self.messages.get(at)?.unread.as_deref()?))
    }

    fn place_of(&self, row: &SessionBlock) -> Option<PartPlace> {
        let message = (*self.places.get(row.event.at())?)?;
        Some(PartPlace { message, part: row.id.index })
    }

    fn advance(
        &mut self,
        from: usize,
        digest: &str,
        messages: &[&RawValue],
        history: &mut SessionHistory,
        count_block: &mut dyn FnMut(&ContentBlock, &Content) -> u32,
    ) -> ListChange {
        if !matches_digest(from, digest, |at| Some(&*self.messages.get(at)?.digest)) {
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
        let first_new = if has_grown { from } else { 0 };
        if !has_grown || self.first_unread.is_none() {
            let is_unread = |at: &usize| self.messages[*at].unread.is_some();
            self.first_unread = (first_new..self.messages.len()).find(is_unread);
        }
        if has_grown { ListChange::Grew } else { ListChange::Changed }
    }

    fn clear(&mut self) {
        *self = Self::new();
    }
}

fn row_id(number: u64) -> String {
    format!("m{number}")
}

fn role_of(json: &str) -> String {
    serde_json::from_str::<MessageHead>(json).unwrap_or_default().role
}

/// Index of the first old message from which all old messages follow the summary unchanged.
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
