//! Annotations other than the agent's own: spans give the same graph and replays as delimiter calls in the
//! same places.

use crate::common::random::{beat, log_of, n_cases};
use crate::common::{Played, options_of};
use cwl_engine::testing::{LogBuilder, tools};
use cwl_engine::*;
use proptest::prelude::*;

/// Parses `name kind first..last <dependencies`; the last block is `-` for an open span.
fn span(name: &str, kind: DeclaredKind, first: usize, last: Option<usize>, on: &[&str]) -> Span {
    Span {
        name: name.into(),
        kind,
        first: BlockIdx::new(first),
        last: last.map(BlockIdx::new),
        dependencies: on.iter().map(|name| EpisodeName::from(*name)).collect(),
        description: (kind == DeclaredKind::Exploratory).then(|| "found".into()),
        evidence: None,
    }
}

/// A human message (block 0) and four replies with text, read and result each: blocks 1 to 12.
fn session() -> Session {
    let mut log = LogBuilder::new();
    log.human("task");
    for at in 0..4 {
        log.step(&[crate::common::text(5), crate::common::call(&format!("c{at}"), "read")], 10);
    }
    Session::build(&log.log, None, History::AsRecorded, &tools()).0
}

/// Expected form: `name(kind)first..last[dependencies]`, with `+` for an open episode.
fn check(spans: Vec<Span>, graph: &str) {
    let session = session();
    let (growth, problems) = GraphTimeline::build_annotated(&session, &Annotation::from_written(spans));
    assert_eq!(problems, [], "only the agent breaks rules");
    assert_eq!(growth.source, AnnotationSource::Written);
    let of = |(_, episode): (EpisodeIdx, &Episode)| {
        let on: Vec<&str> =
            episode.dependencies.iter().filter(|d| d.on.is_some()).map(|d| d.declared.as_str()).collect();
        let (first, last) = (episode.blocks[0].at(), episode.blocks[episode.blocks.len() - 1].at());
        let life = if episode.is_open() { "+" } else { "" };
        format!("{}({}){first}..{last}[{}]{life}", episode.name, episode.kind.name(), on.join(","))
    };
    assert_eq!(growth.graph.episodes().map(of).collect::<Vec<_>>().join(" "), graph);
}

#[test]
fn spans_give_blocks_to_episodes() {
    use DeclaredKind::{Action, Exploratory};
    check(vec![], "");
    check(
        vec![span("look", Exploratory, 1, Some(6), &[]), span("fix", Action, 7, Some(12), &["look"])],
        "look(expl)1..6[] fix(act)7..12[look]",
    );
    check(
        vec![span("fix", Action, 10, None, &["look"]), span("look", Exploratory, 1, Some(3), &[])],
        "look(expl)1..3[] ~1(unannotated)4..9[] fix(act)10..12[look]+",
    );
    // A span inside another cuts it off; a reused name gets a number; nothing depends on an act.
    check(
        vec![span("a", Action, 1, None, &[]), span("a", Action, 4, Some(9), &["a", "gone"])],
        "a(act)1..3[] a#2(act)4..9[] ~1(unannotated)10..12[]+",
    );
    // A result belongs to its call's episode even behind the last block.
    check(vec![span("a", Exploratory, 1, Some(2), &[])], "a(expl)1..3[] ~1(unannotated)4..12[]+");
    // A span that starts at the human's words starts at the first evictable block instead.
    check(vec![span("a", Exploratory, 0, Some(3), &[])], "a(expl)1..3[] ~1(unannotated)4..12[]+");
    // A span without blocks ends before it begins.
    check(vec![span("a", Exploratory, 6, Some(5), &[])], "");
}

