//! Detection rules as data: a secret's form, and how certain it is.
//!
//! `rules/gitleaks.toml` is gitleaks' published file, byte for byte. `rules/own.toml` covers what gitleaks
//! omits: names beside values, headers, addresses, people, and truncated tokens.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};
use regex::bytes::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::Deserialize;

use crate::plain::{entropy_of, is_integrity_hash, is_placeholder, is_random};

const PUBLISHED: &str = include_str!("../rules/gitleaks.toml");
const OWN: &str = include_str!("../rules/own.toml");

/// How a published pattern ends behind a token, and our replacement, which also accepts JSON quotes, commas
/// and brackets.
const END: &str = r#"(?:[\x60'"\s;]|\\[nr]|$)"#;
const OUR_END: &str = r"(?:[^\w+/=-]|$)";
/// How a published pattern with a name begins; this prefix is not part of the secret.
const BEFORE_NAME: &str = r"[\w.-]{0,50}?";

/// How many bytes on each side are checked against allowlists, within the line.
const MOST_OF_LINE: usize = 2000;

#[derive(Debug)]
pub(crate) struct SecretRule {
    pub(crate) kind: String,
    regex: Regex,
    /// True if the form alone suffices, so the whole match is the secret.
    is_form: bool,
    /// True if the form also matches across wrapped lines.
    pub(crate) wraps: bool,
    allowed: Vec<Arc<Allowlist>>,
    entry: RuleEntry,
}

#[derive(Debug)]
pub(crate) struct SecretRules {
    pub(crate) each: Vec<SecretRule>,
    keywords: AhoCorasick,
    rule_of: Vec<usize>,
    of_signs: Vec<(u8, usize)>,
    pub(crate) names: String,
    /// Headers whose values are secrets, in lower case.
    pub(crate) headers: Vec<String>,
}

