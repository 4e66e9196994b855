//! Bodies of provider APIs: detection and odd cases.

use cwl_formats::{DetectFailure, Format, detect_format};

use crate::show::check_listing as check;

fn check_format(body: &str, expected: Result<Format, DetectFailure>) {
    assert_eq!(detect_format(body.as_bytes()), expected, "{body}");
}

#[test]
fn apis_are_told_apart_by_their_keys() {
    for body in [
        r#"{"model":"m","max_tokens":1,"system":"s","messages":[{"role":"user","content":"a"}]}"#,
        r#"{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"x"}]}]}"#,
        r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"n","input":{}"#,
        r#"{"messages":[{"role":"user","content":"a"}],"tools":[{"name":"n","input_schema":{}}]}"#,
        r#"{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{}}"#,
        "{\n  \"system\": \"s\",\n  \"messages\": []\n}",
    ] {
        check_format(body, Ok(Format::Anthropic));
    }
    for body in [
        r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"}]}"#,
        r#"{"messages":[{"role":"system","content":"s"},{"role":"tool","tool_call_id":"x","content":"#,
        r#"{"messages":[{"role":"assistant","tool_calls":[]}],"litellm_call_id":"x","original_response":"{}"}"#,
        r#"{"id":"x","object":"chat.completion","choices":[]}"#,
    ] {
        check_format(body, Ok(Format::OpenaiChat));
    }
    for body in [
        r#"{"model":"m","input":"a"}"#,
        r#"{"model":"m","instructions":"s","input":[{"role":"user","content":"a"}]}"#,
        r#"{"model":"m","previous_response_id":"r","input":[]}"#,
        r#"{"id":"r","object":"response","output":[]}"#,
    ] {
        check_format(body, Ok(Format::OpenaiResponses));
    }
    for body in [
        r#"{"contents":[{"role":"user","parts":[{"text":"a"}]}]}"#,
        r#"{"systemInstruction":{"parts":[{"text":"s"}]},"contents":[]}"#,
        r#"{"candidates":[{"content":{"parts":[]}}],"usageMetadata":{}}"#,
    ] {
        check_format(body, Ok(Format::Gemini));
    }
}

#[test]
fn documents_that_have_messages_too_are_no_bodies() {
    check_format(r#"{"trajectory_format":"mini-swe-agent-1","messages":[]}"#, Ok(Format::MiniSweAgent));
    check_format(
        r#"{"info":{"mini_version":"2"},"messages":[{"role":"system","content":"s"}]}"#,
        Ok(Format::MiniSweAgent),
    );
    check_format(
        r#"[{"role":"system","content":"s"},{"role":"user","content":"a"}]"#,
        Ok(Format::MiniSweAgent),
    );
    check_format(r#"{"schema_version":"ATIF-v1.6","agent":{},"steps":[]}"#, Ok(Format::Atif));
    check_format(r#"{"agent":{},"steps":[{"step_id":1,"source":"user","message":"a"}"#, Ok(Format::Atif));
    check_format(
        r#"{"trajectory":[{"action":"ls","observation":"","response":"","thou"#,
        Ok(Format::SweAgent),
    );
    check_format(r#"{"trajectory":[],"history":[],"info":{}}"#, Ok(Format::SweAgent));
    for body in [
        r#"{"messages":[]}"#,
        r#"{"messages":[{"type":"user","content":"a"}]}"#,
        r#"{"input":"a"}"#,
        r#"{"contents":"a"}"#,
        r#"{"trajectory":"x"}"#,
        "[]",
        "[1,2]",
        "{}",
    ] {
        check_format(body, Err(DetectFailure::Unknown));
    }
}

#[test]
fn usage_is_that_of_the_last_request() {
    check(
        Format::Anthropic,
        r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"b"}],"usage":{"input_tokens":3,"cache_read_input_tokens":90,"cache_creation_input_tokens":7,"output_tokens":5,"output_tokens_details":{"thinking_tokens":4}}}"#,
        r#"1 L1/reply <previous Assistant by Model usage 3/5/90/7 of it 4 reasoning
           0. text "b" {"type":"text","text":…}"#,
    );
    check(
        Format::OpenaiChat,
        r#"{"choices":[{"message":{"role":"assistant","content":"b"}}],"usage":{"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":90},"completion_tokens_details":{"reasoning_tokens":3}}}"#,
        r#"1 L1/reply <previous Assistant by Model usage 10/5/90/0 of it 3 reasoning
           0. text "b" …"#,
    );
    check(
        Format::OpenaiResponses,
        r#"{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]}],"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":200},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":9}}}"#,
        r#"1 L1/reply/0 <previous Assistant by Model usage 0/5/100/0 of it 5 reasoning
           0. text "b" {"type":"output_text","text":…}"#,
    );
    check(
        Format::Gemini,
        r#"{"candidates":[{"content":{"parts":[{"text":"b"}]}}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":90,"candidatesTokenCount":5,"thoughtsTokenCount":7}}"#,
        r#"1 L1/reply <previous Assistant by Model usage 10/12/90/0 of it 7 reasoning
           0. text "b" {"text":…}"#,
    );
}

#[test]
fn an_answer_without_content_is_a_turn() {
    check(
        Format::Anthropic,
        r#"{"type":"message","role":"assistant","content":[],"usage":{"input_tokens":3,"output_tokens":0}}"#,
        "1 L1/reply <previous Assistant by Model usage 3/0/0/0",
    );
}

#[test]
fn errors_and_strangers() {
    check(
        Format::Anthropic,
        "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n{\"weather\":\"fine\"}\n",
        "1 L1/body outside quiet error
         2 L2/body outside opaque body
         ! L007 line 2 entry L2/body: a record of unknown type `body`; kept",
    );
}

#[test]
fn an_unfinished_body_waits() {
    check(
        Format::OpenaiChat,
        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}",
        "! L004 line 1: the last line has no end; it is read again when it grows",
    );
}

