//! Tables `build`, `episode` and `dependency`: the episode graph of a log.

use std::sync::Arc;

use cwl_engine::{EpisodeKind, EpisodeName, EpisodeState};
use rusqlite::{Connection, OptionalExtension, params};

use super::block::BlockPlace;
use super::small;
use super::source::SourceId;
use crate::error::Fault;

/// An episode, with its blocks named by their places in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpisodeRow {
    /// Its name as shown.
    pub name: EpisodeName,
    /// Its kind.
    pub kind: EpisodeKind,
    /// Where it is in its life.
    pub state: EpisodeState,
    /// True when the start of the next one closed it.
    pub cut_off: bool,
    /// Its first block.
    pub start: BlockPlace,
    /// The call that closed it, where one did.
    pub end: Option<BlockPlace>,
    /// Its blocks.
    pub n_blocks: u32,
    /// The first turn whose request holds a block of it.
    pub first_turn: u32,
    /// The first turn at which it is closed.
    pub closed_turn: Option<u32>,
    /// The findings of an exploration.
    pub description: Option<Arc<str>>,
    /// The dependencies of an act, in declared order.
    pub dependencies: Vec<DependencyRow>,
}

/// A declared dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyRow {
    /// The name as declared.
    pub declared: EpisodeName,
    /// The position of the exploration among the episodes; `None` where the edge was dropped.
    pub upon: Option<u32>,
}

/// Which rules made the derived rows of a log, and from how much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Build {
    pub(crate) id: i64,
    pub(crate) version: u32,
    pub(crate) n_events: u32,
}

/// Returns the build that counts.
pub(crate) fn current(db: &Connection, source: SourceId) -> Result<Option<Build>, Fault> {
    let build = db
        .prepare_cached("SELECT id, version, n_events FROM build WHERE source_id = ?1 AND current = 1")?
        .query_row([source.0], |row| {
            Ok(Build { id: row.get(0)?, version: row.get(1)?, n_events: row.get(2)? })
        })
        .optional()?;
    Ok(build)
}

/// Writes the episodes of a build and what they declare.
pub(crate) fn save(db: &Connection, build_id: i64, episodes: &[EpisodeRow]) -> Result<(), Fault> {
    let mut save_episode = db.prepare_cached(
        "INSERT INTO episode (build_id, idx, name, kind, state, cut_off, start_seq, start_part, end_seq, end_part,
           n_blocks, first_turn, closed_turn, description)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?;
    let mut save_dependency = db.prepare_cached(
        "INSERT INTO dependency (build_id, action, place, name, upon) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (idx, episode) in episodes.iter().enumerate() {
        let idx = small(idx)?;
        let state = match episode.state {
            EpisodeState::Open => "open",
            EpisodeState::Closed => "closed",
            EpisodeState::Vanished => "vanished",
        };
        save_episode.execute(params![
            build_id,
            idx,
            episode.name.as_str(),
            episode.kind.name(),
            state,
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
            save_dependency.execute(params![build_id, idx, small(place)?, name, dependency.upon])?;
        }
    }
    Ok(())
}

/// Returns the episodes of a build in start order.
pub(crate) fn load(db: &Connection, build_id: i64) -> Result<Vec<EpisodeRow>, Fault> {
    let mut statement = db.prepare_cached(
        "SELECT idx, name, kind, state, cut_off, start_seq, start_part, end_seq, end_part, n_blocks, first_turn,
           closed_turn, description FROM episode WHERE build_id = ?1 ORDER BY idx",
    )?;
    let mut rows = statement.query([build_id])?;
    let mut episodes: Vec<EpisodeRow> = Vec::new();
    while let Some(row) = rows.next()? {
        let idx: u32 = row.get(0)?;
        let damaged = |what: &str| Fault::Damaged(format!("episode {idx} of build {build_id}: {what}"));
        if idx as usize != episodes.len() {
            return Err(damaged("a gap before it"));
        }
        let kind = match row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)? {
            "expl" => EpisodeKind::Exploratory,
            "act" => EpisodeKind::Action,
            "unannotated" => EpisodeKind::Unannotated,
            _ => return Err(damaged("an unknown kind")),
        };
        let state = match row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)? {
            "open" => EpisodeState::Open,
            "closed" => EpisodeState::Closed,
            "vanished" => EpisodeState::Vanished,
            _ => return Err(damaged("an unknown state")),
        };
        let end = match row.get::<_, Option<u32>>(7)? {
            Some(seq) => Some(BlockPlace { seq, part: row.get(8)? }),
            None => None,
        };
        episodes.push(EpisodeRow {
            name: EpisodeName::new(row.get::<_, String>(1)?),
            kind,
            state,
            cut_off: row.get(4)?,
            start: BlockPlace { seq: row.get(5)?, part: row.get(6)? },
            end,
            n_blocks: row.get(9)?,
            first_turn: row.get(10)?,
            closed_turn: row.get(11)?,
            description: row.get(12)?,
            dependencies: Vec::new(),
        });
    }
    let mut statement = db.prepare_cached(
        "SELECT action, name, upon FROM dependency WHERE build_id = ?1 ORDER BY action, place",
    )?;
    let mut rows = statement.query([build_id])?;
    while let Some(row) = rows.next()? {
        let action: u32 = row.get(0)?;
        let dependency =
            DependencyRow { declared: EpisodeName::new(row.get::<_, String>(1)?), upon: row.get(2)? };
        match episodes.get_mut(action as usize) {
            Some(episode) => episode.dependencies.push(dependency),
            None => return Err(Fault::Damaged(format!("a dependency of no episode in build {build_id}"))),
        }
    }
    Ok(episodes)
}
