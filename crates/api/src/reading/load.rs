//! Loading one log without a store: files and standard input on the command line.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cwl_discover::{HEAD, opening_of, plain_beginning, task_of};
use cwl_engine::{EventBody, EventLog, ProblemList, SessionEvent};
use cwl_formats::{Batch, DetectFailure, Format, LogReader, detect_format};
use cwl_tail::{TailMessage, read_until};

use crate::error::{stdin_path, undetected_format, unreadable_file};
use crate::measure::opened::{LogMetadata, SessionSnapshot};
use crate::reading::packed::PackedLog;
use crate::stored::counts::Counts;
use crate::stored::texts::{RecordTexts, Texts, split_texts};
use crate::tables::tools::Tools;
use crate::{ApiError, ErrorCode};

pub(crate) const CHUNK: usize = 4 << 20;

#[derive(Debug, Clone)]
pub enum LogInput {
    File(PathBuf),
    /// Bytes read already, such as standard input.
    Bytes(Vec<u8>),
}

/// Receives progress: bytes read, and bytes in total if known.
pub type ReadProgress<'a> = &'a dyn Fn(u64, Option<u64>);

/// Loads a log without a store. `format` forces a log format; `None` detects it.
///
/// # Errors
/// If the log is missing, unreadable, empty, binary or in no known format.
pub fn load_file(input: &LogInput, format: Option<&str>, tools: &Tools) -> Result<SessionSnapshot, ApiError> {
    let forced = format.map(read_format).transpose()?;
    match input {
        LogInput::File(path) => load_path(path, forced, tools, &|_, _| {}),
        LogInput::Bytes(bytes) => {
            let mut loading = LogLoader::new(forced);
            loading.feed_bytes(bytes.clone(), &stdin_path())?;
            loading.finish_log(&stdin_path(), tools)
        }
    }
}

