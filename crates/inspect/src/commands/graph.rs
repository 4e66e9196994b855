//! The episode graph with human turns, ready for drawing in lanes.

use std::collections::BTreeMap;

use cwl_engine::{
    BlockIdx, BlockKind, BlockPlace, Diagnostic, Episode, EpisodeGraph, EpisodeIdx, EpisodeKind,
    EvictionLevel, MessageClass, MessageForm, MessageIdx, PolicyOptions, ResidueOption, Role,
};

use crate::ApiError;
use crate::api::{AnnotationOrigin, EpisodeNode, GraphAnswer, HumanTurnRow, ViewRequest, ViewSettings};
use crate::asked::view::{BranchKey, ViewSelection};
use crate::figures::saturate_u32;
use crate::measure::branch::Branch;
use crate::measure::diagnostics::find_logged_problems;
use crate::measure::opened::SessionSnapshot;
use crate::measure::sizes::BranchSizes;
use crate::present::annotation;

/// Returns the episode graph, which does not depend on the budget.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn graph(opened: &SessionSnapshot, request: &ViewRequest) -> Result<GraphAnswer, ApiError> {
    let chosen = opened.parse_view(&request.view)?;
    let branch = opened.branch(&chosen.branch)?;
    let sizes = opened.sizes(&chosen.branch, chosen.unit)?;
    graph_of(opened, &chosen, &branch, &sizes)
}

/// Says where a view's episodes come from.
///
/// # Errors
/// If `view` is invalid, or the log's texts or the marks cannot be read.
pub fn episodes_from(opened: &SessionSnapshot, view: &ViewSettings) -> Result<AnnotationOrigin, ApiError> {
    let chosen = opened.parse_view(view)?;
    annotation::episodes_from(opened, &chosen, &*opened.branch(&chosen.branch)?)
}

pub(crate) fn graph_of(
    opened: &SessionSnapshot,
    chosen: &ViewSelection,
    branch: &Branch,
    sizes: &BranchSizes,
) -> Result<GraphAnswer, ApiError> {
    let own = find_logged_problems(opened, branch);
    let listed = if chosen.branch == BranchKey::CURRENT {
        own.clone()
    } else {
        find_logged_problems(opened, &opened.current_branch())
    };
    let graph = &branch.growth.graph;
    let mut problems = places_by_episode(&own, &listed, graph.episodes().count());
    let now = branch.session.last_turn();
    let episodes: Vec<EpisodeNode> = graph
        .episodes()
        .map(|(idx, episode)| {
            let kept_at = kept_at(branch, sizes, &chosen.options, idx);
            EpisodeNode {
                name: episode.name.to_string(),
                kind: episode.kind,
                open: episode.is_open(),
                first_turn: episode.first_turn.number(),
                last_turn: episode.closed_turn.unwrap_or(now).number(),
                tokens: kept_at[0],
                kept_at,
                problems: std::mem::take(&mut problems[idx.at()]),
                line: opened.line_of(&branch.session, episode.start),
                last_line: last_line(opened, branch, episode),
                source: branch.growth.source_of(episode),
                confidence: episode.evidence.as_ref().map(|found| f64::from(found.confidence) / 1000.0),
                evidence: episode.evidence.as_deref().map(annotation::describe_evidence),
            }
        })
        .collect();
    let place = |idx: EpisodeIdx| saturate_u32(idx.at());
    let mut edges: Vec<(u32, u32)> =
        graph.explicit_edges().map(|(from, to)| (place(from), place(to))).collect();
    edges.sort_unstable();
    Ok(GraphAnswer {
        revision: opened.revision(),
        from: annotation::episodes_from(opened, chosen, branch)?,
        n_turns: now.number(),
        prologue_ends: episodes.iter().map(|episode| episode.first_turn).min(),
        episodes,
        edges,
        implicit: implicit_stretches(graph),
        human_turns: human_turns(opened, branch)?,
    })
}

fn last_line(opened: &SessionSnapshot, branch: &Branch, episode: &Episode) -> u64 {
    // A replacement by the harness stands far behind the block it replaces.
    let is_own = |block: &&BlockIdx| branch.session.blocks[block.at()].stands_for.is_none();
    let own = episode.blocks.iter().filter(is_own).chain([&episode.start]);
    own.map(|block| opened.line_of(&branch.session, *block)).max().unwrap_or(0)
}

