//! Documents: links lead to a file and a heading, the book has every page and no link out of it, invariants
//! name their check, and the changelog has an open section.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, TrackedFile};
use crate::pattern;

const SUMMARY: &str = "docs/SUMMARY.md";
const ARCHITECTURE: &str = "ARCHITECTURE.md";
const TRUST: &str = "docs/trust.md";
/// Words of the architecture, so that people read it.
const WORDS_OF_ARCHITECTURE: usize = 2000;

pub(crate) fn check(files: &[TrackedFile]) -> Vec<Finding> {
    let known: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let documents = || files.iter().filter(|file| file.path.ends_with(".md"));
    let headings = documents().map(|file| (file.path.as_str(), anchors(&file.text))).collect();
    let mut findings = Vec::new();
    for TrackedFile { path, text } in documents() {
        findings.extend(check_links(path, text, &known, &headings));
        findings.extend(match path.as_str() {
            "CHANGELOG.md" => check_changelog(text),
            ARCHITECTURE | TRUST => check_invariants(path, text),
            "docs/glossary.md" => check_glossary(text, files),
            SUMMARY => check_summary(text, &known),
            _ => Vec::new(),
        });
    }
    let needed = ["README.md", "CHANGELOG.md", ARCHITECTURE, "CONTRIBUTING.md", "docs/glossary.md"];
    let missing = needed.into_iter().filter(|needed| !known.contains(needed));
    findings.extend(missing.map(|needed| Finding::error(needed, 0, "is missing")));
    findings
}

fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

