//! A duel of two policies: its series against the other answers about the same replays.

use std::path::Path;

use cwl_host::api::{
    CacheRules, CompareRequest, DuelAnswer, DuelRequest, DuelSide, ViewCut, ViewRequest, ViewSettings,
};
use cwl_host::{ErrorCode, LogInput, SessionSnapshot, Tools, commands, load_file};

fn open_golden(name: &str) -> SessionSnapshot {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    load_file(&LogInput::File(file), None, &Tools::builtin_tables()).unwrap()
}

fn view(policy: &str, budget: &str) -> ViewSettings {
    ViewSettings { policy: policy.into(), budget: budget.into(), ..ViewSettings::counted("o200k") }
}

fn duel_of(opened: &SessionSnapshot, a: &ViewSettings, b: &ViewSettings) -> DuelAnswer {
    let request = DuelRequest { a: a.clone(), b: b.clone(), cache: CacheRules::default() };
    commands::duel(opened, &request).unwrap()
}

/// Tokens that are left of all content at each turn, by the changes.
fn left_by_turn(duel: &DuelAnswer, side: &DuelSide) -> Vec<u64> {
    let mut left = duel.came_in.clone();
    let mut changes = side.changes.iter().peekable();
    let at_turn = |turn: u32| {
        while let Some((_, origin, tokens)) = changes.next_if(|change| change.0 <= turn) {
            left[*origin as usize - 1] = *tokens;
        }
        left[..turn as usize].iter().sum()
    };
    (1..).take(duel.came_in.len()).map(at_turn).collect()
}

#[test]
fn what_is_left_is_what_the_request_holds() {
    let check = |name: &str, budget: &str| {
        let opened = open_golden(name);
        // Neither policy puts anything in the place of what it evicts.
        let [a, b] =
            ["window", "none"].map(|policy| ViewSettings { overhead: "0".into(), ..view(policy, budget) });
        let duel = duel_of(&opened, &a, &b);
        for side in [&duel.a, &duel.b] {
            assert_eq!(left_by_turn(&duel, side), side.sent, "{name}: {}", side.policy);
        }
        duel.a.changes.len()
    };
    assert!(check("tame.jsonl", "6000") > 0, "something is evicted");
    assert!(check("wild.jsonl", "20000") > 0);
    check("broken.jsonl", "6000");
}

#[test]
fn the_last_values_are_those_of_the_comparison() {
    let check = |name: &str, policies: [&str; 2]| {
        let opened = open_golden(name);
        let views = policies.map(|policy| view(policy, "6000"));
        let duel = duel_of(&opened, &views[0], &views[1]);
        let request = CompareRequest {
            views: views.to_vec(),
            cut: ViewCut { turn: None, step: None },
            cache: CacheRules::default(),
            by: Default::default(),
            bands: Default::default(),
        };
        let columns = commands::compare(&opened, &request).unwrap().columns;
        let mut n_needs = 0;
        for ((side, column), view) in [&duel.a, &duel.b].into_iter().zip(&columns).zip(&views) {
            let name = format!("{name}: {}", side.policy);
            assert_eq!(side.sent, column.after, "{name}");
            assert_eq!(side.sent.len(), duel.came_in.len());
            assert_eq!(side.cost_so_far, column.cost_so_far);
            let again = column.measured.recall.reacquired_tokens;
            assert_eq!(side.again_so_far.last(), Some(&again), "{name}: got again");
            assert!(side.again_so_far.is_sorted(), "{name}");
            let request = ViewRequest { view: view.clone() };
            let stories = commands::reacquisition_stories(&opened, &request).unwrap();
            let mut told: Vec<(u32, u32, u64)> = stories
                .stories
                .iter()
                .map(|story| (story.again.turn, story.gone.turn, story.tokens))
                .collect();
            told.sort_unstable();
            let mut needs: Vec<(u32, u32, u64)> =
                side.needs.iter().map(|need| (need.turn, need.gone, need.tokens)).collect();
            needs.sort_unstable();
            assert_eq!(needs, told, "{name}: each need is a story");
            let origins =
                side.needs.iter().flat_map(|need| need.origins.iter().map(|from| (*from, need.gone)));
            assert!(origins.clone().all(|(from, gone)| from <= gone), "{name}: it was there before it went");
            n_needs += side.needs.len();
            let said = format!("{} tokens read again", cwl_host::with_commas(again));
            assert!(side.says.ends_with(&said), "{}", side.says);
        }
        n_needs
    };
    let found = check("tame.jsonl", ["cwl+", "summary"]) + check("wild.jsonl", ["mask", "window"]);
    assert!(found > 0, "something is read again");
}

#[test]
fn the_views_must_have_a_common_ground() {
    let opened = open_golden("tame.jsonl");
    let refused = |b: ViewSettings| {
        let request = DuelRequest { a: view("cwl", "6000"), b, cache: CacheRules::default() };
        let error = commands::duel(&opened, &request).unwrap_err();
        assert_eq!(error.code, ErrorCode::BadRequest);
        error.message
    };
    let inferred = ViewSettings { annotation: "inferred".into(), ..view("summary", "6000") };
    assert_eq!(refused(inferred), "the two views of a duel differ in `annotation`");
    let counted = ViewSettings { tokenizer: "chars4".into(), ..view("summary", "6000") };
    assert_eq!(refused(counted), "the two views of a duel differ in `tokenizer`");
}
