//! Comparison of two rendered contexts: content sent by only one, and content sent differently.
//!
//! Both lists include ghosts, so they have mostly the same rows. Rows are paired by identity along a longest common
//! order. A row outside this order counts as removed in one place and added in the other.

use std::collections::BTreeMap;

use cwl_engine::{EventIdx, Fate, Placeholder};

use crate::api::DiffChange;
use crate::measure::moment::CutContext;
use crate::measure::run::ReplayRun;
use crate::present::item::{ContextRow, context_rows};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContextRowKey {
    Block(EventIdx, u32),
    /// A residue, by the place of its exploration's start.
    Residue(EventIdx, u32),
    Summary(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SentText<'a> {
    Nothing,
    Whole,
    Placeholder(Placeholder),
    Text(&'a str),
}

/// A row of the diff with its indices in both lists. At least one list sends something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowPair {
    pub change: DiffChange,
    pub a: Option<usize>,
    pub b: Option<usize>,
}

pub fn pair_rows(a: &[(ContextRowKey, SentText<'_>)], b: &[(ContextRowKey, SentText<'_>)]) -> Vec<RowPair> {
    let place: BTreeMap<&ContextRowKey, usize> =
        a.iter().enumerate().map(|(at, (key, _))| (key, at)).collect();
    let common: Vec<(usize, usize)> =
        b.iter().enumerate().filter_map(|(at, (key, _))| Some((*place.get(key)?, at))).collect();
    let mut out = Vec::with_capacity(a.len().max(b.len()));
    let (mut at_a, mut at_b) = (0, 0);
    let only = |change: DiffChange, a: Option<usize>, b: Option<usize>| RowPair { change, a, b };
    let mut rest = |out: &mut Vec<RowPair>, to_a: usize, to_b: usize| {
        let gone = (at_a..to_a).filter(|at| a[*at].1 != SentText::Nothing);
        out.extend(gone.map(|at| only(DiffChange::Removed, Some(at), None)));
        let new = (at_b..to_b).filter(|at| b[*at].1 != SentText::Nothing);
        out.extend(new.map(|at| only(DiffChange::Added, None, Some(at))));
        (at_a, at_b) = (to_a + 1, to_b + 1);
    };
    for (in_a, in_b) in longest_ascending(&common) {
        rest(&mut out, in_a, in_b);
        let change = match (&a[in_a].1, &b[in_b].1) {
            (SentText::Nothing, SentText::Nothing) => continue,
            (SentText::Nothing, _) => DiffChange::Added,
            (_, SentText::Nothing) => DiffChange::Removed,
            (was, is) if was == is => DiffChange::Same,
            _ => DiffChange::Changed,
        };
        out.push(only(change, Some(in_a), Some(in_b)));
    }
    rest(&mut out, a.len(), b.len());
    out
}

/// Returns a longest subsequence of pairs that ascends on the left. The pairs ascend on the right.
pub fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    if pairs.is_sorted_by(|one, next| one.0 < next.0) {
        return pairs.to_vec();
    }
    // Patience sorting: `ends[n]` is the lowest end of a subsequence with n + 1 pairs; `before` links back.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (left, _)) in pairs.iter().enumerate() {
        let n = ends.partition_point(|end| pairs[*end].0 < *left);
        before.push(n.checked_sub(1).map(|last| ends[last]));
        match ends.get_mut(n) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut found = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(here) = at {
        found.push(pairs[here]);
        at = before[here];
    }
    found.reverse();
    found
}

