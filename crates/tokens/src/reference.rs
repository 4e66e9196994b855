//! The reference implementation `tiktoken-rs`, and the inputs it must not get.
//!
//! The reference unwraps two errors of its pattern matcher, which gives up after a million backtracking
//! steps, or a million stored positions. Only the alternative with a look-ahead (`\s+(?!\S)`) stores
//! positions, one per space in a run. So a megabyte of spaces panics, and every run over [`LONGEST_RUN`], a
//! fifteenth of the limit, is kept away. Other long runs are kept away too: they are slowest in the
//! reference, and the fast crate counts them equally.
//!
//! `tiktoken-rs` includes its token tables as text, 5 MB beside the fast crate's compressed tables. Both hold
//! the same tokens, so the reference is built from the compressed tables. Its patterns and its merging are
//! its own, and a test compares every token with the included tables.

use crate::count::fast_counter;
use std::sync::LazyLock;
use tiktoken_rs::CoreBPE;

/// The pattern of `cl100k_base`, copied from `tiktoken-rs`, which exports only the one for `o200k_base`.
const CL100K_PATTERN: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$",
    r"|\s*[\r\n]|\s+(?!\S)|\s"
);

pub(crate) fn o200k() -> &'static CoreBPE {
    static BUILT: LazyLock<CoreBPE> =
        LazyLock::new(|| build_reference("o200k_base", tiktoken_rs::O200K_BASE_PAT_STR));
    &BUILT
}

pub(crate) fn cl100k() -> &'static CoreBPE {
    static BUILT: LazyLock<CoreBPE> = LazyLock::new(|| build_reference("cl100k_base", CL100K_PATTERN));
    &BUILT
}

/// Takes the fast crate's tokens, without special tokens because only plain text is counted.
fn build_reference(vocabulary: &str, pattern: &str) -> CoreBPE {
    let fast = fast_counter(vocabulary);
    let ids = 0..u32::try_from(fast.vocab_size()).unwrap_or(u32::MAX);
    let tokens = ids.map(|id| (fast.decode(&[id]), id)).collect();
    CoreBPE::new(tokens, std::iter::empty::<(String, u32)>().collect(), pattern)
        .expect("the patterns are constants, and no token is in a table twice")
}

/// Longer runs from one character class never reach the reference; in bytes.
const LONGEST_RUN: usize = 64 * 1024;

pub(crate) fn takes_piece(piece: &str) -> bool {
    piece.len() <= LONGEST_RUN || longest_run(piece) <= LONGEST_RUN
}

fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = (0, 0);
    for c in text.chars() {
        let class = class_of(c);
        run = (class, if run.0 == class { run.1 + c.len_utf8() } else { c.len_utf8() });
        longest = longest.max(run.1);
    }
    longest
}

/// Only white space must agree exactly with the pattern.
fn class_of(c: char) -> u8 {
    match c {
        c if c.is_whitespace() => 0,
        c if c.is_alphabetic() => 1,
        c if c.is_numeric() => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs() {
        let check = |text: &str, expected: usize| assert_eq!(longest_run(text), expected, "{text:?}");
        check("", 0);
        check("a", 1);
        check("aB12 \t\u{a0}!?\u{fffd}", 5);
        check("abc漢é", 8);
        check("1²٣x", 5);
        check("    a     ", 5);
    }

    #[test]
    fn takes_up_to_the_limit_and_all_that_is_mixed() {
        assert!(takes_piece(&" ".repeat(LONGEST_RUN)));
        assert!(!takes_piece(&" ".repeat(LONGEST_RUN + 1)));
        assert!(!takes_piece(&"\u{3000}".repeat(LONGEST_RUN / 3 + 1)), "the limit is in bytes");
        assert!(takes_piece(&"a1".repeat(LONGEST_RUN)), "long but without a long run");
        assert!(!takes_piece(&format!("{}{}", "a1".repeat(LONGEST_RUN), "x".repeat(LONGEST_RUN + 1))));
    }

    #[test]
    fn a_run_of_the_limit_is_far_from_the_panic() {
        for bpe in [o200k(), cl100k()] {
            for (space, run) in [(" ", 4 * LONGEST_RUN), ("\u{85}", 2 * LONGEST_RUN), ("\t", 4 * LONGEST_RUN)]
            {
                assert!(
                    bpe.count_ordinary(&format!("a{}b", space.repeat(run))) > 1,
                    "four times the limit still counts"
                );
            }
        }
    }

    #[test]
    fn every_token_is_that_of_the_tables_of_tiktoken_rs() {
        let check = |ours: &CoreBPE, theirs: &CoreBPE, tokens: u32| {
            for id in 0..tokens {
                let token = theirs.decode_bytes(&[id]).ok();
                assert!(token.is_some(), "{id}");
                assert_eq!(ours.decode_bytes(&[id]).ok(), token, "{id}");
            }
            assert!(ours.decode_bytes(&[tokens]).is_err(), "no token is more");
            for text in
                ["It's 12345 o'clock", "DON'T\r\n\r\n  x", "a\u{a0}b \t\n c   ", "été漢字 //\n/ ²³ \u{301}"]
            {
                assert_eq!(ours.encode_ordinary(text), theirs.encode_ordinary(text), "{text:?}");
            }
        };
        check(o200k(), tiktoken_rs::o200k_base_singleton(), 199_998);
        check(cl100k(), tiktoken_rs::cl100k_base_singleton(), 100_256);
    }

    #[test]
    fn the_pattern_is_that_of_tiktoken_rs() {
        use proptest::prelude::*;
        proptest!(|(text in "([ \n\r\u{a0}/']{0,3}\\PC{0,6}('s|'LL|12345)?){0,8}")| {
            prop_assert_eq!(o200k().encode_ordinary(&text), tiktoken_rs::o200k_base_singleton().encode_ordinary(&text));
            prop_assert_eq!(cl100k().encode_ordinary(&text), tiktoken_rs::cl100k_base_singleton().encode_ordinary(&text));
        });
    }
}
