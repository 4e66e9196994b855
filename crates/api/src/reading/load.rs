//! Loading one log at once, without any store: files and standard input of the command line.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cwl_discover::{HEAD, opening_of, plain, task_of};
use cwl_engine::{EventLog, ParsedEvent};
use cwl_formats::{Format, Reader, detect};
use cwl_tail::{TailMessage, read_once};

use crate::error::{stdin_path, undetected};
use crate::measure::opened::{About, Opened};
use crate::reading::packed::Packed;
use crate::stored::counts::Counts;
use crate::stored::texts::{Texts, split};
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

/// Loads a log without any store; `format` forces a log format, else it is detected.
///
/// # Errors
/// Where the log is missing, unreadable, empty, binary or of no known format; the message names the way out.
pub fn load_file(input: &LogInput, format: Option<&str>, tools: &Tools) -> Result<Opened, ApiError> {
    let forced = format.map(read_format).transpose()?;
    let mut loading = Loading::default();
    let path = match input {
        LogInput::File(path) => {
            let mut head = Vec::new();
            let mut failed = None;
            read_once(path, None, CHUNK, |message| match message {
                TailMessage::Appended { bytes, .. } if failed.is_none() => {
                    if let Err(error) = loading.feed(&mut head, bytes, forced, path) {
                        failed = Some(error);
                    }
                }
                TailMessage::Truncated { .. } | TailMessage::Replaced { .. } => {
                    head.clear();
                    loading = Loading::default();
                }
                _ => {}
            })?;
            if let Some(error) = failed {
                return Err(error);
            }
            path.clone()
        }
        LogInput::Bytes(bytes) => {
            loading.feed(&mut Vec::new(), bytes.clone(), forced, &stdin_path())?;
            stdin_path()
        }
    };
    loading.finish(&path, tools)
}

/// Reads the name of a log format.
pub(crate) fn read_format(name: &str) -> Result<Format, ApiError> {
    name.parse().map_err(|error: cwl_formats::UnknownFormat| {
        ApiError::new(ErrorCode::UnknownFormat, error.to_string())
    })
}

#[derive(Default)]
struct Loading {
    reader: Option<Reader>,
    packed: Option<Packed>,
    events: Vec<ParsedEvent>,
    problems: Vec<cwl_engine::Problem>,
}

impl Loading {
    fn feed(
        &mut self,
        head: &mut Vec<u8>,
        bytes: Vec<u8>,
        forced: Option<Format>,
        path: &Path,
    ) -> Result<(), ApiError> {
        let mut bytes = bytes;
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => {
                head.append(&mut bytes);
                let format = match forced {
                    Some(format) => format,
                    None => detect(&plain(head, HEAD)).map_err(|why| undetected(path, why))?,
                };
                self.packed = Packed::of(head);
                bytes = std::mem::take(head);
                self.reader.insert(Reader::new(format))
            }
        };
        let batch = match &mut self.packed {
            Some(packed) => packed.feed(reader, &mut &bytes[..], usize::MAX).0,
            None => reader.feed(&bytes),
        };
        self.events.extend(batch.events);
        self.problems.extend(batch.problems);
        Ok(())
    }

    fn finish(self, path: &Path, tools: &Tools) -> Result<Opened, ApiError> {
        let Self { reader, packed: _, mut events, mut problems } = self;
        let Some(reader) = reader else { return Err(undetected(path, cwl_formats::Undetected::Empty)) };
        let tail = reader.tail();
        events.extend(tail.events);
        problems.extend(tail.problems);
        let opening = events.iter().find_map(opening_of).or_else(|| task_of(path));
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
        let mut log = EventLog::default();
        let mut records = Vec::with_capacity(events.len());
        for parsed in events {
            let (event, record) = split(parsed);
            log.push(event);
            records.push(record);
        }
        Ok(Opened::new(
            about,
            Arc::new(log),
            problems,
            Texts { stored: None, records },
            tools,
            Arc::new(Counts::default()),
        ))
    }
}
