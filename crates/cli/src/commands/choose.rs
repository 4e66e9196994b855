//! `cwl choose`: ranks a corpus's settings by cost under constraints, and says how far the choice
//! generalises.

use cwl_corpus::{choose_setting, policy_label};
use cwl_host::api::{ChoiceHalf, ChoiceSetting, ChooseAnswer, Document, EstimateRange};
use cwl_host::{with_commas, write_dollars};

use crate::args::ChooseArgs;
use crate::out::{Failure, Stdout, clean_text};
use crate::progress::with_progress;
use crate::table;

pub(crate) fn run(args: &ChooseArgs, out: &mut Stdout) -> Result<(), Failure> {
    let choice = with_progress("reading the tables", |_| choose_setting(&args.folder, &args.constraints));
    let choice = choice.map_err(|error| Failure::Said(error.to_string()))?;
    if args.json {
        return out.write_json(&Document::new(choice));
    }
    print_choice(&choice, out)
}

fn print_choice(choice: &ChooseAnswer, out: &mut Stdout) -> Result<(), Failure> {
    let under = if choice.constraints.is_empty() {
        "no constraint".to_owned()
    } else {
        choice.constraints.join(", ")
    };
    out.write_line(format!(
        "under {under}: chosen on {} sessions, reported on {} others; intervals of 95 % by {} resamples, seed {}",
        with_commas(choice.n_chosen_on.into()),
        with_commas(choice.n_reported_on.into()),
        with_commas(choice.n_resamples.into()),
        choice.seed
    ))?;
    if choice.n_left_out > 0 {
        out.write_line(format!(
            "{} sessions without a run of every setting are left out",
            with_commas(choice.n_left_out.into())
        ))?;
    }
    out.write_line("")?;
    let constrained: Vec<String> = choice
        .constraints
        .iter()
        .flat_map(|constraint| [format!("#{constraint}"), "#on the others".to_owned()])
        .collect();
    let mut names = vec!["policy", "#budget", "#mean cost", "#on the others"];
    names.extend(constrained.iter().map(String::as_str));
    names.extend(["meets", "on the others"]);
    let mut rows = table::begin_table(&names);
    for one in &choice.settings {
        let mut row = vec![
            clean_text(&setting_name(one)).to_string(),
            one.budget.map_or_else(String::new, with_commas),
            write_cost(one.chosen_on.cost),
            write_cost(one.reported_on.cost),
        ];
        for (first, second) in one.chosen_on.constrained.iter().zip(&one.reported_on.constrained) {
            row.extend([write_figure(*first), write_figure(*second)]);
        }
        row.extend([constraints_met(&one.chosen_on), constraints_met(&one.reported_on)].map(str::to_owned));
        rows.add_row(row);
    }
    table::print_table(&rows, out)?;
    out.write_line("")?;
    match choice.settings.first().filter(|_| choice.is_chosen) {
        Some(one) => {
            let budget = one.budget.map_or_else(String::new, |budget| format!(" at {}", with_commas(budget)));
            out.write_line(format!(
                "chosen: {}{budget}; on the others it {}",
                clean_text(&setting_name(one)),
                half_label(&one.reported_on)
            ))?;
        }
        None if choice.settings.iter().all(|one| one.chosen_on.cost.value.is_none()) => {
            out.write_line("nothing is chosen: no list of prices here names a model of these sessions")?;
        }
        None => out.write_line("nothing is chosen: no setting meets the constraints")?,
    }
    print_against(choice, out)?;
    for one in &choice.live {
        out.write_line("")?;
        out.write_line(format!("{} ({})", one.harness, one.source))?;
        for line in &one.settings {
            out.write_line(format!("  {line}"))?;
        }
        for line in &one.cannot {
            out.write_line(format!("  not expressed: {line}"))?;
        }
    }
    out.write_line("")?;
    for limit in &choice.limits {
        out.write_line(limit)?;
    }
    Ok(())
}

fn print_against(choice: &ChooseAnswer, out: &mut Stdout) -> Result<(), Failure> {
    if choice.is_chosen {
        out.write_line(format!("{} of the others speak against it", with_commas(choice.n_against.into())))?;
    }
    for one in &choice.against {
        out.write_line(format!("  {}: {}", clean_text(&one.path), one.why.join("; ")))?;
    }
    Ok(())
}

fn setting_name(one: &ChoiceSetting) -> String {
    policy_label(&one.policy, &one.options)
}

fn constraints_met(half: &ChoiceHalf) -> &'static str {
    match (half.meets, half.meets_surely) {
        (true, true) => "yes",
        (true, false) => "yes, unsure",
        (false, _) => "no",
    }
}

fn half_label(half: &ChoiceHalf) -> &'static str {
    match (half.meets, half.meets_surely) {
        (true, true) => "meets the constraints with all of its intervals",
        (true, false) => "meets the constraints, though not with all of its intervals",
        (false, _) => "does not meet the constraints",
    }
}

pub(super) fn write_estimate(
    estimate: EstimateRange,
    missing: &str,
    shown: impl Fn(f64) -> String,
) -> String {
    let EstimateRange { value: Some(value), low: Some(low), high: Some(high) } = estimate else {
        return missing.to_owned();
    };
    format!("{} ({} to {})", shown(value), shown(low), shown(high))
}

fn write_cost(estimate: EstimateRange) -> String {
    write_estimate(estimate, "unpriced", |cost| write_dollars(cost.max(0.0).round() as u64))
}

fn write_figure(estimate: EstimateRange) -> String {
    write_estimate(estimate, "none", |figure| {
        if figure.abs() < 100.0 { format!("{figure:.3}") } else { format!("{figure:.0}") }
    })
}
