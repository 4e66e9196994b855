//! Turns as a follower prints them: the request, what was taken before it, and the open episode.

use std::ops::RangeInclusive;

use crate::ApiError;
use crate::api::{EpisodeKind, TurnAnswer, ViewRequest};
use crate::commands::replay::Passes;
use crate::commands::{graph, replay};
use crate::measure::opened::SessionSnapshot;

/// Number of requests that the model has answered.
///
/// # Errors
/// If `request.view` is invalid.
pub fn n_answered(opened: &SessionSnapshot, request: &ViewRequest) -> Result<u32, ApiError> {
    Ok(opened.replay_view(&request.view)?.branch.session.last_turn().number().saturating_sub(1))
}

/// Returns a session's turns in a range, under a view; missing turns are left out.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn turns(
    opened: &SessionSnapshot,
    request: &ViewRequest,
    wanted: RangeInclusive<u32>,
) -> Result<Vec<TurnAnswer>, ApiError> {
    let (replay, graph) = (replay(opened, request)?, graph(opened, request)?);
    let passes = Passes::replay(opened, request)?;
    let of_turn = |turn: u32| {
        let at = (turn as usize).checked_sub(1)?;
        let open = graph.episodes.iter().rev().find(|episode| {
            let is_open = episode.open || episode.last_turn > turn;
            episode.first_turn <= turn && is_open && episode.kind != EpisodeKind::Unannotated
        });
        let n_steps = *replay.n_steps.get(at)?;
        Some(TurnAnswer {
            session: opened.session(),
            path: opened.about.path.clone(),
            turn,
            before: *replay.before.get(at)?,
            after: *replay.after.get(at)?,
            over_budget: replay.over_budget.binary_search(&turn).is_ok(),
            kind: open.map(|open| open.kind),
            episode: open.map(|open| open.name.clone()),
            steps: if n_steps > 0 { passes.steps_at(turn).steps } else { Vec::new() },
        })
    };
    Ok(wanted.filter_map(of_turn).collect())
}
