//! Documents: links lead to a file and a heading, the book has every page and no link out of it, invariants
//! name their check, and the changelog has an open section.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::{Finding, TrackedFile};

pub(crate) fn check(files: &[TrackedFile]) -> Vec<Finding> {
    let known: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let headings: BTreeMap<&str, BTreeSet<String>> = files
        .iter()
        .filter(|file| file.path.ends_with(".md"))
        .map(|file| (file.path.as_str(), anchors(file.text.as_deref().unwrap_or_default())))
        .collect();
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with(".md")) {
        let text = file.text.as_deref().unwrap_or_default();
        check_links(&file.path, text, &known, &headings, &mut findings);
        match file.path.as_str() {
            "CHANGELOG.md" => check_changelog(text, &mut findings),
            "ARCHITECTURE.md" => check_invariants(text, &mut findings),
            "docs/glossary.md" => check_glossary(text, files, &mut findings),
            SUMMARY => check_summary(text, &known, &mut findings),
            _ => {}
        }
    }
    for needed in ["README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/glossary.md"] {
        if !known.contains(needed) {
            findings.push(Finding::error(needed, 0, "is missing"));
        }
    }
    findings
}

const SUMMARY: &str = "docs/SUMMARY.md";

fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    text.lines().enumerate().filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// Anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let mut name = String::new();
        for char in title.trim().chars() {
            match char {
                ' ' => name.push('-'),
                '-' | '_' => name.push(char),
                _ if char.is_alphanumeric() => name.extend(char.to_lowercase()),
                _ => {}
            }
        }
        let n_before = (0..).find(|n| !found.contains(&numbered(&name, *n))).unwrap_or(0);
        found.insert(numbered(&name, n_before));
    }
    found
}

fn numbered(name: &str, n_before: usize) -> String {
    if n_before == 0 { name.to_owned() } else { format!("{name}-{n_before}") }
}

fn check_links(
    path: &str,
    text: &str,
    known: &BTreeSet<&str>,
    headings: &BTreeMap<&str, BTreeSet<String>>,
    findings: &mut Vec<Finding>,
) {
    let link = Regex::new(r"\]\(([^)\s#]*)(?:#([^)\s]+))?[^)]*\)").expect("a constant pattern");
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    for (idx, line) in prose(text) {
        for found in link.captures_iter(line) {
            let target = &found[1];
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let target = if target.is_empty() { path.to_owned() } else { resolve(folder, target) };
            let is_folder = || known.iter().any(|path| path.starts_with(&format!("{target}/")));
            if !known.contains(target.as_str()) && !is_folder() {
                findings.push(Finding::error(path, idx + 1, format!("a link to nowhere: {target}")));
            } else if path.starts_with("docs/") && !target.starts_with("docs/") {
                let message = format!("a link that leaves the book: {target}; name the file as code");
                findings.push(Finding::error(path, idx + 1, message));
            }
            let (Some(name), Some(there)) = (found.get(2), headings.get(target.as_str())) else { continue };
            if !there.contains(name.as_str()) {
                let message = format!("{target} has no heading #{}", name.as_str());
                findings.push(Finding::error(path, idx + 1, message));
            }
        }
    }
}

fn check_summary(text: &str, known: &BTreeSet<&str>, findings: &mut Vec<Finding>) {
    let link = Regex::new(r"\]\(([^)\s#]+)\)").expect("a constant pattern");
    let listed: Vec<String> = link.captures_iter(text).map(|found| resolve("docs", &found[1])).collect();
    let pages = known.iter().filter(|path| path.starts_with("docs/") && path.ends_with(".md"));
    for page in pages.filter(|page| **page != SUMMARY) {
        let n_times = listed.iter().filter(|listed| listed == page).count();
        if n_times != 1 {
            let message = format!("lists {page} {n_times} times: every page of the book stands here once");
            findings.push(Finding::error(SUMMARY, 0, message));
        }
    }
}

