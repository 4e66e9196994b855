//! Rendering: from the state at a cut to what the model would receive, with ghosts and reasons.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::{
    BlockIdx, BlockReason, Eligibility, EpisodeIdx, EvictionLevel, Fate, GoneReason, Growth, KeptReason,
    KeptRule, MessageClass, MessageIdx, MessageOrigin, Presence, RenderedContext, RenderedItem,
    RenderedMessage, Replay, ReplayInput, Session, StateAt, Summary, TakenStep, eligibility, protected_from,
};

/// Renders the context at a cut: all messages in model order, each block kept or a ghost, and residues.
///
/// Messages that never had a block in the context stay out; those that lost all of theirs stay as ghosts.
pub fn render(input: &ReplayInput<'_>, replay: &Replay, state: &StateAt) -> RenderedContext {
    let ReplayInput { session, growth, table, material, .. } = *input;
    let end = session.turn(state.cut.turn).end;
    let reasons = KeptReasons::new(input, state);
    let mut residues = residues_by_message(session, growth, state);
    let mut summaries: BTreeMap<MessageIdx, Vec<&Summary>> = BTreeMap::new();
    for summary in state.summaries.values() {
        summaries.entry(anchor(session, state, summary.before)).or_default().push(summary);
    }
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
        for summary in summaries.remove(&idx).unwrap_or_default() {
            let tokens = table.tokens(summary.units);
            total += tokens;
            let Summary { covers, depth, .. } = summary.clone();
            let origin = MessageOrigin::Summary { before: idx, covers, depth, text: summary.text(material) };
            messages.push(RenderedMessage { origin, tokens, items: Vec::new() });
        }
        let mut units = 0;
        let items: Vec<RenderedItem> = session
            .blocks_of(idx)
            .map(|(block, _)| {
                let fate = fate(session, state, &reasons, block);
                units += match &fate {
                    Fate::Kept(_) => table.units(block),
                    Fate::Masked(placeholder, _) => table.placeholder(*placeholder),
                    Fate::Gone(_) => 0,
                };
                RenderedItem { block, episode: state.owners[block.at()], fate }
            })
            .collect();
        let tokens = table.tokens(units);
        total += tokens;
        messages.push(RenderedMessage { origin: MessageOrigin::Log(idx), tokens, items });
    }
    RenderedContext {
        turn: state.cut.turn,
        step: state.cut.step,
        total,
        overhead: replay.overhead,
        answers_calls: replay.policy.answers_calls,
        messages,
    }
}

fn fate(session: &Session, state: &StateAt, reasons: &KeptReasons<'_>, block: BlockIdx) -> Fate {
    if session.is_excluded(block) {
        return Fate::Gone(GoneReason::Excluded);
    }
    let taken_by = |place: u32| {
        let TakenStep { turn, number, ref subject, action } = state.taken[place as usize];
        GoneReason::Evicted { subject: subject.clone(), action, turn, step: number }
    };
    match state.blocks[block.at()] {
        // Blocks before the turn have all come in.
        Presence::Live | Presence::Absent => Fate::Kept(reasons.of(block)),
        Presence::Evicted(place) => Fate::Gone(taken_by(place)),
        Presence::Masked(place, placeholder) => Fate::Masked(placeholder, taken_by(place)),
        Presence::ArrivedStripped(level) => Fate::Gone(GoneReason::ArrivedStripped { level }),
        Presence::Dropped(by) => {
            let replacement = &session.replacements[by as usize];
            Fate::Gone(GoneReason::Harness { by: replacement.entry.clone(), cause: replacement.cause })
        }
    }
}

/// Why what is there is there, worked out once per episode.
struct KeptReasons<'a> {
    input: &'a ReplayInput<'a>,
    state: &'a StateAt,
    episodes: Vec<KeptReason>,
    /// Of every block, where the policy says so of all at once.
    blocks: Vec<KeptReason>,
    protected: usize,
    in_prologue: usize,
}

