//! Composition: the tokens of a context in each band, per turn and at a cut.

use alloc::vec::Vec;

use strum::{Display, IntoStaticStr, VariantArray};

use crate::{
    BlockIdx, BlockKind, BlockRun, BlockStates, EpisodeIdx, EpisodeKind, EvictionLevel, Fate, GoneReason,
    MessageClass, MessageOrigin, PairSide, RenderedContext, Replay, ReplayInput, TokenTable, ToolClass,
    Transition, TurnIdx,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray, Display)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
#[strum(serialize_all = "snake_case")]
pub enum Band {
    /// Overhead: system prompt and tool definitions, inferred or given.
    Unlogged,
    Human,
    /// Content before the first episode, and system content, except human words.
    Prologue,
    #[strum(serialize = "act")]
    #[cfg_attr(feature = "serde", serde(rename = "act"))]
    Action,
    #[strum(serialize = "expl")]
    #[cfg_attr(feature = "serde", serde(rename = "expl"))]
    Exploratory,
    Unannotated,
    Reasoning,
    Residue,
    System,
    Text,
    Calls,
    Reads,
    Searches,
    Shell,
    Results,
}

impl Band {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Display, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
pub enum BandsBy {
    #[default]
    Episode,
    Content,
}

impl BandsBy {
    pub const fn bands(self) -> &'static [Band] {
        use Band::{
            Action, Calls, Exploratory, Human, Prologue, Reads, Reasoning, Residue, Results, Searches, Shell,
            System, Text, Unannotated, Unlogged,
        };
        match self {
            Self::Episode => {
                &[Unlogged, Human, Prologue, Action, Exploratory, Unannotated, Reasoning, Residue]
            }
            Self::Content => {
                &[Unlogged, Human, System, Text, Calls, Reads, Searches, Shell, Results, Reasoning, Residue]
            }
        }
    }
}

const N_BANDS: usize = Band::ALL.len();

/// Tokens per band, in the order of [`Band::ALL`]. Bands in the other division are 0.
pub type BandTokens = [u64; N_BANDS];

/// Messages are rounded up to whole tokens; the rounding remainder goes to the largest band.
pub fn bands_by_turn(input: &ReplayInput<'_>, replay: &Replay, by: BandsBy) -> Vec<BandTokens> {
    let ReplayInput { growth, table, .. } = *input;
    let mut states = BlockStates::new(growth.n_blocks());
    let mut bands = Bands {
        division: Division { input, by },
        table,
        owners: alloc::vec![None; growth.n_blocks()],
        came: None,
        units: [0; N_BANDS],
        residues: alloc::vec![false; growth.graph.episodes.len()],
        synthetic: 0,
    };
    let turns = (0..replay.turns.len()).map(TurnIdx::from_position);
    let of_turn = |turn| {
        states.advance_to(input, replay, turn, |states, transition| {
            bands.on_transition(transition, states, replay)
        });
        bands.count_arrivals();
        tokens_from_units(
            table,
            bands.units,
            bands.synthetic,
            replay.outcome_at(turn).after,
            replay.overhead.tokens_at(turn),
        )
    };
    turns.map(of_turn).collect()
}

struct Bands<'a> {
    division: Division<'a>,
    table: &'a TokenTable,
    owners: Vec<Option<EpisodeIdx>>,
    came: Option<BlockRun>,
    units: BandTokens,
    residues: Vec<bool>,
    synthetic: u64,
}

impl Bands<'_> {
    fn on_transition(&mut self, transition: Transition, states: &BlockStates, replay: &Replay) {
        match transition {
            Transition::Arrived(run) => self.came = Some(run),
            Transition::Owned(run, owner) if self.came.is_some_and(|came| came.contains(run.first)) => {
                self.owners[run.range()].fill(owner);
            }
            Transition::Owned(run, owner) => {
                for block in run.blocks() {
                    let size = states.state(block).units_of(self.table, block);
                    self.change_block(block, size, 0);
                    self.owners[block.at()] = owner;
                    self.change_block(block, 0, size);
                }
            }
            Transition::Changed { block, was, is, .. } => {
                self.count_arrivals();
                self.change_block(block, was.units_of(self.table, block), is.units_of(self.table, block));
            }
            Transition::Placed(number) => {
                self.synthetic += self.table.tokens_from_units(replay.summary_numbered(number).units);
            }
            Transition::Lifted(number) => {
                self.synthetic -= self.table.tokens_from_units(replay.summary_numbered(number).units);
            }
            Transition::Residue(idx, present) => {
                if core::mem::replace(&mut self.residues[idx.at()], present) != present {
                    let tokens = self.table.residue_tokens(idx);
                    self.synthetic = if present { self.synthetic + tokens } else { self.synthetic - tokens };
                }
            }
            Transition::Lives(..) | Transition::Edge { .. } | Transition::Described(..) => {}
        }
    }

    fn change_block(&mut self, block: BlockIdx, was: u64, is: u64) {
        let owner = self.owners[block.at()];
        let Self { division, units, .. } = self;
        division.split_block(owner, block, was, |band, size| units[band as usize] -= size);
        division.split_block(owner, block, is, |band, size| units[band as usize] += size);
    }

    fn count_arrivals(&mut self) {
        for block in self.came.take().into_iter().flat_map(BlockRun::blocks) {
            self.change_block(block, 0, self.table.units(block));
        }
    }
}

