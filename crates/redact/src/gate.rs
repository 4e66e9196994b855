//! Gates: a quick look that tells where a pattern cannot match.
//!
//! A gate is the pattern with less in it: no word boundaries, nothing that may be missing at its ends, and no upper
//! bounds. Whatever the pattern matches, its gate matches a part of. So small, and without boundaries of Unicode, it
//! is a table walk over any text, where the pattern itself would be tried letter by letter.

use regex::{Regex, RegexSet};
use regex_syntax::hir::{Hir, HirKind, Repetition};

/// Repetitions that must come more often than that are taken for so many.
const MOST_REPEATED: u32 = 24;

/// A pattern behind its gate.
#[derive(Debug)]
pub(crate) struct Gated {
    gate: Regex,
    pattern: Regex,
}

impl Gated {
    /// Makes one of a pattern; `None` where it is no pattern.
    pub(crate) fn new(pattern: &str) -> Option<Self> {
        Some(Self { gate: Regex::new(&of(pattern)?).ok()?, pattern: Regex::new(pattern).ok()? })
    }

    /// Returns the pattern where it may match; `None` where it cannot.
    pub(crate) fn on(&self, text: &str) -> Option<&Regex> {
        self.gate.is_match(text).then_some(&self.pattern)
    }
}

/// Returns the gate of a pattern; `None` where it is no pattern.
pub(crate) fn of(pattern: &str) -> Option<String> {
    let whole = regex_syntax::parse(pattern).ok()?;
    Some(trimmed(relaxed(&whole)).to_string())
}

/// Returns the gates of patterns as one search.
pub(crate) fn all_of<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Option<RegexSet> {
    let gates: Option<Vec<String>> = patterns.into_iter().map(of).collect();
    RegexSet::new(gates?).ok()
}

/// Matches all that the pattern matches, and more: no look-around, no upper bounds, no groups.
fn relaxed(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0.clone()),
        HirKind::Class(class) => Hir::class(class.clone()),
        HirKind::Capture(group) => relaxed(&group.sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(relaxed).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(relaxed).collect()),
        HirKind::Repetition(one) => {
            let is_one_or_none = one.min == 0 && one.max == Some(1);
            let is_exact = one.max == Some(one.min) && one.min <= MOST_REPEATED;
            Hir::repetition(Repetition {
                min: one.min.min(MOST_REPEATED),
                max: if is_one_or_none || is_exact { one.max } else { None },
                greedy: one.greedy,
                sub: Box::new(relaxed(&one.sub)),
            })
        }
    }
}

/// Takes from both ends what may be missing; a part of what was matched still is.
fn trimmed(hir: Hir) -> Hir {
    let may_be_missing = |part: &Hir| part.properties().minimum_len().unwrap_or(0) == 0;
    match hir.into_kind() {
        HirKind::Concat(mut parts) => {
            let Some(first) = parts.iter().position(|part| !may_be_missing(part)) else {
                return Hir::empty();
            };
            parts.drain(..first);
            let behind = parts.iter().rposition(|part| !may_be_missing(part)).map_or(0, |last| last + 1);
            parts.truncate(behind);
            // An end that comes at least so often comes just so often.
            for at in [0, parts.len() - 1] {
                parts[at] = shortest(std::mem::replace(&mut parts[at], Hir::empty()));
            }
            Hir::concat(parts)
        }
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(trimmed).collect()),
        kind => shortest(of_kind(kind)),
    }
}

/// Of a repetition at an end, as few as there must be.
fn shortest(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Repetition(one) => Hir::repetition(Repetition { max: Some(one.min), ..one }),
        kind => of_kind(kind),
    }
}

fn of_kind(kind: HirKind) -> Hir {
    match kind {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(one) => Hir::repetition(one),
        HirKind::Capture(group) => Hir::capture(group),
        HirKind::Concat(parts) => Hir::concat(parts),
        HirKind::Alternation(parts) => Hir::alternation(parts),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_the_part_that_must_be_there() {
        let check = |pattern: &str, gate: &str| {
            let as_written = |pattern: &str| regex_syntax::parse(pattern).unwrap().to_string();
            assert_eq!(of(pattern).unwrap(), as_written(gate), "{pattern}");
        };
        check(r"\bghp_[a-z]{20,}\b", "ghp_[a-z]{20}");
        check(r"^[a-z]{0,40}key=(x{3,400})(?:;|$)", "key=x{3}");
        check(r"key=x{3,400};", "key=x{3,};");
        check(r"a?b{2,9}c?", "b{2}");
        check(r"(?:x|yz?)", "(?:x|y)");
        check(r"k{99}", "k{24}");
        check(r"a*", "");
        assert_eq!(of("("), None);
    }
}
