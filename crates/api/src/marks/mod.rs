//! Marks: episodes that a person, an agent or a script wrote down afterwards, by a log's lines.
//!
//! A file of marks becomes an annotation of a branch: lines become blocks, and what is odd about a mark is a problem with
//! its place. Only a file that is not of this form at all is an error.

mod changes;
pub(crate) mod read;
mod spans;

use crate::dto::MarksFileDto;

pub(crate) use changes::list_changes;
pub(crate) use read::read_file;
pub(crate) use spans::{marks_of, numbers_in_lines, place_marks, spans_of};

/// The name of marks a view itself tells.
pub(crate) const UNSAVED: &str = "not saved";

/// Marks, and what they are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedMarks {
    /// The name under which they are stored, or their file.
    pub(crate) name: String,
    pub(crate) marks: MarksFileDto,
}

impl NamedMarks {
    /// Returns who made the marks, where they tell it.
    pub(crate) fn author_name(&self) -> Option<&str> {
        let told = self.marks.made_by.as_deref().or(self.marks.reader.as_deref());
        told.map(str::trim).filter(|by| !by.is_empty())
    }
}

pub(crate) fn parse_marks(json: &str) -> Result<NamedMarks, crate::ApiError> {
    Ok(NamedMarks { name: UNSAVED.to_owned(), marks: read::read_marks(json.as_bytes())? })
}
