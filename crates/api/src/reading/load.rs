//! Loading one log at once, without any store: files and standard input of the command line.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cwl_discover::{HEAD, opening_of, plain, task_of};
use cwl_engine::{EventBody, EventLog, ProblemList, SessionEvent};
use cwl_formats::{Batch, Format, Reader, Undetected, detect};
use cwl_tail::{TailMessage, read_until};

use crate::error::{stdin_path, undetected, unreadable};
use crate::measure::opened::{About, Opened};
use crate::reading::packed::Packed;
use crate::stored::counts::Counts;
use crate::stored::texts::{Record, Texts, split};
use crate::tables::tools::Tools;
use crate::{ApiError, ErrorCode};

/// How much is read at once, bytes.
pub(crate) const CHUNK: usize = 4 << 20;

/// Where a log comes from.
#[derive(Debug, Clone)]
pub enum LogInput {
    /// A file.
    File(PathBuf),
    /// Bytes that were read already, as from standard input.
    Bytes(Vec<u8>),
}

/// Takes how far reading is: bytes done, and bytes in all where that is known.
pub type Progress<'a> = &'a dyn Fn(u64, Option<u64>);

/// Loads a log without any store; `format` forces a log format, else it is detected.
///
/// # Errors
/// Where the log is missing, unreadable, empty, binary or of no known format; the message names the way out.
pub fn load_file(input: &LogInput, format: Option<&str>, tools: &Tools) -> Result<Opened, ApiError> {
    let forced = format.map(read_format).transpose()?;
    match input {
        LogInput::File(path) => load_path(path, forced, tools, &|_, _| {}),
        LogInput::Bytes(bytes) => {
            let mut loading = Loading::of(forced);
            loading.feed(bytes.clone(), &stdin_path())?;
            loading.finish(&stdin_path(), tools)
        }
    }
}

