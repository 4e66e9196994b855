//! Redaction: removes secrets and names from texts before a person shares them.
//!
//! There are two passes. The first *learns* from all texts and values: rules (`rule`) find secrets by their
//! form, or by a name beside them. The second *writes* each text with marks, and also finds a learned secret
//! in any other form: plain, escaped (`layers`), encoded (`decode`), concatenated in code or wrapped over
//! lines (`flat`). The same secret always gets the same mark, `[redacted:kind#n]`.
//!
//! Redaction fails closed: a text that cannot be searched, because of its size or depth, is replaced and
//! counted, and without a complete search there is no second pass ([`Learner::finish`]).

mod decode;
mod find;
mod flat;
mod fragments;
mod home;
mod known;
mod layers;
mod manifest;
mod mapping;
mod needles;
mod plain;
mod rule;
mod shape;
mod spelling;
mod value;
mod view;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use find::{SecretRange, find, merged};
use fragments::Fragments;
use known::LearnedSecrets;
use layers::{Layers, bare};
pub use rule::{RuleSource, rule_sources};

/// Larger texts are left out.
pub const MOST_BYTES: usize = 2 << 20;
/// A value's deeper parts are left out.
pub const MOST_DEPTH: usize = 64;
/// Shorter secrets are not searched in base64 and hex.
const LEAST_ENCODED: usize = 6;
/// A longer secret is kept as hashes.
const LONGEST_KEPT: usize = 1024;
/// Limits per log: secrets, their bytes, and long ones' hashes. Beyond them, a text with a new secret is
/// left out.
const MOST_SECRETS: usize = 1 << 18;
const MOST_LEARNED: usize = 48 << 20;
const MOST_BLOCKS: usize = 1 << 22;
/// Replaces a text that is left out.
pub const LEFT_OUT: &str = "[left out: it could not be looked through for secrets]";

#[derive(Debug, Clone, Default)]
pub struct People {
    /// Home directories, or paths inside them.
    pub homes: Vec<String>,
    pub users: Vec<String>,
    pub hosts: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// Appears in the mark; `home` for directories, which become `~`.
    pub kind: &'static str,
    pub different: usize,
    pub places: usize,
}

/// The search for secrets could not be built, so nothing may be written.
#[derive(Debug, thiserror::Error)]
#[error("the search for secrets could not be built: {0}")]
pub struct Unready(String);

#[derive(Debug)]
struct Secret {
    kind: &'static str,
    /// Number in its mark; 0 until first written.
    number: usize,
    /// How many secrets were learned before it.
    id: u32,
    /// True if only its beginning and its hash are kept.
    is_long: bool,
}

/// Learns all texts' secrets before [`Redactor`] writes any text.
#[derive(Debug, Default)]
pub struct Learner {
    /// Keyed by text, or by a long secret's name.
    secrets: BTreeMap<String, Secret>,
    long: Fragments,
    /// Kinds by secrets that look like ordinary words, which are found again only if encoded.
    everyday: BTreeMap<String, &'static str>,
    n_bytes: usize,
    is_full: bool,
    numbers: BTreeMap<&'static str, usize>,
    homes: BTreeSet<String>,
}

impl Learner {
    pub fn new(people: &People) -> Self {
        let mut learner = Self::default();
        let of_homes = people.homes.iter().filter_map(|path| home::user_of(path));
        for user in of_homes.chain(people.users.iter().map(String::as_str)) {
            if home::is_personal(user) {
                learner.add(user, "user");
            }
        }
        for host in people.hosts.iter().filter(|host| home::is_personal(host)) {
            learner.add(host, "host");
        }
        let is_home = |path: &&String| path.len() > 4 && home::user_of(path).is_none();
        learner
            .homes
            .extend(people.homes.iter().filter(is_home).map(|path| path.trim_end_matches('/').to_owned()));
        learner
    }

    /// Learns from `text`. A text over [`MOST_BYTES`] teaches nothing, because it will be left out.
    pub fn text(&mut self, text: &str) {
        if text.len() > MOST_BYTES {
            return;
        }
        // A text with too many layers will be left out, and so will every text if there are no rules.
        let (Ok(layers), Some(rules)) = (Layers::new(text), rule::rules()) else { return };
        // Includes secrets inside other secrets, which may stand alone elsewhere.
        let mut found = find(&layers, rules);
        found.sort_by_key(|(rule, one)| (one.range.start, *rule));
        for (_, SecretRange { range, kind, .. }) in found {
            self.add_telling(&text[range], kind);
        }
        value::secrets_in_json(text, &mut |secret, kind| self.add_telling(secret, kind));
    }

