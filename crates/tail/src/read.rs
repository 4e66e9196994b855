//! Reads logs one bounded chunk at a time, read-only and never memory-mapped.
//!
//! Every look opens the file anew, so a name always leads to its current file and no deleted file is kept
//! alive. (A mapped file would kill the process if it were truncated.)

use std::fs::{File, FileType};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::cursor::{Cursor, Decision, FileObservation, decide_next};
use crate::fingerprint::{Fingerprint, HEAD_LIMIT, TAIL_LIMIT, last_bytes};
use crate::stamp::FileStamp;
use crate::{TailError, TailMessage};

const CHUNK_LIMIT: usize = 64 << 20;

/// Reads a file from the start, or from `cursor`, to its present end, without watching it.
///
/// `sink` gets the same messages as a follower: `Truncated` or `Replaced` if the cursor no longer fits, then
/// `Appended` per chunk of at most `chunk` bytes. Returns the cursor at the end.
///
/// # Errors
/// If the file is missing, unreadable or not a regular file.
pub fn read_once(
    path: &Path,
    cursor: Option<&Cursor>,
    chunk: usize,
    mut sink: impl FnMut(TailMessage),
) -> Result<Cursor, TailError> {
    read_until(path, cursor, chunk, |message| {
        sink(message);
        ControlFlow::Continue(())
    })
}

/// Like [`read_once`], but ends early if `sink` breaks.
///
/// # Errors
/// As for [`read_once`].
pub fn read_until(
    path: &Path,
    cursor: Option<&Cursor>,
    chunk: usize,
    mut sink: impl FnMut(TailMessage) -> ControlFlow<()>,
) -> Result<Cursor, TailError> {
    let mut reader = FileReader::new(path.to_owned(), cursor.cloned(), chunk);
    loop {
        let step = reader.read_step().map_err(|refusal| refusal.into_error(path))?;
        let broken_off = step.messages.into_iter().any(|message| sink(message).is_break());
        if broken_off || !step.more {
            return Ok(step.cursor);
        }
    }
}

/// Opens a log like a follower does: only regular files, and without changing the access time if the system
/// permits.
///
/// # Errors
/// If the file is missing, unreadable or not a regular file.
pub fn open_log(path: &Path) -> Result<File, TailError> {
    Log::open(path).map(|log| log.file).map_err(|refusal| refusal.into_error(path))
}

