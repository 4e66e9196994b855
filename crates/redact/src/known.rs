use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, BuildError, Match};

use crate::decode::{decoded, dumped, is_text, listed, quoted_printable};
use crate::find::SecretRange;
use crate::fragments::{Fragments, SecretFragment};
use crate::layers::Layers;
use crate::needles::Needles;
use crate::plain::{is_telling, marks_in};
use crate::spelling::{drawn_pieces, trimmed};
use crate::view::View;
use crate::{LEAST_ENCODED, Learner};

/// Shorter secrets are not searched verbatim.
const LEAST_PLAIN: usize = 8;
/// How deep texts are decoded, such as base64 in base64 in base64.
const MOST_DECODED: usize = 3;
/// Maximum number of letters added beside a long secret's block.
const MOST_BESIDE: usize = 64;

/// Searches for all learned secrets.
///
/// Texts are converted to the secrets' form instead of generating all forms a secret may have, so memory
/// grows only with the secrets and time only with the texts.
#[derive(Debug)]
pub(crate) struct LearnedSecrets {
    secrets: Vec<(String, &'static str)>,
    spellings: BTreeMap<String, u32>,
    exact: Needles,
    /// Secrets that look like ordinary words, searched only in decoded text.
    everyday: Needles,
    fragments: Fragments,
    /// Names, with overlapping matches because only some stand as words.
    names: AhoCorasick,
    name_of: Vec<&'static str>,
}

impl LearnedSecrets {
    /// `fragments` holds parts from secrets too long to be kept.
    pub(crate) fn build(learned: &Learner, mut fragments: Fragments) -> Result<Self, BuildError> {
        let mut secrets = vec![(String::new(), ""); learned.secrets.len()];
        let (mut spellings, mut exact, mut names) = (BTreeMap::new(), Vec::new(), Vec::new());
        for (text, one) in &learned.secrets {
            secrets[one.id as usize] = (text.clone(), one.kind);
            if one.is_long {
                continue;
            }
            if is_name(one.kind) {
                names.push((text.as_str(), one.kind));
                continue;
            }
            exact.push((text.as_bytes().into(), one.id));
            if one.kind == "email" {
                continue;
            }
            let core = trimmed(text);
            if core != text && is_telling(core) {
                exact.push((core.as_bytes().into(), one.id));
                spellings.entry(core.to_owned()).or_insert(one.id);
            }
            add_parts(&mut fragments, text, one.id);
        }
        let mut everyday = Vec::new();
        for (text, kind) in &learned.everyday {
            let id = u32::try_from(secrets.len()).unwrap_or(u32::MAX);
            everyday.push((text.as_bytes().into(), id));
            secrets.push((text.clone(), *kind));
        }
        Ok(Self {
            secrets,
            spellings,
            exact: Needles::new(LEAST_PLAIN, exact),
            everyday: Needles::new(LEAST_ENCODED, everyday),
            fragments: fragments.ready(),
            names: AhoCorasick::new(names.iter().map(|(name, _)| name))?,
            name_of: names.iter().map(|(_, kind)| *kind).collect(),
        })
    }

    pub(crate) fn find(&self, layers: &Layers<'_>) -> Vec<SecretRange> {
        let mut found = Vec::new();
        if !self.exact.is_empty() || !self.everyday.is_empty() || !self.fragments.is_empty() {
            self.find_in(layers, 0, &|range| range, &mut found);
        }
        found
    }

    fn find_in(
        &self,
        layers: &Layers<'_>,
        depth: usize,
        place: &dyn Fn(Range<usize>) -> Range<usize>,
        found: &mut Vec<SecretRange>,
    ) {
        layers.each(|text, flat, of_layer| {
            let place = |range| place(of_layer(range));
            self.find_exact(flat.text().as_bytes(), depth, &|range| place(flat.range_in_text(&range)), found);
            let (view, has_numbers) = View::without_margins(text);
            self.find_in_view(&view, depth, Some(text), &place, found);
            if has_numbers {
                self.find_in_view(&View::of_text(text), depth, Some(text), &place, found);
            }
            let mut look = |inner: &View| {
                let read = is_text(inner.bytes()).then(|| std::str::from_utf8(inner.bytes()).ok()).flatten();
                match read.and_then(|text| Layers::new(text).ok()) {
                    Some(layers) => {
                        self.find_in(&layers, depth + 1, &|range| place(inner.range(&range)), found)
                    }
                    None => self.find_in_view(inner, depth + 1, None, &place, found),
                }
            };
            if depth < MOST_DECODED {
                decoded(&view, &mut look);
                listed(text, &mut look);
                dumped(text, &mut look);
                quoted_printable(text).iter().for_each(&mut look);
            }
        });
    }

