//! Who counts texts: the vocabularies, or a table of counts that came along with a session.

use std::sync::Mutex;

use cwl_tokens::{CountCache, Tokenizer, count_all};

use crate::ApiError;
use crate::recent::lock_unpoisoned;

pub trait TextCounter: Send + Sync {
    /// Counts texts, in their order.
    ///
    /// # Errors
    /// If a text cannot be counted here.
    fn count_texts(&self, tokenizer: Tokenizer, texts: &[String]) -> Result<Vec<u32>, ApiError>;

    /// Counts a short text, which is often the same one.
    ///
    /// # Errors
    /// If it cannot be counted here.
    fn count_short(&self, tokenizer: Tokenizer, text: &str) -> Result<u32, ApiError>;
}

/// Maximum number of remembered counts for residues and unfinished lines.
const SMALL_KEPT: usize = 8192;

/// Counts with the vocabularies, which only a program that names this type has in it.
pub struct VocabularyCounter {
    small: Mutex<CountCache>,
}

impl Default for VocabularyCounter {
    fn default() -> Self {
        Self { small: Mutex::new(CountCache::new(SMALL_KEPT)) }
    }
}

impl TextCounter for VocabularyCounter {
    fn count_texts(&self, tokenizer: Tokenizer, texts: &[String]) -> Result<Vec<u32>, ApiError> {
        Ok(count_all(tokenizer, texts))
    }

    fn count_short(&self, tokenizer: Tokenizer, text: &str) -> Result<u32, ApiError> {
        Ok(lock_unpoisoned(&self.small).count_units(tokenizer, text))
    }
}
