//! Causes of reacquisitions: a hit and a near miss of each.

use crate::common::random::{beat, log_of, pins_of, settings_of};
use crate::common::{Played, call, mark, options_of, text};
use cwl_engine::testing::{LogBuilder, act, end, expl};
use cwl_engine::*;
use proptest::prelude::*;

/// Everything except marks: kind of the reacquired name, calls with effects, calls that edit the file, and
/// symbols Y uses afterwards.
#[derive(Clone)]
struct Case {
    policy: &'static str,
    budget: u64,
    kind: NameKind,
    effects: Vec<(&'static str, Effect)>,
    edits: Vec<&'static str>,
    symbols: Vec<&'static str>,
    same: u16,
}

/// `cwl`, a path reread with identical content, and nothing else.
fn case(budget: u64) -> Case {
    Case {
        policy: "cwl",
        budget,
        kind: NameKind::Path,
        effects: Vec::new(),
        edits: Vec::new(),
        symbols: Vec::new(),
        same: 1000,
    }
}

impl Case {
    fn effect(mut self, call: &'static str, effect: Effect) -> Self {
        self.effects.push((call, effect));
        self
    }
}

/// X reads something (call `x2`, 100 bytes), an exploration `f` reads as much, then Y reads something else
/// (`y2`) and finally X's content (`y3`).
///
/// The requests have 2, 117, 128, 243, 254, 265, 369 and 474 bytes; without `f` 2, 117, 128, 139, 243 and
/// 348.
fn log(x: DelimiterMark, with_filler: bool, y: DelimiterMark) -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("go");
    log.step(&[mark("x1", x), call("x2", "read")], 100);
    log.step(&[mark("x3", end("found parse_header"))], 0);
    if with_filler {
        log.step(&[mark("f1", expl("f")), call("f2", "read")], 100);
        log.step(&[mark("f3", end("x"))], 0);
    }
    log.step(&[mark("y1", y)], 0);
    log.step(&[call("y2", "read")], 100);
    log.step(&[text(1), call("y3", "read")], 100);
    log.reply(&[text(1)]);
    log
}

fn block_of(session: &Session, id: &str, is_result: bool) -> BlockIdx {
    let is_it = |row: &SessionBlock| match &row.kind {
        BlockKind::Call(call) => !is_result && call.id.as_str() == id,
        BlockKind::Result(result) => is_result && result.call.as_str() == id,
        _ => false,
    };
    BlockIdx::new(session.blocks.iter().position(is_it).unwrap())
}

fn material(session: &Session, case: &Case) -> Material {
    let call = |id: &str| block_of(session, id, false);
    let result = |id: &str| block_of(session, id, true);
    let mut material = Material {
        names: vec![Name { kind: case.kind, text: "a.rs".into() }],
        uses: vec![Use { name: 0, by: call("y3"), held: result("x2"), again: Some(result("y3")) }],
        changes: case.edits.iter().map(|id| FileChange { name: 0, by: call(id) }).collect(),
        ..Material::default()
    };
    let last = BlockIdx::new(session.blocks.len() - 1);
    for symbol in &case.symbols {
        let name = u32::try_from(material.names.len()).unwrap();
        material.names.push(Name { kind: NameKind::Symbol, text: (*symbol).into() });
        material.uses.push(Use { name, by: last, held: result("y3"), again: None });
    }
    material
}

fn facts(session: &Session, case: &Case) -> Facts {
    let mut effects = vec![Effects::default(); session.blocks.len()];
    for (id, effect) in &case.effects {
        effects[block_of(session, id, false).at()].add(*effect);
    }
    Facts::new(effects.into_iter().map(|effects| BlockFacts::of_deed(effects, &[]).into()).collect())
}

