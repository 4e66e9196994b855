//! Counting: one text, many texts, and loading a vocabulary ahead of need.

use crate::Tokenizer;
use crate::pieces::pieces;
use crate::reference;
use rayon::prelude::*;

/// A text over this many bytes is shared out over the cores, so that one huge block does not hold up the rest.
const SHARED_OUT: usize = 64 * 1024;

/// Counts the units of a text. Never panics, whatever the text.
///
/// Special tokens such as `<|endoftext|>` are plain text. The count saturates at `u32::MAX`.
///
/// The reference tokenizers hand what the reference cannot take (a run of over 64 KiB of one class of characters, which
/// would make it panic or crawl) to the fast path, whose counts are the same.
///
/// ```
/// use cwl_tokens::{Tokenizer, count};
/// assert_eq!(count(Tokenizer::O200k, "hello world"), 2);
/// assert_eq!(count(Tokenizer::Chars4, "hello world"), 11);
/// ```
pub fn count(tokenizer: Tokenizer, text: &str) -> u32 {
    let method = Method::of(tokenizer);
    saturated(pieces(text).map(|piece| method.units(piece)).sum())
}

/// Counts many texts over the cores; the counts are in the order of the texts, each what [`count`] gives.
pub fn count_all<T: AsRef<str> + Sync>(tokenizer: Tokenizer, texts: &[T]) -> Vec<u32> {
    let method = Method::of(tokenizer);
    texts
        .par_iter()
        .map(|text| {
            let text = text.as_ref();
            if text.len() <= SHARED_OUT {
                return count(tokenizer, text);
            }
            let pieces: Vec<&str> = pieces(text).collect();
            saturated(pieces.into_par_iter().map(|piece| method.units(piece)).sum())
        })
        .collect()
}

/// Loads the vocabulary ahead of need (about 120 ms, the reference 180 ms); call it on a thread at start.
pub fn warm(tokenizer: Tokenizer) {
    count(tokenizer, "warm");
}

/// How a piece of text is counted.
#[derive(Clone, Copy)]
enum Method {
    Utf16,
    Fast(Vocabulary),
    Reference(Vocabulary),
}

impl Method {
    fn of(tokenizer: Tokenizer) -> Self {
        match tokenizer {
            Tokenizer::Chars4 => Self::Utf16,
            Tokenizer::O200k => Self::Fast(Vocabulary::O200k),
            Tokenizer::Cl100k => Self::Fast(Vocabulary::Cl100k),
            Tokenizer::O200kRef => Self::Reference(Vocabulary::O200k),
            Tokenizer::Cl100kRef => Self::Reference(Vocabulary::Cl100k),
        }
    }

    fn units(self, piece: &str) -> usize {
        match self {
            Self::Utf16 => utf16_units(piece),
            Self::Reference(vocabulary) if reference::takes(piece) => {
                vocabulary.reference().count_ordinary(piece)
            }
            Self::Fast(vocabulary) | Self::Reference(vocabulary) => vocabulary.fast().count(piece),
        }
    }
}

/// The two vocabularies, each loaded by a crate when it first counts with it.
#[derive(Clone, Copy)]
enum Vocabulary {
    O200k,
    Cl100k,
}

impl Vocabulary {
    fn fast(self) -> &'static tiktoken::CoreBpe {
        let name = match self {
            Self::O200k => "o200k_base",
            Self::Cl100k => "cl100k_base",
        };
        tiktoken::get_encoding(name).expect("both vocabularies are features of the dependency")
    }

    fn reference(self) -> &'static tiktoken_rs::CoreBPE {
        match self {
            Self::O200k => tiktoken_rs::o200k_base_singleton(),
            Self::Cl100k => tiktoken_rs::cl100k_base_singleton(),
        }
    }
}

/// Counts UTF-16 code units from the UTF-8 bytes: one per character, and a second one where the character takes
/// four bytes.
fn utf16_units(text: &str) -> usize {
    let starts = text.bytes().filter(|byte| byte & 0xC0 != 0x80).count();
    let pairs = text.bytes().filter(|&byte| byte >= 0xF0).count();
    starts + pairs
}

fn saturated(units: usize) -> u32 {
    u32::try_from(units).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn utf16_units_are_code_units() {
        let check =
            |text: &str, expected: u32| assert_eq!(count(Tokenizer::Chars4, text), expected, "{text:?}");
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
        assert_eq!(saturated(7), 7);
        assert_eq!(saturated(usize::MAX), u32::MAX);
    }

    proptest! {
        #[test]
        fn utf16_units_agree_with_the_encoder(text in any::<String>()) {
            prop_assert_eq!(utf16_units(&text), text.encode_utf16().count());
        }
    }
}
