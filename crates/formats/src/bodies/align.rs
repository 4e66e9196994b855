use std::collections::BTreeMap;

/// Returns, for each new item, the index of the known item it repeats; the indices strictly increase.
///
/// The longest common prefix is matched first. Behind it, the n-th occurrence of a key is matched with its
/// n-th known occurrence, and the longest increasing subsequence of these pairs is kept.
pub(crate) fn align_lists(known: &[u64], new: &[u64]) -> Vec<Option<usize>> {
    let n_prefix = known.iter().zip(new).take_while(|(known, new)| known == new).count();
    let mut found: Vec<Option<usize>> = (0..n_prefix).map(Some).collect();
    let mut places: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (at, key) in known.iter().enumerate().skip(n_prefix).rev() {
        places.entry(*key).or_default().push(at);
    }
    let candidates: Vec<Option<usize>> =
        new[n_prefix..].iter().map(|key| places.get_mut(key).and_then(Vec::pop)).collect();
    found.extend(longest_rising(&candidates));
    found
}

/// Keeps the longest strictly increasing subsequence of `values` and sets the others to `None`.
fn longest_rising(values: &[Option<usize>]) -> Vec<Option<usize>> {
    // For each length, the position with the lowest value that ends an increasing subsequence.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; values.len()];
    for (at, value) in values.iter().enumerate() {
        let Some(value) = value else { continue };
        let length = ends.partition_point(|&end| values[end].is_some_and(|end| end < *value));
        before[at] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut kept = vec![None; values.len()];
    let mut next = ends.last().copied();
    while let Some(at) = next {
        kept[at] = values[at];
        next = before[at];
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(known: &[u64], new: &[u64], expected: &[Option<usize>]) {
        assert_eq!(align_lists(known, new), expected, "{known:?} to {new:?}");
    }

    #[test]
    fn lists_that_grow_shrink_and_change() {
        check(&[], &[], &[]);
        check(&[1, 2], &[1, 2, 3], &[Some(0), Some(1), None]);
        check(&[1, 2, 3, 4], &[1, 9, 3, 4, 5], &[Some(0), None, Some(2), Some(3), None]);
        check(&[1, 2, 3, 4], &[1, 3, 4], &[Some(0), Some(2), Some(3)]);
        check(&[1, 2, 3], &[9, 1, 2, 3], &[None, Some(0), Some(1), Some(2)]);
        check(&[1, 2, 3], &[7, 8], &[None, None]);
    }

    #[test]
    fn equal_messages_and_another_order() {
        check(&[1, 5, 5, 2], &[1, 5, 2, 5], &[Some(0), Some(1), None, Some(2)]);
        check(&[1, 2, 3], &[3, 2, 1], &[None, None, Some(0)]);
    }

    proptest! {
        #[test]
        fn matches_are_equal_and_rise(known in prop::collection::vec(0u64..6, 0..24), new in prop::collection::vec(0u64..6, 0..24)) {
            let found = align_lists(&known, &new);
            prop_assert_eq!(found.len(), new.len());
            let kept: Vec<usize> = found.iter().flatten().copied().collect();
            prop_assert!(kept.windows(2).all(|pair| pair[0] < pair[1]), "order is kept");
            for (at, place) in found.iter().enumerate() {
                prop_assert!(place.is_none_or(|place| known[place] == new[at]), "only equal ones match");
            }
        }
    }
}
