//! Policies compared at one cut and over all turns, and the blocks in which two policies differ.

use std::collections::BTreeMap;

use cwl_engine::{BandsBy, BlockIdx, EventIdx, composition_at};

use crate::api::{
    BlockDifference, CompareAnswer, CompareAtCut, CompareBlocksAnswer, CompareBlocksRequest, CompareColumn,
    CompareRequest, ContextItem,
};
use crate::commands::frontier::{mark_frontier, setting_from_measures};
use crate::figures::saturate_u32;
use crate::measure::measured::{MeasureInputs, Terms, n_requests};
use crate::measure::moment::CutContext;
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::measure::survival::SurvivalInputs;
use crate::present::item::{ContextRow, PageExtent, context_rows, make_items};
use crate::{ApiError, ErrorCode};

const MOST_VIEWS: usize = 64;

/// Policies that users compare most, likeliest first. A first comparison takes its policies from the front.
pub(crate) const LIKELY: [&str; 6] = ["cwl", "cwl+", "summary", "none", "mask", "pi-cwl"];

/// Compares some views.
///
/// # Errors
/// If there are none or more than `MOST_VIEWS`, a view is invalid, or the log's texts cannot be read.
pub fn compare(opened: &SessionSnapshot, request: &CompareRequest) -> Result<CompareAnswer, ApiError> {
    let Some(first) = request.views.first().filter(|_| request.views.len() <= MOST_VIEWS) else {
        return Err(ApiError::new(
            ErrorCode::BadRequest,
            format!("{} views cannot be compared", request.views.len()),
        )
        .with_hint(format!("ask for 1 to {MOST_VIEWS}")));
    };
    let terms = Terms::look_up(opened, &request.cache);
    let mut columns = Vec::with_capacity(request.views.len());
    let (mut turn, mut n_made) = (1, 0);
    for view in &request.views {
        let measures = MeasureInputs::prepare(opened, view, &terms)?;
        let column = compare_column(opened, request, &measures)?;
        turn = measures.run.clamp_cut(request.cut).turn.number().max(turn);
        n_made = n_requests(&measures.run.branch.session).max(n_made);
        columns.push(column);
    }
    let settings = columns.iter_mut().map(|column| {
        let CompareColumn { policy, budget, measured, frontier, .. } = column;
        (setting_from_measures(policy, Some(*budget), measured, request.by), frontier)
    });
    let frontier = mark_frontier(request.by, settings);
    Ok(CompareAnswer {
        revision: opened.revision(),
        turn,
        n_requests: n_made,
        columns,
        cache: terms.cache_used(),
        judged: terms.judge_model(opened, first)?,
        frontier,
        price: terms.price,
    })
}

fn compare_column(
    opened: &SessionSnapshot,
    request: &CompareRequest,
    measures: &MeasureInputs<'_>,
) -> Result<CompareColumn, ApiError> {
    let run = &measures.run;
    let at = compared_at(run, &*opened.context_at_cut(run, request.cut)?, request.bands);
    let measured = measures.measure_own()?;
    let survival = SurvivalInputs::prepare(opened, run.selection())?;
    Ok(CompareColumn {
        policy: run.replay.policy.name.to_owned(),
        budget: run.replay.budget,
        counted_by: run.counted_by(),
        overhead: at.overhead,
        step: at.step,
        total: at.total,
        bands: at.bands,
        n_kept: at.n_kept,
        n_gone: at.n_gone,
        gone_tokens: at.gone_tokens,
        violations: at.violations,
        over_budget: measured.over_budget,
        frontier: false,
        measured: measured.measured,
        survival: survival.measure(&run.replay_input(), &run.replay),
        after: run.replay.turns.iter().map(|turn| turn.after).collect(),
        cost_so_far: measured.cost_so_far,
    })
}

fn compared_at(run: &ReplayRun, moment: &CutContext, by: BandsBy) -> CompareAtCut {
    let context = &moment.context;
    let gone = || context_rows(context).filter(|row| !row.is_kept());
    let bands = composition_at(&run.replay_input(), context, by);
    CompareAtCut {
        overhead: context.overhead,
        step: saturate_u32(context.step),
        total: context.total,
        bands: by.bands().iter().map(|band| (*band, bands[*band as usize])).collect(),
        n_kept: saturate_u32(context_rows(context).filter(ContextRow::is_kept).count()),
        n_gone: saturate_u32(gone().count()),
        gone_tokens: gone().map(|row| row.row_tokens(run)).sum(),
        violations: moment
            .provider_violations(&run.branch.session)
            .map(|(provider, violations)| (provider, saturate_u32(violations.len())))
            .collect(),
    }
}

/// A row's identity under every policy: its place in the log, which also orders rows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct BlockRowKey {
    event: EventIdx,
    part: u32,
    /// A synthetic text; it sorts before the block.
    text: Option<String>,
}

