//! From bytes to the store: parsing, then hashing, counting and packing, then writing.
//!
//! A followed log passes its new lines through the three stages one after the other. A long stretch, as of a log that is
//! read for the first time, goes through them as a pipeline: one thread reads and parses, one has texts hashed,
//! counted and packed over the cores, and the caller writes. Order is kept, every piece is one transaction with
//! its cursor, and no more than [`IN_FLIGHT`] bytes of the log are on their way at once.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};

use cwl_engine::{ParsedEvent, Problem};
use cwl_formats::{Batch, Format, Reader, ReaderState};
use cwl_store::{ContentHash, Fault, KnownText, PackedEvent, Packer, StoreError};
use cwl_tail::{Cursor, FileIdentity, TailError, TailMessage, read_until};
use cwl_tokens::{Tokenizer, count_all};
use rayon::prelude::*;

use crate::reading::packed::Packed;
use crate::stored::counts::counter;
use crate::stored::library::Library;
use crate::stored::position::write_state;
use crate::{ApiError, ErrorCode};

/// The tokenizer that counts a log as it is read; others count when they are asked for.
pub(crate) const AT_INGEST: Tokenizer = Tokenizer::O200k;

/// How many bytes of a log are between the reader and the store at once, but for one line that is longer.
const IN_FLIGHT: u64 = 12 << 20;
/// The size of the stretches in which a packed log goes on its way, bytes of the log, whatever they take up in the file.
const UNPACKED: usize = 4 << 20;
/// Pieces that wait between two stages.
const WAITING: usize = 2;

/// Why reading a log into the store ended early.
pub(crate) enum Broken {
    /// Another process has read on in this log.
    Moved,
    /// The log cannot be read, the store fails, or the user stopped it.
    Failed(ApiError),
}

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        match error.fault {
            Fault::Moved { .. } => Self::Moved,
            _ => Self::Failed(error.into()),
        }
    }
}

impl From<ApiError> for Broken {
    fn from(error: ApiError) -> Self {
        Self::Failed(error)
    }
}

/// Where reading of one log is.
pub(crate) struct Feeder {
    pub(crate) reader: Reader,
    /// Behind the last byte that was fed.
    pub(crate) fed: Cursor,
    /// The unpacker, where the log is packed.
    packed: Option<Packed>,
}

/// The records of complete lines of a log.
pub(crate) struct Parsed {
    pub(crate) batch: Batch,
    /// Behind the last of these lines.
    pub(crate) end: Cursor,
    /// The reader's state there.
    state: String,
    /// Bytes of these lines, unpacked.
    n_bytes: u64,
}

/// A batch that is ready to be written.
pub(crate) struct Ready {
    pub(crate) events: Vec<ParsedEvent>,
    /// One for each event.
    pub(crate) packed: Vec<PackedEvent>,
    pub(crate) problems: Vec<Problem>,
    /// One for each block.
    pub(crate) units: Vec<u32>,
    /// How far the log is read with this batch.
    pub(crate) end: Cursor,
    /// The reader's state there.
    pub(crate) state: String,
}

/// The next change of the store, in order.
pub(crate) enum Act {
    /// Everything read so far is void.
    Restart,
    /// Write a batch.
    Write(Ready),
}

impl Feeder {
    /// Starts at the first byte of a log.
    pub(crate) fn new(format: Format) -> Self {
        Self { reader: Reader::new(format), fed: Cursor::start(FileIdentity::UNKNOWN), packed: None }
    }

    /// Goes on where another one stopped.
    pub(crate) fn resume(format: Format, state: ReaderState, fed: Cursor) -> Self {
        Self { reader: Reader::resume(format, state), fed, packed: None }
    }

