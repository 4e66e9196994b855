//! Compares two builds' artefacts byte by byte, and names the parts that differ.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::bail;
use walkdir::WalkDir;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ComparisonReport {
    pub(crate) n_same: usize,
    /// A line per file that differs or is missing on one side, followed by indented lines about its parts.
    pub(crate) differences: Vec<String>,
}

impl std::fmt::Display for ComparisonReport {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { n_same, differences } = self;
        writeln!(out, "{n_same} files have the same bytes in both builds.")?;
        if !differences.is_empty() {
            writeln!(out, "These differ:")?;
        }
        differences.iter().try_for_each(|line| writeln!(out, "{line}"))
    }
}

/// Compares all files of two folders. `diffoscope`, if installed, explains differences.
///
/// # Errors
/// If a file is unreadable, or both folders are empty.
pub(crate) fn compare(one: &Path, other: &Path) -> anyhow::Result<ComparisonReport> {
    let mut compared = ComparisonReport::default();
    let has_diffoscope = Command::new("diffoscope").arg("--version").output().is_ok();
    for (name, told) in differences(one, other)? {
        let Some(told) = told else {
            compared.n_same += 1;
            continue;
        };
        compared.differences.push(format!("- {}: {told}", name.display()));
        let (first, second) = (one.join(&name), other.join(&name));
        if !(first.is_file() && second.is_file()) {
            continue;
        }
        let parts = if has_diffoscope {
            let told = Command::new("diffoscope").arg("--text=-").args([&first, &second]).output()?;
            String::from_utf8_lossy(&told.stdout).lines().take(200).map(str::to_owned).collect()
        } else {
            parts(&first, &second)?
        };
        compared.differences.extend(parts.iter().map(|line| format!("    {line}")));
    }
    if compared == ComparisonReport::default() {
        bail!("there is nothing to compare in {} and {}", one.display(), other.display());
    }
    Ok(compared)
}

pub(crate) fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        if !entry.file_type().is_dir() {
            found.push(entry.path().strip_prefix(folder)?.to_owned());
        }
    }
    Ok(found)
}

fn differences(one: &Path, other: &Path) -> anyhow::Result<Vec<(PathBuf, Option<String>)>> {
    let names: BTreeSet<PathBuf> = files(one)?.into_iter().chain(files(other)?).collect();
    let compare = |name: PathBuf| -> anyhow::Result<_> {
        let told = match (read(&one.join(&name))?, read(&other.join(&name))?) {
            (Some(_), None) => Some("only in the first build".to_owned()),
            (None, _) => Some("only in the second build".to_owned()),
            (Some(first), Some(second)) => told(&first, &second),
        };
        Ok((name, told))
    };
    names.into_iter().map(compare).collect()
}

/// Reads a file's bytes, or the path that a link names; `None` if there is no such file.
fn read(file: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    Ok(match file.symlink_metadata() {
        Ok(about) if about.is_symlink() => {
            Some(std::fs::read_link(file)?.to_string_lossy().as_bytes().to_vec())
        }
        Ok(_) => Some(std::fs::read(file)?),
        Err(_) => None,
    })
}

fn told(first: &[u8], second: &[u8]) -> Option<String> {
    if first == second {
        return None;
    }
    let n_longer = first.len().abs_diff(second.len());
    let n_different = first.iter().zip(second).filter(|(a, b)| a != b).count() + n_longer;
    let at = first.iter().zip(second).position(|(a, b)| a != b).unwrap_or(first.len().min(second.len()));
    let sizes = if first.len() == second.len() {
        format!("{} bytes", first.len())
    } else {
        format!("{} and {} bytes", first.len(), second.len())
    };
    Some(format!("{sizes}, {n_different} of them different, the first at {at}"))
}

/// Lists the parts in which two packages differ; empty for other files, or if no program can unpack them.
fn parts(one: &Path, other: &Path) -> anyhow::Result<Vec<String>> {
    let work = tempfile::tempdir()?;
    let folders = ["1", "2"].map(|name| work.path().join(name));
    if !(unpack(one, &folders[0])? && unpack(other, &folders[1])?) {
        return Ok(Vec::new());
    }
    let told = differences(&folders[0], &folders[1])?.into_iter();
    let mut found: Vec<String> =
        told.filter_map(|(name, told)| Some(format!("{}: {}", name.display(), told?))).collect();
    if found.is_empty() {
        found.push("its files are the same; their times, modes or order differ".to_owned());
    }
    Ok(found)
}

fn unpack(file: &Path, folder: &Path) -> anyhow::Result<bool> {
    let script = match file.to_string_lossy() {
        name if name.ends_with(".deb") => "dpkg-deb -R \"$0\" \"$1\"",
        name if name.ends_with(".rpm") => "rpm2cpio \"$0\" | (cd \"$1\" && cpio -idm --quiet)",
        name if name.contains(".tar") => "tar -xf \"$0\" -C \"$1\"",
        _ => return Ok(false),
    };
    std::fs::create_dir_all(folder)?;
    let unpacked = Command::new("sh").args(["-c", script]).args([file, folder]).output()?;
    Ok(unpacked.status.success())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn two_builds_are_the_same_or_it_is_told_where_they_differ() {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (dir.path().join("one"), dir.path().join("other"));
        let write = |folder: &Path, name: &str, text: &str| {
            let file = folder.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        std::fs::create_dir_all(&one).unwrap();
        std::fs::create_dir_all(&other).unwrap();
        assert!(compare(&one, &other).is_err(), "two builds of nothing prove nothing");
        for folder in [&one, &other] {
            write(folder, "a/same", "same");
            write(folder, "cwl", "0123");
        }
        let same = compare(&one, &other).unwrap();
        assert_eq!(same, ComparisonReport { n_same: 2, differences: Vec::new() });
        write(&other, "cwl", "0923");
        write(&one, "a/gone", "");
        write(&other, "new", "x");
        write(&other, "a/same", "same and more");
        let different = compare(&one, &other).unwrap();
        let lines: Vec<&str> =
            different.differences.iter().map(String::as_str).filter(|line| line.starts_with('-')).collect();
        assert_eq!(
            lines,
            [
                "- a/gone: only in the first build",
                "- a/same: 4 and 13 bytes, 9 of them different, the first at 4",
                "- cwl: 4 bytes, 1 of them different, the first at 1",
                "- new: only in the second build",
            ]
        );
        assert!(different.to_string().starts_with("0 files have the same bytes"));
    }

    #[test]
    fn the_parts_of_a_package_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let pack = |name: &str, text: &str| {
            let folder = dir.path().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("cwl"), text).unwrap();
            std::fs::write(folder.join("README"), "same").unwrap();
            let file = dir.path().join(format!("{name}.tar"));
            let packed = Command::new("tar").arg("-cf").arg(&file).arg("-C").arg(&folder).arg(".").status();
            assert!(packed.unwrap().success());
            file
        };
        let (one, other) = (pack("one", "aa"), pack("other", "ab"));
        assert_eq!(parts(&one, &other).unwrap(), ["cwl: 2 bytes, 1 of them different, the first at 1"]);
        assert_eq!(parts(&dir.path().join("one/cwl"), &dir.path().join("other/cwl")).unwrap(), [""; 0]);
    }
}
