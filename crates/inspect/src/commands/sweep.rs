//! The sweep: what a session costs and keeps under one policy at many budgets, and the paper's claims about
//! it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::api::{SweepAnswer, SweepPoint, SweepRequest, SweptPolicy, ViewSettings};
use crate::asked::budget::read_budget;
use crate::commands::claims::{CLAIMED, test_claims};
use crate::commands::frontier::{mark_frontier, setting_from_measures};
use crate::measure::measured::{MeasureInputs, Terms, n_requests};
use crate::measure::opened::SessionSnapshot;
use crate::progress::ProgressWatch;
use crate::{ApiError, ErrorCode};

const MOST_POINTS: usize = 1000;

/// Sweeps one policy over budgets.
///
/// # Errors
/// If the view or a budget is invalid, or the log's texts cannot be read.
pub fn sweep(opened: &SessionSnapshot, request: &SweepRequest) -> Result<SweepAnswer, ApiError> {
    sweep_watched(opened, request, &ProgressWatch::unwatched())
}

pub fn sweep_watched(
    opened: &SessionSnapshot,
    request: &SweepRequest,
    watch: &ProgressWatch<'_>,
) -> Result<SweepAnswer, ApiError> {
    let window = match request.view.window {
        Some(given) => Some(given),
        None => opened.window_of_shares(&request.budgets.join(","))?,
    };
    let budgets = match &*request.budgets {
        [] => usual_budgets(opened, &request.view)?,
        budgets => read_budgets(budgets, window)?,
    };
    let terms = Terms::look_up(opened, &request.cache);
    // The views' own budgets are ignored, even one that needs a context window.
    let views = std::iter::once(&request.view).chain(&request.beside);
    let inputs: Vec<MeasureInputs<'_>> = views
        .map(|view| {
            MeasureInputs::prepare(opened, &ViewSettings { budget: "1".into(), ..view.clone() }, &terms)
        })
        .collect::<Result<_, _>>()?;
    let run = &inputs[0].run;
    let policy = run.replay.policy.name;
    let asked_for_claims = if policy == "none" { &[][..] } else { &CLAIMED };
    let own: BTreeSet<u64> = budgets.iter().chain(asked_for_claims).copied().collect();
    let n_own = own.len();
    let mut wanted: Vec<(usize, Option<u64>)> = vec![(0, None)];
    wanted.extend(own.into_iter().map(|budget| (0, Some(budget))));
    wanted.extend((1..inputs.len()).flat_map(|at| budgets.iter().map(move |budget| (at, Some(*budget)))));
    let mut found = measure_settings(&inputs, &wanted, watch)?.into_iter();
    let mut uncapped = found.next().ok_or_else(|| ApiError::from_internal("no point without eviction"))?;
    let mut points: Vec<SweepPoint> = found.by_ref().take(n_own).collect();
    let mut beside: Vec<SweptPolicy> = inputs[1..]
        .iter()
        .map(|other| SweptPolicy {
            policy: other.run.replay.policy.name.to_owned(),
            points: found.by_ref().take(budgets.len()).collect(),
        })
        .collect();
    let claims = if asked_for_claims.is_empty() { Vec::new() } else { test_claims(&points, &uncapped) };
    points.retain(|point| point.budget.is_some_and(|budget| budgets.contains(&budget)));
    let others = beside.iter_mut().flat_map(|SweptPolicy { policy, points }| {
        let policy = policy.as_str();
        points.iter_mut().map(move |point| (policy, point))
    });
    let settings =
        points.iter_mut().map(|point| (policy, point)).chain([("none", &mut uncapped)]).chain(others).map(
            |(policy, SweepPoint { budget, measured, frontier, .. })| {
                (setting_from_measures(policy, *budget, measured, request.by), frontier)
            },
        );
    let frontier = mark_frontier(request.by, settings);
    Ok(SweepAnswer {
        revision: opened.revision(),
        policy: policy.to_owned(),
        counted_by: run.counted_by(),
        cache: terms.cache_used(),
        judged: terms.judge_model(opened, &request.view)?,
        n_requests: n_requests(&run.branch.session),
        price: terms.price,
        points,
        uncapped,
        beside,
        frontier,
        claims,
    })
}

