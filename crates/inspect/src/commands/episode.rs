//! One episode at a cut: why it is present or gone, its dependencies and its dependents.

use std::collections::BTreeMap;

use cwl_engine::{
    BlockIdx, BlockKind, EpisodeIdx, EpisodeKind, Life, Memory, Presence, StateAt, ToolClass, TurnIdx, Waits,
    eligibility_among,
};

use crate::ApiError;
use crate::api::{DeclaredNeed, EpisodeAnswer, EpisodeAtAnyCut, EpisodeAtCut, EpisodeRequest, LevelName};
use crate::figures::saturate_u32;
use crate::measure::branch::Branch;
use crate::measure::diagnostics::find_logged_problems;
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::present::diagnostic::problem_row;
use crate::present::sentence::{self, EpisodeRemainder};

/// Returns one episode at a cut.
///
/// # Errors
/// If `request.view` is invalid, there is no such episode, or the log's texts cannot be read.
pub fn episode(opened: &SessionSnapshot, request: &EpisodeRequest) -> Result<EpisodeAnswer, ApiError> {
    let (run, moment) = opened.replay_to_cut(&request.view, request.cut)?;
    let branch = &*run.branch;
    let idx = SessionSnapshot::find_episode(branch, request.episode)?;
    let episode = branch.growth.graph.episode(idx);
    let problems = find_logged_problems(opened, branch);
    let own_problems = problems.iter().filter(|problem| problem.episode == Some(idx));
    Ok(EpisodeAnswer {
        episode: request.episode,
        name: episode.name.to_string(),
        kind: episode.kind,
        first_turn: episode.first_turn.number(),
        problems: own_problems.map(problem_row).collect(),
        always: always_true(branch, idx),
        at_cut: at_cut(&run, &Waits::new(&branch.growth, &moment.state), moment.is_met(&run), idx),
        frees: freed_episodes(&run, &moment.state, idx),
        history: step_history(&run, &moment.state.cut, idx),
    })
}

fn place_number(idx: EpisodeIdx) -> u32 {
    saturate_u32(idx.at())
}

fn place_numbers(episodes: &[EpisodeIdx]) -> Vec<u32> {
    episodes.iter().copied().map(place_number).collect()
}

fn freed_episodes(run: &ReplayRun, state: &StateAt, idx: EpisodeIdx) -> Vec<u32> {
    let is_gone = |one: EpisodeIdx| {
        state.levels[one.at()] == 4 || !matches!(state.lives[one.at()], Life::Open | Life::Closed)
    };
    if is_gone(idx) || !run.goes_by_graph() {
        return Vec::new();
    }
    let mut freed = run.branch.growth.graph.freed_by(idx, is_gone);
    freed.retain(|one| state.lives[one.at()] == Life::Closed);
    place_numbers(&freed)
}

fn always_true(branch: &Branch, idx: EpisodeIdx) -> EpisodeAtAnyCut {
    let graph = &branch.growth.graph;
    let episode = graph.episode(idx);
    let needs = episode.dependencies.iter().map(|dependency| DeclaredNeed {
        declared: dependency.declared.to_string(),
        episode: dependency.on.map(place_number),
    });
    EpisodeAtAnyCut {
        description: episode.description.as_deref().map(str::to_owned),
        needs: needs.collect(),
        feeds: place_numbers(&graph.dependents(idx)),
        n_implicit: saturate_u32(graph.implicit_dependents(idx).count()),
        ancestors: place_numbers(&graph.ancestors(idx)),
        longest_chain: place_numbers(&graph.longest_chain(idx)),
        closed_turn: episode.closed_turn.map(TurnIdx::number),
        blocks: episode.blocks.iter().map(|block| branch.session.blocks[block.at()].id.to_string()).collect(),
    }
}

