//! The tables needed to read a log (tools, reasoning retention), with the user's overrides.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

pub use cwl_discover::config_dir;
use cwl_discover::project_dirs;
use cwl_engine::ToolTable;
use cwl_formats::{default_tools, parse_tools};

use crate::recent::lock_unpoisoned;
use crate::tables::carried::CarriedTable;

/// Tool classes, reasoning retention, and problems in the user's files.
#[derive(Debug, Clone)]
pub struct Tools {
    pub(crate) table: Arc<ToolTable>,
    pub(crate) carried: Arc<CarriedTable>,
    pub problems: Vec<String>,
}

impl Tools {
    pub fn builtin_tables() -> Self {
        Self {
            table: Arc::new(default_tools()),
            carried: CarriedTable::builtin_table(),
            problems: Vec::new(),
        }
    }

    /// Reads the user's `tools.toml` and `carried.toml` over the built-in tables.
    pub fn of_user() -> Self {
        config_dir().map_or_else(Self::builtin_tables, |dir| Self::of_folder(&dir))
    }

    /// Returns the classes of tools.
    pub fn table(&self) -> &ToolTable {
        &self.table
    }

    /// Reads a folder's files over the built-in tables. A missing file changes nothing.
    pub fn of_folder(dir: &Path) -> Self {
        let carried = CarriedTable::of_file(&dir.join("carried.toml"));
        let mut tools = Self { carried, ..Self::builtin_tables() };
        tools.problems = of_file(&dir.join("tools.toml"), "tools", |text| {
            let (table, problems) = parse_tools(text);
            tools.table = Arc::new(table);
            problems
        });
        tools.problems.extend(tools.carried.problems.iter().cloned());
        tools
    }
}

/// Parses a table's text. The error sentence names `what`.
pub(crate) fn document_of(text: &str, what: &str) -> Result<toml::Table, String> {
    text.parse().map_err(|error: toml::de::Error| {
        let reason = error.to_string();
        let reason = reason.lines().next().unwrap_or_default();
        format!("the table of {what} is not TOML, nothing of it is used ({reason})")
    })
}

/// Reads a user's file with `read`; returns problems as sentences naming the file. A missing file has none.
pub(crate) fn of_file(path: &Path, what: &str, read: impl FnOnce(&str) -> Vec<String>) -> Vec<String> {
    let problems = match std::fs::read_to_string(path) {
        Ok(text) => read(&text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            vec![format!("the table of {what} cannot be read ({error}); the built-in one is used")]
        }
    };
    problems.into_iter().map(|problem| format!("{problem}: {}", path.display())).collect()
}

/// A built-in table with the user's file over it, parsed again only if the file changed.
pub(crate) struct UserTable<T>(Mutex<Option<(KeptFile, Arc<T>)>>);

/// A user's file with its text; `None` if the file is missing.
type KeptFile = (Option<PathBuf>, Option<String>);

impl<T> UserTable<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns the current table. Calls `make` if the file's text changed or the known table no longer `fits`. A `path`
    /// of `None` gives the built-in table.
    pub(crate) fn current_table(
        &self,
        path: Option<PathBuf>,
        fits: impl FnOnce(&T) -> bool,
        make: impl FnOnce(Option<&Path>) -> T,
    ) -> Arc<T> {
        let text = match path.as_deref().map(std::fs::read_to_string) {
            Some(Ok(text)) => Some(text),
            Some(Err(error)) if error.kind() != std::io::ErrorKind::NotFound => {
                return Arc::new(make(path.as_deref()));
            }
            _ => None,
        };
        let mut kept = lock_unpoisoned(&self.0);
        if let Some((of, table)) = &*kept
            && *of == (path.clone(), text.clone())
            && fits(table)
        {
            return Arc::clone(table);
        }
        let table = Arc::new(make(path.as_deref()));
        *kept = Some(((path, text), Arc::clone(&table)));
        table
    }
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

/// Returns the store's folder: `CWL_DATA_DIR`, else the platform's data directory.
///
/// # Errors
/// If the platform has none, for example because the user has no home.
pub fn default_data_dir() -> Result<PathBuf, crate::ApiError> {
    let chosen = std::env::var_os("CWL_DATA_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    chosen.or_else(|| project_dirs().map(|dirs| dirs.data_dir().to_owned())).ok_or_else(|| {
        crate::ApiError::new(crate::ErrorCode::Store, "this user has no home folder for the store")
            .with_hint("name a folder with CWL_DATA_DIR")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_users_file_is_read_over_the_builtin_table() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("tools.toml");
        assert!(Tools::of_folder(dir.path()).problems.is_empty(), "a missing file is no problem");
        std::fs::write(&file, "[mine]\nsearch = [\"lookup\"]\nodd = [\"x\"]\n").unwrap();
        let tools = Tools::of_folder(dir.path());
        assert_eq!(tools.table.class_of("Lookup"), cwl_engine::ToolClass::Search);
        assert_eq!(tools.table.class_of("grep"), cwl_engine::ToolClass::Search, "the built-in rows stay");
        assert_eq!(tools.problems.len(), 1);
        assert!(tools.problems[0].ends_with("tools.toml"), "the path stands last: {}", tools.problems[0]);
        std::fs::write(dir.path().join("carried.toml"), "row = 1\n").unwrap();
        let tools = Tools::of_folder(dir.path());
        assert_eq!(tools.problems.len(), 2);
        assert!(tools.problems[1].ends_with("carried.toml"), "{}", tools.problems[1]);
    }
}
