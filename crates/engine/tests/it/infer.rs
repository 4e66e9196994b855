//! Inference: episodes of small stories, and properties of all sessions: order, bounds, and stability of
//! final starts.

use crate::common::random::n_cases;
use crate::common::{call, mark, text};
use cwl_engine::testing::{LogBuilder, act, end, expl, tools};
use cwl_engine::*;
use proptest::prelude::*;

fn infer_of(session: &Session) -> Annotation {
    infer_episodes(session, &facts_of(session), Hindsight::WholeAct)
}

fn filled(session: &Session) -> (Vec<Span>, Annotation) {
    let own = spans_of(session, &GraphTimeline::build(session).0, &Annotation::Declared);
    let filled = infer_between(session, &facts_of(session), Hindsight::WholeAct, &own);
    (own, filled)
}

fn facts_of(session: &Session) -> Facts {
    let mut facts = FactsBuilder::new(session);
    for at in 0..session.blocks.len() {
        let block = BlockIdx::new(at);
        let is_human = session.message_of(block).class == MessageClass::User;
        let said = "A new task for you, please: do this and that, and then tell me what became of it.";
        facts.add_block(block, if is_human { said } else { "" }, None);
    }
    facts.finish()
}

/// Builds a story: `h` human message, `w` text of the agent, `r` read, `e` edit; `X` starts an exploration,
/// `A` an act, `.` ends either.
fn story(beats: &str) -> Session {
    let mut log = LogBuilder::new();
    for (at, beat) in beats.chars().enumerate() {
        match beat {
            'h' => drop(log.human("A new task, please: do this and that.")),
            'w' => drop(log.step(&[text(30)], 0)),
            'r' => drop(log.step(&[call(&format!("c{at}"), "read")], 30)),
            'e' => drop(log.step(&[call(&format!("c{at}"), "edit")], 30)),
            'X' => drop(log.step(&[mark(&format!("c{at}"), expl(&format!("own{at}")))], 0)),
            'A' => drop(log.step(&[mark(&format!("c{at}"), act(&format!("own{at}"), &[]))], 0)),
            '.' => drop(log.step(&[mark(&format!("c{at}"), end("found"))], 0)),
            other => panic!("{other} is no beat"),
        }
    }
    Session::build(&log.log, None, History::AsRecorded, &tools()).0
}

/// Expected form: kinds of episodes, with `+` for an open one.
fn check(beats: &str, expected: &str) {
    let session = story(beats);
    let annotation = infer_of(&session);
    assert_eq!(annotation.source(), AnnotationSource::Inferred);
    let (growth, problems) = GraphTimeline::build_annotated(&session, &annotation);
    assert_eq!(problems, [], "only the agent breaks rules");
    let of = |(_, episode): (EpisodeIdx, &Episode)| {
        format!("{}{}", episode.kind.name(), if episode.is_open() { "+" } else { "" })
    };
    let found: Vec<String> =
        growth.graph.episodes().filter(|(_, e)| e.kind != EpisodeKind::Unannotated).map(of).collect();
    assert_eq!(found.join(" "), expected, "{beats}");
}

#[test]
fn stories() {
    check("", "");
    check("h", "");
    // Text alone is no episode.
    check("hw", "");
    check("hwhwhw", "");
    // Reads, edits, a report; then the human gives another task.
    check("hrrrrrreeeew", "expl act");
    check("hrrrrrreeeewhrrrrrreeeew", "expl act expl act");
    // The last episode is open.
    check("hrrrrrreee", "expl act+");
}

fn check_ends(beats: &str, expected: &[usize]) {
    let session = story(beats);
    let annotation = infer_of(&session);
    let begins = |turn: &Turn| Some(session.blocks_of(turn.message?).next()?.0);
    let turn_of = |block: BlockIdx| {
        let before = session.turns.iter().filter(|turn| begins(turn).is_some_and(|first| first <= block));
        before.count()
    };
    let found: Vec<usize> =
        annotation.spans().unwrap_or_default().iter().filter_map(|span| span.last.map(turn_of)).collect();
    assert_eq!(found, expected, "{beats}");
}

#[test]
fn a_report_belongs_to_the_episode_that_it_ends() {
    // Ten turns of work, then the report.
    check_ends("hrrrrrreeeew", &[6, 11]);
    check_ends("hrrrrrreeeeww", &[6, 12]);
    // Words that answer the human belong to none.
    check_ends("hrrrrrreeeewhw", &[6, 11]);
    check_ends("hrrrrrreeeehw", &[6, 10]);
}

#[test]
fn an_act_draws_on_the_reading_before_it() {
    let session = story("hrrrrrreeeew");
    let (growth, _) = GraphTimeline::build_annotated(&session, &infer_of(&session));
    let edges: Vec<(usize, usize)> =
        growth.graph.explicit_edges().map(|(from, to)| (from.at(), to.at())).collect();
    assert_eq!(edges, [(0, 1)]);
    let evidence = growth.graph.episode(EpisodeIdx::new(1)).evidence.clone().unwrap();
    assert!((400..=900).contains(&evidence.confidence));
}

/// Expected form: kinds of episodes, with the agent's own in capitals.
fn check_filled(beats: &str, expected: &str) {
    let session = story(beats);
    let (growth, _) = GraphTimeline::build_annotated(&session, &filled(&session).1);
    assert_eq!(growth.source, AnnotationSource::Filled);
    let of = |(_, episode): (EpisodeIdx, &Episode)| match growth.source_of(episode) {
        AnnotationSource::Declared => episode.kind.name().to_uppercase(),
        AnnotationSource::Inferred => episode.kind.name().to_owned(),
        other => panic!("{other:?}"),
    };
    let found: Vec<String> =
        growth.graph.episodes().filter(|(_, e)| e.kind != EpisodeKind::Unannotated).map(of).collect();
    assert_eq!(found.join(" "), expected, "{beats}");
}

