//! Texts that a host keeps outside memory.

use std::any::Any;
use std::collections::BTreeMap;

use cwl_engine::{BlockPlace, Content, EventIdx, RawPayload};
use cwl_tokens::Tokenizer;

use crate::ApiError;

/// The texts of a log's first records, kept by a host, for example in a database.
///
/// Every method fails if the texts cannot be read, or if the log was restarted and other texts are in their place.
pub trait TextStore: Send + Sync {
    /// Returns the host's own type, for the host.
    fn as_any(&self) -> &dyn Any;

    fn n_records(&self) -> u32;

    /// True if the texts outlive the process.
    fn is_kept(&self) -> bool;

    /// Returns one text per place; `None` for a missing one.
    ///
    /// # Errors
    /// See [`TextStore`].
    fn block_contents(&self, places: &[BlockPlace]) -> Result<Vec<Option<Content>>, ApiError>;

    /// Returns the envelope of each record.
    ///
    /// # Errors
    /// See [`TextStore`].
    fn record_envelopes(&self, events: &[EventIdx]) -> Result<BTreeMap<EventIdx, RawPayload>, ApiError>;

    /// Applies `count` to every text, once per distinct text. Returns all blocks in log order.
    ///
    /// # Errors
    /// See [`TextStore`].
    fn tally_texts(&self, count: &(dyn Fn(&str) -> u32 + Sync)) -> Result<Vec<(BlockPlace, u32)>, ApiError>;

    /// Calls `visit` with every block's text, in log order.
    ///
    /// # Errors
    /// See [`TextStore`].
    fn scan_blocks(&self, visit: &mut dyn FnMut(BlockPlace, &str)) -> Result<(), ApiError>;

    /// Returns the token counts of the first `n_blocks` texts, after counting missing ones from `from` on. `None` if counts
    /// cannot be kept.
    ///
    /// # Errors
    /// See [`TextStore`].
    fn token_counts(
        &self,
        tokenizer: Tokenizer,
        n_blocks: usize,
        from: Option<BlockPlace>,
    ) -> Result<Option<Vec<u32>>, ApiError>;

    fn save_counts(&self, tokenizer: Tokenizer, texts: &[String], units: &[u32]);
}
