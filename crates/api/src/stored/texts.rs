//! Texts of a log: in memory, or in the store with the unfinished last line beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{Content, EventIdx, ParsedEvent, RawPayload, SessionEvent};
use cwl_store::{BlockPlace, SourceId, StoreError, TextId};
use rayon::prelude::*;

use crate::stored::library::Library;
use crate::{ApiError, ErrorCode};

/// The texts of one record, which the engine does not need.
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

/// How many readers search at once; no more are kept open.
const SCANNERS: usize = 4;

impl Texts {
    /// Tells whether they outlive the process.
    pub(crate) fn is_kept(&self) -> bool {
        match self {
            Self::Memory(_) => false,
            Self::Stored { library, .. } => library.is_kept(),
        }
    }

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

    /// Counts something in the text of every block, in each distinct text once and on all cores; returns the blocks
    /// that have any of it, in log order.
    pub(crate) fn tally(
        &self,
        count: impl Fn(&str) -> u32 + Sync,
    ) -> Result<Vec<(BlockPlace, u32)>, ApiError> {
        let of_records = |first: u32, records: &[Record]| -> Vec<(BlockPlace, u32)> {
            let counted = (first..).zip(records).flat_map(|(seq, record)| {
                let count = &count;
                (0..).zip(&record.contents).map(move |(part, it)| (BlockPlace { seq, part }, count(&it.text)))
            });
            counted.filter(|(_, n)| *n > 0).collect()
        };
        let Self::Stored { library, source, generation, n_stored, tail } = self else {
            let Self::Memory(records) = self else { return Ok(Vec::new()) };
            return Ok(of_records(0, records));
        };
        let (mut blocks, now) =
            library.read(|reader| Ok((reader.text_ids(*source)?, reader.source(*source)?.generation)))?;
        check_generation(*generation, now)?;
        blocks.retain(|(at, _)| at.seq < *n_stored);
        let mut ids: Vec<TextId> = blocks.iter().map(|(_, id)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        let chunk = ids.len().div_ceil(rayon::current_num_threads().clamp(1, SCANNERS)).max(1);
        let counted: Vec<Vec<u32>> = ids
            .par_chunks(chunk)
            .map(|ids| {
                library.read(|reader| {
                    let mut counts = vec![0; ids.len()];
                    reader.visit_texts(ids, |at, text| {
                        counts[at] = count(text);
                        std::ops::ControlFlow::Continue(())
                    })?;
                    Ok::<_, StoreError>(counts)
                })
            })
            .collect::<Result<_, ApiError>>()?;
        let counts: Vec<u32> = counted.concat();
        // The texts may have been exchanged while they were read.
        check_generation(*generation, library.read(|reader| Ok(reader.source(*source)?.generation))?)?;
        let n_of =
            |id: &TextId| ids.binary_search(id).ok().and_then(|at| counts.get(at).copied()).unwrap_or(0);
        let mut found: Vec<(BlockPlace, u32)> =
            blocks.iter().map(|(at, id)| (*at, n_of(id))).filter(|(_, n)| *n > 0).collect();
        found.extend(of_records(*n_stored, tail));
        Ok(found)
    }

    /// Gives the text of every block to `visit`, in log order.
    pub(crate) fn scan(&self, mut visit: impl FnMut(BlockPlace, &str)) -> Result<(), ApiError> {
        let (first, records) = match self {
            Self::Memory(records) => (0, records),
            Self::Stored { library, source, generation, n_stored, tail } => {
                let now = library.read(|reader| {
                    reader.scan_texts(*source, |at, text| {
                        if at.seq < *n_stored {
                            visit(at, text);
                        }
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
