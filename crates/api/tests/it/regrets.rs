//! Episodes that a policy evicted too early match the blocks marked in the list of evicted blocks.

use std::collections::BTreeMap;
use std::path::Path;

use cwl_api::dto::{CutDto, SortDto, ViewDto, ViewRequest};
use cwl_api::{LogInput, PageExtent, Tools, commands, load_file};

#[test]
fn regrets_are_the_marks_of_what_is_evicted_by_episode() {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/pi/long/input.jsonl");
    let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
    for (policy, budget, some) in [("cwl", "80k", true), ("window", "40k", true), ("none", "80k", false)] {
        let view = ViewDto { policy: policy.into(), budget: budget.into(), ..ViewDto::counted("o200k") };
        let told = commands::regrets(&opened, &ViewRequest { session: 0, view: view.clone() }).unwrap();
        assert_eq!(!told.regrets.is_empty(), some, "{policy} at {budget}");
        let evicted =
            commands::evicted(&opened, &view, CutDto::default(), None, SortDto::Log, PageExtent::ALL)
                .unwrap();
        // Blocks that came back are not listed, so the list may be shorter.
        let mut listed: BTreeMap<u32, u32> = BTreeMap::new();
        for item in evicted.items {
            if let (Some(_), Some(episode)) = (item.again_turn, item.episode) {
                *listed.entry(episode).or_default() += 1;
            }
        }
        for (episode, n_listed) in &listed {
            let regret = told.regrets.iter().find(|regret| regret.episode == *episode).unwrap();
            assert!(
                regret.n_blocks >= *n_listed && regret.gone_turn <= regret.again_turn,
                "{policy}: {regret:?}"
            );
        }
        assert_eq!(!listed.is_empty(), some, "{policy} at {budget}");
    }
}