#[derive(Debug)]
struct Allowlist {
    target: RuleTarget,
    patterns: RegexSet,
    words: AhoCorasick,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RuleTarget {
    #[default]
    Secret,
    Match,
    Line,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RuleFile {
    names: String,
    headers: Vec<String>,
    name_keywords: Vec<String>,
    kinds: BTreeMap<String, String>,
    allowlist: AllowEntry,
    rules: Vec<RuleEntry>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RuleEntry {
    id: String,
    regex: Option<String>,
    path: Option<String>,
    /// Group with the secret; `None` for the whole match or the first non-empty group.
    secret_group: Option<usize>,
    /// Minimum entropy, in bits per byte (exclusive).
    entropy: f64,
    random: bool,
    /// True if other rules take precedence.
    last: bool,
    keywords: Vec<String>,
    allowlists: Vec<AllowEntry>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AllowEntry {
    condition: Option<String>,
    regex_target: RuleTarget,
    regexes: Vec<String>,
    stopwords: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSource {
    pub name: &'static str,
    pub n_rules: usize,
    /// The source's date, as `YYYY-MM-DD`.
    pub as_of: &'static str,
    pub source: &'static str,
}

/// Both `n_rules` are 0 if the rules cannot be built.
pub fn rule_sources() -> [RuleSource; 2] {
    let n_own = toml::from_str::<RuleFile>(OWN).map_or(0, |file| file.rules.len());
    let n_all = rules().map_or(0, |rules| rules.each.len());
    [
        RuleSource {
            name: "own",
            n_rules: n_own.min(n_all),
            as_of: "2026-11-28",
            source: "our own, judged by secrets planted in texts (docs/redaction.md)",
        },
        RuleSource {
            name: "gitleaks",
            n_rules: n_all.saturating_sub(n_own),
            as_of: "2026-11-22",
            source: "github.com/gitleaks/gitleaks, config/gitleaks.toml, byte for byte",
        },
    ]
}

/// `None` if one rule cannot be built; then nothing can be searched ([`ready`]).
pub(crate) fn rules() -> Option<&'static SecretRules> {
    built().as_ref().ok()
}

pub(crate) fn ready() -> Result<(), String> {
    built().as_ref().map(|_| ()).map_err(Clone::clone)
}

fn built() -> &'static Result<SecretRules, String> {
    static RULES: LazyLock<Result<SecretRules, String>> = LazyLock::new(load);
    &RULES
}

fn load() -> Result<SecretRules, String> {
    let read = |text| toml::from_str::<RuleFile>(text).map_err(|error| error.to_string());
    let (own, published) = (read(OWN)?, read(PUBLISHED)?);
    let mut rules = SecretRules {
        each: Vec::new(),
        keywords: words(&[] as &[&str])?,
        rule_of: Vec::new(),
        of_signs: Vec::new(),
        names: own.names,
        headers: own.headers,
    };
    let mut keywords = Vec::new();
    let everywhere = Arc::new(Allowlist::build(&published.allowlist)?);
    let (last, first): (Vec<RuleEntry>, Vec<RuleEntry>) = own.rules.into_iter().partition(|rule| rule.last);
    for (entries, everywhere) in [(first, None), (published.rules, Some(&everywhere)), (last, None)] {
        for entry in entries {
            // Texts of a session have no file name, so rules with a path never match.
            let (Some(pattern), None) = (&entry.regex, &entry.path) else { continue };
            let at = rules.each.len();
            let of_names = if entry.keywords.is_empty() { &own.name_keywords } else { &entry.keywords };
            let (signs, of_names): (Vec<&String>, Vec<&String>) =
                of_names.iter().partition(|word| word.len() == 1);
            rules.of_signs.extend(signs.iter().map(|sign| (sign.as_bytes()[0], at)));
            keywords.extend(of_names.into_iter().cloned());
            rules.rule_of.resize(keywords.len(), at);
            let pattern = ported(&pattern.replace("NAMES", &rules.names));
            rules.each.push(SecretRule::build(entry, &pattern, everywhere, &own.kinds)?);
        }
    }
    rules.keywords = words(&keywords)?;
    Ok(rules)
}

/// Converts a Go pattern to Rust, and removes context at both ends that is not part of the secret.
fn ported(pattern: &str) -> String {
    let pattern = pattern.replacen(BEFORE_NAME, "", 1);
    let is_form = !pattern.replace(END, "").contains(r"\s");
    let pattern = pattern.replace(END, if is_form { "" } else { OUR_END });
    // Go treats a brace without a count as a literal.
    let mut written = String::with_capacity(pattern.len());
    let mut rest = pattern.as_str();
    while let Some(at) = rest.find('{') {
        let (before, brace) = rest.split_at(at);
        let begins_count = brace[1..].starts_with(|c: char| c.is_ascii_digit());
        let is_escaped = (before.len() - before.trim_end_matches('\\').len()) & 1 == 1;
        written += before;
        written += if begins_count || is_escaped { "{" } else { r"\{" };
        rest = &brace[1..];
    }
    written + rest
}

fn words(words: &[impl AsRef<[u8]>]) -> Result<AhoCorasick, String> {
    AhoCorasickBuilder::new().ascii_case_insensitive(true).build(words).map_err(|error| error.to_string())
}

impl SecretRules {
    /// Tells which rules have a keyword in `text`; without any keyword a text holds no secret.
    pub(crate) fn likely(&self, text: &str) -> Vec<usize> {
        let mut is_likely = vec![false; self.each.len()];
        for hit in self.keywords.find_overlapping_iter(text) {
            is_likely[self.rule_of[hit.pattern().as_usize()]] = true;
        }
        for (sign, rule) in &self.of_signs {
            is_likely[*rule] |= text.as_bytes().contains(sign);
        }
        (0..self.each.len()).filter(|at| is_likely[*at]).collect()
    }
}

impl SecretRule {
    fn build(
        entry: RuleEntry,
        pattern: &str,
        everywhere: Option<&Arc<Allowlist>>,
        kinds: &BTreeMap<String, String>,
    ) -> Result<Self, String> {
        // Without Unicode the automata stay small; tokens are ASCII.
        let regex = RegexBuilder::new(pattern).unicode(false).build();
        let regex = regex.map_err(|error| format!("{}: {error}", entry.id))?;
        let spans_space = pattern.contains(r"\s");
        let is_form = regex.captures_len() == 1 || everywhere.is_some() && !spans_space;
        let first_word = entry.id.split('-').next().unwrap_or_default();
        let kind = kinds.get(first_word).filter(|_| everywhere.is_some()).unwrap_or(&entry.id);
        // An allowlist that also requires a path or a commit never applies.
        let lists = entry.allowlists.iter().filter(|list| list.condition.is_none());
        let mut allowed: Vec<Arc<Allowlist>> = everywhere.into_iter().cloned().collect();
        for list in lists {
            allowed.push(Arc::new(Allowlist::build(list)?));
        }
        Ok(Self { kind: kind.clone(), regex, is_form, wraps: is_form && !spans_space, allowed, entry })
    }

    /// Moves `from` behind the secret, because adjacent contexts may share a border.
    pub(crate) fn next(&self, text: &str, from: &mut usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        while *from <= bytes.len() {
            let whole = self.regex.find_at(bytes, *from)?.range();
            let mut secret = if self.is_form { whole.clone() } else { self.group_in(bytes, &whole)? };
            if self.is_form {
                // A fixed-length form inside a longer token extends to the whole token.
                secret.end += bytes[secret.end..].iter().take_while(|byte| is_of_token(**byte)).count();
            }
            *from = secret.end.max(whole.start + 1);
            let range = text.floor_char_boundary(secret.start)..text.ceil_char_boundary(secret.end);
            if !range.is_empty() && self.fits(text, &range, &whole) {
                return Some(range);
            }
        }
        None
    }

    /// Finds the group with the secret, searched only in the match and one byte on each side, because a
    /// search in a large text takes many times as long.
    fn group_in(&self, bytes: &[u8], whole: &Range<usize>) -> Option<Range<usize>> {
        let begin = whole.start.saturating_sub(1);
        let part = &bytes[begin..bytes.len().min(whole.end + 1)];
        let in_part = self.regex.captures_at(part, whole.start - begin);
        let is_same = |one: &Captures<'_>| {
            one.get(0).is_some_and(|one| one.start() + begin == whole.start && one.end() + begin == whole.end)
        };
        let (captures, begin) = match in_part.filter(is_same) {
            Some(captures) => (captures, begin),
            None => (self.regex.captures_at(bytes, whole.start)?, 0),
        };
        let group = match self.entry.secret_group {
            Some(group) => captures.get(group)?.range(),
            None => captures.iter().skip(1).flatten().map(|one| one.range()).find(|one| !one.is_empty())?,
        };
        Some(group.start + begin..group.end + begin)
    }

    fn fits(&self, text: &str, range: &Range<usize>, whole: &Range<usize>) -> bool {
        let secret = &text[range.clone()];
        if is_placeholder(secret) || is_integrity_hash(text, range) || self.entry.random && !is_random(secret)
        {
            return false;
        }
        if self.entry.entropy > 0.0 && entropy_of(secret) <= self.entry.entropy {
            return false;
        }
        !self.allowed.iter().any(|allowed| allowed.allows(text, range, whole))
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.regex.is_match(text.as_bytes())
    }
}

fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

impl Allowlist {
    fn build(entry: &AllowEntry) -> Result<Self, String> {
        let patterns: Vec<String> = entry.regexes.iter().map(|pattern| ported(pattern)).collect();
        let patterns =
            RegexSetBuilder::new(patterns).unicode(false).build().map_err(|error| error.to_string())?;
        Ok(Self { target: entry.regex_target, patterns, words: words(&entry.stopwords)? })
    }

    fn allows(&self, text: &str, secret: &Range<usize>, whole: &Range<usize>) -> bool {
        let bytes = text.as_bytes();
        let target = match self.target {
            RuleTarget::Secret => secret.clone(),
            RuleTarget::Match => {
                let name = bytes[..whole.start].iter().rev().take(50);
                let before = name.take_while(|byte| is_of_token(**byte) || **byte == b'.').count();
                whole.start - before..whole.end
            }
            RuleTarget::Line => {
                // Long lines are cut around the secret, so many secrets in one line cost no more than in many
                // lines.
                let before = &bytes[secret.start.saturating_sub(MOST_OF_LINE)..secret.start];
                let behind = &bytes[secret.end..bytes.len().min(secret.end + MOST_OF_LINE)];
                let n_before = before.iter().rev().take_while(|byte| **byte != b'\n').count();
                let n_behind = behind.iter().take_while(|byte| **byte != b'\n').count();
                secret.start - n_before..secret.end + n_behind
            }
        };
        self.patterns.is_match(&bytes[target]) || self.words.is_match(&bytes[secret.clone()])
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_rule_builds() {
        let rules = load().unwrap();
        assert!(rules.each.len() > 240, "{} rules", rules.each.len());
        assert!(rules.each.iter().all(|rule| !rule.regex.is_match(b"")), "a pattern that finds nothing");
    }

    /// A pattern without look-around and with short repetitions, from which texts can be generated.
    fn drawable(pattern: &str) -> String {
        use regex_syntax::hir::{Hir, HirKind, Repetition};
        fn widen(hir: &Hir) -> Hir {
            match hir.kind() {
                HirKind::Look(_) => Hir::empty(),
                HirKind::Capture(group) => widen(&group.sub),
                HirKind::Concat(parts) => Hir::concat(parts.iter().map(widen).collect()),
                HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(widen).collect()),
                HirKind::Repetition(one) => {
                    let max = one.max.unwrap_or(u32::MAX).min(one.min.saturating_add(6));
                    Hir::repetition(Repetition {
                        max: Some(max),
                        sub: Box::new(widen(&one.sub)),
                        ..one.clone()
                    })
                }
                _ => hir.clone(),
            }
        }
        widen(&regex_syntax::parse(pattern).unwrap()).to_string()
    }

    /// A rule, and a text generated from its pattern with something on both sides.
    fn matching() -> impl Strategy<Value = (usize, String)> {
        let around = "[a-zA-Z0-9 \n\"'=:;,.äſK→-]{0,12}";
        // Published keywords belong to the rules: some rules find less than their pattern alone would.
        let own = toml::from_str::<RuleFile>(OWN).unwrap().rules;
        let n_last = own.iter().filter(|rule| rule.last).count();
        let (n_first, n_all) = (own.len() - n_last, rules().unwrap().each.len());
        let of_own = prop_oneof![0..n_first, n_all - n_last..n_all];
        (of_own, around, around).prop_flat_map(|(at, before, after)| {
            let pattern = rules().unwrap().each[at].regex.as_str();
            let drawn = proptest::string::string_regex(&drawable(pattern)).unwrap();
            drawn.prop_map(move |drawn| (at, format!("{before}{drawn}{after}")))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 2))]
        #[test]
        fn a_keyword_stands_in_all_that_its_rule_finds((at, text) in matching()) {
            let rules = rules().unwrap();
            if rules.each[at].next(&text, &mut 0).is_some() {
                prop_assert!(rules.likely(&text).contains(&at), "{}: {text}", rules.each[at].kind);
            }
        }
    }

    #[test]
    fn patterns_of_go_are_ported() {
        let check = |pattern: &str, written: &str| assert_eq!(ported(pattern), written);
        check(r"^\$(?:\d+|{\d+})$", r"^\$(?:\d+|\{\d+})$");
        check(r"^\{\d{0,2}}$", r"^\{\d{0,2}}$");
        check(&format!(r"\b(ghp_\w{{36}}){END}"), r"\b(ghp_\w{36})");
        check(
            &format!(r"(?i){BEFORE_NAME}(?:x)\s*([a-z]{{32}}){END}"),
            &format!(r"(?i)(?:x)\s*([a-z]{{32}}){OUR_END}"),
        );
    }

    #[test]
    fn what_the_published_lists_allow_is_no_secret() {
        fn find(text: &str) -> Option<&str> {
            let rules = rules()?;
            let mut likely = rules.likely(text).into_iter();
            likely.find_map(|at| rules.each[at].next(text, &mut 0)).map(|range| &text[range])
        }
        assert_eq!(
            find("a beamer_key = b_a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKsq0wX7z9Rt"),
            Some("b_a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKsq0wX7z9Rt")
        );
        assert_eq!(find("foreign_key: a8F3kQ92xLm04ZpT7rWv1cYb"), None);
        assert_eq!(find("key_alias = client-a8F3kQ92xLm04Z"), None);
    }
}