/// Loads a regular file.
pub(crate) fn load_path(
    path: &Path,
    forced: Option<Format>,
    tools: &Tools,
    progress: Progress<'_>,
) -> Result<Opened, ApiError> {
    let mut loading = Loading::of(forced);
    let mut failed = None;
    let total = std::fs::metadata(path).map(|metadata| metadata.len()).ok();
    read_until(path, None, CHUNK, |message| {
        match message {
            TailMessage::Appended { offset, bytes, .. } => {
                let done = offset.saturating_add(bytes.len() as u64);
                if let Err(error) = loading.feed(bytes, path) {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
                progress(done, total);
            }
            TailMessage::Truncated { .. } | TailMessage::Replaced { .. } => loading = Loading::of(forced),
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    failed.map_or(Ok(()), Err)?;
    loading.finish(path, tools)
}

/// Loads what comes out of a pipe, piece by piece: no more of it is held than of a file. `name` stands for it in messages.
pub(crate) fn load_stream(
    mut stream: impl Read,
    name: &Path,
    forced: Option<Format>,
    tools: &Tools,
    progress: Progress<'_>,
) -> Result<Opened, ApiError> {
    let mut loading = Loading::of(forced);
    let mut done = 0;
    loop {
        let mut bytes = Vec::new();
        let read = (&mut stream).take(CHUNK as u64).read_to_end(&mut bytes);
        read.map_err(|error| unreadable(name, &error))?;
        if bytes.is_empty() {
            return loading.finish(name, tools);
        }
        done += bytes.len() as u64;
        loading.feed(bytes, name)?;
        progress(done, None);
    }
}

/// Loads a log that was made in memory and is of a known format, as a session of a database is.
pub(crate) fn load_made(
    document: &str,
    format: Format,
    name: &Path,
    tools: &Tools,
) -> Result<Opened, ApiError> {
    let mut loading = Loading::of(Some(format));
    loading.feed(document.as_bytes().to_vec(), name)?;
    loading.finish(name, tools)
}

/// Reads the name of a log format.
pub(crate) fn read_format(name: &str) -> Result<Format, ApiError> {
    name.parse().map_err(|error: cwl_formats::UnknownFormat| {
        ApiError::new(ErrorCode::UnknownFormat, error.to_string())
    })
}

/// Checks that a format that was forced reads anything of a log; `detected` is what its first bytes say.
///
/// # Errors
/// Where it reads no message.
pub(crate) fn check_forced<'e>(
    forced: Format,
    detected: Result<Format, Undetected>,
    mut events: impl Iterator<Item = &'e SessionEvent>,
    path: &Path,
) -> Result<(), ApiError> {
    if detected == Ok(forced) || events.any(|event| matches!(event.body, EventBody::Message(_))) {
        return Ok(());
    }
    match detected {
        Err(why @ (Undetected::Empty | Undetected::Binary | Undetected::Utf16)) => Err(undetected(path, why)),
        _ => {
            let hint = match detected {
                Ok(found) => format!("it begins like {found}: leave --format out"),
                Err(_) => "check which program wrote it".to_owned(),
            };
            let message = format!("nothing in it reads as {forced}");
            Err(ApiError::new(ErrorCode::UnknownFormat, message).hint(hint).at(path))
        }
    }
}

/// Checks of a file what [`check_forced`] checks of its events, and reads it no further than to its first message.
///
/// # Errors
/// Where the format reads no message of it, and where it cannot be read.
pub(crate) fn check_reads(path: &Path, forced: Format) -> Result<(), ApiError> {
    let mut looked = Looking::new(forced);
    read_until(path, None, CHUNK, |message| {
        match message {
            TailMessage::Appended { bytes, .. } => looked.feed(&bytes),
            TailMessage::Truncated { .. } | TailMessage::Replaced { .. } => looked = Looking::new(forced),
            _ => {}
        }
        if looked.is_told() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let Looking { reader, detected, message, .. } = looked;
    let message = message.or_else(|| message_of(reader.tail()));
    check_forced(forced, detected, message.iter(), path)
}

/// A file that is looked through for the first message that a format reads of it.
struct Looking {
    reader: Reader,
    packed: Option<Packed>,
    /// The format by the content.
    detected: Result<Format, Undetected>,
    message: Option<SessionEvent>,
}

impl Looking {
    fn new(forced: Format) -> Self {
        Self { reader: Reader::new(forced), packed: None, detected: Err(Undetected::Empty), message: None }
    }

    /// Takes the next bytes. The first of them tell the format, so they are as many as a log has, or a chunk.
    fn feed(&mut self, bytes: &[u8]) {
        if self.detected == Err(Undetected::Empty) {
            self.detected = detect(&plain(bytes, HEAD));
            self.packed = Packed::of(bytes);
        }
        let mut rest = bytes;
        while !rest.is_empty() && !self.is_told() {
            let batch = match &mut self.packed {
                Some(packed) => packed.feed(&mut self.reader, &mut rest, CHUNK).0,
                None => self.reader.feed(std::mem::take(&mut rest)),
            };
            self.message = message_of(batch);
        }
    }

    /// Tells whether it is known that the format reads the file.
    fn is_told(&self) -> bool {
        self.message.is_some() || self.detected == Ok(self.reader.format())
    }
}

fn message_of(batch: Batch) -> Option<SessionEvent> {
    let mut events = batch.events.into_iter().map(|parsed| parsed.event);
    events.find(|event| matches!(event.body, EventBody::Message(_)))
}

#[derive(Default)]
struct Loading {
    forced: Option<Format>,
    /// The format by the content.
    detected: Option<Result<Format, Undetected>>,
    reader: Option<Reader>,
    packed: Option<Packed>,
    /// The records so far, taken apart as they come, so that no log is held twice.
    log: EventLog,
    records: Vec<Record>,
    opening: Option<String>,
    problems: ProblemList,
}

impl Loading {
    /// Begins with nothing.
    fn of(forced: Option<Format>) -> Self {
        Self { forced, ..Self::default() }
    }

    /// Takes the next bytes. The first of them tell the format, so they are as many as a log has, or a chunk.
    fn feed(&mut self, bytes: Vec<u8>, path: &Path) -> Result<(), ApiError> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => {
                let detected = detect(&plain(&bytes, HEAD));
                let format = match self.forced {
                    Some(format) => format,
                    None => detected.map_err(|why| undetected(path, why))?,
                };
                self.detected = Some(detected);
                self.packed = Packed::of(&bytes);
                self.reader.insert(Reader::new(format))
            }
        };
        let batch = match &mut self.packed {
            Some(packed) => packed.feed(reader, &mut &bytes[..], usize::MAX).0,
            None => reader.feed(&bytes),
        };
        self.take(batch);
        Ok(())
    }

    fn take(&mut self, batch: Batch) {
        for parsed in batch.events {
            if self.opening.is_none() {
                self.opening = opening_of(&parsed);
            }
            let (event, record) = split(parsed);
            self.log.push(event);
            self.records.push(record);
        }
        self.problems.extend(batch.problems);
    }

    fn finish(mut self, path: &Path, tools: &Tools) -> Result<Opened, ApiError> {
        let Some(reader) = self.reader.take() else { return Err(undetected(path, Undetected::Empty)) };
        self.take(reader.tail());
        let Self { forced, detected, reader: _, packed, log, records, opening, mut problems } = self;
        problems.extend(packed.and_then(Packed::end));
        if let (Some(forced), Some(detected)) = (forced, detected) {
            check_forced(forced, detected, log.events().iter(), path)?;
        }
        let opening = opening.or_else(|| task_of(path));
        let about = About {
            session: 0,
            revision: 1,
            path: path.display().to_string(),
            format: reader.format(),
            live: false,
            gone: false,
            opening,
            recorded: crate::reading::recorded::beside(path).map(Arc::new),
        };
        Ok(Opened::new(
            about,
            Arc::new(log),
            problems.into_problems(),
            Texts { stored: None, records },
            tools,
            Arc::new(Counts::default()),
        ))
    }
}
