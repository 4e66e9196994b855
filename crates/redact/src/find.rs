use std::ops::Range;

use crate::flat::Flat;
use crate::layers::Layers;
use crate::manifest::find_in_manifests;
use crate::rule::{SecretRule, SecretRules};
use crate::shape::find_shapes;

/// A secret's byte range in a text, and the kind named in its mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SecretRange {
    pub(crate) range: Range<usize>,
    pub(crate) kind: &'static str,
    pub(crate) secret: Option<u32>,
}

impl SecretRange {
    fn new(range: Range<usize>, kind: &'static str) -> Self {
        Self { range, kind, secret: None }
    }
}

/// Finds all rule matches in every layer, each with its rule's index; ranges may overlap.
pub(crate) fn find(layers: &Layers<'_>, rules: &'static SecretRules) -> Vec<(usize, SecretRange)> {
    let mut found: Vec<(usize, SecretRange)> = Vec::new();
    layers.each(|text, flat, map| {
        for at in rules.likely(text) {
            let rule = &rules.each[at];
            let mut from = 0;
            while let Some(range) = rule.next(text, &mut from) {
                found.push((at, SecretRange::new(map(range), &rule.kind)));
            }
        }
        find_shapes(text, |range| {
            found.push((rules.each.len(), SecretRange::new(map(range), "token")));
        });
        find_in_manifests(text, |range| {
            found.push((rules.each.len(), SecretRange::new(map(range), "secret")));
        });
        if flat.is_wrapped() {
            for at in rules.likely(flat.text()) {
                let rule = &rules.each[at];
                if rule.wraps {
                    across_lines(rule, flat, |range| {
                        found.push((at, SecretRange::new(map(range), &rule.kind)));
                    });
                }
            }
        }
    });
    found
}

/// Finds secrets continued after a line end. If the first part is a secret by itself, the continuation must
/// look like a token's part.
fn across_lines(rule: &SecretRule, flat: &Flat<'_>, mut each: impl FnMut(Range<usize>)) {
    let mut from = 0;
    while let Some(mut range) = rule.next(flat.text(), &mut from) {
        while let Some(wrap) = flat.last_wrap_in(&range) {
            if !rule.is_in(&flat.text()[range.start..wrap]) || continues(&flat.text()[wrap..range.end]) {
                break;
            }
            range.end = wrap;
        }
        if flat.last_wrap_in(&range).is_some() {
            each(flat.range_in_text(&range));
        }
    }
}

fn continues(tail: &str) -> bool {
    let has_digit = tail.bytes().any(|byte| byte.is_ascii_digit());
    let is_mixed =
        tail.bytes().zip(tail.bytes().skip(1)).any(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase());
    has_digit || is_mixed
}

/// Sorts the ranges and joins overlapping ones; the lowest rank decides the kind.
pub(crate) fn merged<R: Ord + Copy>(mut found: Vec<(R, SecretRange)>) -> Vec<SecretRange> {
    found.sort_by_key(|(rank, one)| (one.range.start, *rank));
    let mut joined: Vec<(R, SecretRange)> = Vec::with_capacity(found.len());
    for (rank, one) in found {
        match joined.last_mut() {
            Some((lowest, last)) if one.range.start < last.range.end => {
                last.range.end = last.range.end.max(one.range.end);
                if rank < *lowest {
                    (*lowest, last.kind, last.secret) = (rank, one.kind, one.secret);
                }
            }
            _ => joined.push((rank, one)),
        }
    }
    joined.into_iter().map(|(_, one)| one).collect()
}
