//! A session as data, as an exported page holds it: it answers as the log does, with the counts of the texts before redaction.

use std::path::{Path, PathBuf};

use cwl_host::api::{ExportRequest, ViewCut, ViewSettings};
use cwl_host::{ErrorCode, LogInput, SessionExport, SessionSnapshot, Tools, export_session, load_file};
use cwl_inspect::load::bundle::SessionBundle;
use cwl_inspect::router::{CommandAnswer, SnapshotAnswer, dispatch_snapshot};
use serde_json::{Value, json};

use crate::common::{Host, Log, reply, result, user};

fn list_samples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let entries =
        |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let inputs = |folder: PathBuf| ["input.jsonl", "input.json"].map(|name| folder.join(name));
    let mut found: Vec<PathBuf> =
        entries(root).flat_map(entries).flat_map(inputs).filter(|path| path.is_file()).collect();
    found.sort();
    found
}

fn open(path: &Path) -> SessionSnapshot {
    let mut opened = load_file(&LogInput::File(path.to_owned()), None, &Tools::builtin_tables()).unwrap();
    // A page has only the name of the file.
    opened.about.path = path.file_name().unwrap().display().to_string();
    opened
}

/// Takes a session apart and opens it again, as a page does.
fn reopen(opened: &SessionSnapshot) -> SessionSnapshot {
    let bundle = SessionBundle::make_bundle(opened, &["auto"], |_| Ok(None)).unwrap();
    let data = serde_json::to_vec(&bundle).unwrap();
    SessionBundle::read_json(&data).unwrap().open().unwrap()
}

fn answer(opened: &SessionSnapshot, name: &str, args: &Value) -> Result<CommandAnswer, String> {
    let answer = dispatch_snapshot(name, args.clone(), |_| Ok(Wrapped(opened))).unwrap();
    answer.map(SnapshotAnswer::encode_whole).map_err(|error| error.to_string())
}

struct Wrapped<'a>(&'a SessionSnapshot);

impl AsRef<SessionSnapshot> for Wrapped<'_> {
    fn as_ref(&self) -> &SessionSnapshot {
        self.0
    }
}

fn views() -> Vec<Value> {
    let view = |policy: &str, budget: &str, tokenizer: &str, annotation: &str| json!({"policy": policy, "budget": budget, "tokenizer": tokenizer, "annotation": annotation});
    let mut views = vec![
        view("cwl", "9k", "provider", "auto"),
        view("cwl+", "4k", "o200k", "inferred"),
        view("summary", "6k", "cl100k", "filled"),
        view("mask", "4k", "chars4", "declared"),
        view("window", "6k", "o200k-ref", "auto"),
    ];
    views[0]["options"] = json!({"ignore_compaction": "true"});
    views
}

/// Compares answers under one view, and those for which one view is enough.
fn check_same(name: &str, view: &Value, log: &SessionSnapshot, page: &SessionSnapshot) {
    let check = |command: &str, args: Value| {
        let expected = answer(log, command, &args);
        assert_eq!(answer(page, command, &args), expected, "{name}: {command}, {args}");
        expected
    };
    let cut = json!({"turn": 2});
    let list = json!({"type": "context", "ghosts": true});
    let in_list = json!({"session": 0, "view": view, "cut": cut, "list": list, "offset": 0, "limit": 500});
    check("trace", json!({"session": 0, "view": view})).unwrap();
    check("frame", json!({"session": 0, "view": view, "cut": cut, "held": "nothing"})).unwrap();
    check("page", in_list).unwrap();
    let view = json!({"policy": "cwl+", "budget": "4k"});
    for command in [
        "session",
        "overview",
        "findings",
        "lint",
        "reacquisitions",
        "reacquisition_stories",
        "worth",
        "compactions",
        "undeclared",
    ] {
        check(command, json!({"session": 0, "view": view})).unwrap();
    }
    let list = json!({"type": "evicted", "sort": "log", "only": null});
    check("page", json!({"session": 0, "view": view, "cut": {}, "list": list, "offset": 0, "limit": 500}))
        .unwrap();
    check("compare", json!({"session": 0, "views": [view, {"policy": "summary"}], "cut": {}})).unwrap();
    check("body", json!({"session": 0, "view": view, "cut": {}, "provider": "anthropic"})).unwrap();
}

#[test]
fn a_session_that_was_taken_apart_answers_as_its_log() {
    let all = list_samples();
    assert!(all.len() > 60, "{}", all.len());
    let short = all.iter().filter(|path| !path.ends_with("pi/long/input.jsonl"));
    for (path, view) in short.zip(views().iter().cycle()) {
        let log = open(path);
        check_same(&path.display().to_string(), view, &log, &reopen(&log));
    }
}

const SECRET: &str = "ghp_a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKs";

/// A session whose calls, results and words hold a secret and a home.
fn session_with_secret() -> (tempfile::TempDir, SessionSnapshot) {
    let folder = tempfile::tempdir().unwrap();
    let mut log = Log::new(folder.path().join("log.jsonl"));
    log.clear();
    log.header("s");
    log.add(user(&format!("use {SECRET} for /home/anneliese/work")));
    for n in 0..12 {
        let call = format!("c{n}");
        log.add(reply(
            &format!("look {n}"),
            &[(
                &call,
                "bash",
                json!({"command": format!("TOKEN={SECRET} cat /home/anneliese/work/{n}.txt")}),
            )],
        ));
        log.add(result(
            &call,
            "bash",
            &format!("{}\n{SECRET} {n} /home/anneliese/work\n", "a line of text\n".repeat(40)),
        ));
    }
    log.add(user("go on"));
    log.add(reply("done", &[]));
    let opened =
        load_file(&LogInput::File(folder.path().join("log.jsonl")), None, &Tools::builtin_tables()).unwrap();
    (folder, opened)
}

