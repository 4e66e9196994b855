//! Rows held back until the next reply: only the answered request shows in which order and form they were
//! sent.

use std::collections::BTreeMap;

use cwl_engine::{BlockKind, Content, EntryId, EventBody, Message, MessageForm, Parent, RawPayload, Role};

use super::reminder::inside_tags;
use super::row::RowEvent;
use crate::adapter::Batch;
use crate::event::{EventDraft, RecordStamp};

/// Maximum number of rows whose place is remembered; beyond it, a row keeps the parent it states.
const MAX_PLACES: usize = 1 << 20;

#[derive(Clone)]
pub(super) struct HeldRow {
    pub(super) entry: EntryId,
    pub(super) stamp: RecordStamp,
    pub(super) parent: Parent,
    pub(super) events: Vec<RowEvent>,
    /// JSON; empty if the row has none.
    pub(super) message: String,
    /// The texts sent for this row (`rendered`), without those already matched with a part of the request.
    pub(super) rendered: Vec<String>,
    pub(super) is_attachment: bool,
    pub(super) n_events: u32,
}

impl HeldRow {
    pub(super) fn next_entry(&mut self) -> EntryId {
        self.n_events += 1;
        if self.n_events == 1 {
            self.entry.clone()
        } else {
            EntryId::new(format!("{}/{}", self.entry, self.n_events))
        }
    }

    fn frame_of(&self, is_meant: impl Fn(&BlockKind, &str) -> bool) -> Option<Message> {
        let drafts = self.events.iter().map(|event| &event.draft);
        drafts.flat_map(|draft| draft.body.all_messages().map(move |message| (message, draft))).find_map(
            |(message, draft)| {
                let mut blocks = message.blocks.iter().zip(&draft.contents);
                let is_found = blocks.any(|(block, content)| is_meant(&block.kind, &content.text));
                is_found.then(|| Message { blocks: Vec::new(), ..message.clone() })
            },
        )
    }

    pub(super) fn frame_of_result(&self, call: &str) -> Option<Message> {
        self.frame_of(|kind, _| matches!(kind, BlockKind::Result(result) if result.call.as_str() == call))
    }

    pub(super) fn frame_of_text(&self, text: &str, how: fn(&str, &str) -> bool) -> Option<Message> {
        let text = inside_tags(text.trim());
        self.frame_of(|kind, own| {
            let own = inside_tags(own.trim());
            matches!(kind, BlockKind::Text) && !own.is_empty() && how(text, own)
        })
    }

    pub(super) fn compaction(&self) -> Option<&EventDraft> {
        let drafts = self.events.iter().map(|event| &event.draft);
        drafts.into_iter().find(|draft| matches!(draft.body, EventBody::Compaction(_)))
    }

    fn is_passed(&self) -> bool {
        self.compaction().is_none() && self.messages().all(|message| message.role == Role::User)
    }

    fn messages(&self) -> impl Iterator<Item = &Message> {
        self.events.iter().flat_map(|event| event.draft.body.all_messages())
    }

    /// Cuts the blanks around the row's last result, as Claude Code does before it joins a reminder to it.
    fn trim_result(&mut self) {
        let Some(RowEvent { draft, .. }) = self.events.last_mut() else { return };
        let last = draft.body.all_messages().flat_map(|message| &message.blocks).last();
        let is_result = last.is_some_and(|block| matches!(block.kind, BlockKind::Result(_)));
        // A result of several parts keeps its JSON.
        if let Some(Content { text, raw: RawPayload::Around { .. } }) = draft.contents.last_mut()
            && is_result
        {
            *text = text.trim().to_owned();
        }
    }
}

