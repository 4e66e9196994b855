//! Derived rows in the store: each session's episode graph and figures, for the session list and for readers
//! with an SQL shell.

use std::sync::Arc;

use cwl_engine::{TurnIdx, count_problems};
use cwl_inspect::figures::saturate_u32;
use cwl_inspect::load::read_format;
use cwl_inspect::measure::opened::{LogMetadata, SessionSnapshot};
use cwl_inspect::tables::tools::Tools;
use cwl_store::{DependencyRow, DerivedRows, EpisodeRow, SessionFigures, SourceId, SourceRow};

use crate::ApiError;
use crate::error::store_error;
use crate::machine::ThisMachine;
use crate::stored::library::Library;
use crate::stored::texts::texts_from_store;

/// The version of the rules that make derived rows; raised whenever the same log gives other rows.
pub(crate) const DERIVED_VERSION: u32 = 4;

pub(crate) fn derive_figures(
    library: &Arc<Library>,
    row: &SourceRow,
    tools: &Tools,
) -> Result<SessionFigures, ApiError> {
    let (log, problems) = library.run_read(|reader| reader.load_log(row.id))?;
    let texts = texts_from_store(library, (row.id, row.generation), log.events().len(), Vec::new());
    let about = LogMetadata {
        session: 0,
        revision: 1,
        path: row.path.clone(),
        format: read_format(&row.format)?,
        live: false,
        gone: false,
        opening: None,
        recorded: None,
    };
    let opened = SessionSnapshot::new(
        about,
        Arc::new(log),
        problems,
        texts,
        tools,
        Arc::default(),
        Arc::new(ThisMachine),
    );
    let figures = figures_of(&opened)?;
    if let Err(error) = save_derived(library, row.id, &opened, &figures) {
        // A list is told what was worked out, whether or not it can be kept.
        tracing::warn!(%error, "derived rows were not stored");
    }
    Ok(figures)
}

pub(crate) fn figures_of(opened: &SessionSnapshot) -> Result<SessionFigures, ApiError> {
    let branch = opened.current_branch();
    let (tokens, unit) = opened.next_request_size()?;
    Ok(SessionFigures {
        n_turns: saturate_u32(branch.n_answered()),
        tokens,
        tokenizer: unit.to_owned(),
        n_episodes: saturate_u32(branch.n_marked_episodes()),
        is_annotated: branch.has_episodes(),
        n_problems: count_problems(&opened.log_problems).saturating_add(count_problems(&branch.problems)),
    })
}

pub(crate) fn save_derived(
    library: &Library,
    source: SourceId,
    opened: &SessionSnapshot,
    figures: &SessionFigures,
) -> Result<(), ApiError> {
    let branch = opened.current_branch();
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
        n_events: saturate_u32(opened.log.events().len()),
        n_turns: figures.n_turns,
        tokens: figures.tokens,
        tokenizer: &figures.tokenizer,
        episodes: &episodes,
        diagnostics: &branch.problems,
    };
    library.run_write(|store| store.save_derived(source, &derived)).map(drop).map_err(store_error)?;
    Ok(())
}
