//! The effect of a change of marks, in words: memory first, cost apart, so that readers do not take a cheaper cache
//! for a better memory.

use crate::api::MarksEffectKind;
use crate::figures::{count_noun, with_commas};
use crate::measure::measured::{write_dollars, write_percent};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryAndCost {
    pub again_tokens: u64,
    /// Recall of references, per mille.
    pub recall: u32,
    /// Millionths of a dollar; `None` if the model has no price.
    pub cost: Option<u64>,
}

/// `is_of_words` is true if only descriptions differ.
pub fn effect_kind(before: &MemoryAndCost, now: &MemoryAndCost, is_of_words: bool) -> MarksEffectKind {
    let is_less_again = now.again_tokens < before.again_tokens;
    let is_more_again = now.again_tokens > before.again_tokens;
    let (is_higher, is_lower) = (now.recall > before.recall, now.recall < before.recall);
    match (is_less_again || is_higher, is_more_again || is_lower) {
        (true, true) => MarksEffectKind::Mixed,
        (true, false) => MarksEffectKind::Better,
        (false, true) => MarksEffectKind::Worse,
        (false, false) if is_of_words => MarksEffectKind::WordsOnly,
        (false, false) if now.cost == before.cost => MarksEffectKind::Same,
        (false, false) => MarksEffectKind::CacheOnly,
    }
}

/// `n_spared` and `n_added` count what is read again only before or only now.
pub fn effect_sentence(kind: MarksEffectKind, n_spared: usize, n_added: usize) -> String {
    let no_longer = format!("{} no longer read again", are(n_spared));
    let instead = match n_added {
        0 => String::new(),
        n => format!(", and {} read again only now", are(n)),
    };
    match kind {
        MarksEffectKind::Better if n_spared == 0 && n_added == 0 => {
            "more of what later turns use is still there".to_owned()
        }
        MarksEffectKind::Better => format!("{no_longer}{instead}"),
        MarksEffectKind::Worse if n_added == 0 => {
            "the context loses more of what later turns use".to_owned()
        }
        MarksEffectKind::Worse => format!("{} read again only now", are(n_added)),
        MarksEffectKind::Mixed => "memory is better in one way and worse in another".to_owned(),
        MarksEffectKind::CacheOnly => {
            "only the provider's cache moves: memory stays the same, so the other cost is no better annotation".to_owned()
        }
        MarksEffectKind::WordsOnly => {
            "a description keeps no block, so the replay reads the same again; whether an agent that goes by the new \
             words needs to, only a new run tells"
                .to_owned()
        }
        MarksEffectKind::Same => "nothing: the replay keeps and costs the same".to_owned(),
    }
}

pub fn memory_sentence(before: &MemoryAndCost, now: &MemoryAndCost) -> String {
    let or_same = |is_same: bool, before: String| match is_same {
        true => "as before".to_owned(),
        false => format!("{before} before"),
    };
    format!(
        "{} read again, {}; recall {} %, {}",
        count_noun(now.again_tokens, "token"),
        or_same(now.again_tokens == before.again_tokens, with_commas(before.again_tokens)),
        write_percent(now.recall),
        or_same(now.recall == before.recall, format!("{} %", write_percent(before.recall))),
    )
}

pub fn cost_sentence(before: &MemoryAndCost, now: &MemoryAndCost) -> String {
    match (before.cost, now.cost) {
        (Some(before), Some(now)) if write_dollars(before) == write_dollars(now) => {
            format!("{}, as before", write_dollars(now))
        }
        (Some(before), Some(now)) => format!("{}, {} before", write_dollars(now), write_dollars(before)),
        _ => "the model has no price".to_owned(),
    }
}

fn are(n: usize) -> String {
    format!("{} {}", count_noun(n as u64, "thing"), if n == 1 { "is" } else { "are" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(again_tokens: u64, recall: u32, cost: u64) -> MemoryAndCost {
        MemoryAndCost { again_tokens, recall, cost: Some(cost) }
    }

    #[test]
    fn memory_decides_and_cost_does_not() {
        let before = figures(815, 870, 120_000);
        let check = |now: MemoryAndCost, is_of_words: bool, expected: MarksEffectKind| {
            assert_eq!(effect_kind(&before, &now, is_of_words), expected, "{now:?}");
        };
        check(figures(514, 880, 140_000), false, MarksEffectKind::Better);
        check(figures(815, 880, 120_000), false, MarksEffectKind::Better);
        check(figures(815, 860, 10), false, MarksEffectKind::Worse);
        check(figures(900, 870, 10), true, MarksEffectKind::Worse);
        check(figures(514, 860, 120_000), false, MarksEffectKind::Mixed);
        check(figures(815, 870, 90_000), false, MarksEffectKind::CacheOnly);
        check(figures(815, 870, 90_000), true, MarksEffectKind::WordsOnly);
        check(before, false, MarksEffectKind::Same);
    }

    #[test]
    fn memory_and_cost_have_a_sentence_each() {
        let before = figures(815, 870, 120_000);
        let check = |now: MemoryAndCost, memory: &str, cost: &str| {
            assert_eq!((&*memory_sentence(&before, &now), &*cost_sentence(&before, &now)), (memory, cost));
        };
        check(
            figures(1, 881, 110_000),
            "1 token read again, 815 before; recall 88.1 %, 87.0 % before",
            "$0.11, $0.12 before",
        );
        check(before, "815 tokens read again, as before; recall 87.0 %, as before", "$0.12, as before");
        check(
            MemoryAndCost { cost: None, ..before },
            "815 tokens read again, as before; recall 87.0 %, as before",
            "the model has no price",
        );
        assert_eq!(
            effect_sentence(MarksEffectKind::Better, 2, 1),
            "2 things are no longer read again, and 1 thing is read again only now"
        );
    }
}
