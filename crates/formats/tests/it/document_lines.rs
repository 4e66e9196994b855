//! Line numbers in documents: each message has the line on which it begins.

use cwl_formats::{Format, parse_log};

fn check(format: Format, log: &str, expected: &[u64]) {
    let (events, _) = parse_log(format, log.as_bytes());
    let messages = events.iter().filter(|parsed| parsed.event.body.all_blocks().next().is_some());
    let lines: Vec<u64> = messages.map(|parsed| parsed.event.line).collect();
    assert_eq!(lines, expected, "{format}: {log}");
}

#[test]
fn messages_of_a_document_have_their_own_lines() {
    let steps = r#""steps":[
        {"step_id":1,"source":"user","message":"go"},
        {"step_id":2,"source":"agent","message":"on it",
         "tool_calls":[{"tool_call_id":"a","function_name":"f","arguments":{}}],
         "observation":{"results":[{"source_call_id":"a","content":"1"}]}},

        {"step_id":3,"source":"agent","message":"done"}]"#;
    check(
        Format::Atif,
        &format!("{{\"schema_version\":\"ATIF-v1.6\",\n\"agent\":{{}},\n{steps}}}"),
        &[4, 5, 5, 9],
    );
    let subagent = format!("\"subagent_trajectories\":[\n{{\"agent\":{{}},{steps}}}]");
    check(
        Format::Atif,
        &format!("{{\"schema_version\":\"ATIF-v1.6\",\"agent\":{{}},{steps},\n{subagent}}}"),
        &[2, 3, 3, 7, 10, 11, 11, 15],
    );
    let messages = r#"[
        {"role":"user","content":"go"},
        {"role":"assistant",
         "content":"on it"},
        {"role":"user","content":"well?"}]"#;
    check(Format::MiniSweAgent, messages, &[2, 3, 5]);
    check(Format::SweAgent, &format!("{{\"trajectory\":[],\n\"history\":{messages}}}"), &[3, 4, 6]);
    check(
        Format::SweAgent,
        "{\"trajectory\":[\n{\"action\":\"a\",\"response\":\"r\",\"observation\":\"o\"},\n{\"action\":\"b\",\"response\":\"s\"}]}",
        &[2, 2, 3],
    );
}

#[test]
fn messages_of_a_body_have_their_own_lines() {
    let messages =
        "[\n{\"role\":\"user\",\"content\":\"go\"},\n{\"role\":\"assistant\",\"content\":\"on it\"}]";
    check(Format::Anthropic, &format!("{{\"system\":\"be brief\",\n\"messages\":{messages}}}"), &[1, 3, 4]);
    check(Format::OpenaiChat, &format!("{{\"model\":\"m\",\"messages\":{messages}}}"), &[2, 3]);
    // The dumped response stands behind its request.
    check(
        Format::OpenaiChat,
        &format!(
            "{{\"original_response\":\"{{\\\"choices\\\":[{{\\\"message\\\":{{\\\"role\\\":\\\"assistant\\\",\\\"content\\\":\\\"x\\\"}}}}]}}\",\n\"messages\":{messages}}}"
        ),
        &[3, 4, 4],
    );
    check(
        Format::OpenaiResponses,
        &format!("{{\"model\":\"m\",\"instructions\":\"be brief\",\"input\":{messages}}}"),
        &[1, 2, 3],
    );
    let contents = "[\n{\"role\":\"user\",\"parts\":[{\"text\":\"go\"}]},\n{\"role\":\"model\",\"parts\":[{\"text\":\"x\"}]}]";
    check(Format::Gemini, &format!("{{\"contents\":{contents}}}"), &[2, 3]);
}

#[test]
fn a_later_request_has_only_its_new_messages() {
    let request = |messages: &str| format!("{{\"system\":\"s\",\"messages\":[{messages}]}}\n");
    let (first, second) = (r#"{"role":"user","content":"go"}"#, r#"{"role":"assistant","content":"on it"}"#);
    let log = request(first) + &request(&format!("{first},{second}"));
    check(Format::Anthropic, &log, &[1, 1, 2]);
    let log = request(first) + &request(&format!("{first},\n{second}"));
    check(Format::Anthropic, &log, &[1, 1, 3]);
}
