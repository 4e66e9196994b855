//! Token counts of a log's texts: computed once per tokenizer, and shared by all revisions.

use std::sync::Mutex;

use cwl_engine::BlockPlace;
use cwl_tokens::Tokenizer;

use crate::ApiError;
use crate::recent::lock_unpoisoned;
use crate::texts::counter::{TextCounter, VocabularyCounter};
use crate::texts::facts::KnownFacts;
use crate::texts::fitted::{FITS_KEPT, KnownFits};
use crate::texts::log_texts::Texts;
use crate::texts::matches::Matches;
use crate::texts::media::KnownMedia;
use crate::texts::openings::KnownOpenings;

/// Units of every block's text in one log, per tokenizer. Images are not included.
pub struct Counts {
    /// In log order. Later blocks are missing until requested.
    known: [Mutex<Vec<u32>>; Tokenizer::ALL.len()],
    counter: Box<dyn TextCounter>,
    pub matches: Matches,
    pub facts: KnownFacts,
    pub media: KnownMedia,
    pub openings: KnownOpenings,
    pub fits: KnownFits,
}

const PAGE: usize = 4096;

impl Default for Counts {
    fn default() -> Self {
        Self::with_counter(Box::new(VocabularyCounter::default()))
    }
}

impl Counts {
    pub fn with_counter(counter: Box<dyn TextCounter>) -> Self {
        Self {
            known: Default::default(),
            counter,
            matches: Matches::default(),
            facts: KnownFacts::default(),
            media: KnownMedia::default(),
            openings: KnownOpenings::default(),
            fits: KnownFits::new(FITS_KEPT),
        }
    }

    fn known_counts(&self, tokenizer: Tokenizer) -> &Mutex<Vec<u32>> {
        let at = Tokenizer::ALL.iter().position(|known| *known == tokenizer);
        &self.known[at.unwrap_or_default()]
    }

    /// Adds counts made while the log was read; `from` is the index of the first block.
    pub fn extend_counts(&self, tokenizer: Tokenizer, from: usize, units: &[u32]) {
        // A request counting this log may hold the lock for long. Then these texts are counted when needed.
        if let Ok(mut known) = self.known_counts(tokenizer).try_lock()
            && known.len() == from
        {
            known.extend_from_slice(units);
        }
    }

    pub(crate) fn count_short(&self, tokenizer: Tokenizer, text: &str) -> Result<u32, ApiError> {
        self.counter.count_short(tokenizer, text)
    }

    pub(crate) fn count_texts(&self, tokenizer: Tokenizer, texts: &[String]) -> Result<Vec<u32>, ApiError> {
        self.counter.count_texts(tokenizer, texts)
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
            self.count_rest(tokenizer, texts, &places[..n_settled], &mut known)?;
        }
        let mut units = known[..n_settled].to_vec();
        drop(known);
        let tail = tail.iter().flat_map(|record| &record.contents);
        for content in tail {
            units.push(self.count_short(tokenizer, &content.text)?);
        }
        Ok(units)
    }

    fn count_rest(
        &self,
        tokenizer: Tokenizer,
        texts: &Texts,
        places: &[BlockPlace],
        known: &mut Vec<u32>,
    ) -> Result<(), ApiError> {
        let rest = &places[known.len()..];
        // A few new texts are counted at once. For more, the store may already have counts.
        let is_more = rest.len() > PAGE / 8 || known.is_empty();
        if let Some(stored) = texts.stored.as_ref().filter(|_| is_more)
            && let Some(units) = stored.token_counts(tokenizer, places.len(), rest.first().copied())?
        {
            *known = units;
            return Ok(());
        }
        for page in rest.chunks(PAGE) {
            let page: Vec<String> =
                texts.block_contents(page)?.into_iter().map(|content| content.text).collect();
            let units = self.count_texts(tokenizer, &page)?;
            if let Some(stored) = &texts.stored {
                stored.save_counts(tokenizer, &page, &units);
            }
            known.extend(units);
        }
        Ok(())
    }
}
