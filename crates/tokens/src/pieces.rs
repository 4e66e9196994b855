//! Finds places where a text can be cut without changing any BPE count.
//!
//! Both vocabularies count in two stages: a pattern splits the text into words, then each word is merged
//! separately. A cut is exact if it falls between two words and neither half's words depend on the other
//! half. In the two patterns, with *space* for the Unicode property White_Space and *newline* for `\r` and
//! `\n`, this holds:
//!
//! - **After the last newline in a run of spaces**, if the run ends at a non-space and the next character is
//!   not `/`. Only two alternatives match a newline: spaces up to the run's last newline, and punctuation
//!   with the newlines (in o200k also slashes) directly behind it. Both end here, even if the text ends here.
//! - **Before a space other than a newline, behind a non-space.** No alternative matches a non-space followed
//!   by such a space, and the only look-ahead (`\s+(?!\S)`, and `\s+$` in one spelling of cl100k) follows
//!   spaces, while the left half ends in a non-space.
//!
//! The first rule's most common case is a new line that begins with a letter or a digit. Tests check the
//! rules at every boundary of generated texts, in both vocabularies and both crates.
//!
//! Cuts are necessary because the fast crate checks the whole remaining input after every run of spaces with
//! a non-ASCII one: half a megabyte of `U+00A0 1` takes 23 s whole and under half a second in pieces. Each
//! such run has a boundary at its start or inside, so [`PIECE`] bounds the cost. The reference overflows its
//! stack on a megabyte of spaces. Large texts are also cut here for counting on several cores.

/// Preferred maximum, in bytes.
const PIECE: usize = 2 * 1024;

/// Maximum, in bytes: merging a word this long takes 90 MB and a second.
///
/// Only a text without any exact boundary for this length, such as a blob without spaces, is cut elsewhere;
/// its count may then be off by one or two tokens in a million.
const LONGEST: usize = 4 * 1024 * 1024;

/// Cuts `text` into non-empty pieces, in order, whose counts add up to the text's count.
///
/// Cuts depend only on the text.
pub(crate) fn split_pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(first_cut(rest, PIECE, LONGEST));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Takes the last boundary within `piece` bytes, or else the first boundary behind them, but at most
/// `longest` bytes.
fn first_cut(text: &str, piece: usize, longest: usize) -> usize {
    if text.len() <= piece {
        return text.len();
    }
    let near = text.floor_char_boundary(piece);
    let far = text.floor_char_boundary(longest);
    let before = text[..near].char_indices().rev().map(|(at, _)| at).find(|&at| is_boundary(text, at));
    let cut = before.or_else(|| {
        let after = text[near..far].char_indices().map(|(offset, _)| near + offset);
        after.into_iter().find(|&at| is_boundary(text, at))
    });
    cut.unwrap_or(far)
}

/// Tells whether a cut at this character boundary changes no count, by the two rules above.
fn is_boundary(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    let (Some(last), Some(next)) = (before.chars().next_back(), after.chars().next()) else {
        return false;
    };
    if is_newline(last) {
        let run_end = after.chars().find(|&c| is_newline(c) || !c.is_whitespace());
        next != '/' && run_end.is_some_and(|c| !is_newline(c))
    } else {
        !last.is_whitespace() && next.is_whitespace() && !is_newline(next)
    }
}

fn is_newline(c: char) -> bool {
    matches!(c, '\r' | '\n')
}

#[cfg(test)]
mod exactness_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn marked(text: &str) -> String {
        let mut out = String::new();
        for (at, c) in text.char_indices() {
            if is_boundary(text, at) {
                out.push('|');
            }
            out.push(c);
        }
        out
    }

    #[test]
    fn boundaries() {
        let check = |expected: &str| assert_eq!(marked(&expected.replace('|', "")), expected);
        check("");
        check("a| b");
        check("a|  b");
        check("a\n|b");
        check("a\r\n|b");
        check("a\r|b");
        check("a\n\n|b");
        check("a\n \n|b");
        check("a| \n|b");
        check("}\n|    x");
        check("a\n|\u{3000}\u{3000}漢。\n|é");
        check("1|\u{a0}1|\u{a0}!");
        // One spelling of cl100k treats a run up to the text's end as one word.
        check("a\n");
        check("a\n  ");
        check("a|  ");
        // o200k treats slashes and the newlines before them as one word.
        check("!\n/x");
        check("!\n| /x");
        // The cut would leave nothing before or behind.
        check("\n|a");
        check(" a");
        check("don't");
    }

    #[test]
    fn a_cut_is_the_last_boundary_in_reach_else_the_next_one_else_forced() {
        let check = |text: &str, expected: &str| {
            let at = first_cut(text, 8, 16);
            assert_eq!(format!("{}|{}", &text[..at], &text[at..]), expected);
        };
        check("", "|");
        check("short", "short|");
        check("exactly8", "exactly8|");
        check("ab cd ef gh", "ab cd| ef gh");
        check("abcdefghijk lm", "abcdefghijk| lm");
        check("abcdefghijklmnopqrst", "abcdefghijklmnop|qrst");
        check("漢漢漢漢漢漢漢", "漢漢漢漢漢|漢漢");
        check("          \n/          ", "          \n/|          ");
        check("a                        b", "a|                        b");
    }

    #[test]
    fn ordinary_text_comes_in_small_pieces() {
        let code = "fn main() {\n    let x = vec![1, 2];\n}\n\n".repeat(1000);
        assert!(split_pieces(&code).all(|piece| piece.len() <= PIECE), "there is a boundary in every line");
        let novel = "\u{3000}\u{3000}春天来了，花开了。\n".repeat(1000);
        assert!(
            split_pieces(&novel).all(|piece| piece.len() <= PIECE),
            "indented paragraphs end in a boundary"
        );
    }

    #[test]
    fn a_blob_is_never_longer_than_the_longest() {
        let blob = "é".repeat(LONGEST);
        assert_eq!(split_pieces(&blob).map(str::len).max(), Some(LONGEST));
        assert_eq!(split_pieces(&blob).map(str::len).sum::<usize>(), blob.len());
    }

    proptest! {
        #[test]
        fn pieces_are_the_text(text in "([a-z]{0,3000}|[ \n\u{a0}]{0,40}|\\PC{0,300}){0,12}") {
            prop_assert_eq!(split_pieces(&text).collect::<String>(), text.as_str());
            prop_assert!(split_pieces(&text).all(|piece| !piece.is_empty()));
        }
    }
}
