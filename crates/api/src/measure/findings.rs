//! Verification of what a view asks for: the agent's own list and what people watch come out of the log's texts.

use std::sync::Arc;

use cwl_engine::{
    BlockIdx, BlockKind, Cut, Finding, Replay, ReplayInput, Session, Todo, Verification, Watched, Watchlist,
    verify,
};
use cwl_formats::{TodoCall, keeps_todos, todos};
use cwl_store::BlockPlace;

use crate::ApiError;
use crate::asked::effort::Effort;
use crate::asked::watch::{Pattern, WatchedText};
use crate::dto::FindingDto;
use crate::measure::opened::Opened;
use crate::measure::run::Run;

/// Lists the items of the agent's own list on a branch.
pub(crate) fn todos_of(opened: &Opened, session: &Session) -> Result<Vec<Todo>, ApiError> {
    let mut calls = Vec::new();
    let mut places = Vec::new();
    for (at, row) in session.blocks.iter().enumerate() {
        let BlockKind::Call(call) = &row.kind else { continue };
        // A call that failed changed nothing.
        let answer = row.pair.map(|result| (result, &session.blocks[result.at()].kind));
        let failed = matches!(answer, Some((_, BlockKind::Result(result))) if !result.ok);
        if !keeps_todos(&call.name) || failed {
            continue;
        }
        let block = BlockIdx::new(at);
        let answer = row.pair.unwrap_or(block);
        calls.push((block, &call.name));
        places.push(Opened::place_of(session, block));
        places.push(Opened::place_of(session, answer));
    }
    let texts = opened.texts.contents(&places)?;
    let calls = calls.into_iter().zip(texts.chunks_exact(2)).map(|((block, tool), texts)| TodoCall {
        block,
        tool,
        text: &texts[0].text,
        answer: &texts[1].text,
    });
    Ok(todos(calls))
}

/// All that a verification looks for in the context of a view, found in the log once for all budgets.
pub(crate) struct Watching {
    texts: Vec<WatchedText>,
    /// For each text the blocks that have it.
    blocks: Vec<Vec<BlockIdx>>,
    missing_pins: Vec<Arc<str>>,
    todos: Arc<Vec<Todo>>,
}

impl Watching {
    /// Finds what the view of a run watches.
    ///
    /// # Errors
    /// Where a pin or a probe is not understood, and those of the texts.
    pub(crate) fn of(opened: &Opened, run: &Run) -> Result<Self, ApiError> {
        let texts = run.chosen().watched()?.texts;
        let patterns: Vec<&Pattern> = texts.iter().map(|watched| &watched.pattern).collect();
        let places = opened.matches(&patterns)?;
        let blocks = if texts.is_empty() { Vec::new() } else { blocks_at(&run.branch.session, &places) };
        let todos = opened.todos(run)?;
        Ok(Self { texts, blocks, missing_pins: run.missing_pins.clone(), todos })
    }

    /// Verifies every pass of a replay.
    ///
    /// # Errors
    /// Where an expression takes too much work.
    pub(crate) fn verify(&self, input: &ReplayInput<'_>, replay: &Replay) -> Result<Verification, ApiError> {
        let effort = Effort::begin();
        let holds: Vec<_> =
            self.texts.iter().map(|watched| |text: &str| watched.pattern.is_in(text, &effort)).collect();
        let nothing = |_: &str| false;
        let mut watched: Vec<Watched<'_>> = self
            .texts
            .iter()
            .zip(self.blocks.iter().zip(&holds))
            .map(|(text, (blocks, holds))| Watched { text: &text.typed, kind: text.kind, blocks, holds })
            .collect();
        // A pinned block that is not on this branch is told like a text that is nowhere.
        watched.extend(self.missing_pins.iter().map(|text| Watched {
            text,
            kind: cwl_engine::WatchedKind::Pin,
            blocks: &[],
            holds: &nothing,
        }));
        let verification = verify(input, replay, &Watchlist { texts: &watched, todos: &self.todos });
        effort.end().map(|()| verification)
    }
}

/// Finds the blocks of a branch at several lists of places, each list in log order.
fn blocks_at(session: &Session, places: &[Vec<BlockPlace>]) -> Vec<Vec<BlockIdx>> {
    let mut all: Vec<(BlockPlace, BlockIdx)> = (0..session.blocks.len())
        .map(BlockIdx::new)
        .map(|block| (Opened::place_of(session, block), block))
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

/// Returns the findings of pins and probes, and of the others the first `n_others`.
pub(crate) fn listed(all: &[Finding], n_others: usize) -> impl Iterator<Item = &Finding> {
    let mut room = n_others;
    all.iter().filter(move |finding| {
        let has_room = room > 0;
        room -= usize::from(!finding.kind.is_watched() && has_room);
        finding.kind.is_watched() || has_room
    })
}

/// Writes a finding for the wire.
pub(crate) fn dto(opened: &Opened, run: &Run, finding: &Finding) -> FindingDto {
    let session = &run.branch.session;
    let step = finding.step(&run.input(), &run.replay);
    FindingDto {
        code: finding.kind.code().to_owned(),
        severity: finding.kind.rule().severity.into(),
        turn: finding.turn.number(),
        last_turn: finding.until.map(|until| until.number() - 1),
        step: step.and_then(|step| u32::try_from(step).ok()),
        block: finding.block.map(|block| session.blocks[block.at()].id.to_string()),
        line: finding.block.map(|block| opened.line_of(session, block)),
        watched: finding.kind.is_watched(),
        message: finding.kind.to_string(),
    }
}

/// Returns what is found at a cut, what people watch first.
pub(crate) fn at_cut(opened: &Opened, run: &Run, cut: Cut) -> Result<Vec<FindingDto>, ApiError> {
    let verification = opened.verified(run)?;
    let (input, replay): (ReplayInput<'_>, &Replay) = (run.input(), &run.replay);
    let mut here: Vec<&Finding> =
        verification.findings.iter().filter(|finding| finding.is_at_cut(&input, replay, cut)).collect();
    here.sort_by_key(|finding| !finding.kind.is_watched());
    here.truncate(crate::dto::FINDINGS_LISTED);
    Ok(here.into_iter().map(|finding| dto(opened, run, finding)).collect())
}
