//! Replacements: what the harness itself took out of the context, and put in.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::{BlockIdx, EntryId, EventBody, EventIdx, EventLog, Session, SessionMessage};

/// An act of the harness that took content out of the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// How many messages stood before it.
    pub at: usize,
    /// Its record.
    pub entry: EntryId,
    /// Its record's line, from 1.
    pub line: u64,
    /// What it was.
    pub cause: ReplacementCause,
    /// Blocks that are not in the context from here on.
    pub drops: Vec<BlockIdx>,
    /// Blocks that are in the context again.
    pub restores: Vec<BlockIdx>,
    /// The size of the context before it as the log states it, tokens.
    pub tokens_before: Option<u64>,
}

/// Why the harness took content out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReplacementCause {
    /// A summary took its place.
    Compaction,
}

/// A replacement before the blocks have numbers.
pub(crate) struct DraftReplacement {
    pub(crate) at: usize,
    pub(crate) event: EventIdx,
    /// The first message that stays, by number.
    pub(crate) keep_from: Option<usize>,
    pub(crate) tokens_before: Option<u64>,
}

/// Works out what each replacement drops and restores.
pub(crate) fn replacements(
    session: &Session,
    log: &EventLog,
    drafts: &[DraftReplacement],
) -> Vec<Replacement> {
    let mut present: Box<[bool]> = alloc::vec![true; session.messages.len()].into();
    drafts
        .iter()
        .map(|draft| {
            let event = log.get(draft.event);
            let mut replacement = Replacement {
                at: draft.at,
                entry: event.entry.clone(),
                line: event.line,
                cause: ReplacementCause::Compaction,
                drops: Vec::new(),
                restores: Vec::new(),
                tokens_before: draft.tokens_before,
            };
            for (at, message) in session.messages[..draft.at].iter().enumerate() {
                // An earlier compaction's summary never outlives the next compaction.
                let kept = draft.keep_from.is_some_and(|from| at >= from) && !is_added(log, message);
                let blocks = message.blocks.clone().map(BlockIdx::new);
                match (present[at], kept) {
                    (true, false) => replacement.drops.extend(blocks),
                    (false, true) => replacement.restores.extend(blocks),
                    _ => {}
                }
                present[at] = kept;
            }
            replacement
        })
        .collect()
}

/// Tells whether a message was added by a compaction rather than being part of the history.
fn is_added(log: &EventLog, message: &SessionMessage) -> bool {
    matches!(log.get(message.event).body, EventBody::Compaction(_))
}
