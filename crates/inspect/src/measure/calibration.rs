//! Calibration: the relation between sizes reported by a provider and sizes counted here.
//!
//! No public tokenizer counts exactly as providers bill, and no log has everything that is sent. The log states the
//! real size of some requests, so a linear fit gives both: its slope is the factor between the tokenizers, one per
//! model, and its base is the overhead. The base changes with the history, so each stretch between two changes has its
//! own.

use std::collections::BTreeMap;

use crate::api::UnloggedContent;
use crate::figures::with_commas;

/// A model needs so many turns with usage before their slope is believed.
pub(crate) const FEWEST_TURNS: usize = 6;
/// A slope of fewer turns is believed if there are at least this many, [`FAR_APART`] from each other.
const FEW_TURNS: usize = 4;
/// Distance between the smallest and the largest counted size, tokens.
const FAR_APART: f64 = 20_000.0;
/// Minimum difference between the counted sizes of two turns used for a slope, tokens.
const FEWEST_BETWEEN: f64 = 300.0;
/// Plausible factors between a provider's tokenizer and ours.
pub(crate) const FACTORS: std::ops::RangeInclusive<f64> = 0.7..=2.0;
/// A report that falls by this fraction plus [`CLEARLY_TOKENS`] while the history grows shows a removal.
pub(crate) const CLEARLY: f64 = 0.02;
/// See [`CLEARLY`]; tokens.
pub(crate) const CLEARLY_TOKENS: f64 = 1000.0;
/// A calibration that is off by more than this share at the median turn is no calibration.
pub(crate) const USABLE: f64 = 0.15;
/// A fit is clearly better if it is off by no more than this part of what the other one is off by.
const BETTER: f64 = 0.75;
/// And by so much less of a request.
const BETTER_BY: f64 = 0.005;
/// The base of the first stretch holds earlier history where a later one is so much smaller.
const EARLIER_HISTORY: f64 = 0.5;

#[derive(Debug, Clone, Copy, Default, PartialEq, Hash)]
pub struct CalibrationRequest<'a> {
    /// Tokens counted in the history, excluding replies with hidden reasoning.
    pub counted: u64,
    /// Reported output tokens of replies with hidden reasoning in the history.
    pub hidden: u64,
    pub reported: Option<u64>,
    /// Reply tokens reported by the provider; 0 if unreported.
    pub output: u64,
    pub model: Option<&'a str>,
    /// True if the log records a removal by the harness before the request.
    pub(crate) is_changed: bool,
    /// True if a message in the user role was added since the previous request.
    pub(crate) spoke: bool,
    pub(crate) logged: LoggedPrompt,
}

/// The parts of a prompt that the log holds before the first message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct LoggedPrompt {
    pub system: bool,
    pub tools: bool,
}

impl LoggedPrompt {
    fn name_missing(self) -> &'static str {
        match (self.system, self.tools) {
            (false, false) => "system prompt and tool definitions",
            (false, true) => "the system prompt",
            (true, false) => "tool definitions",
            (true, true) => "what the provider adds to system prompt and tool definitions",
        }
    }
}

impl CalibrationRequest<'_> {
    pub(crate) fn expected_size(&self) -> f64 {
        (self.counted + self.hidden) as f64
    }

    pub(crate) fn reported_prompt(&self) -> f64 {
        self.reported.unwrap_or(0) as f64
    }
}

/// Returns the unexplained growth between two reported requests, in tokens. Content added in between
/// counts with the largest plausible factor, and the whole first reply in addition. Returns `None` if the growth is not
/// clear.
pub(crate) fn gain_between(before: &CalibrationRequest<'_>, now: &CalibrationRequest<'_>) -> Option<f64> {
    let told = (now.expected_size() - before.expected_size()).max(0.0) * FACTORS.end() + before.output as f64;
    let more = now.reported_prompt() - before.reported_prompt() - told;
    (more > CLEARLY_TOKENS + CLEARLY * before.reported_prompt()).then_some(more)
}