/// Writes `gone>again cause | changes` per reacquisition.
fn told(log: &LogBuilder, case: &Case) -> String {
    let extra = |session: &Session| (material(session, case), Vec::new());
    let options = options_of(case.policy, &[]);
    let played = Played::with(case.policy, log, case.budget, 0, 1, &options, extra);
    let reacquisitions = find_absences(&played.input(), &played.replay, &played.material).reacquisitions;
    let name = |idx: &EpisodeIdx| played.growth.graph.episode(*idx).name.to_string();
    let names = |names: &[u32]| -> Vec<String> {
        names.iter().map(|name| played.material.names[*name as usize].text.to_string()).collect()
    };
    let story = |story: &ReacquisitionStory| {
        let cause = match &story.cause {
            ReacquisitionCause::Changed { by } => {
                let by = by.map(|by| played.session.blocks[by.at()].id.to_string());
                format!("changed by {}", by.as_deref().unwrap_or("?"))
            }
            ReacquisitionCause::TooSmall { needs } => format!("too_small {needs}"),
            ReacquisitionCause::WrongKind { of } => format!("wrong_kind {}", name(of)),
            ReacquisitionCause::ThinDescription { names: lacks } => {
                format!("thin_description {}", names(lacks).join(","))
            }
            ReacquisitionCause::StrippedBefore { turns } => format!("stripped_before {turns}"),
            ReacquisitionCause::Unmarked { held } => format!("unmarked {}", if *held { "x" } else { "y" }),
            cause => cause.name().to_owned(),
        };
        let change = |change: &Edit| match change {
            Edit::Link { act, on } => format!("{act}<{on}"),
            Edit::Retype { of, kind } => format!("{of}={}", <&str>::from(kind)),
            Edit::Merge { of } => format!("{of}+"),
            Edit::Describe { of, text } => format!("{of}:{text}"),
            other => format!("{other:?}"),
        };
        let changes: Vec<String> = story.changes.iter().map(change).collect();
        format!("{}>{} {cause} | {}", story.reacquisition.gone, story.reacquisition.turn, changes.join(" "))
    };
    let facts = facts(&played.session, case);
    let stories =
        reacquisition_stories(&played.input(), &played.replay, &facts, &reacquisitions, &[case.same]);
    stories.iter().map(story).collect::<Vec<_>>().join("; ")
}

fn check(log: &LogBuilder, case: Case, expected: &str) {
    assert_eq!(told(log, &case), expected, "{} at {}", case.policy, case.budget);
}

#[test]
fn an_act_that_does_not_declare_what_it_needs() {
    check(&log(expl("x"), true, act("y", &["f"])), case(300), "7>7 undeclared | y<x");
    // A declared exploration is kept, so nothing is reacquired.
    check(&log(expl("x"), true, act("y", &["x", "f"])), case(300), "");
    check(&log(expl("x"), true, act("y", &["f"])), case(400), "");
}

#[test]
fn what_had_gone_before_y_began_no_declaration_would_have_kept() {
    check(&log(expl("x"), true, act("y", &["f"])), case(250), "5>7 stripped_before 0 | ");
    check(&log(expl("x"), true, act("y", &["f", "x"])), case(240), "4>7 stripped_before 1 | ");
}

#[test]
fn a_declaration_keeps_nothing_that_went_before_the_harness_gave_it_back() {
    let mut log = LogBuilder::new();
    let first = log.human("go").last();
    log.step(&[mark("x1", expl("x")), call("x2", "read")], 100);
    log.step(&[mark("x3", end("found parse_header"))], 0);
    log.step(&[mark("f1", expl("f")), call("f2", "read")], 100).step(&[mark("f3", end("x"))], 0);
    // The second compaction keeps more than the first, so X is back, as the policy left it.
    log.compaction("s", &log.last()).reply(&[text(1)]);
    log.step(&[mark("y1", act("y", &["f"]))], 0);
    log.compaction("s", &first);
    log.step(&[call("y2", "read")], 100).step(&[text(1), call("y3", "read")], 100).reply(&[text(1)]);
    check(&log, case(230), "4>8 stripped_before 2 | ");
    check(&log, case(250), "7>8 undeclared | y<x");
}

