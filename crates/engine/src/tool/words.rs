//! Words: identifiers in a text, and words that may be paths or commands.

const MIN_SYMBOL: usize = 6;

const MAX_SYMBOL: usize = 64;

/// Calls `each` with every identifier: 6 to 64 letters, digits and `_`, without a leading digit.
/// Words with non-ASCII letters are natural language.
pub(crate) fn each_symbol<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    // A start followed by a gap within the minimum length is too short.
    let is_long = |of_word: u64| (1..MIN_SYMBOL).fold(!0, |long, behind| long & !(!of_word >> behind));
    let wanted = |masks: &Masks| masks.starts & !masks.digits & is_long(masks.of_word);
    each_start(bytes, wanted, |at| {
        let word = word_at(bytes, at);
        // With ASCII on both sides, these are character boundaries.
        if (MIN_SYMBOL..=MAX_SYMBOL).contains(&word.len())
            && word.is_ascii()
            && let Some(word) = text.get(at..at + word.len())
        {
            each(word);
        }
    });
}

pub(crate) fn each_numeral<'a>(bytes: &'a [u8], mut each: impl FnMut(usize, &'a [u8])) {
    each_start(bytes, |masks| masks.starts & masks.digits, |at| each(at, word_at(bytes, at)));
}

const TOGETHER: usize = 64;

/// One bit per byte, the first byte in the lowest bit.
struct Masks {
    /// Word bytes: letters, digits, `_` and non-ASCII bytes.
    of_word: u64,
    digits: u64,
    starts: u64,
}

/// Calls `each` with every wanted byte's position. A session's texts all pass through here, hence 64 bytes
/// at a time.
#[inline]
fn each_start(bytes: &[u8], wanted: impl Fn(&Masks) -> u64, mut each: impl FnMut(usize)) {
    let mut is_in_word = false;
    let mut look = |from: usize, together: &[u8; TOGETHER]| {
        let (of_word, digits) =
            (byte_mask(together, is_of_word), byte_mask(together, |byte| byte.is_ascii_digit()));
        let starts = of_word & !(of_word << 1 | u64::from(is_in_word));
        is_in_word = of_word >> (TOGETHER - 1) == 1;
        let mut left = wanted(&Masks { of_word, digits, starts });
        while left != 0 {
            each(from + left.trailing_zeros() as usize);
            left &= left - 1;
        }
    };
    let (whole, rest) = bytes.as_chunks::<TOGETHER>();
    for (number, together) in whole.iter().enumerate() {
        look(number * TOGETHER, together);
    }
    if !rest.is_empty() {
        let mut last = [b' '; TOGETHER];
        last[..rest.len()].copy_from_slice(rest);
        look(whole.len() * TOGETHER, &last);
    }
}

#[inline]
fn byte_mask(bytes: &[u8; TOGETHER], has: impl Fn(u8) -> bool) -> u64 {
    let found = bytes.map(|byte| u8::from(has(byte)));
    let (eights, _) = found.as_chunks::<8>();
    // The product gathers the lowest bits of eight bytes in the highest byte.
    let gathered = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    eights.iter().rev().fold(0, |mask, eight| mask << 8 | gathered(eight))
}

#[inline]
fn is_of_word(byte: u8) -> bool {
    let is_letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    is_letter | (byte.wrapping_sub(b'0') < 10) | (byte == b'_') | (byte >= 0x80)
}

#[inline]
fn word_at(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    &rest[..rest.iter().position(|byte| !is_of_word(*byte)).unwrap_or(rest.len())]
}

pub(crate) fn each_path(text: &str, mut each: impl FnMut(&str)) {
    let is_gap = |c: char| {
        c.is_whitespace()
            || matches!(c, '"' | '\'' | '`' | '(' | ')' | '{' | '}' | '<' | '>' | ',' | ';' | '=' | '|')
    };
    for word in text.split(is_gap) {
        let word = word.trim_end_matches(['.', ':', '!', '?', '*']).trim_start_matches('*');
        if word.len() > 2 && word.bytes().any(|b| matches!(b, b'/' | b'.' | b'\\')) {
            each(word);
        }
    }
}

/// Calls `each` with every possible command: code in backticks and fenced lines, without a prompt.
pub(crate) fn each_command(text: &str, mut each: impl FnMut(&str)) {
    let mut is_fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if is_fenced {
            each(line.trim().trim_start_matches("$ "));
        } else {
            // Every second piece is between backticks.
            let mut pieces = line.split('`').skip(1);
            while let (Some(code), Some(_after)) = (pieces.next(), pieces.next()) {
                each(code.trim().trim_start_matches("$ "));
            }
        }
    }
}

/// Calls `each` with every file in a patch with lines such as `*** Update File: src/main.rs`.
pub(crate) fn each_patched(text: &str, mut each: impl FnMut(&str)) {
    if !text.contains("*** ") {
        return;
    }
    const MARKS: [&str; 3] = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
    for line in text.lines() {
        if let Some(path) = MARKS.iter().find_map(|mark| line.strip_prefix(mark)) {
            each(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    fn check_symbols(text: &str, expected: &str) {
        let mut found = Vec::new();
        each_symbol(text, |word| found.push(word));
        assert_eq!(found.join(" "), expected, "text {text:?}");
    }

    fn check_paths(text: &str, expected: &str) {
        let mut found: Vec<String> = Vec::new();
        each_path(text, |word| found.push(word.to_string()));
        assert_eq!(found.join(" "), expected, "text {text:?}");
    }

    fn check_commands(text: &str, expected: &str) {
        let mut found: Vec<String> = Vec::new();
        each_command(text, |word| found.push(word.to_string()));
        assert_eq!(found.join(" · "), expected, "text {text:?}");
    }

    #[test]
    fn symbols() {
        check_symbols("fn parse_header(input: &str)", "parse_header");
        check_symbols("abcde abcdef", "abcdef");
        check_symbols("_under x12345 1abcdef", "_under x12345");
        check_symbols("Vec<BlockKind>::new", "BlockKind");
        check_symbols("größeres straße naïveté", "");
        check_symbols("日本語テキスト parser", "parser");
        check_symbols("self.message_units[at]", "message_units");
        check_symbols(&"x".repeat(64), &"x".repeat(64));
        check_symbols(&"x".repeat(65), "");
        check_symbols("", "");
        check_symbols("ends_here", "ends_here");
        // Words across the border of two steps.
        for n in [50, 57, 58, 59, 63, 64, 65, 120, 128] {
            let before = " ".repeat(n);
            check_symbols(&format!("{before}border"), "border");
            check_symbols(&format!("{before}border_ß {before}after1,"), "after1");
        }
        check_symbols(&format!("{}é", "x".repeat(63)), "");
    }

    #[test]
    fn paths() {
        check_paths("look at `src/a.rs`, then (b.rs:12).", "src/a.rs b.rs:12");
        check_paths("**src/a.rs** and Cargo.toml!", "src/a.rs Cargo.toml");
        check_paths("no path here.", "");
        check_paths("*** Update File: src/a.rs", "src/a.rs");
        check_paths("a/b", "a/b");
    }

    #[test]
    fn commands() {
        check_commands("run `cargo test` and `$ make`", "cargo test · make");
        check_commands("one ` alone", "");
        check_commands("```sh\n$ cargo test\nls -la\n```\nafter", "cargo test · ls -la");
        check_commands("`a` `b", "a");
        check_commands("nothing", "");
    }
}
