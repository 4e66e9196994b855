//! Edits of bodies: the blocks that the readers of bodies find afterwards, and the bytes that stay.
#![allow(clippy::unwrap_used)]

use cwl_engine::{BlockKind, EventBody};

use super::edit::{BodyEdit, BodyEditRefusal, BodyPlace, edit_body, place_in_body};
use crate::format::Format;
use crate::reader::parse_log;

const ANTHROPIC: &str = r#"{ "model":"m", "system":[{"type":"text","text":"s"}],
 "messages": [ {"role":"user","content":"go"},
 {"role":"assistant","content":[{"type":"text","text":"a"}, {"type":"tool_use","id":"t1","name":"read","input":{"a":1.0}},{"type":"tool_use","id":"t2","name":"grep","input":{}}]},
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"one"}]},{"type":"tool_result","tool_use_id":"t2","content":"two","cache_control":{"type":"ephemeral"}}]} ], "max_tokens":7 }
"#;
const RESPONSES: &str = r#"{"model":"m","instructions":"s","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},{"type":"reasoning","id":"r","summary":[]},{"type":"function_call","call_id":"t1","name":"read","arguments":"{}"},{"type":"function_call","call_id":"t2","name":"grep","arguments":"{}"},{"type":"function_call_output","call_id":"t1","output":"one"},{"type":"function_call_output","call_id":"t2","output":"two"}],"stream":true}"#;
const CHAT: &str = r#"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"go"},{"role":"assistant","reasoning_content":"why","content":"a","tool_calls":[{"id":"t1","type":"function","function":{"name":"read","arguments":"{}"}},{"id":"t2","type":"function","function":{"name":"grep","arguments":"{}"}}]},{"role":"tool","tool_call_id":"t1","content":"one"},{"role":"tool","tool_call_id":"t2","content":"two"}]}"#;
const GEMINI: &str = r#"{"systemInstruction":{"parts":[{"text":"s"}]},"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"text":"why","thought":true},{"functionCall":{"id":"t1","name":"read","args":{}}},{"functionCall":{"id":"t2","name":"grep","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"t1","name":"read","response":{"output":"one"}}},{"inlineData":{"mimeType":"image/png","data":"AA=="}},{"functionResponse":{"id":"t2","name":"grep","response":{"output":"two"}}}]}]}"#;

/// Parses an edit: `-3` removes message 3, `-3.1` its part 1; `3.1=text` replaces that part; `3+text` inserts
/// before message 3, `3.1+text` before its part 1; `3^` joins message 3.
fn read_edit(text: &str) -> BodyEdit {
    let place = |text: &str| {
        let (message, part) = text.split_once('.').unwrap_or((text, "0"));
        BodyPlace { message: message.parse().unwrap(), part: part.parse().unwrap() }
    };
    if let Some(gone) = text.strip_prefix('-') {
        return match gone.contains('.') {
            true => BodyEdit::RemovePart(place(gone)),
            false => BodyEdit::Remove(gone.parse().unwrap()),
        };
    }
    if let Some(joined) = text.strip_suffix('^') {
        return BodyEdit::Join(joined.parse().unwrap());
    }
    match (text.split_once('='), text.split_once('+')) {
        (Some((at, by)), _) => BodyEdit::ReplacePart(place(at), by.to_owned()),
        (_, Some((at, new))) => BodyEdit::Insert(place(at), new.to_owned()),
        _ => panic!("{text}"),
    }
}

fn edited(format: Format, body: &str, edits: &str) -> Result<String, BodyEditRefusal> {
    let edits: Vec<BodyEdit> = edits.split_whitespace().map(read_edit).collect();
    edit_body(format, body, &edits)
}

/// Lists the blocks that the reader of bodies finds: the place, and the call's id or the text.
fn blocks_of(format: Format, body: &str) -> String {
    let (events, _) = parse_log(format, body.as_bytes());
    let mut told = Vec::new();
    for event in &events {
        let EventBody::Message(message) = &event.event.body else { continue };
        for (block, content) in message.blocks.iter().zip(&event.contents) {
            let Some(place) = place_in_body(event.event.entry.as_str(), block.index) else { continue };
            let what = match &block.kind {
                BlockKind::Call(call) => format!("call-{}", call.id.as_str()),
                BlockKind::Result(result) => format!("{}-{}", result.call.as_str(), content.text),
                _ => content.text.clone(),
            };
            told.push(format!("{}.{}:{what}", place.message, place.part));
        }
    }
    told.join(" ")
}

