//! Queries of the episode graph, against plain recursive versions.

use std::collections::BTreeSet;

use crate::common::mark;
use crate::common::random::{beat, log_of};
use cwl_engine::testing::{LogBuilder, act, end, expl};
use cwl_engine::*;
use proptest::prelude::*;

fn draws_on(graph: &EpisodeGraph, act: EpisodeIdx, on: EpisodeIdx) -> bool {
    let (of, from) = (graph.episode(act), graph.episode(on));
    let is_implicit = from.kind == EpisodeKind::Unannotated && from.start < of.start;
    of.kind == EpisodeKind::Action
        && from.state != Life::Vanished
        && (is_implicit || of.dependencies.iter().any(|dependency| dependency.on == Some(on)))
}

fn all(graph: &EpisodeGraph) -> impl Iterator<Item = EpisodeIdx> {
    graph.episodes().map(|(idx, _)| idx)
}

fn plain_ancestors(graph: &EpisodeGraph, of: EpisodeIdx, found: &mut BTreeSet<EpisodeIdx>) {
    for on in all(graph).filter(|on| draws_on(graph, of, *on)) {
        if found.insert(on) {
            plain_ancestors(graph, on, found);
        }
    }
}

fn plain_depth(graph: &EpisodeGraph, of: EpisodeIdx) -> usize {
    1 + all(graph).filter(|on| draws_on(graph, of, *on)).map(|on| plain_depth(graph, on)).max().unwrap_or(0)
}

/// Adds episodes without remaining dependents until nothing changes.
fn plain_frees(graph: &EpisodeGraph, gone: &BTreeSet<EpisodeIdx>, idx: EpisodeIdx) -> BTreeSet<EpisodeIdx> {
    let is_free = |gone: &BTreeSet<EpisodeIdx>, one: EpisodeIdx| {
        all(graph).filter(|act| draws_on(graph, *act, one)).all(|act| gone.contains(&act))
    };
    let free_before: BTreeSet<EpisodeIdx> = all(graph).filter(|one| is_free(gone, *one)).collect();
    let mut going = gone.clone();
    going.insert(idx);
    loop {
        let next = all(graph)
            .find(|one| !going.contains(one) && !free_before.contains(one) && is_free(&going, *one));
        match next {
            Some(next) => going.insert(next),
            None => break,
        };
    }
    going.into_iter().filter(|one| !gone.contains(one) && *one != idx).collect()
}

/// Explorations `a` and `b`, then a stretch; `c` draws on `a`, `d` on both.
fn story() -> EpisodeGraph {
    let mut log = LogBuilder::new();
    log.human("go");
    for (name, opens) in [
        ("a", expl("a")),
        ("b", expl("b")),
        ("", end("")),
        ("c", act("c", &["a"])),
        ("d", act("d", &["a", "b"])),
    ] {
        if name.is_empty() {
            log.step(&[crate::common::text(5)], 0);
            continue;
        }
        log.step(&[mark(&format!("{name}1"), opens)], 0);
        log.step(&[mark(&format!("{name}2"), end("x"))], 0);
    }
    log.build(1).1.graph
}

fn named(graph: &EpisodeGraph, episodes: &[EpisodeIdx]) -> String {
    episodes.iter().map(|idx| graph.episode(*idx).name.as_str()).collect::<Vec<_>>().join(" ")
}

fn find(graph: &EpisodeGraph, name: &str) -> EpisodeIdx {
    graph.episodes().find(|(_, episode)| episode.name.as_str() == name).unwrap().0
}

#[test]
fn an_act_draws_on_what_it_names_and_on_the_stretches_before_it() {
    let graph = story();
    for (name, ancestors, chain) in
        [("a", "", "a"), ("c", "a ~1", "~1 c"), ("d", "a b ~1", "~1 d"), ("~1", "", "~1")]
    {
        let idx = find(&graph, name);
        assert_eq!(named(&graph, &graph.ancestors(idx)), ancestors, "ancestors of {name}");
        assert_eq!(named(&graph, &graph.longest_chain(idx)), chain, "chain of {name}");
    }
}

#[test]
fn what_nothing_draws_on_any_more_is_free() {
    let graph = story();
    let frees = |name: &str, gone: &[&str]| {
        let gone: Vec<EpisodeIdx> = gone.iter().map(|name| find(&graph, name)).collect();
        named(&graph, &graph.freed_by(find(&graph, name), |idx| gone.contains(&idx)))
    };
    assert_eq!(frees("c", &[]), "", "d draws on all of it");
    assert_eq!(frees("d", &[]), "b");
    assert_eq!(frees("d", &["c"]), "a b ~1");
    assert_eq!(frees("d", &["c", "b"]), "a ~1", "what has gone is not named again");
    assert_eq!(frees("a", &[]), "", "nothing waits for an exploration");
}

proptest! {
    #[test]
    fn walks_equal_their_plain_forms(
        beats in prop::collection::vec(beat(), 0..60),
        gone in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let (_, growth, _) = log_of(&beats).build(1);
        let graph = &growth.graph;
        let n_episodes = all(graph).count().max(1);
        let gone: BTreeSet<EpisodeIdx> = gone.iter().filter_map(|at| all(graph).nth(at.index(n_episodes))).collect();
        for idx in all(graph) {
            let mut ancestors = BTreeSet::new();
            plain_ancestors(graph, idx, &mut ancestors);
            prop_assert_eq!(graph.ancestors(idx), ancestors.into_iter().collect::<Vec<_>>());
            let chain = graph.longest_chain(idx);
            prop_assert_eq!(chain.len(), plain_depth(graph, idx));
            prop_assert!(chain.windows(2).all(|pair| draws_on(graph, pair[1], pair[0])));
            prop_assert_eq!(chain.last(), Some(&idx));
            let frees = graph.freed_by(idx, |one| gone.contains(&one));
            prop_assert_eq!(frees, plain_frees(graph, &gone, idx).into_iter().collect::<Vec<_>>());
        }
    }
}
