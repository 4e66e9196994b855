//! A duel: two policies over one session, turn by turn, with what leaves each context and what the agent needs after
//! it has left.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{
    BlockIdx, BlockStates, EpisodeIdx, MessageIdx, Reacquisition, ReplayInput, TokenTable, Transition,
    TurnIdx,
};

use crate::api::{DuelAnswer, DuelNeed, DuelRequest, DuelSide, NameKind, ViewSettings};
use crate::commands::compactions::shorten_shown;
use crate::commands::replay::full_totals;
use crate::figures::{saturate_u32, with_commas};
use crate::measure::measured::{MeasureInputs, MeasuredReplay, Terms, write_dollars, write_percent};
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::{ApiError, ErrorCode};

/// Replays a session under two policies.
///
/// # Errors
/// If the views differ in more than their policies, budgets and options; if a view is invalid, or the log's texts
/// cannot be read.
pub fn duel(opened: &SessionSnapshot, request: &DuelRequest) -> Result<DuelAnswer, ApiError> {
    check_common_ground(&request.a, &request.b)?;
    let terms = Terms::look_up(opened, &request.cache);
    let (run, a) = replay_side(opened, &request.a, &terms)?;
    let (_, b) = replay_side(opened, &request.b, &terms)?;
    let cells = Cells::from_run(&run);
    Ok(DuelAnswer {
        revision: opened.revision(),
        counted_by: run.counted_by(),
        came_in: cells.units.iter().map(|units| run.sizes.table.tokens_from_units(*units)).collect(),
        episodes: cells.main_episodes(&run),
        full: full_totals(&run),
        priced: terms.price.priced,
        a,
        b,
    })
}

fn check_common_ground(a: &ViewSettings, b: &ViewSettings) -> Result<(), ApiError> {
    let differing = [
        ("branch", a.branch == b.branch),
        ("annotation", a.annotation == b.annotation),
        ("tokenizer", a.tokenizer == b.tokenizer),
        ("overhead", a.overhead == b.overhead),
    ];
    let Some((what, _)) = differing.into_iter().find(|(_, is_same)| !is_same) else { return Ok(()) };
    Err(ApiError::new(ErrorCode::BadRequest, format!("the two views of a duel differ in `{what}`"))
        .with_hint(format!("give both views the same `{what}`; only policy, budget and options may differ")))
}

fn replay_side(
    opened: &SessionSnapshot,
    view: &ViewSettings,
    terms: &Terms,
) -> Result<(ReplayRun, DuelSide), ApiError> {
    let measures = MeasureInputs::prepare(opened, view, terms)?;
    let MeasuredReplay { measured, cost_so_far, .. } = measures.measure_own()?;
    let run = measures.run;
    let absences = opened.find_absences(&run)?;
    let material = opened.material(run.selection())?;
    let cells = Cells::from_run(&run);
    let needs = absences.reacquisitions.iter().map(|reacquisition| {
        let name = reacquisition.names.first().and_then(|name| material.names.get(*name as usize));
        DuelNeed {
            turn: reacquisition.turn.number(),
            gone: reacquisition.gone.number(),
            origins: cells.origins_of(&reacquisition.missed),
            kind: name.map_or(NameKind::Path, |name| name.kind),
            name: name.map(|name| shorten_shown(&name.text)).unwrap_or_default(),
            episode: run.branch.growth.graph.owner_of(reacquisition.held).map(|idx| saturate_u32(idx.at())),
            tokens: run.policy_table().tokens_from_units(run.policy_table().units(reacquisition.again)),
        }
    });
    let cost =
        if measured.cost.unpriced { "no price".to_owned() } else { write_dollars(measured.cost.total_cost) };
    let says = format!(
        "{cost}, recall {} %, {} tokens read again",
        write_percent(measured.recall.hit_per_mille),
        with_commas(measured.recall.reacquired_tokens)
    );
    let side = DuelSide {
        policy: run.replay.policy.name.to_owned(),
        budget: run.replay.budget,
        sent: run.replay.turns.iter().map(|turn| turn.after).collect(),
        cost_so_far,
        again_so_far: add_up_again(&run, &absences.reacquisitions),
        changes: cells.list_changes(&run),
        needs: needs.collect(),
        says,
    };
    Ok((run, side))
}

