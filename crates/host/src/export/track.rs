//! Tracks: a view moved through time, with only its changes written down.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{
    BlockIdx, Eligibility, EpisodeIdx, Fate, Fates, KeptReason, Life, MessageOrigin, PolicyMessage, Presence,
    ReplayWalk, TurnIdx, Waits, eligibility_among,
};
use cwl_inspect::figures::saturate_u32;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::measure::run::ReplayRun;
use cwl_inspect::present::item::{ContextRow, made_row, make_item};

use super::rows::{RowKey, RowTable};
use crate::ApiError;
use crate::commands::context::held_by;
use crate::commands::episode::{always_true, at_cut, kept_units};
use crate::commands::replay::left_of_episode;
use crate::dto::{EpisodeAlwaysDto, EpisodeAtCutDto, ExportedStateDto, ExportedViewDto};

/// Sets episode `at` to a value, and appends that to `changes` if it differs from the last one.
fn set_value(last: &mut [u32], changes: &mut Vec<u32>, place: u32, at: usize, value: u32) {
    if let Some(last) = last.get_mut(at).filter(|last| **last != value) {
        *last = value;
        changes.extend([place, saturate_u32(at), value]);
    }
}

/// Identifies a row's state. While it stays the same, nothing is written.
#[derive(Debug, Clone, PartialEq)]
struct RowStateKey {
    fate: Option<Fate>,
    episode: Option<EpisodeIdx>,
}

/// Values that determine the sentence about an episode.
#[derive(Debug, Clone, PartialEq)]
struct EpisodeWording {
    level: u8,
    left: u32,
    /// Units in the context, which grow while the episode is active.
    kept: u64,
    /// The harness took the last block.
    emptied: bool,
    residue: bool,
    life: Life,
    eligibility: Eligibility,
    met: Option<bool>,
}

type PolicyText = Vec<(usize, PolicyMessage)>;

pub(super) struct Track<'a> {
    opened: &'a SessionSnapshot,
    run: &'a ReplayRun,
    table: &'a mut RowTable,
    pub(super) out: ExportedViewDto,
    levels: Vec<u32>,
    left: Vec<u32>,
    states: BTreeMap<ExportedStateDto, u32>,
    seen: Vec<Option<RowStateKey>>,
    /// Tokens that each row adds to `gone_tokens`.
    gone: Vec<u64>,
    /// Tokens in rows outside the context.
    pub(super) gone_tokens: u64,
    /// Blocks in the context. Only these and touched blocks can change.
    sent: BTreeSet<BlockIdx>,
    /// Blocks touched since the last visited list.
    waiting: BTreeSet<BlockIdx>,
    n_messages: usize,
    made: PolicyText,
    is_met: bool,
    details: BTreeMap<EpisodeAtCutDto, u32>,
    /// Unchanging facts, as far as known.
    episodes: Vec<Option<EpisodeAlwaysDto>>,
    said: Vec<Option<EpisodeWording>>,
}

impl<'a> Track<'a> {
    /// Starts before the first place; unchanging values go into `out`.
    pub(super) fn new(
        opened: &'a SessionSnapshot,
        run: &'a ReplayRun,
        table: &'a mut RowTable,
        out: ExportedViewDto,
    ) -> Self {
        let left: Vec<u32> = out.graph.episodes.iter().map(|one| saturate_u32(one.kept_at[0])).collect();
        let none = vec![Vec::new(); left.len()];
        let n_episodes = left.len();
        Self {
            opened,
            run,
            table,
            out: ExportedViewDto { detail_spans: none.clone(), histories: none, ..out },
            levels: vec![0; n_episodes],
            left,
            states: BTreeMap::new(),
            seen: Vec::new(),
            gone: Vec::new(),
            gone_tokens: 0,
            sent: BTreeSet::new(),
            waiting: BTreeSet::new(),
            n_messages: 0,
            made: Vec::new(),
            is_met: true,
            details: BTreeMap::new(),
            episodes: vec![None; n_episodes],
            said: vec![None; n_episodes],
        }
    }

    /// Records levels, remaining sizes, and whether the budget is met.
    pub(super) fn track_sizes(&mut self, place: u32, walk: &ReplayWalk<'_>) {
        let state = walk.state();
        let mut set = |idx: EpisodeIdx| {
            let (at, level) = (idx.at(), state.levels[idx.at()]);
            set_value(&mut self.levels, &mut self.out.levels, place, at, level.into());
            set_value(&mut self.left, &mut self.out.left, place, at, left_of_episode(self.run, state, idx));
        };
        let n_episodes = self.said.len();
        if place == 0 {
            (0..n_episodes).map(EpisodeIdx::new).for_each(&mut set);
        } else {
            walk.touched().episodes.iter().copied().filter(|idx| idx.at() < n_episodes).for_each(&mut set);
        }
        let is_met = walk.total() <= self.run.replay.budget_at(state.cut.turn);
        if is_met != self.is_met {
            self.is_met = is_met;
            self.out.met.push(place);
        }
        self.waiting.extend(&walk.touched().blocks);
    }

