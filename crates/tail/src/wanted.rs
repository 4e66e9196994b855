//! Which names below a watched folder count: the caller says it, by the path below that folder.

use std::path::{Path, PathBuf};

/// The kind of a name below a watched folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A folder, which would be watched and gone into.
    Folder,
    /// A file, or a link to one, which would be told.
    File,
}

/// Tells whether a folder is gone into, or whether a file is a log, by its path below the watched folder.
///
/// A folder is asked about only when the folders above it were wanted.
pub type Wanted = fn(below: &Path, kind: Kind) -> bool;

/// A folder in which logs are looked for.
#[derive(Clone, Debug)]
pub struct LogFolder {
    /// The folder; it need not be there yet.
    pub path: PathBuf,
    /// Tells which names count in it.
    pub wanted: Wanted,
}

/// Folders are not gone into deeper than this by [`any_log`].
const DEPTH: usize = 12;

/// Wants every file `*.jsonl`, and every folder down to twelve levels.
pub fn any_log(below: &Path, kind: Kind) -> bool {
    match kind {
        Kind::Folder => below.components().count() <= DEPTH,
        Kind::File => is_jsonl(below),
    }
}

/// Tells whether the name ends as that of a log of lines, whatever the case.
pub fn is_jsonl(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl"))
}

impl From<PathBuf> for LogFolder {
    fn from(path: PathBuf) -> Self {
        Self { path, wanted: any_log }
    }
}

impl<P: AsRef<Path> + ?Sized> From<&P> for LogFolder {
    fn from(path: &P) -> Self {
        path.as_ref().to_owned().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_known_by_their_name() {
        for (name, expected) in [
            ("a/b.jsonl", true),
            ("a/B.JSONL", true),
            ("a/b.json", false),
            ("a/b.jsonl.tmp", false),
            ("a/.jsonl", false),
            ("a/jsonl", false),
        ] {
            assert_eq!(any_log(Path::new(name), Kind::File), expected, "{name}");
        }
        let deep = "d/".repeat(DEPTH + 1);
        assert!(any_log(Path::new("a/b"), Kind::Folder) && !any_log(Path::new(&deep), Kind::Folder));
    }
}
