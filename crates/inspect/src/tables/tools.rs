//! The tables needed to read a log (tools, reasoning retention), with the user's overrides.

use std::sync::{Arc, Mutex};

use cwl_engine::ToolTable;
use cwl_formats::{default_tools, parse_tools};

use crate::access::TableFile;
use crate::recent::lock_unpoisoned;
use crate::tables::carried::CarriedTable;

#[derive(Debug, Clone)]
pub struct Tools {
    pub table: Arc<ToolTable>,
    pub carried: Arc<CarriedTable>,
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

    pub fn table(&self) -> &ToolTable {
        &self.table
    }

    /// Reads the user's `tools.toml` and `carried.toml` over the built-in tables. A missing file changes nothing.
    pub fn from_files(tools_file: &TableFile, carried_file: &TableFile) -> Self {
        let carried = CarriedTable::from_file(carried_file);
        let mut tools = Self { carried, ..Self::builtin_tables() };
        tools.problems = tools_file.read_with("tools", |text| {
            let (table, problems) = parse_tools(text);
            tools.table = Arc::new(table);
            problems
        });
        tools.problems.extend(tools.carried.problems.iter().cloned());
        tools
    }
}

pub(crate) fn document_of(text: &str, what: &str) -> Result<toml::Table, String> {
    text.parse().map_err(|error: toml::de::Error| {
        let reason = error.to_string();
        let reason = reason.lines().next().unwrap_or_default();
        format!("the table of {what} is not TOML, nothing of it is used ({reason})")
    })
}

/// A built-in table with the user's file over it, parsed again only if the file changed.
pub(crate) struct UserTable<T>(Mutex<Option<(KeptFile, Arc<T>)>>);

type KeptFile = Option<TableFile>;

impl<T> UserTable<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns the current table. Calls `make` if the file changed or the known table no longer `fits`. A `file` of `None`
    /// gives the built-in table.
    pub(crate) fn current_table(
        &self,
        file: Option<TableFile>,
        fits: impl FnOnce(&T) -> bool,
        make: impl FnOnce(Option<&TableFile>) -> T,
    ) -> Arc<T> {
        if file.as_ref().is_some_and(|file| file.text.is_err()) {
            return Arc::new(make(file.as_ref()));
        }
        let mut kept = lock_unpoisoned(&self.0);
        if let Some((of, table)) = &*kept
            && *of == file
            && fits(table)
        {
            return Arc::clone(table);
        }
        let table = Arc::new(make(file.as_ref()));
        *kept = Some((file, Arc::clone(&table)));
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_file_is_read_over_the_builtin_table() {
        let [none, no_carried] = ["tools.toml", "carried.toml"].map(TableFile::missing);
        assert!(Tools::from_files(&none, &no_carried).problems.is_empty(), "a missing file is no problem");
        let file = TableFile::with_text("tools.toml", "[mine]\nsearch = [\"lookup\"]\nodd = [\"x\"]\n");
        let tools = Tools::from_files(&file, &no_carried);
        assert_eq!(tools.table.class_of("Lookup"), cwl_engine::ToolClass::Search);
        assert_eq!(tools.table.class_of("grep"), cwl_engine::ToolClass::Search, "the built-in rows stay");
        assert_eq!(tools.problems.len(), 1);
        assert!(tools.problems[0].ends_with("tools.toml"), "the path stands last: {}", tools.problems[0]);
        let tools = Tools::from_files(&file, &TableFile::with_text("carried.toml", "row = 1\n"));
        assert_eq!(tools.problems.len(), 2);
        assert!(tools.problems[1].ends_with("carried.toml"), "{}", tools.problems[1]);
    }
}