/// Requests between two changes of the history, sent to one model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RequestStretch {
    pub from: usize,
    pub to: usize,
    /// Reported tokens per counted token.
    pub factor: f64,
    /// Reported tokens at a counted size of 0.
    pub base: f64,
    /// The part of `base` that is history from before the log.
    pub history: f64,
    pub(crate) n_reported: usize,
    pub(crate) residual: f64,
    pub(crate) unlogged: UnloggedContent,
    pub(crate) fell: bool,
    pub(crate) gained: bool,
    pub(crate) logged: LoggedPrompt,
}

impl RequestStretch {
    pub(crate) fn expected_report(&self, request: &CalibrationRequest<'_>) -> f64 {
        self.base + self.factor * request.counted as f64 + request.hidden as f64
    }

    pub(crate) fn describe_base(&self) -> String {
        let turns = match (self.from + 1, self.to) {
            (from, to) if from == to => format!("turn {from}"),
            (from, to) => format!("turns {from} to {to}"),
        };
        let besides = match self.unlogged {
            UnloggedContent::Prompt => "",
            UnloggedContent::Opening => ", with the reminders that the harness begins each request with",
            UnloggedContent::EarlierHistory if self.history > 0.0 => return self.describe_history(&turns),
            UnloggedContent::EarlierHistory => {
                ", with earlier history, as the log begins in the middle of a session"
            }
            UnloggedContent::Attachments => ", with what the harness attached after it had compacted",
            UnloggedContent::Unsaid => ", with content that was sent and left no record in the log",
            UnloggedContent::Unknown if self.n_reported == 0 => {
                return format!(
                    "{turns}: no usage is reported, so the size of what is not in the log is unknown and counts as 0"
                );
            }
            UnloggedContent::Unknown => {
                return format!(
                    "{turns}: the reported sizes do not follow the counted ones, so what is not in the log is unknown; it counts as the {} counted tokens by which the median request differs",
                    with_commas(self.overhead_tokens())
                );
            }
        };
        let missing = self.logged.name_missing();
        match self.overhead_tokens() {
            0 => format!(
                "{turns}: no more is reported than what this log holds, so the size of {missing}{besides} is unknown and counts as 0"
            ),
            n => {
                format!(
                    "{turns}: {} counted tokens of each request are not in the log: {missing}{besides}",
                    with_commas(n)
                )
            }
        }
    }

    fn describe_history(&self, turns: &str) -> String {
        let (all, history) = (self.overhead_tokens(), self.history_tokens());
        let missing = self.logged.name_missing();
        let prompt = match all - history {
            0 => format!("{missing} among it"),
            prompt => format!("and {} {missing}", with_commas(prompt)),
        };
        format!(
            "{turns}: the log begins in the middle of a session: {} counted tokens of each request are history that is not in the log, {prompt}; no policy can evict that history, and the budget holds for the rest",
            with_commas(history)
        )
    }

    pub(crate) fn history_tokens(&self) -> u64 {
        ((self.history / self.factor).round().max(0.0) as u64).min(self.overhead_tokens())
    }

