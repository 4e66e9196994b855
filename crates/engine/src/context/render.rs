//! Rendering: turns the state at a cut into what the model would receive, with ghosts and reasons.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::RefCell;

use crate::replay::tool_loop::HeldLoops;
use crate::{
    BlockIdx, BlockReason, BlockStates, Eligibility, EpisodeIdx, EvictionLevel, Fate, GoneReason, KeptReason,
    KeptRule, MessageClass, MessageIdx, MessageOrigin, Presence, RenderedContext, RenderedItem,
    RenderedMessage, Replay, ReplayInput, Session, StateAt, Summary, TakenStep, Waits, eligibility_among,
    protected_from,
};

/// A message without blocks is omitted once something removed it. A message whose blocks are all gone stays
/// as a ghost.
pub fn render(input: &ReplayInput<'_>, replay: &Replay, state: &StateAt) -> RenderedContext {
    let ReplayInput { session, table, .. } = *input;
    let end = session.turn_at(state.cut.turn).end;
    let fates = Fates::new(input, state);
    // Nearly all places lie between a result and the next call, and need no search.
    let has_texts = !state.residues.is_empty() || !state.summaries.is_empty();
    let crossed = if has_texts { crossed_messages(session) } else { Vec::new() };
    let anchor = |message: MessageIdx| match crossed[message.at()] {
        true => anchor_message(session, state, message),
        false => message,
    };
    let mut made = made_by_message(input, state, &anchor);
    let mut messages = Vec::with_capacity(end);
    let overhead = replay.overhead.tokens_at(state.cut.turn);
    let mut total = overhead;
    let mut stands = session.stands_bare(state.cut.turn);
    for message in input.policy.bare.map_or_else(Vec::new, |bare| bare(input, state.cut)) {
        stands[message.at()] = false;
    }
    for idx in session.model_order(end) {
        for message in made.remove(&idx).unwrap_or_default() {
            total += message.tokens;
            messages.push(message);
        }
        if !stands[idx.at()] {
            continue;
        }
        let mut units = 0;
        let items: Vec<RenderedItem> = session
            .blocks_of(idx)
            .map(|(block, _)| {
                let fate = fates.fate(block);
                units += match &fate {
                    Fate::Kept(_) => table.units(block),
                    Fate::Masked(placeholder, _) => table.placeholder_units(*placeholder),
                    // Nonzero only under a policy that counts unsent blocks.
                    Fate::Gone(GoneReason::Excluded) => table.units(block),
                    Fate::Gone(_) => 0,
                };
                RenderedItem { block, episode: state.owners[block.at()], fate }
            })
            .collect();
        let tokens = table.tokens_from_units(units);
        total += tokens;
        messages.push(RenderedMessage { origin: MessageOrigin::Log(idx), tokens, items });
    }
    RenderedContext {
        turn: state.cut.turn,
        step: state.cut.step,
        total,
        overhead,
        answers_calls: replay.policy.answers_calls,
        messages,
    }
}

/// Block fates at a cut, computed on demand. Reasons are cached per episode.
pub struct Fates<'a> {
    input: &'a ReplayInput<'a>,
    state: &'a StateAt,
    waits: Waits<'a>,
    episodes: RefCell<Vec<Option<KeptReason>>>,
    blocks: Vec<KeptReason>,
    protected: usize,
    in_prologue: usize,
    in_loop: Vec<BlockIdx>,
}

impl<'a> Fates<'a> {
    pub fn new(input: &'a ReplayInput<'a>, state: &'a StateAt) -> Self {
        let ReplayInput { session, growth, options, .. } = *input;
        let n_episodes = match input.policy.kept {
            KeptRule::ByGraph => growth.graph.episodes.len(),
            KeptRule::By(_) | KeptRule::AtOnce(_) => 0,
        };
        Self {
            input,
            state,
            blocks: match input.policy.kept {
                KeptRule::AtOnce(rule) => rule(input, state),
                KeptRule::By(_) | KeptRule::ByGraph => Vec::new(),
            },
            waits: Waits::new(growth, state),
            episodes: RefCell::new(alloc::vec![None; n_episodes]),
            protected: protected_from(session, options.protected_turns, state.cut.turn),
            in_loop: match input.policy.is_as_shipped {
                true => Vec::new(),
                false => {
                    let loops = HeldLoops::new(session, options);
                    loops.held_blocks(session, growth, &state.states, state.cut.turn)
                }
            },
            in_prologue: state.owners.iter().position(Option::is_some).unwrap_or(usize::MAX),
        }
    }

