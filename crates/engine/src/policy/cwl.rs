//! `cwl`: the policy of the paper (section 4.4, Algorithm 1), with its options.
//!
//! Oldest act first; an exploration only after all acts that draw on it are fully evicted; within an
//! episode reasoning, then bulk output, then intermediate artefacts, then the whole. What is evicted stays
//! evicted, and a half-stripped target goes on where it was.

use alloc::boxed::Box;
use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;
use core::ops::Bound;

use crate::{
    BlockIdx, BlockKind, EpisodeIdx, EpisodeKind, EvictionLevel, EvictionStep, Granularity, GraphChange,
    Ledger, PolicyOptions, PolicyRun, ReplayInput, ResidueOption, Session, StepLog, Subject, TurnIdx,
    protected_from,
};

pub(super) fn begin<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    begin_guarded(input, 0)
}

/// Begins a run that takes an exploration on which no act has drawn only after all others, until `guard` acts
/// have begun since it closed.
pub(super) fn begin_guarded<'a>(input: ReplayInput<'a>, guard: u64) -> Box<dyn PolicyRun + 'a> {
    Box::new(Cwl::new(input, guard))
}

/// Start order is the tie-break everywhere.
type Ready = BTreeSet<(BlockIdx, EpisodeIdx)>;

/// Where an episode stands among the candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Standing {
    /// It may not go.
    #[default]
    Out,
    /// It may go.
    Ready,
    /// It may go when nothing else can: an exploration that an act may still draw on.
    Fresh,
}

#[derive(Debug, Clone, Default)]
struct State {
    open: bool,
    standing: Standing,
    level: u8,
    /// The last level that is on has been reached, and it is not the last of all.
    exhausted: bool,
    /// Something of it was evicted, by a step or by the harness.
    touched: bool,
    /// An exploration whose description is known.
    described: bool,
    /// The level and the residue when the harness took the last block; `Some` while it has taken all.
    emptied_at: Option<(u8, bool)>,
    n_blocks: u32,
    n_dropped: u32,
    /// Acts with an edge from here that are not fully evicted.
    n_waiting: u32,
    /// Acts that draw on it.
    n_drawn: u32,
    /// How many acts had begun when it closed.
    closed_at: u64,
    dependencies: Vec<EpisodeIdx>,
}

struct Cwl<'a> {
    session: &'a Session,
    input: ReplayInput<'a>,
    options: &'a PolicyOptions,
    kinds: Vec<EpisodeKind>,
    starts: Vec<BlockIdx>,
    states: Vec<State>,
    owners: Vec<Option<EpisodeIdx>>,
    levels: Vec<EvictionLevel>,
    acts: Ready,
    explorations: Ready,
    stretches: Ready,
    fresh: Ready,
    /// How many acts have to begin before an exploration that none of them draws on is like the others.
    guard: u64,
    /// How many acts have begun.
    n_acts: u64,
    /// Explorations in the order in which they closed, with the number of acts at which each is fresh no more.
    lapses: VecDeque<(u64, EpisodeIdx)>,
    /// Starts of the acts that are not fully evicted: a stretch waits for all that start after it.
    live_acts: BTreeSet<BlockIdx>,
    held: Vec<EpisodeIdx>,
    /// Late marks move blocks from one episode to another.
    late: bool,
    /// What is left of the target, and the step's blocks: kept between steps for their memory alone.
    left: Vec<(EvictionLevel, BlockIdx)>,
    taken: Vec<BlockIdx>,
    /// Messages from here on are protected in this pass.
    protected: usize,
}

impl<'a> Cwl<'a> {
    fn new(input: ReplayInput<'a>, guard: u64) -> Self {
        let (session, graph) = (input.session, &input.growth.graph);
        let n_episodes = graph.episodes.len();
        let classify_shell = input.options.classify_shell;
        Self {
            session,
            input,
            options: input.options,
            kinds: graph.episodes.iter().map(|episode| episode.kind).collect(),
            starts: graph.episodes.iter().map(|episode| episode.start).collect(),
            states: alloc::vec![State::default(); n_episodes],
            owners: alloc::vec![None; session.blocks.len()],
            levels: session
                .blocks
                .iter()
                .map(|block| EvictionLevel::of_block(block, classify_shell))
                .collect(),
            acts: Ready::new(),
            explorations: Ready::new(),
            stretches: Ready::new(),
            fresh: Ready::new(),
            guard,
            n_acts: 0,
            lapses: VecDeque::new(),
            live_acts: BTreeSet::new(),
            held: Vec::new(),
            late: input.growth.has_late_marks(),
            left: Vec::new(),
            taken: Vec::new(),
            protected: usize::MAX,
        }
    }

