//! A branch that is built: its session, and what is needed to go on from its end.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::log::branch::branch_of;
use crate::log::branch_tip::BranchTip;
use crate::session::pairing::CallPairer;
use crate::session::session_builder::SessionBuilder;
use crate::{EventIdx, EventLog, History, MessageIdx, Parent, Problem, Session, ToolTable};

#[derive(Debug, Clone)]
pub(crate) struct BuiltBranch {
    pub(crate) session: Session,
    /// Problems so far, without calls that have no result yet.
    pub(crate) problems: Vec<Problem>,
    pub(crate) pairer: CallPairer,
    pub(crate) replies: BTreeMap<Arc<str>, MessageIdx>,
    pub(crate) tip: BranchTip,
}

impl BuiltBranch {
    pub(crate) fn build(log: &EventLog, leaf: Option<EventIdx>, history: History, tools: &ToolTable) -> Self {
        let mut problems = Vec::new();
        let (path, cuts, mut tip) = branch_of(log, leaf, &mut problems);
        let mut builder = SessionBuilder::new(log, &path, tools);
        let begins_elsewhere = path.first().is_some_and(|first| match &log.record(*first).parent {
            Parent::Entry(parent) | Parent::Woven(parent) => log.find_record(parent).is_none(),
            Parent::Root | Parent::Previous | Parent::Outside => false,
        });
        for idx in path {
            if history != History::Full && cuts.contains(&idx) {
                builder.cut_history(idx);
            }
            builder.add_event(idx, history, &mut problems);
        }
        tip.note_unknown(&problems);
        builder.finish(tip, begins_elsewhere, problems)
    }

    pub(crate) fn all_problems(&self) -> Vec<Problem> {
        let mut problems = self.problems.clone();
        self.pairer.report_unanswered(&self.session, &mut problems);
        problems
    }

    pub(crate) fn into_session(self) -> (Session, Vec<Problem>) {
        let Self { session, mut problems, pairer, .. } = self;
        pairer.report_unanswered(&session, &mut problems);
        (session, problems)
    }
}
