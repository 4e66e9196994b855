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

/// Which tool is of which class: data, one list for all harnesses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolTable {
    /// Lower-case tool name to class.
    pub classes: BTreeMap<String, ToolClass>,
    /// Programs whose output is a search (`rg`, `git grep`, …).
    pub search_programs: BTreeSet<String>,
}

impl ToolTable {
    /// Returns the class of a tool by its name alone.
    ///
    /// Names are compared in lower case; of an MCP name (`mcp__server__tool`) the last part counts.
    pub fn class_of(&self, name: &str) -> ToolClass {
        let name = name.to_lowercase();
        let last = name.rsplit("__").next().unwrap_or(&name);
        if last == "delimiter" {
            return ToolClass::Delimiter;
        }
        if let Some(class) = self.classes.get(&name).or_else(|| self.classes.get(last)) {
            return *class;
        }
        ToolClass::Other
    }

    /// Returns the class of a call; with `classify_shell` a shell command that starts with a search is one.
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
