//! Details before a compaction: what remains of each kind, and what was needed later.

use cwl_engine::testing::{LogBuilder, Part};
use cwl_engine::*;

/// One record per line: `human`, `say`, `think`, `read PATH`, `run COMMAND`, `plan ITEM; ITEM` (unfinished ones),
/// `result`, `failure`, `file` (put in by the harness), and `compact N SUMMARY`, which keeps the last N records.
pub(crate) fn story(lines: &[(&str, &str)]) -> (LogBuilder, String) {
    let mut log = LogBuilder::new();
    let mut summary = String::new();
    let mut n_calls = 0;
    for (what, content) in lines {
        let id = format!("c{n_calls}");
        let next = format!("c{}", n_calls + 1);
        let quoted = content.replace('\\', "\\\\").replace('"', "\\\"");
        let mut call = |tool: &str, arguments: String| {
            n_calls += 1;
            _ = log.reply(&[Part::CallWith(next.clone(), tool.into(), arguments)]);
        };
        match *what {
            "read" => call("read", format!(r#"{{"path":"{quoted}"}}"#)),
            "edit" => call("edit", format!(r#"{{"path":"{quoted}"}}"#)),
            "run" => call("bash", format!(r#"{{"command":"{quoted}"}}"#)),
            "plan" => {
                let item = |item: &str| format!(r#"{{"content":"{item}","status":"pending"}}"#);
                let items: Vec<String> = content.split("; ").map(item).collect();
                call("TodoWrite", format!(r#"{{"todos":[{}]}}"#, items.join(",")));
            }
            "human" => _ = log.human(content),
            "say" => _ = log.reply(&[Part::Text((*content).to_owned())]),
            "think" => _ = log.reply(&[Part::Reasoning((*content).to_owned())]),
            "result" => _ = log.result(&id, content),
            "failure" => _ = log.failure(&id, content),
            "file" => _ = log.injected(content),
            "compact" => {
                let (n_kept, text) = content.split_once(' ').unwrap();
                let entries = log.log.events();
                let from = entries.len() - n_kept.parse::<usize>().unwrap();
                let from = entries.get(from).map_or(String::new(), |event| event.entry.to_string());
                summary = text.to_owned();
                log.compaction(text, &from);
            }
            other => panic!("no such line: {other}"),
        }
    }
    (log, summary)
}

/// Files, commands and numbers in all texts of a log, with `/repo` as the working directory.
pub(crate) fn find_details(log: &LogBuilder, session: &Session) -> Vec<Detail> {
    let mut details = DetailsBuilder::new(session, Some("/repo"));
    log.each_text(session, |block, text| {
        let reading = match &session.blocks[block.at()].kind {
            BlockKind::Call(call) => Some(cwl_formats::read_call(&call.name, text)),
            _ => None,
        };
        details.add_block(block, text, reading.as_ref());
    });
    details.finish()
}

/// Expected form per detail before the last compaction: `text: fate`, with the turn that needed it after `@`.
fn check(kind: DetailKind, lines: &[(&str, &str)], expected: &[&str]) {
    let (log, summary) = story(lines);
    let (session, growth, _) = log.build(1);
    let material = log.material(&session, &growth, cwl_formats::read_call);
    let audits = audit_compactions(&session, &material);
    let at_cuts = details_at_cuts(&session, &material, &find_details(&log, &session), &audits);
    assert_eq!(at_cuts.len(), audits.len());
    let drops = &session.replacements[audits.last().unwrap().replacement].drops;
    let mut said = Mentions::new(Some("/repo"));
    said.add_text(&summary);
    let tell = |detail: &DetailAtCut| {
        let fate = match detail.brought_by.is_empty() {
            true => detail.fate(|block| drops.binary_search(&block).is_err(), &said),
            false => DetailFate::Literal,
        };
        let needed = detail.needed_turn(&session);
        let needed = needed.map_or(String::new(), |turn| format!(" @{}", turn.number()));
        format!("{}: {fate:?}{needed}", detail.text)
    };
    let found: Vec<String> =
        at_cuts.last().unwrap().iter().filter(|detail| detail.kind == kind).map(tell).collect();
    assert_eq!(found, expected, "{kind:?} of {lines:?}");
}

#[test]
fn files_that_were_named() {
    let check = |lines: &[(&str, &str)], expected: &[&str]| check(DetailKind::File, lines, expected);
    let before = [
        ("human", "Look at docs/plan.md and/or the notes."),
        ("read", "/repo/src/a.rs"),
        ("result", "mod b; // src/listed.rs"),
        ("run", "cat src/c.rs | grep -n foo/bar && ls src && git log main..HEAD"),
        ("result", "1"),
        ("say", "So src/d.rs is wrong."),
    ];
    let after = |last: &[(&'static str, &'static str)]| [&before[..], last].concat();
    check(
        &after(&[("compact", "0 We read a.rs and src/c.rs")]),
        &["docs/plan.md: Lost", "src/a.rs: Named", "src/c.rs: Literal", "src/d.rs: Lost"],
    );
    check(
        &after(&[
            ("compact", "1 Nothing"),
            ("read", "src/a.rs"),
            ("result", "mod b;"),
            ("edit", "docs/plan.md"),
        ]),
        &["src/a.rs: Lost @4", "docs/plan.md: Lost @5", "src/c.rs: Lost", "src/d.rs: Literal"],
    );
    // A file that the harness reads again comes with the compaction, and is no use.
    check(
        &after(&[
            ("compact", "0 Nothing"),
            ("file", "Contents of src/a.rs: mod b;"),
            ("say", "Now docs/plan.md"),
        ]),
        &["docs/plan.md: Lost @4", "src/a.rs: Literal", "src/c.rs: Lost", "src/d.rs: Lost"],
    );
}

#[test]
fn commands_that_ran() {
    let check = |lines: &[(&str, &str)], expected: &[&str]| check(DetailKind::Command, lines, expected);
    let before = [
        ("human", "go"),
        ("run", "cargo  test -p app"),
        ("result", "ok"),
        ("run", "cd /repo && make all"),
        ("result", "ok"),
        ("run", "npm run lint"),
        ("result", "ok"),
    ];
    let after = |last: &[(&'static str, &'static str)]| [&before[..], last].concat();
    check(
        &after(&[("compact", "2 `cargo test` passed")]),
        &["cargo test -p app: Named", "make all: Lost", "npm run lint: Literal"],
    );
    check(
        &after(&[("compact", "0 make all"), ("run", "npm run lint"), ("result", "ok"), ("run", "make all")]),
        &["npm run lint: Lost @4", "make all: Literal @5", "cargo test -p app: Lost"],
    );
}

#[test]
fn numbers_that_were_told() {
    let check = |lines: &[(&str, &str)], expected: &[&str]| check(DetailKind::Number, lines, expected);
    let before =
        [("run", "serve"), ("result", "on port 8081, pid 4711, in 2026"), ("human", "see issue 1234")];
    let after = |last: &[(&'static str, &'static str)]| [&before[..], last].concat();
    check(
        &after(&[("compact", "1 port 8081"), ("say", "kill 4711")]),
        &["4711: Lost @2", "1234: Literal", "8081: Literal"],
    );
    // A newer text told the number first, so the use does not concern the old one.
    check(
        &after(&[("compact", "0 nothing"), ("human", "4711 hangs"), ("say", "kill 4711")]),
        &["1234: Lost", "4711: Lost", "8081: Lost"],
    );
    // Reasoning says nothing.
    check(&[("think", "4711"), ("human", "go"), ("compact", "0 nothing"), ("say", "4711")], &[]);
}

#[test]
fn error_texts() {
    let check = |lines: &[(&str, &str)], expected: &[&str]| check(DetailKind::Error, lines, expected);
    let before = [
        ("run", "make"),
        ("failure", "building\nerror: no rule to make target `all`\nstop"),
        ("read", "x"),
        ("failure", "File not found"),
        ("read", "y"),
        ("failure", "The user said no"),
    ];
    let after = |last: &[(&'static str, &'static str)]| [&before[..], last].concat();
    check(
        &after(&[("compact", "0 It failed: \"Error: no rule to make target all\".")]),
        &["error: no rule to make target `all`: Literal", "File not found: Lost"],
    );
    check(
        &after(&[("compact", "0 It failed"), ("read", "y"), ("failure", "File not found")]),
        &["File not found: Lost @4", "error: no rule to make target `all`: Lost"],
    );
}

#[test]
fn constraints_are_of_the_human_and_decisions_of_the_model() {
    let lines = [
        ("human", "Never push to main. Thanks."),
        ("say", "We use a map instead of a list. You must not worry."),
        ("human", "Always run the tests"),
        ("compact", "0 The user: never push to main! We use a map instead of a list"),
        ("human", "Always run the tests"),
    ];
    check(DetailKind::Constraint, &lines, &["Always run the tests: Lost @1", "Never push to main.: Literal"]);
    check(DetailKind::Decision, &lines, &["We use a map instead of a list.: Literal"]);
}

#[test]
fn open_items_are_of_the_newest_list_and_unanswered() {
    let check = |lines: &[(&str, &str)], expected: &[&str]| check(DetailKind::OpenItem, lines, expected);
    let lines = [
        ("human", "Which port is it?"),
        ("say", "8081"),
        ("plan", "read the log; write a test"),
        ("result", "ok"),
        ("plan", "write a test; publish"),
        ("result", "ok"),
        ("human", "And the host?"),
        ("compact", "0 Next: write a test."),
        ("plan", "publish"),
    ];
    check(&lines, &["publish: Lost @4", "write a test: Literal", "And the host?: Lost"]);
    // A reply with calls is an answer, too.
    let lines = [("human", "Why?"), ("say", "So. Shall I go on?"), ("read", "x"), ("compact", "0 nothing")];
    check(&lines, &["Shall I go on?: Lost"]);
    let lines = [("say", "Shall I go on?"), ("human", "yes"), ("compact", "0 nothing")];
    check(&lines, &[]);
}

#[test]
fn each_compaction_has_its_own_context() {
    let lines = [
        ("read", "src/a.rs"),
        ("result", "one"),
        ("compact", "0 read src/a.rs"),
        ("read", "src/b.rs"),
        ("result", "two"),
        ("compact", "2 nothing"),
        ("read", "src/a.rs"),
    ];
    // The context of the second has `src/a.rs` as the first summary says it.
    check(DetailKind::File, &lines, &["src/a.rs: Lost @3", "src/b.rs: Literal"]);
}

#[test]
fn paces_of_edits() {
    let pace = |lines: &[(&str, &str)]| {
        let (log, _) = story(lines);
        let (session, ..) = log.build(1);
        let audits = audit_compactions(&session, &Material::default());
        let audit = audits.last().unwrap();
        let from = audits.len().checked_sub(2).map_or(TurnIdx::new(1), |at| audits[at].turn);
        let tell = |pace: EditPace| {
            format!(
                "{}: {} edits, {} calls, {} blocks",
                pace.from,
                pace.n_edits,
                pace.n_calls,
                pace.blocks.len()
            )
        };
        [tell(pace_before(&session, from, audit)), tell(pace_after(&session, audit))]
    };
    let (read, edit, result) = (("read", "x"), ("edit", "x"), ("result", "r"));
    let compact = ("compact", "0 s");
    let one =
        [read, result, edit, result, ("say", "so"), compact, read, result, read, result, edit, result, read];
    assert_eq!(pace(&one), ["1: 1 edits, 1 calls, 3 blocks", "4: 1 edits, 2 calls, 4 blocks"]);
    let none = [edit, result, compact, read, result, compact, read, result];
    assert_eq!(pace(&none), ["2: 0 edits, 1 calls, 2 blocks", "3: 0 edits, 1 calls, 2 blocks"]);
    assert_eq!(
        pace(&[edit, result, compact]),
        ["1: 1 edits, 0 calls, 0 blocks", "2: 0 edits, 0 calls, 0 blocks"]
    );
}
