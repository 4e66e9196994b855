//! Unit counts per text, so each text is counted once.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use cwl_tokens::{Tokenizer, count_units};

/// Limit on cached counts; a full cache is cleared.
const N_KEPT: usize = 1 << 18;
/// Length in bytes below which counting is as fast as a lookup.
const SHORT: usize = 32;

#[derive(Default)]
pub(super) struct TextCounts {
    known: HashMap<(u64, usize), u32>,
}

impl TextCounts {
    pub(super) fn count(&mut self, tokenizer: Tokenizer, text: &str) -> u32 {
        if text.len() < SHORT {
            return count_units(tokenizer, text);
        }
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        if self.known.len() >= N_KEPT {
            self.known.clear();
        }
        *self.known.entry((hasher.finish(), text.len())).or_insert_with(|| count_units(tokenizer, text))
    }
}
