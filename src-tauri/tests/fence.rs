//! The rights of the page in the window, read from the files that grant them.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

fn config() -> Value {
    serde_json::from_str(include_str!("../tauri.conf.json")).unwrap()
}

fn directives() -> Vec<(String, Vec<String>)> {
    let config = config();
    let csp = config["app"]["security"]["csp"].as_object().unwrap().clone();
    csp.into_iter()
        .map(|(name, sources)| (name, sources.as_str().unwrap().split(' ').map(str::to_owned).collect()))
        .collect()
}

#[test]
fn nothing_comes_from_elsewhere() {
    let allowed = ["'none'", "'self'", "data:", "ipc:", "http://ipc.localhost"];
    let directives = directives();
    for (name, sources) in &directives {
        for source in sources {
            assert!(allowed.contains(&source.as_str()), "{name} {source}: no host, no wildcard, no unsafe-…");
        }
    }
    let sources = |name: &str| &directives.iter().find(|(found, _)| found == name).unwrap().1;
    assert_eq!(sources("default-src"), &["'none'"], "what is not named is forbidden");
    assert_eq!(sources("script-src"), &["'self'"]);
    assert_eq!(
        sources("connect-src"),
        &["ipc:", "http://ipc.localhost"],
        "the page talks to its window only"
    );
    for name in ["base-uri", "form-action", "frame-ancestors"] {
        assert_eq!(sources(name), &["'none'"], "{name} does not fall back to default-src");
    }
}

#[test]
fn the_page_is_the_bundled_one() {
    let config = config();
    assert_eq!(config["build"]["frontendDist"], "../ui/dist");
    assert_eq!(config["build"].get("devUrl"), None, "a debug build would load it from a server");
    assert_eq!(config["app"]["withGlobalTauri"], false);
    assert!(!config["identifier"].as_str().unwrap().ends_with(".app"), "macOS takes that for a bundle");
}

#[test]
fn the_page_may_call_six_commands() {
    let capability: Value = serde_json::from_str(include_str!("../capabilities/main.json")).unwrap();
    let permissions: Vec<&str> =
        capability["permissions"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(
        permissions,
        [
            "allow-call",
            "allow-subscribe",
            "allow-pick-file",
            "allow-save-file",
            "allow-edit-line",
            "allow-report"
        ]
    );
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/capabilities")).unwrap().count();
    assert_eq!(files, 1, "no other capability file widens it");
    assert_eq!(config()["app"]["security"]["capabilities"], serde_json::json!(["main"]));
}
