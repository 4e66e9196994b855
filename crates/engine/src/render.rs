//! Rendering: from the state at a cut to what the model would receive, with ghosts and reasons.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::{
    BlockIdx, BlockReason, Eligibility, EpisodeIdx, EvictionLevel, Fate, GoneReason, Growth, KeptReason,
    MessageClass, MessageIdx, MessageOrigin, Presence, RenderedContext, RenderedItem, RenderedMessage,
    Replay, Session, StateAt, TokenTable, eligibility, protected_from,
};

/// Renders the context at a cut: all messages in model order, each block kept or a ghost, and residues.
///
/// Messages that never had a block in the context stay out; those that lost all of theirs stay as ghosts.
pub fn render(
    session: &Session,
    growth: &Growth,
    replay: &Replay,
    table: &TokenTable,
    state: &StateAt,
) -> RenderedContext {
    let end = session.turn(state.cut.turn).end;
    let reasons = KeptReasons::new(session, growth, replay, state);
    let mut residues = residues_by_message(session, growth, state);
    let mut messages = Vec::new();
    let mut total = replay.overhead;
    for idx in session.model_order(end) {
        for episode in residues.remove(&idx).unwrap_or_default() {
            let Some(text) = growth.graph.get(episode).residue() else { continue };
            let tokens = table.residue(episode);
            total += tokens;
            let origin = MessageOrigin::Residue { episode, text };
            messages.push(RenderedMessage { origin, tokens, items: Vec::new() });
        }
        let mut units = 0;
        let items: Vec<RenderedItem> = session
            .blocks_of(idx)
            .map(|(block, _)| {
                let fate = fate(session, replay, state, &reasons, block);
                if fate.is_kept() {
                    units += table.units(block);
                }
                RenderedItem { block, episode: state.owners[block.at()], fate }
            })
            .collect();
        let tokens = table.tokens(units);
        total += tokens;
        messages.push(RenderedMessage { origin: MessageOrigin::Log(idx), tokens, items });
    }
    RenderedContext { turn: state.cut.turn, step: state.cut.step, total, overhead: replay.overhead, messages }
}

fn fate(
    session: &Session,
    replay: &Replay,
    state: &StateAt,
    reasons: &KeptReasons<'_>,
    block: BlockIdx,
) -> Fate {
    if session.is_excluded(block) {
        return Fate::Gone(GoneReason::Excluded);
    }
    match state.blocks[block.at()] {
        // Blocks before the turn have all come in.
        Presence::Live | Presence::Absent => Fate::Kept(reasons.of(session, block)),
        Presence::Evicted(number) => {
            let step = &replay.steps[number as usize];
            let first = replay.turn(step.turn).steps.start;
            Fate::Gone(GoneReason::Evicted {
                level: step.level,
                turn: step.turn,
                step: number as usize - first + 1,
            })
        }
        Presence::ArrivedStripped(level) => Fate::Gone(GoneReason::ArrivedStripped { level }),
        Presence::Dropped(by) => {
            let replacement = &session.replacements[by as usize];
            Fate::Gone(GoneReason::Harness { by: replacement.entry.clone(), cause: replacement.cause })
        }
    }
}

/// Why what is there is there, worked out once per episode.
struct KeptReasons<'a> {
    state: &'a StateAt,
    episodes: Vec<KeptReason>,
    levels: [bool; 4],
    classify_shell: bool,
    protected: usize,
    in_prologue: usize,
    kinds: Vec<crate::EpisodeKind>,
}

