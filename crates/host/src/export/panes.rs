//! Exported panes: command answers that the page shows unchanged, shortened if they are long.

use std::collections::BTreeMap;

use cwl_engine::{BandsBy, StateAt, render};
use cwl_inspect::figures::{saturate_u32, with_commas};
use cwl_inspect::measure::moment::CutContext;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::present::item::preview_text;

use super::ExportProgress;
use crate::commands::captured::ROW_CHARS;
use crate::commands::compare::{MOST_VIEWS, compared_at};
use crate::dto::{
    BandsByDto, CacheRulesDto, CapturedBodyRequest, CapturedPartDto, CapturedRequest, CompactionsDto,
    CompareAtDto, CompareRequest, CutDto, ExportedCapturedDto, ExportedComparisonDto, KeptByDto, RecoveryDto,
    RecoveryRequest, RegretStoriesDto, RegretsDto, ViewDto, ViewRequest,
};
use crate::{ApiError, ErrorCode, commands, file_name};

/// Limits on one view's panes, and on the work to export them.
#[derive(Debug, Clone, Copy)]
pub(super) struct PaneRoom {
    /// Maximum number of blocks visited for a comparison, over all turns and columns.
    compared: u64,
    /// Maximum number of figures in a comparison; one column at one turn counts as one.
    figures: usize,
    stories: usize,
}

/// Turns in a comparison that a page always has, however long the session is.
const LEAST_TURNS: usize = 8;
/// Limits: turns with captured bodies, rows per body, and characters in all bodies.
const MOST_BODIES: usize = 300;
const MOST_ROWS: usize = 200;
const CAPTURED_CHARS: usize = 2_000_000;
/// Longest system prompt part, and longest tool definition, in characters.
const PART_CHARS: usize = 20_000;
const RECOVERY_CHARS: u64 = 240_000;

impl PaneRoom {
    pub(super) const OF_PAGE: Self = Self { compared: 40_000_000, figures: 4_000, stories: 600 };

    /// Limits for each view, if `n_views` share a page.
    pub(super) fn shared_by(self, n_views: usize) -> Self {
        let n = n_views.max(1);
        Self { compared: self.compared / n as u64, figures: self.figures / n, stories: self.stories / n }
    }
}

pub(super) fn export_comparison(
    opened: &SessionSnapshot,
    main: &ViewDto,
    others: &[ViewDto],
    room: PaneRoom,
    left_out: &mut Vec<String>,
    work: &mut ExportProgress<'_>,
) -> Result<Option<ExportedComparisonDto>, ApiError> {
    if others.is_empty() {
        return Ok(None);
    }
    if others.len() >= MOST_VIEWS {
        return Err(ApiError::new(
            ErrorCode::BadRequest,
            format!("a comparison has at most {} views, and not {}", MOST_VIEWS, others.len() + 1),
        ));
    }
    let views: Vec<ViewDto> = [main].into_iter().chain(others).cloned().collect();
    let session = opened.session();
    let (cut, cache) = (CutDto::default(), CacheRulesDto::default());
    let whole = commands::compare(
        opened,
        &CompareRequest {
            session,
            views: views.clone(),
            cut,
            cache,
            by: KeptByDto::default(),
            bands: BandsByDto::default(),
        },
    )?;
    let runs = views.iter().map(|view| opened.replay_view(view)).collect::<Result<Vec<_>, _>>()?;
    let n_turns = runs.iter().map(|run| run.replay.turns.len()).min().unwrap_or(0);
    let n_blocks = runs.first().map_or(1, |run| run.branch.session.blocks.len()).max(1) as u64;
    let by_work = usize::try_from(room.compared / (n_blocks * views.len() as u64)).unwrap_or(usize::MAX);
    let most = by_work.min(room.figures / views.len()).max(LEAST_TURNS);
    let turns = spread_turns(n_turns, most);
    if turns.len() < n_turns {
        left_out.push(format!(
            "the comparison has figures of {} of {} turns",
            with_commas(turns.len() as u64),
            with_commas(n_turns as u64)
        ));
    }
    let mut at = Vec::with_capacity(runs.len());
    for run in &runs {
        let mut column: Vec<CompareAtDto> = Vec::with_capacity(turns.len());
        for turn in &turns {
            let cut = run.clamp_cut(CutDto { turn: Some(*turn), step: None });
            let state = StateAt::fold_to(&run.replay_input(), &run.replay, cut);
            let context = render(&run.replay_input(), &run.replay, &state);
            column.push(compared_at(run, &CutContext::new(state, context), BandsBy::default()));
            work.go_on(0)?;
        }
        at.push(column);
    }
    let views = views.into_iter().map(|view| super::view::given_away(&view)).collect();
    Ok(Some(ExportedComparisonDto { views, whole, turns, at }))
}

/// Returns at most `most` evenly spread turns, including the last one.
fn spread_turns(n_turns: usize, most: usize) -> Vec<u32> {
    let stride = n_turns.div_ceil(most.max(1)).max(1);
    (1..=n_turns).filter(|turn| (n_turns - turn).is_multiple_of(stride)).map(saturate_u32).collect()
}

pub(super) fn export_regrets(
    opened: &SessionSnapshot,
    view: &ViewDto,
    room: PaneRoom,
    left_out: &mut Vec<String>,
) -> Result<(RegretsDto, RegretStoriesDto), ApiError> {
    let request = ViewRequest { session: opened.session(), view: view.clone() };
    let regrets = commands::regrets(opened, &request)?;
    let mut stories = commands::regret_stories(opened, &request)?;
    stories.stories.truncate(room.stories);
    stories.blame.truncate(room.stories);
    let (here, all) = (stories.stories.len() as u64, u64::from(stories.n_stories));
    if here < all {
        left_out.push(format!(
            "of {} things that were read again under {}, {} are told",
            with_commas(all),
            view.policy,
            with_commas(here)
        ));
    }
    Ok((regrets, stories))
}

