//! Copies of records for memory, without the buffers that they were read in.
//!
//! A record is parsed on one thread together with its texts, which go as soon as they are stored. What stays would
//! stand between them, small and spread over all the memory that the texts took, so that none of it could be given
//! back or used by another thread.

use std::collections::HashSet;
use std::sync::Arc;

use cwl_engine::{
    BlockKind, Change, Compaction, ContentBlock, DelimiterMark, EntryId, EpisodeName, EventBody, EventLog,
    Header, Keep, Message, Parent, Rewrite, SessionEvent, SessionId, Target, ToolCall, ToolCallId,
    ToolResult,
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
        let SessionEvent { line, ref entry, ref parent, at_ms, side, ref body } = *event;
        let parent = match parent {
            Parent::Entry(of) => Parent::Entry(known(of, log)),
            Parent::Woven(of) => Parent::Woven(known(of, log)),
            Parent::Root | Parent::Previous | Parent::Outside => parent.clone(),
        };
        SessionEvent { line, entry: own(entry), parent, at_ms, side, body: self.body(body, log) }
    }

    fn body(&mut self, body: &EventBody, log: &EventLog) -> EventBody {
        match body {
            EventBody::Message(message) => EventBody::Message(self.message(message)),
            EventBody::Compaction(Compaction { summary, keep, tokens_before }) => {
                let keep = match keep {
                    Keep::From(entry) => Keep::From(known(entry, log)),
                    Keep::Retained(messages) => Keep::Retained(self.messages(messages)),
                    Keep::Nothing => Keep::Nothing,
                };
                let summary = summary.as_ref().map(|message| self.message(message));
                EventBody::Compaction(Compaction { summary, keep, tokens_before: *tokens_before })
            }
            EventBody::Rewrite(Rewrite { cause, changes }) => {
                let changes = changes.iter().map(|change| self.change(change, log)).collect();
                EventBody::Rewrite(Rewrite { cause: *cause, changes })
            }
            EventBody::Header(header) => {
                let session = header.session.as_ref().map(|session| SessionId::from(session.as_str()));
                EventBody::Header(Header { session, ..header.clone() })
            }
            EventBody::Label { target, label } => {
                EventBody::Label { target: known(target, log), label: label.clone() }
            }
            EventBody::Usage(_)
            | EventBody::ModelChange { .. }
            | EventBody::Title(_)
            | EventBody::Quiet { .. }
            | EventBody::Opaque { .. } => body.clone(),
        }
    }

    fn messages(&mut self, messages: &[Message]) -> Vec<Message> {
        messages.iter().map(|message| self.message(message)).collect()
    }

    fn message(&mut self, message: &Message) -> Message {
        let Message { role, author, ref form, ref blocks, ref model, usage, outcome, ref reply } = *message;
        Message {
            role,
            author,
            form: form.clone(),
            blocks: blocks.iter().map(|block| self.block(block)).collect(),
            model: self.name(model.as_ref()),
            usage,
            outcome,
            reply: reply.as_ref().map(|reply| Arc::from(&**reply)),
        }
    }

    fn change(&mut self, change: &Change, log: &EventLog) -> Change {
        let target = match &change.target {
            Target::Entry(entry) => Target::Entry(known(entry, log)),
            Target::From(entry) => Target::From(known(entry, log)),
            Target::Results(call) => Target::Results(ToolCallId::from(call.as_str())),
            Target::Turns(_) | Target::All => change.target.clone(),
        };
        Change { target, replaced_by: self.messages(&change.replaced_by) }
    }

    fn block(&mut self, block: &ContentBlock) -> ContentBlock {
        let kind = match &block.kind {
            BlockKind::Call(ToolCall { id, name, program, mark }) => BlockKind::Call(ToolCall {
                id: ToolCallId::from(id.as_str()),
                name: self.shared(name),
                program: self.name(program.as_ref()),
                mark: mark.as_ref().map(own_mark),
            }),
            BlockKind::Result(ToolResult { call, name, ok, mark }) => BlockKind::Result(ToolResult {
                call: ToolCallId::from(call.as_str()),
                name: self.name(name.as_ref()),
                ok: *ok,
                mark: mark.as_ref().map(own_mark),
            }),
            BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => {
                block.kind.clone()
            }
        };
        ContentBlock { index: block.index, kind, images: block.images }
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

fn own(entry: &EntryId) -> EntryId {
    EntryId::from(entry.as_str())
}

/// Returns the name of a record as that record has it.
fn known(entry: &EntryId, log: &EventLog) -> EntryId {
    let last = log.events().last().filter(|last| last.entry == *entry);
    let record = last.or_else(|| log.find(entry).map(|at| log.get(at)));
    record.map_or_else(|| own(entry), |record| record.entry.clone())
}

fn own_mark(mark: &DelimiterMark) -> DelimiterMark {
    let own = |name: &EpisodeName| EpisodeName::from(name.as_str());
    match mark {
        DelimiterMark::Open { name, kind, dependencies, odd } => DelimiterMark::Open {
            name: own(name),
            kind: *kind,
            dependencies: dependencies.as_ref().map(|names| names.iter().map(own).collect()),
            odd: odd.clone(),
        },
        DelimiterMark::Close { name, description, odd } => DelimiterMark::Close {
            name: name.as_ref().map(own),
            description: description.as_ref().map(|text| Arc::from(&**text)),
            odd: odd.clone(),
        },
        DelimiterMark::Untyped { name, dependencies } => DelimiterMark::Untyped {
            name: own(name),
            dependencies: dependencies.as_ref().map(|names| names.iter().map(own).collect()),
        },
        DelimiterMark::Malformed(field) => DelimiterMark::Malformed(*field),
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