/// `is_met` says whether the budget is met at the cut.
fn at_cut(run: &ReplayRun, waits: &Waits<'_>, is_met: bool, idx: EpisodeIdx) -> EpisodeAtCut {
    let branch = &*run.branch;
    let state = waits.state();
    let episode = branch.growth.graph.episode(idx);
    let level = state.levels[idx.at()];
    let has_residue = state.residues.contains(&idx);
    let emptied = level == 4
        && episode.blocks.iter().any(|block| matches!(state.presence(*block), Presence::Dropped(_)));
    let has_begun = matches!(state.lives[idx.at()], Life::Open | Life::Closed);
    let (by_kind, units, kept_units) = by_kind(run, state, &episode.blocks, idx, has_residue);
    let residue = if has_residue { run.policy_table().residue_tokens(idx) } else { 0 };
    EpisodeAtCut {
        life: state.lives[idx.at()].into(),
        level,
        level_name: LevelName::from_level(level),
        why: if run.goes_by_graph() {
            let eligibility = eligibility_among(&branch.session, &run.replay.options, waits, idx);
            sentence::describe_episode(branch, idx, level, emptied, &eligibility, is_met)
        } else {
            let left = match level {
                _ if !has_begun => EpisodeRemainder::NotBegun,
                4 if emptied => EpisodeRemainder::Emptied,
                4 if has_residue => EpisodeRemainder::Description,
                level => EpisodeRemainder::Level(level),
            };
            sentence::episode_left(branch, idx, &left)
        },
        tokens: run.policy_table().tokens_from_units(units),
        kept_tokens: run.policy_table().tokens_from_units(kept_units).saturating_add(residue),
        by_kind,
        blocked_by: match episode.kind {
            EpisodeKind::Action => Vec::new(),
            _ if level == 4 || !run.goes_by_graph() => Vec::new(),
            _ => place_numbers(&waits.waiting_acts(idx)),
        },
    }
}

pub(crate) fn kept_units(run: &ReplayRun, state: &StateAt, block: BlockIdx) -> u64 {
    match state.presence(block) {
        Presence::Live => run.policy_table().units(block),
        Presence::Masked(_, placeholder) => run.policy_table().placeholder_units(placeholder),
        Presence::Absent | Presence::Evicted(_) | Presence::ArrivedStripped(_) | Presence::Dropped(_) => 0,
    }
}

type ByKind = Vec<(String, u64, u64)>;

/// Sums up an episode by content kind. Also returns its total units and its remaining units.
fn by_kind(
    run: &ReplayRun,
    state: &StateAt,
    blocks: &[BlockIdx],
    idx: EpisodeIdx,
    has_residue: bool,
) -> (ByKind, u64, u64) {
    let mut sums: BTreeMap<&'static str, (u64, u64)> = BTreeMap::new();
    let (mut all, mut kept) = (0, 0);
    for &block in blocks {
        let units = run.policy_table().units(block);
        let kept_units = kept_units(run, state, block);
        let sum = sums.entry(content_name(run, block)).or_default();
        sum.0 += units;
        sum.1 += kept_units;
        all += units;
        kept += kept_units;
    }
    let tokens = |units| run.policy_table().tokens_from_units(units);
    let mut list: ByKind =
        sums.into_iter().map(|(name, (all, kept))| (name.to_owned(), tokens(all), tokens(kept))).collect();
    list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    if has_residue {
        list.push(("description".to_owned(), 0, run.policy_table().residue_tokens(idx)));
    }
    (list, all, kept)
}

fn content_name(run: &ReplayRun, block: BlockIdx) -> &'static str {
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

fn step_history(run: &ReplayRun, cut: &cwl_engine::Cut, idx: EpisodeIdx) -> Vec<(u32, u32, String, u64)> {
    let first = match run.replay.policy.memory {
        Memory::Carried => TurnIdx::FIRST,
        Memory::PerTurn(_) => cut.turn,
    };
    let mut touched = Vec::new();
    for turn in (first.number()..=cut.turn.number()).map(TurnIdx::new) {
        if run.replay.outcome_at(turn).n_steps == 0 {
            continue;
        }
        let pass = run.steps_of_turn(turn);
        let n_taken = if turn == cut.turn { cut.step } else { pass.steps.len() };
        let taken = pass.steps.iter().take(n_taken).enumerate();
        for (nth, step) in taken.filter(|(_, step)| step.episode() == Some(idx)) {
            let previous = nth.checked_sub(1).map(|before| &pass.steps[before]);
            let sentence = sentence::describe_step(&run.branch, &run.replay, &pass, step, previous);
            touched.push((turn.number(), saturate_u32(nth + 1), sentence, step.before));
        }
    }
    touched
}