#[test]
fn places_are_those_of_the_readers() {
    let check = |format, body, expected: &str| assert_eq!(blocks_of(format, body), expected, "{format}");
    check(Format::Anthropic, ANTHROPIC, "0.0:go 1.0:a 1.1:call-t1 1.2:call-t2 2.0:t1-one 2.1:t2-two");
    check(Format::OpenaiResponses, RESPONSES, "0.0:go 1.0: 2.0:call-t1 3.0:call-t2 4.0:t1-one 5.0:t2-two");
    check(
        Format::OpenaiChat,
        CHAT,
        "0.0:s 1.0:go 2.0:why 2.1:a 2.2:call-t1 2.3:call-t2 3.0:t1-one 4.0:t2-two",
    );
    check(Format::Gemini, GEMINI, "0.0:go 1.0:why 1.1:call-t1 1.2:call-t2 2.0:t1-one 2.2:t2-two");
}

#[test]
fn no_edit_leaves_every_byte() {
    for (format, body) in [
        (Format::Anthropic, ANTHROPIC),
        (Format::OpenaiResponses, RESPONSES),
        (Format::OpenaiChat, CHAT),
        (Format::Gemini, GEMINI),
    ] {
        assert_eq!(edit_body(format, body, &[]).as_deref(), Ok(body), "{format}");
    }
}

/// Checks the blocks after edits, and that every other byte stays.
fn check(format: Format, body: &str, edits: &str, expected: &str) {
    let new = edited(format, body, edits).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&new).is_ok(), "{new}");
    assert_eq!(blocks_of(format, &new), expected, "{format} {edits}: {new}");
}

#[test]
fn parts_go_and_texts_stand_for_results() {
    let anthropic = |edits, expected| check(Format::Anthropic, ANTHROPIC, edits, expected);
    anthropic("-1.1 -2.0", "0.0:go 1.0:a 1.1:call-t2 2.0:t2-two");
    anthropic("-1.2 -2.1 -1.0", "0.0:go 1.0:call-t1 2.0:t1-one");
    anthropic("-1 -2", "0.0:go");
    anthropic("-1.0 -1.1 -1.2 -2.0 -2.1", "0.0:go");
    anthropic("2.0=gone 2.1=cleared", "0.0:go 1.0:a 1.1:call-t1 1.2:call-t2 2.0:t1-gone 2.1:t2-cleared");
    let responses = |edits, expected| check(Format::OpenaiResponses, RESPONSES, edits, expected);
    responses("-1 -2.0 -4", "0.0:go 1.0:call-t2 2.0:t2-two");
    responses("5.0=gone", "0.0:go 1.0: 2.0:call-t1 3.0:call-t2 4.0:t1-one 5.0:t2-gone");
    let chat = |edits, expected| check(Format::OpenaiChat, CHAT, edits, expected);
    chat("-2.2 -3.0", "0.0:s 1.0:go 2.0:why 2.1:a 2.2:call-t2 3.0:t2-two");
    chat("-2.0 -2.1", "0.0:s 1.0:go 2.0:call-t1 2.1:call-t2 3.0:t1-one 4.0:t2-two");
    chat("-2.2 -2.3 -3 -4", "0.0:s 1.0:go 2.0:why 2.1:a");
    chat("-2.1 -2.2 -2.3 -3 -4", "0.0:s 1.0:go");
    chat("3.0=gone", "0.0:s 1.0:go 2.0:why 2.1:a 2.2:call-t1 2.3:call-t2 3.0:t1-gone 4.0:t2-two");
    let gemini = |edits, expected| check(Format::Gemini, GEMINI, edits, expected);
    gemini("-1.1 -2.0", "0.0:go 1.0:why 1.1:call-t2 2.0:t2-two");
    gemini("2.0=gone", "0.0:go 1.0:why 1.1:call-t1 1.2:call-t2 2.0:t1-gone 2.1:t2-two");
    let with_picture = edited(Format::Gemini, GEMINI, "-1.2 -2.2").unwrap();
    assert!(with_picture.contains("image/png"), "the other result's picture stays: {with_picture}");
}

