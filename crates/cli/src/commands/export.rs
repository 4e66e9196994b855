//! `cwl export`: writes a session as one self-contained page. With an engine the page computes; without one it has the
//! answers for the chosen budgets.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use cwl_host::dto::{ExportRequest, RedactedDto, ViewDto};
use cwl_host::{
    ExportResult, PackedData, PageTemplate, SessionExport, SessionSnapshot, allow_engine, commands,
    export_session, make_export, private, read_budget, read_budgets, with_commas,
};
use cwl_serve::{Page, find_engine};

use crate::args::ExportArgs;
use crate::commands::compare::view_of;
use crate::out::{Failure, Stdout, warn_user};
use crate::progress::with_progress;

/// Every page starts so. A file that starts otherwise is not overwritten.
const DOCTYPE: &[u8] = b"<!doctype html>";

/// Policies compared by default, besides the page's own.
const USUAL_COMPARED: usize = 3;

/// Size in bytes from which browsers take seconds to open a page.
const LARGE: u64 = 50_000_000;

pub(crate) fn run(args: &ExportArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.view.parse_view()?;
    let template = read_template(args)?;
    if args.html.as_os_str() != "-" {
        check_place(&args.html)?;
    }
    match read_engine(args)? {
        Some(engine) => write_session(args, view, &allow_engine(&template)?, &engine, out),
        None => write_recorded(args, view, &template, out),
    }
}

/// Writes a page that computes.
fn write_session(
    args: &ExportArgs,
    view: ViewDto,
    template: &str,
    engine: &PackedData,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let template = PageTemplate::parse_template(template)?;
    let opened = args.input.load_log()?;
    let (view, _) = args.view.apply_budget_aloud(view, &opened);
    args.view.annotation.warn_about_marks(&opened, &view)?;
    let cut = args.cut.parse_cut(&opened, &view)?;
    let redact = !args.no_redact;
    let export = with_progress("making the page", |_| export_session(&opened, &view, cut, redact))?;
    if args.html.as_os_str() == "-" {
        return Ok(template.write_session(&export, engine, out.writer())?);
    }
    let size = write_file(&args.html, |file| template.write_session(&export, engine, file))?;
    warn_user(&format!("{}: any budget and policy, {:.1} MB", args.html.display(), size as f64 / 1e6));
    if !args.budgets.is_empty() || !args.compare.is_empty() {
        warn_user("the page has an engine: it needs no --budgets and no --compare");
    }
    let SessionExport { redacted, left_out, .. } = export;
    say_left_out(redacted.as_ref(), left_out);
    Ok(())
}

/// Says what was redacted, and what is not in the page.
fn say_left_out(redacted: Option<&RedactedDto>, left_out: Vec<String>) {
    warn_user(&redacted.map_or_else(|| "nothing was redacted".to_owned(), describe_redacted));
    for sentence in left_out {
        warn_user(&sentence);
    }
}

/// Writes a page that steps through recorded answers.
fn write_recorded(args: &ExportArgs, view: ViewDto, template: &str, out: &mut Stdout) -> Result<(), Failure> {
    let template = PageTemplate::parse_template(template)?;
    let to_stdout = args.html.as_os_str() == "-";
    let opened = args.input.load_log()?;
    let (view, _) = args.view.apply_budget_aloud(view, &opened);
    args.view.annotation.warn_about_marks(&opened, &view)?;
    let views = list_views(args, &view, &opened)?;
    let n_views = views.len();
    let compared = views.iter().map(|view| comparison_views(args, view)).collect::<Result<Vec<_>, _>>()?;
    let cut = args.cut.parse_cut(&opened, views.first().unwrap_or(&view))?;
    let request = ExportRequest { session: 0, views, cut, redact: !args.no_redact, compared };
    let ExportResult { json, redacted, left_out } =
        with_progress("making the page", |_| make_export(&opened, &request))?;
    if to_stdout {
        return Ok(template.write_page(&json, out.writer())?);
    }
    let size = write_file(&args.html, |file| template.write_page(&json, file))?;
    let budgets = if n_views == 1 { "1 budget".to_owned() } else { format!("{n_views} budgets") };
    warn_user(&format!("{}: {}, {:.1} MB", args.html.display(), budgets, size as f64 / 1e6));
    let is_in_part = !left_out.is_empty();
    say_left_out(redacted.as_ref(), left_out);
    if n_views > 1 && (is_in_part || size > LARGE) {
        warn_user("with fewer --budgets the page is smaller, and has room for more of each");
    }
    warn_user(
        "the page has no engine, so it answers only these budgets; `make page-engine` builds one for --engine",
    );
    Ok(())
}

