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
use cwl_formats::{Batch, Format, LogReader, ReaderState};
use cwl_store::{Fault, KnownText, PackedEvent, Packer, StoreError, TextHash};
use cwl_tail::{Cursor, FileIdentity, TailError, TailMessage, read_until};
use cwl_tokens::{Tokenizer, count_all};
use rayon::prelude::*;

use crate::reading::packed::PackedLog;
use crate::stored::counts::stored_counter;
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
pub(crate) enum IngestError {
    /// Another process has read on in this log.
    Moved,
    /// The log cannot be read, the store fails, or the user stopped it.
    Failed(ApiError),
}

impl From<StoreError> for IngestError {
    fn from(error: StoreError) -> Self {
        match error.fault {
            Fault::Moved { .. } => Self::Moved,
            _ => Self::Failed(error.into()),
        }
    }
}

impl From<ApiError> for IngestError {
    fn from(error: ApiError) -> Self {
        Self::Failed(error)
    }
}

/// The position of the reading of one log.
pub(crate) struct Feeder {
    pub(crate) reader: LogReader,
    pub(crate) fed: Cursor,
    /// The unpacker, where the log is packed.
    packed: Option<PackedLog>,
}

/// The records of complete lines of a log.
pub(crate) struct ParsedRecords {
    pub(crate) batch: Batch,
    /// Behind the last of these lines.
    pub(crate) end: Cursor,
    /// The reader's state there.
    state: String,
    /// Bytes of these lines, unpacked.
    n_bytes: u64,
}

/// A batch that is ready to be written.
pub(crate) struct ReadyBatch {
    pub(crate) events: Vec<ParsedEvent>,
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
pub(crate) enum StoreChange {
    /// Everything read so far is void.
    Restart,
    /// Write a batch.
    Write(ReadyBatch),
}

impl Feeder {
    /// Starts at the first byte of a log.
    pub(crate) fn new(format: Format) -> Self {
        Self { reader: LogReader::new(format), fed: Cursor::at_start(FileIdentity::UNKNOWN), packed: None }
    }

    /// Goes on where another one stopped.
    pub(crate) fn resume_from(format: Format, state: ReaderState, fed: Cursor) -> Self {
        Self { reader: LogReader::resume_from(format, state), fed, packed: None }
    }

