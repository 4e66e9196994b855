//! Words in code: descriptive function names, unique type names, and comments that name the actor.

use std::collections::BTreeMap;

use super::{Finding, TrackedFile};
use crate::{lines, pattern};

/// Words that fit nearly everything. One type may have each; a second type shows that the word says too
/// little.
const BROAD: &str = "Row|Place|Part|Walk|Piece|Found";

/// Vague words: the comment hides which person or program it means.
const VAGUE: &str = "somebody|nobody|anybody|whoever";

/// Types that say what was done, and not to what.
const PARTICIPLE: &str =
    "[A-Z][a-z]*[^e]ed|Told|Kept|Laid|Seen|Known|Chosen|Swept|Made|Held|Lost|Gone|Given|Taken|Sent";

/// Folders outside the product, whose types may share a product type's name.
const NO_PRODUCT: [&str; 3] = ["xtask/", "crates/judge/", "fuzz/"];

const COMMENT: &str = r"^\s*(?://[/!]?|/?\*\*?|\{/\*)";

/// Generated files are skipped, as they repeat other comments.
pub(crate) fn check(files: &[TrackedFile]) -> Vec<Finding> {
    let refused = [
        // Says neither what the function does nor what it returns.
        (
            r"^\s*(?:pub(?:\([a-z: ]+\))? )?(?:[a-z]+ )*fn (of)\b".to_owned(),
            "is a function's name: call it `new`, `from_…`, `parse_…`, or by what it looks up",
        ),
        (format!(r"{COMMENT}\s*(What)\b"), "begins a comment: name the thing or the actor first"),
        (format!(r"(?i){COMMENT}.*?\b({VAGUE})\b"), "stands in a comment: name the person or the program"),
    ]
    .map(|(text, message)| (pattern(&text), message));
    let is_code = |file: &&TrackedFile| {
        file.has_ending(&[".rs", ".ts", ".tsx", ".mjs"]) && !file.path.contains("/generated/")
    };
    let code =
        || files.iter().filter(is_code).flat_map(|file| file.lines().map(|(n, text)| (&*file.path, n, text)));
    let mut findings = Vec::new();
    for (path, line, text) in code() {
        for (pattern, message) in &refused {
            if let Some(found) = pattern.captures(text) {
                findings.push(Finding::error(path, line, format!("`{}` {message}", &found[1])));
            }
        }
    }
    let is_product = |file: &&TrackedFile| {
        file.has_ending(&[".rs"]) && !NO_PRODUCT.iter().any(|folder| file.path.starts_with(folder))
    };
    let product = || {
        files.iter().filter(is_product).flat_map(|file| {
            lines::product_lines(&file.path, &file.text).map(|line| (&*file.path, line.number, line.text))
        })
    };
    let participle =
        pattern(&format!(r"^(?:pub(?:\([a-z: ]+\))? )?(?:struct|enum|trait|type) ({PARTICIPLE})\b"));
    findings.extend(product().filter_map(|(path, line, text)| {
        let name = &participle.captures(text)?[1];
        Some(Finding::error(path, line, format!("a type `{name}` says no thing: add the noun")))
    }));
    findings.extend(check_unique(
        product(),
        r"^(?:pub(?:\([a-z: ]+\))? )?(?:struct|enum|trait|type|union) ([A-Z]\w*)",
    ));
    let broad = format!(
        r"^\s*(?:pub(?:\([a-z]+\))? |export )?(?:struct|enum|trait|type|interface|class) ({BROAD})\b"
    );
    findings.extend(check_unique(code(), &broad));
    findings
}

/// Refuses a name that is declared twice in these lines, each with file and number.
fn check_unique<'a>(lines: impl Iterator<Item = (&'a str, usize, &'a str)>, declared: &str) -> Vec<Finding> {
    let declared = pattern(declared);
    let mut bearers = BTreeMap::new();
    let mut findings = Vec::new();
    for (path, line, text) in lines {
        let Some((_, [name])) = declared.captures(text).map(|found| found.extract()) else { continue };
        if let Some(other) = bearers.insert(name, path) {
            let message = format!("{other} has a type {name} already: call this one by what it is");
            findings.push(Finding::error(path, line, message));
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
    fn a_type_is_no_participle() {
        check_words(
            &[("a.rs", "pub struct Compacted;\n"), ("b.rs", "enum Told {\n")],
            &[("a.rs", 1), ("b.rs", 1)],
        );
        check_words(
            &[("a.rs", "struct CompactedRows;\nstruct Need;\n#[cfg(test)]\nmod tests {\nstruct Told;\n}\n")],
            &[],
        );
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
