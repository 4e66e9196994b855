//! `cwl annotate`: prints a session for a reader who marks its episodes, and saves the reader's marks.

use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;

use cwl_host::api::MarksReportRequest;
use cwl_host::commands::{
    SavedMarks, check_marks, compare_marks, kept_marks, marks_of_name, remove_marks, save_checked,
};
use cwl_host::{
    Brief, GUIDE, MarksCheck, SessionSnapshot, count_noun, list_problems, marks_report, with_commas,
};

use crate::args::AnnotateArgs;
use crate::commands::annotate_reader::ask_reader;
use crate::commands::export::{check_place, write_file};
use crate::out::{Failure, Stdout, clean_text, say_first, warn_user};
use crate::progress::with_progress;
use crate::table;

pub(crate) fn run(args: &AnnotateArgs, out: &mut Stdout) -> Result<ExitCode, Failure> {
    let opened = args.input.load_log()?;
    if let Some(marks) = &args.apply {
        apply_marks(args, &opened, marks, out)
    } else if let Some(reader) = &args.reader {
        ask_reader(args, &opened, reader, out)
    } else {
        run_without_marks(args, &opened, out).map(|()| ExitCode::SUCCESS)
    }
}

fn run_without_marks(args: &AnnotateArgs, opened: &SessionSnapshot, out: &mut Stdout) -> Result<(), Failure> {
    if args.list {
        list_overlays(opened, out)
    } else if let Some(name) = &args.export {
        out.write_line(marks_of_name(opened, name)?)
    } else if let Some(name) = &args.delete {
        remove_marks(opened, name)?;
        warn_user(&format!("removed {name}"));
        Ok(())
    } else if let Some(html) = &args.report {
        write_report(args, opened, html, out)
    } else {
        print_brief(args, opened, out)
    }
}

fn write_report(
    args: &AnnotateArgs,
    opened: &SessionSnapshot,
    html: &Path,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let to_stdout = html.as_os_str() == "-";
    if !to_stdout {
        check_place(html)?;
    }
    let (view, _) = args.view.apply_budget_aloud(args.view.parse_view()?, opened);
    let request = MarksReportRequest { view, before: args.before.clone() };
    let page = with_progress("comparing before and after", |_| marks_report(opened, &request))?;
    if to_stdout {
        return Ok(out.writer().write_all(&page)?);
    }
    write_file(html, |file| file.write_all(&page))?;
    warn_user(&format!("{}: before and after; secrets are redacted", html.display()));
    Ok(())
}

fn print_brief(args: &AnnotateArgs, opened: &SessionSnapshot, out: &mut Stdout) -> Result<(), Failure> {
    let brief = with_progress("condensing the session", |_| Brief::from_snapshot(opened))?;
    let page = brief.read_page(args.page)?;
    if args.page == 1 {
        out.write_line(GUIDE)?;
    }
    out.write_line(page.trim_end())?;
    if args.page < brief.n_pages() {
        warn_user(&format!("page {} of {}; --page {} goes on", args.page, brief.n_pages(), args.page + 1));
    }
    Ok(())
}

/// Saves nothing if anything is odd, unless `--partial` is given.
fn apply_marks(
    args: &AnnotateArgs,
    opened: &SessionSnapshot,
    marks: &Path,
    out: &mut Stdout,
) -> Result<ExitCode, Failure> {
    let json = if marks.as_os_str() == "-" {
        let mut json = Vec::new();
        std::io::stdin().lock().read_to_end(&mut json).map(|_| json)
    } else {
        std::fs::read(marks)
    };
    let json = json
        .map_err(|error| Failure::Said(format!("the marks cannot be read ({error}): {}", marks.display())))?;
    let of_file = marks.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = args.name.clone().or(of_file.filter(|name| name != "-")).unwrap_or_else(|| "marks".to_owned());
    let check = check_marks(opened, &json, None)?;
    let n_problems = check.problems.len();
    say_first(list_problems(&check.problems), " problems");
    if n_problems > 0 && !args.partial {
        warn_user(&format!(
            "nothing was saved: {}; mend the marks, or let --partial save what can be used",
            count_noun(n_problems, "problem")
        ));
        return Ok(ExitCode::from(2));
    }
    let saved = save_checked(opened, &check, &name, args.by.as_deref(), true)?;
    say_saved(&saved, &check);
    print_gains(opened, &saved.name, out)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn say_saved(saved: &SavedMarks, check: &MarksCheck) {
    let verb = if saved.replaced { "written over" } else { "saved" };
    warn_user(&format!(
        "{verb}: {} as {}, with {} of {}; --annotation {} shows them",
        count_noun(saved.n_episodes, "episode"),
        saved.name,
        with_commas(check.n_covered as u64),
        count_noun(check.n_calls, "call"),
        saved.name
    ));
}

pub(super) fn print_gains(opened: &SessionSnapshot, name: &str, out: &mut Stdout) -> Result<(), Failure> {
    let rows = with_progress("comparing with inferred episodes", |_| compare_marks(opened, name))?;
    let mut lines = table::begin_table(&["#budget", "#recall", "#inferred", "#mean request", "#inferred "]);
    let share = |per_mille: Option<u32>| {
        per_mille.map_or_else(|| "-".to_owned(), |share| format!("{}.{} %", share / 10, share % 10))
    };
    for row in rows {
        lines.add_row([
            with_commas(row.budget),
            share(row.recall),
            share(row.recall_inferred),
            with_commas(row.mean),
            with_commas(row.mean_inferred),
        ]);
    }
    table::print_table(&lines, out)
}

fn list_overlays(opened: &SessionSnapshot, out: &mut Stdout) -> Result<(), Failure> {
    let kept = kept_marks(opened)?;
    if kept.is_empty() {
        warn_user("no marks are saved for this session; --brief prints it for a reader");
    }
    for marks in kept {
        let by = marks.by.map(|by| format!(", by {}", clean_text(&by))).unwrap_or_default();
        out.write_line(format!("{}  {} marks{by}", clean_text(&marks.name), marks.n_marks))?;
    }
    Ok(())
}
