//! A trial's figures are those of the runs, and equal tables give an equal page.

use std::path::{Path, PathBuf};

use cwl_corpus::{CorpusAsked, run_trial, trial_runs, write_trial_page};
use cwl_host::commands::{RunsAsked, runs};
use cwl_host::dto::{RunDto, TrialDto, TrialLevelDto, TrialMeasureDto, ViewDto, ViewRequest};

use crate::common::{corpus_of, make, open, samples};

const RUNS: &str = "cwl,cwl+,mask,auto@20k,40k,60k,80k,120k";

fn made(dir: &Path, logs: &Path, asked: &[&str]) -> PathBuf {
    let folder = dir.join("tables");
    let runs = asked.iter().map(|text| RunsAsked::parse_runs(text).unwrap()).collect();
    make(&CorpusAsked { runs, ..corpus_of(logs, &folder) });
    folder
}

fn level(trial: &TrialDto, equal: TrialMeasureDto, per_mille: u32) -> &TrialLevelDto {
    let levels = &trial.groups[0].levels;
    levels.iter().find(|level| level.equal == equal && level.per_mille == per_mille).unwrap()
}

#[test]
fn a_level_lies_between_the_runs_of_the_session() {
    let dir = tempfile::tempdir().unwrap();
    let log = samples().join("pi/long/input.jsonl");
    let trial = run_trial(&made(dir.path(), &log, &[RUNS, "none@80k"])).unwrap();
    let opened = open(&log).unwrap();
    let asked = [RunsAsked::parse_runs(RUNS).unwrap(), RunsAsked::parse_runs("none@80k").unwrap()];
    let view = ViewDto::counted("o200k");
    let all: Vec<RunDto> = runs(&opened, &ViewRequest { session: 0, view }, &asked).unwrap();
    let whole = all.iter().find(|run| run.policy == "none").unwrap();
    let request = |run: &RunDto| run.measured.mean_total as f64;
    let recall =
        |run: &RunDto| run.measured.look_back.hit_tokens as f64 / run.measured.look_back.used_tokens as f64;
    for per_mille in [400, 600, 800] {
        let target = request(whole) * f64::from(per_mille) / 1000.0;
        for policy in ["cwl", "cwl+", "mask", "auto"] {
            let mut of_policy: Vec<&RunDto> = all.iter().filter(|run| run.policy == policy).collect();
            of_policy.push(whole);
            of_policy.sort_by(|one, other| request(one).total_cmp(&request(other)));
            let row = level(&trial, TrialMeasureDto::MeanRequest, per_mille)
                .policies
                .iter()
                .find(|row| row.policy == policy);
            let after = of_policy.iter().position(|run| request(run) >= target).unwrap();
            let Some(left) = after.checked_sub(1) else {
                assert!(row.is_none(), "{policy} does not get to {per_mille}");
                continue;
            };
            let row = row.unwrap();
            let found = row.recall.value.unwrap();
            let ends = [recall(of_policy[left]), recall(of_policy[after])];
            let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            assert!((low - 1e-9..=high + 1e-9).contains(&found), "{policy} {per_mille}: {found} in {ends:?}");
            assert!((row.request_share.value.unwrap() * 1000.0 - f64::from(per_mille)).abs() < 1e-6);
        }
    }
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
            let recalls: Vec<f64> = level.policies.iter().filter_map(|row| row.recall.value).collect();
            assert!(recalls.is_sorted_by(|one, other| one >= other), "{recalls:?}");
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
    let asked = RunsAsked::parse_runs(&trial_runs()).unwrap();
    assert!(asked.policies.len() >= 13 && asked.budgets.len() == 5, "{asked:?}");
}
