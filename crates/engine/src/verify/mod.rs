//! Verification: after every pass, is what must be there still there?
//!
//! One listener to the transitions of a replay, whatever the policy: counters per call and per thing that is watched,
//! looked at again only if something moved. What the log itself took out is no policy's fault.

mod unpaired;
mod watch;

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{BlockIdx, BlockStates, Finding, Replay, ReplayInput, TurnIdx};
use watch::FactWatch;

/// A text the human watches.
#[derive(Clone, Copy)]
pub struct PinnedText<'a> {
    /// As the human typed it.
    pub text: &'a Arc<str>,
    /// The demand the text makes on the context.
    pub kind: WatchedKind,
    /// The blocks whose text has it, in log order.
    pub blocks: &'a [BlockIdx],
    /// Tells whether another text has it: that of a summary, or an episode's description.
    pub holds: &'a dyn Fn(&str) -> bool,
}

/// The demand a watched text makes on the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchedKind {
    /// Once it has come in, no policy may take the last of it.
    Pin,
    /// From that turn on it must be in the context, even if the harness is the one that takes it; without a turn,
    /// once it has come in.
    Probe(Option<TurnIdx>),
}

/// An unfinished item of the agent's own list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    /// The item.
    pub text: Arc<str>,
    /// The call that put it on the list.
    pub opened: BlockIdx,
    /// The call that finished it or took it off the list.
    pub closed: Option<BlockIdx>,
    /// The calls that name it as unfinished, in log order.
    pub blocks: Vec<BlockIdx>,
}

/// The texts and list items that a verification looks for, beyond the facts of the session itself.
#[derive(Clone, Copy, Default)]
pub struct Watchlist<'a> {
    /// Pins and probes.
    pub texts: &'a [PinnedText<'a>],
    /// Unfinished items of the agent's own list.
    pub todos: &'a [Todo],
}

/// How many open loops stand in a context: active episodes, calls not yet answered, unfinished items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenLoops {
    /// Before the pass.
    pub before: u32,
    /// After it.
    pub after: u32,
}

/// How often probes are asked, and how often a request answers.
///
/// A probe is asked before every request from its turn on, the next request among them; a probe without a turn from the
/// first request on that its text can stand in. A request answers it where, after the pass, a block with the text is there
/// to the letter, or a summary or an episode's description in the request has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProbeCount {
    /// Each probe, once for every request before which it is asked.
    pub asked: u64,
    /// Probes that the request answers.
    pub answered: u64,
    /// Probes that the request does not answer because the policy took the text; the others wait for a text that has not
    /// come in yet, or the harness itself took it.
    pub taken: u64,
}

impl ProbeCount {
    fn add_count(&mut self, other: Self) {
        self.asked += other.asked;
        self.answered += other.answered;
        self.taken += other.taken;
    }
}

/// The result of a verification of all passes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verification {
    /// In the order of their turns.
    pub findings: Vec<Finding>,
    /// For each turn.
    pub loops: Vec<OpenLoops>,
    /// Over all turns.
    pub probes: ProbeCount,
}

/// Verifies every pass of `replay`.
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
