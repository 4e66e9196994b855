//! `cwl`: the policy of the paper (section 4.4, Algorithm 1), with its options.
//!
//! Oldest act first; an exploration only after all acts that draw on it are fully evicted; within an
//! episode reasoning, then bulk output, then intermediate artefacts, then the whole. What is evicted stays
//! evicted, and a half-stripped target goes on where it was.

use alloc::boxed::Box;
use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;
use core::ops::{Bound, Range};

use super::holdings::Holdings;
use crate::{
    BlockIdx, BlockKind, EpisodeIdx, EpisodeKind, EvictionLevel, Granularity, GraphTimeline, Life, Pass,
    PolicyOptions, PolicyRun, ReplayInput, Subject, Transition, TurnIdx, protected_from,
};

pub(super) fn begin_run<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    begin_preferring(input, Preferences::default())
}

pub(super) fn begin_preferring<'a>(
    input: ReplayInput<'a>,
    preferences: Preferences,
) -> Box<dyn PolicyRun + 'a> {
    Box::new(Cwl::new(input, preferences))
}

/// Choices of a variant of the policy beyond Algorithm 1; by default none.
#[derive(Debug, Clone, Default)]
pub(super) struct Preferences {
    /// An exploration on which no act has drawn goes only after all others, until so many acts have begun since it closed.
    pub(super) guard: u64,
    /// The turns at which a pass goes down to the stop although τ is met, in order.
    pub(super) cheap_turns: Vec<TurnIdx>,
}

/// Start order is the tie-break everywhere.
type CandidateKey = BTreeSet<(BlockIdx, EpisodeIdx)>;

/// The queue of candidates in which an episode stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CandidateQueue {
    Acts,
    Explorations,
    Stretches,
    /// Explorations that an act may still draw on: they go when nothing else can.
    Fresh,
}

/// The facts that decide when an episode may go, beside its holding.
#[derive(Debug, Clone, Default)]
struct Candidate {
    queue: Option<CandidateQueue>,
    /// The last level that is on has been reached, and it is not the last of all.
    exhausted: bool,
    /// Something of it was evicted, by a step or by the harness.
    touched: bool,
    /// The level is 4, as far as those that wait for it know.
    whole: bool,
    /// Acts with an edge from here that are not fully evicted.
    n_waiting: u32,
    /// Acts that draw on it.
    n_drawn: u32,
    /// How many acts had begun when it closed.
    closed_at: u64,
    dependencies: Vec<EpisodeIdx>,
}

struct Cwl<'a> {
    growth: &'a GraphTimeline,
    options: &'a PolicyOptions,
    holdings: Holdings,
    candidates: Vec<Candidate>,
    queues: [CandidateKey; 4],
    preferences: Preferences,
    n_acts: u64,
    /// Explorations in the order in which they closed, with the number of acts at which each is fresh no more.
    lapses: VecDeque<(u64, EpisodeIdx)>,
    /// Starts of the acts that are not fully evicted: a stretch waits for all that start after it.
    live_acts: BTreeSet<BlockIdx>,
    held: Vec<EpisodeIdx>,
    /// Late marks move blocks from one episode to another.
    late: bool,
    /// Messages from here on are protected in this pass.
    protected: usize,
}

impl<'a> Cwl<'a> {
    fn new(input: ReplayInput<'a>, preferences: Preferences) -> Self {
        let growth = input.growth;
        Self {
            growth,
            options: input.options,
            holdings: Holdings::new(growth),
            candidates: alloc::vec![Candidate::default(); growth.graph.episodes.len()],
            queues: Default::default(),
            preferences,
            n_acts: 0,
            lapses: VecDeque::new(),
            live_acts: BTreeSet::new(),
            held: Vec::new(),
            late: growth.has_late_marks(),
            protected: usize::MAX,
        }
    }

    fn episode_kind(&self, idx: EpisodeIdx) -> EpisodeKind {
        self.growth.graph.episode(idx).kind
    }

    /// Puts an episode among the candidates or takes it out, by its present state.
    fn refresh_candidate(&mut self, idx: EpisodeIdx) {
        let (candidate, holding) = (&self.candidates[idx.at()], self.holdings.episode(idx));
        let may =
            holding.is_closed() && holding.level < 4 && !candidate.exhausted && candidate.n_waiting == 0;
        let queue = may.then(|| match self.episode_kind(idx) {
            EpisodeKind::Action => CandidateQueue::Acts,
            EpisodeKind::Exploratory if self.is_fresh(idx) => CandidateQueue::Fresh,
            EpisodeKind::Exploratory => CandidateQueue::Explorations,
            EpisodeKind::Unannotated => CandidateQueue::Stretches,
        });
        let was = core::mem::replace(&mut self.candidates[idx.at()].queue, queue);
        if was != queue {
            let key = (self.growth.graph.episode(idx).start, idx);
            if let Some(was) = was {
                self.queues[was as usize].remove(&key);
            }
            if let Some(queue) = queue {
                self.queues[queue as usize].insert(key);
            }
        }
    }

