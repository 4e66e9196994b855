//! A log's current branch as recorded, with its graph, kept up to date as the log grows.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::{EventLog, GraphTimeline, GrowingSession, GrowingTimeline, History, Problem, Session, ToolTable};

/// Session and timeline of a log's current branch, by the agent's own marks.
#[derive(Debug, Clone)]
pub struct GrowingBranch {
    session: GrowingSession,
    timeline: GrowingTimeline,
}

impl GrowingBranch {
    pub fn build(log: &EventLog, tools: ToolTable) -> Self {
        let session = GrowingSession::build(log, History::AsRecorded, tools);
        Self { timeline: GrowingTimeline::build(session.session()), session }
    }

    /// Goes on to the end of `log`, which begins with all records so far.
    pub fn extend(&mut self, log: &EventLog) {
        let change = self.session.extend(log);
        self.timeline.extend(self.session.session(), change);
    }

    /// Returns the branch at the end of `log`, which may have more records than this one.
    pub fn extended(&self, log: &EventLog) -> Cow<'_, Self> {
        if self.n_events() == log.events().len() {
            return Cow::Borrowed(self);
        }
        let mut longer = self.clone();
        longer.extend(log);
        Cow::Owned(longer)
    }

    /// Counts the records so far.
    pub fn n_events(&self) -> usize {
        self.session.n_events()
    }

    pub fn session(&self) -> &Session {
        self.session.session()
    }

    pub fn timeline(&self) -> &GraphTimeline {
        self.timeline.timeline()
    }

    /// Returns the problems of log and branch.
    pub fn session_problems(&self) -> Vec<Problem> {
        self.session.problems()
    }

    /// Returns the protocol rules that the agent's marks break.
    pub fn mark_problems(&self) -> Vec<Problem> {
        self.timeline.problems(self.session())
    }
}