#[test]
fn a_working_set_that_is_larger_than_the_budget() {
    // The human's words, `y1`, `y2` and X's content.
    check(&log(expl("x"), true, act("y", &["f"])), case(216), "4>7 too_small 217 | ");
    check(&log(expl("x"), true, act("y", &["f"])), case(217), "4>7 stripped_before 1 | ");
}

#[test]
fn content_that_was_another_by_then_is_no_marks_fault() {
    let log = log(expl("x"), true, act("y", &["f"]));
    check(&log, Case { edits: vec!["y2"], ..case(300) }, "7>7 changed by e14:0 | ");
    check(&log, Case { edits: vec!["f2", "y2"], ..case(300) }, "7>7 changed by e14:0 | ");
    // An edit before the first or after the second acquisition does not matter.
    check(&log, Case { edits: vec!["x2"], ..case(300) }, "7>7 undeclared | y<x");
    check(&log, Case { edits: vec!["y3"], ..case(300) }, "7>7 undeclared | y<x");
    check(&log, Case { same: 499, ..case(300) }, "7>7 changed by ? | ");
    check(&log, Case { same: 500, ..case(300) }, "7>7 undeclared | y<x");
}

#[test]
fn a_command_is_run_again_for_what_was_changed_in_between() {
    let log = log(expl("x"), true, act("y", &["f"]));
    let command = || Case { kind: NameKind::Command, ..case(300) };
    let check_run = |effect: Effect| command().effect("y2", Effect::Edit).effect("y3", effect);
    check(&log, check_run(Effect::Check), "7>7 changed by e14:0 | ");
    check(&log, check_run(Effect::Run), "7>7 changed by e14:0 | ");
    check(&log, check_run(Effect::GitLook), "7>7 changed by e14:0 | ");
    // The output of a look does not depend on changes elsewhere.
    check(&log, check_run(Effect::Look), "7>7 undeclared | y<x");
    check(&log, command().effect("y3", Effect::Check), "7>7 undeclared | y<x");
    check(&log, command().effect("y2", Effect::Look).effect("y3", Effect::Check), "7>7 undeclared | y<x");
    // A file read by a command counts as a file.
    let file = case(300).effect("y2", Effect::Edit).effect("y3", Effect::Run);
    check(&log, file, "7>7 undeclared | y<x");
}

#[test]
fn a_policy_that_does_not_go_by_what_acts_declare() {
    let log = log(expl("x"), true, act("y", &["f"]));
    check(&log, Case { policy: "window", ..case(300) }, "7>7 policy | ");
    check(&log, Case { policy: "window", edits: vec!["y2"], ..case(300) }, "7>7 changed by e14:0 | ");
}

#[test]
fn an_act_that_changes_nothing_is_an_exploration() {
    let log = log(act("x", &[]), true, act("y", &["f"]));
    check(&log, case(300), "7>7 wrong_kind x | x=expl y<x");
    check(&log, case(300).effect("x2", Effect::Look), "7>7 wrong_kind x | x=expl y<x");
    check(&log, case(300).effect("x2", Effect::Edit), "7>7 read_in_act | ");
}

#[test]
fn an_exploration_that_changes_something_is_an_act() {
    let log = log(expl("x"), true, expl("y"));
    check(&log, case(300).effect("y2", Effect::Edit), "7>7 wrong_kind y | y=act y<x");
    check(&log, case(300).effect("y2", Effect::Check), "7>7 needed_by_exploration | ");
    check(&log, case(250).effect("y2", Effect::Edit), "5>7 stripped_before 0 | ");
}

#[test]
fn an_episode_that_was_closed_while_its_work_went_on() {
    let edited = || case(230).effect("x2", Effect::Edit);
    check(&log(act("x", &[]), false, act("y", &[])), edited(), "5>5 closed_early | x+");
    check(&log(expl("x"), false, expl("y")), case(230), "5>5 closed_early | x+");
    check(&log(expl("x"), true, expl("y")), case(300), "7>7 needed_by_exploration | ");
    check(&log(expl("x"), false, act("y", &[])), case(230), "5>5 undeclared | y<x");
}