fn export(log: &SessionSnapshot, view: &ViewSettings, redact: bool) -> SessionExport {
    let request = ExportRequest { view: view.clone(), cut: ViewCut::default(), redact };
    export_session(log, &request).unwrap()
}

fn unpacked(export: &SessionExport) -> Vec<u8> {
    use base64::Engine as _;
    use std::io::Read;
    let packed = base64::engine::general_purpose::STANDARD.decode(export.session.as_str()).unwrap();
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_redacted_session_has_the_figures_of_the_log_and_none_of_its_secrets() {
    let (_folder, log) = session_with_secret();
    let view = ViewSettings { budget: "2k".into(), ..ViewSettings::counted("o200k") };
    let exported = export(&log, &view, true);
    let data = unpacked(&exported);
    let text = String::from_utf8(data.clone()).unwrap();
    assert!(!text.contains(SECRET) && !text.contains("anneliese"), "{text}");
    assert!(text.contains("[redacted:github-token#1]"));
    assert_eq!(exported.left_out, [""; 0], "no policy differs");
    assert!(exported.redacted.is_some_and(|redacted| !redacted.counts.is_empty()));
    let page = SessionBundle::read_json(&data).unwrap().open().unwrap();
    for tokenizer in ["o200k", "cl100k", "chars4", "provider"] {
        for policy in ["cwl", "cwl+", "summary", "mask", "window", "none"] {
            let view = json!({"policy": policy, "budget": "2k", "tokenizer": tokenizer});
            let sizes = |opened: &SessionSnapshot| {
                let args = json!({"session": 0, "view": view, "cut": {}, "held": "nothing"});
                let Ok(CommandAnswer::Json(trace)) = answer(opened, "trace", &args) else {
                    panic!("no trace")
                };
                let trace: Value = serde_json::from_str(&trace).unwrap();
                let turns = trace["turns"].as_array().unwrap();
                turns.iter().map(|turn| turn["tokens_after"].as_u64()).collect::<Vec<_>>()
            };
            assert_eq!(sizes(&page), sizes(&log), "{view}");
        }
    }
    let open = export(&log, &view, false);
    assert!(String::from_utf8(unpacked(&open)).unwrap().contains(SECRET), "only for those who insist");
    assert!(open.redacted.is_none());
}

#[test]
fn what_was_redacted_and_what_is_left_out_is_told() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let load = |name: &str| {
        let log = root.join(name).join("input.jsonl");
        load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap()
    };
    let view = ViewSettings::counted("o200k");
    let told = export(&load("pi/quickstart"), &view, true);
    let about: Value = serde_json::from_slice(&told.json).unwrap();
    assert_eq!((&about["path"], told.left_out.len()), (&json!("input.jsonl"), 0), "{:?}", told.left_out);
    let redacted = told.redacted.unwrap();
    assert!(
        redacted.counts.iter().any(|(kind, ..)| kind == "home") && redacted.left_out == 0,
        "{redacted:?}"
    );
    let captured = export(&load("claude-code/captured"), &view, true);
    assert!(
        captured.left_out.iter().any(|part| part.contains("captured bodies of")),
        "{:?}",
        captured.left_out
    );
    let invalid = ViewSettings { policy: "no-such-policy".into(), ..view };
    let request = ExportRequest { view: invalid, cut: ViewCut::default(), redact: true };
    assert!(export_session(&load("pi/quickstart"), &request).is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_exports_only_with_an_engine() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    log.header("a");
    log.add(user("go on"));
    log.add(reply("done", &[]));
    let session = host.open(&log).await["session"].clone();
    let args =
        json!({"session": session, "view": {"policy": "cwl", "budget": "2k"}, "cut": {}, "redact": true});
    let refused = host.error("export", args.clone()).await;
    assert_eq!(refused.code, ErrorCode::Missing);
    assert!(refused.hint.is_some_and(|hint| hint.contains("make page-engine")));
    let engine = host.dir.path().join("engine.wasm");
    // The engine is written into the page, and nothing here opens it.
    std::fs::write(&engine, b"\0asm").unwrap();
    host.inspector.use_page_engine(engine);
    let Ok(CommandAnswer::Bytes(data)) = host.inspector.dispatch("export", args).await else {
        panic!("no page")
    };
    let lines: Vec<&[u8]> = data.split(|byte| *byte == b'\n').collect();
    let about: Value = serde_json::from_slice(lines[0]).unwrap();
    assert_eq!((lines.len(), &about["path"]), (3, &json!("a.jsonl")));
}

#[test]
fn a_text_without_a_size_is_refused_and_so_is_other_data() {
    let (_folder, log) = session_with_secret();
    let page = reopen(&log);
    let marks =
        r#"{"episodes":[{"name":"mine","type":"expl","first":3,"last":6,"description":"never counted"}]}"#;
    let view = json!({"policy": "cwl", "budget": "2k", "annotation": marks});
    let refused = answer(&page, "trace", &json!({"session": 0, "view": view})).unwrap_err();
    assert!(refused.contains("does not hold the size of a text"), "{refused}");
    assert!(answer(&log, "trace", &json!({"session": 0, "view": view})).is_ok());
    for (data, expected) in [("{}", "no session of an exported page"), ("", "no session of an exported page")]
    {
        let error = SessionBundle::read_json(data.as_bytes()).unwrap_err();
        assert!(error.message.contains(expected), "{}", error.message);
    }
}