#[derive(Clone, Copy)]
struct Division<'a> {
    input: &'a ReplayInput<'a>,
    by: BandsBy,
}

impl Division<'_> {
    fn split_block(
        &self,
        owner: Option<EpisodeIdx>,
        block: BlockIdx,
        size: u64,
        mut give: impl FnMut(Band, u64),
    ) {
        let band = self.band_of(owner, block);
        let is_with_words = self.input.growth.class_of(block) == MessageClass::User && band != Band::Human;
        let words = if is_with_words { self.input.session.words_in(block, size) } else { 0 };
        give(Band::Human, words);
        give(band, size - words);
    }

    fn band_of(&self, owner: Option<EpisodeIdx>, block: BlockIdx) -> Band {
        let class = match self.input.growth.class_of(block) {
            // A result that holds human words: the harness's part and the call count as tool
            // content.
            MessageClass::User if self.input.growth.side_of(block) == PairSide::Result => MessageClass::Tool,
            class => class,
        };
        match (class, self.by) {
            (MessageClass::User, _) => Band::Human,
            (MessageClass::Summary, _) => Band::Residue,
            (MessageClass::System, BandsBy::Episode) => Band::Prologue,
            (MessageClass::System | MessageClass::Injected, BandsBy::Content) => Band::System,
            (_, BandsBy::Episode) => self.by_episode(owner, block),
            (_, BandsBy::Content) => self.by_content(block),
        }
    }

    fn by_episode(&self, owner: Option<EpisodeIdx>, block: BlockIdx) -> Band {
        let growth = self.input.growth;
        match owner {
            None if self.input.session.blocks[block.at()].is_with_words => Band::Human,
            None => Band::Prologue,
            Some(_) if growth.level_of(block, false) == EvictionLevel::Reasoning => Band::Reasoning,
            Some(owner) => match growth.graph.episode(owner).kind {
                EpisodeKind::Action => Band::Action,
                EpisodeKind::Exploratory => Band::Exploratory,
                EpisodeKind::Unannotated => Band::Unannotated,
            },
        }
    }

    fn by_content(&self, block: BlockIdx) -> Band {
        let block = &self.input.session.blocks[block.at()];
        match (&block.kind, block.class) {
            (BlockKind::Reasoning, _) => Band::Reasoning,
            (BlockKind::Call(_), _) => Band::Calls,
            (BlockKind::Text, _) | (BlockKind::Image | BlockKind::Opaque, None) => Band::Text,
            (_, Some(ToolClass::Read)) => Band::Reads,
            (_, Some(ToolClass::Search)) => Band::Searches,
            (_, Some(ToolClass::Shell)) => Band::Shell,
            (_, Some(ToolClass::Write | ToolClass::Delimiter | ToolClass::Other) | None) => Band::Results,
        }
    }
}

fn tokens_from_units(
    table: &TokenTable,
    units: BandTokens,
    synthetic: u64,
    total: u64,
    overhead: u64,
) -> BandTokens {
    let divisor = u64::from(table.divisor());
    let mut tokens = units.map(|units| units / divisor);
    tokens[Band::Unlogged as usize] += overhead;
    tokens[Band::Residue as usize] += synthetic;
    let rest = total.saturating_sub(tokens.iter().sum());
    let largest = (1..N_BANDS).max_by_key(|&at| (tokens[at], N_BANDS - at)).unwrap_or(1);
    tokens[largest] += rest;
    tokens
}

pub fn composition_at(input: &ReplayInput<'_>, context: &RenderedContext, by: BandsBy) -> BandTokens {
    let division = Division { input, by };
    let mut units = [0; N_BANDS];
    let mut synthetic = 0;
    for message in &context.messages {
        if !matches!(message.origin, MessageOrigin::Log(_)) {
            synthetic += message.tokens;
        }
        for item in &message.items {
            let size = match &item.fate {
                // An excluded block is not sent, but still has a size for a policy that counts it.
                Fate::Kept(_) | Fate::Gone(GoneReason::Excluded) => input.table.units(item.block),
                Fate::Masked(placeholder, _) => input.table.placeholder_units(*placeholder),
                Fate::Gone(_) => continue,
            };
            division.split_block(item.episode, item.block, size, |band, size| units[band as usize] += size);
        }
    }
    tokens_from_units(input.table, units, synthetic, context.total, context.overhead)
}