fn implicit_stretches(graph: &EpisodeGraph) -> Vec<(u32, u32, u32)> {
    let place = |idx: EpisodeIdx| saturate_u32(idx.at());
    let of_kind = |kind| graph.episodes().filter(move |(_, episode)| episode.kind == kind);
    // All acts that start after a stretch depend on it; acts are in start order.
    let acts: Vec<_> = of_kind(EpisodeKind::Action).map(|(idx, act)| (act.start, idx)).collect();
    let of_stretch = |(idx, stretch): (EpisodeIdx, &Episode)| {
        let (_, first) = acts.get(acts.partition_point(|(start, _)| *start <= stretch.start))?;
        let (_, last) = acts.last()?;
        Some((place(idx), place(*first), place(*last)))
    };
    of_kind(EpisodeKind::Unannotated).filter_map(of_stretch).collect()
}

fn places_by_episode(own: &[Diagnostic], listed: &[Diagnostic], n_episodes: usize) -> Vec<Vec<u32>> {
    // Equal problems share the first one's place.
    let mut place_of = BTreeMap::new();
    for (place, problem) in (0u32..).zip(listed) {
        place_of.entry((&problem.place, &problem.kind)).or_insert(place);
    }
    let mut places = vec![Vec::new(); n_episodes];
    for problem in own {
        let of_episode = problem.episode.and_then(|episode| places.get_mut(episode.at()));
        if let (Some(of_episode), Some(place)) = (of_episode, place_of.get(&(&problem.place, &problem.kind)))
        {
            of_episode.push(*place);
        }
    }
    places
}

/// An episode's remaining tokens at levels 0 to 4, including its residue.
pub fn kept_at(branch: &Branch, sizes: &BranchSizes, options: &PolicyOptions, idx: EpisodeIdx) -> [u64; 5] {
    let episode = branch.growth.graph.episode(idx);
    let mut units = [0u64; 5];
    for &block in &episode.blocks {
        let row = &branch.session.blocks[block.at()];
        let level = EvictionLevel::of_block(row, options.classify_shell);
        let applies = level.applies_to(episode.kind) && options.is_on(level);
        let taken_at = if applies { usize::from(level.number()) } else { 4 };
        for left in &mut units[..taken_at] {
            *left += sizes.table.units(block);
        }
    }
    let mut tokens = units.map(|units| sizes.table.tokens_from_units(units));
    if options.residue == ResidueOption::Description && episode.residue_text().is_some() {
        tokens[4] += sizes.table.residue_tokens(idx);
    }
    tokens
}

fn human_turns(opened: &SessionSnapshot, branch: &Branch) -> Result<Vec<HumanTurnRow>, ApiError> {
    let session = &branch.session;
    let spoken: Vec<(MessageIdx, Option<BlockPlace>)> = session
        .messages
        .iter()
        .enumerate()
        .filter(|(_, message)| {
            // A compaction repeats the human's messages.
            !message.added
                && message.class == MessageClass::User
                && message.role == Role::User
                && message.form == MessageForm::Plain
        })
        .map(|(at, _)| {
            let message = MessageIdx::new(at);
            let text = session.blocks_of(message).find(|(_, block)| block.kind == BlockKind::Text);
            (message, text.map(|(block, _)| SessionSnapshot::place_of(session, block)))
        })
        .collect();
    let places: Vec<BlockPlace> = spoken.iter().filter_map(|(_, place)| *place).collect();
    let mut openings = opened.openings_of_blocks(&places)?.into_iter();
    Ok(spoken
        .into_iter()
        .map(|(message, place)| HumanTurnRow {
            turn: session.turn_after(message).number(),
            entry: session.messages[message.at()].entry.to_string(),
            text: place.and_then(|_| openings.next()).unwrap_or_default(),
        })
        .collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::testing::load_file;

    #[test]
    fn implicit_edges_are_those_of_the_graph() {
        let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/pi/long/input.jsonl");
        let opened = load_file(&log).unwrap();
        let request = ViewRequest { view: ViewSettings::counted("o200k") };
        let told = graph(&opened, &request).unwrap();
        let branch = opened.current_branch();
        let edges = branch.growth.graph.episodes().flat_map(|(stretch, _)| {
            let acts: Vec<EpisodeIdx> = branch.growth.graph.implicit_dependents(stretch).collect();
            acts.into_iter().map(move |act| (stretch.at(), act.at()))
        });
        let between = told.implicit.iter().flat_map(|(stretch, first, last)| {
            let acts = (*first..=*last).filter(|at| told.episodes[*at as usize].kind.name() == "act");
            acts.map(|act| (*stretch as usize, act as usize))
        });
        let mut edges: Vec<_> = edges.collect();
        edges.sort_unstable();
        assert!(!edges.is_empty());
        assert_eq!(between.collect::<Vec<_>>(), edges);
    }
}
