//! Feature weights, in sixteenths. `make fit` writes the table.

use strum::EnumCount;

use super::contents::CONTENTS;
use super::depend::EdgeFeature;
use super::feature::{StartFeature, TurnFeature};

/// Length buckets: up to 1, 2, 3, 4, 6, 9, 14, 22, 35 turns, and more.
pub const LENGTHS: usize = 10;

/// Labels are 0 none, 1 exploration, 2 act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights {
    pub start: [[i32; 3]; StartFeature::COUNT],
    pub turn: [[i32; 2]; TurnFeature::COUNT],
    /// By previous label and label; the last row is the session's start.
    pub after: [[i32; 3]; 4],
    /// By label and length bucket.
    pub lengths: [[i32; LENGTHS]; 3],
    /// By label and content kind.
    pub contents: [[i32; CONTENTS]; 3],
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

    pub(super) fn transition_weight(&self, before: Option<usize>, label: usize) -> i32 {
        const NEVER: i32 = -100_000;
        if before == Some(0) && label == 0 {
            return NEVER;
        }
        self.after[before.unwrap_or(3)][label]
    }
}
