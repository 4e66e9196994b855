//! The context: what the model would receive at a cut, with ghosts for the rest.

use cwl_engine::{EpisodeKind, Fate, KeptReason, TurnIdx};

use crate::ApiError;
use crate::api::{
    ContextAnswer, ContextTextAnswer, ContextTextRequest, OverBudgetReason, ProviderViolations, ViewCut,
    ViewSettings,
};
use crate::figures::saturate_u32;
use crate::measure::findings;
use crate::measure::moment::CutContext;
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::measure::sizes::reported_at;
use crate::present::item::{ContextRow, PageExtent, context_rows, make_items};
use crate::present::pieces::InPieces;
use crate::present::sentence;

/// Returns the context at a cut as one text, each block below a heading.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn context_text(
    opened: &SessionSnapshot,
    request: &ContextTextRequest,
) -> Result<ContextTextAnswer, ApiError> {
    let (run, moment) = opened.replay_to_cut(&request.view, request.cut)?;
    let sent: Vec<ContextRow<'_>> = context_rows(&moment.context).filter(ContextRow::is_sent).collect();
    let mut text = String::new();
    for item in make_items(opened, &run, &sent, usize::MAX, moment.is_met(&run))? {
        let who = item.speaker_label();
        let tool = item.tool.map(|tool| format!(" {tool}")).unwrap_or_default();
        text.push_str(&format!("── {who}, {}{tool}, line {}\n", item.kind, item.line));
        let sent = item.placeholder.unwrap_or(item.text);
        text.push_str(sent.trim_end_matches('\n'));
        text.push_str("\n\n");
    }
    let n_chars = text.chars().count() as u64;
    Ok(ContextTextAnswer { text, n_chars })
}

/// Returns the context at a cut, with or without ghosts.
///
/// # Errors
/// If `view` is invalid, or the log's texts cannot be read.
pub fn context(
    opened: &SessionSnapshot,
    view: &ViewSettings,
    cut: ViewCut,
    ghosts: bool,
    extent: PageExtent,
) -> Result<ContextAnswer, ApiError> {
    let whole = |context: InPieces<'_, ContextAnswer>| {
        context.make_whole(|context, items| ContextAnswer { items, ..context })
    };
    context_in_pieces(opened, view, cut, (ghosts, extent), whole)?
}

/// Like [`context`], but `tell` receives the items lazily.
///
/// # Errors
/// If `view` is invalid, or the log's texts cannot be read.
pub fn context_in_pieces<R>(
    opened: &SessionSnapshot,
    view: &ViewSettings,
    cut: ViewCut,
    (ghosts, extent): (bool, PageExtent),
    tell: impl FnOnce(InPieces<'_, ContextAnswer>) -> R,
) -> Result<R, ApiError> {
    let (run, moment) = opened.replay_to_cut(view, cut)?;
    let context = &moment.context;
    let wanted: Vec<ContextRow<'_>> = context_rows(context).filter(|row| ghosts || row.is_sent()).collect();
    let answer = ContextAnswer {
        revision: opened.revision(),
        turn: context.turn.number(),
        step: saturate_u32(context.step),
        counted_by: run.counted_by(),
        total: context.total,
        overhead: context.overhead,
        reported: reported_at(&run.branch.session, context.turn),
        n_items: saturate_u32(wanted.len()),
        items: Vec::new(),
        over_budget: over_budget(&run, &moment),
        violations: moment
            .provider_violations(&run.branch.session)
            .map(|(provider, violations)| ProviderViolations {
                provider,
                violations: violations
                    .iter()
                    .map(|violation| sentence::describe_violation(&run.branch.session, violation))
                    .collect(),
            })
            .collect(),
        findings: findings::at_cut(opened, &run, run.clamp_cut(cut))?,
    };
    Ok(tell(InPieces::new(answer, (opened, &run), (&wanted, extent), moment.is_met(&run), &|_, _| {})))
}

fn over_budget(run: &ReplayRun, moment: &CutContext) -> Option<OverBudgetReason> {
    let context = &moment.context;
    let outcome = run.replay.outcome_at(context.turn);
    if !outcome.over_budget || context.step < outcome.n_steps as usize {
        return None;
    }
    Some(held_by(run, context.turn, context.total, context_rows(context)))
}

fn held_by<'a>(
    run: &ReplayRun,
    turn: TurnIdx,
    total: u64,
    rows: impl Iterator<Item = ContextRow<'a>>,
) -> OverBudgetReason {
    const WHAT: [&str; 9] = [
        "unlogged",
        "prologue",
        "human",
        "active episodes",
        "explorations that acts still need",
        "unannotated stretches",
        "acts",
        "descriptions and summaries that stay",
        "other",
    ];
    let mut units = [0u64; WHAT.len()];
    let mut tokens = [0u64; WHAT.len()];
    // History before the log's beginning does not count against the budget.
    let overhead = &run.replay.overhead;
    tokens[0] = overhead.tokens_at(turn) - overhead.history_at(turn);
    for row in rows {
        match row {
            ContextRow::Residue { tokens: of_one, .. } | ContextRow::Summary { tokens: of_one, .. } => {
                tokens[7] += of_one
            }
            ContextRow::Block { block, episode, fate: Fate::Kept(reason), .. } => {
                let kind = episode.map(|idx| run.branch.growth.graph.episode(idx).kind);
                let at = match (reason, kind) {
                    (KeptReason::Prologue | KeptReason::System, _) => 1,
                    (KeptReason::Human, _) => 2,
                    (KeptReason::Active, _) => 3,
                    (KeptReason::BlockedBy(_), Some(EpisodeKind::Exploratory)) => 4,
                    (_, Some(EpisodeKind::Unannotated)) => 5,
                    (_, Some(EpisodeKind::Action)) => 6,
                    _ => 8,
                };
                units[at] += run.policy_table().units(block);
            }
            ContextRow::Block { fate: Fate::Masked(placeholder, _), .. } => {
                units[8] += run.policy_table().placeholder_units(*placeholder);
            }
            ContextRow::Block { fate: Fate::Gone(_), .. } => {}
        }
    }
    let mut held_by: Vec<(String, u64)> = WHAT
        .iter()
        .zip(units.iter().zip(tokens))
        .map(|(what, (units, tokens))| {
            ((*what).to_owned(), tokens + run.policy_table().tokens_from_units(*units))
        })
        .filter(|(_, tokens)| *tokens > 0)
        .collect();
    held_by.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
    OverBudgetReason { above: total.saturating_sub(run.replay.budget_at(turn)), held_by }
}
