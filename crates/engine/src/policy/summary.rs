//! `summary`: over the budget, one running summary replaces everything except the last turns and
//! the open loop. A pass evicts down to the low water mark, so the next turns need no pass.
//!
//! The summary is extractive: fixed rules choose lines of evicted content ([`crate::digest`]), and
//! its title says so. A summary recorded by the harness stays, and ours covers only what came
//! after it.
//!
//! The presets are compactions that harnesses and providers ship ([`super::registry`]). Most take everything
//! at once (`low_water=1`, `keep_turns=0`); they differ in the trigger: a share of the model's window, a reserve
//! below it, a fixed number of tokens, or a number of events. `hermes-lean` keeps a tail of tokens. Words of
//! the human stay under every policy, also where the harness summarises them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::open_loop::{self, OpenLoop};
use super::running::{Running, TryRange};
use crate::{
    BlockIdx, BlockKind, KeptReason, MessageIdx, OptionSpec, Pass, PolicyRun, ReplayInput, Session, StateAt,
    Transition,
};

const KEEP_TURNS: OptionSpec = OptionSpec::look_up("summary", "keep_turns");
const TAIL: OptionSpec = OptionSpec::look_up("summary", "tail");
const TRIGGER: OptionSpec = OptionSpec::look_up("summary", "trigger");
const WINDOW_SHARE: OptionSpec = OptionSpec::look_up("summary", "window_share");
const RESERVE: OptionSpec = OptionSpec::look_up("summary", "reserve");
const MAX_EVENTS: OptionSpec = OptionSpec::look_up("summary", "max_events");

pub(super) const SIZE: OptionSpec = OptionSpec::look_up("summary", "size");

/// Events that a compaction by their number keeps besides the newest: the first two, and the summary.
const FIRST_EVENTS: usize = 2;

pub(super) fn begin_run<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let number = |spec| input.options.number_value(spec);
    let max_events = usize::try_from(number(&MAX_EVENTS)).unwrap_or(usize::MAX);
    Box::new(RunningSummary {
        running: Running::new(input, number(&SIZE)),
        open_loop: OpenLoop::new(input),
        keep_turns: number(&KEEP_TURNS),
        tail: number(&TAIL),
        max_events,
        events: if max_events > 0 { count_events(input.session) } else { Vec::new() },
    })
}

pub(super) fn kept_reason(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx) -> KeptReason {
    open_loop::kept_reason(input, state, block, input.options.number_value(&KEEP_TURNS))
}

struct RunningSummary<'a> {
    running: Running<'a>,
    open_loop: OpenLoop,
    keep_turns: u64,
    /// Tokens of the newest turns that stay.
    tail: u64,
    max_events: usize,
    /// For each turn, the number of events since the first reply; empty if their number does not matter.
    events: Vec<usize>,
}

fn count_events(session: &Session) -> Vec<usize> {
    let n_events = |at: usize| {
        let is_event =
            |block: &&crate::SessionBlock| matches!(block.kind, BlockKind::Call(_) | BlockKind::Result(_));
        let blocks = session.blocks.range(session.messages[at].blocks.clone());
        blocks.clone().filter(is_event).count().max(blocks.len().min(1))
    };
    let (mut sum, mut from) = (0, session.turns[0].end);
    let count = |turn: &crate::Turn| {
        sum += (from..turn.end).map(n_events).sum::<usize>();
        from = from.max(turn.end);
        sum
    };
    session.turns.iter().map(count).collect()
}

/// Returns the most tokens that a request may have: τ, or the trigger of the harness if that is less.
fn limit_at(pass: &Pass<'_>) -> u64 {
    let number = |spec| pass.input.options.number_value(spec);
    let (trigger, share, reserve) = (number(&TRIGGER), number(&WINDOW_SHARE), number(&RESERVE));
    let of_window =
        |share: u64, window: u64| u64::try_from(u128::from(window) * u128::from(share) / 1000).ok();
    let window = pass.input.material.window_at(pass.turn);
    let limits = [
        (trigger > 0).then(|| trigger.saturating_add(pass.history())),
        window.filter(|_| share > 0).and_then(|window| of_window(share, window)),
        window.filter(|window| reserve > 0 && *window > reserve).map(|window| window - reserve),
    ];
    limits.into_iter().flatten().fold(pass.budget(), u64::min)
}

impl RunningSummary<'_> {
    fn n_events(&self, pass: &Pass<'_>) -> usize {
        let after =
            self.events[pass.turn.at()] - self.events[self.running.end_of_covered().min(pass.turn.at())];
        FIRST_EVENTS + usize::from(self.running.has_summary()) + after
    }

    fn end_by_events(&self, pass: &Pass<'_>) -> Option<usize> {
        let now = self.events.get(pass.turn.at())?;
        let n_events = self.n_events(pass);
        let goal = if n_events > self.max_events { self.max_events / 2 } else { n_events / 2 };
        let n_newest = goal.saturating_sub(FIRST_EVENTS + 1);
        Some(self.events.partition_point(|sum| now.saturating_sub(*sum) > n_newest))
    }

    fn end_by_tail(&self, pass: &Pass<'_>) -> Option<usize> {
        let ReplayInput { session, table, .. } = pass.input;
        let mut left = Some(self.tail).filter(|tail| *tail > 0)?;
        let mut at = pass.turn.at();
        while at > self.running.end_of_covered() {
            let messages = session.turns[at - 1].end..session.turns[at].end;
            let units =
                |message| session.blocks_of(MessageIdx::new(message)).map(|(block, _)| table.units(block));
            let tokens = messages.map(|message| table.tokens_from_units(units(message).sum())).sum();
            match left.checked_sub(tokens) {
                Some(rest) => left = rest,
                None => break,
            }
            at -= 1;
        }
        Some(at)
    }

    fn reach_at(&self, pass: &Pass<'_>, limit: u64) -> TryRange {
        let low_water = pass.input.options.low_water.into();
        let goal = match limit == pass.budget() {
            true => pass.share_of_budget(low_water),
            false => u64::try_from(u128::from(limit) * u128::from(low_water) / 1000).unwrap_or(limit),
        };
        let n_last = self.keep_turns.min(1);
        let reach = TryRange {
            least: self.open_loop.end_before_human(pass, self.keep_turns),
            soft: self.open_loop.end_before_human(pass, n_last),
            most: self.open_loop.end_of_old(pass, n_last),
            goal,
            limit,
        };
        match self.end_by_events(pass).or_else(|| self.end_by_tail(pass)) {
            Some(end) => {
                let end = end.min(reach.most);
                TryRange { least: end, soft: end, most: end, ..reach }
            }
            None => reach,
        }
    }
}

impl PolicyRun for RunningSummary<'_> {
    fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        self.running.on_transition(transition, pass);
        self.open_loop.on_transition(transition, pass);
    }

    fn on_release(&mut self, block: BlockIdx, pass: &mut Pass<'_>) {
        self.running.on_release(block, pass);
    }

    fn evict(&mut self, pass: &mut Pass<'_>) {
        self.running.refresh_summary(pass);
        let limit = limit_at(pass);
        let has_many = !self.events.is_empty() && self.n_events(pass) > self.max_events;
        if pass.total() > limit || has_many {
            let reach = self.reach_at(pass, limit);
            self.running.cover_turns(&reach, pass);
        }
    }
}