    pub(super) fn track_list(&mut self, place: u32, walk: &mut ReplayWalk<'_>) {
        let session = &self.run.branch.session;
        let end = session.turn_at(walk.state().cut.turn).end;
        let is_in = |block: &BlockIdx| session.blocks[block.at()].message.at() < end;
        let mut asked = std::mem::take(&mut self.waiting);
        asked.retain(is_in);
        asked.extend(&self.sent);
        for message in self.n_messages..end {
            asked.extend(session.messages[message].blocks.clone().map(BlockIdx::new));
        }
        self.n_messages = end;
        let input = self.run.replay_input();
        let fates = Fates::new(&input, walk.state());
        for block in asked {
            let fate = fates.fate(block);
            if matches!(fate, Fate::Gone(_)) {
                self.sent.remove(&block);
            } else {
                self.sent.insert(block);
            }
            let (message, episode) = (session.blocks[block.at()].message, walk.state().owners[block.at()]);
            let row = ContextRow::Block { message, block, episode, fate: &fate };
            let number = self.number_row(RowKey::Block(self.table.block_place(block)), &row);
            self.track_row(place, &row, number);
        }
        if let Some(made) = walk.policy_messages() {
            self.track_policy_messages(place, made);
        }
    }

    fn track_policy_messages(&mut self, place: u32, made: Vec<PolicyMessage>) {
        let mut standing = PolicyText::with_capacity(made.len());
        let mut n_summaries = 0;
        for one in made {
            n_summaries += usize::from(matches!(one.message.origin, MessageOrigin::Summary { .. }));
            let Some(row) = made_row(&one.message, n_summaries) else { continue };
            let before = one.before.map_or(usize::MAX, |block| self.table.block_place(block));
            let number = self.number_row(self.table.made_key(&row, before), &row);
            self.track_row(place, &row, number);
            standing.push((number, one));
        }
        let stand: BTreeSet<usize> = standing.iter().map(|(number, _)| *number).collect();
        for (number, _) in std::mem::replace(&mut self.made, standing) {
            if !stand.contains(&number) {
                self.seen[number] = None;
                self.set_gone(number, 0);
                self.out.spans[number].extend([place, 0]);
            }
        }
    }

    fn number_row(&mut self, key: RowKey, row: &ContextRow<'_>) -> usize {
        let (opened, run) = (self.opened, self.run);
        // A policy's text is available only here; block texts are fetched once all rows are known.
        let text = row.policy_text().filter(|_| row.block_idx().is_none()).unwrap_or_default();
        let number = self.table.number_row(key, row, || make_item(opened, run, row, text, usize::MAX, true));
        let n_rows = self.table.len();
        self.seen.resize(n_rows, None);
        self.gone.resize(n_rows, 0);
        self.out.spans.resize(n_rows, Vec::new());
        self.out.tokens.resize(n_rows, 0);
        number
    }

    fn track_row(&mut self, place: u32, row: &ContextRow<'_>, number: usize) {
        let seen = match row {
            ContextRow::Block { fate, episode, .. } => {
                RowStateKey { fate: Some((*fate).clone()), episode: *episode }
            }
            ContextRow::Residue { .. } | ContextRow::Summary { .. } => {
                RowStateKey { fate: None, episode: None }
            }
        };
        if self.seen[number].as_ref() == Some(&seen) {
            return;
        }
        self.seen[number] = Some(seen);
        self.out.tokens[number] = row.row_tokens(self.run);
        if row.block_idx().is_some_and(|block| self.run.is_derived(block)) {
            self.out.derived.push(saturate_u32(number));
        }
        self.set_gone(number, if row.is_kept() { 0 } else { self.out.tokens[number] });
        let state = self.row_state(row);
        let n_states = saturate_u32(self.states.len());
        let state = *self.states.entry(state).or_insert(n_states) + 1;
        self.out.spans[number].extend([place, state]);
    }

    fn set_gone(&mut self, number: usize, tokens: u64) {
        let before = std::mem::replace(&mut self.gone[number], tokens);
        self.gone_tokens = self.gone_tokens + tokens - before;
    }

