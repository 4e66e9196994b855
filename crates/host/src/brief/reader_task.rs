//! A session that a reader's command marks: what would leave the machine, up to three tries for each part, and either
//! saved marks or a draft.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cwl_inspect::figures::with_commas;
use cwl_inspect::marks::MarksCheck;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_store::private;

use crate::api::{MarkProblem, MarksFile};
use crate::brief::Brief;
use crate::brief::prompt::{MarksPrompt, guide_hash, list_problems, merge_marks};
use crate::commands::{SavedMarks, check_marks, save_checked};
use crate::export::clean::Cleaner;
use crate::reader::{NoAnswer, ReaderAnswer, ReaderCommand};
use crate::reading::lately::now_ms;
use crate::{ApiError, ErrorCode};

pub const READER_TRIES: usize = 3;
/// How long one answer may take, unless the user says otherwise.
pub const READER_LIMIT: Duration = Duration::from_secs(900);
/// The most tokens of one prompt, unless the user says otherwise.
pub const PART_TOKENS: u64 = 100_000;
pub const READER_WARNING: &str = "that command may send the text to its provider, and be billed for it";

#[derive(Debug, Clone)]
pub struct ReaderPlan {
    brief: Brief,
    parts: Vec<RangeInclusive<usize>>,
    n_tokens: u64,
    is_redacted: bool,
}

impl ReaderPlan {
    /// Condenses a session, and divides it into parts whose prompts have at most `part_tokens` tokens.
    ///
    /// # Errors
    /// If texts cannot be read or redaction cannot be set up.
    pub fn prepare(opened: &SessionSnapshot, is_redacted: bool, part_tokens: u64) -> Result<Self, ApiError> {
        let mut cleaner = if is_redacted { Cleaner::of_log(opened)? } else { Cleaner::off() };
        let brief = Brief::condense_cleaned(opened, &mut cleaner)?;
        let parts = brief.divide_parts(part_tokens);
        let mut n_tokens = 0;
        for part in &parts {
            n_tokens += brief.write_prompt(part, &MarksFile::default())?.n_tokens();
        }
        Ok(Self { brief, parts, n_tokens, is_redacted })
    }

    pub fn describe(&self, command: &ReaderCommand) -> String {
        let redacted =
            if self.is_redacted { "with secrets, names and paths redacted" } else { "NOT redacted" };
        let n_parts = self.parts.len();
        let prompts = if n_parts == 1 { "1 prompt".to_owned() } else { format!("{n_parts} prompts") };
        format!(
            "{prompts}, {} tokens: the guide and a brief of this session, {redacted}, to the standard input of `{}`",
            with_commas(self.n_tokens),
            command.text()
        )
    }
}

/// One prompt of a reader's work. Parts and tries count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderTry {
    pub part: usize,
    pub n_parts: usize,
    pub number: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoMarks {
    /// A clause.
    pub why: String,
    pub problems: Vec<String>,
    /// The last answer, merged into the marks of earlier parts if it can be read.
    pub draft: Option<String>,
}

impl NoMarks {
    /// Writes the draft into a folder, for its user only. `None` if there is none.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn write_draft(&self, data_dir: &Path, name: &str) -> Result<Option<PathBuf>, ApiError> {
        let Some(draft) = &self.draft else { return Ok(None) };
        let folder = data_dir.join("drafts");
        let is_plain = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let plain: String = name.chars().filter(is_plain).take(60).collect();
        let plain = if plain.is_empty() { "reader" } else { &plain };
        let path = folder.join(format!("{plain}-{}.json", now_ms()));
        let written =
            private::make_folder(&folder).and_then(|()| private::write_private(&path, draft.as_bytes()));
        written.map_err(|error| {
            ApiError::new(ErrorCode::Unwritable, format!("the draft cannot be written ({error})"))
                .with_hint("make room on the disk, or name another folder with CWL_DATA_DIR")
                .with_path(&path)
        })?;
        Ok(Some(path))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderMarks {
    pub saved: SavedMarks,
    pub check: MarksCheck,
}

pub struct ReaderTask<'a> {
    opened: &'a SessionSnapshot,
    plan: &'a ReaderPlan,
    limit: Duration,
    so_far: MarksFile,
    /// The marks so far with the last answer in them, or the answer itself if it holds none.
    last_answer: Option<String>,
}

impl<'a> ReaderTask<'a> {
    /// Prepares the work. Each answer may take as long as `limit`.
    pub fn new(opened: &'a SessionSnapshot, plan: &'a ReaderPlan, limit: Duration) -> Self {
        Self { opened, plan, limit, so_far: MarksFile::default(), last_answer: None }
    }

