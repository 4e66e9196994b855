//! `cwl export`: writes a session as one self-contained page that computes.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use cwl_host::api::{ExportRequest, RedactionCounts};
use cwl_host::{PageTemplate, SessionExport, export_session, find_engine, private, with_commas};
use cwl_serve::Page;

use crate::args::ExportArgs;
use crate::out::{Failure, Stdout, warn_user};
use crate::progress::with_progress;

/// Every page starts so. A file that starts otherwise is not overwritten.
const DOCTYPE: &[u8] = b"<!doctype html>";

pub(crate) fn run(args: &ExportArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.view.parse_view()?;
    let to_stdout = args.html.as_os_str() == "-";
    if !to_stdout {
        check_place(&args.html)?;
    }
    let html = read_template(args)?;
    let template = PageTemplate::parse_template(&html)?;
    let engine = find_engine(args.engine.as_deref())?;
    let opened = args.input.load_log()?;
    let (view, _) = args.view.apply_budget_aloud(view, &opened);
    args.view.annotation.warn_about_marks(&opened, &view)?;
    let cut = args.cut.parse_cut(&opened, &view)?;
    let request = ExportRequest { view, cut, redact: !args.no_redact };
    let export = with_progress("making the page", |_| export_session(&opened, &request))?;
    let data = export.page_data(&engine);
    if to_stdout {
        return Ok(template.write_page(&data, out.writer())?);
    }
    let size = write_file(&args.html, |file| template.write_page(&data, file))?;
    warn_user(&format!("{}: any budget and policy, {:.1} MB", args.html.display(), size as f64 / 1e6));
    let SessionExport { redacted, left_out, .. } = export;
    warn_user(&redacted.as_ref().map_or_else(|| "nothing was redacted".to_owned(), describe_redacted));
    for part in left_out {
        warn_user(&format!("not in the page: {part}"));
    }
    Ok(())
}

fn describe_redacted(redacted: &RedactionCounts) -> String {
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
