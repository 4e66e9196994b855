//! Frames and their parts: the history, a policy's effect over all turns, the state at a cut, and the steps
//! of one turn.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::mem::take;

use cwl_engine::{
    BandTokens, BandsBy, BlockIdx, Episode, EpisodeIdx, EventBody, EvictionLevel, Frame, Memory,
    ReplacementCause, SessionMessage, StateAt, Steps, Turn, TurnIdx, bands_by_turn,
};

use crate::ApiError;
use crate::api::{
    BandSeries, CacheRules, CountDrift, FrameAnswer, FrameRequest, HeldFrameParts, HiddenGainRow,
    HiddenLossRow, HistoryAnswer, ReplayAnswer, StepRow, StepsAnswer, StepsRequest, UnloggedStretch, ViewCut,
    ViewRequest, ViewSettings,
};
use crate::commands::columns::{Column, InColumns};
use crate::commands::episode::kept_units;
use crate::commands::graph::graph_of;
use crate::figures::saturate_u32;
use crate::measure::calibration::RequestStretch;
use crate::measure::hidden_gain::Gain;
use crate::measure::hidden_loss::Loss;
use crate::measure::measured::Terms;
use crate::measure::misses::{cache_reads, find_misses};
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::measure::sizes::reported_prompts;
use crate::present::sentence;
use crate::present::trace::blocks_of_step;

/// OpenClaw's record about the provider's cache, kept for its pruning.
const CACHE_TOUCH: &str = "openclaw.cache-ttl";

/// Returns everything drawn at a cut, except what the page already holds.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn frame(opened: &SessionSnapshot, request: &FrameRequest) -> Result<FrameAnswer, ApiError> {
    let run = opened.replay_view(&request.view)?;
    let cut = run.clamp_cut(request.cut);
    let needs = |part: HeldFrameParts| request.held < part;
    let by = request.bands;
    let figures =
        Frame::measure(&run.replay_input(), &run.replay, cut, needs(HeldFrameParts::Replay).then_some(by));
    Ok(FrameAnswer {
        revision: opened.revision(),
        graph: needs(HeldFrameParts::Graph)
            .then(|| graph_of(opened, run.selection(), &run.branch, &run.sizes))
            .transpose()?,
        history: needs(HeldFrameParts::Graph).then(|| history_of(opened, &run)).transpose()?,
        replay: needs(HeldFrameParts::Replay).then(|| replay_of(&run, &figures.bands, by)),
        levels: figures.levels,
        left: figures.left.into_iter().map(saturate_u32).collect(),
        steps: steps_of(opened, &run, cut.turn),
    })
}

impl InColumns for FrameAnswer {
    fn take_columns(&mut self) -> Result<Vec<(String, Column)>, ApiError> {
        let mut columns = Vec::new();
        let mut add = |path: &str, column| columns.push((path.to_owned(), column));
        if let Some(graph) = &mut self.graph {
            add("graph.episodes", Column::take_rows(&mut graph.episodes)?);
            add("graph.edges", Column::take_rows(&mut graph.edges)?);
            add("graph.implicit", Column::take_rows(&mut graph.implicit)?);
            add("graph.human_turns", Column::take_rows(&mut graph.human_turns)?);
        }
        if let Some(history) = &mut self.history {
            add("history.overhead", Column::take_tokens(&mut history.overhead));
            add("history.full", Column::take_tokens(&mut history.full));
            add("history.came_in", Column::take_tokens(&mut history.came_in));
            add("history.reported", Column::take_rows(&mut history.reported)?);
            add("history.misses", Column::take_rows(&mut history.misses)?);
        }
        if let Some(replay) = &mut self.replay {
            add("replay.before", Column::take_tokens(&mut replay.before));
            add("replay.after", Column::take_tokens(&mut replay.after));
            add("replay.over_budget", Column::Words(take(&mut replay.over_budget)));
            add("replay.n_steps", Column::Words(take(&mut replay.n_steps)));
            for (at, band) in replay.bands.iter_mut().enumerate() {
                add(&format!("replay.bands.{at}.tokens"), Column::take_tokens(&mut band.tokens));
            }
        }
        add("levels", Column::Bytes(take(&mut self.levels)));
        add("left", Column::Words(take(&mut self.left)));
        Ok(columns)
    }
}

