//! Survival of details: what a request still had of what its reply needs.

use crate::common::options_of;
use crate::details::{find_details, story};
use cwl_engine::testing::LogBuilder;
use cwl_engine::*;

/// Expected form: `kind needed literal named` for each kind that is needed.
fn check(log: &LogBuilder, policy: &str, budget: u64, expected: &str) {
    let (session, growth, table) = log.build(1);
    let material = log.material(&session, &growth, cwl_formats::read_call);
    let needs = DetailNeeds::find(&session, &material, &find_details(log, &session));
    let policy = Policy::find(policy).unwrap();
    let input = ReplayInput {
        session: &session,
        growth: &growth,
        table: &policy.adjust_table(&session, &table),
        material: &material,
        pins: &[],
        overhead: &Overhead::default(),
        budget,
        policy,
        options: &options_of(policy.name, &[]),
    };
    let found = detail_survival(&input, &Replay::run(&input), &needs, &material, Some("/repo"));
    let told = DetailKind::ALL.iter().zip(found).filter(|(_, counts)| counts.n_needed > 0);
    let told = told.map(|(kind, counts)| {
        format!("{} {} {} {}", kind.name(), counts.n_needed, counts.n_literal, counts.n_named)
    });
    assert_eq!(told.collect::<Vec<_>>().join(", "), expected, "{} at {budget}", policy.name);
}

const LARGE: u64 = 1 << 40;

#[test]
fn each_detail_counts_once_per_turn() {
    let (log, _) = story(&[
        ("human", "go"),
        ("read", "src/a.rs"),
        ("result", "mod b; // src/listed.rs, port 18081"),
        ("run", "cargo test -p app"),
        ("result", "ok"),
        // Only an output names this file before, so the agent does not need it from there.
        ("read", "src/listed.rs"),
        ("result", "nothing"),
        ("say", "src/a.rs, then src/a.rs again, with 18081"),
        ("run", "cargo test -p app"),
        ("result", "ok"),
    ]);
    check(&log, "none", LARGE, "file 1 1 0, command 1 1 0, number 1 1 0");
    check(&log, "cwl", LARGE, "file 1 1 0, command 1 1 0, number 1 1 0");
    // The window keeps the last messages only.
    check(&log, "window", 60, "file 1 0 0, command 1 0 0, number 1 0 0");
}

#[test]
fn lines_that_come_again() {
    let (log, _) = story(&[
        ("human", "Never push to main."),
        ("run", "cargo test"),
        ("failure", "error: no such table: notes"),
        ("plan", "write the table; run the tests"),
        ("result", "ok"),
        ("say", "I chose SQLite because it is one file."),
        ("run", "cargo test -p app"),
        ("failure", "error: no such table: notes"),
        ("plan", "run the tests"),
        ("result", "ok"),
    ]);
    check(&log, "none", LARGE, "error 1 1 0, open_item 1 1 0");
    check(&log, "window", 60, "error 1 0 0, open_item 1 0 0");
    // A line of the summary is as good as the line itself.
    check(&log, "summary", 400, "error 1 1 0, open_item 1 1 0");
}

#[test]
fn blocks_that_the_harness_removed_are_no_needs() {
    let lines = [
        ("human", "go"),
        ("read", "src/a.rs"),
        ("result", "mod b;"),
        ("compact", "0 We read files"),
        ("human", "and now"),
        ("say", "src/a.rs is short"),
    ];
    let (log, _) = story(&lines);
    check(&log, "none", LARGE, "");
    // The summary of the harness is a block that says the file.
    let told: Vec<(&str, &str)> = lines
        .iter()
        .map(|line| if line.0 == "compact" { ("compact", "0 We read src/a.rs") } else { *line })
        .collect();
    check(&story(&told).0, "none", LARGE, "file 1 1 0");
}