    pub fn fate(&self, block: BlockIdx) -> Fate {
        let (session, state) = (self.input.session, self.state);
        let presence = state.presence(block);
        let counts = self.input.table.units(block) > 0;
        if session.is_excluded(block) && (!counts || presence == Presence::Live) {
            return Fate::Gone(GoneReason::Excluded);
        }
        let taken_by = |place: u32| {
            let TakenStep { turn, number, ref subject, action } = state.taken[place as usize];
            GoneReason::Evicted { subject: subject.clone(), action, turn, step: number }
        };
        match presence {
            // Every block before the request has arrived.
            Presence::Live | Presence::Absent => Fate::Kept(self.kept_reason(block)),
            Presence::Evicted(place) => Fate::Gone(taken_by(place)),
            Presence::Masked(place, placeholder) => Fate::Masked(placeholder, taken_by(place)),
            Presence::ArrivedStripped(level) => Fate::Gone(GoneReason::ArrivedStripped { level }),
            Presence::Dropped(by) => {
                let replacement = &session.replacements[by as usize];
                Fate::Gone(GoneReason::Harness { by: replacement.entry.clone(), cause: replacement.cause })
            }
        }
    }

    fn of_episode(&self, idx: EpisodeIdx) -> KeptReason {
        if let Some(known) = self.episodes.borrow().get(idx.at()).and_then(Option::as_ref) {
            return known.clone();
        }
        let ReplayInput { session, options, .. } = *self.input;
        let reason = match eligibility_among(session, options, &self.waits, idx) {
            Eligibility::Eligible => KeptReason::Eligible,
            Eligibility::Blocked(reason) => match reason {
                BlockReason::Active => KeptReason::Active,
                BlockReason::Dependents(acts) => KeptReason::BlockedBy(acts),
                BlockReason::LevelsOff => KeptReason::LevelOff,
                // An unprotected block may still be evicted at levels 1 to 3.
                BlockReason::Protected | BlockReason::Gone | BlockReason::Unborn => KeptReason::Eligible,
            },
        };
        if let Some(place) = self.episodes.borrow_mut().get_mut(idx.at()) {
            *place = Some(reason.clone());
        }
        reason
    }

    fn kept_reason(&self, block: BlockIdx) -> KeptReason {
        let ReplayInput { session, growth, options, .. } = *self.input;
        match session.message_of(block).class {
            MessageClass::User => return KeptReason::Human,
            MessageClass::System => return KeptReason::System,
            MessageClass::Injected | MessageClass::Assistant | MessageClass::Tool | MessageClass::Summary => {
            }
        }
        if !self.input.policy.is_as_shipped && session.blocks[block.at()].is_with_words {
            return KeptReason::Human;
        }
        if self.input.pins.binary_search(&block).is_ok() {
            return KeptReason::Pinned;
        }
        match self.input.policy.kept {
            KeptRule::By(rule) => return rule(self.input, self.state, block),
            KeptRule::AtOnce(_) => return self.blocks[block.at()].clone(),
            KeptRule::ByGraph => {}
        }
        let row = &session.blocks[block.at()];
        let Some(owner) = self.state.owners[block.at()] else {
            let first = row.pair.unwrap_or(block).min(block);
            return if first.at() < self.in_prologue { KeptReason::Prologue } else { KeptReason::NoEpisode };
        };
        let reason = self.of_episode(owner);
        if reason != KeptReason::Eligible {
            return reason;
        }
        // A call is protected together with its result.
        let result = row.pair.filter(|pair| *pair > block && self.state.states.state(*pair).is_there());
        if session.stands_at(result.unwrap_or(block)) >= self.protected {
            return KeptReason::Protected;
        }
        let level = EvictionLevel::of_block(row, options.classify_shell);
        if self.in_loop.binary_search(&block).is_ok() {
            return KeptReason::InLoop;
        }
        let own_is_on = options.is_on(level) && level.applies_to(growth.graph.episode(owner).kind);
        if own_is_on || options.is_on(EvictionLevel::WholeEpisode) {
            KeptReason::Eligible
        } else {
            KeptReason::LevelOff
        }
    }
}

