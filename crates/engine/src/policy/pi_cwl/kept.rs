//! Explains kept blocks under `pi-cwl`, by segments rather than the graph.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::columns::{NONE, SegmentColumns};
use super::segment::{Event, Events, NameNumber, Segments};
use crate::{BlockIdx, EpisodeIdx, EpisodeName, KeptReason, Presence, ReplayInput, StateAt, Subject};

/// Explains every block. If segments overlap, the one that ended last counts.
pub(in crate::policy) fn kept_reasons(input: &ReplayInput<'_>, state: &StateAt) -> Vec<KeptReason> {
    let (session, graph) = (input.session, &input.growth.graph);
    let columns = SegmentColumns::new(session, input.growth);
    let events = Events::from_columns(&columns, input.options.delimiter);
    let mut segments = Segments::new(events.names.len(), session.messages.len());
    let mut holders = alloc::vec![NONE; session.messages.len()];
    let in_history =
        |block: &BlockIdx| !matches!(state.presence(*block), Presence::Absent | Presence::Dropped(_));
    for result in events.event_results().filter(in_history) {
        let Some(event) = events.event_at(result) else { continue };
        if let Event::Start { name, is_act, lists } | Event::Whole { name, is_act, lists } = event {
            segments.begin_segment(*name, *is_act, result);
            for on in &events.listed[lists.clone()] {
                segments.link_names(*name, *on);
            }
        }
        let Some(ended) = event.ending_segment() else { continue };
        if let Some(number) = segments.end_segment(ended, result, &columns) {
            let range = segments.all[number as usize].message_range(&columns, result);
            holders[range].fill(number);
        }
    }
    let went: BTreeSet<Option<&str>> = state
        .taken
        .iter()
        .filter_map(|step| match &step.subject {
            Subject::Segment { name, .. } => Some(name.as_ref().map(EpisodeName::as_str)),
            _ => None,
        })
        .collect();
    let starts: BTreeMap<BlockIdx, EpisodeIdx> =
        graph.episodes().map(|(idx, episode)| (episode.start, idx)).collect();
    let mut episodes: BTreeMap<NameNumber, BTreeSet<EpisodeIdx>> = BTreeMap::new();
    for segment in &segments.all {
        if let Some(idx) = starts.get(&segment.opened_by(session, input.growth)) {
            episodes.entry(segment.name).or_default().insert(*idx);
        }
    }
    let reason = |name: NameNumber| {
        let goes = |name: NameNumber| went.contains(&events.names[name as usize].map(EpisodeName::as_str));
        if goes(name) {
            return KeptReason::Eligible;
        }
        let mut waits = segments.dependents_of(name).filter(|by| !goes(*by)).peekable();
        if waits.peek().is_none() {
            return KeptReason::Eligible;
        }
        let waited_for: BTreeSet<EpisodeIdx> =
            waits.filter_map(|by| episodes.get(&by)).flatten().copied().collect();
        match waited_for.is_empty() {
            true => KeptReason::OutOfReach,
            false => KeptReason::BlockedBy(waited_for.into_iter().collect()),
        }
    };
    let reasons: Vec<KeptReason> = segments.all.iter().map(|segment| reason(segment.name)).collect();
    // An open segment extends to the last message.
    let open = segments.all.iter().filter(|segment| segment.end.is_none());
    let open_from = open.map(|segment| columns.message_of(segment.start)).min().unwrap_or(usize::MAX);
    (0..session.blocks.len())
        .map(|at| {
            let message = columns.message_of(BlockIdx::new(at));
            match holders[message] {
                NONE if message >= open_from => KeptReason::Active,
                NONE => KeptReason::OutOfReach,
                number => reasons[number as usize].clone(),
            }
        })
        .collect()
}
