//! Conversion between wire edits and engine edits.

use cwl_engine::{BlockIdx, DeclaredKind, Edit, EpisodeKind, EpisodeName, Session, SpanEdge, TurnIdx};

use crate::api::{EditPlace, MarkEdit};
use crate::asked::watch::read_block;
use crate::measure::branch::Branch;
use crate::{ApiError, ErrorCode};

/// Parses an edit on a branch's marks.
///
/// # Errors
/// If the place, kind or stretch does not exist.
pub fn read_edit(branch: &Branch, edit: &MarkEdit) -> Result<Edit, ApiError> {
    let session = &branch.session;
    let name = |name: &String| EpisodeName::from(name.as_str());
    Ok(match edit {
        MarkEdit::Retype { of, kind } => Edit::Retype { of: name(of), kind: read_kind(kind)? },
        MarkEdit::Link { act, on } => Edit::Link { act: name(act), on: name(on) },
        MarkEdit::Unlink { act, on } => Edit::Unlink { act: name(act), on: name(on) },
        MarkEdit::Begin { of, at } => {
            Edit::Shift { of: name(of), edge: SpanEdge::First, to: first_at(session, at)? }
        }
        MarkEdit::End { of, at } => {
            Edit::Shift { of: name(of), edge: SpanEdge::Last, to: last_at(session, at)? }
        }
        MarkEdit::Split { of, at } => Edit::Split { of: name(of), at: first_at(session, at)? },
        MarkEdit::Merge { of } => Edit::Merge { of: name(of) },
        MarkEdit::Close { of } => Edit::Close { of: name(of) },
        MarkEdit::Rename { of, to } => Edit::Rename { of: name(of), to: name(to) },
        MarkEdit::Describe { of, text } => Edit::Describe { of: name(of), text: text.clone() },
        MarkEdit::Remove { of } => Edit::Remove { of: name(of) },
        MarkEdit::Add { stretch, name: new, kind } => {
            let stretches = branch.growth.graph.episodes().map(|(_, episode)| episode);
            let stretch = stretches
                .filter(|episode| episode.kind == EpisodeKind::Unannotated)
                .find(|episode| episode.name.as_str() == stretch)
                .ok_or_else(|| {
                    ApiError::new(ErrorCode::BadRequest, format!("no stretch is called `{stretch}`"))
                        .with_hint("a stretch without marks is called ~1, ~2 and so on")
                })?;
            let last = stretch.blocks.last().copied().unwrap_or(stretch.start);
            Edit::Add { name: name(new), kind: read_kind(kind)?, first: stretch.start, last }
        }
        MarkEdit::Accept { of } => Edit::Accept { of: of.as_ref().map(name) },
    })
}

pub(crate) fn mark_edit(branch: &Branch, edit: &Edit) -> MarkEdit {
    let at = |block: &BlockIdx| EditPlace::Block { block: branch.session.blocks[block.at()].id.to_string() };
    match edit {
        Edit::Retype { of, kind } => MarkEdit::Retype { of: of.to_string(), kind: kind_name(*kind) },
        Edit::Link { act, on } => MarkEdit::Link { act: act.to_string(), on: on.to_string() },
        Edit::Unlink { act, on } => MarkEdit::Unlink { act: act.to_string(), on: on.to_string() },
        Edit::Shift { of, edge: SpanEdge::First, to } => MarkEdit::Begin { of: of.to_string(), at: at(to) },
        Edit::Shift { of, edge: SpanEdge::Last, to } => MarkEdit::End { of: of.to_string(), at: at(to) },
        Edit::Split { of, at: block } => MarkEdit::Split { of: of.to_string(), at: at(block) },
        Edit::Merge { of } => MarkEdit::Merge { of: of.to_string() },
        Edit::Close { of } => MarkEdit::Close { of: of.to_string() },
        Edit::Rename { of, to } => MarkEdit::Rename { of: of.to_string(), to: to.to_string() },
        Edit::Describe { of, text } => MarkEdit::Describe { of: of.to_string(), text: text.clone() },
        Edit::Remove { of } => MarkEdit::Remove { of: of.to_string() },
        Edit::Add { name, kind, first, .. } => {
            let graph = &branch.growth.graph;
            let stretch = graph.owner_of(*first).map(|idx| graph.episode(idx).name.to_string());
            MarkEdit::Add {
                stretch: stretch.unwrap_or_default(),
                name: name.to_string(),
                kind: kind_name(*kind),
            }
        }
        Edit::Accept { of } => MarkEdit::Accept { of: of.as_ref().map(ToString::to_string) },
    }
}

fn kind_name(kind: DeclaredKind) -> String {
    <&str>::from(kind).to_owned()
}

fn read_kind(kind: &str) -> Result<DeclaredKind, ApiError> {
    match kind {
        "expl" => Ok(DeclaredKind::Exploratory),
        "act" => Ok(DeclaredKind::Action),
        _ => Err(ApiError::new(ErrorCode::BadRequest, format!("no kind `{kind}`"))
            .with_hint("a kind is `expl` or `act`")),
    }
}

fn first_at(session: &Session, at: &EditPlace) -> Result<BlockIdx, ApiError> {
    match at {
        EditPlace::Block { block } => find_block(session, block),
        EditPlace::Turn { turn } => reply_of(session, *turn),
    }
}

fn last_at(session: &Session, at: &EditPlace) -> Result<BlockIdx, ApiError> {
    match at {
        EditPlace::Block { block } => find_block(session, block),
        // Everything before the next reply, except the human's messages.
        EditPlace::Turn { turn } => {
            let first = reply_of(session, *turn)?;
            let end = reply_of(session, turn.saturating_add(1)).map_or(session.blocks.len(), BlockIdx::at);
            let may_hold = |block: &BlockIdx| session.message_of(*block).class.is_evictable();
            Ok((first.at()..end).rev().map(BlockIdx::new).find(may_hold).unwrap_or(first))
        }
    }
}

fn reply_of(session: &Session, turn: u32) -> Result<BlockIdx, ApiError> {
    let reply = session.turns.get(TurnIdx::new(turn).at()).and_then(|turn| turn.message);
    let reply = reply.map(|message| &session.messages[message.at()]);
    reply.map(|reply| BlockIdx::new(reply.blocks.start)).ok_or_else(|| {
        ApiError::new(ErrorCode::BadRequest, format!("turn {turn} has no reply"))
            .with_hint("choose an earlier turn")
    })
}

fn find_block(session: &Session, block: &str) -> Result<BlockIdx, ApiError> {
    let found = read_block(block).and_then(|id| session.find_block(&id));
    found.ok_or_else(|| {
        ApiError::new(ErrorCode::UnknownBlock, format!("no block `{block}` on this branch"))
            .with_hint("name it ENTRY:INDEX")
    })
}
