//! `cargo xtask gen`: TypeScript for the wire types, written by the tests in `cwl-host`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

const GENERATED: &str = "ui/src/lib/ipc/generated";

/// Rewrites the generated TypeScript. With `check`, reports how the committed files differ instead.
///
/// # Errors
/// If the exporting tests fail; with `check`, if a file differs, is missing or is left over.
pub(crate) fn run(check: bool, out: &mut dyn std::io::Write) -> anyhow::Result<()> {
    let root = crate::root();
    let committed = root.join(GENERATED);
    let fresh = tempfile::tempdir()?;
    export(&root, fresh.path())?;
    let (before, after) = (read(&committed)?, read(fresh.path())?);
    if after.is_empty() {
        bail!("gen: the tests of cwl-host exported nothing");
    }
    let differences = differences(&before, &after);
    if check {
        for difference in &differences {
            writeln!(out, "error: {difference} ({GENERATED})")?;
        }
        if !differences.is_empty() {
            bail!("gen: {} files differ; run `make gen` and commit the result", differences.len());
        }
        writeln!(out, "gen: {} files are as generated", after.len())?;
        return Ok(());
    }
    std::fs::create_dir_all(&committed)?;
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        std::fs::remove_file(committed.join(name)).with_context(|| format!("remove {name}"))?;
    }
    for (name, text) in after.iter().filter(|(name, text)| before.get(*name) != Some(*text)) {
        std::fs::write(committed.join(name), text).with_context(|| format!("write {name}"))?;
    }
    writeln!(out, "gen: {} files, {} of them changed", after.len(), differences.len())?;
    Ok(())
}

/// Runs the exporting tests. `CWL_GEN` makes the test of the command table write instead of compare.
///
/// `CWL_CRATES` names the crates as the Makefile does, so that cargo compiles nothing again for other features.
fn export(root: &Path, into: &Path) -> anyhow::Result<()> {
    let crates = std::env::var("CWL_CRATES").unwrap_or_else(|_| "--package cwl-host".to_owned());
    let mut tests = Command::new(crate::cargo());
    tests.args(["test", "--quiet", "--locked", "--test", "it"]).args(crates.split_whitespace());
    tests.args(["--", "export_bindings"]).env("TS_RS_EXPORT_DIR", into).env("CWL_GEN", "1").current_dir(root);
    crate::output_of(&mut tests).map(drop).context("gen: the exporting tests failed")
}

fn read(folder: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(files) };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".ts") {
            files.insert(name, std::fs::read_to_string(entry.path())?);
        }
    }
    Ok(files)
}

fn differences(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let told = names.into_iter().map(|name| match (before.get(name), after.get(name)) {
        (Some(_), None) => format!("{name} is left over"),
        (None, _) => format!("{name} is missing"),
        (old, new) if old == new => String::new(),
        _ => format!("{name} differs"),
    });
    told.filter(|difference| !difference.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        let files = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            pairs.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect()
        };
        let before = files(&[("A.ts", "1"), ("B.ts", "1"), ("Old.ts", "1")]);
        let after = files(&[("A.ts", "1"), ("B.ts", "2"), ("C.ts", "1")]);
        assert_eq!(differences(&before, &before), Vec::<String>::new());
        assert_eq!(differences(&before, &after), ["B.ts differs", "C.ts is missing", "Old.ts is left over"]);
    }
}
