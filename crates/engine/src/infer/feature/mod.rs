//! Features: evidence for or against an episode's start at a turn, and for a turn's kind of work.
//!
//! A feature is present or absent; its weight is a table row. A turn's features look at most [`AHEAD`] turns
//! ahead and [`BEHIND`] turns back, so new turns change only the last ones.

mod names;
mod start;
mod turn;

use alloc::vec::Vec;

use super::class::{Class, Classes};
use super::contents::TurnContent;
use super::facts::FileFact;
use super::turns::TurnFacts;
pub use names::{StartFeature, TurnFeature};

pub(super) const AHEAD: usize = 12;
pub(super) const BEHIND: usize = 40;

pub(super) struct TurnStretch<'a> {
    turns: &'a [TurnFacts],
    classes: &'a Classes,
}

struct FeatureList<F>(Vec<F>);

impl<F> FeatureList<F> {
    fn add_if(&mut self, feature: F, is: bool) {
        if is {
            self.0.push(feature);
        }
    }
}

impl<'a> TurnStretch<'a> {
    pub(super) fn new(turns: &'a [TurnFacts], classes: &'a Classes) -> Self {
        Self { turns, classes }
    }

    fn class_at(&self, at: usize) -> Class {
        self.classes.all[at]
    }

    pub(super) fn content_at(&self, at: usize) -> TurnContent {
        TurnContent::from_class(self.class_at(at), self.by_subagent(at))
    }

    fn by_subagent(&self, at: usize) -> bool {
        let from = at.saturating_sub(BEHIND);
        let mut run = (from..=at).rev().take_while(|at| {
            let class = self.class_at(*at);
            class == Class::Delegate || class.is_aside()
        });
        self.class_at(at) == Class::Delegate && run.any(|at| self.turns[at].delegates_writing)
    }

    fn is_human(&self, at: usize) -> bool {
        at == 0 || self.turns[at].human.is_some()
    }

    fn class_before(&self, at: usize) -> Option<(usize, Class)> {
        let from = at.saturating_sub(BEHIND);
        (from..at).rev().map(|at| (at, self.class_at(at))).find(|(_, class)| !class.is_aside())
    }

    fn class_from(&self, at: usize) -> Option<Class> {
        let end = self.request_end(at);
        (at..end).map(|at| self.class_at(at)).find(|class| !class.is_aside())
    }

    fn request_end(&self, at: usize) -> usize {
        let end = self.turns.len().min(at + AHEAD);
        (at + 1..end).find(|at| self.is_human(*at)).unwrap_or(end)
    }

    fn request_start(&self, at: usize) -> usize {
        (at.saturating_sub(BEHIND)..=at)
            .rev()
            .find(|at| self.is_human(*at))
            .unwrap_or(at.saturating_sub(BEHIND))
    }

    /// Counts the looking turns right before `at`, back to the last human message. Turns about tasks are
    /// skipped.
    fn looks_before(&self, at: usize) -> usize {
        let mut n = 0;
        let mut here = at;
        while here > at.saturating_sub(BEHIND) && !self.is_human(here) {
            here -= 1;
            match self.class_at(here) {
                Class::Tasks => {}
                class if class.is_look() => n += 1,
                _ => break,
            }
        }
        n
    }

    fn looks_from(&self, at: usize) -> (usize, u32) {
        let (mut n, mut n_calls) = (0, 0);
        for here in at..self.request_end(at) {
            match self.class_at(here) {
                Class::Tasks => {}
                class if class.is_look() => {
                    n += 1;
                    n_calls += u32::from(self.turns[here].n_looks);
                }
                _ => break,
            }
        }
        (n, n_calls)
    }

    fn names_between(&self, from: usize, to: usize, of: impl Fn(&TurnFacts) -> &Vec<FileFact>) -> Vec<u32> {
        let mut names: Vec<u32> =
            self.turns[from..to.min(self.turns.len())].iter().flat_map(&of).map(|file| file.name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn folders_between(&self, from: usize, to: usize, of: impl Fn(&TurnFacts) -> &Vec<FileFact>) -> Vec<u32> {
        let turns = &self.turns[from..to.min(self.turns.len())];
        let folders = turns.iter().flat_map(&of).map(|file| file.folder).filter(|folder| *folder != 0);
        let mut folders: Vec<u32> = folders.collect();
        folders.sort_unstable();
        folders.dedup();
        folders
    }

    /// Returns the share of words, per mille, that the four turns from `at` on have in common with the four
    /// before.
    fn words_shared(&self, at: usize) -> Option<usize> {
        let words = |from: usize, to: usize| {
            let mut words: Vec<u32> = self.turns[from..to.min(self.turns.len())]
                .iter()
                .flat_map(|turn| &turn.words)
                .copied()
                .collect();
            words.sort_unstable();
            words.dedup();
            words
        };
        let (before, behind) = (words(at.saturating_sub(4), at), words(at, at + 4));
        let least = before.len().min(behind.len());
        (least >= 8).then(|| 1000 * n_shared(&before, &behind) / least)
    }
}

pub(super) fn n_shared(one: &[u32], other: &[u32]) -> usize {
    let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
    few.iter().filter(|value| many.binary_search(value).is_ok()).count()
}
