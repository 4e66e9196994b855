//! Full-text search in one session or in all, by the store's index.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cwl_engine::{BlockId, BlockIdx, BranchTips, EventIdx, EventLog, History, ReplacementCause, Session};
use cwl_inspect::figures::with_commas;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::present::item::{ContextRow, context_rows, make_items, tool_of};
use cwl_inspect::recent::lock_unpoisoned;
use cwl_store::{Hit, Query, SearchHits, SourceId};

use crate::api::{ContextItem, FoundSession, SearchAnswer, SearchHit, SearchRequest, ViewCut, ViewSettings};
use crate::host::inspector::Inspector;
use crate::stored::library::Library;
use crate::stored::stores::title_of;
use crate::{ApiError, ErrorCode};

impl Inspector {
    /// Searches texts in stored sessions.
    ///
    /// # Errors
    /// If the query is empty, or the store fails.
    pub fn search(&self, request: SearchRequest) -> Result<SearchAnswer, ApiError> {
        search_texts(self, &request)
    }
}

/// Default and largest [`SearchRequest::limit`].
const LIMIT: u32 = 50;
const MOST: u32 = 500;

/// Groups hits by session and sorts them by turn.
pub(crate) fn search_texts(host: &Inspector, request: &SearchRequest) -> Result<SearchAnswer, ApiError> {
    let Some(query) = Query::new(&request.query) else {
        return Err(ApiError::new(ErrorCode::BadPattern, "nothing to look for")
            .with_hint("type a word: at least one letter or digit"));
    };
    let within = request.session.map(|session| SourceId::new(session.into()));
    let limit = request.limit.unwrap_or(LIMIT).min(MOST) as usize;
    let SearchHits { hits, more, n_pending } =
        library_of(host, within).run_read(|reader| reader.search_texts(&query, within, limit))?;
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
        sessions.extend(found_in(host, source, &hits, request.view.as_ref())?);
    }
    Ok(SearchAnswer { sessions, more, pending: n_pending })
}

fn library_of(host: &Inspector, within: Option<SourceId>) -> Arc<Library> {
    within.map_or_else(|| host.stores.main(), |source| host.stores.library_of(source))
}

/// `None` if the log has none of the hits any more.
fn found_in(
    host: &Inspector,
    source: SourceId,
    hits: &[Hit],
    view: Option<&ViewSettings>,
) -> Result<Option<FoundSession>, ApiError> {
    let row = host.stores.library_of(source).run_read(|reader| reader.source(source))?;
    let Ok(session) = u32::try_from(source.number()) else { return Ok(None) };
    let last = hits.first().map_or(0, |hit| hit.at.seq as usize);
    let opened = lock_unpoisoned(&host.opened).get(&session).cloned();
    let mut hits = match opened.as_ref().filter(|opened| opened.log.events().len() > last) {
        Some(opened) => TextPlaces::new(&opened.log, host).find_hits(&opened.current_branch().session, hits),
        // Not open, or changed since: the store's records are loaded, without texts.
        None => {
            let (log, _) = host.stores.library_of(source).run_read(|reader| reader.load_log(source))?;
            let (session, _) = Session::build(&log, None, History::AsRecorded, &host.tools.table);
            let mut found = TextPlaces::new(&log, host).find_hits(&session, hits);
            if view.is_some() {
                as_sent(&session, &mut found);
            }
            found
        }
    };
    if let (Some(opened), Some(view)) = (&opened, view) {
        under_view(opened, view, &mut hits)?;
    }
    Ok((!hits.is_empty()).then(|| FoundSession {
        session,
        title: title_of(&row),
        path: row.path,
        format: row.format,
        hits,
    }))
}

/// Marks which hits are in the last turn's context under `view`; does nothing if the session has no such
/// view.
fn under_view(opened: &SessionSnapshot, view: &ViewSettings, hits: &mut [SearchHit]) -> Result<(), ApiError> {
    // The branch and marks belong to the view's own session.
    let is_of_all = ["auto", "declared", "inferred", "filled"].contains(&view.annotation.as_str());
    let annotation = if is_of_all { view.annotation.clone() } else { "auto".to_owned() };
    let view = ViewSettings { branch: None, annotation, ..view.clone() };
    let Ok((run, moment)) = opened.replay_to_cut(&view, ViewCut::default()) else { return Ok(()) };
    let session = &run.branch.session;
    let wanted: BTreeSet<String> = hits.iter().map(|hit| hit.block.clone()).collect();
    let listed: Vec<ContextRow<'_>> = context_rows(&moment.context)
        .filter(|row| {
            row.block_idx().is_some_and(|at| wanted.contains(&session.blocks[at.at()].id.to_string()))
        })
        .collect();
    let items = make_items(opened, &run, &listed, 0, moment.is_met(&run))?;
    let by_block: BTreeMap<&str, &ContextItem> =
        items.iter().map(|item| (item.block.as_str(), item)).collect();
    let under = format!("under {} at {} tokens", run.replay.policy.name, with_commas(run.replay.budget));
    for hit in hits {
        let item = by_block.get(hit.block.as_str()).filter(|_| hit.branch.is_none());
        hit.held = Some(item.is_some_and(|item| item.kept));
        hit.held_says = match item {
            Some(item) => format!("{under}: {}", item.reason),
            None => "not in the history of the last turn".to_owned(),
        };
    }
    Ok(())
}

