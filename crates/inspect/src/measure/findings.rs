//! Verification for a view: the agent's todo list, pins and probes come from the log's texts.

use std::sync::Arc;

use cwl_engine::{
    BlockIdx, BlockKind, BlockPlace, Cut, Finding, PinnedText, Replay, ReplayInput, Session, Todo,
    Verification, Watchlist, verify_replay,
};
use cwl_formats::{TodoCall, follow_todos, keeps_todos};

use crate::ApiError;
use crate::access::HostAccess;
use crate::api::FindingRow;
use crate::asked::effort::Effort;
use crate::asked::watch::{Pattern, WatchedText};
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;

pub(crate) fn todos_of(opened: &SessionSnapshot, session: &Session) -> Result<Vec<Todo>, ApiError> {
    let mut calls = Vec::new();
    let mut places = Vec::new();
    for (at, row) in session.blocks.iter().enumerate() {
        let BlockKind::Call(call) = &row.kind else { continue };
        // A failed call changed nothing.
        let answer = row.pair.map(|result| (result, &session.blocks[result.at()].kind));
        let failed = matches!(answer, Some((_, BlockKind::Result(result))) if !result.ok);
        if !keeps_todos(&call.name) || failed {
            continue;
        }
        let block = BlockIdx::new(at);
        let answer = row.pair.unwrap_or(block);
        calls.push((block, &call.name));
        places.push(SessionSnapshot::place_of(session, block));
        places.push(SessionSnapshot::place_of(session, answer));
    }
    let texts = opened.texts.block_contents(&places)?;
    let calls = calls.into_iter().zip(texts.chunks_exact(2)).map(|((block, tool), texts)| TodoCall {
        block,
        tool,
        text: &texts[0].text,
        answer: &texts[1].text,
    });
    Ok(follow_todos(calls))
}

pub(crate) struct Watching {
    access: Arc<dyn HostAccess>,
    texts: Vec<WatchedText>,
    blocks: Vec<Vec<BlockIdx>>,
    missing_pins: Vec<Arc<str>>,
    todos: Arc<Vec<Todo>>,
}

impl Watching {
    pub(crate) fn find(opened: &SessionSnapshot, run: &ReplayRun) -> Result<Self, ApiError> {
        let texts = run.selection().pins_and_probes()?.texts;
        let patterns: Vec<&Pattern> = texts.iter().map(|watched| &watched.pattern).collect();
        let places = opened.find_matches(&patterns)?;
        let blocks = if texts.is_empty() { Vec::new() } else { blocks_at(&run.branch.session, &places) };
        let todos = opened.todo_items(run)?;
        Ok(Self {
            access: Arc::clone(&opened.access),
            texts,
            blocks,
            missing_pins: run.missing_pins.clone(),
            todos,
        })
    }

    pub(crate) fn verify_replay(
        &self,
        input: &ReplayInput<'_>,
        replay: &Replay,
    ) -> Result<Verification, ApiError> {
        let effort = Effort::begin_search(&*self.access);
        let holds: Vec<_> =
            self.texts.iter().map(|watched| |text: &str| watched.pattern.is_in(text, &effort)).collect();
        let nothing = |_: &str| false;
        let mut watched: Vec<PinnedText<'_>> = self
            .texts
            .iter()
            .zip(self.blocks.iter().zip(&holds))
            .map(|(text, (blocks, holds))| PinnedText { text: &text.typed, kind: text.kind, blocks, holds })
            .collect();
        // A pinned block missing from this branch is reported like a text found nowhere.
        watched.extend(self.missing_pins.iter().map(|text| PinnedText {
            text,
            kind: cwl_engine::WatchedKind::Pin,
            blocks: &[],
            holds: &nothing,
        }));
        let verification = verify_replay(input, replay, &Watchlist { texts: &watched, todos: &self.todos });
        effort.end_search().map(|()| verification)
    }
}

fn blocks_at(session: &Session, places: &[Vec<BlockPlace>]) -> Vec<Vec<BlockIdx>> {
    let mut all: Vec<(BlockPlace, BlockIdx)> = (0..session.blocks.len())
        .map(BlockIdx::new)
        .map(|block| (SessionSnapshot::place_of(session, block), block))
        .collect();
    all.sort_unstable();
    let found = |place: &BlockPlace| {
        let place = *place;
        let first = all.partition_point(|(other, _)| *other < place);
        all[first..].iter().take_while(move |(other, _)| *other == place).map(|(_, block)| *block)
    };
    let sorted = |places: &Vec<BlockPlace>| {
        let mut blocks: Vec<BlockIdx> = places.iter().flat_map(found).collect();
        blocks.sort_unstable();
        blocks
    };
    places.iter().map(sorted).collect()
}

pub(crate) fn listed_findings(all: &[Finding], n_others: usize) -> impl Iterator<Item = &Finding> {
    let mut room = n_others;
    all.iter().filter(move |finding| {
        let has_room = room > 0;
        room -= usize::from(!finding.kind.is_watched() && has_room);
        finding.kind.is_watched() || has_room
    })
}

pub(crate) fn finding_row(opened: &SessionSnapshot, run: &ReplayRun, finding: &Finding) -> FindingRow {
    let session = &run.branch.session;
    let step = finding.causing_step(&run.replay_input(), &run.replay);
    FindingRow {
        code: finding.kind.code().to_owned(),
        severity: finding.kind.rule().severity,
        turn: finding.turn.number(),
        last_turn: finding.until.map(|until| until.number() - 1),
        step: step.and_then(|step| u32::try_from(step).ok()),
        block: finding.block.map(|block| session.blocks[block.at()].id.to_string()),
        line: finding.block.map(|block| opened.line_of(session, block)),
        watched: finding.kind.is_watched(),
        message: finding.kind.to_string(),
    }
}

pub fn at_cut(opened: &SessionSnapshot, run: &ReplayRun, cut: Cut) -> Result<Vec<FindingRow>, ApiError> {
    let verification = opened.verify_run(run)?;
    let (input, replay): (ReplayInput<'_>, &Replay) = (run.replay_input(), &run.replay);
    let mut here: Vec<&Finding> =
        verification.findings.iter().filter(|finding| finding.is_at_cut(&input, replay, cut)).collect();
    here.sort_by_key(|finding| !finding.kind.is_watched());
    here.truncate(crate::api::FINDINGS_LISTED);
    Ok(here.into_iter().map(|finding| finding_row(opened, run, finding)).collect())
}