pub(crate) fn load_path(
    path: &Path,
    forced: Option<Format>,
    tools: &Tools,
    progress: ReadProgress<'_>,
) -> Result<SessionSnapshot, ApiError> {
    let mut loading = LogLoader::new(forced);
    let mut failed = None;
    let total = std::fs::metadata(path).map(|metadata| metadata.len()).ok();
    read_until(path, None, CHUNK, |message| {
        match message {
            TailMessage::Appended { offset, bytes, .. } => {
                let done = offset.saturating_add(bytes.len() as u64);
                if let Err(error) = loading.feed_bytes(bytes, path) {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
                progress(done, total);
            }
            TailMessage::Truncated { .. } | TailMessage::Replaced { .. } => loading = LogLoader::new(forced),
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    failed.map_or(Ok(()), Err)?;
    loading.finish_log(path, tools)
}

/// Loads a pipe piece by piece, with no more in memory than for a file. `name` stands for the pipe in
/// messages.
pub(crate) fn load_stream(
    mut stream: impl Read,
    name: &Path,
    forced: Option<Format>,
    tools: &Tools,
    progress: ReadProgress<'_>,
) -> Result<SessionSnapshot, ApiError> {
    let mut loading = LogLoader::new(forced);
    let mut done = 0;
    loop {
        let mut bytes = Vec::new();
        let read = (&mut stream).take(CHUNK as u64).read_to_end(&mut bytes);
        read.map_err(|error| unreadable_file(name, &error))?;
        if bytes.is_empty() {
            return loading.finish_log(name, tools);
        }
        done += bytes.len() as u64;
        loading.feed_bytes(bytes, name)?;
        progress(done, None);
    }
}

pub(crate) fn load_made(
    document: &str,
    format: Format,
    name: &Path,
    tools: &Tools,
) -> Result<SessionSnapshot, ApiError> {
    let mut loading = LogLoader::new(Some(format));
    loading.feed_bytes(document.as_bytes().to_vec(), name)?;
    loading.finish_log(name, tools)
}

pub(crate) fn read_format(name: &str) -> Result<Format, ApiError> {
    name.parse().map_err(|error: cwl_formats::UnknownFormat| {
        ApiError::new(ErrorCode::UnknownFormat, error.to_string())
    })
}

/// Checks that a forced format fits a log; `detected` is the format guessed from its first bytes.
///
/// # Errors
/// If the forced format finds no message.
pub(crate) fn check_forced<'e>(
    forced: Format,
    detected: Result<Format, DetectFailure>,
    mut events: impl Iterator<Item = &'e SessionEvent>,
    path: &Path,
) -> Result<(), ApiError> {
    if detected == Ok(forced) || events.any(|event| matches!(event.body, EventBody::Message(_))) {
        return Ok(());
    }
    match detected {
        Err(why @ (DetectFailure::Empty | DetectFailure::Binary | DetectFailure::Utf16)) => {
            Err(undetected_format(path, why))
        }
        _ => {
            let hint = match detected {
                Ok(found) => format!("it begins like {found}: leave --format out"),
                Err(_) => "check which program wrote it".to_owned(),
            };
            let message = format!("nothing in it reads as {forced}");
            Err(ApiError::new(ErrorCode::UnknownFormat, message).with_hint(hint).with_path(path))
        }
    }
}

/// Like [`check_forced`], but reads the file only up to its first message.
///
/// # Errors
/// If the format finds no message, or the file cannot be read.
pub(crate) fn check_reads(path: &Path, forced: Format) -> Result<(), ApiError> {
    let mut looked = FormatProbe::new(forced);
    read_until(path, None, CHUNK, |message| {
        match message {
            TailMessage::Appended { bytes, .. } => looked.feed_bytes(&bytes),
            TailMessage::Truncated { .. } | TailMessage::Replaced { .. } => looked = FormatProbe::new(forced),
            _ => {}
        }
        if looked.is_told() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let FormatProbe { reader, detected, message, .. } = looked;
    let message = message.or_else(|| message_of(reader.unfinished_batch()));
    check_forced(forced, detected, message.iter(), path)
}

/// Searches a file for the first message that a format finds.
struct FormatProbe {
    reader: LogReader,
    packed: Option<PackedLog>,
    detected: Result<Format, DetectFailure>,
    message: Option<SessionEvent>,
}

impl FormatProbe {
    fn new(forced: Format) -> Self {
        Self {
            reader: LogReader::new(forced),
            packed: None,
            detected: Err(DetectFailure::Empty),
            message: None,
        }
    }

    /// The first call decides the detected format, so it needs a whole chunk or the whole log.
    fn feed_bytes(&mut self, bytes: &[u8]) {
        if self.detected == Err(DetectFailure::Empty) {
            self.detected = detect_format(&plain_beginning(bytes, HEAD));
            self.packed = PackedLog::detect(bytes);
        }
        let mut rest = bytes;
        while !rest.is_empty() && !self.is_told() {
            let batch = match &mut self.packed {
                Some(packed) => packed.feed_reader(&mut self.reader, &mut rest, CHUNK).0,
                None => self.reader.feed_bytes(std::mem::take(&mut rest)),
            };
            self.message = message_of(batch);
        }
    }

    fn is_told(&self) -> bool {
        self.message.is_some() || self.detected == Ok(self.reader.format())
    }
}

fn message_of(batch: Batch) -> Option<SessionEvent> {
    let mut events = batch.events.into_iter().map(|parsed| parsed.event);
    events.find(|event| matches!(event.body, EventBody::Message(_)))
}

#[derive(Default)]
struct LogLoader {
    forced: Option<Format>,
    detected: Option<Result<Format, DetectFailure>>,
    reader: Option<LogReader>,
    packed: Option<PackedLog>,
    /// Records so far, parsed as bytes arrive, so the log is not held twice.
    log: EventLog,
    records: Vec<RecordTexts>,
    opening: Option<String>,
    problems: ProblemList,
}

impl LogLoader {
    fn new(forced: Option<Format>) -> Self {
        Self { forced, ..Self::default() }
    }

    /// The first call decides the detected format, so it needs a whole chunk or the whole log.
    fn feed_bytes(&mut self, bytes: Vec<u8>, path: &Path) -> Result<(), ApiError> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => {
                let detected = detect_format(&plain_beginning(&bytes, HEAD));
                let format = match self.forced {
                    Some(format) => format,
                    None => detected.map_err(|why| undetected_format(path, why))?,
                };
                self.detected = Some(detected);
                self.packed = PackedLog::detect(&bytes);
                self.reader.insert(LogReader::new(format))
            }
        };
        let batch = match &mut self.packed {
            Some(packed) => packed.feed_reader(reader, &mut &bytes[..], usize::MAX).0,
            None => reader.feed_bytes(&bytes),
        };
        self.take_batch(batch);
        Ok(())
    }

    fn take_batch(&mut self, batch: Batch) {
        for parsed in batch.events {
            if self.opening.is_none() {
                self.opening = opening_of(&parsed);
            }
            let (event, record) = split_texts(parsed);
            self.log.push(event);
            self.records.push(record);
        }
        self.problems.extend(batch.problems);
    }

    fn finish_log(mut self, path: &Path, tools: &Tools) -> Result<SessionSnapshot, ApiError> {
        let Some(reader) = self.reader.take() else {
            return Err(undetected_format(path, DetectFailure::Empty));
        };
        self.take_batch(reader.unfinished_batch());
        let Self { forced, detected, reader: _, packed, log, records, opening, mut problems } = self;
        problems.extend(packed.and_then(PackedLog::end_problem));
        if let (Some(forced), Some(detected)) = (forced, detected) {
            check_forced(forced, detected, log.events().iter(), path)?;
        }
        let opening = opening.or_else(|| task_of(path));
        let about = LogMetadata {
            session: 0,
            revision: 1,
            path: path.display().to_string(),
            format: reader.format(),
            live: false,
            gone: false,
            opening,
            recorded: crate::reading::recorded::read_beside(path).map(Arc::new),
        };
        Ok(SessionSnapshot::new(
            about,
            Arc::new(log),
            problems.into_problems(),
            Texts { stored: None, records },
            tools,
            Arc::new(Counts::default()),
        ))
    }
}
