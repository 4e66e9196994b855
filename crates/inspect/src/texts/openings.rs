//! First words of texts: read once per block, and shared by all revisions.

use std::collections::HashMap;
use std::sync::Mutex;

use cwl_engine::BlockPlace;
use cwl_formats::title::first_words;

use crate::ApiError;
use crate::recent::lock_unpoisoned;
use crate::texts::log_texts::Texts;

#[derive(Default)]
pub struct KnownOpenings(Mutex<HashMap<BlockPlace, String>>);

impl KnownOpenings {
    /// Returns the first words of blocks in log order. Blocks in an unfinished line are read anew each time.
    pub(crate) fn of_blocks(&self, places: &[BlockPlace], texts: &Texts) -> Result<Vec<String>, ApiError> {
        let mut known = lock_unpoisoned(&self.0);
        let missing: Vec<BlockPlace> =
            places.iter().copied().filter(|place| !known.contains_key(place)).collect();
        let contents = texts.block_contents(&missing)?;
        let read: HashMap<BlockPlace, String> = missing
            .into_iter()
            .zip(contents)
            .map(|(place, content)| (place, first_words(&content.text)))
            .collect();
        let opening = |place: &BlockPlace| read.get(place).or(known.get(place)).cloned().unwrap_or_default();
        let openings = places.iter().map(opening).collect();
        known.extend(read.into_iter().filter(|(place, _)| texts.is_settled(*place)));
        Ok(openings)
    }
}
