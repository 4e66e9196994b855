//! A followed log: what is read of it goes into the store, and a new [`Opened`] is made of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cwl_engine::{EventLog, ParsedEvent, Problem};
use cwl_formats::{Batch, Format, Reader, ReaderState, detect};
use cwl_store::{BlockCounts, ContentHash, Ingest, SourceId, SourceRow, StoreError};
use cwl_tail::{Cursor, FileIdentity, TailMessage, read_once};
use cwl_tokens::{Tokenizer, count_all};

use crate::counts::{Counts, counter};
use crate::error::{undetected, unreadable};
use crate::library::Library;
use crate::load::{CHUNK, HEAD, opening_of};
use crate::opened::{About, Opened};
use crate::position::{cursor_of, read_state, source_cursor, write_state};
use crate::texts::{Texts, split};
use crate::tools::Tools;
use crate::{ApiError, ErrorCode, derive};

/// How often a log is loaded again because another process was faster.
const RELOADS: usize = 16;

/// What reading a log reports on the way: bytes done and in all.
pub(crate) type OnProgress<'a> = &'a dyn Fn(u64, u64);

/// One followed log. What it holds is what the store holds, and the bytes of the unfinished last line.
pub(crate) struct Live {
    library: Arc<Library>,
    tools: Tools,
    pub(crate) path: PathBuf,
    format: Format,
    source: SourceId,
    generation: u32,
    reader: Reader,
    /// Behind the last complete line: what the store has.
    stored: Cursor,
    /// Behind the last byte that was fed.
    fed: Cursor,
    log: EventLog,
    problems: Vec<Problem>,
    n_blocks: usize,
    counts: Arc<Counts>,
    opening: Option<String>,
    pub(crate) gone: bool,
    revision: u32,
    /// The generation of the last revision.
    shown_generation: u32,
    derived: bool,
    /// A batch was read but not stored: what is here must be loaded again before reading on.
    broken: bool,
}

/// Why a batch was not stored.
enum Unstored {
    /// Another process has read on in this log.
    Moved,
    /// The store fails.
    Store(ApiError),
}

impl From<StoreError> for Unstored {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Moved { .. } => Self::Moved,
            error => Self::Store(error.into()),
        }
    }
}

impl Live {
    /// Opens a log: loads what the store has of it, and reads on to the present end.
    pub(crate) fn open(
        library: Arc<Library>,
        path: &Path,
        format: Option<Format>,
        tools: Tools,
        on_session: &dyn Fn(u32),
        progress: OnProgress<'_>,
    ) -> Result<Self, ApiError> {
        let name = path.display().to_string();
        let known = library.read(|reader| reader.find_source(&name))?.filter(|row| row.n_events > 0);
        let (format, gone) = match (format, &known, head_of(path)) {
            (Some(format), _, head) => (format, head.map(|_| false)?),
            (None, Some(row), Ok(_)) => (crate::load::read_format(&row.format)?, false),
            (None, Some(row), Err(error)) if error.code == ErrorCode::Missing => {
                (crate::load::read_format(&row.format)?, true)
            }
            (None, None, Ok(head)) => (detect(&head).map_err(|why| undetected(path, why))?, false),
            (None, _, Err(error)) => return Err(error),
        };
        let source = library.write(|store| store.source(&name, format.name()))?;
        let mut live = Self {
            library,
            tools,
            path: path.to_owned(),
            format,
            source,
            generation: 0,
            reader: Reader::new(format),
            stored: Cursor::start(FileIdentity::UNKNOWN),
            fed: Cursor::start(FileIdentity::UNKNOWN),
            log: EventLog::default(),
            problems: Vec::new(),
            n_blocks: 0,
            counts: Arc::default(),
            opening: None,
            gone,
            revision: 0,
            shown_generation: 0,
            derived: false,
            broken: false,
        };
        on_session(live.session());
        live.load()?;
        if gone {
            live.mark_gone(true)?;
        } else {
            live.catch_up(progress)?;
            live.mark_gone(false)?;
        }
        live.shown_generation = live.generation;
        Ok(live)
    }

    /// Returns the number by which commands name the session.
    pub(crate) fn session(&self) -> u32 {
        u32::try_from(self.source.number()).unwrap_or(u32::MAX)
    }

    /// Returns where a follower is to start.
    pub(crate) fn cursor(&self) -> Cursor {
        self.fed.clone()
    }

    /// Loads what the store has.
    fn load(&mut self) -> Result<(), ApiError> {
        let source = self.source;
        let (row, state, (log, problems)) = self
            .library
            .read(|reader| Ok((reader.source(source)?, reader.reader(source)?, reader.load_log(source)?)))?;
        let state = state.as_deref().and_then(read_state).filter(|state| state.offset == row.cursor.offset);
        match state {
            Some(state) => self.take_over(&row, state, log, problems),
            None if row.cursor.offset == 0 && row.n_events == 0 => {
                self.take_over(&row, ReaderState::default(), log, problems);
            }
            // A log that cannot be gone on with, or a state of another release: read it again.
            None => self.restart()?,
        }
        Ok(())
    }

