//! Progress rows, which stand in the chain of parents without belonging to the conversation.
//!
//! They come at any time and in any number, and most have no child. In the tree, each would be a branch, and
//! the last one would look like the end of the session. So they are left out, and a child of a progress row
//! hangs below the record that row continues. If the progress row came behind another record, a quiet event
//! marks the place: the engine then decides by the sizes which of the two records goes on.

use std::collections::BTreeMap;

use cwl_engine::{EntryId, Parent};

use super::row::ClaudeRow;

/// Maximum number of remembered rows; beyond it, a child's parent is unknown and the child follows the record
/// before it.
const MAX_ROWS: usize = 1 << 16;

#[derive(Debug, Clone, Default)]
pub(super) struct ProgressRows {
    rows: BTreeMap<EntryId, SkippedProgressRow>,
    last: [Option<EntryId>; 2],
}

#[derive(Debug, Clone)]
struct SkippedProgressRow {
    /// The nearest ancestor that is not a progress row.
    beyond: Parent,
    /// True if another record stands directly before it in the file.
    is_late: bool,
}

pub(super) struct BeyondProgress {
    pub(super) parent: Parent,
    /// True if the row hangs below a progress row that came behind a record other than `parent`.
    pub(super) is_late: bool,
}

impl ProgressRows {
    pub(super) fn pass(&mut self, row: &ClaudeRow<'_>, parent: Parent) -> BeyondProgress {
        let last = &self.last[usize::from(row.side)];
        let passed = match &parent {
            Parent::Woven(entry) => self.rows.get(entry),
            _ => None,
        };
        let (beyond, is_late) = match passed {
            Some(passed) => (passed.beyond.clone(), passed.is_late),
            None => (parent, false),
        };
        if !row.is_progress() {
            return BeyondProgress { parent: beyond, is_late };
        }
        if let Some(id) = row.own_id()
            && self.rows.len() < MAX_ROWS
        {
            let is_late = match (&beyond, last) {
                (Parent::Woven(entry), Some(last)) => entry != last,
                _ => false,
            };
            self.rows.insert(EntryId::new(id), SkippedProgressRow { beyond, is_late });
        }
        BeyondProgress { parent: Parent::Outside, is_late: false }
    }

    pub(super) fn came(&mut self, side: bool, entry: &EntryId) {
        self.last[usize::from(side)] = Some(entry.clone());
    }

    /// Nothing hangs below the progress of an earlier prompt.
    pub(super) fn forget(&mut self) {
        self.rows.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
