//! Prefix sums over a changing column.
//!
//! Figures change far more often than prefixes are summed, so changes must be cheap. Sums of 64
//! figures, and of 64 such sums, accompany the column: a change touches three numbers, a prefix
//! sum adds a few hundred.

use alloc::vec::Vec;

const FAN: usize = 64;

#[derive(Debug, Clone)]
pub(crate) struct PrefixSums {
    figures: Vec<u64>,
    sums: Vec<u64>,
    sums_of_sums: Vec<u64>,
    total: u64,
}

impl PrefixSums {
    pub(crate) fn new(n_places: usize) -> Self {
        let zeros = |n_each: usize| alloc::vec![0; n_places / n_each + 1];
        Self { figures: zeros(1), sums: zeros(FAN), sums_of_sums: zeros(FAN * FAN), total: 0 }
    }

    pub(crate) fn change_at(&mut self, place: usize, was: u64, is: u64) {
        let more = is.wrapping_sub(was);
        self.total = self.total.wrapping_add(more);
        let add = |figure: Option<&mut u64>| {
            if let Some(figure) = figure {
                *figure = figure.wrapping_add(more);
            }
        };
        add(self.figures.get_mut(place));
        add(self.sums.get_mut(place / FAN));
        add(self.sums_of_sums.get_mut(place / (FAN * FAN)));
    }

    pub(crate) fn sum_before(&self, place: usize) -> u64 {
        let place = place.min(self.figures.len());
        let (sum, sum_of_sums) = (place / FAN, place / (FAN * FAN));
        let parts = [
            &self.sums_of_sums[..sum_of_sums],
            &self.sums[sum_of_sums * FAN..sum],
            &self.figures[sum * FAN..place],
        ];
        parts.into_iter().flatten().fold(0, |all, figure| all.wrapping_add(*figure))
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_column() {
        let mut column = [0u64; 9_000];
        let mut sums = PrefixSums::new(column.len());
        let mut seed = 7usize;
        for _ in 0..2_000 {
            seed = seed.wrapping_mul(6_364_136_223).wrapping_add(1_442_695);
            let (place, is) = (seed % column.len(), (seed / 64 % 1000) as u64);
            sums.change_at(place, column[place], is);
            column[place] = is;
            let end = seed / 7 % (column.len() + 1);
            assert_eq!(sums.sum_before(end), column[..end].iter().sum::<u64>());
            assert_eq!(sums.total(), column.iter().sum::<u64>());
        }
        assert_eq!(PrefixSums::new(0).sum_before(9), 0);
    }
}
