//! Checks the words of the code: words that say nothing name one type at most, and comments name the actor.

use std::collections::BTreeMap;

use regex::Regex;

use super::{Finding, TrackedFile};

/// Words that fit nearly everything. One type may bear each of them; a second one shows that it says too little.
const BROAD: &str = "Row|Place|Part|Walk|Piece|Found";

/// Words of riddles: the comment does not say which person or program it is about.
const VAGUE: &str = "somebody|nobody|anybody|whoever";

/// Checks the types and the comments of all Rust and TypeScript; generated files repeat the comments of others.
pub(crate) fn check(files: &[TrackedFile]) -> Vec<Finding> {
    let pattern = |text: &str| Regex::new(text).expect("a constant pattern");
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
