//! pi's records as events, by version.

use crate::show::show_log;
use cwl_formats::{Format, parse_log};

const V3: &str = r#"{"type":"session","version":3,"id":"s"}"#;

/// Checks records behind a version 3 header.
fn check(records: &str, expected: &str) {
    check_log(&format!("{V3}\n{records}"), expected, 1);
}

fn check_log(log: &str, expected: &str, skip: usize) {
    let shown = show_log(log.as_bytes());
    let shown: Vec<&str> = shown.lines().skip(skip).map(str::trim).collect();
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(shown, expected, "of {log}");
}

#[test]
fn headers() {
    let check = |header: &str, expected: &str| check_log(header, expected, 0);
    check(
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-02-02T02:40:00.000Z","cwd":"C:\\x","parentSession":"/p.jsonl"}"#,
        r#"1 L1 outside @1770000000000 header Some("s") vSome(3) cwd=Some("C:\\x") parent=Some("/p.jsonl") model=None"#,
    );
    check(
        r#"{"type":"session","id":"s","provider":"anthropic","modelId":"c","thinkingLevel":"off","branchedFrom":"/b.jsonl"}"#,
        r#"1 L1 outside header Some("s") vNone cwd=None parent=Some("/b.jsonl") model=Some("anthropic/c")"#,
    );
    check(
        r#"{"type":"session","version":9,"id":"s"}"#,
        "1 L1 outside header Some(\"s\") vSome(9) cwd=None parent=None model=None
         ! L019 line 1 entry L1: version 9 of the format is newer than what is known; read as the newest known one",
    );
    check(
        r#"{"type":"session","version":"3","id":7}"#,
        "1 L1 outside header None vNone cwd=None parent=None model=None
         ! L009 line 1 entry L1: `version` is missing or has an invalid value
         ! L009 line 1 entry L1: `id` is missing or has an invalid value",
    );
}