    fn find_in_view(
        &self,
        view: &View,
        depth: usize,
        text: Option<&str>,
        place: &dyn Fn(Range<usize>) -> Range<usize>,
        found: &mut Vec<SecretRange>,
    ) {
        self.find_exact(view.bytes(), depth, &|range| place(view.range(&range)), found);
        if self.fragments.is_empty() {
            return;
        }
        let squashed = view.squashed();
        self.fragments.find(&squashed, |SecretFragment { range, secret, is_block }| {
            let mut range = squashed.range(&range);
            if let Some(text) = text.filter(|_| is_block) {
                range = with_token(text, range);
            }
            found.push(self.range_of(place(range), secret));
        });
    }

    fn find_exact(
        &self,
        bytes: &[u8],
        depth: usize,
        place: &dyn Fn(Range<usize>) -> Range<usize>,
        found: &mut Vec<SecretRange>,
    ) {
        self.exact.find(bytes, |range, secret| found.push(self.range_of(place(range), secret)));
        if depth > 0 {
            self.everyday.find(bytes, |range, secret| found.push(self.range_of(place(range), secret)));
        }
    }

    fn range_of(&self, range: Range<usize>, secret: u32) -> SecretRange {
        SecretRange { range, kind: self.secrets[secret as usize].1, secret: Some(secret) }
    }

    /// Finds whole words only, and skips marks.
    pub(crate) fn names_in(&self, text: &str) -> Vec<SecretRange> {
        let mut words: Vec<Match> =
            self.names.find_overlapping_iter(text).filter(|one| is_word(text, one)).collect();
        if words.is_empty() {
            return Vec::new();
        }
        // The longer match first if two begin together.
        words.sort_by_key(|one| (one.start(), std::cmp::Reverse(one.end())));
        let mut marks = marks_in(text).peekable();
        let mut end = 0;
        let mut found = Vec::with_capacity(words.len());
        for one in words {
            while marks.next_if(|mark| mark.end <= one.start()).is_some() {}
            let is_in_mark = marks.peek().is_some_and(|mark| mark.start < one.end());
            if one.start() >= end && !is_in_mark {
                end = one.end();
                let kind = self.name_of[one.pattern().as_usize()];
                found.push(SecretRange { range: one.range(), kind, secret: None });
            }
        }
        found
    }

    pub(crate) fn secret(&self, id: u32) -> &str {
        &self.secrets[id as usize].0
    }

    pub(crate) fn original(&self, spelling: &str) -> Option<&str> {
        self.spellings.get(spelling).map(|id| self.secret(*id))
    }
}

pub(crate) fn add_parts(fragments: &mut Fragments, text: &str, id: u32) {
    let pieces = drawn_pieces(text);
    let n_letters = |text: &str| text.bytes().filter(u8::is_ascii_alphanumeric).count();
    let is_covered = pieces.iter().any(|piece| n_letters(piece) == n_letters(text));
    pieces.iter().for_each(|piece| fragments.add(piece, false, id));
    if !is_covered {
        // A part of an address or of several words is not a secret by itself.
        let is_whole =
            text.contains("://") || text.trim_end_matches('=').contains(['=', ' ', '\n', '\t', ';', '/']);
        fragments.add(text, is_whole, id);
    }
}

fn with_token(text: &str, range: Range<usize>) -> Range<usize> {
    let is_of_token = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(byte);
    let bytes = text.as_bytes();
    let before = bytes[..range.start].iter().rev().take(MOST_BESIDE).take_while(is_of_token).count();
    let behind = bytes[range.end..].iter().take(MOST_BESIDE).take_while(is_of_token).count();
    range.start - before..range.end + behind
}

fn is_word(text: &str, one: &Match) -> bool {
    let bytes = text.as_bytes();
    let is_letter =
        |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_border = |at: usize| (at > 0 && is_letter(at - 1)) != is_letter(at);
    is_border(one.start()) && is_border(one.end())
}

fn is_name(kind: &str) -> bool {
    matches!(kind, "user" | "host")
}
