//! Weights: how much each feature counts, in sixteenths. `make fit` writes the table.

use strum::EnumCount;

use super::contents::CONTENTS;
use super::depend::EdgeFeature;
use super::feature::{StartFeature, TurnFeature};

/// Buckets of lengths: at most 1, 2, 3, 4, 6, 9, 14, 22, 35 turns, and more.
pub const LENGTHS: usize = 10;

/// The weights by which a session is divided. Labels are 0 none, 1 an exploration, 2 an act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights {
    /// By feature of a start and by label.
    pub start: [[i32; 3]; StartFeature::COUNT],
    /// By feature of a turn, for an exploration and for an act.
    pub turn: [[i32; 2]; TurnFeature::COUNT],
    /// By the label before (first index) and the label (second); the last row is the session's start.
    pub after: [[i32; 3]; 4],
    /// By label and length.
    pub lengths: [[i32; LENGTHS]; 3],
    /// By label and kind of contents of a stretch.
    pub contents: [[i32; CONTENTS]; 3],
    /// By feature of an edge.
    pub edge: [i32; EdgeFeature::COUNT],
}

impl Weights {
    pub(super) fn of_start(&self, features: &[StartFeature]) -> [i32; 3] {
        let mut sum = [0; 3];
        for feature in features {
            for (sum, weight) in sum.iter_mut().zip(&self.start[*feature as usize]) {
                *sum += weight;
            }
        }
        sum
    }

    pub(super) fn of_turn(&self, features: &[TurnFeature]) -> [i32; 3] {
        let mut sum = [0; 3];
        for feature in features {
            let [exploration, act] = self.turn[*feature as usize];
            sum[1] += exploration;
            sum[2] += act;
        }
        sum
    }

    /// Returns the weight of a label behind another one; two stretches without an episode are one.
    pub(super) fn transition_weight(&self, before: Option<usize>, label: usize) -> i32 {
        const NEVER: i32 = -100_000;
        if before == Some(0) && label == 0 {
            return NEVER;
        }
        self.after[before.unwrap_or(3)][label]
    }
}
