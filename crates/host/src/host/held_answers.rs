//! The answers that pages hold, so that a page that follows a log gets only what differs.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex};

use cwl_inspect::commands::columns::{AnswerBase, ColumnAnswer};
use cwl_inspect::recent::lock_unpoisoned;

/// Pages that follow at once. A page beyond these gets whole answers.
const PAGES: usize = 4;

/// The last numbered answers. A page asks with the number of the answer it holds.
#[derive(Debug)]
pub(crate) struct HeldAnswers(Mutex<NumberedAnswers>);

#[derive(Debug)]
struct NumberedAnswers {
    last: u32,
    answers: VecDeque<(u32, Arc<ColumnAnswer>)>,
}

impl Default for HeldAnswers {
    fn default() -> Self {
        // A page outlives its host, so two hosts must not give equal numbers.
        let bits = RandomState::new().hash_one(0).to_le_bytes();
        let last = u32::from_le_bytes([bits[0], bits[1], bits[2], bits[3]]);
        Self(Mutex::new(NumberedAnswers { last, answers: VecDeque::new() }))
    }
}

impl HeldAnswers {
    /// Encodes `answer` for a page that holds the answer numbered `base`, or for one that holds none (`Some(0)`) and will ask
    /// again. With `None` the page will not, and the answer gets no number.
    pub(crate) fn encode(&self, answer: ColumnAnswer, base: Option<u32>) -> Vec<u8> {
        let Some(base) = base else { return answer.encode(None, None) };
        let answer = Arc::new(answer);
        let (number, held) = lock_unpoisoned(&self.0).exchange(base, &answer);
        let held = held.as_deref().map(|answer| AnswerBase { number: base, answer });
        answer.encode(Some(number), held)
    }
}

impl NumberedAnswers {
    /// Takes the answer numbered `base` out and puts `answer` in. Returns the new number, and the old answer if it is known.
    fn exchange(&mut self, base: u32, answer: &Arc<ColumnAnswer>) -> (u32, Option<Arc<ColumnAnswer>>) {
        let at = self.answers.iter().position(|(number, _)| *number == base);
        let held = at.and_then(|at| self.answers.remove(at)).map(|(_, answer)| answer);
        self.last = self.last.checked_add(1).unwrap_or(1);
        self.answers.push_back((self.last, Arc::clone(answer)));
        while self.answers.len() > PAGES {
            self.answers.pop_front();
        }
        (self.last, held)
    }
}
