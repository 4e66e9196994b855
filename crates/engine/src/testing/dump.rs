//! Dumps: stable text forms of graph, steps and context, for snapshots and test failures.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

use crate::{
    BlockIdx, EpisodeGraph, EpisodeIdx, Fate, GoneReason, GraphTimeline, KeptReason, MessageOrigin, Move,
    RenderedContext, Replay, ReplayInput, Session, Subject, TokenTable, TurnIdx,
};

/// Writes one line per episode: name, kind, life, dependencies, turns, blocks.
pub fn dump_graph(session: &Session, graph: &EpisodeGraph) -> String {
    let mut out = String::new();
    for (_, episode) in graph.episodes() {
        let dependencies = names(graph, episode.dependencies.iter().filter_map(|d| d.on));
        let first = &session.blocks[episode.start.at()].id;
        let closed = episode.closed_turn.map_or(String::from("open"), |turn| alloc::format!("turn {turn}"));
        put(
            &mut out,
            format_args!(
                "{:11} {} [{dependencies}] turn {}..{closed} from {first}, {} blocks{}\n",
                episode.kind.name(),
                episode.name,
                episode.first_turn,
                episode.blocks.len(),
                episode.description.as_ref().map_or(String::new(), |text| alloc::format!(": {text}")),
            ),
        );
    }
    out
}

pub fn dump_steps(input: &ReplayInput<'_>, replay: &Replay) -> String {
    let ReplayInput { session, growth, .. } = *input;
    let mut out = String::new();
    for (at, outcome) in replay.turns.iter().enumerate() {
        if outcome.n_steps == 0 && !outcome.over_budget {
            continue;
        }
        let over = if outcome.over_budget { ", over budget" } else { "" };
        let turn = TurnIdx::from_position(at);
        put(&mut out, format_args!("turn {turn}: {} -> {}{over}\n", outcome.before, outcome.after));
        let pass = replay.steps_of(input, turn);
        for step in pass.steps.iter() {
            let id = |block: &BlockIdx| session.blocks[block.at()].id.to_string();
            let mut blocks: Vec<String> = pass.blocks_of(step).iter().map(id).collect();
            blocks.extend(pass.moves_of(step).iter().map(|one| match one {
                Move::Out(block) => id(block),
                Move::In(block) => alloc::format!("+{}", id(block)),
                Move::Masked(block, _) => alloc::format!("~{}", id(block)),
                Move::Placed(number) => alloc::format!("+summary {number}"),
                Move::Lifted(number) => alloc::format!("-summary {number}"),
                Move::Residue(idx, true) => alloc::format!("+[{}]", growth.graph.episode(*idx).name),
                Move::Residue(idx, false) => alloc::format!("-[{}]", growth.graph.episode(*idx).name),
            }));
            let (subject, action) = (subject(session, &growth.graph, &step.subject), step.action.name());
            let (before, after) = (step.before, step.after);
            put(&mut out, format_args!("  {subject} {action} {before} -> {after}: {}\n", blocks.join(" ")));
        }
    }
    out
}

fn subject(session: &Session, graph: &EpisodeGraph, subject: &Subject) -> String {
    match subject {
        Subject::Episode(idx) => graph.episode(*idx).name.to_string(),
        Subject::Segment { name, .. } => name.as_ref().map_or("(no name)".into(), ToString::to_string),
        Subject::Turn(turn) => alloc::format!("turn {turn}"),
        Subject::Output(block) => session.blocks[block.at()].id.to_string(),
        Subject::Span(from, to) => alloc::format!("turns {from} to {to}"),
    }
}

/// Writes one line per block, ghost and residue of a context, in model order.
pub fn dump_context(
    session: &Session,
    growth: &GraphTimeline,
    table: &TokenTable,
    context: &RenderedContext,
) -> String {
    let mut out = String::new();
    let (turn, step, total) = (context.turn, context.step, context.total);
    put(&mut out, format_args!("turn {turn} step {step}: {total} tokens, {} unlogged\n", context.overhead));
    for message in &context.messages {
        match &message.origin {
            MessageOrigin::Residue { text, .. } => {
                put(&mut out, format_args!("residue {} tokens: {text}\n", message.tokens));
            }
            MessageOrigin::Summary { covers, depth, text, .. } => {
                let (from, to, tokens) = (covers.start, covers.end, message.tokens);
                put(&mut out, format_args!("summary {from}..{to} depth {depth} {tokens} tokens:\n{text}"));
            }
            MessageOrigin::Log(idx) => {
                let row = &session.messages[idx.at()];
                let (entry, class) = (&row.entry, row.class);
                put(&mut out, format_args!("{entry} {class:?} {} tokens\n", message.tokens));
            }
        }
        for item in &message.items {
            let block = &session.blocks[item.block.at()];
            let units = table.units(item.block);
            let fate = fate(session, &growth.graph, &item.fate);
            put(&mut out, format_args!("  {} {} {units} units: {fate}\n", block.id, block.kind.name()));
        }
    }
    out
}

fn fate(session: &Session, graph: &EpisodeGraph, fate: &Fate) -> String {
    match fate {
        Fate::Kept(reason) => match reason {
            KeptReason::Prologue => String::from("kept, prologue"),
            KeptReason::System => String::from("kept, system"),
            KeptReason::Human => String::from("kept, human"),
            KeptReason::NoEpisode => String::from("kept, in no episode"),
            KeptReason::Active => String::from("kept, active"),
            KeptReason::InLoop => "in a loop".to_string(),
            KeptReason::Protected => String::from("kept, protected"),
            KeptReason::LevelOff => String::from("kept, level off"),
            KeptReason::Eligible => String::from("kept, eligible"),
            KeptReason::Pinned => String::from("kept, pinned"),
            KeptReason::Recent => String::from("kept, recent"),
            KeptReason::OutOfReach => String::from("kept, out of reach"),
            KeptReason::BlockedBy(acts) => {
                alloc::format!("kept, blocked by {}", names(graph, acts.iter().copied()))
            }
        },
        Fate::Gone(reason) => alloc::format!("gone, {}", gone(session, graph, reason)),
        Fate::Masked(placeholder, reason) => {
            alloc::format!("\"{}\", {}", placeholder.text(), gone(session, graph, reason))
        }
    }
}

fn gone(session: &Session, graph: &EpisodeGraph, reason: &GoneReason) -> String {
    match reason {
        GoneReason::Evicted { subject: Subject::Episode(_), action, turn, step } => {
            alloc::format!("{} at turn {turn} step {step}", action.name())
        }
        GoneReason::Evicted { subject: of, action, turn, step } => {
            alloc::format!("{} of {} at turn {turn} step {step}", action.name(), subject(session, graph, of))
        }
        GoneReason::ArrivedStripped { level } => alloc::format!("arrived at {}", level.name()),
        GoneReason::Harness { by, cause } => alloc::format!("by {} ({by})", cause.name()),
        GoneReason::Excluded => String::from("never sent"),
    }
}

fn names(graph: &EpisodeGraph, episodes: impl Iterator<Item = EpisodeIdx>) -> String {
    episodes.map(|idx| graph.episode(idx).name.to_string()).collect::<Vec<_>>().join(" ")
}

fn put(out: &mut String, text: core::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    out.write_fmt(text).unwrap_or_default();
}
