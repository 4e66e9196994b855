//! Banned crates: whatever `deny.toml` bans is in no build, unless a crate named there brings it along.
//!
//! `cargo deny` checks the same and more (`make deny`), but takes minutes to install; this check needs only
//! cargo, so every test run has it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use regex::Regex;

use super::Finding;

const PATH: &str = "deny.toml";

#[derive(Debug, PartialEq, Eq)]
struct Ban {
    name: String,
    wrappers: Vec<String>,
    line: usize,
}

/// Pairs (user, used) by crate name, in one platform's builds.
pub(crate) type Uses = BTreeSet<(String, String)>;

/// Asks cargo which crates use the banned ones, on every platform in `deny.toml`.
///
/// # Errors
/// If cargo fails.
pub(crate) fn read_uses(root: &Path, deny: &str) -> anyhow::Result<Uses> {
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).context("Cargo.lock")?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut uses = Uses::new();
    // A crate missing from the lock file is in no build; one in the lock file may belong to another platform.
    let named = bans(deny).into_iter().filter(|ban| lock.contains(&format!("name = \"{}\"\n", ban.name)));
    for ban in named {
        for platform in platforms(deny) {
            let answer = Command::new(&cargo)
                .args(["tree", "--workspace", "--locked", "--offline", "--edges", "all", "--depth", "1"])
                .args(["--prefix", "none", "--target", &platform, "--invert", &ban.name])
                .current_dir(root)
                .output()
                .context("cargo tree")?;
            // Another platform's crates need not be on this machine.
            if !answer.status.success() && String::from_utf8_lossy(&answer.stderr).contains("offline") {
                continue;
            }
            if !answer.status.success() {
                bail!("cargo tree: {}", String::from_utf8_lossy(&answer.stderr).trim());
            }
            uses.extend(uses_of(&ban.name, &String::from_utf8_lossy(&answer.stdout)));
        }
    }
    Ok(uses)
}

/// Parses a crate's users from an inverted tree with depth 1: the crate itself, then its users, one per line.
fn uses_of(used: &str, tree: &str) -> Uses {
    let names = tree.lines().filter_map(|line| line.split_whitespace().next());
    let users = names.filter(|name| *name != used && !name.starts_with('['));
    users.map(|user| (user.to_owned(), used.to_owned())).collect()
}

fn platforms(deny: &str) -> Vec<String> {
    let platform = Regex::new(r#"(?m)^\s*"([a-z0-9_]+-[a-z0-9-]+)",$"#).expect("a constant pattern");
    platform.captures_iter(deny).map(|found| found[1].to_owned()).collect()
}

fn bans(deny: &str) -> Vec<Ban> {
    let ban =
        Regex::new(r#"^\s*\{ crate = "([^"]+)"(?:, wrappers = \[([^\]]*)\])?"#).expect("a constant pattern");
    let read = |(at, line): (usize, &str)| {
        let found = ban.captures(line)?;
        let wrappers = found.get(2).map_or("", |list| list.as_str());
        let wrappers = wrappers.split(',').map(|name| name.trim().trim_matches('"').to_owned());
        Some(Ban {
            name: found[1].to_owned(),
            wrappers: wrappers.filter(|name| !name.is_empty()).collect(),
            line: at + 1,
        })
    };
    deny.lines().enumerate().filter_map(read).collect()
}

pub(crate) fn check(deny: &str, uses: &Uses) -> Vec<Finding> {
    let mut findings = Vec::new();
    let bans = bans(deny);
    if bans.is_empty() {
        findings.push(Finding::error(
            PATH,
            0,
            "the bans stand one on a line: { crate = \"…\", reason = \"…\" }",
        ));
    }
    for ban in &bans {
        for (by, _) in uses.iter().filter(|(_, used)| *used == ban.name) {
            if !ban.wrappers.contains(by) {
                let message = format!("{by} brings {} along, which is banned", ban.name);
                findings.push(Finding::error(PATH, ban.line, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENY: &str = r#"
targets = [
  "x86_64-unknown-linux-gnu",
  "aarch64-apple-darwin",
]
deny = [
  { crate = "reqwest", reason = "no network" },
  { crate = "chrono", wrappers = ["rmcp", "schemars"], reason = "times are jiff's" },
]
"#;

    #[test]
    fn what_is_banned_is_in_no_build_but_through_its_wrappers() {
        let check_uses = |uses: &[(&str, &str)], expected: &[&str]| {
            let uses = uses.iter().map(|(by, used)| ((*by).to_owned(), (*used).to_owned())).collect();
            let found: Vec<String> = check(DENY, &uses).into_iter().map(|finding| finding.message).collect();
            assert_eq!(found, expected, "{uses:?}");
        };
        check_uses(&[("cwl-mcp", "rmcp"), ("rmcp", "chrono"), ("schemars", "chrono")], &[]);
        check_uses(&[("cwl-host", "chrono")], &["cwl-host brings chrono along, which is banned"]);
        check_uses(&[("tauri", "reqwest")], &["tauri brings reqwest along, which is banned"]);
        assert_eq!(platforms(DENY), ["x86_64-unknown-linux-gnu", "aarch64-apple-darwin"]);
        assert_eq!(check("", &Uses::new()).len(), 1);
    }

    #[test]
    fn users_are_read_from_a_tree() {
        let tree = "chrono v0.4.45\nrmcp v3.11.0\n[build-dependencies]\nschemars v1.2.3 (*)\n";
        let expected = ["rmcp", "schemars"].map(|user| (user.to_owned(), "chrono".to_owned()));
        assert_eq!(uses_of("chrono", tree), Uses::from(expected));
        assert!(uses_of("reqwest", "").is_empty());
    }
}
