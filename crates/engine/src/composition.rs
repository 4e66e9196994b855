//! Composition: what a context is made of, band by band, at every turn and at one cut.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::{
    BlockIdx, BlockKind, EpisodeIdx, EpisodeKind, Fate, GraphChange, Growth, MessageClass, MessageOrigin,
    Move, RenderedContext, Replay, ReplayInput, Session, TokenTable, TurnIdx,
};

/// A kind of content, for pictures of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Band {
    /// What the log does not hold: system prompt and tool definitions, inferred or given.
    Unlogged,
    /// The human's words.
    Human,
    /// What stands before the first episode, and system content, but for the human's words.
    Prologue,
    /// Acts.
    Action,
    /// Explorations.
    Exploratory,
    /// Stretches without annotation.
    Unannotated,
    /// Reasoning, wherever it stands.
    Reasoning,
    /// Residues, and summaries that the harness recorded.
    Residue,
}

impl Band {
    /// All bands, from the bottom of a picture to its top.
    pub const ALL: [Self; 8] = [
        Self::Unlogged,
        Self::Human,
        Self::Prologue,
        Self::Action,
        Self::Exploratory,
        Self::Unannotated,
        Self::Reasoning,
        Self::Residue,
    ];

    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unlogged => "unlogged",
            Self::Human => "human",
            Self::Prologue => "prologue",
            Self::Action => "act",
            Self::Exploratory => "expl",
            Self::Unannotated => "unannotated",
            Self::Reasoning => "reasoning",
            Self::Residue => "residue",
        }
    }
}

/// Tokens per band, in the order of [`Band::ALL`]; they add up to the total.
pub type BandTokens = [u64; 8];

/// Returns what the request of every turn is made of.
///
/// Messages are rounded up to whole tokens; what rounding adds stands with the largest band.
pub fn composition(input: &ReplayInput<'_>, replay: &Replay) -> Vec<BandTokens> {
    let ReplayInput { session, growth, table, .. } = *input;
    let mut fold = Fold {
        session,
        growth,
        table,
        owners: alloc::vec![None; session.blocks.len()],
        live: alloc::vec![false; session.blocks.len()],
        dropped: alloc::vec![false; session.blocks.len()],
        evicted: alloc::vec![false; session.blocks.len()],
        masks: BTreeMap::new(),
        bands: [0; 8],
        residues: alloc::vec![false; growth.graph.episodes.len()],
        residue_tokens: 0,
    };
    (0..replay.turns.len())
        .map(|at| {
            let turn = TurnIdx::from_position(at);
            for change in growth.changes(turn) {
                fold.change(change);
            }
            replay.moves_of(turn, |one| fold.moved(one, replay));
            fold.tokens(replay.turn(turn).after, replay.overhead)
        })
        .collect()
}

struct Fold<'a> {
    session: &'a Session,
    growth: &'a Growth,
    table: &'a TokenTable,
    owners: Vec<Option<EpisodeIdx>>,
    /// It has come in.
    live: Vec<bool>,
    /// The harness has taken it.
    dropped: Vec<bool>,
    /// The policy has taken it.
    evicted: Vec<bool>,
    /// Placeholders, units; their bands are those of what they stand for.
    masks: BTreeMap<BlockIdx, u64>,
    bands: [u64; 8],
    residues: Vec<bool>,
    residue_tokens: u64,
}

