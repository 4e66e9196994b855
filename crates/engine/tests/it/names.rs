//! Names held by blocks, and later blocks that use them.

use crate::common::{call, text};
use cwl_engine::testing::{LogBuilder, Part, tools};
use cwl_engine::*;
use proptest::prelude::*;

/// One block per line: `call TOOL ARGUMENTS` opens a reply, `result` and `failure` answer the last call,
/// `say` is text of the model, `human` of the human.
fn story(lines: &[(&str, &str)]) -> (Session, Vec<String>) {
    let mut log = LogBuilder::new();
    let (mut texts, mut n_calls) = (Vec::new(), 0);
    for (what, content) in lines {
        let id = format!("c{n_calls}");
        match what.split_once(' ') {
            Some(("call", tool)) => {
                n_calls += 1;
                log.reply(&[call(&format!("c{n_calls}"), tool)]);
                texts.push(format!("{tool}{content}"));
                continue;
            }
            _ => match *what {
                "result" => log.result(&id, content),
                "failure" => log.failure(&id, content),
                "clear" => log.clearing(&id, content),
                "compact" => log.compaction(content, ""),
                "say" => log.reply(&[text(1)]),
                "think" => log.reply(&[Part::Reasoning("r".into())]),
                "human" => log.human(content),
                other => panic!("no such line: {other}"),
            },
        };
        texts.push((*content).to_owned());
    }
    let (session, _) = Session::build(&log.log, None, History::AsRecorded, &tools());
    (session, texts)
}

fn names_of(session: &Session, texts: &[String], cwd: Option<&str>) -> FoundNames {
    let mut names = NamesBuilder::new(session, cwd);
    for (at, text) in texts.iter().enumerate() {
        let reading = match &session.blocks[at].kind {
            BlockKind::Call(call) => Some(cwl_formats::read_call(&call.name, text)),
            _ => None,
        };
        names.add_block(BlockIdx::new(at), text, reading.as_ref());
    }
    names.finish()
}

/// Expected form: `kind name: using block < holding block (> reacquiring result)`, blocks from 0.
fn check(lines: &[(&str, &str)], expected: &[&str]) {
    let (session, texts) = story(lines);
    let FoundNames { names, uses, .. } = names_of(&session, &texts, Some("/repo"));
    let found: Vec<String> = uses
        .iter()
        .map(|one| {
            let Name { kind, text } = &names[one.name as usize];
            let again = one.again.map(|again| format!(" > {}", again.at())).unwrap_or_default();
            format!("{kind:?} {text}: {} < {}{again}", one.by.at(), one.held.at())
        })
        .collect();
    assert_eq!(found, expected, "lines {lines:#?}");
}

