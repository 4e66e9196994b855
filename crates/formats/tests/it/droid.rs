//! Droid: what a compaction keeps, who wrote what, and damaged logs.

use cwl_engine::{Author, EventBody, Keep};
use cwl_formats::{Format, parse_log};
use proptest::prelude::*;

use crate::damaged::{any_lines_of, is_read};
use crate::told::tell;

const RECORDS: &str = include_str!("../../../../samples/droid/records/input.jsonl");

const START: &str = r#"{"type":"session_start","id":"s","title":"t","version":2,"cwd":"/p"}"#;

fn row(id: &str, role: &str, content: &str) -> String {
    format!(r#"{{"type":"message","id":"{id}","message":{{"role":"{role}","content":{content}}}}}"#)
}

fn text(id: &str, role: &str) -> String {
    row(id, role, &format!(r#"[{{"type":"text","text":"{id}"}}]"#))
}

fn keep_of(rows: &[String]) -> Keep {
    let log = format!("{START}\n{}\n", rows.join("\n"));
    let (events, _) = parse_log(Format::Droid, log.as_bytes());
    let compactions = events.into_iter().filter_map(|parsed| match parsed.event.body {
        EventBody::Compaction(compaction) => Some(compaction.keep),
        _ => None,
    });
    compactions.last().unwrap()
}

#[test]
fn a_compaction_keeps_what_stands_behind_its_anchor() {
    let compacted =
        |anchor: &str| format!(r#"{{"type":"compaction_state","id":"c","summaryText":"S"{anchor}}}"#);
    let at = |id: &str| compacted(&format!(r#","anchorMessage":{{"id":"{id}","index":1}}"#));
    let call = row("a", "assistant", r#"[{"type":"tool_use","id":"t","name":"Read","input":{}}]"#);
    let hook =
        r#"{"type":"message","id":"h","message":{"role":"user","content":[],"visibility":"user_only"}}"#;
    let result = row("r", "user", r#"[{"type":"tool_result","tool_use_id":"t","content":"out"}]"#);
    let rows = [text("u", "user"), call, hook.to_owned(), result, text("b", "assistant"), text("v", "user")];
    for (compaction, expected) in [
        (at("u"), Keep::From("a".into())),
        // The call is gone, and so is its result.
        (at("a"), Keep::From("b".into())),
        (at("b"), Keep::From("v".into())),
        (at("v"), Keep::Nothing),
        (at("unknown-id"), Keep::Nothing),
        (compacted(""), Keep::Nothing),
    ] {
        assert_eq!(
            keep_of(&[&rows[..], std::slice::from_ref(&compaction)].concat()),
            expected,
            "{compaction}"
        );
    }
}

#[test]
fn a_compaction_that_names_no_anchor_is_noted_unless_it_begins_the_log() {
    let compaction = r#"{"type":"compaction_state","id":"c","summaryText":"S","removedCount":9}"#;
    let codes = |rows: &[&str]| {
        let told = tell(Format::Droid, format!("{START}\n{}\n", rows.join("\n")).as_bytes());
        told.codes().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(codes(&[compaction, &text("u", "user")]).is_empty());
    assert_eq!(codes(&[&text("u", "user"), compaction]), ["L026"]);
}

#[test]
fn authors() {
    let (events, _) = parse_log(Format::Droid, RECORDS.as_bytes());
    let told = events.iter().filter_map(|parsed| match &parsed.event.body {
        EventBody::Message(message) if message.role == cwl_engine::Role::User => {
            Some((parsed.event.entry.as_str(), message.author))
        }
        _ => None,
    });
    let expected = [
        ("context-u1", Author::Harness),
        ("u1/injected", Author::Harness),
        ("u1", Author::Human),
        ("u2", Author::Human),
        ("u3", Author::Human),
        ("u4", Author::Harness),
        ("u5", Author::Human),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_log_is_read(log in any_lines_of(RECORDS), cut in any::<proptest::sample::Index>()) {
        is_read(Format::Droid, &log, cut)?;
    }
}
