//! Contents: how much work a stretch contains, which no single turn's features show.

use alloc::vec::Vec;

use super::class::Class;

/// Number of content kinds: nothing, looks only, checks without work, then a single work turn and several,
/// each as a small or large part of the stretch.
pub const CONTENTS: usize = 7;

#[derive(Debug, Clone)]
pub struct StretchCounts {
    counts: Vec<[u32; 3]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnContent {
    Work,
    Check,
    Look,
    Nothing,
}

impl TurnContent {
    pub(super) fn from_class(class: Class, by_subagent: bool) -> Self {
        match class {
            _ if by_subagent || class.is_work() => Self::Work,
            Class::Check => Self::Check,
            _ if class.is_look() => Self::Look,
            _ => Self::Nothing,
        }
    }
}

impl StretchCounts {
    pub(super) fn count(turns: impl Iterator<Item = TurnContent>) -> Self {
        let mut counts = alloc::vec![[0; 3]];
        let mut sum = [0; 3];
        for content in turns {
            if let Some(count) = sum.get_mut(content as usize) {
                *count += 1;
            }
            counts.push(sum);
        }
        Self { counts }
    }

    pub fn content_kind(&self, first: usize, end: usize) -> usize {
        let n = |of: usize| self.counts[end][of] - self.counts[first][of];
        let (n_work, n_check, n_look) = (n(0), n(1), n(2));
        let large = usize::from(3 * n_work as usize >= end - first);
        match n_work {
            0 if n_check > 0 => 2,
            0 => usize::from(n_look > 0),
            1 => 3 + large,
            _ => 5 + large,
        }
    }
}
