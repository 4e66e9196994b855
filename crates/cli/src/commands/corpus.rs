//! `cwl corpus`: writes tables of many sessions as Parquet.

use std::io::Write;

use cwl_api::commands::RunsAsked;
use cwl_api::dto::{CorpusDto, DocumentDto};
use cwl_api::{counted, grouped};
use cwl_corpus::{CorpusAsked, TextsAs, corpus_report, make_corpus};
use cwl_serve::Page;

use crate::args::{CorpusAct, CorpusArgs, CorpusReportArgs};
use crate::commands::export::{check_place, write};
use crate::out::{Failure, Out, clean, say};
use crate::progress::during;
use crate::table;

pub(crate) fn run(args: &CorpusArgs, out: &mut Out) -> Result<(), Failure> {
    if let Some(CorpusAct::Report(args)) = &args.act {
        return report(args, out);
    }
    let asked = asked(args)?;
    if args.no_redact {
        say("secrets, names and paths stay as they are in these tables");
    }
    let corpus = during("working on the logs", |progress| {
        make_corpus(&asked, &|done, total| progress.at(done, Some(total)))
    });
    let corpus = corpus.map_err(|error| Failure::Said(error.to_string()))?;
    if args.json {
        return out.json(&DocumentDto::new(corpus));
    }
    let mut rows = table::begin(&["table", "#rows"]);
    for table in &corpus.tables {
        rows.add_row([table.name.clone(), grouped(table.n_rows)]);
    }
    table::print(&rows, out)?;
    say(&summary(&corpus));
    Ok(())
}

fn report(args: &CorpusReportArgs, out: &mut Out) -> Result<(), Failure> {
    let html = args.html.clone().unwrap_or_else(|| args.folder.join("report.html"));
    let to_stdout = html.as_os_str() == "-";
    if !to_stdout {
        check_place(&html)?;
    }
    let template = Page::open(None).ok().and_then(|page| page.for_exports());
    let page = during("reading the tables", |_| corpus_report(&args.folder, template.as_deref()));
    let page = page.map_err(|error| Failure::Said(error.to_string()))?;
    if template.is_none() {
        say("this program was built without its page, so the report has the reader's own fonts");
    }
    if to_stdout {
        return Ok(out.writer().write_all(&page)?);
    }
    let size = write(&html, |file| file.write_all(&page))?;
    say(&format!("{}: {:.1} MB", html.display(), size as f64 / 1e6));
    Ok(())
}

/// Reads what is asked for.
fn asked(args: &CorpusArgs) -> Result<CorpusAsked, Failure> {
    let view = args.view.view()?;
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
    let runs = args.runs.iter().map(|text| RunsAsked::read(text)).collect::<Result<_, _>>()?;
    // The arguments are refused without a folder.
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
        shard: args.shard,
        fresh: args.fresh,
        n_threads: args
            .threads
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
    })
}

fn summary(corpus: &CorpusDto) -> String {
    let CorpusDto { n_logs, n_unread, n_written, n_kept, n_removed, .. } = *corpus;
    let mut text = format!(
        "{} in {}: {} written, {} up to date",
        counted(n_logs, "log"),
        clean(&corpus.folder),
        counted(n_written, "part"),
        grouped(n_kept.into())
    );
    if n_removed > 0 {
        text += &format!(", {} removed", grouped(n_removed.into()));
    }
    if n_unread > 0 {
        text += &format!(
            "; {} could not be read, and `sessions` says why (column `problem`)",
            counted(n_unread, "log")
        );
    }
    text
}
