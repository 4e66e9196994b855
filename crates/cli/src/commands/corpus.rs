//! `cwl corpus`: writes tables of many sessions as Parquet.

use cwl_api::commands::RunsAsked;
use cwl_api::dto::{CorpusDto, DocumentDto};
use cwl_api::grouped;
use cwl_corpus::{CorpusAsked, TextsAs, make_corpus};

use crate::args::CorpusArgs;
use crate::out::{Failure, Out, clean, say};
use crate::progress::during;
use crate::table;

pub(crate) fn run(args: &CorpusArgs, out: &mut Out) -> Result<(), Failure> {
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
    Ok(CorpusAsked {
        paths: args.paths.clone(),
        folder: args.out.clone(),
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
    let many = |n: u32, what: &str| format!("{} {what}{}", grouped(n.into()), if n == 1 { "" } else { "s" });
    let mut text = format!(
        "{} in {}: {} written, {} up to date",
        many(n_logs, "log"),
        clean(&corpus.folder),
        many(n_written, "part"),
        grouped(n_kept.into())
    );
    if n_removed > 0 {
        text += &format!(", {} removed", grouped(n_removed.into()));
    }
    if n_unread > 0 {
        text += &format!(
            "; {} could not be read, and `sessions` says why (column `problem`)",
            many(n_unread, "log")
        );
    }
    text
}
