//! Decisions of a live policy in OpenCode's log: parts of the human's messages that OpenCode does not send.
//!
//! The metadata of such a part is the record, as other logs have it on a line of its own. `after` names the last message
//! of the request for which it was made.

use std::collections::BTreeMap;

use cwl_engine::{EntryId, EventBody, RewriteTarget};

use crate::blocks::ReadMessage;
use crate::decision::DECISION;
use crate::json::{Value, owned};

/// Decisions by the message behind which they stand, in order, each with the id of its part.
pub(super) struct KeptDecisions<'a>(BTreeMap<String, Vec<(EntryId, Value<'a>)>>);

impl<'a> KeptDecisions<'a> {
    pub(super) fn find(messages: &[Value<'a>]) -> Self {
        let mut found: BTreeMap<String, Vec<(EntryId, Value<'a>)>> = BTreeMap::new();
        for part in messages.iter().filter_map(|message| message.get("parts")).flat_map(Value::items) {
            let [id, ignored, metadata] = part.fields(["id", "ignored", "metadata"]);
            let record = metadata.filter(|_| ignored.is_some_and(Value::is_true));
            let Some(record) = record.filter(|record| record.text_of("customType") == DECISION) else {
                continue;
            };
            let (Some(id), Some(after)) = (owned(id), owned(record.get("after"))) else { continue };
            found.entry(after).or_default().push((EntryId::new(id), record));
        }
        Self(found)
    }

    pub(super) fn take_behind(&mut self, message: &str) -> Vec<(EntryId, Value<'a>)> {
        self.0.remove(message).unwrap_or_default()
    }
}

/// Events of the parts of a message that is split into several, by message and part position.
#[derive(Clone, Default)]
pub(super) struct PartOwners(BTreeMap<(EntryId, u32), EntryId>);

impl PartOwners {
    pub(super) fn note_run(&mut self, message: &str, entry: &EntryId, run: &ReadMessage) {
        if entry.as_str() == message || entry.as_str().ends_with("/results") {
            return;
        }
        for block in &run.message.blocks {
            self.0.insert((EntryId::new(message), block.index), entry.clone());
        }
    }

    pub(super) fn name_targets(&self, body: &mut EventBody) {
        let EventBody::Rewrite(rewrite) = body else { return };
        for change in &mut rewrite.changes {
            if let RewriteTarget::Part(entry, index) | RewriteTarget::PartBack(entry, index) =
                &mut change.target
                && let Some(owner) = self.0.get(&(entry.clone(), *index))
            {
                *entry = owner.clone();
            }
        }
    }
}