    fn is_fresh(&self, idx: EpisodeIdx) -> bool {
        let candidate = &self.candidates[idx.at()];
        self.preferences.guard > 0
            && candidate.n_drawn == 0
            && self.n_acts < candidate.closed_at.saturating_add(self.preferences.guard)
    }

    /// Notes that an act has begun: explorations that have waited for enough of them are fresh no more.
    fn act_begun(&mut self) {
        self.n_acts += 1;
        while let Some((at, idx)) = self.lapses.front().copied()
            && at <= self.n_acts
        {
            self.lapses.pop_front();
            self.refresh_candidate(idx);
        }
    }

    /// Notes a level that may be another: those that wait for an act may go when all of it has gone.
    fn on_level_change(&mut self, idx: EpisodeIdx) {
        let level = self.holdings.episode(idx).level;
        let candidate = &mut self.candidates[idx.at()];
        candidate.touched |= level > 0;
        let whole = level == 4;
        if core::mem::replace(&mut candidate.whole, whole) != whole
            && self.episode_kind(idx) == EpisodeKind::Action
        {
            let start = self.growth.graph.episode(idx).start;
            if whole {
                self.live_acts.remove(&start);
            } else {
                self.live_acts.insert(start);
            }
            for at in 0..self.candidates[idx.at()].dependencies.len() {
                let on = self.candidates[idx.at()].dependencies[at];
                let n_waiting = &mut self.candidates[on.at()].n_waiting;
                *n_waiting = if whole { *n_waiting - 1 } else { *n_waiting + 1 };
                self.refresh_candidate(on);
            }
        }
        self.refresh_candidate(idx);
    }

    /// Returns the episode to strip next: the oldest act, else the oldest of the others, by start; a fresh
    /// exploration only when nothing else can go.
    fn next(&self) -> Option<EpisodeIdx> {
        let [acts, explorations, stretches, fresh] = &self.queues;
        if let Some((_, act)) = acts.first() {
            return Some(*act);
        }
        let after = match self.live_acts.last() {
            Some(start) => Bound::Excluded((*start, EpisodeIdx::new(u32::MAX as usize))),
            None => Bound::Unbounded,
        };
        let stretch = stretches.range((after, Bound::Unbounded)).next();
        let oldest = explorations.first().into_iter().chain(stretch).min();
        oldest.or_else(|| fresh.first()).map(|(_, idx)| *idx)
    }

    /// Strips one candidate from its own level on, until `stop` is met or nothing is left.
    fn strip_candidate(&mut self, idx: EpisodeIdx, stop: u64, pass: &mut Pass<'_>) {
        let kind = self.episode_kind(idx);
        for level in EvictionLevel::ALL.into_iter().skip(self.holdings.episode(idx).level.into()) {
            let is_on = self.options.is_on(level);
            if level == EvictionLevel::WholeEpisode {
                if !is_on || self.holds_protected(idx, pass) {
                    self.held.extend(is_on.then_some(idx));
                    self.candidates[idx.at()].exhausted = true;
                    self.refresh_candidate(idx);
                    break;
                }
            } else if !is_on || !level.applies_to(kind) {
                continue;
            }
            while self.strip_level(idx, level, pass) && pass.total() > stop {}
            if pass.total() <= stop {
                break;
            }
        }
    }

    /// Takes one step at `level`; tells whether the level has more steps.
    fn strip_level(&mut self, idx: EpisodeIdx, level: EvictionLevel, pass: &mut Pass<'_>) -> bool {
        let whole = level == EvictionLevel::WholeEpisode;
        let by_item = !whole && self.options.granularity == Granularity::Item;
        let session = pass.input.session;
        let (mut more, mut reached, mut first) = (false, true, None);
        let levels = if whole { ALL_LEVELS } else { level as usize..level as usize + 1 };
        for &block in self.blocks_of(idx, levels) {
            // Blocks that stay with the last reply go when the next reply has come.
            if !self.is_left(block, idx, pass) || pass.is_held(block) {
                continue;
            }
            if self.is_protected(block, pass) {
                // A protected block that this level would take keeps the level from being reached.
                reached = false;
                continue;
            }
            // An item is one reasoning block, or a call with its results, which all stand after it.
            if by_item && first.is_some() && session.blocks[block.at()].pair != first {
                more = true;
                continue;
            }
            first = first.or(Some(block));
            pass.take_block(block);
        }
        if first.is_none() && !whole {
            return false;
        }
        let reached = reached && !more;
        let residue = whole && self.holdings.leaves_residue(idx, pass);
        pass.step_on_episode(Subject::Episode(idx), level.into(), reached, residue);
        self.candidates[idx.at()].touched = true;
        if reached {
            self.holdings.set_level(idx, level.number());
            self.on_level_change(idx);
        }
        more
    }

