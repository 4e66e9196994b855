//! Frames and what they are made of: the history, a policy's effect over all turns, the state at a cut, the steps of
//! one turn.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use cwl_engine::{
    BandTokens, BandsBy, BlockIdx, Episode, EpisodeIdx, EventBody, EvictionLevel, Frame, Memory,
    ReplacementCause, SessionMessage, StateAt, Steps, Turn, TurnIdx, composition,
};

use crate::ApiError;
use crate::commands::columns::{Column, InColumns};
use crate::commands::episode::kept_units;
use crate::commands::graph::graph_of;
use crate::dto::{
    BandDto, CacheRulesDto, CutDto, DriftDto, FrameDto, FrameRequest, GainDto, HeldDto, HistoryDto, LossDto,
    ReplayDto, StepDto, StepsDto, StepsRequest, StretchDto, ViewDto, ViewRequest,
};
use crate::figures::small;
use crate::measure::calibration::Stretch;
use crate::measure::hidden_gain::Gain;
use crate::measure::hidden_loss::Loss;
use crate::measure::measured::Terms;
use crate::measure::misses::{misses, reads};
use crate::measure::opened::Opened;
use crate::measure::run::Run;
use crate::measure::sizes::reported;
use crate::present::sentence;
use crate::present::trace::taken;

/// The record by which OpenClaw keeps account of the provider's cache, as its pruning needs it.
const CACHE_TOUCH: &str = "openclaw.cache-ttl";

/// Returns everything that is drawn at a cut, apart from what the page holds already.
///
/// # Errors
/// Where the view is not understood, and those of the texts.
pub fn frame(opened: &Opened, request: &FrameRequest) -> Result<FrameDto, ApiError> {
    let run = opened.run(&request.view)?;
    let cut = run.cut(request.cut);
    let needs = |part: HeldDto| request.held < part;
    let by = request.bands.into();
    let figures = Frame::of(&run.input(), &run.replay, cut, needs(HeldDto::Replay).then_some(by));
    Ok(FrameDto {
        revision: opened.revision(),
        graph: needs(HeldDto::Graph)
            .then(|| graph_of(opened, run.chosen(), &run.branch, &run.sizes))
            .transpose()?,
        history: needs(HeldDto::Graph).then(|| history_of(opened, &run)).transpose()?,
        replay: needs(HeldDto::Replay).then(|| replay_of(&run, &figures.bands, by)),
        levels: figures.levels,
        left: figures.left.into_iter().map(small).collect(),
        steps: steps_of(opened, &run, cut.turn),
    })
}

impl InColumns for FrameDto {
    fn columns(&mut self) -> Vec<(String, Column<'_>)> {
        let mut columns = Vec::new();
        let mut add = |path: &str, column| columns.push((path.to_owned(), column));
        if let Some(history) = &mut self.history {
            add("history.overhead", Column::Tokens(&mut history.overhead));
            add("history.full", Column::Tokens(&mut history.full));
            add("history.came_in", Column::Tokens(&mut history.came_in));
        }
        if let Some(replay) = &mut self.replay {
            add("replay.before", Column::Tokens(&mut replay.before));
            add("replay.after", Column::Tokens(&mut replay.after));
            add("replay.over_budget", Column::Words(&mut replay.over_budget));
            add("replay.n_steps", Column::Words(&mut replay.n_steps));
            for (at, band) in replay.bands.iter_mut().enumerate() {
                add(&format!("replay.bands.{at}.tokens"), Column::Tokens(&mut band.tokens));
            }
        }
        add("levels", Column::Bytes(&mut self.levels));
        add("left", Column::Words(&mut self.left));
        columns
    }
}

/// Returns what does not depend on the budget.
pub fn history(opened: &Opened, request: &ViewRequest) -> Result<HistoryDto, ApiError> {
    history_of(opened, &opened.run(&request.view)?)
}

/// Is [`history`] of a run.
pub(crate) fn history_of(opened: &Opened, run: &Run) -> Result<HistoryDto, ApiError> {
    let overhead = &run.replay.overhead;
    let turns = || (1..=run.branch.session.now().number()).map(TurnIdx::new);
    let terms = Terms::of(opened, &CacheRulesDto::default());
    let (branch, reads) = reads(opened, run.chosen(), &terms)?;
    Ok(HistoryDto {
        counted_by: run.counted_by(),
        overhead: turns().map(|turn| overhead.at(turn)).collect(),
        overhead_source: run.overhead_source,
        full: turns().zip(&run.sizes.full).map(|(turn, full)| full + overhead.at(turn)).collect(),
        came_in: came_in(run),
        reported: reported(&run.branch.session),
        drift: drift(run),
        stretches: run.sizes.calibration.stretches.iter().map(StretchDto::from).collect(),
        hidden_reasoning: run.sizes.n_hidden_tokens(),
        carried: run.sizes.carried.clone(),
        compactions: replaced_before(run, ReplacementCause::Compaction),
        clearings: replaced_before(run, ReplacementCause::Clearing),
        losses: run.sizes.losses.iter().map(LossDto::from).collect(),
        gains: run.sizes.gains.iter().map(GainDto::from).collect(),
        may_be_pruned: may_be_pruned(opened),
        misses: misses(opened, &branch, &reads, &terms),
    })
}

