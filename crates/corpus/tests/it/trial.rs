//! A trial's figures are those of the runs, and equal tables give an equal page.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use cwl_corpus::{
    CorpusAsked, CorpusKey, CorpusTable, LogAsked, LogRows, NoTrial, ReadTable, TextsAs, TrialTables,
    compare_policies, rows_of_place, run_trial, trial_runs, write_trial_page,
};
use cwl_host::api::{
    PolicyRunFigures, TrialAnswer, TrialLevel, TrialMeasure, TrialPolicy, ViewRequest, ViewSettings,
};
use cwl_host::commands::{RunsAsked, history, requests_made, runs};
use cwl_host::{Tools, places_of_sessions};

use crate::common::{asked, column, corpus_of, make, n_rows, open, samples};

const RUNS: &str = "cwl,cwl+,pi-cwl,mask,auto@20k,40k,60k,80k,120k";

fn made(dir: &Path, logs: &Path, asked: &[&str]) -> PathBuf {
    let folder = dir.join("tables");
    let runs = asked.iter().map(|text| RunsAsked::parse_runs(text).unwrap()).collect();
    make(&CorpusAsked { runs, ..corpus_of(logs, &folder) });
    folder
}

fn level(trial: &TrialAnswer, equal: TrialMeasure, per_mille: u32) -> &TrialLevel {
    let levels = &trial.groups[0].levels;
    levels.iter().find(|level| level.equal == equal && level.per_mille == per_mille).unwrap()
}

/// Mean tokens of a request as the provider gets it, and of its part that the log does not hold.
fn requests(log: &Path, asked: &[RunsAsked]) -> (Vec<(PolicyRunFigures, f64)>, f64) {
    let opened = open(log).unwrap();
    let request = ViewRequest { view: ViewSettings::counted("o200k") };
    let n_requests = f64::from(requests_made(&opened, &request).unwrap().requests.len() as u32);
    let sent = |run: &PolicyRunFigures| {
        let cost = &run.measured.cost;
        (cost.cached + cost.written + cost.fresh) as f64 / n_requests
    };
    let all = runs(&opened, &request, asked).unwrap().into_iter();
    let overhead = history(&opened, &request).unwrap().overhead;
    let unlogged: u64 = overhead.iter().take(n_requests as usize).sum();
    (
        all.map(|run| {
            let sent = sent(&run);
            (run, sent)
        })
        .collect(),
        unlogged as f64 / n_requests,
    )
}

#[test]
fn a_level_lies_between_the_runs_of_the_session() {
    let asked = [RunsAsked::parse_runs(RUNS).unwrap(), RunsAsked::parse_runs("none@80k").unwrap()];
    let dir = tempfile::tempdir().unwrap();
    let log = samples().join("pi/long/input.jsonl");
    let trial = run_trial(&made(dir.path(), &log, &[RUNS, "none@80k"])).unwrap();
    let (all, unlogged) = requests(&log, &asked);
    assert!(unlogged > 0.0, "a part of each request is not in the log");
    let (_, whole) = all.iter().find(|(run, _)| run.policy == "none").unwrap();
    let recall = |run: &PolicyRunFigures| {
        run.measured.recall.hit_tokens as f64 / run.measured.recall.used_tokens as f64
    };
    let mut n_rows = 0;
    for per_mille in [200, 400, 600, 800] {
        let target = unlogged + (whole - unlogged) * f64::from(per_mille) / 1000.0;
        for policy in ["cwl", "cwl+", "pi-cwl", "mask", "auto"] {
            let mut of_policy: Vec<&(PolicyRunFigures, f64)> =
                all.iter().filter(|(run, _)| [policy, "none"].contains(&run.policy.as_str())).collect();
            of_policy.sort_by(|(_, one), (_, other)| one.total_cmp(other));
            let rows = &level(&trial, TrialMeasure::MeanRequest, per_mille).policies;
            let row = rows.iter().find(|row| row.policy == policy);
            let after = of_policy.iter().position(|(_, request)| *request >= target).unwrap();
            let Some(left) = after.checked_sub(1) else {
                assert!(row.is_none(), "{policy} does not get to {per_mille}");
                continue;
            };
            let row = row.unwrap();
            n_rows += 1;
            let found = row.recall.value.unwrap();
            let ends = [recall(&of_policy[left].0), recall(&of_policy[after].0)];
            let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            assert!((low - 1e-9..=high + 1e-9).contains(&found), "{policy} {per_mille}: {found} in {ends:?}");
            assert!((row.request_share.value.unwrap() - target / whole).abs() < 1e-9);
            assert!(row.bound.value.unwrap() >= found - 1e-3);
        }
    }
    assert!(n_rows > 5, "{n_rows}");
}

