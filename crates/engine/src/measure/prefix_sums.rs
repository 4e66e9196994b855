//! Sums of a prefix of a column of figures that changes (Fenwick 1994).

use alloc::vec::Vec;

/// A column of figures; changing one and summing a prefix cost the logarithm of its length.
#[derive(Debug, Clone)]
pub(crate) struct PrefixSums {
    /// At `i` the sum of the figures of the `i & -i` places that end at `i - 1`.
    sums: Vec<u64>,
    total: u64,
}

impl PrefixSums {
    /// Makes a column of so many zeros.
    pub(crate) fn new(n_places: usize) -> Self {
        Self { sums: alloc::vec![0; n_places + 1], total: 0 }
    }

    /// Replaces a part of the figure of a place: `was` goes, `is` comes.
    pub(crate) fn change(&mut self, place: usize, was: u64, is: u64) {
        self.total = self.total.wrapping_sub(was).wrapping_add(is);
        let mut at = place + 1;
        while let Some(sum) = self.sums.get_mut(at) {
            *sum = sum.wrapping_sub(was).wrapping_add(is);
            at += at & at.wrapping_neg();
        }
    }

    /// Returns the sum of all figures before a place.
    pub(crate) fn before(&self, place: usize) -> u64 {
        let mut at = place.min(self.sums.len() - 1);
        let mut sum = 0u64;
        while at > 0 {
            sum = sum.wrapping_add(self.sums[at]);
            at &= at - 1;
        }
        sum
    }

    /// Returns the sum of all figures.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_column() {
        let mut column = [0u64; 37];
        let mut sums = PrefixSums::new(column.len());
        let mut seed = 7usize;
        for _ in 0..500 {
            seed = seed.wrapping_mul(6_364_136_223).wrapping_add(1_442_695);
            let (place, is) = (seed % column.len(), (seed / 64 % 1000) as u64);
            sums.change(place, column[place], is);
            column[place] = is;
            let end = seed / 7 % (column.len() + 1);
            assert_eq!(sums.before(end), column[..end].iter().sum::<u64>());
            assert_eq!(sums.total(), column.iter().sum::<u64>());
        }
        assert_eq!(PrefixSums::new(0).before(9), 0);
    }
}
