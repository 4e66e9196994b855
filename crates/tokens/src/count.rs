use crate::Tokenizer;
use crate::pieces::split_pieces;
use crate::reference;
use rayon::prelude::*;

/// Texts over this many bytes are counted on several cores, so a single huge block does not delay the others.
const SHARED_OUT: usize = 64 * 1024;

/// Counts a text's units. Never panics, and saturates at `u32::MAX`.
///
/// Special tokens such as `<|endoftext|>` count as plain text. Text that would make the reference
/// implementation panic or crawl (a run of over 64 KiB from one character class) is counted by the fast
/// implementation, with the same result.
pub fn count_units(tokenizer: Tokenizer, text: &str) -> u32 {
    saturate_u32(split_pieces(text).map(|piece| units_of_piece(tokenizer, piece)).sum())
}

/// Counts texts in parallel, in the given order, with the same results as [`count_units`].
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

/// Loads the vocabulary ahead of use: about 120 ms, 180 ms for a reference tokenizer.
pub fn load_vocabulary(tokenizer: Tokenizer) {
    count_units(tokenizer, "warm");
}

/// Calls [`load_vocabulary`] in another thread; only the first count waits for it.
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
