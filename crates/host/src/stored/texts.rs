//! A log's texts in the store, for [`Texts`].

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use cwl_engine::{BlockPlace, Content, EventIdx, RawPayload};
use cwl_inspect::figures::saturate_u32;
use cwl_inspect::text_store::TextStore;
use cwl_inspect::texts::log_texts::{RecordTexts, Texts};
use cwl_store::{Counter, ReadHandle, SourceId, StoreError, TextHash, TextId};
use cwl_tokens::{Tokenizer, count_all};
use rayon::prelude::*;

use crate::stored::library::Library;
use crate::{ApiError, ErrorCode};

pub(crate) struct StoredTexts {
    pub(crate) library: Arc<Library>,
    pub(crate) source: SourceId,
    /// Restarts of the log before this value was made. Texts from another generation differ.
    generation: u32,
    n_records: u32,
}

const SCANNERS: usize = 4;
const PAGE: usize = 4096;

/// Returns a log's texts: the first `n_records` are in the store, the others in `records`.
pub(crate) fn texts_from_store(
    library: &Arc<Library>,
    (source, generation): (SourceId, u32),
    n_records: usize,
    records: Vec<RecordTexts>,
) -> Texts {
    let (library, n_records) = (Arc::clone(library), saturate_u32(n_records));
    Texts { stored: Some(Box::new(StoredTexts { library, source, generation, n_records })), records }
}

pub(crate) fn stored_counter(tokenizer: Tokenizer) -> Counter<'static> {
    Counter { tokenizer: tokenizer.name(), implementation: tokenizer.implementation() }
}

impl StoredTexts {
    pub(crate) fn from_texts(stored: &dyn TextStore) -> Option<&Self> {
        stored.as_any().downcast_ref()
    }

    /// Reads from the store.
    ///
    /// # Errors
    /// If the log was restarted, so that the store has other texts.
    fn read_stored<T>(
        &self,
        body: impl FnOnce(&ReadHandle, SourceId) -> Result<T, StoreError>,
    ) -> Result<T, ApiError> {
        let Self { library, source, generation, .. } = self;
        let (found, now) =
            library.run_read(|reader| Ok((body(reader, *source)?, reader.source(*source)?.generation)))?;
        if now != *generation {
            return Err(ApiError::new(ErrorCode::Restarted, "the log was started again meanwhile")
                .with_hint("ask again"));
        }
        Ok(found)
    }
}

impl TextStore for StoredTexts {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn n_records(&self) -> u32 {
        self.n_records
    }

    fn is_kept(&self) -> bool {
        self.library.is_kept()
    }

    fn block_contents(&self, places: &[BlockPlace]) -> Result<Vec<Option<Content>>, ApiError> {
        self.read_stored(|reader, source| reader.block_contents(source, places))
    }

    fn record_envelopes(&self, events: &[EventIdx]) -> Result<BTreeMap<EventIdx, RawPayload>, ApiError> {
        self.read_stored(|reader, source| {
            let envelope = |event: &EventIdx| {
                Ok((*event, reader.record_envelope(source, saturate_u32(event.at()))?.unwrap_or_default()))
            };
            events.iter().map(envelope).collect()
        })
    }

    fn tally_texts(&self, count: &(dyn Fn(&str) -> u32 + Sync)) -> Result<Vec<(BlockPlace, u32)>, ApiError> {
        let mut blocks = self.read_stored(|reader, source| reader.text_ids(source))?;
        blocks.retain(|(at, _)| at.seq < self.n_records);
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
        Ok(blocks.iter().map(|(at, id)| (*at, n_of(id))).collect())
    }

    fn scan_blocks(&self, visit: &mut dyn FnMut(BlockPlace, &str)) -> Result<(), ApiError> {
        self.read_stored(|reader, source| {
            reader.scan_texts(source, |at, text| {
                if at.seq < self.n_records {
                    visit(at, text);
                }
            })
        })
    }

    fn token_counts(
        &self,
        tokenizer: Tokenizer,
        n_blocks: usize,
        from: Option<BlockPlace>,
    ) -> Result<Option<Vec<u32>>, ApiError> {
        let Self { library, source, .. } = self;
        let counter = stored_counter(tokenizer);
        let read = || library.run_read(|reader| reader.block_counts(*source, counter));
        let mut counts = read()?;
        let mut next = from.filter(|_| counts.iter().take(n_blocks).any(Option::is_none));
        while let Some(at) = next {
            let page = library.run_read(|reader| reader.uncounted_texts(*source, counter, at, PAGE))?;
            let (hashes, texts): (Vec<TextHash>, Vec<String>) = page.texts.into_iter().unzip();
            let rows: Vec<_> = hashes.into_iter().zip(count_all(tokenizer, &texts)).collect();
            if library.run_write(|store| store.save_counts(counter, &rows)).is_err() {
                return Ok(None);
            }
            next = page.next;
            if next.is_none() {
                counts = read()?;
            }
        }
        counts.resize(n_blocks, Some(0));
        Ok(Some(counts.into_iter().map(|units| units.unwrap_or(0)).collect()))
    }

    fn save_counts(&self, tokenizer: Tokenizer, texts: &[String], units: &[u32]) {
        let hashes = texts.iter().map(|text| TextHash::from_text(text));
        let rows: Vec<_> = hashes.zip(units.iter().copied()).collect();
        // The store reports a failed write itself.
        drop(self.library.run_write(|store| store.save_counts(stored_counter(tokenizer), &rows)));
    }
}
