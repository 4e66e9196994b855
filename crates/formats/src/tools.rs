//! The tool class table: data in `tools.toml`, and the same form as a user's own file.

use std::fmt;
use std::sync::LazyLock;

use cwl_engine::{ToolClass, ToolTable};
use toml::{Table, Value};

/// Something odd about a tool table; the rest of the table is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolsProblem {
    /// The text is not TOML; nothing of it is used.
    NotToml {
        /// The parser's reason.
        reason: String,
    },
    /// A list of a class that does not exist.
    UnknownClass {
        /// The harness that the list stands under.
        harness: String,
        /// The class as written.
        class: String,
    },
    /// A value that is no list of names, or has something else among its names.
    NotNames {
        /// Where: `search_programs`, a harness, or `harness.class`.
        key: String,
    },
    /// One name in lists of two classes; the later list wins.
    TwoClasses {
        /// The tool's name in lower case.
        name: String,
        /// The harness whose list wins.
        harness: String,
    },
}

impl fmt::Display for ToolsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotToml { reason } => {
                write!(f, "the tool table is not TOML, nothing of it is used: {reason}")
            }
            Self::UnknownClass { harness, class } => write!(
                f,
                "`{harness}.{class}` is no class; classes are search, read, shell, write, delimiter and other"
            ),
            Self::NotNames { key } => write!(f, "`{key}` must hold lists of names; what is none is left out"),
            Self::TwoClasses { name, harness } => {
                write!(f, "`{name}` has two classes; the one under `{harness}` wins")
            }
        }
    }
}

static DEFAULT: LazyLock<ToolTable> =
    LazyLock::new(|| read(include_str!("../tools.toml"), ToolTable::default()).0);

/// Returns the table that comes with this crate: one list per harness, merged.
pub fn default_tools() -> ToolTable {
    DEFAULT.clone()
}

/// Reads a user's table over the default one: names in the text get its classes, all others keep theirs.
///
/// The text is TOML: `search_programs = [names]`, which are added, and one table per harness (any name) with
/// the lists `search`, `read`, `shell`, `write`, `delimiter` and `other`.
pub fn parse_tools(toml: &str) -> (ToolTable, Vec<ToolsProblem>) {
    read(toml, default_tools())
}

/// Returns the class that a tool has in the default table.
pub(crate) fn default_class(name: &str) -> ToolClass {
    DEFAULT.class_of(name)
}

fn class_named(name: &str) -> Option<ToolClass> {
    Some(match name {
        "search" => ToolClass::Search,
        "read" => ToolClass::Read,
        "shell" => ToolClass::Shell,
        "write" => ToolClass::Write,
        "delimiter" => ToolClass::Delimiter,
        "other" => ToolClass::Other,
        _ => return None,
    })
}

fn read(text: &str, mut table: ToolTable) -> (ToolTable, Vec<ToolsProblem>) {
    let mut problems = Vec::new();
    let document: Table = match text.parse() {
        Ok(document) => document,
        Err(error) => {
            let reason = error.to_string();
            return (table, vec![ToolsProblem::NotToml { reason }]);
        }
    };
    let mut given = ToolTable::default();
    for (key, value) in &document {
        match value {
            Value::Table(lists) => read_harness(key, lists, &mut given, &mut problems),
            list if key == "search_programs" => {
                table.search_programs.extend(names(key, list, &mut problems).map(str::to_owned));
            }
            _ => problems.push(ToolsProblem::NotNames { key: key.clone() }),
        }
    }
    table.classes.extend(given.classes);
    (table, problems)
}

fn read_harness(harness: &str, lists: &Table, given: &mut ToolTable, problems: &mut Vec<ToolsProblem>) {
    for (class_name, list) in lists {
        let Some(class) = class_named(class_name) else {
            problems.push(ToolsProblem::UnknownClass { harness: harness.into(), class: class_name.clone() });
            continue;
        };
        for name in names(&format!("{harness}.{class_name}"), list, problems) {
            let name = name.to_lowercase();
            let before = given.classes.insert(name.clone(), class);
            if before.is_some_and(|before| before != class) {
                problems.push(ToolsProblem::TwoClasses { name, harness: harness.into() });
            }
        }
    }
}

/// Returns the names in a list; what is no name is reported once and left out.
fn names<'a>(
    key: &str,
    list: &'a Value,
    problems: &mut Vec<ToolsProblem>,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let items = list.as_array().map_or(&[][..], Vec::as_slice);
    if !list.is_array() || items.iter().any(|item| !item.is_str()) {
        problems.push(ToolsProblem::NotNames { key: key.into() });
    }
    items.iter().filter_map(Value::as_str)
}
