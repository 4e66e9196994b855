//! Searches for any number of exact texts.
//!
//! All needles are kept in one sorted list, and a filter excludes positions where none can begin. The list
//! needs little more memory than the needles themselves, unlike an automaton.

use std::ops::Range;

/// Longer secrets are searched by their parts.
pub(crate) const LONGEST: usize = 1024;

/// A Bloom-like filter: tells quickly that a number is not in the set.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    bits: Vec<u64>,
    shift: u32,
}

impl Filter {
    pub(crate) fn new(numbers: impl ExactSizeIterator<Item = u64>) -> Self {
        let n_bits = (numbers.len() * 16).next_power_of_two().max(1 << 12);
        let mut filter = Self { bits: vec![0; n_bits / 64], shift: 64 - n_bits.trailing_zeros() };
        for number in numbers {
            let (word, bit) = filter.bit(number);
            filter.bits[word] |= bit;
        }
        filter
    }

    fn bit(&self, number: u64) -> (usize, u64) {
        let mixed = (number ^ number >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift;
        ((mixed >> 6) as usize, 1 << (mixed & 63))
    }

    pub(crate) fn may_have(&self, number: u64) -> bool {
        let (word, bit) = self.bit(number);
        self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }
}

/// Windows have `width` bytes, at most eight; `each` gets their position and number.
pub(crate) fn windows(text: &[u8], width: usize, mut each: impl FnMut(usize, u64)) {
    let mask = if width < 8 { (1 << (8 * width)) - 1 } else { u64::MAX };
    let mut window = 0;
    for (at, byte) in text.iter().enumerate() {
        window = (window << 8 | u64::from(*byte)) & mask;
        if at + 1 >= width {
            each(at + 1 - width, window);
        }
    }
}

#[derive(Debug)]
pub(crate) struct Needles {
    width: usize,
    filter: Filter,
    sorted: Vec<(Box<[u8]>, u32)>,
}

impl Needles {
    pub(crate) fn new(width: usize, mut all: Vec<(Box<[u8]>, u32)>) -> Self {
        all.retain(|(text, _)| (width..=LONGEST).contains(&text.len()));
        all.sort_unstable();
        all.dedup_by(|a, b| a.0 == b.0);
        let mut begins = Vec::with_capacity(all.len());
        for (text, _) in &all {
            windows(&text[..width], width, |_, window| begins.push(window));
        }
        Self { width, filter: Filter::new(begins.into_iter()), sorted: all }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Finds non-overlapping needles from the left; the longest one if several begin together.
    pub(crate) fn find(&self, text: &[u8], mut each: impl FnMut(Range<usize>, u32)) {
        if self.sorted.is_empty() {
            return;
        }
        let mut end = 0;
        windows(text, self.width, |at, window| {
            if at >= end
                && self.filter.may_have(window)
                && let Some((len, secret)) = self.longest_at(&text[at..])
            {
                end = at + len;
                each(at..end, secret);
            }
        });
    }

    fn longest_at(&self, text: &[u8]) -> Option<(usize, u32)> {
        let mut text = &text[..text.len().min(LONGEST)];
        loop {
            // All entries between a needle and the text that begins with it also begin with it.
            let behind = self.sorted.partition_point(|(needle, _)| **needle <= *text);
            let (needle, secret) = self.sorted.get(behind.checked_sub(1)?)?;
            let common = needle.iter().zip(text).take_while(|(a, b)| a == b).count();
            if common == needle.len() {
                return Some((common, *secret));
            }
            if common < self.width {
                return None;
            }
            text = &text[..common];
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(needles: &[&str], text: &str) -> Vec<Range<usize>> {
        let all = needles.iter().zip(0..).map(|(text, n)| (text.as_bytes().into(), n)).collect();
        let mut found = Vec::new();
        Needles::new(2, all).find(text.as_bytes(), |range, _| found.push(range));
        found
    }

    #[test]
    fn the_longest_of_those_that_begin_together_is_found() {
        assert_eq!(found(&["abc", "abcde", "abd", "cd"], "xabcdx abcdex abd"), [1..4, 7..12, 14..17]);
        assert!(found(&["a"], "aaa").is_empty() && found(&[], "aaa").is_empty());
    }

    proptest! {
        #[test]
        fn a_sorted_list_finds_what_one_look_after_another_finds(
            needles in proptest::collection::vec("[ab]{2,6}", 0..8),
            text in "[ab]{0,60}",
        ) {
            let needles: Vec<&str> = needles.iter().map(String::as_str).collect();
            let (mut at, mut expected) = (0, Vec::new());
            while at < text.len() {
                let longest = needles.iter().filter(|one| text[at..].starts_with(**one)).map(|one| one.len()).max();
                expected.extend(longest.map(|len| at..at + len));
                at += longest.unwrap_or(1);
            }
            prop_assert_eq!(found(&needles, &text), expected);
        }
    }
}
