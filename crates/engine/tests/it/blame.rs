//! The ranking of blame: who comes first, what is said together, and the joint edits.

use cwl_engine::testing::{LogBuilder, act, end, expl};
use cwl_engine::*;

use crate::common::mark;

/// Builds episodes 0 to 3: the explorations `read-a` and `read-b`, the acts `use-a` and `use-b`.
fn session() -> (Session, EpisodeGraph, TokenTable) {
    let mut log = LogBuilder::new();
    log.human("go");
    for (id, name) in [("a", "read-a"), ("b", "read-b")] {
        log.step(&[mark(&format!("{id}1"), expl(name))], 0);
        log.step(&[mark(&format!("{id}2"), end("found a_1"))], 0);
    }
    for (id, name) in [("c", "use-a"), ("d", "use-b")] {
        log.step(&[mark(&format!("{id}1"), act(name, &[]))], 0);
        log.step(&[mark(&format!("{id}2"), end(""))], 0);
    }
    let (session, growth, _) = log.build(1);
    let table = log.table(&session, &growth, 1);
    (session, growth.graph, table)
}

fn name(graph: &EpisodeGraph, of: usize) -> EpisodeName {
    graph.episode(EpisodeIdx::new(of)).name.clone()
}

/// A story about the block `again`, read first in episode `first` and again in `second`.
fn story(
    again: usize,
    first: usize,
    second: usize,
    cause: ReacquisitionCause,
    changes: Vec<Edit>,
) -> ReacquisitionStory {
    let reacquisition = Reacquisition {
        turn: TurnIdx::new(3),
        again: BlockIdx::new(again),
        held: BlockIdx::new(1),
        gone: TurnIdx::new(2),
        names: vec![0],
        missed: vec![BlockIdx::new(1)],
    };
    let (first, again) = (Some(EpisodeIdx::new(first)), Some(EpisodeIdx::new(second)));
    ReacquisitionStory { reacquisition, first, again, cause, changes }
}

fn material() -> Material {
    let name = |text: &str| Name { kind: NameKind::Symbol, text: text.into() };
    Material { names: vec![name("a.rs"), name("b_1"), name("b_2")], ..Material::default() }
}

/// Expected form: `CLASS EPISODE xN | EDITS` per row.
fn check(stories: &[ReacquisitionStory], expected: &[&str]) {
    let (_, graph, table) = session();
    let told: Vec<String> = rank_blame(&graph, &material(), &table, stories)
        .iter()
        .map(|blame| {
            let of = blame.episode.map_or("-".to_owned(), |of| graph.episode(of).name.to_string());
            let edits: Vec<String> = blame
                .edits
                .iter()
                .map(|edit| match edit {
                    Edit::Link { act, on } => format!("{act}<{on}"),
                    Edit::Describe { of, text } => format!("{of}: {text}"),
                    other => format!("{other:?}"),
                })
                .collect();
            let sizes: u64 =
                blame.stories.iter().map(|at| table.units(stories[*at].reacquisition.again)).sum();
            assert_eq!(sizes, blame.units, "{blame:?}");
            format!("{:?} {of} x{} | {}", blame.class, blame.stories.len(), edits.join(" "))
        })
        .collect();
    assert_eq!(told, expected);
}

#[test]
fn what_can_be_mended_comes_first_and_the_dearest_of_a_class() {
    let (session, graph, table) = session();
    let mut sizes: Vec<usize> = (0..session.blocks.len()).collect();
    sizes.sort_by_key(|at| table.units(BlockIdx::new(*at)));
    let (small, large) = (sizes[sizes.len() / 2], sizes[sizes.len() - 1]);
    assert!(table.units(BlockIdx::new(small)) < table.units(BlockIdx::new(large)));
    let link = |act: usize, on: usize| vec![Edit::Link { act: name(&graph, act), on: name(&graph, on) }];
    check(
        &[
            story(large, 0, 2, ReacquisitionCause::Changed { by: None }, vec![]),
            story(large, 0, 2, ReacquisitionCause::StrippedBefore { turns: 3 }, vec![]),
            story(large, 2, 3, ReacquisitionCause::ReadInAct, vec![]),
            story(small, 0, 2, ReacquisitionCause::Undeclared, link(2, 0)),
            story(large, 0, 3, ReacquisitionCause::Undeclared, link(3, 0)),
        ],
        &[
            "Mendable use-b x1 | use-b<read-a",
            "Mendable use-a x1 | use-a<read-a",
            "Reader use-a x1 | ",
            "NoMark read-a x1 | ",
            "Changed read-a x1 | ",
        ],
    );
}

#[test]
fn one_episode_and_one_cause_are_one_row_with_all_edits() {
    let (_, graph, _) = session();
    let link = |on: usize| vec![Edit::Link { act: name(&graph, 3), on: name(&graph, on) }];
    check(
        &[
            story(1, 0, 3, ReacquisitionCause::Undeclared, link(0)),
            story(2, 1, 3, ReacquisitionCause::Undeclared, link(1)),
            story(3, 0, 3, ReacquisitionCause::Undeclared, link(0)),
        ],
        &["Mendable use-b x3 | use-b<read-a use-b<read-b"],
    );
    let thin = |names: &[u32]| ReacquisitionCause::ThinDescription { names: names.to_vec() };
    let described = vec![Edit::Describe { of: name(&graph, 0), text: "one of them".into() }];
    check(
        &[
            story(1, 0, 3, thin(&[1]), described.clone()),
            story(2, 0, 2, thin(&[1, 2]), described),
            story(3, 0, 3, ReacquisitionCause::StrippedBefore { turns: 1 }, vec![]),
        ],
        &["Mendable read-a x2 | read-a: found a_1 Needed later: b_1, b_2.", "NoMark read-a x1 | "],
    );
}

#[test]
fn nothing_read_again_is_an_empty_list() {
    check(&[], &[]);
}
