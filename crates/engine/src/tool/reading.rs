//! Readings: a call's arguments as an adapter understood them.
//!
//! The `formats` crate knows how arguments are spelled and makes a reading whenever a call's text
//! passes by; readings do not stay in memory. Only the program of a shell command is stored in the
//! call.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{ShellCommand, shell_commands};

/// Shells that take a script as an argument: `bash -lc SCRIPT`.
const SHELLS: [&str; 6] = ["bash", "sh", "zsh", "dash", "powershell", "pwsh"];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallReading<'a> {
    pub arguments: Vec<Argument<'a>>,
    pub todo: Option<TodoChange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument<'a> {
    pub role: ArgumentRole,
    /// The text with escapes resolved.
    pub text: Cow<'a, str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentRole {
    Path,
    Command,
    /// Any other text: a pattern, a file's content, a prompt.
    Text,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TodoChange {
    /// The call writes the whole list; unfinished items only.
    Whole(Vec<Arc<str>>),
    Add(Arc<str>),
    /// The call closes the item with this number.
    Close(String),
}

impl CallReading<'_> {
    pub fn path_arguments(&self) -> impl Iterator<Item = &str> {
        self.arguments_in_role(ArgumentRole::Path).filter(|path| !path.is_empty())
    }

    /// Returns a shell call's command line.
    ///
    /// The command is one text or a list of words. For `bash -lc SCRIPT`, returns the script.
    pub fn command_line(&self) -> Option<Cow<'_, str>> {
        let words: Vec<&str> = self.arguments_in_role(ArgumentRole::Command).collect();
        let is_shell = |word: &str| word.rsplit('/').next().is_some_and(|name| SHELLS.contains(&name));
        match words[..] {
            [] => None,
            [line] => Some(Cow::Borrowed(line)),
            [first, ref rest @ ..] if is_shell(first) => {
                rest.iter().find(|word| !word.starts_with('-')).map(|script| Cow::Borrowed(*script))
            }
            _ => Some(Cow::Owned(words.join(" "))),
        }
    }

    /// Describes the call in one line, without its tool: a command's first line, a search's pattern and
    /// path, else the first text. Returns `None` for a call on one file, whose path says enough.
    pub fn subject_line(&self, is_search: bool) -> Option<Cow<'_, str>> {
        let texts = || self.arguments_in_role(ArgumentRole::Text).filter_map(first_line);
        if let Some(command) = self.command_line() {
            return first_line(&command).map(|line| Cow::Owned(line.into()));
        }
        match self.path_arguments().next() {
            Some(path) if is_search => {
                texts().next().map(|pattern| Cow::Owned(format!("{pattern} in {path}")))
            }
            Some(_) => None,
            None => texts().next().map(Cow::Borrowed),
        }
    }

    /// Returns the first program in the command line, such as `rg` or `git grep`.
    pub fn first_program(&self) -> Option<String> {
        let line = self.command_line()?;
        shell_commands(&line).next().as_ref().and_then(ShellCommand::program_name)
    }

    fn arguments_in_role(&self, role: ArgumentRole) -> impl Iterator<Item = &str> {
        self.arguments.iter().filter(move |argument| argument.role == role).map(|argument| &*argument.text)
    }
}

fn first_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).find(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ArgumentRole::{Command, Path, Text};

    #[test]
    fn a_call_is_told_in_one_line() {
        let check = |arguments: &[(ArgumentRole, &str)], is_search: bool, expected: Option<&str>| {
            let arguments =
                arguments.iter().map(|(role, text)| Argument { role: *role, text: (*text).into() });
            let reading = CallReading { arguments: arguments.collect(), todo: None };
            assert_eq!(reading.subject_line(is_search).as_deref(), expected);
        };
        check(&[(Command, "\ncargo test -p store\necho done")], false, Some("cargo test -p store"));
        check(&[(Command, "bash"), (Command, "-lc"), (Command, "rg x")], true, Some("rg x"));
        check(&[(Path, "src/a.rs"), (Text, "fn main")], false, None);
        check(&[(Text, "fn main"), (Path, "src")], true, Some("fn main in src"));
        check(&[(Path, "src")], true, None);
        check(&[(Text, " "), (Text, "Look for it.\nThen stop.")], false, Some("Look for it."));
        check(&[], false, None);
    }
}
