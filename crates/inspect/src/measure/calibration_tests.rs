//! Calibration on invented requests: growth, noise, hidden replies, compactions, other models, losses.

use super::*;

const PROMPT: u64 = 12_000;

/// Invents requests that grow by `by` tokens each; the provider counts `factor` times as much.
fn grown(n: u64, from: u64, by: u64, factor: f64, base: u64) -> Vec<CalibrationRequest<'static>> {
    let request = |at: u64| {
        let counted = from + at * by;
        let reported = base + (counted as f64 * factor).round() as u64;
        CalibrationRequest {
            counted,
            reported: Some(reported),
            model: Some("one"),
            ..CalibrationRequest::default()
        }
    };
    (0..n).map(request).collect()
}

/// Changes every third report by up to 3 %, as estimates of unlogged content do.
fn noisy(mut requests: Vec<CalibrationRequest<'static>>) -> Vec<CalibrationRequest<'static>> {
    for (at, request) in requests.iter_mut().enumerate() {
        let reported = request.reported.unwrap_or(0);
        let by = [0, 1, 3, 2][at % 4] * reported / 100;
        request.reported = Some(if at % 3 == 0 { reported + by } else { reported });
    }
    requests
}

/// Checks stretches: first request, overhead, factor in hundredths, unlogged content, whether the report fell.
fn check(requests: &[CalibrationRequest<'_>], expected: &[(usize, u64, u64, UnloggedContent, bool)]) {
    let found: Vec<_> = Calibration::calibrate(requests)
        .stretches
        .iter()
        .map(|one| {
            (one.from, one.overhead_tokens(), (one.factor * 100.0).round() as u64, one.unlogged, one.fell)
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_session_without_reports_is_unknown() {
    check(&[], &[]);
    let silent = [CalibrationRequest { counted: 5, ..CalibrationRequest::default() }; 9];
    check(&silent, &[(0, 0, 100, UnloggedContent::Unknown, false)]);
}

#[test]
fn one_report_says_the_overhead_and_no_factor() {
    check(&grown(1, 100, 0, 1.0, PROMPT), &[(0, PROMPT, 100, UnloggedContent::Prompt, false)]);
    check(&grown(4, 100, 900, 1.0, PROMPT), &[(0, PROMPT, 100, UnloggedContent::Prompt, false)]);
}

#[test]
fn what_a_harness_begins_with_and_does_not_log_is_named() {
    let mut calibration = Calibration::calibrate(&grown(4, 100, 900, 1.0, PROMPT));
    calibration.begin_unlogged();
    let said = calibration.stretches[0].describe_base();
    assert!(said.ends_with(", with the reminders that the harness begins each request with"), "{said}");
}

#[test]
fn the_base_is_what_the_log_does_not_hold_of_the_prompt() {
    fn check(system: bool, tools: bool, expected: &str) {
        let logged = LoggedPrompt { system, tools };
        let requests: Vec<_> = grown(4, 100, 900, 1.0, PROMPT)
            .into_iter()
            .map(|one| CalibrationRequest { logged, ..one })
            .collect();
        let said = Calibration::calibrate(&requests).stretches[0].describe_base();
        assert_eq!(
            said,
            format!("turns 1 to 4: 12,000 counted tokens of each request are not in the log: {expected}")
        );
    }
    check(false, false, "system prompt and tool definitions");
    check(false, true, "the system prompt");
    check(true, false, "tool definitions");
    check(true, true, "what the provider adds to system prompt and tool definitions");
}

#[test]
fn the_factor_is_the_slope() {
    check(&grown(40, 100, 900, 1.2, PROMPT), &[(0, 10_000, 120, UnloggedContent::Prompt, false)]);
    check(&grown(40, 100, 900, 0.8, PROMPT), &[(0, 15_000, 80, UnloggedContent::Prompt, false)]);
    check(&grown(4, 100, 9_000, 1.2, PROMPT), &[(0, 10_000, 120, UnloggedContent::Prompt, false)]);
    let calibration = Calibration::calibrate(&noisy(grown(400, 100, 300, 1.2, PROMPT)));
    assert!((calibration.stretches[0].factor - 1.2).abs() < 0.02, "{calibration:?}");
}

#[test]
fn hidden_replies_are_in_the_report_and_not_in_the_slope() {
    let mut requests = grown(40, 100, 900, 1.2, PROMPT);
    for (at, request) in (0..).zip(&mut requests) {
        request.hidden = at * 700;
        request.reported = request.reported.map(|reported| reported + at * 700);
    }
    check(&requests, &[(0, 10_000, 120, UnloggedContent::Prompt, false)]);
}

#[test]
fn a_compaction_begins_a_stretch_of_its_own() {
    let mut after = grown(10, 500, 900, 1.0, PROMPT);
    after[0].is_changed = true;
    let both = |before: u64, then: u64| {
        let mut later = after.clone();
        later.iter_mut().for_each(|one| one.reported = Some(one.counted + then));
        [grown(20, 100, 900, 1.0, before), later].concat()
    };
    let prompt = UnloggedContent::Prompt;
    check(&both(PROMPT, PROMPT), &[(0, PROMPT, 100, prompt, false), (20, PROMPT, 100, prompt, false)]);
    check(
        &both(PROMPT, 20_000),
        &[(0, PROMPT, 100, prompt, false), (20, 20_000, 100, UnloggedContent::Attachments, false)],
    );
    check(
        &both(136_332, 20_000),
        &[(0, 136_332, 100, UnloggedContent::EarlierHistory, false), (20, 20_000, 100, prompt, false)],
    );
}

#[test]
fn history_from_before_the_log_is_told_apart() {
    let mut after = grown(10, 500, 900, 1.0, PROMPT);
    after[0].is_changed = true;
    let mut switched = grown(10, 18_100, 900, 1.0, 136_332);
    switched.iter_mut().for_each(|one| one.model = Some("two"));
    let requests = [grown(20, 100, 900, 1.0, 136_332), switched, after].concat();
    let of = |elsewhere: bool, requests: &[CalibrationRequest<'_>]| {
        let mut found = Calibration::calibrate(requests);
        if elsewhere {
            found.begin_elsewhere(requests);
        }
        found.stretches.iter().map(|one| (one.unlogged, one.history_tokens())).collect::<Vec<_>>()
    };
    let (earlier, prompt) = (UnloggedContent::EarlierHistory, UnloggedContent::Prompt);
    let rest = 136_332 - PROMPT;
    assert_eq!(
        of(false, &requests),
        [(earlier, 0), (prompt, 0), (prompt, 0)],
        "only a later stretch says so"
    );
    assert_eq!(of(true, &requests), [(earlier, rest), (earlier, rest), (prompt, 0)]);
    assert_eq!(
        of(true, &requests[..30]),
        [(earlier, 136_332), (earlier, 136_332)],
        "nothing tells the prompt"
    );
}

#[test]
fn another_model_has_another_factor() {
    let mut later = grown(20, 18_100, 900, 1.3, PROMPT);
    later.iter_mut().for_each(|one| one.model = Some("two"));
    let requests = [grown(20, 100, 900, 1.0, PROMPT), later].concat();
    let prompt = UnloggedContent::Prompt;
    check(&requests, &[(0, PROMPT, 100, prompt, false), (20, 9231, 130, prompt, false)]);
}

#[test]
fn a_report_that_falls_while_the_history_grows_is_a_loss() {
    let mut requests = grown(40, 100, 900, 1.0, PROMPT);
    for request in &mut requests[20..] {
        request.reported = request.reported.map(|reported| reported - 9_000);
    }
    let prompt = UnloggedContent::Prompt;
    check(&requests, &[(0, PROMPT, 100, prompt, false), (20, 3_000, 100, prompt, true)]);
}

#[test]
fn a_report_that_grows_by_more_than_came_in_has_something_unsaid() {
    let mut requests = grown(40, 100, 900, 1.0, PROMPT);
    for request in &mut requests[20..] {
        request.reported = request.reported.map(|reported| reported + 30_000);
    }
    let expected =
        [(0, PROMPT, 100, UnloggedContent::Prompt, false), (20, 42_000, 100, UnloggedContent::Unsaid, false)];
    check(&requests, &expected);
}

#[test]
fn reports_that_follow_nothing_are_unknown() {
    let mut requests = grown(40, 100, 900, 1.0, 0);
    for (at, request) in (0..).zip(&mut requests) {
        request.reported = Some(if at % 2 == 0 { 200_000 } else { 900_000 } + at);
        request.is_changed = false;
    }
    let found = Calibration::calibrate(&requests);
    assert!(found.stretches.iter().all(|one| (one.factor - 1.0).abs() < f64::EPSILON), "{found:?}");
}

#[test]
fn a_fit_is_never_worse_than_none() {
    for factor in [0.7, 1.0, 1.4, 2.0] {
        let requests = noisy(grown(30, 100, 700, factor, PROMPT));
        let fitted = Calibration::calibrate(&requests).median_residual(&requests).unwrap_or(1.0);
        let plain: Vec<_> = requests.iter().map(|one| CalibrationRequest { model: None, ..*one }).collect();
        let mut unfitted = split_stretches(&plain);
        unfitted.iter_mut().for_each(|stretch| settle_base(&plain, stretch));
        let plain = Calibration { stretches: unfitted }.median_residual(&plain).unwrap_or(0.0);
        assert!(fitted <= plain + 1e-9, "{factor}: {fitted} against {plain}");
    }
}

#[test]
fn the_sentence_speaks_of_the_stretches_that_are_known() {
    let mut wild = grown(4, 18_100, 900, 1.0, 0);
    wild[0].is_changed = true;
    for (at, request) in (0..).zip(&mut wild) {
        request.reported = Some(if at % 2 == 0 { 2_000 } else { 90_000 });
    }
    let requests = [grown(20, 100, 900, 1.0, PROMPT), wild].concat();
    let calibration = Calibration::calibrate(&requests);
    assert_eq!(calibration.stretch_at(20).map(|stretch| stretch.unlogged), Some(UnloggedContent::Unknown));
    let says = calibration.describe_fit(0.0, "o200k", 1.0);
    assert!(says.contains("what o200k counts + 12,000 to 71,000 of its own tokens;"), "{says}");
    let unknown = Calibration { stretches: vec![calibration.stretches[1].clone()] };
    assert!(unknown.describe_fit(0.0, "o200k", 1.0).contains("do not follow"), "{unknown:?}");
}

#[test]
fn a_base_of_nothing_is_said_to_be_unknown() {
    let mut requests = grown(40, 20_000, 900, 1.0, 3_000);
    for request in &mut requests[20..] {
        request.reported = request.reported.map(|reported| reported - 9_000);
    }
    let calibration = Calibration::calibrate(&requests);
    let says: Vec<String> = calibration.stretches.iter().map(RequestStretch::describe_base).collect();
    assert!(says[0].contains(": 3,000 counted tokens of each request are not in the log"), "{says:?}");
    assert!(says[1].contains(": no more is reported than what this log holds"), "{says:?}");
}
