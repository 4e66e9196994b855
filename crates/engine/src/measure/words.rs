//! Words: the identifiers in a text, and the words of it that may be a path or a command.

/// The length of the shortest identifier, characters.
const MIN_SYMBOL: usize = 6;

/// A longer run of letters is no identifier (an encoded image, a hash of hashes), bytes.
const MAX_SYMBOL: usize = 64;

/// Calls `each` with every identifier of a text: letters, digits and `_`, six to 64 of them, not first a digit.
///
/// Words with letters beyond ASCII are words of a language, not identifiers.
pub(crate) fn each_symbol<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    each_word(text.as_bytes(), |at, word| {
        let n = word.len();
        let fits = (MIN_SYMBOL..=MAX_SYMBOL).contains(&n) && !word[0].is_ascii_digit() && word.is_ascii();
        // ASCII on both sides: these are character boundaries.
        if fits && let Some(word) = text.get(at..at + n) {
            each(word);
        }
    });
}

/// Tells of each byte whether it is of a word: a letter, a digit, `_`, or a part of a character beyond ASCII.
const OF_WORD: [bool; 256] = {
    let mut of_word = [false; 256];
    let mut byte = u8::MIN;
    loop {
        of_word[byte as usize] = !byte.is_ascii() || byte.is_ascii_alphanumeric() || byte == b'_';
        if byte == u8::MAX {
            break of_word;
        }
        byte += 1;
    }
};

/// Calls `each` with every word of some bytes and its place; every text of a session goes through here.
#[inline]
pub(super) fn each_word<'a>(bytes: &'a [u8], mut each: impl FnMut(usize, &'a [u8])) {
    let mut start = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if !OF_WORD[usize::from(*byte)] {
            if at > start {
                each(start, &bytes[start..at]);
            }
            start = at + 1;
        }
    }
    if start < bytes.len() {
        each(start, &bytes[start..]);
    }
}

/// Calls `each` with every word of a text that may be a path: it has a `/` or a `.` inside.
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

/// Calls `each` with everything in a text that may be a command: texts between backticks, and lines between fences,
/// without a prompt.
pub(super) fn each_command(text: &str, mut each: impl FnMut(&str)) {
    let mut is_fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if is_fenced {
            each(line.trim().trim_start_matches("$ "));
        } else {
            // Of what backticks divide, every second piece stands between two.
            let mut pieces = line.split('`').skip(1);
            while let (Some(code), Some(_after)) = (pieces.next(), pieces.next()) {
                each(code.trim().trim_start_matches("$ "));
            }
        }
    }
}

/// Calls `each` with every file that a patch changes, in the form that names it behind three stars.
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
