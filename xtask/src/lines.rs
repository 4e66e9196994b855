//! `cargo xtask lines`: counts lines of Rust code, separately for the product and its tests.
//!
//! A line of code is neither blank nor a comment. Tests are the folders `tests`, `benches` and `testing`,
//! files that end in `tests.rs`, and items under `#[cfg(test)]` or `#[cfg(any(test, …))]`.

use std::collections::BTreeMap;

use crate::tidy::{TrackedFile, tracked_files};

type Lines = (usize, usize);

/// Prints a row per crate and a sum. `xtask` is listed apart, as no part of the product.
///
/// # Errors
/// If git fails, or standard output is closed.
pub(crate) fn run(out: &mut dyn std::io::Write) -> anyhow::Result<()> {
    let mut crates = count(&tracked_files(&crate::root())?);
    let xtask = crates.remove("xtask").unwrap_or_default();
    let sum = crates.values().fold((0, 0), |sum: Lines, one| (sum.0 + one.0, sum.1 + one.1));
    writeln!(out, "{:18} {:>8} {:>8}", "crate", "product", "tests")?;
    for (name, (product, tests)) in crates.into_iter().chain([("sum".into(), sum), ("xtask".into(), xtask)]) {
        writeln!(out, "{name:18} {product:8} {tests:8}")?;
    }
    Ok(())
}

fn count(files: &[TrackedFile]) -> BTreeMap<String, Lines> {
    let mut crates: BTreeMap<String, Lines> = BTreeMap::new();
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        let (product, tests) = count_file(&file.path, &file.text);
        let sum = crates.entry(crate_of(&file.path)).or_default();
        *sum = (sum.0 + product, sum.1 + tests);
    }
    crates
}

pub(crate) fn crate_of(path: &str) -> String {
    let depth = if path.starts_with("crates/") { 2 } else { 1 };
    path.split('/').take(depth).collect::<Vec<_>>().join("/")
}

fn count_file(path: &str, text: &str) -> Lines {
    let (mut product, mut tests) = (0, 0);
    for line in split_lines(path, text).filter(SourceLine::is_code) {
        *(if line.is_test { &mut tests } else { &mut product }) += 1;
    }
    (product, tests)
}

pub(crate) struct SourceLine<'a> {
    /// From 1.
    pub(crate) number: usize,
    pub(crate) text: &'a str,
    is_test: bool,
}

impl SourceLine<'_> {
    fn is_code(&self) -> bool {
        let code = self.text.trim_start();
        !code.is_empty() && !code.starts_with("//")
    }
}

pub(crate) fn product_lines<'a>(path: &str, text: &'a str) -> impl Iterator<Item = SourceLine<'a>> {
    split_lines(path, text).filter(|line| !line.is_test)
}

fn split_lines<'a>(path: &str, text: &'a str) -> impl Iterator<Item = SourceLine<'a>> {
    let in_folder = path.split('/').any(|part| ["tests", "benches", "testing", "testing.rs"].contains(&part));
    let is_test_file = in_folder || path.ends_with("tests.rs");
    // The enclosing test item's indentation.
    let mut item: Option<usize> = None;
    text.lines().enumerate().map(move |(idx, text)| {
        let code = text.trim_start();
        let indent = text.len() - code.len();
        let mut line = SourceLine { number: idx + 1, text, is_test: is_test_file || item.is_some() };
        if !line.is_code() {
            return line;
        }
        if item.is_none() && (code.starts_with("#[cfg(test)]") || code.starts_with("#[cfg(any(test")) {
            item = Some(indent);
            line.is_test = true;
        }
        // rustfmt closes an item at the column where it began; an item without a body ends in a semicolon
        // there.
        let ends = code.starts_with('}') || code.ends_with([';', '}']) && !code.starts_with('#');
        if item == Some(indent) && ends {
            item = None;
        }
        line
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_told_from_tests_and_comments() {
        let check =
            |path: &str, text: &str, lines: Lines| assert_eq!(count_file(path, text), lines, "{path}");
        let text = "//! Doc.\n\nuse a::b;\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n}\nfn c() {\n    // d\n}\n";
        check("crates/x/src/a.rs", text, (3, 5));
        check("crates/x/tests/a.rs", text, (0, 8));
        check("crates/x/src/run_tests.rs", text, (0, 8));
        check(
            "crates/x/src/a.rs",
            "#[cfg(any(test, feature = \"testing\"))]\npub mod testing;\nmod b;\n",
            (1, 2),
        );
        check(
            "a.rs",
            "impl A {\n    #[cfg(test)]\n    fn b() {\n        c();\n    }\n    fn d() {}\n}\n",
            (3, 4),
        );
    }
}
