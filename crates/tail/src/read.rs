//! Reading a log: one bounded chunk at a time, read-only, never mapped into memory.
//!
//! A log is opened for each look, so a name always leads to the file that now has it, and no
//! deleted file is kept alive. (A mapped log would kill the process when it is truncated.)

use std::fs::{File, FileType};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::cursor::{Cursor, Decision, FileObservation, decide_next};
use crate::fingerprint::{Fingerprint, HEAD_LIMIT, TAIL_LIMIT, last_bytes};
use crate::stamp::FileStamp;
use crate::{TailError, TailMessage};

/// The longest chunk that is ever read at once, in bytes.
const CHUNK_LIMIT: usize = 64 << 20;

/// Reads a file from the start, or from `cursor`, to its present end, without watching it.
///
/// `sink` gets the same messages as a follower: first `Truncated` or `Replaced` when the cursor no
/// longer fits, then `Appended` for each chunk of at most `chunk` bytes. Returns the cursor of the
/// end. A file that is missing, not a regular file or not readable is an error.
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

/// Reads a file as [`read_once`] does, to its present end or until `sink` breaks off.
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

/// Opens a log to read from it, as a follower does: a regular file only, and without leaving a trace in the time
/// of its last access where the system allows that.
pub fn open_log(path: &Path) -> Result<File, TailError> {
    Log::open(path).map(|log| log.file).map_err(|refusal| refusal.into_error(path))
}

/// Tells whether the file of that name goes on where `cursor` stands, whatever its name was before.
///
/// At most [`HEAD_LIMIT`] and [`TAIL_LIMIT`] bytes are read. A cursor behind byte 0 of a file that holds
/// something else, or less, says no; so does a file that cannot be read.
pub fn continues(path: &Path, cursor: &Cursor) -> bool {
    let seen = Log::open(path).and_then(|mut log| Ok(log.observe_ranges(cursor)?.0));
    seen.is_ok_and(|seen| matches!(decide_next(cursor, &seen), Decision::Nothing | Decision::Read { .. }))
}

/// Why a log could not be read just now.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadRefusal {
    /// There is no file of that name.
    #[error(transparent)]
    Missing(io::Error),
    /// There is one, and this is why it cannot be read.
    #[error(transparent)]
    Io(io::Error),
    /// The path is not a file of bytes: reading a pipe or a device would block or never end.
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

/// Tells whether the error says that there is nothing of that name.
pub fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The result of one look at a file.
#[derive(Debug)]
pub(crate) struct ReadStep {
    /// At most one that voids, then at most one chunk.
    pub(crate) messages: Vec<TailMessage>,
    pub(crate) cursor: Cursor,
    /// True when the file had more bytes when the chunk was read.
    pub(crate) more: bool,
    /// The file when it was opened, before anything was read.
    pub(crate) stamp: FileStamp,
}

/// Reads one file step by step.
#[derive(Debug)]
pub(crate) struct FileReader {
    path: PathBuf,
    /// The reader's position; `None` until the file was opened once.
    pub(crate) cursor: Option<Cursor>,
    chunk: usize,
}

impl FileReader {
    pub(crate) fn new(path: PathBuf, cursor: Option<Cursor>, chunk: usize) -> Self {
        Self { path, cursor, chunk: chunk.clamp(1, CHUNK_LIMIT) }
    }

    /// Looks at the file once: tells whether what was read still stands, and reads one chunk.
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

/// An opened log.
struct Log {
    file: File,
    stamp: FileStamp,
}

impl Log {
    /// Opens a regular file. Neither opening nor reading it can block on a pipe or a device.
    fn open(path: &Path) -> Result<Self, ReadRefusal> {
        // Asked by name first: opening some devices already has effects.
        refuse_special(std::fs::metadata(path)?.file_type())?;
        let file = open_quietly(path)?;
        // Asked again of what was opened: the name may have got another file meanwhile.
        let metadata = file.metadata()?;
        refuse_special(metadata.file_type())?;
        Ok(Self { file, stamp: FileStamp::from_metadata(&metadata) })
    }

    /// Looks at the ranges that `cursor` remembers; also returns the bytes before its offset, at
    /// most [`TAIL_LIMIT`].
    fn observe_ranges(&mut self, cursor: &Cursor) -> io::Result<(FileObservation, Vec<u8>)> {
        let FileStamp { identity, length, .. } = self.stamp;
        let head = self.read_bytes(0, (cursor.head.len as usize).min(HEAD_LIMIT))?;
        let (mut before, mut tail) = (Vec::new(), None);
        if length >= cursor.offset {
            let reach = cursor.offset.min(TAIL_LIMIT as u64);
            before = self.read_bytes(cursor.offset - reach, usize::try_from(reach).unwrap_or(TAIL_LIMIT))?;
            // Cut short between the two looks, the window is not at its place; it cannot match.
            let whole = before.len() as u64 == reach;
            tail = whole.then(|| Fingerprint::from_bytes(last_bytes(&before, cursor.tail.len as usize)));
        }
        Ok((FileObservation { identity, length, head: Fingerprint::from_bytes(&head), tail }, before))
    }

    /// Reads at most `limit` bytes from `offset` on; fewer at the file's end.
    fn read_bytes(&mut self, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
        let left = self.stamp.length.saturating_sub(offset);
        let expected = usize::try_from(left).unwrap_or(limit).min(limit);
        let mut bytes = Vec::with_capacity(expected);
        self.file.seek(SeekFrom::Start(offset))?;
        (&self.file).take(limit as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Opens a file for reading without leaving a trace in its access time where that is allowed.
#[cfg(target_os = "linux")]
fn open_quietly(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let open = |flags| File::options().read(true).custom_flags(flags).open(path);
    match open(libc::O_NONBLOCK | libc::O_NOATIME) {
        // Only a file's owner may ask for O_NOATIME.
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
