//! Search over the texts of one session or of all, by the index of the store.

use cwl_engine::{BlockId, BlockKind, EventLog, History, Session};
use cwl_store::{Found, Hit, Query, SourceId};

use crate::dto::{FoundSessionDto, HitDto, SearchDto, SearchRequest};
use crate::list::title_of;
use crate::recent::locked;
use crate::{ApiError, ErrorCode, Inspector};

/// How many texts are found where nobody says, and at most.
const LIMIT: u32 = 50;
const MOST: u32 = 500;

/// Finds texts, by session and turn.
pub(crate) fn search(host: &Inspector, request: &SearchRequest) -> Result<SearchDto, ApiError> {
    let Some(query) = Query::new(&request.query) else {
        return Err(ApiError::new(ErrorCode::BadPattern, "nothing to look for")
            .hint("type a word: at least one letter or digit"));
    };
    let within = request.session.map(|session| SourceId::new(session.into()));
    let limit = request.limit.unwrap_or(LIMIT).min(MOST) as usize;
    let Found { hits, more, n_pending } = host.library.read(|reader| reader.search(&query, within, limit))?;
    let mut by_session: Vec<(SourceId, Vec<Hit>)> = Vec::new();
    for hit in hits {
        match by_session.iter_mut().find(|(source, _)| *source == hit.source) {
            Some((_, hits)) => hits.push(hit),
            None => by_session.push((hit.source, vec![hit])),
        }
    }
    let mut sessions = Vec::with_capacity(by_session.len());
    for (source, mut hits) in by_session {
        hits.sort_by_key(|hit| std::cmp::Reverse(hit.at));
        sessions.extend(found_in(host, source, &hits)?);
    }
    Ok(SearchDto { sessions, more, pending: n_pending })
}

/// Tells about the hits in one log; `None` where none of them is there any more.
fn found_in(host: &Inspector, source: SourceId, hits: &[Hit]) -> Result<Option<FoundSessionDto>, ApiError> {
    let row = host.library.read(|reader| reader.source(source))?;
    let Ok(session) = u32::try_from(source.number()) else { return Ok(None) };
    let last = hits.first().map_or(0, |hit| hit.at.seq as usize);
    let opened = locked(&host.opened).get(&session).cloned();
    let hits = match opened.filter(|opened| opened.log.events().len() > last) {
        Some(opened) => places(&opened.log, &opened.current().session, hits),
        // Not open, or read on since: what the store has is loaded for it, without any text.
        None => {
            let (log, _) = host.library.read(|reader| reader.load_log(source))?;
            let (session, _) = Session::build(&log, None, History::AsRecorded, &host.tools.table);
            places(&log, &session, hits)
        }
    };
    Ok((!hits.is_empty()).then(|| FoundSessionDto {
        session,
        title: title_of(&row),
        path: row.path,
        format: row.format,
        hits,
    }))
}

/// Finds out where the hits stand in a session.
fn places(log: &EventLog, session: &Session, hits: &[Hit]) -> Vec<HitDto> {
    // In one pass over the blocks, of which there may be many more than hits.
    let wanted: std::collections::BTreeMap<_, usize> =
        hits.iter().enumerate().map(|(number, hit)| ((hit.at.seq as usize, hit.at.part), number)).collect();
    let mut turns = vec![None; hits.len()];
    for block in &session.blocks {
        if let Some(number) = wanted.get(&(block.event.at(), block.part)) {
            turns[*number] = Some(session.turn_after(block.message).number());
        }
    }
    let dto = |(hit, turn): (&Hit, Option<u32>)| {
        let event = log.events().get(hit.at.seq as usize)?;
        let block = event.body.blocks().nth(hit.at.part as usize)?;
        let tool = match &block.kind {
            BlockKind::Call(call) => Some(call.name.to_string()),
            BlockKind::Result(result) => result.name.as_deref().map(str::to_owned),
            BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => None,
        };
        let snippet = hit.snippet.clone();
        Some(HitDto {
            turn,
            block: BlockId { entry: event.entry.clone(), index: block.index }.to_string(),
            n_blocks: hit.n_blocks,
            kind: block.kind.name().to_owned(),
            tool,
            line: event.line,
            before: snippet.before,
            matched: snippet.matched,
            after: snippet.after,
        })
    };
    hits.iter().zip(turns).filter_map(dto).collect()
}
