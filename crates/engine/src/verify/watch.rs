//! Fact watch: a listener that records which required facts are lost, and when.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::unpaired::{PairingFault, UnpairedCalls};
use super::{PinnedText, ProbeCount, WatchedKind, Watchlist};
use crate::{
    Action, BlockIdx, BlockKind, BlockState, BlockStates, EpisodeIdx, EpisodeKind, EvictionStep, Finding,
    FindingKind, Life, PolicyFamily, Replay, ReplayInput, ReplyOutcome, Session, Summary, Transition,
    TurnIdx, UnansweredReason,
};

/// A pass that takes this many times what it must, …
const MUCH_MORE: u64 = 3;
/// … and leaves the request below its stop by this part of τ, takes far more than it must.
const MUCH_OF_BUDGET: u64 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FactKind {
    PinnedBlock,
    Text(usize),
    Episode(EpisodeIdx),
    Call,
    Todo(usize),
}

impl FactKind {
    fn is_loop(self) -> bool {
        matches!(self, Self::Episode(_) | Self::Call | Self::Todo(_))
    }
}

#[derive(Debug, Clone)]
struct Fact {
    kind: FactKind,
    open: bool,
    /// Number of holding blocks: unchanged, taken by the policy, arrived.
    n_there: u32,
    n_taken: u32,
    n_arrived: u32,
    n_texts: u32,
    last: Option<BlockIdx>,
    gone: Option<BlockIdx>,
    counted: bool,
    probe: ProbeCount,
    finding: Option<usize>,
    dirty: bool,
}

