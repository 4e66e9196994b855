//! Banned crates: whatever `deny.toml` bans is in no build, unless a crate named there brings it along.
//!
//! `cargo deny` checks the same and more (`make deny`), but takes minutes to install; this check needs only
//! cargo, so every test run has it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use serde::Deserialize;

use super::Finding;

const PATH: &str = "deny.toml";

#[derive(Deserialize)]
struct Deny {
    graph: Graph,
    bans: Bans,
}

#[derive(Deserialize)]
struct Graph {
    targets: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    #[serde(default)]
    wrappers: BTreeSet<String>,
}

/// Asks cargo which crates use the banned ones, on every platform in `deny.toml`.
///
/// # Errors
/// If `deny.toml` cannot be read, or cargo fails.
pub(crate) fn check(root: &Path) -> anyhow::Result<Vec<Finding>> {
    let read = |path| std::fs::read_to_string(root.join(path)).context(path);
    let (text, lock) = (read(PATH)?, read("Cargo.lock")?);
    let deny: Deny = toml::from_str(&text).context(PATH)?;
    let mut findings = Vec::new();
    // A crate missing from the lock file is in no build; one in the lock file may belong to another platform.
    let in_lock = |ban: &&Ban| lock.contains(&format!("name = \"{}\"\n", ban.name));
    for ban in deny.bans.deny.iter().filter(in_lock) {
        let mut users = BTreeSet::new();
        for platform in &deny.graph.targets {
            // With edges of features, those of the crate itself hide the crates that turn them on.
            let mut command = Command::new(crate::cargo());
            command.args(["tree", "--workspace", "--locked", "--edges", "normal,build,dev", "--depth", "1"]);
            command.args(["--prefix", "none", "--target", platform, "--invert", &ban.name]);
            match crate::output_of(command.env("CARGO_NET_OFFLINE", "true").current_dir(root)) {
                Ok(tree) => users.extend(read_users(&ban.name, &tree)),
                // Another platform's crates need not be on this machine.
                Err(error) if is_absent(&error.to_string()) => {}
                Err(error) => return Err(error),
            }
        }
        findings.extend(check_users(ban, &users, &text));
    }
    Ok(findings)
}

fn is_absent(error: &str) -> bool {
    error.contains("offline") && !error.contains("lock file")
}

/// Parses a crate's users from an inverted tree with depth 1: the crate itself, then its users, one per line.
fn read_users(used: &str, tree: &str) -> Vec<String> {
    let names = tree.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != used && !name.starts_with('[')).map(str::to_owned).collect()
}

fn check_users(ban: &Ban, users: &BTreeSet<String>, deny: &str) -> Vec<Finding> {
    let declared = format!("crate = \"{}\"", ban.name);
    let line = (1..).zip(deny.lines()).find(|(_, line)| line.contains(&declared)).map_or(0, |(line, _)| line);
    let message = |by| format!("{by} brings {} along, which is banned", ban.name);
    users.difference(&ban.wrappers).map(|by| Finding::error(PATH, line, message(by))).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const DENY: &str = r#"
[graph]
targets = [
  "x86_64-unknown-linux-gnu",
  "aarch64-apple-darwin",
]
[bans]
deny = [
  { crate = "reqwest", reason = "no network" },
  { crate = "chrono", wrappers = ["rmcp", "schemars"], reason = "times are jiff's" },
]
"#;

    #[test]
    fn what_is_banned_is_in_no_build_but_through_its_wrappers() {
        let deny: Deny = toml::from_str(DENY).unwrap();
        let check_ban = |ban: usize, users: &[&str], expected: &[(usize, &str)]| {
            let users = users.iter().map(|user| (*user).to_owned()).collect();
            let found = check_users(&deny.bans.deny[ban], &users, DENY);
            let found: Vec<(usize, &str)> = found.iter().map(|one| (one.line, &*one.message)).collect();
            assert_eq!(found, expected, "{users:?}");
        };
        check_ban(1, &["rmcp", "schemars"], &[]);
        check_ban(1, &["rmcp", "cwl-host"], &[(10, "cwl-host brings chrono along, which is banned")]);
        check_ban(0, &["tauri"], &[(9, "tauri brings reqwest along, which is banned")]);
        check_ban(0, &[], &[]);
        assert_eq!(deny.graph.targets, ["x86_64-unknown-linux-gnu", "aarch64-apple-darwin"]);
    }

    #[test]
    fn users_are_read_from_a_tree() {
        let tree = "chrono v0.4.45\nrmcp v3.11.0\n[build-dependencies]\nschemars v1.2.3 (*)\n";
        assert_eq!(read_users("chrono", tree), ["rmcp", "schemars"]);
        assert!(read_users("reqwest", "").is_empty());
    }
}
