//! Bytes of a log → its snapshot, all in memory.

pub mod bundle;
pub mod packed;
mod text_sizes;

use std::path::Path;
use std::sync::Arc;

use cwl_engine::{EventBody, EventLog, ProblemList, SessionEvent};
use cwl_formats::title::opening_of;
use cwl_formats::{Batch, DetectFailure, Format, HEAD, LogReader, detect_format, plain_beginning};

use crate::access::{HostAccess, NoHost};
use crate::load::packed::PackedLog;
use crate::measure::opened::{LogMetadata, SessionSnapshot};
use crate::tables::tools::Tools;
use crate::texts::counts::Counts;
use crate::texts::log_texts::{RecordTexts, Texts, split_texts};
use crate::{ApiError, ErrorCode};

/// Unpacked bytes that are searched at once.
const PIECE: usize = 4 << 20;

/// Loads a whole log. `name` stands for the log in messages; `forced` is its format, if it is not to be detected.
///
/// # Errors
/// If the format cannot be detected, or finds no message.
pub fn load_log(
    bytes: &[u8],
    forced: Option<Format>,
    name: &Path,
    tools: &Tools,
) -> Result<SessionSnapshot, ApiError> {
    let mut loading = LogLoader::new(forced);
    loading.feed_bytes(bytes, name)?;
    loading.finish_log(name, tools, Arc::new(NoHost))
}

pub fn read_format(name: &str) -> Result<Format, ApiError> {
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

pub fn undetected_format(path: &Path, why: cwl_formats::DetectFailure) -> ApiError {
    use cwl_formats::DetectFailure as U;
    let code = match why {
        U::Empty => ErrorCode::Empty,
        U::Binary | U::Utf16 => ErrorCode::Binary,
        U::Foreign(_) | U::Unknown => ErrorCode::UnknownFormat,
    };
    let text = why.to_string();
    let (message, hint) = match text.split_once("; ") {
        Some((message, hint)) => (message.to_owned(), Some(hint.to_owned())),
        None => (text, None),
    };
    ApiError { code, message, hint, path: Some(path.display().to_string()) }
}

pub struct FormatProbe {
    reader: LogReader,
    packed: Option<PackedLog>,
    detected: Result<Format, DetectFailure>,
    message: Option<SessionEvent>,
}

impl FormatProbe {
    pub fn new(forced: Format) -> Self {
        Self {
            reader: LogReader::new(forced),
            packed: None,
            detected: Err(DetectFailure::Empty),
            message: None,
        }
    }

    /// The first call decides the detected format, so it needs a whole chunk or the whole log.
    pub fn feed_bytes(&mut self, bytes: &[u8]) {
        if self.detected == Err(DetectFailure::Empty) {
            self.detected = detect_format(&plain_beginning(bytes, HEAD));
            self.packed = PackedLog::detect(bytes);
        }
        let mut rest = bytes;
        while !rest.is_empty() && !self.is_told() {
            let batch = match &mut self.packed {
                Some(packed) => packed.feed_reader(&mut self.reader, &mut rest, PIECE).0,
                None => self.reader.feed_bytes(std::mem::take(&mut rest)),
            };
            self.message = message_of(batch);
        }
    }

    /// Ends the search.
    ///
    /// # Errors
    /// If the format finds no message.
    pub fn check_format(self, path: &Path) -> Result<(), ApiError> {
        let Self { reader, detected, message, .. } = self;
        let forced = reader.format();
        let message = message.or_else(|| message_of(reader.unfinished_batch()));
        check_forced(forced, detected, message.iter(), path)
    }

    /// True if more bytes change nothing.
    pub fn is_told(&self) -> bool {
        self.message.is_some() || self.detected == Ok(self.reader.format())
    }
}

fn message_of(batch: Batch) -> Option<SessionEvent> {
    let mut events = batch.events.into_iter().map(|parsed| parsed.event);
    events.find(|event| matches!(event.body, EventBody::Message(_)))
}

#[derive(Default)]
pub struct LogLoader {
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
    pub fn new(forced: Option<Format>) -> Self {
        Self { forced, ..Self::default() }
    }

    /// The first call decides the detected format, so it needs a whole chunk or the whole log.
    ///
    /// # Errors
    /// If the format cannot be detected.
    pub fn feed_bytes(&mut self, bytes: &[u8], path: &Path) -> Result<(), ApiError> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => {
                let detected = detect_format(&plain_beginning(bytes, HEAD));
                let format = match self.forced {
                    Some(format) => format,
                    None => detected.map_err(|why| undetected_format(path, why))?,
                };
                self.detected = Some(detected);
                self.packed = PackedLog::detect(bytes);
                self.reader.insert(LogReader::new(format))
            }
        };
        let batch = match &mut self.packed {
            Some(packed) => packed.feed_reader(reader, &mut { bytes }, usize::MAX).0,
            None => reader.feed_bytes(bytes),
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

    /// Ends the log.
    ///
    /// # Errors
    /// If the log is empty, or a forced format finds no message.
    pub fn finish_log(
        mut self,
        path: &Path,
        tools: &Tools,
        access: Arc<dyn HostAccess>,
    ) -> Result<SessionSnapshot, ApiError> {
        let Some(reader) = self.reader.take() else {
            return Err(undetected_format(path, DetectFailure::Empty));
        };
        self.take_batch(reader.unfinished_batch());
        let Self { forced, detected, reader: _, packed, log, records, opening, mut problems } = self;
        problems.extend(packed.and_then(PackedLog::end_problem));
        if let (Some(forced), Some(detected)) = (forced, detected) {
            check_forced(forced, detected, log.events().iter(), path)?;
        }
        let about = LogMetadata {
            session: 0,
            revision: 1,
            path: path.display().to_string(),
            format: reader.format(),
            live: false,
            gone: false,
            opening,
            recorded: None,
        };
        Ok(SessionSnapshot::new(
            about,
            Arc::new(log),
            problems.into_problems(),
            Texts { stored: None, records },
            tools,
            Arc::new(Counts::default()),
            access,
        ))
    }
}
