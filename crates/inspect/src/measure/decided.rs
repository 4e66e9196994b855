//! The decisions of `cwl live` in a log, and where the policy in force says otherwise of the whole log.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{
    BlockId, BlockKind, EventBody, EventIdx, EventLog, Move, Replacement, ReplacementCause, Session,
    SessionBlock, TurnIdx,
};
use cwl_formats::{LoggedDecision, fill_hole, read_logged_decision};

use crate::ApiError;
use crate::api::{LiveDecisionCheck, ViewSettings};
use crate::asked::view::BranchKey;
use crate::figures::saturate_u32;
use crate::measure::opened::SessionSnapshot;
use crate::measure::record_order::previous_records;
use crate::measure::run::ReplayRun;

/// The record of a decision that took nothing else than the one before.
const DECISION: &str = "cwl.decision";

/// Compares the decisions on the current branch with what the policy in force says of the history without evictions;
/// `None` if no live policy was at work.
pub(crate) fn compare_decisions(opened: &SessionSnapshot) -> Result<Option<LiveDecisionCheck>, ApiError> {
    let decisions = decisions_of(opened)?;
    let Some((_, last)) = decisions.last() else { return Ok(None) };
    let recorded = opened.branch(&BranchKey::CURRENT)?;
    let mut told = LiveDecisionCheck {
        decisions: saturate_u32(decisions.len()),
        evicting: 0,
        passed_through: 0,
        as_policy: 0,
        policy: last.policy.clone(),
        budget: last.budget,
        first: None,
    };
    let mut comparison = EvictionComparison::default();
    let mut replacements = recorded.session.replacements.iter().peekable();
    let mut played: Option<(&LoggedDecision, ReplayRun, usize)> = None;
    for (idx, decision) in &decisions {
        told.evicting += u32::from(decision.verdict == "evict");
        told.passed_through += u32::from(decision.verdict == "pass_through");
        let turn = turn_behind(&recorded.session, *idx);
        while let Some(replacement) = replacements.next_if(|it| recorded.session.turn_of(it) <= turn) {
            comparison.take_replacement(&recorded.session, replacement);
        }
        if played.as_ref().is_none_or(|(of, ..)| !has_same_settings(of, decision)) {
            comparison.forget_played();
            played = Some((decision, opened.replay_view(&view_of(decision))?, 0));
        }
        if let Some((_, run, next)) = &mut played {
            for at in *next..(turn.at() + 1).min(run.replay.turns.len()) {
                comparison.take_moves(run, turn_numbered(at));
            }
            *next = turn.at() + 1;
        }
        match comparison.differing.first() {
            None => told.as_policy += 1,
            Some(block) => {
                let by = match comparison.gone[RECORDED].contains(block) {
                    true => "was evicted, and the policy keeps it",
                    false => "was kept, and the policy evicts it",
                };
                let first = || format!("turn {}: {}:{} {by}", turn.at() + 1, block.entry, block.index);
                told.first = told.first.or_else(|| Some(first()));
            }
        }
    }
    Ok(Some(told))
}

fn decisions_of(opened: &SessionSnapshot) -> Result<Vec<(EventIdx, LoggedDecision)>, ApiError> {
    let is_decision = |body: &EventBody| match body {
        EventBody::Rewrite(rewrite) => rewrite.cause == ReplacementCause::Eviction,
        EventBody::Quiet { record } => **record == *DECISION,
        _ => false,
    };
    let events = (0..).map(EventIdx::new).zip(opened.log.events());
    let mut found: Vec<EventIdx> =
        events.filter(|(_, event)| is_decision(&event.body)).map(|(idx, _)| idx).collect();
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let path = path_of(&opened.log);
    found.retain(|idx| path.contains(idx));
    let envelopes = opened.texts.record_envelopes(&found)?;
    let read = |idx: EventIdx| Some((idx, read_logged_decision(&fill_hole(envelopes.get(&idx)?, "[]"))?));
    Ok(found.iter().copied().filter_map(read).collect())
}

