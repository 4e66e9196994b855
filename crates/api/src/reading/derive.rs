//! Derived rows of the store: episodes, dependencies and diagnostics, for people who look with a SQL shell.

use cwl_engine::{Growth, Session, TurnIdx};
use cwl_store::{DependencyRow, Derived, EpisodeRow, SourceId, Store, StoreError};

use crate::measure::opened::Opened;

/// The version of the rules that make derived rows; raised whenever the same log gives other rows.
const DERIVED_VERSION: u32 = 1;

/// Stores what is derived from a session: the branch that its log is on, of so many records.
pub(crate) fn save(
    store: &mut Store,
    source: SourceId,
    n_events: u32,
    session: &Session,
) -> Result<(), StoreError> {
    let (growth, diagnostics) = Growth::build(session);
    let place = |block| Opened::place_of(session, block);
    let episodes: Vec<EpisodeRow> = growth
        .graph
        .episodes
        .iter()
        .map(|episode| EpisodeRow {
            name: episode.name.clone(),
            kind: episode.kind,
            state: episode.state,
            cut_off: episode.cut_off,
            start: place(episode.start),
            end: episode.end_call.map(place),
            n_blocks: u32::try_from(episode.blocks.len()).unwrap_or(u32::MAX),
            first_turn: episode.first_turn.number(),
            closed_turn: episode.closed_turn.map(TurnIdx::number),
            description: episode.description.clone(),
            dependencies: episode
                .dependencies
                .iter()
                .map(|dependency| DependencyRow {
                    declared: dependency.declared.clone(),
                    upon: dependency.on.and_then(|on| u32::try_from(on.at()).ok()),
                })
                .collect(),
        })
        .collect();
    let derived =
        Derived { version: DERIVED_VERSION, n_events, episodes: &episodes, diagnostics: &diagnostics };
    store.save_derived(source, &derived).map(drop)
}