/// Builds the policy's own messages, keyed by the message they precede: residues, then summaries.
///
/// A residue precedes the message with the episode's first block, but never separates a call from
/// its result.
pub(crate) fn made_by_message(
    input: &ReplayInput<'_>,
    state: &StateAt,
    anchor: &impl Fn(MessageIdx) -> MessageIdx,
) -> BTreeMap<MessageIdx, Vec<RenderedMessage>> {
    let ReplayInput { session, growth, table, material, .. } = *input;
    let mut made: BTreeMap<MessageIdx, Vec<RenderedMessage>> = BTreeMap::new();
    for &episode in &state.residues {
        let known = growth.graph.episode(episode);
        let Some(text) = known.residue_text() else { continue };
        let origin = MessageOrigin::Residue { episode, text };
        let message = RenderedMessage { origin, tokens: table.residue_tokens(episode), items: Vec::new() };
        made.entry(anchor(session.blocks[known.start.at()].message)).or_default().push(message);
    }
    for summary in state.summaries.values() {
        let before = anchor(summary.before);
        let Summary { covers, depth, .. } = summary.clone();
        let origin = MessageOrigin::Summary { before, covers, depth, text: summary.write_text(material) };
        let message =
            RenderedMessage { origin, tokens: table.tokens_from_units(summary.units), items: Vec::new() };
        made.entry(before).or_default().push(message);
    }
    made
}

/// Moves an insertion point to before every call answered at or after it.
pub(crate) fn anchor_message(session: &Session, state: &StateAt, message: MessageIdx) -> MessageIdx {
    anchor_among(session, &state.states, message)
}

pub(crate) fn anchor_among(session: &Session, states: &BlockStates, message: MessageIdx) -> MessageIdx {
    let mut anchor = message;
    while let Some(earlier) = call_across(session, states, anchor) {
        anchor = earlier;
    }
    anchor
}

fn call_across(session: &Session, states: &BlockStates, anchor: MessageIdx) -> Option<MessageIdx> {
    let first = session.messages[anchor.at()].blocks.start;
    // Results follow their calls closely, so a bounded search is enough.
    session
        .blocks
        .range(first..session.blocks.len())
        .enumerate()
        .take(RESULTS_AFTER_ANCHOR)
        .filter(|(at, block)| {
            matches!(block.kind, crate::BlockKind::Result(_))
                && states.state(BlockIdx::new(first + at)).is_sent()
        })
        .filter_map(|(_, block)| block.pair)
        .filter(|call| call.at() < first && states.state(*call).is_sent())
        .map(|call| session.blocks[call.at()].message)
        .min()
}

const RESULTS_AFTER_ANCHOR: usize = 4096;

/// Returns for each message whether a call before it has its result at or after it.
pub(crate) fn crossed_messages(session: &Session) -> Vec<bool> {
    let mut begins = alloc::vec![0u32; session.messages.len() + 1];
    let mut ends = alloc::vec![0u32; session.messages.len() + 1];
    for block in &session.blocks {
        if !matches!(block.kind, crate::BlockKind::Result(_)) {
            continue;
        }
        let Some(call) = block.pair.map(|call| session.blocks[call.at()].message) else { continue };
        if call < block.message {
            begins[call.at() + 1] += 1;
            ends[block.message.at() + 1] += 1;
        }
    }
    let mut n_open = 0;
    (0..session.messages.len())
        .map(|at| {
            n_open = n_open + begins[at] - ends[at];
            n_open > 0
        })
        .collect()
}