fn path_of(log: &EventLog) -> BTreeSet<EventIdx> {
    let before = previous_records(log);
    let mut path = BTreeSet::new();
    let mut at = log.leaf();
    while let Some(idx) = at.filter(|idx| path.insert(*idx)) {
        at = before[idx.at()].map(EventIdx::new);
    }
    path
}

fn turn_behind(session: &Session, idx: EventIdx) -> TurnIdx {
    let is_before = |turn: &cwl_engine::Turn| {
        turn.message.is_some_and(|message| session.messages[message.at()].event < idx)
    };
    turn_numbered(session.turns.partition_point(is_before))
}

fn turn_numbered(position: usize) -> TurnIdx {
    TurnIdx::new(saturate_u32(position).saturating_add(1))
}

fn has_same_settings(one: &LoggedDecision, other: &LoggedDecision) -> bool {
    let settings = |of: &LoggedDecision| {
        (
            of.policy.clone(),
            of.budget,
            of.overhead,
            of.tokenizer.clone(),
            of.marks.clone(),
            of.options.clone(),
        )
    };
    settings(one) == settings(other)
}

fn view_of(decision: &LoggedDecision) -> ViewSettings {
    let mut options: BTreeMap<String, String> = decision.options.clone();
    options.insert("ignore_eviction".to_owned(), "true".to_owned());
    ViewSettings {
        policy: decision.policy.clone(),
        budget: decision.budget.to_string(),
        tokenizer: decision.tokenizer.clone(),
        overhead: decision.overhead.to_string(),
        options,
        annotation: decision.marks.clone(),
        ..ViewSettings::default()
    }
}

/// The side of a comparison that the log tells.
const RECORDED: usize = 0;
/// The side that the policy says of the history without evictions.
const PLAYED: usize = 1;

#[derive(Default)]
struct EvictionComparison {
    gone: [BTreeSet<BlockId>; 2],
    differing: BTreeSet<BlockId>,
}

impl EvictionComparison {
    /// Reasoning does not count: it goes with the rest of its reply by the provider's rules, whatever the policy says.
    fn set_row_gone(&mut self, side: usize, row: &SessionBlock, is_gone: bool) {
        if row.kind != BlockKind::Reasoning {
            self.set_gone(side, &row.id, is_gone);
        }
    }

    fn set_gone(&mut self, side: usize, block: &BlockId, is_gone: bool) {
        match is_gone {
            true => _ = self.gone[side].insert(block.clone()),
            false => _ = self.gone[side].remove(block),
        }
        if self.gone[RECORDED].contains(block) == self.gone[PLAYED].contains(block) {
            self.differing.remove(block);
        } else {
            self.differing.insert(block.clone());
        }
    }

    fn take_replacement(&mut self, session: &Session, replacement: &Replacement) {
        if replacement.cause != ReplacementCause::Eviction {
            return;
        }
        for block in &replacement.restores {
            self.set_row_gone(RECORDED, &session.blocks[block.at()], false);
        }
        // A text that stood for something may go again; the policy's own are no blocks.
        for block in replacement.drops.iter().filter(|block| !session.message_of(**block).added) {
            self.set_row_gone(RECORDED, &session.blocks[block.at()], true);
        }
    }

    fn take_moves(&mut self, run: &ReplayRun, turn: TurnIdx) {
        let session = &run.branch.session;
        run.replay.moves_of(turn, |one| match one {
            Move::Out(block) | Move::Masked(block, _) => {
                self.set_row_gone(PLAYED, &session.blocks[block.at()], true);
            }
            Move::In(block) => self.set_row_gone(PLAYED, &session.blocks[block.at()], false),
            Move::Placed(_) | Move::Lifted(_) | Move::Residue(..) => {}
        });
    }

    fn forget_played(&mut self) {
        for block in std::mem::take(&mut self.gone[PLAYED]) {
            self.set_gone(PLAYED, &block, false);
        }
    }
}