    /// Takes bytes off the front; returns what they complete, `None` where that is no line or there are none.
    ///
    /// All are taken at once, but of a packed log only as many as [`UNPACKED`] bytes come out of: to be called again
    /// until it returns `None`.
    pub(crate) fn feed(&mut self, rest: &mut &[u8], identity: FileIdentity) -> Option<Parsed> {
        if rest.is_empty() {
            return None;
        }
        let bytes = *rest;
        if self.fed.offset == 0 {
            self.packed = Packed::of(bytes);
        }
        if let Some(packed) = &mut self.packed {
            let (batch, n_out) = packed.feed(&mut self.reader, rest, UNPACKED);
            self.fed.identity = identity;
            self.fed.advance(&bytes[..bytes.len() - rest.len()]);
            let n_bytes = n_out as u64;
            return Some(Parsed { batch, end: self.fed.clone(), state: write_state(None), n_bytes });
        }
        *rest = &[];
        let before = self.reader.offset();
        let batch = self.reader.feed(bytes);
        let after = self.reader.offset();
        self.fed.identity = identity;
        if after == before {
            self.fed.advance(bytes);
            return None;
        }
        // The newline is among these bytes, so the complete part ends in them.
        let n_complete = usize::try_from(after.saturating_sub(self.fed.offset)).unwrap_or(0).min(bytes.len());
        self.fed.advance(&bytes[..n_complete]);
        let end = self.fed.clone();
        self.fed.advance(&bytes[n_complete..]);
        Some(Parsed { batch, end, state: write_state(self.reader.state()), n_bytes: after - before })
    }
}

/// Hashes, counts and packs over the cores; what the store has is neither counted nor packed again.
pub(crate) fn prepare(library: &Library, parsed: Parsed) -> Result<Ready, ApiError> {
    let Parsed { batch: Batch { events, problems }, end, state, .. } = parsed;
    let mut packed: Vec<PackedEvent> = events.par_iter().map(PackedEvent::new).collect();

    // Each distinct text is looked up, counted and packed once: by the first event that has it.
    let mut first: HashMap<ContentHash, usize> = HashMap::new();
    let mut distinct: Vec<ContentHash> = Vec::new();
    for (at, packed) in packed.iter().enumerate() {
        for hash in packed.hashes() {
            first.entry(hash).or_insert_with(|| {
                distinct.push(hash);
                at
            });
        }
    }
    let known = library.read(|reader| reader.known_texts(counter(AT_INGEST), &distinct))?;
    let known: HashMap<ContentHash, KnownText> =
        distinct.into_iter().zip(known).filter_map(|(hash, known)| Some((hash, known?))).collect();

    let mut units_of: HashMap<ContentHash, u32> = HashMap::new();
    let mut uncounted: Vec<(ContentHash, &str)> = Vec::new();
    for (packed, parsed) in packed.iter().zip(&events) {
        for (hash, content) in packed.texts().zip(&parsed.contents) {
            let units = known.get(&hash).and_then(|known| known.units);
            if units_of.insert(hash, units.unwrap_or(0)).is_none() && units.is_none() {
                uncounted.push((hash, &content.text));
            }
        }
    }
    let texts: Vec<&str> = uncounted.iter().map(|(_, text)| *text).collect();
    units_of.extend(uncounted.iter().map(|(hash, _)| *hash).zip(count_all(AT_INGEST, &texts)));
    let units = packed.iter().flat_map(PackedEvent::texts).map(|hash| units_of[&hash]).collect();

    packed.par_iter_mut().zip(&events).enumerate().try_for_each(|(at, (packed, parsed))| {
        PACKER.with_borrow_mut(|packer| {
            let packer = match packer {
                Some(packer) => packer,
                None => packer.insert(Packer::new()?),
            };
            packed.pack(parsed, packer, |hash| known.contains_key(&hash) || first.get(&hash) != Some(&at))
        })
    })?;
    Ok(Ready { events, packed, problems, units, end, state })
}

thread_local! {
    /// Each thread of the pool keeps its compressor, which takes a megabyte and some time to set up.
    static PACKER: std::cell::RefCell<Option<Packer>> = const { std::cell::RefCell::new(None) };
}

