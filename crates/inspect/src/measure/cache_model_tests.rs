//! The prompt cache model, checked turn by turn against the usage reported in a generated session.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use cwl_engine::{CacheMatch, CacheOptions, PromptLayout, prefix_cache, reported_turns};

use super::measured::{Terms, common_input};
use crate::api::{CacheRules, ViewSettings};
use crate::testing::load_file;

/// Tolerated relative error. The provider counts tokens differently.
const TOLERANCE: f64 = 0.015;

/// Compares every request in a generated sample with the provider's report. `n_misses` requests found nothing cached;
/// `refused` requests got no reply.
#[track_caller]
fn check(case: &str, n_misses: usize, refused: usize) {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case).join("input.jsonl");
    let opened = load_file(&log).unwrap();
    let run = opened
        .replay_view(&ViewSettings { policy: "none".into(), ..ViewSettings::counted("o200k") })
        .unwrap();
    let session = &run.branch.session;
    // The invented provider finds prefixes without breakpoints.
    let cache = CacheOptions {
        matching: CacheMatch::Prefix,
        ..Terms::look_up(&opened, &CacheRules::default()).cache
    };
    let modelled =
        prefix_cache(&common_input(&run), &run.replay, &PromptLayout::from_session(session), &cache);
    let requests: Vec<_> = reported_turns(session).into_iter().zip(modelled).collect();
    assert_eq!(requests.iter().filter(|(reported, _)| reported.is_none()).count(), refused, "{case}");
    let (mut found, mut reported_sum, mut modelled_sum) = (0, 0, 0);
    for (turn, (reported, modelled)) in (1..).zip(&requests) {
        let Some(reported) = reported.map(|request| request.prompt) else { continue };
        let most = modelled.prompt_tokens() as f64 * TOLERANCE;
        let check = |name: &str, reported: u64, modelled: u64| {
            let off = reported.abs_diff(modelled);
            assert!(
                off as f64 <= most,
                "{case}, turn {turn}: {name} {reported} reported, {modelled} modelled"
            );
        };
        check("read", reported.cached, modelled.cached);
        check("written", reported.written, modelled.written);
        check("neither", reported.fresh, modelled.fresh);
        assert_eq!(
            reported.cached == 0,
            modelled.cached == 0,
            "{case}, turn {turn}: a miss for both or neither"
        );
        found += usize::from(reported.cached == 0);
        reported_sum += reported.cached;
        modelled_sum += modelled.cached;
    }
    assert_eq!(found, n_misses, "{case}");
    let share = reported_sum as f64 / modelled_sum as f64;
    assert!(
        (share - 1.0).abs() < 0.01,
        "{case}: {reported_sum} tokens read as reported, {modelled_sum} as modelled"
    );
    let factor = run.sizes.calibration.stretch_at(0).unwrap().factor;
    assert!((factor - 1.0).abs() < 0.02, "{case}: a drift of {factor}");
}

#[test]
fn the_model_of_the_cache_follows_what_a_provider_reports() {
    check("pi/long", 17, 1);
    check("pi/quickstart", 1, 0);
}