    /// Learns from `value`'s texts, and from values under a secret's name.
    pub fn value(&mut self, value: &serde_json::Value) {
        let mut texts = Vec::new();
        value::walk(value, None, 0, &mut |text, secret| texts.push((text.to_owned(), secret)));
        for (text, secret) in texts {
            match secret {
                Some(kind) if text.len() >= LEAST_ENCODED => self.add_telling(&text, kind),
                _ => self.text(&text),
            }
        }
    }

    fn add_telling(&mut self, secret: &str, kind: &'static str) {
        // Without escapes and line ends, so every other form is found.
        let secret = bare(secret);
        let parts = plain::parts_of(&secret, kind).into_iter().chain(spelling::drawn_parts(&secret));
        for part in parts.chain([secret.as_str()]) {
            if plain::is_telling(part) {
                self.add(part, kind);
            } else if part.len() >= LEAST_ENCODED && kind != "email" && !self.everyday.contains_key(part) {
                self.is_full |= self.has_no_room();
                if !self.is_full {
                    self.n_bytes += part.len();
                    self.everyday.insert(part.to_owned(), kind);
                }
            }
        }
    }

    fn has_no_room(&self) -> bool {
        self.secrets.len() + self.everyday.len() >= MOST_SECRETS
            || self.n_bytes >= MOST_LEARNED
            || self.long.n_blocks() >= MOST_BLOCKS
    }

    fn add(&mut self, secret: &str, kind: &'static str) {
        let name = named(secret);
        if self.secrets.contains_key(&*name) {
            return;
        }
        if self.has_no_room() {
            self.is_full = true;
            return;
        }
        let id = u32::try_from(self.secrets.len()).unwrap_or(u32::MAX);
        let is_long = secret.len() > LONGEST_KEPT;
        if is_long {
            known::add_parts(&mut self.long, secret, id);
        }
        self.n_bytes += name.len();
        self.secrets.insert(name.into_owned(), Secret { kind, number: 0, id, is_long });
    }

    fn numbered(&mut self, name: &str, kind: &'static str) -> (&'static str, usize) {
        // A secret taught by no rule is only found in place and belongs to no search.
        let other = Secret { kind, number: 0, id: u32::MAX, is_long: false };
        let secret = self.secrets.entry(name.to_owned()).or_insert(other);
        if secret.number == 0 {
            let last = self.numbers.entry(secret.kind).or_default();
            *last += 1;
            secret.number = *last;
        }
        (secret.kind, secret.number)
    }

    /// Ends learning.
    ///
    /// # Errors
    /// [`Unready`] if a rule or the search for learned secrets cannot be built.
    pub fn finish(self) -> Result<Redactor, Unready> {
        rule::ready().and_then(|()| value::ready()).and_then(|()| home::ready()).map_err(Unready)?;
        let mut learned = self;
        let long = std::mem::take(&mut learned.long);
        let known = LearnedSecrets::build(&learned, long).map_err(|error| Unready(error.to_string()))?;
        Ok(Redactor { learned, known, counts: BTreeMap::new(), n_left_out: 0 })
    }
}

#[derive(Debug)]
pub struct Redactor {
    learned: Learner,
    known: LearnedSecrets,
    counts: BTreeMap<&'static str, (BTreeSet<String>, usize)>,
    n_left_out: usize,
}

impl Redactor {
    /// Returns `text` with marks, or [`LEFT_OUT`] if it cannot be searched.
    pub fn text(&mut self, text: &str) -> String {
        let written = self.written(text);
        if written.is_none() {
            self.n_left_out += 1;
        }
        written.unwrap_or_else(|| LEFT_OUT.to_owned())
    }

    fn written(&mut self, text: &str) -> Option<String> {
        let rules = rule::rules()?;
        let layers = Layers::new(text).ok().filter(|_| text.len() <= MOST_BYTES)?;
        let new = merged(find(&layers, rules));
        if self.learned.is_full && new.iter().any(|one| self.is_unknown(&text[one.range.clone()], one.kind)) {
            return None;
        }
        let known = self.known.find(&layers).into_iter().map(|one| (false, one));
        let found = known.chain(new.into_iter().map(|one| (true, one)));
        // Rank: the first range, the longer one if two begin together, then the learned one.
        let ranked = found.map(|(is_new, one)| ((one.range.start, Reverse(one.range.end), is_new), one));
        let found = merged(ranked.collect());
        let mut written = if found.is_empty() { text.to_owned() } else { self.marked(text, found) };
        if written != text {
            // A secret beside a mark may have been hidden by the replaced text.
            let again = self.known.find(&Layers::new(&written).ok()?);
            if !again.is_empty() {
                let ranked = again.into_iter().map(|one| ((one.range.start, Reverse(one.range.end)), one));
                written = self.marked(&written, merged(ranked.collect()));
            }
        }
        let written = self.without_homes(written);
        let names = self.known.names_in(&written);
        Some(if names.is_empty() { written } else { self.marked(&written, names) })
    }

