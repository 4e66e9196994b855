//! Costs of sessions: each request at the price of its model, beside the harness's own figure.

use std::path::Path;

use cwl_host::api::{CacheRules, CostAnswer, CostRequest, ViewSettings};
use cwl_host::{LogInput, Tools, commands, load_file};

fn cost_of(case: &str) -> CostAnswer {
    cost_of_log(case, "input.jsonl")
}

fn cost_of_log(case: &str, name: &str) -> CostAnswer {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case).join(name);
    let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
    let request = CostRequest { view: ViewSettings::counted("o200k"), cache: CacheRules::default() };
    commands::reported_cost(&opened, &request).unwrap()
}

/// Checks the cost in millionths of a dollar, and the numbers of reported requests, copied requests and
/// summary calls.
#[track_caller]
fn check(case: &str, money: u64, counted: (u32, u32, u32)) {
    let cost = cost_of(case);
    assert_eq!((cost.n_reported, cost.n_copied, cost.n_summaries), counted, "{case}");
    assert_eq!(cost.reported.total_cost, money, "{case}: {:?}", cost.reported);
}

#[test]
fn each_request_has_the_price_of_its_own_model() {
    // By hand: Haiku 4.5 63 fresh at 1, 8,400 written at 1.25, 276,213 read at 0.10, 806 replied at 5; Opus
    // 4.8 3 at 5, 400 at 6.25, 14,710 at 0.50, 6 at 25.
    check("claude-code/two-models", 78 + 13_000 + 34_976 + 4180, (22, 0, 0));
}

#[test]
fn what_is_kept_for_an_hour_has_a_price_of_its_own() {
    let cost = cost_of("claude-code/hour-cache");
    // Opus 4.8: 100,000 for an hour at 10 dollars a million, and 400 for five minutes at 6.25.
    assert_eq!(cost.reported.written_cost, 100_000 * 10 + 400 * 25 / 4);
    assert!(cost.misses.iter().all(|miss| !miss.says.contains("for less")), "{:?}", cost.misses);
}

#[test]
fn what_was_copied_was_paid_for_elsewhere() {
    for (case, n_copied) in [("codex/fork-spent", 6), ("codex/fork-subagent", 6), ("pi/fork", 6)] {
        let cost = cost_of(case);
        assert_eq!((cost.n_reported, cost.n_copied), (2, n_copied), "{case}");
    }
}

#[test]
fn of_a_copy_only_the_call_for_the_summary_is_its_own() {
    let case = "claude-code/compaction-copy";
    let (session, copy) =
        (cost_of(case), cost_of_log(case, "input/subagents/agent-acompact-5e1f09c2d7a4b638.jsonl"));
    assert_eq!((session.n_reported, session.n_copied), (4, 0));
    assert_eq!((copy.n_reported, copy.n_copied), (1, 3));
    // Opus 4.8: 3 at 5 dollars a million, 60 at 6.25, 12,170 at 0.50, 35 at 25.
    assert_eq!(copy.reported.total_cost, 15 + 375 + 6085 + 875);
}

#[test]
fn what_was_used_beside_the_conversation_is_paid_for() {
    // 4 requests with 900 tokens each at 2 dollars a million.
    let cost = cost_of("gemini-cli/tool-tokens");
    assert_eq!(cost.reported.fresh, 4 * 900 + 6000 + 6740 + 7480 + 8220);
    let rounds = cost_of("claude-code/rounds");
    assert_eq!(rounds.reported.output, 40 + 500 + 40 + 9, "{:?}", rounds.reported);
    let summary = cost_of("pi/summary-usage");
    assert_eq!(summary.n_summaries, 1);
    let stated = summary.stated.unwrap();
    assert!(stated.cost > 150_000, "the harness says that the summary alone cost 15 cents: {stated:?}");
}

#[test]
fn a_stated_cost_that_counts_the_cache_twice_is_told_request_by_request() {
    let stated = cost_of("openclaw/two-providers").stated.unwrap();
    // Gemini: 21,600 and 5,460 at $0.50, 16,200 at $0.05, 45 replied at $3. Opus: 4 at $5, 20,000 at $0.50, 1,800 at $6.25, 30 at $25.
    let ours = (21_600 + 5_460) / 2 + 810 + 135 + 20 + 10_000 + 11_250 + 750;
    assert_eq!((stated.ours, stated.cost), (ours, ours + 16_200 / 2));
    assert!(stated.counts_cache_twice);
    assert_eq!(
        stated.says,
        "the harness itself states $0.04 for 3 requests; this table of prices gives $0.04, 18.1 % less, as the harness \
         counts what 1 request read from the cache as sent afresh too"
    );
    let alike = cost_of("openclaw/gateway").stated.unwrap();
    assert!(!alike.counts_cache_twice && alike.difference.unwrap().abs() <= 20, "{alike:?}");
}

#[test]
fn a_log_that_states_only_totals_costs_them() {
    check("copilot/shutdown-sizes", 5 * 1000 + 23_000 / 4 * 25 + 46_000 / 2 + 90 * 25, (0, 0, 0));
    let both = cost_of("copilot/segments");
    assert!(both.of_totals);
    assert_eq!((both.reported.cached, both.reported.written), (41_000, 27_500), "two runs of the program");
}