#[test]
fn a_list_of_bodies() {
    check(
        Format::Gemini,
        r#"[{"contents":[{"role":"user","parts":[{"text":"a"}]}]},{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"b"}]}]}]"#,
        r#"1 L1/body-0/0 <previous User by Human
           0. text "a" {"text":…}
           1 L1/body-1/1 <previous Assistant by Model
           0. text "b" {"text":…}
           ! L022 line 1 entry L1/body-0/0: the log does not tell whether the human or the harness wrote this"#,
    );
}

#[test]
fn another_model_is_said() {
    check(
        Format::OpenaiChat,
        "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"a\"}]}\n{\"model\":\"n\",\"messages\":[{\"role\":\"system\",\"content\":\"a\"}]}\n",
        r#"1 L1/0 <previous System by Harness
           0. text "a" …
           2 L2/model <previous model n"#,
    );
}

#[test]
fn calls_of_gemini_without_ids_are_answered_in_order() {
    check(
        Format::Gemini,
        r#"{"contents":[{"role":"model","parts":[{"functionCall":{"name":"a","args":{}}},{"functionCall":{"name":"b","args":{}}},{"functionCall":{"name":"a","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"b","response":{"output":"1"}}},{"functionResponse":{"name":"a","response":{"output":"2"}}},{"functionResponse":{"name":"a","response":{"output":"3"}}},{"functionResponse":{"name":"c","response":{"output":"4"}}}]}]}"#,
        r#"1 L1/0 <previous Assistant by Model
           0. call L1-0-0 a "a{}" whole {"functionCall":{"name":"a","args":{}}}
           1. call L1-0-1 b "b{}" whole {"functionCall":{"name":"b","args":{}}}
           2. call L1-0-2 a "a{}" whole {"functionCall":{"name":"a","args":{}}}
           1 L1/1 <previous Tool by Tool
           0. result L1-0-1 Some("b") "1" {"output":…}
           1 L1/1/1 <previous Tool by Tool
           1. result L1-0-0 Some("a") "2" {"output":…}
           1 L1/1/2 <previous Tool by Tool
           2. result L1-0-2 Some("a") "3" {"output":…}
           1 L1/1/3 <previous Tool by Tool
           3. result L1-1-3-3 Some("c") "4" {"output":…}"#,
    );
}

#[test]
fn a_response_that_was_gone_on_from_earlier() {
    let response = |id: &str, text: &str| {
        format!(
            "{{\"id\":\"{id}\",\"object\":\"response\",\"output\":[{{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"{text}\"}}]}}\n"
        )
    };
    let request = |before: &str, text: &str| {
        format!(
            "{{\"previous_response_id\":\"{before}\",\"input\":[{{\"role\":\"system\",\"content\":\"{text}\"}}]}}\n"
        )
    };
    let log = [
        "{\"model\":\"m\",\"input\":[{\"role\":\"system\",\"content\":\"a\"}]}\n".to_owned(),
        response("r1", "b"),
        request("r1", "c"),
        response("r2", "d"),
        request("r1", "e"),
    ];
    check(
        Format::OpenaiResponses,
        &log.concat(),
        r#"1 L1/0 <previous System by Harness
           0. text "a" …
           2 L2/reply/0 <previous Assistant by Model
           0. text "b" …
           3 L3/0 <previous System by Harness
           0. text "c" …
           4 L4/reply/0 <previous Assistant by Model
           0. text "d" …
           5 L5/gone <previous revision From("L3/0") by 0
           5 L5/0 <previous System by Harness
           0. text "e" …"#,
    );
}
