//! Known secrets: found again in any form that they are written in.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, BuildError, Match, MatchKind};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;

use crate::find::SecretRange;
use crate::layers::Layers;
use crate::plain::marks_in;

/// All learned secrets, in every form that texts may hold them in.
///
/// Both searches look for literals, so their size grows with the secrets' bytes only. Where one cannot be built there
/// is no value of this type, and nothing is written.
#[derive(Debug)]
pub(crate) struct Known {
    /// Finds the forms of all secrets but names; of two that begin together the longer one is meant.
    texts: AhoCorasick,
    /// Finds names, also those that overlap: only some of them stand as words.
    names: AhoCorasick,
    /// Every form that a secret is written in, with the secret and its kind.
    forms: BTreeMap<String, (String, &'static str)>,
}

impl Known {
    pub(crate) fn of(
        secrets: &BTreeMap<String, (&'static str, usize)>,
        spellings: &BTreeMap<String, String>,
        everyday: &BTreeMap<String, &'static str>,
    ) -> Result<Self, BuildError> {
        let mut forms: BTreeMap<String, (String, &'static str)> = BTreeMap::new();
        for (secret, (kind, _)) in secrets {
            for form in forms_of(secret, kind) {
                forms.entry(form).or_insert_with(|| (secret.clone(), *kind));
            }
        }
        for (spelling, secret) in spellings {
            let kind = secrets.get(secret).map_or("secret", |(kind, _)| kind);
            for form in forms_of(spelling, kind) {
                forms.entry(form).or_insert_with(|| (secret.clone(), kind));
            }
        }
        for (secret, kind) in everyday {
            for form in encoded(secret) {
                forms.entry(form).or_insert_with(|| (secret.clone(), *kind));
            }
        }
        let (names, texts): (Vec<&String>, Vec<&String>) =
            forms.keys().partition(|text| is_name(forms[*text].1));
        let texts = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(texts)?;
        let names = AhoCorasick::new(names)?;
        Ok(Self { texts, names, forms })
    }

    /// Finds known secrets, however often they are escaped, also across wrapped lines.
    pub(crate) fn find(&self, layers: &Layers<'_>) -> Vec<SecretRange> {
        let mut found = Vec::new();
        layers.each(|_, flat, map| {
            let known = |one: Match| SecretRange {
                range: map(flat.range_in_text(&one.range())),
                kind: self.kind_of(&flat.text()[one.range()]),
            };
            found.extend(self.texts.find_iter(flat.text()).map(known));
        });
        found
    }

    fn kind_of(&self, form: &str) -> &'static str {
        self.forms.get(form).map_or("secret", |(_, kind)| kind)
    }

    /// Finds names, as words of their own; marks stay as they are.
    pub(crate) fn names_in(&self, text: &str) -> Vec<SecretRange> {
        let mut words: Vec<Match> =
            self.names.find_overlapping_iter(text).filter(|one| is_word(text, one)).collect();
        if words.is_empty() {
            return Vec::new();
        }
        // The longer first, of those that begin together.
        words.sort_by_key(|one| (one.start(), std::cmp::Reverse(one.end())));
        let mut marks = marks_in(text).peekable();
        let mut end = 0;
        let mut found = Vec::with_capacity(words.len());
        for one in words {
            while marks.next_if(|mark| mark.end <= one.start()).is_some() {}
            let is_in_mark = marks.peek().is_some_and(|mark| mark.start < one.end());
            if one.start() >= end && !is_in_mark {
                end = one.end();
                found.push(SecretRange { range: one.range(), kind: self.kind_of(&text[one.range()]) });
            }
        }
        found
    }

    /// Returns the secret that a text is a form of.
    pub(crate) fn original(&self, form: &str) -> Option<&str> {
        self.forms.get(form).map(|(secret, _)| secret.as_str())
    }
}

/// Tells whether a match ends at no letter or digit that goes on.
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

/// Writes a secret in all forms that no layer of a text resolves.
fn forms_of(secret: &str, kind: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned()];
    if is_name(kind) || kind == "email" {
        return forms;
    }
    forms.extend(encoded(secret));
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// Writes a secret in base64 and in hex.
fn encoded(secret: &str) -> Vec<String> {
    let mut forms = base64_cores(secret.as_bytes());
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    forms.push(hex.to_ascii_uppercase());
    forms.push(hex);
    forms.retain(|form| form.len() >= LEAST_OF_CORE);
    forms
}

/// Writes bytes in base64 as parts of something longer: for each of the three offsets, the letters that do not depend
/// on the bytes around them.
fn base64_cores(bytes: &[u8]) -> Vec<String> {
    let mut cores = Vec::new();
    for lead in 0..3usize {
        let skipped: Vec<u8> = std::iter::repeat_n(0, lead).chain(bytes.iter().copied()).collect();
        let letters = BASE64_STANDARD_NO_PAD.encode(&skipped);
        // The first letters depend on the bytes before the secret, and the last one on those behind it.
        let whole = [0, 2, 3][lead]..skipped.len() * 8 / 6;
        if let Some(core) = letters.get(whole).filter(|core| core.len() >= LEAST_OF_CORE) {
            cores.push(core.to_owned());
            cores.push(core.replace('+', "-").replace('/', "_"));
        }
    }
    cores
}

/// The fewest letters of base64 that can only be a secret.
const LEAST_OF_CORE: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_known_wherever_it_begins() {
        let secret = b"s3cr3t-Value-0815";
        // `user:` and `me:` before it, as base64 writes them.
        let cores = base64_cores(secret);
        for encoded in [
            "czNjcjN0LVZhbHVlLTA4MTU=",
            "dXNlcjpzM2NyM3QtVmFsdWUtMDgxNQ==",
            "bWU6czNjcjN0LVZhbHVlLTA4MTU=",
            "YTpzM2NyM3QtVmFsdWUtMDgxNQ==",
        ] {
            assert!(cores.iter().any(|core| encoded.contains(core.as_str())), "{encoded}");
        }
    }
}
