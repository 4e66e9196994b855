//! Errors on the wire: one code each, a sentence, a way out, and the path last.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The kind of an error, for a table of texts and actions; a code is added only with its first use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ErrorCode {
    /// There is no file of that name.
    Missing,
    /// The file is there but cannot be read.
    Unreadable,
    /// A folder, a pipe or a device.
    NotAFile,
    /// The folder of a corpus: it is no session, and the window shows its table.
    Corpus,
    /// A folder that is no corpus, or one of whose tables cannot be read.
    NoCorpus,
    /// There is nothing in the file yet.
    Empty,
    /// The file is not text.
    Binary,
    /// Text of no known log format.
    UnknownFormat,
    /// No session of that number, id or path is known.
    UnknownSession,
    /// Several sessions have an id that begins so.
    Ambiguous,
    /// The session has no such block.
    UnknownBlock,
    /// The graph has no such episode.
    UnknownEpisode,
    /// The log has no such record to end a branch with.
    UnknownBranch,
    /// No command has that name, or its arguments do not fit.
    BadRequest,
    /// The caller may not ask: it is a page of another origin, or one without the token of its address.
    NoAccess,
    /// A link may not open that place.
    Refused,
    /// A part of the view (policy, budget, tokenizer, overhead, option) is not understood.
    BadView,
    /// A budget in per cent needs the model's window.
    NeedsWindow,
    /// A search pattern is not understood.
    BadPattern,
    /// The log was started again while the answer was being made; asking again helps.
    Restarted,
    /// Too much is asked at once; asking again in a moment helps.
    Busy,
    /// The user stopped it; the work until then is kept.
    Cancelled,
    /// A file could not be written where it was wanted.
    Unwritable,
    /// The store cannot be used.
    Store,
    /// The program itself failed.
    Internal,
}

/// An error as it goes to a screen or a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApiError {
    /// The code.
    pub code: ErrorCode,
    /// The message, a phrase without a full stop.
    pub message: String,
    /// The way out, where the user can do something.
    pub hint: Option<String>,
    /// The file that it is about.
    pub path: Option<String>,
}

impl ApiError {
    /// Makes an error without a hint.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, path: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the file that it is about.
    #[must_use]
    pub fn with_path(mut self, path: &Path) -> Self {
        self.path = Some(path.display().to_string());
        self
    }

    /// Makes the error of a command that broke off.
    pub(crate) fn from_internal(what: impl fmt::Display) -> Self {
        Self::new(ErrorCode::Internal, format!("the program failed: {what}")).with_hint("please report it")
    }
}

impl fmt::Display for ApiError {
    /// One line: what, what to do, and the path last.
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

/// The way out where the file of notes and marks is damaged: nothing else has what it holds.
pub(crate) const USER_DAMAGED: &str =
    "keep the file: no log has what it holds; `cwl db restore` puts the last sound copy in its place";

/// Tells whether a file of the store is the one of what people make.
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

/// Makes the error of a file the operating system refuses.
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

/// Makes the error of a path that is not a regular file; `what` with its article.
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

/// The path that stands for standard input in messages.
pub(crate) fn stdin_path() -> PathBuf {
    PathBuf::from("-")
}
