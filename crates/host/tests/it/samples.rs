//! Every sample from bytes to the model's context, as text beside the sample; and properties of any log.

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use cwl_host::api::{
    Author, ContextAnswer, ContextItemKind, StepsRequest, UnloggedContent, ViewCut, ViewRequest, ViewSettings,
};
use cwl_host::{LogInput, PageExtent, SessionSnapshot, Tools, commands, load_file, trace};

fn folder(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case)
}

fn load(case: &str) -> SessionSnapshot {
    let lines = folder(case).join("input.jsonl");
    let log = if lines.is_file() { lines } else { folder(case).join("input.json") };
    load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap()
}

fn view(budget: &str) -> ViewSettings {
    ViewSettings { budget: budget.into(), annotation: "declared".into(), ..ViewSettings::counted("o200k") }
}

fn snapshot(case: &str, name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder(case).join("expected"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Writes the trace of a sample under a budget: problems, graph, steps, and the context at some turns; then
/// the steps of each policy in its file `policies`.
fn check(case: &str, budget: &str) {
    let opened = load(case);
    let request = ViewRequest { view: view(budget) };
    let session = commands::session(&opened).unwrap();
    let mut problems = String::new();
    for problem in &session.problems {
        let line = problem.line.map_or("-".to_owned(), |line| line.to_string());
        writeln!(problems, "{} {} line {line}: {}", problem.code, problem.severity, problem.message).unwrap();
    }
    snapshot(case, "problems", if problems.is_empty() { "none" } else { &problems });
    snapshot(case, "graph", &graph_text(&opened, &request));
    snapshot(case, "steps", &steps_text(&opened, &request));
    let now = session.n_turns;
    for turn in [now.div_ceil(4), now.div_ceil(2), now] {
        snapshot(case, &format!("context@{turn:04}"), &context_text(&opened, &request.view, turn));
    }
    for policy in std::fs::read_to_string(folder(case).join("policies")).unwrap_or_default().lines() {
        let view = ViewSettings { policy: policy.into(), ..view(budget) };
        let request = ViewRequest { view };
        snapshot(case, &format!("steps@{policy}"), &steps_text(&opened, &request));
    }
}

fn graph_text(opened: &SessionSnapshot, request: &ViewRequest) -> String {
    let graph = commands::graph(opened, request).unwrap();
    let mut text = String::new();
    for (place, episode) in graph.episodes.iter().enumerate() {
        let open = if episode.open { ", open" } else { "" };
        write!(text, "{place} {} {}", episode.kind, episode.name).unwrap();
        write!(text, ", turns {}-{}{open}", episode.first_turn, episode.last_turn).unwrap();
        writeln!(text, ", kept at levels 0 to 4: {:?}", episode.kept_at).unwrap();
    }
    for (from, to) in &graph.edges {
        let name = |place: &u32| &graph.episodes[*place as usize].name;
        writeln!(text, "{} -> {}", name(from), name(to)).unwrap();
    }
    for human in &graph.human_turns {
        writeln!(text, "turn {} human: {}", human.turn, human.text).unwrap();
    }
    text
}

fn steps_text(opened: &SessionSnapshot, request: &ViewRequest) -> String {
    let replay = commands::replay(opened, request).unwrap();
    let history = commands::history(opened, request).unwrap();
    let mut text = format!(
        "{} at {}, overhead {} ({})\n",
        replay.policy,
        replay.budget,
        history.overhead.last().unwrap(),
        history.overhead_source
    );
    for (turn, n_steps) in (1u32..).zip(&replay.n_steps) {
        let over = if replay.over_budget.contains(&turn) { ", over the budget" } else { "" };
        if *n_steps == 0 && over.is_empty() {
            continue;
        }
        let asked = StepsRequest { view: request.view.clone(), turn: Some(turn) };
        let steps = commands::steps(opened, &asked).unwrap();
        writeln!(text, "turn {turn}: {} -> {}{over}", steps.before, steps.after).unwrap();
        for step in &steps.steps {
            writeln!(text, "  {} ({})", step.sentence, step.n_blocks).unwrap();
        }
    }
    text
}

fn context_text(opened: &SessionSnapshot, view: &ViewSettings, turn: u32) -> String {
    let cut = ViewCut { turn: Some(turn), step: None };
    let context = context(opened, view, cut);
    let mut text = format!("turn {turn}: {} tokens, {} of them overhead\n", context.total, context.overhead);
    for item in &context.items {
        let mark = if item.kept { '+' } else { '-' };
        let tool = item.tool.as_deref().unwrap_or_default();
        let first: String = item.text.split_whitespace().take(6).collect::<Vec<_>>().join(" ");
        let first: String = first.chars().take(48).collect();
        writeln!(text, "{mark} {} {} {} {tool} {}: {first}", item.block, item.role, item.kind, item.tokens)
            .unwrap();
        writeln!(text, "    {}", item.reason).unwrap();
    }
    for provider in &context.violations {
        for violation in &provider.violations {
            writeln!(text, "{} would refuse {violation}", provider.provider).unwrap();
        }
    }
    text
}

fn context(opened: &SessionSnapshot, view: &ViewSettings, cut: ViewCut) -> ContextAnswer {
    commands::context(opened, view, cut, true, PageExtent::ALL).unwrap()
}

/// Returns every folder `samples/*/*` as `format/name`.
fn cases() -> Vec<String> {
    let folders = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let folders = entries.filter(|entry| entry.file_type().unwrap().is_dir());
        folders.map(|entry| entry.file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    let formats = folders(folder(""));
    let of_format = |format: &String| {
        folders(folder(format)).into_iter().map(|name| format!("{format}/{name}")).collect::<Vec<_>>()
    };
    let mut cases: Vec<String> = formats.iter().flat_map(of_format).collect();
    cases.sort();
    assert!(cases.len() > 60, "{} samples are found", cases.len());
    cases
}

/// The budget is in the sample's file `budget`, else 2,000 tokens. A file `policies` names further policies,
/// one per line.
#[test]
fn every_sample_gives_what_is_expected() {
    let is_wrong = |case: &String| {
        let budget =
            std::fs::read_to_string(folder(case).join("budget")).unwrap_or_else(|_| "2000".to_owned());
        catch_unwind(AssertUnwindSafe(|| check(case, budget.trim()))).is_err()
    };
    let wrong: Vec<String> = cases().into_iter().filter(is_wrong).collect();
    assert!(wrong.is_empty(), "other than expected: {wrong:#?}");
}

/// Human words inside a result count as human under every policy that keeps them.
#[test]
fn words_of_the_human_in_results_are_the_humans() {
    let opened = load("claude-code/answers");
    for policy in ["cwl", "cwl+", "window", "mask", "summary", "auto", "ladder", "tiers", "fold", "none"] {
        let view = ViewSettings { policy: policy.into(), ..view("150") };
        let context = context(&opened, &view, ViewCut::default());
        let of_human = context.items.iter().filter(|item| item.author == Author::Human);
        let of_human: Vec<_> = of_human
            .map(|item| (item.kind, item.tool.as_deref().unwrap_or_default(), item.kept, item.episode))
            .collect();
        let said = (ContextItemKind::Text, "", true, None);
        let in_result = |tool| (ContextItemKind::Result, tool, true, None);
        let expected =
            [said, in_result("AskUserQuestion"), in_result("Bash"), in_result("ExitPlanMode"), said, said];
        assert_eq!(of_human, expected, "{policy}");
    }
}

/// A context costs the sum of its parts at every step, and the replay agrees.
#[test]
fn totals_equal_a_recount() {
    for (case, budget, every) in [
        ("pi/quickstart", "8000", 1),
        ("pi/branches", "4500", 1),
        ("pi/v1", "1000", 1),
        ("codex/quickstart", "8000", 1),
        ("codex/branches", "4500", 1),
        ("codex/compacted", "4500", 1),
        ("pi/long", "80000", 37),
        ("claude-code/quickstart", "8000", 1),
        ("claude-code/compaction", "19400", 1),
        ("copilot/compacted", "2000", 1),
        ("gemini-cli/branches", "5000", 1),
        ("opencode/pruned", "5000", 1),
        ("atif/quickstart", "8000", 3),
        ("openai-responses/requests", "4000", 1),
    ] {
        let opened = load(case);
        let request = ViewRequest { view: view(budget) };
        let replay = commands::replay(&opened, &request).unwrap();
        for (turn, n_steps) in (1u32..).zip(&replay.n_steps).step_by(every) {
            let asked = StepsRequest { view: request.view.clone(), turn: Some(turn) };
            let steps = commands::steps(&opened, &asked).unwrap();
            for step in 0..=*n_steps {
                let cut = ViewCut { turn: Some(turn), step: Some(step) };
                let context = context(&opened, &request.view, cut);
                // In o200k a unit is a token, so sizes of blocks add up.
                let kept: u64 = context.items.iter().filter(|item| item.kept).map(|item| item.tokens).sum();
                assert_eq!(
                    kept + context.overhead,
                    context.total,
                    "{case}, turn {turn}, step {step}: a recount"
                );
                let said = match step.checked_sub(1) {
                    None => steps.before,
                    Some(last) => steps.steps[last as usize].after,
                };
                assert_eq!(
                    context.total, said,
                    "{case}, turn {turn}, step {step}: the replay and the context"
                );
            }
            let bands: u64 = replay.bands.iter().map(|band| band.tokens[turn as usize - 1]).sum();
            assert_eq!(bands, replay.after[turn as usize - 1], "{case}, turn {turn}: the bands add up");
        }
    }
}

/// The trace of pi-cwl beside its session gives budget, window and passes.
#[test]
fn the_trace_of_pi_cwl_is_read_beside_its_session() {
    let home = tempfile::tempdir().unwrap();
    let agent = home.path().join(".claude/agent");
    std::fs::create_dir_all(agent.join("sessions/--p--")).unwrap();
    std::fs::create_dir_all(agent.join("cwl")).unwrap();
    let log = agent.join("sessions/--p--/loop.jsonl");
    std::fs::copy(folder("pi-cwl/loop").join("input.jsonl"), &log).unwrap();
    std::fs::copy(folder("pi-cwl/loop").join("trace.json"), agent.join("cwl/loop.json")).unwrap();
    let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
    let session = commands::session(&opened).unwrap();
    let recorded = session.recorded.unwrap();
    assert!(recorded.budget.is_some_and(|budget| budget > 0), "{recorded:?}");
    assert!(!recorded.passes.is_empty());
    assert!(
        recorded.passes.iter().all(|pass| pass.turn.is_some() && pass.after <= pass.before),
        "{recorded:?}"
    );
    let took: Vec<(&[String], &[String])> =
        recorded.passes.iter().map(|pass| (&*pass.removed, &*pass.stripped)).collect();
    let [removed, stripped] = [["silence-future-times".to_owned()], ["find-ago-callers".to_owned()]];
    assert_eq!(took, [(&removed[..], &[][..]), (&[][..], &stripped[..])]);
    let share = ViewRequest { view: view("50%") };
    assert_eq!(commands::replay(&opened, &share).unwrap().budget, session.window.unwrap() / 2);
}

/// A budget in per cent refers to the harness's window, if its rows give one, not to the model's.
#[test]
fn a_share_is_of_the_window_that_the_harness_goes_by() {
    let budget = |opened: &SessionSnapshot| {
        let share = ViewRequest { view: view("50%") };
        commands::replay(opened, &share).unwrap().budget
    };
    assert_eq!(
        budget(&load("claude-code/compaction")),
        158_204 / 2,
        "the size at which it compacted by itself"
    );
    assert_eq!(
        budget(&load("claude-code/compacted-twice")),
        500_000,
        "a human compacted: the model's window"
    );
    let refused = r#"{"parentUuid":"u","isSidechain":false,"sessionId":"s","uuid":"a","type":"assistant","isApiErrorMessage":true,"message":{"id":"m","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"API Error: 400 prompt is too long: 204118 tokens > 200000 maximum"}]}}"#;
    let asked = r#"{"parentUuid":null,"isSidechain":false,"sessionId":"s","cwd":"/p","uuid":"u","type":"user","message":{"role":"user","content":"Read it all."}}"#;
    let log = format!("{asked}\n{refused}\n").into_bytes();
    let opened = load_file(&LogInput::Bytes(log), None, &Tools::builtin_tables()).unwrap();
    assert_eq!(budget(&opened), 100_000, "a refusal states it");
}

/// History before a log's beginning is in every total, and never puts a policy over budget.
#[test]
fn no_policy_is_measured_by_history_that_is_not_in_the_log() {
    let opened = load("claude-code/begins-midway");
    for policy in ["none", "cwl", "window", "summary", "ladder", "tiers", "auto", "mask"] {
        let request = ViewRequest { view: ViewSettings { policy: policy.into(), ..view("80k") } };
        let replay = commands::replay(&opened, &request).unwrap();
        assert!(replay.after.iter().all(|total| *total > 200_000), "{policy}: {:?}", replay.after);
        assert_eq!((replay.over_budget.len(), replay.n_steps_in_all), (0, 0), "{policy}");
    }
    let request = ViewRequest { view: view("80k") };
    let [stretch] = &commands::history(&opened, &request).unwrap().stretches[..] else {
        panic!("one stretch")
    };
    assert_eq!(stretch.unlogged, UnloggedContent::EarlierHistory);
    assert!(stretch.says.contains("the log begins in the middle of a session"), "{}", stretch.says);
}

/// A summary makes a compaction; outputs without one are a clearing.
#[test]
fn compactions_and_clearings_are_told_apart() {
    let check = |case: &str, compactions: &[u32], clearings: &[u32]| {
        let request = ViewRequest { view: view("80k") };
        let history = commands::history(&load(case), &request).unwrap();
        assert_eq!((&*history.compactions, &*history.clearings), (compactions, clearings), "{case}");
    };
    check("pi-cwl/loop", &[], &[]);
    check("claude-code/compaction", &[13, 17], &[8]);
    check("opencode/pruned", &[], &[7, 9]);
    check("swe-agent/elided", &[], &[3, 4, 5, 6, 8]);
}

/// The first n lines of a log give the first turns of the whole log.
#[test]
fn a_shorter_log_gives_the_beginning_of_the_trace() {
    let bytes = std::fs::read(folder("pi/quickstart").join("input.jsonl")).unwrap();
    let request = ViewRequest { view: ViewSettings { overhead: "0".into(), ..view("4000") } };
    let of = |bytes: &[u8]| {
        let opened = load_file(&LogInput::Bytes(bytes.to_vec()), None, &Tools::builtin_tables()).unwrap();
        trace(&opened, &request).unwrap()
    };
    let whole = of(&bytes);
    let ends: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    for end in ends {
        let part = of(&bytes[..end]);
        let n_replies = part.turns.len() - 1;
        assert_eq!(part.turns[..n_replies], whole.turns[..n_replies], "the first {end} bytes");
    }
}

/// A log cut anywhere causes no panic, and every command answers.
#[test]
fn logs_cut_anywhere_answer() {
    let bytes = std::fs::read(folder("pi/branches").join("input.jsonl")).unwrap();
    for end in (200..bytes.len()).step_by(997) {
        let opened =
            load_file(&LogInput::Bytes(bytes[..end].to_vec()), None, &Tools::builtin_tables()).unwrap();
        let find = |_: u32| {
            Ok(std::sync::Arc::new(load_file(
                &LogInput::Bytes(bytes[..end].to_vec()),
                None,
                &Tools::builtin_tables(),
            )?))
        };
        let now = commands::session(&opened).unwrap();
        assert!(now.n_turns >= 1);
        for name in ["trace", "frame"] {
            let args = serde_json::json!({"session": 0, "view": {"budget": "1000"}, "cut": {}});
            cwl_host::router::dispatch_session(name, args, find).unwrap();
        }
    }
}
