//! One episode at a cut: why it is there or gone, what it needs and what it feeds.

use std::collections::BTreeMap;

use cwl_engine::{
    BlockIdx, BlockKind, EpisodeIdx, EpisodeKind, Life, Memory, Presence, StateAt, ToolClass, TurnIdx, Waits,
    eligibility_among,
};

use crate::ApiError;
use crate::commands::session::problems;
use crate::dto::{EpisodeAlwaysDto, EpisodeAtCutDto, EpisodeDetailDto, EpisodeRequest, LevelDto, NeedDto};
use crate::figures::small;
use crate::measure::branch::Branch;
use crate::measure::opened::Opened;
use crate::measure::run::Run;
use crate::present::sentence::{self, Left};

/// Returns one episode at a cut.
pub fn episode(opened: &Opened, request: &EpisodeRequest) -> Result<EpisodeDetailDto, ApiError> {
    let (run, moment) = opened.at(&request.view, request.cut)?;
    let branch = &*run.branch;
    let idx = Opened::episode(branch, request.episode)?;
    let episode = branch.growth.graph.get(idx);
    let problems = problems(opened, branch).into_iter();
    Ok(EpisodeDetailDto {
        episode: request.episode,
        name: episode.name.to_string(),
        kind: episode.kind.into(),
        first_turn: episode.first_turn.number(),
        problems: problems.filter(|problem| problem.episode == Some(request.episode)).collect(),
        always: always(branch, idx),
        at_cut: at_cut(&run, &Waits::new(&branch.growth, &moment.state), moment.is_met(&run), idx),
        frees: frees(&run, &moment.state, idx),
        history: history(&run, &moment.state.cut, idx),
    })
}

fn place(idx: EpisodeIdx) -> u32 {
    small(idx.at())
}

fn places(episodes: &[EpisodeIdx]) -> Vec<u32> {
    episodes.iter().copied().map(place).collect()
}

/// Returns the closed episodes that nothing would draw on any more at a cut if an episode went.
fn frees(run: &Run, state: &StateAt, idx: EpisodeIdx) -> Vec<u32> {
    let is_gone = |one: EpisodeIdx| {
        state.levels[one.at()] == 4 || !matches!(state.lives[one.at()], Life::Open | Life::Closed)
    };
    if is_gone(idx) || !run.goes_by_graph() {
        return Vec::new();
    }
    let mut freed = run.branch.growth.graph.frees(idx, is_gone);
    freed.retain(|one| state.lives[one.at()] == Life::Closed);
    places(&freed)
}

/// Tells what is true of an episode at any cut.
pub(crate) fn always(branch: &Branch, idx: EpisodeIdx) -> EpisodeAlwaysDto {
    let graph = &branch.growth.graph;
    let episode = graph.get(idx);
    let needs = episode.dependencies.iter().map(|dependency| NeedDto {
        declared: dependency.declared.to_string(),
        episode: dependency.on.map(place),
    });
    EpisodeAlwaysDto {
        description: episode.description.as_deref().map(str::to_owned),
        needs: needs.collect(),
        feeds: places(&graph.dependents(idx)),
        n_implicit: small(graph.implicit_dependents(idx).count()),
        ancestors: places(&graph.ancestors(idx)),
        longest_chain: places(&graph.longest_chain(idx)),
        closed_turn: episode.closed_turn.map(TurnIdx::number),
        blocks: episode.blocks.iter().map(|block| branch.session.blocks[block.at()].id.to_string()).collect(),
    }
}

