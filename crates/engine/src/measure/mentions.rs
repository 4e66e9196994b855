//! Mentions: whether a text, such as a summary, contains a name.
//!
//! A path is mentioned by itself or by an ending of whole components (`store/src/cursor.rs`,
//! `cursor.rs`), a command by its exact words, and a symbol as a whole word. A mention says
//! nothing about the rest of the holder's content.
//!
//! A line is there if the text has all its words in a row; case and signs do not matter. A paraphrase is not seen.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};

use super::{DetailFate, DetailKind};
use crate::material::numbers::each_number;
use crate::tool::normal::normal_path;
use crate::tool::words::{each_path, each_symbol};
use crate::{Name, NameKind, shell_commands};

#[derive(Debug, Clone, Default)]
pub struct Mentions {
    cwd: String,
    paths: BTreeSet<String>,
    symbols: BTreeSet<String>,
    numbers: BTreeSet<String>,
    squeezed: String,
    /// The words in small letters, without other signs.
    words: String,
}

impl Mentions {
    pub fn new(cwd: Option<&str>) -> Self {
        let cwd = cwd.and_then(|cwd| normal_path(cwd, "")).unwrap_or_default();
        Self { cwd, ..Self::default() }
    }

    pub fn add_text(&mut self, text: &str) {
        each_path(text, |word| {
            if let Some(path) = normal_path(word, &self.cwd) {
                self.paths.insert(path);
            }
        });
        each_symbol(text, |word| {
            self.symbols.insert(word.to_string());
        });
        each_number(text, |digits, _| {
            self.numbers.insert(digits.to_string());
        });
        for word in text.split_whitespace() {
            self.squeezed.push_str(word);
            self.squeezed.push(' ');
        }
        // A line does not go over from one text to the next.
        self.words.push_str("\n ");
        push_words(text, &mut self.words);
    }

    pub fn detail_fate(&self, kind: DetailKind, text: &str) -> DetailFate {
        let either = |is_literal: bool, is_named: bool| match (is_literal, is_named) {
            (true, _) => DetailFate::Literal,
            (_, true) => DetailFate::Named,
            _ => DetailFate::Lost,
        };
        match kind {
            _ if self.squeezed.is_empty() => DetailFate::Lost,
            DetailKind::File => either(self.paths.contains(text), self.has_path(text)),
            DetailKind::Command => {
                let is_named = || command_head(text).is_some_and(|head| has_words(&self.squeezed, &head));
                let is_literal = has_words(&self.squeezed, text);
                either(is_literal, !is_literal && is_named())
            }
            DetailKind::Number => either(self.numbers.contains(text), false),
            DetailKind::Error | DetailKind::Decision | DetailKind::Constraint | DetailKind::OpenItem => {
                let mut words = String::from(" ");
                push_words(without_cut_word(text), &mut words);
                either(words.len() > 1 && self.words.contains(&words), false)
            }
        }
    }

    pub fn mentions_name(&self, name: &Name) -> bool {
        match name.kind {
            NameKind::Path => self.has_path(&name.text),
            NameKind::Command => has_words(&self.squeezed, &name.text),
            NameKind::Symbol => self.symbols.contains(&*name.text),
        }
    }

    fn has_path(&self, path: &str) -> bool {
        let endings = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
        let mut endings = core::iter::once(path).chain(endings).filter(|ending| !ending.is_empty());
        // A file without an extension (`Makefile`) is a word in the text rather than a path.
        endings.any(|ending| self.paths.contains(ending) || self.symbols.contains(ending))
    }
}

fn push_words(text: &str, words: &mut String) {
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        words.extend(word.chars().flat_map(char::to_lowercase));
        words.push(' ');
    }
}

fn without_cut_word(line: &str) -> &str {
    let cut = line.strip_suffix('…').and_then(|cut| cut.rsplit_once(char::is_whitespace));
    cut.map_or(line, |(whole, _)| whole)
}

/// Returns a command's program with its first argument, such as `cargo test`, or with the task that it runs, such as
/// `npm run lint`; `None` without such an argument.
pub fn command_head(command: &str) -> Option<String> {
    let first = shell_commands(command).find(|one| one.program_name().as_deref() != Some("cd"))?;
    let mut head = first.program_name()?;
    let mut arguments =
        first.words.iter().skip(1).take_while(|word| {
            !word.starts_with('-') && word.len() > 1 && !word.contains(char::is_whitespace)
        });
    let mut argument = arguments.next()?;
    loop {
        head.push(' ');
        head.push_str(argument);
        match arguments.next().filter(|_| matches!(&**argument, "run" | "exec")) {
            Some(next) => argument = next,
            None => return Some(head),
        }
    }
}

fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        let is_gap = |one: Option<char>| one.is_none_or(|one| !one.is_alphanumeric());
        is_gap(before) && is_gap(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, kind: NameKind, name: &str, expected: bool) {
        let mut mentions = Mentions::new(Some("/home/dev/app"));
        mentions.add_text(text);
        let name = Name { kind, text: name.into() };
        assert_eq!(mentions.mentions_name(&name), expected, "{name:?} in {text:?}");
    }

    #[test]
    fn paths_by_themselves_and_by_their_endings() {
        let path = |text: &str, name: &str, expected| check(text, NameKind::Path, name, expected);
        path("changed `src/cursor.rs`.", "src/cursor.rs", true);
        path("changed /home/dev/app/src/cursor.rs:12", "src/cursor.rs", true);
        path("- cursor.rs: reads half lines", "crates/tail/src/cursor.rs", true);
        path("the Makefile has it", "tools/Makefile", true);
        path("changed src/cursors.rs", "src/cursor.rs", false);
        path("changed other/src/cursor.rs", "src/cursor.rs", false);
        path("the cursor of src", "src/cursor.rs", false);
    }

    #[test]
    fn commands_to_the_letter_and_symbols_as_words() {
        check("then `cargo  test\n -p app` failed", NameKind::Command, "cargo test -p app", true);
        check("tests were run", NameKind::Command, "cargo test", false);
        check("`read_from` keeps half lines", NameKind::Symbol, "read_from", true);
        check("`read_from_start`", NameKind::Symbol, "read_from", false);
        check("", NameKind::Symbol, "read_from", false);
    }

    fn check_fate(text: &str, kind: DetailKind, detail: &str, expected: DetailFate) {
        let mut mentions = Mentions::new(Some("/home/dev/app"));
        mentions.add_text(text);
        assert_eq!(mentions.detail_fate(kind, detail), expected, "{kind:?} {detail:?} in {text:?}");
    }

    #[test]
    fn details_to_the_letter_or_by_a_part() {
        use DetailFate::{Literal, Lost, Named};
        use DetailKind::{Command, Constraint, Decision, Error, File, Number};
        for (text, kind, detail, expected) in [
            ("read /home/dev/app/src/cursor.rs", File, "src/cursor.rs", Literal),
            ("read cursor.rs", File, "src/cursor.rs", Named),
            ("read the cursor", File, "src/cursor.rs", Lost),
            ("run `cargo test -p app`.", Command, "cargo test -p app", Literal),
            ("`cargo test` passes", Command, "cargo test -p app", Named),
            ("`cargo tests` passes", Command, "cargo test -p app", Lost),
            ("`npm run lint` is clean", Command, "npm run lint -- --fix", Named),
            ("`npm run build`", Command, "npm run lint -- --fix", Lost),
            ("`git log`", Command, "cd /tmp && git log -5", Named),
            ("`cargo build` passes", Command, "cargo test -p app", Lost),
            ("with tools", Command, "ls", Lost),
            ("ran ls", Command, "ls", Literal),
            ("with -la", Command, "ls -la", Lost),
            ("port 8081 is free", Number, "8081", Literal),
            ("port 18081 is free", Number, "8081", Lost),
            ("the user said: \"Never push to main!\"", Constraint, "never push to `main`.", Literal),
            ("the user never pushes to main", Constraint, "Never push to main", Lost),
            ("it said: error: no such table, and stopped", Error, "error: no such table", Literal),
            ("an error", Error, "errors", Lost),
            ("because of it", Decision, "…", Lost),
            ("", Constraint, "", Lost),
        ] {
            check_fate(text, kind, detail, expected);
        }
    }

    #[test]
    fn a_line_stands_in_one_text() {
        let mut mentions = Mentions::default();
        mentions.add_text("never push");
        mentions.add_text("to main");
        assert_eq!(mentions.detail_fate(DetailKind::Constraint, "never push to main"), DetailFate::Lost);
        assert_eq!(mentions.detail_fate(DetailKind::Constraint, "to main"), DetailFate::Literal);
    }
}
