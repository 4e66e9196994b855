//! Import fences: which crate may use which others, and which code only some files may have.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use anyhow::Context;
use serde::Deserialize;

use super::{Finding, TrackedFile};
use crate::{output_of, pattern};

static FENCES: LazyLock<Fences> =
    LazyLock::new(|| toml::from_str(include_str!("fences.toml")).expect("the table of fences"));

#[derive(Deserialize)]
struct Fences {
    crates: BTreeMap<String, CrateFence>,
    sources: Vec<SourceFence>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CrateFence {
    only: Option<Vec<String>>,
    #[serde(default)]
    ours: Vec<String>,
    #[serde(default)]
    forbidden: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceFence {
    code: String,
    #[serde(default)]
    within: Vec<String>,
    #[serde(default)]
    allowed: Vec<String>,
    #[serde(default)]
    but_tests: bool,
    message: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Member {
    name: String,
    #[serde(rename = "manifest_path")]
    manifest: PathBuf,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    /// `dev`, `build`, or `None` for a normal dependency.
    kind: Option<String>,
}

pub(crate) fn read_members(root: &Path) -> anyhow::Result<Vec<Member>> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1", "--offline"];
    members(&output_of(Command::new(crate::cargo()).args(arguments).current_dir(root))?, root)
}

/// Reads the answer of `cargo metadata`, without what only tests depend on.
fn members(metadata: &str, root: &Path) -> anyhow::Result<Vec<Member>> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Member>,
    }
    let Metadata { mut packages } = serde_json::from_str(metadata).context("cargo metadata")?;
    for member in &mut packages {
        if let Ok(manifest) = member.manifest.strip_prefix(root) {
            member.manifest = manifest.to_owned();
        }
        member.dependencies.retain(|dependency| dependency.kind.as_deref() != Some("dev"));
    }
    Ok(packages)
}

pub(crate) fn check(members: &[Member]) -> Vec<Finding> {
    let is_ours = |name: &String| members.iter().any(|member| member.name == *name);
    let mut findings = Vec::new();
    for member in members {
        let mut error =
            |message| findings.push(Finding::error(&member.manifest.to_string_lossy(), 0, message));
        let Some(fence) = FENCES.crates.get(&member.name) else {
            error(format!("{} has no row in the table of import fences", member.name));
            continue;
        };
        let may_import = |import: &String| match &fence.only {
            Some(only) => only.contains(import),
            None => !fence.forbidden.contains(import) && (!is_ours(import) || fence.ours.contains(import)),
        };
        for import in member.dependencies.iter().map(|dependency| &dependency.name) {
            if !may_import(import) {
                error(format!("{} may not import {import}", member.name));
            }
        }
    }
    findings
}

pub(crate) fn check_engine(files: &[TrackedFile]) -> Vec<Finding> {
    const ROOT: &str = "crates/engine/src/lib.rs";
    const NO_STD: &str = "#![cfg_attr(not(any(test, feature = \"schema\")), no_std)]";
    let is_no_std = |file: &TrackedFile| {
        file.path == ROOT && file.text.lines().any(|line| code_of(line).trim() == NO_STD)
    };
    if files.iter().any(is_no_std) {
        return Vec::new();
    }
    vec![Finding::error(ROOT, 0, format!("the engine is {NO_STD}"))]
}

pub(crate) fn check_sources(files: &[TrackedFile]) -> Vec<Finding> {
    let shipped = pattern(r"^(?:crates/.*/src|src-tauri/src|python/src)/.*\.rs$");
    let shipped: Vec<&TrackedFile> = files
        .iter()
        .filter(|file| shipped.is_match(&file.path) && !file.path.ends_with("tests.rs"))
        .collect();
    let mut findings = Vec::new();
    for fence in &FENCES.sources {
        let forbidden = pattern(&fence.code);
        let is_within = |path: &str| {
            fence.within.is_empty() || fence.within.iter().any(|folder| path.starts_with(folder))
        };
        let is_free =
            |path: &String| fence.allowed.contains(path) || (fence.but_tests && path.ends_with("testing.rs"));
        for file in shipped.iter().filter(|file| is_within(&file.path) && !is_free(&file.path)) {
            let text = if fence.but_tests { file.before_tests() } else { &file.text };
            for (line, code) in (1..).zip(text.lines().map(code_of)) {
                if let Some(found) = forbidden.find(code) {
                    let message = format!("{}: {}", fence.message, found.as_str());
                    findings.push(Finding::error(&file.path, line, message));
                }
            }
        }
    }
    findings
}