/// Puts attachments before the texts in the `user` role that they follow, the order in which they are sent,
/// and cuts the blanks around a result that a reminder is joined to.
///
/// Returns pairs of a moved row and the row that takes its place as a parent.
pub(super) fn put_reminders_first(held: &mut [HeldRow]) -> Vec<(EntryId, EntryId)> {
    let mut moved: Vec<(EntryId, EntryId)> = Vec::new();
    // Position of the first of the texts that follow each other up to the current row.
    let mut first: Option<usize> = None;
    for at in 0..held.len() {
        if let Parent::Woven(parent) = &held[at].parent
            && let Some((_, place)) = moved.iter().find(|(row, _)| row == parent)
        {
            held[at].parent = Parent::Woven(place.clone());
        }
        let follows = at > 0 && held[at].parent == Parent::Woven(held[at - 1].entry.clone());
        if !held[at].is_attachment {
            first = match first.filter(|_| follows) {
                Some(first) if held[at].is_passed() => Some(first),
                _ => Some(at).filter(|_| held[at].is_passed() && held[at].messages().next().is_some()),
            };
            continue;
        }
        let Some(now) = first.as_mut().filter(|_| follows) else {
            // Versions that log the sent text send some reminders beside the result.
            if follows && held[at].rendered.is_empty() && held[at].messages().next().is_some() {
                held[at - 1].trim_result();
            }
            continue;
        };
        let before = held[*now].parent.clone();
        moved.push((held[at].entry.clone(), held[at - 1].entry.clone()));
        held[*now..=at].rotate_right(1);
        held[*now].parent = before;
        *now += 1;
        held[*now].parent = Parent::Woven(held[*now - 1].entry.clone());
    }
    moved
}

pub(super) fn before_held(held: &[HeldRow], reply: Parent) -> Parent {
    let mut parent = reply;
    for _ in held {
        let Parent::Woven(entry) = &parent else { break };
        let Some(row) = held.iter().rfind(|row| row.entry == *entry) else { break };
        parent = row.parent.clone();
    }
    parent
}

/// New places in the tree for rows that were sent in a different order or form than logged.
#[derive(Debug, Clone, Default)]
pub(super) struct TreePlaces {
    by_row: BTreeMap<EntryId, Parent>,
}

impl TreePlaces {
    pub(super) fn beyond(&self, parent: Parent) -> Parent {
        match &parent {
            Parent::Woven(entry) => self.by_row.get(entry).cloned().unwrap_or(parent),
            _ => parent,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_row.is_empty()
    }

    pub(super) fn put(&mut self, row: EntryId, place: Parent) {
        let is_itself = matches!(&place, Parent::Woven(entry) if *entry == row);
        if !is_itself && self.by_row.len() < MAX_PLACES {
            self.by_row.insert(row, place);
        }
    }
}

pub(super) fn push_row(row: HeldRow, places: &TreePlaces, out: &mut Batch) -> Vec<EntryId> {
    let mut chain = Chain { parent: places.beyond(row.parent), side: row.stamp.side, out };
    let n_events = row.events.len();
    let mut entries = Vec::with_capacity(n_events);
    for (nth, RowEvent { name, draft }) in (1..).zip(row.events) {
        let is_own = nth == n_events;
        let entry = if is_own { row.entry.clone() } else { EntryId::new(format!("{}/{name}", row.entry)) };
        entries.push(entry.clone());
        chain.push(draft, row.stamp, entry);
    }
    entries
}

pub(super) struct Chain<'o> {
    pub(super) parent: Parent,
    pub(super) side: bool,
    pub(super) out: &'o mut Batch,
}

impl Chain<'_> {
    pub(super) fn push(&mut self, draft: EventDraft, stamp: RecordStamp, entry: EntryId) {
        let stamp = RecordStamp { side: self.side, ..stamp };
        self.out.events.push(draft.below(stamp, entry.clone(), self.parent.clone()));
        self.parent = Parent::Woven(entry);
    }

    pub(super) fn push_unsent(&mut self, row: &mut HeldRow) {
        if row.n_events > 0 {
            return;
        }
        for RowEvent { draft, .. } in std::mem::take(&mut row.events) {
            let body = match draft.body {
                body @ (EventBody::Quiet { .. } | EventBody::Opaque { .. }) => body,
                body => {
                    let name = body.all_messages().find_map(|message| match &message.form {
                        MessageForm::Custom { name } if row.is_attachment => {
                            Some(format!("attachment/{name}"))
                        }
                        _ => None,
                    });
                    EventBody::Quiet { record: name.map_or_else(|| "user".into(), Into::into) }
                }
            };
            let draft = EventDraft { envelope: draft.envelope, ..EventDraft::bare(body) };
            let entry = row.next_entry();
            self.out.events.push(draft.below(row.stamp, entry, Parent::Outside));
        }
    }
}
