//! Folders whose sessions agents may ask about.
//!
//! An agent in one project has no business in the logs of another, which hold what people typed there. A
//! session is allowed only if it was recorded in or below a folder named by the user, or if an agent names the path
//! of its log, and the log is in or below such a folder.

use std::path::{Component, Path, PathBuf};

#[derive(Debug, Clone)]
pub(super) struct AllowedFolders {
    /// Each folder as named and as its real path.
    roots: Vec<PathBuf>,
}

impl AllowedFolders {
    pub(super) fn from_roots(roots: &[PathBuf]) -> Self {
        let named = roots.iter().filter_map(|root| std::path::absolute(root).ok());
        let real = roots.iter().filter_map(|root| root.canonicalize().ok());
        let mut roots: Vec<PathBuf> = named.chain(real).map(|root| root.components().collect()).collect();
        roots.sort();
        roots.dedup();
        Self { roots }
    }

    /// Checks a session's recorded folder by name only, without touching it; or the log's path if no folder
    /// is recorded.
    pub(super) fn allows_session(&self, cwd: Option<&str>, log: &str) -> bool {
        self.is_below(Path::new(cwd.filter(|cwd| !cwd.is_empty()).unwrap_or(log)))
    }

    pub(super) fn is_below(&self, path: &Path) -> bool {
        let goes_up = path.components().any(|part| part == Component::ParentDir);
        path.is_absolute() && !goes_up && self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Finds a file below an allowed folder, by name and by its real path. A relative path counts from each folder.
    pub(super) fn find_file(&self, path: &Path) -> Option<PathBuf> {
        let below = self.roots.iter().map(|root| root.join(path));
        below.filter(|path| self.is_below(path)).find_map(|path| {
            let real = path.canonicalize().ok()?;
            (self.is_below(&real) && real.is_file()).then_some(real)
        })
    }

    pub(super) fn describe_roots(&self) -> String {
        if self.roots.is_empty() {
            return "the folders of --root (the server was started where all projects are, so that it has none of its own)"
                .to_owned();
        }
        let roots: Vec<String> = self.roots.iter().map(|root| root.display().to_string()).collect();
        roots.join(", ")
    }
}

/// Returns the start folder of a server as its default allowed folder. `None` for the root of the file
/// system, the user's home, and the folders above the home: some harnesses start servers there, and that
/// would allow all projects.
pub fn root_of_start(start: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let is_all = start.parent().is_none() || home.is_some_and(|home| home.starts_with(start));
    (!is_all).then(|| start.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_that_holds_all_projects_is_no_root() {
        let check = |start: &str, home: Option<&str>, is_root: bool| {
            let root = root_of_start(Path::new(start), home.map(Path::new));
            assert_eq!(root, is_root.then(|| PathBuf::from(start)), "{start} {home:?}");
        };
        check("/home/ada/shop", Some("/home/ada"), true);
        check("/srv/shop", None, true);
        check("/home/ada", Some("/home/ada"), false);
        check("/home", Some("/home/ada"), false);
        check("/", None, false);
        check("/home/ada2", Some("/home/ada"), true);
    }

    #[test]
    fn only_what_was_recorded_below_a_root_is_within_reach() {
        let reach = AllowedFolders::from_roots(&[PathBuf::from("/code/shop"), PathBuf::from("/srv/")]);
        let check = |cwd: Option<&str>, log: &str, expected: bool| {
            assert_eq!(reach.allows_session(cwd, log), expected, "{cwd:?} {log}");
        };
        check(Some("/code/shop"), "/x.jsonl", true);
        check(Some("/code/shop/"), "/x.jsonl", true);
        check(Some("/code/shop/api/src"), "/x.jsonl", true);
        check(Some("/srv/a"), "/x.jsonl", true);
        check(Some("/code/shopping"), "/code/shop/x.jsonl", false);
        check(Some("/code"), "/x.jsonl", false);
        check(Some("/code/shop/../bank"), "/x.jsonl", false);
        check(Some("code/shop"), "/x.jsonl", false);
        check(Some("C:\\code\\shop"), "/x.jsonl", false);
        check(None, "/code/shop/logs/x.json", true);
        check(Some(""), "/code/shop/logs/x.json", true);
        check(None, "/home/dev/.gemini/tmp/x.json", false);
        check(None, "/code/shop/../bank/x.json", false);
    }
}
