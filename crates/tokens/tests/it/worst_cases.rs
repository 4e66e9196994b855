//! Inputs on which tokenizers are known to panic or to take quadratic time. `cargo bench -p cwl-tokens`
//! measures how the time grows.

use crate::text::WORST;
use cwl_tokens::{Tokenizer, count_all, count_units};

const MIB: usize = 1 << 20;
/// Length at which the reference is still fast, even in quadratic time.
const COMPARED: usize = MIB / 8;

/// Counts every case with both implementations, without a panic and equally, and a longer text with the fast
/// one only.
fn check(fast: Tokenizer, reference: Tokenizer) {
    for (name, generate) in WORST {
        let text = generate(COMPARED);
        let units = count_units(fast, &text);
        assert_eq!(units, count_units(reference, &text), "{fast} and {reference} of {name}");
        let longer = count_units(fast, &generate(MIB));
        assert!(
            (6 * units..10 * units).contains(&longer),
            "{fast} of {name}: {longer}, and {units} for an eighth"
        );
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
    for (name, generate) in WORST {
        let text = generate(MIB);
        assert_eq!(count_units(Tokenizer::Chars4, &text) as usize, text.encode_utf16().count(), "{name}");
    }
}

/// A word longer than any piece is cut, and the cut changes the count by almost nothing.
#[test]
fn longer_than_the_longest_piece() {
    let text = "a".repeat(9 * MIB);
    let whole = f64::from(count_units(Tokenizer::O200k, &text[..MIB])) * 9.0;
    let counted = count_units(Tokenizer::O200k, &text);
    assert_eq!(count_all(Tokenizer::O200k, &[&text]), [counted], "the cuts depend on the text alone");
    let units = f64::from(counted);
    assert!((units / whole - 1.0).abs() < 1e-4, "{units} against {whole}");
}
