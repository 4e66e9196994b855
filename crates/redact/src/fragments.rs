//! Fragments: whole or truncated secrets, compared by letters and digits only.
//!
//! A secret has seeds: windows with eight letters, one every four letters. A seed found in a text is extended
//! in both directions while it matches. A long secret is only known by hashes over its blocks, 32 letters
//! each.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::needles::{Filter, windows};
use crate::plain::{classes_of, turns_of};
use crate::view::View;

const SEED: usize = 8;
const STEP: usize = 4;
const BLOCK: usize = 32;
/// Longer secrets have blocks instead of seeds.
const MOST_SEEDED: usize = 512;
/// Minimum match inside a longer run; a match bounded on both sides needs only [`SEED`].
const LEAST_INSIDE: usize = 12;
/// A seed shared by more secrets is ignored: it belongs to an issuer's fixed prefix.
const MOST_SHARING: usize = 8;

#[derive(Debug)]
struct NormalizedSecret {
    letters: Box<[u8]>,
    /// How many first letters are shared with other secrets.
    fixed: usize,
    is_whole: bool,
    secret: u32,
}

#[derive(Debug)]
pub(crate) struct SecretFragment {
    pub(crate) range: Range<usize>,
    pub(crate) secret: u32,
    /// Blocks come from long secrets, and may extend further in both directions.
    pub(crate) is_block: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Fragments {
    all: Vec<NormalizedSecret>,
    /// Each seed's letters, its secret's index in `all`, and its position there.
    seeds: Vec<(u64, u32, u32)>,
    seed_filter: Filter,
    blocks: Vec<(u64, u32)>,
    block_filter: Filter,
}

impl Fragments {
    pub(crate) fn add(&mut self, part: &str, is_whole: bool, secret: u32) {
        let letters: Box<[u8]> = part.bytes().filter(u8::is_ascii_alphanumeric).collect();
        if letters.len() > MOST_SEEDED {
            self.add_blocks(&letters, secret);
        } else if letters.len() >= SEED && (!is_whole || looks_drawn(&letters)) {
            let fixed = fixed_of(part).min(letters.len() - SEED);
            self.all.push(NormalizedSecret { letters, fixed, is_whole, secret });
        }
    }

    fn add_blocks(&mut self, letters: &[u8], secret: u32) {
        let last = letters.len() - BLOCK;
        for at in (0..last).step_by(BLOCK).chain([last]) {
            let block = &letters[at..at + BLOCK];
            if looks_drawn(block) {
                let hash = block.iter().fold(0, |hash, byte| rolled(hash, byte.to_ascii_lowercase()));
                self.blocks.push((hash, secret));
            }
        }
    }

    pub(crate) fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    pub(crate) fn ready(mut self) -> Self {
        let mut seeds = Vec::new();
        for (n, one) in self.all.iter().enumerate() {
            let last = one.letters.len() - SEED;
            let places = (one.fixed..last).step_by(STEP).chain([last]);
            for at in places {
                let lower = one.letters[at..at + SEED].to_ascii_lowercase();
                let place = (u32::try_from(n).unwrap_or(u32::MAX), u32::try_from(at).unwrap_or(0));
                windows(&lower, SEED, |_, seed| seeds.push((seed, place.0, place.1)));
            }
        }
        seeds.sort_unstable();
        // A secret with repetitions keeps each seed once.
        seeds.dedup_by_key(|(seed, n, _)| (*seed, *n));
        let shares = |group: &[(u64, u32, u32)]| {
            let secrets = group.iter().map(|(_, n, _)| self.all[*n as usize].secret);
            secrets.take(4 * MOST_SHARING).collect::<BTreeSet<_>>().len() <= MOST_SHARING
        };
        let groups = seeds.chunk_by(|a, b| a.0 == b.0).filter(|group| shares(group));
        self.seeds = groups.flat_map(|group| &group[..group.len().min(4 * MOST_SHARING)]).copied().collect();
        self.blocks.sort_unstable();
        self.blocks.dedup_by_key(|(hash, _)| *hash);
        self.seed_filter = Filter::new(self.seeds.iter().map(|seed| seed.0));
        self.block_filter = Filter::new(self.blocks.iter().map(|block| block.0));
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.seeds.is_empty() && self.blocks.is_empty()
    }

