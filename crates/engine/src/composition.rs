//! Composition: what a context is made of, band by band, at every turn and at one cut.

use alloc::vec::Vec;

use strum::{IntoStaticStr, VariantArray};

use crate::{
    BlockIdx, BlockRun, BlockStates, EpisodeIdx, EpisodeKind, EvictionLevel, Fate, GoneReason, Growth,
    MessageClass, MessageOrigin, RenderedContext, Replay, ReplayInput, TokenTable, Transition, TurnIdx,
};

/// A kind of content, for pictures of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Band {
    /// The overhead, which the log does not hold: system prompt and tool definitions, inferred or given.
    Unlogged,
    /// The human's words.
    Human,
    /// Content before the first episode, and system content, but for the human's words.
    Prologue,
    /// Acts.
    #[strum(serialize = "act")]
    Action,
    /// Explorations.
    #[strum(serialize = "expl")]
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
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Tokens per band, in the order of [`Band::ALL`]; they add up to the total.
pub type BandTokens = [u64; 8];

/// Returns what the request of every turn is made of.
///
/// Messages are rounded up to whole tokens; what rounding adds stands with the largest band.
pub fn composition(input: &ReplayInput<'_>, replay: &Replay) -> Vec<BandTokens> {
    let ReplayInput { growth, table, .. } = *input;
    let mut states = BlockStates::new(growth.n_blocks());
    let mut bands = Bands {
        growth,
        table,
        owners: alloc::vec![None; growth.n_blocks()],
        came: None,
        units: [0; 8],
        residues: alloc::vec![false; growth.graph.episodes.len()],
        synthetic: 0,
    };
    let turns = (0..replay.turns.len()).map(TurnIdx::from_position);
    let of_turn = |turn| {
        states.advance(input, replay, turn, |states, transition| bands.told(transition, states, replay));
        bands.count_arrivals();
        banded(table, bands.units, bands.synthetic, replay.turn(turn).after, replay.overhead.at(turn))
    };
    turns.map(of_turn).collect()
}

/// The sizes of all bands, kept up to date by transitions.
struct Bands<'a> {
    growth: &'a Growth,
    table: &'a TokenTable,
    owners: Vec<Option<EpisodeIdx>>,
    /// The blocks that came in last, while they are not counted: their owners are told after them.
    came: Option<BlockRun>,
    units: [u64; 8],
    residues: Vec<bool>,
    /// The size of residues and summaries, tokens.
    synthetic: u64,
}

impl Bands<'_> {
    fn told(&mut self, transition: Transition, states: &BlockStates, replay: &Replay) {
        match transition {
            Transition::Arrived(run) => self.came = Some(run),
            Transition::Owned(run, owner) if self.came.is_some_and(|came| came.contains(run.first)) => {
                self.owners[run.range()].fill(owner);
            }
            Transition::Owned(run, owner) => {
                for block in run.blocks() {
                    let size = states.of(block).units(self.table, block);
                    self.change(block, size, 0);
                    self.owners[block.at()] = owner;
                    self.change(block, 0, size);
                }
            }
            Transition::Changed { block, was, is, .. } => {
                self.count_arrivals();
                self.change(block, was.units(self.table, block), is.units(self.table, block));
            }
            Transition::Placed(number) => {
                self.synthetic += self.table.tokens(replay.summary(number).units);
            }
            Transition::Lifted(number) => {
                self.synthetic -= self.table.tokens(replay.summary(number).units);
            }
            Transition::Residue(idx, present) => {
                if core::mem::replace(&mut self.residues[idx.at()], present) != present {
                    let tokens = self.table.residue(idx);
                    self.synthetic = if present { self.synthetic + tokens } else { self.synthetic - tokens };
                }
            }
            Transition::Lives(..) | Transition::Edge { .. } | Transition::Described(..) => {}
        }
    }

    fn change(&mut self, block: BlockIdx, was: u64, is: u64) {
        let units = &mut self.units[band_of(self.growth, self.owners[block.at()], block) as usize];
        *units = *units - was + is;
    }

    /// Counts what came in last, as it came in.
    fn count_arrivals(&mut self) {
        for block in self.came.take().into_iter().flat_map(BlockRun::blocks) {
            self.change(block, 0, self.table.units(block));
        }
    }
}

/// Tells the band of a block that belongs to an episode, or to none.
fn band_of(growth: &Growth, owner: Option<EpisodeIdx>, block: BlockIdx) -> Band {
    match growth.class_of(block) {
        MessageClass::User => return Band::Human,
        MessageClass::System => return Band::Prologue,
        MessageClass::Summary => return Band::Residue,
        MessageClass::Injected | MessageClass::Assistant | MessageClass::Tool => {}
    }
    match owner {
        None => Band::Prologue,
        Some(_) if growth.level_of(block, false) == EvictionLevel::Reasoning => Band::Reasoning,
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
                // Of what is not sent only a policy that counts it has a size.
                Fate::Kept(_) | Fate::Gone(GoneReason::Excluded) => input.table.units(item.block),
                Fate::Masked(placeholder, _) => input.table.placeholder(*placeholder),
                Fate::Gone(_) => continue,
            };
            units[band_of(input.growth, item.episode, item.block) as usize] += size;
        }
    }
    banded(input.table, units, synthetic, context.total, context.overhead)
}
