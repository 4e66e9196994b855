//! Marks edited in the window: the resulting episodes, and where the marks are saved.

use std::path::Path;

use cwl_host::api::{EditMarksRequest, ViewRequest, ViewSettings};
use cwl_host::{LogInput, Tools, commands, load_file};

use crate::common::{Host, story, view};
use serde_json::{Value, json};

/// Each episode in one line: name, kind, lines and dependencies.
fn graph(opened: &cwl_host::SessionSnapshot, annotation: &str) -> Vec<String> {
    let view = ViewSettings { annotation: annotation.to_owned(), ..ViewSettings::counted("o200k") };
    let graph = commands::graph(opened, &ViewRequest { view }).unwrap();
    let of = |(place, episode): (usize, &cwl_host::api::EpisodeNode)| {
        let on = graph.edges.iter().filter(|(_, act)| *act as usize == place);
        let on: Vec<&str> = on.map(|(from, _)| graph.episodes[*from as usize].name.as_str()).collect();
        let open = if episode.open { "+" } else { "" };
        format!(
            "{} {} {}-{}{open} turns {}-{} {} tokens {on:?}",
            episode.name,
            episode.kind,
            episode.line,
            episode.last_line,
            episode.first_turn,
            episode.last_turn,
            episode.tokens
        )
    };
    graph.episodes.iter().enumerate().map(of).collect()
}

/// Checks that marks written by lines and read again give the same episodes.
fn check_unchanged(case: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case);
    let lines = folder.join("input.jsonl");
    let log = if lines.is_file() { lines } else { folder.join("input.json") };
    let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
    for annotation in ["declared", "inferred"] {
        let view = ViewSettings { annotation: annotation.to_owned(), ..ViewSettings::counted("o200k") };
        let request = EditMarksRequest { view, edits: Vec::new() };
        let same = commands::edit_marks(&opened, &request).unwrap();
        assert_eq!(same.before, same.after);
        assert_eq!(same.changes, [""; 0]);
        let json = serde_json::to_string(&same.after).unwrap();
        assert_eq!(graph(&opened, &json), graph(&opened, annotation), "{case} {annotation}");
    }
}

#[test]
fn unchanged_marks_are_the_same_episodes() {
    for case in [
        "claude-code/unmarked",
        "claude-code/basic",
        "codex/basic",
        "pi/linear",
        "pi/many-calls-in-one-message",
        "opencode/basic",
        "gemini/basic",
        "atif/basic",
    ] {
        if Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case).is_dir() {
            check_unchanged(case);
        }
    }
}

async fn edit(host: &Host, number: u64, annotation: &str, edits: Value) -> Value {
    let mut view = view("100");
    view["annotation"] = json!(annotation);
    host.call("edit_marks", json!({"session": number, "view": view, "edits": edits})).await
}

async fn keep(host: &Host, number: u64, edited: &Value) {
    let json = edited["after"].to_string();
    host.call("save_marks", json!({"session": number, "name": edited["name"], "json": json})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_that_are_changed_are_kept_by_name() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let number = host.open(&log).await["session"].as_u64().unwrap();
    let first =
        edit(&host, number, "declared", json!([{"do": "retype", "of": "fix-retries", "kind": "expl"}])).await;
    assert_eq!(first["name"], "my marks");
    assert_eq!(
        first["changes"],
        json!([
            "`fix-retries` is an exploration (it was an act)",
            "`fix-retries` no longer draws on `map-retries`"
        ])
    );
    assert_eq!(first["touched"], json!(["fix-retries"]));
    assert_eq!(first["after"]["based_on"], "declared");
    keep(&host, number, &first).await;
    // The user's own marks are edited in place.
    let second = edit(
        &host,
        number,
        "my marks",
        json!([{"do": "rename", "of": "fix-retries", "to": "try"}, {"do": "merge", "of": "map-retries"}]),
    )
    .await;
    assert_eq!(second["name"], "my marks");
    keep(&host, number, &second).await;
    let kept = host.call("overlays", json!({"session": number})).await["overlays"].clone();
    assert_eq!(kept[0]["name"], "my marks");
    assert_eq!((&kept[0]["n_marks"], &kept[0]["based_on"]), (&json!(1), &json!("declared")));
    // Another reader's marks stay as they are.
    let mut of_reader = second["after"].clone();
    of_reader["made_by"] = json!("A");
    let named = json!({"session": number, "name": "of A", "json": of_reader.to_string()});
    host.call("save_marks", named.clone()).await;
    let third =
        edit(&host, number, "of A", json!([{"do": "rename", "of": "map-retries", "to": "all"}])).await;
    assert_eq!((&third["name"], &third["after"]["based_on"]), (&json!("my marks 2"), &json!("of A")));
    let mut fresh = named;
    fresh["fresh"] = json!(true);
    assert_eq!(host.error("save_marks", fresh).await.message, "marks are stored as `of A` already");
    let json = host.call("marks_json", json!({"session": number, "name": "my marks"})).await;
    assert_eq!(serde_json::from_str::<Value>(json["json"].as_str().unwrap()).unwrap(), second["after"]);
    host.call("remove_marks", json!({"session": number, "name": "my marks"})).await;
    let gone = host.error("remove_marks", json!({"session": number, "name": "my marks"})).await;
    assert_eq!(gone.message, "no marks are stored as `my marks`");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_cannot_be_made_says_why() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let number = host.open(&log).await["session"].as_u64().unwrap();
    let check = async |edit: Value, says: &str| {
        let mut view = view("100");
        view["annotation"] = json!("declared");
        let asked = json!({"session": number, "view": view, "edits": [edit]});
        assert_eq!(host.error("edit_marks", asked).await.message, says);
    };
    check(json!({"do": "close", "of": "fix-retries"}), "`fix-retries` is closed already").await;
    check(json!({"do": "retype", "of": "fix-retries", "kind": "plan"}), "no kind `plan`").await;
    check(
        json!({"do": "split", "of": "fix-retries", "at": {"on": "block", "block": "nope:0"}}),
        "no block `nope:0` on this branch",
    )
    .await;
    check(
        json!({"do": "end", "of": "map-retries", "at": {"on": "turn", "turn": 99}}),
        "turn 99 has no reply",
    )
    .await;
    check(json!({"do": "add", "stretch": "~9", "name": "x", "kind": "act"}), "no stretch is called `~9`")
        .await;
}

#[test]
fn inferred_episodes_are_weighed_against_chance_and_window() {
    let check = |case: &str, annotation: &str, says: Option<&str>| {
        let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case).join("input.jsonl");
        let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
        let view = ViewSettings { annotation: annotation.to_owned(), ..ViewSettings::counted("o200k") };
        let worth = commands::worth(&opened, &ViewRequest { view }).unwrap();
        assert_eq!(worth.says.is_some(), worth.beats.is_some());
        let is_as_told = match (says, &worth.says) {
            (Some(part), Some(says)) => says.contains(part),
            (None, None) => true,
            _ => false,
        };
        assert!(is_as_told, "{case} {annotation}: {:?}", worth.says);
    };
    check("claude-code/unmarked", "inferred", Some(" of the same lengths, and window keeps "));
    // The agent's own marks are no guess.
    check("pi/quickstart", "declared", None);
    // A session of one piece has nothing to shuffle.
    check("gemini-cli/subagent", "inferred", None);
}