/// Says that OpenClaw may have pruned, in a log whose records tell that it kept account of the cache.
fn may_be_pruned(opened: &Opened) -> Option<String> {
    let is_touch = |body: &EventBody| matches!(body, EventBody::Quiet { record } if **record == *CACHE_TOUCH);
    opened.log.events().iter().any(|event| is_touch(&event.body)).then(|| {
        "OpenClaw may have pruned outputs of tools after a pause, before it sent them: its log holds neither the prunes nor \
         its settings, so none is worked out, and every output counts in full; where the reported prompt falls, that is told \
         as a hidden loss"
            .to_owned()
    })
}

/// Returns what a policy does over all turns.
pub fn replay(opened: &Opened, request: &ViewRequest) -> Result<ReplayDto, ApiError> {
    let run = opened.run(&request.view)?;
    let by = BandsBy::default();
    Ok(replay_of(&run, &composition(&run.input(), &run.replay, by), by))
}

/// Is [`replay`] of a run; `by_turn` is the size of each request, band by band.
fn replay_of(run: &Run, by_turn: &[BandTokens], by: BandsBy) -> ReplayDto {
    let turns = &run.replay.turns;
    let numbered = (1u32..).zip(turns);
    ReplayDto {
        policy: run.replay.policy.name.to_owned(),
        budget: run.replay.budget,
        before: turns.iter().map(|turn| turn.before).collect(),
        after: turns.iter().map(|turn| turn.after).collect(),
        over_budget: numbered.filter(|(_, turn)| turn.over_budget).map(|(number, _)| number).collect(),
        n_steps: turns.iter().map(|turn| turn.n_steps).collect(),
        bands: by
            .bands()
            .iter()
            .map(|band| BandDto {
                band: (*band).into(),
                tokens: by_turn.iter().map(|bands| bands[*band as usize]).collect(),
            })
            .collect(),
        n_steps_in_all: small(run.replay.n_steps()),
    }
}

/// Counts what came in between each request and the one before.
fn came_in(run: &Run) -> Vec<u64> {
    let (session, table) = (&run.branch.session, run.table());
    let tokens_of = |message: &SessionMessage| {
        table.tokens(message.blocks.clone().map(|block| table.units(BlockIdx::new(block))).sum())
    };
    let (mut from, mut overhead) = (0, 0);
    let of_turn = |(number, turn): (u32, &Turn)| {
        let messages = &session.messages[std::mem::replace(&mut from, turn.end)..turn.end];
        let now = run.replay.overhead.at(TurnIdx::new(number));
        let attached = now.saturating_sub(std::mem::replace(&mut overhead, now));
        attached + messages.iter().map(tokens_of).sum::<u64>()
    };
    (1..).zip(&session.turns).map(of_turn).collect()
}

/// Tells how reported sizes follow counted ones.
fn drift(run: &Run) -> Option<DriftDto> {
    let (calibration, residual) = (&run.sizes.calibration, run.sizes.residual?);
    let most = calibration.stretches.iter().max_by_key(|stretch| stretch.n_reported)?;
    Some(DriftDto {
        factor: most.factor,
        base: most.base,
        n_turns: small(calibration.n_reported()),
        residual,
        says: calibration.sentence(residual, run.tokenizer.name()),
    })
}

impl From<&Stretch> for StretchDto {
    fn from(stretch: &Stretch) -> Self {
        Self {
            from: small(stretch.from) + 1,
            to: small(stretch.to),
            tokens: stretch.overhead(),
            unlogged: stretch.unlogged,
            factor: stretch.factor,
            n_turns: small(stretch.n_reported),
            residual: stretch.residual,
            says: stretch.sentence(),
        }
    }
}

impl From<&Gain> for GainDto {
    fn from(gain: &Gain) -> Self {
        Self {
            turn: small(gain.at) + 1,
            tokens: gain.tokens,
            reported: gain.reported,
            before: gain.before,
            cause: gain.cause,
            says: gain.sentence(),
        }
    }
}

impl From<&Loss> for LossDto {
    fn from(loss: &Loss) -> Self {
        Self {
            from: small(loss.from) + 1,
            to: small(loss.to) + 1,
            tokens: loss.tokens,
            of: loss.of,
            turn: small(loss.at) + 1,
            reported: loss.reported,
            before: loss.before,
            counted: loss.counted,
            says: loss.sentence(),
        }
    }
}

