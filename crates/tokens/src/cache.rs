use crate::{ContentHash, Tokenizer, count_units};
use hashlink::LruCache;

/// Texts up to this many bytes are counted again, because hashing takes as long.
const SHORT: usize = 64;

/// Remembers counts by tokenizer and content hash. Bounded: the least recently used count is dropped first.
#[derive(Debug)]
pub struct CountCache {
    known: LruCache<(Tokenizer, ContentHash), u32>,
}

impl CountCache {
    /// Returns an empty cache for at most `capacity` counts, about 90 bytes each. Below two, nothing is
    /// remembered.
    pub fn new(capacity: usize) -> Self {
        Self { known: LruCache::new(if capacity < 2 { 0 } else { capacity }) }
    }

    pub fn get_units(&mut self, tokenizer: Tokenizer, hash: ContentHash) -> Option<u32> {
        self.known.get(&(tokenizer, hash)).copied()
    }

    pub fn insert_units(&mut self, tokenizer: Tokenizer, hash: ContentHash, units: u32) {
        self.known.insert((tokenizer, hash), units);
    }

    /// Returns a text's units, remembered or counted now.
    ///
    /// Short texts, and all texts under `chars4`, are counted directly, which is faster than a lookup.
    pub fn count_units(&mut self, tokenizer: Tokenizer, text: &str) -> u32 {
        if text.len() <= SHORT || tokenizer == Tokenizer::Chars4 {
            return count_units(tokenizer, text);
        }
        let hash = ContentHash::from_text(text);
        if let Some(units) = self.get_units(tokenizer, hash) {
            return units;
        }
        let units = count_units(tokenizer, text);
        self.insert_units(tokenizer, hash, units);
        units
    }

    pub fn len(&self) -> usize {
        self.known.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    const T: Tokenizer = Tokenizer::O200k;

    fn key(n: u8) -> ContentHash {
        ContentHash::from_bytes([n; 32])
    }

    #[test]
    fn remembers_by_tokenizer_and_text() {
        let mut cache = CountCache::new(8);
        cache.insert_units(T, key(1), 10);
        assert_eq!(cache.get_units(T, key(1)), Some(10));
        assert_eq!(cache.get_units(Tokenizer::Cl100k, key(1)), None, "another tokenizer counts otherwise");
        assert_eq!(cache.get_units(T, key(2)), None);
        cache.insert_units(T, key(1), 11);
        assert_eq!((cache.get_units(T, key(1)), cache.len()), (Some(11), 1), "the newest count wins");
    }

    #[test]
    fn counts_once() {
        let text = "one sentence that is a little longer than the limit of what counts as short";
        let mut cache = CountCache::new(8);
        let units = cache.count_units(T, text);
        assert_eq!((units, cache.len()), (count_units(T, text), 1));
        cache.insert_units(T, ContentHash::from_text(text), 12_345);
        assert_eq!(cache.count_units(T, text), 12_345, "the second time it is remembered, not counted");
    }

    #[test]
    fn short_texts_and_chars4_are_not_remembered() {
        let mut cache = CountCache::new(8);
        assert_eq!(cache.count_units(T, "short"), count_units(T, "short"));
        assert_eq!(cache.count_units(Tokenizer::Chars4, &"long ".repeat(100)), 500);
        assert!(cache.is_empty());
    }

    #[test]
    fn what_is_in_use_stays_and_the_rest_is_forgotten() {
        let mut cache = CountCache::new(4);
        cache.insert_units(T, key(0), 0);
        for n in 1..100 {
            cache.insert_units(T, key(n), u32::from(n));
            assert_eq!(cache.get_units(T, key(0)), Some(0), "asked for after every insertion");
        }
        assert_eq!(cache.get_units(T, key(1)), None, "never asked for");
    }

    #[test]
    fn a_tiny_capacity_remembers_nothing() {
        for capacity in [0, 1] {
            let mut cache = CountCache::new(capacity);
            cache.insert_units(T, key(1), 1);
            assert_eq!(cache.get_units(T, key(1)), None);
        }
    }

    proptest! {
        #[test]
        fn bounded_and_never_wrong(
            capacity in 0..9_usize,
            steps in proptest::collection::vec((any::<bool>(), 0..16_u8, any::<u32>()), 0..200),
        ) {
            let mut cache = CountCache::new(capacity);
            let mut truth = HashMap::new();
            for (insert, n, units) in steps {
                if insert {
                    cache.insert_units(T, key(n), units);
                    truth.insert(n, units);
                } else if let Some(found) = cache.get_units(T, key(n)) {
                    prop_assert_eq!(Some(&found), truth.get(&n));
                }
                prop_assert!(cache.len() <= capacity);
            }
        }
    }
}