/// Reads a log from where `feeder` is to its present end, in chunks of at most `chunk` bytes, and has `write` called
/// for everything that it holds, in order. Returns where reading is then.
///
/// # Errors
/// The first of reading, preparing and `write`; where `stopped` is set, one that says so. What was written stays.
pub(crate) fn read_through(
    library: &Library,
    path: &Path,
    feeder: Feeder,
    chunk: usize,
    stopped: &AtomicBool,
    mut write: impl FnMut(Act) -> Result<(), Broken>,
) -> Result<Feeder, Broken> {
    std::thread::scope(|scope| {
        let (to_prepare, parsed) = sync_channel(WAITING);
        let (to_write, ready) = sync_channel(WAITING);
        let (written, on_its_way) = channel();
        // Each stage ends when the next one has, and hangs up on the one before.
        let reading = scope.spawn(move || read(path, feeder, chunk, &to_prepare, &on_its_way));
        scope.spawn(move || prepare_all(library, &parsed, &to_write));
        let mut outcome = Ok(());
        while let Ok(next) = ready.recv() {
            if stopped.load(Ordering::Relaxed) {
                outcome = Err(Broken::Failed(cancelled(path)));
                break;
            }
            let (n_bytes, act) = next?;
            outcome = write(act);
            if outcome.is_err() {
                break;
            }
            // The reader does not listen any more when it has read the last stretch.
            written.send(n_bytes).ok();
        }
        drop((ready, written));
        // A panic there goes on here, as one in this thread would.
        let read = reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        outcome?;
        read.map_err(|error| Broken::Failed(error.into()))
    })
}

/// A piece of a log on its way from the reader.
enum OnItsWay {
    Restart,
    Lines(Parsed),
}

fn read(
    path: &Path,
    mut feeder: Feeder,
    chunk: usize,
    to_prepare: &SyncSender<OnItsWay>,
    written: &Receiver<u64>,
) -> Result<Feeder, TailError> {
    let from = feeder.fed.clone();
    let mut in_flight: u64 = 0;
    read_until(path, Some(&from), chunk, |message| {
        match message {
            TailMessage::Appended { bytes, identity, .. } => {
                let mut rest = &bytes[..];
                while let Some(parsed) = feeder.feed(&mut rest, identity) {
                    // A piece that is larger than the limit waits until it is alone.
                    while in_flight > 0 && in_flight.saturating_add(parsed.n_bytes) > IN_FLIGHT {
                        match written.recv() {
                            Ok(n_bytes) => in_flight = in_flight.saturating_sub(n_bytes),
                            Err(_) => return ControlFlow::Break(()),
                        }
                    }
                    in_flight = in_flight.saturating_add(parsed.n_bytes);
                    if to_prepare.send(OnItsWay::Lines(parsed)).is_err() {
                        return ControlFlow::Break(());
                    }
                }
            }
            TailMessage::Truncated { .. } | TailMessage::Replaced { .. } => {
                feeder = Feeder::new(feeder.reader.format());
                if to_prepare.send(OnItsWay::Restart).is_err() {
                    return ControlFlow::Break(());
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    Ok(feeder)
}

type Prepared = Result<(u64, Act), ApiError>;

fn prepare_all(library: &Library, parsed: &Receiver<OnItsWay>, to_write: &SyncSender<Prepared>) {
    while let Ok(piece) = parsed.recv() {
        let prepared = match piece {
            OnItsWay::Restart => Ok((0, Act::Restart)),
            OnItsWay::Lines(parsed) => {
                let n_bytes = parsed.n_bytes;
                prepare(library, parsed).map(|ready| (n_bytes, Act::Write(ready)))
            }
        };
        let failed = prepared.is_err();
        if to_write.send(prepared).is_err() || failed {
            return;
        }
    }
}

/// Makes the error of a log whose reading the user stopped.
pub(crate) fn cancelled(path: &Path) -> ApiError {
    ApiError::new(ErrorCode::Cancelled, "reading was stopped; what was read is kept")
        .hint("open it again to go on from there")
        .at(path)
}
