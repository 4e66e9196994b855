//! Errors of the disk and the store as [`ApiError`]s.

use std::path::{Path, PathBuf};

pub use cwl_inspect::{ApiError, ErrorCode};

/// No `From`, because neither type is of this crate.
pub(crate) fn store_error(error: cwl_store::StoreError) -> ApiError {
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
    ApiError { code: ErrorCode::Store, message, hint: hint.map(str::to_owned), path: None }
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

pub(crate) fn tail_error(error: cwl_tail::TailError) -> ApiError {
    use cwl_tail::TailError as E;
    match error {
        E::Read { path, source } => unreadable_file(&path, &source),
        E::NotAFile { path, what } => not_a_file(&path, what),
        E::Watcher(source) => {
            ApiError::new(ErrorCode::Internal, format!("cannot watch for changed files ({source})"))
                .with_hint("raise the limit of watchers, on Linux fs.inotify.max_user_instances")
        }
        E::Thread(source) => ApiError::from_internal(source),
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

pub(crate) fn stdin_path() -> PathBuf {
    PathBuf::from("-")
}
