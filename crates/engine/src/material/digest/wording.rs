//! Sentences, cues, and the form of lines in a summary.

use alloc::string::String;

pub(super) const LINE_CHARS: usize = 200;
/// Maximum part of a sentence searched for cues, bytes.
const SEARCHED_BYTES: usize = 2000;

/// Makes one summary line: collapses white space and control characters, strips a leading bullet,
/// and cuts at [`LINE_CHARS`]. Returns `None` if nothing is left.
pub(super) fn as_line(label: &str, text: &str) -> Option<String> {
    let mut out = String::from(label);
    let (mut n_chars, mut gap) = (label.chars().count(), false);
    let start = out.len();
    let bare = text.trim_start_matches(|c: char| is_hidden(c) || matches!(c, '-' | '*' | '>' | '#' | '•'));
    for one in bare.chars() {
        if is_hidden(one) {
            gap = true;
            continue;
        }
        if n_chars + 1 + usize::from(gap) >= LINE_CHARS {
            out.push('…');
            break;
        }
        if core::mem::take(&mut gap) && out.len() > start {
            out.push(' ');
            n_chars += 1;
        }
        out.push(one);
        n_chars += 1;
    }
    (out.len() > start).then_some(out)
}

fn is_hidden(one: char) -> bool {
    one.is_whitespace()
        || one.is_control()
        || matches!(one, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines()
        .filter(move |line| {
            let is_fence = line.trim_start().starts_with("```");
            fenced ^= is_fence;
            !fenced && !is_fence
        })
        .flat_map(|line| {
            let mut rest = line;
            core::iter::from_fn(move || {
                if rest.is_empty() {
                    return None;
                }
                let mut before = None;
                let end = rest.char_indices().find_map(|(at, one)| {
                    let stop = before.replace(one).is_some_and(|before| matches!(before, '.' | '!' | '?'));
                    (stop && one.is_whitespace()).then_some(at)
                });
                let (sentence, others) = rest.split_at(end.unwrap_or(rest.len()));
                rest = others.trim_start();
                Some(sentence.trim())
            })
        })
        .filter(|sentence| !sentence.is_empty())
}

pub(super) fn has_cue(sentence: &str, cues: &[&str]) -> bool {
    rests_from_words(sentence).any(|rest| cues.iter().any(|cue| begins_with(rest, cue)))
}

pub(super) fn begins_with_cue(sentence: &str, cues: &[&str]) -> bool {
    let bare = sentence.trim_start_matches(|c: char| !c.is_alphabetic());
    cues.iter().any(|cue| begins_with(bare.as_bytes(), cue))
}

fn begins_with(rest: &[u8], cue: &str) -> bool {
    rest.get(..cue.len()).is_some_and(|start| start.eq_ignore_ascii_case(cue.as_bytes()))
        && rest.get(cue.len()).is_none_or(|after| !is_word(*after))
}

fn rests_from_words(sentence: &str) -> impl Iterator<Item = &[u8]> {
    let bytes = &sentence.as_bytes()[..sentence.len().min(SEARCHED_BYTES)];
    let starts = |at: &usize| is_word(bytes[*at]) && (*at == 0 || !is_word(bytes[*at - 1]));
    (0..bytes.len()).filter(starts).map(|at| &bytes[at..])
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_line_is_one_line_without_controls() {
        let check =
            |text: &str, expected: &str| assert_eq!(as_line("", text).as_deref(), Some(expected), "{text:?}");
        check("  - a  b\t c\n", "a b c");
        check("# head", "head");
        check("a\u{1b}[31m\r\nb\u{202e}c\u{2028}d\0e", "a [31m b c d e");
        check("x", "x");
        assert_eq!(as_line("ran: ", " \u{7f}\n"), None);
        assert_eq!(as_line("ran: ", "make\n\n").as_deref(), Some("ran: make"));
    }

    #[test]
    fn a_long_line_is_cut_at_a_character() {
        for one in ["é", "x", "😀", "a b "] {
            let cut = as_line("wrote: ", &one.repeat(300)).unwrap_or_default();
            assert!(cut.chars().count() <= LINE_CHARS && cut.ends_with('…'), "{cut}");
        }
        assert_eq!(as_line("", &"x".repeat(LINE_CHARS - 1)).map(|line| line.len()), Some(LINE_CHARS - 1));
    }

    #[test]
    fn sentences_end_at_stops_and_lines() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(sentences(text).collect::<Vec<_>>(), expected, "{text:?}");
        };
        check("One. Two! Three? four", &["One.", "Two!", "Three?", "four"]);
        check("see a.rs and 1.5\n\nnext", &["see a.rs and 1.5", "next"]);
        check("before\n```\nlet x = 1;\n```\nafter", &["before", "after"]);
        check("?", &["?"]);
        check("", &[]);
    }

    #[test]
    fn cues_are_whole_words() {
        let check = |sentence: &str, expected: bool| {
            assert_eq!(has_cue(sentence, &["must", "do not", "i'll"]), expected, "{sentence}");
        };
        check("You MUST stop", true);
        check("a mustard", false);
        check("Do not push", true);
        check("undo nothing", false);
        check("I'll see", true);
        check("émust", false);
        check("", false);
        assert!(begins_with_cue("2. Use tabs", &["use"]));
        assert!(!begins_with_cue("We use tabs", &["use"]));
        assert!(!begins_with_cue("Useful", &["use"]));
    }
}
