//! The inputs on which tokenizers are known to panic or to take the square of the length, each of 1 MiB.

use crate::text;
use cwl_tokens::{Tokenizer, count, count_all};
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;
const SMALL: usize = MIB / 8;

type Generator = fn(usize) -> String;

const CASES: [(&str, Generator); 16] = [
    ("one letter", |len| "a".repeat(len)),
    ("random letters", text::letters),
    ("base64", text::base64),
    ("spaces", |len| " ".repeat(len)),
    ("spaces before a word", |len| " ".repeat(len) + "x"),
    ("newlines", |len| "\n".repeat(len)),
    ("dashes", |len| "-".repeat(len)),
    ("random ideographs", text::ideographs),
    ("replacement characters", |len| "\u{fffd}".repeat(len / 3)),
    ("lossy bytes", text::lossy),
    ("no-break spaces", |len| "\u{a0}".repeat(len / 2)),
    // The fast crate looks at the whole rest after each of these runs of spaces: 93 s if the text were not cut.
    ("no-break space and digit", |len| "\u{a0}1".repeat(len / 3)),
    ("newline and no-break space", |len| "!\n\u{a0}".repeat(len / 4)),
    ("slash lines", |len| "!\n/".repeat(len / 3)),
    ("combining marks", |len| "e\u{301}".repeat(len / 3)),
    ("indented ideographs", |len| "字。\n\u{3000}\u{3000}".repeat(len / 13)),
];

fn timed(tokenizer: Tokenizer, text: &str) -> (u32, Duration) {
    let start = Instant::now();
    let units = count(tokenizer, text);
    (units, start.elapsed())
}

/// Counts every case at 1 MiB by both implementations: without a panic, alike, in a time that grows with the length.
fn check(fast: Tokenizer, reference: Tokenizer) {
    for (name, generate) in CASES {
        let (small, large) = (generate(SMALL), generate(MIB));
        let counted = [fast, reference].map(|tokenizer| {
            let (small_units, fastest) =
                (0..2).map(|_| timed(tokenizer, &small)).min_by_key(|(_, t)| *t).unwrap();
            let (units, took) = timed(tokenizer, &large);
            // 8 times the text takes 8 times as long, or 64 times if it is the square; in between, room for noise.
            let limit = fastest * 8 * 5 + Duration::from_millis(500);
            assert!(took < limit, "{tokenizer} of {name}: {took:?}, and {fastest:?} for an eighth of it");
            (small_units, units)
        });
        assert_eq!(counted[0], counted[1], "{fast} and {reference} of {name}");
    }
}

#[test]
fn o200k() {
    check(Tokenizer::O200k, Tokenizer::O200kRef);
}

#[test]
fn cl100k() {
    check(Tokenizer::Cl100k, Tokenizer::Cl100kRef);
}

#[test]
fn chars4() {
    for (name, generate) in CASES {
        let text = generate(MIB);
        assert_eq!(count(Tokenizer::Chars4, &text) as usize, text.encode_utf16().count(), "{name}");
    }
}

/// A word longer than what is ever counted in one go is cut, and the cut costs next to nothing.
#[test]
fn longer_than_the_longest_piece() {
    let text = "a".repeat(9 * MIB);
    let whole = f64::from(count(Tokenizer::O200k, &text[..MIB])) * 9.0;
    let counted = count(Tokenizer::O200k, &text);
    assert_eq!(count_all(Tokenizer::O200k, &[&text]), [counted], "the cuts depend on the text alone");
    let units = f64::from(counted);
    assert!((units / whole - 1.0).abs() < 1e-4, "{units} against {whole}");
}
