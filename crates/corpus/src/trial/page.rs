//! The page of a trial: a table for each group and level, and a picture of all sessions.

use cwl_host::api::{
    DetailKind, EstimateRange, TrialAnswer, TrialGroup, TrialLevel, TrialMeasure, TrialPolicy,
};
use cwl_host::{count_noun, escape_html, with_commas};

use crate::report::chart::{Curve, draw_curves, put_text, standalone_chart};
use crate::report::parts::{percent_share, signed_whole, with_interval};
use crate::report::{LOOK, begin_page, write_table};
use crate::settings::policy_label;
use crate::stats::ConfidenceInterval;

use super::{all_levels, level_name};

const DRAWN: usize = 7;

/// Draws the pictures of all sessions as files of their own: each file's name with its SVG.
pub fn trial_pictures(trial: &TrialAnswer) -> Vec<(&'static str, String)> {
    let Some(group) = trial.groups.first() else { return Vec::new() };
    let draw = |equal| standalone_chart(&draw_group(group, equal, &trial.reference));
    vec![("trial-request.svg", draw(TrialMeasure::MeanRequest)), ("trial-cost.svg", draw(TrialMeasure::Cost))]
}

/// `template` is the built page for exports, used for its fonts.
pub fn write_trial_page(trial: &TrialAnswer, template: Option<&str>) -> Vec<u8> {
    let n_sessions = trial.groups.first().map_or(0, |group| group.n_sessions);
    let title = format!("Trial of {} sessions", with_commas(n_sessions.into()));
    let mut page = begin_page(&title, template, LOOK);
    put_text(&mut page, format_args!("<h1>{title}</h1>\n"));
    put_text(
        &mut page,
        format_args!(
            "<p>Each policy at equal mean request and at equal cost, session by session, beside <code>{}</code>. The recall of references is the share of later uses whose request still held the block; details are file paths, commands, numbers, errors, decisions, constraints and open items that later turns need, and their share is that of the needs for which the request still had them, word for word or by name.</p>\n<p class=\"muted\">Intervals hold 95 of 100 resamples of the sessions: {} resamples, drawn with the seed {}.</p>\n",
            escape_html(&trial.reference),
            with_commas(trial.n_resamples.into()),
            trial.seed
        ),
    );
    put_text(
        &mut page,
        format_args!(
            "<p>{}</p>\n<p class=\"left\"><code>{}</code></p>\n",
            describe_inputs(trial),
            command_line(trial)
        ),
    );
    for (at, group) in trial.groups.iter().enumerate() {
        put_text(
            &mut page,
            format_args!("<h2>{}, {}</h2>\n", escape_html(&group.name), sessions(group.n_sessions)),
        );
        put_text(
            &mut page,
            format_args!(
                "<p>Part of the mean request without eviction that the log does not hold: {}</p>\n",
                with_interval(interval(group.unlogged_share), &percent_share)
            ),
        );
        if at == 0 {
            for equal in [TrialMeasure::MeanRequest, TrialMeasure::Cost] {
                page.push_str(&draw_group(group, equal, &trial.reference));
            }
        }
        for level in &group.levels {
            page.push_str(&level_table(level, &trial.reference));
            page.push_str(&survival_table(level));
        }
    }
    if !trial.outcomes.is_empty() {
        page.push_str("<h2>Outcomes</h2>\n<p>The share of later uses whose request did not hold the block any more, in sessions whose task failed and in those whose task was solved; the mean over the sessions.</p>\n");
        for (equal, per_mille) in all_levels() {
            page.push_str(&outcome_table(trial, equal, per_mille));
        }
    }
    page.push_str("<h2>What this does not say</h2>\n");
    for limit in &trial.limits {
        put_text(&mut page, format_args!("<p>{}</p>\n", code_names(limit)));
    }
    put_text(
        &mut page,
        format_args!("</main>\n<footer>CWL Inspector {}</footer>\n</html>\n", escape_html(&trial.version)),
    );
    page.into_bytes()
}

/// Draws recall beside that of the reference over the levels of one figure: the policies that are best at the middle level,
/// and the reference. A policy with the same figures as a drawn one is left out; the tables have all.
fn draw_group(group: &TrialGroup, equal: TrialMeasure, reference: &str) -> String {
    let levels: Vec<&TrialLevel> = group.levels.iter().filter(|level| level.equal == equal).collect();
    let Some(middle) = levels.get(levels.len() / 2) else { return String::new() };
    let mut curves: Vec<Curve> = Vec::new();
    for one in &middle.policies {
        let points: Vec<(f64, ConfidenceInterval)> = levels
            .iter()
            .filter_map(|level| {
                let same =
                    |other: &&TrialPolicy| (&other.policy, &other.options) == (&one.policy, &one.options);
                let row = level.policies.iter().find(same)?;
                let is_common = row.n_sessions.saturating_mul(2) >= group.n_sessions;
                Some((
                    f64::from(level.per_mille) / 10.0,
                    interval(row.recall_difference).filter(|_| is_common)?,
                ))
            })
            .collect();
        let is_reference = one.policy == reference && one.options.is_empty();
        let is_new = !points.is_empty() && curves.iter().all(|curve| curve.points != points);
        if is_reference || is_new && curves.len() < DRAWN {
            curves.push(Curve { name: policy_label(&one.policy, &one.options), points });
        }
    }
    let by = match equal {
        TrialMeasure::MeanRequest => "what the log holds of the mean request",
        TrialMeasure::Cost => "cost",
    };
    draw_curves(
        &format!(
            "Recall of references beside {reference}, in points, by {by}, per cent of that without eviction"
        ),
        &curves,
        &|level| format!("{level:.0} %"),
        &signed_points,
    )
}

