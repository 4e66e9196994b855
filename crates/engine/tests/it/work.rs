//! The work of two sessions side by side.

use crate::common::{call, text};
use cwl_engine::testing::{LogBuilder, tools};
use cwl_engine::*;

/// One step per line: `human WORDS`, `say WORDS`, `TOOL ARGUMENTS > RESULT`, `TOOL ARGUMENTS ! FAILURE`.
fn work(story: &str, cwd: &str) -> SessionWork {
    let mut log = LogBuilder::new();
    let mut texts: Vec<String> = Vec::new();
    for (at, line) in story.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let id = format!("c{at}");
        match verb {
            "human" => {
                log.human(rest);
                texts.push(rest.into());
            }
            "say" => {
                log.reply(&[text(1)]);
                texts.push(rest.into());
            }
            tool => {
                let failed = rest.split_once(" ! ");
                let (arguments, result) = failed.or(rest.split_once(" > ")).unwrap_or((rest, "fine"));
                log.reply(&[call(&id, tool)]);
                match failed {
                    Some(_) => log.failure(&id, result),
                    None => log.result(&id, result),
                };
                texts.push(format!("{tool}{arguments}"));
                texts.push(result.into());
            }
        }
    }
    let (session, _) = Session::build(&log.log, None, History::AsRecorded, &tools());
    assert_eq!(session.blocks.len(), texts.len(), "{story}");
    let mut work = WorkBuilder::new(&session, Some(cwd));
    for (at, text) in texts.iter().enumerate() {
        let reading = match &session.blocks[at].kind {
            BlockKind::Call(call) => Some(cwl_formats::read_call(&call.name, text)),
            _ => None,
        };
        work.add_block(BlockIdx::new(at), text, reading.as_ref());
    }
    work.finish()
}

/// Expected form: turn, effect and object of each unit.
fn check_units(story: &str, expected: &[&str]) {
    let found: Vec<String> = work(story, "/repo")
        .units
        .iter()
        .map(|unit| {
            format!("{} {:?} {}{}", unit.turn, unit.kind, unit.what, if unit.ok { "" } else { " failed" })
        })
        .collect();
    assert_eq!(found, expected, "{story}");
}

#[test]
fn units_are_effects_with_their_objects() {
    check_units(
        "human Fix  the\tparser\nread {\"path\":\"/repo/src/a.rs\"}\nsay found it",
        &["1 Human Fix the parser", "1 Call(Look) src/a.rs", "2 Reply "],
    );
    check_units(r#"edit {"path":"src/a.rs"} ! no such text"#, &["1 Call(Edit) src/a.rs failed"]);
    check_units(r#"bash {"command":"cd /repo && cargo   test"}"#, &["1 Call(Check) cargo test"]);
    check_units(r#"bash {"command":"cat src/a.rs | head -3"}"#, &["1 Call(Look) src/a.rs"]);
    check_units(r#"bash {"command":"rg main src/a.rs"}"#, &["1 Call(Look) rg main src/a.rs"]);
    check_units(r#"grep {"pattern":"main","path":"/repo/src"}"#, &["1 Call(Look) main src"]);
}

/// Aligns two sessions by a plain longest common subsequence, and writes each row as `a-b` with a sign for
/// the difference.
fn rows(a: &SessionWork, b: &SessionWork) -> String {
    let (keys_a, keys_b) = (a.unit_keys(), b.unit_keys());
    let mut longest = vec![vec![0usize; keys_b.len() + 1]; keys_a.len() + 1];
    for at in (0..keys_a.len()).rev() {
        for to in (0..keys_b.len()).rev() {
            longest[at][to] = if keys_a[at] == keys_b[to] {
                longest[at + 1][to + 1] + 1
            } else {
                longest[at + 1][to].max(longest[at][to + 1])
            };
        }
    }
    let (mut at, mut to, mut common) = (0, 0, Vec::new());
    while at < keys_a.len() && to < keys_b.len() {
        if keys_a[at] == keys_b[to] {
            common.push((at, to));
            (at, to) = (at + 1, to + 1);
        } else if longest[at + 1][to] >= longest[at][to + 1] {
            at += 1;
        } else {
            to += 1;
        }
    }
    let turn = |turn: Option<TurnIdx>| turn.map_or("_".to_owned(), |turn| turn.to_string());
    let sign = |differs| match differs {
        RowDifference::Nothing => "=",
        RowDifference::Texts => "~",
        RowDifference::Marks => "m",
        RowDifference::Work => "x",
    };
    let rows = Alignment::align(a, b, &common).rows;
    let row = |row: &AlignedTurn| format!("{}{}{}", turn(row.a), sign(row.differs), turn(row.b));
    rows.iter().map(row).collect::<Vec<_>>().join(" ")
}

fn check(a: &str, b: &str, expected: &str) {
    assert_eq!(rows(&work(a, "/one"), &work(b, "/two")), expected, "{a}\n--\n{b}");
}

#[test]
fn turns_stand_beside_those_that_did_the_same() {
    let look = r#"read {"path":"src/a.rs"} > one"#;
    let other = r#"read {"path":"src/b.rs"} > two"#;
    let edit = r#"edit {"path":"src/a.rs"}"#;
    let all = |lines: &[&str]| lines.join("\n");
    check(&all(&["human go", look, edit]), &all(&["human go", look, edit]), "1=1 2=2");
    // The same files in another folder; other tools with the same effect.
    check(r#"read {"path":"/one/src/a.rs"} > one"#, r#"read {"path":"/two/src/a.rs"} > one"#, "1~1");
    check(r#"bash {"command":"cat src/a.rs"} > one"#, look, "1~1");
    check(&all(&[look, edit]), &all(&[look, other, edit]), "1=1 _x2 2=3");
    check(&all(&[look, other, edit]), &all(&[look, edit]), "1=1 2x_ 3=2");
    check(&all(&[look, edit]), &all(&[other, edit]), "1x1 2=2");
    check(&all(&["human go", look]), &all(&["human stop", look]), "1x1");
    check(r#"read {"path":"src/a.rs"} > one"#, r#"read {"path":"src/a.rs"} > else"#, "1~1");
    check(r#"read {"path":"src/a.rs"} > one"#, r#"read {"path":"src/a.rs"} ! gone"#, "1x1");
    check(&all(&[look, "say done"]), &all(&[look, "say finished"]), "1=1 2~2");
    check("", look, "_x1");
    check("", "", "");
}

#[test]
fn figures_of_work() {
    let of = work(
        "read {\"path\":\"a.rs\"}\nbash {\"command\":\"git status\"}\nedit {\"path\":\"a.rs\"}\nread {\"path\":\"b.rs\"}\nsay done",
        "/repo",
    );
    assert_eq!((of.n_calls(), of.n_edits(), of.n_looks_before_edit()), (4, 1, 2));
    assert_eq!(of.first_edit(), Some(TurnIdx::new(3)));
    let none = work("read {\"path\":\"a.rs\"}", "/repo");
    assert_eq!((none.n_looks_before_edit(), none.first_edit()), (1, None));
}