    /// Returns the blocks of some levels an episode has ever held, so a step looks at nothing but what it may take. Those
    /// of a level that is off, or of none of its kind, are among all levels alone.
    fn blocks_of(&self, idx: EpisodeIdx, levels: Range<usize>) -> &'a [BlockIdx] {
        self.growth.members_at(idx, levels, self.options.classify_shell)
    }

    /// Tells whether a block an episode has ever held is still its own and in the context.
    fn is_left(&self, block: BlockIdx, idx: EpisodeIdx, pass: &Pass<'_>) -> bool {
        pass.state(block).is_there() && (!self.late || self.holdings.owner_of(block) == Some(idx))
    }

    fn holds_protected(&self, idx: EpisodeIdx, pass: &Pass<'_>) -> bool {
        let may_be = self.protected != usize::MAX || !pass.input.pins.is_empty();
        let is_held = |block: &BlockIdx| self.is_left(*block, idx, pass) && self.is_protected(*block, pass);
        may_be && self.blocks_of(idx, ALL_LEVELS).iter().any(is_held)
    }

    /// Tells whether `block` is protected. A call is, if its result is: every provider would refuse a half.
    fn is_protected(&self, block: BlockIdx, pass: &Pass<'_>) -> bool {
        if pass.state(block).is_pinned() {
            return true;
        }
        if self.protected == usize::MAX {
            return false;
        }
        let session = pass.input.session;
        let row = &session.blocks[block.at()];
        let after = |block: BlockIdx| session.stands_at(block) >= self.protected;
        after(block)
            || matches!(row.kind, BlockKind::Call(_))
                && row.pair.is_some_and(|result| after(result) && pass.state(result).has_arrived())
    }

    /// Strips a block that comes into an episode (or comes back) to the episode's level; and takes one half of a pair
    /// whose other half has gone, even where a late mark has since given both to another episode.
    fn strip_arrival(&self, block: BlockIdx, pass: &mut Pass<'_>) {
        let Some(owner) = self.holdings.owner_of(block) else { return };
        let level = level_of(self.growth, self.options, block, self.episode_kind(owner));
        let is_reached = level.number() <= self.holdings.episode(owner).level;
        if is_reached && !pass.has_call(block) || pass.has_lost_half(block) {
            pass.strip_arrival(block, level);
        }
    }
}

/// All levels, as places in [`EvictionLevel::ALL`].
const ALL_LEVELS: Range<usize> = 0..EvictionLevel::ALL.len();

/// Returns the level that takes a block of an episode of that kind: where its own does not apply, the last.
fn level_of(
    growth: &GraphTimeline,
    options: &PolicyOptions,
    block: BlockIdx,
    kind: EpisodeKind,
) -> EvictionLevel {
    let level = growth.level_of(block, options.classify_shell);
    if level.applies_to(kind) && options.is_on(level) { level } else { EvictionLevel::WholeEpisode }
}

impl PolicyRun for Cwl<'_> {
    fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        if let Transition::Lives(idx, Life::Open) = transition
            && self.holdings.episode(idx).life == Life::Unborn
            && self.episode_kind(idx) == EpisodeKind::Action
        {
            self.live_acts.insert(self.growth.graph.episode(idx).start);
            self.act_begun();
        }
        let changed = self.holdings.on_transition(transition, pass);
        match transition {
            // Nearly every block comes into an episode that nothing was taken from.
            Transition::Owned(run, Some(to)) if self.late || self.candidates[to.at()].touched => {
                run.blocks().for_each(|block| self.strip_arrival(block, pass));
            }
            Transition::Edge { from, to, added } => {
                let waits = u32::from(!self.candidates[to.at()].whole);
                let drawn = &mut self.candidates[from.at()];
                if added {
                    drawn.n_drawn += 1;
                    drawn.n_waiting += waits;
                    self.candidates[to.at()].dependencies.push(from);
                } else {
                    drawn.n_drawn -= 1;
                    drawn.n_waiting -= waits;
                    self.candidates[to.at()].dependencies.retain(|on| *on != from);
                }
                self.refresh_candidate(from);
            }
            Transition::Lives(idx, Life::Closed) => {
                self.candidates[idx.at()].closed_at = self.n_acts;
                if self.preferences.guard > 0 && self.episode_kind(idx) == EpisodeKind::Exploratory {
                    self.lapses.push_back((self.n_acts.saturating_add(self.preferences.guard), idx));
                }
            }
            Transition::Changed { block, .. } => self.strip_arrival(block, pass),
            _ => {}
        }
        changed.into_iter().flatten().for_each(|idx| self.on_level_change(idx));
    }

    fn on_release(&mut self, block: BlockIdx, pass: &mut Pass<'_>) {
        self.strip_arrival(block, pass);
    }

    fn evict(&mut self, pass: &mut Pass<'_>) {
        let stop = pass.share_of_budget(self.options.low_water.into());
        let is_cheap = self.preferences.cheap_turns.binary_search(&pass.turn).is_ok();
        if !pass.is_over() && !is_cheap {
            return;
        }
        self.protected = protected_from(pass.input.session, self.options.protected_turns, pass.turn);
        while pass.total() > stop
            && let Some(target) = self.next()
        {
            self.strip_candidate(target, stop, pass);
        }
        for held in core::mem::take(&mut self.held) {
            self.candidates[held.at()].exhausted = false;
            self.refresh_candidate(held);
        }
    }
}
