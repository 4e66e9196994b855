//! Needles: compiled texts and patterns to search for.

use regex::RegexBuilder;

use crate::api::{MATCHES_COUNTED, MatchesAnswer, TextPattern};
use crate::asked::effort::{Effort, WeightedExpression};
use crate::asked::watch::reason_of;
use crate::figures::saturate_u32;
use crate::{ApiError, ErrorCode};

/// Maximum size of a pattern's automaton, bytes.
const AUTOMATON: usize = 4 << 20;
const AROUND: usize = 60;
const MATCH_SHOWN: usize = 120;

pub struct Needle {
    weighed: WeightedExpression,
    effort: Effort,
}

impl Needle {
    /// Compiles `wanted`.
    ///
    /// # Errors
    /// If `wanted` is empty or not a regular expression.
    pub fn parse_needle(wanted: &TextPattern, effort: Effort) -> Result<Self, ApiError> {
        if wanted.query.is_empty() {
            return Err(
                ApiError::new(ErrorCode::BadPattern, "nothing to look for").with_hint("type something")
            );
        }
        let pattern = if wanted.regex { wanted.query.clone() } else { regex::escape(&wanted.query) };
        let mut builder = RegexBuilder::new(&pattern);
        builder.case_insensitive(!wanted.case).multi_line(true).dfa_size_limit(AUTOMATON);
        WeightedExpression::compile_weighted(&mut builder).map(|weighed| Self { weighed, effort }).map_err(
            |error| {
                let (query, why) = (&wanted.query, reason_of(&error));
                ApiError::new(ErrorCode::BadPattern, format!("`{query}` is no regular expression ({why})"))
                    .with_hint("put a backslash before ( [ { . * + ? | to search for the character itself")
            },
        )
    }

    /// Counts matches in a text, up to [`MATCHES_COUNTED`]. Empty matches do not count.
    pub(crate) fn count_matches(&self, text: &str) -> u32 {
        if !self.effort.allows_text(&self.weighed, text) {
            return 0;
        }
        let n = self
            .weighed
            .regex
            .find_iter(text)
            .filter(|found| !found.is_empty())
            .take(MATCHES_COUNTED as usize)
            .count();
        u32::try_from(n).unwrap_or(MATCHES_COUNTED)
    }

    pub fn first_match(&self, text: &str) -> Option<usize> {
        let is_allowed = self.effort.allows_text(&self.weighed, text);
        is_allowed.then(|| self.weighed.regex.find(text)).flatten().map(|found| found.start())
    }

    /// Ends the search.
    ///
    /// # Errors
    /// If the search took too much work, so some texts were not searched.
    pub fn end_search(&self) -> Result<(), ApiError> {
        self.effort.end_search()
    }

    pub fn find_marks(&self, text: &str) -> MatchesAnswer {
        if !self.effort.allows_text(&self.weighed, text) {
            return MatchesAnswer::default();
        }
        let mut ranges = Vec::new();
        let mut snippet = None;
        let (mut at, mut units) = (0, 0u32);
        let mut units_at = |byte: usize| {
            units = units.saturating_add(utf16_len(&text[at..byte]));
            at = byte;
            units
        };
        let found = self.weighed.regex.find_iter(text).filter(|found| !found.is_empty());
        for found in found.take(MATCHES_COUNTED as usize) {
            snippet.get_or_insert_with(|| snippet_of(text, found.range()));
            ranges.push((units_at(found.start()), units_at(found.end())));
        }
        MatchesAnswer { ranges, snippet }
    }
}

fn utf16_len(text: &str) -> u32 {
    let n = if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() };
    saturate_u32(n)
}

