//! Parts that go from one request to the next, by reason.

use std::collections::BTreeMap;

use cwl_engine::{Action, EvictionLevel};
use cwl_host::api::{LiveEviction, LivePreview};
use cwl_host::{count_noun, with_commas};
use cwl_inspect::{EvictedPart, EvictionReason, PartPlace};

use crate::checked::CheckedDecision;
use crate::sorted_cursor::SortedCursor;

/// Reasons listed for a request; the others are added up.
const REASONS_LISTED: usize = 20;

/// Sorted by place, each with its tokens.
#[derive(Debug, Clone, Default)]
pub struct EvictedParts(Vec<(PartPlace, u64)>);

impl EvictedParts {
    pub fn from_evicted(evicted: &[EvictedPart]) -> Self {
        let mut parts: Vec<_> = evicted.iter().map(|part| (part.place, part.tokens)).collect();
        parts.sort_unstable_by_key(|(place, _)| *place);
        Self(parts)
    }

    /// Returns those of `evicted`, sorted by place, that are not among these parts.
    pub fn filter_new<'a>(&'a self, evicted: &'a [EvictedPart]) -> impl Iterator<Item = &'a EvictedPart> {
        let mut known = self.cursor();
        evicted.iter().filter(move |part| !known.finds(&part.place))
    }

    /// Returns the number and the tokens of parts that `other` does not have.
    pub fn beyond(&self, other: &Self) -> (usize, u64) {
        let mut others = other.cursor();
        let only = self.0.iter().filter(|(place, _)| !others.finds(place));
        only.fold((0, 0), |(n, sum), (_, tokens)| (n + 1, tokens.saturating_add(sum)))
    }

    fn cursor(&self) -> SortedCursor<'_, (PartPlace, u64), PartPlace> {
        SortedCursor::new(&self.0, |(place, _)| *place)
    }
}

/// Describes what a request would lose and get back if `then` had been decided instead of `now`.
pub fn describe_effect(now: &CheckedDecision, then: &CheckedDecision) -> LivePreview {
    let (left_now, left_then) =
        (EvictedParts::from_evicted(&now.evicted), EvictedParts::from_evicted(&then.evicted));
    let (parts_lost, tokens_lost) = left_then.beyond(&left_now);
    let (parts_back, tokens_back) = left_now.beyond(&left_then);
    let lost = format!("{} ({} tokens)", count_noun(parts_lost, "part"), with_commas(tokens_lost));
    let back = format!("{} ({} tokens)", count_noun(parts_back, "part"), with_commas(tokens_back));
    let says = match (&then.passes, parts_lost, parts_back) {
        (Some(reason), ..) => format!("the next request would go with all of its messages: {reason}"),
        (None, 0, 0) => "the next request would lose nothing".to_owned(),
        (None, _, 0) => format!("the next request would lose {lost}"),
        (None, 0, _) => format!("the next request would get back {back}"),
        (None, ..) => format!("the next request would lose {lost} and get back {back}"),
    };
    LivePreview {
        refusal: None,
        sent_in_force: now.figures.sent,
        sent: then.figures.sent,
        parts_lost: u32::try_from(parts_lost).unwrap_or(u32::MAX),
        tokens_lost,
        parts_back: u32::try_from(parts_back).unwrap_or(u32::MAX),
        tokens_back,
        says,
    }
}

pub fn group_by_reason<'a>(parts: impl Iterator<Item = &'a EvictedPart>) -> Vec<LiveEviction> {
    let mut groups: Vec<LiveEviction> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for part in parts {
        let says = describe_reason(part);
        let at = *known.entry(says.clone()).or_insert(groups.len());
        if at == groups.len() {
            groups.push(LiveEviction { says, parts: 0, tokens: 0 });
        }
        groups[at].parts += 1;
        groups[at].tokens = groups[at].tokens.saturating_add(part.tokens);
    }
    if groups.len() > REASONS_LISTED {
        let others = groups.split_off(REASONS_LISTED - 1);
        groups.push(LiveEviction {
            says: format!("{} other reasons", others.len()),
            parts: others.iter().map(|group| group.parts).sum(),
            tokens: others.iter().map(|group| group.tokens).fold(0, u64::saturating_add),
        });
    }
    groups
}

