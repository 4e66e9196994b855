//! Import fences: which crate may use which.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use serde::Deserialize;

use super::{Finding, TrackedFile};

enum Allowed {
    Only(&'static [&'static str]),
    /// Our crates in `ours`, and any other crate except the `forbidden` ones.
    Except {
        ours: &'static [&'static str],
        forbidden: &'static [&'static str],
    },
}

/// One row per workspace crate; a crate without a row is a finding.
const FENCES: &[(&str, Allowed)] = &[
    ("cwl-engine", Allowed::Only(&["indexmap", "petgraph", "serde", "strum", "thiserror"])),
    (
        "cwl-formats",
        Allowed::Only(&[
            "cwl-engine",
            "serde",
            "serde_json",
            "sha2",
            "strum",
            "memchr",
            "toml",
            "jiff",
            "ryu-js",
            "zstd",
            "flate2",
            "thiserror",
            "dyn-clone",
        ]),
    ),
    ("cwl-tokens", Allowed::Except { ours: &[], forbidden: &["tokio", "rusqlite", "notify"] }),
    (
        "cwl-inspect",
        Allowed::Only(&[
            "cwl-engine",
            "cwl-formats",
            "cwl-tokens",
            "cwl-wire",
            "base64",
            "jiff",
            "rayon",
            "regex",
            "schemars",
            "serde",
            "serde_json",
            "similar",
            "thiserror",
            "toml",
        ]),
    ),
    ("cwl-wire", Allowed::Only(&["cwl-engine", "schemars", "serde", "serde_json", "ts-rs"])),
    ("cwl-page", Allowed::Only(&["cwl-inspect", "serde_json"])),
    (
        "cwl-store",
        Allowed::Except { ours: &["cwl-engine"], forbidden: &["tokio", "serde", "serde_json", "notify"] },
    ),
    ("cwl-tail", Allowed::Except { ours: &[], forbidden: &["serde", "serde_json", "rusqlite"] }),
    // SQLite, because OpenCode's sessions are database rows.
    (
        "cwl-discover",
        Allowed::Except {
            ours: &["cwl-engine", "cwl-formats", "cwl-tail"],
            forbidden: &["tauri", "wry", "tokio", "ts-rs", "notify"],
        },
    ),
    (
        "cwl-redact",
        Allowed::Only(&[
            "aho-corasick",
            "base64",
            "percent-encoding",
            "regex",
            "serde",
            "serde_json",
            "thiserror",
            "toml",
        ]),
    ),
    (
        "cwl-host",
        Allowed::Except {
            ours: &[
                "cwl-engine",
                "cwl-formats",
                "cwl-tokens",
                "cwl-inspect",
                "cwl-wire",
                "cwl-store",
                "cwl-tail",
                "cwl-discover",
                "cwl-redact",
            ],
            forbidden: &["tauri", "wry", "rusqlite", "notify"],
        },
    ),
    (
        "cwl-serve",
        Allowed::Except { ours: &["cwl-host"], forbidden: &["tauri", "wry", "rusqlite", "notify", "clap"] },
    ),
    (
        "cwl-mcp",
        Allowed::Except { ours: &["cwl-host"], forbidden: &["tauri", "wry", "rusqlite", "notify", "clap"] },
    ),
    (
        "cwl-proxy",
        Allowed::Only(&[
            "brotli-decompressor",
            "cwl-host",
            "cwl-engine",
            "cwl-formats",
            "cwl-inspect",
            "cwl-live",
            "cwl-tokens",
            "flate2",
            "hyper",
            "hyper-rustls",
            "hyper-util",
            "jiff",
            "rustls",
            "rustls-native-certs",
            "serde",
            "serde_json",
            "thiserror",
            "tokio",
            "tower-service",
            "zstd",
        ]),
    ),
    (
        "cwl-live",
        Allowed::Except {
            ours: &["cwl-host", "cwl-engine", "cwl-formats", "cwl-inspect", "cwl-tokens"],
            forbidden: &["tauri", "wry", "rusqlite", "notify", "clap", "tokio"],
        },
    ),
    (
        "cwl-corpus",
        Allowed::Except {
            ours: &["cwl-host"],
            forbidden: &["tauri", "wry", "rusqlite", "notify", "tokio", "clap"],
        },
    ),
    (
        "cwl-cli",
        Allowed::Except {
            ours: &["cwl-host", "cwl-corpus", "cwl-live", "cwl-serve", "cwl-mcp", "cwl-proxy"],
            forbidden: &["tauri", "wry", "rusqlite", "notify"],
        },
    ),
    (
        "cwl-python",
        Allowed::Only(&[
            "arrow-array",
            "arrow-pyarrow",
            "arrow-schema",
            "cwl-host",
            "cwl-corpus",
            "getrandom",
            "pyo3",
            "pyo3-build-config",
            "serde",
            "serde_json",
        ]),
    ),
    (
        "cwl-judge",
        Allowed::Except {
            ours: &["cwl-engine", "cwl-formats", "cwl-tokens"],
            forbidden: &["tokio", "rusqlite"],
        },
    ),
    (
        "cwl-inspector",
        Allowed::Except { ours: &["cwl-host", "cwl-corpus"], forbidden: &["rusqlite", "notify"] },
    ),
    ("xtask", Allowed::Except { ours: &[], forbidden: &["tauri"] }),
];

