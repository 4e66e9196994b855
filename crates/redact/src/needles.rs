//! Needles: exact texts looked for, however many they are.
//!
//! All needles stand in one sorted list, and a filter tells at which places none can begin. The list takes little more than the
//! needles themselves, which no automaton does.

use std::ops::Range;

/// The longest needle; of a longer text other parts are looked for.
pub(crate) const LONGEST: usize = 1024;

/// Tells quickly that a number is none of many.
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

/// Calls `each` with every window of `text`, up to eight bytes wide, as a number, and with where it begins.
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

/// Exact texts, each with the number of the secret it stands for.
#[derive(Debug)]
pub(crate) struct Needles {
    /// How many bytes the shortest one has at least.
    width: usize,
    filter: Filter,
    sorted: Vec<(Box<[u8]>, u32)>,
}

impl Needles {
    /// Takes those that are long enough, and no longer than a needle may be.
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

    /// Finds the needles in `text` from its beginning on, the longest of those that begin together.
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

    /// Returns the longest needle `text` begins with.
    fn longest_at(&self, text: &[u8]) -> Option<(usize, u32)> {
        let mut text = &text[..text.len().min(LONGEST)];
        loop {
            // Between a needle the text begins with and the text itself stand only those that begin with it too.
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
