//! Formats are detected by content.

use cwl_formats::{DetectFailure, Format, detect_format};

fn check(head: impl AsRef<[u8]>, expected: Result<Format, DetectFailure>) {
    let head = head.as_ref();
    assert_eq!(detect_format(head), expected, "{}", String::from_utf8_lossy(&head[..head.len().min(200)]));
}

const HEADER: &str =
    r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/p"}"#;

#[test]
fn pi_by_its_header() {
    check(HEADER, Ok(Format::Pi));
    check(format!("{HEADER}\n"), Ok(Format::Pi));
    check(format!("\u{feff}{HEADER}\r\n"), Ok(Format::Pi));
    check(format!("\n\0\0{HEADER}\0\n"), Ok(Format::Pi));
    check(
        r#"{"cwd":"/p","timestamp":"2025-11-01T00:00:00Z","id":"s","provider":"x","type":"session"}"#,
        Ok(Format::Pi),
    );
    check(r#"{ "type" : "session" , "timestamp" : "t" }"#, Ok(Format::Pi));
}

#[test]
fn pi_without_a_header() {
    check(
        r#"{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"x"}}"#,
        Ok(Format::Pi),
    );
    check(r#"{"type":"message","timestamp":"t","message":{"role":"user","content":"x"}}"#, Ok(Format::Pi));
    check(r#"{"type":"compaction","id":"1","parentId":"0"}"#, Ok(Format::Pi));
}

#[test]
fn lines_that_nobody_knows_are_passed_over() {
    check(format!("garbage\n42\n{{\"a\":1}}\n{HEADER}\n"), Ok(Format::Pi));
    check([b"\xff\xfe\n", HEADER.as_bytes()].concat(), Ok(Format::Pi));
}

#[test]
fn a_first_line_that_the_window_cuts() {
    for cut in 50..HEADER.len() {
        check(&HEADER[..cut], Ok(Format::Pi));
    }
    let long = "x".repeat(100_000);
    check(
        format!(r#"{{"type":"message","id":"1","parentId":null,"message":{{"role":"user","content":"{long}"#),
        Ok(Format::Pi),
    );
    check(format!(r#"{{"type":"session","version":3,"id":"s","cwd":"{long}"}}"#), Ok(Format::Pi));
    check(
        format!(r#"{{"type":"message","message":{{"role":"user","content":"{}"#, "ü".repeat(40_000)),
        Ok(Format::Pi),
    );
}

#[test]
fn other_logs_are_not_pi() {
    for other in [
        r#"{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"x"},"uuid":"u"}"#,
        r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s","cwd":"/p"}}"#,
        r#"{"type":"session.start","data":{},"id":"1","parentId":null,"timestamp":"t"}"#,
        r#"{"type":"session"}"#,
        r#"{"type":"message"}"#,
        r#"{"type":7,"id":"x"}"#,
        r#"["session"]"#,
        "session log of today",
        "[",
    ] {
        assert_ne!(detect_format(other.as_bytes()), Ok(Format::Pi), "{other}");
    }
}

#[test]
fn a_header_like_pis_before_rows_that_pi_does_not_write_is_not_pi() {
    let is_pi = |rows: &str| detect_format(format!("{HEADER}\n{rows}").as_bytes()) == Ok(Format::Pi);
    let message = r#"{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"x"}}"#;
    let foreign = r#"{"type":"turn","id":"1","parentId":null,"data":{"text":"x"}}"#;
    assert!(!is_pi(foreign));
    assert!(
        !is_pi(r#"{"type":"message","id":"1","role":"user","content":"x"}"#),
        "pi has a member `message`"
    );
    assert!(!is_pi(r#"{"role":"user","content":"x"}"#));
    assert!(!is_pi(&format!("{HEADER}\n{foreign}\n{HEADER}\n")));
    assert!(is_pi(&format!("{foreign}\n{message}\n")), "a fork of pi has rows of its own");
    assert!(is_pi(&format!("{foreign}\n{}", &message[..40])), "the window may cut a row");
    assert!(is_pi(&foreign[..30]));
    assert!(is_pi(HEADER));
    assert!(is_pi("garbage\n[1]\n"));
}

#[test]
fn rows_of_claude_code_and_of_qwen_code_are_told_apart() {
    let qwen = r#"{"uuid":"u","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"x"}]}}"#;
    let claude = r#"{"uuid":"u","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","content":"x"}}"#;
    for (row, expected) in [
        (qwen.to_owned(), Ok(Format::QwenCode)),
        // A subagent's row.
        (qwen.replace(r#""type""#, r#""isSidechain":true,"agentId":"a","type""#), Ok(Format::QwenCode)),
        (qwen[..qwen.len() - 12].to_owned(), Ok(Format::QwenCode)),
        (
            r#"{"uuid":"u","parentUuid":null,"sessionId":"s","type":"system","subtype":"x","systemPayload":{}}"#
                .to_owned(),
            Ok(Format::QwenCode),
        ),
        // Some collections omit `isSidechain` and `userType`.
        (claude.to_owned(), Ok(Format::ClaudeCode)),
        (claude.replace("user", "assistant"), Ok(Format::ClaudeCode)),
        (claude.replace(r#""type""#, r#""isSidechain":false,"type""#), Ok(Format::ClaudeCode)),
        (claude.replace(r#""sessionId":"s","#, ""), Ok(Format::ClaudeCode)),
        (claude.replace(r#""parentUuid":null,"#, ""), Ok(Format::ClaudeCode)),
        (claude.replace(r#""parentUuid":null,"sessionId":"s","#, ""), Err(DetectFailure::Unknown)),
        (claude.replace(r#""uuid":"u","#, ""), Err(DetectFailure::Unknown)),
    ] {
        assert_eq!(detect_format(row.as_bytes()), expected, "{row}");
    }
}

#[test]
fn an_unknown_log_says_what_it_looks_like() {
    for (head, expected) in [
        (
            r#"{"working_dir":"/p","description":"d","message_count":2,"total_tokens":9}"#,
            "a session of Goose",
        ),
        ("user:\n<user_query>\nx\n</user_query>\n", "an old transcript of Cursor, in plain text"),
        // Its reasoning looks like Codex's item.
        (
            concat!(
                r#"{"type":"system","content":"p"}"#,
                "\n",
                r#"{"type":"reasoning","id":"r","summary":[],"encrypted_content":"e","status":"completed"}"#
            ),
            "a session of Grok",
        ),
        (r#"{"sessionId":"s","title":"t","workspaceDirectory":"/p","history":[]}"#, "a session of Continue"),
        (r#"{"requesterUsername":"u","requests":[]}"#, "a chat of Copilot in VS Code"),
        (r#"[{"ts":1,"type":"say","say":"text","text":"x"}]"#, "messages of Cline or Roo Code"),
        (r#"[{"id":0,"source":"agent","action":"run"}]"#, "a trajectory of OpenHands"),
        ("\n# aider chat started at 2026-01-02 03:04:05\n\n#### x\n", "a chat history of Aider"),
    ] {
        match detect_format(head.as_bytes()) {
            Err(DetectFailure::Foreign(found)) => assert_eq!(found.name, expected, "{head}"),
            other => panic!("{other:?}: {head}"),
        }
    }
}

#[test]
fn a_dump_of_litellm_is_found_though_its_messages_stand_behind_the_window() {
    let long = "x".repeat(70_000);
    let messages = format!(r#"[{{"role":"user","content":"{long}"}}]"#);
    let dump = |before: &str| format!(r#"{{{before},"input":{messages},"model":"m","messages":{messages}}}"#);
    check(dump(r#""litellm_call_id":"c""#), Ok(Format::OpenaiChat));
    check(dump(r#""litellm_trace_id":"None","litellm_call_id":"c""#), Ok(Format::OpenaiChat));
    assert_ne!(detect_format(dump(r#""call_id":"c""#).as_bytes()), Ok(Format::OpenaiChat));
}

#[test]
fn nothing_and_no_text() {
    for empty in ["", "\n\n", " \t\r\n", "\0\0\0\0", "\u{feff}"] {
        check(empty, Err(DetectFailure::Empty));
    }
    check(b"\x28\xb5\x2f\xfd\x04\x00abc", Err(DetectFailure::Binary));
    check(b"SQLite format 3\0\x10\0", Err(DetectFailure::Binary));
    check(&"ü".as_bytes()[..1], Err(DetectFailure::Unknown));
    let wide =
        |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    for text in ["\u{feff}{\"a\":1}\n", "{\"type\":\"session\"}", "{\"text\":\"ü\"}"] {
        check(wide(text, u16::to_le_bytes), Err(DetectFailure::Utf16));
        check(wide(text, u16::to_be_bytes), Err(DetectFailure::Utf16));
    }
}

#[test]
fn each_reason_says_what_to_do() {
    for (reason, says) in [
        (DetectFailure::Empty, "try again when the agent has written"),
        (DetectFailure::Binary, "`cwl sessions`"),
        (DetectFailure::Utf16, "iconv"),
        (DetectFailure::Unknown, "force its format: pi"),
        (
            detect_format(b"# aider chat started at 2026-01-02 03:04:05\n").unwrap_err(),
            "a chat history of Aider",
        ),
        (
            detect_format(b"# aider chat started at 2026-01-02 03:04:05\n").unwrap_err(),
            "bodies of its requests",
        ),
        (
            detect_format(format!("{HEADER}\n{{\"type\":\"prompt\"}}\n").as_bytes()).unwrap_err(),
            "--format pi",
        ),
    ] {
        assert!(reason.to_string().contains(says), "{reason}");
    }
}

#[test]
fn names() {
    for &format in Format::ALL {
        assert_eq!(format.name().parse::<Format>(), Ok(format));
    }
    let unknown = "Pi".parse::<Format>().unwrap_err();
    let known = Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ");
    assert_eq!(unknown.to_string(), format!("unknown format `Pi`; known formats are {known}"));
}

#[test]
fn records_of_kimi_code() {
    let metadata = r#"{"type":"metadata","protocol_version":"1.4","created_at":1772200000000}"#;
    check(metadata, Ok(Format::KimiCode));
    check(r#"{"type":"context.undo","count":1,"time":1772200000000}"#, Ok(Format::KimiCode));
    check(r#"{"type":"turn.prompt","input":[],"time":1772200000000}"#, Ok(Format::KimiCode));
    for other in [
        r#"{"type":"metadata","created_at":1772200000000}"#,
        r#"{"type":"metadata","protocol_version":1.4,"created_at":1772200000000}"#,
        r#"{"type":"context.undo","count":1}"#,
        r#"{"type":"moon.phase","time":1772200000000}"#,
    ] {
        assert_ne!(detect_format(other.as_bytes()), Ok(Format::KimiCode), "{other}");
    }
}

#[test]
fn records_of_droid() {
    let start = r#"{"type":"session_start","id":"s","title":"t","owner":"o","version":2,"cwd":"/p"}"#;
    let message =
        r#"{"type":"message","id":"m","message":{"role":"user","content":[{"type":"text","text":"x"}]}}"#;
    check(start, Ok(Format::Droid));
    check(&start[..start.len() - 5], Ok(Format::Droid));
    // Droid's messages look like pi's, behind another header.
    check(format!("{start}\n{message}\n"), Ok(Format::Droid));
    check(r#"{"type":"compaction_state","id":"c","summaryText":"x","removedCount":2}"#, Ok(Format::Droid));
    for other in [
        message,
        r#"{"type":"session_start","title":"t","cwd":"/p"}"#,
        r#"{"type":"session_start","id":"s"}"#,
        r#"{"type":"compaction_state","id":"c"}"#,
        r#"{"type":"session_start","session":{"id":"s"}}"#,
    ] {
        assert_ne!(detect_format(other.as_bytes()), Ok(Format::Droid), "{other}");
    }
}

#[test]
fn sessions_of_hermes() {
    let export = r#"{"id":"s","source":"cli","started_at":1772200000.5,"model":"m","messages":[{"id":1,"role":"user","content":"x"}]}"#;
    check(export, Ok(Format::Hermes));
    check(&export[..60], Ok(Format::Hermes));
    let old = r#"{"session_id":"s","model":"m","platform":"cli","session_start":"2026-04-29T20:00:00Z","messages":[{"role":"user","content":"x"}]}"#;
    check(old, Ok(Format::Hermes));
    for other in [
        r#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#,
        r#"{"id":"s","source":"cli","messages":[{"role":"user","content":"x"}]}"#,
        r#"{"session_id":"s","messages":[{"role":"user","content":"x"}]}"#,
        r#"{"id":"s","source":"cli","started_at":1,"messages":7}"#,
    ] {
        assert_ne!(detect_format(other.as_bytes()), Ok(Format::Hermes), "{other}");
    }
}

#[test]
fn steps_of_antigravity() {
    let step = r#"{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","created_at":"2026-06-26T21:16:16Z","content":"x"}"#;
    check(step, Ok(Format::Antigravity));
    check(&step[..80], Ok(Format::Antigravity));
    for other in [
        r#"{"step_index":0,"type":"USER_INPUT","status":"DONE"}"#,
        r#"{"step_index":"0","source":"MODEL","type":"USER_INPUT","status":"DONE"}"#,
        r#"{"source":"MODEL","type":"USER_INPUT","status":"DONE"}"#,
    ] {
        assert_ne!(detect_format(other.as_bytes()), Ok(Format::Antigravity), "{other}");
    }
}

#[test]
fn messages_of_cursor() {
    let message =
        r#"{"role":"user","message":{"content":[{"type":"text","text":"<user_query>x</user_query>"}]}}"#;
    check(message, Ok(Format::Cursor));
    check(format!("{{\"type\":\"turn_ended\",\"status\":\"success\"}}\n{message}\n"), Ok(Format::Cursor));
    for other in [
        r#"{"role":"user","content":"x"}"#,
        r#"{"role":"user","message":"x"}"#,
        r#"{"type":"user","role":"user","message":{"content":"x"}}"#,
        r#"{"role":"narrator","message":{"content":"x"}}"#,
    ] {
        assert_ne!(detect_format(other.as_bytes()), Ok(Format::Cursor), "{other}");
    }
}

#[test]
fn traces_of_requests() {
    let trace = r#"{"id":"a","models":["m"],"block_size":64,"tool_tokens":9,"system_tokens":9,"requests":[{"t":0.0,"in":99,"hash_ids":[1,2]}]}"#;
    check(trace, Ok(Format::KvCacheTrace));
    check(&trace[..60], Ok(Format::KvCacheTrace));
    for other in [
        r#"{"block_size":64,"requests":[]}"#,
        r#"{"block_size":"64","tool_tokens":1,"requests":[]}"#,
        r#"{"block_size":64,"tool_tokens":1,"requests":{}}"#,
    ] {
        assert_ne!(detect_format(other.as_bytes()), Ok(Format::KvCacheTrace), "{other}");
    }
}

#[test]
fn records_of_vscode() {
    let record = r#"{"ts":1762938000005,"dur":0,"sid":"c93d","type":"turn_start","name":"turn_start:0","spanId":"1","status":"ok","attrs":{"turnId":"0"}}"#;
    check(record, Ok(Format::VscodeCopilot));
    check(&record[..record.len() - 5], Ok(Format::VscodeCopilot));
    check(format!("{{\"torn\":1}}\n{record}\n"), Ok(Format::VscodeCopilot));
    for other in [
        r#"{"ts":1,"dur":0,"sid":"c93d","type":"user_message","name":"x","status":"ok","attrs":{}}"#,
        r#"{"ts":"1","dur":0,"sid":"c93d","type":"user_message","spanId":"1","attrs":{}}"#,
        r#"{"ts":1,"dur":0,"type":"user_message","spanId":"1","attrs":{}}"#,
        r#"{"ts":1,"dur":0,"sid":"c93d","type":"user_message","spanId":"1","attrs":"x"}"#,
        r#"{"type":"session.start","data":{"sessionId":"c93d","copilotVersion":"1.0.102"},"id":"1","timestamp":"2026-11-12T09:00:00Z","parentId":null}"#,
    ] {
        assert_ne!(detect_format(other.as_bytes()), Ok(Format::VscodeCopilot), "{other}");
    }
}