    /// True beyond the limits: the secret would not be found elsewhere.
    fn is_unknown(&self, found: &str, kind: &str) -> bool {
        let secret = bare(found);
        let (secrets, everyday) = (&self.learned.secrets, &self.learned.everyday);
        plain::is_telling(&secret) && !secrets.contains_key(&*named(&secret))
            || secret.len() >= LEAST_ENCODED
                && kind != "email"
                && !plain::is_telling(&secret)
                && !everyday.contains_key(&secret)
    }

    fn marked(&mut self, text: &str, found: Vec<SecretRange>) -> String {
        let mut written = String::with_capacity(text.len());
        let mut at = 0;
        for SecretRange { range, kind, secret } in found {
            let range = text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end);
            written.push_str(&text[at..range.start.max(at)]);
            let mark = match secret {
                Some(id) => self.mark_named(self.known.secret(id).to_owned(), kind),
                None => self.mark(&text[range.clone()], kind),
            };
            written.push_str(&mark);
            at = range.end;
        }
        written.push_str(&text[at..]);
        written
    }

    /// Returns `value` with marks in its texts and keys; values under a secret's name are replaced as a
    /// whole.
    pub fn value(&mut self, value: &serde_json::Value) -> serde_json::Value {
        value::write(value, None, 0, self)
    }

    /// Returns redactions per `kind`, the most frequent first.
    pub fn counts(&self) -> Vec<Count> {
        let mut counts: Vec<Count> = self
            .counts
            .iter()
            .map(|(kind, (different, places))| Count { kind, different: different.len(), places: *places })
            .collect();
        counts.sort_by(|a, b| b.places.cmp(&a.places).then(a.kind.cmp(b.kind)));
        counts
    }

    /// Returns the first learned secret's kind in redacted output, in any form. [`People`]'s names are
    /// not secrets.
    pub fn first_leak(&self, text: &str) -> Option<&'static str> {
        // Every string was redacted separately, so a match across two strings is no secret.
        texts_of(text).find_map(|text| {
            let Ok(layers) = Layers::of_written(text) else { return Some("escaped too often") };
            self.known.find(&layers).first().map(|one| one.kind)
        })
    }

    pub fn n_left_out(&self) -> usize {
        self.n_left_out
    }

    fn mark(&mut self, secret: &str, kind: &'static str) -> String {
        let secret = bare(secret);
        let name = self.known.original(&secret).map_or_else(|| named(&secret).into_owned(), str::to_owned);
        self.mark_named(name, kind)
    }

    fn mark_named(&mut self, name: String, kind: &'static str) -> String {
        let (kind, number) = self.learned.numbered(&name, kind);
        self.count(kind, name);
        format!("[redacted:{kind}#{number}]")
    }

    fn count(&mut self, kind: &'static str, secret: String) {
        let (different, places) = self.counts.entry(kind).or_default();
        different.insert(secret);
        *places += 1;
    }

    fn without_homes(&mut self, text: String) -> String {
        let mut names = Vec::new();
        let mut hidden = home::hide_homes(&text, |name| names.push(name.to_owned()));
        for home in &self.learned.homes {
            for (before, after) in [(format!("{home}/"), "~/"), (format!("{home}\""), "~\"")] {
                let n = hidden.matches(&before).count();
                if n > 0 {
                    hidden = hidden.replace(&before, after);
                    names.extend(std::iter::repeat_n(home.clone(), n));
                }
            }
            if hidden == *home {
                hidden = "~".to_owned();
                names.push(home.clone());
            }
        }
        for name in names {
            self.count("home", name);
        }
        hidden
    }
}

/// The key is the secret itself, or a long one's beginning, length and hash.
fn named(secret: &str) -> Cow<'_, str> {
    if secret.len() <= LONGEST_KEPT {
        return Cow::Borrowed(secret);
    }
    let mut hasher = DefaultHasher::new();
    secret.hash(&mut hasher);
    let begin = &secret[..secret.floor_char_boundary(32)];
    Cow::Owned(format!("{begin}… {} {:016x}", secret.len(), hasher.finish()))
}

fn texts_of(json: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(json);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut from = 0;
        let end = loop {
            let Some(quote) = text[from..].find('"').map(|at| from + at) else { break None };
            if text[..quote].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0 {
                break Some(quote);
            }
            from = quote + 1;
        };
        rest = end.map(|end| &text[end + 1..]);
        Some(end.map_or(text, |end| &text[..end]))
    })
    .filter(|text| text.len() >= LEAST_ENCODED)
}
