//! The reasons why a block is still in a context of `pi-cwl`: by segments, not by the graph.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::columns::{Columns, NONE};
use super::segment::{Event, Events, Name, Segments};
use crate::{BlockIdx, EpisodeIdx, EpisodeName, KeptReason, Presence, ReplayInput, StateAt, Subject};

/// Tells of every block why it is still there. Where segments overlap, the one that ended last speaks.
pub(in crate::policy) fn kept(input: &ReplayInput<'_>, state: &StateAt) -> Vec<KeptReason> {
    let (session, graph) = (input.session, &input.growth.graph);
    let columns = Columns::new(session, input.growth);
    let events = Events::of(&columns, input.options.delimiter);
    let mut segments = Segments::new(events.names.len(), session.messages.len());
    let mut holders = alloc::vec![NONE; session.messages.len()];
    let in_history =
        |block: &BlockIdx| !matches!(state.presence(*block), Presence::Absent | Presence::Dropped(_));
    for result in events.results().filter(in_history) {
        let Some(event) = events.at(result) else { continue };
        if let Event::Start { name, is_act, lists } | Event::Whole { name, is_act, lists } = event {
            segments.begin(*name, *is_act, result);
            for on in &events.listed[lists.clone()] {
                segments.link(*name, *on);
            }
        }
        let Some(ended) = event.ends() else { continue };
        if let Some(number) = segments.finish(ended, result, &columns) {
            let range = segments.all[number as usize].range(&columns, result);
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
        graph.iter().map(|(idx, episode)| (episode.start, idx)).collect();
    let mut episodes: BTreeMap<Name, BTreeSet<EpisodeIdx>> = BTreeMap::new();
    for segment in &segments.all {
        if let Some(idx) = starts.get(&segment.opened_by(session, input.growth)) {
            episodes.entry(segment.name).or_default().insert(*idx);
        }
    }
    let reason = |name: Name| {
        let goes = |name: Name| went.contains(&events.names[name as usize].map(EpisodeName::as_str));
        if goes(name) {
            return KeptReason::Eligible;
        }
        let mut waits = segments.dependents(name).filter(|by| !goes(*by)).peekable();
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
    // An open segment goes on to the last message.
    let open = segments.all.iter().filter(|segment| segment.end.is_none());
    let open_from = open.map(|segment| columns.message(segment.start)).min().unwrap_or(usize::MAX);
    (0..session.blocks.len())
        .map(|at| {
            let message = columns.message(BlockIdx::new(at));
            match holders[message] {
                NONE if message >= open_from => KeptReason::Active,
                NONE => KeptReason::OutOfReach,
                number => reasons[number as usize].clone(),
            }
        })
        .collect()
}
