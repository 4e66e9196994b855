//! Lookups in a sorted slice, asked in ascending order, so that all of them together take one walk.

pub(crate) struct SortedCursor<'a, T, K> {
    rest: &'a [T],
    key_of: fn(&T) -> K,
}

impl<'a, T, K: Ord> SortedCursor<'a, T, K> {
    pub(crate) fn new(sorted: &'a [T], key_of: fn(&T) -> K) -> Self {
        Self { rest: sorted, key_of }
    }

    /// Tells whether an item has the key `wanted`, which is not below the key asked for before.
    pub(crate) fn finds(&mut self, wanted: &K) -> bool {
        while let [first, rest @ ..] = self.rest
            && (self.key_of)(first) < *wanted
        {
            self.rest = rest;
        }
        self.rest.first().is_some_and(|first| (self.key_of)(first) == *wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_ascending_order() {
        let check = |sorted: &[u32], asked: &[u32], expected: &[bool]| {
            let mut cursor = SortedCursor::new(sorted, |item| *item);
            let found: Vec<bool> = asked.iter().map(|wanted| cursor.finds(wanted)).collect();
            assert_eq!(found, expected, "{asked:?} in {sorted:?}");
        };
        check(&[], &[1, 2], &[false, false]);
        check(&[1, 3], &[0, 1, 1, 2, 3, 4], &[false, true, true, false, true, false]);
        check(&[2, 9], &[9], &[true]);
    }
}
