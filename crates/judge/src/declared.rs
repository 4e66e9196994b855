//! Boundaries declared by agents, hidden from the features during evaluation.

use std::path::{Path, PathBuf};

use cwl_engine::{
    BlockIdx, BlockKind, Effect, EpisodeKind, FactsBuilder, GraphTimeline, History, Session, ToolClass,
    TurnFacts, WEIGHTS, Weights, divide_weighted, turn_facts,
};

use crate::fit::MarkedSession;
use crate::marks::Episode;
use crate::numbers::{Read, read_log};
use crate::score::{Score, score};

fn without_tasks(facts: &[TurnFacts]) -> Vec<TurnFacts> {
    let mut facts = facts.to_vec();
    for turn in &mut facts {
        (turn.tasks_created, turn.tasks_started, turn.tasks_done) = (0, 0, 0);
        turn.effects.0 &= !(1 << Effect::Tasks as u16);
    }
    facts
}

/// Counts turns in which an agent begins an item of its task list, and those with an inferred start at most
/// one turn away while the list is hidden.
pub(crate) fn tasks_found(session: &MarkedSession, weights: &Weights) -> (usize, usize) {
    let begun: Vec<usize> =
        (0..session.facts.len()).filter(|at| session.facts[*at].tasks_started > 0).collect();
    let segments = divide_weighted(&without_tasks(&session.facts), weights);
    let is_start =
        |at: &&usize| segments.iter().any(|segment| segment.label != 0 && segment.first.abs_diff(**at) <= 1);
    (begun.len(), begun.iter().filter(is_start).count())
}

pub(crate) fn samples(folder: &Path) -> anyhow::Result<Vec<(String, Score)>> {
    let mut found = Vec::new();
    for path in logs_below(folder)? {
        let bytes = std::fs::read(&path)?;
        let Ok(format) = cwl_formats::detect_format(&bytes) else { continue };
        let read = read_log(&path, format.name(), History::Full)?;
        let gold = declared(&read.session);
        let turns: Vec<(u64, u64)> = lines_of(&read).into_iter().collect();
        if gold.len() < 4 || turns.len() < 12 {
            continue;
        }
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        found.push((name, score(&turns, &gold, &inferred(&read))));
    }
    Ok(found)
}

fn logs_below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.ends_with("expected") {
            found.extend(logs_below(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn declared(session: &Session) -> Vec<Episode> {
    let (growth, _) = GraphTimeline::build(session);
    let own = growth.graph.episodes().filter(|(_, episode)| episode.kind != EpisodeKind::Unannotated);
    own.map(|(idx, episode)| Episode {
        name: episode.name.to_string(),
        kind: episode.kind.name().to_owned(),
        first: session.message_of(episode.start).line,
        last: episode.blocks.last().map_or(0, |block| session.message_of(*block).line),
        dependencies: growth
            .graph
            .dependencies(idx)
            .iter()
            .map(|on| growth.graph.episode(*on).name.to_string())
            .collect(),
    })
    .collect()
}

fn hidden(read: &Read) -> Vec<(TurnFacts, u64, u64)> {
    let mut facts = FactsBuilder::new(&read.session);
    for (at, text) in read.texts.iter().enumerate() {
        let row = &read.session.blocks[at];
        if row.class == Some(ToolClass::Delimiter) {
            continue;
        }
        let reading = match &row.kind {
            BlockKind::Call(call) => Some(cwl_formats::read_call(&call.name, text)),
            _ => None,
        };
        facts.add_block(BlockIdx::new(at), text, reading.as_ref());
    }
    turn_facts(&read.session, &facts.finish())
}

fn lines_of(read: &Read) -> Vec<(u64, u64)> {
    hidden(read).into_iter().map(|(_, first, last)| (first, last)).collect()
}

fn inferred(read: &Read) -> Vec<Episode> {
    let turns = hidden(read);
    let facts: Vec<TurnFacts> = turns.iter().map(|(facts, _, _)| facts.clone()).collect();
    divide_weighted(&facts, &WEIGHTS)
        .iter()
        .filter(|segment| segment.label != 0)
        .enumerate()
        .map(|(at, segment)| Episode {
            name: at.to_string(),
            kind: if segment.label == 2 { "act" } else { "expl" }.to_owned(),
            first: turns[segment.first].1,
            last: turns[segment.end - 1].2,
            dependencies: Vec::new(),
        })
        .collect()
}
