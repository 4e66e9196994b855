//! `cwl annotate --reader`: a command reads the session and hands back its marks.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use cwl_host::commands::{check_marks, save_checked};
use cwl_host::dto::MarksFileDto;
use cwl_host::{
    Brief, Cleaner, MarksCheck, MarksPrompt, SessionSnapshot, default_data_dir, guide_hash, list_problems,
    merge_marks, private, with_commas,
};

use crate::args::AnnotateArgs;
use crate::commands::annotate::{print_gains, say_saved};
use crate::out::{Failure, Stdout, clean_text, say_first, warn_user};
use crate::progress::with_progress;
use crate::reader::{NoAnswer, ReaderCommand, StopFlag};

/// How often a reader may answer a prompt.
const MOST_TRIES: usize = 3;
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
    let mut cleaner = if redacts { Cleaner::of_log(opened)? } else { Cleaner::off() };
    let brief = with_progress("condensing the session", |_| Brief::condense_cleaned(opened, &mut cleaner))?;
    let parts = brief.divide_parts(args.part_tokens);
    let mut n_tokens = 0;
    for part in &parts {
        n_tokens += brief.write_prompt(part, &MarksFileDto::default())?.n_tokens();
    }
    let redacted = if redacts { "with secrets, names and paths redacted" } else { "NOT redacted" };
    let prompts = if parts.len() == 1 { "1 prompt".to_owned() } else { format!("{} prompts", parts.len()) };
    let about = format!(
        "{prompts}, {} tokens: the guide and a brief of this session, {redacted}, to the standard input of `{reader}`",
        with_commas(n_tokens)
    );
    if args.dry_run {
        out.write_line(clean_text(&about))?;
        out.write_line(
            "nothing was started; that command may send the text to its provider, and be billed for it",
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    warn_user(&format!("{about}, which may send them to its provider"));
    let task = ReaderTask {
        opened,
        command: &command,
        stop: StopFlag::listen()?,
        limit: Duration::from_secs(args.time_limit),
        so_far: MarksFileDto::default(),
        last_answer: None,
    };
    let (check, task) = match task.read_parts(&brief, &parts)? {
        Ok(read) => read,
        Err(why) => return why.report(&name),
    };
    let mut marks = check.marks;
    marks.made_by = args.by.clone().or(Some(name.clone()));
    (marks.guide_hash, marks.brief_hash) = (Some(guide_hash()), Some(brief.brief_hash()));
    let check = MarksCheck { marks, ..check };
    let saved = match save_checked(opened, &check, &name, None, true) {
        Ok(saved) => saved,
        // A name that marks cannot have, or a full disk, must not cost the answer.
        Err(error) => {
            let draft = NoMarks { why: error.to_string(), draft: task.last_answer };
            return draft.report("reader");
        }
    };
    say_saved(&saved, &check);
    print_gains(opened, &saved.name, out)?;
    Ok(ExitCode::SUCCESS)
}

/// Why a reader gave no marks, and the best that it gave.
struct NoMarks {
    why: String,
    draft: Option<String>,
}

impl NoMarks {
    fn report(self, name: &str) -> Result<ExitCode, Failure> {
        let kept = match self.draft {
            Some(draft) => {
                let path = write_draft(name, &draft)?;
                format!("its last answer is in {}; mend it there, and --apply it", path.display())
            }
            None => "it gave no answer".to_owned(),
        };
        warn_user(&format!("nothing was saved: {}; {kept}", self.why));
        Ok(ExitCode::from(WITHOUT_MARKS))
    }
}

fn write_draft(name: &str, draft: &str) -> Result<PathBuf, Failure> {
    let folder = default_data_dir()?.join("drafts");
    let is_plain = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let plain: String = name.chars().filter(is_plain).take(60).collect();
    let path = folder.join(format!("{plain}-{}.json", std::process::id()));
    let written =
        private::make_folder(&folder).and_then(|()| private::write_private(&path, draft.as_bytes()));
    written.map_err(|error| {
        Failure::Said(format!("the draft cannot be written ({error}): {}", path.display()))
    })?;
    Ok(path)
}

struct ReaderTask<'a> {
    opened: &'a SessionSnapshot,
    command: &'a ReaderCommand,
    stop: StopFlag,
    limit: Duration,
    so_far: MarksFileDto,
    /// The marks so far with the last answer in them, or the answer itself if it holds none.
    last_answer: Option<String>,
}

