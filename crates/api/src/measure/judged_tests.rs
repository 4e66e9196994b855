//! Judges the calibration on logs of the person who runs it: fitted to the odd turns of a session, held against the even
//! ones. `CWL_LOGS=FOLDER cargo test --release -p cwl-api judged -- --ignored --nocapture` prints a table by format.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::*;
use crate::asked::view::BranchKey;
use crate::tables::carried;
use crate::{LogInput, Tools, load_file};
use cwl_tokens::Tokenizer;

/// A session of fewer turns with usage says nothing.
const FEWEST: usize = 10;

/// The outcome of the logs of one format.
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
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(Path::new(&folder)).unwrap().map(|one| one.unwrap().path()).collect();
    paths.sort();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for path in paths {
        let Ok(opened) = load_file(&LogInput::File(path.clone()), None, &Tools::builtin()) else { continue };
        let branch = opened.branch(&BranchKey::CURRENT).unwrap();
        let sizes = opened.sizes(&BranchKey::CURRENT, Tokenizer::O200k).unwrap();
        let carriers = |model: Option<&str>| carried::of_model(opened.about.format, model);
        let account = Account::of(&branch.session, &branch.growth, sizes.visible(), &carriers);
        let requests = account.requests(&branch.session);
        if requests.iter().filter(|request| request.reported.is_some()).count() < FEWEST {
            continue;
        }
        let mut odd = requests.clone();
        odd.iter_mut().skip(1).step_by(2).for_each(|request| request.reported = None);
        let fitted = Calibration::of(&odd);
        let tally = tallies.entry(opened.about.format.to_string()).or_default();
        if Calibration::of(&requests).stretches.iter().any(|stretch| stretch.fell) {
            tally.n_lost += 1;
            continue;
        }
        let mut ratios: Vec<f64> = (1..requests.len())
            .step_by(2)
            .filter_map(|at| {
                let (stretch, reported) = (fitted.at(at)?, requests[at].reported?);
                (stretch.unlogged != UnloggedDto::Unknown)
                    .then(|| stretch.expected(&requests[at]) / reported as f64)
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
    for (format, tally) in tallies {
        let n = tally.ratios.len() + tally.n_unknown;
        let n_good = n - tally.missed.len();
        println!(
            "{format}: {n} sessions, {n_good} within 0.9 to 1.1, {} unknown, {} with a loss apart",
            tally.n_unknown, tally.n_lost
        );
        for (ratio, path) in tally.missed {
            println!("  {ratio:.2} {}", path.file_name().unwrap().to_string_lossy());
        }
    }
}