impl<'a> KeptReasons<'a> {
    fn new(input: &'a ReplayInput<'a>, state: &'a StateAt) -> Self {
        let ReplayInput { session, growth, options, .. } = *input;
        let reason = |idx| match eligibility(session, growth, options, state, idx) {
            Eligibility::Eligible => KeptReason::Eligible,
            Eligibility::Blocked(reason) => match reason {
                BlockReason::Active => KeptReason::Active,
                BlockReason::Dependents(acts) => KeptReason::BlockedBy(acts.into()),
                BlockReason::LevelsOff => KeptReason::LevelOff,
                // What is not protected itself may still go at levels 1 to 3.
                BlockReason::Protected | BlockReason::Gone | BlockReason::Unborn => KeptReason::Eligible,
            },
        };
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
            episodes: (0..n_episodes).map(EpisodeIdx::new).map(reason).collect(),
            protected: protected_from(session, options.protected_turns, state.cut.turn),
            in_prologue: state.owners.iter().position(Option::is_some).unwrap_or(usize::MAX),
        }
    }

    fn of(&self, block: BlockIdx) -> KeptReason {
        let ReplayInput { session, growth, options, .. } = *self.input;
        match session.message_of(block).class {
            MessageClass::User => return KeptReason::Human,
            MessageClass::System => return KeptReason::System,
            MessageClass::Injected | MessageClass::Assistant | MessageClass::Tool | MessageClass::Summary => {
            }
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
        let reason = &self.episodes[owner.at()];
        if *reason != KeptReason::Eligible {
            return reason.clone();
        }
        // A call is protected with its result.
        let result = row.pair.filter(|pair| *pair > block && self.state.blocks[pair.at()] == Presence::Live);
        if session.stands_at(result.unwrap_or(block)) >= self.protected {
            return KeptReason::Protected;
        }
        let level = EvictionLevel::of_block(row, options.classify_shell);
        let own_is_on = options.is_on(level) && level.applies_to(growth.graph.get(owner).kind);
        if own_is_on || options.is_on(EvictionLevel::WholeEpisode) {
            KeptReason::Eligible
        } else {
            KeptReason::LevelOff
        }
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
        let first = session.blocks[growth.graph.get(episode).start.at()].message;
        places.entry(anchor(session, state, first)).or_default().push(episode);
    }
    places
}

/// Finds the message before which something synthetic may stand: calls answered at or after it move it before
/// them.
fn anchor(session: &Session, state: &StateAt, message: MessageIdx) -> MessageIdx {
    anchor_among(session, &|block: BlockIdx| state.blocks[block.at()], message)
}

/// Is [`anchor`] for whoever knows where blocks are.
pub(crate) fn anchor_among(
    session: &Session,
    presence: &impl Fn(BlockIdx) -> Presence,
    message: MessageIdx,
) -> MessageIdx {
    let mut anchor = message;
    while let Some(earlier) = call_across(session, presence, anchor) {
        anchor = earlier;
    }
    anchor
}

/// Finds the message of a call that stands before `anchor` and whose result, still there, does not.
fn call_across(
    session: &Session,
    presence: &impl Fn(BlockIdx) -> Presence,
    anchor: MessageIdx,
) -> Option<MessageIdx> {
    let first = session.messages[anchor.at()].blocks.start;
    // Results stand near their calls: those of the replies just before are enough to look at, up to the
    // last reply whose calls are all answered before the anchor.
    session.blocks[first..]
        .iter()
        .enumerate()
        .take(RESULTS_AFTER_ANCHOR)
        .filter(|(at, block)| {
            matches!(block.kind, crate::BlockKind::Result(_))
                && matches!(presence(BlockIdx::new(first + at)), Presence::Live | Presence::Masked(..))
        })
        .filter_map(|(_, block)| block.pair)
        .filter(|call| call.at() < first && presence(*call) == Presence::Live)
        .map(|call| session.blocks[call.at()].message)
        .min()
}

/// How many blocks after an anchor are searched for results of calls before it.
const RESULTS_AFTER_ANCHOR: usize = 4096;
