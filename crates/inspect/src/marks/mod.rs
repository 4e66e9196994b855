//! Marks: episodes given by log lines, written afterwards by a person, an agent or a script.
//!
//! Marks become an annotation of a branch: lines become blocks, and oddities become problems with a place. Only a file
//! in another format is an error.

mod changes;
mod check;
mod draft;
pub mod read;
mod spans;
mod turns;

use crate::api::MarksFile;

pub use changes::list_changes;
pub use check::{MarksCheck, check_draft, describe_problem};
pub use draft::read_draft;
pub use spans::{marks_of, numbers_in_lines, place_marks, spans_of};
pub use turns::{FIRST_NUMBER, TurnLines, share_lines};

/// The name for marks given inside a view.
pub const UNSAVED: &str = "not saved";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedMarks {
    pub name: String,
    pub marks: MarksFile,
}

impl NamedMarks {
    pub fn author_name(&self) -> Option<&str> {
        let told = self.marks.made_by.as_deref().or(self.marks.reader.as_deref());
        told.map(str::trim).filter(|by| !by.is_empty())
    }
}

pub(crate) fn parse_marks(json: &str) -> Result<NamedMarks, crate::ApiError> {
    Ok(NamedMarks { name: UNSAVED.to_owned(), marks: read::read_marks(json.as_bytes())? })
}
