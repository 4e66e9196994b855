//! Protocol rules P001 to P013: reported problems, and the resulting graph.

use crate::common::{call, mark, text};
use cwl_engine::testing::{LogBuilder, act, dump_graph, end, expl, tools};
use cwl_engine::{DeclaredKind, DelimiterMark, EpisodeName, GraphTimeline, History, MarkField, Session};

/// Expected form of the graph: `name(kind)[deps]state`, separated by spaces.
fn check(log: &LogBuilder, codes: &[&str], graph: &str) {
    let (session, mut problems) = Session::build(&log.log, None, History::AsRecorded, &tools());
    let (growth, more) = GraphTimeline::build(&session);
    problems.extend(more);
    let found: Vec<&str> = problems.iter().map(|problem| problem.kind.code()).collect();
    assert_eq!(found, codes, "{}", dump_graph(&session, &growth.graph));
    assert!(problems.iter().all(|p| p.place.line.is_some()), "every problem has a line");
    let found: Vec<String> = growth
        .graph
        .episodes()
        .map(|(_, e)| {
            let deps: Vec<_> = e
                .dependencies
                .iter()
                .filter_map(|d| d.on)
                .map(|d| growth.graph.episode(d).name.to_string())
                .collect();
            let life = if e.is_open() { "+" } else { "" };
            format!("{}({})[{}]{life}", e.name, e.kind.name(), deps.join(","))
        })
        .collect();
    assert_eq!(found.join(" "), graph);
    assert!(growth.graph.is_acyclic());
}

fn story(marks: &[DelimiterMark]) -> LogBuilder {
    let mut log = LogBuilder::new();
    log.human("task");
    for (at, delimiter) in marks.iter().enumerate() {
        log.step(&[mark(&format!("m{at}"), delimiter.clone())], 0);
    }
    log
}

#[test]
fn a_well_formed_trajectory_has_no_problem() {
    check(&story(&[expl("a"), end("learned"), act("b", &["a"]), end("")]), &[], "a(expl)[] b(act)[a]");
}

#[test]
fn p001_a_start_closes_the_open_episode() {
    let log = story(&[expl("a"), act("b", &["a"]), end("")]);
    check(&log, &["P001"], "a(expl)[] b(act)[a]");
}

#[test]
fn p002_a_stray_end_is_ignored_and_belongs_to_the_stretch() {
    check(&story(&[end("x")]), &["P002"], "");
    check(&story(&[expl("a"), end("x"), end("y")]), &["P002"], "a(expl)[] ~1(unannotated)[]+");
}

#[test]
fn p003_a_name_used_again_gets_a_number_and_dependencies_mean_the_newest() {
    let log = story(&[expl("a"), end("1"), expl("a"), end("2"), act("b", &["a"]), end("")]);
    check(&log, &["P003"], "a(expl)[] a#2(expl)[] b(act)[a#2]");
    let log = story(&[expl("a"), end("1"), act("a", &["a"]), end(""), act("c", &["a"]), end("")]);
    // The newest episode with the name is an act; there is no fallback to the older exploration.
    check(&log, &["P003", "P006"], "a(expl)[] a#2(act)[a] c(act)[]");
    let log = story(&[expl("a#2"), end("1"), expl("a"), end("2"), expl("a"), end("3")]);
    check(&log, &["P003"], "a#2(expl)[] a(expl)[] a#3(expl)[]");
}

#[test]
fn p004_to_p007_edges_that_cannot_be() {
    check(&story(&[act("b", &[]), end("")]), &["P004"], "b(act)[]");
    check(&story(&[act("b", &["nobody"]), end("")]), &["P005"], "b(act)[]");
    check(&story(&[act("b", &["b"]), end("")]), &["P007"], "b(act)[]");
    let later = story(&[act("b", &["a"]), end(""), expl("a"), end("x")]);
    check(&later, &["P007"], "b(act)[] a(expl)[]");
    let twice = story(&[expl("a"), end("x"), act("b", &["a", "a"]), end("")]);
    check(&twice, &[], "a(expl)[] b(act)[a]");
}