#[test]
fn everything_else_stays_to_the_byte() {
    let new = edited(Format::Anthropic, ANTHROPIC, "-1.2 2.1=x").unwrap();
    assert_eq!(
        new,
        r#"{ "model":"m", "system":[{"type":"text","text":"s"}],
 "messages": [{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t1","name":"read","input":{"a":1.0}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"one"}]},{"type":"tool_result","tool_use_id":"t2","content":"x","cache_control":{"type":"ephemeral"}}]}], "max_tokens":7 }"#
    );
}

#[test]
fn texts_come_in_where_a_provider_takes_them() {
    let anthropic = |edits, expected| check(Format::Anthropic, ANTHROPIC, edits, expected);
    anthropic("1+note", "0.0:go 1.0:note 2.0:a 2.1:call-t1 2.2:call-t2 3.0:t1-one 3.1:t2-two");
    anthropic("3+note", "0.0:go 1.0:a 1.1:call-t1 1.2:call-t2 2.0:t1-one 2.1:t2-two 3.0:note");
    anthropic("0.1+note", "0.0:go 0.1:note 1.0:a 1.1:call-t1 1.2:call-t2 2.0:t1-one 2.1:t2-two");
    // Never between calls and results, and never before a result of the same message.
    for edit in ["2+note", "2.1+note"] {
        anthropic(edit, "0.0:go 1.0:a 1.1:call-t1 1.2:call-t2 2.0:t1-one 2.1:t2-two 2.2:note");
    }
    anthropic("-1 -2 2+note", "0.0:go 1.0:note");
    let note = "0.0:go 1.0: 2.0:call-t1 3.0:call-t2 4.0:t1-one 5.0:t2-two 6.0:note";
    for edit in ["4+note", "5+note", "6+note"] {
        check(Format::OpenaiResponses, RESPONSES, edit, note);
        let chat = "0.0:s 1.0:go 2.0:why 2.1:a 2.2:call-t1 2.3:call-t2 3.0:t1-one 4.0:t2-two 5.0:note";
        check(Format::OpenaiChat, CHAT, &edit.replace('4', "3").replace(['5', '6'], "4"), chat);
    }
    check(
        Format::Gemini,
        GEMINI,
        "2+note",
        "0.0:go 1.0:why 1.1:call-t1 1.2:call-t2 2.0:t1-one 2.2:t2-two 2.3:note",
    );
    check(
        Format::Gemini,
        GEMINI,
        "1+note",
        "0.0:go 1.0:note 2.0:why 2.1:call-t1 2.2:call-t2 3.0:t1-one 3.2:t2-two",
    );
}

#[test]
fn messages_of_one_role_are_joined() {
    let body = r#"{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"text":"a"}]},{"role":"user","parts":[{"functionResponse":{"name":"x","response":{}}}]},{"role":"model","parts":[{"functionCall":{"id":"t1","name":"read","args":{}}}]}]}"#;
    check(Format::Gemini, body, "-2 3^", "0.0:go 1.0:a 1.1:call-t1");
    assert_eq!(edited(Format::Gemini, body, "3^"), Err(BodyEditRefusal::NotJoined(3)));
}

#[test]
fn edits_that_cannot_be_made_are_refused() {
    let check = |format, body: &str, edits: &str, expected: BodyEditRefusal| {
        assert_eq!(edited(format, body, edits), Err(expected), "{edits}");
    };
    let place = |message, part| BodyPlace { message, part };
    check(Format::Anthropic, "", "-1", BodyEditRefusal::NoList);
    check(Format::Anthropic, "[]", "-1", BodyEditRefusal::NoList);
    check(Format::Anthropic, r#"{"messages":{}}"#, "-1", BodyEditRefusal::NoList);
    check(Format::Anthropic, &ANTHROPIC[..90], "-1", BodyEditRefusal::NoList);
    check(Format::OpenaiResponses, r#"{"input":"text"}"#, "-0", BodyEditRefusal::NoList);
    check(Format::Anthropic, ANTHROPIC, "-3", BodyEditRefusal::NoPart(place(3, 0)));
    check(Format::Anthropic, ANTHROPIC, "-1.3", BodyEditRefusal::NoPart(place(1, 3)));
    check(Format::Anthropic, ANTHROPIC, "1.0=x", BodyEditRefusal::NoResult(place(1, 0)));
    check(Format::OpenaiResponses, RESPONSES, "-2.1", BodyEditRefusal::NoPart(place(2, 1)));
    check(Format::OpenaiResponses, RESPONSES, "2.0=x", BodyEditRefusal::NoResult(place(2, 0)));
    check(Format::OpenaiChat, CHAT, "2.2=x", BodyEditRefusal::NoResult(place(2, 2)));
    check(Format::OpenaiChat, CHAT, "-2.4", BodyEditRefusal::NoPart(place(2, 4)));
    check(Format::Gemini, GEMINI, "1.1=x", BodyEditRefusal::NoResult(place(1, 1)));
}
