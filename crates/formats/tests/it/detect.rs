//! Formats are found by content.

use cwl_formats::{Format, Undetected, detect};

fn check(head: impl AsRef<[u8]>, expected: Result<Format, Undetected>) {
    let head = head.as_ref();
    assert_eq!(detect(head), expected, "{}", String::from_utf8_lossy(&head[..head.len().min(200)]));
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
        assert_ne!(detect(other.as_bytes()), Ok(Format::Pi), "{other}");
    }
}

#[test]
fn nothing_and_no_text() {
    for empty in ["", "\n\n", " \t\r\n", "\0\0\0\0", "\u{feff}"] {
        check(empty, Err(Undetected::Empty));
    }
    check(b"\x28\xb5\x2f\xfd\x04\x00abc", Err(Undetected::Binary));
    check(b"SQLite format 3\0\x10\0", Err(Undetected::Binary));
    check(&"ü".as_bytes()[..1], Err(Undetected::Unknown));
}

#[test]
fn each_reason_says_what_to_do() {
    for (reason, says) in [
        (Undetected::Empty, "try again when the agent has written"),
        (Undetected::Binary, "must be unpacked first"),
        (Undetected::Unknown, "force its format: pi"),
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