/// Lists the turns before which the harness itself took content out, for one cause.
fn replaced_before(run: &Run, cause: ReplacementCause) -> Vec<u32> {
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

/// Returns what the model receives of each episode at a cut, tokens, in graph order.
pub fn kept(opened: &Opened, view: &ViewDto, cut: CutDto) -> Result<Vec<u64>, ApiError> {
    let run = opened.run(view)?;
    let (table, state) = (run.table(), StateAt::fold(&run.input(), &run.replay, run.cut(cut)));
    let of_episode = |(idx, episode): (EpisodeIdx, &Episode)| {
        let kept = episode.blocks.iter().map(|block| kept_units(&run, &state, *block));
        let tokens = table.tokens(kept.sum());
        let residue = if state.residues.contains(&idx) { table.residue(idx) } else { 0 };
        tokens.saturating_add(residue)
    };
    Ok(run.branch.growth.graph.iter().map(of_episode).collect())
}

/// Returns how much of an episode no policy and no harness has taken, tokens; see [`FrameDto::left`].
pub(crate) fn left_of_episode(run: &Run, state: &StateAt, idx: EpisodeIdx) -> u32 {
    small(state.left(&run.input(), idx))
}

/// Returns the steps of one turn.
pub fn steps(opened: &Opened, request: &StepsRequest) -> Result<StepsDto, ApiError> {
    let run = opened.run(&request.view)?;
    let now = run.branch.session.now();
    Ok(steps_of(opened, &run, request.turn.map_or(now, TurnIdx::new).min(now)))
}

/// The passes of one replay, for those that list many of them.
pub struct Passes<'a> {
    opened: &'a Opened,
    run: Run,
}

impl<'a> Passes<'a> {
    /// Runs a view once.
    ///
    /// # Errors
    /// Where the view is not understood, and those of the texts.
    pub fn of(opened: &'a Opened, request: &ViewRequest) -> Result<Self, ApiError> {
        Ok(Self { opened, run: opened.run(&request.view)? })
    }

    /// Returns the steps of one turn, as [`steps`] does.
    pub fn at(&self, turn: u32) -> StepsDto {
        steps_of(self.opened, &self.run, TurnIdx::new(turn).min(self.run.branch.session.now()))
    }

    /// Returns the steps that save most, the largest first, at most `most`, each with its turn; and how many steps there
    /// are.
    ///
    /// A policy that starts from the whole history takes the same again at every turn: of it this is the last pass.
    pub fn largest(&self, most: usize) -> (Vec<(u32, StepDto)>, u64) {
        let (run, replay) = (&self.run, &self.run.replay);
        let stepped = (1u32..).zip(&replay.turns).filter(|(_, turn)| turn.n_steps > 0);
        let n_last = if matches!(replay.policy.memory, Memory::Carried) { usize::MAX } else { 1 };
        let mut n_steps = 0;
        // The larger first, of those the earlier: what sorts last goes when there are too many.
        let mut largest: BTreeSet<(Reverse<u64>, u32, usize)> = BTreeSet::new();
        let turns: Vec<u32> = stepped.map(|(number, _)| number).collect();
        for number in turns.into_iter().rev().take(n_last) {
            let pass = run.pass(TurnIdx::new(number));
            n_steps += pass.steps.len() as u64;
            for (at, step) in pass.steps.iter().enumerate() {
                largest.insert((Reverse(step.before.saturating_sub(step.after)), number, at));
                if largest.len() > most {
                    largest.pop_last();
                }
            }
        }
        let told = largest.into_iter().map(|(_, number, at)| {
            let pass = run.pass(TurnIdx::new(number));
            (number, step_in(self.opened, run, &pass, at))
        });
        (told.collect(), n_steps)
    }
}

/// Is [`steps`] of a run.
pub(crate) fn steps_of(opened: &Opened, run: &Run, turn: TurnIdx) -> StepsDto {
    let session = &run.branch.session;
    let now = session.now();
    let outcome = run.replay.turn(turn);
    let has_steps = |number: &u32| run.replay.turn(TurnIdx::new(*number)).n_steps > 0;
    StepsDto {
        turn: turn.number(),
        message: session.turn(turn).message.map(|message| session.messages[message.at()].entry.to_string()),
        before: outcome.before,
        after: outcome.after,
        over_budget: outcome.over_budget,
        steps: if outcome.n_steps > 0 { steps_in(opened, run, turn) } else { Vec::new() },
        previous_with_steps: (1..turn.number()).rev().find(has_steps),
        next_with_steps: (turn.number() + 1..=now.number()).find(has_steps),
    }
}

/// Lists the steps of one turn.
fn steps_in(opened: &Opened, run: &Run, turn: TurnIdx) -> Vec<StepDto> {
    let pass = run.pass(turn);
    (0..pass.steps.len()).map(|at| step_in(opened, run, &pass, at)).collect()
}

/// Tells one step of a pass.
fn step_in(opened: &Opened, run: &Run, pass: &Steps<'_>, at: usize) -> StepDto {
    let step = &pass.steps[at];
    let blocks = || taken(pass, step);
    let previous = at.checked_sub(1).map(|before| &pass.steps[before]);
    StepDto {
        episode: step.episode().map(|idx| small(idx.at())),
        name: sentence::subject(&run.branch, &step.subject),
        level: step.action.into(),
        level_number: step.action.level().map_or(0, EvictionLevel::number),
        before: step.before,
        after: step.after,
        n_blocks: small(blocks().count()),
        line: blocks().map(|block| opened.line_of(&run.branch.session, block)).min(),
        sentence: sentence::step(&run.branch, &run.replay, pass, step, previous),
    }
}