/// Returns the frame's part that does not depend on the budget.
pub fn history(opened: &SessionSnapshot, request: &ViewRequest) -> Result<HistoryAnswer, ApiError> {
    history_of(opened, &opened.replay_view(&request.view)?)
}

fn history_of(opened: &SessionSnapshot, run: &ReplayRun) -> Result<HistoryAnswer, ApiError> {
    let overhead = &run.replay.overhead;
    let turns = || (1..=run.branch.session.last_turn().number()).map(TurnIdx::new);
    let terms = Terms::look_up(opened, &CacheRules::default());
    let (branch, reads) = cache_reads(opened, run.selection(), &terms)?;
    Ok(HistoryAnswer {
        counted_by: run.counted_by(),
        overhead: turns().map(|turn| overhead.tokens_at(turn)).collect(),
        overhead_source: run.overhead_source,
        full: full_totals(run),
        came_in: came_in(run),
        reported: reported_prompts(&run.branch.session),
        drift: reported_drift(run),
        stretches: run.sizes.calibration.stretches.iter().map(UnloggedStretch::from).collect(),
        hidden_reasoning: run.sizes.n_hidden_tokens(),
        carried: run.sizes.carried.clone(),
        compactions: replaced_before(run, ReplacementCause::Compaction),
        clearings: replaced_before(run, ReplacementCause::Clearing),
        losses: run.sizes.losses.iter().map(HiddenLossRow::from).collect(),
        gains: run.sizes.gains.iter().map(HiddenGainRow::from).collect(),
        may_be_pruned: may_be_pruned(opened),
        misses: find_misses(opened, &branch, &reads, &terms),
    })
}

pub(super) fn full_totals(run: &ReplayRun) -> Vec<u64> {
    let turns = (1..=run.branch.session.last_turn().number()).map(TurnIdx::new);
    turns.zip(&run.sizes.full).map(|(turn, full)| full + run.replay.overhead.tokens_at(turn)).collect()
}

fn may_be_pruned(opened: &SessionSnapshot) -> Option<String> {
    let is_touch = |body: &EventBody| matches!(body, EventBody::Quiet { record } if **record == *CACHE_TOUCH);
    opened.log.events().iter().any(|event| is_touch(&event.body)).then(|| {
        "OpenClaw may have pruned outputs of tools after a pause, before it sent them: its log holds neither the prunes nor \
         its settings, so none is worked out, and every output counts in full; where the reported prompt falls, that is told \
         as a hidden loss"
            .to_owned()
    })
}

pub fn replay(opened: &SessionSnapshot, request: &ViewRequest) -> Result<ReplayAnswer, ApiError> {
    let run = opened.replay_view(&request.view)?;
    let by = BandsBy::default();
    Ok(replay_of(&run, &bands_by_turn(&run.replay_input(), &run.replay, by), by))
}

fn replay_of(run: &ReplayRun, by_turn: &[BandTokens], by: BandsBy) -> ReplayAnswer {
    let turns = &run.replay.turns;
    let numbered = (1u32..).zip(turns);
    ReplayAnswer {
        policy: run.replay.policy.name.to_owned(),
        budget: run.replay.budget,
        before: turns.iter().map(|turn| turn.before).collect(),
        after: turns.iter().map(|turn| turn.after).collect(),
        over_budget: numbered.filter(|(_, turn)| turn.over_budget).map(|(number, _)| number).collect(),
        n_steps: turns.iter().map(|turn| turn.n_steps).collect(),
        bands: by
            .bands()
            .iter()
            .map(|band| BandSeries {
                band: *band,
                tokens: by_turn.iter().map(|bands| bands[*band as usize]).collect(),
            })
            .collect(),
        n_steps_in_all: saturate_u32(run.replay.n_steps()),
    }
}

