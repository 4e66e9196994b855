//! The host with a real store, a real file and no window: every command, and a log that grows while it is
//! followed.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::PathBuf;
use std::sync::Arc;

use common::{Log, apart, reply, result, start, user};
use cwl_api::dto::{DefaultsDto, PushDto};
use cwl_api::{Answer, ErrorCode, Inspector, InspectorConfig};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::time::{Duration, timeout};

/// Nothing in these tests takes longer on any machine that works.
const DEADLINE: Duration = Duration::from_secs(30);

struct Host {
    dir: tempfile::TempDir,
    inspector: Arc<Inspector>,
    pushes: Receiver<PushDto>,
}

impl Host {
    async fn start() -> Self {
        Self::in_folder(tempfile::tempdir().unwrap()).await
    }

    async fn in_folder(dir: tempfile::TempDir) -> Self {
        let inspector = Inspector::start(InspectorConfig {
            data_dir: dir.path().join("data"),
            defaults: DefaultsDto::default(),
            folders: Some(vec![dir.path().join("logs")]),
        })
        .await
        .unwrap();
        let pushes = inspector.subscribe();
        Self { dir, inspector, pushes }
    }

    /// Stops the host and starts another one on the same store.
    async fn again(self) -> Self {
        let Self { dir, inspector, pushes } = self;
        drop((inspector, pushes));
        Self::in_folder(dir).await
    }

    fn log(&self, name: &str) -> Log {
        Log::new(self.dir.path().join("logs").join(name))
    }

    async fn call(&self, name: &str, args: Value) -> Value {
        match self.inspector.dispatch(name, args).await {
            Ok(Answer::Json(json)) => serde_json::from_str(&json).unwrap(),
            other => panic!("{name}: {other:?}"),
        }
    }

    async fn error(&self, name: &str, args: Value) -> cwl_api::ApiError {
        self.inspector.dispatch(name, args).await.expect_err(name)
    }

    async fn open(&self, log: &Log) -> Value {
        self.call("open", json!({"target": log.path})).await
    }

    /// Waits for a push about a session that satisfies a condition; the revisions must have no gap.
    async fn pushed(&mut self, revision: &mut u32, wanted: impl Fn(&Pushed) -> bool) -> Pushed {
        loop {
            let push = timeout(DEADLINE, self.pushes.recv()).await.expect("a push in time").unwrap();
            match push {
                PushDto::Session { revision: now, n_turns, n_episodes, restarted, gone, .. } => {
                    assert_eq!(now, *revision + 1, "a push was missed");
                    *revision = now;
                    let pushed = Pushed { n_turns, n_episodes, restarted, gone };
                    if wanted(&pushed) {
                        return pushed;
                    }
                }
                PushDto::Sessions | PushDto::Progress { .. } => {}
                PushDto::Trouble { message } => panic!("trouble: {message}"),
            }
        }
    }
}

#[derive(Debug)]
struct Pushed {
    n_turns: u32,
    n_episodes: u32,
    restarted: bool,
    gone: bool,
}

/// A short session: an exploration and an act that draws on it.
fn story(log: &mut Log) {
    log.header("s-1");
    log.add(user("Please make the retries back off."));
    log.add(reply(
        "start [expl] map-retries",
        &[("d1", "delimiter", json!({"action": "start", "name": "map-retries", "type": "expl"}))],
    ));
    log.add(start("d1", "map-retries", "expl", None));
    log.add(reply("Looking for the retry loop.", &[("g1", "grep", json!({"pattern": "retry"}))]));
    log.add(result("g1", "grep", &"src/retry.rs:12: fn retry() {}\n".repeat(200)));
    log.add(reply(
        "Done looking.",
        &[("d2", "delimiter", json!({"action": "end", "description": "Retries live in src/retry.rs."}))],
    ));
    log.add(common::end("d2", "map-retries", "expl", Some("Retries live in src/retry.rs.")));
    log.add(reply(
        "Now the change.",
        &[(
            "d3",
            "delimiter",
            json!({"action": "start", "name": "fix-retries", "type": "act", "dependencies": ["map-retries"]}),
        )],
    ));
    log.add(start("d3", "fix-retries", "act", Some(&["map-retries"])));
    log.add(reply("Editing.", &[("e1", "edit", json!({"path": "src/retry.rs"}))]));
    log.add(result("e1", "edit", "ok"));
    log.add(reply("Done.", &[("d4", "delimiter", json!({"action": "end"}))]));
    log.add(common::end("d4", "fix-retries", "act", None));
    log.add(reply("The retries back off now.", &[]));
}

