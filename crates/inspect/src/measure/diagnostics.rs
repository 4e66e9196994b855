//! Diagnostics: the problems of an opened log, and what the rules find in a run.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{
    BlockId, BlockIdx, Diagnostic, DiagnosticKind, Finding, MessageClass, Place, Problem, ProblemKind,
    Remark, Session, TurnIdx,
};

use crate::measure::branch::Branch;
use crate::measure::hidden_loss::Loss;
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;

/// Lists the problems of the log and of `branch` in log order, then hidden losses, then problems in the user's tables.
pub(crate) fn find_problems(opened: &SessionSnapshot, branch: &Branch, losses: &[Loss]) -> Vec<Diagnostic> {
    let mut found = find_logged_problems(opened, branch);
    found.extend(losses.iter().map(|loss| diagnose_loss(&branch.session, loss)));
    found.extend(opened.tools.problems.iter().map(|reason| {
        let kind = DiagnosticKind::Problem(ProblemKind::TableRow { reason: reason.as_str().into() });
        Diagnostic::new(kind, Place::default(), None)
    }));
    found
}

pub(crate) fn find_logged_problems(opened: &SessionSnapshot, branch: &Branch) -> Vec<Diagnostic> {
    let mut logged: Vec<&Problem> = opened.log_problems.iter().chain(branch.problems.iter()).collect();
    logged.sort_by_key(|problem| problem.place.line.unwrap_or(u64::MAX));
    let wanted: BTreeSet<&BlockId> =
        logged.iter().filter_map(|problem| problem.place.block.as_ref()).collect();
    let blocks = (0..).map(BlockIdx::new).zip(&branch.session.blocks);
    let found: BTreeMap<&BlockId, BlockIdx> =
        blocks.filter(|(_, block)| wanted.contains(&block.id)).map(|(at, block)| (&block.id, at)).collect();
    let diagnose = |problem: &Problem| {
        let block = problem.place.block.as_ref().and_then(|id| found.get(id)).copied();
        let diagnostic = Diagnostic::from_problem(problem, block);
        let marked = block.filter(|_| diagnostic.is_of_protocol() && branch.is_declared());
        let episode = marked.and_then(|block| branch.growth.graph.owner_of(block));
        Diagnostic { turn: block.map(|block| turn_of(&branch.session, block)), episode, ..diagnostic }
    };
    logged.into_iter().map(diagnose).collect()
}

/// A request that was reported smaller than the log accounts for; its place is the first block of the reply.
fn diagnose_loss(session: &Session, loss: &Loss) -> Diagnostic {
    let reply = session.turns[loss.from].message.map(|message| &session.messages[message.at()]);
    let block = reply.and_then(|reply| reply.blocks.clone().next()).map(BlockIdx::new);
    let place = Place {
        line: reply.map(|reply| reply.line),
        entry: None,
        block: block.map(|block| session.blocks[block.at()].id.clone()),
    };
    let kind = ProblemKind::HiddenLoss { sizes: loss.describe_loss().into() };
    let diagnostic = Diagnostic::new(DiagnosticKind::Problem(kind), place, block);
    Diagnostic { turn: block.map(|block| turn_of(session, block)), ..diagnostic }
}

pub(crate) fn diagnose_finding(opened: &SessionSnapshot, run: &ReplayRun, finding: &Finding) -> Diagnostic {
    let Branch { session, growth, .. } = &*run.branch;
    let place = finding.block.map(|block| place_of(opened, session, block)).unwrap_or_default();
    let episode = finding.block.and_then(|block| growth.graph.owner_of(block));
    Diagnostic { episode, ..Diagnostic::from_finding(finding, place) }
}

pub(crate) fn diagnose_remark(opened: &SessionSnapshot, run: &ReplayRun, remark: &Remark) -> Diagnostic {
    let session = &run.branch.session;
    let diagnostic = Diagnostic::from_remark(remark, place_of(opened, session, remark.at));
    Diagnostic { turn: Some(turn_of(session, remark.at)), ..diagnostic }
}

fn place_of(opened: &SessionSnapshot, session: &Session, block: BlockIdx) -> Place {
    Place::at_block(opened.line_of(session, block), session.blocks[block.at()].id.clone())
}

/// The turn whose reply or results hold `block`; for a block before a request, the turn of this request.
pub(crate) fn turn_of(session: &Session, block: BlockIdx) -> TurnIdx {
    let row = &session.blocks[block.at()];
    let after = session.turn_after(row.message).number();
    let is_answered =
        matches!(session.messages[row.message.at()].class, MessageClass::Assistant | MessageClass::Tool);
    TurnIdx::new(if is_answered { after.saturating_sub(1) } else { after })
}
