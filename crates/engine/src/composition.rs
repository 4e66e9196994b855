//! Composition: what a context is made of, band by band, at every turn and at one cut.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::{
    BlockIdx, BlockKind, EpisodeIdx, EpisodeKind, GraphChange, Growth, MessageClass, Move, Replay,
    ReplayInput, Session, TokenTable, TurnIdx,
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
    live: Vec<bool>,
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
            GraphChange::Arrived(block) | GraphChange::Restored(block) => {
                if !self.evicted[block.at()] {
                    self.set(block, true);
                }
            }
            GraphChange::Dropped(block, _) => {
                self.unmask(block);
                self.set(block, false);
            }
            GraphChange::Owned(block, owner) => {
                let live = self.live[block.at()];
                self.set(block, false);
                self.owners[block.at()] = owner;
                self.set(block, live);
            }
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
            Move::Out(block) => {
                self.unmask(block);
                self.evicted[block.at()] = true;
                self.set(block, false);
            }
            Move::In(block) => {
                self.unmask(block);
                self.evicted[block.at()] = false;
                self.set(block, true);
            }
            Move::Masked(block, number) => {
                self.unmask(block);
                self.evicted[block.at()] = true;
                self.set(block, false);
                let units = replay.stand_in(number).units(self.table);
                self.masks.insert(block, units);
                self.bands[self.band(block) as usize] += units;
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

    fn unmask(&mut self, block: BlockIdx) {
        if let Some(units) = self.masks.remove(&block) {
            self.bands[self.band(block) as usize] -= units;
        }
    }

    fn set(&mut self, block: BlockIdx, live: bool) {
        if core::mem::replace(&mut self.live[block.at()], live) == live {
            return;
        }
        let band = &mut self.bands[self.band(block) as usize];
        let units = self.table.units(block);
        *band = if live { *band + units } else { *band - units };
    }

    fn band(&self, block: BlockIdx) -> Band {
        match self.session.message_of(block).class {
            MessageClass::User => return Band::Human,
            MessageClass::System => return Band::Prologue,
            MessageClass::Summary => return Band::Residue,
            MessageClass::Injected | MessageClass::Assistant | MessageClass::Tool => {}
        }
        match self.owners[block.at()] {
            None => Band::Prologue,
            Some(_) if self.session.blocks[block.at()].kind == BlockKind::Reasoning => Band::Reasoning,
            Some(owner) => match self.growth.graph.get(owner).kind {
                EpisodeKind::Action => Band::Action,
                EpisodeKind::Exploratory => Band::Exploratory,
                EpisodeKind::Unannotated => Band::Unannotated,
            },
        }
    }

    fn residue(&mut self, idx: EpisodeIdx, present: bool) {
        if core::mem::replace(&mut self.residues[idx.at()], present) != present {
            let tokens = self.table.residue(idx);
            self.residue_tokens =
                if present { self.residue_tokens + tokens } else { self.residue_tokens - tokens };
        }
    }

    fn tokens(&self, total: u64, overhead: u64) -> BandTokens {
        let divisor = u64::from(self.table.divisor());
        let mut tokens = self.bands.map(|units| units / divisor);
        tokens[Band::Unlogged as usize] += overhead;
        tokens[Band::Residue as usize] += self.residue_tokens;
        let rest = total.saturating_sub(tokens.iter().sum());
        let largest = (1..8).max_by_key(|&at| (tokens[at], 8 - at)).unwrap_or(1);
        tokens[largest] += rest;
        tokens
    }
}
