//! Captured bodies of Claude Code and Codex.

use std::path::{Path, PathBuf};

use cwl_host::api::{
    CapturedAnswer, CapturedBodyRequest, CapturedRequest, CapturedRow, CapturedSide, CapturedText,
    ContextItemKind, Role, ViewSettings,
};
use cwl_host::{ApiError, LogInput, Tools, commands, load_file};
use serde_json::{Value, json};

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/claude-code/captured")
}

fn captured(log: &Path, folder: Option<&Path>, turn: Option<u32>) -> Result<CapturedAnswer, ApiError> {
    let opened = load_file(&LogInput::File(log.to_owned()), None, &Tools::builtin_tables()).unwrap();
    let folder = folder.map(|folder| folder.display().to_string());
    commands::captured(&opened, &CapturedRequest { view: ViewSettings::counted("o200k"), folder, turn })
}

#[test]
fn a_log_and_its_bodies_differ_by_what_the_log_does_not_tell() {
    let found = captured(&sample().join("input.jsonl"), None, Some(3)).unwrap();
    assert_eq!((found.n_requests, found.n_without_turn, found.n_unreadable), (4, 1, 0));
    let turns: Vec<_> = found.turns.iter().map(|turn| (turn.turn, turn.n_tools, turn.only_log)).collect();
    assert_eq!(turns, [(1, 2, 0), (2, 2, 0), (3, 2, 0)]);
    let [first, second, third] = &found.turns[..] else { panic!("{found:?}") };
    assert!(first.system > 0 && first.tools > 0 && first.same > 0);
    assert_eq!([first.system, first.tools], [third.system, third.tools]);
    assert!(first.same < second.same && second.same < third.same);
    assert!(first.differences.is_empty(), "only those of the turn that was asked for");
    let listed: Vec<_> =
        third.differences.iter().map(|one| (one.block.clone(), one.role, one.kind)).collect();
    assert_eq!(
        listed,
        [(None, Role::User, ContextItemKind::Text), (None, Role::System, ContextItemKind::Text)]
    );
    let listed: u64 = third.differences.iter().map(|one| one.tokens).sum();
    assert_eq!(listed, third.only_body);
    let same: u64 = found.turns.iter().map(|turn| turn.same * 2).sum();
    let only: u64 = found.turns.iter().map(|turn| turn.only_log + turn.only_body).sum();
    assert_eq!(u64::from(found.per_mille.unwrap()), same * 1000 / (same + only));
}

#[test]
fn a_body_is_told_block_by_block() {
    let opened =
        load_file(&LogInput::File(sample().join("input.jsonl")), None, &Tools::builtin_tables()).unwrap();
    let view = ViewSettings::counted("o200k");
    let counted = captured(&sample().join("input.jsonl"), None, None).unwrap();
    let told = |turn: u32| {
        let request = CapturedBodyRequest { view: view.clone(), turn };
        commands::captured_body(&opened, &request).unwrap()
    };
    for turn in &counted.turns {
        let body = told(turn.turn);
        assert_eq!(body.file.as_deref(), Some(turn.file.as_str()));
        let sum =
            |side| -> u64 { body.rows.iter().filter(|row| row.side == side).map(|row| row.tokens).sum() };
        assert_eq!(
            [CapturedSide::Both, CapturedSide::Log, CapturedSide::Body].map(sum),
            [turn.same, turn.only_log, turn.only_body]
        );
        let parts = |parts: &[CapturedText]| -> u64 { parts.iter().map(|part| part.tokens).sum() };
        assert_eq!([parts(&body.system), parts(&body.tools)], [turn.system, turn.tools]);
        assert!(body.tools.iter().all(|tool| tool.name.is_some()), "{:?}", body.tools);
        let is_joined = |pair: &[CapturedRow]| pair.iter().all(|row| row.side == CapturedSide::Both);
        assert!(!body.rows.windows(2).any(is_joined), "equal blocks are one row");
    }
    let last = counted.turns.last().unwrap();
    assert!(told(last.turn).says.starts_with("log and body agree in "), "{}", told(last.turn).says);
    let none = told(900);
    assert_eq!((none.file, none.rows.len()), (None, 0));
    assert_eq!(none.says, "no request of turn 900 was captured");
}

