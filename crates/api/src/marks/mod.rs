//! Marks: episodes that a person, an agent or a script wrote down afterwards, by the lines of a log.
//!
//! A file of marks becomes an annotation of a branch: lines become blocks, and what is odd about a mark is a problem with
//! its place. Only a file that is not of this form at all is an error.

mod changes;
pub(crate) mod read;
mod spans;

use crate::dto::MarksFileDto;

pub(crate) use changes::changes;
pub(crate) use read::read_file;
pub(crate) use spans::{marks_of, numbers_in_lines, place, spans_of};

/// The name of marks that a view itself tells.
pub(crate) const UNSAVED: &str = "not saved";

/// Marks, and what they are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    /// The name under which they are stored, or their file.
    pub(crate) name: String,
    pub(crate) marks: MarksFileDto,
}

impl Written {
    /// Returns who made the marks, where they tell it.
    pub(crate) fn by(&self) -> Option<&str> {
        let told = self.marks.made_by.as_deref().or(self.marks.reader.as_deref());
        told.map(str::trim).filter(|by| !by.is_empty())
    }
}

/// Reads marks that a view itself tells, as JSON.
pub(crate) fn told(json: &str) -> Result<Written, crate::ApiError> {
    Ok(Written { name: UNSAVED.to_owned(), marks: read::read_marks(json.as_bytes())? })
}
