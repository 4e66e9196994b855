//! Ingest: parse bytes, hash and count and pack the texts, write to the store.
//!
//! New lines of a followed log pass the three stages one after the other. A long stretch, such as a log read
//! for the first time, goes through a pipeline: one thread reads and parses, one spreads hashing, counting
//! and packing over the cores, and the caller writes. Order is kept, each piece is one transaction with its
//! cursor, and at most [`IN_FLIGHT`] bytes are between reader and store.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};

use cwl_engine::{ParsedEvent, Problem};
use cwl_formats::{Batch, Format, LogReader, ReaderState};
use cwl_inspect::load::packed::PackedLog;
use cwl_store::{Fault, KnownText, PackedEvent, Packer, StoreError, TextHash};
use cwl_tail::{Cursor, FileIdentity, TailError, TailMessage, read_until};
use cwl_tokens::{Tokenizer, count_all};
use rayon::prelude::*;

use crate::error::{store_error, tail_error};
use crate::stored::library::Library;
use crate::stored::position::write_state;
use crate::stored::texts::stored_counter;
use crate::{ApiError, ErrorCode};

/// Tokenizer that counts during ingest; the others count on demand.
pub(crate) const AT_INGEST: Tokenizer = Tokenizer::O200k;

/// Log bytes between the reader and the store, unless a single line is longer.
const IN_FLIGHT: u64 = 12 << 20;
/// Piece size for a packed log, in decompressed bytes.
const UNPACKED: usize = 4 << 20;
const WAITING: usize = 2;

pub(crate) enum IngestError {
    /// Another process has stored more from this log meanwhile.
    Moved,
    /// The log is unreadable, the store failed, or the user cancelled.
    Failed(ApiError),
}

impl From<StoreError> for IngestError {
    fn from(error: StoreError) -> Self {
        match error.fault {
            Fault::Moved { .. } => Self::Moved,
            _ => Self::Failed(store_error(error)),
        }
    }
}

impl From<ApiError> for IngestError {
    fn from(error: ApiError) -> Self {
        Self::Failed(error)
    }
}

pub(crate) struct Feeder {
    pub(crate) reader: LogReader,
    pub(crate) fed: Cursor,
    packed: Option<PackedLog>,
}

pub(crate) struct ParsedRecords {
    pub(crate) batch: Batch,
    pub(crate) end: Cursor,
    state: String,
    n_bytes: u64,
}

pub(crate) struct ReadyBatch {
    pub(crate) events: Vec<ParsedEvent>,
    pub(crate) packed: Vec<PackedEvent>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) units: Vec<u32>,
    pub(crate) end: Cursor,
    pub(crate) state: String,
}

pub(crate) enum StoreChange {
    Restart,
    Write(ReadyBatch),
}

impl Feeder {
    pub(crate) fn new(format: Format) -> Self {
        Self { reader: LogReader::new(format), fed: Cursor::at_start(FileIdentity::UNKNOWN), packed: None }
    }

    pub(crate) fn resume_from(format: Format, state: ReaderState, fed: Cursor) -> Self {
        Self { reader: LogReader::resume_from(format, state), fed, packed: None }
    }

    /// Takes bytes from the front of `rest`. `None` if they complete no line, or if `rest` is empty.
    ///
    /// A plain log takes all bytes at once, a packed one only as many as expand to [`UNPACKED`] bytes: call
    /// it until it returns `None`.
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
        // The newline is within these bytes, so the complete part ends in them.
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

/// Hashes, counts and packs texts on all cores. Texts already in the store are neither counted nor packed
/// again.
pub(crate) fn prepare_batch(library: &Library, parsed: ParsedRecords) -> Result<ReadyBatch, ApiError> {
    let ParsedRecords { batch: Batch { events, problems }, end, state, .. } = parsed;
    let mut packed: Vec<PackedEvent> = events.par_iter().map(PackedEvent::new).collect();

    // Each distinct text is handled once, by the first event that holds it.
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

    packed
        .par_iter_mut()
        .zip(&events)
        .enumerate()
        .try_for_each(|(at, (packed, parsed))| {
            PACKER.with_borrow_mut(|packer| {
                let packer = match packer {
                    Some(packer) => packer,
                    None => packer.insert(Packer::new()?),
                };
                packed.pack_event(parsed, packer, |hash| {
                    known.contains_key(&hash) || first.get(&hash) != Some(&at)
                })
            })
        })
        .map_err(store_error)?;
    Ok(ReadyBatch { events, packed, problems, units, end, state })
}

thread_local! {
    /// One compressor per pool thread: it takes a megabyte and some time to set up.
    static PACKER: std::cell::RefCell<Option<Packer>> = const { std::cell::RefCell::new(None) };
}

/// Reads a log from the position of `feeder` to its present end, `chunk` bytes at a time, and calls `write`
/// for each change in order. Returns the position reached.
///
/// # Errors
/// The first error of reading, preparing or `write`, or a cancellation if `stopped` is set. Changes already
/// written stay.
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
        // Each stage ends with the next one, and hangs up on the one before.
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
            // The reader has stopped listening if it has read the last stretch.
            written.send(n_bytes).ok();
        }
        drop((ready, written));
        // A stage's panic continues here, as in a single thread.
        let read = reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        outcome?;
        read.map_err(|error| IngestError::Failed(tail_error(error)))
    })
}

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
                    // A piece larger than the limit waits until nothing else is in flight.
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

pub(crate) fn cancelled_error(path: &Path) -> ApiError {
    ApiError::new(ErrorCode::Cancelled, "reading was stopped; what was read is kept")
        .with_hint("open it again to go on from there")
        .with_path(path)
}
