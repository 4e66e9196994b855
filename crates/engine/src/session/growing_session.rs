//! A session that grows with its log: new records go on from where it was, unless one of them changes what came before.

use alloc::vec::Vec;

use crate::log::branch_tip::BranchStep;
use crate::session::built_branch::BuiltBranch;
use crate::session::session_builder::{MessageDraft, append_message, latest_usage, stated_total};
use crate::session::{is_requested, new_block};
use crate::{
    EventBody, EventIdx, EventLog, History, Message, MessageIdx, Problem, Role, Session, ToolTable, Turn,
    UsageReport, UsageScope,
};

/// The session always equals [`Session::build`] over the whole log. A branch, a compaction, a rewrite or a
/// part of an earlier reply rebuilds the session; any other record costs what it adds.
#[derive(Debug, Clone)]
pub struct GrowingSession {
    tools: ToolTable,
    history: History,
    n_events: usize,
    branch: BuiltBranch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionChange {
    /// Blocks before this position are as they were, and so are all messages before the first of these blocks.
    From(usize),
    Rebuilt,
}

impl GrowingSession {
    pub fn build(log: &EventLog, history: History, tools: ToolTable) -> Self {
        let branch = BuiltBranch::build(log, None, history, &tools);
        Self { tools, history, n_events: log.events().len(), branch }
    }

    pub fn session(&self) -> &Session {
        &self.branch.session
    }

    pub(crate) fn n_events(&self) -> usize {
        self.n_events
    }

    pub fn problems(&self) -> Vec<Problem> {
        self.branch.all_problems()
    }

    /// `log` begins with all records so far.
    pub fn extend(&mut self, log: &EventLog) -> SessionChange {
        let first = self.branch.session.blocks.len();
        let mut changed = first;
        for at in self.n_events..log.events().len() {
            match self.add_record(log, EventIdx::new(at)) {
                Some(from) => changed = changed.min(from),
                None => {
                    self.branch = BuiltBranch::build(log, None, self.history, &self.tools);
                    self.n_events = log.events().len();
                    return SessionChange::Rebuilt;
                }
            }
        }
        self.n_events = self.n_events.max(log.events().len());
        SessionChange::From(changed)
    }

    /// Adds one record and returns the first block that it changes; `None` if it changes history.
    fn add_record(&mut self, log: &EventLog, idx: EventIdx) -> Option<usize> {
        let event = log.record(idx);
        let n_blocks = self.branch.session.blocks.len();
        let step = self.branch.tip.step(log, idx);
        if step == BranchStep::ChangesHistory {
            return None;
        }
        let changed = match &event.body {
            EventBody::Message(message) if step == BranchStep::Continues => {
                self.add_message(log, idx, message)?
            }
            EventBody::Usage(report) if step == BranchStep::Continues => {
                self.add_report(report);
                n_blocks
            }
            _ => n_blocks,
        };
        self.branch.session.totals.extend(stated_total(event));
        Some(changed)
    }

    fn add_report(&mut self, report: &UsageReport) {
        let messages = &mut self.branch.session.messages;
        if report.of == UsageScope::Reply
            && let Some(at) = messages.iter().rposition(|said| said.role == Role::Assistant && !said.added)
        {
            messages[at].usage = latest_usage(messages[at].usage, report.usage);
        }
    }

    fn add_message(&mut self, log: &EventLog, idx: EventIdx, message: &Message) -> Option<usize> {
        let BuiltBranch { session, problems, pairer, replies, .. } = &mut self.branch;
        let first = session.blocks.len();
        let known = message.reply.as_ref().and_then(|reply| replies.get(reply).copied());
        if let Some(known) = known {
            if known.at() + 1 != session.messages.len() {
                return None;
            }
            add_part(session, log, (idx, known), message)?;
        } else {
            let at = MessageIdx::new(session.messages.len());
            if let Some(reply) = message.reply.as_ref().filter(|_| message.role == Role::Assistant) {
                replies.insert(reply.clone(), at);
            }
            session.turns.pop();
            append_message(session, log, &MessageDraft::new(idx, message, 0), &[]);
            session.turns.push(Turn { message: None, end: session.messages.len() });
        }
        Some(pairer.add_blocks(session, first, &self.tools, problems))
    }
}

/// Adds a part of the last reply; `None` if the reply begins or ceases to be a request by it.
fn add_part(
    session: &mut Session,
    log: &EventLog,
    (idx, known): (EventIdx, MessageIdx),
    message: &Message,
) -> Option<()> {
    let reply = &session.messages[known.at()];
    if is_requested(reply.author, reply.outcome) != is_requested(reply.author, message.outcome) {
        return None;
    }
    for (part, block) in (0u32..).zip(&message.blocks) {
        session.blocks.push(new_block(log, idx, part, block, known, None));
    }
    let end = session.blocks.len();
    let reply = &mut session.messages[known.at()];
    reply.blocks.end = end;
    reply.outcome = message.outcome;
    reply.usage = latest_usage(reply.usage, message.usage);
    Some(())
}