/// Compares the sample's log with the given index and files beside it.
fn with_index(index: &str, files: &[(&str, &Value)]) -> CapturedAnswer {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("kept");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("index.jsonl"), index).unwrap();
    for (name, body) in files {
        std::fs::write(folder.join(name), body.to_string()).unwrap();
    }
    captured(&sample().join("input.jsonl"), Some(&folder), Some(1)).unwrap()
}

#[test]
fn files_that_are_lost_or_hostile_are_left_out_and_counted() {
    let line = |file: &str| {
        json!({"session_id": "s", "message_id": "msg_01Ferry0001", "request_file": file}).to_string() + "\n"
    };
    let body = json!({"model": "m", "system": "s", "messages": [{"role": "user", "content": "hello"}]});
    let found = with_index(&line("a.json"), &[("a.json", &body)]);
    assert_eq!((found.turns.len(), found.n_unreadable), (1, 0));
    assert!(found.turns[0].only_log > 0 && found.turns[0].only_body > 0 && found.turns[0].same == 0);
    let outside = sample().join("bodies/1f0c.request.json").display().to_string();
    for file in ["lost.json", "../kept/a.json", "..", "", &outside] {
        let found = with_index(&line(file), &[("a.json", &body)]);
        assert_eq!((found.turns.len(), found.n_unreadable, found.per_mille), (0, 1, None), "{file}");
    }
    // A body that is only half written, and files without a body.
    for text in [json!("half"), json!([]), json!({"a": 1})] {
        let found = with_index(&line("a.json"), &[("a.json", &text)]);
        assert!(found.turns.iter().all(|turn| turn.same == 0), "{text}: {found:?}");
    }
    let torn = with_index(&format!("{}{{\"half", line("a.json")), &[("a.json", &body)]);
    assert!(torn.turns.len() == 1 && torn.says.contains("1 line of the index"), "{}", torn.says);
    assert!(with_index("", &[]).says.contains("names no request of this session"));
}

#[test]
fn a_folder_without_an_index_says_the_way_out() {
    let log = sample().join("../quickstart/input.jsonl");
    let beside = captured(&log, None, None).unwrap();
    assert_eq!((beside.folder, beside.turns.len()), (None, 0));
    let dir = tempfile::tempdir().unwrap();
    let error = captured(&log, Some(dir.path()), None).unwrap_err();
    assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("OTEL_LOG_RAW_API_BODIES")), "{error:?}");
    // Bodies of Claude Code before 2.1.274: a request and a reply without an index.
    std::fs::write(dir.path().join("0b1c.request.json"), r#"{"model":"m","messages":[]}"#).unwrap();
    std::fs::write(dir.path().join("req_1.response.json"), r#"{"id":"msg_1"}"#).unwrap();
    let error = captured(&log, Some(dir.path()), None).unwrap_err();
    let says =
        "bodies without an index are not read, as no documentation says of which request each of them is";
    assert!(error.hint.as_deref().is_some_and(|hint| hint.contains(says)), "{error:?}");
    let other = captured(&log, Some(&sample().join("bodies")), None).unwrap();
    assert_eq!((other.n_requests, other.turns.len()), (0, 0));
}

fn traced() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/codex/traced")
}

