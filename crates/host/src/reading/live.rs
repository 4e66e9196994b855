//! A followed log: new lines go into the store, and each revision is a new [`SessionSnapshot`].

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};

use cwl_discover::task_of;
use cwl_engine::{EventLog, GrowingBranch, Problem, ProblemList};
use cwl_formats::title::opening_of;
use cwl_formats::{Batch, Format, HEAD, PiCwlTrace, ReaderState, detect_format, plain_beginning};
use cwl_inspect::figures::saturate_u32;
use cwl_inspect::load::{read_format, undetected_format};
use cwl_inspect::measure::opened::{LogMetadata, SessionSnapshot};
use cwl_inspect::tables::tools::Tools;
use cwl_inspect::texts::counts::Counts;
use cwl_inspect::texts::log_texts::{RecordTexts, Texts, split_texts};
use cwl_store::{BlockCounts, Ingest, SourceId, SourceRow};
use cwl_tail::{Cursor, FileIdentity, TailMessage, continues, read_until};

use crate::error::{store_error, tail_error};
use crate::machine::ThisMachine;
use crate::reading::derive;
use crate::reading::ingest::{
    AT_INGEST, Feeder, IngestError, ReadyBatch, StoreChange, prepare_batch, read_through,
};
use crate::reading::lately::is_file_live;
use crate::reading::load::{CHUNK, check_reads};
use crate::stored::library::Library;
use crate::stored::position::{cursor_of, read_state, source_cursor};
use crate::stored::texts::{stored_counter, texts_from_store};
use crate::{ApiError, ErrorCode};
use kept::RecordCopier;

mod kept;

/// Attempts to load a log again if another process is faster.
const RELOADS: usize = 16;

/// Receives progress: bytes read, bytes in total.
pub(crate) type OnProgress<'a> = &'a dyn Fn(u64, u64);

/// Follows one log. Memory and store hold the same records; only the unfinished last line is in memory alone.
pub(crate) struct LogFollower {
    library: Arc<Library>,
    tools: Tools,
    pub(crate) path: PathBuf,
    format: Format,
    source: SourceId,
    generation: u32,
    feeder: Feeder,
    stored: Cursor,
    chunk: usize,
    log: Arc<EventLog>,
    /// The branch at the last revision, which the next one goes on from.
    growing: Option<Arc<GrowingBranch>>,
    kept: RecordCopier,
    published: Weak<SessionSnapshot>,
    problems: ProblemList,
    n_blocks: usize,
    counts: Arc<Counts>,
    opening: Option<String>,
    recorded: Option<Arc<PiCwlTrace>>,
    pub(crate) gone: bool,
    revision: u32,
    shown_generation: u32,
    derived: bool,
    /// A batch was read but not stored; records must be loaded again before reading on.
    broken: bool,
    /// The store has the whole log but no reader state to resume from. If the log changes, it is read again
    /// from its start.
    sealed: bool,
}

pub(crate) struct FollowRequest<'a> {
    /// Forces a log format; `None` detects it.
    pub(crate) format: Option<Format>,
    pub(crate) on_session: &'a dyn Fn(u32),
    pub(crate) progress: OnProgress<'a>,
    /// Cancels reading when set; records read until then are kept.
    pub(crate) stopped: &'a AtomicBool,
    pub(crate) chunk: usize,
}

