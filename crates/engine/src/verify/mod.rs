//! Verification: checks after every pass that everything required is still in the context.
//!
//! One listener to a replay's transitions, for any policy: it counts per call and per watched
//! fact, and re-checks only what changed. Removals recorded in the log are not the policy's fault.

pub(crate) mod finding;

mod unpaired;
mod watch;

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{BlockIdx, BlockStates, Finding, Replay, ReplayInput, TurnIdx};
use watch::FactWatch;

/// A text the human watches: a pin or a probe.
#[derive(Clone, Copy)]
pub struct PinnedText<'a> {
    pub text: &'a Arc<str>,
    pub kind: WatchedKind,
    pub blocks: &'a [BlockIdx],
    /// Returns `true` if another text matches, such as a summary or a description.
    pub holds: &'a dyn Fn(&str) -> bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchedKind {
    /// Once arrived, no policy may remove its last holder.
    Pin,
    /// Must be in the context from this turn on, even if the harness removes it; without a turn,
    /// once arrived.
    Probe(Option<TurnIdx>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    pub text: Arc<str>,
    pub opened: BlockIdx,
    pub closed: Option<BlockIdx>,
    /// Calls that list the item as unfinished, in log order.
    pub blocks: Vec<BlockIdx>,
}

#[derive(Clone, Copy, Default)]
pub struct Watchlist<'a> {
    pub texts: &'a [PinnedText<'a>],
    pub todos: &'a [Todo],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenLoops {
    pub before: u32,
    pub after: u32,
}

/// Counts asked and answered probes.
///
/// A probe is asked before every request from its turn on, `now` included; without a turn, from
/// the first request that can hold its text. A request answers it if, after the pass, a matching
/// block is unchanged in the context, or a summary or description matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProbeCount {
    /// Number of (request, probe) pairs.
    pub asked: u64,
    pub answered: u64,
    /// Unanswered because the policy evicted the text. Other unanswered probes wait for their
    /// text, or the harness removed it.
    pub taken: u64,
}

impl ProbeCount {
    fn add_count(&mut self, other: Self) {
        self.asked += other.asked;
        self.answered += other.answered;
        self.taken += other.taken;
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verification {
    pub findings: Vec<Finding>,
    /// One per turn.
    pub loops: Vec<OpenLoops>,
    pub probes: ProbeCount,
}

pub fn verify_replay(input: &ReplayInput<'_>, replay: &Replay, watchlist: &Watchlist<'_>) -> Verification {
    let mut states = BlockStates::new(input.session.blocks.len());
    let mut watch = FactWatch::new(input, watchlist);
    let mut loops = Vec::with_capacity(replay.turns.len());
    let mut probes = ProbeCount::default();
    for at in 0..replay.turns.len() {
        let turn = TurnIdx::from_position(at);
        states.grow_to(input.growth, turn, |states, transition| {
            watch.on_transition(transition, states, replay)
        });
        watch.begin_turn(turn);
        let before = watch.n_loops;
        states
            .apply_policy(replay, turn, |states, transition| watch.on_transition(transition, states, replay));
        watch.add_totals(input, replay, turn);
        watch.settle_facts(turn);
        probes.add_count(watch.probes);
        loops.push(OpenLoops { before, after: watch.n_loops });
    }
    watch.report_unmatched(TurnIdx::from_position(replay.turns.len().saturating_sub(1)));
    let mut findings = watch.findings;
    findings.sort_by_key(|finding| finding.turn);
    Verification { findings, loops, probes }
}
