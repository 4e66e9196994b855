//! The provider's unit on requests that are made up, and on samples.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use super::*;
use crate::api::{ViewRequest, ViewSettings};
use crate::commands;
use crate::testing::load_file;

/// Makes requests that grow by 900 counted tokens, each reported by a factor over 12,000 tokens.
fn grown(factors: &[(usize, f64)]) -> Vec<CalibrationRequest<'static>> {
    let (mut requests, mut reported) = (Vec::new(), 12_000.0);
    for (n, factor) in factors {
        for _ in 0..*n {
            let counted = 100 + requests.len() as u64 * 900;
            reported += 900.0 * factor;
            requests.push(CalibrationRequest {
                counted,
                reported: Some(reported as u64),
                model: Some("one"),
                ..CalibrationRequest::default()
            });
        }
    }
    requests
}

fn fit(requests: &[CalibrationRequest<'_>]) -> ProviderUnit {
    ProviderUnit::fit(requests, &KnownFits::new(1))
}

#[test]
fn a_revision_that_goes_on_has_the_factor_of_a_fit_from_the_beginning() {
    let known = KnownFits::new(4);
    let mut all = grown(&[(12, 1.2), (60, 1.6), (40, 1.1)]);
    let check = |requests: &[CalibrationRequest<'_>]| {
        assert_eq!(ProviderUnit::fit(requests, &known), fit(requests), "{} requests", requests.len());
    };
    (0..=all.len()).for_each(|n| check(&all[..n]));
    // A late record changes the size of an early request.
    all[3].counted += 5_000;
    all.iter_mut().skip(20).for_each(|request| request.reported = request.reported.map(|size| size * 2));
    (0..=all.len()).for_each(|n| check(&all[..n]));
}

#[test]
fn a_factor_is_kept_until_a_later_one_is_clearly_better() {
    let check = |factors: &[(usize, f64)], expected: f64, described: &str| {
        let unit = fit(&grown(factors));
        assert!((unit.factor() - expected).abs() < 0.01, "{factors:?}: {unit:?}");
        assert_eq!(unit.describe("o200k"), described, "{factors:?}");
    };
    check(&[], 1.0, "o200k, as no request reports usage");
    check(&[(1, 1.4)], 1.0, "o200k, as only 1 request reports usage");
    check(&[(5, 1.4)], 1.0, "o200k, as only 5 requests report usage");
    check(&[(6, 1.4)], 1.4, "provider's tokens (o200k × 1.40)");
    check(&[(90, 1.4)], 1.4, "provider's tokens (o200k × 1.40)");
    check(&[(40, 1.0)], 1.0, "provider's tokens (o200k × 1.00)");
    let changed = "provider's tokens (o200k × 1.60, which since turn 18 fits clearly better than × 1.54)";
    check(&[(6, 1.2), (90, 1.6)], 1.6, changed);
}

#[test]
fn the_factor_of_a_beginning_does_not_change_with_what_follows() {
    let all = grown(&[(200, 1.3)]);
    let kept = fit(&all[..6]);
    for n in 7..200 {
        let now = fit(&all[..n]);
        assert!((now.factor() - kept.factor()).abs() < 1e-9, "{n}: {now:?}");
    }
}

#[test]
fn reports_that_follow_no_factor_are_no_unit() {
    let mut wild = grown(&[(12, 1.0)]);
    for (at, request) in wild.iter_mut().enumerate() {
        request.reported = Some(if at % 2 == 0 { 500 } else { 1_400 });
    }
    assert_eq!(fit(&wild).describe("o200k"), "o200k, as the reported sizes do not follow it");
}

#[test]
fn list_header_and_timeline_agree_with_the_reported_sizes() {
    let check = |case: &str, counted_by: &str| {
        let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case).join("input.jsonl");
        let opened = load_file(&log).unwrap();
        let view = ViewSettings { policy: "none".into(), ..ViewSettings::default() };
        let history = commands::history(&opened, &ViewRequest { view }).unwrap();
        assert_eq!(history.counted_by, counted_by, "{case}");
        let (listed, unit) = opened.next_request_size().unwrap();
        assert_eq!(Some(&listed), history.full.last(), "{case}");
        assert_eq!(unit, if counted_by.contains('×') { "provider" } else { "o200k" }, "{case}");
        let sizes = history.full.iter().zip(&history.reported);
        let mut off: Vec<f64> = sizes
            .filter_map(|(size, reported)| {
                reported.map(|reported| (*size as f64 - reported as f64).abs() / reported as f64)
            })
            .collect();
        off.sort_by(f64::total_cmp);
        let residual = history.drift.map_or(1.0, |drift| drift.residual);
        assert!(
            off.get(off.len().saturating_sub(1) / 2).is_none_or(|median| *median <= residual + 0.002),
            "{case}: {off:?}"
        );
    };
    check("claude-code/resumed-cut", "provider's tokens (o200k × 1.22)");
    check("claude-code/late-hook", "provider's tokens (o200k × 1.62)");
    check("pi/long", "provider's tokens (o200k × 1.00)");
    check("pi/fork", "o200k, as the reported sizes do not follow it");
    check("claude-code/document", "o200k, as only 5 requests report usage");
}

#[test]
fn texts_count_by_the_factor_and_media_as_they_are() {
    let check = |factor: Option<f64>, units: u32, text: u32, media: u32| {
        let scale = SizeScale { tokenizer: Tokenizer::default(), factor };
        assert_eq!((scale.text_units(units), scale.media_units(units)), (text, media), "{factor:?}");
    };
    check(None, 100, 100, 100);
    check(Some(1.0), 100, 100, 100);
    check(Some(1.381), 100, 138, 100);
    check(Some(2.0), u32::MAX, u32::MAX, u32::MAX);
}
