//! The user's tables, stored marks and clock of this machine, for the snapshots.

use std::path::Path;
use std::time::{Duration, Instant};

use cwl_inspect::access::{HostAccess, SearchLimit, TableFile};
use cwl_inspect::asked::view::is_file_of_marks;
use cwl_inspect::marks::NamedMarks;
use cwl_inspect::tables::tools::Tools;
use cwl_inspect::text_store::TextStore;

pub use cwl_discover::config_dir;

use crate::ApiError;
use crate::marks_file::read_marks_file;
use crate::stored::marks::find_stored;

#[derive(Debug, Clone, Copy)]
pub(crate) struct ThisMachine;

impl HostAccess for ThisMachine {
    fn table_file(&self, name: &str) -> Option<TableFile> {
        config_dir().map(|dir| read_table(&dir, name))
    }

    fn find_marks(
        &self,
        stored: Option<&dyn TextStore>,
        log: &str,
        name: &str,
    ) -> Result<NamedMarks, ApiError> {
        match is_file_of_marks(name) {
            true => read_marks_file(Path::new(name)),
            false => find_stored(stored, log, name),
        }
    }

    fn harness_of(&self, log: &str, format: &str) -> String {
        cwl_discover::harness_of(Path::new(log), format)
    }

    fn begin_search(&self, longest: Duration) -> SearchLimit {
        let until = Instant::now() + longest;
        Box::new(move || Instant::now() < until)
    }
}

pub(crate) fn read_table(dir: &Path, name: &str) -> TableFile {
    let path = dir.join(format!("{name}.toml"));
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    };
    TableFile { path: path.display().to_string(), text }
}

pub fn tools_of_user() -> Tools {
    config_dir().map_or_else(Tools::builtin_tables, |dir| tools_of_folder(&dir))
}

/// Reads a folder's tables over the built-in ones. A missing file changes nothing.
pub fn tools_of_folder(dir: &Path) -> Tools {
    Tools::from_files(&read_table(dir, "tools"), &read_table(dir, "carried"))
}

/// Hashes the user's tables that influence results.
pub fn hash_of_tables() -> String {
    let mut hasher = blake3::Hasher::new();
    for name in ["tools.toml", "prices.toml", "models.toml", "carried.toml"] {
        let table = config_dir().and_then(|dir| std::fs::read(dir.join(name)).ok());
        // Each file is preceded by its length, so different sets of files never hash the same bytes.
        hasher.update(&(table.as_ref().map_or(u64::MAX, |bytes| bytes.len() as u64)).to_le_bytes());
        hasher.update(&table.unwrap_or_default());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn tables_of_a_folder_are_read() {
        let dir = tempfile::tempdir().unwrap();
        assert!(tools_of_folder(dir.path()).problems.is_empty(), "a missing file is no problem");
        std::fs::write(dir.path().join("tools.toml"), "[mine]\nodd = [\"x\"]\n").unwrap();
        std::fs::create_dir(dir.path().join("carried.toml")).unwrap();
        let problems = tools_of_folder(dir.path()).problems;
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(
            problems[0].ends_with("tools.toml") && problems[1].contains("cannot be read"),
            "{problems:?}"
        );
    }
}