fn signed_points(value: f64) -> String {
    format!("{:+.1}", value * 100.0).replace('-', "−")
}

fn level_table(level: &TrialLevel, reference: &str) -> String {
    let rows: Vec<Vec<String>> = level
        .policies
        .iter()
        .map(|one| {
            let shown = |estimate: EstimateRange, write: &dyn Fn(f64) -> String| {
                with_interval(interval(estimate), write)
            };
            vec![
                escape_html(&policy_label(&one.policy, &one.options)),
                with_commas(one.n_sessions.into()),
                shown(one.recall, &percent_share),
                shown(one.bound, &percent_share),
                shown(one.recall_difference, &signed_points),
                format!("{} / {}", with_commas(one.n_better.into()), with_commas(one.n_worse.into())),
                shown(one.reacquired, &signed_whole),
                shown(one.survival, &percent_share),
                shown(one.cost_share, &percent_share),
                shown(one.request_share, &percent_share),
            ]
        })
        .collect();
    let mut caption = level_name(level.equal, level.per_mille);
    if let Some(first) = caption.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    if rows.is_empty() {
        return format!("<p>{}: no policy gets there in any session.</p>\n", escape_html(&caption));
    }
    let against = format!("points more than {reference}");
    write_table(
        &caption,
        &[
            "<policy",
            "sessions",
            "recall",
            "bound",
            &against,
            "better / worse",
            "read again, tokens",
            "details",
            "cost",
            "mean request",
        ],
        &rows,
    )
}

fn survival_table(level: &TrialLevel) -> String {
    let Some(first) = level.policies.first() else { return String::new() };
    let mut heads = vec!["<policy"];
    heads.extend(first.survival_by_kind.iter().map(|one| kind_name(one.kind)));
    let rows: Vec<Vec<String>> = level
        .policies
        .iter()
        .map(|one| {
            let kinds = one.survival_by_kind.iter();
            let shares = kinds.map(|kind| with_interval(interval(kind.survival), &percent_share));
            std::iter::once(escape_html(&policy_label(&one.policy, &one.options))).chain(shares).collect()
        })
        .collect();
    let caption =
        format!("Needed details that the request still had, {}", level_name(level.equal, level.per_mille));
    write_table(&caption, &heads, &rows)
}

/// Empty if no policy has solved and failed sessions at the level.
fn outcome_table(trial: &TrialAnswer, equal: TrialMeasure, per_mille: u32) -> String {
    let of_level = trial.outcomes.iter().filter(|row| (row.equal, row.per_mille) == (equal, per_mille));
    let rows: Vec<Vec<String>> = of_level
        .map(|row| {
            vec![
                escape_html(&policy_label(&row.policy, &row.options)),
                with_commas(row.n_failed.into()),
                with_commas(row.n_solved.into()),
                with_interval(interval(row.lacking_failed), &percent_share),
                with_interval(interval(row.lacking_solved), &percent_share),
                with_interval(interval(row.difference), &signed_points),
            ]
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    write_table(
        &format!("Lacking, {}", level_name(equal, per_mille)),
        &["<policy", "failed", "solved", "lacking if failed", "lacking if solved", "points more if failed"],
        &rows,
    )
}

fn kind_name(kind: DetailKind) -> &'static str {
    match kind {
        DetailKind::File => "files",
        DetailKind::Command => "commands",
        DetailKind::Number => "numbers",
        DetailKind::Error => "errors",
        DetailKind::Decision => "decisions",
        DetailKind::Constraint => "constraints",
        DetailKind::OpenItem => "open items",
    }
}

fn describe_inputs(trial: &TrialAnswer) -> String {
    let n_logs = count_noun(trial.n_logs, "log");
    match &trial.inputs {
        Some(hash) => format!("{n_logs}; the hash of all contents is <code>{}</code>.", escape_html(hash)),
        None => format!("{n_logs}; their hash is not known, because the tables lack the lists of logs."),
    }
}

/// Writes the line that makes these tables and this page again.
fn command_line(trial: &TrialAnswer) -> String {
    let runs: String = trial.runs.iter().map(|runs| format!(" --runs '{}'", escape_html(runs))).collect();
    format!("cwl trial PATH… --out DIR{runs}")
}

fn interval(estimate: EstimateRange) -> Option<ConfidenceInterval> {
    let EstimateRange { value, low, high } = estimate;
    Some(ConfidenceInterval { value: value?, low: low?, high: high? })
}

fn sessions(n: u32) -> String {
    format!("{} {}", with_commas(n.into()), if n == 1 { "session" } else { "sessions" })
}

fn code_names(sentence: &str) -> String {
    let parts = sentence.split('`').enumerate();
    parts
        .map(|(at, part)| match at % 2 {
            0 => escape_html(part),
            _ => format!("<code>{}</code>", escape_html(part)),
        })
        .collect()
}
