//! Copies of records for memory, without the buffers that they were read in.
//!
//! A record is parsed on one thread together with its texts, which go as soon as they are stored. What stays would
//! stand between them, small and spread over all the memory that the texts took, so that none of it could be given
//! back or used by another thread.

use std::collections::HashSet;
use std::sync::Arc;

use cwl_engine::{
    BlockKind, ContentBlock, DelimiterMark, EntryId, EventBody, EventLog, Keep, Message, Parent,
    SessionEvent, Target,
};

/// How many names of tools, programs and models are shared.
const NAMES: usize = 1024;

/// Copies records.
#[derive(Default)]
pub(super) struct Kept {
    /// Names that come again and again.
    names: HashSet<Arc<str>>,
}

impl Kept {
    /// Copies the next record of a log; what it names is shared with the records before.
    pub(super) fn copy(&mut self, event: &SessionEvent, log: &EventLog) -> SessionEvent {
        // A clone has lists of its own, and shares the names in them: these are replaced one by one.
        let mut event = event.clone();
        event.entry = event.entry.as_str().into();
        if let Parent::Entry(of) | Parent::Woven(of) = &mut event.parent {
            *of = known(of, log);
        }
        match &mut event.body {
            EventBody::Message(message) => self.message(message),
            EventBody::Compaction(compaction) => {
                compaction.summary.iter_mut().for_each(|message| self.message(message));
                match &mut compaction.keep {
                    Keep::From(entry) => *entry = known(entry, log),
                    Keep::Entries(entries) => {
                        entries.iter_mut().for_each(|entry| *entry = known(entry, log));
                    }
                    Keep::Retained(messages) => messages.iter_mut().for_each(|message| self.message(message)),
                    Keep::Nothing => {}
                }
            }
            EventBody::Rewrite(rewrite) => {
                for change in &mut rewrite.changes {
                    match &mut change.target {
                        Target::Entry(entry) | Target::From(entry) => *entry = known(entry, log),
                        Target::Results(call) => *call = call.as_str().into(),
                        Target::Turns(_) | Target::All => {}
                    }
                    change.replaced_by.iter_mut().for_each(|message| self.message(message));
                }
            }
            EventBody::Header(header) => {
                header.session = header.session.as_ref().map(|session| session.as_str().into());
            }
            EventBody::Label { target, .. } => *target = known(target, log),
            EventBody::Usage(_)
            | EventBody::ModelChange { .. }
            | EventBody::Title(_)
            | EventBody::Quiet { .. }
            | EventBody::Opaque { .. } => {}
        }
        event
    }

    fn message(&mut self, message: &mut Message) {
        message.blocks.iter_mut().for_each(|block| self.block(block));
        message.model = self.name(message.model.as_ref());
        message.reply = message.reply.as_deref().map(Arc::from);
    }

    fn block(&mut self, block: &mut ContentBlock) {
        match &mut block.kind {
            BlockKind::Call(call) => {
                call.id = call.id.as_str().into();
                call.name = self.shared(&call.name);
                call.program = self.name(call.program.as_ref());
                call.mark.iter_mut().for_each(own_mark);
            }
            BlockKind::Result(result) => {
                result.call = result.call.as_str().into();
                result.name = self.name(result.name.as_ref());
                result.mark.iter_mut().for_each(own_mark);
            }
            BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {}
        }
    }

    fn name(&mut self, name: Option<&Arc<str>>) -> Option<Arc<str>> {
        name.map(|name| self.shared(name))
    }

    fn shared(&mut self, name: &str) -> Arc<str> {
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

/// Returns the name of a record as that record has it.
fn known(entry: &EntryId, log: &EventLog) -> EntryId {
    let last = log.events().last().filter(|last| last.entry == *entry);
    let record = last.or_else(|| log.find(entry).map(|at| log.get(at)));
    record.map_or_else(|| entry.as_str().into(), |record| record.entry.clone())
}

/// Replaces the names of a mark by copies.
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
    use cwl_formats::{Format, parse};

    #[test]
    fn a_copy_is_equal_and_shares_what_records_name_again() {
        let sample = include_bytes!("../../../../../samples/pi/branches/input.jsonl");
        let (mut kept, mut log) = (Kept::default(), EventLog::default());
        let mut models = HashSet::new();
        for parsed in parse(Format::Pi, sample).0 {
            let copy = kept.copy(&parsed.event, &log);
            assert_eq!(copy, parsed.event);
            models.extend(copy.body.messages().filter_map(|message| message.model.as_ref()).map(Arc::as_ptr));
            log.push(copy);
        }
        assert_eq!(models.len(), 1, "all replies share the name of one model");
    }

    #[test]
    fn names_are_shared_up_to_a_number_and_right_beyond() {
        let mut kept = Kept::default();
        for number in 0..2 * NAMES {
            let name = number.to_string();
            assert_eq!(*kept.shared(&name), *name);
        }
        assert_eq!(kept.names.len(), NAMES);
        assert!(Arc::ptr_eq(&kept.shared("7"), &kept.shared("7")));
    }
}