#[test]
fn p008_to_p010_what_stands_in_the_wrong_place() {
    check(&story(&[expl("a"), end("")]), &["P008"], "a(expl)[]");
    check(&story(&[expl("a"), end(" \n")]), &["P008"], "a(expl)[]");
    check(&story(&[act("b", &[]), end("x")]), &["P004", "P009"], "b(act)[]");
    let mut log = LogBuilder::new();
    let odd = DelimiterMark::Open {
        name: EpisodeName::from("a"),
        kind: DeclaredKind::Exploratory,
        dependencies: Some(vec![EpisodeName::from("z")]),
        odd: vec![],
    };
    log.human("task").step(&[mark("m", odd)], 0).step(&[mark("n", end("x"))], 0);
    check(&log, &["P010"], "a(expl)[]");
}

#[test]
fn p011_an_open_end_stays_active() {
    check(&story(&[expl("a")]), &["P011"], "a(expl)[]+");
}

#[test]
fn p012_a_malformed_mark_is_no_event() {
    for field in [MarkField::Action, MarkField::Name, MarkField::Type] {
        let odd =
            DelimiterMark::Malformed { field, name: Some("b".into()), is_act: true, dependencies: None };
        check(&story(&[expl("a"), odd, end("x")]), &["P012"], "a(expl)[]");
    }
    let odd = DelimiterMark::Close { name: None, description: None, odd: vec![MarkField::Description] };
    check(&story(&[expl("a"), odd]), &["P012", "P008"], "a(expl)[]");
}

#[test]
fn p013_an_end_closes_the_open_episode_whatever_name_it_carries() {
    let other = DelimiterMark::Close {
        name: Some(EpisodeName::from("z")),
        description: Some("x".into()),
        odd: vec![],
    };
    check(&story(&[expl("a"), other]), &["P013"], "a(expl)[]");
    let own = |name: &str| DelimiterMark::Close {
        name: Some(EpisodeName::from(name)),
        description: Some("x".into()),
        odd: vec![],
    };
    // The agent does not know the number of a reused name.
    check(&story(&[expl("a"), own("a"), expl("a"), own("a")]), &["P003"], "a(expl)[] a#2(expl)[]");
}

#[test]
fn failed_and_unanswered_delimiter_calls_are_no_events() {
    let mut log = LogBuilder::new();
    log.human("task").reply(&[mark("m", expl("a"))]).failure("m", "no");
    check(&log, &[], "");
    log.reply(&[mark("n", expl("b"))]);
    check(&log, &[], "");
    log.result("n", "ok");
    check(&log, &["P011"], "b(expl)[]+");
}

#[test]
fn content_between_episodes_is_a_stretch_that_human_turns_do_not_split() {
    let mut log = story(&[expl("a"), end("x")]);
    log.reply(&[text(3)]).human("more").reply(&[text(4)]);
    log.step(&[mark("p", act("b", &["a"]))], 0).step(&[mark("q", end("")), text(2)], 0);
    check(&log, &[], "a(expl)[] ~1(unannotated)[] b(act)[a] ~2(unannotated)[]+");
}

#[test]
fn a_late_result_takes_effect_at_the_place_of_its_call() {
    let mut log = LogBuilder::new();
    log.human("task").step(&[mark("m", expl("a"))], 0).reply(&[mark("n", end("late"))]);
    log.reply(&[text(5)]);
    check(&log, &["L016", "P011"], "a(expl)[]+");
    log.result("n", "ok");
    check(&log, &[], "a(expl)[] ~1(unannotated)[]+");
}

#[test]
fn results_stand_with_their_call_and_strays_in_no_episode() {
    let mut log = story(&[expl("a")]);
    log.reply(&[call("c", "read"), mark("n", end("x"))]).result("n", "ok").result("c", "late body");
    log.result("nobody", "stray");
    let (session, growth, _) = log.build(1);
    check(&log, &["L015"], "a(expl)[]");
    let a = &growth.graph.episodes[0];
    let ids: Vec<String> = a.blocks.iter().map(|b| session.blocks[b.at()].id.to_string()).collect();
    assert_eq!(ids, ["e2:0", "e3:0", "e4:0", "e4:1", "e5:0", "e6:0"]);
}
