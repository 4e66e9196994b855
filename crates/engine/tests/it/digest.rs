//! Digest lines of a block.

use cwl_engine::*;
use cwl_formats::read_call;

fn call(name: &str, mark: Option<DelimiterMark>) -> BlockKind {
    BlockKind::Call(ToolCall { id: "c".into(), name: name.into(), program: None, mark })
}

fn result(ok: bool) -> BlockKind {
    BlockKind::Result(ToolResult { call: "c".into(), name: None, ok, mark: None })
}

fn passage<'a>(kind: &'a BlockKind, class: MessageClass, text: &'a str) -> Passage<'a> {
    Passage { kind, class, tool: None, tool_name: None, episode: None, succeeded: None, text, reading: None }
}

/// Expected form: `rule: line`.
fn check(passage: &Passage<'_>, expected: &[&str]) {
    let found: Vec<String> =
        digest_lines(passage).into_iter().map(|(rule, line)| format!("{}: {line}", rule.name())).collect();
    assert_eq!(found, expected, "{}", passage.text);
}

fn check_text(class: MessageClass, text: &str, expected: &[&str]) {
    check(&passage(&BlockKind::Text, class, text), expected);
}

fn check_call(name: &str, tool: ToolClass, text: &str, expected: &[&str]) {
    let kind = call(name, None);
    let reading = read_call(name, text);
    let of = Passage { reading: Some(&reading), ..passage(&kind, MessageClass::Assistant, text) };
    check(&Passage { tool: Some(tool), succeeded: Some(true), ..of }, expected);
    // A failed or unanswered call establishes nothing.
    let lasting = if reading.todo.is_some() { expected } else { &[] };
    check(&Passage { tool: Some(tool), succeeded: Some(false), ..of }, lasting);
    check(&Passage { tool: Some(tool), succeeded: None, ..of }, lasting);
}

fn check_result(ok: bool, tool: ToolClass, text: &str, expected: &[&str]) {
    let kind = result(ok);
    let of = passage(&kind, MessageClass::Tool, text);
    check(&Passage { tool: Some(tool), tool_name: Some("bash"), ..of }, expected);
}

#[test]
fn rows_stand_in_the_order_of_their_rules() {
    for (at, rule) in DigestRule::ALL.iter().copied().enumerate() {
        assert_eq!(rule as usize, at, "{}", rule.name());
    }
}

#[test]
fn rules_come_from_the_human_and_the_harness() {
    use MessageClass::{Assistant, Injected, Summary, System, User};
    check_text(User, "Fix it. You must not touch prod.", &["ruled: You must not touch prod."]);
    check_text(
        User,
        "- Never push\n- use tabs, not spaces",
        &["ruled: Never push", "ruled: use tabs, not spaces"],
    );
    check_text(User, "Why is it slow?", &["asked: Why is it slow?"]);
    check_text(User, "Must I?", &["asked: Must I?"]);
    check_text(User, "fix the parser", &[]);
    check_text(Injected, "Always run the tests. Is it?", &["ruled: Always run the tests."]);
    check_text(Assistant, "You must see this", &[]);
    check_text(System, "You must", &[]);
    check_text(Summary, "You must", &[]);
    check_text(User, "", &[]);
}

#[test]
fn a_block_gives_a_bounded_number_of_lines() {
    let rules: String = (0..100).map(|at| format!("Never do {at}.\n")).collect();
    assert_eq!(digest_lines(&passage(&BlockKind::Text, MessageClass::User, &rules)).len(), 8);
    let twice = "Never push.\nNever push.";
    check_text(MessageClass::User, twice, &["ruled: Never push."]);
}

#[test]
fn decisions_come_from_what_the_model_says() {
    use MessageClass::Assistant;
    let why = "Looking around. I chose serde because it streams.";
    check_text(Assistant, why, &["decided: I chose serde because it streams."]);
    check_text(Assistant, "I'll edit a.rs. I will test.", &["intended: I'll edit a.rs."]);
    check_text(Assistant, "Done. Shall I push?", &["asked: Shall I push?"]);
    check_text(Assistant, "Shall I? No, done.", &[]);
    check_text(Assistant, "```\nbecause\n```", &[]);
    check(&passage(&BlockKind::Reasoning, Assistant, "because"), &[]);
}

#[test]
fn what_ends_an_episode_is_a_fact_or_a_decision() {
    let close = |text: &str| {
        let description = Some(text.into());
        call("delimiter", Some(DelimiterMark::Close { name: None, description, odd: Vec::new() }))
    };
    let kind = close("the parser\nis in a.rs");
    let of = passage(&kind, MessageClass::Assistant, "delimiter{}");
    check(&of, &["learned: the parser is in a.rs"]);
    check(&Passage { episode: Some(EpisodeKind::Exploratory), ..of }, &["learned: the parser is in a.rs"]);
    check(&Passage { episode: Some(EpisodeKind::Action), ..of }, &["done: the parser is in a.rs"]);
}

