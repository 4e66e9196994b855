//! Seeded random numbers, the same in every run and on every machine.

#[derive(Debug, Clone)]
pub(crate) struct Rng {
    state: u64,
}

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        match high.checked_sub(low) {
            None | Some(0) => low,
            Some(width) => low + self.next() % width,
        }
    }

    /// Returns `length` characters of `alphabet`, which must be ASCII.
    pub(crate) fn text(&mut self, alphabet: &[u8], length: usize) -> String {
        let n_characters = alphabet.len() as u64;
        (0..length).map(|_| char::from(alphabet[self.between(0, n_characters) as usize])).collect()
    }

    pub(crate) fn hex(&mut self, length: usize) -> String {
        self.text(b"0123456789abcdef", length)
    }
}

pub(crate) const BASE62: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence() {
        // The first values of splitmix64 for seed 0, from its reference implementation.
        let mut rng = Rng::new(0);
        assert_eq!(rng.next(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(rng.next(), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn ranges_are_half_open_and_never_panic() {
        let mut rng = Rng::new(1);
        assert!((0..500).all(|_| (3..6).contains(&rng.between(3, 6))));
        assert_eq!(rng.between(9, 9), 9);
        assert_eq!(rng.between(9, 2), 9);
    }
}