impl<'a> KeptReasons<'a> {
    fn new(session: &Session, growth: &Growth, replay: &Replay, state: &'a StateAt) -> Self {
        let episodes = (0..growth.graph.episodes.len())
            .map(EpisodeIdx::new)
            .map(|idx| match eligibility(session, growth, &replay.options, state, idx) {
                Eligibility::Eligible => KeptReason::Eligible,
                Eligibility::Blocked(reason) => match reason {
                    BlockReason::Active => KeptReason::Active,
                    BlockReason::Dependents(acts) => KeptReason::BlockedBy(acts.into()),
                    BlockReason::LevelsOff => KeptReason::LevelOff,
                    // What is not protected itself may still go at levels 1 to 3.
                    BlockReason::Protected | BlockReason::Gone | BlockReason::Unborn => KeptReason::Eligible,
                },
            })
            .collect();
        let first_owned = state.owners.iter().position(Option::is_some);
        Self {
            state,
            episodes,
            levels: replay.options.levels,
            classify_shell: replay.options.classify_shell,
            protected: protected_from(session, replay.options.protected_turns, state.cut.turn),
            in_prologue: first_owned.unwrap_or(usize::MAX),
            kinds: growth.graph.episodes.iter().map(|episode| episode.kind).collect(),
        }
    }

    fn of(&self, session: &Session, block: BlockIdx) -> KeptReason {
        match session.message_of(block).class {
            MessageClass::User => return KeptReason::Human,
            MessageClass::System => return KeptReason::System,
            MessageClass::Injected | MessageClass::Assistant | MessageClass::Tool | MessageClass::Summary => {
            }
        }
        let Some(owner) = self.state.owners[block.at()] else {
            let first = session.blocks[block.at()].pair.unwrap_or(block).min(block);
            return if first.at() < self.in_prologue { KeptReason::Prologue } else { KeptReason::NoEpisode };
        };
        let reason = &self.episodes[owner.at()];
        if *reason != KeptReason::Eligible {
            return reason.clone();
        }
        let row = &session.blocks[block.at()];
        // A call is protected with its result.
        let result = row.pair.filter(|pair| *pair > block && self.state.blocks[pair.at()] == Presence::Live);
        if session.stands_at(result.unwrap_or(block)) >= self.protected {
            return KeptReason::Protected;
        }
        let level = EvictionLevel::of_block(&session.blocks[block.at()], self.classify_shell);
        let own_is_on =
            self.levels[usize::from(level.number()) - 1] && level.applies_to(self.kinds[owner.at()]);
        if own_is_on || self.levels[3] { KeptReason::Eligible } else { KeptReason::LevelOff }
    }
}

/// A residue stands before the message that held the episode's first block, and never between a call and
/// its result.
fn residues_by_message(
    session: &Session,
    growth: &Growth,
    state: &StateAt,
) -> BTreeMap<MessageIdx, Vec<EpisodeIdx>> {
    let mut places: BTreeMap<MessageIdx, Vec<EpisodeIdx>> = BTreeMap::new();
    for &episode in &state.residues {
        let mut anchor = session.blocks[growth.graph.get(episode).start.at()].message;
        // Calls answered at or after the anchor move it before them.
        while let Some(earlier) = call_across(session, state, anchor) {
            anchor = earlier;
        }
        places.entry(anchor).or_default().push(episode);
    }
    places
}

/// Finds the message of a call that stands before `anchor` and whose result, still there, does not.
fn call_across(session: &Session, state: &StateAt, anchor: MessageIdx) -> Option<MessageIdx> {
    let first = session.messages[anchor.at()].blocks.start;
    // Results stand near their calls: those of the replies just before are enough to look at, up to the
    // last reply whose calls are all answered before the anchor.
    session.blocks[first..]
        .iter()
        .enumerate()
        .take(RESULTS_AFTER_ANCHOR)
        .filter(|(at, block)| {
            matches!(block.kind, crate::BlockKind::Result(_)) && state.blocks[first + at] == Presence::Live
        })
        .filter_map(|(_, block)| block.pair)
        .filter(|call| call.at() < first && state.blocks[call.at()] == Presence::Live)
        .map(|call| session.blocks[call.at()].message)
        .min()
}

/// How many blocks after an anchor are searched for results of calls before it.
const RESULTS_AFTER_ANCHOR: usize = 4096;