fn came_in(run: &ReplayRun) -> Vec<u64> {
    let (session, table) = (&run.branch.session, run.policy_table());
    let tokens_of = |message: &SessionMessage| {
        table.tokens_from_units(message.blocks.clone().map(|block| table.units(BlockIdx::new(block))).sum())
    };
    let (mut from, mut overhead) = (0, 0);
    let of_turn = |(number, turn): (u32, &Turn)| {
        let messages = session.messages.range(std::mem::replace(&mut from, turn.end)..turn.end);
        let now = run.replay.overhead.tokens_at(TurnIdx::new(number));
        let attached = now.saturating_sub(std::mem::replace(&mut overhead, now));
        attached + messages.map(tokens_of).sum::<u64>()
    };
    (1..).zip(&session.turns).map(of_turn).collect()
}

fn reported_drift(run: &ReplayRun) -> Option<CountDrift> {
    let (calibration, residual) = (&run.sizes.calibration, run.sizes.residual?);
    let most = calibration.stretches.iter().max_by_key(|stretch| stretch.n_reported)?;
    Some(CountDrift {
        factor: most.factor,
        base: most.base,
        n_turns: saturate_u32(calibration.n_reported()),
        residual,
        says: calibration.describe_fit(residual, run.unit.tokenizer().name(), run.unit_factor()),
    })
}

impl From<&RequestStretch> for UnloggedStretch {
    fn from(stretch: &RequestStretch) -> Self {
        Self {
            from: saturate_u32(stretch.from) + 1,
            to: saturate_u32(stretch.to),
            tokens: stretch.overhead_tokens(),
            unlogged: stretch.unlogged,
            factor: stretch.factor,
            n_turns: saturate_u32(stretch.n_reported),
            residual: stretch.residual,
            says: stretch.describe_base(),
        }
    }
}

impl From<&Gain> for HiddenGainRow {
    fn from(gain: &Gain) -> Self {
        Self {
            turn: saturate_u32(gain.at) + 1,
            tokens: gain.tokens,
            reported: gain.reported,
            before: gain.before,
            cause: gain.cause,
            says: gain.describe_gain(),
        }
    }
}

impl From<&Loss> for HiddenLossRow {
    fn from(loss: &Loss) -> Self {
        Self {
            from: saturate_u32(loss.from) + 1,
            to: saturate_u32(loss.to) + 1,
            tokens: loss.tokens,
            of: loss.of,
            turn: saturate_u32(loss.at) + 1,
            reported: loss.reported,
            before: loss.before,
            counted: loss.counted,
            says: loss.describe_loss(),
        }
    }
}

pub(super) fn replaced_before(run: &ReplayRun, cause: ReplacementCause) -> Vec<u32> {
    let session = &run.branch.session;
    let mut turns: Vec<u32> = session
        .replacements
        .iter()
        .filter(|replacement| replacement.cause == cause)
        .map(|replacement| session.turn_of(replacement).number())
        .collect();
    turns.dedup();
    turns
}

/// Tokens that the model receives from each episode at a cut, in graph order.
pub fn kept(opened: &SessionSnapshot, view: &ViewSettings, cut: ViewCut) -> Result<Vec<u64>, ApiError> {
    let run = opened.replay_view(view)?;
    let (table, state) =
        (run.policy_table(), StateAt::fold_to(&run.replay_input(), &run.replay, run.clamp_cut(cut)));
    let of_episode = |(idx, episode): (EpisodeIdx, &Episode)| {
        let kept = episode.blocks.iter().map(|block| kept_units(&run, &state, *block));
        let tokens = table.tokens_from_units(kept.sum());
        let residue = if state.residues.contains(&idx) { table.residue_tokens(idx) } else { 0 };
        tokens.saturating_add(residue)
    };
    Ok(run.branch.growth.graph.episodes().map(of_episode).collect())
}

pub fn steps(opened: &SessionSnapshot, request: &StepsRequest) -> Result<StepsAnswer, ApiError> {
    let run = opened.replay_view(&request.view)?;
    let now = run.branch.session.last_turn();
    Ok(steps_of(opened, &run, request.turn.map_or(now, TurnIdx::new).min(now)))
}

pub struct Passes<'a> {
    opened: &'a SessionSnapshot,
    run: ReplayRun,
}