fn describe_reason(part: &EvictedPart) -> String {
    let episode = part.episode.as_ref().map_or("no episode", |name| name.as_str());
    match part.reason {
        EvictionReason::ReasoningApart => "reasoning whose reply is gone".to_owned(),
        EvictionReason::ArrivedStripped { level } => {
            format!("{} of {episode}, which came after the episode had lost the like", level_words(level))
        }
        EvictionReason::Step { action, .. } => match action {
            Action::Fold => format!("{episode}, folded"),
            Action::DropTurn => "the oldest turns".to_owned(),
            Action::Clear => "old outputs, cleared; their calls stay".to_owned(),
            Action::Dedupe => "outputs that a newer one repeats".to_owned(),
            Action::Supersede => "outputs that were read or written again later".to_owned(),
            Action::Shell => format!("shell commands of {episode}"),
            Action::Read => format!("reads of {episode}"),
            Action::Reasoning | Action::BulkOutput | Action::Intermediate | Action::Remove => {
                format!("{} of {episode}", action.level().map_or("parts", level_words))
            }
            // Live use has no policy with summaries.
            Action::Summarise | Action::PageOut | Action::PageIn => "summarised turns".to_owned(),
        },
    }
}

fn level_words(level: EvictionLevel) -> &'static str {
    match level {
        EvictionLevel::Reasoning => "reasoning",
        EvictionLevel::BulkOutput => "search output",
        EvictionLevel::Intermediate => "reads and commands",
        EvictionLevel::WholeEpisode => "the rest",
    }
}

#[cfg(test)]
mod tests {
    use cwl_engine::TurnIdx;

    use super::*;

    fn part(message: usize, action: Action) -> EvictedPart {
        EvictedPart {
            place: PartPlace { message, part: 0 },
            tokens: 10,
            episode: Some("look".into()),
            reason: EvictionReason::Step { action, turn: TurnIdx::FIRST, number: 1 },
        }
    }

    #[test]
    fn parts_of_one_reason_are_one_line() {
        let parts = [part(1, Action::BulkOutput), part(2, Action::Remove), part(3, Action::BulkOutput)];
        let told: Vec<(String, u32, u64)> =
            group_by_reason(parts.iter()).into_iter().map(|one| (one.says, one.parts, one.tokens)).collect();
        assert_eq!(
            told,
            [("search output of look".to_owned(), 2, 20), ("the rest of look".to_owned(), 1, 10)]
        );
    }

    #[test]
    fn reasons_without_end_are_added_up() {
        let parts: Vec<EvictedPart> = (0..50)
            .map(|at| EvictedPart {
                episode: Some(format!("e{at}").as_str().into()),
                ..part(at, Action::Remove)
            })
            .collect();
        let groups = group_by_reason(parts.iter());
        assert_eq!((groups.len(), groups.iter().map(|one| one.parts).sum::<u32>()), (REASONS_LISTED, 50));
        assert_eq!(groups[REASONS_LISTED - 1].says, "31 other reasons");
    }

    #[test]
    fn parts_that_a_request_evicts_first() {
        let check = |before: &[usize], now: &[usize], expected: &[usize]| {
            let parts = |at: &[usize]| at.iter().map(|at| part(*at, Action::Remove)).collect::<Vec<_>>();
            let (before, now) = (EvictedParts::from_evicted(&parts(before)), parts(now));
            let new: Vec<usize> = before.filter_new(&now).map(|part| part.place.message).collect();
            assert_eq!(new, expected);
        };
        check(&[], &[1, 2], &[1, 2]);
        check(&[1, 3], &[1, 2, 3, 4], &[2, 4]);
        check(&[2, 9], &[3], &[3]);
    }

    #[test]
    fn what_one_request_has_beyond_another() {
        let evicted = |at: &[usize]| {
            let parts: Vec<EvictedPart> = at.iter().map(|at| part(*at, Action::Remove)).collect();
            EvictedParts::from_evicted(&parts)
        };
        assert_eq!(evicted(&[1, 2, 3]).beyond(&evicted(&[2])), (2, 20));
        assert_eq!(evicted(&[]).beyond(&evicted(&[2])), (0, 0));
        assert_eq!(evicted(&[5, 9]).beyond(&evicted(&[1, 5, 7])), (1, 10));
    }
}
