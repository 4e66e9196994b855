//! Words in code: descriptive function names, unique type names, and comments that name the actor.

use std::collections::BTreeMap;

use regex::Regex;

use super::{Finding, TrackedFile};
use crate::lines;

/// Words that fit nearly everything. One type may have each; a second type shows that the word says too
/// little.
const BROAD: &str = "Row|Place|Part|Walk|Piece|Found";

/// Vague words: the comment hides which person or program it means.
const VAGUE: &str = "somebody|nobody|anybody|whoever";

/// Folders outside the product, whose types may share a product type's name.
const NO_PRODUCT: [&str; 3] = ["xtask/", "crates/judge/", "fuzz/"];

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

pub(crate) fn check(files: &[TrackedFile]) -> Vec<Finding> {
    let mut findings = check_comments(files);
    findings.extend(check_functions(files));
    findings.extend(check_types(files));
    findings
}

/// Refuses functions named `of`, which says neither what they do nor what they return.
fn check_functions(files: &[TrackedFile]) -> Vec<Finding> {
    let of = pattern(r"^\s*(?:pub(?:\([a-z: ]+\))? )?(?:[a-z]+ )*fn of\b");
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        for (idx, line) in file.text.as_deref().unwrap_or_default().lines().enumerate() {
            if of.is_match(line) {
                let remedy = "a function `of`: call it `new`, `from_…`, `parse_…`, or by what it looks up";
                findings.push(Finding::error(&file.path, idx + 1, remedy));
            }
        }
    }
    findings
}

fn check_types(files: &[TrackedFile]) -> Vec<Finding> {
    let declared = pattern(r"^(?:pub(?:\([a-z: ]+\))? )?(?:struct|enum|trait|type|union) ([A-Z]\w*)");
    let mut findings = Vec::new();
    let mut bearers: BTreeMap<String, &str> = BTreeMap::new();
    let is_product =
        |path: &str| path.ends_with(".rs") && !NO_PRODUCT.iter().any(|folder| path.starts_with(folder));
    for file in files.iter().filter(|file| is_product(&file.path)) {
        for line in lines::product_lines(&file.path, file.text.as_deref().unwrap_or_default()) {
            let Some(name) = declared.captures(line.text).map(|found| found[1].to_owned()) else { continue };
            match bearers.get(&name) {
                Some(other) => {
                    let message = format!("{other} has a type {name} already: call this one by what it is");
                    findings.push(Finding::error(&file.path, line.number, message));
                }
                None => {
                    bearers.insert(name, &file.path);
                }
            }
        }
    }
    findings
}

/// Checks broad words and comments. Generated files are skipped, as they repeat other comments.
fn check_comments(files: &[TrackedFile]) -> Vec<Finding> {
    let declared = pattern(&format!(
        r"^\s*(?:pub(?:\([a-z]+\))? |export )?(?:struct|enum|trait|type|interface|class) ({BROAD})\b"
    ));
    let comment = pattern(r"^\s*(?://[/!]?|/?\*\*?|\{/\*)(.*)$");
    let what = pattern(r"^\s*What\b");
    let vague = pattern(&format!(r"(?i)\b(?:{VAGUE})\b"));
    let mut findings = Vec::new();
    let mut bearers: BTreeMap<String, String> = BTreeMap::new();
    let is_code = |path: &str| [".rs", ".ts", ".tsx", ".mjs"].iter().any(|end| path.ends_with(end));
    for file in files.iter().filter(|file| is_code(&file.path) && !file.path.contains("/generated/")) {
        for (idx, line) in file.text.as_deref().unwrap_or_default().lines().enumerate() {
            let mut error = |message: String| findings.push(Finding::error(&file.path, idx + 1, message));
            if let Some(name) = declared.captures(line).map(|found| found[1].to_owned()) {
                match bearers.get(&name) {
                    Some(other) => {
                        error(format!("{other} has a type {name} already: call this one by what it is"))
                    }
                    None => {
                        bearers.insert(name, file.path.clone());
                    }
                }
            }
            let Some(said) = comment.captures(line).map(|found| found[1].to_owned()) else { continue };
            if what.is_match(&said) {
                error("a comment begins with \"What\": name the thing or the actor first".to_owned());
            }
            if let Some(word) = vague.find(&said) {
                error(format!("a comment says \"{}\": name the person or the program", word.as_str()));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    fn check_words(texts: &[(&str, &str)], expected: &[(&str, usize)]) {
        let files: Vec<TrackedFile> = texts.iter().map(|(path, text)| file(path, text)).collect();
        let findings = check(&files);
        let places: Vec<(&str, usize)> = findings.iter().map(|one| (one.path.as_str(), one.line)).collect();
        assert_eq!(places, expected, "{findings:?}");
    }

    #[test]
    fn a_broad_word_names_one_type() {
        check_words(&[("a.rs", "pub struct Row;\nstruct RowKey;\nlet row: Row;\n")], &[]);
        check_words(
            &[("a.rs", "pub(crate) enum Part {\n"), ("b.ts", "\nexport type Part = 1\n")],
            &[("b.ts", 2)],
        );
        check_words(&[("a.rs", "struct Walk;\nmod tests {\n    struct Walk;\n}\n")], &[("a.rs", 3)]);
    }

    #[test]
    fn no_function_is_called_of() {
        check_words(&[("a.rs", "/// fn of\nfn of_log() {}\n")], &[]);
        check_words(&[("a.rs", "impl A {\n    pub(crate) const fn of(b: B) -> Self {\n")], &[("a.rs", 2)]);
        check_words(&[("tests/a.rs", "fn of() {}\n"), ("a.txt", "fn of() {}\n")], &[("tests/a.rs", 1)]);
    }

    #[test]
    fn a_type_has_its_name_alone() {
        check_words(&[("a.rs", "struct LogRow;\n"), ("b.rs", "pub enum LogRow {}\n")], &[("b.rs", 1)]);
        check_words(
            &[("a.rs", "type Map = B;\n#[cfg(test)]\nmod tests {}\npub(super) trait Map {}\n")],
            &[("a.rs", 4)],
        );
        check_words(
            &[("a.rs", "struct Log;\n"), ("tests/b.rs", "struct Log;\n"), ("xtask/c.rs", "struct Log;\n")],
            &[],
        );
        check_words(
            &[("a.rs", "impl A for B {\n    type Item = C;\n}\nimpl A for D {\n    type Item = C;\n}\n")],
            &[],
        );
    }

    #[test]
    fn a_comment_names_the_actor() {
        check_words(&[("a.rs", "/// What it is.\nlet what = 1; // fine\n")], &[("a.rs", 1)]);
        check_words(
            &[("a.ts", "/** What it is. */\n * What else\n// Whatever\n")],
            &[("a.ts", 1), ("a.ts", 2)],
        );
        check_words(
            &[("a.rs", "// Nobody asks.\nlet nobody = 1;\n"), ("a.md", "// Nobody\n")],
            &[("a.rs", 1)],
        );
        check_words(&[("ui/generated/A.ts", " * What it is.\n")], &[]);
    }
}
