//! Many meaningless lines cost no more than a number.

use cwl_engine::{Problem, ProblemList, count_problems};
use cwl_formats::{Format, LogReader, parse_log};

const PI: &str =
    r#"{"type":"session","version":3,"id":"a","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/x"}"#;
const CODEX: &str = r#"{"timestamp":"2026-02-27T13:04:11.000Z","type":"session_meta","payload":{"id":"x","timestamp":"2026-02-27T13:04:11.000Z","cwd":"/x","originator":"codex_cli_rs","cli_version":"0.1"}}"#;
const CLAUDE: &str = r#"{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/x","sessionId":"a","version":"2.1.38","type":"user","message":{"role":"user","content":"go"},"uuid":"u1","timestamp":"2026-02-27T13:05:31.113Z"}"#;

/// Reads `head` and a thousand times `line`, and checks what is kept and counted.
#[track_caller]
fn check(format: Format, head: &str, line: &str, codes: &[(&str, u64)]) {
    let log = format!("{head}\n{}", format!("{line}\n").repeat(1000));
    let (events, problems) = parse_log(format, log.as_bytes());
    let n_of_head = parse_log(format, head.as_bytes()).0.len();
    assert!(events.len() <= n_of_head + 100, "{format} {line}: {} events", events.len());
    assert!(problems.len() <= 505, "{format} {line}: {} problems", problems.len());
    for (code, n) in codes {
        let counts = |problem: &Problem| {
            problem.kind.code() == "L030" && problem.kind.subject().as_deref() == Some(*code)
        };
        let of_code = problems.iter().filter(|problem| problem.kind.code() == *code || counts(problem));
        let of_code: Vec<Problem> = of_code.cloned().collect();
        assert_eq!((of_code.len(), count_problems(&of_code)), (101, *n), "{format} {line} {code}");
    }
    for step in [1, 1000, 4096] {
        let mut reader = LogReader::new(format);
        let (mut found, mut list) = (Vec::new(), ProblemList::default());
        for piece in log.as_bytes().chunks(step) {
            let batch = reader.feed_bytes(piece);
            found.extend(batch.events);
            list.extend(batch.problems);
        }
        assert_eq!(found, events, "in pieces of {step}");
        assert_eq!(list.into_problems(), problems, "in pieces of {step}");
    }
}

#[test]
fn lines_that_are_nothing_cost_a_number() {
    check(Format::Pi, PI, "{}", &[("L009", 2000)]);
    check(Format::Pi, PI, "[]", &[("L002", 1000)]);
    check(Format::Pi, PI, "not json", &[("L001", 1000)]);
    check(Format::Codex, CODEX, "{}", &[]);
    check(Format::Codex, CODEX, r#"{"type":"brand_new","payload":{}}"#, &[("L007", 1000)]);
    check(Format::ClaudeCode, CLAUDE, "{}", &[]);
    check(Format::ClaudeCode, CLAUDE, "1", &[("L002", 1000)]);
}

#[test]
fn figures_beyond_every_session_are_odd() {
    let check = |usage: &str, (output, stated_cost): (u64, Option<u64>), odd: &[&str]| {
        let reply = format!(
            r#"{{"type":"message","id":"b","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{{"role":"assistant","content":[{{"type":"text","text":"done"}}],"usage":{usage}}}}}"#
        );
        let (events, problems) = parse_log(Format::Pi, format!("{PI}\n{reply}\n").as_bytes());
        let mut messages = events.iter().flat_map(|parsed| parsed.event.body.all_messages());
        let found = messages.find_map(|message| message.usage).unwrap_or_default();
        assert_eq!((found.output, found.stated_cost), (output, stated_cost), "{usage}");
        let fields = problems.iter().filter_map(|problem| problem.kind.subject());
        assert_eq!(fields.collect::<Vec<_>>(), odd, "{usage}");
    };
    check(r#"{"output":1000000000000,"cost":{"total":1.5}}"#, (1_000_000_000_000, Some(1_500_000)), &[]);
    check(r#"{"output":1000000000001}"#, (0, None), &["usage.output"]);
    check(r#"{"output":18446744073709551615}"#, (0, None), &["usage.output"]);
    check(r#"{"output":1e300,"cost":{"total":1e300}}"#, (0, None), &["usage.output", "usage.cost.total"]);
}
