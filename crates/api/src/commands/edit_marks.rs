//! Edits of marks: the annotation of a view after some changes. Nothing is saved here.

use std::collections::HashMap;

use cwl_engine::{
    BlockIdx, DeclaredKind, Edit, EpisodeKind, EpisodeName, Session, Span, SpanEdge, TurnIdx, edited,
    spans_of,
};

use crate::asked::view::MarksKey;
use crate::asked::watch::read_block;
use crate::commands::annotate::{free_name, is_told_by_others};
use crate::dto::{EditDto, EditMarksDto, EditMarksRequest, MarkPlaceDto, MarksFileDto};
use crate::marks::{changes, marks_of, place};
use crate::measure::branch::Branch;
use crate::measure::opened::Opened;
use crate::{ApiError, ErrorCode};

/// Changes the annotation of a view.
///
/// Marks that give no episode on the branch of the view are kept as they are.
///
/// # Errors
/// Where a change cannot be made; then none is.
pub fn edit_marks(opened: &Opened, request: &EditMarksRequest) -> Result<EditMarksDto, ApiError> {
    let chosen = opened.chosen(&request.view)?;
    let branch = opened.branch(&chosen.branch)?;
    let session = &branch.session;
    let before = spans_of(session, &branch.growth, &branch.annotation);
    let mut after = before.clone();
    for edit in &request.edits {
        let edit = read_edit(&branch, edit)?;
        after = edited(session, &after, &edit)
            .map_err(|refusal| ApiError::new(ErrorCode::BadRequest, refusal.to_string()))?;
    }
    let written = match &chosen.branch.marks {
        MarksKey::Written(written) => Some(written),
        MarksKey::Declared | MarksKey::Inferred => None,
    };
    let left_out = written.map_or_else(Vec::new, |written| {
        let left_out = place(&written.marks, &opened.log, session).left_out;
        left_out.into_iter().map(|at| written.marks.episodes[at].clone()).collect()
    });
    let based_on = match &chosen.branch.marks {
        MarksKey::Written(written) => {
            let is_own = !is_told_by_others(written);
            if is_own { written.marks.based_on.clone() } else { Some(written.name.clone()) }
        }
        MarksKey::Declared => Some("declared".to_owned()),
        MarksKey::Inferred => Some("inferred".to_owned()),
    };
    let file = |spans: &[Span]| {
        let mut episodes = marks_of(spans, &opened.log, session);
        episodes.extend(left_out.iter().cloned());
        episodes.sort_by_key(|mark| mark.first);
        MarksFileDto { based_on: based_on.clone(), episodes, ..MarksFileDto::default() }
    };
    let known: HashMap<&EpisodeName, &Span> = before.iter().map(|span| (&span.name, span)).collect();
    let touched = after.iter().filter(|span| known.get(&span.name) != Some(span));
    let (before_file, after_file) = (file(&before), file(&after));
    Ok(EditMarksDto {
        changes: changes(&before_file, &after_file),
        name: free_name(opened, written.map(|written| &**written))?,
        touched: touched.map(|span| span.name.to_string()).collect(),
        before: before_file,
        after: after_file,
    })
}

fn read_edit(branch: &Branch, edit: &EditDto) -> Result<Edit, ApiError> {
    let session = &branch.session;
    let name = |name: &String| EpisodeName::from(name.as_str());
    Ok(match edit {
        EditDto::Retype { of, kind } => Edit::Retype { of: name(of), kind: read_kind(kind)? },
        EditDto::Link { act, on } => Edit::Link { act: name(act), on: name(on) },
        EditDto::Unlink { act, on } => Edit::Unlink { act: name(act), on: name(on) },
        EditDto::Begin { of, at } => {
            Edit::Shift { of: name(of), edge: SpanEdge::First, to: first_at(session, at)? }
        }
        EditDto::End { of, at } => {
            Edit::Shift { of: name(of), edge: SpanEdge::Last, to: last_at(session, at)? }
        }
        EditDto::Split { of, at } => Edit::Split { of: name(of), at: first_at(session, at)? },
        EditDto::Merge { of } => Edit::Merge { of: name(of) },
        EditDto::Close { of } => Edit::Close { of: name(of) },
        EditDto::Rename { of, to } => Edit::Rename { of: name(of), to: name(to) },
        EditDto::Describe { of, text } => Edit::Describe { of: name(of), text: text.clone() },
        EditDto::Remove { of } => Edit::Remove { of: name(of) },
        EditDto::Add { stretch, name: new, kind } => {
            let stretches = branch.growth.graph.iter().map(|(_, episode)| episode);
            let stretch = stretches
                .filter(|episode| episode.kind == EpisodeKind::Unannotated)
                .find(|episode| episode.name.as_str() == stretch)
                .ok_or_else(|| {
                    ApiError::new(ErrorCode::BadRequest, format!("no stretch is called `{stretch}`"))
                        .hint("a stretch without marks is called ~1, ~2 and so on")
                })?;
            let last = stretch.blocks.last().copied().unwrap_or(stretch.start);
            Edit::Add { name: name(new), kind: read_kind(kind)?, first: stretch.start, last }
        }
        EditDto::Accept { of } => Edit::Accept { of: of.as_ref().map(name) },
    })
}

fn read_kind(kind: &str) -> Result<DeclaredKind, ApiError> {
    match kind {
        "expl" => Ok(DeclaredKind::Exploratory),
        "act" => Ok(DeclaredKind::Action),
        _ => Err(ApiError::new(ErrorCode::BadRequest, format!("no kind `{kind}`"))
            .hint("a kind is `expl` or `act`")),
    }
}

/// Returns the block with which a place begins.
fn first_at(session: &Session, at: &MarkPlaceDto) -> Result<BlockIdx, ApiError> {
    match at {
        MarkPlaceDto::Block { block } => named(session, block),
        MarkPlaceDto::Turn { turn } => reply_of(session, *turn),
    }
}

/// Returns the block with which a place ends.
fn last_at(session: &Session, at: &MarkPlaceDto) -> Result<BlockIdx, ApiError> {
    match at {
        MarkPlaceDto::Block { block } => named(session, block),
        // All that comes before the next reply, but for what the human says.
        MarkPlaceDto::Turn { turn } => {
            let first = reply_of(session, *turn)?;
            let end = reply_of(session, turn.saturating_add(1)).map_or(session.blocks.len(), BlockIdx::at);
            let may_hold = |block: &BlockIdx| session.message_of(*block).class.is_evictable();
            Ok((first.at()..end).rev().map(BlockIdx::new).find(may_hold).unwrap_or(first))
        }
    }
}

/// Returns the first block of the reply that a turn's request got.
fn reply_of(session: &Session, turn: u32) -> Result<BlockIdx, ApiError> {
    let reply = session.turns.get(TurnIdx::new(turn).at()).and_then(|turn| turn.message);
    let reply = reply.map(|message| &session.messages[message.at()]);
    reply.map(|reply| BlockIdx::new(reply.blocks.start)).ok_or_else(|| {
        ApiError::new(ErrorCode::BadRequest, format!("turn {turn} has no reply"))
            .hint("choose an earlier turn")
    })
}

fn named(session: &Session, block: &str) -> Result<BlockIdx, ApiError> {
    let found = read_block(block).and_then(|id| session.find_block(&id));
    found.ok_or_else(|| {
        ApiError::new(ErrorCode::UnknownBlock, format!("no block `{block}` on this branch"))
            .hint("name it ENTRY:INDEX")
    })
}