#[test]
fn stretches_between_the_agents_own_episodes_are_filled() {
    check_filled("hXrrr.Aeee.", "EXPL ACT");
    check_filled("hXrrr.hrrrrrreeeewhAeee.", "EXPL expl act ACT");
    check_filled("hrrrrrreeeewhXrrr.", "expl act EXPL");
    // An open episode of the agent's leaves nothing to infer, even if it looks like two.
    check_filled("hXrrrrrreeeewhrrrrrreeeew", "EXPL");
    check_filled("hrrrrrreeeew", "expl act");
}

prop_compose! {
    fn turn()(
        effects in 0u16..2048,
        cues in 0u16..8192,
        human in prop::option::weighted(0.1, (1u32..500, any::<bool>(), any::<bool>())),
        text_bytes in prop::sample::select(vec![0u32, 0, 40, 200, 600]),
        flags in 0u8..64,
        tasks in (0u8..2, 0u8..2, 0u8..2),
        names in prop::collection::vec(1u32..40, 0..6),
    ) -> TurnFacts {
        let effects = if flags & 1 != 0 { Effects(effects & (effects >> 3)) } else { Effects(effects) };
        let mut names = names;
        names.sort_unstable();
        names.dedup();
        let files: Vec<FileFact> = names.iter().map(|name| FileFact { name: *name, folder: name % 5 }).collect();
        TurnFacts {
            effects,
            n_calls: u16::from(effects != Effects::default()),
            n_looks: u16::from(effects.contains(Effect::Look)),
            failed: flags & 2 != 0,
            text_bytes,
            cues: Cues(cues),
            human: human.map(|(n_bytes, approves, asks)| HumanFacts { n_bytes, approves, asks }),
            compacted: flags & 60 == 60,
            tasks_created: tasks.0,
            tasks_started: tasks.1,
            tasks_done: tasks.2,
            edited: if effects.contains(Effect::Edit) { files.clone() } else { Vec::new() },
            read: if effects.contains(Effect::Look) { files.clone() } else { Vec::new() },
            files,
            words: names.clone(),
            used: names.clone(),
            held: names,
            ..TurnFacts::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases() / 20))]

    #[test]
    fn segments_cover_all_turns_in_order(turns in prop::collection::vec(turn(), 0..160)) {
        let segments = divide_weighted(&turns, &WEIGHTS);
        let mut at = 0;
        for segment in &segments {
            prop_assert_eq!(segment.first, at);
            prop_assert!(segment.end > segment.first && segment.end - segment.first <= 90);
            at = segment.end;
        }
        prop_assert_eq!(at, turns.len());
        prop_assert!(segments.windows(2).all(|pair| pair[0].label != 0 || pair[1].label != 0));
        for (from, to) in edges_between(&turns, &segments, Hindsight::WholeAct, &WEIGHTS) {
            prop_assert!(from < to && segments[from].label == 1 && segments[to].label == 2);
        }
    }

    #[test]
    fn filling_leaves_the_agents_own_episodes_alone(beats in "h[hwreXA.]{0,40}") {
        let session = story(&beats);
        let (own, filled) = filled(&session);
        let spans = filled.spans().unwrap_or_default();
        let kept: Vec<Span> = spans.iter().filter(|span| span.evidence.is_none()).cloned().collect();
        prop_assert_eq!(kept, own);
        prop_assert!(spans.windows(2).all(|pair| pair[0].last.is_some_and(|last| last < pair[1].first)));
    }

    #[test]
    fn settled_segments_stay(turns in prop::collection::vec(turn(), 1..160), at in 0usize..160) {
        let plain = |segments: &[LabeledSegment]| -> Vec<(usize, usize, usize)> {
            segments.iter().map(|segment| (segment.first, segment.end, segment.label)).collect()
        };
        // At every eighth turn, everything six turns back is final.
        let known = at.min(turns.len()) / 8 * 8;
        let then = divide_weighted(&turns[..known], &WEIGHTS);
        let n_settled = then.iter().rposition(|segment| segment.first + 6 <= known).unwrap_or(0);
        let settled = plain(&then[..n_settled]);
        for end in known..=turns.len() {
            let now = plain(&divide_weighted(&turns[..end], &WEIGHTS));
            prop_assert_eq!(&now[..n_settled.min(now.len())], &settled[..]);
        }
    }
}

#[test]
fn a_stretch_is_told_by_how_much_of_it_is_work() {
    // `r` looks, `e` edits, `c` checks, `d` asks a subagent to look, `D` asks one to write; `.` has no call.
    let check = |turns: &str, expected: usize| {
        let facts: Vec<TurnFacts> = turns
            .chars()
            .map(|turn| TurnFacts {
                effects: match turn {
                    'r' => Effects::single(Effect::Look),
                    'e' => Effects::single(Effect::Edit),
                    'c' => Effects::single(Effect::Check),
                    'd' | 'D' => Effects::single(Effect::Delegate),
                    _ => Effects::default(),
                },
                delegates_writing: turn == 'D',
                ..TurnFacts::default()
            })
            .collect();
        assert_eq!(contents_of(&facts).content_kind(0, facts.len()), expected, "{turns}");
    };
    check("..", 0);
    check("rr.", 1);
    check("rrc", 2);
    check("rrre", 3);
    check("rre", 4);
    check("rrrrrree", 5);
    check("rree", 6);
    // Turns that wait for a writing subagent are work; for a looking one, they are not.
    check("ddd", 1);
    check("Ddd", 6);
    check("D.d", 6);
    check("Drd", 4);
}