fn resolve(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn check_changelog(text: &str, findings: &mut Vec<Finding>) {
    let first = text.lines().find(|line| line.starts_with("## "));
    if first != Some("## [Unreleased]") {
        findings.push(Finding::error("CHANGELOG.md", 0, "the first section is ## [Unreleased]"));
    }
}

fn check_invariants(text: &str, findings: &mut Vec<Finding>) {
    const PATH: &str = "ARCHITECTURE.md";
    let mut in_section = false;
    let mut found_one = false;
    let mut item: Option<(usize, String)> = None;
    let mut close = |item: &mut Option<(usize, String)>| {
        if let Some((line, item)) = item.take()
            && !item.contains("*Check:")
            && !item.contains("*(by review)*")
        {
            let message = "an invariant names its *Check:* or is marked *(by review)*";
            findings.push(Finding::error(PATH, line, message));
        }
    };
    for (idx, line) in text.lines().enumerate() {
        if line.starts_with("## ") {
            close(&mut item);
            in_section = line == "## Invariants";
        } else if in_section && line.starts_with("- ") {
            close(&mut item);
            found_one = true;
            item = Some((idx + 1, line.to_owned()));
        } else if let Some((_, text)) = &mut item {
            text.push_str(line);
        }
    }
    close(&mut item);
    if !found_one {
        findings.push(Finding::error(PATH, 0, "the section ## Invariants lists them"));
    }
}

fn check_glossary(text: &str, files: &[TrackedFile], findings: &mut Vec<Finding>) {
    let name = Regex::new(r"`([A-Za-z_:]+)`").expect("a constant pattern");
    let word = Regex::new(r"\w+").expect("a constant pattern");
    let used: BTreeSet<&str> = files
        .iter()
        .filter(|file| file.path.starts_with("crates/") && file.path.ends_with(".rs"))
        .filter_map(|file| file.text.as_deref())
        .flat_map(|text| word.find_iter(text).map(|found| found.as_str()))
        .collect();
    for (idx, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with("| ")) {
        let in_code = line.split('|').nth(2).unwrap_or_default();
        for found in name.captures_iter(in_code) {
            let last = found[1].rsplit("::").next().unwrap_or_default();
            if !used.contains(last) {
                let message = format!("no code says {}", &found[1]);
                findings.push(Finding::error("docs/glossary.md", idx + 1, message));
            }
        }
    }
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
            let mut findings = Vec::new();
            check_links("docs/a.md", link, &known, &headings, &mut findings);
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
            let mut findings = Vec::new();
            check_summary(summary, &known, &mut findings);
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
            let mut findings = Vec::new();
            check_changelog(text, &mut findings);
            assert_eq!(findings.len(), n_expected, "{text}");
        };
        check_log("# Changelog\n\n## [Unreleased]\n", 0);
        check_log("# Changelog\n\n## [0.1.0]\n\n## [Unreleased]\n", 1);
        check_log("# Changelog\n", 1);
    }

    #[test]
    fn invariants_name_their_check() {
        let check_text = |text: &str, n_expected: usize| {
            let mut findings = Vec::new();
            check_invariants(text, &mut findings);
            assert_eq!(messages(findings).len(), n_expected, "{text}");
        };
        check_text("## Invariants\n\n- Never a.\n  *Check: a test.*\n- Never b. *(by review)*\n", 0);
        check_text("## Invariants\n\n- Never a.\n- Never b. *Check: x.*\n\n## Next\n- free\n", 1);
        check_text("## Invariants\n", 1);
    }

    #[test]
    fn the_glossary_names_what_is_there() {
        let code = [file("crates/engine/src/turn.rs", "pub struct Turn;\nenum Author { Human }\n")];
        let check_line = |line: &str, expected: &[&str]| {
            let mut findings = Vec::new();
            check_glossary(line, &code, &mut findings);
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