fn view(budget: &str) -> Value {
    json!({"policy": "cwl", "budget": budget, "tokenizer": "o200k", "overhead": "0"})
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_answers() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let session = host.open(&log).await;
    let number = session["session"].as_u64().unwrap();
    let (view, cut) = (view("0"), json!({}));
    let args = json!({"session": number, "view": view, "cut": cut});
    let with = |more: Value| {
        let mut all = args.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    for name in cwl_api::commands::NAMES {
        let args = match *name {
            "open" => json!({"target": log.path}),
            "context" => with(json!({"ghosts": true, "offset": 0, "limit": 100})),
            "evicted" => with(json!({"grep": null, "sort": "log", "offset": 0, "limit": 100})),
            "block" => json!({"session": number, "branch": null, "block": "00000001:0"}),
            "episode" => with(json!({"episode": 0})),
            "body" => with(json!({"provider": "anthropic"})),
            "steps" => with(json!({"turn": null})),
            _ => args.clone(),
        };
        let answer = host.inspector.dispatch(name, args.clone()).await;
        let answer = answer.unwrap_or_else(|error| panic!("{name} {args}: {error}"));
        match (*name, answer) {
            ("levels", Answer::Bytes(levels)) => {
                assert_eq!(levels, [4, 4, 4, 0], "all but the stretch that is still open")
            }
            (_, Answer::Json(json)) => assert!(serde_json::from_str::<Value>(&json).is_ok(), "{name}"),
            (_, Answer::Bytes(_)) => panic!("{name} answers bytes"),
        }
    }
    let context = host.call("context", with(json!({"ghosts": false, "offset": 0, "limit": 100}))).await;
    let texts: Vec<&str> =
        context["items"].as_array().unwrap().iter().filter_map(|i| i["text"].as_str()).collect();
    assert!(
        texts.contains(&"[map-retries] Retries live in src/retry.rs."),
        "the description stays: {texts:?}"
    );
    let evicted = host
        .call("evicted", with(json!({"grep": "fn retry\\(", "sort": "size", "offset": 0, "limit": 10})))
        .await;
    assert_eq!(evicted["n_items"], 1, "one block has that text");
    let block = host
        .call("block", json!({"session": number, "branch": null, "block": evicted["items"][0]["block"]}))
        .await;
    assert!(block["text"].as_str().unwrap().starts_with("src/retry.rs:12"));
    assert_eq!(block["line"], 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_have_codes() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let number = host.open(&log).await["session"].as_u64().unwrap();
    let logs = host.dir.path().join("logs");
    let file = |name: &str, bytes: &[u8]| -> PathBuf {
        std::fs::write(logs.join(name), bytes).unwrap();
        logs.join(name)
    };
    let check = async |name: &str, args: Value, code: ErrorCode| {
        let error = host.error(name, args.clone()).await;
        assert_eq!(error.code, code, "{name} {args}: {error}");
        assert!(!error.to_string().contains('\n'), "one line: {error}");
    };
    check("open", json!({"target": logs.join("none.jsonl")}), ErrorCode::Missing).await;
    check("open", json!({"target": ""}), ErrorCode::Missing).await;
    check("open", json!({"target": logs}), ErrorCode::NotAFile).await;
    check("open", json!({"target": file("empty.jsonl", b"")}), ErrorCode::Empty).await;
    check("open", json!({"target": file("binary.jsonl", &[0, 159, 146, 150])}), ErrorCode::Binary).await;
    check("open", json!({"target": file("text.jsonl", b"hello\n")}), ErrorCode::UnknownFormat).await;
    check("open", json!({"target": log.path, "format": "vi"}), ErrorCode::UnknownFormat).await;
    check("open", json!({"target": "4711"}), ErrorCode::UnknownSession).await;
    check("open", json!({}), ErrorCode::BadRequest).await;
    check("fly", json!({}), ErrorCode::BadRequest).await;
    let of = |view: Value| json!({"session": number, "view": view, "cut": {}});
    check("replay", json!({"session": 4711, "view": {}}), ErrorCode::UnknownSession).await;
    check("replay", of(json!({"budget": "lots"})), ErrorCode::BadView).await;
    check("replay", of(json!({"budget": "50%"})), ErrorCode::NeedsWindow).await;
    check("replay", of(json!({"policy": "magic"})), ErrorCode::BadView).await;
    check("replay", of(json!({"tokenizer": "abacus"})), ErrorCode::BadView).await;
    check("replay", of(json!({"overhead": "some"})), ErrorCode::BadView).await;
    check("replay", of(json!({"options": {"speed": "9"}})), ErrorCode::BadView).await;
    check("replay", of(json!({"options": {"residue": "all"}})), ErrorCode::BadView).await;
    check("replay", of(json!({"branch": "nowhere"})), ErrorCode::UnknownBranch).await;
    let pattern = json!({"session": number, "view": {}, "cut": {}, "grep": "(", "sort": "log", "offset": 0, "limit": 1});
    check("evicted", pattern, ErrorCode::BadPattern).await;
    check("block", json!({"session": number, "branch": null, "block": "x:0"}), ErrorCode::UnknownBlock).await;
    check("block", json!({"session": number, "branch": null, "block": "x"}), ErrorCode::UnknownBlock).await;
    check(
        "episode",
        json!({"session": number, "view": {}, "cut": {}, "episode": 99}),
        ErrorCode::UnknownEpisode,
    )
    .await;
    check("body", json!({"session": number, "view": {}, "cut": {}, "provider": "x"}), ErrorCode::BadRequest)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn appended_lines_are_pushed() {
    let mut host = Host::start().await;
    let mut log = host.log("a.jsonl");
    log.header("s-1");
    log.add(user("Please make the retries back off."));
    let session = host.open(&log).await;
    assert_eq!((&session["n_turns"], &session["revision"]), (&json!(1), &json!(1)));
    let mut revision = 1;
    log.add(reply(
        "start",
        &[("d1", "delimiter", json!({"action": "start", "name": "map", "type": "expl"}))],
    ));
    log.add(start("d1", "map", "expl", None));
    log.add(reply("Looking.", &[]));
    let pushed = host.pushed(&mut revision, |push| push.n_turns == 3).await;
    assert_eq!((pushed.n_episodes, pushed.restarted, pushed.gone), (1, false, false));
    let graph = host.call("graph", json!({"session": session["session"], "view": {}})).await;
    assert_eq!(graph["episodes"][0]["name"], "map");
    assert_eq!(graph["revision"], revision);
    // A line that is complete but for its end counts already, and is replaced by itself when the end comes.
    let line = reply("Unfinished", &[]).at(&mut log);
    log.add_raw(&line);
    host.pushed(&mut revision, |push| push.n_turns == 4).await;
    log.add_raw("\n");
    log.add(reply("More.", &[]));
    host.pushed(&mut revision, |push| push.n_turns == 5).await;
    let now = host.call("session", json!({"session": session["session"]})).await;
    let codes = |session: &Value| -> Vec<String> {
        let problems = session["problems"].as_array().unwrap();
        problems.iter().map(|problem| problem["code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(codes(&now), ["P011"], "the exploration is still open, and nothing else is odd");
    // A torn line is a problem and no turn.
    log.add_raw("{\"type\":\"mess");
    host.pushed(&mut revision, |_| true).await;
    let now = host.call("session", json!({"session": session["session"]})).await;
    assert_eq!((&now["n_turns"], codes(&now)), (&json!(5), vec!["P011".to_owned(), "L004".to_owned()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn truncated_replaced_and_deleted_logs() {
    let mut host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let session = host.open(&log).await["session"].clone();
    let mut revision = 1;

    log.clear();
    log.header("s-1");
    log.add(user("Again."));
    host.pushed(&mut revision, |push| push.restarted).await;
    if host.call("session", json!({"session": session})).await["n_messages"] != 1 {
        host.pushed(&mut revision, |push| push.n_turns == 1 && push.n_episodes == 0).await;
    }
    let graph = host.call("graph", json!({"session": session, "view": {}})).await;
    assert_eq!(graph["human_turns"][0]["text"], "Again.");

    let mut other = host.log("other.tmp");
    story(&mut other);
    std::fs::rename(&other.path, &log.path).unwrap();
    host.pushed(&mut revision, |push| push.n_episodes == 4).await;

    let before = host.call("graph", json!({"session": session, "view": {}})).await;
    std::fs::remove_file(&log.path).unwrap();
    host.pushed(&mut revision, |push| push.gone).await;
    let after = host.call("graph", json!({"session": session, "view": {}})).await;
    assert_eq!(apart(&after), apart(&before), "a log that is gone stays inspectable");
    let rows = host.call("sessions", json!({})).await;
    assert_eq!(rows["rows"][0]["gone"], true);

    let host = host.again().await;
    let reopened = host.open(&log).await;
    assert_eq!((&reopened["gone"], &reopened["n_turns"]), (&json!(true), &json!(8)));
    let after = host.call("graph", json!({"session": session, "view": {}})).await;
    assert_eq!(apart(&after), apart(&before));
}

#[tokio::test(flavor = "multi_thread")]
async fn reopening_goes_on_where_it_stopped() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let session = host.open(&log).await["session"].clone();
    let args = json!({"session": session, "view": view("300"), "cut": {}, "ghosts": true, "offset": 0, "limit": 500});
    let before = (host.call("trace", args.clone()).await, host.call("context", args.clone()).await);
    let host = host.again().await;
    // Commands open what is known by themselves, as from a link.
    let after = (host.call("trace", args.clone()).await, host.call("context", args.clone()).await);
    assert_eq!(apart(&after.0), apart(&before.0));
    assert_eq!(apart(&after.1), apart(&before.1));

    // What was written while nobody looked, in the middle of a line, is read when it is opened again.
    let host = {
        let line = reply("Written while nobody looked.", &[]).at(&mut log);
        let (first, second) = line.split_at(line.len() / 2);
        log.add_raw(first);
        let host = host.again().await;
        assert_eq!(host.open(&log).await["n_turns"], 8, "half a line is no turn");
        let host = host.again().await;
        log.add_raw(second);
        log.add_raw("\n");
        host
    };
    assert_eq!(host.open(&log).await["n_turns"], 9);
    let fresh =
        cwl_api::load_file(&cwl_api::LogInput::File(log.path.clone()), None, &cwl_api::Tools::builtin())
            .unwrap();
    let request = serde_json::from_value(args.clone()).unwrap();
    let whole = serde_json::to_value(cwl_api::trace(&fresh, &request).unwrap()).unwrap();
    assert_eq!(host.call("trace", args).await, whole, "the store and the file say the same");
}

#[tokio::test(flavor = "multi_thread")]
async fn version_1_logs_are_read_again_from_their_start() {
    let host = Host::start().await;
    let mut log = host.log("v1.jsonl");
    log.add_raw("{\"type\":\"session\",\"id\":\"old\"}\n");
    log.add_raw("{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"One\"}}\n");
    assert_eq!(host.open(&log).await["n_messages"], 1);
    let host = host.again().await;
    log.add_raw("{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"Two\"}}\n");
    assert_eq!(host.open(&log).await["n_messages"], 2, "nothing is doubled");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_share_a_store() {
    let mut one = Host::start().await;
    let mut log = one.log("a.jsonl");
    story(&mut log);
    let session = one.open(&log).await["session"].clone();
    let config = InspectorConfig {
        data_dir: one.dir.path().join("data"),
        defaults: DefaultsDto::default(),
        folders: Some(Vec::new()),
    };
    let two = Inspector::start(config).await.unwrap();
    two.open_target(log.path.display().to_string(), None).await.unwrap();
    let mut pushes = two.subscribe();
    let mut revision = 1;
    for number in 0..20 {
        log.add(reply(&format!("Reply {number}"), &[]));
    }
    one.pushed(&mut revision, |push| push.n_turns == 28).await;
    loop {
        let push = timeout(DEADLINE, pushes.recv()).await.expect("a push in time").unwrap();
        if matches!(push, PushDto::Session { n_turns: 28, .. }) {
            break;
        }
    }
    let graph = one.call("session", json!({"session": session})).await;
    assert_eq!(graph["n_messages"], 34, "nothing is lost or doubled");
    drop(two);
    assert_eq!(cwl_api::check_store(&one.dir.path().join("data")).unwrap(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_lists_what_is_found_and_what_is_stored() {
    let host = Host::start().await;
    let mut found = host.log("--home--/found.jsonl");
    found.header("s-found");
    found.add(user("A task nobody opened"));
    let mut stored = host.log("stored.jsonl");
    story(&mut stored);
    host.open(&stored).await;
    let rows = host.call("sessions", json!({})).await;
    let titles: std::collections::BTreeMap<&str, &Value> =
        rows["rows"].as_array().unwrap().iter().map(|row| (row["title"].as_str().unwrap(), row)).collect();
    let found = titles["A task nobody opened"];
    assert_eq!((&found["session"], &found["annotation"]), (&Value::Null, &json!("unknown")));
    let stored = titles["Please make the retries back off."];
    assert_eq!(
        (&stored["annotation"], &stored["live"], &stored["n_turns"]),
        (&json!("annotated"), &json!(true), &json!(7))
    );
    assert!(stored["tokens"].as_u64().unwrap() > 1000);
    // A session is found by its id, whether it was opened before or not.
    assert_eq!(host.call("open", json!({"target": "s-found"})).await["n_messages"], 1);
    assert_eq!(host.call("open", json!({"target": "s-1"})).await["n_turns"], 8);
}
