//! `cwl corpus`: writes tables about many sessions as Parquet.

use std::io::Write;

use cwl_corpus::{
    CorpusAsked, DatasetSample, TextsAs, UnpackAsked, UnpackCounts, corpus_report, make_corpus,
    unpack_dataset,
};
use cwl_host::api::{CorpusAnswer, Document, ViewSettings};
use cwl_host::commands::RunsAsked;
use cwl_host::{count_noun, with_commas};
use cwl_serve::Page;

use crate::args::{CorpusAct, CorpusArgs, CorpusReportArgs, CorpusUnpackArgs};
use crate::commands::export::{check_place, write_file};
use crate::out::{Failure, Stdout, clean_text, warn_user};
use crate::progress::with_progress;
use crate::table;

pub(crate) fn run(args: &CorpusArgs, out: &mut Stdout) -> Result<(), Failure> {
    match &args.act {
        Some(CorpusAct::Report(args)) => return write_report(args, out),
        Some(CorpusAct::Unpack(args)) => return unpack(args, out),
        None => {}
    }
    let asked = parse_request(args)?;
    if args.no_redact {
        warn_user("secrets, names and paths stay as they are in these tables");
    }
    let corpus = with_progress("working on the logs", |progress| {
        make_corpus(&asked, &|done, total| progress.update_line(done, Some(total)))
    });
    let corpus = corpus.map_err(|error| Failure::Said(error.to_string()))?;
    if args.json {
        return out.write_json(&Document::new(corpus));
    }
    let mut rows = table::begin_table(&["table", "#rows"]);
    for table in &corpus.tables {
        rows.add_row([table.name.clone(), with_commas(table.n_rows)]);
    }
    table::print_table(&rows, out)?;
    warn_user(&summarize_corpus(&corpus));
    Ok(())
}

fn write_report(args: &CorpusReportArgs, out: &mut Stdout) -> Result<(), Failure> {
    let html = args.html.clone().unwrap_or_else(|| args.folder.join("report.html"));
    let to_stdout = html.as_os_str() == "-";
    if !to_stdout {
        check_place(&html)?;
    }
    let template = Page::open_folder(None).ok().and_then(|page| page.for_exports());
    let page = with_progress("reading the tables", |_| corpus_report(&args.folder, template.as_deref()));
    let page = page.map_err(|error| Failure::Said(error.to_string()))?;
    if template.is_none() {
        warn_user("this program was built without its page, so the report has the reader's own fonts");
    }
    if to_stdout {
        return Ok(out.writer().write_all(&page)?);
    }
    let size = write_file(&html, |file| file.write_all(&page))?;
    warn_user(&format!("{}: {:.1} MB", html.display(), size as f64 / 1e6));
    Ok(())
}

fn unpack(args: &CorpusUnpackArgs, out: &mut Stdout) -> Result<(), Failure> {
    let asked = UnpackAsked {
        files: args.files.clone(),
        folder: args.out.clone(),
        sample: args.sample.map_or(DatasetSample::All, DatasetSample::Rows),
        model: args.model.clone(),
        outcome: args.outcome.clone(),
    };
    let counts = with_progress("unpacking the rows", |progress| {
        unpack_dataset(&asked, &|done, total| progress.update_line(done, Some(total)))
    });
    let UnpackCounts { n_written, n_kept, n_odd, first_odd, n_rows } =
        counts.map_err(|error| Failure::Said(clean_text(&error.to_string()).to_string()))?;
    let folder = clean_text(&args.out.display().to_string()).to_string();
    out.write_line(format!(
        "{} of {} in {folder}: {} written, {} there before",
        count_noun(n_written + n_kept, "log"),
        count_noun(n_rows, "row"),
        with_commas(n_written),
        with_commas(n_kept)
    ))?;
    if let Some(first) = first_odd {
        let n_rows = count_noun(n_odd, "row");
        warn_user(&format!("{n_rows} without a session left out; the first is {}", clean_text(&first)));
    }
    Ok(())
}

fn parse_request(args: &CorpusArgs) -> Result<CorpusAsked, Failure> {
    let view = args.view.parse_view()?;
    // Sessions are set side by side in one unit.
    let tokenizer = args.view.tokenizer.clone().unwrap_or_else(|| "o200k".to_owned());
    let view = ViewSettings { tokenizer, ..view };
    let of_one = [
        (view.branch.is_some(), "--branch names a branch of one session"),
        (!view.pins.is_empty(), "--pin is about one session"),
        (!view.probes.is_empty(), "--probe is about one session"),
        (
            !["auto", "declared", "inferred", "filled"].contains(&view.annotation.as_str()),
            "marks that were written afterwards are of one session",
        ),
    ];
    if let Some((_, why)) = of_one.iter().find(|(is_given, _)| *is_given) {
        return Err(Failure::Said(format!("{why}, and a corpus is of many; leave it out")));
    }
    let runs = args.runs.iter().map(|text| RunsAsked::parse_runs(text)).collect::<Result<_, _>>()?;
    // Arguments without a folder were refused before.
    let folder = args.out.clone().unwrap_or_default();
    Ok(CorpusAsked {
        paths: args.paths.clone(),
        folder,
        budget: args.view.budget.clone(),
        view,
        runs,
        texts: match (args.with_texts, args.no_redact) {
            (false, _) => TextsAs::Hashed,
            (true, false) => TextsAs::Redacted,
            (true, true) => TextsAs::Plain,
        },
        key: args.key.clone(),
        shard: args.work.shard,
        fresh: args.work.fresh,
        n_threads: args.work.n_threads(),
    })
}

fn summarize_corpus(corpus: &CorpusAnswer) -> String {
    let CorpusAnswer { n_logs, n_unread, n_written, n_kept, n_removed, .. } = *corpus;
    let mut text = format!(
        "{} in {}: {} written, {} up to date",
        count_noun(n_logs, "log"),
        clean_text(&corpus.folder),
        count_noun(n_written, "part"),
        with_commas(n_kept.into())
    );
    if n_removed > 0 {
        text += &format!(", {} removed", with_commas(n_removed.into()));
    }
    if n_unread > 0 {
        text += &format!(
            "; {} could not be read, and `sessions` says why (column `problem`)",
            count_noun(n_unread, "log")
        );
    }
    text
}
