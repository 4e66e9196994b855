//! `cwl`: the paper's policy (section 4.4, Algorithm 1), with its options.
//!
//! The oldest act goes first, and an exploration only after every act that draws on it is fully
//! evicted. Within an episode, reasoning goes first, then bulk output, intermediate artefacts, and
//! finally the whole episode. Evicted content stays evicted, and a half-stripped episode continues
//! at its level.

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

/// A variant's deviations from Algorithm 1; none by default.
#[derive(Debug, Clone, Default)]
pub(super) struct Preferences {
    /// Number of acts that must begin after an exploration closes before it counts as ordinary.
    /// Until then, an exploration no act draws on is evicted last.
    pub(super) guard: u64,
    /// Turns whose pass evicts down to the low mark although τ is met, in order.
    pub(super) cheap_turns: Vec<TurnIdx>,
}

type CandidateKey = BTreeSet<(BlockIdx, EpisodeIdx)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CandidateQueue {
    Acts,
    Explorations,
    Stretches,
    /// Explorations an act may still draw on; evicted last.
    Fresh,
}

#[derive(Debug, Clone, Default)]
struct Candidate {
    queue: Option<CandidateQueue>,
    exhausted: bool,
    touched: bool,
    whole: bool,
    n_waiting: u32,
    n_drawn: u32,
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
    /// Closed explorations in order, each with the number of acts after which it is no longer fresh.
    lapses: VecDeque<(u64, EpisodeIdx)>,
    /// Start positions of acts not fully evicted: a stretch waits for every later act.
    live_acts: BTreeSet<BlockIdx>,
    held: Vec<EpisodeIdx>,
    late: bool,
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

    fn act_begun(&mut self) {
        self.n_acts += 1;
        while let Some((at, idx)) = self.lapses.front().copied()
            && at <= self.n_acts
        {
            self.lapses.pop_front();
            self.refresh_candidate(idx);
        }
    }

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

    /// Returns the next episode to strip: the oldest act, else the oldest exploration or stretch,
    /// else a fresh exploration.
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

    /// Takes one step at `level`; returns `true` if the level has more steps.
    fn strip_level(&mut self, idx: EpisodeIdx, level: EvictionLevel, pass: &mut Pass<'_>) -> bool {
        let whole = level == EvictionLevel::WholeEpisode;
        let by_item = !whole && self.options.granularity == Granularity::Item;
        let session = pass.input.session;
        let (mut more, mut reached, mut first) = (false, true, None);
        let levels = if whole { ALL_LEVELS } else { level as usize..level as usize + 1 };
        for &block in self.blocks_of(idx, levels) {
            // Held blocks go once the next reply has arrived.
            if !self.is_left(block, idx, pass) || pass.is_held(block) {
                continue;
            }
            if self.is_protected(block, pass) {
                // A protected block keeps its level from being reached.
                reached = false;
                continue;
            }
            // An item is one reasoning block, or a call with all its results behind it.
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

    /// Returns all blocks the episode ever held at the given levels. A block whose level is off or
    /// does not apply is found only in the range of all levels.
    fn blocks_of(&self, idx: EpisodeIdx, levels: Range<usize>) -> &'a [BlockIdx] {
        self.growth.members_at(idx, levels, self.options.classify_shell)
    }

    fn is_left(&self, block: BlockIdx, idx: EpisodeIdx, pass: &Pass<'_>) -> bool {
        pass.state(block).is_there() && (!self.late || self.holdings.owner_of(block) == Some(idx))
    }

    fn holds_protected(&self, idx: EpisodeIdx, pass: &Pass<'_>) -> bool {
        let may_be = self.protected != usize::MAX || !pass.input.pins.is_empty();
        let is_held = |block: &BlockIdx| self.is_left(*block, idx, pass) && self.is_protected(*block, pass);
        may_be && self.blocks_of(idx, ALL_LEVELS).iter().any(is_held)
    }

    /// A call is protected if its result is, because providers refuse half a pair.
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

    /// Strips an arriving or restored block to its episode's level. An evicted pair's other half goes too,
    /// even if a late mark has given both to another episode.
    fn strip_arrival(&self, block: BlockIdx, pass: &mut Pass<'_>) {
        let Some(owner) = self.holdings.owner_of(block) else { return };
        let level = level_of(self.growth, self.options, block, self.episode_kind(owner));
        let is_reached = level.number() <= self.holdings.episode(owner).level;
        if is_reached && !pass.has_call(block) || pass.has_lost_half(block) {
            pass.strip_arrival(block, level);
        }
    }
}

const ALL_LEVELS: Range<usize> = 0..EvictionLevel::ALL.len();

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
            // Nearly every block arrives in an untouched episode.
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