/// Tells what is true of an episode at a cut, of its state and of whether the budget is met there.
pub(crate) fn at_cut(run: &Run, waits: &Waits<'_>, is_met: bool, idx: EpisodeIdx) -> EpisodeAtCutDto {
    let branch = &*run.branch;
    let state = waits.state();
    let episode = branch.growth.graph.get(idx);
    let level = state.levels[idx.at()];
    let has_residue = state.residues.contains(&idx);
    let emptied = level == 4
        && episode.blocks.iter().any(|block| matches!(state.presence(*block), Presence::Dropped(_)));
    let has_begun = matches!(state.lives[idx.at()], Life::Open | Life::Closed);
    let (by_kind, units, kept_units) = by_kind(run, state, &episode.blocks, idx, has_residue);
    let residue = if has_residue { run.table().residue(idx) } else { 0 };
    EpisodeAtCutDto {
        life: state.lives[idx.at()].into(),
        level,
        level_name: LevelDto::of(level),
        why: if run.goes_by_graph() {
            let eligibility = eligibility_among(&branch.session, &run.replay.options, waits, idx);
            sentence::episode(branch, idx, level, emptied, &eligibility, is_met)
        } else {
            let left = match level {
                _ if !has_begun => Left::NotBegun,
                4 if emptied => Left::Emptied,
                4 if has_residue => Left::Description,
                level => Left::Level(level),
            };
            sentence::episode_left(branch, idx, &left)
        },
        tokens: run.table().tokens(units),
        kept_tokens: run.table().tokens(kept_units).saturating_add(residue),
        by_kind,
        blocked_by: match episode.kind {
            EpisodeKind::Action => Vec::new(),
            _ if level == 4 || !run.goes_by_graph() => Vec::new(),
            _ => places(&waits.of(idx)),
        },
    }
}

/// Returns what the model receives of a block: all of it, or the placeholder in its place; units.
pub(crate) fn kept_units(run: &Run, state: &StateAt, block: BlockIdx) -> u64 {
    match state.presence(block) {
        Presence::Live => run.table().units(block),
        Presence::Masked(_, placeholder) => run.table().placeholder(placeholder),
        Presence::Absent | Presence::Evicted(_) | Presence::ArrivedStripped(_) | Presence::Dropped(_) => 0,
    }
}

type ByKind = Vec<(String, u64, u64)>;

/// Adds up an episode by what its blocks are; also its units in all and those that are kept.
fn by_kind(
    run: &Run,
    state: &StateAt,
    blocks: &[BlockIdx],
    idx: EpisodeIdx,
    has_residue: bool,
) -> (ByKind, u64, u64) {
    let mut sums: BTreeMap<&'static str, (u64, u64)> = BTreeMap::new();
    let (mut all, mut kept) = (0, 0);
    for &block in blocks {
        let units = run.table().units(block);
        let kept_units = kept_units(run, state, block);
        let sum = sums.entry(content_name(run, block)).or_default();
        sum.0 += units;
        sum.1 += kept_units;
        all += units;
        kept += kept_units;
    }
    let tokens = |units| run.table().tokens(units);
    let mut list: ByKind =
        sums.into_iter().map(|(name, (all, kept))| (name.to_owned(), tokens(all), tokens(kept))).collect();
    list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    if has_residue {
        list.push(("description".to_owned(), 0, run.table().residue(idx)));
    }
    (list, all, kept)
}

/// Returns what a block is for the levels: the class of its tool, else its kind.
fn content_name(run: &Run, block: BlockIdx) -> &'static str {
    let row = &run.branch.session.blocks[block.at()];
    match (&row.kind, row.class) {
        (BlockKind::Reasoning, _) if run.is_derived(block) => "reasoning (derived)",
        (BlockKind::Call(_) | BlockKind::Result(_), Some(class)) => match class {
            ToolClass::Shell if row.shell_search && run.replay.options.classify_shell => "search",
            ToolClass::Other => "other tools",
            class => class.into(),
        },
        (kind, _) => kind.name(),
    }
}

/// Lists the steps that touched an episode up to a cut.
fn history(run: &Run, cut: &cwl_engine::Cut, idx: EpisodeIdx) -> Vec<(u32, u32, String, u64)> {
    let first = match run.replay.policy.memory {
        Memory::Carried => TurnIdx::FIRST,
        Memory::PerTurn(_) => cut.turn,
    };
    let mut touched = Vec::new();
    for turn in (first.number()..=cut.turn.number()).map(TurnIdx::new) {
        if run.replay.turn(turn).n_steps == 0 {
            continue;
        }
        let pass = run.pass(turn);
        let n_taken = if turn == cut.turn { cut.step } else { pass.steps.len() };
        let taken = pass.steps.iter().take(n_taken).enumerate();
        for (nth, step) in taken.filter(|(_, step)| step.episode() == Some(idx)) {
            let previous = nth.checked_sub(1).map(|before| &pass.steps[before]);
            let sentence = sentence::step(&run.branch, &run.replay, &pass, step, previous);
            touched.push((turn.number(), small(nth + 1), sentence, step.before));
        }
    }
    touched
}