impl<'a> Passes<'a> {
    /// Replays a view once.
    ///
    /// # Errors
    /// If `request.view` is invalid, or the log's texts cannot be read.
    pub fn replay(opened: &'a SessionSnapshot, request: &ViewRequest) -> Result<Self, ApiError> {
        Ok(Self { opened, run: opened.replay_view(&request.view)? })
    }

    pub fn steps_at(&self, turn: u32) -> StepsAnswer {
        steps_of(self.opened, &self.run, TurnIdx::new(turn).min(self.run.branch.session.last_turn()))
    }

    /// Returns up to `most` steps with the largest savings, largest first, each with its turn, and the total
    /// number of steps.
    ///
    /// A policy that starts from the whole history repeats its steps at every turn, so only its last pass
    /// counts.
    pub fn largest_steps(&self, most: usize) -> (Vec<(u32, StepRow)>, u64) {
        let (run, replay) = (&self.run, &self.run.replay);
        let stepped = (1u32..).zip(&replay.turns).filter(|(_, turn)| turn.n_steps > 0);
        let n_last = if matches!(replay.policy.memory, Memory::Carried) { usize::MAX } else { 1 };
        let mut n_steps = 0;
        // Sorted by saving, then by earlier turn; the last one is dropped if there are too many.
        let mut largest: BTreeSet<(Reverse<u64>, u32, usize)> = BTreeSet::new();
        let turns: Vec<u32> = stepped.map(|(number, _)| number).collect();
        for number in turns.into_iter().rev().take(n_last) {
            let pass = run.steps_of_turn(TurnIdx::new(number));
            n_steps += pass.steps.len() as u64;
            for (at, step) in pass.steps.iter().enumerate() {
                largest.insert((Reverse(step.before.saturating_sub(step.after)), number, at));
                if largest.len() > most {
                    largest.pop_last();
                }
            }
        }
        let told = largest.into_iter().map(|(_, number, at)| {
            let pass = run.steps_of_turn(TurnIdx::new(number));
            (number, step_in(self.opened, run, &pass, at))
        });
        (told.collect(), n_steps)
    }
}

fn steps_of(opened: &SessionSnapshot, run: &ReplayRun, turn: TurnIdx) -> StepsAnswer {
    let session = &run.branch.session;
    let now = session.last_turn();
    let outcome = run.replay.outcome_at(turn);
    let has_steps = |number: &u32| run.replay.outcome_at(TurnIdx::new(*number)).n_steps > 0;
    StepsAnswer {
        turn: turn.number(),
        message: session
            .turn_at(turn)
            .message
            .map(|message| session.messages[message.at()].entry.to_string()),
        before: outcome.before,
        after: outcome.after,
        over_budget: outcome.over_budget,
        steps: if outcome.n_steps > 0 { steps_in(opened, run, turn) } else { Vec::new() },
        previous_with_steps: (1..turn.number()).rev().find(has_steps),
        next_with_steps: (turn.number() + 1..=now.number()).find(has_steps),
    }
}

fn steps_in(opened: &SessionSnapshot, run: &ReplayRun, turn: TurnIdx) -> Vec<StepRow> {
    let pass = run.steps_of_turn(turn);
    (0..pass.steps.len()).map(|at| step_in(opened, run, &pass, at)).collect()
}

fn step_in(opened: &SessionSnapshot, run: &ReplayRun, pass: &Steps<'_>, at: usize) -> StepRow {
    let step = &pass.steps[at];
    let blocks = || blocks_of_step(pass, step);
    let previous = at.checked_sub(1).map(|before| &pass.steps[before]);
    StepRow {
        episode: step.episode().map(|idx| saturate_u32(idx.at())),
        name: sentence::describe_subject(&run.branch, &step.subject),
        level: step.action,
        level_number: step.action.level().map_or(0, EvictionLevel::number),
        before: step.before,
        after: step.after,
        n_blocks: saturate_u32(blocks().count()),
        line: blocks().map(|block| opened.line_of(&run.branch.session, block)).min(),
        sentence: sentence::describe_step(&run.branch, &run.replay, pass, step, previous),
    }
}
