//! The same content gives the same blocks, classes and counted texts, whether it comes from a harness's log,
//! a request or a response.

use cwl_engine::{BlockKind, EventLog, History, Session, SessionBlock};
use cwl_formats::{Format, default_tools, parse_log};

/// A log format that can hold a provider's content, and the log around the content.
struct Door {
    format: Format,
    log: fn(&str) -> String,
}

const fn door(format: Format, log: fn(&str) -> String) -> Door {
    Door { format, log }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// Shows a log's blocks except its instructions, one per line: class, kind, call with its class, images,
/// text.
fn blocks_of(format: Format, log: &str) -> Vec<String> {
    let (events, _) = parse_log(format, log.as_bytes());
    let mut all = EventLog::default();
    let mut texts = Vec::new();
    for parsed in events {
        texts.push(parsed.contents);
        all.push(parsed.event);
    }
    let (session, _) = Session::build(&all, None, History::AsRecorded, &default_tools());
    let lines = session.blocks.iter().map(|block| {
        let class = session.messages[block.message.at()].class;
        let text = &texts[block.event.at()][block.part as usize].text;
        format!("{} {} {text:?}", format!("{class:?}").to_lowercase(), show(block))
    });
    lines.filter(|line| !line.starts_with("system")).collect()
}

fn show(block: &SessionBlock) -> String {
    let images = if block.images > 0 { format!(" +{}", block.images) } else { String::new() };
    match &block.kind {
        BlockKind::Call(call) => format!("call {} {} {:?}", call.id, call.name, block.class.unwrap()),
        BlockKind::Result(result) => {
            format!("result {}{}{images}", result.call, if result.ok { "" } else { " failed" })
        }
        other => format!("{}{images}", other.name()),
    }
}

#[track_caller]
fn check(doors: &[Door], content: &str, expected: &[&str]) {
    assert!(serde_json::from_str::<serde_json::Value>(content).is_ok(), "{content}");
    for (nth, Door { format, log }) in doors.iter().enumerate() {
        let log = log(content);
        assert_eq!(blocks_of(*format, &log), expected, "door {nth} ({format}): {log}");
    }
}

fn claude_row(role: &str, content: &str) -> String {
    format!(
        r#"{{"type":"{role}","uuid":"u","parentUuid":null,"isSidechain":false,"sessionId":"s","cwd":"/p","timestamp":"2026-03-01T10:00:00Z","message":{{"id":"m","role":"{role}","model":"x","content":{content}}}}}"#
    )
}

fn droid_message(role: &str, content: &str) -> String {
    format!(r#"{{"type":"message","id":"m","message":{{"role":"{role}","content":{content}}}}}"#)
}

const ANTHROPIC_REPLY: [Door; 5] = [
    door(Format::ClaudeCode, |content| claude_row("assistant", content)),
    door(Format::Droid, |content| droid_message("assistant", content)),
    door(Format::Anthropic, |content| {
        format!(r#"{{"messages":[{{"role":"assistant","content":{content}}}]}}"#)
    }),
    door(Format::Anthropic, |content| {
        format!(r#"{{"type":"message","role":"assistant","content":{content}}}"#)
    }),
    door(Format::OpenaiChat, |content| {
        let answer = format!(r#"{{"type":"message","role":"assistant","content":{content}}}"#);
        format!(r#"{{"messages":[],"original_response":{}}}"#, quoted(&answer))
    }),
];
const ANTHROPIC_USER: [Door; 3] = [
    door(Format::ClaudeCode, |content| claude_row("user", content)),
    door(Format::Droid, |content| droid_message("user", content)),
    door(Format::Anthropic, |content| format!(r#"{{"messages":[{{"role":"user","content":{content}}}]}}"#)),
];

#[test]
fn blocks_of_anthropic() {
    let check = |content: &str, expected: &[&str]| check(&ANTHROPIC_REPLY, content, expected);
    check(r#""hello""#, &[r#"assistant text "hello""#]);
    check(
        r#"[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"a"},{"type":"text","text":"b"}]"#,
        &[r#"assistant reasoning "hm""#, r#"assistant text "a""#, r#"assistant text "b""#],
    );
    check(
        r#"[{"type":"thinking","thinking":"","signature":"s"},{"type":"redacted_thinking","data":"e"}]"#,
        &[r#"assistant reasoning """#, r#"assistant reasoning """#],
    );
    check(
        r#"[{"type":"tool_use","id":"c","name":"Read","input":{"file_path":"a","limit":1.0}}]"#,
        &[r#"assistant call c Read Read "Read{\"file_path\":\"a\",\"limit\":1}""#],
    );
    check(
        r#"[{"type":"server_tool_use","id":"c","name":"web_search","input":{"query":"q"}},{"type":"web_search_tool_result","tool_use_id":"c","content":[{"type":"web_search_result","title":"T","url":"u","encrypted_content":"e"},{"type":"web_search_result","title":"V","url":"w"}]}]"#,
        &[
            r#"assistant call c web_search Search "web_search{\"query\":\"q\"}""#,
            r#"assistant result c "T\nu\nV\nw\n""#,
        ],
    );
    check(
        r#"[{"type":"web_search_tool_result","tool_use_id":"c","content":{"type":"web_search_tool_result_error","error_code":"unavailable"}}]"#,
        &[
            r#"assistant result c failed "{\"type\":\"web_search_tool_result_error\",\"error_code\":\"unavailable\"}""#,
        ],
    );
    check(
        r#"[{"type":"code_execution_tool_result","tool_use_id":"c","content":{"type":"code_execution_result","stdout":"1\n","return_code":0}}]"#,
        &[
            r#"assistant result c "{\"type\":\"code_execution_result\",\"stdout\":\"1\\n\",\"return_code\":0}""#,
        ],
    );
    check(
        r#"[{"type":"mcp_tool_use","id":"c","name":"n","server_name":"s","input":{}},{"type":"mcp_tool_result","tool_use_id":"c","is_error":true,"content":[{"type":"text","text":"no"}]}]"#,
        &[r#"assistant call c n Other "n{}""#, r#"assistant result c failed "no""#],
    );
    check(r#"[{"type":"fallback"},{"type":"hologram"}]"#, &[r#"assistant opaque """#; 2]);
}

#[test]
fn blocks_of_anthropic_in_the_users_slot() {
    let check = |content: &str, expected: &[&str]| check(&ANTHROPIC_USER, content, expected);
    check(r#"[{"type":"tool_result","tool_use_id":"c","content":"out"}]"#, &[r#"tool result c "out""#]);
    check(
        r#"[{"type":"tool_result","tool_use_id":"c","is_error":true,"content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"image","source":{}},{"type":"tool_reference","tool_name":"t"}]}]"#,
        &[r#"tool result c failed +1 "ab""#],
    );
    check(
        r#"[{"type":"tool_result","tool_use_id":"c"},{"type":"tool_result","tool_use_id":"d","content":{"a":1}}]"#,
        &[r#"tool result c """#, r#"tool result d "{\"a\":1}""#],
    );
    check(
        r#"[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}},{"type":"document","source":{"type":"text","data":"notes"}},{"type":"document","source":{"type":"base64","data":"JVBE"}}]"#,
        &[r#"user text "see""#, r#"user image +1 """#, r#"user text "notes""#, r#"user opaque """#],
    );
    check(
        r#"[{"type":"text","text":"<system-reminder>x</system-reminder>"}]"#,
        &[r#"injected text "<system-reminder>x</system-reminder>""#],
    );
}

fn codex_line(kind: &str, payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-03-01T10:00:00Z","type":"{kind}","payload":{payload}}}"#)
}

fn codex_items(items: &str) -> Vec<String> {
    let items: Vec<serde_json::Value> = serde_json::from_str(items).unwrap();
    items.iter().map(serde_json::Value::to_string).collect()
}

/// Items of any author: a rollout, a rollout without envelopes, a compacted history, a request.
const OPENAI_ITEMS: [Door; 4] = [
    door(Format::Codex, |items| {
        codex_items(items).iter().map(|item| codex_line("response_item", item) + "\n").collect()
    }),
    door(Format::Codex, |items| codex_items(items).iter().map(|item| format!("{item}\n")).collect()),
    door(Format::Codex, |items| {
        codex_line("compacted", &format!(r#"{{"message":"s","replacement_history":{items}}}"#))
    }),
    door(Format::OpenaiResponses, |items| format!(r#"{{"model":"m","input":{items}}}"#)),
];
/// Items of the model also come as a response.
const OPENAI_ANSWER: [Door; 1] =
    [door(Format::OpenaiResponses, |items| format!(r#"{{"object":"response","output":{items}}}"#))];

#[test]
fn items_of_openai() {
    let any = |items: &str, expected: &[&str]| check(&OPENAI_ITEMS, items, expected);
    let models = |items: &str, expected: &[&str]| {
        check(&OPENAI_ITEMS, items, expected);
        check(&OPENAI_ANSWER, items, expected);
    };
    any(
        r#"[{"type":"message","role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,AA"},{"type":"input_file","file_id":"f"},{"type":"hologram"}]}]"#,
        &[r#"user text "see""#, r#"user image +1 """#, r#"user opaque """#, r#"user opaque """#],
    );
    any(r#"[{"type":"message","role":"user","content":"plain"}]"#, &[r#"user text "plain""#]);
    models(
        r#"[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"refusal","refusal":"no"}]}]"#,
        &[r#"assistant text "a""#, r#"assistant text "no""#],
    );
    models(
        r#"[{"type":"reasoning","summary":[{"type":"summary_text","text":"one"},{"type":"summary_text","text":"two"}],"content":[{"type":"reasoning_text","text":"three"}],"encrypted_content":"e"}]"#,
        &[r#"assistant reasoning "one\n\ntwo\n\nthree""#],
    );
    models(r#"[{"type":"reasoning","summary":[],"encrypted_content":"e"}]"#, &[r#"assistant reasoning """#]);
    models(
        r#"[{"type":"function_call","call_id":"c","name":"read_file","arguments":"{\"path\": \"a\"}"}]"#,
        &[r#"assistant call c read_file Read "read_file{\"path\":\"a\"}""#],
    );
    models(
        r#"[{"type":"function_call","call_id":"c","name":"list","namespace":"mcp__feeds__","arguments":"{not json"}]"#,
        &[r#"assistant call c mcp__feeds__list Search "mcp__feeds__list{not json""#],
    );
    models(
        r#"[{"type":"function_call","call_id":"c","name":"shell","arguments":"{\"command\":[\"apply_patch\",\"*** Begin\"]}"}]"#,
        &[r#"assistant call c apply_patch Write "shell{\"command\":[\"apply_patch\",\"*** Begin\"]}""#],
    );
    models(
        r#"[{"type":"custom_tool_call","call_id":"c","name":"apply_patch","input":"{ \"a\": 1 }"}]"#,
        &[r#"assistant call c apply_patch Write "apply_patch{ \"a\": 1 }""#],
    );
    models(
        r#"[{"type":"local_shell_call","call_id":"c","action":{"type":"exec","command":["ls"]}},{"type":"tool_search_call","call_id":"d","arguments":{"query":"q"}}]"#,
        &[
            r#"assistant call c local_shell Shell "local_shell{\"type\":\"exec\",\"command\":[\"ls\"]}""#,
            r#"assistant call d tool_search Search "tool_search{\"query\":\"q\"}""#,
        ],
    );
    // Each separately, because a reply's calls stand together before their results.
    models(
        r#"[{"type":"web_search_call","id":"ws","status":"completed","action":{"type":"search","query":"q"}}]"#,
        &[
            r#"assistant call ws web_search_call Search "web_search_call{\"type\":\"search\",\"query\":\"q\"}""#,
            r#"tool result ws """#,
        ],
    );
    models(
        r#"[{"type":"image_generation_call","id":"ig","status":"failed","revised_prompt":"a gull","result":"AA"}]"#,
        &[
            r#"assistant call ig image_generation_call Other "image_generation_call\"a gull\"""#,
            r#"tool result ig failed +1 """#,
        ],
    );
    models(
        r#"[{"type":"code_interpreter_call","id":"ci","code":"1+1"}]"#,
        &[
            r#"assistant call ci code_interpreter_call Other "code_interpreter_call\"1+1\"""#,
            r#"tool result ci """#,
        ],
    );
    models(
        r#"[{"type":"file_search_call","id":"fs","queries":["q"]}]"#,
        &[r#"assistant call fs file_search_call Other "file_search_call[\"q\"]""#, r#"tool result fs """#],
    );
    any(
        r#"[{"type":"function_call_output","call_id":"c","output":"out"},{"type":"custom_tool_call_output","call_id":"d","output":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"},{"type":"input_image","image_url":"data:image/png;base64,AA"}]}]"#,
        &[r#"tool result c "out""#, r#"tool result d +1 "ab""#],
    );
    any(
        r#"[{"type":"tool_search_output","call_id":"c","tools":[{"type":"function","name":"n"}]},{"type":"computer_call_output","call_id":"d","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,AA"}}]"#,
        &[r#"tool result c "[{\"type\":\"function\",\"name\":\"n\"}]""#, r#"tool result d +1 """#],
    );
    any(r#"[{"type":"compaction","encrypted_content":"e"}]"#, &[r#"summary opaque """#]);
}

/// Messages of any role: a request, and trajectories of two agents.
const CHAT: [Door; 3] = [
    door(Format::OpenaiChat, |message| format!(r#"{{"messages":[{message}]}}"#)),
    door(Format::MiniSweAgent, |message| {
        format!(r#"{{"trajectory_format":"mini-swe-agent-1","messages":[{message}]}}"#)
    }),
    door(Format::SweAgent, |message| format!(r#"{{"trajectory":[],"history":[{message}]}}"#)),
];
/// Messages of the model also come as a response, and in LiteLLM's dump.
const CHAT_ANSWER: [Door; 2] = [
    door(Format::OpenaiChat, |message| format!(r#"{{"choices":[{{"message":{message}}}]}}"#)),
    door(Format::OpenaiChat, |message| {
        let answer = format!(r#"{{"choices":[{{"message":{message}}}]}}"#);
        format!(r#"{{"messages":[],"original_response":{}}}"#, quoted(&answer))
    }),
];

#[test]
fn messages_of_openai_chat() {
    let any = |message: &str, expected: &[&str]| check(&CHAT, message, expected);
    let models = |message: &str, expected: &[&str]| {
        check(&CHAT, message, expected);
        check(&CHAT_ANSWER, message, expected);
    };
    any(
        r#"{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"u"}}]}"#,
        &[r#"user text "see""#, r#"user image +1 """#],
    );
    for field in ["reasoning_content", "reasoning", "reasoning_text"] {
        models(
            &format!(r#"{{"role":"assistant","content":"a","{field}":"hm"}}"#),
            &[r#"assistant reasoning "hm""#, r#"assistant text "a""#],
        );
    }
    models(r#"{"role":"assistant","content":null,"refusal":"no"}"#, &[r#"assistant text "no""#]);
    models(
        r#"{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"bash","arguments":"{\"command\": \"ls\"}"}},{"id":"d","type":"custom","custom":{"name":"patch","input":"{ \"a\": 1 }"}}]}"#,
        &[
            r#"assistant call c bash Shell "bash{\"command\":\"ls\"}""#,
            r#"assistant call d patch Write "patch{ \"a\": 1 }""#,
        ],
    );
    any(
        r#"{"role":"tool","tool_call_id":"c","tool_call_ids":["c"],"content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"image_url","image_url":{"url":"u"}}]}"#,
        &[r#"tool result c +1 "ab""#],
    );
}

fn gemini_record(kind: &str, parts: &str) -> String {
    format!(r#"{{"id":"i","timestamp":"2026-03-01T10:00:00Z","type":"{kind}","content":{parts}}}"#)
}

fn gemini_set(kind: &str, parts: &str) -> String {
    format!(r#"{{"$set":{{"messages":[{}]}}}}"#, gemini_record(kind, parts))
}

const GEMINI_REPLY: [Door; 4] = [
    door(Format::GeminiCli, |parts| gemini_record("gemini", parts) + "\n"),
    door(Format::GeminiCli, |parts| gemini_set("gemini", parts) + "\n"),
    door(Format::Gemini, |parts| format!(r#"{{"contents":[{{"role":"model","parts":{parts}}}]}}"#)),
    door(Format::Gemini, |parts| format!(r#"{{"candidates":[{{"content":{{"parts":{parts}}}}}]}}"#)),
];
const GEMINI_USER: [Door; 2] = [
    door(Format::GeminiCli, |parts| gemini_record("user", parts) + "\n"),
    door(Format::Gemini, |parts| format!(r#"{{"contents":[{{"role":"user","parts":{parts}}}]}}"#)),
];

#[test]
fn parts_of_gemini() {
    let models = |parts: &str, expected: &[&str]| check(&GEMINI_REPLY, parts, expected);
    let users = |parts: &str, expected: &[&str]| check(&GEMINI_USER, parts, expected);
    models(
        r#"[{"text":"hm","thought":true},{"text":"a"},{"text":"","thoughtSignature":"s"}]"#,
        &[r#"assistant reasoning "hm""#, r#"assistant text "a""#],
    );
    models(
        r#"[{"functionCall":{"id":"c","name":"read_file","args":{"path":"a"}}},{"function_call":{"id":"d","name":"glob"}}]"#,
        &[
            r#"assistant call c read_file Read "read_file{\"path\":\"a\"}""#,
            r#"assistant call d glob Search "glob""#,
        ],
    );
    models(
        r#"[{"executableCode":{"language":"PYTHON","code":"1+1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"2\n"}}]"#,
        &[r#"assistant text "1+1""#, r#"assistant text "2\n""#],
    );
    models(
        r#"[{"inlineData":{"mimeType":"image/png","data":"AA"}},{"file_data":{"mime_type":"application/pdf","file_uri":"u"}},{"hologram":{}}]"#,
        &[r#"assistant image +1 """#, r#"assistant opaque """#, r#"assistant opaque """#],
    );
    let seen = r#"[{"text":"see"},{"inlineData":{"mimeType":"image/png","data":"AA"}}]"#;
    let in_a_new_list: [Door; 1] = [door(Format::GeminiCli, |parts| gemini_set("user", parts) + "\n")];
    for doors in [&GEMINI_USER[..], &in_a_new_list] {
        check(doors, seen, &[r#"user text "see""#, r#"user image +1 """#]);
    }
    users(
        r#"[{"functionResponse":{"id":"c","name":"n","response":{"output":"out"}}},{"functionResponse":{"id":"d","name":"n","response":{"error":"no"}}}]"#,
        &[r#"tool result c "out""#, r#"tool result d failed "no""#],
    );
    users(
        r#"[{"functionResponse":{"id":"c","name":"n","response":{"output":"out","exitCode":1}}},{"inlineData":{"mimeType":"image/png","data":"AA"}}]"#,
        &[r#"tool result c +1 "{\"output\":\"out\",\"exitCode\":1}""#],
    );
    users(
        r#"[{"functionResponse":{"id":"c","name":"n","response":{"output":"out"},"parts":[{"inlineData":{"mimeType":"image/png","data":"AA"}}]}}]"#,
        &[r#"tool result c +1 "out""#],
    );
}
