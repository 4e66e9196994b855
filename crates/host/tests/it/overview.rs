//! The overview of samples: its sentences, and sums that agree with those of other commands.

use std::fmt::Write;
use std::path::Path;

use cwl_host::api::{ConsumerKind, CostRequest, OverviewAnswer, ViewRequest, ViewSettings};
use cwl_host::{LogInput, SessionSnapshot, Tools, commands, load_file};

const CASES: [&str; 9] = [
    "claude-code/compacted-twice",
    "claude-code/hidden-loss",
    "claude-code/two-models",
    "claude-code/unmarked",
    "codex/compacted",
    "gemini-cli/quickstart",
    "pi/compacted",
    "pi/quickstart",
    "pi/ladder",
];

fn load(case: &str) -> SessionSnapshot {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case).join("input.jsonl");
    load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap()
}

fn overview(opened: &SessionSnapshot, view: ViewSettings) -> OverviewAnswer {
    commands::overview(opened, &ViewRequest { view }).unwrap()
}

#[test]
fn the_overview_of_sessions_in_sentences() {
    let mut said = String::new();
    for case in CASES {
        let overview = overview(&load(case), ViewSettings::default());
        writeln!(said, "{case}").unwrap();
        for line in overview.lines {
            let place = [line.turn.map(|turn| format!("turn {turn}")), line.block];
            let place: Vec<String> = place.into_iter().flatten().collect();
            writeln!(said, "  {:?}: {} [{}]", line.kind, line.says, place.join(", ")).unwrap();
        }
        for one in overview.consumers.iter().chain(&overview.files).take(6) {
            writeln!(
                said,
                "    {:?} {} {} ‰, {} tokens once, {} in all",
                one.kind, one.name, one.share, one.tokens, one.sent
            )
            .unwrap();
        }
    }
    insta::assert_snapshot!(said);
}

#[test]
fn sums_agree_with_other_commands_and_no_policy_changes_them() {
    for case in CASES {
        let opened = load(case);
        let view = ViewSettings::default();
        let found = overview(&opened, view.clone());
        let parts: u64 = found.consumers.iter().map(|one| one.sent).sum();
        assert_eq!(parts, found.sent, "{case}");
        let request = CostRequest { view: view.clone(), cache: Default::default() };
        let cost = commands::cost(&opened, &request).unwrap();
        if cost.n_summaries == 0 && !cost.of_totals {
            // Each request's cost is rounded by itself.
            let sum: u64 = found.cost.iter().sum();
            assert!(sum.abs_diff(cost.reported.total_cost) <= found.cost.len() as u64, "{case}");
        }
        assert_eq!(found.n_misses as usize, cost.misses.len(), "{case}");
        let history = commands::history(&opened, &ViewRequest { view: view.clone() }).unwrap();
        assert_eq!(found.reported.len(), history.reported.len(), "{case}");
        for turn in found.replaced_turns.iter() {
            assert!(history.compactions.contains(turn) || history.clearings.contains(turn), "{case} {turn}");
        }
        let small = ViewSettings { policy: "window".into(), budget: "500".into(), ..view };
        let under_pressure = overview(&opened, small);
        assert_eq!(under_pressure.lines, found.lines, "{case}");
        assert_eq!(under_pressure.consumers, found.consumers, "{case}");
    }
}

#[test]
fn a_block_counts_once_for_each_request_that_held_it() {
    let opened = load("pi/quickstart");
    let found = overview(&opened, ViewSettings::default());
    let human = found.consumers.iter().find(|one| one.kind == ConsumerKind::Human).unwrap();
    // The first message is in every request, and each later one in those that follow it.
    assert!(human.sent >= human.tokens * 2 && human.sent < human.tokens * found.reported.len() as u64);
}

#[test]
fn definitions_of_tools_are_told_by_server() {
    let of = |name: &str| -> Vec<(String, u32)> {
        let found = overview(&load(name), ViewSettings::default()).consumers;
        let definitions = found.into_iter().filter(|one| one.kind == ConsumerKind::ToolDefinitions);
        definitions.map(|one| (one.name, one.n_blocks)).collect()
    };
    let own = String::new;
    assert_eq!(of("anthropic/quickstart"), [(own(), 6)]);
    assert_eq!(of("pi/quickstart"), []);
    let servers = of("claude-code/requests");
    assert!(servers.iter().any(|(server, n)| server == "tides" && *n > 0), "{servers:?}");
}
