//! Mentions: whether a text, such as a summary, contains a name.
//!
//! A path is mentioned by itself or by an ending of whole components (`store/src/cursor.rs`,
//! `cursor.rs`), a command by its exact words, and a symbol as a whole word. A mention says
//! nothing about the rest of the holder's content.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};

use super::normal::normal_path;
use super::words::{each_path, each_symbol};
use crate::{Name, NameKind};

#[derive(Debug, Clone, Default)]
pub struct Mentions {
    cwd: String,
    paths: BTreeSet<String>,
    symbols: BTreeSet<String>,
    squeezed: String,
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
        for word in text.split_whitespace() {
            self.squeezed.push_str(word);
            self.squeezed.push(' ');
        }
    }

    pub fn mentions_name(&self, name: &Name) -> bool {
        match name.kind {
            NameKind::Path => self.has_path(&name.text),
            NameKind::Command => self.squeezed.contains(&*name.text),
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
}
