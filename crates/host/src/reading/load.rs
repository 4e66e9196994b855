//! Loading one log without a store: files and standard input on the command line.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cwl_discover::task_of;
use cwl_formats::Format;
use cwl_inspect::load::{FormatProbe, LogLoader, read_format};
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::tables::tools::Tools;
use cwl_tail::{TailMessage, read_until};

use crate::ApiError;
use crate::error::{stdin_path, tail_error, unreadable_file};
use crate::machine::ThisMachine;
use crate::reading::recorded::read_beside;

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
            loading.feed_bytes(bytes, &stdin_path())?;
            finish_log(loading, &stdin_path(), tools)
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
                if let Err(error) = loading.feed_bytes(&bytes, path) {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
                progress(done, total);
            }
            TailMessage::Truncated { .. } | TailMessage::Replaced { .. } => loading = LogLoader::new(forced),
            _ => {}
        }
        ControlFlow::Continue(())
    })
    .map_err(tail_error)?;
    failed.map_or(Ok(()), Err)?;
    finish_log(loading, path, tools)
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
            return finish_log(loading, name, tools);
        }
        done += bytes.len() as u64;
        loading.feed_bytes(&bytes, name)?;
        progress(done, None);
    }
}

fn finish_log(loading: LogLoader, path: &Path, tools: &Tools) -> Result<SessionSnapshot, ApiError> {
    let mut opened = loading.finish_log(path, tools, Arc::new(ThisMachine))?;
    opened.about.opening = opened.about.opening.take().or_else(|| task_of(path));
    opened.about.recorded = read_beside(path).map(Arc::new);
    Ok(opened)
}

pub(crate) fn load_made(
    document: &str,
    format: Format,
    name: &Path,
    tools: &Tools,
) -> Result<SessionSnapshot, ApiError> {
    let mut loading = LogLoader::new(Some(format));
    loading.feed_bytes(document.as_bytes(), name)?;
    finish_log(loading, name, tools)
}

/// Checks that a forced format fits a file, which is read only up to its first message.
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
    })
    .map_err(tail_error)?;
    looked.check_format(path)
}