/// Converts the agent's own calls to spans.
fn spans_of(growth: &GraphTimeline) -> Vec<Span> {
    let graph = &growth.graph;
    let own: Vec<(EpisodeIdx, &Episode)> =
        graph.episodes().filter(|(_, episode)| episode.kind != EpisodeKind::Unannotated).collect();
    own.iter()
        .enumerate()
        .map(|(at, (_, episode))| {
            let next = own.get(at + 1).map(|(_, next)| BlockIdx::new(next.start.at() - 1));
            let kept = episode.dependencies.iter().filter_map(|dependency| dependency.on);
            Span {
                name: episode.name.clone(),
                kind: match episode.kind {
                    EpisodeKind::Action => DeclaredKind::Action,
                    _ => DeclaredKind::Exploratory,
                },
                first: episode.start,
                last: episode.end_call.or(next.filter(|_| episode.cut_off)),
                dependencies: kept.map(|on| graph.episode(on).name.clone()).collect(),
                description: episode.description.clone(),
                evidence: None,
            }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases()))]

    #[test]
    fn spans_at_the_places_of_calls_play_the_same(
        beats in prop::collection::vec(beat(), 1..40),
        budget in 0u64..4000,
    ) {
        let log = log_of(&beats);
        let session = Session::build(&log.log, None, History::AsRecorded, &tools()).0;
        let (declared, _) = GraphTimeline::build(&session);
        // A late answer moves the blocks of its call, while a span comes with its blocks.
        if declared.has_late_marks() {
            return Ok(());
        }
        let annotation = Annotation::from_inferred(spans_of(&declared));
        let (inferred, problems) = GraphTimeline::build_annotated(&session, &annotation);
        prop_assert!(problems.is_empty());
        let of = |growth: &GraphTimeline| -> Vec<(EpisodeName, Vec<BlockIdx>, Life, Vec<EpisodeIdx>)> {
            let graph = &growth.graph;
            let episodes = graph.episodes();
            episodes.map(|(idx, e)| (e.name.clone(), e.blocks.clone(), e.state, graph.dependencies(idx))).collect()
        };
        prop_assert_eq!(of(&declared), of(&inferred));
        // The next start closes a cut-off episode, while a span closes behind its last block.
        if declared.graph.episodes().any(|(_, episode)| episode.cut_off) {
            return Ok(());
        }
        let closed = |growth: &GraphTimeline| -> Vec<Option<TurnIdx>> {
            growth.graph.episodes().map(|(_, episode)| episode.closed_turn).collect()
        };
        prop_assert_eq!(closed(&declared), closed(&inferred));
        for policy in ["cwl", "cwl+", "fold"] {
            let play = |growth: GraphTimeline| {
                let options = options_of(policy, &[]);
                Played::annotated(policy, &log, budget, &options, growth).steps()
            };
            prop_assert_eq!(play(declared.clone()), play(inferred.clone()));
        }
    }
}

#[test]
fn pi_cwl_takes_the_messages_of_an_episode_as_its_range() {
    let mut log = LogBuilder::new();
    log.human("task");
    for at in 0..4 {
        log.step(&[crate::common::text(5), crate::common::call(&format!("c{at}"), "read")], 10);
    }
    let session = Session::build(&log.log, None, History::AsRecorded, &tools()).0;
    let check = |annotation: &Annotation, expected: &[&str]| {
        let (growth, _) = GraphTimeline::build_annotated(&session, annotation);
        let played = Played::annotated("pi-cwl", &log, 0, &options_of("pi-cwl", &[]), growth);
        let names = |step: &EvictionStep| match &step.subject {
            Subject::Segment { name, episode } => {
                assert!(episode.is_some(), "a step names its episode");
                format!("{}:{}", name.as_ref().map_or("", EpisodeName::as_str), step.action.name())
            }
            other => panic!("{other:?} is no segment"),
        };
        let last: Vec<String> = played.pass(session.last_turn()).steps.iter().map(names).collect();
        assert_eq!(last, expected);
    };
    let kinds = (DeclaredKind::Exploratory, DeclaredKind::Action);
    check(&Annotation::Declared, &[]);
    let two = vec![span("look", kinds.0, 1, Some(6), &[]), span("fix", kinds.1, 7, Some(12), &["look"])];
    check(&Annotation::from_inferred(two), &["fix:read", "fix:remove", "look:read", "look:remove"]);
    check(
        &Annotation::from_inferred(vec![span("words", kinds.1, 1, Some(1), &[])]),
        &["words:read", "words:remove"],
    );
    check(&Annotation::from_inferred(vec![span("open", kinds.1, 1, None, &[])]), &[]);
}
