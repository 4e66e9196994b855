//! Notices: sessions that were found but cannot be listed, each with a remedy.

use std::io::ErrorKind;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The harness's display name. Empty if unknown.
    pub harness: String,
    pub path: String,
    pub message: String,
    pub hint: String,
}

impl Notice {
    pub(crate) fn new(harness: &str, path: &Path, message: String, hint: &str) -> Self {
        Self { harness: harness.to_owned(), path: path.display().to_string(), message, hint: hint.to_owned() }
    }
}

pub(crate) fn unread_store(harness: &str, path: &Path) -> Option<Notice> {
    let message = || format!("sessions that {harness} keeps in a database are not read");
    let hint = "in such a session type `/export FILE.jsonl` and open that file, or start with \
                PERSISTENT_STORE=jsonl";
    path.is_file().then(|| Notice::new(harness, path, message(), hint))
}

pub(crate) fn unreadable_folder(harness: Option<&str>, folder: &Path) -> Option<Notice> {
    let error = std::fs::read_dir(folder).err().filter(|error| error.kind() != ErrorKind::NotFound)?;
    let message = format!("the folder of sessions cannot be looked into ({error})");
    Some(Notice::new(harness.unwrap_or_default(), folder, message, "let your user read it"))
}

pub(crate) fn logs_left_out(n_older: usize, n_listed: usize) -> Notice {
    let message = format!("{n_older} logs are not listed: only the {n_listed} that changed last are");
    let hint = "open an older one by its path";
    Notice::new("", Path::new(""), message, hint)
}

pub(crate) fn unreadable_log(log: &Path) -> Notice {
    Notice::new("", log, "a log may not be read".to_owned(), "let your user read it")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_database_of_pi_is_told_with_the_way_out() {
        let dir = tempfile::tempdir().unwrap();
        let store = crate::roots::database_of_pi(dir.path());
        assert_eq!(unread_store("pi", &store), None);
        let database = dir.path().join("sessions.sqlite");
        std::fs::write(&database, "SQLite format 3").unwrap();
        let notice = unread_store("pi", &store).unwrap();
        assert_eq!((notice.harness.as_str(), notice.path), ("pi", database.display().to_string()));
        assert!(notice.hint.contains("/export"));
    }

    #[test]
    fn a_folder_that_is_something_else_is_told_and_a_missing_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(unreadable_folder(Some("pi"), dir.path()), None);
        assert_eq!(unreadable_folder(Some("pi"), &dir.path().join("none")), None);
        let file = dir.path().join("sessions");
        std::fs::write(&file, "").unwrap();
        let notice = unreadable_folder(Some("pi"), &file).unwrap();
        assert!(notice.message.contains("cannot be looked into"), "{notice:?}");
    }
}
