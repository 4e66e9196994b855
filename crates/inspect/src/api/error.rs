//! Errors: a code, a sentence, a remedy and a path.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Error kinds. The page maps each code to texts and actions; a code is added with its first use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ErrorCode {
    Missing,
    Unreadable,
    /// The path is a folder, a pipe or a device.
    NotAFile,
    /// The path is a corpus folder. The window shows its table.
    Corpus,
    /// The folder is not a corpus, or one of its tables is unreadable.
    NoCorpus,
    Empty,
    Binary,
    UnknownFormat,
    UnknownSession,
    Ambiguous,
    UnknownBlock,
    UnknownEpisode,
    UnknownBranch,
    BadRequest,
    /// The caller is a page of another origin, or lacks the address's token.
    NoAccess,
    Refused,
    BadView,
    NeedsWindow,
    BadPattern,
    /// The log was replaced while the answer was computed. Ask again.
    Restarted,
    /// Too many requests at once. Ask again in a moment.
    Busy,
    /// Stopped by the user. Finished work is kept.
    Cancelled,
    Unwritable,
    Store,
    Internal,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApiError {
    pub code: ErrorCode,
    pub message: String,
    pub hint: Option<String>,
    pub path: Option<String>,
}

impl ApiError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, path: None }
    }

    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn with_path(mut self, path: &Path) -> Self {
        self.path = Some(path.display().to_string());
        self
    }

    pub fn from_internal(what: impl fmt::Display) -> Self {
        Self::new(ErrorCode::Internal, format!("the program failed: {what}")).with_hint("please report it")
    }
}

impl fmt::Display for ApiError {
    /// One line: message, hint, path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "; {hint}")?;
        }
        if let Some(path) = &self.path {
            write!(f, ": {path}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ApiError {}