/// Returns true if the file at `path` continues where `cursor` stands, whatever its earlier name.
///
/// Reads at most [`HEAD_LIMIT`] and [`TAIL_LIMIT`] bytes. An unreadable file does not continue any cursor.
pub fn continues(path: &Path, cursor: &Cursor) -> bool {
    let seen = Log::open(path).and_then(|mut log| Ok(log.observe_ranges(cursor)?.0));
    seen.is_ok_and(|seen| matches!(decide_next(cursor, &seen), Decision::Nothing | Decision::Read { .. }))
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadRefusal {
    #[error(transparent)]
    Missing(io::Error),
    #[error(transparent)]
    Io(io::Error),
    /// A pipe or a device, which would block or never end.
    #[error("is {0}, not a file")]
    NotAFile(&'static str),
}

impl ReadRefusal {
    fn into_error(self, path: &Path) -> TailError {
        let path = path.to_owned();
        match self {
            Self::Missing(source) | Self::Io(source) => TailError::Read { path, source },
            Self::NotAFile(what) => TailError::NotAFile { path, what },
        }
    }
}

impl From<io::Error> for ReadRefusal {
    fn from(error: io::Error) -> Self {
        if is_missing(&error) { Self::Missing(error) } else { Self::Io(error) }
    }
}

pub fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[derive(Debug)]
pub(crate) struct ReadStep {
    /// At most one message that voids everything, then at most one chunk.
    pub(crate) messages: Vec<TailMessage>,
    pub(crate) cursor: Cursor,
    pub(crate) more: bool,
    /// State when the file was opened, before reading.
    pub(crate) stamp: FileStamp,
}

#[derive(Debug)]
pub(crate) struct FileReader {
    path: PathBuf,
    /// `None` until the file was first opened.
    pub(crate) cursor: Option<Cursor>,
    chunk: usize,
}

impl FileReader {
    pub(crate) fn new(path: PathBuf, cursor: Option<Cursor>, chunk: usize) -> Self {
        Self { path, cursor, chunk: chunk.clamp(1, CHUNK_LIMIT) }
    }

    pub(crate) fn read_step(&mut self) -> Result<ReadStep, ReadRefusal> {
        let mut log = Log::open(&self.path)?;
        let mut messages = Vec::new();
        let mut cursor = self.cursor.clone().unwrap_or_else(|| Cursor::at_start(log.stamp.identity));
        let (seen, mut before) = log.observe_ranges(&cursor)?;
        match decide_next(&cursor, &seen) {
            Decision::Nothing | Decision::Read { .. } => cursor.identity = seen.identity,
            Decision::Truncated => messages.push(TailMessage::Truncated { path: self.path.clone() }),
            Decision::Replaced => messages.push(TailMessage::Replaced { path: self.path.clone() }),
        }
        if !messages.is_empty() {
            cursor = Cursor::at_start(seen.identity);
            before.clear();
        }
        let bytes = log.read_bytes(cursor.offset, self.chunk)?;
        let end = cursor.offset.saturating_add(bytes.len() as u64);
        let more = !bytes.is_empty() && end < log.file.metadata()?.len();
        if !bytes.is_empty() {
            let offset = cursor.offset;
            cursor.advance_behind(&before, &bytes);
            let (path, identity) = (self.path.clone(), seen.identity);
            messages.push(TailMessage::Appended { path, offset, bytes, identity, at_end: !more });
        }
        self.cursor = Some(cursor.clone());
        Ok(ReadStep { messages, cursor, more, stamp: log.stamp })
    }
}

struct Log {
    file: File,
    stamp: FileStamp,
}

impl Log {
    fn open(path: &Path) -> Result<Self, ReadRefusal> {
        // Checked before opening, because opening some devices already has effects.
        refuse_special(std::fs::metadata(path)?.file_type())?;
        let file = open_quietly(path)?;
        // Checked again, because the name may have changed hands.
        let metadata = file.metadata()?;
        refuse_special(metadata.file_type())?;
        Ok(Self { file, stamp: FileStamp::from_metadata(&metadata) })
    }

    /// Reads the ranges that `cursor` covers; also returns up to [`TAIL_LIMIT`] bytes before its offset.
    fn observe_ranges(&mut self, cursor: &Cursor) -> io::Result<(FileObservation, Vec<u8>)> {
        let FileStamp { identity, length, .. } = self.stamp;
        let head = self.read_bytes(0, (cursor.head.len as usize).min(HEAD_LIMIT))?;
        let (mut before, mut tail) = (Vec::new(), None);
        if length >= cursor.offset {
            let reach = cursor.offset.min(TAIL_LIMIT as u64);
            before = self.read_bytes(cursor.offset - reach, usize::try_from(reach).unwrap_or(TAIL_LIMIT))?;
            // The file was truncated meanwhile, so these bytes are not in place and cannot match.
            let whole = before.len() as u64 == reach;
            tail = whole.then(|| Fingerprint::from_bytes(last_bytes(&before, cursor.tail.len as usize)));
        }
        Ok((FileObservation { identity, length, head: Fingerprint::from_bytes(&head), tail }, before))
    }

    fn read_bytes(&mut self, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
        let left = self.stamp.length.saturating_sub(offset);
        let expected = usize::try_from(left).unwrap_or(limit).min(limit);
        let mut bytes = Vec::with_capacity(expected);
        self.file.seek(SeekFrom::Start(offset))?;
        (&self.file).take(limit as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(target_os = "linux")]
fn open_quietly(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let open = |flags| File::options().read(true).custom_flags(flags).open(path);
    match open(libc::O_NONBLOCK | libc::O_NOATIME) {
        // `O_NOATIME` is reserved for the file's owner.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => open(libc::O_NONBLOCK),
        opened => opened,
    }
}

#[cfg(not(target_os = "linux"))]
fn open_quietly(path: &Path) -> io::Result<File> {
    File::open(path)
}

fn refuse_special(kind: FileType) -> Result<(), ReadRefusal> {
    if kind.is_file() {
        return Ok(());
    }
    Err(ReadRefusal::NotAFile(if kind.is_dir() { "a folder" } else { special_kind(kind) }))
}

#[cfg(unix)]
fn special_kind(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn special_kind(_kind: FileType) -> &'static str {
    "a special file"
}