#[test]
fn requests_of_a_trace_are_put_together_and_compared() {
    let found = captured(&traced().join("input.jsonl"), None, Some(3)).unwrap();
    assert_eq!((found.n_requests, found.n_without_turn, found.n_unreadable), (4, 0, 0), "{}", found.says);
    let turns: Vec<_> =
        found.turns.iter().map(|turn| (turn.turn, turn.n_tools, turn.only_log, &*turn.file)).collect();
    let payload = |number: u32| format!("payloads/{number}.json");
    let files = [3, 7, 9, 11].map(payload);
    assert_eq!(turns, [1, 2, 3, 4].map(|turn: u32| (turn, 1, 0, &*files[turn as usize - 1])));
    assert!(found.turns.iter().all(|turn| turn.system > 0 && turn.tools > 0));
    let third: Vec<_> = found.turns[2].differences.iter().map(|one| (&*one.text, one.role)).collect();
    // Only the response has readable reasoning; the third request continues it.
    let reminder = ("Reminder: this workspace may only be read.", Role::System);
    assert_eq!(third, [reminder, ("A search for the word is enough.", Role::Assistant)]);
}

/// Copies the sample's trace and edits one of its files.
fn with_file(name: &str, edit: impl Fn(String) -> String) -> CapturedAnswer {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("payloads")).unwrap();
    for part in ["", "payloads"] {
        for file in std::fs::read_dir(traced().join("trace").join(part)).unwrap().map(|file| file.unwrap()) {
            if file.file_type().unwrap().is_file() {
                std::fs::copy(file.path(), dir.path().join(part).join(file.file_name())).unwrap();
            }
        }
    }
    let text = std::fs::read_to_string(dir.path().join(name)).unwrap();
    std::fs::write(dir.path().join(name), edit(text)).unwrap();
    captured(&traced().join("input.jsonl"), Some(dir.path()), None).unwrap()
}

#[test]
fn a_trace_with_lost_or_hostile_files_loses_only_what_needs_them() {
    // The second and third request continue the first; the last one stands alone.
    let lost = with_file("payloads/3.json", |_| String::new());
    assert_eq!((lost.turns.len(), lost.n_unreadable), (1, 3), "{}", lost.says);
    let unjoined = with_file("payloads/4.json", |_| "{".into());
    assert_eq!((unjoined.n_requests, unjoined.n_without_turn), (4, 2), "{}", unjoined.says);
    for outside in ["../payloads/3.json", "/etc/hostname", "", ".."] {
        let found = with_file("trace.jsonl", |text| text.replace("payloads/3.json", outside));
        assert_eq!((found.turns.len(), found.n_unreadable), (1, 3), "{outside}");
    }
    let circle = with_file("trace.jsonl", |text| {
        text.replacen(
            r#"{"type": "full_snapshot"}"#,
            r#"{"type":"incremental","previous_response_id":"resp_a2"}"#,
            2,
        )
    });
    assert_eq!((circle.turns.len(), circle.n_unreadable), (1, 3), "{}", circle.says);
    // Older versions name the response in the request and not in the event.
    let unsaid = with_file("trace.jsonl", |text| {
        let mode = r#""request_input_mode": {"type": "incremental", "previous_response_id": "resp_a1"}, "#;
        assert!(text.contains(mode));
        text.replace(mode, "")
    });
    assert_eq!((unsaid.turns.len(), unsaid.n_unreadable), (4, 0), "{}", unsaid.says);
    let torn = with_file("trace.jsonl", |text| text[..text.len() - 9].to_owned());
    assert!(torn.turns.len() == 3 && torn.says.contains("1 line"), "{}", torn.says);
}

/// Runs it on a sample's log with the index of a proxy; the marks of each answer are what `marks` leaves of a line.
fn with_proxy_index(marks: impl Fn(&mut Value)) -> CapturedAnswer {
    let dir = tempfile::tempdir().unwrap();
    let bodies = sample().join("bodies");
    let text = std::fs::read_to_string(bodies.join("index.jsonl")).unwrap();
    let used = |n: &str| match n {
        "1" => {
            json!({"input_tokens": 4, "cache_creation_input_tokens": 2210, "cache_read_input_tokens": 0, "output_tokens": 140})
        }
        "2" => {
            json!({"input_tokens": 4, "cache_creation_input_tokens": 190, "cache_read_input_tokens": 2210, "output_tokens": 110})
        }
        "3" => {
            json!({"input_tokens": 4, "cache_creation_input_tokens": 160, "cache_read_input_tokens": 2400, "output_tokens": 30})
        }
        _ => json!({"input_tokens": 900, "output_tokens": 7}),
    };
    let mut index = String::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let (file, message) = (row["request_file"].as_str().unwrap(), row["message_id"].as_str().unwrap());
        std::fs::copy(bodies.join(file), dir.path().join(file)).unwrap();
        let mut line = json!({
            "version": 1, "at": row["timestamp"], "api": "anthropic", "session": row["session_id"], "status": 200,
            "request_file": file, "reply_id": message, "calls": [], "usage": used(&message[message.len() - 1..]),
        });
        marks(&mut line);
        index.push_str(&format!("{line}\n"));
    }
    std::fs::write(dir.path().join("captured.jsonl"), index).unwrap();
    captured(&sample().join("input.jsonl"), Some(dir.path()), Some(3)).unwrap()
}

