//! `cwl annotate --reader`: a command reads the session and hands back its marks.

use std::process::ExitCode;
use std::time::Duration;

use cwl_host::{
    NoMarks, READER_TRIES, READER_WARNING, ReaderCommand, ReaderPlan, ReaderTask, ReaderTry, SessionSnapshot,
    default_data_dir,
};

use crate::args::AnnotateArgs;
use crate::commands::annotate::{print_gains, say_saved};
use crate::out::{Failure, Stdout, clean_text, say_first, warn_user};
use crate::progress::with_progress;
use crate::reader_stop::listen_for_stop;

/// The exit code if a reader gave no marks that could be saved.
const WITHOUT_MARKS: u8 = 3;

pub(crate) fn ask_reader(
    args: &AnnotateArgs,
    opened: &SessionSnapshot,
    reader: &str,
    out: &mut Stdout,
) -> Result<ExitCode, Failure> {
    let command = ReaderCommand::parse_words(reader)?;
    let name = args.name.clone().unwrap_or_else(|| command.name());
    let redacts = args.redact || !args.no_redact;
    let plan =
        with_progress("condensing the session", |_| ReaderPlan::prepare(opened, redacts, args.part_tokens))?;
    let about = plan.describe(&command);
    if args.dry_run {
        out.write_line(clean_text(&about))?;
        out.write_line(format!("nothing was started; {READER_WARNING}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    warn_user(&format!("{about}, which may send them to its provider"));
    let stopped = listen_for_stop()?;
    let limit = Duration::from_secs(args.time_limit);
    let by = args.by.clone().unwrap_or_else(|| name.clone());
    let mut ask = |ReaderTry { part, n_parts, number }: ReaderTry, prompt: &str| {
        let place = if n_parts == 1 { String::new() } else { format!(" part {part} of {n_parts},") };
        let doing = format!("{} reads,{place} try {number} of {READER_TRIES}", command.name());
        with_progress(&doing, |_| command.answer_prompt(prompt, limit, &stopped))
    };
    match ReaderTask::new(opened, &plan, limit).save_marks(&name, &by, &mut ask)? {
        Ok(marks) => {
            say_saved(&marks.saved, &marks.check);
            print_gains(opened, &marks.saved.name, out)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(no_marks) => report_no_marks(no_marks, &name),
    }
}

fn report_no_marks(no_marks: NoMarks, name: &str) -> Result<ExitCode, Failure> {
    let draft = no_marks.write_draft(&default_data_dir()?, name)?;
    let place = match draft {
        Some(path) => format!("its last answer is in {}; mend it there, and --apply it", path.display()),
        None => "it gave no answer".to_owned(),
    };
    say_first(no_marks.problems, " problems");
    warn_user(&format!("nothing was saved: {}; {place}", no_marks.why));
    Ok(ExitCode::from(WITHOUT_MARKS))
}
