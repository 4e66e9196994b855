//! `cargo xtask tidy` checks house rules that no compiler knows.
//!
//! Every check is a pure function from texts to [`Finding`]s, so that tests can pass faulty texts. Only
//! [`run`] reads files, and two checks ask cargo.

mod bans;
mod docs;
mod fences;
mod migrations;
mod rooms;
mod tree;
mod words;
mod workflows;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::bail;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) path: String,
    /// Line, from 1; 0 for the whole file.
    pub(crate) line: usize,
    pub(crate) message: String,
    /// A warning is printed but does not fail the run.
    pub(crate) warning: bool,
}

impl Finding {
    fn error(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into(), warning: false }
    }

    fn warning(path: &str, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: 0, message: message.into(), warning: true }
    }
}

/// A file that is, or would be, in the repository. `text` is empty if it is not UTF-8.
pub(crate) struct TrackedFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TrackedFile {
    /// Lines, numbered from 1.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    fn before_tests(&self) -> &str {
        self.text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default()
    }

    fn has_ending(&self, endings: &[&str]) -> bool {
        endings.iter().any(|ending| self.path.ends_with(ending))
    }
}

pub(crate) fn run(out: &mut dyn std::io::Write) -> anyhow::Result<()> {
    let root = crate::root();
    let files = tracked_files(&root)?;
    let mut findings = fences::check(&fences::read_members(&root)?);
    findings.extend(bans::check(&root)?);
    let checks = [
        fences::check_engine,
        fences::check_sources,
        rooms::check,
        migrations::check,
        tree::check,
        docs::check,
        words::check,
        workflows::check,
    ];
    findings.extend(checks.iter().flat_map(|check| check(&files)));
    for finding in &findings {
        let kind = if finding.warning { "warning" } else { "error" };
        let place = if finding.line == 0 { String::new() } else { format!(":{}", finding.line) };
        writeln!(out, "{kind}: {} ({}{place})", finding.message, finding.path)?;
    }
    let n_errors = findings.iter().filter(|finding| !finding.warning).count();
    if n_errors > 0 {
        bail!("tidy: {n_errors} findings in {} files", files.len());
    }
    writeln!(out, "tidy: {} files and all import fences are in order", files.len())?;
    Ok(())
}

pub(crate) fn tracked_files(root: &Path) -> anyhow::Result<Vec<TrackedFile>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let listed = crate::output_of(Command::new("git").args(arguments).current_dir(root))?;
    let paths: BTreeSet<&str> = listed.split_terminator('\0').collect();
    // Deleted in the working tree, or a link: skipped.
    let read = |path: &str| {
        let bytes = std::fs::read(root.join(path)).ok()?;
        Some(TrackedFile { path: path.to_owned(), text: String::from_utf8(bytes).unwrap_or_default() })
    };
    Ok(paths.into_iter().filter_map(read).collect())
}

#[cfg(test)]
pub(crate) fn file(path: &str, text: &str) -> TrackedFile {
    TrackedFile { path: path.to_owned(), text: text.to_owned() }
}
