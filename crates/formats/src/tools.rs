//! The tool class table: `tools.toml`, or a user's file with the same format.
//!
//! Besides the classes' lists, a harness has a `source` and the day `as_of` on which it was looked up, the
//! tools that ask the human (`answers`), and the formats of the human's words in results (`words`).

use std::sync::LazyLock;

use cwl_engine::{AnswerForm, ToolClass, ToolTable};
use toml::{Table, Value};

use crate::known::ListSource;

/// Keys of a harness that are not classes.
const ABOUT: [&str; 2] = ["source", "as_of"];
/// Keys for tools that ask the human, and for the formats of the human's words in results.
const ANSWERS: &str = "answers";
const WORDS: &str = "words";
pub(crate) const BUILTIN: &str = include_str!("../tools.toml");

static DEFAULT: LazyLock<ToolTable> = LazyLock::new(|| parse_table(BUILTIN, ToolTable::default()).0);

/// Merged from all harnesses.
pub fn default_tools() -> ToolTable {
    DEFAULT.clone()
}

/// Reads a user's table on top of the built-in one: names in `toml` get their new class, all others keep
/// theirs.
///
/// `toml` may have `search_programs = [names]`, which adds programs, and a table per harness (with any name)
/// with the lists `search`, `read`, `shell`, `write`, `delimiter`, `other` and `answers`, and the texts
/// `source` and `as_of`. The second value lists everything odd in sentences; the rest of the text is used.
pub fn parse_tools(toml: &str) -> (ToolTable, Vec<String>) {
    parse_table(toml, default_tools())
}

pub fn default_tool_sources() -> Vec<ListSource> {
    tool_sources(BUILTIN)
}

/// Returns a table's harnesses and sources; empty if `toml` is not TOML.
pub fn tool_sources(toml: &str) -> Vec<ListSource> {
    let document: Table = toml.parse().unwrap_or_default();
    let told = |(harness, value): (&String, &Value)| {
        let lists = value.as_table()?;
        let text = |key: &str| lists.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let named = lists.iter().filter(|(key, _)| ![ANSWERS, WORDS].contains(&key.as_str()));
        let n_names = named.filter_map(|(_, list)| list.as_array()).map(Vec::len).sum();
        Some(ListSource { name: harness.clone(), n_names, as_of: text("as_of"), source: text("source") })
    };
    document.iter().filter_map(told).collect()
}

pub(crate) fn default_class(name: &str) -> ToolClass {
    DEFAULT.class_of(name)
}

fn parse_table(text: &str, mut table: ToolTable) -> (ToolTable, Vec<String>) {
    let mut problems = Vec::new();
    let document: Table = match text.parse() {
        Ok(document) => document,
        Err(error) => {
            return (table, vec![format!("the tool table is not TOML, nothing of it is used: {error}")]);
        }
    };
    let mut given = ToolTable::default();
    for (key, value) in &document {
        match value {
            Value::Table(lists) => read_harness(key, lists, &mut given, &mut problems),
            list if key == "search_programs" => {
                table.search_programs.extend(parse_names(key, list, &mut problems).map(str::to_owned));
            }
            _ => problems.push(no_names(key)),
        }
    }
    table.classes.extend(given.classes);
    table.answers.extend(given.answers);
    (table, problems)
}

fn read_harness(harness: &str, lists: &Table, given: &mut ToolTable, problems: &mut Vec<String>) {
    for (class_name, list) in lists {
        if ABOUT.contains(&class_name.as_str()) {
            if !list.is_str() {
                problems.push(format!("`{harness}.{class_name}` must be a text"));
            }
            continue;
        }
        if class_name == ANSWERS {
            let tools = parse_names(&format!("{harness}.{ANSWERS}"), list, problems);
            given.answers.extend(tools.map(|name| (name.to_lowercase(), AnswerForm::Whole)));
            continue;
        }
        if class_name == WORDS {
            for form in list.as_array().into_iter().flatten() {
                let tools = form.get("tools").and_then(Value::as_array).into_iter().flatten();
                for name in tools.filter_map(Value::as_str) {
                    given.answers.entry(name.to_lowercase()).or_insert(AnswerForm::Told);
                }
            }
            continue;
        }
        let Ok(class) = class_name.parse::<ToolClass>() else {
            problems.push(format!(
                "`{harness}.{class_name}` is no class; classes are search, read, shell, write, delimiter and other"
            ));
            continue;
        };
        for name in parse_names(&format!("{harness}.{class_name}"), list, problems) {
            let name = name.to_lowercase();
            let before = given.classes.insert(name.clone(), class);
            if before.is_some_and(|before| before != class) {
                problems.push(format!("`{name}` has two classes; the one under `{harness}` wins"));
            }
        }
    }
}

fn no_names(key: &str) -> String {
    format!("`{key}` must hold lists of names; what is none is left out")
}

fn parse_names<'a>(
    key: &str,
    list: &'a Value,
    problems: &mut Vec<String>,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let items = list.as_array().map_or(&[][..], Vec::as_slice);
    if !list.is_array() || items.iter().any(|item| !item.is_str()) {
        problems.push(no_names(key));
    }
    items.iter().filter_map(Value::as_str)
}