    fn take_over(&mut self, row: &SourceRow, state: ReaderState, log: EventLog, problems: Vec<Problem>) {
        if row.generation != self.generation {
            self.counts = Arc::default();
        }
        self.broken = false;
        self.generation = row.generation;
        self.reader = Reader::resume(self.format, state);
        self.stored = cursor_of(&row.cursor);
        self.fed = self.stored.clone();
        self.n_blocks = log.events().iter().map(|event| event.body.blocks().count()).sum();
        self.log = log;
        self.problems = problems;
        self.opening = row.opening.clone();
    }

    /// Forgets everything of the log, in the store as well.
    fn restart(&mut self) -> Result<(), ApiError> {
        let source = self.source;
        self.library.write(|store| store.restart(source))?;
        let row = self.library.read(|reader| reader.source(source))?;
        self.take_over(&row, ReaderState::default(), EventLog::default(), Vec::new());
        self.stored = Cursor::start(FileIdentity::UNKNOWN);
        self.fed = self.stored.clone();
        Ok(())
    }

    /// Reads from where it stands to the present end of the file.
    fn catch_up(&mut self, progress: OnProgress<'_>) -> Result<(), ApiError> {
        for _ in 0..RELOADS {
            let total = std::fs::metadata(&self.path).map(|metadata| metadata.len()).unwrap_or(0);
            let path = self.path.clone();
            let from = self.fed.clone();
            let mut failed = None;
            let read = read_once(&path, Some(&from), CHUNK, |message| {
                if failed.is_none() {
                    failed = self.take(message).err();
                    progress(self.fed.offset, total.max(self.fed.offset));
                }
            });
            match failed {
                None => return read.map(drop).map_err(ApiError::from),
                // Somebody else has stored it meanwhile: take that, and look again.
                Some(Unstored::Moved) => self.load()?,
                Some(Unstored::Store(error)) => return Err(error),
            }
        }
        Err(ApiError::new(ErrorCode::Store, "other programs keep reading this log into the store")
            .hint("close them, or try again")
            .at(&self.path))
    }

    fn take(&mut self, message: TailMessage) -> Result<(), Unstored> {
        match message {
            TailMessage::Appended { bytes, identity, .. } => self.feed(&bytes, identity),
            TailMessage::Truncated { .. } | TailMessage::Replaced { .. } => {
                self.restart().map_err(Unstored::Store)
            }
            TailMessage::Gone { .. } | TailMessage::Found { .. } | TailMessage::Unreadable { .. } => Ok(()),
        }
    }

    /// Takes a message of the follower; what it says is checked against the file where it does not fit.
    pub(crate) fn message(&mut self, message: TailMessage) -> Result<(), ApiError> {
        match message {
            TailMessage::Appended { offset, bytes, identity, .. } => {
                let end = offset.saturating_add(bytes.len() as u64);
                if self.broken || self.gone {
                    return self.reload();
                }
                if end <= self.fed.offset {
                    return Ok(());
                }
                let known = usize::try_from(self.fed.offset.saturating_sub(offset)).unwrap_or(usize::MAX);
                if offset > self.fed.offset || known > bytes.len() {
                    return self.reload();
                }
                match self.feed(&bytes[known..], identity) {
                    Ok(()) => Ok(()),
                    Err(Unstored::Moved) => self.reload(),
                    Err(Unstored::Store(error)) => Err(error),
                }
            }
            TailMessage::Truncated { .. } | TailMessage::Replaced { .. } => self.reload(),
            TailMessage::Gone { .. } => self.mark_gone(true),
            TailMessage::Found { .. } | TailMessage::Unreadable { .. } => Ok(()),
        }
    }

    /// Loads what the store has and reads on to the present end; the file decides what still stands.
    pub(crate) fn reload(&mut self) -> Result<(), ApiError> {
        self.load()?;
        match self.catch_up(&|_, _| {}) {
            Ok(()) => self.mark_gone(false),
            Err(error) if error.code == ErrorCode::Missing => self.mark_gone(true),
            Err(error) => Err(error),
        }
    }

    fn mark_gone(&mut self, gone: bool) -> Result<(), ApiError> {
        let source = self.source;
        if self.library.read(|reader| reader.source(source))?.gone != gone {
            self.library.write(|store| store.source_gone(source, gone))?;
        }
        self.gone = gone;
        Ok(())
    }