type PartsOutcome<'a> = Result<(MarksCheck, ReaderTask<'a>), NoMarks>;

impl<'a> ReaderTask<'a> {
    fn read_parts(
        mut self,
        brief: &Brief,
        parts: &[std::ops::RangeInclusive<usize>],
    ) -> Result<PartsOutcome<'a>, Failure> {
        let mut check = None;
        for (number, part) in (1..).zip(parts) {
            let prompt = brief.write_prompt(part, &self.so_far)?;
            let place =
                if parts.len() == 1 { String::new() } else { format!(" part {number} of {},", parts.len()) };
            match self.read_part(&prompt, &place)? {
                Ok(found) => {
                    self.so_far = found.marks.clone();
                    check = Some(found);
                }
                Err(why) => return Ok(Err(NoMarks { why, draft: self.last_answer })),
            }
        }
        let check = check.ok_or_else(|| Failure::Said("the brief has no page".to_owned()))?;
        Ok(Ok((check, self)))
    }

    /// Asks for the marks of one part until they are clean. `Err` says why there are none.
    fn read_part(
        &mut self,
        prompt: &MarksPrompt,
        place: &str,
    ) -> Result<Result<MarksCheck, String>, Failure> {
        let mut text = prompt.text.clone();
        let mut problems = Vec::new();
        for number in 1..=MOST_TRIES {
            let doing = format!("{} reads,{place} try {number} of {MOST_TRIES}", self.command.name());
            let answer =
                match with_progress(&doing, |_| self.command.answer_prompt(&text, self.limit, &self.stop))? {
                    Ok(answer) => answer,
                    Err(NoAnswer::Stopped) => return Ok(Err("it was stopped".to_owned())),
                    Err(NoAnswer::TooLong) => {
                        let seconds = self.limit.as_secs();
                        return Ok(Err(format!(
                            "the reader took longer than {seconds} s and was ended; --time-limit allows more"
                        )));
                    }
                    Err(NoAnswer::Failed(why)) => return Ok(Err(format!("the reader failed ({why})"))),
                };
            problems = match self.check_answer(&answer, prompt.until)? {
                Ok(check) if check.problems.is_empty() && check.n_episodes > 0 => return Ok(Ok(check)),
                Ok(check) if check.problems.is_empty() => vec!["there is no episode".to_owned()],
                Ok(check) => list_problems(&check.problems),
                Err(why) => vec![why],
            };
            text = prompt.ask_again(&answer, &problems);
        }
        say_first(problems, " problems");
        Ok(Err(format!("{MOST_TRIES} answers in a row had problems")))
    }

    /// Merges an answer into the marks so far, and checks them. `Err` says why the answer holds no marks.
    fn check_answer(
        &mut self,
        answer: &str,
        until: Option<u64>,
    ) -> Result<Result<MarksCheck, String>, Failure> {
        let own = match check_marks(self.opened, answer.as_bytes(), Some(0)) {
            Ok(own) => own,
            Err(error) => {
                self.last_answer = Some(answer.to_owned());
                return Ok(Err(error.to_string()));
            }
        };
        let mut all = self.so_far.clone();
        merge_marks(&mut all, own.marks.clone());
        let as_text =
            |marks: &MarksFileDto| serde_json::to_string_pretty(marks).map_err(std::io::Error::from);
        self.last_answer = Some(as_text(&all)?);
        if self.so_far.episodes.is_empty() {
            return Ok(check_marks(self.opened, answer.as_bytes(), until).map_err(|error| error.to_string()));
        }
        // Problems of the answer's own form are lost once it is read, the others are found again.
        let mut check = check_marks(self.opened, as_text(&all)?.as_bytes(), until)?;
        let of_form = own.problems.into_iter().filter(|problem| {
            let is_known = |other: &cwl_host::dto::MarkProblemDto| other.message == problem.message;
            !problem.message.starts_with("it draws on") && !check.problems.iter().any(is_known)
        });
        check.problems.extend(of_form.collect::<Vec<_>>());
        Ok(Ok(check))
    }
}
