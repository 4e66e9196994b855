//! Finding: where the secrets of one text stand.

use std::ops::Range;
use std::sync::OnceLock;

use regex::{Regex, RegexSet};

use crate::flat::Flat;
use crate::gate;
use crate::plain::{is_placeholder, is_random};
use crate::rule::{Part, RULES, Rule};

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    pub(crate) kind: &'static str,
}

struct Compiled {
    /// Which rules may match at all: most texts get past none of these gates.
    gates: RegexSet,
    each: Vec<(Regex, &'static Rule)>,
}

fn compiled() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let each: Vec<(Regex, &Rule)> =
            RULES.iter().filter_map(|rule| Some((Regex::new(rule.pattern).ok()?, rule))).collect();
        let gates =
            gate::all_of(each.iter().map(|(regex, _)| regex.as_str())).unwrap_or_else(RegexSet::empty);
        Compiled { gates, each }
    })
}

/// Finds what the rules know, in the order of the text; what overlaps is one, named by the rule that stands first.
pub(crate) fn find(text: &str, flat: &Flat<'_>) -> Vec<Found> {
    let Compiled { gates, each } = compiled();
    find_behind(text, flat, each, |text| gates.matches(text).iter().collect())
}

/// Is [`find`] with the rules that `may_match` lets through.
fn find_behind(
    text: &str,
    flat: &Flat<'_>,
    each: &[(Regex, &'static Rule)],
    may_match: impl Fn(&str) -> Vec<usize>,
) -> Vec<Found> {
    let mut found: Vec<(usize, Found)> = Vec::new();
    for at in may_match(text) {
        let (regex, rule) = &each[at];
        let mut from = 0;
        while let Some(range) = next_match(regex, rule, text, &mut from) {
            found.push((at, Found { range, kind: rule.kind }));
        }
    }
    if flat.is_wrapped() {
        for at in may_match(flat.text()) {
            let (regex, rule) = &each[at];
            if rule.wraps {
                across_lines(regex, flat, |range| found.push((at, Found { range, kind: rule.kind })));
            }
        }
    }
    merged(found)
}

/// Returns the range of the next secret, and from where to look on: behind it, as contexts may share their borders.
fn next_match(regex: &Regex, rule: &Rule, text: &str, from: &mut usize) -> Option<Range<usize>> {
    while let Some(captures) = text.get(*from..).and_then(|_| regex.captures_at(text, *from)) {
        let whole = captures.get(0)?;
        let secret = if rule.part == Part::Whole { whole } else { captures.get(1)? };
        *from = secret.end().max(next_char(text, whole.start()));
        let fits = match rule.part {
            Part::Whole => true,
            Part::Value => !is_placeholder(secret.as_str()),
            Part::Random => is_random(secret.as_str()) && !is_placeholder(secret.as_str()),
        };
        if fits && !secret.range().is_empty() {
            return Some(secret.range());
        }
    }
    None
}

fn next_char(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

/// Finds what goes on after the end of a line. Where the part before it is a secret by itself, what follows must look
/// as if it belonged to it.
fn across_lines(regex: &Regex, flat: &Flat<'_>, mut each: impl FnMut(Range<usize>)) {
    for found in regex.find_iter(flat.text()) {
        let mut range = found.range();
        while let Some(wrap) = flat.last_wrap_in(&range) {
            let head = &flat.text()[range.start..wrap];
            let tail = &flat.text()[wrap..range.end];
            if !regex.is_match(head) || continues(tail) {
                break;
            }
            range.end = wrap;
        }
        if flat.last_wrap_in(&range).is_some() {
            each(flat.range_in_text(&range));
        }
    }
}

fn continues(tail: &str) -> bool {
    let has_digit = tail.bytes().any(|byte| byte.is_ascii_digit());
    let is_mixed =
        tail.bytes().zip(tail.bytes().skip(1)).any(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase());
    has_digit || is_mixed
}

/// Joins what overlaps; `found` has the place of each one's rule.
fn merged(mut found: Vec<(usize, Found)>) -> Vec<Found> {
    found.sort_by_key(|(rule, one)| (one.range.start, *rule));
    let mut joined: Vec<(usize, Found)> = Vec::with_capacity(found.len());
    for (rule, one) in found {
        match joined.last_mut() {
            Some((first, last)) if one.range.start < last.range.end => {
                last.range.end = last.range.end.max(one.range.end);
                if rule < *first {
                    (*first, last.kind) = (rule, one.kind);
                }
            }
            _ => joined.push((rule, one)),
        }
    }
    joined.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_rule_compiles() {
        assert_eq!(compiled().each.len(), RULES.len());
        assert_eq!(compiled().gates.len(), RULES.len());
    }

    /// What a rule is about, drawn from its own pattern, and what may stand beside it.
    fn matching() -> impl Strategy<Value = String> {
        let around = "[a-zA-Z0-9 \n\"'=:;,.äſK→-]{0,12}";
        (0..RULES.len(), around, around).prop_flat_map(|(at, before, after)| {
            // What is drawn has no boundaries in it: where the pattern wants one, the neighbours may give it.
            let drawn = proptest::string::string_regex(&drawable(RULES[at].pattern)).unwrap();
            drawn.prop_map(move |drawn| format!("{before}{drawn}{after}"))
        })
    }

    /// A pattern without look-around and with short repetitions, from which texts can be drawn.
    fn drawable(pattern: &str) -> String {
        use regex_syntax::hir::{Hir, HirKind, Repetition};
        fn of(hir: &Hir) -> Hir {
            match hir.kind() {
                HirKind::Look(_) => Hir::empty(),
                HirKind::Capture(group) => of(&group.sub),
                HirKind::Concat(parts) => Hir::concat(parts.iter().map(of).collect()),
                HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(of).collect()),
                HirKind::Repetition(one) => {
                    let max = one.max.unwrap_or(u32::MAX).min(one.min.saturating_add(6));
                    Hir::repetition(Repetition { max: Some(max), sub: Box::new(of(&one.sub)), ..one.clone() })
                }
                _ => hir.clone(),
            }
        }
        of(&regex_syntax::parse(pattern).unwrap()).to_string()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn a_gate_lets_through_all_that_its_rule_finds(texts in proptest::collection::vec(matching(), 1..4)) {
            let text = texts.join("");
            let flat = Flat::of(&text);
            let slow = find_behind(&text, &flat, &compiled().each, |_| (0..RULES.len()).collect());
            prop_assert_eq!(find(&text, &flat), slow);
        }
    }
}
