//! The parts of an answer that no log has: the user's tables, marks under a name, and the time.

use std::time::Duration;

use crate::marks::NamedMarks;
use crate::text_store::TextStore;
use crate::{ApiError, ErrorCode};

/// Returns `true` while a search may go on.
pub type SearchLimit = Box<dyn Fn() -> bool + Send + Sync>;

/// A host of snapshots. It reads files and clocks, which this crate does not.
pub trait HostAccess: Send + Sync {
    /// Reads the user's file of a table, for example `prices`. `None` if users have no files here.
    fn table_file(&self, name: &str) -> Option<TableFile>;

    /// Finds the marks of a log under a name; `name` may also be a file. `stored` holds the log's texts, if a store does.
    ///
    /// # Errors
    /// If there are none.
    fn find_marks(
        &self,
        stored: Option<&dyn TextStore>,
        log: &str,
        name: &str,
    ) -> Result<NamedMarks, ApiError>;

    /// Returns the harness whose folder holds `log`, else the name of its format.
    fn harness_of(&self, log: &str, format: &str) -> String;

    fn begin_search(&self, longest: Duration) -> SearchLimit;
}

/// The absence of a host: built-in tables, no stored marks, no clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHost;

impl HostAccess for NoHost {
    fn table_file(&self, _: &str) -> Option<TableFile> {
        None
    }

    fn find_marks(&self, _: Option<&dyn TextStore>, _: &str, name: &str) -> Result<NamedMarks, ApiError> {
        Err(ApiError::new(ErrorCode::BadView, format!("no marks are stored as `{name}`"))
            .with_hint("an annotation is auto, declared, inferred, or filled here"))
    }

    fn harness_of(&self, _: &str, format: &str) -> String {
        format.to_owned()
    }

    fn begin_search(&self, _: Duration) -> SearchLimit {
        Box::new(|| true)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFile {
    pub path: String,
    /// The file's text; `Ok(None)` if the file is missing, an error's sentence if it cannot be read.
    pub text: Result<Option<String>, String>,
}

impl TableFile {
    pub(crate) fn read_with(&self, what: &str, read: impl FnOnce(&str) -> Vec<String>) -> Vec<String> {
        let problems = match &self.text {
            Ok(Some(text)) => read(text),
            Ok(None) => Vec::new(),
            Err(error) => {
                vec![format!("the table of {what} cannot be read ({error}); the built-in one is used")]
            }
        };
        problems.into_iter().map(|problem| format!("{problem}: {}", self.path)).collect()
    }
}

#[cfg(test)]
impl TableFile {
    pub fn with_text(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: Ok(Some(text.to_owned())) }
    }

    pub fn missing(path: &str) -> Self {
        Self { path: path.to_owned(), text: Ok(None) }
    }
}