impl Default for FollowRequest<'_> {
    fn default() -> Self {
        Self { format: None, on_session: &|_| {}, progress: &|_, _| {}, stopped: &NEVER, chunk: CHUNK }
    }
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl LogFollower {
    /// Loads a log's stored part and reads on to the present end of the file.
    pub(crate) fn open_log(
        library: Arc<Library>,
        path: &Path,
        tools: Tools,
        opening: &FollowRequest<'_>,
    ) -> Result<Self, ApiError> {
        let name = path.display().to_string();
        let known = library.run_read(|reader| reader.find_source(&name))?.filter(|row| row.n_events > 0);
        let (format, gone) = match (opening.format, &known, head_of(path)) {
            (Some(format), _, head) => (format, head.map(|_| false)?),
            (None, Some(row), Ok(_)) => (read_format(&row.format)?, false),
            (None, Some(row), Err(error)) if error.code == ErrorCode::Missing => {
                (read_format(&row.format)?, true)
            }
            (None, None, Ok(head)) => (
                detect_format(&plain_beginning(&head, HEAD)).map_err(|why| undetected_format(path, why))?,
                false,
            ),
            (None, _, Err(error)) => return Err(error),
        };
        let is_otherwise = known.as_ref().is_some_and(|row| row.format != format.name());
        if opening.format.is_some() && (is_otherwise || known.is_none()) {
            // First, so nothing is stored if the format does not fit the log.
            check_reads(path, format)?;
        }
        // A read-only store still shows its content.
        let source = match known {
            Some(row) if !is_otherwise => row.id,
            Some(row) => start_as(&library, row.id, &name, format)?,
            None => library.run_write(|store| store.source(&name, format.name())).map_err(store_error)?,
        };
        let mut live = Self {
            library,
            tools,
            path: path.to_owned(),
            format,
            source,
            generation: 0,
            feeder: Feeder::new(format),
            stored: Cursor::at_start(FileIdentity::UNKNOWN),
            chunk: opening.chunk,
            log: Arc::default(),
            growing: None,
            kept: RecordCopier::default(),
            published: Weak::new(),
            problems: ProblemList::default(),
            n_blocks: 0,
            counts: Arc::default(),
            opening: None,
            recorded: None,
            gone,
            revision: 0,
            shown_generation: 0,
            derived: false,
            broken: false,
            sealed: false,
        };
        (opening.on_session)(live.session());
        live.load_stored()?;
        if gone {
            live.mark_gone(true)?;
        } else {
            live.catch_up(opening.progress, opening.stopped)?;
            live.mark_gone(false)?;
        }
        live.shown_generation = live.generation;
        Ok(live)
    }

    pub(crate) fn format(&self) -> Format {
        self.format
    }

    pub(crate) fn read_as(&mut self, format: Format) -> Result<(), ApiError> {
        check_reads(&self.path, format)?;
        self.source = start_as(&self.library, self.source, &self.path.display().to_string(), format)?;
        self.format = format;
        self.reload_stored()
    }

    pub(crate) fn session(&self) -> u32 {
        saturate_u32(self.source.number())
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.library.is_kept()
    }

    pub(crate) fn follow_cursor(&self) -> Cursor {
        self.feeder.fed.clone()
    }

    fn load_stored(&mut self) -> Result<(), ApiError> {
        let source = self.source;
        let (row, state, (log, problems)) = self.library.run_read(|reader| {
            Ok((reader.source(source)?, reader.reader_state(source)?, reader.load_log(source)?))
        })?;
        let is_current = row.rules == self.format.rules();
        let state = state.as_deref().and_then(read_state);
        let state = state.filter(|state| is_current && state.offset == row.cursor.offset);
        match state {
            Some(state) => self.take_over(&row, state, log, problems),
            None if row.cursor.offset == 0 && row.n_events == 0 => {
                self.take_over(&row, ReaderState::default(), log, problems);
            }
            None => {
                let is_still = self.is_still(&cursor_of(&row.cursor));
                if !is_still || !(is_current || self.is_gone()) {
                    // A log that cannot be resumed, or that was read by other rules, is read again.
                    match self.restart_log() {
                        // A read-only store shows its content.
                        Err(error) if is_still => tracing::warn!(%error, "the log was not read by new rules"),
                        done => return done,
                    }
                }
                self.take_over(&row, ReaderState::default(), log, problems);
                self.sealed = true;
            }
        }
        Ok(())
    }

    fn take_over(&mut self, row: &SourceRow, state: ReaderState, log: EventLog, problems: Vec<Problem>) {
        if row.generation != self.generation {
            self.counts = Arc::default();
        }
        self.broken = false;
        self.sealed = false;
        self.generation = row.generation;
        self.stored = cursor_of(&row.cursor);
        self.feeder = Feeder::resume_from(self.format, state, self.stored.clone());
        log.events().iter().for_each(|event| self.feeder.reader.count_kept(event));
        self.n_blocks = log.events().iter().map(|event| event.body.all_blocks().count()).sum();
        self.log = Arc::new(log);
        self.growing = None;
        self.problems = problems.into_iter().collect();
        self.opening = row.opening.clone();
    }

    fn is_gone(&self) -> bool {
        std::fs::metadata(&self.path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    }

    fn is_still(&self, read: &Cursor) -> bool {
        self.is_gone() || is_still(&self.path, read)
    }

    fn restart_log(&mut self) -> Result<(), ApiError> {
        let source = self.source;
        self.library.run_write(|store| store.restart_log(source)).map_err(store_error)?;
        let row = self.library.run_read(|reader| reader.source(source))?;
        self.take_over(&row, ReaderState::default(), EventLog::default(), Vec::new());
        self.stored = Cursor::at_start(FileIdentity::UNKNOWN);
        self.feeder = Feeder::new(self.format);
        Ok(())
    }

    fn catch_up(&mut self, progress: OnProgress<'_>, stopped: &AtomicBool) -> Result<(), ApiError> {
        let (library, path) = (Arc::clone(&self.library), self.path.clone());
        if self.sealed && path.exists() {
            if self.is_still(&self.stored) {
                return Ok(());
            }
            self.restart_log()?;
        }
        for _ in 0..RELOADS {
            let total = std::fs::metadata(&path).map(|metadata| metadata.len()).unwrap_or(0);
            self.broken = true;
            let feeder = std::mem::replace(&mut self.feeder, Feeder::new(self.format));
            let read = read_through(&library, &path, feeder, self.chunk, stopped, |act| {
                match act {
                    StoreChange::Restart => self.restart_log()?,
                    StoreChange::Write(ready) => self.write_batch(ready)?,
                }
                progress(self.stored.offset, total.max(self.stored.offset));
                Ok(())
            });
            match read {
                Ok(feeder) => {
                    self.feeder = feeder;
                    self.broken = false;
                    return Ok(());
                }
                // Another process has stored more meanwhile: load it and look again.
                Err(IngestError::Moved) => self.load_stored()?,
                Err(IngestError::Failed(error)) => return Err(error),
            }
        }
        Err(ApiError::new(ErrorCode::Store, "other programs keep reading this log into the store")
            .with_hint("close them, or try again")
            .with_path(&self.path))
    }

    /// Applies a message of the file follower. A message that does not fit the read position is checked
    /// against the file.
    pub(crate) fn apply_message(&mut self, message: TailMessage) -> Result<(), ApiError> {
        match message {
            TailMessage::Appended { offset, bytes, identity, .. } => {
                let end = offset.saturating_add(bytes.len() as u64);
                if self.broken || self.gone || self.sealed {
                    return self.reload_stored();
                }
                let fed = self.feeder.fed.offset;
                if end <= fed {
                    return Ok(());
                }
                let known = usize::try_from(fed.saturating_sub(offset)).unwrap_or(usize::MAX);
                if offset > fed || known > bytes.len() {
                    return self.reload_stored();
                }
                match self.feed_bytes(&bytes[known..], identity) {
                    Ok(()) => Ok(()),
                    Err(IngestError::Moved) => self.reload_stored(),
                    Err(IngestError::Failed(error)) => Err(error),
                }
            }
            TailMessage::Truncated { .. } | TailMessage::Replaced { .. } => self.reload_stored(),
            TailMessage::Gone { .. } => self.mark_gone(true),
            TailMessage::Found { .. } | TailMessage::Unreadable { .. } => Ok(()),
        }
    }

    pub(crate) fn reload_stored(&mut self) -> Result<(), ApiError> {
        self.load_stored()?;
        match self.catch_up(&|_, _| {}, &NEVER) {
            Ok(()) => self.mark_gone(false),
            Err(error) if error.code == ErrorCode::Missing => self.mark_gone(true),
            Err(error) => Err(error),
        }
    }

    fn mark_gone(&mut self, gone: bool) -> Result<(), ApiError> {
        let source = self.source;
        self.gone = gone;
        if self.library.run_read(|reader| reader.source(source))?.gone != gone
            && let Err(error) = self.library.run_write(|store| store.source_gone(source, gone))
        {
            // Not fatal: the next opening looks again.
            tracing::warn!(%error, "whether the log is there was not stored");
        }
        Ok(())
    }

    fn feed_bytes(&mut self, bytes: &[u8], identity: FileIdentity) -> Result<(), IngestError> {
        let mut rest = bytes;
        while let Some(parsed) = self.feeder.feed_bytes(&mut rest, identity) {
            self.broken = true;
            let ready = prepare_batch(&self.library, parsed)?;
            self.write_batch(ready)?;
            self.broken = false;
        }
        Ok(())
    }

    fn write_batch(&mut self, ready: ReadyBatch) -> Result<(), IngestError> {
        let ReadyBatch { events, packed, problems, units, end, state } = ready;
        let problems = self.problems.additions(problems);
        let known: Vec<Option<u32>> = units.iter().copied().map(Some).collect();
        let batch = Ingest {
            source: self.source,
            expected_offset: self.stored.offset,
            events: &events,
            problems: &problems,
            counts: &[BlockCounts { counter: stored_counter(AT_INGEST), units: &known }],
            cursor: &source_cursor(&end),
            reader: state.as_bytes(),
            rules: self.format.rules(),
        };
        self.library.run_write(|store| store.ingest_packed(&batch, &packed))?;
        self.stored = end;
        self.counts.extend_counts(AT_INGEST, self.n_blocks, &units);
        self.n_blocks += units.len();
        self.problems.extend(problems);
        let log = Arc::make_mut(&mut self.log);
        for parsed in events {
            if self.opening.is_none() {
                self.opening = opening_of(&parsed);
            }
            let event = self.kept.copy_record(&parsed.event, log);
            log.push(event);
        }
        self.derived = false;
        Ok(())
    }

    /// Makes the next revision. The flag is `true` if all earlier content is void.
    pub(crate) fn publish_revision(&mut self) -> (Arc<SessionSnapshot>, bool) {
        self.revision = self.revision.saturating_add(1);
        let restarted = std::mem::replace(&mut self.shown_generation, self.generation) != self.generation;
        let mut log = Arc::clone(&self.log);
        let mut problems = self.problems.clone();
        let Batch { events, problems: of_tail } = self.feeder.reader.unfinished_batch();
        problems.extend(of_tail);
        if self.opening.is_none() && events.iter().all(|parsed| opening_of(parsed).is_none()) {
            // A subagent has no human who speaks to it.
            self.opening = task_of(&self.path);
        }
        let opening = self.opening.clone().or_else(|| events.iter().find_map(opening_of));
        let mut tail = Vec::with_capacity(events.len());
        for parsed in events {
            let (event, record) = split_texts(parsed);
            Arc::make_mut(&mut log).push(event);
            tail.push(record);
        }
        self.recorded = crate::reading::recorded::reread_if_changed(&self.path, self.recorded.as_ref());
        let about = self.metadata(opening);
        let texts = self.log_texts(tail);
        let opened = SessionSnapshot::new(
            about,
            log,
            problems.into_problems(),
            texts,
            &self.tools,
            Arc::clone(&self.counts),
            Arc::new(ThisMachine),
        );
        self.extend_branch(&opened);
        let opened = Arc::new(opened);
        self.published = Arc::downgrade(&opened);
        (opened, restarted)
    }

    /// Brings the current branch up to date and lends it to the next revision. The first question about the branch copies it.
    fn extend_branch(&mut self, opened: &SessionSnapshot) {
        drop(self.published.upgrade().and_then(|before| before.withdraw_branch()));
        let (log, tools) = (&self.log, &self.tools);
        let growing =
            self.growing.get_or_insert_with(|| Arc::new(GrowingBranch::build(log, tools.table().clone())));
        Arc::make_mut(growing).extend(log);
        opened.lend_branch(Arc::clone(growing));
    }

    fn metadata(&self, opening: Option<String>) -> LogMetadata {
        LogMetadata {
            session: self.session(),
            revision: self.revision,
            path: self.path.display().to_string(),
            format: self.format,
            live: !self.gone && is_file_live(&self.path),
            gone: self.gone,
            opening,
            recorded: self.recorded.clone(),
        }
    }

    /// Returns where the log's texts are: the first records in the store, those of the `unfinished_batch` in memory.
    fn log_texts(&self, tail: Vec<RecordTexts>) -> Texts {
        texts_from_store(&self.library, (self.source, self.generation), self.log.events().len(), tail)
    }

    pub(crate) fn save_derived(&mut self) -> Result<(), ApiError> {
        if self.derived {
            return Ok(());
        }
        let published = self.published.upgrade().filter(|opened| Arc::ptr_eq(&opened.log, &self.log));
        let opened = published.unwrap_or_else(|| {
            // The last revision has a provisional record, which is not stored.
            let (log, texts) = (Arc::clone(&self.log), self.log_texts(Vec::new()));
            let (about, counts) = (self.metadata(None), Arc::clone(&self.counts));
            Arc::new(SessionSnapshot::new(
                about,
                log,
                Vec::new(),
                texts,
                &self.tools,
                counts,
                Arc::new(ThisMachine),
            ))
        });
        derive::save_derived(&self.library, self.source, &opened, &derive::figures_of(&opened)?)?;
        self.derived = true;
        Ok(())
    }
}

fn start_as(library: &Library, source: SourceId, name: &str, format: Format) -> Result<SourceId, ApiError> {
    let started = library.run_write(|store| {
        store.restart_log(source)?;
        store.source(name, format.name())
    });
    started.map_err(store_error)
}

pub(crate) fn is_still(path: &Path, read: &Cursor) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.len() == read.offset) && continues(path, read)
}

/// Reads a regular file's first bytes, and changes its access time only if the system insists.
pub(crate) fn head_of(path: &Path) -> Result<Vec<u8>, ApiError> {
    let mut head = Vec::new();
    read_until(path, None, HEAD, |message| {
        if let TailMessage::Appended { bytes, .. } = message {
            head = bytes;
        }
        ControlFlow::Break(())
    })
    .map_err(tail_error)?;
    Ok(head)
}

#[cfg(test)]
mod format_tests;
#[cfg(test)]
mod kill_tests;
#[cfg(test)]
mod tests;