#[test]
fn facts_are_files_written_and_commands_that_succeeded() {
    use ToolClass::{Other, Read, Search, Shell, Write};
    check_call("Edit", Write, r#"Edit{"file_path":"src/a.rs","old_string":"x"}"#, &["wrote: wrote src/a.rs"]);
    check_call("ed", Write, r#"ed{"command":"view","path":"a"}"#, &[]);
    check_call("ed", Write, r#"ed{"command":"create","path":"a"}"#, &["wrote: wrote a"]);
    let patch =
        r#"apply_patch{"input":"*** Begin Patch\n*** Update File: a b.rs\n@@\n*** Add File: c.rs\n"}"#;
    check_call("apply_patch", Write, patch, &["wrote: wrote a b.rs", "wrote: wrote c.rs"]);
    let raw = "apply_patch*** Begin Patch\n*** Delete File: d.rs\n";
    check_call("apply_patch", Write, raw, &["wrote: wrote d.rs"]);
    check_call("bash", Shell, r#"bash{"command":"cargo test\necho"}"#, &["ran: ran cargo test"]);
    check_call("shell", Shell, r#"shell{"command":["bash","-lc","make it"]}"#, &["ran: ran make it"]);
    check_call("bash", Shell, "bash", &[]);
    check_call("bash", Search, r#"bash{"command":"rg x"}"#, &[]);
    check_call("read", Read, r#"read{"path":"a"}"#, &[]);
    check_call("other", Other, r#"other{"path":"a"}"#, &[]);
}

#[test]
fn open_items_are_those_of_a_plan_that_are_not_done() {
    let todos = r#"TodoWrite{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"pending","activeForm":"B"},{"status":"in_progress","content":"c \"d\""}]}"#;
    check_call("TodoWrite", ToolClass::Other, todos, &["planned: b", r#"planned: c "d""#]);
    let plan =
        r#"update_plan{"plan":[{"step":"a","status":"in_progress"},{"step":"b","status":"completed"}]}"#;
    check_call("update_plan", ToolClass::Other, plan, &["planned: a"]);
    check_call(
        "mcp__x__todowrite",
        ToolClass::Other,
        r#"mcp__x__todowrite{"todos":[{"content":"a"}]}"#,
        &["planned: a"],
    );
    check_call("TodoWrite", ToolClass::Other, "TodoWrite{\"todos\":[{\"content\":\"a", &[]);
    assert_eq!(read_call("todoread", "todoread{\"todos\":[]}").todo, None);
}

#[test]
fn errors_are_the_lines_that_tell_why() {
    use ToolClass::{Read, Shell};
    let failure = "compiling\nerror[E0308]: mismatched\n more";
    check_result(false, Shell, failure, &["failed: bash: error[E0308]: mismatched"]);
    check_result(false, Read, "\n  gone fishing\nyes", &["failed: bash: gone fishing"]);
    check_result(false, Read, "", &["failed: bash: failed without a word"]);
    let output = "ok\nerror: one\nTypeError: two\nerror: three";
    check_result(true, Shell, output, &["reported: error: one", "reported: TypeError: two"]);
    check_result(true, Shell, "errors: 0\nno error", &[]);
    check_result(true, Read, "error: in a text", &[]);
}

#[test]
fn hostile_texts_give_lines_like_any_other() {
    let marks = "\u{202e}\u{0}\u{1b}[2J {\"\\ \u{e9}``` *** Update File: must never? because\n".repeat(50);
    for text in [marks.clone(), format!("x{{{marks}"), "{\"".repeat(1000), "\\".repeat(99), "é".repeat(3000)]
    {
        for kind in [BlockKind::Text, call("TodoWrite", None), call("e", None), result(true), result(false)] {
            for class in [MessageClass::User, MessageClass::Assistant, MessageClass::Tool] {
                for tool in [ToolClass::Write, ToolClass::Shell] {
                    let of = passage(&kind, class, &text);
                    let reading = read_call("e", &text);
                    let of = Passage {
                        tool: Some(tool),
                        succeeded: Some(true),
                        tool_name: Some(&text),
                        reading: Some(&reading),
                        ..of
                    };
                    for (_, line) in digest_lines(&of) {
                        assert!(line.chars().count() <= 200, "{line}");
                        assert!(!line.chars().any(char::is_control), "{}", line.escape_debug().to_string());
                    }
                }
            }
        }
    }
}