#[test]
fn requests_that_a_proxy_kept_are_joined_by_whatever_their_answers_have() {
    let expected = captured(&sample().join("input.jsonl"), None, Some(3)).unwrap();
    let check = |what: &str, n_own: u32, marks: &dyn Fn(&mut Value)| {
        let found = with_proxy_index(marks);
        assert_eq!(found.turns, expected.turns, "{what}: {}", found.says);
        assert_eq!((found.n_requests, found.n_unreadable), (n_own, 0), "{what}");
    };
    check("all of it", 4, &|_| {});
    check("the id of the answer", 3, &|line| {
        line["session"] = Value::Null;
        line["usage"] = json!({});
    });
    // The provider's id is in no log of most harnesses; calls without an id are Gemini's.
    check("the tokens that it used", 3, &|line| {
        line["session"] = Value::Null;
        line["reply_id"] = Value::Null;
    });
    check("its calls", 4, &|line| {
        let n = line["reply_id"].as_str().unwrap().chars().last().unwrap();
        if n != '3' {
            line["usage"] = json!({});
            line["calls"] = json!([format!("toolu_01Ferry000{n}")]);
        }
        line["reply_id"] = Value::Null;
    });
    // Equal counts of another day are of another session.
    let other = with_proxy_index(|line| {
        line["at"] = json!("2026-11-03T10:00:08.000Z");
        (line["session"], line["reply_id"]) = (Value::Null, Value::Null);
    });
    assert_eq!((other.n_requests, other.turns.len()), (0, 0), "{}", other.says);
    // A refusal is no turn; a request that is asked again is of the same one.
    let refused = with_proxy_index(|line| line["status"] = json!(529));
    assert_eq!((refused.n_requests, refused.turns.len()), (0, 0), "{}", refused.says);
}

#[test]
fn the_head_of_a_body_is_told_apart_in_every_form() {
    let dir = tempfile::tempdir().unwrap();
    let forms = [
        (
            "anthropic",
            json!({"system": "Be brief.", "tools": [{"name": "read", "input_schema": {}}], "messages": []}),
        ),
        (
            "openai-responses",
            json!({"model": "m", "instructions": "Be brief.", "tools": [{"name": "read"}], "input": []}),
        ),
        (
            "gemini",
            json!({
                "systemInstruction": {"parts": [{"text": "Be brief."}]}, "contents": [],
                "tools": [{"functionDeclarations": [{"name": "read"}]}],
            }),
        ),
    ];
    for (api, body) in forms {
        let line =
            json!({"api": api, "status": 200, "request_file": "a.json", "reply_id": "msg_01Ferry0001"});
        std::fs::write(dir.path().join("captured.jsonl"), format!("{line}\n")).unwrap();
        std::fs::write(dir.path().join("a.json"), body.to_string()).unwrap();
        let found = captured(&sample().join("input.jsonl"), Some(dir.path()), None).unwrap();
        let [turn] = &found.turns[..] else { panic!("{api}: {}", found.says) };
        assert!(turn.system > 0 && turn.tools > 0 && turn.n_tools == 1, "{api}: {turn:?}");
        assert_eq!((turn.same, turn.only_body), (0, 0), "{api}: {turn:?}");
    }
}
