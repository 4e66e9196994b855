//! A log's current branch as recorded, with its graph, kept up to date as the log grows.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::{EventLog, GraphTimeline, GrowingSession, GrowingTimeline, History, Problem, Session, ToolTable};

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

    /// `log` begins with all records so far.
    pub fn extend(&mut self, log: &EventLog) {
        let change = self.session.extend(log);
        self.timeline.extend(self.session.session(), change);
    }

    pub fn extended(&self, log: &EventLog) -> Cow<'_, Self> {
        if self.n_events() == log.events().len() {
            return Cow::Borrowed(self);
        }
        let mut longer = self.clone();
        longer.extend(log);
        Cow::Owned(longer)
    }

    pub fn n_events(&self) -> usize {
        self.session.n_events()
    }

    pub fn session(&self) -> &Session {
        self.session.session()
    }

    pub fn timeline(&self) -> &GraphTimeline {
        self.timeline.timeline()
    }

    pub fn session_problems(&self) -> Vec<Problem> {
        self.session.problems()
    }

    pub fn mark_problems(&self) -> Vec<Problem> {
        self.timeline.problems(self.session())
    }
}
