//! The host with a real store and real files, but no window: every command, and refusals.

use std::path::PathBuf;

use cwl_host::{CommandAnswer, ErrorCode};

use crate::common::columns::read_columns;
use crate::common::{Host, story, user, view};
use serde_json::{Value, json};

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
    // An export takes the engine of its page as it is.
    let engine = host.dir.path().join("engine.wasm");
    std::fs::write(&engine, b"\0asm").unwrap();
    host.inspector.use_page_engine(engine);
    for name in cwl_host::router::names() {
        let args = match name {
            "open" | "glance" => json!({"target": log.path}),
            "admit" => json!({"session": log.path}),
            "page" => with(json!({"list": {"type": "context", "ghosts": true}, "offset": 0, "limit": 100})),
            "block" => json!({"session": number, "branch": null, "block": "00000001:0"}),
            "episode" => with(json!({"episode": 0})),
            "body" => with(json!({"provider": "anthropic"})),
            "sweep" => with(json!({"budgets": ["0", "1k..3k:1k"]})),
            "frontier" => json!({"by": "recall", "settings": [
                {"policy": "cwl", "budget": 9, "cost": 3, "kept": 900, "n_steps": 4},
            ]}),
            "side_by_side" => with(json!({"other": number, "other_view": {"policy": "none"}})),
            "compare" => with(json!({"views": [view, {"policy": "none"}]})),
            "compare_blocks" => with(json!({"a": view, "b": {"policy": "none"}, "offset": 0, "limit": 9})),
            "duel" => {
                with(json!({"a": view, "b": {"policy": "summary", "tokenizer": "o200k", "overhead": "0"}}))
            }
            "search" => json!({"query": "retry", "view": view}),
            "marks_effect" => with(json!({"before": "declared"})),
            "captured" => with(json!({"folder": null, "turn": null})),
            "captured_body" => with(json!({"turn": 1})),
            "image" => {
                json!({"session": number, "branch": null, "block": "00000001:0", "number": 0, "bytes": true})
            }
            "find" => {
                with(json!({"list": {"type": "context", "ghosts": true}, "wanted": {"query": "retry"}}))
            }
            "matches" => {
                with(json!({"block": "00000001:0", "as_sent": false, "wanted": {"query": "retries"}}))
            }
            "place" => {
                with(json!({"list": {"type": "evicted", "sort": "log"}, "block": "00000001:0", "line": 2}))
            }
            "save_note" => with(json!({"subject": {"on": "session"}, "body": "x"})),
            "remove_note" | "remove_view" => json!({"id": 4711}),
            "pin" => json!({"path": log.path, "pinned": true}),
            "save_view" => with(json!({"name": "here", "query": "turn=1"})),
            "export" => with(json!({"redact": true})),
            "edit_marks" => with(json!({"edits": []})),
            "save_marks" => with(json!({
                "name": "hand",
                "json": r#"{"episodes": [{"name": "a", "type": "act", "first": 1, "last": 9}]}"#,
            })),
            "marks_json" | "remove_marks" => with(json!({"name": "hand"})),
            "recovery" => {
                let args = with(json!({"compaction": 1}));
                let refused = host.inspector.dispatch(name, args).await.unwrap_err();
                assert_eq!(refused.code, ErrorCode::BadRequest, "the log has no compaction");
                continue;
            }
            "preview_live" | "set_live" => {
                let args = with(json!({"change": {"budget": "60k"}}));
                let refused = host.inspector.dispatch(name, args).await.unwrap_err();
                assert_eq!(refused.code, ErrorCode::Missing, "no process decides for the session");
                continue;
            }
            "reader" | "mark_with_reader" => {
                let args = with(json!({"command": "claude -p"}));
                let refused = host.inspector.dispatch(name, args).await.unwrap_err();
                assert_eq!(refused.code, ErrorCode::Refused, "no settings of a reader were handed in");
                continue;
            }
            "corpus" | "corpus_rows" => {
                let args = json!({"folder": ".", "columns": [], "offset": 0, "limit": 1});
                let refused = host.inspector.dispatch(name, args).await.unwrap_err();
                assert_eq!(refused.code, ErrorCode::BadRequest, "no reader of corpora was handed in");
                continue;
            }
            _ => args.clone(),
        };
        let answer = host.inspector.dispatch(name, args.clone()).await;
        let answer = answer.unwrap_or_else(|error| panic!("{name} {args}: {error}"));
        match (name, answer) {
            ("frame", CommandAnswer::Bytes(frame)) => {
                let frame = read_columns(&frame, None).answer;
                assert_eq!(frame["levels"], json!([4, 4, 4, 0]), "all but the stretch that is still open");
                let left = frame["left"].as_array().unwrap();
                assert_eq!((left.len(), &left[1]), (4, &json!(0)), "nothing is left of the act");
                assert_ne!(left[0], 0, "the description of the exploration stays");
                let n_turns = frame["replay"]["after"].as_array().unwrap().len();
                assert_eq!(frame["graph"]["n_turns"], n_turns);
            }
            ("export", CommandAnswer::Bytes(export)) => {
                let lines: Vec<&[u8]> = export.split(|byte| *byte == b'\n').collect();
                let about: Value = serde_json::from_slice(lines[0]).unwrap();
                assert_eq!((lines.len(), &about["view"]["policy"]), (3, &view["policy"]));
            }
            ("marks_report", CommandAnswer::Bytes(page)) => assert!(page.starts_with(b"<!doctype html>")),
            (_, CommandAnswer::Json(json)) => assert!(serde_json::from_str::<Value>(&json).is_ok(), "{name}"),
            (_, CommandAnswer::Bytes(_)) => panic!("{name} answers bytes"),
        }
    }
    let page =
        async |list: Value| host.call("page", with(json!({"list": list, "offset": 0, "limit": 100}))).await;
    let context = page(json!({"type": "context", "ghosts": false})).await;
    let texts: Vec<&str> =
        context["items"].as_array().unwrap().iter().filter_map(|i| i["text"].as_str()).collect();
    assert!(
        texts.contains(&"[map-retries] Retries live in src/retry.rs."),
        "the description stays: {texts:?}"
    );
    let only = json!({"query": "fn retry\\(", "regex": true});
    let evicted = page(json!({"type": "evicted", "only": only, "sort": "size"})).await;
    assert_eq!(evicted["n_items"], 1, "one block has that text");
    let diff = page(json!({"type": "diff", "against": {"type": "full"}, "open": []})).await;
    assert_ne!(diff["n_removed"], 0, "it is gone from the full history");
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
    check("frame", json!({"session": 4711, "view": {}}), ErrorCode::UnknownSession).await;
    check("frame", of(json!({"budget": "lots"})), ErrorCode::BadView).await;
    check("frame", of(json!({"budget": "50%"})), ErrorCode::NeedsWindow).await;
    check("frame", of(json!({"policy": "magic"})), ErrorCode::BadView).await;
    check("frame", of(json!({"tokenizer": "abacus"})), ErrorCode::BadView).await;
    check("frame", of(json!({"overhead": "some"})), ErrorCode::BadView).await;
    check("frame", of(json!({"options": {"speed": "9"}})), ErrorCode::BadView).await;
    check("frame", of(json!({"options": {"residue": "all"}})), ErrorCode::BadView).await;
    check("frame", of(json!({"branch": "nowhere"})), ErrorCode::UnknownBranch).await;
    let only = json!({"query": "(", "regex": true});
    let pattern = json!({"session": number, "view": {}, "cut": {}, "list": {"type": "evicted", "only": only},
        "offset": 0, "limit": 1});
    check("page", pattern, ErrorCode::BadPattern).await;
    let find = json!({"session": number, "view": {}, "cut": {}, "list": {"type": "context", "ghosts": true},
        "wanted": {"query": "(", "regex": true}});
    check("find", find, ErrorCode::BadPattern).await;
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
    // A session is found by id, whether it was opened before or not.
    assert_eq!(host.call("open", json!({"target": "s-found"})).await["n_messages"], 1);
    assert_eq!(host.call("open", json!({"target": "s-1"})).await["n_turns"], 8);
}

/// Even the access time stays: backups and synchronisers must not see a read.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_left_as_it_is() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let text = std::fs::read(&log.path).unwrap();
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let times = std::fs::FileTimes::new().set_accessed(old).set_modified(old);
    std::fs::File::options().append(true).open(&log.path).unwrap().set_times(times).unwrap();
    std::fs::set_permissions(&log.path, std::fs::Permissions::from_mode(0o400)).unwrap();
    let state = || {
        let metadata = std::fs::metadata(&log.path).unwrap();
        (metadata.mtime(), metadata.atime(), metadata.ctime(), metadata.mode(), metadata.len())
    };
    let before = state();
    let target = log.path.display().to_string();
    let session = host.inspector.import(target, None).await.unwrap().session;
    let args = json!({ "session": session, "view": view("0"), "cut": {} });
    for command in ["trace", "frame"] {
        host.inspector.dispatch(command, args.clone()).await.unwrap();
    }
    assert_eq!(state(), before, "reading leaves no trace");
    assert_eq!(std::fs::read(&log.path).unwrap(), text);
}
