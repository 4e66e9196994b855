//! Judges the calibration on a person's own logs: fitted to a session's odd turns, checked against its even turns.
//! `make fit-check LOGS=FOLDER` prints a table per format for all logs below the folder, and the logs with large errors.
//! Sessions with fewer than ten turns with usage are skipped; sessions with a hidden loss are counted separately.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cwl_engine::MissCause;
use cwl_tokens::Tokenizer;

use super::*;
use crate::api::{CacheRules, ViewSettings};
use crate::asked::unit::TokenUnit;
use crate::asked::view::BranchKey;
use crate::measure::calibration::FEWEST_TURNS;
use crate::measure::measured::Terms;
use crate::measure::misses::{cache_reads, describe_cause};
use crate::testing::load_file;

const FEWEST: usize = 10;

#[derive(Default)]
struct Tally {
    ratios: Vec<f64>,
    n_lost: usize,
    n_unknown: usize,
    missed: Vec<(f64, PathBuf)>,
}

#[test]
#[ignore = "needs real logs"]
fn judged() {
    let folder = std::env::var("CWL_LOGS").unwrap();
    let paths = files_in(Path::new(&folder));
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for path in paths {
        let Ok(opened) = load_file(&path) else {
            continue;
        };
        let branch = opened.branch(&BranchKey::CURRENT).unwrap();
        let sizes = opened.sizes(&BranchKey::CURRENT, TokenUnit::Tokenizer(Tokenizer::O200k)).unwrap();
        let carriers = |model: Option<&str>| opened.tools.carried.of_model(opened.about.format, model);
        let account = RequestSizes::count(&branch.session, &branch.growth, sizes.visible_table(), &carriers);
        let requests = account.calibration_requests(&branch.session);
        if requests.iter().filter(|request| request.reported.is_some()).count() < FEWEST {
            continue;
        }
        let mut odd = requests.clone();
        odd.iter_mut().skip(1).step_by(2).for_each(|request| request.reported = None);
        let fitted = Calibration::calibrate(&odd);
        let tally = tallies.entry(opened.about.format.to_string()).or_default();
        if !sizes.losses.is_empty() {
            tally.n_lost += 1;
            continue;
        }
        let mut ratios: Vec<f64> = (1..requests.len())
            .step_by(2)
            .filter_map(|at| {
                let (stretch, reported) = (fitted.stretch_at(at)?, requests[at].reported?);
                (stretch.unlogged != UnloggedContent::Unknown)
                    .then(|| stretch.expected_report(&requests[at]) / reported as f64)
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        match ratios.get(ratios.len() / 2) {
            None => {
                tally.n_unknown += 1;
                tally.missed.push((0.0, path));
            }
            Some(ratio) => {
                tally.ratios.push(*ratio);
                if !(0.9..=1.1).contains(ratio) {
                    tally.missed.push((*ratio, path));
                }
            }
        }
    }
    println!("| format | sessions | within 0.9 to 1.1 | unknown, a miss | with a hidden loss, apart |");
    println!("|---|---|---|---|---|");
    for (format, tally) in &tallies {
        let n = tally.ratios.len() + tally.n_unknown;
        let n_good = n - tally.missed.len();
        let percent = 100.0 * n_good as f64 / n.max(1) as f64;
        println!("| {format} | {n} | {n_good} ({percent:.1} %) | {} | {} |", tally.n_unknown, tally.n_lost);
    }
    for (ratio, path) in tallies.values().flat_map(|tally| &tally.missed) {
        println!("missed: {ratio:.2} {}", path.display());
    }
}

/// The most turns of a session that are judged by those before them, evenly over it.
const MOST_JUDGED: usize = 40;

/// Shares by which turns are off, and by which the median turn of each session is.
#[derive(Default)]
struct NextTurns {
    turns: Vec<f64>,
    sessions: Vec<(f64, PathBuf)>,
}

/// Judges the provider's unit: fitted to the turns before, held against the turn after.
#[test]
#[ignore = "needs real logs"]
fn judged_next() {
    let folder = std::env::var("CWL_LOGS").unwrap();
    let mut by_format: BTreeMap<String, NextTurns> = BTreeMap::new();
    for path in files_in(Path::new(&folder)) {
        let Ok(opened) = load_file(&path) else {
            continue;
        };
        let branch = opened.branch(&BranchKey::CURRENT).unwrap();
        let sizes = opened.sizes(&BranchKey::CURRENT, TokenUnit::Tokenizer(Tokenizer::O200k)).unwrap();
        let carriers = |model: Option<&str>| opened.tools.carried.of_model(opened.about.format, model);
        let account = RequestSizes::count(&branch.session, &branch.growth, sizes.visible_table(), &carriers);
        let requests = account.calibration_requests(&branch.session);
        let reported: Vec<usize> =
            (0..requests.len()).filter(|at| requests[*at].reported.is_some()).collect();
        if reported.len() < FEWEST {
            continue;
        }
        let judged = &reported[FEWEST_TURNS..];
        let step = judged.len().div_ceil(MOST_JUDGED);
        let mut off: Vec<f64> =
            judged.iter().step_by(step).map(|at| share_off_by_those_before(&requests, *at)).collect();
        off.sort_by(f64::total_cmp);
        let of_format = by_format.entry(opened.about.format.to_string()).or_default();
        of_format.sessions.push((off[off.len() / 2], path));
        of_format.turns.extend(off);
    }
    println!("| format | sessions | turns | median turn | median session | within 3 % | within 10 % |");
    println!("|---|---|---|---|---|---|---|");
    let mut all = NextTurns::default();
    for (format, next) in by_format {
        next.print_row(&format);
        all.turns.extend(next.turns);
        all.sessions.extend(next.sessions);
    }
    all.print_row("all");
    all.sessions.sort_by(|one, other| other.0.total_cmp(&one.0));
    for (off, path) in all.sessions.iter().take_while(|(off, _)| *off > 0.1) {
        println!("missed: {:.1} % {}", off * 100.0, path.display());
    }
}

/// Returns the share by which the reports of the requests before `at` miss the size that it reports itself.
fn share_off_by_those_before(requests: &[CalibrationRequest<'_>], at: usize) -> f64 {
    let mut seen = requests[..=at].to_vec();
    let reported = seen[at].reported.take().unwrap() as f64;
    let unit = ProviderUnit::fit(&seen, &KnownFits::new(1));
    for request in &mut seen {
        request.counted = (request.counted as f64 * unit.factor()).round() as u64;
    }
    let fitted = Calibration::calibrate_bases(&seen);
    (fitted.stretch_at(at).unwrap().expected_report(&seen[at]) - reported).abs() / reported
}

impl NextTurns {
    fn print_row(&self, format: &str) {
        let median = |shares: &[f64]| {
            let mut shares = shares.to_vec();
            shares.sort_by(f64::total_cmp);
            shares.get(shares.len() / 2).copied().unwrap_or_default() * 100.0
        };
        let shares: Vec<f64> = self.sessions.iter().map(|(off, _)| *off).collect();
        let within = |most: f64| {
            let n = shares.iter().filter(|off| **off <= most).count();
            format!("{n} ({:.1} %)", 100.0 * n as f64 / shares.len().max(1) as f64)
        };
        println!(
            "| {format} | {} | {} | {:.2} % | {:.2} % | {} | {} |",
            shares.len(),
            self.turns.len(),
            median(&self.turns),
            median(&shares),
            within(0.03),
            within(0.1)
        );
    }
}

/// Returns all files of a folder and the folders in it, by name.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let all = paths.into_iter().flat_map(|path| if path.is_dir() { files_in(&path) } else { vec![path] });
    all.collect()
}

/// Prints the causes of cache misses over all logs below a folder, as part of `make fit-check LOGS=FOLDER`.
#[test]
#[ignore = "needs real logs"]
fn judged_misses() {
    let folder = std::env::var("CWL_LOGS").unwrap();
    let mut causes: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    let mut formats: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    let (mut n_sessions, mut n_requests, mut expected) = (0, 0, 0);
    for path in files_in(Path::new(&folder)) {
        let Ok(opened) = load_file(&path) else { continue };
        let view = ViewSettings { policy: "none".into(), ..ViewSettings::counted("o200k") };
        let terms = Terms::look_up(&opened, &CacheRules::default());
        let (_, reads) = cache_reads(&opened, &opened.parse_view(&view).unwrap(), &terms).unwrap();
        n_sessions += usize::from(!reads.is_empty());
        n_requests += reads.len();
        for read in &reads {
            expected += read.expected;
            let Some(cause) = read.cause else { continue };
            let of_cause = causes.entry(describe_cause(cause)).or_default();
            let sums = [1, read.missed_tokens(), terms.lost_money(read, None)];
            of_cause.iter_mut().zip(sums).for_each(|(sum, more)| *sum += more);
            let of_format = formats.entry(opened.about.format.to_string()).or_default();
            of_format[0] += 1;
            of_format[1] += u64::from(cause == MissCause::Unknown);
        }
    }
    println!("{n_sessions} sessions with a cache, {n_requests} requests, {expected} tokens to be read");
    for (cause, [requests, tokens, lost]) in causes {
        println!("| {cause} | {requests} | {tokens} | {lost} |");
    }
    for (format, [all, unknown]) in formats {
        println!("{format}: {all} misses, {unknown} without a cause");
    }
}