fn as_sent(session: &Session, hits: &mut [SearchHit]) {
    let mut taken: BTreeMap<BlockIdx, ReplacementCause> = BTreeMap::new();
    for replacement in &session.replacements {
        taken.extend(replacement.drops.iter().map(|block| (*block, replacement.cause)));
        for block in &replacement.restores {
            taken.remove(block);
        }
    }
    let wanted: BTreeSet<&str> = hits.iter().map(|hit| hit.block.as_str()).collect();
    let causes: BTreeMap<String, Option<ReplacementCause>> = session
        .blocks
        .iter()
        .enumerate()
        .map(|(at, block)| (BlockIdx::new(at), block.id.to_string()))
        .filter(|(_, name)| wanted.contains(name.as_str()))
        .map(|(at, name)| (name, taken.get(&at).copied()))
        .collect();
    for hit in hits {
        let cause = causes.get(&hit.block).filter(|_| hit.branch.is_none());
        hit.held = Some(cause == Some(&None));
        hit.held_says = match cause {
            Some(None) => "the harness sent it still".to_owned(),
            Some(Some(cause)) => format!("the harness took it out ({})", cause.name()),
            None => "not in the history of the last turn".to_owned(),
        };
    }
}

/// Limit of the search for branches that hold a text, in records walked over all branches: a log may have as
/// many branches as records.
const BRANCHES_WORK: usize = 400_000;

type TextPlace = (usize, u32);

struct TextPlaces<'a> {
    log: &'a EventLog,
    host: &'a Inspector,
}

impl<'a> TextPlaces<'a> {
    fn new(log: &'a EventLog, host: &'a Inspector) -> Self {
        Self { log, host }
    }

    fn find_hits(&self, session: &Session, hits: &[Hit]) -> Vec<SearchHit> {
        // One pass over the blocks, which may be far more than the hits.
        let mut wanted: BTreeMap<TextPlace, usize> = hits
            .iter()
            .enumerate()
            .map(|(number, hit)| ((hit.at.seq as usize, hit.at.part), number))
            .collect();
        let mut turns: Vec<(Option<u32>, Option<String>)> = vec![(None, None); hits.len()];
        for (number, turn) in take_on_branch(&mut wanted, session) {
            turns[number].0 = Some(turn);
        }
        let others = if wanted.is_empty() { Vec::new() } else { self.other_tips() };
        for tip in others {
            if wanted.is_empty() {
                break;
            }
            // A branch has no record behind its end.
            if wanted.keys().all(|(seq, _)| *seq > tip.at()) {
                continue;
            }
            let history = History::AsRecorded;
            let (session, _) = Session::build(self.log, Some(tip), history, &self.host.tools.table);
            for (number, turn) in take_on_branch(&mut wanted, &session) {
                turns[number] = (Some(turn), Some(self.log.record(tip).entry.to_string()));
            }
        }
        hits.iter()
            .zip(turns)
            .filter_map(|(hit, (turn, branch))| self.search_hit(hit, turn, branch))
            .collect()
    }

    /// Other branches' tips, newest first, as far as [`BRANCHES_WORK`] allows.
    fn other_tips(&self) -> Vec<EventIdx> {
        let leaf = self.log.leaf();
        let n_tips = BRANCHES_WORK / self.log.events().len().max(1);
        let BranchTips { session: mut tips, side } = self.log.tips();
        tips.extend(side);
        tips.sort_unstable();
        tips.into_iter().rev().filter(|tip| leaf != Some(*tip)).take(n_tips).collect()
    }

    fn search_hit(&self, hit: &Hit, turn: Option<u32>, branch: Option<String>) -> Option<SearchHit> {
        let event = self.log.events().get(hit.at.seq as usize)?;
        let mut parts = event
            .body
            .all_messages()
            .flat_map(|message| message.blocks.iter().map(move |block| (message, block)));
        let (message, block) = parts.nth(hit.at.part as usize)?;
        let snippet = hit.snippet.clone();
        Some(SearchHit {
            turn,
            branch,
            block: BlockId { entry: event.entry.clone(), index: block.index }.to_string(),
            n_blocks: hit.n_blocks,
            role: message.role,
            author: message.author,
            kind: (&block.kind).into(),
            tool: tool_of(&block.kind).map(str::to_owned),
            line: event.line,
            held: None,
            held_says: String::new(),
            before: snippet.before,
            matched: snippet.matched,
            after: snippet.after,
        })
    }
}

/// Moves the places on one branch out of `wanted`; returns them with their first turns.
fn take_on_branch(wanted: &mut BTreeMap<TextPlace, usize>, session: &Session) -> Vec<(usize, u32)> {
    let mut found = Vec::new();
    for block in &session.blocks {
        if wanted.is_empty() {
            break;
        }
        if let Some(number) = wanted.remove(&(block.event.at(), block.part)) {
            found.push((number, session.turn_after(block.message).number()));
        }
    }
    found
}
