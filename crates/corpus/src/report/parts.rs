//! The page's sections, each a pure function from tables to HTML.

use std::collections::BTreeMap;

use cwl_host::{count_noun, escape_html, with_commas, write_dollars};

use crate::settings::{RunFigures, Setting, mean_cost, mean_reacquired, recall_ratio};
use crate::stats::{ConfidenceInterval, mean_interval, quantile};

use super::chart::{Curve, draw_bars, draw_curves, put_text};
use super::{ReportTables, write_table};

pub(super) const MOST_ROWS: usize = 200;
pub(crate) fn signed_whole(value: f64) -> String {
    let sign = if value <= -0.5 { "−" } else { "" };
    format!("{sign}{}", with_commas(value.abs().round() as u64))
}

fn dollar_amount(millionths: f64) -> String {
    let sign = if millionths <= -5000.0 { "−" } else { "" };
    format!("{sign}{}", write_dollars(millionths.abs().round() as u64))
}

pub(crate) fn percent_share(value: f64) -> String {
    format!("{:.1} %", value * 100.0)
}

pub(crate) fn with_interval(figure: Option<ConfidenceInterval>, shown: &dyn Fn(f64) -> String) -> String {
    figure.map_or_else(
        || "none".to_owned(),
        |figure| format!("{} ({} to {})", shown(figure.value), shown(figure.low), shown(figure.high)),
    )
}

pub(super) fn harness_table(tables: &ReportTables) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for row in &tables.read {
        let harness =
            tables.sessions.text_value("harness", *row).map_or("unknown", |harness| harness.as_ref());
        *counts.entry(harness).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(name, n)| (std::cmp::Reverse(*n), *name));
    let said: Vec<String> =
        counts.iter().map(|(name, n)| format!("{} {}", escape_html(name), with_commas(*n))).collect();
    format!("<p>{}</p>\n", said.join(", "))
}

pub(super) fn not_measured(tables: &ReportTables) -> String {
    let sessions = &tables.sessions;
    let n_of = |wanted: &dyn Fn(usize) -> bool| tables.read.iter().filter(|row| wanted(**row)).count();
    let mut said = Vec::new();
    let n_unread = sessions.n_rows - tables.read.len();
    if n_unread > 0 {
        said.push(format!("{} could not be read and are in no figure.", count_noun(n_unread, "log")));
    }
    if tables.n_unfinished > 0 {
        said.push(format!(
            "{} of the corpus is not finished and is in no figure; run <code>cwl corpus</code> again.",
            count_noun(tables.n_unfinished, "part")
        ));
    }
    let unpriced = n_of(&|row| sessions.text_value("price_row", row).is_none());
    if unpriced > 0 {
        said.push(format!(
            "{} have a model without a known price; no figure of money holds them.",
            count_noun(unpriced, "session")
        ));
    }
    let unreported = n_of(&|row| sessions.whole_number("n_reported", row) == Some(0));
    if unreported > 0 {
        said.push(format!(
            "{} report no usage, so that their sizes are counted and not compared with a provider's.",
            count_noun(unreported, "session")
        ));
    }
    let unmarked = n_of(&|row| !sessions.is_set("is_annotated", row));
    if unmarked > 0 {
        said.push(format!(
            "In {} no agent marked episodes; this program inferred them where it could.",
            count_noun(unmarked, "session")
        ));
    }
    let untouched = n_of(&|row| sessions.whole_number("n_steps", row) == Some(0));
    if untouched > 0 {
        said.push(format!(
            "{} never came over the budget of the tables, and say nothing of their policy there.",
            count_noun(untouched, "session")
        ));
    }
    said.push(if tables.runs.is_empty() {
        "No runs were asked for: policies and budgets are not compared. <code>cwl corpus … --runs cwl,mask@40k..160k:40k</code> makes them.".to_owned()
    } else {
        "Options that a run does not name are at their defaults.".to_owned()
    });
    said.push(
        "A replay says what a model would have been sent, and what of it was used later. It does not say what the agent would have done with another context, and no log tells whether the task was done well. The sessions are those that were given, and stand for no others."
            .to_owned(),
    );
    format!("<p>{}</p>\n", said.join(" "))
}