/// Lists blocks, descriptions and summaries that only one of two views sends, in log order.
///
/// # Errors
/// If a view is invalid, or the log's texts cannot be read.
pub fn compare_blocks(
    opened: &SessionSnapshot,
    request: &CompareBlocksRequest,
) -> Result<CompareBlocksAnswer, ApiError> {
    let (run_a, at_a) = opened.replay_to_cut(&request.a, request.cut)?;
    let (run_b, at_b) = opened.replay_to_cut(&request.b, request.cut)?;
    let (rows_a, rows_b) = (rows_by_key(&run_a, &at_a), rows_by_key(&run_b, &at_b));
    let only = |these: &BTreeMap<BlockRowKey, ContextRow<'_>>,
                others: &BTreeMap<BlockRowKey, ContextRow<'_>>|
     -> Vec<BlockRowKey> {
        let is_sent = |key: &BlockRowKey| others.get(key).is_some_and(ContextRow::is_kept);
        these.iter().filter(|(key, row)| row.is_kept() && !is_sent(key)).map(|(key, _)| key.clone()).collect()
    };
    let (only_a, only_b) = (only(&rows_a, &rows_b), only(&rows_b, &rows_a));
    let tokens =
        |keys: &[BlockRowKey], rows: &BTreeMap<BlockRowKey, ContextRow<'_>>, run: &ReplayRun| -> u64 {
            keys.iter().filter_map(|key| rows.get(key)).map(|row| row.row_tokens(run)).sum()
        };
    let (n_only_a, n_only_b) = (saturate_u32(only_a.len()), saturate_u32(only_b.len()));
    let (only_a_tokens, only_b_tokens) = (tokens(&only_a, &rows_a, &run_a), tokens(&only_b, &rows_b, &run_b));
    let mut all: Vec<(BlockRowKey, bool)> = only_a.into_iter().map(|key| (key, true)).collect();
    all.extend(only_b.into_iter().map(|key| (key, false)));
    all.sort();
    let extent = PageExtent::with_limit(request.offset, request.limit);
    let page = extent.page(&all);
    let of_page = |run: &ReplayRun,
                   at: &CutContext,
                   rows: &BTreeMap<BlockRowKey, ContextRow<'_>>|
     -> Result<_, ApiError> {
        let wanted: Vec<(&BlockRowKey, ContextRow<'_>)> =
            page.iter().filter_map(|(key, _)| Some((key, *rows.get(key)?))).collect();
        let shown: Vec<ContextRow<'_>> = wanted.iter().map(|(_, row)| *row).collect();
        let made = make_items(opened, run, &shown, extent.n_chars, at.is_met(run))?;
        Ok(wanted
            .into_iter()
            .map(|(key, _)| key.clone())
            .zip(made)
            .collect::<BTreeMap<BlockRowKey, ContextItem>>())
    };
    let (mut items_a, mut items_b) = (of_page(&run_a, &at_a, &rows_a)?, of_page(&run_b, &at_b, &rows_b)?);
    let items = page.iter().filter_map(|(key, in_a)| {
        let (sent, other) = if *in_a { (&mut items_a, &items_b) } else { (&mut items_b, &items_a) };
        let item = sent.remove(key)?;
        let why_not = other.get(key).map(|item| item.reason.clone()).unwrap_or_default();
        Some(BlockDifference { in_a: *in_a, item, why_not })
    });
    Ok(CompareBlocksAnswer {
        revision: opened.revision(),
        n_items: saturate_u32(all.len()),
        n_only_a,
        n_only_b,
        only_a_tokens,
        only_b_tokens,
        items: items.collect(),
    })
}

fn rows_by_key<'a>(run: &ReplayRun, moment: &'a CutContext) -> BTreeMap<BlockRowKey, ContextRow<'a>> {
    let session = &run.branch.session;
    let place = |block: BlockIdx| {
        let row = &session.blocks[block.at()];
        (row.event, row.part)
    };
    let mut keyed = BTreeMap::new();
    let mut waiting: Vec<(String, ContextRow<'a>)> = Vec::new();
    for row in context_rows(&moment.context) {
        match row {
            ContextRow::Residue { text, .. } | ContextRow::Summary { text, .. } => {
                waiting.push((text.to_owned(), row))
            }
            ContextRow::Block { block, .. } => {
                let (event, part) = place(block);
                let beside =
                    waiting.drain(..).map(|(text, row)| (BlockRowKey { event, part, text: Some(text) }, row));
                keyed.extend(beside);
                keyed.insert(BlockRowKey { event, part, text: None }, row);
            }
        }
    }
    let end = EventIdx::new(usize::MAX);
    keyed.extend(
        waiting.into_iter().map(|(text, row)| (BlockRowKey { event: end, part: 0, text: Some(text) }, row)),
    );
    keyed
}
