//! OpenCode: each quirk by name, and the content of requests.

use std::path::Path;

use cwl_engine::{ReplyOutcome, TurnIdx};
use cwl_formats::{
    Format, OpencodeMessage, OpencodePart, OpencodeRows, OpencodeSession, detect_format, opencode_export,
    parse_log,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::told::Told;

fn sample(case: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/opencode");
    std::fs::read(folder.join(case).join("input.json")).unwrap()
}

fn tell(log: &[u8]) -> Told {
    crate::told::tell(Format::Opencode, log)
}

/// A session whose messages are one second apart.
fn session(messages: &[Value]) -> Value {
    let info = json!({ "id": "ses_1", "slug": "s", "projectID": "p", "directory": "/p", "title": "t", "version": "1.2.24", "time": { "created": 0, "updated": 9 } });
    let mut messages = messages.to_vec();
    for (at, message) in messages.iter_mut().enumerate() {
        message["info"]["time"]["created"] = json!((at + 1) * 1_000);
        let id = message["info"]["id"].as_str().unwrap().to_owned();
        for (nth, part) in message["parts"].as_array_mut().unwrap().iter_mut().enumerate() {
            part["id"] = json!(format!("{id}.{nth}"));
        }
    }
    json!({ "info": info, "messages": messages })
}

fn user(id: &str, parts: Value) -> Value {
    json!({ "info": { "id": id, "role": "user", "time": {} }, "parts": parts })
}

fn reply(id: &str, parent: &str, parts: Value) -> Value {
    let info = json!({ "id": id, "role": "assistant", "parentID": parent, "time": { "completed": 1 }, "finish": "stop" });
    json!({ "info": info, "parts": parts })
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn tool(call: &str, output: &str) -> Value {
    let state = json!({ "status": "completed", "input": { "filePath": "a" }, "output": output, "time": {} });
    json!({ "type": "tool", "callID": call, "tool": "read", "state": state })
}

fn told(session: &Value) -> Told {
    tell(session.to_string().as_bytes())
}

fn check(messages: &[Value], expected: &[&str]) {
    let session = session(messages);
    assert_eq!(told(&session).now(), expected, "{session:#}");
}

const CALL: &str = r#"Assistant call read{"filePath":"a"}"#;

#[test]
fn call_and_result_are_one_part() {
    let messages = [user("u", json!([text("q")])), reply("a", "u", json!([text("t"), tool("c", "out")]))];
    check(&messages, &["User text q", "Assistant text t", CALL, "Tool result out"]);
}

#[test]
fn replies_with_one_id_are_as_many_as_there_are() {
    let messages = [
        user("u", json!([text("q")])),
        reply("a", "u", json!([text("one")])),
        reply("a", "u", json!([text("two"), tool("c", "out")])),
        reply("a", "u", json!([text("three")])),
        reply("b", "u", json!([text("four")])),
    ];
    let expected = [
        "User text q",
        "Assistant text one",
        "Assistant text two",
        CALL,
        "Tool result out",
        "Assistant text three",
    ];
    check(&messages[..4], &expected);
    let (events, problems) = parse_log(Format::Opencode, session(&messages).to_string().as_bytes());
    let entries: Vec<&str> = events.iter().map(|parsed| parsed.event.entry.as_str()).collect();
    assert_eq!(entries[entries.len() - 6..], ["u", "a", "a#2", "a#2/results", "a#3", "b"]);
    let replies: std::collections::BTreeSet<_> = events
        .iter()
        .flat_map(|parsed| parsed.event.body.all_messages())
        .filter_map(|message| message.reply.as_deref())
        .collect();
    assert_eq!(replies.into_iter().collect::<Vec<_>>(), ["a", "a#2", "a#3", "b"]);
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn what_the_harness_adds_to_a_message_is_not_the_humans() {
    let synthetic = json!({ "type": "text", "text": "file", "synthetic": true });
    let ignored = json!({ "type": "text", "text": "draft", "ignored": true });
    let file = json!({ "type": "file", "mime": "text/plain", "url": "file:///a" });
    let image = json!({ "type": "file", "mime": "image/png", "url": "data:image/png;base64,AA==" });
    let messages = [user("u", json!([text("q"), synthetic, ignored, file, image]))];
    check(&messages, &["User text q", "Injected text file", "User image "]);
}

#[test]
fn a_session_without_a_title_of_its_own_has_none() {
    let titles = |title: &str| {
        let mut session = session(&[]);
        session["info"]["title"] = json!(title);
        let (events, _) = parse_log(Format::Opencode, session.to_string().as_bytes());
        events.iter().filter(|event| matches!(event.event.body, cwl_engine::EventBody::Title(_))).count()
    };
    assert_eq!(titles("Feeds that redirect"), 1);
    assert_eq!(titles("New session - the first"), 1);
    assert_eq!(titles("New session - 2026-02-27T13:04:11.000Z"), 0);
    assert_eq!(titles("Child session - 2026-02-27T13:04:11.000Z"), 0);
    assert_eq!(titles(""), 0);
}

#[test]
fn nobody_types_in_the_session_of_a_subagent() {
    let mut child = session(&[user("u", json!([text("task")]))]);
    child["info"]["parentID"] = json!("ses_0");
    assert_eq!(told(&child).now(), ["Injected text task"]);
}

#[test]
fn a_compaction_keeps_nothing_or_a_tail() {
    let with = |compaction: Value| {
        let summary = || {
            let mut summary = reply("s", "k", json!([{ "type": "step-start" }, text("sum")]));
            summary["info"]["summary"] = json!(true);
            summary["info"]["tokens"] =
                json!({ "input": 50, "output": 1, "reasoning": 0, "cache": { "read": 5, "write": 0 } });
            summary
        };
        [
            user("u", json!([text("q")])),
            reply("a", "u", json!([text("t")])),
            user("u2", json!([text("q2")])),
            reply("a2", "u2", json!([tool("c", "out")])),
            user("k", json!([compaction])),
            summary(),
            user("u3", json!([text("q3")])),
        ]
    };
    let asked = "Summary text What did we do so far?";
    check(&with(json!({ "type": "compaction", "auto": true })), &[asked, "Summary text sum", "User text q3"]);
    let kept = with(json!({ "type": "compaction", "auto": true, "tail_start_id": "a2" }));
    check(&kept, &[asked, "Summary text sum", CALL, "Tool result out", "User text q3"]);
    let told = told(&session(&kept));
    assert_eq!(told.n_turns(), 2, "the summary is no turn");
    assert_eq!(told.session.replacements[0].tokens_before, Some(55));
    assert_eq!(told.context(TurnIdx::new(2)), ["User text q", "Assistant text t", "User text q2"]);
}

#[test]
fn a_compaction_that_failed_takes_nothing_out() {
    let mut failed = reply("s", "k", json!([text("half a summ")]));
    failed["info"]["summary"] = json!(true);
    failed["info"]["error"] = json!({ "name": "APIError", "data": {} });
    let messages = [
        user("u", json!([text("q")])),
        user("k", json!([{ "type": "compaction", "auto": true }])),
        failed,
        user("u2", json!([text("q2")])),
    ];
    check(&messages, &["User text q", "Injected text What did we do so far?", "User text q2"]);
}

#[test]
fn what_was_cleared_was_there_until_then() {
    let mut read = tool("c", "long");
    read["state"]["time"] = json!({ "start": 1, "end": 2, "compacted": 4_500 });
    read["state"]["attachments"] = json!([{ "mime": "image/png", "url": "data:" }]);
    let told = told(&session(&[
        user("u", json!([text("q")])),
        reply("a", "u", json!([read])),
        reply("a2", "u", json!([text("t")])),
        user("u2", json!([text("q2")])),
        reply("a3", "u2", json!([text("t2")])),
    ]));
    let (long, cleared) = ("Tool result long", "Tool result [Old tool result content cleared]");
    assert_eq!(told.context(TurnIdx::new(2))[2], long);
    assert_eq!(
        told.context(TurnIdx::new(3)),
        ["User text q", CALL, cleared, "Assistant text t", "User text q2"]
    );
    assert_eq!(told.session.replacements[0].cause.name(), "clearing");
    let images: Vec<u32> = told.session.blocks.iter().map(|block| block.images).collect();
    assert_eq!(images, [0, 0, 1, 0, 0, 0, 0], "the placeholder has none");
}

#[test]
fn calls_without_an_end() {
    let state =
        |state: Value| json!({ "type": "tool", "callID": state["status"], "tool": "read", "state": state });
    let parts = json!([
        state(json!({ "status": "pending", "input": {}, "raw": "{" })),
        state(json!({ "status": "running", "input": { "filePath": "a" }, "time": { "start": 1 } })),
        state(
            json!({ "status": "error", "input": { "filePath": "a" }, "error": "no such file", "time": {} })
        ),
    ]);
    let mut last = reply("a", "u", parts);
    let ended = session(&[user("u", json!([text("q")])), last.clone()]);
    let told_ended = told(&ended);
    let interrupted = "Tool result [Tool execution was interrupted]";
    assert_eq!(told_ended.now()[4..], [interrupted, interrupted, "Tool result no such file"]);
    assert_eq!(told_ended.codes(), [""; 0]);
    last["info"]["time"] = json!({});
    let running = told(&session(&[user("u", json!([text("q")])), last]));
    assert_eq!(running.now()[4..], ["Tool result no such file"], "the answer goes on");
}

#[test]
fn an_interrupted_call_keeps_what_it_printed() {
    let state = json!({ "status": "error", "input": {}, "error": "aborted", "metadata": { "interrupted": true, "output": "half" } });
    let part = json!({ "type": "tool", "callID": "c", "tool": "bash", "state": state });
    check(&[reply("a", "u", json!([part]))], &["Assistant call bash{}", "Tool result half"]);
}

#[test]
fn answers_that_ended_in_an_error() {
    let outcome = |name: &str, parts: Value| {
        let mut reply = reply("a", "u", parts);
        reply["info"]["error"] = json!({ "name": name, "data": {} });
        told(&session(&[reply])).session.messages[0].outcome
    };
    let thought = || json!({ "type": "reasoning", "text": "hm" });
    assert_eq!(outcome("APIError", json!([text("half")])), ReplyOutcome::Error);
    assert_eq!(
        outcome("MessageAbortedError", json!([{ "type": "step-start" }, thought()])),
        ReplyOutcome::Aborted
    );
    // An aborted reply is still sent if it has content.
    assert_eq!(outcome("MessageAbortedError", json!([thought(), text("half")])), ReplyOutcome::Complete);
}

#[test]
fn an_empty_text_behind_signed_reasoning_is_a_blank() {
    let told = tell(&sample("cut-short"));
    let expected = [
        "User text Tell me a story.",
        "Assistant reasoning A short one.",
        "Assistant text  ",
        "User text Go on.",
    ];
    assert_eq!(told.now(), expected);
    let signed = json!({ "type": "reasoning", "text": "hm", "metadata": { "openai": { "itemId": "rs" } } });
    check(&[reply("a", "u", json!([signed, text("")]))], &["Assistant reasoning hm"]);
}

#[test]
fn a_command_of_the_human_is_no_turn() {
    let ran = || json!({ "type": "text", "text": "The following tool was executed by the user", "synthetic": true });
    let state = json!({ "status": "completed", "input": { "command": "ls" }, "output": "a\n" });
    let bash = json!({ "type": "tool", "callID": "c", "tool": "bash", "state": state });
    let messages =
        [user("u", json!([ran()])), reply("a", "u", json!([bash.clone()])), user("u2", json!([text("q")]))];
    check(
        &messages,
        &["Injected text The following tool was executed by t", "User text lsa|", "User text q"],
    );
    assert_eq!(told(&session(&messages)).n_turns(), 0);
    // The same reply to a human's message is the model's.
    let asked = [user("u", json!([text("list")])), reply("a", "u", json!([bash]))];
    check(&asked, &["User text list", r#"Assistant call bash{"command":"ls"}"#, "Tool result a|"]);
}

#[test]
fn a_revert_hides_what_follows() {
    let with = |revert: Value, expected: &[&str]| {
        let mut session = session(&[
            user("u", json!([text("q")])),
            reply("a", "u", json!([text("t"), tool("c", "out"), text("more"), tool("d", "out2")])),
            user("u2", json!([text("q2")])),
            reply("a2", "u2", json!([text("t2")])),
        ]);
        session["info"]["revert"] = revert;
        let told = told(&session);
        assert_eq!(told.now(), expected, "{}", session["info"]["revert"]);
        assert_eq!(told.codes(), [""; 0]);
        assert_eq!(told.context(TurnIdx::new(2)).len(), 8, "it was all there before");
    };
    let whole = [
        "User text q",
        "Assistant text t",
        CALL,
        "Assistant text more",
        CALL,
        "Tool result out",
        "Tool result out2",
    ];
    with(json!({ "messageID": "u2" }), &whole);
    with(json!({ "messageID": "a" }), &["User text q"]);
    with(
        json!({ "messageID": "a", "partID": "a.2" }),
        &["User text q", "Assistant text t", CALL, "Tool result out"],
    );
    with(json!({ "messageID": "u" }), &[]);
}

#[test]
fn calls_whose_provider_counts_from_anew_are_told_apart() {
    let messages = [
        user("u", json!([text("q")])),
        reply("a", "u", json!([tool("call_0", "one")])),
        reply("a2", "u", json!([tool("call_0", "two")])),
    ];
    let told = told(&session(&messages));
    assert_eq!(told.codes(), [""; 0]);
    assert_eq!(told.now(), ["User text q", CALL, "Tool result one", CALL, "Tool result two"]);
}

#[test]
fn usage_is_that_of_the_last_request() {
    let told = tell(&sample("quirks"));
    let usage: Vec<u64> =
        told.session.messages.iter().filter_map(|it| it.usage.map(|usage| usage.prompt_tokens())).collect();
    assert_eq!(usage, [9120, 9400, 9800, 9900, 6200, 6400], "each as reported, never added up");
}

#[test]
fn a_delimiter_of_an_mcp_server_opens_episodes() {
    let told = tell(&sample("quickstart"));
    let marks = told
        .session
        .blocks
        .iter()
        .filter(|block| matches!(&block.kind, cwl_engine::BlockKind::Call(call) if call.mark.is_some()));
    assert_eq!(marks.count(), 20, "ten episodes begin and end");
}

/// The plugin keeps a decision in the human's last message, and names a part by its message.
#[test]
fn what_a_live_policy_took_is_gone_from_the_next_request_on() {
    let data = json!({
        "whole": true, "evicted": [["u", 1], ["a", 0], ["a/results", 0]], "restored": [], "replaced": [], "removed": [],
        "inserted": [{ "before": "b", "text": "[x] y" }],
    });
    let decision = |after: &str| {
        let metadata = json!({ "customType": "cwl.decision", "after": after, "data": data });
        json!({ "type": "text", "text": "", "synthetic": true, "ignored": true, "metadata": metadata })
    };
    let file = json!({ "type": "text", "text": "file", "synthetic": true });
    let messages = |after: &str| {
        let asked = json!([text("q"), file, decision(after)]);
        let work = [reply("a", "u", json!([tool("c", "out")])), reply("b", "u", json!([text("done")]))];
        [vec![user("u", asked)], work.to_vec(), vec![user("v", json!([text("more")]))]].concat()
    };
    check(&messages("b"), &["User text q", "Injected text [x] y", "Assistant text done", "User text more"]);
    let told = told(&session(&messages("b")));
    assert_eq!(told.context(TurnIdx::new(2)), ["User text q", "Injected text file", CALL, "Tool result out"]);
    assert_eq!(told.codes(), Vec::<&str>::new());
    let whole = [
        "User text q",
        "Injected text file",
        CALL,
        "Tool result out",
        "Assistant text done",
        "User text more",
    ];
    check(&messages("elsewhere"), &whole);
}

#[test]
fn the_rows_of_the_database_tell_the_same_as_an_export() {
    for case in ["branches", "child", "pruned", "quickstart", "quirks", "reverted"] {
        let log = sample(case);
        let export: Value = serde_json::from_slice(&log).unwrap();
        let mut messages = Vec::new();
        let mut parts = Vec::new();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let without_ids = |value: &Value| {
            let mut data = value.clone();
            for id in ["id", "sessionID", "messageID"] {
                data.as_object_mut().unwrap().shift_remove(id);
            }
            data.to_string()
        };
        for message in export["messages"].as_array().unwrap() {
            let id = text(&message["info"]["id"]);
            for part in message["parts"].as_array().unwrap() {
                parts.push(OpencodePart {
                    id: text(&part["id"]),
                    message: id.clone(),
                    data: without_ids(part),
                });
            }
            messages.push(OpencodeMessage { id, data: without_ids(&message["info"]) });
        }
        // A database returns rows in any order.
        parts.reverse();
        let info = &export["info"];
        let session = OpencodeSession {
            id: text(&info["id"]),
            project: text(&info["projectID"]),
            parent: info["parentID"].as_str().map(str::to_owned),
            slug: text(&info["slug"]),
            directory: text(&info["directory"]),
            title: text(&info["title"]),
            version: text(&info["version"]),
            revert: info.get("revert").map(Value::to_string),
            created_ms: info["time"]["created"].as_i64().unwrap(),
            updated_ms: info["time"]["updated"].as_i64().unwrap(),
        };
        let of_rows = opencode_export(&OpencodeRows { session, messages, parts });
        assert_eq!(detect_format(of_rows.as_bytes()), Ok(Format::Opencode), "{case}");
        let (from_file, from_rows) = (tell(&log), tell(of_rows.as_bytes()));
        assert_eq!(from_file.now(), from_rows.now(), "{case}");
        let bare = |told: &Told| {
            let blocks = told.session.blocks.iter();
            blocks.map(|block| (block.id.clone(), block.kind.clone())).collect::<Vec<_>>()
        };
        assert_eq!(bare(&from_file), bare(&from_rows), "{case}");
        assert_eq!(from_file.session.replacements.len(), from_rows.session.replacements.len(), "{case}");
    }
}

const LOGS: [&str; 3] = [
    include_str!("../../../../samples/opencode/quirks/input.json"),
    include_str!("../../../../samples/opencode/pruned/input.json"),
    include_str!("../../../../samples/opencode/reverted/input.json"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 3))]

    #[test]
    fn any_session_is_read(
        log in proptest::sample::select(LOGS.to_vec()),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), 0..6_usize), 1..5),
    ) {
        let mut session: Value = serde_json::from_str(log).unwrap();
        for (place, kind) in damage {
            let mut n_values = 0;
            count_values(&session, &mut n_values);
            let mut at = place.index(n_values);
            damage_value(&mut session, &mut at, kind);
        }
        let told = tell(session.to_string().as_bytes());
        for turn in 1..=told.session.turns.len() {
            told.context(TurnIdx::new(u32::try_from(turn).unwrap()));
        }
    }
}

fn count_values(value: &Value, n_values: &mut usize) {
    *n_values += 1;
    match value {
        Value::Array(items) => items.iter().for_each(|item| count_values(item, n_values)),
        Value::Object(members) => members.values().for_each(|member| count_values(member, n_values)),
        _ => {}
    }
}

/// Replaces the value reached after `at` others.
fn damage_value(value: &mut Value, at: &mut usize, kind: usize) {
    if *at == 0 {
        let instead = [json!(null), json!(7), json!("x"), json!([]), json!({}), json!([{ "type": "tool" }])];
        *value = instead[kind].clone();
    }
    *at = at.wrapping_sub(1);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| damage_value(item, at, kind)),
        Value::Object(members) => members.values_mut().for_each(|member| damage_value(member, at, kind)),
        _ => {}
    }
}
