//! Promises of the docs about reused names, acts without dependencies, open episodes and refusals.

use std::path::PathBuf;

use cwl_host::api::{ContextAnswer, ContextItemKind, ViewCut, ViewRequest, ViewSettings};
use cwl_host::{LogInput, PageExtent, SessionSnapshot, Tools, commands, load_file};

fn load(case: &str) -> SessionSnapshot {
    let samples = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples"));
    load_file(&LogInput::File(samples.join(case).join("input.jsonl")), None, &Tools::builtin_tables())
        .unwrap()
}

fn view(policy: &str, budget: &str, options: &[(&str, &str)]) -> ViewSettings {
    ViewSettings {
        policy: policy.into(),
        budget: budget.into(),
        annotation: "declared".into(),
        options: options.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        ..ViewSettings::counted("o200k")
    }
}

fn context(opened: &SessionSnapshot, view: &ViewSettings) -> ContextAnswer {
    commands::context(opened, view, ViewCut::default(), true, PageExtent::ALL).unwrap()
}

/// Lists files whose contents are in the final context.
fn files_read(case: &str, policy: &str, budget: &str) -> Vec<String> {
    let context = context(&load(case), &view(policy, budget, &[]));
    let is_read =
        |kind: ContextItemKind, tool: Option<&str>| kind == ContextItemKind::Result && tool == Some("read");
    let kept = context.items.iter().filter(|item| item.kept && is_read(item.kind, item.tool.as_deref()));
    kept.map(|item| item.text.lines().next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_name_that_is_used_again_means_the_newest() {
    for policy in ["cwl", "cwl+"] {
        assert_eq!(files_read("pi/name-reused", policy, "5000"), ["// import", "// outline"], "{policy}");
        assert_eq!(files_read("pi/name-reused", policy, "1100"), ["// outline"], "{policy}");
    }
}

#[test]
fn an_act_that_names_nothing_holds_nothing() {
    for policy in ["cwl", "cwl+"] {
        assert_eq!(files_read("pi/no-dependencies", policy, "5000"), ["// import", "// folders"], "{policy}");
        assert_eq!(files_read("pi/no-dependencies", policy, "1100"), ["// folders"], "{policy}");
    }
}

#[test]
fn an_open_episode_stays_but_under_policies_that_know_none() {
    let opened = load("pi/open-episode");
    let takes = |policy: &str, options: &[(&str, &str)]| {
        let view = view(policy, "1200", options);
        context(&opened, &view).items.iter().any(|item| !item.kept || item.placeholder.is_some())
    };
    for policy in ["cwl", "cwl+", "fold", "pi-cwl", "none"] {
        assert!(!takes(policy, &[]), "{policy}");
    }
    for policy in ["summary", "auto", "ladder", "tiers"] {
        assert!(!takes(policy, &[]), "{policy}");
        assert!(takes(policy, &[("open_loop", "0")]), "{policy}, open_loop=0");
    }
    for policy in ["window", "mask", "claude-code-clearing"] {
        assert!(takes(policy, &[]), "{policy}");
    }
    let small = [("keep_tokens", "100"), ("clear_at_least", "0"), ("protected_turns", "0")];
    assert!(takes("opencode-prune", &small), "opencode-prune, of outputs of any size");
}

#[test]
fn every_refusal_for_length_is_compacted_and_no_other() {
    let request = ViewRequest { view: view("auto", "1M", &[]) };
    let replay = commands::replay(&load("pi/overflow"), &request).unwrap();
    let compacted: Vec<usize> =
        (1..).zip(&replay.n_steps).filter(|(_, n_steps)| **n_steps > 0).map(|(turn, _)| turn).collect();
    assert_eq!(
        compacted,
        (4..=28).step_by(2).collect::<Vec<_>>(),
        "thirteen of them; the fourteenth is for a rate"
    );
}
