//! The counts of texts, so that each is counted once.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use cwl_tokens::{Tokenizer, count_units};

/// The most texts whose counts are kept; beyond it all are counted anew.
const N_KEPT: usize = 1 << 18;
/// Shorter texts take no longer to count than to look up, bytes.
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