    fn feed(&mut self, bytes: &[u8], identity: FileIdentity) -> Result<(), Unstored> {
        let before = self.reader.offset();
        let batch = self.reader.feed(bytes);
        let after = self.reader.offset();
        let mut fed = Cursor { identity, ..self.fed.clone() };
        let stored = if after > before {
            // The newline is among these bytes, so the complete part ends in them.
            let n_complete = usize::try_from(after.saturating_sub(fed.offset)).unwrap_or(0).min(bytes.len());
            fed.advance(&bytes[..n_complete]);
            let stored = fed.clone();
            fed.advance(&bytes[n_complete..]);
            Some(stored)
        } else {
            fed.advance(bytes);
            None
        };
        if let Some(stored) = stored {
            self.broken = true;
            self.store(batch, stored)?;
            self.broken = false;
        }
        self.fed = fed;
        Ok(())
    }

    /// Writes a batch with its counts, the cursor and the reader's state as one transaction.
    fn store(&mut self, batch: Batch, cursor: Cursor) -> Result<(), Unstored> {
        let Batch { events, problems } = batch;
        let units = self.count(&events).map_err(Unstored::Store)?;
        let known: Vec<Option<u32>> = units.iter().copied().map(Some).collect();
        let state = write_state(self.reader.state());
        self.library.write(|store| {
            store.ingest(&Ingest {
                source: self.source,
                expected_offset: self.stored.offset,
                events: &events,
                problems: &problems,
                counts: &[BlockCounts { counter: counter(Tokenizer::O200k), units: &known }],
                cursor: &source_cursor(&cursor),
                reader: state.as_bytes(),
            })
        })?;
        self.stored = cursor;
        self.counts.extend(Tokenizer::O200k, self.n_blocks, &units);
        self.n_blocks += units.len();
        self.problems.extend(problems);
        for parsed in events {
            if self.opening.is_none() {
                self.opening = opening_of(&parsed);
            }
            self.log.push(parsed.event);
        }
        self.derived = false;
        Ok(())
    }

    /// Counts the texts of a batch; what the store has counted before is not counted again.
    fn count(&self, events: &[ParsedEvent]) -> Result<Vec<u32>, ApiError> {
        let texts: Vec<&str> =
            events.iter().flat_map(|event| &event.contents).map(|content| content.text.as_str()).collect();
        let hashes: Vec<ContentHash> = texts.iter().map(|text| ContentHash::of(text)).collect();
        let known = self.library.read(|reader| reader.known_counts(counter(Tokenizer::O200k), &hashes))?;
        let unknown: Vec<&str> =
            texts.iter().zip(&known).filter(|(_, units)| units.is_none()).map(|(text, _)| *text).collect();
        let mut counted = count_all(Tokenizer::O200k, &unknown).into_iter();
        Ok(known.into_iter().map(|units| units.or_else(|| counted.next()).unwrap_or(0)).collect())
    }

    /// Makes the next revision; also tells whether everything before was void.
    pub(crate) fn publish(&mut self) -> (Arc<Opened>, bool) {
        self.revision = self.revision.saturating_add(1);
        let restarted = std::mem::replace(&mut self.shown_generation, self.generation) != self.generation;
        let mut log = self.log.clone();
        let mut problems = self.problems.clone();
        let Batch { events, problems: of_tail } = self.reader.tail();
        problems.extend(of_tail);
        let opening = self.opening.clone().or_else(|| events.iter().find_map(opening_of));
        let n_stored = u32::try_from(log.events().len()).unwrap_or(u32::MAX);
        let mut tail = Vec::with_capacity(events.len());
        for parsed in events {
            let (event, record) = split(parsed);
            log.push(event);
            tail.push(record);
        }
        let about = About {
            session: self.session(),
            revision: self.revision,
            path: self.path.display().to_string(),
            format: self.format,
            live: !self.gone,
            gone: self.gone,
            opening,
        };
        let texts = Texts::Stored {
            library: Arc::clone(&self.library),
            source: self.source,
            generation: self.generation,
            n_stored,
            tail,
        };
        let opened = Opened::new(about, log, problems, texts, &self.tools, Arc::clone(&self.counts));
        // Built here, so that no request waits for it.
        drop(opened.current());
        (Arc::new(opened), restarted)
    }

    /// Stores episodes, dependencies and diagnostics of the branch that the session is on.
    pub(crate) fn save_derived(&mut self) -> Result<(), ApiError> {
        if self.derived {
            return Ok(());
        }
        let log = &self.log;
        let source = self.source;
        self.library.write(|store| derive::save(store, source, log, &self.tools.table))?;
        self.derived = true;
        Ok(())
    }
}

/// Reads the first bytes of a regular file.
pub(crate) fn head_of(path: &Path) -> Result<Vec<u8>, ApiError> {
    use std::io::Read;
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "a folder" } else { "a pipe or a device" };
        return Err(crate::error::not_a_file(path, what));
    }
    let mut head = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(HEAD as u64).read_to_end(&mut head))
        .map_err(|error| unreadable(path, &error))?;
    Ok(head)
}

#[cfg(test)]
mod tests;
