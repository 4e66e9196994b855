//! A log's texts: in memory, or in the store plus the unfinished last line.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use cwl_engine::{Content, EventIdx, ParsedEvent, RawPayload, SessionEvent};
use cwl_store::{BlockPlace, ReadHandle, SourceId, StoreError, TextId};
use rayon::prelude::*;

use crate::figures::saturate_u32;
use crate::stored::library::Library;
use crate::{ApiError, ErrorCode};

#[derive(Debug, Clone, Default)]
pub(crate) struct RecordTexts {
    pub(crate) contents: Vec<Content>,
    pub(crate) envelope: RawPayload,
}

pub(crate) fn split_texts(parsed: ParsedEvent) -> (SessionEvent, RecordTexts) {
    (parsed.event, RecordTexts { contents: parsed.contents, envelope: parsed.envelope })
}

pub(crate) struct Texts {
    /// The first records; `None` for a log outside any store.
    pub(crate) stored: Option<StoredTexts>,
    /// The remaining records: the unfinished last line's, or all.
    pub(crate) records: Vec<RecordTexts>,
}

pub(crate) struct StoredTexts {
    pub(crate) library: Arc<Library>,
    pub(crate) source: SourceId,
    /// Restarts of the log before this value was made. Texts from another generation differ.
    pub(crate) generation: u32,
    pub(crate) n_records: u32,
}

const SCANNERS: usize = 4;

impl Texts {
    /// The first `n_records` are in the store, the others in `records`.
    pub(crate) fn from_store(
        library: &Arc<Library>,
        (source, generation): (SourceId, u32),
        n_records: usize,
        records: Vec<RecordTexts>,
    ) -> Self {
        let (library, n_records) = (Arc::clone(library), saturate_u32(n_records));
        Self { stored: Some(StoredTexts { library, source, generation, n_records }), records }
    }

    /// True if the texts outlive the process.
    pub(crate) fn is_kept(&self) -> bool {
        self.stored.as_ref().is_some_and(|stored| stored.library.is_kept())
    }

    /// Returns how many of the log's blocks no longer change, and the records that may change in the next revision.
    pub(crate) fn settled_blocks(&self, places: &[BlockPlace]) -> (usize, &[RecordTexts]) {
        match &self.stored {
            Some(stored) => (places.partition_point(|at| at.seq < stored.n_records), &self.records),
            None => (places.len(), &[]),
        }
    }

    /// True if a block's text no longer changes.
    pub(crate) fn is_settled(&self, place: BlockPlace) -> bool {
        self.stored.as_ref().is_none_or(|stored| place.seq < stored.n_records)
    }

    fn n_stored(&self) -> u32 {
        self.stored.as_ref().map_or(0, |stored| stored.n_records)
    }

    /// Reads from the store; returns the default value for a log outside any store.
    ///
    /// # Errors
    /// If the log was restarted, so that the store has other texts.
    fn read_stored<T: Default>(
        &self,
        body: impl FnOnce(&ReadHandle, SourceId) -> Result<T, StoreError>,
    ) -> Result<T, ApiError> {
        let Some(StoredTexts { library, source, generation, .. }) = &self.stored else {
            return Ok(T::default());
        };
        let (found, now) =
            library.run_read(|reader| Ok((body(reader, *source)?, reader.source(*source)?.generation)))?;
        if now != *generation {
            return Err(ApiError::new(ErrorCode::Restarted, "the log was started again meanwhile")
                .with_hint("ask again"));
        }
        Ok(found)
    }

    /// Returns one text per place; missing texts are empty.
    pub(crate) fn block_contents(&self, places: &[BlockPlace]) -> Result<Vec<Content>, ApiError> {
        let n_stored = self.n_stored();
        let stored: Vec<BlockPlace> = places.iter().copied().filter(|at| at.seq < n_stored).collect();
        let mut stored =
            self.read_stored(|reader, source| reader.block_contents(source, &stored))?.into_iter();
        let in_memory = |seq: u32, part: u32| self.records.get(seq as usize)?.contents.get(part as usize);
        let contents = places.iter().map(|at| match at.seq.checked_sub(n_stored) {
            Some(seq) => in_memory(seq, at.part).cloned(),
            None => stored.next().flatten(),
        });
        Ok(contents.map(Option::unwrap_or_default).collect())
    }

    pub(crate) fn record_envelopes(
        &self,
        events: &[EventIdx],
    ) -> Result<BTreeMap<EventIdx, RawPayload>, ApiError> {
        let n_stored = self.n_stored() as usize;
        self.read_stored(|reader, source| {
            let stored = events.iter().filter(|event| event.at() < n_stored);
            stored
                .map(|event| {
                    Ok((
                        *event,
                        reader.record_envelope(source, saturate_u32(event.at()))?.unwrap_or_default(),
                    ))
                })
                .collect::<Result<BTreeMap<_, _>, _>>()
        })
        .map(|mut found| {
            let in_memory = events.iter().filter_map(|event| {
                let record = self.records.get(event.at().checked_sub(n_stored)?)?;
                Some((*event, record.envelope.clone()))
            });
            found.extend(in_memory);
            found
        })
    }

    /// Applies `count` to every block's text, once per distinct text and on several cores. Returns blocks with a count
    /// above 0, in log order.
    pub(crate) fn tally_texts(
        &self,
        count: impl Fn(&str) -> u32 + Sync,
    ) -> Result<Vec<(BlockPlace, u32)>, ApiError> {
        let n_stored = self.n_stored();
        let mut blocks = self.read_stored(|reader, source| reader.text_ids(source))?;
        blocks.retain(|(at, _)| at.seq < n_stored);
        let mut ids: Vec<TextId> = blocks.iter().map(|(_, id)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        let chunk = ids.len().div_ceil(rayon::current_num_threads().clamp(1, SCANNERS)).max(1);
        let counted: Vec<Vec<u32>> = ids
            .par_chunks(chunk)
            .map(|ids| {
                self.read_stored(|reader, _| {
                    let mut counts = vec![0; ids.len()];
                    reader.visit_texts(ids, |at, text| {
                        counts[at] = count(text);
                        ControlFlow::Continue(())
                    })?;
                    Ok(counts)
                })
            })
            .collect::<Result<_, ApiError>>()?;
        let counts: Vec<u32> = counted.concat();
        let n_of =
            |id: &TextId| ids.binary_search(id).ok().and_then(|at| counts.get(at).copied()).unwrap_or(0);
        let mut found: Vec<(BlockPlace, u32)> = blocks.iter().map(|(at, id)| (*at, n_of(id))).collect();
        self.visit_records(|at, text| found.push((at, count(text))));
        found.retain(|(_, n)| *n > 0);
        Ok(found)
    }

    /// Calls `visit` with every block's text, in log order.
    pub(crate) fn scan_blocks(&self, mut visit: impl FnMut(BlockPlace, &str)) -> Result<(), ApiError> {
        let n_stored = self.n_stored();
        self.read_stored(|reader, source| {
            reader.scan_texts(source, |at, text| {
                if at.seq < n_stored {
                    visit(at, text);
                }
            })
        })?;
        self.visit_records(visit);
        Ok(())
    }

    fn visit_records(&self, mut visit: impl FnMut(BlockPlace, &str)) {
        for (seq, record) in (self.n_stored()..).zip(&self.records) {
            for (part, content) in (0..).zip(&record.contents) {
                visit(BlockPlace { seq, part }, &content.text);
            }
        }
    }
}
