//! Episodes that a policy evicted too early match the blocks marked in the list of evicted blocks.

use std::collections::BTreeMap;
use std::path::Path;

use cwl_host::api::{
    BlameClass, EditMarksRequest, EvictedOrder, MarksEffectAnswer, MarksEffectKind, MarksEffectRequest,
    ReacquisitionCauseName, ViewCut, ViewRequest, ViewSettings,
};
use cwl_host::{LogInput, PageExtent, SessionSnapshot, Tools, commands, load_file};

fn open_sample(case: &str) -> SessionSnapshot {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case).join("input.jsonl");
    load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap()
}

fn view_at(budget: &str) -> ViewSettings {
    ViewSettings { budget: budget.into(), ..ViewSettings::counted("o200k") }
}

#[test]
fn lint_and_read_again_have_one_answer() {
    let mut n_charged = 0;
    for (case, budget) in [("pi/long", "20k"), ("pi/long", "80k"), ("pi/forgotten", "900")] {
        let opened = open_sample(case);
        let request = ViewRequest { view: view_at(budget) };
        let told = commands::reacquisition_stories(&opened, &request).unwrap();
        let found = commands::lint(&opened, &request).unwrap().findings;
        let thin = told.blame.iter().filter(|row| row.cause == ReacquisitionCauseName::ThinDescription);
        let thin: BTreeMap<Option<u32>, (u64, &str)> =
            thin.map(|row| (row.episode, (row.tokens, row.says.as_str()))).collect();
        let charged = found.iter().filter(|one| one.code == "Q007" && one.cost != Some(0));
        let charged: BTreeMap<Option<u32>, (u64, &str)> =
            charged.map(|one| (one.episode, (one.cost.unwrap(), one.message.as_str()))).collect();
        assert_eq!(charged, thin, "{case} at {budget}");
        n_charged += charged.len();
        for story in &told.stories {
            let of_story = found.iter().find(|one| {
                let is_it = one.evidence.last().is_some_and(|place| place.block == story.again.block);
                one.code == "Q006" && one.message.contains("after the policy had evicted it") && is_it
            });
            match of_story {
                Some(one) => assert!(one.message.ends_with(&story.says), "{}", one.message),
                None => {
                    assert!(story.cause == ReacquisitionCauseName::Changed || story.tokens < 200, "{story:?}")
                }
            }
        }
        let n_blamed: u32 = told.blame.iter().map(|row| row.n_stories).sum();
        assert_eq!(n_blamed, told.n_stories, "{case}: each story is in one row");
        assert!(told.blame.is_sorted_by_key(|row| row.class), "{case}: what can be mended comes first");
    }
    assert!(n_charged > 0, "a sample has a description at fault");
}

/// Makes the edits of the first row of blame that `fits`, and tells what they do.
fn effect_of_fix(
    case: &str,
    budget: &str,
    fits: impl Fn(ReacquisitionCauseName) -> bool,
) -> (MarksEffectAnswer, [u64; 2]) {
    let opened = open_sample(case);
    let told = |view: &ViewSettings| {
        commands::reacquisition_stories(&opened, &ViewRequest { view: view.clone() }).unwrap()
    };
    let view = view_at(budget);
    let before = told(&view);
    let row = before.blame.iter().find(|row| row.class == BlameClass::Mendable && fits(row.cause)).unwrap();
    let request = EditMarksRequest { view: view.clone(), edits: row.edits.clone() };
    let edited = commands::edit_marks(&opened, &request).unwrap();
    let now = ViewSettings { annotation: serde_json::to_string(&edited.after).unwrap(), ..view.clone() };
    let after = told(&now);
    let asked = MarksEffectRequest { view: now, before: view.annotation };
    (commands::marks_effect(&opened, &asked).unwrap(), [before.tokens, after.tokens])
}

#[test]
fn a_fix_tells_memory_and_cost_apart() {
    let (effect, [before, after]) =
        effect_of_fix("pi/forgotten", "900", |cause| cause == ReacquisitionCauseName::Undeclared);
    assert_eq!(effect.kind, MarksEffectKind::Better, "{effect:?}");
    assert_eq!((effect.again_tokens_before, effect.again_tokens), (before, after));
    assert!(after < before && !effect.spared.is_empty(), "{effect:?}");
    let (effect, [before, after]) =
        effect_of_fix("pi/forgotten", "900", |cause| cause == ReacquisitionCauseName::ThinDescription);
    assert_eq!((effect.kind, before), (MarksEffectKind::WordsOnly, after), "{effect:?}");
}

#[test]
fn reacquisitions_are_the_marks_of_what_is_evicted_by_episode() {
    let opened = open_sample("pi/long");
    for (policy, budget, some) in [("cwl", "80k", true), ("window", "40k", true), ("none", "80k", false)] {
        let view =
            ViewSettings { policy: policy.into(), budget: budget.into(), ..ViewSettings::counted("o200k") };
        let told = commands::reacquisitions(&opened, &ViewRequest { view: view.clone() }).unwrap();
        assert_eq!(!told.reacquisitions.is_empty(), some, "{policy} at {budget}");
        let evicted =
            commands::evicted(&opened, &view, ViewCut::default(), None, EvictedOrder::Log, PageExtent::ALL)
                .unwrap();
        // Blocks that came back are not listed, so the list may be shorter.
        let mut listed: BTreeMap<u32, u32> = BTreeMap::new();
        for item in evicted.items {
            if let (Some(_), Some(episode)) = (item.again_turn, item.episode) {
                *listed.entry(episode).or_default() += 1;
            }
        }
        for (episode, n_listed) in &listed {
            let reacquisition =
                told.reacquisitions.iter().find(|reacquisition| reacquisition.episode == *episode).unwrap();
            assert!(
                reacquisition.n_blocks >= *n_listed && reacquisition.gone_turn <= reacquisition.again_turn,
                "{policy}: {reacquisition:?}"
            );
        }
        assert_eq!(!listed.is_empty(), some, "{policy} at {budget}");
    }
}