impl Fact {
    fn is_asked(&self, from: Option<TurnIdx>) -> bool {
        if from.is_some() { self.open } else { self.n_arrived > 0 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tie {
    Holds,
    Opens,
    Closes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TextHolder {
    Summary(u32),
    Residue(EpisodeIdx),
}

pub(super) struct FactWatch<'a> {
    input: &'a ReplayInput<'a>,
    watchlist: &'a Watchlist<'a>,
    tied: Vec<bool>,
    halves: UnpairedCalls<'a>,
    facts: Vec<Fact>,
    first_text: u32,
    ties: Vec<(BlockIdx, u32, Tie)>,
    due: Vec<(TurnIdx, u32)>,
    episodes: BTreeMap<EpisodeIdx, u32>,
    dirty: Vec<u32>,
    open_loops: BTreeSet<u32>,
    held_by: BTreeMap<TextHolder, Vec<u32>>,
    pub(super) n_loops: u32,
    pub(super) probes: ProbeCount,
    over: Option<usize>,
    pub(super) findings: Vec<Finding>,
}

impl<'a> FactWatch<'a> {
    pub(super) fn new(input: &'a ReplayInput<'a>, watchlist: &'a Watchlist<'a>) -> Self {
        let session = input.session;
        let mut watch = Self {
            input,
            watchlist,
            tied: alloc::vec![false; session.blocks.len()],
            halves: UnpairedCalls::new(session, input.growth),
            facts: Vec::new(),
            first_text: 0,
            ties: Vec::new(),
            due: Vec::new(),
            episodes: BTreeMap::new(),
            dirty: Vec::new(),
            open_loops: BTreeSet::new(),
            held_by: BTreeMap::new(),
            n_loops: 0,
            probes: ProbeCount::default(),
            over: None,
            findings: Vec::new(),
        };
        watch.list_facts();
        watch
    }

    fn list_facts(&mut self) {
        let (session, growth) = (self.input.session, self.input.growth);
        for block in self.input.pins {
            let fact = self.add_fact(FactKind::PinnedBlock);
            self.tie_block(*block, fact, Tie::Holds);
        }
        self.first_text = u32::try_from(self.facts.len()).unwrap_or(u32::MAX);
        for (at, text) in self.watchlist.texts.iter().enumerate() {
            let fact = self.add_fact(FactKind::Text(at));
            for block in text.blocks {
                // A block never sent to the model holds nothing.
                let message = session.message_of(*block);
                if !session.is_excluded(*block) && message.outcome == ReplyOutcome::Complete {
                    self.tie_block(*block, fact, Tie::Holds);
                }
            }
            if let WatchedKind::Probe(Some(from)) = text.kind {
                self.due.push((from, fact));
            }
        }
        for (idx, episode) in growth.graph.episodes() {
            if episode.kind != EpisodeKind::Unannotated {
                let fact = self.add_fact(FactKind::Episode(idx));
                self.tie_block(episode.start, fact, Tie::Holds);
                self.episodes.insert(idx, fact);
            }
        }
        for (call, answer) in pending_calls(session) {
            let fact = self.add_fact(FactKind::Call);
            self.tie_block(call, fact, Tie::Holds);
            match answer {
                Some(result) => {
                    self.tie_block(call, fact, Tie::Opens);
                    self.tie_block(result, fact, Tie::Closes);
                }
                None => self.due.push((session.last_turn(), fact)),
            }
        }
        for (at, todo) in self.watchlist.todos.iter().enumerate() {
            let fact = self.add_fact(FactKind::Todo(at));
            self.tie_block(todo.opened, fact, Tie::Opens);
            for block in &todo.blocks {
                self.tie_block(*block, fact, Tie::Holds);
            }
            if let Some(closed) = todo.closed {
                self.tie_block(closed, fact, Tie::Closes);
            }
        }
        self.ties.sort_unstable();
        self.ties.dedup();
        self.due.sort_unstable_by(|a, b| b.cmp(a));
    }

    fn add_fact(&mut self, kind: FactKind) -> u32 {
        self.facts.push(Fact {
            kind,
            open: false,
            n_there: 0,
            n_taken: 0,
            n_arrived: 0,
            n_texts: 0,
            last: None,
            gone: None,
            counted: false,
            probe: ProbeCount::default(),
            finding: None,
            dirty: false,
        });
        u32::try_from(self.facts.len() - 1).unwrap_or(u32::MAX)
    }

    fn tie_block(&mut self, block: BlockIdx, fact: u32, tie: Tie) {
        if let Some(tied) = self.tied.get_mut(block.at()) {
            *tied = true;
            self.ties.push((block, fact, tie));
        }
    }

    pub(super) fn on_transition(&mut self, transition: Transition, states: &BlockStates, replay: &Replay) {
        match transition {
            Transition::Arrived(run) => {
                run.blocks()
                    .for_each(|block| self.set_state(block, BlockState::default(), states.state(block)));
            }
            Transition::Changed { block, was, is, .. } => self.set_state(block, was, is),
            Transition::Lives(idx, life) => {
                if let Some(fact) = self.episodes.get(&idx).copied() {
                    self.set_open(fact, life == Life::Open);
                }
            }
            Transition::Placed(number) => self.on_summary(number, replay.summary_numbered(number)),
            Transition::Lifted(number) => self.set_held(TextHolder::Summary(number), Vec::new()),
            Transition::Residue(idx, present) => {
                let residue =
                    if present { self.input.growth.graph.episode(idx).residue_text() } else { None };
                let holders = residue.map_or_else(Vec::new, |text| self.texts_in(&text));
                self.set_held(TextHolder::Residue(idx), holders);
            }
            Transition::Owned(..) | Transition::Edge { .. } | Transition::Described(..) => {}
        }
    }

    fn set_open(&mut self, fact: u32, open: bool) {
        self.facts[fact as usize].open = open;
        if open {
            self.open_loops.insert(fact);
        } else {
            self.open_loops.remove(&fact);
        }
        self.touch_fact(fact);
    }

    fn touch_fact(&mut self, fact: u32) {
        if !core::mem::replace(&mut self.facts[fact as usize].dirty, true) {
            self.dirty.push(fact);
        }
    }

    fn on_summary(&mut self, number: u32, summary: &Summary) {
        let material = self.input.material;
        let mut holders = if self.watchlist.texts.is_empty() {
            Vec::new()
        } else {
            self.texts_in(&summary.write_text(material))
        };
        let lines = || summary.lines.iter().filter_map(|line| material.digest.get(*line as usize));
        for fact in &self.open_loops {
            let is_held = match self.facts[*fact as usize].kind {
                FactKind::Todo(at) => lines().any(|line| line.text.contains(&*self.watchlist.todos[at].text)),
                FactKind::Episode(_) | FactKind::Call => {
                    lines().any(|line| self.ties.binary_search(&(line.block, *fact, Tie::Holds)).is_ok())
                }
                FactKind::PinnedBlock | FactKind::Text(_) => false,
            };
            if is_held {
                holders.push(*fact);
            }
        }
        self.set_held(TextHolder::Summary(number), holders);
    }

    /// Returns the watched texts in `text`. Other facts are skipped, so a session with many episodes does
    /// not check every fact per description.
    fn texts_in(&self, text: &str) -> Vec<u32> {
        let facts = (self.first_text..).zip(self.watchlist.texts);
        facts.filter(|(_, watched)| (watched.holds)(text)).map(|(at, _)| at).collect()
    }

    fn set_held(&mut self, source: TextHolder, facts: Vec<u32>) {
        for fact in &facts {
            self.facts[*fact as usize].n_texts += 1;
            self.touch_fact(*fact);
        }
        let before =
            if facts.is_empty() { self.held_by.remove(&source) } else { self.held_by.insert(source, facts) };
        for fact in before.unwrap_or_default() {
            self.facts[fact as usize].n_texts -= 1;
            self.touch_fact(fact);
        }
    }

    fn set_state(&mut self, block: BlockIdx, was: BlockState, is: BlockState) {
        self.halves.set_state(block, was, is);
        if self.tied[block.at()] {
            self.set_facts(block, was, is);
        }
    }

    fn set_facts(&mut self, block: BlockIdx, was: BlockState, is: BlockState) {
        let is_there = BlockState::is_there;
        let is_taken = |state: BlockState| state.has_arrived() && !state.is_dropped() && !is_there(state);
        let came = !was.has_arrived() && is.has_arrived();
        let first = self.ties.partition_point(|(other, _, _)| *other < block);
        for at in first..self.ties.len() {
            let (other, number, tie) = self.ties[at];
            if other != block {
                break;
            }
            match tie {
                Tie::Opens if came => self.set_open(number, true),
                Tie::Closes if came => self.set_open(number, false),
                Tie::Opens | Tie::Closes => {}
                Tie::Holds => {
                    let fact = &mut self.facts[number as usize];
                    fact.n_there = fact.n_there + u32::from(is_there(is)) - u32::from(is_there(was));
                    fact.n_taken = fact.n_taken + u32::from(is_taken(is)) - u32::from(is_taken(was));
                    fact.n_arrived += u32::from(came);
                    fact.last = Some(block);
                    if is_taken(is) {
                        fact.gone = Some(block);
                    }
                    self.touch_fact(number);
                }
            }
        }
    }

    pub(super) fn begin_turn(&mut self, turn: TurnIdx) {
        while let Some((_, fact)) = self.due.pop_if(|(from, _)| *from <= turn) {
            self.set_open(fact, true);
        }
        for at in 0..self.dirty.len() {
            self.count_loop(self.dirty[at]);
        }
    }

    fn count_loop(&mut self, fact: u32) {
        let fact = &mut self.facts[fact as usize];
        let counts = fact.kind.is_loop() && fact.open && fact.n_there + fact.n_texts > 0;
        match (core::mem::replace(&mut fact.counted, counts), counts) {
            (false, true) => self.n_loops += 1,
            (true, false) => self.n_loops -= 1,
            _ => {}
        }
    }

    fn count_probe(&mut self, number: u32) {
        let fact = &self.facts[number as usize];
        let FactKind::Text(at) = fact.kind else { return };
        let WatchedKind::Probe(from) = self.watchlist.texts[at].kind else { return };
        let is_asked = fact.is_asked(from);
        let is_answered = is_asked && fact.n_there + fact.n_texts > 0;
        let now = ProbeCount {
            asked: u64::from(is_asked),
            answered: u64::from(is_answered),
            taken: u64::from(is_asked && !is_answered && fact.n_taken > 0),
        };
        let was = core::mem::replace(&mut self.facts[number as usize].probe, now);
        let all = &mut self.probes;
        all.asked = all.asked + now.asked - was.asked;
        all.answered = all.answered + now.answered - was.answered;
        all.taken = all.taken + now.taken - was.taken;
    }

    pub(super) fn add_totals(&mut self, input: &ReplayInput<'_>, replay: &Replay, turn: TurnIdx) {
        let outcome = replay.outcome_at(turn);
        let (before, after) = (outcome.before, outcome.after);
        // Paging in is supposed to enlarge the context.
        let pages = || replay.steps_of(input, turn).steps.iter().all(|step| step.action == Action::PageIn);
        if outcome.n_steps > 0 && after >= before && !pages() {
            self.findings.push(Finding {
                turn,
                until: turn.number().checked_add(1).map(TurnIdx::new),
                block: None,
                taken: None,
                kind: FindingKind::NotSmaller { before, after },
            });
        }
        self.warn_of_excess(input, replay, turn);
        let above = after.saturating_sub(replay.budget_at(turn));
        match (outcome.over_budget, self.over) {
            (true, None) => {
                self.over = Some(self.findings.len());
                let kind = FindingKind::OverBudget { most: above };
                self.findings.push(Finding { turn, until: None, block: None, taken: None, kind });
            }
            (true, Some(at)) => {
                if let FindingKind::OverBudget { most } = &mut self.findings[at].kind {
                    *most = above.max(*most);
                }
            }
            (false, Some(at)) => {
                self.findings[at].until = Some(turn);
                self.over = None;
            }
            (false, None) => {}
        }
    }

    fn warn_of_excess(&mut self, input: &ReplayInput<'_>, replay: &Replay, turn: TurnIdx) {
        // Compaction and clearing take all that may go, whatever the request needs.
        if matches!(input.policy.family, PolicyFamily::Compaction | PolicyFamily::Clearing) {
            return;
        }
        let outcome = replay.outcome_at(turn);
        let stop = input.share_of_budget(input.options.low_water.into());
        let stop = stop.saturating_add(replay.budget_at(turn).saturating_sub(input.budget));
        let needed = outcome.before.saturating_sub(stop);
        let taken = outcome.before.saturating_sub(outcome.after);
        let below = stop.saturating_sub(outcome.after);
        let is_much = taken >= needed.saturating_mul(MUCH_MORE) && below >= input.budget / MUCH_OF_BUDGET;
        if outcome.n_steps == 0 || needed == 0 || !is_much {
            return;
        }
        let pass = replay.steps_of(input, turn);
        let size = |step: &EvictionStep| step.before.saturating_sub(step.after);
        let Some(largest) = pass.steps.iter().max_by_key(|step| size(step)) else { return };
        let (after, step) = (outcome.after, size(largest));
        self.findings.push(Finding {
            turn,
            until: turn.number().checked_add(1).map(TurnIdx::new),
            block: None,
            taken: pass.blocks_of(largest).first().copied(),
            kind: FindingKind::TooMuchTaken { taken, needed, after, stop, step },
        });
    }

    pub(super) fn settle_facts(&mut self, turn: TurnIdx) {
        let findings = &mut self.findings;
        self.halves.settle_pairs(|known, wrong| note_finding(findings, turn, known, wrong));
        let mut facts = core::mem::take(&mut self.dirty);
        for number in facts.drain(..) {
            self.count_loop(number);
            self.count_probe(number);
            let fact = &mut self.facts[number as usize];
            fact.dirty = false;
            let (known, found) = (fact.finding, self.lost_fact(number));
            self.facts[number as usize].finding = note_finding(&mut self.findings, turn, known, found);
        }
        self.dirty = facts;
    }

    fn lost_fact(&self, number: u32) -> Option<PairingFault> {
        let fact = &self.facts[number as usize];
        if fact.n_there + fact.n_texts > 0 {
            return None;
        }
        let by_policy = fact.n_taken > 0;
        let gone = fact.gone.filter(|_| by_policy);
        let kind = match fact.kind {
            FactKind::PinnedBlock => FindingKind::PinnedBlockTaken,
            FactKind::Text(at) => {
                let PinnedText { text, kind, .. } = self.watchlist.texts[at];
                match kind {
                    WatchedKind::Pin => FindingKind::PinLost { pin: Arc::clone(text) },
                    WatchedKind::Probe(from) => {
                        let is_asked = fact.is_asked(from);
                        let why = match (by_policy, fact.n_arrived) {
                            (true, _) => UnansweredReason::Policy,
                            (false, 0) => UnansweredReason::NotYet,
                            (false, _) => UnansweredReason::Harness,
                        };
                        let kind = FindingKind::Unanswerable { probe: Arc::clone(text), why };
                        return is_asked.then_some((kind, gone.or(fact.last), gone));
                    }
                }
            }
            FactKind::Episode(_) | FactKind::Call | FactKind::Todo(_) if !fact.open => return None,
            FactKind::Episode(episode) => {
                let name = self.input.growth.graph.episode(episode).name.clone();
                FindingKind::EpisodeLost { episode, name }
            }
            FactKind::Call => FindingKind::PendingCallLost,
            FactKind::Todo(at) => FindingKind::TodoLost { item: Arc::clone(&self.watchlist.todos[at].text) },
        };
        by_policy.then_some((kind, gone, gone))
    }

    /// A probe with a turn is already reported as unanswerable.
    pub(super) fn report_unmatched(&mut self, now: TurnIdx) {
        for fact in &self.facts {
            if let FactKind::Text(at) = fact.kind
                && fact.n_arrived == 0
                && fact.n_texts == 0
                && fact.finding.is_none()
            {
                let kind = FindingKind::MatchesNothing { text: Arc::clone(self.watchlist.texts[at].text) };
                self.findings.push(Finding { turn: now, until: None, block: None, taken: None, kind });
            }
        }
    }
}

fn note_finding(
    findings: &mut Vec<Finding>,
    turn: TurnIdx,
    known: Option<usize>,
    wrong: Option<PairingFault>,
) -> Option<usize> {
    if let (Some(at), Some((kind, ..))) = (known, &wrong)
        && findings[at].kind == *kind
    {
        return Some(at);
    }
    if let Some(at) = known {
        findings[at].until = Some(turn);
    }
    let (kind, block, taken) = wrong?;
    findings.push(Finding { turn, until: None, block, taken, kind });
    Some(findings.len() - 1)
}

/// Lists calls still unanswered at some request, each with its late result; calls in the newest reply may
/// still be running.
fn pending_calls(session: &Session) -> Vec<(BlockIdx, Option<BlockIdx>)> {
    let mut turns = alloc::vec![0u32; session.messages.len()];
    let mut at = 0;
    for (number, turn) in (0u32..).zip(&session.turns) {
        if let Some(before) = turns.get_mut(at..turn.end) {
            before.fill(number);
        }
        at = turn.end;
    }
    let newest = session.turns.iter().rev().find_map(|turn| turn.message);
    let calls = session
        .blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| matches!(block.kind, BlockKind::Call(_)) && block.stands_for.is_none());
    calls
        .filter(|(_, block)| session.messages[block.message.at()].outcome == ReplyOutcome::Complete)
        .filter_map(|(at, block)| match block.pair {
            Some(result) => {
                let of_result = session.blocks[result.at()].message;
                let is_late = turns[block.message.at()] < turns[of_result.at()];
                is_late.then_some((BlockIdx::new(at), Some(result)))
            }
            None => (Some(block.message) == newest).then_some((BlockIdx::new(at), None)),
        })
        .collect()
}
