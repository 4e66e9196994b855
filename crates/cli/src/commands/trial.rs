//! `cwl trial`: compares all policies over many sessions, at equal mean request and at equal cost.

use std::io::Write;
use std::path::Path;

use cwl_corpus::{
    CorpusAsked, TextsAs, level_name, make_corpus, policy_label, run_trial, trial_pictures, trial_runs,
    write_trial_page,
};
use cwl_host::api::{Document, TrialAnswer, TrialOutcome, ViewSettings};
use cwl_host::commands::RunsAsked;
use cwl_host::{count_noun, with_commas};
use cwl_serve::Page;

use crate::args::TrialArgs;
use crate::commands::choose::write_estimate;
use crate::commands::export::write_file;
use crate::commands::public_sets::list_public_sets;
use crate::out::{Failure, Stdout, clean_text, warn_user};
use crate::progress::with_progress;
use crate::table;

const PAGE: &str = "trial.html";
const NONE: &str = "none";

pub(crate) fn run(args: &TrialArgs, out: &mut Stdout) -> Result<(), Failure> {
    // Only a list needs no folder.
    let Some(folder) = args.out.as_deref() else { return list_public_sets(out) };
    let said = |error: cwl_corpus::CorpusError| Failure::Said(error.to_string());
    let asked = parse_request(args, folder)?;
    let corpus = with_progress("working on the logs", |progress| {
        make_corpus(&asked, &|done, total| progress.update_line(done, Some(total)))
    });
    corpus.map_err(said)?;
    let trial = with_progress("comparing", |_| run_trial(folder)).map_err(said)?;
    let template = Page::open_folder(None).ok().and_then(|page| page.for_exports());
    let page = write_trial_page(&trial, template.as_deref());
    let html = folder.join(PAGE);
    write_file(&html, |file| file.write_all(&page))?;
    for (name, picture) in trial_pictures(&trial) {
        write_file(&folder.join(name), |file| file.write_all(picture.as_bytes()))?;
    }
    if args.json {
        return out.write_json(&Document::new(trial));
    }
    print_trial(&trial, out)?;
    warn_user(&format!("the page with all groups and levels, beside its two pictures: {}", html.display()));
    Ok(())
}

fn parse_request(args: &TrialArgs, folder: &Path) -> Result<CorpusAsked, Failure> {
    let of_all =
        (args.budgets.is_some() || args.runs.is_empty()).then(|| trial_runs(args.budgets.as_deref()));
    let runs: Vec<String> = of_all.into_iter().chain(args.runs.iter().cloned()).collect();
    let mut runs: Vec<RunsAsked> =
        runs.iter().map(|text| RunsAsked::parse_runs(text)).collect::<Result<_, _>>()?;
    // Every session is measured by its own figures without eviction.
    runs.push(RunsAsked::parse_runs("none@80k")?);
    Ok(CorpusAsked {
        paths: args.paths.clone(),
        folder: folder.to_owned(),
        budget: None,
        view: ViewSettings::counted("o200k"),
        runs,
        texts: TextsAs::Hashed,
        key: None,
        shard: args.work.shard,
        fresh: args.work.fresh,
        n_threads: args.work.n_threads(),
    })
}

/// Prints the first group; the page has the others.
fn print_trial(trial: &TrialAnswer, out: &mut Stdout) -> Result<(), Failure> {
    let Some(group) = trial.groups.first() else { return Ok(()) };
    out.write_line(format!(
        "{} sessions; intervals of 95 % by {} resamples, seed {}",
        with_commas(group.n_sessions.into()),
        with_commas(trial.n_resamples.into()),
        trial.seed
    ))?;
    if let Some(hash) = &trial.inputs {
        let n_logs = count_noun(trial.n_logs, "log");
        out.write_line(format!("version {}, {n_logs} whose contents have the hash {hash}", trial.version))?;
    }
    out.write_line(format!(
        "of the mean request without eviction the log does not hold {}",
        write_estimate(group.unlogged_share, NONE, |value| format!("{:.1} %", value * 100.0))
    ))?;
    for level in &group.levels {
        out.write_line("")?;
        out.write_line(level_name(level.equal, level.per_mille))?;
        let against = format!("#points more than {}", trial.reference);
        let mut rows = table::begin_table(&[
            "policy",
            "#sessions",
            "#recall",
            "#bound",
            &against,
            "#read again",
            "#details",
            "#cost",
        ]);
        for one in &level.policies {
            rows.add_row([
                clean_text(&policy_label(&one.policy, &one.options)).to_string(),
                with_commas(one.n_sessions.into()),
                write_estimate(one.recall, NONE, |value| format!("{:.1} %", value * 100.0)),
                one.bound.value.map_or_else(|| NONE.to_owned(), |bound| format!("{:.1} %", bound * 100.0)),
                write_estimate(one.recall_difference, NONE, |value| format!("{:+.1}", value * 100.0)),
                write_estimate(one.reacquired, NONE, |value| with_commas(value.max(0.0).round() as u64)),
                write_estimate(one.survival, NONE, |value| format!("{:.1} %", value * 100.0)),
                write_estimate(one.cost_share, NONE, |value| format!("{:.0} %", value * 100.0)),
            ]);
        }
        table::print_table(&rows, out)?;
    }
    print_outcomes(trial, out)?;
    out.write_line("")?;
    trial.limits.iter().try_for_each(|limit| out.write_line(limit.replace('`', "")))
}

fn print_outcomes(trial: &TrialAnswer, out: &mut Stdout) -> Result<(), Failure> {
    let n_sessions = |row: &&TrialOutcome| row.n_solved + row.n_failed;
    let Some(most) = trial.outcomes.iter().max_by_key(n_sessions) else { return Ok(()) };
    out.write_line("")?;
    let level = level_name(most.equal, most.per_mille);
    out.write_line(format!("later uses whose request did not hold the block, by outcome, {level}"))?;
    let mut rows = table::begin_table(&[
        "policy",
        "#failed",
        "#solved",
        "#lacking if failed",
        "#if solved",
        "#points more if failed",
    ]);
    let percent = |value: f64| format!("{:.1} %", value * 100.0);
    for row in trial.outcomes.iter().filter(|row| (row.equal, row.per_mille) == (most.equal, most.per_mille))
    {
        rows.add_row([
            clean_text(&policy_label(&row.policy, &row.options)).to_string(),
            with_commas(row.n_failed.into()),
            with_commas(row.n_solved.into()),
            write_estimate(row.lacking_failed, NONE, percent),
            write_estimate(row.lacking_solved, NONE, percent),
            write_estimate(row.difference, NONE, |value| format!("{:+.1}", value * 100.0)),
        ]);
    }
    table::print_table(&rows, out)
}