fn read_engine(args: &ExportArgs) -> Result<Option<PackedData>, Failure> {
    let found = find_engine(args.engine.as_deref()).map_err(|error| {
        let place = args
            .engine
            .as_ref()
            .map_or_else(|| "beside this program".into(), |file| file.display().to_string());
        Failure::Said(format!("cannot read the engine of the page ({error}): {place}"))
    })?;
    Ok(found.map(|bytes| PackedData::from_engine(&bytes)).transpose()?)
}

fn describe_redacted(redacted: &RedactedDto) -> String {
    let counts: Vec<String> = redacted
        .counts
        .iter()
        .map(|(kind, different, places)| {
            format!(
                "{kind} {} ({} different)",
                with_commas((*places).into()),
                with_commas((*different).into())
            )
        })
        .collect();
    let found =
        if counts.is_empty() { "nothing that looks like a secret".to_owned() } else { counts.join(", ") };
    match redacted.left_out {
        0 => format!("redacted: {found}"),
        n => format!("redacted: {found}; {n} texts left out because they could not be looked through"),
    }
}

fn read_template(args: &ExportArgs) -> Result<String, Failure> {
    let page = Page::open_folder(args.ui.clone()).map_err(|error| Failure::Said(error.to_string()))?;
    page.for_exports().ok_or_else(|| {
        Failure::Said("the built page has none for exports; build it again (`cd ui && npm run build`)".into())
    })
}

/// Lists the views: first the one that the page opens with, then the other budgets.
fn list_views(args: &ExportArgs, view: &ViewDto, opened: &SessionSnapshot) -> Result<Vec<ViewDto>, Failure> {
    if args.budgets.is_empty() {
        return Ok(vec![view.clone()]);
    }
    let window = match view.window {
        Some(window) => Some(window),
        None => commands::session(opened, &cwl_host::dto::SessionRequest { session: 0 })?.window,
    };
    let mut budgets: Vec<u64> = read_budgets(&args.budgets, window)?.into_iter().collect();
    let first = match &args.view.budget {
        Some(budget) => read_budget(budget, window)?,
        None => budgets.first().copied().unwrap_or_default(),
    };
    budgets.retain(|budget| *budget != first);
    budgets.insert(0, first);
    Ok(budgets.into_iter().map(|budget| ViewDto { budget: budget.to_string(), ..view.clone() }).collect())
}

fn comparison_views(args: &ExportArgs, view: &ViewDto) -> Result<Vec<ViewDto>, Failure> {
    let usual = || commands::LIKELY.iter().copied().filter(|name| *name != view.policy).take(USUAL_COMPARED);
    let named: Vec<&str> = if args.compare.is_empty() {
        usual().collect()
    } else {
        args.compare.iter().map(String::as_str).collect()
    };
    named.into_iter().map(|name| view_of(name, view)).collect()
}

/// Refuses to overwrite anything but a page, so that a log named by mistake survives.
pub(super) fn check_place(path: &Path) -> Result<(), Failure> {
    let Ok(mut file) = File::open(path) else { return Ok(()) };
    let mut head = vec![0; DOCTYPE.len()];
    let n_read = file.read(&mut head).unwrap_or(0);
    let is_page = head[..n_read].eq_ignore_ascii_case(DOCTYPE);
    if n_read == 0 || is_page {
        return Ok(());
    }
    Err(Failure::Said(format!(
        "there is a file that is no page, and it is not written over: {}",
        path.display()
    )))
}

/// Writes a file readable only by its user, moves it into place once it is complete, and returns its size in
/// bytes.
pub(super) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<u64, Failure> {
    let cannot = |error: std::io::Error| Failure::Said(format!("cannot write ({error}): {}", path.display()));
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}", std::process::id()));
    let mut file = BufWriter::new(private::private_options().create_new(true).open(&beside).map_err(cannot)?);
    let filled = fill(&mut file).and_then(|()| file.flush()).and_then(|()| fs::rename(&beside, path));
    if let Err(error) = filled {
        // Half a page is useless.
        drop(fs::remove_file(&beside));
        return Err(cannot(error));
    }
    fs::metadata(path).map(|known| known.len()).map_err(cannot)
}
