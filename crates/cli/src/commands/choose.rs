//! `cwl choose`: ranks policies with their options and budgets by their cost under constraints, and says what the choice means elsewhere.

use cwl_api::dto::{ChoiceDto, ChoiceEstimateDto, ChoiceHalfDto, ChoiceSettingDto, DocumentDto};
use cwl_api::{dollars, grouped};
use cwl_corpus::choose;

use crate::args::ChooseArgs;
use crate::out::{Failure, Out, clean};
use crate::progress::during;
use crate::table;

pub(crate) fn run(args: &ChooseArgs, out: &mut Out) -> Result<(), Failure> {
    let choice = during("reading the tables", |_| choose(&args.folder, &args.constraints));
    let choice = choice.map_err(|error| Failure::Said(error.to_string()))?;
    if args.json {
        return out.json(&DocumentDto::new(choice));
    }
    text(&choice, out)
}

fn text(choice: &ChoiceDto, out: &mut Out) -> Result<(), Failure> {
    let under = if choice.constraints.is_empty() {
        "no constraint".to_owned()
    } else {
        choice.constraints.join(", ")
    };
    out.line(format!(
        "under {under}: chosen on {} sessions, reported on {} others; intervals of 95 % by {} resamples, seed {}",
        grouped(choice.n_chosen_on.into()),
        grouped(choice.n_reported_on.into()),
        grouped(choice.n_resamples.into()),
        choice.seed
    ))?;
    if choice.n_left_out > 0 {
        out.line(format!(
            "{} sessions without a run of every setting are left out",
            grouped(choice.n_left_out.into())
        ))?;
    }
    out.line("")?;
    let constrained: Vec<String> = choice
        .constraints
        .iter()
        .flat_map(|constraint| [format!("#{constraint}"), "#on the others".to_owned()])
        .collect();
    let mut names = vec!["policy", "#budget", "#mean cost", "#on the others"];
    names.extend(constrained.iter().map(String::as_str));
    names.extend(["meets", "on the others"]);
    let mut rows = table::begin(&names);
    for one in &choice.settings {
        let mut row = vec![
            clean(&named(one)).to_string(),
            one.budget.map_or_else(String::new, grouped),
            cost(one.chosen_on.cost),
            cost(one.reported_on.cost),
        ];
        for (first, second) in one.chosen_on.constrained.iter().zip(&one.reported_on.constrained) {
            row.extend([figure(*first), figure(*second)]);
        }
        row.extend([met(&one.chosen_on), met(&one.reported_on)].map(str::to_owned));
        rows.add_row(row);
    }
    table::print(&rows, out)?;
    out.line("")?;
    match choice.settings.first().filter(|_| choice.is_chosen) {
        Some(one) => {
            let budget = one.budget.map_or_else(String::new, |budget| format!(" at {}", grouped(budget)));
            out.line(format!(
                "chosen: {}{budget}; on the others it {}",
                clean(&named(one)),
                said(&one.reported_on)
            ))?;
        }
        None if choice.settings.iter().all(|one| one.chosen_on.cost.value.is_none()) => {
            out.line("nothing is chosen: no list of prices here names a model of these sessions")?;
        }
        None => out.line("nothing is chosen: no setting meets the constraints")?,
    }
    against(choice, out)?;
    for one in &choice.live {
        out.line("")?;
        out.line(format!("{} ({})", one.harness, one.source))?;
        for line in &one.settings {
            out.line(format!("  {line}"))?;
        }
        for line in &one.cannot {
            out.line(format!("  not expressed: {line}"))?;
        }
    }
    out.line("")?;
    for limit in &choice.limits {
        out.line(limit)?;
    }
    Ok(())
}

fn against(choice: &ChoiceDto, out: &mut Out) -> Result<(), Failure> {
    if choice.is_chosen {
        out.line(format!("{} of the others speak against it", grouped(choice.n_against.into())))?;
    }
    for one in &choice.against {
        out.line(format!("  {}: {}", clean(&one.path), one.why.join("; ")))?;
    }
    Ok(())
}

/// Writes the policy of a setting with its options, as `--runs` takes them.
fn named(one: &ChoiceSettingDto) -> String {
    let ChoiceSettingDto { policy, options, .. } = one;
    if options.is_empty() { policy.clone() } else { format!("{policy}:{options}") }
}

fn met(half: &ChoiceHalfDto) -> &'static str {
    match (half.meets, half.meets_surely) {
        (true, true) => "yes",
        (true, false) => "yes, unsure",
        (false, _) => "no",
    }
}

fn said(half: &ChoiceHalfDto) -> &'static str {
    match (half.meets, half.meets_surely) {
        (true, true) => "meets the constraints with all of its intervals",
        (true, false) => "meets the constraints, though not with all of its intervals",
        (false, _) => "does not meet the constraints",
    }
}

fn with(estimate: ChoiceEstimateDto, missing: &str, shown: impl Fn(f64) -> String) -> String {
    let ChoiceEstimateDto { value: Some(value), low: Some(low), high: Some(high) } = estimate else {
        return missing.to_owned();
    };
    format!("{} ({} to {})", shown(value), shown(low), shown(high))
}

fn cost(estimate: ChoiceEstimateDto) -> String {
    with(estimate, "unpriced", |cost| dollars(cost.max(0.0).round() as u64))
}

fn figure(estimate: ChoiceEstimateDto) -> String {
    with(
        estimate,
        "none",
        |figure| if figure.abs() < 100.0 { format!("{figure:.3}") } else { format!("{figure:.0}") },
    )
}
