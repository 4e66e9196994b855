//! A cut at any boundary changes no count, in both vocabularies and both crates.

use super::is_boundary;
use crate::reference;
use proptest::prelude::*;

/// Characters and strings at which the patterns branch, with extra weight on spaces and newlines.
const FRAGMENTS: [&str; 48] = [
    " ",
    " ",
    "  ",
    "\t",
    "\n",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    " \n",
    "\n ",
    "\u{b}",
    "\u{85}",
    "\u{a0}",
    "\u{a0}",
    "\u{2028}",
    "\u{3000}",
    "a",
    "b",
    "word",
    "A",
    "CamelCase",
    "é",
    "É",
    "ß",
    "ǅ",
    "ʰ",
    "\u{301}",
    "ſ",
    "漢",
    "かな",
    "한",
    "1",
    "12345",
    "²",
    "٣",
    "'",
    "'s",
    "'LL",
    "/",
    "//",
    "!",
    "};",
    "—",
    "。",
    "😀",
    "\u{200d}",
    "<|endoftext|>",
];

type Whole = fn(&str) -> usize;

const COUNTERS: [(&str, Whole); 4] = [
    ("o200k", |text| tiktoken::get_encoding("o200k_base").map_or(0, |bpe| bpe.count(text))),
    ("cl100k", |text| tiktoken::get_encoding("cl100k_base").map_or(0, |bpe| bpe.count(text))),
    ("o200k-ref", |text| reference::o200k().count_ordinary(text)),
    ("cl100k-ref", |text| reference::cl100k().count_ordinary(text)),
];

/// Cuts the text at each boundary; returns the number of boundaries, or the first cut that changes a count.
fn check(text: &str) -> Result<usize, String> {
    let boundaries: Vec<usize> =
        text.char_indices().map(|(at, _)| at).filter(|&at| is_boundary(text, at)).collect();
    for (name, count) in COUNTERS {
        let whole = count(text);
        for &at in &boundaries {
            let (before, after) = text.split_at(at);
            let halves = count(before) + count(after);
            if halves != whole {
                return Err(format!("{name}: {before:?} + {after:?} is {halves}, not {whole}"));
            }
        }
    }
    Ok(boundaries.len())
}

#[test]
fn every_triple_of_fragments() {
    let mut n_boundaries = 0;
    for before in FRAGMENTS {
        for middle in ["", " ", "\n", "\r\n", "\u{a0}", "  ", "\n\n", " \n ", "!", "'", "a"] {
            for after in FRAGMENTS {
                match check(&format!("{before}{middle}{after}x")) {
                    Ok(n) => n_boundaries += n,
                    Err(difference) => panic!("{difference}"),
                }
            }
        }
    }
    assert!(n_boundaries > 10_000, "the fragments must produce boundaries, else nothing was checked");
}

#[test]
fn the_look_aheads_that_the_rules_leave_alone_are_real() {
    // A laxer rule would change the count of each text, so the exceptions are necessary.
    let lax = [("!\n", "/x"), ("a\n", "\n\nb"), ("a   ", "  b")];
    for (before, after) in lax {
        let text = format!("{before}{after}");
        assert!(!is_boundary(&text, before.len()), "{text:?} has no boundary after {before:?}");
        let changed = COUNTERS.iter().any(|(_, count)| count(before) + count(after) != count(&text));
        assert!(changed, "{before:?} + {after:?} counts the same, so it shows nothing");
    }
}

proptest! {
    #[test]
    fn random_fragments(parts in proptest::collection::vec(proptest::sample::select(&FRAGMENTS[..]), 0..40)) {
        check(&parts.concat()).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn random_characters_among_spaces(text in "([ \n\r\u{a0}/']{0,3}\\PC{0,4}){0,12}") {
        check(&text).map_err(TestCaseError::fail)?;
    }
}
