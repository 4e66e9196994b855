//! Rows of progress, which the tree goes through without being about them.
//!
//! They stand in the chain of parents like any row, but they come at any time and in any number, and most lead
//! nowhere: as records of the tree each would be a branch of its own, and the last one would be taken for the
//! end of the session. So they are left out of the tree, and what hangs below one is hung below what that one
//! continues.

use std::collections::BTreeMap;

use cwl_engine::{EntryId, Parent};

use super::row::ClaudeRow;

/// The most rows that are remembered; a row below any other follows the record before it.
const MAX_ROWS: usize = 1 << 16;

/// The rows of progress since the human's last prompt, each with what it continues beyond other progress.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress {
    rows: BTreeMap<EntryId, Parent>,
}

impl Progress {
    /// Returns where a row hangs once progress is left out.
    pub(super) fn pass(&mut self, row: &ClaudeRow<'_>, parent: Parent) -> Parent {
        let beyond = match &parent {
            Parent::Woven(entry) => self.rows.get(entry).cloned().unwrap_or(parent),
            _ => parent,
        };
        if !row.is_progress() {
            return beyond;
        }
        if let Some(id) = row.own_id()
            && self.rows.len() < MAX_ROWS
        {
            self.rows.insert(EntryId::new(id), beyond);
        }
        Parent::Outside
    }

    /// Nothing hangs below the progress of an earlier prompt.
    pub(super) fn forget(&mut self) {
        self.rows.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
