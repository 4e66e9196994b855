//! Counting: one text, many texts, and loading a vocabulary ahead of need.

use crate::Tokenizer;
use crate::pieces::split_pieces;
use crate::reference;
use rayon::prelude::*;

/// A text over this many bytes is shared out over the cores, so one huge block does not hold up the rest.
const SHARED_OUT: usize = 64 * 1024;

/// Counts a text's units. Never panics, whatever `text`.
///
/// Special tokens such as `<|endoftext|>` are plain text. The count saturates at `u32::MAX`.
///
/// The reference tokenizers hand what the reference cannot take (a run of over 64 KiB of one class of characters, which
/// would make it panic or crawl) to the fast path, whose counts are the same.
pub fn count_units(tokenizer: Tokenizer, text: &str) -> u32 {
    saturate_u32(split_pieces(text).map(|piece| units_of_piece(tokenizer, piece)).sum())
}

/// Counts many texts over the cores; the counts are in text order, each what [`count_units`] gives.
pub fn count_all<T: AsRef<str> + Sync>(tokenizer: Tokenizer, texts: &[T]) -> Vec<u32> {
    texts
        .par_iter()
        .map(|text| {
            let text = text.as_ref();
            if text.len() <= SHARED_OUT {
                return count_units(tokenizer, text);
            }
            let pieces: Vec<&str> = split_pieces(text).collect();
            saturate_u32(pieces.into_par_iter().map(|piece| units_of_piece(tokenizer, piece)).sum())
        })
        .collect()
}

/// Loads the vocabulary ahead of need (about 120 ms, the reference 180 ms); call it on a thread at start.
pub fn load_vocabulary(tokenizer: Tokenizer) {
    count_units(tokenizer, "warm");
}

/// Loads the vocabulary as [`load_vocabulary`] does, on another thread: nothing waits for it but the first count.
pub fn warm_beside(tokenizer: Tokenizer) {
    rayon::spawn(move || load_vocabulary(tokenizer));
}

fn units_of_piece(tokenizer: Tokenizer, piece: &str) -> usize {
    match tokenizer {
        Tokenizer::Chars4 => utf16_units(piece),
        Tokenizer::O200kRef if reference::takes_piece(piece) => reference::o200k().count_ordinary(piece),
        Tokenizer::Cl100kRef if reference::takes_piece(piece) => reference::cl100k().count_ordinary(piece),
        Tokenizer::O200k | Tokenizer::O200kRef => fast_counter("o200k_base").count(piece),
        Tokenizer::Cl100k | Tokenizer::Cl100kRef => fast_counter("cl100k_base").count(piece),
    }
}

pub(crate) fn fast_counter(vocabulary: &str) -> &'static tiktoken::CoreBpe {
    tiktoken::get_encoding(vocabulary).expect("both vocabularies are features of the dependency")
}

/// Counts UTF-16 code units from the UTF-8 bytes: one per character, and a second one where the character takes
/// four bytes.
fn utf16_units(text: &str) -> usize {
    let starts = text.bytes().filter(|byte| byte & 0xC0 != 0x80).count();
    let pairs = text.bytes().filter(|&byte| byte >= 0xF0).count();
    starts + pairs
}

fn saturate_u32(units: usize) -> u32 {
    u32::try_from(units).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn utf16_units_are_code_units() {
        let check = |text: &str, expected: u32| {
            assert_eq!(count_units(Tokenizer::Chars4, text), expected, "{text:?}")
        };
        check("", 0);
        check("abc", 3);
        check("é", 1);
        check("漢字", 2);
        check("\u{ffff}", 1);
        check("\u{10000}", 2);
        check("😀", 2);
        check("👩‍👩‍👧", 8);
        check("<|endoftext|>", 13);
    }

    #[test]
    fn an_overflow_saturates() {
        assert_eq!(saturate_u32(7), 7);
        assert_eq!(saturate_u32(usize::MAX), u32::MAX);
    }

    proptest! {
        #[test]
        fn utf16_units_agree_with_the_encoder(text in any::<String>()) {
            prop_assert_eq!(utf16_units(&text), text.encode_utf16().count());
        }
    }
}
