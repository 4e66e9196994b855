//! Token counts of a log's texts: computed once per tokenizer, stored, and shared by all revisions.

use std::sync::Mutex;

use cwl_store::{BlockPlace, Counter, TextHash};
use cwl_tokens::{CountCache, Tokenizer, count_all};

use crate::ApiError;
use crate::recent::lock_unpoisoned;
use crate::stored::facts::KnownFacts;
use crate::stored::matches::Matches;
use crate::stored::media::KnownMedia;
use crate::stored::texts::{StoredTexts, Texts};

/// Units of every block's text in one log, per tokenizer. Images are not included.
pub(crate) struct Counts {
    /// In log order. Later blocks are missing until requested.
    known: [Mutex<Vec<u32>>; Tokenizer::ALL.len()],
    small: Mutex<CountCache>,
    pub(crate) matches: Matches,
    pub(crate) facts: KnownFacts,
    pub(crate) media: KnownMedia,
}

/// Maximum number of remembered counts for residues and unfinished lines.
const SMALL_KEPT: usize = 8192;
/// Texts counted before their counts are stored.
const PAGE: usize = 4096;

impl Default for Counts {
    fn default() -> Self {
        Self {
            known: Default::default(),
            small: Mutex::new(CountCache::new(SMALL_KEPT)),
            matches: Matches::default(),
            facts: KnownFacts::default(),
            media: KnownMedia::default(),
        }
    }
}

pub(crate) fn stored_counter(tokenizer: Tokenizer) -> Counter<'static> {
    Counter { tokenizer: tokenizer.name(), implementation: tokenizer.implementation() }
}

impl Counts {
    fn known_counts(&self, tokenizer: Tokenizer) -> &Mutex<Vec<u32>> {
        let at = Tokenizer::ALL.iter().position(|known| *known == tokenizer);
        &self.known[at.unwrap_or_default()]
    }

    /// Adds counts made while the log was read; `from` is the index of the first block.
    pub(crate) fn extend_counts(&self, tokenizer: Tokenizer, from: usize, units: &[u32]) {
        // A request counting this log may hold the lock for long. Then these texts are counted when needed.
        if let Ok(mut known) = self.known_counts(tokenizer).try_lock()
            && known.len() == from
        {
            known.extend_from_slice(units);
        }
    }

    pub(crate) fn count_short(&self, tokenizer: Tokenizer, text: &str) -> u32 {
        lock_unpoisoned(&self.small).count_units(tokenizer, text)
    }

    /// Returns the units of every block's text; `places` lists all blocks in log order.
    pub(crate) fn units_of_blocks(
        &self,
        tokenizer: Tokenizer,
        texts: &Texts,
        places: &[BlockPlace],
    ) -> Result<Vec<u32>, ApiError> {
        let (n_settled, tail) = texts.settled_blocks(places);
        let mut known = lock_unpoisoned(self.known_counts(tokenizer));
        if known.len() < n_settled {
            count_rest(tokenizer, texts, &places[..n_settled], &mut known)?;
        }
        let mut units = known[..n_settled].to_vec();
        drop(known);
        let tail = tail.iter().flat_map(|record| &record.contents);
        units.extend(tail.map(|content| self.count_short(tokenizer, &content.text)));
        Ok(units)
    }
}

fn count_rest(
    tokenizer: Tokenizer,
    texts: &Texts,
    places: &[BlockPlace],
    known: &mut Vec<u32>,
) -> Result<(), ApiError> {
    let rest = &places[known.len()..];
    // A few new texts are counted at once. For more, the store may already have counts.
    let is_more = rest.len() > PAGE / 8 || known.is_empty();
    if let Some(stored) = texts.stored.as_ref().filter(|_| is_more)
        && let Some(units) = stored_counts(tokenizer, stored, places.len(), rest.first().copied())?
    {
        *known = units;
        return Ok(());
    }
    for page in rest.chunks(PAGE) {
        let page: Vec<String> = texts.block_contents(page)?.into_iter().map(|content| content.text).collect();
        let units = count_all(tokenizer, &page);
        if let Some(StoredTexts { library, .. }) = &texts.stored {
            let hashes = page.iter().map(|text| TextHash::from_text(text));
            let rows: Vec<_> = hashes.zip(units.iter().copied()).collect();
            // The store reports a failed write itself.
            drop(library.run_write(|store| store.save_counts(stored_counter(tokenizer), &rows)));
        }
        known.extend(units);
    }
    Ok(())
}

/// Returns counts of the first `n_blocks` texts from the store, after counting and storing missing ones after `from`.
/// Returns `None` if the store is not writable.
fn stored_counts(
    tokenizer: Tokenizer,
    StoredTexts { library, source, .. }: &StoredTexts,
    n_blocks: usize,
    from: Option<BlockPlace>,
) -> Result<Option<Vec<u32>>, ApiError> {
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