    fn row_state(&mut self, row: &ContextRow<'_>) -> ExportedStateDto {
        let met = make_item(self.opened, self.run, row, "", 0, true);
        let over = match row {
            ContextRow::Block { fate: Fate::Kept(KeptReason::Eligible), .. } => {
                make_item(self.opened, self.run, row, "", 0, false).reason
            }
            _ => met.reason.clone(),
        };
        let words = &mut self.table.words;
        ExportedStateDto {
            kept: met.kept,
            sent: row.is_sent(),
            level: met.level,
            reason: words.place_word(&met.reason),
            reason_over: words.place_word(&over),
            evicted_turn: met.evicted_turn,
            evicted_step: met.evicted_step,
            placeholder: met.placeholder.as_deref().map(|text| words.place_word(text)),
        }
    }

    /// Records what exceeds the budget at a place with a visited list.
    pub(super) fn over_budget(&mut self, place: u32, walk: &ReplayWalk<'_>) {
        let session = &self.run.branch.session;
        let blocks = self.sent.iter().filter_map(|block| {
            let number = self.table.known_row(&RowKey::Block(self.table.block_place(*block)))?;
            let RowStateKey { fate: Some(fate), episode } = self.seen[number].as_ref()? else { return None };
            let message = session.blocks[block.at()].message;
            Some(ContextRow::Block { message, block: *block, episode: *episode, fate })
        });
        let made = self.made.iter().filter_map(|(_, one)| made_row(&one.message, 1));
        self.out
            .over
            .push((place, held_by(self.run, walk.state().cut.turn, walk.total(), blocks.chain(made))));
    }

    pub(super) fn track_details(&mut self, place: u32, walk: &ReplayWalk<'_>) {
        let (run, state) = (self.run, walk.state());
        let waits = Waits::new(&run.branch.growth, state);
        for at in 0..self.said.len() {
            let idx = EpisodeIdx::new(at);
            let is_over = state.levels[at] == 4 || matches!(state.lives[at], Life::Unborn | Life::Vanished);
            if is_over && self.said[at].is_some() && !walk.touched().episodes.contains(&idx) {
                continue;
            }
            let said = self.episode_wording(&waits, idx);
            if self.said[at].as_ref() == Some(&said) {
                continue;
            }
            self.said[at] = Some(said);
            let detail = at_cut(run, &waits, self.is_met, idx);
            self.episodes[at].get_or_insert_with(|| always_true(&run.branch, idx));
            let n_details = saturate_u32(self.details.len());
            let detail_at = *self.details.entry(detail).or_insert(n_details);
            self.out.detail_spans[at].extend([place, detail_at]);
        }
    }

    fn episode_wording(&self, waits: &Waits<'_>, idx: EpisodeIdx) -> EpisodeWording {
        let (branch, state) = (&self.run.branch, waits.state());
        let (at, blocks) = (idx.at(), &branch.growth.graph.episode(idx).blocks);
        let eligibility = eligibility_among(&branch.session, &self.run.replay.options, waits, idx);
        EpisodeWording {
            level: state.levels[at],
            left: self.left[at],
            kept: blocks.iter().map(|block| kept_units(self.run, state, *block)).sum(),
            emptied: blocks.iter().any(|block| matches!(state.presence(*block), Presence::Dropped(_))),
            residue: state.residues.contains(&idx),
            life: state.lives[at],
            // The budget matters only for eligible episodes.
            met: (eligibility == Eligibility::Eligible).then_some(self.is_met),
            eligibility,
        }
    }

    pub(super) fn n_details(&self) -> usize {
        self.details.len()
    }

    pub(super) fn without_details(&mut self) {
        self.details.clear();
        self.episodes.fill(None);
        self.out.detail_spans.fill(Vec::new());
        self.out.histories.fill(Vec::new());
    }

    /// Returns the finished view with its tables, and the unchanging facts about its episodes.
    pub(super) fn finish_view(self) -> Result<(ExportedViewDto, Vec<EpisodeAlwaysDto>), ApiError> {
        let absences = &self.opened.find_absences(self.run)?.blocks;
        let number = |turn: Option<TurnIdx>| turn.map(TurnIdx::number);
        let absence = |block: Option<BlockIdx>| {
            let known = block.and_then(|block| absences.get(block.at()));
            known.map_or((None, None), |known| (number(known.first), number(known.again)))
        };
        let view = ExportedViewDto {
            absences: self.table.row_blocks().map(absence).collect(),
            states: in_order(self.states),
            details: in_order(self.details),
            ..self.out
        };
        Ok((view, self.episodes.into_iter().flatten().collect()))
    }
}

fn in_order<T>(numbered: BTreeMap<T, u32>) -> Vec<T> {
    let mut ordered: Vec<(u32, T)> = numbered.into_iter().map(|(one, at)| (at, one)).collect();
    ordered.sort_by_key(|(at, _)| *at);
    ordered.into_iter().map(|(_, one)| one).collect()
}