    /// Returns the level that takes a block of that episode: where its own does not apply, the last.
    fn level_of(&self, block: BlockIdx, episode: EpisodeIdx) -> EvictionLevel {
        let level = self.levels[block.at()];
        if level.applies_to(self.kinds[episode.at()]) && self.options.is_on(level) {
            level
        } else {
            EvictionLevel::WholeEpisode
        }
    }

    /// Puts an episode among the candidates or takes it out, by its present state.
    fn refresh(&mut self, idx: EpisodeIdx) {
        let state = &self.states[idx.at()];
        let key = (self.starts[idx.at()], idx);
        let may = !state.open && state.level < 4 && !state.exhausted && state.n_waiting == 0;
        let standing = match (may, self.is_fresh(idx)) {
            (false, _) => Standing::Out,
            (true, false) => Standing::Ready,
            (true, true) => Standing::Fresh,
        };
        let was = core::mem::replace(&mut self.states[idx.at()].standing, standing);
        if was == standing {
            return;
        }
        if let Some(ready) = self.place(was, idx) {
            ready.remove(&key);
        }
        if let Some(ready) = self.place(standing, idx) {
            ready.insert(key);
        }
    }

    fn place(&mut self, standing: Standing, idx: EpisodeIdx) -> Option<&mut Ready> {
        match (standing, self.kinds[idx.at()]) {
            (Standing::Out, _) => None,
            (Standing::Fresh, _) => Some(&mut self.fresh),
            (Standing::Ready, EpisodeKind::Action) => Some(&mut self.acts),
            (Standing::Ready, EpisodeKind::Exploratory) => Some(&mut self.explorations),
            (Standing::Ready, EpisodeKind::Unannotated) => Some(&mut self.stretches),
        }
    }

    fn is_fresh(&self, idx: EpisodeIdx) -> bool {
        let state = &self.states[idx.at()];
        self.guard > 0
            && self.kinds[idx.at()] == EpisodeKind::Exploratory
            && state.n_drawn == 0
            && self.n_acts < state.closed_at.saturating_add(self.guard)
    }

    /// An act has begun: explorations that have waited for enough of them are fresh no more.
    fn act_begun(&mut self) {
        self.n_acts += 1;
        while let Some((at, idx)) = self.lapses.front().copied()
            && at <= self.n_acts
        {
            self.lapses.pop_front();
            self.refresh(idx);
        }
    }

    fn set_level(&mut self, idx: EpisodeIdx, level: u8) {
        let was_whole = self.states[idx.at()].level == 4;
        self.states[idx.at()].level = level;
        self.states[idx.at()].touched |= level > 0;
        if self.kinds[idx.at()] == EpisodeKind::Action && was_whole != (level == 4) {
            let start = self.starts[idx.at()];
            if level == 4 {
                self.live_acts.remove(&start);
            } else {
                self.live_acts.insert(start);
            }
            for at in 0..self.states[idx.at()].dependencies.len() {
                let on = self.states[idx.at()].dependencies[at];
                let n_waiting = &mut self.states[on.at()].n_waiting;
                *n_waiting = if level == 4 { *n_waiting - 1 } else { *n_waiting + 1 };
                self.refresh(on);
            }
        }
        self.refresh(idx);
    }

    /// The oldest act, else the oldest of the others, by start; what is fresh only when nothing else can go.
    fn candidate(&self) -> Option<EpisodeIdx> {
        if let Some((_, act)) = self.acts.first() {
            return Some(*act);
        }
        let after = match self.live_acts.last() {
            Some(start) => Bound::Excluded((*start, EpisodeIdx::new(u32::MAX as usize))),
            None => Bound::Unbounded,
        };
        let stretch = self.stretches.range((after, Bound::Unbounded)).next();
        let oldest = self.explorations.first().into_iter().chain(stretch).min();
        oldest.or_else(|| self.fresh.first()).map(|(_, idx)| *idx)
    }

    /// Strips one candidate from its own level on, until `stop` is met or nothing is left.
    fn strip(
        &mut self,
        idx: EpisodeIdx,
        stop: u64,
        turn: TurnIdx,
        ledger: &mut Ledger<'_>,
        log: &mut StepLog,
    ) {
        let mut left = core::mem::take(&mut self.left);
        left.clear();
        left.extend(self.members(idx).filter(|&b| ledger.is_live(b)).map(|b| (self.level_of(b, idx), b)));
        self.strip_left(idx, &mut left, stop, turn, ledger, log);
        self.left = left;
    }

