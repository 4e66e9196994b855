//! Quirks of files: line ends, fillers, glued and broken lines, invalid text.

use crate::show::{show, show_log};
use cwl_formats::{Format, LogReader, parse_log};

/// Checks a log behind a version 3 header; `{}` in it is a record without content.
fn check(log: impl AsRef<[u8]>, expected: &str) {
    let header = b"{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n";
    let shown = show_log(&[&header[..], log.as_ref()].concat());
    let shown: Vec<&str> = shown.lines().skip(1).map(str::trim).collect();
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(shown, expected, "of {}", String::from_utf8_lossy(log.as_ref()));
}

fn quiet(id: &str) -> String {
    format!(r#"{{"type":"custom","id":"{id}","parentId":null}}"#)
}

#[test]
fn line_ends_and_fillers() {
    let (a, b) = (quiet("a"), quiet("b"));
    check(format!("{a}\r\n{b}\r\n"), "2 a root quiet custom\n3 b root quiet custom");
    check(format!("\n  \n{a}\n\n"), "4 a root quiet custom");
    check(
        format!("\0\0{a}\0\0\n\0\n{b}\n"),
        "2 a root quiet custom\n4 b root quiet custom
         ! L033 line 3: NULs in the place of a record, 1 bytes of them; skipped",
    );
    let marked = format!("\u{feff}{}\n{a}\n", r#"{"type":"session","version":3,"id":"s"}"#);
    assert!(
        show_log(marked.as_bytes()).starts_with("1 L1 outside header Some(\"s\")"),
        "a byte order mark is no text"
    );
}

#[test]
fn glued_records_are_all_read() {
    let several = "! L003 line 2: 2 records on one line; each is read";
    check(
        format!("{}{}\n{}\n", quiet("a"), quiet("b"), quiet("c")),
        &format!("2 a root quiet custom\n2 b root quiet custom\n3 c root quiet custom\n{several}"),
    );
    check(
        format!("{}  42\n", quiet("a")),
        &format!(
            "2 a root quiet custom\n2 L2.2 outside opaque number\n{several}\n! L002 line 2 entry L2.2: JSON, but not an object; kept as it is"
        ),
    );
    let v1 = "{\"type\":\"session\"}\n{\"type\":\"custom\"}{\"type\":\"custom\"}{\"type\":\"custom\"}\n";
    let shown = show_log(v1.as_bytes());
    for entry in ["2 L2 <previous", "2 L2.2 <previous", "2 L2.3 <previous"] {
        assert!(shown.contains(entry), "records of one line have ids of their own: {shown}");
    }
}

#[test]
fn what_is_no_record_is_kept() {
    for (line, kind) in
        [("42", "number"), ("\"x\"", "string"), ("[1]", "array"), ("null", "null"), ("true", "boolean")]
    {
        check(
            format!("{line}\n"),
            &format!(
                "2 L2 outside opaque {kind}\n! L002 line 2 entry L2: JSON, but not an object; kept as it is"
            ),
        );
    }
    let broken = |line: &str, reason: &str| {
        check(
            format!("{line}\n{}\n", quiet("a")),
            &format!(
                "2 L2 outside opaque not JSON\n3 a root quiet custom\n! L001 line 2 entry L2: not JSON ({reason}); kept as it is"
            ),
        );
        let log = format!("{line}\n");
        let (events, _) = parse_log(Format::Pi, log.as_bytes());
        assert_eq!(cwl_formats::fill_hole(&events[0].envelope, ""), line, "the line is kept as it is");
    };
    broken("oops", "expected value at line 1 column 1");
    broken("{\"type\":", "EOF while parsing a value at line 1 column 8");
    broken(
        "{\"a\":\"tab\there\"}",
        "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 9",
    );
    check(
        format!("{}{{\"b\n", quiet("a")),
        "2 a root quiet custom
         2 L2.2 outside opaque not JSON
         ! L001 line 2 entry L2.2: not JSON (EOF while parsing a string at line 1 column 45); kept as it is",
    );
}

#[test]
fn a_record_behind_one_that_was_cut_is_read() {
    let message = r#"{"type":"message","id":"b","parentId":null,"message":{"role":"user","content":[{"type":"text","text":"x"}]}}"#;
    for cut in [r#"{"type":"custom","id":"#, r#"{"type":"message","message":{"content":[{"type":"text","te"#]
    {
        let shown = show_log(format!("{cut}{message}\n").as_bytes());
        assert!(shown.contains("opaque not JSON") && shown.contains("1 b root User by Human"), "{shown}");
    }
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    let mut log =
        br#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"x_y"}}"#.to_vec();
    let at = log.iter().position(|&byte| byte == b'_').unwrap();
    log[at] = 0xff;
    log.push(b'\n');
    check(
        log,
        "2 a root User by Human
           0. text \"x\u{fffd}y\" …
         ! L006 line 2: bytes that are no text; replaced by \u{fffd}",
    );
}

#[test]
fn the_unfinished_last_line() {
    let a = quiet("a");
    let torn = "! L004 line 2: the last line has no end; it is read again when it grows";
    check(&a, "2 a root quiet custom");
    check(" \r", "");
    check("\0 \r", "! L033 line 2: NULs in the place of a record, 1 bytes of them; skipped");
    for cut in 1..a.len() {
        check(&a[..cut], torn);
    }
    check(&"ü".as_bytes()[..1], torn);
    check("{\"type\":\"custom\"}{", torn);
    check("garbage", torn);
}

#[test]
fn the_unfinished_line_is_not_taken() {
    let header = "{\"type\":\"session\",\"version\":3}\n";
    let mut reader = LogReader::new(Format::Pi);
    reader.feed_bytes(header.as_bytes());
    reader.feed_bytes(quiet("a").as_bytes());
    let state = reader.resume_state().unwrap();
    for _ in 0..2 {
        let tail = reader.unfinished_batch();
        assert_eq!(show(&tail.events, &tail.problems), "2 a root quiet custom", "it can be looked at again");
    }
    assert_eq!(reader.resume_state(), Some(state), "looking does not move the reader");
    assert_eq!((reader.complete_bytes(), state.line, state.records), (header.len() as u64, 1, 1));
    let rest = reader.feed_bytes(b"\n");
    assert_eq!(
        show(&rest.events, &rest.problems),
        "2 a root quiet custom",
        "and is taken when it is complete"
    );
}

#[test]
fn more_glued_records_than_anyone_writes_are_kept_as_one() {
    let glued = quiet("a").repeat(1500) + "\n";
    let (events, problems) = parse_log(Format::Pi, glued.as_bytes());
    assert_eq!(events.len(), 1025, "1024 records, and the rest");
    let said = problems
        .iter()
        .any(|problem| problem.kind.to_string().contains("more than 1024 records on one line"));
    assert!(said, "{problems:?}");
}

#[test]
fn more_parts_than_anyone_writes_are_cut() {
    let parts = vec!["0"; 70_000].join(",");
    let log = format!("{{\"type\":\"message\",\"message\":{{\"role\":\"user\",\"content\":[{parts}]}}}}\n");
    let (events, problems) = parse_log(Format::Pi, log.as_bytes());
    assert_eq!(events[0].contents.len(), 65_536, "blocks are bounded");
    assert!(problems.iter().any(|problem| problem.kind.code() == "L009"), "and the cut is said");
}

#[test]
fn depth_costs_no_stack() {
    let deep = "[".repeat(500_000) + &"]".repeat(500_000);
    let log = format!(
        "{{\"type\":\"custom\",\"data\":{deep}}}\n{deep}\n{{\"type\":\"message\",\"message\":{{\"role\":\"assistant\",\"content\":[{{\"type\":\"toolCall\",\"id\":\"c\",\"name\":\"n\",\"arguments\":{{\"a\":{deep}}}}}]}}}}\n"
    );
    let (events, _) = parse_log(Format::Pi, log.as_bytes());
    assert_eq!(events.len(), 3);
    assert_eq!(events[2].contents[0].text.len(), deep.len() + 7, "n{{\"a\":…}}");
}
