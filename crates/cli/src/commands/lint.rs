//! `cwl lint`: lists all findings about logs, marks and a policy's passes.

use std::cmp::Reverse;
use std::path::Path;
use std::process::ExitCode;

use cwl_host::api::{
    Document, LintAnswer, LintCounts, LintFinding, LintReport, LintedLog, QualityFigure, Severity,
};
use cwl_host::{
    Baseline, DenyLevel, commands, count_noun, find_lint_config, lint_log, lint_report, read_baseline,
    read_code, sarif_report, with_commas, write_baseline,
};
use owo_colors::Style;

use crate::args::{InputArgs, LintArgs, LintSort};
use crate::out::{Failure, Stdout, clean_text, keep_first, paint_text, say_first, warn_user};
use crate::progress::with_progress;
use crate::table;

pub(crate) fn run(args: &LintArgs, out: &mut Stdout) -> Result<ExitCode, Failure> {
    let mut config = find_lint_config(args.config.as_deref(), Path::new("."))?;
    for text in &args.deny {
        config.deny.push(DenyLevel::parse_level(text)?);
    }
    for text in &args.allow {
        config.allow.insert(read_code(text)?);
    }
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?.unwrap_or_default();
    let view = args.view.parse_view()?;
    let (mut logs, mut abouts) = (Vec::with_capacity(args.files.len()), Vec::new());
    for file in &args.files {
        let input = InputArgs { file: file.clone(), format: args.format.clone() };
        let opened = input.load_log()?;
        let (view, source) = args.view.apply_budget(view.clone(), &opened);
        args.view.annotation.warn_about_marks(&opened, &view)?;
        let about = commands::about(&opened, &view, source)?;
        let path = file.display().to_string();
        logs.push(with_progress(&format!("looking through {path}"), |_| {
            lint_log(&opened, &path, &view, &about, &config)
        })?);
        abouts.push(about);
    }
    let mut report = lint_report(logs, &config, &baseline);
    if let Some(path) = &args.write_baseline {
        let known = Baseline::from_report(&report);
        write_baseline(&known, path)?;
        warn_user(&format!(
            "{} findings are known from now on: {}",
            with_commas(known.len() as u64),
            path.display()
        ));
        return Ok(ExitCode::SUCCESS);
    }
    say_first(report.logs.iter().flat_map(figure_lines), " figures about the annotation; `--json` has all");
    for log in &mut report.logs {
        sort_findings(&mut log.findings, args.sort);
        keep_first(&mut log.findings, args.limit);
    }
    let (summary, n_denied) = (summarize_report(&report), report.n_denied);
    if args.json {
        out.write_json(&Document::new(report).about_each(abouts))?;
    } else if args.sarif {
        out.write_json(&sarif_report(&report))?;
    } else {
        let line = if args.github { github_annotation } else { write_line };
        for log in &report.logs {
            for finding in &log.findings {
                out.write_line(line(&log.path, finding, &report))?;
            }
        }
    }
    warn_user(&summary);
    Ok(if n_denied > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn sort_findings(findings: &mut [LintFinding], by: LintSort) {
    match by {
        LintSort::Line => {}
        LintSort::Severity => findings.sort_by_key(|one| (one.doubt, Reverse(one.severity))),
        LintSort::Cost => findings.sort_by_key(|one| Reverse(one.cost)),
        LintSort::Code => findings.sort_by(|one, other| one.code.cmp(&other.code)),
    }
}

/// Formats an annotation's figures. They are no findings, so they go to standard error.
fn figure_lines(log: &LintedLog) -> Vec<String> {
    let figure =
        |figure: &QualityFigure| format!("{}: {} {} ({})", log.path, figure.title, figure.value, figure.says);
    let note = log.figures_note.iter().filter(|_| !log.figures.is_empty());
    let note = note.map(|note| format!("{}: {note}", log.path));
    log.figures.iter().map(figure).chain(note).collect()
}

pub(super) fn print_figures(found: &LintAnswer, out: &mut Stdout) -> Result<(), Failure> {
    let mut rows = table::begin_table(&["figure", "#value", "its parts"]);
    for figure in &found.figures {
        rows.add_row([figure.title.clone(), figure.value.clone(), clean_text(&figure.says)]);
    }
    table::print_table(&rows, out)?;
    found.figures_note.as_ref().map_or(Ok(()), |note| out.write_line(note))
}

/// Formats `finding` as `FILE:LINE: SEVERITY CODE MESSAGE`.
fn write_line(path: &str, finding: &LintFinding, _: &LintReport) -> String {
    let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
    let (word, style) = match (finding.doubt, finding.severity) {
        (true, _) => ("doubt", Style::new().dimmed()),
        (false, Severity::Error) => ("error", Style::new().red().bold()),
        (false, Severity::Warning) => ("warning", Style::new().yellow().bold()),
        (false, Severity::Info) => ("info", Style::new().dimmed()),
    };
    let cost = finding.cost.filter(|cost| *cost > 0);
    let cost = cost.map(|cost| format!(" ({} tokens)", with_commas(cost))).unwrap_or_default();
    let (path, message) = (clean_text(path), clean_text(&finding.message));
    format!("{path}{line}: {} {} {message}{cost}", paint_text(word, style), finding.code)
}

fn github_annotation(path: &str, finding: &LintFinding, report: &LintReport) -> String {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let plain = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| plain(text).replace(':', "%3A").replace(',', "%2C");
    let line = finding.line.map(|line| format!(",line={line}")).unwrap_or_default();
    let title = report.codes.iter().find(|code| code.code == finding.code);
    let title = title.map(|code| code.title.as_str()).unwrap_or_default();
    let doubt = if finding.doubt { "Doubt about an inference: " } else { "" };
    format!(
        "::{command} file={}{line},title={}::{}",
        property(path),
        property(&format!("{} {title}", finding.code)),
        plain(&clean_text(&format!("{doubt}{}", finding.message)))
    )
}

fn summarize_report(report: &LintReport) -> String {
    let logs = u32::try_from(report.logs.len()).unwrap_or(u32::MAX);
    let mut text = format!("{} in {}", summarize_counts(&report.counts), count_noun(logs, "log"));
    for (n, what) in [(report.n_known, "known from the baseline"), (report.n_allowed, "allowed")] {
        if n > 0 {
            text += &format!("; {} {what}", with_commas(n.into()));
        }
    }
    if report.n_denied > 0 {
        text += &format!("; {} denied", with_commas(report.n_denied.into()));
    }
    text
}

pub(super) fn summarize_counts(counts: &LintCounts) -> String {
    let LintCounts { errors, warnings, infos, doubts } = *counts;
    let mut parts =
        vec![count_noun(errors, "error"), count_noun(warnings, "warning"), count_noun(infos, "note")];
    if doubts > 0 {
        parts.push(format!("{} about inferred episodes", count_noun(doubts, "doubt")));
    }
    parts.join(", ")
}