pub(crate) fn keyed_rows<'a>(
    run: &ReplayRun,
    moment: &'a CutContext,
) -> (Vec<ContextRow<'a>>, Vec<(ContextRowKey, SentText<'a>)>) {
    let session = &run.branch.session;
    let place = |block: cwl_engine::BlockIdx| {
        let row = &session.blocks[block.at()];
        (row.event, row.part)
    };
    let rows: Vec<ContextRow<'a>> = context_rows(&moment.context).collect();
    let keyed = rows.iter().map(|row| match *row {
        ContextRow::Residue { episode, text, .. } => {
            let (event, part) = place(run.branch.growth.graph.episode(episode).start);
            (ContextRowKey::Residue(event, part), SentText::Text(text))
        }
        ContextRow::Summary { number, text, .. } => (ContextRowKey::Summary(number), SentText::Text(text)),
        ContextRow::Block { block, fate, .. } => {
            let (event, part) = place(block);
            let sent = match fate {
                Fate::Kept(_) => SentText::Whole,
                Fate::Masked(placeholder, _) => SentText::Placeholder(*placeholder),
                Fate::Gone(_) => SentText::Nothing,
            };
            (ContextRowKey::Block(event, part), sent)
        }
    });
    let keyed = keyed.collect();
    (rows, keyed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// `a` is block a, `-a` its ghost, `~a` its placeholder.
    fn list(spelled: &str) -> Vec<(ContextRowKey, SentText<'static>)> {
        let one = |word: &str| {
            let sent = match word.as_bytes()[0] {
                b'-' => SentText::Nothing,
                b'~' => SentText::Placeholder(Placeholder::Cleared),
                _ => SentText::Whole,
            };
            let name = word.trim_start_matches(['-', '~']).bytes().next().unwrap();
            (ContextRowKey::Block(EventIdx::new(name.into()), 0), sent)
        };
        spelled.split_whitespace().map(one).collect()
    }

    fn spell(
        pairs: &[RowPair],
        a: &[(ContextRowKey, SentText<'_>)],
        b: &[(ContextRowKey, SentText<'_>)],
    ) -> String {
        let name = |key: &ContextRowKey| match key {
            ContextRowKey::Block(event, _) => char::from(u8::try_from(event.at()).unwrap()),
            _ => '?',
        };
        let mark = |change| match change {
            DiffChange::Same => '=',
            DiffChange::Added => '+',
            DiffChange::Removed => '-',
            DiffChange::Changed => '~',
        };
        let one = |pair: &RowPair| {
            let key = pair.b.map_or_else(|| &a[pair.a.unwrap()].0, |at| &b[at].0);
            format!("{}{}", mark(pair.change), name(key))
        };
        pairs.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    fn check(a: &str, b: &str, expected: &str) {
        let (a, b) = (list(a), list(b));
        assert_eq!(spell(&pair_rows(&a, &b), &a, &b), expected);
    }

    #[test]
    fn every_way_to_differ_has_its_row() {
        for (a, b, expected) in [
            ("a b c", "a b c", "=a =b =c"),
            ("a b c", "a -b c", "=a -b =c"),
            ("a -b c", "a b c", "=a +b =c"),
            ("a b c", "a ~b c", "=a ~b =c"),
            ("a ~b c", "a ~b c", "=a =b =c"),
            ("a ~b c", "a -b c", "=a -b =c"),
            ("a -b", "a -b", "=a"),
            ("a", "a b", "=a +b"),
            ("a -b", "a c", "=a +c"),
            ("", "a", "+a"),
            ("a", "", "-a"),
            ("", "", ""),
        ] {
            check(a, b, expected);
        }
    }

    #[test]
    fn what_moved_is_gone_here_and_new_there() {
        check("a b c", "c a b", "+c =a =b -c");
        check("s a b c", "s c a b", "=s +c =a =b -c");
        check("a b", "b a", "+b =a -b");
    }

    proptest::proptest! {
        /// The rows contain both lists in their order, and nothing twice.
        #[test]
        fn rows_are_both_lists(
            a in proptest::collection::vec((0usize..24, 0u8..3), 0..20),
            b in proptest::collection::vec((0usize..24, 0u8..3), 0..20),
        ) {
            let list = |spelled: Vec<(usize, u8)>| {
                let mut seen = std::collections::BTreeSet::new();
                let fresh = spelled.into_iter().filter(|(name, _)| seen.insert(*name));
                fresh.map(|(name, sent)| (ContextRowKey::Block(EventIdx::new(name), 0), match sent {
                    0 => SentText::Nothing,
                    1 => SentText::Whole,
                    _ => SentText::Placeholder(Placeholder::Cleared),
                })).collect::<Vec<_>>()
            };
            let (a, b) = (list(a), list(b));
            let pairs = pair_rows(&a, &b);
            let sent = |list: &[(ContextRowKey, SentText<'_>)]| -> Vec<usize> {
                (0..list.len()).filter(|at| list[*at].1 != SentText::Nothing).collect()
            };
            let of_a: Vec<usize> = pairs.iter().filter_map(|pair| pair.a).filter(|at| a[*at].1 != SentText::Nothing).collect();
            let of_b: Vec<usize> = pairs.iter().filter_map(|pair| pair.b).filter(|at| b[*at].1 != SentText::Nothing).collect();
            proptest::prop_assert_eq!(of_a, sent(&a));
            proptest::prop_assert_eq!(of_b, sent(&b));
            for pair in &pairs {
                if let (Some(in_a), Some(in_b)) = (pair.a, pair.b) {
                    proptest::prop_assert_eq!(&a[in_a].0, &b[in_b].0);
                    proptest::prop_assert_eq!(pair.change == DiffChange::Same, a[in_a].1 == b[in_b].1);
                }
            }
        }
    }
}
