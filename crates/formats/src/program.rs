//! The first program of a shell command: what the command is, for its class.

use std::iter::Peekable;
use std::str::Chars;

use crate::json::{Kind, Value};

/// Words longer than this are no program's name.
const MAX_NAME: usize = 64;

/// Returns the first program of the command in a shell tool's arguments (`rg`, `git grep`).
///
/// The command is a string (Terminus calls it keystrokes), or a list of words as Codex writes it, where
/// `bash -lc SCRIPT` means the script.
pub(crate) fn program_of(arguments: Value<'_>) -> Option<String> {
    let [command, cmd, keystrokes] = arguments.fields(["command", "cmd", "keystrokes"]);
    let command = command.or(cmd).or(keystrokes)?;
    match command.kind() {
        Kind::Text => first_program(&command.text()?.value),
        Kind::List => {
            let mut words = command.items().filter_map(Value::text).map(|text| text.value.into_owned());
            let first = words.next()?;
            if matches!(base_name(&first), "bash" | "sh" | "zsh" | "dash") {
                let script = words.by_ref().find(|word| !word.starts_with('-'))?;
                return first_program(&script);
            }
            named(&first, words)
        }
        Kind::Null | Kind::Bool(_) | Kind::Number | Kind::Object => None,
    }
}

/// Returns the first program of a command line: without assignments before it, without its folder.
fn first_program(line: &str) -> Option<String> {
    let mut words = Words { chars: line.chars().peekable() };
    let first = words.by_ref().find(|word| !is_assignment(word))?;
    named(&first, words)
}

fn named(word: &str, mut words: impl Iterator<Item = String>) -> Option<String> {
    let name = base_name(word);
    if name.is_empty() || name.len() > MAX_NAME {
        return None;
    }
    if name == "git" && git_command(&mut words).as_deref() == Some("grep") {
        return Some("git grep".into());
    }
    Some(name.into())
}

/// Returns git's own command: the first word that is no option and no option's value.
fn git_command(words: &mut impl Iterator<Item = String>) -> Option<String> {
    loop {
        let word = words.next()?;
        match word.as_str() {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => drop(words.next()),
            option if option.starts_with('-') => {}
            _ => return Some(word),
        }
    }
}

fn base_name(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Tells whether a word is `NAME=value`.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// The words of a shell command line up to its first operator, quotes taken off.
struct Words<'a> {
    chars: Peekable<Chars<'a>>,
}

impl Iterator for Words<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        self.skip_to_word();
        let mut word = String::new();
        let mut quoted = false;
        while let Some(&c) = self.chars.peek() {
            if c.is_whitespace() || matches!(c, ';' | '|' | '&' | '<' | '>' | '(' | ')') {
                break;
            }
            self.chars.next();
            match c {
                '\'' | '"' => {
                    quoted = true;
                    self.quoted(c, &mut word);
                }
                '\\' => match self.chars.next() {
                    None | Some('\n') => {}
                    Some(escaped) => word.push(escaped),
                },
                _ => word.push(c),
            }
        }
        (quoted || !word.is_empty()).then_some(word)
    }
}

impl Words<'_> {
    /// Goes over white space, comments and opening parentheses.
    fn skip_to_word(&mut self) {
        while let Some(&c) = self.chars.peek() {
            match c {
                '#' => while self.chars.next().is_some_and(|c| c != '\n') {},
                '(' => drop(self.chars.next()),
                c if c.is_whitespace() => drop(self.chars.next()),
                _ => return,
            }
        }
    }

    fn quoted(&mut self, quote: char, word: &mut String) {
        while let Some(c) = self.chars.next() {
            if c == quote {
                return;
            }
            let escapes = quote == '"' && c == '\\';
            match self.chars.peek() {
                Some(&next) if escapes && matches!(next, '"' | '\\' | '$' | '`') => {
                    word.push(next);
                    self.chars.next();
                }
                _ => word.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::record_of;

    fn check(arguments: &str, expected: Option<&str>) {
        assert_eq!(program_of(record_of(arguments)).as_deref(), expected, "arguments {arguments}");
    }

    fn check_line(line: &str, expected: &str) {
        assert_eq!(first_program(line).unwrap_or_default(), expected, "command line {line:?}");
    }

    #[test]
    fn command_lines() {
        for (line, expected) in [
            ("rg -n foo src", "rg"),
            ("  ls", "ls"),
            ("/usr/bin/rg x", "rg"),
            ("rg.exe x", "rg"),
            ("FOO=1 BAR='a b' grep x", "grep"),
            ("FOO=\"a \\\" b\" find .", "find"),
            ("git grep foo", "git grep"),
            ("git -C sub --no-pager grep foo", "git grep"),
            ("git status", "git"),
            ("git", "git"),
            ("git; grep x", "git"),
            ("rg foo|head", "rg"),
            ("ls;pwd", "ls"),
            ("(ls -la)", "ls"),
            ("# look\n  rg foo", "rg"),
            ("\"my tool\" x", "my tool"),
            ("cd src && rg foo", "cd"),
            ("a=b", ""),
            ("", ""),
            ("# only a comment", ""),
            ("'unclosed", "unclosed"),
            ("\\ls", "ls"),
        ] {
            check_line(line, expected);
        }
        check_line(&"x".repeat(65), "");
    }

    #[test]
    fn arguments() {
        check(r#"{"command":"rg x"}"#, Some("rg"));
        check(r#"{"cmd":"fd x"}"#, Some("fd"));
        check(r#"{"keystrokes":"rg x\n","duration":0.1}"#, Some("rg"));
        check(r#"{"command":["rg","x"]}"#, Some("rg"));
        check(r#"{"command":["git","grep","x"]}"#, Some("git grep"));
        check(r#"{"command":["bash","-lc","FOO=1 rg x | head"]}"#, Some("rg"));
        check(r#"{"command":["/bin/sh","-c"]}"#, None);
        check(r#"{"command":[]}"#, None);
        check(r#"{"command":7}"#, None);
        check(r#"{"path":"x"}"#, None);
        check("[]", None);
    }
}
