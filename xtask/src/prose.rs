//! `cargo xtask prose`: measures function names and comments, crate by crate.
//!
//! The figures show where the language drifts from other Rust projects; no check depends on them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::tidy::{TrackedFile, tracked_files};
use crate::{lines, pattern};

const GOALS: [&str; 6] = ["≤ 30", "≤ 0.5", "≤ 2.5", "≤ 1.5", "≥ 0.6", "≤ 0.9"];

static FUNCTION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:pub(?:\([a-z: ]+\))? )?(?:[a-z]+ )*?fn ([a-z_0-9]+)"));
static PUBLIC: LazyLock<Regex> = LazyLock::new(|| pattern(r"^pub [a-z_]"));
static PRONOUN: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:It|Its|Those|Of|Where|What)\b"));
static CODE: LazyLock<Regex> = LazyLock::new(|| pattern("`[^`]+`"));
static WORD: LazyLock<Regex> = LazyLock::new(|| pattern("[A-Za-z']+"));

#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct ProseCounts {
    functions: usize,
    one_word_functions: usize,
    doc_comments: usize,
    pronoun_beginnings: usize,
    public_doc_comments: usize,
    code_names: usize,
    comment_words: usize,
    of: usize,
    that: usize,
}

impl ProseCounts {
    /// Figures, in [`GOALS`] order.
    fn figures(&self) -> [f64; 6] {
        let ratio = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        [
            100.0 * ratio(self.one_word_functions, self.functions),
            100.0 * ratio(self.pronoun_beginnings, self.doc_comments),
            100.0 * ratio(self.of, self.comment_words),
            100.0 * ratio(self.that, self.comment_words),
            ratio(self.code_names, self.public_doc_comments),
            ratio(self.doc_comments, self.functions),
        ]
    }

    /// Counts functions and comments outside tests. Attributes may stand between a doc comment and its item.
    fn count_file(&mut self, path: &str, text: &str) {
        let mut doc = String::new();
        for line in lines::product_lines(path, text) {
            let code = line.text.trim_start();
            if let Some(comment) = code.strip_prefix("//") {
                self.count_words(comment);
            }
            if let Some(more) = code.strip_prefix("///").or_else(|| code.strip_prefix("//!")) {
                doc.push_str(more.trim());
                doc.push(' ');
            } else if !code.starts_with("#[") && !code.starts_with(")]") {
                self.count_doc(&std::mem::take(&mut doc), code);
                if let Some(name) = FUNCTION.captures(code) {
                    self.functions += 1;
                    self.one_word_functions += usize::from(!name[1].contains('_'));
                }
            }
        }
        self.count_doc(&doc, "");
    }

    fn count_words(&mut self, comment: &str) {
        for word in WORD.find_iter(&CODE.replace_all(comment, " x ")) {
            self.comment_words += 1;
            self.of += usize::from(word.as_str().eq_ignore_ascii_case("of"));
            self.that += usize::from(word.as_str().eq_ignore_ascii_case("that"));
        }
    }

    fn count_doc(&mut self, doc: &str, item: &str) {
        if doc.is_empty() {
            return;
        }
        self.doc_comments += 1;
        self.pronoun_beginnings += usize::from(PRONOUN.is_match(doc));
        if PUBLIC.is_match(item) {
            self.public_doc_comments += 1;
            self.code_names += CODE.find_iter(doc).count();
        }
    }
}

pub(crate) fn run(out: &mut dyn std::io::Write) -> anyhow::Result<()> {
    let mut crates: BTreeMap<String, ProseCounts> = BTreeMap::new();
    let mut sum = ProseCounts::default();
    for TrackedFile { path, text } in
        tracked_files(&crate::root())?.iter().filter(|file| file.path.ends_with(".rs"))
    {
        sum.count_file(path, text);
        crates.entry(lines::crate_of(path)).or_default().count_file(path, text);
    }
    let columns = ["one-word fn %", "pronoun %", "of %", "that %", "code/pub doc", "docs/fn"];
    write_row(out, "crate", columns)?;
    for (name, counts) in crates.iter().chain([(&"sum".to_owned(), &sum)]) {
        let figures = counts.figures().map(|figure| format!("{figure:.2}"));
        write_row(out, name, figures.each_ref().map(String::as_str))?;
    }
    write_row(out, "goal", GOALS)
}

fn write_row(out: &mut dyn std::io::Write, name: &str, cells: [&str; 6]) -> anyhow::Result<()> {
    write!(out, "{name:18}")?;
    for cell in cells {
        write!(out, " {cell:>13}")?;
    }
    Ok(writeln!(out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_comments_are_counted() {
        let check = |text: &str, expected: ProseCounts| {
            let mut counts = ProseCounts::default();
            counts.count_file("a.rs", text);
            assert_eq!(counts, expected, "{text}");
        };
        let none = ProseCounts::default;
        check("fn parse() {}\n", ProseCounts { functions: 1, one_word_functions: 1, ..none() });
        check("pub(crate) const fn parse_log() {}\n", ProseCounts { functions: 1, ..none() });
        check("#[cfg(test)]\nmod tests {\n    /// It.\n    fn a() {}\n}\n", none());
        check(
            "/// Those of `A`, that is\n/// `B`.\n#[must_use]\npub struct C;\n",
            ProseCounts {
                doc_comments: 1,
                pronoun_beginnings: 1,
                public_doc_comments: 1,
                code_names: 2,
                comment_words: 6,
                of: 1,
                that: 1,
                ..none()
            },
        );
        check("// of\nlet a = 1;\n", ProseCounts { comment_words: 1, of: 1, ..none() });
    }
}