/// Returns `(before, match, after)` on one line.
fn snippet_of(text: &str, found: std::ops::Range<usize>) -> (String, String, String) {
    let one_line = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let (before, matched, after) = (&text[..found.start], &text[found.clone()], &text[found.end..]);
    let from = before.char_indices().rev().nth(AROUND - 1).map_or(0, |(at, _)| at);
    let to = after.char_indices().nth(AROUND).map_or(after.len(), |(at, _)| at);
    let end = matched.char_indices().nth(MATCH_SHOWN).map_or(matched.len(), |(at, _)| at);
    let edge = |cut: bool| if cut { "…" } else { "" };
    let space = |part: &str| if part.ends_with(char::is_whitespace) { " " } else { "" };
    let gap = |part: &str| if part.starts_with(char::is_whitespace) { " " } else { "" };
    let (head, tail) = (&before[from..], &after[..to]);
    (
        format!("{}{}{}", edge(from > 0), one_line(head), space(head)),
        format!("{}{}", one_line(&matched[..end]), edge(end < matched.len())),
        format!("{}{}{}", gap(tail), one_line(tail), edge(to < after.len())),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::access::NoHost;

    use super::*;

    fn needle(query: &str, regex: bool, case: bool) -> Needle {
        Needle::parse_needle(
            &TextPattern { query: query.to_owned(), regex, case },
            Effort::begin_search(&NoHost),
        )
        .unwrap()
    }

    #[test]
    fn finds_texts_and_expressions() {
        let check = |query: &str, regex: bool, case: bool, text: &str, ranges: &[(u32, u32)]| {
            let needle = needle(query, regex, case);
            assert_eq!(needle.find_marks(text).ranges, ranges, "{query} in {text}");
            assert_eq!(needle.count_matches(text) as usize, ranges.len(), "{query} in {text}");
        };
        check("a.c", false, true, "abc a.c", &[(4, 7)]);
        check("a.c", true, true, "abc a.c", &[(0, 3), (4, 7)]);
        check("Retry", false, false, "retry RETRY", &[(0, 5), (6, 11)]);
        check("Retry", false, true, "retry Retry", &[(6, 11)]);
        check("ß", false, false, "straße", &[(4, 5)]);
        check("end", false, true, "😀 end", &[(3, 6)]);
        check("^b$", true, true, "a\nb\nc", &[(2, 3)]);
        check("aa", false, true, "aaa", &[(0, 2)]);
    }

    #[test]
    fn what_matches_nothing_is_no_match() {
        assert_eq!(needle("x*", true, true).count_matches("abc"), 0);
        assert_eq!(needle("x*", true, true).count_matches("axbxx"), 2);
    }

    #[test]
    fn very_many_matches_are_not_all_counted() {
        let text = "ab".repeat(5000);
        assert_eq!(needle("a", false, true).count_matches(&text), MATCHES_COUNTED);
        assert_eq!(needle("a", false, true).find_marks(&text).ranges.len(), MATCHES_COUNTED as usize);
    }

    #[test]
    fn a_snippet_is_one_line() {
        let check = |text: &str, expected: [&str; 3]| {
            let (before, matched, after) = needle("two", false, true).find_marks(text).snippet.unwrap();
            assert_eq!([before.as_str(), matched.as_str(), after.as_str()], expected);
        };
        check("one\n  two\tthree", ["one ", "two", " three"]);
        check("two", ["", "two", ""]);
        let long = format!("{}two{}", "ü".repeat(100), "é".repeat(100));
        let (before, after) = (format!("…{}", "ü".repeat(60)), format!("{}…", "é".repeat(60)));
        check(&long, [&before, "two", &after]);
        assert_eq!(needle("four", false, true).find_marks("two").snippet, None);
    }

    #[test]
    fn what_is_no_expression_is_refused_on_one_line() {
        for (query, regex) in [("(", true), ("", false), ("", true), (r"a{1000000}{1000}", true)] {
            let error = Needle::parse_needle(
                &TextPattern { query: query.into(), regex, case: true },
                Effort::begin_search(&NoHost),
            )
            .err()
            .unwrap();
            assert_eq!(error.code, ErrorCode::BadPattern, "{query}");
            assert!(!error.to_string().contains('\n'), "{error}");
        }
        assert_eq!(needle("(", false, true).count_matches("f(x)"), 1);
    }

    proptest::proptest! {
        #[test]
        fn marks_are_where_the_text_says_it(text in "[aAüß😀 \n]{0,60}", query in "[aAü😀]{1,2}") {
            let marks = needle(&query, false, true).find_marks(&text);
            let units: Vec<u16> = text.encode_utf16().collect();
            for (from, to) in &marks.ranges {
                let found = String::from_utf16(&units[*from as usize..*to as usize]).unwrap();
                proptest::prop_assert_eq!(&found, &query);
            }
            proptest::prop_assert_eq!(marks.ranges.len(), text.matches(&query).count());
        }
    }
}
