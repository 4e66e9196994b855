//! The verdict and its words, on invented settings.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

/// Parses lines `POLICY@BUDGET COST KEPT STEPS`. Costs are in cents; `?` is an unknown cost.
fn settings(lines: &str) -> Vec<MeasuredSetting> {
    let read = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (policy, budget) = words[0].split_once('@').unwrap();
        MeasuredSetting {
            policy: policy.to_owned(),
            budget: budget.parse().ok(),
            cost: words[1].parse::<u64>().ok().map(|cents| cents * 10_000),
            kept: words[2].parse().ok(),
            n_steps: words[3].parse().unwrap(),
        }
    };
    lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(read).collect()
}

fn judge(settings: &[MeasuredSetting], n_uses: u64) -> VerdictAnswer {
    let price = PriceInForce {
        model: None,
        row: "model-1".to_owned(),
        assumed: false,
        priced: true,
        as_of: "2026-01-02".to_owned(),
        source: String::new(),
        input: String::new(),
        cache_read: String::new(),
        cache_write: String::new(),
        output: String::new(),
        says: String::new(),
        problems: Vec::new(),
    };
    let scope = JudgedScope {
        n_requests: 361,
        policies: vec!["cwl", "auto"],
        budgets: vec![50_000, 80_000],
        counted_by: "o200k".to_owned(),
        source: AnnotationSource::Declared,
        n_uses,
        price: &price,
    };
    judge_settings(settings, scope)
}

#[track_caller]
fn check(lines: &str, outcome: Option<VerdictOutcome>, says: &str) {
    let found = judge(&settings(lines), 7);
    assert_eq!((found.outcome, found.says.as_str()), (outcome, says), "{lines}");
}

#[test]
fn the_best_of_both_sides_are_compared_at_equal_cost_and_at_equal_recall() {
    use VerdictOutcome as Outcome;
    check(
        "cwl+@50000 100 800 9
         cwl+@80000 200 900 9
         cwl@50000 300 850 9
         auto@50000 100 700 9
         auto@80000 200 800 9
         none@- 900 1000 0",
        Some(Outcome::Better),
        "CWL does better than the other policies on this session: at equal cost its best settings (cwl+) keep \
         10.0 points more recall than the best of the others (auto), and at equal recall they cost 50.0 % less",
    );
    check(
        "cwl@50000 220 800 9
         auto@50000 100 800 9
         summary@50000 60 700 9
         none@- 900 1000 0",
        Some(Outcome::Worse),
        "CWL does worse than the other policies on this session: at equal cost its best settings (cwl) keep as \
         much recall as the best of the others (auto), and at equal recall they cost 120.0 % more",
    );
    // The frontiers cross: CWL is far dearer where recall is low, and keeps a little more for much money.
    check(
        "cwl@50000 100 500 9
         cwl@80000 150 800 9
         cwl@90000 1000 870 9
         auto@50000 60 500 9
         auto@80000 100 800 9
         auto@90000 1000 810 9",
        Some(Outcome::Mixed),
        "CWL does better in one respect and worse in the other on this session: at equal cost its best settings \
         (cwl) keep 2.0 points more recall than the best of the others (auto), and at equal recall they cost \
         34.2 % more",
    );
    check(
        "cwl@50000 1000 800 9
         cwl@80000 2000 900 9
         auto@50000 1010 804 9
         auto@80000 2010 901 9",
        Some(Outcome::NoDifference),
        "CWL and the other policies do alike on this session: at equal cost its best settings (cwl) keep as much \
         recall as the best of the others (auto), and at equal recall they cost the same",
    );
    check(
        "cwl@50000 300 900 9
         summary@50000 400 800 9
         none@- 200 1000 0",
        Some(Outcome::NoEviction),
        "No policy pays on this session: without eviction it costs $2.00, no more than under any policy, and \
         keeps everything",
    );
}

#[test]
fn a_session_that_cannot_tell_says_why() {
    check(
        "cwl@50000 ? 800 9
         none@- ? 1000 0",
        None,
        "No list of prices here names the model, so policies cannot be compared by what they cost",
    );
    check(
        "cwl@50000 300 1000 0
         summary@50000 100 800 9",
        None,
        "No form of CWL evicts anything in this session, so there is nothing to compare",
    );
    check(
        "cwl@50000 300 900 9
         summary@50000 100 1000 0",
        None,
        "No other policy evicts anything in this session, so there is nothing to compare with CWL",
    );
    check(
        "cwl@50000 300 1000 0
         none@- 300 1000 0",
        None,
        "No policy evicts anything in this session, so there is nothing to compare",
    );
}

#[test]
fn recall_says_nothing_if_nothing_is_used_again() {
    let all = settings("cwl@50000 100 1000 9\n auto@50000 80 1000 9");
    let found = judge(&all, 0);
    assert_eq!(
        (found.outcome, found.says.as_str()),
        (
            None,
            "The log shows no use of earlier content, so recall says nothing and policies can only be compared by cost"
        )
    );
    assert!(judge(&all, 1).outcome.is_some());
}

#[test]
fn the_scope_names_what_was_compared_and_the_margins() {
    let found = judge(&[], 7).scope;
    assert_eq!(
        found.says,
        "Compared: 361 requests of this session with declared episodes, 2 policies with their default options at \
         budgets of 50,000 and 80,000 tokens counted in o200k, list prices of model-1 as of 2026-01-02 with the model \
         of the prompt cache; less than 1 point of recall or 2 % of cost is no difference"
    );
}

proptest! {
    #[test]
    fn the_order_of_settings_has_no_influence(
        figures in prop::collection::vec((0..4usize, 1..60u64, 0..1000u64), 1..24),
        turned in 0..24usize,
    ) {
        let names = ["cwl", "cwl+", "auto", "summary"];
        let mut all: Vec<MeasuredSetting> = (1u64..)
            .zip(&figures)
            .map(|(budget, (name, cents, kept))| MeasuredSetting {
                policy: names[*name].to_owned(),
                budget: Some(budget),
                cost: Some(cents * 10_000),
                kept: Some(*kept),
                n_steps: 1,
            })
            .collect();
        let told = judge(&all, 7);
        all.rotate_left(turned % figures.len());
        let turned = judge(&all, 7);
        prop_assert_eq!((told.outcome, told.says), (turned.outcome, turned.says));
        prop_assert_eq!((told.cwl.len(), told.others.len()), (turned.cwl.len(), turned.others.len()));
    }
}