#[test]
fn a_description_that_lacks_a_few_names() {
    let log = log(expl("x"), true, expl("y"));
    let needs = |symbols: &[&'static str]| Case { symbols: symbols.to_vec(), ..case(300) };
    check(
        &log,
        needs(&["parse_header", "read_u16"]),
        "7>7 thin_description read_u16 | x:found parse_header Needed later: read_u16.",
    );
    // One name may be chance, a plain word does not count, and names in the description are not missing.
    check(&log, needs(&["read_u16"]), "7>7 needed_by_exploration | ");
    check(&log, needs(&["read_u16", "header"]), "7>7 needed_by_exploration | ");
    check(&log, needs(&["parse_header", "parse_head"]), "7>7 in_description | ");
    let many = ["a_1", "a_2", "a_3", "a_4", "a_5", "a_6", "a_7"];
    check(
        &log,
        needs(&many[..6]),
        "7>7 thin_description a_1,a_2,a_3,a_4,a_5,a_6 | x:found parse_header Needed later: a_1, a_2, a_3, a_4, a_5, a_6.",
    );
    check(&log, needs(&many), "7>7 needed_by_exploration | ");
}

#[test]
fn what_no_mark_covers() {
    let mut log = LogBuilder::new();
    log.human("go");
    log.step(&[mark("f1", expl("f")), call("f2", "read")], 100);
    log.step(&[mark("f3", end("x"))], 0);
    log.step(&[call("x2", "read")], 100);
    let stretch = log.clone();
    log.step(&[mark("y1", expl("y"))], 0);
    log.step(&[call("y2", "read")], 100);
    log.step(&[text(1), call("y3", "read")], 100);
    log.reply(&[text(1)]);
    check(&log, case(218), "6>6 unmarked x | ");
    // A later act depends implicitly on every stretch.
    let mut log = stretch;
    log.step(&[mark("y1", act("y", &[]))], 0);
    log.step(&[call("y2", "read")], 100);
    log.step(&[text(1), call("y3", "read")], 100);
    check(&log, case(218), "");
}

#[test]
fn the_budget_that_would_have_kept_it() {
    let log = log(expl("x"), true, act("y", &["f"]));
    let check = |budgets: &[u64], expected: Option<u64>| {
        let case = case(250);
        let extra = |session: &Session| (material(session, &case), Vec::new());
        let played = Played::with("cwl", &log, 250, 0, 1, &options_of("cwl", &[]), extra);
        let reacquisitions = find_absences(&played.input(), &played.replay, &played.material).reacquisitions;
        assert_eq!(budgets_that_keep(&played.input(), budgets, &reacquisitions), [expected], "{budgets:?}");
    };
    check(&[250, 300, 368], None);
    check(&[250, 369, 400], Some(369));
    check(&[], None);
}

#[test]
fn the_size_of_what_came_back_that_was_there_before() {
    let check = |before: &str, after: &str, expected: u16| {
        assert_eq!(shared_lines(before, after), expected, "{before:?} {after:?}");
    };
    check("a\nb\n", "a\nb\n", 1000);
    check("  a\nb", "b\n\ta", 1000);
    check("", "", 1000);
    check("a", "", 1000);
    check("", "a", 0);
    check("aaa\nb", "aaa\nc", 750);
    check("1\n2\n3\n4", "3\n4\n5\n6", 500);
}

fn any_again(session: &Session, dice: &[(usize, usize)]) -> Material {
    let results: Vec<usize> = (0..session.blocks.len())
        .filter(|at| {
            matches!(session.blocks[*at].kind, BlockKind::Result(_)) && session.blocks[*at].pair.is_some()
        })
        .collect();
    let mut uses: Vec<Use> = Vec::new();
    for (again, held) in dice.iter().filter(|_| !results.is_empty()) {
        let again = results[again % results.len()];
        let Some(by) = session.blocks[again].pair else { continue };
        let held = results[held % results.len()];
        if session.blocks[held].message < session.blocks[by.at()].message {
            uses.push(Use { name: 0, by, held: BlockIdx::new(held), again: Some(BlockIdx::new(again)) });
        }
    }
    uses.sort_by_key(|one| (one.by, one.held, one.again));
    uses.dedup();
    let names = vec![Name { kind: NameKind::Path, text: "a".into() }];
    Material { names, uses, ..Material::default() }
}

proptest! {
    /// Sizes of reacquisitions match the recall of references, and each concerns an evicted block.
    #[test]
    fn reacquisitions_are_those_of_recall(
        policy in prop::sample::select(Policy::ALL.iter().filter(|p| !p.needs_material).collect::<Vec<_>>()),
        beats in prop::collection::vec(beat(), 0..40),
        budget in 0..600u64,
        dice in prop::collection::vec(any::<u64>(), 1..8),
        chosen in prop::collection::vec(0..200usize, 0..3),
        wanted in prop::collection::vec((0..200usize, 0..200usize), 0..20),
    ) {
        let log = log_of(&beats);
        let options = settings_of(policy, &dice);
        let extra = |session: &Session| (any_again(session, &wanted), pins_of(session, &chosen));
        let played = Played::with(policy.name, &log, budget, 0, 1, &options, extra);
        let reacquisitions = find_absences(&played.input(), &played.replay, &played.material).reacquisitions;
        let tokens: u64 = reacquisitions.iter().map(|reacquisition| played.table.units(reacquisition.again)).sum();
        prop_assert_eq!(tokens, measure_recall(&played.input(), &played.replay).total.reacquired_tokens);
        for reacquisition in &reacquisitions {
            let state = played.state(Cut::end_of(reacquisition.turn));
            prop_assert!(!state.states.state(reacquisition.held).is_there());
            prop_assert!(reacquisition.gone <= reacquisition.turn && reacquisition.held < reacquisition.again);
            prop_assert!(reacquisition.missed.contains(&reacquisition.held));
        }
        let stories = reacquisition_stories(&played.input(), &played.replay, &Facts::default(), &reacquisitions, &[]);
        prop_assert_eq!(stories.len(), reacquisitions.len());
    }

    /// A suggested dependency or merge keeps the block until it is needed.
    #[test]
    fn what_would_have_helped_helps(
        beats in prop::collection::vec(beat(), 0..60),
        budget in 50..900u64,
        wanted in prop::collection::vec((0..200usize, 0..200usize), 1..30),
    ) {
        let log = log_of(&beats);
        let (session, growth, _) = log.build(1);
        let options = options_of("cwl", &[]);
        // Marks become spans first, so only the edit makes a difference.
        let annotation = Annotation::from_written(spans_of(&session, &growth, &Annotation::Declared));
        let (growth, _) = GraphTimeline::build_annotated(&session, &annotation);
        let material = any_again(&session, &wanted);
        let play = |growth: GraphTimeline| {
            Played { material: material.clone(), ..Played::annotated("cwl", &log, budget, &options, growth) }
        };
        let played = play(growth);
        let spans = spans_of(&played.session, &played.growth, &annotation);
        let reacquisitions = find_absences(&played.input(), &played.replay, &played.material).reacquisitions;
        for story in reacquisition_stories(&played.input(), &played.replay, &Facts::default(), &reacquisitions, &[]) {
            let [change @ (Edit::Link { .. } | Edit::Merge { .. })] = story.changes.as_slice() else { continue };
            let spans = apply_edit(&played.session, &spans, change);
            prop_assert!(spans.is_ok(), "{:?} of {:?}", spans, story);
            let Ok(spans) = spans else { continue };
            let (changed, _) = GraphTimeline::build_annotated(&played.session, &Annotation::from_written(spans));
            let changed = play(changed);
            let state = changed.state(Cut::end_of(story.reacquisition.turn));
            prop_assert!(state.states.state(story.reacquisition.held).is_there(), "{:?}", story);
        }
    }
}