impl Fold<'_> {
    fn change(&mut self, change: &GraphChange) {
        match *change {
            GraphChange::Arrived(block) => self.with(block, |fold| fold.live[block.at()] = true),
            // What the policy did stays done, whatever the harness takes and puts back.
            GraphChange::Restored(block) => self.with(block, |fold| fold.dropped[block.at()] = false),
            GraphChange::Dropped(block, _) => self.with(block, |fold| fold.dropped[block.at()] = true),
            GraphChange::Owned(block, owner) => self.with(block, |fold| fold.owners[block.at()] = owner),
            GraphChange::Opened(_)
            | GraphChange::Edge { .. }
            | GraphChange::Described(..)
            | GraphChange::Closed(_)
            | GraphChange::Reopened(_)
            | GraphChange::Vanished(_) => {}
        }
    }

    fn moved(&mut self, one: Move, replay: &Replay) {
        match one {
            Move::Out(block) => self.with(block, |fold| {
                fold.masks.remove(&block);
                fold.evicted[block.at()] = true;
            }),
            Move::In(block) => self.with(block, |fold| {
                fold.masks.remove(&block);
                fold.evicted[block.at()] = false;
            }),
            Move::Masked(block, number) => {
                let units = replay.stand_in(number).units(self.table);
                self.with(block, |fold| {
                    fold.masks.insert(block, units);
                    fold.evicted[block.at()] = true;
                });
            }
            Move::Placed(number) => {
                self.residue_tokens += self.table.tokens(replay.stand_in(number).units(self.table));
            }
            Move::Lifted(number) => {
                self.residue_tokens -= self.table.tokens(replay.stand_in(number).units(self.table));
            }
            Move::Residue(idx, present) => self.residue(idx, present),
        }
    }

    /// Changes what is known of a block, and the bands with it.
    fn with(&mut self, block: BlockIdx, change: impl FnOnce(&mut Self)) {
        let was = self.size(block);
        if was > 0 {
            self.bands[self.band(block) as usize] -= was;
        }
        change(self);
        let is = self.size(block);
        if is > 0 {
            self.bands[self.band(block) as usize] += is;
        }
    }

    fn size(&self, block: BlockIdx) -> u64 {
        let at = block.at();
        if !self.live[at] || self.dropped[at] {
            return 0;
        }
        if self.evicted[at] { self.masks.get(&block).copied().unwrap_or(0) } else { self.table.units(block) }
    }

    fn band(&self, block: BlockIdx) -> Band {
        band_of(self.session, self.growth, self.owners[block.at()], block)
    }

    fn residue(&mut self, idx: EpisodeIdx, present: bool) {
        if core::mem::replace(&mut self.residues[idx.at()], present) != present {
            let tokens = self.table.residue(idx);
            self.residue_tokens =
                if present { self.residue_tokens + tokens } else { self.residue_tokens - tokens };
        }
    }

    fn tokens(&self, total: u64, overhead: u64) -> BandTokens {
        banded(self.table, self.bands, self.residue_tokens, total, overhead)
    }
}

/// Tells the band of a block that belongs to an episode, or to none.
fn band_of(session: &Session, growth: &Growth, owner: Option<EpisodeIdx>, block: BlockIdx) -> Band {
    match session.message_of(block).class {
        MessageClass::User => return Band::Human,
        MessageClass::System => return Band::Prologue,
        MessageClass::Summary => return Band::Residue,
        MessageClass::Injected | MessageClass::Assistant | MessageClass::Tool => {}
    }
    match owner {
        None => Band::Prologue,
        Some(_) if session.blocks[block.at()].kind == BlockKind::Reasoning => Band::Reasoning,
        Some(owner) => match growth.graph.get(owner).kind {
            EpisodeKind::Action => Band::Action,
            EpisodeKind::Exploratory => Band::Exploratory,
            EpisodeKind::Unannotated => Band::Unannotated,
        },
    }
}

/// Makes tokens of units; what rounding leaves stands with the largest band.
fn banded(table: &TokenTable, units: [u64; 8], synthetic: u64, total: u64, overhead: u64) -> BandTokens {
    let divisor = u64::from(table.divisor());
    let mut tokens = units.map(|units| units / divisor);
    tokens[Band::Unlogged as usize] += overhead;
    tokens[Band::Residue as usize] += synthetic;
    let rest = total.saturating_sub(tokens.iter().sum());
    let largest = (1..8).max_by_key(|&at| (tokens[at], 8 - at)).unwrap_or(1);
    tokens[largest] += rest;
    tokens
}

/// Returns what one context is made of, in the middle of a pass too.
pub fn composition_at(input: &ReplayInput<'_>, context: &RenderedContext) -> BandTokens {
    let mut units = [0; 8];
    let mut synthetic = 0;
    for message in &context.messages {
        if !matches!(message.origin, MessageOrigin::Log(_)) {
            synthetic += message.tokens;
        }
        for item in &message.items {
            let size = match &item.fate {
                Fate::Kept(_) => input.table.units(item.block),
                Fate::Masked(placeholder, _) => input.table.placeholder(*placeholder),
                Fate::Gone(_) => continue,
            };
            units[band_of(input.session, input.growth, item.episode, item.block) as usize] += size;
        }
    }
    banded(input.table, units, synthetic, context.total, context.overhead)
}