    pub(crate) fn find(&self, view: &View, mut each: impl FnMut(SecretFragment)) {
        if !self.seeds.is_empty() {
            self.find_seeds(view, |range, secret| each(SecretFragment { range, secret, is_block: false }));
        }
        if !self.blocks.is_empty() {
            self.find_blocks(view, |range, secret| each(SecretFragment { range, secret, is_block: true }));
        }
    }

    fn find_seeds(&self, view: &View, mut each: impl FnMut(Range<usize>, u32)) {
        let mut end = 0;
        // The last match: its secret, where the secret would begin in the view, and the match's end.
        let mut last = (u32::MAX, 0, 0);
        windows(view.bytes(), SEED, |at, window| {
            if at + SEED <= end || !self.seed_filter.may_have(window) {
                return;
            }
            let first = self.seeds.partition_point(|(seed, ..)| *seed < window);
            for (_, n, offset) in self.seeds[first..].iter().take_while(|(seed, ..)| *seed == window) {
                let begin = at.wrapping_sub(*offset as usize);
                if last.0 == *n && last.1 == begin && at < last.2 {
                    continue;
                }
                let one = &self.all[*n as usize];
                let range = one.grown(view, at, *offset as usize);
                last = (*n, begin, range.end);
                if one.counts(view, &range, range.start.wrapping_sub(begin)) {
                    end = end.max(range.end);
                    each(range, one.secret);
                }
            }
        });
    }

    fn find_blocks(&self, view: &View, mut each: impl FnMut(Range<usize>, u32)) {
        let bytes = view.bytes();
        let mut hash = 0_u64;
        for at in 0..bytes.len() {
            if at >= BLOCK {
                hash = hash.wrapping_sub(u64::from(bytes[at - BLOCK]).wrapping_mul(OF_FIRST));
            }
            hash = rolled(hash, bytes[at]);
            if at + 1 >= BLOCK && self.block_filter.may_have(hash) {
                let found = self.blocks.partition_point(|block| block.0 < hash);
                if let Some((_, secret)) = self.blocks.get(found).filter(|block| block.0 == hash) {
                    each(at + 1 - BLOCK..at + 1, *secret);
                }
            }
        }
    }
}

const BASE: u64 = 0x0000_0100_0000_01b3;
/// The first letter's weight in a block when the next letter comes.
const OF_FIRST: u64 = BASE.wrapping_pow(31);

fn rolled(hash: u64, byte: u8) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(byte))
}

impl NormalizedSecret {
    fn grown(&self, view: &View, at: usize, offset: usize) -> Range<usize> {
        let bytes = view.bytes();
        let is_same = |at: usize, offset: usize| {
            let letter = self.letters.get(offset).map(u8::to_ascii_lowercase);
            letter.is_some() && letter.as_ref() == bytes.get(at)
        };
        let mut before = 0;
        while before < offset.min(at)
            && is_same(at - before - 1, offset - before - 1)
            && view.goes_on(at - before)
        {
            before += 1;
        }
        let mut len = 1;
        while is_same(at + len, offset + len) && view.goes_on(at + len) {
            len += 1;
        }
        at - before..at + len
    }

    /// Tells whether only the secret can give this match; `from` is its start in the secret.
    fn counts(&self, view: &View, range: &Range<usize>, from: usize) -> bool {
        let part = from..from + range.len();
        if part == (0..self.letters.len()) {
            return true;
        }
        let own = &self.letters[part.start.max(self.fixed).min(part.end)..part.end];
        let begins = part.start == 0 || view.is_torn(range.start);
        let ends = part.end == self.letters.len() || view.is_torn(range.end);
        let least = if begins && ends { SEED } else { LEAST_INSIDE };
        !self.is_whole && own.len() >= least && may_be_cut(own)
    }
}

