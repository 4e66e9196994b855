//! Recall of references: whether each name used by a later reply still had its holder in the context.
//!
//! A reply with a path, command or symbol refers to the block that held it ([`Use`]). The reference is a hit
//! if the request before the reply contained this block unchanged, and a miss if the block was evicted or
//! masked. Blocks removed by the harness itself, which no policy could have kept, are counted separately.
//!
//! A *reacquisition* is the recorded price of a miss: the size of the result with which the agent got the
//! same path or command again, given that this policy had evicted the earlier one. The log shows behaviour
//! under the recorded harness, which had the block; under this policy, the agent would have needed it by
//! then at the latest.

use alloc::vec::Vec;
use core::ops::Range;

use crate::{BlockIdx, BlockStates, MessageIdx, Replay, ReplayInput, Session, TurnIdx, Use};

/// References by the replies to one request, or to all requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecallTurn {
    pub uses: u64,
    pub hits: u64,
    /// Size of the referenced blocks, each once per reply, tokens.
    pub used_tokens: u64,
    pub hit_tokens: u64,
    /// Size of content reacquired after this policy's eviction, tokens.
    pub reacquired_tokens: u64,
    /// References to blocks removed by the harness; not part of `uses`.
    pub harness_uses: u64,
    /// Size of blocks counted in `harness_uses`, each once per reply, tokens.
    pub harness_tokens: u64,
    /// Size of content reacquired after removal by the harness, tokens.
    pub harness_reacquired_tokens: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recall {
    /// One row per request, with its reply's references; `now` has no reply.
    pub turns: Vec<RecallTurn>,
    pub total: RecallTurn,
}

/// Without [`ReplayInput::material`], there are no references.
pub fn measure_recall(input: &ReplayInput<'_>, replay: &Replay) -> Recall {
    let ReplayInput { session, table, material, .. } = *input;
    let mut states = BlockStates::new(session.blocks.len());
    let mut uses = UsesByTurn::new(session, &material.uses);
    let mut counted = alloc::vec![0; session.blocks.len()];
    let mut again = Vec::new();
    let mut turns = Vec::with_capacity(replay.turns.len());
    let mut total = RecallTurn::default();
    for at in 0..replay.turns.len() {
        let turn = TurnIdx::from_position(at);
        states.advance_to(input, replay, turn, |_, _| {});
        let mut row = RecallTurn::default();
        again.clear();
        for one in uses.of_next_turn() {
            let held = states.state(one.held);
            if !held.has_arrived() {
                continue;
            }
            let is_new = core::mem::replace(&mut counted[one.held.at()], turn.number()) != turn.number();
            let units = if is_new { table.units(one.held) } else { 0 };
            let found = if held.is_dropped() {
                row.harness_uses += 1;
                row.harness_tokens += units;
                HolderState::Dropped
            } else {
                row.uses += 1;
                row.used_tokens += units;
                if held.is_there() {
                    row.hits += 1;
                    row.hit_tokens += units;
                    HolderState::There
                } else {
                    HolderState::Evicted
                }
            };
            again.extend(one.again.map(|result| (result, found)));
        }
        // Each result counts once, by the best state of its names: present content was not missed,
        // and evicted content was, even if the harness removed another holder.
        again.sort_unstable();
        again.dedup_by_key(|(result, _)| *result);
        for (result, found) in &again {
            match found {
                HolderState::There => {}
                HolderState::Evicted => row.reacquired_tokens += table.units(*result),
                HolderState::Dropped => row.harness_reacquired_tokens += table.units(*result),
            }
        }
        total.add_turn(&row);
        turns.push(row.in_tokens(|units| table.tokens_from_units(units)));
    }
    Recall { turns, total: total.in_tokens(|units| table.tokens_from_units(units)) }
}

/// State of a name's holder when the name is used, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum HolderState {
    There,
    Evicted,
    Dropped,
}

impl RecallTurn {
    /// Returns `hit_tokens` / `used_tokens` per mille; 1000 if nothing was used.
    pub fn hit_per_mille(&self) -> u32 {
        let share = (u128::from(self.hit_tokens) * 1000).checked_div(u128::from(self.used_tokens));
        share.map_or(1000, |share| u32::try_from(share).unwrap_or(u32::MAX))
    }

    fn add_turn(&mut self, other: &Self) {
        self.uses += other.uses;
        self.hits += other.hits;
        self.used_tokens += other.used_tokens;
        self.hit_tokens += other.hit_tokens;
        self.reacquired_tokens += other.reacquired_tokens;
        self.harness_uses += other.harness_uses;
        self.harness_tokens += other.harness_tokens;
        self.harness_reacquired_tokens += other.harness_reacquired_tokens;
    }

    fn in_tokens(self, tokens: impl Fn(u64) -> u64) -> Self {
        Self {
            used_tokens: tokens(self.used_tokens),
            hit_tokens: tokens(self.hit_tokens),
            reacquired_tokens: tokens(self.reacquired_tokens),
            harness_tokens: tokens(self.harness_tokens),
            harness_reacquired_tokens: tokens(self.harness_reacquired_tokens),
            ..self
        }
    }
}

/// Returns the uses by a turn's reply, as positions in [`crate::Material::uses`]; empty for `now`.
pub fn uses_of(session: &Session, uses: &[Use], turn: TurnIdx) -> Range<usize> {
    let Some(reply) = session.turn_at(turn).message else { return 0..0 };
    let place = |block: usize| uses.partition_point(|one| one.by.at() < block);
    let blocks = &session.messages[reply.at()].blocks;
    place(blocks.start)..place(blocks.end)
}

#[derive(Debug)]
pub(super) struct UsesByTurn<'a> {
    session: &'a Session,
    uses: &'a [Use],
    next_turn: usize,
}

impl<'a> UsesByTurn<'a> {
    pub(super) fn new(session: &'a Session, uses: &'a [Use]) -> Self {
        Self { session, uses, next_turn: 0 }
    }

    pub(super) fn of_next_turn(&mut self) -> &'a [Use] {
        let reply: Option<MessageIdx> = self.session.turns.get(self.next_turn).and_then(|turn| turn.message);
        self.next_turn += 1;
        let Some(reply) = reply else { return &[] };
        let blocks = &self.session.messages[reply.at()].blocks;
        let n_before =
            |end: usize, uses: &[Use]| uses.iter().take_while(|one| one.by < BlockIdx::new(end)).count();
        let (_, later) = self.uses.split_at(n_before(blocks.start, self.uses));
        let (found, rest) = later.split_at(n_before(blocks.end, later));
        self.uses = rest;
        found
    }
}
