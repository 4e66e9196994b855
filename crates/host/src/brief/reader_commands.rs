//! Window commands for the reader that the user's settings name: what it would get, and marking a session with it.
//!
//! A program hands in the settings by [`Inspector::use_reader_settings`]; only the window does. Without them nothing is
//! started.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cwl_inspect::figures::saturate_u32;

use crate::api::{
    MarkWithReaderRequest, Push, ReaderOutcome, ReaderPlanAnswer, ReaderPlanSummary, SessionRequest,
};
use crate::brief::reader_task::{
    PART_TOKENS, READER_LIMIT, READER_TRIES, READER_WARNING, ReaderPlan, ReaderTask, ReaderTry,
};
use crate::commands::kept_marks;
use crate::host::inspector::Inspector;
use crate::reader::{ReaderCommand, ReaderSettings};
use crate::{ApiError, ErrorCode};

const EXAMPLE: &str = "reader = [\"claude\", \"-p\"]";
const MOST_PROBLEMS: usize = 100;
const STOP_EVERY: Duration = Duration::from_millis(20);

impl Inspector {
    /// Lets this host start the reader that the user's settings name. Later calls change nothing.
    pub fn use_reader_settings(&self, settings: Arc<dyn ReaderSettings>) {
        self.reader_settings.get_or_init(|| settings);
    }

    /// Tells which command marks a session, and what it would get. Starts nothing.
    ///
    /// # Errors
    /// If this program starts no reader, the settings are invalid, or the session's texts cannot be read.
    pub(crate) fn reader(&self, request: SessionRequest) -> Result<ReaderPlanAnswer, ApiError> {
        let settings = self.settings_of_reader()?;
        let plan = settings.find_reader()?.map(|command| self.plan_for(request.session, &command));
        Ok(ReaderPlanAnswer {
            plan: plan.transpose()?,
            settings: settings.settings_file().map(|file| file.display().to_string()),
            example: EXAMPLE.to_owned(),
        })
    }

    fn plan_for(&self, session: u32, command: &ReaderCommand) -> Result<ReaderPlanSummary, ApiError> {
        let opened = self.snapshot_or_open(session)?;
        let plan = ReaderPlan::prepare(&opened, true, PART_TOKENS)?;
        let name = command.name();
        Ok(ReaderPlanSummary {
            replaces: kept_marks(&opened)?.iter().any(|kept| kept.name == name),
            command: command.text().to_owned(),
            name,
            says: vec![plan.describe(command), READER_WARNING.to_owned()],
        })
    }

    /// Marks a session with the reader that the settings name, pushes each try, and saves clean marks. `cancel` ends it.
    ///
    /// # Errors
    /// If this program starts no reader, the settings are invalid or name another command than the user agreed to, a
    /// reader marks the session already, marks cannot be kept, or the command does not start.
    pub(crate) fn mark_with_reader(&self, request: MarkWithReaderRequest) -> Result<ReaderOutcome, ApiError> {
        let MarkWithReaderRequest { session, command: agreed } = request;
        let command = self.settings_of_reader()?.find_reader()?;
        let command = command.filter(|command| command.text() == agreed).ok_or_else(|| {
            let message = "the settings do not name this reader any more";
            ApiError::new(ErrorCode::BadRequest, message).with_hint("look again what would be started")
        })?;
        // An unwritable store is reported before anything is sent.
        self.stores.for_keeps()?;
        let opened = self.snapshot_or_open(session)?;
        if self.readers.is_under_way(session) {
            let message = "a reader marks this session already";
            return Err(ApiError::new(ErrorCode::Busy, message).with_hint("wait for it, or cancel it"));
        }
        let part = self.readers.join_reading(opened.about.path.as_ref());
        part.reading.set_session(session);
        let plan = ReaderPlan::prepare(&opened, true, PART_TOKENS)?;
        let name = command.name();
        let outcome = ReaderTask::new(&opened, &plan, READER_LIMIT).save_marks(
            &name,
            &name,
            &mut |ReaderTry { part: number_of_part, n_parts, number }, prompt| {
                self.send_push(Push::Reader {
                    session,
                    part: saturate_u32(number_of_part),
                    n_parts: saturate_u32(n_parts),
                    attempt: saturate_u32(number),
                    n_attempts: saturate_u32(READER_TRIES),
                });
                command.answer_prompt(prompt, READER_LIMIT, &part.reading.stopped)
            },
        )?;
        Ok(match outcome {
            Ok(marks) => {
                self.send_push(Push::Marks { session });
                ReaderOutcome::Saved {
                    name: marks.saved.name,
                    n_episodes: saturate_u32(marks.saved.n_episodes),
                    n_calls: saturate_u32(marks.check.n_calls),
                    n_covered: saturate_u32(marks.check.n_covered),
                }
            }
            Err(no_marks) => {
                let draft = no_marks.write_draft(self.stores.store_folder(), &name)?;
                let n_more = no_marks.problems.len().saturating_sub(MOST_PROBLEMS);
                let mut problems = no_marks.problems;
                problems.truncate(MOST_PROBLEMS);
                problems.extend((n_more > 0).then(|| format!("and {n_more} more")));
                let draft = draft.map(|path| path.display().to_string());
                ReaderOutcome::NotSaved { why: no_marks.why, problems, draft }
            }
        })
    }

    /// Ends all readers, and waits until they are gone, but no longer than `patience`. For the end of the program.
    pub fn stop_readers(&self, patience: Duration) {
        self.readers.stop_all();
        let until = Instant::now() + patience;
        while self.readers.is_any() && Instant::now() < until {
            std::thread::sleep(STOP_EVERY);
        }
    }

    fn settings_of_reader(&self) -> Result<&dyn ReaderSettings, ApiError> {
        self.reader_settings.get().map(AsRef::as_ref).ok_or_else(|| {
            ApiError::new(ErrorCode::Refused, "this program starts no reader").with_hint(
                "mark the session in the window, or with `cwl annotate SESSION --reader 'COMMAND'`",
            )
        })
    }
}