pub(super) fn draw_distributions(tables: &ReportTables) -> String {
    let sessions = &tables.sessions;
    let episodes =
        |row: usize| Some(sessions.real_number("n_expl", row)? + sessions.real_number("n_act", row)?);
    let of = |name: &'static str| move |row: usize| sessions.real_number(name, row);
    let (turns, tokens) = (of("n_turns"), of("tokens"));
    type ValueOf<'a> = &'a dyn Fn(usize) -> Option<f64>;
    let measured: [(&str, ValueOf<'_>); 3] =
        [("Turns", &turns), ("Tokens of the next request", &tokens), ("Episodes", &episodes)];
    let mut html = String::new();
    for (name, of) in measured {
        let mut values: Vec<f64> = tables.read.iter().filter_map(|row| of(*row)).collect();
        values.sort_by(f64::total_cmp);
        let title = format!("{name} of a session");
        let at = |share: f64| quantile(&values, share).map_or_else(String::new, signed_whole);
        let rows = [
            ("least", 0.0),
            ("a tenth", 0.1),
            ("a quarter", 0.25),
            ("median", 0.5),
            ("three quarters", 0.75),
            ("nine tenths", 0.9),
            ("most", 1.0),
        ]
        .map(|(name, share)| vec![name.to_owned(), at(share)]);
        let mut rows = rows.to_vec();
        rows.push(vec![
            "mean, with its interval".to_owned(),
            with_interval(mean_interval(&values), &signed_whole),
        ]);
        put_text(
            &mut html,
            format_args!(
                "<h3>{}</h3>\n<div class=\"beside\">{}{}</div>\n",
                escape_html(name),
                draw_bars(&format!("{title}: how many sessions have so many"), &bin_values(&values)),
                write_table(
                    &format!("{}, {}", title, count_noun(values.len(), "session")),
                    &["up to", "value"],
                    &rows
                )
            ),
        );
    }
    html
}

/// Histogram with the bin edges 0, 1, 2, 5, 10, 20, 50 and so on.
fn bin_values(sorted: &[f64]) -> Vec<(String, u64)> {
    let most = sorted.last().copied().unwrap_or(0.0);
    let mut steps = vec![0.0];
    let mut power = 1.0;
    while steps.last().is_some_and(|last| *last <= most) {
        steps.extend([power, 2.0 * power, 5.0 * power]);
        power *= 10.0;
    }
    let mut found: Vec<(String, u64)> = Vec::new();
    for pair in steps.windows(2) {
        let [from, to] = pair else { continue };
        let n = sorted.iter().filter(|value| (*from..*to).contains(*value)).count() as u64;
        found.push((short_number(*from), n));
    }
    let first = found.iter().position(|(_, n)| *n > 0).unwrap_or(0);
    let end = found.iter().rposition(|(_, n)| *n > 0).map_or(0, |last| last + 1);
    found.get(first..end.max(first)).unwrap_or_default().to_vec()
}

/// Formats a bin edge briefly: `5k` is 5,000.
fn short_number(value: f64) -> String {
    let (value, unit) = match value {
        value if value >= 1e9 => (value / 1e9, "G"),
        value if value >= 1e6 => (value / 1e6, "M"),
        value if value >= 1e3 => (value / 1e3, "k"),
        value => (value, ""),
    };
    format!("{value:.0}{unit}")
}

pub(super) fn by_budget(tables: &ReportTables) -> String {
    if tables.runs.is_empty() {
        return "<p>The table <code>runs</code> is empty.</p>\n".to_owned();
    }
    type Figure = fn(&mut dyn Iterator<Item = &RunFigures>) -> Option<ConfidenceInterval>;
    type Shown<'a> = &'a dyn Fn(f64) -> String;
    let figures: [(&str, Figure, Shown<'_>); 3] = [
        ("Mean cost of a session", |runs| mean_cost(runs), &dollar_amount),
        ("Recall: later uses that found their block", |runs| recall_ratio(runs), &percent_share),
        ("Mean size of what a session read again, tokens", |runs| mean_reacquired(runs), &signed_whole),
    ];
    let mut html = String::new();
    for (title, figure, shown) in figures {
        let mut by_policy: BTreeMap<String, Vec<(f64, ConfidenceInterval)>> = BTreeMap::new();
        let mut rows = Vec::new();
        for (setting, runs) in &tables.runs {
            let found = figure(&mut runs.values());
            rows.push(vec![
                escape_html(&setting.write_setting()),
                with_commas(runs.len() as u64),
                with_interval(found, shown),
            ]);
            if let (Some(budget), Some(found)) = (setting.budget, found) {
                by_policy.entry(setting.policy_name()).or_default().push((budget as f64, found));
            }
        }
        let drawn: Vec<Curve> = by_policy.into_iter().map(|(name, points)| Curve { name, points }).collect();
        let chart = if drawn.is_empty() {
            String::new()
        } else {
            let place = |budget: f64| format!("τ {}", with_commas(budget as u64));
            draw_curves(&format!("{title}, by token budget τ, with intervals"), &drawn, &place, shown)
        };
        put_text(
            &mut html,
            format_args!(
                "<h3>{}</h3>\n<div class=\"beside\">{chart}{}</div>\n",
                escape_html(title),
                write_table(title, &["policy and budget", "sessions", "figure, with its interval"], &rows)
            ),
        );
    }
    html
}

/// Compares all pairs of policies with their options at equal budgets, session by session. `none` counts at
/// every budget.
pub(super) fn compare_policies(tables: &ReportTables) -> String {
    let settings: Vec<&Setting> = tables.runs.keys().collect();
    let mut rows = Vec::new();
    let mut n_pairs = 0;
    for (at, one) in settings.iter().enumerate() {
        for other in settings.iter().skip(at + 1) {
            let is_pair = (&one.policy, &one.options) != (&other.policy, &other.options)
                && (one.budget == other.budget || one.budget.is_none() || other.budget.is_none());
            if !is_pair {
                continue;
            }
            n_pairs += 1;
            if n_pairs > MOST_ROWS {
                continue;
            }
            let (Some(ones), Some(others)) = (tables.runs.get(*one), tables.runs.get(*other)) else {
                continue;
            };
            let both: Vec<(&RunFigures, &RunFigures)> =
                ones.iter().filter_map(|(log, run)| Some((run, others.get(log)?))).collect();
            let differences = |of: &dyn Fn(&RunFigures) -> Option<f64>| -> Vec<f64> {
                both.iter().filter_map(|(one, other)| Some(of(one)? - of(other)?)).collect()
            };
            let costs = differences(&|run| run.cost);
            let backs = differences(&|run| Some(run.recall()));
            let n = |values: &[f64], sign: f64| {
                with_commas(values.iter().filter(|value| **value * sign > 0.0).count() as u64)
            };
            rows.push(vec![
                format!("{} less {}", escape_html(&one.write_setting()), escape_html(&other.write_setting())),
                with_commas(both.len() as u64),
                with_interval(mean_interval(&costs), &dollar_amount),
                format!("{} / {}", n(&costs, -1.0), n(&costs, 1.0)),
                with_interval(mean_interval(&backs), &|value| {
                    format!("{:+.2}", value * 100.0).replace('-', "−")
                }),
                format!("{} / {}", n(&backs, 1.0), n(&backs, -1.0)),
            ]);
        }
    }
    if rows.is_empty() {
        return "<p>There are no two policies at one budget.</p>\n".to_owned();
    }
    let mut html = write_table(
        "Mean of the differences of each session, which has the same weight whatever its length",
        &["pair", "sessions", "cost", "cheaper / dearer", "recall, points", "finds more / less"],
        &rows,
    );
    if n_pairs > MOST_ROWS {
        put_text(
            &mut html,
            format_args!("<p>{} more pairs are left out.</p>\n", with_commas((n_pairs - MOST_ROWS) as u64)),
        );
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_for_people() {
        let check = |shown: String, expected: &str| assert_eq!(shown, expected);
        check(signed_whole(1234.5), "1,235");
        check(signed_whole(-1234.0), "−1,234");
        check(signed_whole(-0.2), "0");
        check(dollar_amount(-1_500_000.0), "−$1.50");
        check(percent_share(0.8694), "86.9 %");
        check(with_interval(None, &signed_whole), "none");
        check(short_number(5000.0), "5k");
    }

    #[test]
    fn every_value_is_in_one_bar() {
        let values = [0.0, 1.0, 1.0, 2.0, 4.0, 5.0, 49.0, 50.0];
        let found = bin_values(&values);
        let expected = [("0", 1), ("1", 2), ("2", 2), ("5", 1), ("10", 0), ("20", 1), ("50", 1)];
        assert_eq!(found, expected.map(|(label, n)| (label.to_owned(), n)));
        assert_eq!(bin_values(&[]), []);
    }
}