#[derive(Debug, Clone)]
pub(crate) struct Member {
    name: String,
    manifest: String,
    imports: Vec<String>,
}

/// Reads the manifests of the workspace through `cargo metadata`.
///
/// # Errors
/// If cargo fails, or answers with anything but its documented JSON.
pub(crate) fn read_members(root: &Path) -> anyhow::Result<Vec<Member>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let answer = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root)
        .output()
        .context("cargo metadata")?;
    if !answer.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&answer.stderr).trim());
    }
    members(&answer.stdout, root)
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `dev`, `build`, or `None` for a normal dependency.
    kind: Option<String>,
}

fn members(metadata: &[u8], root: &Path) -> anyhow::Result<Vec<Member>> {
    let metadata: Metadata = serde_json::from_slice(metadata).context("cargo metadata")?;
    let members = metadata.packages.into_iter().map(|package| Member {
        manifest: Path::new(&package.manifest_path)
            .strip_prefix(root)
            .map_or(package.manifest_path.clone(), |path| path.to_string_lossy().into_owned()),
        name: package.name,
        imports: package
            .dependencies
            .into_iter()
            .filter(|dependency| dependency.kind.as_deref() != Some("dev"))
            .map(|dependency| dependency.name)
            .collect(),
    });
    Ok(members.collect())
}

pub(crate) fn check(members: &[Member]) -> Vec<Finding> {
    let is_ours = |name: &str| members.iter().any(|member| member.name == name);
    let mut findings = Vec::new();
    for member in members {
        let Some((_, allowed)) = FENCES.iter().find(|(name, _)| *name == member.name) else {
            let message = format!("{} has no row in the table of import fences", member.name);
            findings.push(Finding::error(&member.manifest, 0, message));
            continue;
        };
        for import in &member.imports {
            let fits = match allowed {
                Allowed::Only(names) => names.contains(&import.as_str()),
                Allowed::Except { ours, forbidden } => {
                    !forbidden.contains(&import.as_str())
                        && (!is_ours(import) || ours.contains(&import.as_str()))
                }
            };
            if !fits {
                let message = format!("{} may not import {import}", member.name);
                findings.push(Finding::error(&member.manifest, 0, message));
            }
        }
    }
    findings
}

/// Checks that the engine is without std, and that none of its files declares std again.
pub(crate) fn check_engine_sources(files: &[TrackedFile]) -> Vec<Finding> {
    const ROOT: &str = "crates/engine/src/lib.rs";
    let mut findings = Vec::new();
    let mut has_no_std = false;
    for file in files.iter().filter(|file| file.path.starts_with("crates/engine/src/")) {
        let Some(text) = &file.text else { continue };
        for (idx, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default().trim();
            if code.starts_with("extern crate std") || code.starts_with("pub extern crate std") {
                findings.push(Finding::error(&file.path, idx + 1, "the engine does not bring std back"));
            }
            has_no_std |= file.path == ROOT && code == "#![cfg_attr(not(test), no_std)]";
        }
    }
    if !has_no_std {
        findings.push(Finding::error(ROOT, 0, "the engine is #![cfg_attr(not(test), no_std)]"));
    }
    findings
}