pub(crate) fn looks_drawn(letters: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(letters) else { return false };
    let ((lower, upper, digits), turns) = (classes_of(text), turns_of(text));
    digits > 0 && lower + upper > 0 && turns >= 2 && turns * 6 >= text.len()
        || lower > 1 && upper > 1 && turns >= 3 && turns * 3 >= text.len()
}

pub(crate) fn may_be_cut(letters: &[u8]) -> bool {
    const LONG: usize = 16;
    let Ok(text) = std::str::from_utf8(letters) else { return false };
    let (lower, upper, digits) = classes_of(text);
    looks_drawn(letters) || letters.len() >= LONG && digits >= 3 && lower + upper >= 3
}

/// Counts the letters in an issuer's fixed prefix: short words before the random part, or a JWT's header.
fn fixed_of(part: &str) -> usize {
    let mut fixed = 0;
    if let Some((header, _)) = part.split_once('.').filter(|(header, _)| header.starts_with("eyJ")) {
        return header.bytes().filter(u8::is_ascii_alphanumeric).count();
    }
    let mut steps = part.split(['_', '-', '.']).peekable();
    while let Some(step) = steps.next() {
        if step.len() > 8 || !is_word(step) || steps.peek().is_none() || fixed + step.len() > 24 {
            break;
        }
        fixed += step.len();
    }
    fixed
}

fn is_word(step: &str) -> bool {
    let word = step.trim_end_matches(|sign: char| sign.is_ascii_digit());
    word.bytes().all(|byte| byte.is_ascii_alphabetic()) && step.len() - word.len() <= 2 && !word.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "sk-ant-api03-a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKs";

    fn found(secrets: &[&str], text: &str) -> Vec<String> {
        let mut fragments = Fragments::default();
        secrets.iter().zip(0..).for_each(|(secret, n)| fragments.add(secret, false, n));
        let view = View::of_text(text).squashed();
        let mut found = Vec::new();
        fragments.ready().find(&view, |one| found.push(text[view.range(&one.range)].to_owned()));
        found
    }

    #[test]
    fn a_secret_is_found_whole_and_cut() {
        let check = |text: &str, parts: &[&str]| assert_eq!(found(&[TOKEN], text), parts, "{text}");
        check(&format!("x {TOKEN} y"), &[TOKEN]);
        check("the key sk-ant-api03-a8F3kQ92xLm… goes on", &["sk-ant-api03-a8F3kQ92xLm"]);
        check("sk-ant-api03-a8F3kQ92…", &["sk-ant-api03-a8F3kQ92"]);
        // The match covers little more than the fixed prefix.
        check("sk-ant-api03-… and sk-ant-api03-a8F3", &[]);
        check("…5gHj2uKs", &["5gHj2uKs"]);
        check("…T7rWv1cYb6NdE5…", &["T7rWv1cYb6NdE5"]);
        check("SK-ANT-API03-A8F3KQ92XLM04ZPT", &["SK-ANT-API03-A8F3KQ92XLM04ZPT"]);
        check("a8F3kQ92 is eight, and xa8F3kQ92y is another", &["a8F3kQ92"]);
    }

    #[test]
    fn what_many_secrets_have_is_none() {
        let keys: Vec<String> = (0..20).map(|n| format!("nc0rg7k2m9-{n}a8F3kQ92xL{n}m0{n}4Z")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        assert_eq!(found(&keys, "see nc0rg7k2m9 now"), Vec::<String>::new());
        assert_eq!(found(&keys, keys[7]), [keys[7]]);
    }

    #[test]
    fn a_long_secret_is_found_by_its_blocks() {
        let long: String =
            (0..400_u64).map(|n| format!("{:x}Z", n.wrapping_mul(0x9e37_79b9_7f4a) % 9973)).collect();
        let parts = found(&[&long], &format!("x {} y", &long[100..300]));
        assert!(parts.len() >= 4 && parts.iter().all(|part| part.len() == BLOCK), "{parts:?}");
    }
}
