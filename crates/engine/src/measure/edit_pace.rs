//! Edit pace: how many calls, and how much content, come before an edit.
//!
//! After a compaction the first edit is timed; before it, all edits since the compaction before, or since the start.

use alloc::vec::Vec;

use super::CompactionAudit;
use crate::{BlockIdx, BlockKind, Session, ToolClass, TurnIdx};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditPace {
    pub from: TurnIdx,
    pub n_edits: u32,
    /// Number of all other calls, without marks of episodes.
    pub n_calls: u32,
    /// Replies and results of the stretch, without the edits and what they returned.
    pub blocks: Vec<BlockIdx>,
}

/// Returns the pace from `audit`'s compaction to the first edit, or to the end of the stretch if it has none.
pub fn pace_after(session: &Session, audit: &CompactionAudit) -> EditPace {
    let end = audit.next.map_or(session.turns.len(), TurnIdx::at);
    pace_of_turns(session, audit.turn, end, true)
}

/// Returns the pace from the turn `from`, after the compaction before or at the start, to `audit`'s compaction.
pub fn pace_before(session: &Session, from: TurnIdx, audit: &CompactionAudit) -> EditPace {
    pace_of_turns(session, from, audit.turn.at(), false)
}

fn pace_of_turns(session: &Session, from: TurnIdx, end: usize, ends_at_edit: bool) -> EditPace {
    let mut pace = EditPace { from, n_edits: 0, n_calls: 0, blocks: Vec::new() };
    let turns = session.turns.get(from.at()..end).unwrap_or_default();
    for reply in turns.iter().filter_map(|turn| turn.message) {
        for (block, row) in session.blocks_of(reply) {
            match (&row.kind, row.class) {
                (BlockKind::Call(_), Some(ToolClass::Write)) => {
                    pace.n_edits += 1;
                    if ends_at_edit {
                        return pace;
                    }
                    continue;
                }
                (BlockKind::Call(_), Some(ToolClass::Delimiter)) => continue,
                (BlockKind::Call(_), _) => pace.n_calls += 1,
                _ => {}
            }
            pace.blocks.push(block);
            pace.blocks.extend(row.pair);
        }
    }
    pace
}
