//! Look-back: for everything that the session used again, was it still in the context?
//!
//! A reply that names a path, a command or a symbol looks back on the block that held it ([`Use`]). The request
//! before that reply either still held the block to the letter, which is a hit, or it did not: evicted, or a
//! placeholder in its place. What the harness itself had dropped no policy could have kept; it is counted apart.
//!
//! *Regret* is the price of a miss that the log shows: the size of the result by which the agent got the same path or
//! command again, where this policy had evicted the one before. That is what happened under the recorded harness,
//! which had the block; under this policy the agent would have needed it at the latest then.

use alloc::vec::Vec;
use core::ops::Range;

use crate::{BlockIdx, BlockStates, MessageIdx, Replay, ReplayInput, Session, TurnIdx, Use};

/// The uses of earlier blocks by the replies to one request, or to all requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LookBackTurn {
    /// Names that a reply used and an earlier block held.
    pub uses: u64,
    /// Uses whose block the request still held.
    pub hits: u64,
    /// The size of the blocks that were used, each once a reply, tokens.
    pub used_tokens: u64,
    /// The size of the used blocks the request still held, tokens.
    pub hit_tokens: u64,
    /// The size of what the agent got again after this policy had evicted it, tokens.
    pub regret_tokens: u64,
    /// Names whose block the harness itself had dropped; not among `uses`.
    pub harness_uses: u64,
    /// The size of these blocks, each once a reply, tokens.
    pub harness_tokens: u64,
    /// The size of what the agent got again after the harness had dropped it, tokens.
    pub harness_regret_tokens: u64,
}

/// The uses of earlier blocks, and how many still found their block, turn by turn and in all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookBack {
    /// One row per turn: the request, and what the reply to it used. `now` has no reply.
    pub turns: Vec<LookBackTurn>,
    /// All turns together; its tokens are rounded once, where several units make a token.
    pub total: LookBackTurn,
}

/// Tells what later uses still found under a policy, in one pass over the turns.
///
/// Without material ([`ReplayInput::material`]) nothing is used.
pub fn look_back(input: &ReplayInput<'_>, replay: &Replay) -> LookBack {
    let ReplayInput { session, table, material, .. } = *input;
    let mut states = BlockStates::new(session.blocks.len());
    let mut uses = UsesByTurn::new(session, &material.uses);
    let mut counted = alloc::vec![0; session.blocks.len()];
    let mut again = Vec::new();
    let mut turns = Vec::with_capacity(replay.turns.len());
    let mut total = LookBackTurn::default();
    for at in 0..replay.turns.len() {
        let turn = TurnIdx::from_position(at);
        states.advance_to(input, replay, turn, |_, _| {});
        let mut row = LookBackTurn::default();
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
        // Each result counts once, by the best state its names found: content that was still there was not missed, and
        // content that the policy had evicted was, even if the harness had dropped another holder.
        again.sort_unstable();
        again.dedup_by_key(|(result, _)| *result);
        for (result, found) in &again {
            match found {
                HolderState::There => {}
                HolderState::Evicted => row.regret_tokens += table.units(*result),
                HolderState::Dropped => row.harness_regret_tokens += table.units(*result),
            }
        }
        total.add_turn(&row);
        turns.push(row.in_tokens(|units| table.tokens_from_units(units)));
    }
    LookBack { turns, total: total.in_tokens(|units| table.tokens_from_units(units)) }
}

/// The state of the block that held a name, when the name is used; the best state first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum HolderState {
    There,
    Evicted,
    Dropped,
}

impl LookBackTurn {
    /// Returns the share of the used tokens the requests still held, per mille; all of them where nothing was used.
    pub fn hit_per_mille(&self) -> u32 {
        let share = (u128::from(self.hit_tokens) * 1000).checked_div(u128::from(self.used_tokens));
        share.map_or(1000, |share| u32::try_from(share).unwrap_or(u32::MAX))
    }

    fn add_turn(&mut self, other: &Self) {
        self.uses += other.uses;
        self.hits += other.hits;
        self.used_tokens += other.used_tokens;
        self.hit_tokens += other.hit_tokens;
        self.regret_tokens += other.regret_tokens;
        self.harness_uses += other.harness_uses;
        self.harness_tokens += other.harness_tokens;
        self.harness_regret_tokens += other.harness_regret_tokens;
    }

    fn in_tokens(self, tokens: impl Fn(u64) -> u64) -> Self {
        Self {
            used_tokens: tokens(self.used_tokens),
            hit_tokens: tokens(self.hit_tokens),
            regret_tokens: tokens(self.regret_tokens),
            harness_tokens: tokens(self.harness_tokens),
            harness_regret_tokens: tokens(self.harness_regret_tokens),
            ..self
        }
    }
}

/// Returns `uses` by the reply to a turn's request, as places in [`crate::Material::uses`]; none for `now`.
pub fn uses_of(session: &Session, uses: &[Use], turn: TurnIdx) -> Range<usize> {
    let Some(reply) = session.turn_at(turn).message else { return 0..0 };
    let place = |block: usize| uses.partition_point(|one| one.by.at() < block);
    let blocks = &session.messages[reply.at()].blocks;
    place(blocks.start)..place(blocks.end)
}

/// Goes over the uses turn by turn.
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

    /// Returns the uses by the reply to the next request; what stands between two replies is passed over.
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
