//! What the model would not receive at a cut: searched and sorted.

use std::collections::BTreeMap;

use cwl_engine::{BlockIdx, Fate, GoneReason};
use regex::{Regex, RegexBuilder};

use crate::dto::{EvictedDto, EvictedRequest, PREVIEW_CHARS};
use crate::item::{Row, items, rows};
use crate::opened::Opened;
use crate::{ApiError, ErrorCode};

/// Returns what the model would not receive at a cut, long texts cut.
pub fn evicted(opened: &Opened, request: &EvictedRequest) -> Result<EvictedDto, ApiError> {
    evicted_of(opened, request, PREVIEW_CHARS)
}

/// Returns what the model would not receive at a cut with its texts in full.
pub fn evicted_in_full(opened: &Opened, request: &EvictedRequest) -> Result<EvictedDto, ApiError> {
    evicted_of(opened, request, usize::MAX)
}

fn evicted_of(opened: &Opened, request: &EvictedRequest, n_chars: usize) -> Result<EvictedDto, ApiError> {
    let run = opened.run(&request.view)?;
    let moment = opened.moment(&run, request.cut)?;
    let mut gone: Vec<Row<'_>> = rows(&moment.context).filter(|row| !row.is_kept()).collect();
    if let Some(pattern) = request.grep.as_deref().filter(|pattern| !pattern.is_empty()) {
        let pattern = read_pattern(pattern)?;
        let session = &run.branch.session;
        let mut matches: BTreeMap<_, bool> = gone
            .iter()
            .filter_map(|row| match row {
                Row::Block { block, .. } => Some((Opened::place_of(session, *block), false)),
                Row::Residue { .. } | Row::Summary { .. } => None,
            })
            .collect();
        opened.texts.scan(|at, text| {
            if let Some(matched) = matches.get_mut(&at) {
                *matched = pattern.is_match(text);
            }
        })?;
        gone.retain(|row| match row {
            Row::Block { block, .. } => matches.get(&Opened::place_of(session, *block)) == Some(&true),
            Row::Residue { .. } | Row::Summary { .. } => false,
        });
    }
    let sum: u64 = gone.iter().map(|row| row.tokens(&run)).sum();
    match request.sort.as_str() {
        "" | "log" => gone.sort_by_key(block_of),
        "size" => gone.sort_by_key(|row| (std::cmp::Reverse(row.tokens(&run)), block_of(row))),
        "turn" => gone.sort_by_key(|row| (std::cmp::Reverse(when(row)), block_of(row))),
        other => {
            return Err(ApiError::new(ErrorCode::BadRequest, format!("no order `{other}`"))
                .hint("orders are log, size and turn"));
        }
    }
    let from = (request.offset as usize).min(gone.len());
    let to = from.saturating_add(request.limit as usize).min(gone.len());
    Ok(EvictedDto {
        revision: opened.revision(),
        n_items: u32::try_from(gone.len()).unwrap_or(u32::MAX),
        tokens: sum,
        items: items(opened, &run, &gone[from..to], n_chars, moment.is_met(&run))?,
    })
}

/// A pattern's automaton may not grow beyond this, bytes.
const PATTERN_LIMIT: usize = 4 << 20;

/// Reads a regular expression; one without upper case matches both cases.
fn read_pattern(text: &str) -> Result<Regex, ApiError> {
    RegexBuilder::new(text)
        .case_insensitive(!text.chars().any(char::is_uppercase))
        .size_limit(PATTERN_LIMIT)
        .dfa_size_limit(PATTERN_LIMIT)
        .build()
        .map_err(|error| {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or("not understood").trim_start_matches("error: ");
            ApiError::new(ErrorCode::BadPattern, format!("`{text}` is no regular expression ({reason})"))
                .hint("put a backslash before ( [ { . * + ? | to search for the character itself")
        })
}

fn block_of(row: &Row<'_>) -> Option<BlockIdx> {
    match row {
        Row::Block { block, .. } => Some(*block),
        Row::Residue { .. } | Row::Summary { .. } => None,
    }
}

/// When it was evicted; what no step took sorts as the earliest.
fn when(row: &Row<'_>) -> (u32, usize) {
    match row {
        Row::Block {
            fate:
                Fate::Gone(GoneReason::Evicted { turn, step, .. })
                | Fate::Masked(_, GoneReason::Evicted { turn, step, .. }),
            ..
        } => (turn.number(), *step),
        Row::Block { .. } | Row::Residue { .. } | Row::Summary { .. } => (0, 0),
    }
}
