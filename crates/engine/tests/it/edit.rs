//! Edits of annotations: effects on neighbours and dependents; every edited annotation stays sound.

use std::collections::BTreeSet;

use crate::common::random::{beat, log_of, n_cases};
use cwl_engine::testing::{LogBuilder, tools};
use cwl_engine::*;
use proptest::prelude::*;

/// A human message (block 0) and six replies with text, read and result each: blocks 1 to 18.
fn session() -> Session {
    let mut log = LogBuilder::new();
    log.human("task");
    for at in 0..6 {
        log.step(&[crate::common::text(5), crate::common::call(&format!("c{at}"), "read")], 10);
    }
    Session::build(&log.log, None, History::AsRecorded, &tools()).0
}

/// Parses spans `name:kind first..last[on,on] "description"?`, separated by `; `; `+` is an open end, `?`
/// evidence.
fn spans(text: &str) -> Vec<Span> {
    text.split("; ")
        .map(|one| {
            let is_guess = one.ends_with('?');
            let one = one.trim_end_matches('?');
            let (head, description) =
                one.split_once(" \"").map_or((one, None), |(head, text)| (head, Some(text)));
            let (name, rest) = head.split_once(':').unwrap();
            let (kind, rest) = rest.split_once(' ').unwrap();
            let (range, on) =
                rest.split_once('[').map_or((rest, ""), |(range, on)| (range, on.trim_end_matches(']')));
            let (first, last) = range.split_once("..").unwrap();
            Span {
                name: name.into(),
                kind: if kind == "act" { DeclaredKind::Action } else { DeclaredKind::Exploratory },
                first: BlockIdx::new(first.parse().unwrap()),
                last: last.parse().ok().map(BlockIdx::new),
                dependencies: on.split(',').filter(|on| !on.is_empty()).map(EpisodeName::from).collect(),
                description: description.map(|text| text.trim_end_matches('"').into()),
                evidence: is_guess.then(|| Evidence { confidence: 800, cues: Vec::new() }.into()),
            }
        })
        .collect()
}