    /// Returns the overhead in counted tokens. In the provider's tokens, it never exceeds the smallest request.
    pub(crate) fn overhead_tokens(&self) -> u64 {
        (self.base / self.factor).round().max(0.0) as u64
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Calibration {
    /// In order, covering every request.
    pub stretches: Vec<RequestStretch>,
}

impl Calibration {
    pub(crate) fn calibrate(requests: &[CalibrationRequest<'_>]) -> Self {
        let mut stretches = split_stretches(requests);
        let factors = model_factors(requests, &stretches);
        for stretch in &mut stretches {
            stretch.factor = factors.get(&model_of(requests, stretch)).copied().unwrap_or(1.0);
            settle_base(requests, stretch);
        }
        inherit_bases(&mut stretches);
        describe_bases(requests, &mut stretches);
        Self { stretches }
    }

    /// Calibrates a session whose sizes are in the provider's tokens: each stretch has a base, which [`kept_base`] keeps.
    pub(crate) fn calibrate_bases(requests: &[CalibrationRequest<'_>]) -> Self {
        let mut stretches = split_stretches(requests);
        for stretch in &mut stretches {
            set_base(requests, stretch, kept_base(&reported_points(requests, stretch)));
        }
        inherit_bases(&mut stretches);
        describe_bases(requests, &mut stretches);
        Self { stretches }
    }

    /// Notes that the log goes on from history it does not have.
    pub(crate) fn begin_elsewhere(&mut self, requests: &[CalibrationRequest<'_>]) {
        if self.stretches.first().is_some_and(|first| first.unlogged != UnloggedContent::Unknown) {
            split_off_history(requests, &mut self.stretches);
        }
    }

    pub(crate) fn begin_unlogged(&mut self) {
        for stretch in self.stretches.iter_mut().filter(|stretch| stretch.unlogged == UnloggedContent::Prompt)
        {
            stretch.unlogged = UnloggedContent::Opening;
        }
    }

    /// Sets the overhead stated by the harness, in counted tokens, for stretches without reports.
    pub(crate) fn set_stated_overhead(&mut self, unlogged: u64) {
        for stretch in
            self.stretches.iter_mut().filter(|stretch| stretch.unlogged == UnloggedContent::Unknown)
        {
            if stretch.n_reported == 0 {
                stretch.base = unlogged as f64;
                stretch.factor = 1.0;
                stretch.unlogged = UnloggedContent::Prompt;
            }
        }
    }

    pub(crate) fn stretch_at(&self, position: usize) -> Option<&RequestStretch> {
        let after = self.stretches.partition_point(|stretch| stretch.from <= position);
        self.stretches.get(after.checked_sub(1)?)
    }

    pub(crate) fn n_reported(&self) -> usize {
        self.stretches.iter().map(|stretch| stretch.n_reported).sum()
    }

    /// Says how a reported size is made of one that this tokenizer counted; `residual` is that of all requests, and each of the
    /// tokenizer's tokens counts as `unit_factor` here.
    pub(crate) fn describe_fit(&self, residual: f64, tokenizer: &str, unit_factor: f64) -> String {
        let percent = residual * 100.0;
        let unfit = |stretch: &&RequestStretch| {
            stretch.n_reported > 0 && stretch.unlogged == UnloggedContent::Unknown
        };
        let n_unfit: usize = self.stretches.iter().filter(unfit).map(|stretch| stretch.n_reported).sum();
        let n = match self.n_reported() - n_unfit {
            1 => "1 request".to_owned(),
            n => format!("{n} requests"),
        };
        let is_known = |stretch: &&RequestStretch| {
            stretch.n_reported > 0 && stretch.unlogged != UnloggedContent::Unknown
        };
        let known: Vec<&RequestStretch> = self.stretches.iter().filter(is_known).collect();
        let most = known.iter().max_by_key(|stretch| stretch.n_reported).filter(|_| residual <= USABLE);
        let Some(most) = most else {
            let n = self.n_reported();
            return format!(
                "the reported sizes do not follow what {tokenizer} counts: the median of {n} requests is off by {percent:.0} %"
            );
        };
        let base = |stretch: &&&RequestStretch| with_commas(stretch.base.round() as u64);
        let of = |one: Option<&&RequestStretch>| one.as_ref().map(base).unwrap_or_default();
        let by_base = |one: &&&RequestStretch, other: &&&RequestStretch| one.base.total_cmp(&other.base);
        let (least, largest) = (of(known.iter().min_by(by_base)), of(known.iter().max_by(by_base)));
        let bases = if least == largest { least } else { format!("{least} to {largest}") };
        let others = match n_unfit {
            0 => String::new(),
            n => format!("; {n} others do not follow that"),
        };
        format!(
            "the provider reports {:.2} × what {tokenizer} counts + {bases} of its own tokens; the median of {n} is off by {percent:.1} %{others}",
            most.factor * unit_factor
        )
    }

    /// Returns the median relative error over stretches that fit, or over all stretches if none does.
    pub(crate) fn median_residual(&self, requests: &[CalibrationRequest<'_>]) -> Option<f64> {
        let of = |is_known: bool| {
            let stretches = self.stretches.iter();
            let known = stretches.filter(|stretch| !is_known || stretch.unlogged != UnloggedContent::Unknown);
            median_of(known.flat_map(|stretch| stretch_residuals(requests, stretch)).collect())
        };
        of(true).or_else(|| of(false))
    }
}

fn split_stretches(requests: &[CalibrationRequest<'_>]) -> Vec<RequestStretch> {
    let mut stretches: Vec<RequestStretch> = Vec::new();
    let mut last: Option<&CalibrationRequest<'_>> = None;
    let mut model = None;
    for (at, request) in requests.iter().enumerate() {
        let reported = request.reported.map(|reported| reported as f64);
        let fell = matches!((last, reported), (Some(before), Some(now))
            if request.expected_size() >= before.expected_size() && now < before.reported_prompt() * (1.0 - CLEARLY) - CLEARLY_TOKENS);
        let is_other = request.model.is_some() && model.is_some() && request.model != model;
        let gained =
            matches!((last, reported), (Some(before), Some(_)) if gain_between(before, request).is_some());
        if stretches.is_empty() || request.is_changed || is_other || fell || gained {
            stretches.push(RequestStretch {
                from: at,
                to: at,
                factor: 1.0,
                base: 0.0,
                history: 0.0,
                n_reported: 0,
                residual: 0.0,
                unlogged: UnloggedContent::Unknown,
                fell: fell && !request.is_changed && !is_other,
                gained: gained && !request.is_changed && !is_other,
                logged: request.logged,
            });
            last = None;
        }
        if let Some(stretch) = stretches.last_mut() {
            stretch.to = at + 1;
            stretch.n_reported += usize::from(reported.is_some());
        }
        model = request.model.or(model);
        last = reported.map_or(last, |_| Some(request));
    }
    stretches
}

fn model_of<'a>(requests: &[CalibrationRequest<'a>], stretch: &RequestStretch) -> Option<&'a str> {
    requests[stretch.from..stretch.to].iter().find_map(|request| request.model)
}

/// `(counted tokens, reported tokens minus hidden ones)` per request.
type LinePoints = Vec<(f64, f64)>;

fn reported_points(requests: &[CalibrationRequest<'_>], stretch: &RequestStretch) -> LinePoints {
    let of = |request: &CalibrationRequest<'_>| {
        let reported = request.reported? as f64;
        Some((request.counted as f64, reported - request.hidden as f64))
    };
    requests[stretch.from..stretch.to].iter().filter_map(of).collect()
}

/// Returns a factor per model: the median slope between requests, weighted by their distance. A model gets no factor
/// unless it fits better than 1.
fn model_factors<'a>(
    requests: &[CalibrationRequest<'a>],
    stretches: &[RequestStretch],
) -> BTreeMap<Option<&'a str>, f64> {
    let mut by_model: BTreeMap<Option<&str>, Vec<LinePoints>> = BTreeMap::new();
    for stretch in stretches {
        by_model.entry(model_of(requests, stretch)).or_default().push(reported_points(requests, stretch));
    }
    let mut factors = BTreeMap::new();
    for (model, stretches) in by_model {
        let n_turns = stretches.iter().map(Vec::len).sum::<usize>();
        if n_turns < FEWEST_TURNS && (n_turns < FEW_TURNS || !stretches.iter().any(|points| is_wide(points)))
        {
            continue;
        }
        let slopes = stretches.iter().flat_map(|points| weighted_slopes(points)).collect();
        let Some(factor) = weighted_median(slopes).filter(|factor| FACTORS.contains(factor)) else {
            continue;
        };
        if median_spread(&stretches, factor) < median_spread(&stretches, 1.0) {
            factors.insert(model, factor);
        }
    }
    factors
}

/// Returns the factor of the model that answered most of the requests; 1 where no other one fits better.
pub(crate) fn main_factor(requests: &[CalibrationRequest<'_>]) -> f64 {
    let stretches = split_stretches(requests);
    let mut n_by_model: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    for stretch in &stretches {
        *n_by_model.entry(model_of(requests, stretch)).or_default() += stretch.n_reported;
    }
    let main = n_by_model.into_iter().max_by_key(|(_, n)| *n).and_then(|(model, _)| model);
    model_factors(requests, &stretches).get(&main).copied().unwrap_or(1.0)
}

pub(crate) struct FactorSample(Vec<LinePoints>);

impl FactorSample {
    pub(crate) fn from_requests(requests: &[CalibrationRequest<'_>]) -> Self {
        let stretches = split_stretches(requests);
        Self(stretches.iter().map(|stretch| reported_points(requests, stretch)).collect())
    }

    pub(crate) fn spread_of_factor(&self, factor: f64) -> f64 {
        median_spread(&self.0, factor)
    }
}

pub(crate) fn is_clearly_better(new: f64, old: f64) -> bool {
    new < old * BETTER && old - new > BETTER_BY
}

fn is_wide(points: &[(f64, f64)]) -> bool {
    let counted = || points.iter().map(|point| point.0);
    let (least, most) = (counted().reduce(f64::min), counted().reduce(f64::max));
    points.len() >= FEW_TURNS && most.zip(least).is_some_and(|(most, least)| most - least >= FAR_APART)
}

/// Returns slopes between requests, with weights. Each request is paired with the ones half, a third and a quarter of
/// the stretch later: this is far enough apart, and linear in the stretch's length.
fn weighted_slopes(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut slopes = Vec::new();
    for part in [2, 3, 4] {
        let lag = (points.len() / part).max(1);
        for (one, other) in points.iter().zip(points.iter().skip(lag)) {
            let between = other.0 - one.0;
            if between >= FEWEST_BETWEEN {
                slopes.push(((other.1 - one.1) / between, between));
            }
        }
    }
    slopes
}

fn base_of(points: &[(f64, f64)], factor: f64) -> Option<f64> {
    let of = |(counted, reported): &(f64, f64)| (reported - factor * counted, 1.0 / reported.max(1.0));
    weighted_median(points.iter().map(of).collect())
}

fn median_spread(stretches: &[LinePoints], factor: f64) -> f64 {
    let mut off = Vec::new();
    for points in stretches {
        let base = base_of(points, factor).unwrap_or_default();
        off.extend(
            points
                .iter()
                .map(|(counted, reported)| (reported - factor * counted - base).abs() / reported.max(1.0)),
        );
    }
    median_of(off).unwrap_or_default()
}

fn settle_base(requests: &[CalibrationRequest<'_>], stretch: &mut RequestStretch) {
    set_base(requests, stretch, base_of(&reported_points(requests, stretch), stretch.factor));
}

/// Returns the base that the first reports of a stretch tell in the provider's tokens, or a clearly better one of later reports,
/// tried with each eighth more of them.
fn kept_base(points: &[(f64, f64)]) -> Option<f64> {
    let mut n_seen = FEWEST_TURNS.min(points.len());
    let mut base = base_of(&points[..n_seen], 1.0)?;
    while n_seen < points.len() {
        n_seen = (n_seen + (n_seen / 8).max(1)).min(points.len());
        let seen = &points[..n_seen];
        let off_by = |base: f64| {
            let share =
                |(counted, reported): &(f64, f64)| (reported - counted - base).abs() / reported.max(1.0);
            median_of(seen.iter().map(share).collect()).unwrap_or_default()
        };
        if let Some(later) =
            base_of(seen, 1.0).filter(|later| is_clearly_better(off_by(*later), off_by(base)))
        {
            base = later;
        }
    }
    Some(base)
}

fn set_base(requests: &[CalibrationRequest<'_>], stretch: &mut RequestStretch, base: Option<f64>) {
    let Some(base) = base else { return };
    let reported = requests[stretch.from..stretch.to].iter().filter_map(|request| request.reported);
    stretch.base = base.clamp(0.0, reported.min().unwrap_or(0) as f64);
    stretch.residual = median_of(stretch_residuals(requests, stretch)).unwrap_or_default();
    stretch.unlogged =
        if stretch.residual <= USABLE { UnloggedContent::Prompt } else { UnloggedContent::Unknown };
}

fn stretch_residuals(requests: &[CalibrationRequest<'_>], stretch: &RequestStretch) -> Vec<f64> {
    let of = |request: &CalibrationRequest<'_>| {
        let reported = request.reported? as f64;
        Some((stretch.expected_report(request) - reported).abs() / reported.max(1.0))
    };
    requests[stretch.from..stretch.to].iter().filter_map(of).collect()
}

fn inherit_bases(stretches: &mut [RequestStretch]) {
    for at in 0..stretches.len() {
        if stretches[at].n_reported > 0 {
            continue;
        }
        let is_known = |stretch: &&RequestStretch| stretch.n_reported > 0;
        let before = stretches[..at].iter().rev().find(is_known);
        let Some(known) = before.or_else(|| stretches[at..].iter().find(is_known)) else { return };
        let (base, factor, unlogged) = (known.base, known.factor, known.unlogged);
        stretches[at].base = base;
        stretches[at].factor = factor;
        stretches[at].unlogged = unlogged;
    }
}

fn describe_bases(requests: &[CalibrationRequest<'_>], stretches: &mut [RequestStretch]) {
    let least = |from: &[RequestStretch]| {
        let known = from.iter().filter(|stretch| {
            stretch.unlogged != UnloggedContent::Unknown && stretch.n_reported > 0 && !stretch.fell
        });
        known.map(|stretch| stretch.base).reduce(f64::min)
    };
    let Some((first, rest)) = stretches.split_first_mut() else { return };
    let later = least(rest);
    if first.unlogged != UnloggedContent::Unknown
        && later.is_some_and(|later| later < first.base * EARLIER_HISTORY)
    {
        first.unlogged = UnloggedContent::EarlierHistory;
    }
    let prompt = if first.unlogged == UnloggedContent::Prompt { Some(first.base) } else { later };
    for stretch in rest {
        let is_more = prompt.is_some_and(|prompt| stretch.base * (1.0 - EARLIER_HISTORY / 5.0) > prompt);
        if stretch.unlogged != UnloggedContent::Prompt || !is_more {
            continue;
        }
        if requests[stretch.from].is_changed {
            stretch.unlogged = UnloggedContent::Attachments;
        } else if stretch.gained {
            stretch.unlogged = UnloggedContent::Unsaid;
        }
    }
}

/// Splits the history from before the log off the bases. Until the first change of the history, everything above the
/// smallest later base is such history.
fn split_off_history(requests: &[CalibrationRequest<'_>], stretches: &mut [RequestStretch]) {
    let is_changed = |stretch: &RequestStretch| requests[stretch.from].is_changed || stretch.fell;
    let n_before = stretches.iter().skip(1).position(is_changed).map_or(stretches.len(), |at| at + 1);
    let (before, after) = stretches.split_at_mut(n_before);
    let known =
        after.iter().filter(|stretch| stretch.unlogged != UnloggedContent::Unknown && stretch.n_reported > 0);
    let prompt = known.map(|stretch| stretch.base).reduce(f64::min).unwrap_or_default();
    for stretch in before.iter_mut().filter(|stretch| stretch.unlogged != UnloggedContent::Unknown) {
        stretch.unlogged = UnloggedContent::EarlierHistory;
        stretch.history = (stretch.base - prompt).max(0.0);
    }
}

fn median_of(mut values: Vec<f64>) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let (middle, is_odd) = (values.len() / 2, values.len() % 2 == 1);
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().max_by(f64::total_cmp).filter(|_| !is_odd);
    Some(lower.map_or(*upper, |lower| f64::midpoint(lower, *upper)))
}

fn weighted_median(mut values: Vec<(f64, f64)>) -> Option<f64> {
    values.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let half = values.iter().map(|value| value.1).sum::<f64>() / 2.0;
    let mut passed = 0.0;
    values.into_iter().find_map(|(value, weight)| {
        passed += weight;
        (passed >= half).then_some(value)
    })
}

#[cfg(test)]
#[path = "calibration_tests.rs"]
mod tests;
