//! Names and descriptions of inferred episodes, from the agent's own words or the files.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::cue::{Cue, cues_of, end_of, first_intent, start_of};

/// Maximum length of a name, characters.
const MAX_NAME: usize = 40;
/// Maximum length of a description, bytes.
const MAX_DESCRIPTION: usize = 320;

const FILLERS: [&str; 79] = [
    "now",
    "let",
    "me",
    "lets",
    "ill",
    "i",
    "will",
    "need",
    "to",
    "the",
    "a",
    "an",
    "and",
    "then",
    "so",
    "okay",
    "ok",
    "great",
    "good",
    "perfect",
    "excellent",
    "next",
    "first",
    "just",
    "also",
    "of",
    "in",
    "on",
    "for",
    "with",
    "this",
    "that",
    "these",
    "those",
    "its",
    "it",
    "is",
    "are",
    "was",
    "we",
    "you",
    "your",
    "my",
    "have",
    "has",
    "be",
    "at",
    "s",
    "ll",
    "m",
    "ve",
    "re",
    "d",
    "im",
    "going",
    "start",
    "starting",
    "by",
    "from",
    "some",
    "all",
    "there",
    "here",
    "can",
    "should",
    "would",
    "want",
    "before",
    "after",
    "sure",
    "more",
    "again",
    "still",
    "well",
    "right",
    "step",
    "phase",
    "task",
    "thought",
];

pub(super) fn headline_of(text: &str) -> Option<Arc<str>> {
    let lead = start_of(text.trim(), 1200);
    let telling = || split_sentences(lead, ".!?:").find(|sentence| name_of(sentence).is_some());
    intent_in(lead).or_else(|| Some(start_of(telling()?, 120).into()))
}

pub(super) fn intent_in(text: &str) -> Option<Arc<str>> {
    let sentences: Vec<&str> = split_sentences(text, ".!?:").collect();
    // Backward, because finding cues is the expensive part.
    let announced = sentences.into_iter().rev().find(|sentence| {
        let cues = cues_of(sentence);
        cues.contains(Cue::Announces) || cues.contains(Cue::Heading)
    });
    Some(start_of(announced?, 120).into())
}

pub(super) fn announces_work(sentence: &str) -> bool {
    cues_of(sentence).contains(Cue::Announces) && first_intent(sentence) == Some(Cue::Writes)
}

pub(super) fn finding_in(text: &str) -> Option<Arc<str>> {
    let text = start_of(text.trim(), 6000);
    let found = split_sentences(text, ".!?").filter(|sentence| {
        let cues = cues_of(sentence);
        cues.contains(Cue::Learned) && sentence.len() > 24
    });
    // The longest sentence says most.
    let best = found.max_by_key(|sentence| sentence.len().min(MAX_DESCRIPTION))?;
    Some(start_of(best, MAX_DESCRIPTION).into())
}

pub(super) fn name_of(sentence: &str) -> Option<String> {
    let mut name = String::new();
    let cleaned: String = sentence.chars().filter(|c| !matches!(c, '\'' | '’' | '`' | '*')).collect();
    let words = cleaned.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.');
    let mut n_words = 0;
    for word in words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        let n_chars = word.chars().count();
        if FILLERS.contains(&&*word) || n_chars > 24 {
            continue;
        }
        if n_words == 6 || name.chars().count() + n_chars + 1 > MAX_NAME {
            break;
        }
        if !name.is_empty() {
            name.push('-');
        }
        name.push_str(&word);
        n_words += 1;
    }
    name.contains(char::is_alphabetic).then_some(name)
}

pub(super) fn name_of_file(verb: &str, file: &str) -> String {
    let mut name = verb.to_string();
    name.push('-');
    name.push_str(end_of(file, 32));
    name
}

fn split_sentences<'a>(text: &'a str, stops: &'static str) -> impl Iterator<Item = &'a str> {
    let ends = move |line: &str| -> Option<usize> {
        let bytes = line.as_bytes();
        let stop = |at: &usize| stops.as_bytes().contains(&bytes[*at]) && bytes.get(at + 1) == Some(&b' ');
        let wide = line.find(['。', '！', '？']).map(|at| at + '。'.len_utf8());
        let plain = (0..bytes.len()).find(stop).map(|at| at + 1);
        [wide, plain].into_iter().flatten().min()
    };
    // A tag on its own line is formatting.
    let is_tag = |line: &&str| line.starts_with('<') && line.ends_with('>') && !line.contains(' ');
    text.lines().map(str::trim).filter(move |line| !is_tag(line)).flat_map(move |line| {
        let mut rest = line;
        core::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let end = ends(rest).unwrap_or(rest.len());
            let (sentence, after) = rest.split_at(end);
            rest = after.trim_start();
            Some(sentence.trim())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (sentence, expected) in [
            ("Now let me fix the parser's header check.", Some("fix-parsers-header-check")),
            ("## Step 2: wire up `src/main.rs`", Some("2-wire-up-src-main.rs")),
            ("Let me now...", None),
            ("Task 4:", None),
            ("I'll run all the tests again", Some("run-tests")),
            ("现在修改解析器", Some("现在修改解析器")),
        ] {
            assert_eq!(name_of(sentence).as_deref(), expected, "{sentence:?}");
        }
        assert_eq!(name_of_file("edit", "parser.rs"), "edit-parser.rs");
    }

    #[test]
    fn work_that_is_announced() {
        for (sentence, expected) in [
            ("Now I'll add the function to handle stable ids:", true),
            ("Let me first check where the state lives to add the function there:", false),
            ("I'll implement this and look at the tests.", true),
            ("The fix is in.", false),
        ] {
            assert_eq!(announces_work(sentence), expected, "{sentence:?}");
        }
    }

    #[test]
    fn headlines_and_findings() {
        let text = "The tests pass. Now let me commit this: it is done.\n\nDetails follow.";
        assert_eq!(headline_of(text).as_deref(), Some("Now let me commit this:"));
        assert_eq!(headline_of("Plain words. More.").as_deref(), Some("Plain words."));
        assert_eq!(headline_of("  "), None);
        assert_eq!(headline_of("<example>\nTHOUGHT: The tests fail.").as_deref(), Some("The tests fail."));
        let text =
            "Hm. I see the problem: the header is read twice because the buffer is kept. Let me fix it.";
        assert_eq!(
            finding_in(text).as_deref(),
            Some("I see the problem: the header is read twice because the buffer is kept.")
        );
        assert_eq!(finding_in("Let me look."), None);
    }
}