fn add_up_again(run: &ReplayRun, reacquisitions: &[Reacquisition]) -> Vec<u64> {
    let table = run.policy_table();
    let mut waiting = reacquisitions.iter().peekable();
    let mut units = 0;
    let mut until = |turn: TurnIdx| {
        while let Some(reacquisition) = waiting.next_if(|reacquisition| reacquisition.turn <= turn) {
            units += table.units(reacquisition.again);
        }
        table.tokens_from_units(units)
    };
    (1..).take(run.replay.turns.len()).map(|number| until(TurnIdx::new(number))).collect()
}

struct Cells {
    of_block: Vec<u32>,
    units: Vec<u64>,
}

impl Cells {
    fn from_run(run: &ReplayRun) -> Self {
        let (session, table) = (&run.branch.session, &run.sizes.table);
        let last = session.last_turn();
        let mut of_block = vec![0; session.blocks.len()];
        let mut units = vec![0; session.turns.len()];
        for (at, message) in session.messages.iter().enumerate() {
            let cell = session.turn_after(MessageIdx::new(at)).min(last).at();
            for block in message.blocks.clone() {
                of_block[block] = saturate_u32(cell);
                units[cell] += table.units(BlockIdx::new(block));
            }
        }
        Self { of_block, units }
    }

    fn cell(&self, block: BlockIdx) -> usize {
        self.of_block[block.at()] as usize
    }

    fn origins_of(&self, blocks: &[BlockIdx]) -> Vec<u32> {
        let origins: BTreeSet<u32> = blocks.iter().map(|block| self.of_block[block.at()] + 1).collect();
        origins.into_iter().collect()
    }

    fn main_episodes(&self, run: &ReplayRun) -> Vec<Option<u32>> {
        let mut parts: Vec<BTreeMap<Option<EpisodeIdx>, u64>> = vec![BTreeMap::new(); self.units.len()];
        for (at, cell) in self.of_block.iter().enumerate() {
            let block = BlockIdx::new(at);
            let owner = run.branch.growth.graph.owner_of(block);
            *parts[*cell as usize].entry(owner).or_default() += run.sizes.table.units(block);
        }
        let largest = |parts: &BTreeMap<Option<EpisodeIdx>, u64>| {
            let (owner, _) = parts.iter().max_by_key(|(_, units)| **units)?;
            owner.map(|idx| saturate_u32(idx.at()))
        };
        parts.iter().map(largest).collect()
    }

    fn list_changes(&self, run: &ReplayRun) -> Vec<(u32, u32, u64)> {
        let table: &TokenTable = &run.sizes.table;
        let input = ReplayInput { table, ..run.replay_input() };
        let mut states = BlockStates::new(self.of_block.len());
        let mut sent = vec![0u64; self.of_block.len()];
        let mut left = vec![0u64; self.units.len()];
        let mut told = self.units.clone();
        let mut changes = Vec::new();
        for turn in (1..).take(run.replay.turns.len()).map(TurnIdx::new) {
            let mut touched: BTreeSet<BlockIdx> = BTreeSet::new();
            states.advance_to(&input, &run.replay, turn, |_, transition| match transition {
                Transition::Arrived(run) => touched.extend(run.range().map(BlockIdx::new)),
                Transition::Changed { block, .. } => {
                    touched.insert(block);
                }
                _ => {}
            });
            let mut cells: BTreeSet<usize> = BTreeSet::new();
            for block in touched {
                let now = states.state(block).units_of(table, block);
                let before = std::mem::replace(&mut sent[block.at()], now);
                let cell = self.cell(block);
                left[cell] = left[cell] + now - before;
                cells.insert(cell);
            }
            // Content of a later turn, as of a message that is still being written, is not in this request yet.
            for cell in cells.into_iter().filter(|cell| *cell <= turn.at()) {
                if std::mem::replace(&mut told[cell], left[cell]) != left[cell] {
                    let tokens = table.tokens_from_units(left[cell]);
                    changes.push((turn.number(), saturate_u32(cell) + 1, tokens));
                }
            }
        }
        changes
    }
}