#[test]
fn records_without_messages() {
    let record = |rest: &str| format!(r#"{{"id":"a","parentId":"p",{rest}}}"#);
    check(&record(r#""type":"model_change","provider":"p","modelId":"m""#), "2 a <p model p/m");
    check(&record(r#""type":"model_change","modelId":"m""#), "2 a <p model m");
    check(
        &record(r#""type":"thinking_level_change","thinkingLevel":"high""#),
        "2 a <p quiet thinking_level_change",
    );
    check(&record(r#""type":"custom","customType":"snapshot","data":{}"#), "2 a <p quiet custom");
    check(&record(r#""type":"session_info","name":"My work""#), r#"2 a <p title Some("My work")"#);
    check(&record(r#""type":"session_info","name":"""#), "2 a <p title None");
    check(&record(r#""type":"session_info""#), "2 a <p title None");
    check(&record(r#""type":"label","targetId":"t","label":"here""#), r#"2 a <p label Some("here") on t"#);
    check(&record(r#""type":"label","targetId":"t""#), "2 a <p label None on t");
}

#[test]
fn unknown_records_stay_links_of_the_tree() {
    check(
        r#"{"type":"dream","id":"a","parentId":"p"}"#,
        "2 a <p opaque dream
         ! L007 line 2 entry a: a record of unknown type `dream`; kept",
    );
    check(
        r#"{"type":"dream"}"#,
        "2 L2 outside opaque dream
         ! L009 line 2 entry L2: `id` is missing or has an invalid value
         ! L007 line 2 entry L2: a record of unknown type `dream`; kept",
    );
    check(
        r#"{"id":"a","parentId":null}"#,
        "2 a root opaque no type
         ! L009 line 2 entry a: `type` is missing or has an invalid value",
    );
    check(
        r#"{"type":"message","id":"a","parentId":null,"message":"x"}"#,
        "2 a root opaque message
         ! L009 line 2 entry a: `message` is missing or has an invalid value",
    );
}

#[test]
fn parents() {
    let check = |id: &str, expected: &str| check(&format!(r#"{{"type":"custom"{id}}}"#), expected);
    let odd = |field: &str, entry: &str| {
        format!("! L009 line 2 entry {entry}: `{field}` is missing or has an invalid value")
    };
    check(r#","id":"a","parentId":"p""#, "2 a <p quiet custom");
    check(r#","id":"a","parentId":null"#, "2 a root quiet custom");
    check(r#","id":"a","parentId":"""#, "2 a root quiet custom");
    check(r#","id":"a","parentId":7"#, &format!("2 a root quiet custom\n{}", odd("parentId", "a")));
    check(r#","id":"a""#, &format!("2 a root quiet custom\n{}", odd("parentId", "a")));
    check("", &format!("2 L2 <previous quiet custom\n{}\n{}", odd("id", "L2"), odd("parentId", "L2")));
    check(r#","id":7,"parentId":"p""#, &format!("2 L2 <p quiet custom\n{}", odd("id", "L2")));
}

#[test]
fn times() {
    let check = |own: &str, of_message: &str, expected: &str| {
        let log = format!(
            r#"{{"type":"message","id":"a","parentId":null{own},"message":{{"role":"user","content":[]{of_message}}}}}"#
        );
        check(&log, expected);
    };
    let odd = "! L009 line 2 entry a: `timestamp` is missing or has an invalid value";
    check(r#","timestamp":"2026-02-02T02:40:00.123Z""#, "", "2 a root @1770000000123 User by Human");
    check(
        r#","timestamp":"2026-02-02T03:40:00+01:00""#,
        r#","timestamp":5"#,
        "2 a root @1770000000000 User by Human",
    );
    check("", r#","timestamp":1770000000001"#, "2 a root @1770000000001 User by Human");
    check("", "", "2 a root User by Human");
    check(r#","timestamp":"yesterday""#, r#","timestamp":5"#, &format!("2 a root @5 User by Human\n{odd}"));
    check(r#","timestamp":1770000000002"#, "", &format!("2 a root @1770000000002 User by Human\n{odd}"));
    check("", r#","timestamp":1e400"#, "2 a root User by Human");
}

#[test]
fn compactions() {
    let record = |rest: &str| format!(r#"{{"type":"compaction","id":"a","parentId":"p",{rest}}}"#);
    check(
        &record(
            r#""summary":"so far","firstKeptEntryId":"k","tokensBefore":90000,"details":{"readFiles":[]}"#,
        ),
        r#"2 a <p compaction keeps from k, before Some(90000)
           - User by Harness Summary
           0. text "so far" …"#,
    );
    check(
        &record(
            r#""summary":"s","firstKeptEntryId":"k","retainedTail":[
                {"role":"user","content":[{"type":"text","text":"u"},{"type":"image"}]},
                {"role":"oracle"},7,
                {"role":"assistant","content":[{"type":"text","text":"x"}]}]"#
                .replace('\n', "")
                .as_str(),
        ),
        r#"2 a <p compaction keeps 2 retained, before None
           - User by Harness Summary
           0. text "s" …
           - User by Human
           1. text "u" {"type":"text","text":…}
           2. image +1 images "" whole {"type":"image"}
           - Assistant by Model
           3. text "x" {"type":"text","text":…}
           ! L007 line 2 entry a: a record of unknown type `message/oracle`; kept
           ! L009 line 2 entry a: `retainedTail` is missing or has an invalid value"#,
    );
    check(
        &record(r#""summary":7"#),
        "2 a <p compaction keeps nothing, before None
         ! L009 line 2 entry a: `summary` is missing or has an invalid value
         ! L009 line 2 entry a: `firstKeptEntryId` is missing or has an invalid value",
    );
    check(
        &record(r#""summary":"","firstKeptEntryId":"k","retainedTail":7,"tokensBefore":"many""#),
        "2 a <p compaction keeps from k, before None
         - User by Harness Summary
         ! L009 line 2 entry a: `retainedTail` is missing or has an invalid value
         ! L009 line 2 entry a: `tokensBefore` is missing or has an invalid value",
    );
}

#[test]
fn version_1_is_linear_and_points_at_positions() {
    let log = |index: &str| {
        format!(
            "{}\n{}\n\nnot json\n{}\n{}\n{{\"type\":\"compaction\",\"summary\":\"s\",\"firstKeptEntryIndex\":{index}}}\n",
            r#"{"type":"session","id":"s","timestamp":"2025-11-01T00:00:00Z","cwd":"/p"}"#,
            r#"{"type":"message","message":{"role":"user","content":"one"}}"#,
            "42",
            r#"{"type":"message","id":"ignored","parentId":"x","message":{"role":"user","content":"two"}}"#,
        )
    };
    let check = |index: &str, keeps: &str| {
        let shown = show_log(log(index).as_bytes());
        assert!(
            shown.contains(&format!("7 L7 <previous compaction keeps {keeps}, before None")),
            "{index}: {shown}"
        );
    };
    // Position 0 is the header and 2 the number: a compaction can keep neither, so pi keeps nothing.
    check("1", "from L2");
    check("3", "from L6");
    for odd in ["0", "2", "4", "99", "-1", "1.5", "\"1\"", "1e400"] {
        check(odd, "nothing");
        assert!(show_log(log(odd).as_bytes()).contains("`firstKeptEntryIndex`"), "an odd position is said");
    }
}

#[test]
fn a_log_without_a_header_is_what_its_first_record_is() {
    check_log(
        r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":[]}}"#,
        "1 a root User by Human
         ! L014 line 1 entry L1: the first record is not a session header",
        0,
    );
    check_log(
        "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":[]}}\n{\"type\":\"session\",\"version\":3}\n{\"type\":\"custom\",\"id\":\"x\"}",
        "1 L1 <previous User by Human
         2 L2 outside header None vSome(3) cwd=None parent=None model=None
         3 L3 <previous quiet custom
         ! L014 line 1 entry L1: the first record is not a session header",
        0,
    );
}

#[test]
fn whole_logs() {
    for (name, log) in [
        ("v1", include_str!("logs/v1.jsonl")),
        ("v2", include_str!("logs/v2.jsonl")),
        ("v3", include_str!("logs/v3.jsonl")),
    ] {
        insta::assert_snapshot!(name, show_log(log.as_bytes()));
    }
}

#[test]
fn payloads_give_the_log_back_byte_for_byte() {
    for log in [include_str!("logs/v1.jsonl"), include_str!("logs/v2.jsonl"), include_str!("logs/v3.jsonl")] {
        let (events, _) = parse_log(Format::Pi, log.as_bytes());
        for parsed in &events {
            let line = log.lines().nth(usize::try_from(parsed.event.line).unwrap() - 1).unwrap();
            for content in &parsed.contents {
                let json = cwl_formats::block_json(content);
                assert!(line.contains(&json), "the block {json} is in its line {line}");
            }
            let cwl_engine::RawPayload::Around { before, after } = &parsed.envelope else {
                let whole = cwl_formats::fill_hole(&parsed.envelope, "");
                assert!(line.contains(&whole), "the envelope {whole} is in its line {line}");
                continue;
            };
            let start = line.find(before).unwrap() + before.len();
            let end = start + line[start..].rfind(after).unwrap();
            let content: serde_json::Value = serde_json::from_str(&line[start..end]).unwrap();
            assert!(content.is_string() || content.is_array(), "the hole is the content: {content}");
        }
    }
}