pub(super) fn audit_compactions(
    opened: &SessionSnapshot,
    view: &ViewDto,
) -> Result<Option<CompactionsDto>, ApiError> {
    let audit =
        commands::compactions(opened, &ViewRequest { session: opened.session(), view: view.clone() })?;
    Ok((!audit.compactions.is_empty()).then_some(audit))
}

/// Recovery texts with their compactions' numbers, as many as fit.
pub(super) fn recovery_texts(
    opened: &SessionSnapshot,
    view: &ViewDto,
    audit: &CompactionsDto,
    left_out: &mut Vec<String>,
) -> Result<Vec<(u32, RecoveryDto)>, ApiError> {
    let session = opened.session();
    let with_text = audit.compactions.iter().filter(|one| one.n_recoverable > 0).map(|one| one.number);
    let (mut recoveries, mut n_chars, mut n_missing) = (Vec::new(), 0, 0u64);
    for compaction in with_text {
        // A recovery text scans the whole log, so the export makes one only if the page has room.
        if n_chars >= RECOVERY_CHARS {
            n_missing += 1;
            continue;
        }
        let text = commands::recovery(opened, &RecoveryRequest { session, view: view.clone(), compaction })?;
        n_chars += text.n_chars;
        recoveries.push((compaction, text));
    }
    if n_missing > 0 {
        let all = recoveries.len() as u64 + n_missing;
        left_out.push(format!(
            "of {} texts to recover by, {} are not in here",
            with_commas(all),
            with_commas(n_missing)
        ));
    }
    Ok(recoveries)
}

/// Captured bodies for as many turns as fit. `None` without a folder beside the log.
pub(super) fn captured_bodies(
    opened: &SessionSnapshot,
    view: &ViewDto,
    left_out: &mut Vec<String>,
    work: &mut ExportProgress<'_>,
) -> Result<Option<ExportedCapturedDto>, ApiError> {
    let session = opened.session();
    let request = CapturedRequest { session, view: view.clone(), folder: None, turn: None };
    let mut whole = commands::captured(opened, &request)?;
    let Some(folder) = &whole.folder else { return Ok(None) };
    // Recipients need not know where the folder is.
    whole.folder = Some(file_name(folder).to_owned());
    let mut turns: Vec<u32> = whole.turns.iter().map(|turn| turn.turn).collect();
    turns.dedup();
    let wanted = spread_turns(turns.len(), MOST_BODIES);
    let mut of_page = ExportedCapturedDto { whole, bodies: Vec::new(), heads: Vec::new(), parts: Vec::new() };
    let mut places: BTreeMap<(Option<String>, String), u32> = BTreeMap::new();
    let mut n_chars = 0;
    for turn in wanted.iter().filter_map(|nth| turns.get(*nth as usize - 1)) {
        if n_chars > CAPTURED_CHARS {
            break;
        }
        work.go_on(0)?;
        let request = CapturedBodyRequest { session, view: view.clone(), turn: *turn };
        let mut body = commands::captured_body(opened, &request)?;
        let mut place = |part: CapturedPartDto| {
            let next = saturate_u32(places.len());
            let text = preview_text(&part.text, PART_CHARS).0;
            let is_cut = part.n_chars > text.chars().count() as u64;
            let text = without_halves(text, is_cut).to_owned();
            *places.entry((part.name.clone(), text.clone())).or_insert_with(|| {
                n_chars += text.len();
                of_page.parts.push(CapturedPartDto { text, ..part });
                next
            })
        };
        let system = std::mem::take(&mut body.system).into_iter().map(&mut place).collect();
        let tools = std::mem::take(&mut body.tools).into_iter().map(&mut place).collect();
        let n_rows = body.rows.len();
        body.rows.truncate(MOST_ROWS);
        body.n_more += saturate_u32(n_rows - body.rows.len());
        for row in &mut body.rows {
            let is_cut = row.text.chars().count() >= ROW_CHARS;
            row.text = without_halves(&row.text, is_cut).to_owned();
        }
        n_chars += body.rows.iter().map(|row| row.text.len()).sum::<usize>();
        of_page.heads.push((system, tools));
        of_page.bodies.push(body);
    }
    let (here, all) = (of_page.bodies.len() as u64, turns.len() as u64);
    if here < all {
        left_out.push(format!(
            "of {} turns with a captured body, {} are in here",
            with_commas(all),
            with_commas(here)
        ));
    }
    Ok(Some(of_page))
}

/// Drops the last paragraph of a shortened text: half a secret does not match any pattern and would stay.
fn without_halves(text: &str, is_cut: bool) -> &str {
    match is_cut {
        true => text.rfind("\n\n").map_or("", |end| &text[..end]),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_was_cut_ends_with_a_whole_paragraph() {
        let check = |text: &str, is_cut: bool, expected: &str| {
            assert_eq!(without_halves(text, is_cut), expected, "{text:?}");
        };
        check("one\n\ntwo ghp_half", true, "one");
        check("one line ghp_half", true, "");
        check("one\n\ntwo", false, "one\n\ntwo");
    }

    #[test]
    fn turns_are_spread_evenly_and_the_last_one_is_there() {
        let check = |n_turns: usize, most: usize, expected: &[u32]| {
            assert_eq!(spread_turns(n_turns, most), expected, "{n_turns} {most}");
        };
        check(0, 5, &[]);
        check(3, 5, &[1, 2, 3]);
        check(5, 5, &[1, 2, 3, 4, 5]);
        check(6, 5, &[2, 4, 6]);
        check(10, 3, &[2, 6, 10]);
        check(4, 0, &[4]);
    }
}