fn written(spans: &[Span]) -> String {
    let one = |span: &Span| {
        let kind = if span.kind == DeclaredKind::Action { "act" } else { "expl" };
        let last = span.last.map_or("+".to_owned(), |last| last.at().to_string());
        let on: Vec<&str> = span.dependencies.iter().map(EpisodeName::as_str).collect();
        let on = if on.is_empty() { String::new() } else { format!("[{}]", on.join(",")) };
        let says = span.description.as_ref().map_or(String::new(), |text| format!(" \"{text}\""));
        let guess = if span.evidence.is_some() { "?" } else { "" };
        format!("{}:{kind} {}..{last}{on}{says}{guess}", span.name, span.first.at())
    };
    spans.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Checks the spans after an edit, or the refusal.
fn check(before: &str, edit: Edit, after: &str) {
    let before = spans(before);
    let made = apply_edit(&session(), &before, &edit);
    assert_eq!(
        made.map_or_else(|refusal| format!("no: {refusal}"), |spans| written(&spans)),
        after,
        "{edit:?}"
    );
}

fn retype(of: &str, kind: DeclaredKind) -> Edit {
    Edit::Retype { of: of.into(), kind }
}

fn link(act: &str, on: &str) -> Edit {
    Edit::Link { act: act.into(), on: on.into() }
}

fn shift(of: &str, edge: SpanEdge, to: usize) -> Edit {
    Edit::Shift { of: of.into(), edge, to: BlockIdx::new(to) }
}

const THREE: &str = "a:expl 1..6 \"found\"; b:expl 7..12; c:act 13..+[a,b]";

#[test]
fn kinds_take_their_edges_along() {
    use DeclaredKind::{Action, Exploratory};
    check(THREE, retype("a", Action), "a:act 1..6 \"found\"; b:expl 7..12; c:act 13..+[b]");
    check(THREE, retype("c", Exploratory), "a:expl 1..6 \"found\"; b:expl 7..12; c:expl 13..+");
    check(THREE, retype("b", Exploratory), "no: that changes nothing");
    check(THREE, retype("x", Action), "no: no marked episode is called `x`");
}

#[test]
fn an_act_draws_on_explorations_before_it() {
    let four = "a:expl 1..3; b:act 4..6; c:expl 7..9; d:act 10..12";
    check(four, link("d", "a"), "a:expl 1..3; b:act 4..6; c:expl 7..9; d:act 10..12[a]");
    check(four, link("d", "b"), "no: `b` is an act, not an exploration");
    check(four, link("c", "a"), "no: `c` is an exploration, and only an act draws on others");
    check(four, link("b", "c"), "no: `c` does not begin before `b`, so that `b` cannot draw on it");
    check(THREE, link("c", "a"), "no: that changes nothing");
    let drop = |act: &str, on: &str| Edit::Unlink { act: act.into(), on: on.into() };
    check(THREE, drop("c", "a"), "a:expl 1..6 \"found\"; b:expl 7..12; c:act 13..+[b]");
    check(THREE, drop("c", "x"), "no: that changes nothing");
}

#[test]
fn a_boundary_moves_the_neighbour_that_touches_it() {
    use SpanEdge::{First, Last};
    check(THREE, shift("b", First, 4), "a:expl 1..3 \"found\"; b:expl 4..12; c:act 13..+[a,b]");
    check(THREE, shift("b", First, 10), "a:expl 1..9 \"found\"; b:expl 10..12; c:act 13..+[a,b]");
    check(THREE, shift("b", Last, 9), "a:expl 1..6 \"found\"; b:expl 7..9; c:act 10..+[a,b]");
    check(THREE, shift("b", Last, 15), "a:expl 1..6 \"found\"; b:expl 7..15; c:act 16..+[a,b]");
    // An episode cannot start at a result, so it starts at the agent's next block.
    check(THREE, shift("b", First, 3), "a:expl 1..3 \"found\"; b:expl 4..12; c:act 13..+[a,b]");
    check(THREE, shift("b", First, 13), "no: `b` would end before it begins");
    check(THREE, shift("b", Last, 2), "no: `b` would end before it begins");
    check(THREE, shift("b", First, 1), "no: nothing would be left of `a`; merge the two, or remove it");
    check(THREE, shift("b", Last, 18), "no: nothing would be left of `c`; merge the two, or remove it");
    check(THREE, shift("c", First, 40), "no: no block of the agent is there to begin with");
    // Separated by a stretch, the two are no neighbours until one reaches the other.
    let apart = "a:expl 1..3; b:act 10..12";
    check(apart, shift("a", Last, 6), "a:expl 1..6; b:act 10..12");
    check(apart, shift("b", First, 7), "a:expl 1..3; b:act 7..12");
    check(apart, shift("a", Last, 11), "no: nothing would be left of `b`; merge the two, or remove it");
    check("a:expl 1..3?; b:act 4..9?", shift("b", First, 7), "a:expl 1..6?; b:act 7..9");
}

#[test]
fn episodes_split_and_merge() {
    let split = |of: &str, at| Edit::Split { of: of.into(), at: BlockIdx::new(at) };
    let merge = |of: &str| Edit::Merge { of: of.into() };
    check(
        THREE,
        split("a", 4),
        "a:expl 1..3 \"found\"; a-2:expl 4..6 \"found\"; b:expl 7..12; c:act 13..+[a,b,a-2]",
    );
    check(
        THREE,
        split("c", 16),
        "a:expl 1..6 \"found\"; b:expl 7..12; c:act 13..15[a,b]; c-2:act 16..+[a,b]",
    );
    check(THREE, split("a", 1), "no: no block of the agent is there to begin with");
    check(THREE, split("a", 7), "no: no block of the agent is there to begin with");
    check(THREE, merge("a"), "a:expl 1..12 \"found\"; c:act 13..+[a]");
    // An exploration merged with an act becomes an act with the act's dependencies.
    check(THREE, merge("b"), "a:expl 1..6 \"found\"; b:act 7..+[a]");
    check(THREE, merge("c"), "no: no episode follows `c`");
    check("a:expl 1..3 \"x\"; b:expl 7..9 \"y\"", merge("a"), "a:expl 1..9 \"x y\"");
}

#[test]
fn names_ends_descriptions_and_marks_change() {
    let rename = |of: &str, to: &str| Edit::Rename { of: of.into(), to: to.into() };
    check(THREE, rename("a", " z "), "z:expl 1..6 \"found\"; b:expl 7..12; c:act 13..+[z,b]");
    check(THREE, rename("a", "b"), "no: another episode is called `b` already");
    check(THREE, rename("a", " "), "no: an episode needs a name");
    let describe = |of: &str, text: &str| Edit::Describe { of: of.into(), text: text.to_owned() };
    check(THREE, describe("a", ""), "a:expl 1..6; b:expl 7..12; c:act 13..+[a,b]");
    check(THREE, describe("b", " new "), "a:expl 1..6 \"found\"; b:expl 7..12 \"new\"; c:act 13..+[a,b]");
    check(THREE, describe("c", "x"), "no: `c` is an act, not an exploration");
    let close = |of: &str| Edit::Close { of: of.into() };
    check(THREE, close("c"), "a:expl 1..6 \"found\"; b:expl 7..12; c:act 13..18[a,b]");
    check(THREE, close("a"), "no: `a` is closed already");
    check(THREE, Edit::Remove { of: "a".into() }, "b:expl 7..12; c:act 13..+[b]");
    let add = |name: &str, first, last| Edit::Add {
        name: name.into(),
        kind: DeclaredKind::Action,
        first: BlockIdx::new(first),
        last: BlockIdx::new(last),
    };
    let apart = "a:expl 1..3; b:act 10..12";
    check(apart, add("a", 4, 9), "a:expl 1..3; a-2:act 4..9; b:act 10..12");
    check(apart, add("z", 13, 18), "a:expl 1..3; b:act 10..12; z:act 13..18");
    check(apart, add("z", 4, 10), "no: nothing would be left of `b`; merge the two, or remove it");
    check(apart, add("z", 3, 3), "no: no block of the agent is there to begin with");
    let accept = |of: Option<&str>| Edit::Accept { of: of.map(EpisodeName::from) };
    check("a:expl 1..3?; b:act 4..9?", accept(Some("b")), "a:expl 1..3?; b:act 4..9");
    check("a:expl 1..3?; b:act 4..9?", accept(None), "a:expl 1..3; b:act 4..9");
    check(apart, accept(Some("b")), "no: the start of `b` is not a guess");
    check(apart, accept(None), "no: that changes nothing");
}

/// An edit of the n-th episode with arbitrary numbers.
fn some_edit() -> impl Strategy<Value = (usize, usize, usize, u8)> {
    (0usize..12, 0usize..12, 0usize..90, 0u8..12)
}

fn edit_of(spans: &[Span], (one, other, block, what): (usize, usize, usize, u8)) -> Edit {
    let name = |at: usize| spans.get(at % spans.len().max(1)).map_or("none".into(), |span| span.name.clone());
    let (of, on, block) = (name(one), name(other), BlockIdx::new(block));
    let kind = if block.at() % 2 == 0 { DeclaredKind::Action } else { DeclaredKind::Exploratory };
    match what {
        0 => Edit::Retype { of, kind },
        1 => Edit::Link { act: of, on },
        2 => Edit::Unlink { act: of, on },
        3 | 4 => Edit::Shift { of, edge: SpanEdge::First, to: block },
        5 => Edit::Shift { of, edge: SpanEdge::Last, to: block },
        6 => Edit::Split { of, at: block },
        7 => Edit::Merge { of },
        8 => Edit::Rename { of, to: EpisodeName::from(format!("r{other}").as_str()) },
        9 => Edit::Remove { of },
        10 => Edit::Add { name: of, kind, first: block, last: BlockIdx::new(block.at() + other) },
        _ => Edit::Close { of },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases()))]

    #[test]
    fn edited_marks_stay_sound(
        beats in prop::collection::vec(beat(), 1..30),
        edits in prop::collection::vec(some_edit(), 1..12),
    ) {
        let session = Session::build(&log_of(&beats).log, None, History::AsRecorded, &tools()).0;
        let (declared, _) = GraphTimeline::build(&session);
        let mut spans = spans_of(&session, &declared, &Annotation::Declared);
        for numbers in edits {
            let Ok(after) = apply_edit(&session, &spans, &edit_of(&spans, numbers)) else { continue };
            let names: BTreeSet<&str> = after.iter().map(|span| span.name.as_str()).collect();
            prop_assert_eq!(names.len(), after.len(), "a name is used once");
            for pair in after.windows(2) {
                prop_assert!(pair[0].last.is_some_and(|last| pair[0].first <= last && last < pair[1].first));
            }
            let annotation = Annotation::from_written(after.clone());
            let (growth, _) = GraphTimeline::build_annotated(&session, &annotation);
            let of_graph = spans_of(&session, &growth, &annotation);
            prop_assert_eq!(
                of_graph.iter().map(|span| (&span.name, span.kind)).collect::<Vec<_>>(),
                after.iter().map(|span| (&span.name, span.kind)).collect::<Vec<_>>(),
                "each span is an episode",
            );
            spans = after;
        }
    }

    #[test]
    fn unchanged_marks_play_the_same(beats in prop::collection::vec(beat(), 1..40)) {
        let session = Session::build(&log_of(&beats).log, None, History::AsRecorded, &tools()).0;
        let (declared, _) = GraphTimeline::build(&session);
        // A late answer moves the blocks of its call, while a span comes with its blocks.
        if declared.has_late_marks() {
            return Ok(());
        }
        let annotation = Annotation::from_written(spans_of(&session, &declared, &Annotation::Declared));
        let (growth, _) = GraphTimeline::build_annotated(&session, &annotation);
        let of = |growth: &GraphTimeline| -> Vec<(EpisodeName, Vec<BlockIdx>, Life, Vec<EpisodeIdx>)> {
            let graph = &growth.graph;
            graph.episodes().map(|(idx, e)| (e.name.clone(), e.blocks.clone(), e.state, graph.dependencies(idx))).collect()
        };
        prop_assert_eq!(of(&declared), of(&growth));
        prop_assert_eq!(spans_of(&session, &growth, &annotation), spans_of(&session, &declared, &Annotation::Declared));
    }
}
