//! The Pareto frontier: which settings count, and the verdict on CWL.

use cwl_api::commands::frontier;
use cwl_api::dto::{FrontierRequest, KeptByDto, SettingDto, VerdictDto};

/// Parses lines `POLICY@BUDGET COST KEPT STEPS`. Costs are in cents; `?` is an unknown figure.
fn settings(lines: &str) -> Vec<SettingDto> {
    let read = |line: &str| {
        let mut words = line.split_whitespace();
        let (policy, budget) = words.next().unwrap().split_once('@').unwrap();
        let mut figure = || words.next().unwrap().parse::<u64>();
        SettingDto {
            policy: policy.to_owned(),
            budget: budget.parse().ok(),
            cost: figure().ok().map(|cents| cents * 10_000),
            kept: figure().ok(),
            n_steps: figure().unwrap(),
        }
    };
    lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(read).collect()
}

/// A question, and the expected frontier, verdict and sentence.
type Case<'a> = (KeptByDto, Option<u32>, &'a str, &'a [u32], Option<VerdictDto>, &'a str);

#[track_caller]
fn check((by, current, lines, on, verdict, says): Case<'_>) {
    let found = frontier(&FrontierRequest { by, settings: settings(lines), current });
    assert_eq!(found.on.iter().map(|one| one.place).collect::<Vec<_>>(), on, "{}", found.says);
    assert_eq!((found.verdict, found.says.as_str()), (verdict, says));
}

const LOOK_BACK: KeptByDto = KeptByDto::LookBack;

#[test]
fn settings_without_a_price_have_no_frontier() {
    check((
        LOOK_BACK,
        Some(0),
        "cwl@50000 ? 800 9
         none@- ? 1000 0",
        &[],
        None,
        "No list of prices here names the model, so the picture cannot say what these settings cost",
    ));
}

#[test]
fn the_verdict_counts_the_settings_that_evict() {
    check((
        LOOK_BACK,
        None,
        "cwl@50000 100 800 9
         window@50000 200 850 9
         none@- 300 1000 0",
        &[0, 1, 2],
        Some(VerdictDto::Good),
        "Good for CWL on this session: 1 of the 2 settings on the Pareto frontier that evict is a form of CWL: \
         cwl at 50,000 ($1.00, recall 80.0 %)",
    ));
    check((
        LOOK_BACK,
        Some(0),
        "cwl@80000 400 840 9
         cwl+@50000 90 700 9
         window@50000 100 800 9
         window@80000 200 850 9
         none@- 300 1000 0",
        &[1, 2, 3, 4],
        Some(VerdictDto::Mixed),
        "Mixed for CWL on this session: 1 of the 3 settings on the Pareto frontier that evict is a form of CWL: \
         cwl+ at 50,000 ($0.90, recall 70.0 %); the setting in use, cwl at 80,000 ($4.00, recall 84.0 %), is \
         beaten by window at 80,000 ($2.00, recall 85.0 %)",
    ));
    check((
        LOOK_BACK,
        Some(1),
        "cwl@50000 300 800 9
         summary@50000 100 800 9",
        &[1],
        Some(VerdictDto::Bad),
        "Bad for CWL on this session: the only setting on the Pareto frontier that evicts is no form of CWL; each form \
         of CWL is beaten by a setting that costs no more and keeps no less; the setting in use, summary at 50,000 \
         ($1.00, recall 80.0 %), is on the Pareto frontier",
    ));
}

#[test]
fn eviction_may_be_worth_nothing_at_all() {
    check((
        LOOK_BACK,
        None,
        "cwl@50000 300 900 9
         summary@50000 400 800 9
         none@- 200 1000 0",
        &[2],
        Some(VerdictDto::Bad),
        "Bad for CWL on this session, and for every other policy: no eviction costs no more than any of them and \
         keeps no less",
    ));
}

#[test]
fn settings_that_come_to_the_same_count_once() {
    // Above the history no policy evicts: all of these equal `none`, which stands for them.
    check((
        LOOK_BACK,
        None,
        "cwl@900000 300 1000 0
         window@900000 300 1000 0
         none@- 300 1000 0
         cwl@50000 100 800 9
         cwl@40000 100 800 9
         opencode-prune@50000 200 900 9",
        &[4, 5, 2],
        Some(VerdictDto::Good),
        "Good for CWL on this session: 1 of the 2 settings on the Pareto frontier that evict is a form of CWL: \
         cwl at 40,000 ($1.00, recall 80.0 %)",
    ));
}

#[test]
fn less_regret_is_better_and_probes_that_are_not_asked_tell_nothing() {
    check((
        KeptByDto::Regret,
        None,
        "cwl@50000 100 5000 9
         window@50000 100 6000 9",
        &[0],
        Some(VerdictDto::Good),
        "Good for CWL on this session: the only setting on the Pareto frontier that evicts is a form of CWL: \
         cwl at 50,000 ($1.00, 5,000 tokens of regret)",
    ));
    check((
        KeptByDto::Probes,
        Some(0),
        "cwl@50000 100 ? 9
         none@- 300 ? 0",
        &[],
        None,
        "No probe is asked, so the picture cannot say how many of them are answered",
    ));
    check((LOOK_BACK, None, "", &[], None, "There is no setting to compare"));
}

#[test]
fn settings_that_cannot_tell_say_so() {
    check((
        LOOK_BACK,
        Some(0),
        "cwl@50000 100 800 9
         cwl@60000 120 900 9
         cwl@70000 130 850 9
         none@- 300 1000 0",
        &[0, 1, 3],
        None,
        "2 of the 3 settings that evict are on the Pareto frontier; all are forms of CWL, so they tell budgets apart and say \
         nothing of other policies",
    ));
    check((
        LOOK_BACK,
        None,
        "cwl@50000 300 1000 0
         summary@50000 100 800 9",
        &[1, 0],
        None,
        "No form of CWL evicts anything here, so the picture says nothing of CWL",
    ));
}