    fn strip_left(
        &mut self,
        idx: EpisodeIdx,
        left: &mut Vec<(EvictionLevel, BlockIdx)>,
        stop: u64,
        turn: TurnIdx,
        ledger: &mut Ledger<'_>,
        log: &mut StepLog,
    ) {
        let next = usize::from(self.states[idx.at()].level);
        for level in EvictionLevel::ALL.into_iter().skip(next) {
            let whole = level == EvictionLevel::WholeEpisode;
            if whole {
                let is_on = self.options.is_on(level);
                if !is_on || left.iter().any(|(_, block)| self.is_protected(*block, ledger)) {
                    if is_on {
                        self.held.push(idx);
                    }
                    self.states[idx.at()].exhausted = true;
                    return self.refresh(idx);
                }
            } else if !self.options.is_on(level) || !level.applies_to(self.kinds[idx.at()]) {
                continue;
            }
            loop {
                let more = self.take(level, left, ledger);
                let silent = self.taken.is_empty() && !whole;
                let before = ledger.total();
                for &block in &self.taken {
                    ledger.evict(block);
                }
                // A protected block that this level would take keeps the level from being reached.
                let reached = !more && !left.iter().any(|(own, _)| *own == level);
                let residue = whole && self.leaves_residue(idx);
                if residue {
                    ledger.set_residue(idx, true);
                }
                if !silent {
                    let subject = Subject::Episode(idx);
                    let step = EvictionStep {
                        reached,
                        residue,
                        ..EvictionStep::new(turn, subject, level.into(), before, ledger.total())
                    };
                    log.step(step, &self.taken);
                    self.states[idx.at()].touched = true;
                    if reached {
                        self.set_level(idx, level.number());
                    }
                }
                if ledger.total() <= stop {
                    return;
                }
                if !more {
                    break;
                }
            }
        }
    }

    /// Moves what one step at a level takes from `left` to `taken`; tells whether the level has more steps.
    fn take(
        &mut self,
        level: EvictionLevel,
        left: &mut Vec<(EvictionLevel, BlockIdx)>,
        ledger: &Ledger<'_>,
    ) -> bool {
        let mut taken = core::mem::take(&mut self.taken);
        taken.clear();
        let whole = level == EvictionLevel::WholeEpisode;
        let by_item = !whole && self.options.granularity == Granularity::Item;
        let mut more = false;
        left.retain(|&(own, block)| {
            if !whole && own != level || self.is_protected(block, ledger) {
                return true;
            }
            // An item is one reasoning block, or a call with its results, which all stand after it.
            let belongs =
                taken.first().is_none_or(|first| self.session.blocks[block.at()].pair == Some(*first));
            if by_item && !belongs {
                more = true;
                return true;
            }
            taken.push(block);
            false
        });
        self.taken = taken;
        more
    }

    /// Only late marks take blocks out of an episode again.
    fn members(&self, idx: EpisodeIdx) -> impl Iterator<Item = BlockIdx> {
        let ever = self.input.growth.members(idx).iter().copied();
        ever.filter(move |block| !self.late || self.owners[block.at()] == Some(idx))
    }

    /// A call is protected with its result: a half would be refused by every provider.
    fn is_protected(&self, block: BlockIdx, ledger: &Ledger<'_>) -> bool {
        if ledger.is_pinned(block) {
            return true;
        }
        if self.protected == usize::MAX {
            return false;
        }
        let row = &self.session.blocks[block.at()];
        let after = |block: BlockIdx| self.session.stands_at(block) >= self.protected;
        after(block)
            || matches!(row.kind, BlockKind::Call(_))
                && row.pair.is_some_and(|result| after(result) && ledger.has_arrived(result))
    }

    fn leaves_residue(&self, idx: EpisodeIdx) -> bool {
        self.options.residue == ResidueOption::Description
            && self.states[idx.at()].described
            && self.input.growth.graph.get(idx).residue().is_some()
    }

    fn own(&mut self, block: BlockIdx, to: Option<EpisodeIdx>, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        let dropped = u32::from(ledger.is_dropped(block));
        if let Some(from) = core::mem::replace(&mut self.owners[block.at()], to) {
            let state = &mut self.states[from.at()];
            state.n_blocks -= 1;
            state.n_dropped -= dropped;
            self.note_emptied(from, ledger, log);
        }
        let Some(to) = to else { return };
        let state = &mut self.states[to.at()];
        state.n_blocks += 1;
        state.n_dropped += dropped;
        // Nearly every block comes into an episode that nothing was taken from.
        if state.n_dropped > 0 {
            self.note_emptied(to, ledger, log);
        }
        if self.late || self.states[to.at()].touched {
            self.strip_arrival(block, to, ledger, log);
        }
    }

