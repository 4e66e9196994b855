//! Compares two builds' artefacts byte by byte, and names the parts that differ.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Compared {
    pub(crate) n_same: usize,
    /// A line per file that differs or is missing on one side, followed by indented lines about its parts.
    pub(crate) differences: Vec<String>,
}

impl std::fmt::Display for Compared {
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
pub(crate) fn compare(one: &Path, other: &Path) -> anyhow::Result<Compared> {
    let mut compared = Compared::default();
    let names: BTreeSet<PathBuf> = files(one)?.into_iter().chain(files(other)?).collect();
    if names.is_empty() {
        bail!("there is nothing to compare in {} and {}", one.display(), other.display());
    }
    let has_diffoscope = Command::new("diffoscope").arg("--version").output().is_ok();
    for name in names {
        let (first, second) = (one.join(&name), other.join(&name));
        let told = differs(&first, &second)?;
        let Some(told) = told else {
            compared.n_same += 1;
            continue;
        };
        compared.differences.push(format!("- {}: {told}", name.display()));
        if !(first.is_file() && second.is_file()) {
            continue;
        }
        if has_diffoscope {
            let text = Command::new("diffoscope").arg("--text=-").args([&first, &second]).output()?;
            let text = String::from_utf8_lossy(&text.stdout).into_owned();
            compared.differences.extend(text.lines().take(200).map(|line| format!("    {line}")));
        } else {
            compared.differences.extend(parts(&first, &second)?.iter().map(|line| format!("    {line}")));
        }
    }
    Ok(compared)
}

pub(crate) fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).with_context(|| next.display().to_string())? {
            let path = entry?.path();
            let kind = path.symlink_metadata()?.file_type();
            if kind.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder)?.to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn differs(one: &Path, other: &Path) -> anyhow::Result<Option<String>> {
    let read = |path: &Path| -> anyhow::Result<Option<Vec<u8>>> {
        match path.symlink_metadata() {
            Ok(about) if about.is_symlink() => {
                Ok(Some(std::fs::read_link(path)?.to_string_lossy().into_owned().into_bytes()))
            }
            Ok(_) => Ok(Some(std::fs::read(path)?)),
            Err(_) => Ok(None),
        }
    };
    Ok(match (read(one)?, read(other)?) {
        (Some(_), None) => Some("only in the first build".to_owned()),
        (None, _) => Some("only in the second build".to_owned()),
        (Some(first), Some(second)) => told(&first, &second),
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
    let unpacked =
        folders.iter().zip([one, other]).all(|(folder, file)| unpack(file, folder).unwrap_or(false));
    let mut found = Vec::new();
    if unpacked {
        let names: BTreeSet<PathBuf> = files(&folders[0])?.into_iter().chain(files(&folders[1])?).collect();
        for name in names {
            if let Some(told) = differs(&folders[0].join(&name), &folders[1].join(&name))? {
                found.push(format!("{}: {told}", name.display()));
            }
        }
        if found.is_empty() {
            found.push("its files are the same; their times, modes or order differ".to_owned());
        }
    }
    Ok(found)
}

fn unpack(file: &Path, folder: &Path) -> anyhow::Result<bool> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut command = if name.ends_with(".deb") {
        let mut command = Command::new("dpkg-deb");
        command.arg("-R").arg(file).arg(folder);
        command
    } else if name.contains(".tar") {
        let mut command = Command::new("tar");
        command.arg("-xf").arg(file).arg("-C").arg(folder);
        command
    } else if name.ends_with(".rpm") {
        let mut command = Command::new("sh");
        command.args(["-c", "rpm2cpio \"$0\" | (cd \"$1\" && cpio -idm --quiet)"]).arg(file).arg(folder);
        command
    } else {
        return Ok(false);
    };
    std::fs::create_dir_all(folder)?;
    Ok(command.output()?.status.success())
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
        assert_eq!(same, Compared { n_same: 2, differences: Vec::new() });
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
