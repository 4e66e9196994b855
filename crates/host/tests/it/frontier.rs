//! The Pareto frontier: which settings count, and the frontiers of both sides.

use cwl_host::api::{FrontierMeasure, FrontierRequest, MeasuredSetting};
use cwl_host::commands::frontier;

/// Parses lines `POLICY@BUDGET COST KEPT STEPS`. Costs are in cents; `?` is an unknown figure.
fn settings(lines: &str) -> Vec<MeasuredSetting> {
    let read = |line: &str| {
        let mut words = line.split_whitespace();
        let (policy, budget) = words.next().unwrap().split_once('@').unwrap();
        let mut figure = || words.next().unwrap().parse::<u64>();
        MeasuredSetting {
            policy: policy.to_owned(),
            budget: budget.parse().ok(),
            cost: figure().ok().map(|cents| cents * 10_000),
            kept: figure().ok(),
            n_steps: figure().unwrap(),
        }
    };
    lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(read).collect()
}

/// A question, and the places on the expected frontiers: of all settings, of the CWL family, of the others.
type Case<'a> = (FrontierMeasure, &'a str, [&'a [u32]; 3]);

#[track_caller]
fn check((by, lines, [on, cwl, others]): Case<'_>) {
    let found = frontier(&FrontierRequest { by, settings: settings(lines) });
    assert_eq!(found.on.iter().map(|one| one.place).collect::<Vec<_>>(), on, "{lines}");
    assert_eq!((&*found.cwl, &*found.others), (cwl, others), "{lines}");
}

const RECALL: FrontierMeasure = FrontierMeasure::Recall;

#[test]
fn settings_without_a_price_have_no_frontier() {
    check((
        RECALL,
        "cwl@50000 ? 800 9
         none@- ? 1000 0",
        [&[], &[], &[]],
    ));
    check((RECALL, "", [&[], &[], &[]]));
}

#[test]
fn each_side_has_a_frontier_of_its_own() {
    check((
        RECALL,
        "cwl@80000 400 840 9
         cwl+@50000 90 700 9
         window@50000 100 800 9
         window@80000 200 850 9
         summary@80000 250 850 9
         none@- 300 1000 0",
        [&[1, 2, 3, 5], &[1], &[2, 3]],
    ));
}

#[test]
fn a_side_that_no_eviction_beats_as_a_whole_keeps_its_frontier() {
    check((
        RECALL,
        "cwl@50000 400 800 9
         cwl@80000 500 840 9
         auto@50000 100 700 9
         auto@80000 350 900 9
         none@- 300 1000 0",
        [&[2, 4], &[0, 1], &[2]],
    ));
}

#[test]
fn settings_that_come_to_the_same_count_once() {
    // Above the history no policy evicts: all of these equal `none`, which stands for them.
    check((
        RECALL,
        "cwl@900000 300 1000 0
         window@900000 300 1000 0
         none@- 300 1000 0
         cwl@50000 100 800 9
         cwl@40000 100 800 9
         opencode-prune@50000 200 900 9",
        [&[4, 5, 2], &[4], &[5]],
    ));
}

#[test]
fn less_reacquisition_is_better_and_probes_that_are_not_asked_tell_nothing() {
    check((
        FrontierMeasure::Reacquired,
        "cwl@50000 100 5000 9
         window@50000 100 6000 9",
        [&[0], &[0], &[1]],
    ));
    check((
        FrontierMeasure::Probes,
        "cwl@50000 100 ? 9
         none@- 300 ? 0",
        [&[], &[], &[]],
    ));
}