    /// Asks for the marks of each part until they are clean, and saves them under `name` as those of `by`. `ask` gives
    /// a prompt to the reader's command.
    ///
    /// # Errors
    /// If the command does not start, or texts cannot be read.
    pub fn save_marks(
        mut self,
        name: &str,
        by: &str,
        ask: &mut dyn FnMut(ReaderTry, &str) -> Result<ReaderAnswer, ApiError>,
    ) -> Result<Result<ReaderMarks, NoMarks>, ApiError> {
        let mut last = None;
        for (part, pages) in (1..).zip(&self.plan.parts) {
            let prompt = self.plan.brief.write_prompt(pages, &self.so_far)?;
            match self.read_part(&prompt, part, ask)? {
                Ok(check) => {
                    self.so_far = check.marks.clone();
                    last = Some(check);
                }
                Err(no_marks) => return Ok(Err(no_marks)),
            }
        }
        let mut check = last.ok_or_else(|| ApiError::from_internal("the brief has no page"))?;
        check.marks.made_by = Some(by.to_owned());
        check.marks.guide_hash = Some(guide_hash());
        check.marks.brief_hash = Some(self.plan.brief.brief_hash());
        match save_checked(self.opened, &check, name, None, true) {
            Ok(saved) => Ok(Ok(ReaderMarks { saved, check })),
            // A name that marks cannot have, or a full disk, must not cost the answer.
            Err(error) => Ok(Err(self.give_up(error.to_string(), Vec::new()))),
        }
    }

    fn give_up(&mut self, why: String, problems: Vec<String>) -> NoMarks {
        NoMarks { why, problems, draft: self.last_answer.take() }
    }

    fn read_part(
        &mut self,
        prompt: &MarksPrompt,
        part: usize,
        ask: &mut dyn FnMut(ReaderTry, &str) -> Result<ReaderAnswer, ApiError>,
    ) -> Result<Result<MarksCheck, NoMarks>, ApiError> {
        let mut text = prompt.text.clone();
        let mut problems = Vec::new();
        for number in 1..=READER_TRIES {
            let answer = match ask(ReaderTry { part, n_parts: self.plan.parts.len(), number }, &text)? {
                Ok(answer) => answer,
                Err(no_answer) => return Ok(Err(self.give_up(self.describe_silence(&no_answer), problems))),
            };
            problems = match self.check_answer(&answer, prompt.until)? {
                Ok(check) if check.problems.is_empty() && check.n_episodes > 0 => return Ok(Ok(check)),
                Ok(check) if check.problems.is_empty() => vec!["there is no episode".to_owned()],
                Ok(check) => list_problems(&check.problems),
                Err(why) => vec![why],
            };
            text = prompt.ask_again(&answer, &problems);
        }
        Ok(Err(self.give_up(format!("{READER_TRIES} answers in a row had problems"), problems)))
    }

    fn describe_silence(&self, no_answer: &NoAnswer) -> String {
        match no_answer {
            NoAnswer::Stopped => "it was stopped".to_owned(),
            NoAnswer::TooLong => format!(
                "the reader took longer than {} s and was ended; `cwl annotate --time-limit` allows more",
                self.limit.as_secs()
            ),
            NoAnswer::Failed(why) => format!("the reader failed ({why})"),
        }
    }

    /// Merges an answer into the marks so far, and checks them. `Err` says why the answer holds no marks.
    fn check_answer(
        &mut self,
        answer: &str,
        until: Option<u64>,
    ) -> Result<Result<MarksCheck, String>, ApiError> {
        let own = match check_marks(self.opened, answer.as_bytes(), Some(0)) {
            Ok(own) => own,
            Err(error) => {
                self.last_answer = Some(answer.to_owned());
                return Ok(Err(error.to_string()));
            }
        };
        let mut all = self.so_far.clone();
        merge_marks(&mut all, own.marks.clone());
        let merged = serde_json::to_string_pretty(&all).map_err(ApiError::from_internal)?;
        self.last_answer = Some(merged.clone());
        if self.so_far.episodes.is_empty() {
            return Ok(check_marks(self.opened, answer.as_bytes(), until).map_err(|error| error.to_string()));
        }
        // Problems of the answer's own form are lost once it is read, the others are found again.
        let mut check = check_marks(self.opened, merged.as_bytes(), until)?;
        let of_form = own.problems.into_iter().filter(|problem| {
            let is_known = |other: &MarkProblem| other.message == problem.message;
            !problem.message.starts_with("it draws on") && !check.problems.iter().any(is_known)
        });
        check.problems.extend(of_form.collect::<Vec<_>>());
        Ok(Ok(check))
    }
}
