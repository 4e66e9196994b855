//! Derived rows in the store: each session's episode graph and figures, for the session list and for readers
//! with an SQL shell.

use std::sync::Arc;

use cwl_engine::{EventLog, TurnIdx, count_problems};
use cwl_store::{DependencyRow, DerivedRows, EpisodeRow, SessionFigures, SourceId, SourceRow};
use cwl_tokens::Tokenizer;

use crate::ApiError;
use crate::asked::view::BranchKey;
use crate::figures::saturate_u32;
use crate::measure::branch::Branch;
use crate::measure::media::count_log;
use crate::measure::opened::{SessionSnapshot, places_of};
use crate::stored::counts::Counts;
use crate::stored::library::Library;
use crate::stored::texts::Texts;
use crate::tables::tools::Tools;

/// Version for the rules behind derived rows. Raise it whenever the same log would give other rows.
pub(crate) const DERIVED_VERSION: u32 = 3;
/// Tokenizer for the counts in the session list.
pub(crate) const LISTED_BY: Tokenizer = Tokenizer::O200k;

/// Computes and stores derived rows for a stored log that is not open.
pub(crate) fn derive_figures(
    library: &Arc<Library>,
    row: &SourceRow,
    tools: &Tools,
) -> Result<SessionFigures, ApiError> {
    let (log, problems) = library.run_read(|reader| reader.load_log(row.id))?;
    let texts = Texts::from_store(library, (row.id, row.generation), log.events().len(), Vec::new());
    let tokens = count_log(&log, LISTED_BY, &Counts::default(), &texts, &places_of(&log).0)?;
    let branch = Branch::build(&log, &BranchKey::CURRENT, &tools.table);
    let figures = figures_of(&branch, tokens, count_problems(&problems));
    if let Err(error) = save_derived(library, row.id, &log, &branch, tokens) {
        // The figures are returned even if they cannot be stored.
        tracing::warn!(%error, "derived rows were not stored");
    }
    Ok(figures)
}

pub(crate) fn figures_of(branch: &Branch, tokens: u64, n_problems: u64) -> SessionFigures {
    SessionFigures {
        n_turns: saturate_u32(branch.n_answered()),
        tokens,
        n_episodes: saturate_u32(branch.n_marked_episodes()),
        is_annotated: branch.has_episodes(),
        n_problems: n_problems.saturating_add(count_problems(&branch.problems)),
    }
}

/// Stores the current branch's episode graph and the log's figures.
pub(crate) fn save_derived(
    library: &Library,
    source: SourceId,
    log: &EventLog,
    branch: &Branch,
    tokens: u64,
) -> Result<(), ApiError> {
    let place = |block| SessionSnapshot::place_of(&branch.session, block);
    let graph = &branch.growth.graph;
    let episodes: Vec<EpisodeRow> = graph
        .episodes
        .iter()
        .map(|episode| EpisodeRow {
            name: episode.name.clone(),
            kind: episode.kind,
            state: episode.state,
            cut_off: episode.cut_off,
            start: place(episode.start),
            end: episode.end_call.map(place),
            n_blocks: saturate_u32(episode.blocks.len()),
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
    let derived = DerivedRows {
        version: DERIVED_VERSION,
        n_events: saturate_u32(log.events().len()),
        n_turns: saturate_u32(branch.n_answered()),
        tokens,
        tokenizer: LISTED_BY.name(),
        episodes: &episodes,
        diagnostics: &branch.problems,
    };
    library.run_write(|store| store.save_derived(source, &derived)).map(drop)?;
    Ok(())
}
