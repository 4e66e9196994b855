//! Known secrets: found again in any form that they are written in.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, Match, MatchKind};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use regex::Regex;

use crate::find::SecretRange;
use crate::flat::Flat;

/// All learned secrets, in every form that texts may hold them in.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Finds the forms of all secrets but names; of two that begin together the longer one is meant.
    texts: Option<AhoCorasick>,
    /// Every form that a secret is written in, with the secret and its kind.
    forms: BTreeMap<String, (String, &'static str)>,
    /// Names, and marks, which stay as they are.
    names: Option<Regex>,
}

impl Known {
    pub(crate) fn of(secrets: &BTreeMap<String, (&'static str, usize)>) -> Self {
        let mut forms: BTreeMap<String, (String, &'static str)> = BTreeMap::new();
        for (secret, (kind, _)) in secrets {
            for form in forms_of(secret, kind) {
                forms.entry(form).or_insert_with(|| (secret.clone(), *kind));
            }
        }
        let (mut names, texts): (Vec<&String>, Vec<&String>) =
            forms.keys().partition(|text| is_name(forms[*text].1));
        let texts = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(texts).ok();
        // The longer first, as there.
        names.sort_by_key(|text| std::cmp::Reverse(text.len()));
        let words: Vec<String> = names.iter().map(|name| regex::escape(name)).collect();
        let names = (!words.is_empty())
            .then(|| {
                Regex::new(&format!(r"\[redacted:[^\]]*\]|(?-u:\b)(?:{})(?-u:\b)", words.join("|"))).ok()
            })
            .flatten();
        Self { texts, forms, names }
    }

    /// Finds known secrets, also across wrapped lines.
    pub(crate) fn find(&self, flat: &Flat<'_>) -> Vec<SecretRange> {
        let found = self.texts.iter().flat_map(|texts| texts.find_iter(flat.text()));
        let known = |one: Match| SecretRange {
            range: flat.range_in_text(&one.range()),
            kind: self.kind_of(&flat.text()[one.range()]),
        };
        found.map(known).collect()
    }

    /// Returns the kind of the first known secret in a text.
    pub(crate) fn first_in(&self, text: &str) -> Option<&'static str> {
        let found = self.texts.as_ref()?.find(text)?;
        Some(self.kind_of(&text[found.range()]))
    }

    fn kind_of(&self, form: &str) -> &'static str {
        self.forms.get(form).map_or("secret", |(_, kind)| kind)
    }

    /// Finds names, as words of their own.
    pub(crate) fn names_in(&self, text: &str) -> Vec<SecretRange> {
        let Some(names) = &self.names else { return Vec::new() };
        names
            .find_iter(text)
            .filter_map(|one| {
                let (_, kind) = self.forms.get(one.as_str())?;
                Some(SecretRange { range: one.range(), kind })
            })
            .collect()
    }

    /// Returns the secret that a text is a form of.
    pub(crate) fn original(&self, form: &str) -> Option<&str> {
        self.forms.get(form).map(|(secret, _)| secret.as_str())
    }
}

fn is_name(kind: &str) -> bool {
    matches!(kind, "user" | "host")
}

/// Writes a secret in all forms in which texts may hold it.
fn forms_of(secret: &str, kind: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned()];
    if is_name(kind) || kind == "email" {
        return forms;
    }
    if let Ok(json) = serde_json::to_string(secret) {
        let inner = json[1..json.len() - 1].to_owned();
        // Escaped once more: JSON that holds JSON.
        let twice = inner.replace('\\', "\\\\").replace('"', "\\\"");
        forms.extend([inner, twice]);
    }
    forms.push(utf8_percent_encode(secret, ENCODED).to_string());
    forms.extend(base64_cores(secret.as_bytes()));
    forms.sort_unstable();
    forms.dedup();
    forms.retain(|form| form == secret || form.len() >= 8);
    forms
}

/// The bytes that an address spells in another way.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Writes bytes in base64 as parts of something longer: for each of the three offsets, the letters that do not depend
/// on the bytes around them.
fn base64_cores(bytes: &[u8]) -> Vec<String> {
    let mut cores = Vec::new();
    for lead in 0..3usize {
        let skipped: Vec<u8> = std::iter::repeat_n(0, lead).chain(bytes.iter().copied()).collect();
        let letters = STANDARD.encode(&skipped[..skipped.len() / 3 * 3]);
        // The first letters depend on the bytes before the secret.
        let from = [0, 2, 3][lead];
        if let Some(core) = letters.get(from..).filter(|core| core.len() >= 12) {
            cores.push(core.to_owned());
            cores.push(core.replace('+', "-").replace('/', "_"));
        }
    }
    cores
}

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
