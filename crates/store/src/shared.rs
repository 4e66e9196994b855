//! Shares the storage for repeated names: tools, programs and models.

use std::collections::HashSet;
use std::sync::Arc;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::error::Fault;

#[derive(Debug, Default)]
pub(crate) struct SharedTexts(HashSet<Arc<str>>);

impl SharedTexts {
    pub(crate) fn share_text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.0.insert(Arc::clone(&new));
        new
    }

    pub(crate) fn read_column(&mut self, row: &Row<'_>, column: usize) -> Result<Option<Arc<str>>, Fault> {
        match row.get_ref(column)? {
            ValueRef::Null => Ok(None),
            value => Ok(Some(self.share_text(value.as_str()?))),
        }
    }
}
