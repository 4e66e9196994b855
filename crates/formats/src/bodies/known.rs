use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use cwl_engine::{Author, BlockKind, EntryId, Role, ToolCallId};

use super::item::{Item, ItemSlot};

const N_BEGIN: usize = 64;

/// A message in the history. `key` is its [`Item::content_key`], `begin` a hash over its first
/// characters.
#[derive(Debug, Clone)]
pub(super) struct HistoryMessage {
    pub(super) entry: EntryId,
    pub(super) key: u64,
    pub(super) slot: ItemSlot,
    pub(super) role: Role,
    pub(super) author: Author,
    pub(super) kind: Option<&'static str>,
    pub(super) begin: u64,
    pub(super) calls: Vec<(ToolCallId, Arc<str>)>,
    pub(super) answers: Option<ToolCallId>,
    pub(super) reply: Option<Arc<str>>,
    /// A reply's parts share a place; a replacement keeps the original's.
    pub(super) place: u64,
    /// False for a later part of a reply or of a replacement; a rewrite cannot start there.
    pub(super) begins: bool,
}

impl HistoryMessage {
    pub(super) fn from_item(item: &Item, entry: EntryId, key: u64, place: u64, begins: bool) -> Self {
        let message = &item.read.message;
        let calls = message.blocks.iter().filter_map(|block| match &block.kind {
            BlockKind::Call(call) => Some((call.id.clone(), call.name.clone())),
            _ => None,
        });
        Self {
            entry,
            key,
            slot: item.slot,
            role: message.role,
            author: message.author,
            kind: message.blocks.first().map(|block| block.kind.name()),
            begin: begin_of(item),
            calls: calls.collect(),
            answers: item.answered_call().cloned(),
            reply: message.reply.clone(),
            place,
            begins,
        }
    }

    pub(super) fn lend_ids(&self, item: &mut Item) {
        let mut calls = self.calls.iter();
        for block in &mut item.read.message.blocks {
            match &mut block.kind {
                BlockKind::Call(call) => {
                    if let Some((id, _)) = calls.next() {
                        call.id.clone_from(id);
                    }
                }
                BlockKind::Result(result) => {
                    if let Some(answered) = &self.answers {
                        result.call.clone_from(answered);
                    }
                }
                BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {}
            }
        }
    }

    pub(super) fn is_same(&self, new: &NewMessage, is_last: bool) -> bool {
        // A rewrite cannot replace a message without blocks.
        if self.kind.is_none() {
            return false;
        }
        if self.key == new.key {
            return true;
        }
        let item = &new.item;
        let message = &item.read.message;
        if self.slot != item.slot || self.role != message.role {
            return false;
        }
        if let (Some(known), Some(new)) = (&self.answers, item.answered_call()) {
            return known == new;
        }
        match self.role {
            Role::System => true,
            Role::Tool => false,
            // At the end of the request, a different user text is a new message.
            Role::User => !is_last,
            Role::Assistant => {
                let call = item.call_ids().next();
                let known = self.calls.first().map(|(id, _)| id);
                // A client may trim a reply that it sends back, or drop parts behind its text.
                if call.is_some() && known.is_some() { known == call } else { self.begin == new.begin }
            }
        }
    }
}

fn begin_of(item: &Item) -> u64 {
    let mut hasher = DefaultHasher::new();
    item.read.message.blocks.first().map(|block| block.kind.name()).hash(&mut hasher);
    let text = item.read.contents.first().map_or("", |content| content.text.trim());
    text.chars().take(N_BEGIN).for_each(|character| character.hash(&mut hasher));
    hasher.finish()
}

pub(super) struct NewMessage {
    pub(super) item: Item,
    pub(super) key: u64,
    begin: u64,
}

impl NewMessage {
    pub(super) fn from_item(item: Item) -> Self {
        Self { key: item.content_key(), begin: begin_of(&item), item }
    }

    pub(super) fn lacks_ids(&self) -> bool {
        self.item.read.message.blocks.iter().any(|block| match &block.kind {
            BlockKind::Call(call) => call.id.as_str().is_empty(),
            BlockKind::Result(result) => result.call.as_str().is_empty(),
            BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => false,
        })
    }
}

fn own_id(entry: &EntryId, index: u32) -> ToolCallId {
    let place = format!("{entry}/{index}");
    ToolCallId::new(place.replace('/', "-").replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_"))
}

/// Calls without a result yet, oldest first, by the tool's name.
#[derive(Default)]
pub(super) struct OpenCalls {
    by_name: BTreeMap<Arc<str>, VecDeque<ToolCallId>>,
    names: BTreeMap<ToolCallId, Arc<str>>,
}

impl OpenCalls {
    pub(super) fn pass_message(&mut self, known: &HistoryMessage) {
        for (id, name) in &known.calls {
            self.open_call(id, name);
        }
        if let Some(answered) = &known.answers {
            self.close_call(answered);
        }
    }

    pub(super) fn fill_ids(&mut self, item: &mut Item) {
        for block in &mut item.read.message.blocks {
            match &mut block.kind {
                BlockKind::Call(call) => {
                    if call.id.as_str().is_empty() {
                        call.id = own_id(&item.entry, block.index);
                    }
                    self.open_call(&call.id, &call.name);
                }
                BlockKind::Result(result) if result.call.as_str().is_empty() => {
                    result.call = match self.take_open(result.name.as_deref()) {
                        Some(call) => call,
                        None => own_id(&item.entry, block.index),
                    };
                }
                BlockKind::Result(result) => self.close_call(&result.call),
                BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {}
            }
        }
    }

    fn take_open(&mut self, name: Option<&str>) -> Option<ToolCallId> {
        if let Some(name) = name {
            return self.by_name.get_mut(name)?.pop_front();
        }
        self.by_name.values_mut().find_map(VecDeque::pop_front)
    }

    fn open_call(&mut self, id: &ToolCallId, name: &Arc<str>) {
        self.by_name.entry(name.clone()).or_default().push_back(id.clone());
        self.names.insert(id.clone(), name.clone());
    }

    fn close_call(&mut self, answered: &ToolCallId) {
        let open = self.names.get(answered).and_then(|name| self.by_name.get_mut(name));
        if let Some(open) = open
            && open.front() == Some(answered)
        {
            open.pop_front();
        }
    }
}
