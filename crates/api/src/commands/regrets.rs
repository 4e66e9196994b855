//! Regret: which episodes a policy evicted too early, as the log shows.

use std::collections::BTreeMap;

use cwl_engine::{BlockIdx, EpisodeIdx, TurnIdx};

use crate::ApiError;
use crate::dto::{RegretDto, RegretsDto, ViewRequest};
use crate::figures::small;
use crate::measure::opened::Opened;

/// Returns the episodes of which something was read again after a view's policy had evicted it.
pub fn regrets(opened: &Opened, request: &ViewRequest) -> Result<RegretsDto, ApiError> {
    let run = opened.run(&request.view)?;
    let graph = &run.branch.growth.graph;
    let mut found: BTreeMap<EpisodeIdx, (u32, TurnIdx, TurnIdx)> = BTreeMap::new();
    for (at, absence) in opened.absences(&run)?.iter().enumerate() {
        let (Some(gone), Some(again)) = (absence.first, absence.again) else { continue };
        let Some(episode) = graph.owner(BlockIdx::new(at)) else { continue };
        let row = found.entry(episode).or_insert((0, gone, again));
        *row = (row.0 + 1, row.1.min(gone), row.2.min(again));
    }
    let regrets = found.into_iter().map(|(episode, (n_blocks, gone, again))| RegretDto {
        episode: small(episode.at()),
        n_blocks,
        gone_turn: gone.number(),
        again_turn: again.number(),
    });
    Ok(RegretsDto { revision: opened.revision(), regrets: regrets.collect() })
}