fn anchors(text: &str) -> BTreeSet<String> {
    let heading = pattern("^#+ (.*)");
    let mut found = BTreeSet::new();
    for title in prose(text).filter_map(|(_, line)| heading.captures(line)) {
        let kept = |char: &char| char.is_alphanumeric() || " -_".contains(*char);
        let name: String = title[1].trim().to_lowercase().chars().filter(kept).collect();
        let name = name.replace(' ', "-");
        let numbered = (1..).map(|n| format!("{name}-{n}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !found.contains(name));
        found.extend(free);
    }
    found
}

fn check_links(
    path: &str,
    text: &str,
    known: &BTreeSet<&str>,
    headings: &BTreeMap<&str, BTreeSet<String>>,
) -> Vec<Finding> {
    let link = pattern(r"\]\(([^)\s#]*)(?:#([^)\s]+))?[^)]*\)");
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut findings = Vec::new();
    for (line, text) in prose(text) {
        let mut error = |message| findings.push(Finding::error(path, line, message));
        for found in link.captures_iter(text) {
            let target = &found[1];
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let target = if target.is_empty() { path.to_owned() } else { resolve(folder, target) };
            let is_folder = || known.iter().any(|path| path.starts_with(&format!("{target}/")));
            if !known.contains(target.as_str()) && !is_folder() {
                error(format!("a link to nowhere: {target}"));
            } else if path.starts_with("docs/") && !target.starts_with("docs/") {
                error(format!("a link that leaves the book: {target}; name the file as code"));
            }
            if let (Some(name), Some(there)) = (found.get(2), headings.get(target.as_str()))
                && !there.contains(name.as_str())
            {
                error(format!("{target} has no heading #{}", name.as_str()));
            }
        }
    }
    findings
}

fn check_summary(text: &str, known: &BTreeSet<&str>) -> Vec<Finding> {
    let link = pattern(r"\]\(([^)\s#]+)\)");
    let listed: Vec<String> = link.captures_iter(text).map(|found| resolve("docs", &found[1])).collect();
    let pages = known.iter().filter(|path| path.starts_with("docs/") && path.ends_with(".md"));
    let mut findings = Vec::new();
    for page in pages.filter(|page| **page != SUMMARY) {
        let n_times = listed.iter().filter(|listed| listed == page).count();
        if n_times != 1 {
            let message = format!("lists {page} {n_times} times: every page of the book stands here once");
            findings.push(Finding::error(SUMMARY, 0, message));
        }
    }
    findings
}

fn resolve(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn check_changelog(text: &str) -> Vec<Finding> {
    if text.lines().find(|line| line.starts_with("## ")) == Some("## [Unreleased]") {
        return Vec::new();
    }
    vec![Finding::error("CHANGELOG.md", 0, "the first section is ## [Unreleased]")]
}

fn check_invariants(path: &str, text: &str) -> Vec<Finding> {
    let lines = (1..).zip(text.lines()).skip_while(|(_, line)| *line != "## Invariants").skip(1);
    let mut items: Vec<(usize, String)> = Vec::new();
    for (number, line) in lines.take_while(|(_, line)| !line.starts_with("## ")) {
        if line.starts_with("- ") {
            items.push((number, line.to_owned()));
        } else if let Some((_, item)) = items.last_mut() {
            item.push_str(line);
        }
    }
    let n_words = text.split_whitespace().count();
    if path == ARCHITECTURE && n_words > WORDS_OF_ARCHITECTURE {
        let message = format!("{n_words} words, more than {WORDS_OF_ARCHITECTURE}: details go into the book");
        return vec![Finding::error(path, 0, message)];
    }
    if items.is_empty() {
        return vec![Finding::error(path, 0, "the section ## Invariants lists them")];
    }
    items.retain(|(_, item)| !item.contains("*Check:") && !item.contains("*(by review)*"));
    let message = "an invariant names its *Check:* or is marked *(by review)*";
    items.iter().map(|(line, _)| Finding::error(path, *line, message)).collect()
}

/// Checks that code in the glossary's second column is a name in a crate.
fn check_glossary(text: &str, files: &[TrackedFile]) -> Vec<Finding> {
    let name = pattern(r"`([A-Za-z_:]+)`");
    let word = pattern(r"\w+");
    let code = files.iter().filter(|file| file.path.starts_with("crates/") && file.path.ends_with(".rs"));
    let used: BTreeSet<&str> =
        code.flat_map(|file| word.find_iter(&file.text).map(|found| found.as_str())).collect();
    let mut findings = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| text.starts_with("| ")) {
        for found in name.captures_iter(text.split('|').nth(2).unwrap_or_default()) {
            let last = found[1].rsplit("::").next().unwrap_or_default();
            if !used.contains(last) {
                let message = format!("no code says {}", &found[1]);
                findings.push(Finding::error("docs/glossary.md", line, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    fn messages(findings: Vec<Finding>) -> Vec<String> {
        findings.into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn links_lead_somewhere() {
        let check_link = |link: &str, is_good: bool| {
            let known: BTreeSet<&str> =
                ["docs/a.md", "docs/glossary.md", "docs/decisions/0001-x.md", "README.md"].into();
            let term =
                anchors("# Glossary\n## The `term`, twice\n## The `term`, twice\n```\n# no heading\n```\n");
            let headings = [("docs/glossary.md", term), ("docs/a.md", anchors("# Here"))].into();
            let findings = check_links("docs/a.md", link, &known, &headings);
            assert_eq!(findings.is_empty(), is_good, "{link}: {findings:?}");
        };
        check_link("[a](glossary.md)", true);
        check_link("[a](./glossary.md#the-term-twice)", true);
        check_link("[a](./glossary.md#the-term-twice-1)", true);
        check_link("[a](./glossary.md#the-term-twice-2)", false);
        check_link("[a](./glossary.md#no-heading)", false);
        check_link("[a](../README.md)", false);
        check_link("[a](decisions/)", true);
        check_link("[a](https://example.org/x)", true);
        check_link("[a](#here)", true);
        check_link("[a](#there)", false);
        check_link("[a](README.md)", false);
        check_link("![p](images/none.png)", false);
        check_link("```\n[a](nowhere)\n```", true);
    }

    #[test]
    fn the_book_has_every_page_once() {
        let check_pages = |summary: &str, expected: usize| {
            let known: BTreeSet<&str> =
                [SUMMARY, "docs/a.md", "docs/decisions/b.md", "docs/x.png", "README.md"].into();
            let findings = check_summary(summary, &known);
            assert_eq!(findings.len(), expected, "{summary}: {findings:?}");
        };
        check_pages("- [A](a.md)\n  - [B](decisions/b.md)\n", 0);
        check_pages("- [A](a.md)\n", 1);
        check_pages("- [A](a.md)\n- [A](a.md)\n- [B](decisions/b.md)\n", 1);
        check_pages("", 2);
    }

    #[test]
    fn the_changelog_is_open() {
        let check_log = |text: &str, n_expected: usize| {
            let findings = check_changelog(text);
            assert_eq!(findings.len(), n_expected, "{text}");
        };
        check_log("# Changelog\n\n## [Unreleased]\n", 0);
        check_log("# Changelog\n\n## [0.1.0]\n\n## [Unreleased]\n", 1);
        check_log("# Changelog\n", 1);
    }

    #[test]
    fn invariants_name_their_check() {
        let check_text = |text: &str, n_expected: usize| {
            let findings = check_invariants(ARCHITECTURE, text);
            assert_eq!(messages(findings).len(), n_expected, "{text}");
        };
        check_text("## Invariants\n\n- Never a.\n  *Check: a test.*\n- Never b. *(by review)*\n", 0);
        check_text("## Invariants\n\n- Never a.\n- Never b. *Check: x.*\n\n## Next\n- free\n", 1);
        check_text("## Invariants\n", 1);
        check_text(&format!("{}## Invariants\n\n- Never a. *(by review)*\n", "long ".repeat(2000)), 1);
    }

    #[test]
    fn the_glossary_names_what_is_there() {
        let code = [file("crates/engine/src/turn.rs", "pub struct Turn;\nenum Author { Human }\n")];
        let check_line = |line: &str, expected: &[&str]| {
            let findings = check_glossary(line, &code);
            assert_eq!(messages(findings), expected, "{line}");
        };
        check_line("| turn | `Turn`, `Author::Human` | One `request`. | step |", &[]);
        check_line("| turn | `TurnIndex` | One request. | step |", &["no code says TurnIndex"]);
        check_line("| ground | | Rows. | `cache` |", &[]);
    }

    #[test]
    fn the_documents_exist() {
        assert_eq!(messages(check(&[])).len(), 5);
        let changelog = file("CHANGELOG.md", "## [Unreleased]\n");
        assert_eq!(messages(check(&[changelog])).len(), 4);
    }
}
