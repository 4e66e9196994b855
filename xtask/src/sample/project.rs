//! A project in memory. Edits change it, so later calls read, find and compare the text of earlier ones.

use anyhow::{Context as _, Result, bail};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

use super::puts::put;
use super::rng::Rng;
use super::text_diff;

/// Lines returned by a read without a limit.
const READ_LINES: usize = 2_000;

#[derive(Debug, Clone)]
pub(crate) struct Commit {
    pub(crate) hash: String,
    pub(crate) subject: String,
    pub(crate) stat: String,
}

#[derive(Debug, Clone)]
pub(crate) struct Project {
    files: BTreeMap<String, String>,
    committed: BTreeMap<String, String>,
    pub(crate) history: Vec<Commit>,
    hashes: Rng,
    /// Build kinds that ran since the last change, and so have nothing to do.
    built: BTreeSet<&'static str>,
}

impl Project {
    pub(crate) fn new(files: BTreeMap<String, String>) -> Self {
        let mut hashes = Rng::new(0x7469_6465);
        let earlier = [
            "ingest: decode windows-1252 declared in the XML",
            "prune: keep starred entries",
            "docs: how feeds are scheduled",
            "release 0.7.2",
            "ui: say \"yesterday\" instead of \"1 day ago\"",
            "store: refuse blank names",
        ];
        let history = earlier
            .iter()
            .map(|subject| Commit {
                hash: hashes.hex(7),
                subject: (*subject).to_owned(),
                stat: String::new(),
            })
            .collect();
        Self { committed: files.clone(), files, history, hashes, built: BTreeSet::new() }
    }

    pub(crate) fn text(&self, path: &str) -> Result<&str> {
        self.files.get(path).map(String::as_str).with_context(|| format!("{path} is not in the project"))
    }

    /// Paths below a folder (`.` is the root), or the single file with that name.
    pub(crate) fn paths(&self, under: &str) -> Vec<&str> {
        let under = under.trim_start_matches("./").trim_end_matches('/');
        let below = |path: &str| {
            matches!(under, "." | "")
                || path == under
                || path.strip_prefix(under).is_some_and(|rest| rest.starts_with('/'))
        };
        self.files.keys().map(String::as_str).filter(|path| below(path)).collect()
    }

    /// Reads like pi's tool: `offset` is the first line, from 1; the last line says how much was left out.
    pub(crate) fn read(&self, path: &str, offset: Option<usize>, limit: Option<usize>) -> Result<String> {
        let lines: Vec<&str> = self.text(path)?.lines().collect();
        let start = offset.unwrap_or(1).max(1) - 1;
        let end = (start + limit.unwrap_or(READ_LINES)).min(lines.len());
        let shown =
            lines.get(start..end).with_context(|| format!("{path} has only {} lines", lines.len()))?;
        let mut out = shown.join("\n");
        if end < lines.len() {
            put!(out, "\n\n[{} more lines in file. Use offset={} to continue.]", lines.len() - end, end + 1);
        }
        Ok(out)
    }

    /// Matching lines as `(path, one-based line, text)`, sorted by path.
    pub(crate) fn matches(&self, pattern: &str, under: &str) -> Result<Vec<(&str, usize, &str)>> {
        let pattern = Regex::new(pattern)?;
        let mut found = Vec::new();
        for path in self.paths(under) {
            let lines = self.files[path].lines().enumerate();
            found.extend(
                lines.filter(|(_, line)| pattern.is_match(line)).map(|(at, line)| (path, at + 1, line)),
            );
        }
        Ok(found)
    }

    /// Paths whose last component (or whole path, if `pattern` has a slash) matches a glob.
    pub(crate) fn glob(&self, pattern: &str, under: &str) -> Result<Vec<&str>> {
        let mut expression = String::from("^");
        let mut rest = pattern;
        while let Some(letter) = rest.chars().next() {
            let (taken, written) = match letter {
                '*' if rest.starts_with("**/") => (3, "(?:.*/)?".to_owned()),
                '*' => (1, "[^/]*".to_owned()),
                '?' => (1, "[^/]".to_owned()),
                '{' => (1, "(?:".to_owned()),
                '}' => (1, ")".to_owned()),
                ',' => (1, "|".to_owned()),
                other => (other.len_utf8(), regex::escape(&other.to_string())),
            };
            expression.push_str(&written);
            rest = &rest[taken..];
        }
        expression.push('$');
        let expression = Regex::new(&expression)?;
        let whole = pattern.contains('/');
        let compared = |path: &'_ str| if whole { 0 } else { path.rfind('/').map_or(0, |slash| slash + 1) };
        Ok(self
            .paths(under)
            .into_iter()
            .filter(|path| expression.is_match(&path[compared(path)..]))
            .collect())
    }

    pub(crate) fn list(&self, folder: &str) -> Vec<String> {
        let prefix = match folder.trim_end_matches('/') {
            "." | "" => String::new(),
            folder => format!("{folder}/"),
        };
        let names: BTreeSet<String> = self
            .files
            .keys()
            .filter_map(|path| path.strip_prefix(&prefix))
            .map(|rest| {
                rest.split_once('/').map_or_else(|| rest.to_owned(), |(folder, _)| format!("{folder}/"))
            })
            .collect();
        names.into_iter().collect()
    }

