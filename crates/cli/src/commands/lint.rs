//! `cwl lint`: lists everything that is found about logs, their marks and a policy's passes.

use std::cmp::Reverse;
use std::path::Path;
use std::process::ExitCode;

use cwl_api::dto::{
    DocumentDto, LintCountsDto, LintDto, LintItemDto, LintReportDto, LintedLogDto, QualityFigureDto,
    SeverityDto,
};
use cwl_api::{
    Baseline, Denied, LintConfig, commands, counted, grouped, lint_log, lint_report, read_code, sarif,
};
use owo_colors::Style;

use crate::args::{InputArgs, LintArgs, LintSort};
use crate::out::{Failure, Out, clean, keep, paint, say, say_first};
use crate::progress::during;
use crate::table;

pub(crate) fn run(args: &LintArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let mut config = LintConfig::find(args.config.as_deref(), Path::new("."))?;
    for text in &args.deny {
        config.deny.push(Denied::read(text)?);
    }
    for text in &args.allow {
        config.allow.insert(read_code(text)?);
    }
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?.unwrap_or_default();
    let view = args.view.view()?;
    let (mut logs, mut abouts) = (Vec::with_capacity(args.files.len()), Vec::new());
    for file in &args.files {
        let input = InputArgs { file: file.clone(), format: args.format.clone() };
        let opened = input.load()?;
        let (view, source) = args.view.of(view.clone(), &opened);
        args.view.annotation.say(&opened, &view)?;
        let about = commands::about(&opened, &view, source)?;
        let path = file.display().to_string();
        logs.push(during(&format!("looking through {path}"), |_| {
            lint_log(&opened, &path, &view, &about, &config)
        })?);
        abouts.push(about);
    }
    let mut report = lint_report(logs, &config, &baseline);
    if let Some(path) = &args.write_baseline {
        let known = Baseline::of(&report);
        known.write(path)?;
        say(&format!("{} findings are known from now on: {}", grouped(known.len() as u64), path.display()));
        return Ok(ExitCode::SUCCESS);
    }
    say_first(report.logs.iter().flat_map(head), " figures about the annotation; `--json` has all");
    for log in &mut report.logs {
        sort(&mut log.findings, args.sort);
        keep(&mut log.findings, args.limit);
    }
    let (summary, n_denied) = (summary(&report), report.n_denied);
    if args.json {
        out.json(&DocumentDto::new(report).about_each(abouts))?;
    } else if args.sarif {
        out.json(&sarif(&report))?;
    } else {
        let line = if args.github { annotation } else { line };
        for log in &report.logs {
            for finding in &log.findings {
                out.line(line(&log.path, finding, &report))?;
            }
        }
    }
    say(&summary);
    Ok(if n_denied > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn sort(findings: &mut [LintItemDto], by: LintSort) {
    match by {
        LintSort::Line => {}
        LintSort::Severity => findings.sort_by_key(|one| (one.doubt, Reverse(one.severity))),
        LintSort::Cost => findings.sort_by_key(|one| Reverse(one.cost)),
        LintSort::Code => findings.sort_by(|one, other| one.code.cmp(&other.code)),
    }
}

/// Writes the figures of an annotation, each with its parts; they are no findings, so they go to standard error.
fn head(log: &LintedLogDto) -> Vec<String> {
    let figure = |figure: &QualityFigureDto| {
        format!("{}: {} {} ({})", log.path, figure.title, figure.value, figure.says)
    };
    let note = log.figures_note.iter().filter(|_| !log.figures.is_empty());
    let note = note.map(|note| format!("{}: {note}", log.path));
    log.figures.iter().map(figure).chain(note).collect()
}

/// Prints the figures of an annotation, each with its parts.
pub(super) fn figures(found: &LintDto, out: &mut Out) -> Result<(), Failure> {
    let mut rows = table::begin(&["figure", "#value", "its parts"]);
    for figure in &found.figures {
        rows.add_row([figure.title.clone(), figure.value.clone(), clean(&figure.says)]);
    }
    table::print(&rows, out)?;
    found.figures_note.as_ref().map_or(Ok(()), |note| out.line(note))
}

/// Writes a finding with its place: `FILE:LINE: SEVERITY CODE MESSAGE`.
fn line(path: &str, finding: &LintItemDto, _: &LintReportDto) -> String {
    let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
    let (word, style) = match (finding.doubt, finding.severity) {
        (true, _) => ("doubt", Style::new().dimmed()),
        (false, SeverityDto::Error) => ("error", Style::new().red().bold()),
        (false, SeverityDto::Warning) => ("warning", Style::new().yellow().bold()),
        (false, SeverityDto::Info) => ("info", Style::new().dimmed()),
    };
    let cost = finding.cost.filter(|cost| *cost > 0);
    let cost = cost.map(|cost| format!(" ({} tokens)", grouped(cost))).unwrap_or_default();
    let (path, message) = (clean(path), clean(&finding.message));
    format!("{path}{line}: {} {} {message}{cost}", paint(word, style), finding.code)
}

/// Writes a finding as a workflow command of GitHub Actions.
fn annotation(path: &str, finding: &LintItemDto, report: &LintReportDto) -> String {
    let command = match finding.severity {
        SeverityDto::Error => "error",
        SeverityDto::Warning => "warning",
        SeverityDto::Info => "notice",
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
        plain(&clean(&format!("{doubt}{}", finding.message)))
    )
}

fn summary(report: &LintReportDto) -> String {
    let logs = u32::try_from(report.logs.len()).unwrap_or(u32::MAX);
    let mut text = format!("{} in {}", counts(&report.counts), counted(logs, "log"));
    for (n, what) in [(report.n_known, "known from the baseline"), (report.n_allowed, "allowed")] {
        if n > 0 {
            text += &format!("; {} {what}", grouped(n.into()));
        }
    }
    if report.n_denied > 0 {
        text += &format!("; {} denied", grouped(report.n_denied.into()));
    }
    text
}

/// Says how many findings there are of each severity.
pub(super) fn counts(counts: &LintCountsDto) -> String {
    let LintCountsDto { errors, warnings, infos, doubts } = *counts;
    let mut parts = vec![counted(errors, "error"), counted(warnings, "warning"), counted(infos, "note")];
    if doubts > 0 {
        parts.push(format!("{} about inferred episodes", counted(doubts, "doubt")));
    }
    parts.join(", ")
}