fn code_of(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::file;
    use super::*;

    fn check_one(name: &str, imports: &str, expected: &[&str]) {
        let member = |name: &str, imports: &str| Member {
            name: name.to_owned(),
            manifest: "Cargo.toml".into(),
            dependencies: imports
                .split_whitespace()
                .map(|import| Dependency { name: import.to_owned(), kind: None })
                .collect(),
        };
        let others = FENCES.crates.keys().filter(|fenced| *fenced != name);
        let mut all: Vec<Member> = others.map(|fenced| member(fenced, "")).collect();
        all.push(member(name, imports));
        let found: Vec<String> = check(&all).into_iter().map(|finding| finding.message).collect();
        assert_eq!(found, expected, "{name} importing that");
    }

    #[test]
    fn who_may_import_whom() {
        check_one("cwl-engine", "petgraph serde thiserror", &[]);
        check_one("cwl-engine", "serde_json", &["cwl-engine may not import serde_json"]);
        check_one("cwl-engine", "cwl-formats", &["cwl-engine may not import cwl-formats"]);
        check_one("cwl-formats", "cwl-engine memchr", &[]);
        check_one("cwl-formats", "tokio", &["cwl-formats may not import tokio"]);
        check_one("cwl-tokens", "tiktoken rayon", &[]);
        check_one("cwl-tokens", "cwl-engine", &["cwl-tokens may not import cwl-engine"]);
        check_one("cwl-inspect", "cwl-engine regex ts-rs", &[]);
        check_one("cwl-inspect", "cwl-wire", &["cwl-inspect may not import cwl-wire"]);
        check_one("cwl-inspect", "cwl-store", &["cwl-inspect may not import cwl-store"]);
        check_one("cwl-inspect", "tokio", &["cwl-inspect may not import tokio"]);
        check_one("cwl-wire", "cwl-inspect ts-rs", &[]);
        check_one("cwl-wire", "cwl-host", &["cwl-wire may not import cwl-host"]);
        check_one("cwl-page", "cwl-inspect serde_json", &[]);
        check_one("cwl-page", "cwl-host", &["cwl-page may not import cwl-host"]);
        check_one("cwl-store", "cwl-engine rusqlite", &[]);
        check_one("cwl-store", "tokio", &["cwl-store may not import tokio"]);
        check_one("cwl-store", "cwl-formats", &["cwl-store may not import cwl-formats"]);
        check_one("cwl-tail", "notify tokio", &[]);
        check_one("cwl-tail", "cwl-engine", &["cwl-tail may not import cwl-engine"]);
        check_one("cwl-tail", "rusqlite", &["cwl-tail may not import rusqlite"]);
        check_one("cwl-discover", "cwl-tail rusqlite", &[]);
        check_one("cwl-discover", "cwl-store", &["cwl-discover may not import cwl-store"]);
        check_one("cwl-host", "cwl-engine cwl-store tokio", &[]);
        check_one("cwl-host", "tauri", &["cwl-host may not import tauri"]);
        check_one("cwl-serve", "cwl-host axum", &[]);
        check_one("cwl-serve", "cwl-store", &["cwl-serve may not import cwl-store"]);
        check_one("cwl-proxy", "hyper-rustls tokio", &[]);
        check_one("cwl-host", "cwl-proxy", &["cwl-host may not import cwl-proxy"]);
        check_one("cwl-inspector", "cwl-proxy", &["cwl-inspector may not import cwl-proxy"]);
        check_one("cwl-corpus", "cwl-host parquet", &[]);
        check_one("cwl-corpus", "cwl-engine", &["cwl-corpus may not import cwl-engine"]);
        check_one("cwl-cli", "cwl-host cwl-corpus cwl-serve clap", &[]);
        check_one("cwl-cli", "cwl-engine", &["cwl-cli may not import cwl-engine"]);
        check_one("cwl-inspector", "cwl-host tauri", &[]);
        check_one("cwl-inspector", "cwl-store", &["cwl-inspector may not import cwl-store"]);
        check_one("cwl-new", "", &["cwl-new has no row in the table of import fences"]);
    }

    #[test]
    fn tests_may_import_more() {
        let metadata = r#"{"packages":[{"name":"cwl-engine","manifest_path":"/r/crates/engine/Cargo.toml",
            "dependencies":[{"name":"petgraph","kind":null},{"name":"insta","kind":"dev"},{"name":"cc","kind":"build"}]}]}"#;
        let members = members(metadata, Path::new("/r")).unwrap();
        let imports: Vec<&str> = members[0].dependencies.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(imports, ["petgraph", "cc"], "a build script counts, a test does not");
        assert_eq!(members[0].manifest, Path::new("crates/engine/Cargo.toml"));
    }

    #[track_caller]
    fn check_source(path: &str, text: &str, n_expected: usize) {
        let found = check_sources(&[file(path, text)]);
        assert_eq!(found.len(), n_expected, "{path}: {text}: {found:?}");
    }

    #[test]
    fn a_pure_crate_reads_nothing_outside() {
        check_source("crates/inspect/src/a.rs", "let text = std::fs::read(path)?;\n", 1);
        check_source("crates/inspect/src/a.rs", "let now = Instant::now();\n", 1);
        check_source("crates/wire/src/a.rs", "use std::env;\n", 1);
        check_source("crates/inspect/src/a.rs", "// std::fs\n#[cfg(test)]\nmod tests { use std::fs; }\n", 0);
        check_source("crates/inspect/src/a_tests.rs", "use std::fs;\n", 0);
        check_source("crates/host/src/a.rs", "use std::fs;\n", 0);
    }

    #[test]
    fn only_the_editor_and_the_reader_start_programs() {
        check_source("crates/host/src/a.rs", "use std::process::Command;\n", 1);
        check_source("crates/serve/src/a.rs", "tokio::process::Command::new(x);\n", 1);
        check_source("src-tauri/src/host.rs", "use std::process::{Command, Stdio};\n", 1);
        check_source("src-tauri/src/editor.rs", "use std::process::{Command, Stdio};\n", 0);
        check_source("crates/host/src/reader.rs", "use std::process::{Child, Command};\n", 0);
        check_source("crates/cli/src/commands/annotate.rs", "use std::process::Command;\n", 1);
        check_source(
            "crates/cli/src/commands/annotate_reader.rs",
            "ReaderCommand::parse_words(reader)?;\n",
            0,
        );
        check_source("crates/cli/src/commands/serve.rs", "ReaderCommand::parse_words(link)?;\n", 1);
        check_source("src-tauri/src/settings.rs", "impl ReaderSettings for SettingsOfUser {\n", 0);
        check_source("src-tauri/src/commands.rs", "ReaderCommand::from_words(words)\n", 1);
        check_source("crates/mcp/src/a.rs", "impl ReaderSettings for Asked {\n", 1);
        check_source("src-tauri/src/host.rs", "inspector.use_reader_settings(settings);\n", 0);
        check_source("crates/serve/src/a.rs", "inspector.use_reader_settings(settings);\n", 1);
        check_source("crates/host/src/kill_tests.rs", "use std::process::Command;\n", 0);
        check_source("crates/cli/src/a.rs", "// process::Command\nuse std::process::ExitCode;\n", 0);
        check_source("xtask/src/a.rs", "use std::process::Command;\n", 0);
    }

    #[test]
    fn only_the_proxy_opens_connections() {
        check_source("crates/host/src/a.rs", "let stream = std::net::TcpStream::connect(address)?;\n", 1);
        check_source("src-tauri/src/host.rs", "use tokio::net::UdpSocket;\n", 1);
        check_source("python/src/lib.rs", "use hyper::client::conn::http1;\n", 1);
        check_source(
            "crates/proxy/src/forward.rs",
            "use hyper_util::client::legacy::connect::HttpConnector;\n",
            1,
        );
        check_source(
            "crates/proxy/src/connect.rs",
            "use hyper_util::client::legacy::connect::HttpConnector;\n",
            0,
        );
        check_source("crates/serve/src/server.rs", "use tokio::net::{TcpListener, TcpStream};\n", 0);
        check_source("crates/serve/tests/it/a.rs", "TcpStream::connect(address)\n", 0);
    }

    #[test]
    fn control_sockets_stand_in_two_files() {
        check_source("crates/live/src/control.rs", "UnixListener::bind(&path)?;\n", 0);
        check_source("crates/live/src/serve.rs", "UnixListener::bind(&path)?;\n", 1);
        check_source("crates/live/src/control.rs", "UnixStream::connect(&path)?;\n", 1);
        check_source("crates/host/src/host/control.rs", "UnixStream::connect(socket)?;\n", 0);
        check_source("src-tauri/src/host.rs", "tokio::net::UnixStream::connect(socket).await?;\n", 1);
    }

    #[test]
    fn the_engine_stays_without_std() {
        let good =
            "//! Story.\n#![cfg_attr(not(any(test, feature = \"schema\")), no_std)]\nextern crate alloc;\n";
        assert_eq!(check_engine(&[file("crates/engine/src/lib.rs", good)]), []);
        assert_eq!(check_engine(&[file("crates/engine/src/lib.rs", "extern crate alloc;\n")]).len(), 1);
        let back = "// extern crate std\n#[cfg(x)]\n  extern crate std;\nuse std::time::Instant;\n";
        let found =
            check_sources(&[file("crates/engine/src/lib.rs", good), file("crates/engine/src/log.rs", back)]);
        assert_eq!(
            found.iter().map(|f| (f.path.as_str(), f.line)).collect::<Vec<_>>(),
            [("crates/engine/src/log.rs", 3), ("crates/engine/src/log.rs", 4)]
        );
    }
}