/// Checks that a pure crate names no file, clock, environment, thread or network outside its tests.
pub(crate) fn check_pure_sources(files: &[TrackedFile]) -> Vec<Finding> {
    const PURE: [&str; 2] = ["crates/inspect/src/", "crates/wire/src/"];
    const OUTSIDE: [&str; 8] = [
        "std::fs",
        "std::env",
        "std::net",
        "std::process",
        "std::thread",
        "Instant::now",
        "SystemTime",
        "Zoned::now",
    ];
    let mut findings = Vec::new();
    let is_pure = |path: &str| PURE.iter().any(|folder| path.starts_with(folder));
    for file in files.iter().filter(|file| is_pure(&file.path)) {
        if file.path.ends_with("tests.rs") || file.path.ends_with("testing.rs") {
            continue;
        }
        let code = file.text.as_deref().and_then(|text| text.split("#[cfg(test)]\nmod tests").next());
        for (idx, line) in code.unwrap_or_default().lines().enumerate() {
            let line = line.split("//").next().unwrap_or_default();
            if let Some(name) = OUTSIDE.iter().find(|name| line.contains(**name)) {
                findings.push(Finding::error(
                    &file.path,
                    idx + 1,
                    format!("a pure crate does not use {name}"),
                ));
            }
        }
    }
    findings
}

/// Lists the product's lines of code, each with file and number. Leaves out tests, which include files named
/// `tests.rs`.
fn shipped_lines(files: &[TrackedFile]) -> impl Iterator<Item = (&str, usize, &str)> {
    let is_shipped = |path: &str| {
        let in_sources = path.starts_with("crates/") && path.contains("/src/")
            || path.starts_with("src-tauri/src/")
            || path.starts_with("python/src/");
        in_sources && path.ends_with(".rs") && !path.ends_with("tests.rs")
    };
    files.iter().filter(move |file| is_shipped(&file.path)).flat_map(|file| {
        let lines = file.text.iter().flat_map(|text| text.lines()).enumerate();
        lines.map(|(idx, line)| (&*file.path, idx + 1, line.split("//").next().unwrap_or_default()))
    })
}

/// Checks that only two files start other programs: the window's editor and the reader that marks a session. The
/// reader's command comes only from the arguments of `cwl annotate` and, in the window, from the user's settings:
/// requests to a server or an agent's tool must never run anything.
pub(crate) fn check_programs(files: &[TrackedFile]) -> Vec<Finding> {
    const ALLOWED: [&str; 2] = ["src-tauri/src/editor.rs", "crates/host/src/reader.rs"];
    const NAMES: [&str; 2] = ["crates/cli/src/commands/annotate_reader.rs", "src-tauri/src/settings.rs"];
    const HANDS_IN: [&str; 2] = ["src-tauri/src/host.rs", "crates/host/src/brief/reader_commands.rs"];
    let starts = |code: &str| code.contains("process::") && code.contains("Command");
    let names = |code: &str| code.contains("ReaderCommand::") || code.contains("ReaderSettings for");
    let message = |path: &str, code: &str| {
        if starts(code) && !ALLOWED.contains(&path) {
            Some(format!("only {} start other programs", ALLOWED.join(" and ")))
        } else if names(code) && !NAMES.contains(&path) && path != ALLOWED[1] {
            Some(format!("only {} name a reader's command", NAMES.join(" and ")))
        } else if code.contains("use_reader_settings") && !HANDS_IN.contains(&path) {
            Some(format!("only {} lets its host start the reader of the settings", HANDS_IN[0]))
        } else {
            None
        }
    };
    shipped_lines(files)
        .filter_map(|(path, line, code)| Some(Finding::error(path, line, message(path, code)?)))
        .collect()
}