const READ_A: (&str, &str) = ("call read", r#"{"path":"src/a.rs"}"#);

#[test]
fn a_path_is_held_by_the_result_of_reading_it() {
    check(&[READ_A, ("result", "x"), READ_A, ("result", "x")], &["Path src/a.rs: 2 < 1 > 3"]);
    check(&[READ_A, ("result", "x"), ("say", "in src/a.rs:12 it is")], &["Path src/a.rs: 2 < 1"]);
    check(
        &[
            READ_A,
            ("result", "x"),
            ("call edit", r#"{"file_path":"/repo/src/a.rs","new":"y"}"#),
            ("result", "ok"),
        ],
        &["Path src/a.rs: 2 < 1"],
    );
    check(
        &[READ_A, ("result", "x"), ("call task", r#"{"prompt":"look at ./src/a.rs"}"#)],
        &["Path src/a.rs: 2 < 1"],
    );
    check(&[READ_A, ("result", "x"), READ_A], &["Path src/a.rs: 2 < 1"]);
}

#[test]
fn the_latest_that_held_it_counts() {
    check(
        &[READ_A, ("result", "x"), READ_A, ("result", "x"), ("say", "src/a.rs")],
        &["Path src/a.rs: 2 < 1 > 3", "Path src/a.rs: 4 < 3"],
    );
}

#[test]
fn what_holds_nothing() {
    check(&[("say", "see src/a.rs"), ("say", "see src/a.rs")], &[]);
    check(&[READ_A, ("failure", "no such file"), ("say", "src/a.rs")], &[]);
    check(&[("call edit", r#"{"path":"src/a.rs"}"#), ("result", "ok"), ("say", "src/a.rs")], &[]);
    check(
        &[("call grep", r#"{"path":"src/a.rs","pattern":"x"}"#), ("result", "y"), ("say", "src/a.rs")],
        &[],
    );
    check(&[READ_A, ("result", "x"), ("human", "src/a.rs"), ("think", "src/a.rs")], &[]);
    check(&[READ_A, ("say", "src/a.rs"), ("result", "x")], &[]);
}

#[test]
fn what_a_harness_put_in_the_place_of_an_output_holds_nothing() {
    check(
        &[
            READ_A,
            ("result", "struct Headers"),
            ("clear", "Cleared_Output"),
            ("say", "src/a.rs Headers Cleared_Output"),
        ],
        &["Path src/a.rs: 3 < 1", "Symbol Headers: 3 < 1"],
    );
}

#[test]
fn commands() {
    let run = |line: &str| format!(r#"{{"command":"{line}"}}"#);
    let (plain, spaced, elsewhere) =
        (run("cargo test"), run("cd /repo &&  cargo  test"), run("cd ui && cargo test"));
    check(
        &[("call bash", &plain), ("result", "x"), ("call bash", &spaced), ("failure", "x")],
        &["Command cargo test: 2 < 1 > 3"],
    );
    check(
        &[("call bash", &plain), ("failure", "x"), ("say", "run `$ cargo test` again")],
        &["Command cargo test: 2 < 1"],
    );
    check(&[("call bash", &plain), ("result", "x"), ("say", "cargo test says")], &[]);
    check(&[("call bash", &plain), ("result", "x"), ("call bash", &elsewhere), ("result", "x")], &[]);
    check(
        &[
            ("call bash", &plain),
            ("result", "x"),
            ("call bash", r#"{"command":["bash","-lc","cargo test"]}"#),
            ("result", "x"),
        ],
        &["Command cargo test: 2 < 1 > 3"],
    );
    let search = ("call grep", r#"{"pattern":"fn main","path":"./src"}"#);
    check(&[search, ("result", "x"), search, ("result", "x")], &["Command grep fn main src: 2 < 1 > 3"]);
}

#[test]
fn a_shell_that_reads_a_file_gets_it() {
    let cat = ("call bash", r#"{"command":"cat src/a.rs"}"#);
    check(&[READ_A, ("result", "x"), cat, ("result", "x")], &["Path src/a.rs: 2 < 1 > 3"]);
    check(&[cat, ("result", "x"), READ_A, ("result", "x")], &["Path src/a.rs: 2 < 1 > 3"]);
    check(
        &[READ_A, ("result", "x"), ("call bash", r#"{"command":"git add src/a.rs"}"#), ("result", "")],
        &["Path src/a.rs: 2 < 1"],
    );
    check(
        &[("call bash", r#"{"command":"cd src && cat a.rs"}"#), ("result", "x"), ("say", "src/a.rs")],
        &["Path src/a.rs: 2 < 1"],
    );
}

#[test]
fn symbols() {
    let read = [READ_A, ("result", "fn parse_header(n: u8)")];
    check(&[read[0], read[1], ("say", "parse_header it is")], &["Symbol parse_header: 2 < 1"]);
    check(
        &[read[0], read[1], ("call grep", r#"{"pattern":"x\nparse_header"}"#), ("result", "parse_header")],
        &["Symbol parse_header: 2 < 1"],
    );
    // The last result with the name holds it.
    check(
        &[read[0], read[1], ("call grep", "{}"), ("result", "parse_header"), ("say", "parse_header")],
        &["Symbol parse_header: 4 < 3"],
    );
    // The name first appeared elsewhere.
    check(&[("human", "parse_header?"), read[0], read[1], ("say", "parse_header")], &[]);
    check(&[("think", "parse_header?"), read[0], read[1], ("say", "parse_header")], &[]);
    check(
        &[
            ("call grep", r#"{"pattern":"parse_header"}"#),
            ("result", "parse_header"),
            ("say", "parse_header"),
        ],
        &[],
    );
    // Five characters are too short.
    check(&[READ_A, ("result", "fn parse"), ("say", "parse")], &[]);
}

#[test]
fn a_name_is_used_once_a_reply() {
    let mut log = LogBuilder::new();
    log.step(&[call("c1", "read")], 1);
    log.step(&[text(1), call("c2", "read"), call("c3", "read")], 1);
    let (session, _) = Session::build(&log.log, None, History::AsRecorded, &tools());
    let read = "read{\"path\":\"a.rs\"}";
    let texts = [read, "x", "a.rs, a.rs", read, read, "x", "x"].map(str::to_owned);
    let FoundNames { uses, .. } = names_of(&session, &texts, None);
    let held = |at| BlockIdx::new(at);
    assert_eq!(uses, [Use { name: 0, by: held(2), held: held(1), again: Some(held(5)) }]);
}

#[test]
fn a_block_gives_no_more_than_its_bounds() {
    let words: String = (0..5_000).map(|n| format!("symbol_{n} ")).collect();
    let (session, texts) = story(&[READ_A, ("result", &words), ("say", &words)]);
    let FoundNames { names, uses, .. } = names_of(&session, &texts, Some("/repo"));
    assert_eq!((names.len(), uses.len()), (128, 128), "a block has 128 uses");
    let later: String = (2_000..5_000).map(|n| format!("symbol_{n} ")).collect();
    let (session, texts) = story(&[READ_A, ("result", &words), ("say", &later)]);
    let FoundNames { uses, .. } = names_of(&session, &texts, Some("/repo"));
    assert_eq!(uses.len(), 48, "a text brings 2,048 symbols");
}

/// Expected form: `path: changing block`.
fn check_changes(lines: &[(&str, &str)], expected: &[&str]) {
    let (session, texts) = story(lines);
    let FoundNames { names, changes, .. } = names_of(&session, &texts, Some("/repo"));
    let told = |one: &FileChange| format!("{}: {}", names[one.name as usize].text, one.by.at());
    assert_eq!(changes.iter().map(told).collect::<Vec<_>>(), expected, "lines {lines:#?}");
}

#[test]
fn a_call_that_edits_changes_the_files_that_it_names() {
    let check = |tool: &str, arguments: &str, expected: &[&str]| {
        check_changes(&[READ_A, ("result", "x"), (tool, arguments), ("result", "ok")], expected);
    };
    check("call edit", r#"{"file_path":"/repo/src/a.rs","new":"y"}"#, &["src/a.rs: 2"]);
    check("call edit", r#"{"file_path":"src/b.rs","new":"see src/a.rs"}"#, &[]);
    check("call bash", r#"{"command":"sed -i s/a/b/ src/a.rs"}"#, &["src/a.rs: 2"]);
    check("call bash", r#"{"command":"cd src && echo x > a.rs"}"#, &["src/a.rs: 2"]);
    check("call bash", r#"{"command":"cat src/a.rs > b.rs"}"#, &[]);
    check("call bash", r#"{"command":"cat src/a.rs"}"#, &[]);
    let patch = r#"{"patch":"*** Begin Patch\n*** Update File: src/a.rs\n@@\n"}"#;
    check("call edit", patch, &["src/a.rs: 2"]);
    // No earlier block held the file.
    check_changes(&[("call edit", r#"{"path":"src/a.rs"}"#), ("result", "ok")], &[]);
}

proptest! {
    /// For any texts, uses are in order and refer to earlier blocks.
    #[test]
    fn uses_recall(contents in prop::collection::vec((0..6usize, ".{0,60}|(\\{\"(path|command)\":\"(cat |cd x && |)[ab./]{1,5}\"\\})"), 0..30)) {
        let whats = ["call read", "call bash", "result", "result", "say", "human"];
        let lines: Vec<(&str, &str)> = contents.iter().map(|(what, content)| (whats[*what], content.as_str())).collect();
        let (session, texts) = story(&lines);
        let FoundNames { names, uses, changes, .. } = names_of(&session, &texts, Some("/repo"));
        let message = |block: BlockIdx| session.blocks[block.at()].message;
        prop_assert!(uses.is_sorted_by_key(|one| one.by) && changes.is_sorted_by_key(|one| one.by));
        prop_assert!(changes.iter().all(|one| names[one.name as usize].kind == NameKind::Path));
        for one in &uses {
            prop_assert!(!names[one.name as usize].text.is_empty());
            prop_assert!(message(one.held) < message(one.by));
            prop_assert!(matches!(session.blocks[one.held.at()].kind, BlockKind::Result(_)));
            prop_assert!(one.again.is_none_or(|again| session.blocks[again.at()].pair.is_some()));
        }
        let mut keys: Vec<_> = uses.iter().map(|one| (message(one.by), one.held, one.name)).collect();
        keys.sort_unstable();
        keys.dedup();
        prop_assert_eq!(keys.len(), uses.len(), "one use per reply, block and name");
    }
}

/// Expected form per compaction: lost paths, then numbers of commands and symbols.
fn check_lost(lines: &[(&str, &str)], expected: &[&str]) {
    let (session, texts) = story(lines);
    let FoundNames { lost, .. } = names_of(&session, &texts, Some("/repo"));
    let found: Vec<String> = lost
        .iter()
        .map(|one| {
            format!("{} of {}, {} {}", one.paths.join(" "), one.n_paths, one.n_commands, one.n_symbols)
        })
        .collect();
    assert_eq!(found, expected, "lines {lines:#?}");
}

#[test]
fn a_compaction_takes_the_names_that_no_newer_result_holds() {
    let read_b = ("call read", r#"{"path":"src/b.rs"}"#);
    let test = ("call bash", r#"{"command":"cargo test"}"#);
    check_lost(&[READ_A, ("result", "parse_header nothing"), ("compact", "so far")], &["src/a.rs of 1, 0 1"]);
    // The latest path comes first.
    check_lost(
        &[READ_A, ("result", "x"), read_b, ("result", "x"), test, ("result", "ok"), ("compact", "so far")],
        &["src/b.rs src/a.rs of 2, 1 0"],
    );
    // Each compaction counts only its own context.
    check_lost(
        &[READ_A, ("result", "x"), ("compact", "so far"), read_b, ("result", "x"), ("compact", "so far")],
        &["src/a.rs of 1, 0 0", "src/b.rs of 1, 0 0"],
    );
    // A result after the compaction holds the name from then on.
    check_lost(
        &[READ_A, ("result", "x"), ("compact", "1"), READ_A, ("result", "x"), ("compact", "2")],
        &["src/a.rs of 1, 0 0", "src/a.rs of 1, 0 0"],
    );
    check_lost(&[("human", "go"), ("compact", "so far")], &[" of 0, 0 0"]);
    check_lost(&[READ_A, ("result", "x")], &[]);
}
