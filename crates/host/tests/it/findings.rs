//! Verification over the wire: pins, probes and findings of samples.

use std::path::Path;

use cwl_host::api::{ContextAnswer, FindingRow, ViewCut, ViewRequest, ViewSettings};
use cwl_host::{LogInput, PageExtent, SessionSnapshot, Tools, check_view, commands, load_file};

fn load(case: &str) -> SessionSnapshot {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case).join("input.jsonl");
    load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap()
}

fn view(policy: &str, budget: &str, pins: &[&str], probes: &[&str]) -> ViewSettings {
    let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    ViewSettings {
        policy: policy.into(),
        budget: budget.into(),
        overhead: "0".into(),
        pins: own(pins),
        probes: own(probes),
        ..ViewSettings::counted("o200k")
    }
}

/// Formats a finding: code, first and last turn, step, block.
fn show(finding: &FindingRow) -> String {
    let last = finding.last_turn.map_or("now".to_owned(), |turn| turn.to_string());
    let step = finding.step.map_or("-".to_owned(), |step| step.to_string());
    let block = finding.block.as_deref().unwrap_or("-");
    format!("{} {}..{last} step {step} {block}: {}", finding.code, finding.turn, finding.message)
}

fn findings(opened: &SessionSnapshot, view: &ViewSettings) -> Vec<String> {
    let request = ViewRequest { view: view.clone() };
    let answer = commands::findings(opened, &request).unwrap();
    for (at, n_here) in answer.by_turn.iter().enumerate() {
        let turn = u32::try_from(at + 1).unwrap();
        let is_here =
            |one: &&FindingRow| one.turn <= turn && one.last_turn.is_none_or(|last_turn| turn <= last_turn);
        assert_eq!(answer.findings.iter().filter(is_here).count(), *n_here as usize, "turn {turn}");
    }
    answer.findings.iter().map(show).collect()
}

fn context(
    opened: &SessionSnapshot,
    view: &ViewSettings,
    turn: Option<u32>,
    step: Option<u32>,
) -> ContextAnswer {
    commands::context(opened, view, ViewCut { turn, step }, true, PageExtent::ALL).unwrap()
}

#[test]
fn a_pinned_block_stays_under_every_policy_and_its_other_half_with_it() {
    let opened = load("pi/quickstart");
    let gone: Vec<String> = context(&opened, &view("cwl", "4000", &[], &[]), None, None)
        .items
        .into_iter()
        .filter(|item| !item.kept && item.kind.name() == "call")
        .map(|item| item.block)
        .collect();
    let (first, second) = (&gone[0], &gone[gone.len() / 2]);
    for policy in cwl_policies(&opened) {
        let pins = [format!("block:{first}"), format!("block:{second}")];
        let pinned = view(&policy, "4000", &[&pins[0], &pins[1]], &[]);
        let items = context(&opened, &pinned, None, None).items;
        let kept = |block: &str| items.iter().find(|item| item.block == block).unwrap().kept;
        assert!(kept(first) && kept(second), "{policy}");
        let alone = findings(&opened, &pinned).into_iter().filter(|found| found.starts_with("V005"));
        assert_eq!(alone.count(), 0, "{policy}");
    }
}

fn cwl_policies(opened: &SessionSnapshot) -> Vec<String> {
    let session = commands::session(opened).unwrap();
    session.choices.policies.into_iter().map(|policy| policy.name).collect()
}

#[test]
fn texts_that_must_survive_are_told_where_they_are_lost() {
    let opened = load("pi/quickstart");
    let watching = view("window", "1500", &["grace_in_days"], &["30:/NEXT_?poll_at/i", "2:zzz"]);
    let watched: Vec<String> = findings(&opened, &watching)
        .into_iter()
        .filter(|found| found.starts_with("V006") || found.starts_with("V010"))
        .collect();
    insta::assert_snapshot!(watched.join("\n"));
    let all = findings(&opened, &view("none", "4000", &["grace_in_days", "zzz"], &[]));
    assert!(all.iter().any(|found| found.ends_with("zzz matches nothing in the whole history")));
    assert!(!all.iter().any(|found| found.starts_with("V006")), "nothing is lost where nothing goes");
}

#[test]
fn the_context_has_the_findings_of_its_cut() {
    let opened = load("pi/quickstart");
    let window = view("window", "1500", &[], &[]);
    let request = ViewRequest { view: window.clone() };
    let all = commands::findings(&opened, &request).unwrap();
    let lost = all.findings.iter().find(|finding| finding.step.is_some()).unwrap();
    let has = |turn, step| {
        context(&opened, &window, Some(turn), step).findings.iter().any(|one| show(one) == show(lost))
    };
    assert!(has(lost.turn, None) && has(lost.turn, lost.step));
    assert!(!has(lost.turn, Some(lost.step.unwrap() - 1)) && !has(lost.turn - 1, None));
    let turn = lost.turn as usize - 1;
    assert!(all.loops_after[turn] < all.loops_before[turn], "a loop was closed by the pass");
}

#[test]
fn an_agents_own_list_is_followed() {
    let opened = load("codex/tools");
    let todos = |policy: &str| -> Vec<String> {
        let found = findings(&opened, &view(policy, "400", &[], &[]));
        found.into_iter().filter(|found| found.starts_with("V009")).collect()
    };
    let lost = "V009 8..now step 1 L16:0: the unfinished item \u{201c}look\u{201d} is gone";
    assert_eq!(todos("window"), [lost]);
    assert_eq!(todos("none"), [] as [&str; 0]);
}

#[test]
fn what_is_not_understood_is_refused_and_what_is_not_there_is_told() {
    let refused = |pin: &str| check_view(&view("cwl", "80k", &[pin], &[])).unwrap_err().message;
    assert!(refused("/(/").starts_with("pin: `/(/` is no regular expression"));
    assert_eq!(refused("block:x"), "pin: `block:x` names no block");
    let opened = load("pi/quickstart");
    let found = findings(&opened, &view("cwl", "80k", &["block:nobody:0"], &[]));
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("block:nobody:0 matches nothing in the whole history"), "{found:?}");
}

#[test]
fn views_without_pins_are_as_they_were() {
    let json = serde_json::to_string(&ViewSettings::counted("o200k")).unwrap();
    assert!(!json.contains("pins") && !json.contains("probes"), "{json}");
    let read: ViewSettings = serde_json::from_str(&json).unwrap();
    assert_eq!(read, ViewSettings::counted("o200k"));
}
