//! Compact copies of records, without the buffers from parsing.
//!
//! A record is parsed together with its texts, which are freed as soon as they are stored. Small parts that
//! stay would fragment the memory of the texts, and none of it could be returned or reused by another thread.

use std::collections::HashSet;
use std::sync::Arc;

use cwl_engine::{
    BlockKind, ContentBlock, DelimiterMark, EntryId, EventBody, EventLog, Keep, Message, Parent,
    RewriteTarget, SessionEvent,
};

const NAMES: usize = 1024;

#[derive(Default)]
pub(super) struct RecordCopier {
    names: HashSet<Arc<str>>,
}

impl RecordCopier {
    /// Copies a record and shares its names with earlier records in `log`.
    pub(super) fn copy_record(&mut self, event: &SessionEvent, log: &EventLog) -> SessionEvent {
        // A clone has its own lists but shares the names in them; the names are replaced one by one.
        let mut event = event.clone();
        event.entry = event.entry.as_str().into();
        if let Parent::Entry(of) | Parent::Woven(of) = &mut event.parent {
            *of = known_entry(of, log);
        }
        match &mut event.body {
            EventBody::Message(message) => self.share_message(message),
            EventBody::Compaction(compaction) => {
                compaction.summary.iter_mut().for_each(|message| self.share_message(message));
                match &mut compaction.keep {
                    Keep::From(entry) => *entry = known_entry(entry, log),
                    Keep::Entries(entries) => {
                        entries.iter_mut().for_each(|entry| *entry = known_entry(entry, log));
                    }
                    Keep::Retained(messages) => {
                        messages.iter_mut().for_each(|message| self.share_message(message))
                    }
                    Keep::Nothing => {}
                }
            }
            EventBody::Rewrite(rewrite) => {
                for change in &mut rewrite.changes {
                    match &mut change.target {
                        RewriteTarget::Entry(entry)
                        | RewriteTarget::From(entry)
                        | RewriteTarget::Part(entry, _)
                        | RewriteTarget::PartBack(entry, _)
                        | RewriteTarget::Before(Some(entry)) => *entry = known_entry(entry, log),
                        RewriteTarget::Results(call) => *call = call.as_str().into(),
                        RewriteTarget::Turns(_) | RewriteTarget::All | RewriteTarget::Before(None) => {}
                    }
                    change.replaced_by.iter_mut().for_each(|message| self.share_message(message));
                }
            }
            EventBody::Header(header) => {
                header.session = header.session.as_ref().map(|session| session.as_str().into());
            }
            EventBody::Label { target, .. } => *target = known_entry(target, log),
            EventBody::Usage(_)
            | EventBody::ModelChange { .. }
            | EventBody::Title(_)
            | EventBody::Quiet { .. }
            | EventBody::Opaque { .. } => {}
        }
        event
    }

    fn share_message(&mut self, message: &mut Message) {
        message.blocks.iter_mut().for_each(|block| self.share_block(block));
        message.model = self.share_name(message.model.as_ref());
        message.reply = message.reply.as_deref().map(Arc::from);
    }

    fn share_block(&mut self, block: &mut ContentBlock) {
        match &mut block.kind {
            BlockKind::Call(call) => {
                call.id = call.id.as_str().into();
                call.name = self.shared_copy(&call.name);
                call.program = self.share_name(call.program.as_ref());
                call.mark.iter_mut().for_each(own_mark);
            }
            BlockKind::Result(result) => {
                result.call = result.call.as_str().into();
                result.name = self.share_name(result.name.as_ref());
                result.mark.iter_mut().for_each(own_mark);
            }
            BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {}
        }
    }

    fn share_name(&mut self, name: Option<&Arc<str>>) -> Option<Arc<str>> {
        name.map(|name| self.shared_copy(name))
    }

    fn shared_copy(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return Arc::clone(known);
        }
        let own: Arc<str> = Arc::from(name);
        if self.names.len() < NAMES {
            self.names.insert(Arc::clone(&own));
        }
        own
    }
}

fn known_entry(entry: &EntryId, log: &EventLog) -> EntryId {
    let last = log.events().last().filter(|last| last.entry == *entry);
    let record = last.or_else(|| log.find_record(entry).map(|at| log.record(at)));
    record.map_or_else(|| entry.as_str().into(), |record| record.entry.clone())
}

fn own_mark(mark: &mut DelimiterMark) {
    let (name, dependencies) = match mark {
        DelimiterMark::Open { name, dependencies, .. } => (Some(name), dependencies.as_mut()),
        DelimiterMark::Malformed { name, dependencies, .. } => (name.as_mut(), dependencies.as_mut()),
        DelimiterMark::Close { name, description, .. } => {
            *description = description.as_deref().map(Arc::from);
            (name.as_mut(), None)
        }
    };
    for name in name.into_iter().chain(dependencies.into_iter().flatten()) {
        *name = name.as_str().into();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use cwl_formats::{Format, parse_log};

    #[test]
    fn a_copy_is_equal_and_shares_what_records_name_again() {
        let sample = include_bytes!("../../../../../samples/pi/branches/input.jsonl");
        let (mut kept, mut log) = (RecordCopier::default(), EventLog::default());
        let mut models = HashSet::new();
        for parsed in parse_log(Format::Pi, sample).0 {
            let copy = kept.copy_record(&parsed.event, &log);
            assert_eq!(copy, parsed.event);
            models.extend(
                copy.body.all_messages().filter_map(|message| message.model.as_ref()).map(Arc::as_ptr),
            );
            log.push(copy);
        }
        assert_eq!(models.len(), 1, "all replies share the name of one model");
    }

    #[test]
    fn names_are_shared_up_to_a_number_and_right_beyond() {
        let mut kept = RecordCopier::default();
        for number in 0..2 * NAMES {
            let name = number.to_string();
            assert_eq!(*kept.shared_copy(&name), *name);
        }
        assert_eq!(kept.names.len(), NAMES);
        assert!(Arc::ptr_eq(&kept.shared_copy("7"), &kept.shared_copy("7")));
    }
}
