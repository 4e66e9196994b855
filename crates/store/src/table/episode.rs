//! Tables `build`, `episode` and `dependency`: a log's episode graph.

use std::sync::Arc;

use cwl_engine::{BlockPlace, EpisodeKind, EpisodeName, Life};
use rusqlite::{Connection, params};

use super::source::SourceId;
use super::to_u32;
use crate::error::Fault;
use crate::sql;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpisodeRow {
    pub name: EpisodeName,
    pub kind: EpisodeKind,
    pub state: Life,
    /// True if the next episode's start closed it.
    pub cut_off: bool,
    pub start: BlockPlace,
    pub end: Option<BlockPlace>,
    pub n_blocks: u32,
    /// First turn whose request holds one of its blocks.
    pub first_turn: u32,
    pub closed_turn: Option<u32>,
    pub description: Option<Arc<str>>,
    /// Dependencies of an act, in declared order.
    pub dependencies: Vec<DependencyRow>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyRow {
    pub declared: EpisodeName,
    /// Index of the exploration among the episodes; `None` if the edge was dropped.
    pub upon: Option<u32>,
}

pub(crate) fn current_build(db: &Connection, source: SourceId) -> Result<Option<(i64, u32)>, Fault> {
    let sql = "SELECT id, version FROM build WHERE source_id = ?1 AND current = 1";
    sql::first_row(db, sql, [source.0], |row| Ok((row.get(0)?, row.get(1)?)))
}

pub(crate) fn save_episodes(db: &Connection, build_id: i64, episodes: &[EpisodeRow]) -> Result<(), Fault> {
    let mut save_episode = db.prepare_cached(
        "INSERT INTO episode (build_id, idx, name, kind, state, cut_off, start_seq, start_part, end_seq, end_part,
           n_blocks, first_turn, closed_turn, description)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?;
    let mut save_dependency = db.prepare_cached(
        "INSERT INTO dependency (build_id, action, place, name, upon) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (idx, episode) in episodes.iter().enumerate() {
        let idx = to_u32(idx)?;
        save_episode.execute(params![
            build_id,
            idx,
            episode.name.as_str(),
            episode.kind.name(),
            <&str>::from(episode.state),
            episode.cut_off,
            episode.start.seq,
            episode.start.part,
            episode.end.map(|end| end.seq),
            episode.end.map(|end| end.part),
            episode.n_blocks,
            episode.first_turn,
            episode.closed_turn,
            episode.description.as_deref(),
        ])?;
        for (place, dependency) in episode.dependencies.iter().enumerate() {
            let name = dependency.declared.as_str();
            save_dependency.execute(params![build_id, idx, to_u32(place)?, name, dependency.upon])?;
        }
    }
    Ok(())
}