    /// Replaces the only occurrence of `old`. Returns the numbered diff and its first changed line.
    pub(crate) fn edit(&mut self, path: &str, old: &str, new: &str) -> Result<(String, usize)> {
        let text = self.text(path)?;
        match text.matches(old).count() {
            1 => {}
            0 => bail!("{path} does not hold the text to replace: {old}"),
            n => bail!("{path} holds the text to replace {n} times: {old}"),
        }
        let changed = text.replacen(old, new, 1);
        let report = text_diff::numbered(text, &changed);
        self.files.insert(path.to_owned(), changed);
        self.built.clear();
        Ok(report)
    }

    pub(crate) fn write(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), text.to_owned());
        self.built.clear();
    }

    /// Notes a build. `true` if anything has changed since its kind was built last.
    pub(crate) fn build(&mut self, kind: &'static str) -> bool {
        self.built.insert(kind)
    }

    /// One-based line where `needle` first matches in a file.
    pub(crate) fn line_of(&self, path: &str, needle: &str) -> Result<usize> {
        let found = self.text(path)?.lines().position(|line| line.contains(needle));
        found.map(|at| at + 1).with_context(|| format!("{path} has no line with {needle}"))
    }

    pub(crate) fn changes(&self) -> Vec<(char, &str)> {
        let mut changes: Vec<(char, &str)> = Vec::new();
        for (path, text) in &self.files {
            match self.committed.get(path) {
                None => changes.push(('?', path)),
                Some(before) if before != text => changes.push(('M', path)),
                Some(_) => {}
            }
        }
        changes
    }

    pub(crate) fn versions(&self, path: &str) -> (&str, &str) {
        let before = self.committed.get(path).map_or("", String::as_str);
        let after = self.files.get(path).map_or("", String::as_str);
        (before, after)
    }

    pub(crate) fn restore(&mut self) {
        self.files.clone_from(&self.committed);
        self.built.clear();
    }

    pub(crate) fn commit(&mut self, subject: &str) -> Result<String> {
        let changes = self.changes();
        if changes.is_empty() {
            bail!("nothing to commit for {subject}");
        }
        let created: Vec<&str> =
            changes.iter().filter(|(state, _)| *state == '?').map(|(_, path)| *path).collect();
        let (mut added, mut removed) = (0, 0);
        for (_, path) in &changes {
            let (before, after) = self.versions(path);
            let (more, fewer) = text_diff::stat(before, after);
            added += more;
            removed += fewer;
        }
        let mut stat = format!(" {} file{} changed", changes.len(), plural(changes.len()));
        if added > 0 {
            put!(stat, ", {added} insertion{}(+)", plural(added));
        }
        if removed > 0 {
            put!(stat, ", {removed} deletion{}(-)", plural(removed));
        }
        let mut out = stat.clone();
        for path in created {
            put!(out, "\n create mode 100644 {path}");
        }
        let hash = self.hashes.hex(7);
        let out = format!("[main {hash}] {subject}\n{out}");
        self.history.push(Commit { hash, subject: subject.to_owned(), stat });
        self.committed.clone_from(&self.files);
        Ok(out)
    }
}

pub(crate) fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn project() -> Project {
        let files =
            [("src/a.rs", "fn a() {}\nfn b() {}\n"), ("src/deep/c.rs", "fn c() {}\n"), ("README.md", "a\n")];
        Project::new(files.map(|(path, text)| (path.to_owned(), text.to_owned())).into())
    }

    #[test]
    fn listings() {
        let project = project();
        assert_eq!(project.list("."), ["README.md", "src/"]);
        assert_eq!(project.list("src"), ["a.rs", "deep/"]);
        assert_eq!(project.paths("src"), ["src/a.rs", "src/deep/c.rs"]);
        assert_eq!(project.glob("*.rs", ".").unwrap(), ["src/a.rs", "src/deep/c.rs"]);
        assert_eq!(project.glob("src/*.rs", ".").unwrap(), ["src/a.rs"]);
        assert_eq!(project.glob("src/**/*.{rs,md}", ".").unwrap(), ["src/a.rs", "src/deep/c.rs"]);
    }

    #[test]
    fn reads_say_what_they_left_out() {
        let project = project();
        assert_eq!(project.read("src/a.rs", None, None).unwrap(), "fn a() {}\nfn b() {}");
        let part = project.read("src/a.rs", None, Some(1)).unwrap();
        assert_eq!(part, "fn a() {}\n\n[1 more lines in file. Use offset=2 to continue.]");
        assert!(project.read("src/none.rs", None, None).is_err());
    }

    #[test]
    fn edits_show_in_diffs_until_they_are_committed() {
        let mut project = project();
        assert!(project.edit("src/a.rs", "fn", "pub fn").is_err(), "two places");
        project.edit("src/a.rs", "fn b", "pub fn b").unwrap();
        project.write("src/new.rs", "fn n() {}\n");
        assert_eq!(project.changes(), [('M', "src/a.rs"), ('?', "src/new.rs")]);
        let printed = project.commit("a: b is public").unwrap();
        assert!(
            printed.ends_with(
                " 2 files changed, 2 insertions(+), 1 deletion(-)\n create mode 100644 src/new.rs"
            )
        );
        assert!(project.changes().is_empty());
        assert!(project.commit("again").is_err());
    }
}
