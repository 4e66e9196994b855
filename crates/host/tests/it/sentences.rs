//! Sentences about steps: every policy says what it takes, and why now.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cwl_host::api::{StepsRequest, ViewRequest, ViewSettings};
use cwl_host::{LogInput, Tools, commands, load_file};

/// Lists the first sentence of each action of a policy in the long sample.
fn first_of_each(policy: &str) -> String {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/pi/long/input.jsonl"));
    let opened = load_file(&LogInput::File(path), None, &Tools::builtin_tables()).expect("a sample");
    let view = ViewSettings { policy: policy.into(), budget: "40k".into(), ..ViewSettings::counted("o200k") };
    let replay = commands::replay(&opened, &ViewRequest { view: view.clone() }).expect("a replay");
    let mut first: BTreeMap<(String, bool), String> = BTreeMap::new();
    for (turn, _) in (1u32..).zip(&replay.n_steps).filter(|(_, n_steps)| **n_steps > 0) {
        let request = StepsRequest { view: view.clone(), turn: Some(turn) };
        for step in commands::steps(&opened, &request).expect("steps").steps {
            let goes_on = step.sentence.contains("still over the budget");
            first.entry((step.level.to_string(), goes_on)).or_insert(step.sentence);
        }
    }
    let lines: Vec<String> = first.into_values().collect();
    format!("{policy}\n{}", lines.join("\n"))
}

#[test]
fn every_policy_says_why_it_is_this_ones_turn() {
    let policies = [
        "cwl",
        "cwl+",
        "window",
        "mask",
        "claude-code-clearing",
        "opencode-prune",
        "pi-cwl",
        "summary",
        "auto",
        "ladder",
        "fold",
        "tiers",
    ];
    let said: Vec<String> = policies.iter().map(|policy| first_of_each(policy)).collect();
    insta::assert_snapshot!(said.join("\n\n"));
}
