//! Texts of a log: in memory, or in the store with the unfinished last line beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{Content, EventIdx, ParsedEvent, RawPayload, SessionEvent};
use cwl_store::{BlockPlace, ScanOrder, SourceId};

use crate::library::Library;
use crate::{ApiError, ErrorCode};

/// What one record says, apart from what the engine needs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record {
    /// One per block.
    pub(crate) contents: Vec<Content>,
    /// The record around its blocks.
    pub(crate) envelope: RawPayload,
}

/// Takes a parsed event apart.
pub(crate) fn split(parsed: ParsedEvent) -> (SessionEvent, Record) {
    (parsed.event, Record { contents: parsed.contents, envelope: parsed.envelope })
}

/// Where the texts of a log are.
pub(crate) enum Texts {
    /// All in memory.
    Memory(Vec<Record>),
    /// In the store, but for the last records.
    Stored {
        /// The store.
        library: Arc<Library>,
        /// The log in it.
        source: SourceId,
        /// How often the log was started again when this was made; texts of another generation are others.
        generation: u32,
        /// How many records are in the store.
        n_stored: u32,
        /// The records of the unfinished last line.
        tail: Vec<Record>,
    },
}

impl Texts {
    /// Returns the texts of blocks, one for each place; what is not there is empty.
    pub(crate) fn contents(&self, places: &[BlockPlace]) -> Result<Vec<Content>, ApiError> {
        let in_memory = |records: &[Record], seq: usize, part: u32| {
            records
                .get(seq)
                .and_then(|record| record.contents.get(part as usize))
                .cloned()
                .unwrap_or_default()
        };
        match self {
            Self::Memory(records) => {
                Ok(places.iter().map(|at| in_memory(records, at.seq as usize, at.part)).collect())
            }
            Self::Stored { library, source, generation, n_stored, tail } => {
                let stored: Vec<BlockPlace> =
                    places.iter().copied().filter(|at| at.seq < *n_stored).collect();
                let (found, now) = library.read(|reader| {
                    Ok((reader.contents(*source, &stored)?, reader.source(*source)?.generation))
                })?;
                check_generation(*generation, now)?;
                let mut found = found.into_iter();
                Ok(places
                    .iter()
                    .map(|at| match at.seq.checked_sub(*n_stored) {
                        Some(seq) => in_memory(tail, seq as usize, at.part),
                        None => found.next().flatten().unwrap_or_default(),
                    })
                    .collect())
            }
        }
    }

    /// Returns the records around the blocks of several events.
    pub(crate) fn envelopes(&self, events: &[EventIdx]) -> Result<BTreeMap<EventIdx, RawPayload>, ApiError> {
        let in_memory = |records: &[Record], at: usize| {
            records.get(at).map(|record| record.envelope.clone()).unwrap_or_default()
        };
        match self {
            Self::Memory(records) => Ok(events.iter().map(|e| (*e, in_memory(records, e.at()))).collect()),
            Self::Stored { library, source, generation, n_stored, tail } => {
                let (found, now) = library.read(|reader| {
                    let mut found = BTreeMap::new();
                    for event in events {
                        let payload = match event.at().checked_sub(*n_stored as usize) {
                            Some(at) => in_memory(tail, at),
                            None => {
                                let seq = u32::try_from(event.at()).unwrap_or(u32::MAX);
                                reader.envelope(*source, seq)?.unwrap_or_default()
                            }
                        };
                        found.insert(*event, payload);
                    }
                    Ok((found, reader.source(*source)?.generation))
                })?;
                check_generation(*generation, now)?;
                Ok(found)
            }
        }
    }

    /// Gives the text of every block to `visit`, in log order.
    pub(crate) fn scan(&self, mut visit: impl FnMut(BlockPlace, &str)) -> Result<(), ApiError> {
        let (first, records) = match self {
            Self::Memory(records) => (0, records),
            Self::Stored { library, source, generation, n_stored, tail } => {
                let now = library.read(|reader| {
                    reader.scan_texts(*source, ScanOrder::OldestFirst, |at, text| {
                        if at.seq < *n_stored {
                            visit(at, text);
                        }
                        std::ops::ControlFlow::Continue(())
                    })?;
                    Ok(reader.source(*source)?.generation)
                })?;
                check_generation(*generation, now)?;
                (*n_stored, tail)
            }
        };
        for (seq, record) in (first..).zip(records) {
            for (part, content) in (0..).zip(&record.contents) {
                visit(BlockPlace { seq, part }, &content.text);
            }
        }
        Ok(())
    }
}

fn check_generation(expected: u32, found: u32) -> Result<(), ApiError> {
    if expected == found {
        return Ok(());
    }
    Err(ApiError::new(ErrorCode::Restarted, "the log was started again meanwhile").hint("ask again"))
}
