//! Tool classes: at which level a call and its result go.

use alloc::collections::BTreeMap;
use alloc::collections::BTreeSet;
use alloc::string::String;

use strum::{EnumString, IntoStaticStr};

use crate::ToolCall;

/// The classes of tools, by their effect on the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ToolClass {
    /// Enumerable output: grep, glob, find, ls and their kin. Level *bulk*.
    Search,
    /// Reads a file. Level *intermediate*.
    Read,
    /// Runs a command. Level *intermediate*.
    Shell,
    /// Edits and patches: durable, so it goes only with the whole episode.
    Write,
    /// Marks an episode.
    Delimiter,
    /// Everything else. Level *intermediate*.
    Other,
}

/// The part of its result that is the human's, of a tool that asks the human.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// The words a known form finds in it; all of it where none does.
    Whole,
    /// The words a known form finds in it.
    Told,
}

/// Which tool is of which class: data, one list for all harnesses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolTable {
    /// Lower-case tool name to class.
    pub classes: BTreeMap<String, ToolClass>,
    /// Programs whose output is a search (`rg`, `git grep`, …).
    pub search_programs: BTreeSet<String>,
    /// Lower-case names of the tools that ask the human.
    pub answers: BTreeMap<String, AnswerForm>,
}

impl ToolTable {
    /// Returns the class of a tool by its name alone.
    ///
    /// Names are compared in lower case; of an MCP name (`mcp__server__tool`) the last part counts. Some harnesses join
    /// server and tool by a single sign: there the delimiter is known by the server's name `cwl`, or by `mcp_` before it.
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

    /// Returns the part of its result that is the human's, for a tool that asks the human. Names are compared as in
    /// [`Self::class_of`].
    pub fn answer_of(&self, name: &str) -> Option<AnswerForm> {
        let name = name.to_lowercase();
        let last = name.rsplit("__").next().unwrap_or(&name);
        self.answers.get(&name).or_else(|| self.answers.get(last)).copied()
    }

    /// Returns the class of `call`; with `classify_shell` a shell command that starts with a search is one.
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

/// Tells whether `name` is `cwl` or `mcp_SERVER`, one sign, and `delimiter`: `cwl_delimiter`, `mcp_marks_delimiter`.
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
