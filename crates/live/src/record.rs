//! Log records of decisions: the difference to the previous decision, or all of it.

use std::collections::BTreeMap;

use cwl_inspect::{EvictedPart, MessageEdit};

use crate::protocol::{DecisionRecord, RecordedText, ReplacedPart};
use crate::sorted_cursor::SortedCursor;

type ListPart = (usize, u32);

/// State after a decision: evicted parts, placeholders and inserted texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct EvictedState {
    gone: Vec<ListPart>,
    replaced: BTreeMap<ListPart, &'static str>,
    inserted: BTreeMap<usize, Vec<String>>,
}

impl EvictedState {
    pub(crate) fn from_edits(edits: &[MessageEdit], evicted: &[EvictedPart]) -> Self {
        let mut state = Self::default();
        let mut edited = BTreeMap::new();
        for edit in edits {
            match edit {
                MessageEdit::Change { message, parts } => {
                    for part in parts {
                        if let Some(text) = part.replaced_by {
                            edited.insert((*message, part.part), text);
                        }
                    }
                }
                MessageEdit::Insert { before, text } => {
                    state.inserted.entry(before.message).or_default().push(text.clone());
                }
                MessageEdit::Remove { .. } | MessageEdit::Join { .. } => {}
            }
        }
        for part in evicted.iter().map(|part| (part.place.message, part.place.part)) {
            if !edited.contains_key(&part) {
                state.gone.push(part);
            }
        }
        state.replaced = edited;
        state
    }

    /// Returns the difference to the state `before`; everything if `before` is `None`.
    pub(crate) fn record_since(
        &self,
        before: Option<&Self>,
        n_messages: usize,
        overhead: u64,
    ) -> DecisionRecord {
        let nothing = Self::default();
        let whole = before.is_none();
        let before = before.unwrap_or(&nothing);
        let mut gone_before = before.gone_cursor();
        let evicted = self.gone.iter().filter(|part| !gone_before.finds(part)).copied().collect();
        let restored = self.sent_among(before.gone.iter()).chain(self.sent_among(before.replaced.keys()));
        let restored = restored.copied().collect();
        let is_new = |(part, text): &(&ListPart, &&str)| before.replaced.get(*part) != Some(*text);
        let replaced = self.replaced.iter().filter(is_new).map(|(&(message, part), text)| ReplacedPart {
            message,
            part,
            text: (*text).to_owned(),
        });
        // Texts at one place are ordered, so if one differs the whole place is recorded again.
        let inserted = self.inserted.iter().filter(|(at, texts)| before.inserted.get(at) != Some(texts));
        let removed = before.inserted.iter().filter(|(at, texts)| self.inserted.get(at) != Some(texts));
        DecisionRecord {
            whole,
            overhead,
            evicted,
            restored,
            replaced: replaced.collect(),
            inserted: inserted
                .flat_map(|(at, texts)| {
                    let before = Some(*at).filter(|at| *at < n_messages);
                    texts.iter().map(move |text| RecordedText { before, text: text.clone() })
                })
                .collect(),
            removed: removed.flat_map(|(_, texts)| texts.clone()).collect(),
        }
    }

    /// Returns those of the sorted `parts` that are neither evicted nor replaced.
    fn sent_among<'a>(
        &'a self,
        parts: impl Iterator<Item = &'a ListPart>,
    ) -> impl Iterator<Item = &'a ListPart> {
        let mut gone = self.gone_cursor();
        parts.filter(move |part| !gone.finds(part) && !self.replaced.contains_key(part))
    }

    fn gone_cursor(&self) -> SortedCursor<'_, ListPart, ListPart> {
        SortedCursor::new(&self.gone, |part| *part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_what_left_the_request_and_what_is_back() {
        let state = |gone: &[usize], replaced: &[usize]| EvictedState {
            gone: gone.iter().map(|at| (*at, 0)).collect(),
            replaced: replaced.iter().map(|at| ((*at, 0), "cleared")).collect(),
            inserted: BTreeMap::new(),
        };
        let check = |before: &EvictedState, now: &EvictedState, evicted: &[usize], restored: &[usize]| {
            let record = now.record_since(Some(before), 9, 0);
            let messages = |parts: &[ListPart]| parts.iter().map(|(message, _)| *message).collect::<Vec<_>>();
            assert_eq!(
                (messages(&record.evicted), messages(&record.restored)),
                (evicted.into(), restored.into())
            );
        };
        check(&state(&[], &[]), &state(&[1, 4], &[]), &[1, 4], &[]);
        check(&state(&[1, 4], &[]), &state(&[1, 4], &[]), &[], &[]);
        check(&state(&[1, 4], &[2, 6]), &state(&[2, 4], &[]), &[2], &[1, 6]);
        check(&state(&[1], &[]), &state(&[], &[1]), &[], &[]);
    }
}