#[test]
fn equal_contents_have_equal_hashes_and_the_runs_can_be_asked_again() {
    let dir = tempfile::tempdir().unwrap();
    let log = samples().join("pi/quickstart/input.jsonl");
    let copy = dir.path().join("copy.jsonl");
    std::fs::copy(&log, &copy).unwrap();
    let asked = ["cwl:low_water=600,mask@8k,4k", "cwl@4k", "none@8k"];
    let trial = |name: &str, log: &Path| run_trial(&made(&dir.path().join(name), log, &asked)).unwrap();
    let (one, other) = (trial("one", &log), trial("other", &copy));
    assert_eq!(
        (one.n_logs, &one.runs),
        (1, &vec!["cwl@4000".to_owned(), "cwl:low_water=600,mask@4000,8000".to_owned()])
    );
    assert_eq!(one.inputs, other.inputs, "whatever its name");
    assert_ne!(one.inputs, trial("third", &samples().join("pi/long/input.jsonl")).inputs);
    let page = String::from_utf8(write_trial_page(&one, None)).unwrap();
    assert!(page.contains("--runs 'cwl@4000' --runs 'cwl:low_water=600,mask@4000,8000'"), "{page}");
}

#[test]
fn the_reference_is_its_own_equal_and_the_best_comes_first() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path(), &samples().join("pi"), &[RUNS, "none@80k"]);
    let trial = run_trial(&folder).unwrap();
    assert_eq!(trial.groups[0].name, "all");
    assert!(trial.groups.len() > 1, "there are groups by length");
    for group in &trial.groups {
        for level in &group.levels {
            let is_common = |row: &&TrialPolicy| row.n_sessions * 2 >= group.n_sessions;
            let n_common = level.policies.iter().filter(is_common).count();
            for rows in <[_; 2]>::from(level.policies.split_at(n_common)) {
                let gains: Vec<f64> = rows.iter().filter_map(|row| row.recall_difference.value).collect();
                assert!(gains.is_sorted_by(|one, other| one >= other), "{gains:?}");
            }
            assert!(level.policies.iter().take(n_common).all(|row| is_common(&row)), "rare ones come last");
            for row in level.policies.iter().filter(|row| row.policy == "cwl") {
                assert_eq!((row.recall_difference.value, row.n_better, row.n_worse), (Some(0.0), 0, 0));
            }
        }
    }
    let page = write_trial_page(&trial, None);
    assert_eq!(page, write_trial_page(&run_trial(&folder).unwrap(), None), "equal tables, equal bytes");
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("default-src 'none'") && !page.contains("<script"));
}

#[test]
fn runs_that_cannot_be_compared_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path(), &samples().join("pi/quickstart/input.jsonl"), &["cwl@8k"]);
    let refused = run_trial(&folder).unwrap_err().to_string();
    assert!(refused.contains("`none`"), "{refused}");
    assert!(run_trial(dir.path()).is_err(), "no corpus");
}

#[test]
fn a_trial_without_runs_has_every_policy() {
    let asked = RunsAsked::parse_runs(&trial_runs(None)).unwrap();
    assert!(asked.policies.len() >= 13 && asked.budgets.len() == 5, "{asked:?}");
    let other = RunsAsked::parse_runs(&trial_runs(Some("28k,40k"))).unwrap();
    assert_eq!((other.policies, other.budgets), (asked.policies, [28_000, 40_000].into()));
}

/// Reads the samples of pi into tables in memory, the logs in reverse order; `of_turns` is the key of the table `turns`.
fn in_memory(key: CorpusKey, of_turns: CorpusKey) -> TrialTables {
    let runs = [RUNS, "none@80k"].map(|text| RunsAsked::parse_runs(text).unwrap()).to_vec();
    let asked = LogAsked { budget: None, runs, key, ..asked("", TextsAs::Hashed) };
    let rows_with = |asked: &LogAsked| {
        let mut rows = LogRows::default();
        for place in places_of_sessions(&[samples().join("pi")]).unwrap().iter().rev() {
            let name = place.name.to_string_lossy();
            rows.append_log(rows_of_place(place, &name, &Tools::builtin_tables(), asked));
        }
        rows
    };
    let (rows, turns) =
        (rows_with(&asked), rows_with(&LogAsked { key: of_turns, runs: Vec::new(), ..asked }));
    let read = |table: &CorpusTable, names: &[&'static str]| {
        let rows = if table.name == "turns" { &turns } else { &rows };
        let columns = names.iter().map(|name| (*name, column(rows, table.name, name).clone())).collect();
        Ok::<_, Infallible>(ReadTable::from_columns(columns, n_rows(rows, table.name)))
    };
    TrialTables::read_with(read).unwrap()
}

#[test]
fn rows_in_memory_have_the_figures_of_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    let key = CorpusKey([7; 32]);
    std::fs::write(dir.path().join("key"), "07".repeat(32)).unwrap();
    let of_folder = run_trial(&made(dir.path(), &samples().join("pi"), &[RUNS, "none@80k"])).unwrap();
    let found = compare_policies(&in_memory(key, key), 0).unwrap();
    assert_eq!((found.folder.as_str(), &found.inputs), ("", &None));
    assert_eq!(found, TrialAnswer { folder: String::new(), inputs: None, ..of_folder });
    let refused = compare_policies(&in_memory(key, CorpusKey([8; 32])), 0).unwrap_err();
    assert_eq!(refused, NoTrial::StrangeLog { table: "turns" });
}
