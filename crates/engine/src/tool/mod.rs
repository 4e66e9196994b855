//! Tool classes: which eviction level a tool's calls and results belong to.

pub(crate) mod reading;
pub(crate) mod shell;
pub(crate) mod words;
pub(crate) mod normal;

use alloc::collections::BTreeMap;
use alloc::collections::BTreeSet;
use alloc::string::String;

use strum::{EnumString, IntoStaticStr};

use crate::ToolCall;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ToolClass {
    /// Enumerable output: grep, glob, find, ls and the like. Level 2, bulk.
    Search,
    /// Reads a file. Level 3, intermediate.
    Read,
    /// Runs a command. Level 3, intermediate.
    Shell,
    /// Edits and patches. Durable, so evicted only with the whole episode.
    Write,
    Delimiter,
    Other,
}

/// The human's part in the results of a tool that asks the human.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// Words found by a known form, else the whole result.
    Whole,
    /// Only words found by a known form.
    Told,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolTable {
    pub classes: BTreeMap<String, ToolClass>,
    pub search_programs: BTreeSet<String>,
    /// Tools that ask the human, keyed by lower-case name.
    pub answers: BTreeMap<String, AnswerForm>,
}

impl ToolTable {
    /// Names are compared in lower case, and only an MCP name's last part (`mcp__server__tool`) counts. Some
    /// harnesses join server and tool with a single character; there the delimiter is recognised by the
    /// server name `cwl` or a leading `mcp_`.
    pub fn class_of(&self, name: &str) -> ToolClass {
        let name = name.to_lowercase();
        let last = name.rsplit("__").next().unwrap_or(&name);
        if last == "delimiter" || is_joined_delimiter(&name) {
            return ToolClass::Delimiter;
        }
        if let Some(class) = self.classes.get(&name).or_else(|| self.classes.get(last)) {
            return *class;
        }
        ToolClass::Other
    }

    /// Returns the human's part in the tool's results, if the tool asks the human. Names are
    /// compared as in [`Self::class_of`].
    pub fn answer_of(&self, name: &str) -> Option<AnswerForm> {
        let name = name.to_lowercase();
        let last = name.rsplit("__").next().unwrap_or(&name);
        self.answers.get(&name).or_else(|| self.answers.get(last)).copied()
    }

    /// With `classify_shell`, a shell command that starts with a search program is a search.
    pub fn class_of_call(&self, call: &ToolCall, classify_shell: bool) -> ToolClass {
        match self.class_of(&call.name) {
            ToolClass::Shell if classify_shell => match &call.program {
                Some(program) if self.search_programs.contains(&**program) => ToolClass::Search,
                _ => ToolClass::Shell,
            },
            class => class,
        }
    }
}

fn is_joined_delimiter(name: &str) -> bool {
    let server = name.strip_suffix("delimiter").and_then(|rest| rest.strip_suffix(['_', '-', '.', '/', ':']));
    server.is_some_and(|server| server == "cwl" || (server.starts_with("mcp_") && server.len() > 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delimiter_is_known_by_its_name_in_any_harness() {
        let check = |name: &str, expected: bool| {
            let class = ToolTable::default().class_of(name);
            assert_eq!(class == ToolClass::Delimiter, expected, "{name}");
        };
        for name in ["delimiter", "mcp__cwl__delimiter", "x__delimiter", "cwl_delimiter", "mcp_cwl_delimiter"]
        {
            check(name, true);
        }
        for name in ["CWL-Delimiter", "cwl.delimiter", "mcp_marks_delimiter"] {
            check(name, true);
        }
        for name in
            ["csv_delimiter", "set_delimiter", "mcp_delimiter", "_delimiter", "cwldelimiter", "delimiters"]
        {
            check(name, false);
        }
    }
}
