//! Token counts of a log's texts: made once per tokenizer, kept in the store, and shared by all revisions.

use std::sync::Mutex;

use cwl_store::{BlockPlace, ContentHash, Counter};
use cwl_tokens::{CountCache, Tokenizer, count_all};

use crate::ApiError;
use crate::recent::locked;
use crate::stored::matches::Matches;
use crate::stored::texts::{Record, Texts};

/// The units of every block's text of one log, per tokenizer; images are not in them.
pub(crate) struct Counts {
    /// In log order; shorter than the log where the rest was not asked for yet.
    known: [Mutex<Vec<u32>>; Tokenizer::ALL.len()],
    small: Mutex<CountCache>,
    /// Where the texts have what people watch: shared by all revisions like the counts.
    pub(crate) matches: Matches,
}

/// Counts of residues and unfinished lines that are remembered.
const SMALL_KEPT: usize = 8192;
/// How many texts are counted before their counts are stored.
const PAGE: usize = 4096;

impl Default for Counts {
    fn default() -> Self {
        Self {
            known: Default::default(),
            small: Mutex::new(CountCache::new(SMALL_KEPT)),
            matches: Matches::default(),
        }
    }
}

/// Returns the name under which counts of a tokenizer are stored.
pub(crate) fn counter(tokenizer: Tokenizer) -> Counter<'static> {
    Counter { tokenizer: tokenizer.name(), implementation: tokenizer.implementation() }
}

impl Counts {
    fn known(&self, tokenizer: Tokenizer) -> &Mutex<Vec<u32>> {
        let at = Tokenizer::ALL.iter().position(|known| *known == tokenizer);
        &self.known[at.unwrap_or_default()]
    }

    /// Takes over counts that were made as the log was read; `from` is the first block's place in the log.
    pub(crate) fn extend(&self, tokenizer: Tokenizer, from: usize, units: &[u32]) {
        // A request that counts this very log holds the lock for long; then these are counted when asked for.
        if let Ok(mut known) = self.known(tokenizer).try_lock()
            && known.len() == from
        {
            known.extend_from_slice(units);
        }
    }

    /// Counts a short text that is asked for again and again.
    pub(crate) fn small(&self, tokenizer: Tokenizer, text: &str) -> u32 {
        locked(&self.small).count(tokenizer, text)
    }

    /// Returns the units of the texts of all blocks; `places` are the blocks in log order.
    pub(crate) fn of(
        &self,
        tokenizer: Tokenizer,
        texts: &Texts,
        places: &[BlockPlace],
    ) -> Result<Vec<u32>, ApiError> {
        let (n_stored, tail) = match texts {
            Texts::Memory(_) => (places.len(), &[][..]),
            Texts::Stored { n_stored, tail, .. } => {
                (places.partition_point(|at| at.seq < *n_stored), &tail[..])
            }
        };
        let mut known = locked(self.known(tokenizer));
        if known.len() < n_stored {
            self.count_rest(tokenizer, texts, &places[..n_stored], &mut known)?;
        }
        let mut units = known[..n_stored].to_vec();
        drop(known);
        units.extend(self.count_records(tokenizer, tail));
        Ok(units)
    }

    fn count_records(&self, tokenizer: Tokenizer, records: &[Record]) -> Vec<u32> {
        let texts = records.iter().flat_map(|record| &record.contents);
        texts.map(|content| self.small(tokenizer, &content.text)).collect()
    }

    fn count_rest(
        &self,
        tokenizer: Tokenizer,
        texts: &Texts,
        places: &[BlockPlace],
        known: &mut Vec<u32>,
    ) -> Result<(), ApiError> {
        let rest = &places[known.len()..];
        match texts {
            Texts::Memory(records) => {
                let rest: Vec<&str> = records
                    .iter()
                    .flat_map(|record| &record.contents)
                    .skip(known.len())
                    .map(|content| content.text.as_str())
                    .collect();
                known.extend(count_all(tokenizer, &rest));
            }
            Texts::Stored { library, source, .. } if rest.len() > PAGE / 8 || known.is_empty() => {
                let counter = counter(tokenizer);
                let mut from = rest.first().copied();
                let mut counts = library.read(|reader| reader.counts(*source, counter))?;
                while counts.iter().take(places.len()).any(Option::is_none)
                    && let Some(at) = from
                {
                    let page = library.read(|reader| reader.uncounted(*source, counter, at, PAGE))?;
                    let (hashes, page_texts): (Vec<ContentHash>, Vec<String>) =
                        page.texts.into_iter().unzip();
                    let units = count_all(tokenizer, &page_texts);
                    let rows: Vec<_> = hashes.into_iter().zip(units).collect();
                    if library.write(|store| store.save_counts(counter, &rows)).is_err() {
                        known.extend(count_unstored(tokenizer, texts, rest)?);
                        return Ok(());
                    }
                    from = page.next;
                    if from.is_none() {
                        counts = library.read(|reader| reader.counts(*source, counter))?;
                        break;
                    }
                }
                counts.resize(places.len().max(counts.len()), Some(0));
                known.clear();
                known.extend(counts[..places.len()].iter().map(|units| units.unwrap_or(0)));
            }
            Texts::Stored { library, .. } => {
                let rest: Vec<String> =
                    texts.contents(rest)?.into_iter().map(|content| content.text).collect();
                let units = count_all(tokenizer, &rest);
                let rows: Vec<_> =
                    rest.iter().map(|text| ContentHash::of(text)).zip(units.iter().copied()).collect();
                // A store that cannot be written to has told that itself.
                drop(library.write(|store| store.save_counts(counter(tokenizer), &rows)));
                known.extend(units);
            }
        }
        Ok(())
    }
}

/// Counts texts of a store that does not take the counts.
fn count_unstored(tokenizer: Tokenizer, texts: &Texts, places: &[BlockPlace]) -> Result<Vec<u32>, ApiError> {
    let mut units = Vec::with_capacity(places.len());
    for page in places.chunks(PAGE) {
        let page: Vec<String> = texts.contents(page)?.into_iter().map(|content| content.text).collect();
        units.extend(count_all(tokenizer, &page));
    }
    Ok(units)
}