    /// What comes into an episode (or comes back) arrives stripped to the episode's level; and a result whose
    /// call has gone goes after it, even where a late mark has since given the call to another episode.
    fn strip_arrival(&self, block: BlockIdx, to: EpisodeIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        let level = self.level_of(block, to);
        let row = &self.session.blocks[block.at()];
        let is_result = matches!(row.kind, BlockKind::Result(_));
        let call_gone = is_result && row.pair.is_some_and(|call| ledger.is_evicted(call));
        let is_stripped = call_gone || level.number() <= self.states[to.at()].level;
        if is_stripped && ledger.is_live(block) && !ledger.is_pinned(block) {
            ledger.evict(block);
            log.arrived_stripped(block, level);
        }
    }

    /// An episode that the harness has emptied is fully evicted by the harness, and leaves nothing.
    fn note_emptied(&mut self, idx: EpisodeIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        let state = &self.states[idx.at()];
        let emptied = !state.open && state.n_blocks > 0 && state.n_dropped == state.n_blocks;
        match (emptied, state.emptied_at) {
            (true, None) => {
                self.states[idx.at()].emptied_at = Some((state.level, ledger.has_residue(idx)));
                ledger.set_residue(idx, false);
                log.emptied(idx);
                self.set_level(idx, 4);
            }
            (false, Some((level, residue))) => {
                self.states[idx.at()].emptied_at = None;
                ledger.set_residue(idx, residue);
                log.refilled(idx, level, residue);
                self.set_level(idx, level);
            }
            _ => {}
        }
    }
}

impl PolicyRun for Cwl<'_> {
    fn grow(&mut self, change: &GraphChange, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        match *change {
            GraphChange::Arrived(_) => {}
            GraphChange::Opened(idx) => {
                self.states[idx.at()].open = true;
                if self.kinds[idx.at()] == EpisodeKind::Action {
                    self.live_acts.insert(self.starts[idx.at()]);
                    self.act_begun();
                }
            }
            GraphChange::Owned(block, to) => {
                self.own(block, to, ledger, log);
            }
            GraphChange::Edge { from, to, added } => {
                let waits = u32::from(self.states[to.at()].level < 4);
                if added {
                    self.states[to.at()].dependencies.push(from);
                    self.states[from.at()].n_drawn += 1;
                    self.states[from.at()].n_waiting += waits;
                } else {
                    self.states[to.at()].dependencies.retain(|on| *on != from);
                    self.states[from.at()].n_drawn -= 1;
                    self.states[from.at()].n_waiting -= waits;
                }
                self.refresh(from);
            }
            GraphChange::Described(idx, described) => self.states[idx.at()].described = described,
            GraphChange::Closed(idx) => {
                self.states[idx.at()].open = false;
                self.states[idx.at()].closed_at = self.n_acts;
                if self.guard > 0 && self.kinds[idx.at()] == EpisodeKind::Exploratory {
                    self.lapses.push_back((self.n_acts.saturating_add(self.guard), idx));
                }
                self.refresh(idx);
                self.note_emptied(idx, ledger, log);
            }
            GraphChange::Reopened(idx) => {
                self.states[idx.at()].open = true;
                self.refresh(idx);
            }
            GraphChange::Vanished(idx) => {
                self.states[idx.at()].open = true;
                self.refresh(idx);
            }
            GraphChange::Dropped(block, _) => {
                if let Some(owner) = self.owners[block.at()] {
                    self.states[owner.at()].n_dropped += 1;
                    self.note_emptied(owner, ledger, log);
                }
            }
            GraphChange::Restored(block) => {
                if let Some(owner) = self.owners[block.at()] {
                    self.states[owner.at()].n_dropped -= 1;
                    self.note_emptied(owner, ledger, log);
                    self.strip_arrival(block, owner, ledger, log);
                }
            }
        }
    }

    fn pass(&mut self, turn: TurnIdx, ledger: &mut Ledger<'_>, log: &mut StepLog) {
        if ledger.total() <= self.input.budget {
            return;
        }
        let stop = low_water(self.input.budget, self.options.low_water);
        self.protected = protected_from(self.session, self.options.protected_turns, turn);
        while ledger.total() > stop
            && let Some(target) = self.candidate()
        {
            self.strip(target, stop, turn, ledger, log);
        }
        for held in core::mem::take(&mut self.held) {
            self.states[held.at()].exhausted = false;
            self.refresh(held);
        }
    }
}

pub(super) fn low_water(budget: u64, per_mille: u32) -> u64 {
    u64::try_from(u128::from(budget) * u128::from(per_mille) / 1000).unwrap_or(budget)
}
