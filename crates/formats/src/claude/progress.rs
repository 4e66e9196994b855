//! Rows of progress, which the tree goes through without being about them.
//!
//! They stand in the chain of parents like any row, but they come at any time and in any number, and most lead
//! nowhere: as records of the tree each would be a branch of its own, and the last one would be taken for the
//! end of the session. So they are left out of the tree, and what hangs below one is hung below what that one
//! continues. Where another row came in before that one, a note stands between: the engine then tells by the sizes which of
//! the two rows goes on.

use std::collections::BTreeMap;

use cwl_engine::{EntryId, Parent};

use super::row::ClaudeRow;

/// The most rows that are remembered; a row below any other follows the record before it.
const MAX_ROWS: usize = 1 << 16;

/// The rows of progress since the human's last prompt.
#[derive(Debug, Clone, Default)]
pub(super) struct ProgressRows {
    rows: BTreeMap<EntryId, SkippedProgressRow>,
    /// The tree's last record, of the session and of subagents' own conversations.
    last: [Option<EntryId>; 2],
}

/// A row of progress that is left out of the tree.
#[derive(Debug, Clone)]
struct SkippedProgressRow {
    /// The record it continues beyond other progress.
    beyond: Parent,
    /// True when another record stands right before it in the file.
    is_late: bool,
}

/// The place of a row once progress is left out.
pub(super) struct BeyondProgress {
    /// The record it continues.
    pub(super) parent: Parent,
    /// True when the progress it hangs below stands behind another record than that.
    pub(super) is_late: bool,
}

impl ProgressRows {
    /// Returns where a row hangs once progress is left out.
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

    /// Notes a record of the tree.
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
