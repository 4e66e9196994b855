//! The fast implementation agrees with the reference, and both with published counts.

use crate::text;
use cwl_tokens::{Tokenizer, count_all, count_units};
use proptest::prelude::*;

const PAIRS: [(Tokenizer, Tokenizer); 2] =
    [(Tokenizer::O200k, Tokenizer::O200kRef), (Tokenizer::Cl100k, Tokenizer::Cl100kRef)];

fn uncut(reference: Tokenizer, text: &str) -> u32 {
    let bpe = match reference {
        Tokenizer::O200kRef => tiktoken_rs::o200k_base_singleton(),
        _ => tiktoken_rs::cl100k_base_singleton(),
    };
    bpe.count_ordinary(text) as u32
}

fn difference(text: &str) -> Option<String> {
    PAIRS.into_iter().find_map(|(fast, reference)| {
        let counts = [count_units(fast, text), count_units(reference, text), uncut(reference, text)];
        (counts[0] != counts[1] || counts[1] != counts[2])
            .then(|| format!("{fast}, {reference} and the uncut reference count {counts:?}"))
    })
}

#[test]
fn published_counts() {
    // From the vendor's published token counts and the vocabularies' own words.
    let check = |text: &str, o200k: u32, cl100k: u32| {
        for (tokenizer, expected) in [
            (Tokenizer::O200k, o200k),
            (Tokenizer::O200kRef, o200k),
            (Tokenizer::Cl100k, cl100k),
            (Tokenizer::Cl100kRef, cl100k),
        ] {
            assert_eq!(count_units(tokenizer, text), expected, "{tokenizer} of {text:?}");
        }
    };
    check("", 0, 0);
    check("hello world", 2, 2);
    check("tiktoken is great!", 6, 6);
    check("antidisestablishmentarianism", 6, 6);
    check("2 + 2 = 4", 7, 7);
    check("お誕生日おめでとう", 8, 9);
    check("<|endoftext|>", 7, 7);
    // Its units are characters, four per token.
    assert_eq!(count_units(Tokenizer::Chars4, "hello world"), 11);
}

#[test]
fn generated_texts() {
    type Generator = fn(usize) -> String;
    let generators: [(&str, Generator); 12] = [
        ("prose", text::prose),
        ("code", text::code),
        ("tool output", text::tool_output),
        ("cjk", text::cjk),
        ("emoji", text::emoji),
        ("spaces", text::spaces),
        ("base64", text::base64),
        ("letters", text::letters),
        ("ideographs", text::ideographs),
        ("lossy", text::lossy),
        ("special tokens", text::special_tokens),
        ("one space", |len| " ".repeat(len)),
    ];
    for (name, generate) in generators {
        for len in [1, 10, 100, 2_000, 2_050, 5_000, 60_000] {
            assert_eq!(difference(&generate(len)), None, "{name} of {len} bytes");
        }
    }
}

#[test]
fn mixed_at_length() {
    let mixed = [
        text::prose(70_000),
        text::code(70_000),
        text::tool_output(70_000),
        text::cjk(70_000),
        text::emoji(20_000),
    ]
    .concat();
    assert_eq!(difference(&mixed), None, "over a hundred pieces add up to the uncut count");
}

/// Known differences between the two implementations, by name. A release that removes one fails here.
///
/// U+017F equals an s if case is ignored, so o200k reads the contraction 's and keeps it with the word. The
/// fast crate accepts only an ASCII s and starts a new word. This costs one more token if the word with the
/// apostrophe has a token of its own; among all words of up to three letters, only " I'" does.
const KNOWN_DIFFERENCES: [(&str, &str, [u32; 2]); 2] = [
    ("contraction with a long s", " I'\u{17f}", [3, 2]),
    ("contraction with a long s, and a letter", " I'\u{17f}a", [4, 3]),
];

#[test]
fn known_differences() {
    let counts = |text: &str| [count_units(Tokenizer::O200k, text), count_units(Tokenizer::O200kRef, text)];
    for (name, text, [fast, reference]) in KNOWN_DIFFERENCES {
        assert_eq!(counts(text), [fast, reference], "{name}");
        assert_ne!(fast, reference, "{name} is a difference");
        assert_eq!(
            count_units(Tokenizer::Cl100k, text),
            count_units(Tokenizer::Cl100kRef, text),
            "{name}, cl100k"
        );
    }
    assert_eq!(counts("it'\u{17f}"), [3, 3], "after other words they agree");
}

#[test]
fn many_texts_count_as_each_alone() {
    let texts: Vec<String> = vec![
        String::new(),
        "short".to_owned(),
        text::prose(1_000),
        text::code(300_000),
        "x".repeat(100_000),
        " ".repeat(100_000),
        text::lossy(100_000),
        String::new(),
    ];
    for &tokenizer in Tokenizer::ALL {
        let alone: Vec<u32> = texts.iter().map(|text| count_units(tokenizer, text)).collect();
        assert_eq!(count_all(tokenizer, &texts), alone, "{tokenizer}");
    }
    assert_eq!(count_all::<&str>(Tokenizer::O200k, &[]), Vec::<u32>::new());
}

proptest! {
    #![proptest_config(ProptestConfig::default())]

    #[test]
    fn random_unicode(text in any::<String>()) {
        prop_assert_eq!(difference(&without_known_difference(&text)), None);
    }

    #[test]
    fn random_words(text in "([ \n\r\t\u{a0}]{0,3}['/.,!—]{0,2}[a-zA-Zéſ漢\u{301}0-9²]{0,4}(s|ll|RE)?){0,30}") {
        prop_assert_eq!(difference(&without_known_difference(&text)), None);
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 6))]

    #[test]
    fn random_at_length(text in "([a-z]{1,8}[ \n\u{a0}\u{3000}]{1,3}|\\PC{1,20}){300,500}") {
        prop_assert_eq!(difference(&without_known_difference(&text)), None);
    }
}

fn without_known_difference(text: &str) -> String {
    text.replace('\u{17f}', "s")
}
