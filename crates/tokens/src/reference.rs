//! The reference path: `tiktoken-rs`, and what must not reach it.
//!
//! The reference unwraps the errors of its pattern matcher, which has two: it refuses to go back more than a million
//! times, or to keep more than a million positions to go back to. Only the alternative with a look-ahead
//! (`\s+(?!\S)`) keeps positions, one for each space of a run; all others are matched without any. A megabyte of spaces
//! is therefore the case that panics, and the rule below keeps every run of spaces over [`LONGEST_RUN`], a
//! fifteenth of the limit, away from it. Other long runs stay away too: they cost the reference the most
//! and the fast path counts them alike.

/// The longest run of one class of characters that the reference is given, in bytes.
const LONGEST_RUN: usize = 64 * 1024;

/// Returns whether the reference may count this piece: it holds no run of one class over 64 KiB.
pub(crate) fn takes(piece: &str) -> bool {
    piece.len() <= LONGEST_RUN || longest_run(piece) <= LONGEST_RUN
}

/// Returns the length of the longest run of characters of one class, in bytes.
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

/// Returns the class of a character: white space, letter, number or other. Only the first has to agree with the pattern to
/// the letter.
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
        assert!(takes(&" ".repeat(LONGEST_RUN)));
        assert!(!takes(&" ".repeat(LONGEST_RUN + 1)));
        assert!(!takes(&"\u{3000}".repeat(LONGEST_RUN / 3 + 1)), "the limit is in bytes");
        assert!(takes(&"a1".repeat(LONGEST_RUN)), "long but without a long run");
        assert!(!takes(&format!("{}{}", "a1".repeat(LONGEST_RUN), "x".repeat(LONGEST_RUN + 1))));
    }

    #[test]
    fn a_run_of_the_limit_is_far_from_the_panic() {
        for bpe in [tiktoken_rs::o200k_base_singleton(), tiktoken_rs::cl100k_base_singleton()] {
            for (space, run) in [(" ", 4 * LONGEST_RUN), ("\u{85}", 2 * LONGEST_RUN), ("\t", 4 * LONGEST_RUN)]
            {
                assert!(
                    bpe.count_ordinary(&format!("a{}b", space.repeat(run))) > 1,
                    "four times the limit still counts"
                );
            }
        }
    }
}
