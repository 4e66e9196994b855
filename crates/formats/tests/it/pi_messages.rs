//! pi's messages as blocks: roles, parts, texts and payloads.

use crate::show::show_log;

fn check(message: &str, expected: &str) {
    check_record(&format!(r#"{{"type":"message","id":"m","parentId":null,"message":{message}}}"#), expected);
}

fn check_record(record: &str, expected: &str) {
    let log = format!("{}\n{record}\n", r#"{"type":"session","version":3,"id":"s"}"#);
    let shown = show_log(log.as_bytes());
    let (_, shown) = shown.split_once('\n').unwrap();
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let shown: Vec<&str> = shown.lines().map(str::trim).collect();
    assert_eq!(shown, expected, "of {record}");
}

#[test]
fn human_messages() {
    check(
        r#"{"role":"user","content":"hi \"you\""}"#,
        r#"2 m root User by Human
           0. text "hi \"you\"" …"#,
    );
    check(
        r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","data":"AA","mimeType":"image/png"}]}"#,
        r#"2 m root User by Human
           0. text "a" {"type":"text","text":…}
           1. image +1 images "" whole {"type":"image","data":"AA","mimeType":"image/png"}"#,
    );
    check(r#"{"role":"user","content":[]}"#, "2 m root User by Human");
    check(r#"{"role":"user","content":null}"#, "2 m root User by Human");
}

#[test]
fn a_text_stands_for_its_bytes_only_in_the_usual_spelling() {
    check(
        r#"{"role":"user","content":[{"type":"text","text":"a\u0041"},{"type":"text","text":"\u001f\n€"}]}"#,
        r#"2 m root User by Human
           0. text "aA" whole {"type":"text","text":"a\u0041"}
           1. text "\u{1f}\n€" {"type":"text","text":…}"#,
    );
}

#[test]
fn replies() {
    check(
        r#"{"role":"assistant","provider":"p","model":"m","content":[
            {"type":"thinking","thinking":"t","thinkingSignature":"sig"},
            {"type":"text","text":"x","textSignature":"s"},
            {"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"rg 1.0","n":1.0},"partialJson":"{"}],
            "usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10},"stopReason":"toolUse"}"#
            .replace('\n', "")
            .as_str(),
        r#"2 m root Assistant by Model p/m usage 1/2/3/4
           0. reasoning "t" {"type":"thinking","thinking":…,"thinkingSignature":"sig"}
           1. text "x" {"type":"text","text":…,"textSignature":"s"}
           2. call c1 bash runs rg "bash{\"command\":\"rg 1.0\",\"n\":1}" whole {"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"rg 1.0","n":1.0},"partialJson":"{"}"#,
    );
    for (stop, shown) in [("error", " Error"), ("aborted", " Aborted"), ("length", ""), ("new", "")] {
        check(
            &format!(r#"{{"role":"assistant","content":[],"stopReason":"{stop}"}}"#),
            &format!("2 m root Assistant by Model{shown}"),
        );
    }
    check(r#"{"role":"assistant","content":[],"model":"m"}"#, "2 m root Assistant by Model m");
}

#[test]
fn an_input_that_holds_what_was_read_from_the_cache_is_told_by_the_total() {
    for (usage, shown) in [
        (r#""input":100,"output":5,"cacheRead":80,"cacheWrite":0,"totalTokens":105"#, "20/5/80/0"),
        (r#""input":20,"output":5,"cacheRead":80,"cacheWrite":0,"totalTokens":105"#, "20/5/80/0"),
        (r#""input":100,"output":5,"cacheRead":80,"cacheWrite":0"#, "100/5/80/0"),
        (r#""input":100,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":105"#, "100/5/0/0"),
        (r#""input":7,"output":5,"cacheRead":80,"cacheWrite":0,"totalTokens":12"#, "7/5/80/0"),
        (r#""input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0"#, "0/0/0/0"),
    ] {
        check(
            &format!(r#"{{"role":"assistant","content":[],"usage":{{{usage}}}}}"#),
            &format!("2 m root Assistant by Model usage {shown}"),
        );
    }
}

#[test]
fn redacted_reasoning_has_no_text() {
    check(
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"gone","redacted":true}]}"#,
        r#"2 m root Assistant by Model
           0. reasoning "" whole {"type":"thinking","thinking":"gone","redacted":true}"#,
    );
    // pi counts its own replacement text.
    check(
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"[Reasoning redacted]","redacted":true}]}"#,
        r#"2 m root Assistant by Model
           0. reasoning "[Reasoning redacted]" whole {"type":"thinking","thinking":"[Reasoning redacted]","redacted":true}"#,
    );
    check(
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"","thinkingSignature":"{}"}]}"#,
        r#"2 m root Assistant by Model
           0. reasoning "" {"type":"thinking","thinking":…,"thinkingSignature":"{}"}"#,
    );
}

#[test]
fn unknown_parts_keep_their_place() {
    check(
        r#"{"role":"assistant","content":["x",{"type":"audio","n":1},{"type":"text","text":"t"},{}]}"#,
        r#"2 m root Assistant by Model
           0. opaque "" whole "x"
           1. opaque "" whole {"type":"audio","n":1}
           2. text "t" {"type":"text","text":…}
           3. opaque "" whole {}
           ! L008 line 2 block m:0: a part of unknown type `string`; kept
           ! L008 line 2 block m:1: a part of unknown type `audio`; kept
           ! L008 line 2 block m:3: a part of unknown type `object`; kept"#,
    );
    check(
        r#"{"role":"user","content":[{"type":"toolCall","id":"c","name":"n","arguments":{}}]}"#,
        r#"2 m root User by Human
           0. opaque "" whole {"type":"toolCall","id":"c","name":"n","arguments":{}}
           ! L008 line 2 block m:0: a part of unknown type `toolCall`; kept"#,
    );
}

#[test]
fn a_result_is_one_block_whatever_its_parts() {
    let result = |rest: &str| format!(r#"{{"role":"toolResult","toolCallId":"c","toolName":"read",{rest}}}"#);
    check(
        &result(r#""content":[{"type":"text","text":"a"}],"isError":false"#),
        r#"2 m root Tool by Tool
           0. result c Some("read") "a" [{"type":"text","text":…}]"#,
    );
    check(
        &result(
            r#""content":[{"type":"text","text":"a"},{"type":"image","data":"AA"},{"type":"text","text":"b"}],"isError":true"#,
        ),
        r#"2 m root Tool by Tool
           0. result c Some("read") failed +1 images "ab" whole [{"type":"text","text":"a"},{"type":"image","data":"AA"},{"type":"text","text":"b"}]"#,
    );
    check(
        &result(r#""content":[{"type":"image"},{"type":"text","text":"a"}]"#),
        r#"2 m root Tool by Tool
           0. result c Some("read") +1 images "a" [{"type":"image"},{"type":"text","text":…}]"#,
    );
    check(
        &result(r#""content":"plain""#),
        r#"2 m root Tool by Tool
           0. result c Some("read") "plain" …"#,
    );
    check(
        &result(r#""content":[]"#),
        r#"2 m root Tool by Tool
           0. result c Some("read") "" whole []"#,
    );
    check(
        r#"{"role":"toolResult","toolCallId":"c"}"#,
        r#"2 m root Tool by Tool
           0. result c None "" whole"#,
    );
    check(
        &result(r#""content":[{"type":"sound"}]"#),
        r#"2 m root Tool by Tool
           0. result c Some("read") "" whole [{"type":"sound"}]
           ! L008 line 2 block m:0: a part of unknown type `sound`; kept"#,
    );
}

#[test]
fn delimiter_marks() {
    check(
        r#"{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"mcp__cwl__Delimiter","arguments":{"action":"start","name":"a","type":"expl"}}]}"#,
        r#"2 m root Assistant by Model
           0. call c mcp__cwl__Delimiter opens a "mcp__cwl__Delimiter{\"action\":\"start\",\"name\":\"a\",\"type\":\"expl\"}" whole {"type":"toolCall","id":"c","name":"mcp__cwl__Delimiter","arguments":{"action":"start","name":"a","type":"expl"}}"#,
    );
    check(
        r#"{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"delimiter","arguments":{"action":1}}]}"#,
        r#"2 m root Assistant by Model
           0. call c delimiter malformed action "delimiter{\"action\":1}" whole {"type":"toolCall","id":"c","name":"delimiter","arguments":{"action":1}}"#,
    );
    check(
        r#"{"role":"toolResult","toolCallId":"c","toolName":"delimiter","content":"s","details":{"chunkEvent":{"action":"end","chunk":{"name":"a"}}}}"#,
        r#"2 m root Tool by Tool
           0. result c Some("delimiter") closes "s" …"#,
    );
    check(
        r#"{"role":"toolResult","toolCallId":"c","toolName":"delimiter","content":"s","details":{"chunkEvent":null}}"#,
        r#"2 m root Tool by Tool
           0. result c Some("delimiter") "s" …"#,
    );
}

#[test]
fn shell_commands_of_the_human() {
    check(
        r#"{"role":"bashExecution","command":"ls","output":"a\nb","exitCode":0,"excludeFromContext":true}"#,
        r#"2 m root User by Human HumanShell { excluded: true }
           0. text "lsa\nb" whole {"role":"bashExecution","command":"ls","output":"a\nb","exitCode":0,"excludeFromContext":true}"#,
    );
}

#[test]
fn messages_of_the_harness() {
    let custom = r#"2 m root User by Harness Custom { name: "ext" }
                    0. text "x" …"#;
    check(r#"{"role":"custom","customType":"ext","content":"x","display":false}"#, custom);
    check(r#"{"role":"hookMessage","customType":"ext","content":"x"}"#, custom);
    check_record(
        r#"{"type":"custom_message","id":"m","parentId":null,"customType":"ext","content":"x"}"#,
        custom,
    );
    check_record(
        r#"{"type":"custom_message","id":"m","parentId":null,"customType":"loop_command","content":"/loop 10m"}"#,
        r#"2 m root User by Harness Custom { name: "loop_command" }
           0. text "/loop 10m" …"#,
    );
    check_record(
        r#"{"type":"branch_summary","id":"m","parentId":"x","fromId":"x","summary":"went"}"#,
        r#"2 m <x User by Harness Summary
           0. text "went" …"#,
    );
    check_record(
        r#"{"type":"branch_summary","id":"m","parentId":"x","summary":""}"#,
        "2 m <x quiet branch_summary",
    );
    check(
        r#"{"role":"compactionSummary","summary":"s"}"#,
        r#"2 m root User by Harness Summary
           0. text "s" …"#,
    );
}

#[test]
fn unknown_roles_are_kept() {
    check(
        r#"{"role":"oracle","content":"x"}"#,
        "2 m root opaque message
         ! L007 line 2 entry m: a record of unknown type `message/oracle`; kept",
    );
}

#[test]
fn fields_of_a_wrong_type_never_cost_the_record() {
    let odd = |field: &str| format!("! L009 line 2 entry m: `{field}` is missing or has an invalid value");
    let check = |message: &str, shown: &str, fields: &[&str]| {
        let problems: Vec<String> = fields.iter().map(|field| odd(field)).collect();
        check(message, &format!("{shown}\n{}", problems.join("\n")));
    };
    check(r#"{"role":"user","content":42}"#, "2 m root User by Human", &["content"]);
    check(r#"{"role":"user"}"#, "2 m root User by Human", &["content"]);
    check(
        r#"{"role":"user","content":[{"type":"text","text":7}]}"#,
        "2 m root User by Human\n0. text \"\" whole {\"type\":\"text\",\"text\":7}",
        &["text"],
    );
    check(
        r#"{"role":"assistant","content":[],"usage":[],"model":{},"stopReason":0}"#,
        "2 m root Assistant by Model",
        &["model", "usage", "stopReason"],
    );
    check(
        r#"{"role":"assistant","content":[],"usage":{"input":-1,"output":1e400,"cacheRead":2.9,"cacheWrite":"4"}}"#,
        "2 m root Assistant by Model usage 0/0/2/0",
        &["usage.input", "usage.output", "usage.cacheWrite"],
    );
    check(
        r#"{"role":"assistant","content":[{"type":"toolCall","id":1,"arguments":"x"}]}"#,
        r#"2 m root Assistant by Model
           0. call   "\"x\"" whole {"type":"toolCall","id":1,"arguments":"x"}"#,
        &["toolCall.id", "toolCall.name", "toolCall.arguments"],
    );
    check(
        r#"{"role":"toolResult","content":7,"isError":"no","toolName":[]}"#,
        "2 m root Tool by Tool\n0. result  None \"\" whole 7",
        &["toolCallId", "toolName", "isError", "content"],
    );
    check(
        r#"{"role":"bashExecution","command":["ls"],"excludeFromContext":"yes"}"#,
        "2 m root User by Human HumanShell { excluded: false }\n0. text \"\" whole {\"role\":\"bashExecution\",\"command\":[\"ls\"],\"excludeFromContext\":\"yes\"}",
        &["command", "output", "excludeFromContext"],
    );
}

#[test]
fn of_a_repeated_key_the_last_value_counts() {
    check(
        r#"{"role":"assistant","content":"x","role":"user","content":"y"}"#,
        r#"2 m root User by Human
           0. text "y" …"#,
    );
}

#[test]
fn lone_surrogates_are_replaced_and_said() {
    check(
        r#"{"role":"user","content":[{"type":"text","text":"a\ud83d"},{"type":"text","text":"\ude00b"}]}"#,
        "2 m root User by Human
         0. text \"a\u{fffd}\" whole {\"type\":\"text\",\"text\":\"a\\ud83d\"}
         1. text \"\u{fffd}b\" whole {\"type\":\"text\",\"text\":\"\\ude00b\"}
         ! L006 line 2 entry m: bytes that are no text; replaced by \u{fffd}",
    );
}