    /// Takes bytes off the front; returns what they complete, `None` if that is no line or there are none.
    ///
    /// All are taken at once, but of a packed log only as many as [`UNPACKED`] bytes come out of: to be called again
    /// until it returns `None`.
    pub(crate) fn feed_bytes(&mut self, rest: &mut &[u8], identity: FileIdentity) -> Option<ParsedRecords> {
        if rest.is_empty() {
            return None;
        }
        let bytes = *rest;
        if self.fed.offset == 0 {
            self.packed = PackedLog::detect(bytes);
        }
        if let Some(packed) = &mut self.packed {
            let (batch, n_out) = packed.feed_reader(&mut self.reader, rest, UNPACKED);
            self.fed.identity = identity;
            self.fed.advance(&bytes[..bytes.len() - rest.len()]);
            let n_bytes = n_out as u64;
            return Some(ParsedRecords { batch, end: self.fed.clone(), state: write_state(None), n_bytes });
        }
        *rest = &[];
        let before = self.reader.complete_bytes();
        let batch = self.reader.feed_bytes(bytes);
        let after = self.reader.complete_bytes();
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
        Some(ParsedRecords {
            batch,
            end,
            state: write_state(self.reader.resume_state()),
            n_bytes: after - before,
        })
    }
}

/// Hashes, counts and packs over the cores; what the store has is neither counted nor packed again.
pub(crate) fn prepare_batch(library: &Library, parsed: ParsedRecords) -> Result<ReadyBatch, ApiError> {
    let ParsedRecords { batch: Batch { events, problems }, end, state, .. } = parsed;
    let mut packed: Vec<PackedEvent> = events.par_iter().map(PackedEvent::new).collect();

    // Each distinct text is looked up, counted and packed once: by the first event that has it.
    let mut first: HashMap<TextHash, usize> = HashMap::new();
    let mut distinct: Vec<TextHash> = Vec::new();
    for (at, packed) in packed.iter().enumerate() {
        for hash in packed.all_hashes() {
            first.entry(hash).or_insert_with(|| {
                distinct.push(hash);
                at
            });
        }
    }
    let known = library.run_read(|reader| reader.known_texts(stored_counter(AT_INGEST), &distinct))?;
    let known: HashMap<TextHash, KnownText> =
        distinct.into_iter().zip(known).filter_map(|(hash, known)| Some((hash, known?))).collect();

    let mut units_of: HashMap<TextHash, u32> = HashMap::new();
    let mut uncounted: Vec<(TextHash, &str)> = Vec::new();
    for (packed, parsed) in packed.iter().zip(&events) {
        for (hash, content) in packed.text_hashes().zip(&parsed.contents) {
            let units = known.get(&hash).and_then(|known| known.units);
            if units_of.insert(hash, units.unwrap_or(0)).is_none() && units.is_none() {
                uncounted.push((hash, &content.text));
            }
        }
    }
    let texts: Vec<&str> = uncounted.iter().map(|(_, text)| *text).collect();
    units_of.extend(uncounted.iter().map(|(hash, _)| *hash).zip(count_all(AT_INGEST, &texts)));
    let units = packed.iter().flat_map(PackedEvent::text_hashes).map(|hash| units_of[&hash]).collect();

    packed.par_iter_mut().zip(&events).enumerate().try_for_each(|(at, (packed, parsed))| {
        PACKER.with_borrow_mut(|packer| {
            let packer = match packer {
                Some(packer) => packer,
                None => packer.insert(Packer::new()?),
            };
            packed
                .pack_event(parsed, packer, |hash| known.contains_key(&hash) || first.get(&hash) != Some(&at))
        })
    })?;
    Ok(ReadyBatch { events, packed, problems, units, end, state })
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
    mut write: impl FnMut(StoreChange) -> Result<(), IngestError>,
) -> Result<Feeder, IngestError> {
    std::thread::scope(|scope| {
        let (to_prepare, parsed) = sync_channel(WAITING);
        let (to_write, ready) = sync_channel(WAITING);
        let (written, on_its_way) = channel();
        // Each stage ends when the next one has, and hangs up on the one before.
        let reading = scope.spawn(move || read_pieces(path, feeder, chunk, &to_prepare, &on_its_way));
        scope.spawn(move || prepare_all(library, &parsed, &to_write));
        let mut outcome = Ok(());
        while let Ok(next) = ready.recv() {
            if stopped.load(Ordering::Relaxed) {
                outcome = Err(IngestError::Failed(cancelled_error(path)));
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
        read.map_err(|error| IngestError::Failed(error.into()))
    })
}

/// A piece of a log on its way from the reader.
enum OnItsWay {
    Restart,
    Lines(ParsedRecords),
}

fn read_pieces(
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
                while let Some(parsed) = feeder.feed_bytes(&mut rest, identity) {
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

type PreparedChange = Result<(u64, StoreChange), ApiError>;

fn prepare_all(library: &Library, parsed: &Receiver<OnItsWay>, to_write: &SyncSender<PreparedChange>) {
    while let Ok(piece) = parsed.recv() {
        let prepared = match piece {
            OnItsWay::Restart => Ok((0, StoreChange::Restart)),
            OnItsWay::Lines(parsed) => {
                let n_bytes = parsed.n_bytes;
                prepare_batch(library, parsed).map(|ready| (n_bytes, StoreChange::Write(ready)))
            }
        };
        let failed = prepared.is_err();
        if to_write.send(prepared).is_err() || failed {
            return;
        }
    }
}

/// Makes the error of a log whose reading the user stopped.
pub(crate) fn cancelled_error(path: &Path) -> ApiError {
    ApiError::new(ErrorCode::Cancelled, "reading was stopped; what was read is kept")
        .with_hint("open it again to go on from there")
        .with_path(path)
}
