//! Errors on the wire: a code, a sentence, a remedy and a path.

use std::fmt;
use std::path::{Path, PathBuf};

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
    /// Several sessions' ids have the given prefix.
    Ambiguous,
    UnknownBlock,
    UnknownEpisode,
    UnknownBranch,
    /// Unknown command or unfitting arguments.
    BadRequest,
    /// The caller is a page of another origin, or lacks the address's token.
    NoAccess,
    Refused,
    /// A policy, budget, tokenizer, overhead or option in the view is invalid.
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
    /// A bug in the program.
    Internal,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApiError {
    pub code: ErrorCode,
    /// A phrase without full stop.
    pub message: String,
    /// The remedy, if the user can do something.
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

    pub(crate) fn from_internal(what: impl fmt::Display) -> Self {
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

impl From<cwl_store::StoreError> for ApiError {
    fn from(error: cwl_store::StoreError) -> Self {
        use cwl_store::Fault as E;
        let hint = match &error.fault {
            E::DiskFull { .. } => Some("make room on the disk"),
            E::Locked { .. } => Some("close the other program, or wait"),
            E::ReadOnly { .. } | E::Folder { .. } | E::Unopened { .. } => {
                Some("choose another folder with CWL_DATA_DIR")
            }
            E::Corrupt { .. } | E::Damaged { .. } if is_of_user(error.file_path()) => Some(USER_DAMAGED),
            E::Corrupt { .. } | E::Damaged { .. } => {
                Some("move the file away; logs that still exist are read again")
            }
            E::Newer { .. } => Some("use the newer program, or another folder with CWL_DATA_DIR"),
            _ => None,
        };
        let message = whole_message(&error);
        Self { code: ErrorCode::Store, message, hint: hint.map(str::to_owned), path: None }
    }
}

/// The remedy if the file with notes and marks is damaged. No log contains its data.
pub(crate) const USER_DAMAGED: &str =
    "keep the file: no log has what it holds; `cwl db restore` puts the last sound copy in its place";

/// Tells whether a store file contains user data (notes, marks) instead of indexed logs.
pub(crate) fn is_of_user(path: &std::path::Path) -> bool {
    path.file_name().is_some_and(|name| name == "user.sqlite")
}

pub(crate) fn whole_message(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        message = format!("{message} ({cause})");
        source = cause.source();
    }
    message
}

impl From<cwl_tail::TailError> for ApiError {
    fn from(error: cwl_tail::TailError) -> Self {
        use cwl_tail::TailError as E;
        match error {
            E::Read { path, source } => unreadable_file(&path, &source),
            E::NotAFile { path, what } => not_a_file(&path, what),
            E::Watcher(source) => {
                Self::new(ErrorCode::Internal, format!("cannot watch for changed files ({source})"))
                    .with_hint("raise the limit of watchers, on Linux fs.inotify.max_user_instances")
            }
            E::Thread(source) => Self::from_internal(source),
        }
    }
}

pub(crate) fn unreadable_file(path: &Path, source: &std::io::Error) -> ApiError {
    let (code, message, hint) = match source.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            (ErrorCode::Missing, "no such file".to_owned(), "check the path, or look at `cwl sessions`")
        }
        std::io::ErrorKind::PermissionDenied => (
            ErrorCode::Unreadable,
            "the file may not be read".to_owned(),
            "check its permissions and those of its folders",
        ),
        _ => {
            (ErrorCode::Unreadable, format!("cannot read the file ({source})"), "check the file and its disk")
        }
    };
    ApiError::new(code, message).with_hint(hint).with_path(path)
}

/// Reports a path that is not a regular file. `what` includes its article, as in `a folder`.
pub(crate) fn not_a_file(path: &Path, what: &str) -> ApiError {
    ApiError::new(ErrorCode::NotAFile, format!("this is {what}, not a log file"))
        .with_hint("name one .jsonl file")
        .with_path(path)
}

pub(crate) fn undetected_format(path: &Path, why: cwl_formats::DetectFailure) -> ApiError {
    use cwl_formats::DetectFailure as U;
    let code = match why {
        U::Empty => ErrorCode::Empty,
        U::Binary | U::Utf16 => ErrorCode::Binary,
        U::Foreign(_) | U::Unknown => ErrorCode::UnknownFormat,
    };
    let text = why.to_string();
    let (message, hint) = match text.split_once("; ") {
        Some((message, hint)) => (message.to_owned(), Some(hint.to_owned())),
        None => (text, None),
    };
    ApiError { code, message, hint, path: Some(path.display().to_string()) }
}

pub(crate) fn stdin_path() -> PathBuf {
    PathBuf::from("-")
}
