//! A session's reported cost, and causes of prompt cache misses.

use std::path::Path;

use cwl_host::api::{CostAnswer, CostRequest, MissCause, ViewRequest, ViewSettings};
use cwl_host::{LogInput, SessionSnapshot, Tools, commands, load_file};

fn load(case: &str) -> SessionSnapshot {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case).join("input.jsonl");
    load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap()
}

fn cost(opened: &SessionSnapshot) -> CostAnswer {
    let request = CostRequest { view: ViewSettings::counted("o200k"), cache: Default::default() };
    commands::cost(opened, &request).unwrap()
}

#[test]
fn misses_have_their_causes_and_their_price() {
    let opened = load("claude-code/hidden-loss");
    let cost = cost(&opened);
    let misses: Vec<_> =
        cost.misses.iter().map(|miss| (miss.turn, miss.cause, miss.tokens, miss.cost)).collect();
    // 18,412 tokens were written at $6.25 and 6 sent at $5.00 a million, while reading costs $0.50; then
    // 20,162 and 6.
    let expected = [(1, MissCause::First, 18_418, 105_896), (5, MissCause::Expired, 20_168, 115_959)];
    assert_eq!(misses, expected);
    assert_eq!(
        cost.misses[1].says,
        "0 of 20,168 tokens were read from the prompt cache, 20,168 were not, for $0.12 more: 40 min since the request \
         before, and the provider keeps a prefix for less"
    );
    let judged = cost.judged.unwrap();
    assert_eq!((judged.n_compared, judged.n_agreed), (5, 5));
}

#[test]
fn sums_are_those_of_their_parts_and_the_history_has_the_same_misses() {
    for case in [
        "claude-code/hidden-loss",
        "claude-code/compaction",
        "claude-code/branches",
        "claude-code/resumed",
        "codex/quickstart",
        "codex/compacted",
        "pi/quickstart",
        "pi/v1",
        "openclaw/gateway",
    ] {
        let opened = load(case);
        let cost = cost(&opened);
        let of_causes = |of: fn(&cwl_host::api::MissSum) -> u64| cost.causes.iter().map(of).sum::<u64>();
        assert_eq!(of_causes(|misses| misses.tokens), cost.missed, "{case}");
        assert_eq!(of_causes(|misses| misses.cost), cost.missed_cost, "{case}");
        assert_eq!(of_causes(|misses| misses.n.into()), cost.misses.len() as u64, "{case}");
        assert!(cost.missed <= cost.expected, "{case}");
        assert!(cost.misses.iter().all(|miss| miss.tokens == miss.expected - miss.read), "{case}");
        assert!(cost.missed_cost <= cost.reported.total_cost, "{case}");
        let request = ViewRequest { view: ViewSettings::counted("o200k") };
        assert_eq!(commands::history(&opened, &request).unwrap().misses, cost.misses, "{case}");
    }
}