/// Checks that only the proxy opens connections, and only in one file.
pub(crate) fn check_connections(files: &[TrackedFile]) -> Vec<Finding> {
    const ALLOWED: &str = "crates/proxy/src/connect.rs";
    // A socket that listens, and connects to nothing.
    const LISTENS: &str = "crates/proxy/src/server.rs";
    const SOCKET: &str = "TcpSocket";
    const OPENS: [&str; 7] = [
        "TcpStream::connect",
        SOCKET,
        "UdpSocket",
        "hyper::client",
        "HttpConnector",
        "legacy::connect",
        "to_socket_addrs",
    ];
    let opens = |path: &str, code: &str| match path {
        ALLOWED => false,
        LISTENS => {
            code.contains(".connect(") || OPENS.iter().any(|name| *name != SOCKET && code.contains(name))
        }
        _ => OPENS.iter().any(|name| code.contains(name)),
    };
    shipped_lines(files)
        .filter(|(path, _, code)| opens(path, code))
        .map(|(path, line, _)| Finding::error(path, line, format!("only {ALLOWED} opens connections")))
        .collect()
}

/// Checks that one file listens on Unix domain sockets and one connects to them, so each can be read as a
/// whole.
pub(crate) fn check_sockets(files: &[TrackedFile]) -> Vec<Finding> {
    const ALLOWED: [(&str, &str); 2] = [
        ("UnixListener::bind", "crates/live/src/control.rs"),
        ("UnixStream::connect", "crates/host/src/host/control.rs"),
    ];
    let odd = |path: &str, code: &str| {
        ALLOWED.iter().find(|(call, allowed)| path != *allowed && code.contains(call)).copied()
    };
    shipped_lines(files)
        .filter_map(|(path, line, code)| {
            let (call, allowed) = odd(path, code)?;
            Some(Finding::error(path, line, format!("only {allowed} calls {call}")))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::file;
    use super::*;

    fn check_one(name: &str, imports: &str, expected: &[&str]) {
        let mut all: Vec<Member> = FENCES
            .iter()
            .filter(|(fenced, _)| *fenced != name)
            .map(|(fenced, _)| Member {
                name: (*fenced).into(),
                manifest: String::new(),
                imports: Vec::new(),
            })
            .collect();
        let imports = imports.split_whitespace().map(str::to_owned).collect();
        all.push(Member { name: name.into(), manifest: "Cargo.toml".into(), imports });
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
        check_one("cwl-inspect", "cwl-wire regex", &[]);
        check_one("cwl-inspect", "cwl-store", &["cwl-inspect may not import cwl-store"]);
        check_one("cwl-inspect", "tokio", &["cwl-inspect may not import tokio"]);
        check_one("cwl-wire", "cwl-inspect", &["cwl-wire may not import cwl-inspect"]);
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
        let metadata = br#"{"packages":[{"name":"cwl-engine","manifest_path":"/r/crates/engine/Cargo.toml",
            "dependencies":[{"name":"petgraph","kind":null},{"name":"insta","kind":"dev"},{"name":"cc","kind":"build"}]}]}"#;
        let members = members(metadata, Path::new("/r")).unwrap();
        assert_eq!(members[0].imports, ["petgraph", "cc"], "a build script counts, a test does not");
        assert_eq!(members[0].manifest, "crates/engine/Cargo.toml");
    }

    #[test]
    fn a_pure_crate_reads_nothing_outside() {
        let check = |path: &str, text: &str, n: usize| {
            assert_eq!(check_pure_sources(&[file(path, text)]).len(), n, "{path}: {text}");
        };
        check("crates/inspect/src/a.rs", "let text = std::fs::read(path)?;\n", 1);
        check("crates/inspect/src/a.rs", "let now = Instant::now();\n", 1);
        check("crates/wire/src/a.rs", "use std::env;\n", 1);
        check("crates/inspect/src/a.rs", "// std::fs\n#[cfg(test)]\nmod tests { use std::fs; }\n", 0);
        check("crates/inspect/src/a_tests.rs", "use std::fs;\n", 0);
        check("crates/host/src/a.rs", "use std::fs;\n", 0);
    }

    #[test]
    fn only_the_editor_and_the_reader_start_programs() {
        let check = |path: &str, text: &str, n: usize| {
            assert_eq!(check_programs(&[file(path, text)]).len(), n, "{path}: {text}");
        };
        check("crates/host/src/a.rs", "use std::process::Command;\n", 1);
        check("crates/serve/src/a.rs", "tokio::process::Command::new(x);\n", 1);
        check("src-tauri/src/host.rs", "use std::process::{Command, Stdio};\n", 1);
        check("src-tauri/src/editor.rs", "use std::process::{Command, Stdio};\n", 0);
        check("crates/host/src/reader.rs", "use std::process::{Child, Command};\n", 0);
        check("crates/cli/src/commands/annotate.rs", "use std::process::Command;\n", 1);
        check("crates/cli/src/commands/annotate_reader.rs", "ReaderCommand::parse_words(reader)?;\n", 0);
        check("crates/cli/src/commands/serve.rs", "ReaderCommand::parse_words(link)?;\n", 1);
        check("src-tauri/src/settings.rs", "impl ReaderSettings for SettingsOfUser {\n", 0);
        check("src-tauri/src/commands.rs", "ReaderCommand::from_words(words)\n", 1);
        check("crates/mcp/src/a.rs", "impl ReaderSettings for Asked {\n", 1);
        check("src-tauri/src/host.rs", "inspector.use_reader_settings(settings);\n", 0);
        check("crates/serve/src/a.rs", "inspector.use_reader_settings(settings);\n", 1);
        check("crates/host/src/kill_tests.rs", "use std::process::Command;\n", 0);
        check("crates/cli/src/a.rs", "// process::Command\nuse std::process::ExitCode;\n", 0);
        check("xtask/src/a.rs", "use std::process::Command;\n", 0);
    }

    #[test]
    fn only_the_proxy_opens_connections() {
        let check = |path: &str, text: &str, n: usize| {
            assert_eq!(check_connections(&[file(path, text)]).len(), n, "{path}: {text}");
        };
        check("crates/host/src/a.rs", "let stream = std::net::TcpStream::connect(address)?;\n", 1);
        check("src-tauri/src/host.rs", "use tokio::net::UdpSocket;\n", 1);
        check("python/src/lib.rs", "use hyper::client::conn::http1;\n", 1);
        check("crates/proxy/src/forward.rs", "use hyper_util::client::legacy::connect::HttpConnector;\n", 1);
        check("crates/proxy/src/connect.rs", "use hyper_util::client::legacy::connect::HttpConnector;\n", 0);
        check("crates/serve/src/server.rs", "use tokio::net::{TcpListener, TcpStream};\n", 0);
        check("crates/serve/tests/it/a.rs", "TcpStream::connect(address)\n", 0);
    }

    #[test]
    fn control_sockets_stand_in_two_files() {
        let check = |path: &str, text: &str, n: usize| {
            assert_eq!(check_sockets(&[file(path, text)]).len(), n, "{path}: {text}");
        };
        check("crates/live/src/control.rs", "UnixListener::bind(&path)?;\n", 0);
        check("crates/live/src/serve.rs", "UnixListener::bind(&path)?;\n", 1);
        check("crates/live/src/control.rs", "UnixStream::connect(&path)?;\n", 1);
        check("crates/host/src/host/control.rs", "UnixStream::connect(socket)?;\n", 0);
        check("src-tauri/src/host.rs", "tokio::net::UnixStream::connect(socket).await?;\n", 1);
    }

    #[test]
    fn the_engine_stays_without_std() {
        let good = "//! Story.\n#![cfg_attr(not(test), no_std)]\nextern crate alloc;\n";
        assert_eq!(check_engine_sources(&[file("crates/engine/src/lib.rs", good)]), []);
        let gone = check_engine_sources(&[file("crates/engine/src/lib.rs", "extern crate alloc;\n")]);
        assert_eq!(gone.len(), 1, "{gone:?}");
        let back = [
            file("crates/engine/src/lib.rs", good),
            file("crates/engine/src/log.rs", "// extern crate std\n#[cfg(x)]\n  extern crate std;\n"),
        ];
        let found = check_engine_sources(&back);
        assert_eq!(
            found.iter().map(|f| (f.path.as_str(), f.line)).collect::<Vec<_>>(),
            [("crates/engine/src/log.rs", 3)]
        );
    }
}
