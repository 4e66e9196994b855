//! OpenCode's list of messages, kept as a session in the form of `opencode export`.
//!
//! A message has two places, as a call and its result are one part: an even one for its own parts, the odd one behind it for
//! its results. A list that only grew is read piece by piece. Any other change reads the session anew, with the messages that
//! a compaction removed, if the same process has seen them.

use cwl_engine::{Content, ContentBlock, EntryId, EventBody, SessionBlock};
use cwl_formats::{Format, LogReader};
use cwl_inspect::{PartPlace, SessionHistory};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::list::{ListChange, MessageList, chain_digest, is_unread, matches_digest};

pub(crate) struct OpencodeList {
    /// The session's `info` as JSON.
    info: String,
    reader: LogReader,
    messages: Vec<HeldMessage>,
    compacted: Vec<HeldMessage>,
    /// Place per event; `None` if the event's message is not listed.
    places: Vec<Option<usize>>,
    /// Position of the first message not fully understood, and the adapter's problem.
    unread: Option<(usize, String)>,
}

struct HeldMessage {
    id: String,
    asks_for_summary: bool,
    digest: String,
    json: Box<str>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct OpencodeHead {
    info: InfoHead,
    parts: Vec<PartHead>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct InfoHead {
    id: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct PartHead {
    r#type: String,
}

impl OpencodeList {
    /// `parent` is the calling session of a subagent.
    pub(crate) fn new(session: &str, parent: Option<&str>) -> Self {
        let mut info = json!({"id": session});
        if let Some(parent) = parent {
            info["parentID"] = parent.into();
        }
        Self::of_session(info.to_string())
    }

    fn of_session(info: String) -> Self {
        let reader = LogReader::new(Format::Opencode);
        let (messages, compacted) = (Vec::new(), Vec::new());
        Self { info, reader, messages, compacted, places: Vec::new(), unread: None }
    }

    fn list_messages(&mut self, messages: &[&RawValue]) {
        for json in messages.iter().map(|message| message.get()) {
            let OpencodeHead { info, parts } = serde_json::from_str(json).unwrap_or_default();
            let before = self.messages.last().map_or("", |message| message.digest.as_str());
            self.messages.push(HeldMessage {
                id: info.id,
                asks_for_summary: parts.iter().any(|part| part.r#type == "compaction"),
                digest: chain_digest(before, json),
                json: json.into(),
            });
        }
    }

    /// Keeps those of the messages `gone` that are from before the list's last compaction.
    fn keep_compacted(&mut self, gone: Vec<HeldMessage>) {
        let last = self.messages.iter().filter(|message| message.asks_for_summary).map(|it| &it.id).max();
        let Some(last) = last.cloned() else { return self.compacted.clear() };
        self.compacted.extend(gone);
        let listed = &self.messages;
        self.compacted.retain(|old| old.id < last && listed.iter().all(|message| message.id != old.id));
    }

    fn read_session(
        &mut self,
        history: &mut SessionHistory,
        count_block: &mut dyn FnMut(&ContentBlock, &Content) -> u32,
    ) {
        history.clear();
        self.reader = LogReader::new(Format::Opencode);
        self.places.clear();
        self.unread = None;
        // Ids grow with time. The list itself has a compaction before the messages that this one keeps.
        let mut all: Vec<&HeldMessage> = self.compacted.iter().chain(&self.messages).collect();
        all.sort_by_key(|message| &message.id);
        let all: Vec<&str> = all.iter().map(|message| &*message.json).collect();
        let document = format!("{{\"info\":{},\"messages\":[{}]}}\n", self.info, all.join(","));
        self.read_document(&document, history, count_block);
    }

    fn read_document(
        &mut self,
        document: &str,
        history: &mut SessionHistory,
        count_block: &mut dyn FnMut(&ContentBlock, &Content) -> u32,
    ) {
        let batch = self.reader.feed_bytes(document.as_bytes());
        for problem in batch.problems.iter().filter(|problem| is_unread(problem)) {
            let at = problem.place.entry.as_ref().and_then(|entry| self.position_of(entry)).unwrap_or(0);
            self.unread.get_or_insert_with(|| (at, problem.kind.to_string()));
        }
        for event in batch.events {
            let is_summary = matches!(event.event.body, EventBody::Compaction(_));
            let at = self.position_of(&event.event.entry);
            let is_results = event.event.entry.as_str().ends_with("/results");
            // The event of a compaction has the question too, which is the message before.
            let at = at.map(|at| at.saturating_sub(usize::from(is_summary)));
            self.places.push(at.map(|at| 2 * at + usize::from(is_results)));
            history.push_event(event, &mut *count_block);
        }
    }

    /// Searches from the end: most events are of the last messages.
    fn position_of(&self, entry: &EntryId) -> Option<usize> {
        let (id, _) = entry.as_str().split_once('/').unwrap_or((entry.as_str(), ""));
        self.messages.iter().rposition(|message| message.id == id)
    }
}

impl MessageList for OpencodeList {
    fn n_places(&self) -> usize {
        2 * self.messages.len()
    }

    fn first_unread(&self) -> Option<(usize, &str)> {
        self.unread.as_ref().map(|(at, what)| (*at, what.as_str()))
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
        self.list_messages(messages);
        if has_grown && !self.places.is_empty() {
            let new: Vec<&str> = messages.iter().map(|message| message.get()).collect();
            let document = format!("{{\"messages\":[{}]}}\n", new.join(","));
            self.read_document(&document, history, count_block);
            return ListChange::Grew;
        }
        self.keep_compacted(gone);
        self.read_session(history, count_block);
        ListChange::Restarted
    }

    fn clear(&mut self) {
        *self = Self::of_session(std::mem::take(&mut self.info));
    }
}
