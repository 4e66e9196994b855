//! The first look: one line per session, and the sample.

use std::path::Path;

use crate::common::{Host, story, user};
use serde_json::{Value, json};

/// Copies a sample into the folder of a host and returns its path.
fn sample(host: &Host, name: &str) -> String {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name).join("input.jsonl");
    let to = host.dir.path().join("logs").join(format!("{}.jsonl", name.replace('/', "-")));
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    std::fs::copy(from, &to).unwrap();
    to.display().to_string()
}

async fn glance(host: &Host, target: &str) -> (String, Vec<String>) {
    let line = host.call("glance", json!({"target": target})).await;
    let marks = line["marks"].as_array().unwrap().iter().map(|mark| mark.as_str().unwrap().to_owned());
    (line["says"].as_str().unwrap().to_owned(), marks.collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_says_what_the_report_says_and_stores_nothing() {
    let host = Host::start().await;
    let path = sample(&host, "pi/compacted");
    let (says, marks) = glance(&host, &path).await;
    assert!(marks.iter().any(|mark| mark == "compacted"), "{says} {marks:?}");
    assert!(host.call("sessions", json!({})).await["rows"][0]["session"].is_null(), "it was not opened");
    let session = host.call("open", json!({"target": path})).await["session"].clone();
    let audits =
        host.call("compactions", json!({"session": session, "view": crate::common::view("80000")})).await;
    let audits = audits["compactions"].as_array().unwrap();
    let n_lost: u64 = audits.iter().map(|one| one["needed"]["n_lost"].as_u64().unwrap()).sum();
    assert_eq!(marks.iter().any(|mark| mark == "lost"), n_lost > 0, "{says}");
    let number = audits.len().to_string();
    assert!(says.starts_with(&number), "{says}: {} compactions", audits.len());
    assert_eq!(glance(&host, &path).await.0, says, "of an open session it says the same");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_is_of_the_log_as_it_is_now() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    log.header("s-1");
    log.add(user("Fix it"));
    let path = log.path.display().to_string();
    assert_eq!(glance(&host, &path).await.0, "no request to the model yet");
    log.clear();
    story(&mut log);
    let (says, marks) = glance(&host, &path).await;
    assert_eq!((says.as_str(), marks.len()), ("no request over 80,000 tokens · 2 episodes", 0));
    let large = std::fs::File::options().append(true).open(&log.path).unwrap();
    large.set_len(40 << 20).unwrap();
    assert_eq!(glance(&host, &path).await.0, "40 MB, looked through when it is opened");
    let error = host.error("glance", json!({"target": "/no/such/log"})).await;
    assert_eq!(serde_json::to_value(error.code).unwrap(), "missing");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sample_opens_as_any_log_and_its_budget_is_passed() {
    let host = Host::start().await;
    let sample = host.call("sample", json!({})).await;
    assert_eq!(host.call("sample", json!({})).await, sample);
    let session = host.call("open", json!({"target": sample["path"]})).await["session"].clone();
    let mut view = crate::common::view("0");
    view["budget"] = sample["budget"].clone();
    let trace = host.call("trace", json!({"session": session, "view": view})).await;
    let evicts = |turn: &&Value| turn["steps"].as_array().is_some_and(|steps| !steps.is_empty());
    assert!(trace["turns"].as_array().unwrap().iter().filter(evicts).count() > 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_look_counts_and_names_commands_for_the_newest() {
    let host = Host::start().await;
    let none = host.inspector.first_look(5).await.unwrap();
    assert!(none.newest.is_empty() && none.harnesses.is_empty(), "{none:?}");
    assert_eq!(none.commands.len(), 3);
    // A folder made after the first list is pushed; another host lists it at once.
    let host = Host::start().await;
    sample(&host, "pi/compacted");
    let mut log = host.log("broken.jsonl");
    log.add_raw("{\"type\":\"session\",\"version\":3,\"id\":\"broken\",\"cwd\":\"/x\"}\n");
    let found = host.inspector.first_look(5).await.unwrap();
    assert_eq!(found.harnesses.iter().map(|(_, n)| n).sum::<usize>(), found.newest.len());
    for one in &found.newest {
        assert!(!one.line.says.is_empty(), "{}", one.row.path);
    }
    let name = &found.newest[0].row.name;
    assert!(found.commands.iter().all(|one| one.command.contains(name.as_str())), "{:?}", found.commands);
}