/// Measures each setting: the place of its view among `inputs`, and its budget, or none without eviction.
///
/// # Errors
/// If the watch stops the work, or the log's texts cannot be read.
pub(crate) fn measure_settings(
    inputs: &[MeasureInputs<'_>],
    wanted: &[(usize, Option<u64>)],
    watch: &ProgressWatch<'_>,
) -> Result<Vec<SweepPoint>, ApiError> {
    let n_done = AtomicU64::new(0);
    let measure = |(at, budget): &(usize, Option<u64>)| {
        if watch.is_stopped() {
            return Err(ApiError::new(ErrorCode::Cancelled, "the sweep was stopped"));
        }
        let point = inputs[*at].measure_at(*budget)?;
        (watch.progress)(n_done.fetch_add(1, Ordering::Relaxed) + 1, wanted.len() as u64);
        Ok(point)
    };
    wanted.par_iter().map(measure).collect()
}

/// The usual budgets as shares of the largest request, per mille: from far below it to a little below it.
const USUAL_SHARES: [u64; 6] = [150, 250, 350, 500, 650, 800];

/// Returns the budgets of the verdict: shares of the largest request without eviction, or of the model's
/// window if that is smaller, each with two digits.
pub(crate) fn usual_budgets(
    opened: &SessionSnapshot,
    view: &ViewSettings,
) -> Result<BTreeSet<u64>, ApiError> {
    let window = view.window.or(opened.window_of_shares("%")?).unwrap_or(u64::MAX);
    let uncapped = opened.replay_view(&by_default(view, "none", 1))?;
    let largest = uncapped.replay.largest_request().min(window);
    let two_digits = |tokens: u64| {
        let unit = 10u64.pow(tokens.max(1).ilog10().saturating_sub(1));
        (tokens / unit * unit).max(1)
    };
    Ok(USUAL_SHARES.iter().map(|share| two_digits(largest.saturating_mul(*share) / 1000)).collect())
}

pub(crate) fn by_default(view: &ViewSettings, policy: &str, budget: u64) -> ViewSettings {
    let (policy, budget) = (policy.to_owned(), budget.to_string());
    ViewSettings { policy, budget, options: BTreeMap::new(), ..view.clone() }
}

/// Parses budgets as users type them: `80k`, `50%`, or a range `40k..160k:10k` (default step: an eighth of
/// the range).
///
/// # Errors
/// If a text is no budget, or there are too many.
pub fn read_budgets(texts: &[String], window: Option<u64>) -> Result<BTreeSet<u64>, ApiError> {
    let mut budgets = BTreeSet::new();
    let too_many = || {
        ApiError::new(ErrorCode::BadView, format!("more than {MOST_POINTS} budgets"))
            .with_hint("take a larger step")
    };
    for text in texts.iter().flat_map(|text| text.split_whitespace()) {
        let Some((from, rest)) = text.split_once("..") else {
            budgets.insert(read_budget(text, window)?);
            continue;
        };
        let (to, step) = rest.split_once(':').map_or((rest, None), |(to, step)| (to, Some(step)));
        let (from, to) = (read_budget(from, window)?, read_budget(to, window)?);
        let step = step.map(|step| read_budget(step, window)).transpose()?;
        let step = step.unwrap_or_else(|| (to.saturating_sub(from) / 8).max(1));
        if step == 0 || from > to {
            return Err(ApiError::new(ErrorCode::BadView, format!("`{text}` is no range of budgets"))
                .with_hint("write FROM..TO:STEP, as 40k..160k:10k"));
        }
        if (to - from) / step >= MOST_POINTS as u64 {
            return Err(too_many());
        }
        budgets.extend((0..=(to - from) / step).map(|nth| from + nth * step));
    }
    if budgets.len() > MOST_POINTS {
        return Err(too_many());
    }
    if budgets.is_empty() {
        return Err(ApiError::new(ErrorCode::BadView, "no budgets")
            .with_hint("write 80k, or a range as 40k..160k:10k"));
    }
    Ok(budgets)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::api::{CacheRules, FrontierMeasure};
    use crate::testing::load_file;

    #[test]
    fn a_sweep_says_how_far_it_is_and_can_be_stopped() {
        let log = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/tests/golden/tame.jsonl");
        let opened = load_file(&log).unwrap();
        let request = SweepRequest {
            view: ViewSettings::counted("o200k"),
            budgets: vec!["1k..6k:1k".into()],
            cache: CacheRules::default(),
            beside: Vec::new(),
            by: FrontierMeasure::default(),
        };
        let (highest, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        let all = 6 + CLAIMED.len() as u64 + 1;
        let progress = |done: u64, total: u64| {
            assert!(done <= total && total == all);
            highest.fetch_max(done, Ordering::Relaxed);
        };
        let watch = ProgressWatch { progress: &progress, stopped: &stopped };
        assert_eq!(sweep_watched(&opened, &request, &watch).unwrap().points.len(), 6);
        assert_eq!(highest.load(Ordering::Relaxed), all);
        stopped.store(true, Ordering::Relaxed);
        assert_eq!(sweep_watched(&opened, &request, &watch).unwrap_err().code, ErrorCode::Cancelled);
    }

    #[test]
    fn budgets_and_ranges() {
        let check = |texts: &[&str], window: Option<u64>, expected: Result<&[u64], ErrorCode>| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            let found = read_budgets(&texts, window).map(|found| found.into_iter().collect::<Vec<_>>());
            assert_eq!(found.map_err(|error| error.code), expected.map(<[u64]>::to_vec), "{texts:?}");
        };
        check(&["80k"], None, Ok(&[80_000]));
        check(&["80k", "50%", "80000"], Some(100_000), Ok(&[50_000, 80_000]));
        check(&["40k..60k:10k"], None, Ok(&[40_000, 50_000, 60_000]));
        check(&["40k..65k:10k"], None, Ok(&[40_000, 50_000, 60_000]));
        check(&["1..1:1"], None, Ok(&[1]));
        check(&["0..8"], None, Ok(&[0, 1, 2, 3, 4, 5, 6, 7, 8]));
        check(&["40k..60k:10k 90k"], None, Ok(&[40_000, 50_000, 60_000, 90_000]));
        for bad in ["", "x", "60k..40k:1k", "1..2:0", "1..", "..2", "1..2000:1", "0..18446744073709551615:1"]
        {
            check(&[bad], None, Err(ErrorCode::BadView));
        }
        check(&["50%"], None, Err(ErrorCode::NeedsWindow));
        check(&[], None, Err(ErrorCode::BadView));
    }
}
