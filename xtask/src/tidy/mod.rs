//! `cargo xtask tidy` checks house rules that no compiler knows.
//!
//! Every check is a pure function from texts to [`Finding`]s, so that tests can pass faulty texts. Only
//! [`run`] reads the disk.

mod bans;
mod docs;
mod fences;
mod migrations;
mod rooms;
mod tree;
mod words;
mod workflows;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

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

/// A file that is, or would be, in the repository. `text` is `None` if it is not UTF-8.
pub(crate) struct TrackedFile {
    pub(crate) path: String,
    pub(crate) text: Option<String>,
}

/// Runs all checks over the working tree and prints their findings.
///
/// # Errors
/// If there are findings, or git or cargo fails.
pub(crate) fn run(out: &mut dyn std::io::Write) -> anyhow::Result<()> {
    let root = crate::root();
    let files = tracked_files(&root)?;
    let mut findings = fences::check(&fences::read_members(&root)?);
    let deny = std::fs::read_to_string(root.join("deny.toml")).context("deny.toml")?;
    findings.extend(bans::check(&deny, &bans::read_uses(&root, &deny)?));
    findings.extend(fences::check_engine_sources(&files));
    findings.extend(fences::check_pure_sources(&files));
    findings.extend(fences::check_programs(&files));
    findings.extend(fences::check_connections(&files));
    findings.extend(fences::check_sockets(&files));
    findings.extend(rooms::check(&files));
    findings.extend(migrations::check(&files));
    findings.extend(tree::check(&files));
    findings.extend(docs::check(&files));
    findings.extend(words::check(&files));
    findings.extend(workflows::check(&files));
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

/// Reads the files that git tracks or would add.
///
/// # Errors
/// If git fails.
pub(crate) fn tracked_files(root: &Path) -> anyhow::Result<Vec<TrackedFile>> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("git is needed to know which files belong to the project")?;
    if !listed.status.success() {
        bail!("git ls-files: {}", String::from_utf8_lossy(&listed.stderr).trim());
    }
    let mut paths: Vec<String> = listed
        .stdout
        .split(|&byte| byte == 0)
        .filter(|path| !path.is_empty())
        .map(|path| String::from_utf8_lossy(path).into_owned())
        .collect();
    paths.sort();
    paths.dedup();
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        let on_disk: PathBuf = root.join(&path);
        // Deleted in the working tree, or a link: skipped.
        let Ok(bytes) = std::fs::read(&on_disk) else { continue };
        files.push(TrackedFile { path, text: String::from_utf8(bytes).ok() });
    }
    Ok(files)
}

#[cfg(test)]
pub(crate) fn file(path: &str, text: &str) -> TrackedFile {
    TrackedFile { path: path.to_owned(), text: Some(text.to_owned()) }
}
