//! Turn facts, collected from blocks.

use alloc::vec::Vec;

use super::cue::Cues;
use super::effect::{Effect, Effects};
use super::facts::{BlockFacts, Facts, FileFact, HumanFacts, TaskFacts};
use crate::{BlockIdx, BlockKind, MessageClass, Session};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TurnFacts {
    pub effects: Effects,
    pub n_calls: u16,
    pub n_looks: u16,
    pub failed: bool,
    pub out_bytes: u32,
    pub text_bytes: u32,
    pub reasoning_bytes: u32,
    pub cues: Cues,
    pub reasoning_cues: Cues,
    pub human: Option<HumanFacts>,
    pub harness: bool,
    pub compacted: bool,
    pub interrupted: bool,
    pub tasks_created: u8,
    pub tasks_started: u8,
    pub tasks_done: u8,
    pub leaves_plan: bool,
    pub delegates_writing: bool,
    pub read: Vec<FileFact>,
    pub edited: Vec<FileFact>,
    pub files: Vec<FileFact>,
    /// Hashed words in texts and arguments, sorted.
    pub words: Vec<u32>,
    /// Hashed identifiers the turn uses, sorted.
    pub used: Vec<u32>,
    /// Hashed identifiers in results, sorted.
    pub held: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TurnBlocks {
    pub(super) first: BlockIdx,
    pub(super) last: BlockIdx,
}

pub(super) fn turns_of(session: &Session, facts: &Facts) -> (Vec<TurnFacts>, Vec<TurnBlocks>) {
    let (mut turns, mut places): (Vec<TurnFacts>, Vec<TurnBlocks>) = (Vec::new(), Vec::new());
    let mut next = TurnFacts::default();
    let mut of_message: Vec<Option<usize>> = alloc::vec![None; session.messages.len()];
    let mut list: Option<TaskFacts> = None;
    let mut replies = session.turns.iter().filter_map(|turn| turn.message).peekable();
    for (number, message) in session.messages.iter().enumerate() {
        if !message.form.is_sent() {
            continue;
        }
        let is_reply = replies.next_if(|reply| reply.at() == number).is_some();
        let blocks = message.blocks.clone().map(BlockIdx::new);
        if is_reply && !message.blocks.is_empty() {
            turns.push(core::mem::take(&mut next));
            let (first, last) = (BlockIdx::new(message.blocks.start), BlockIdx::new(message.blocks.end - 1));
            places.push(TurnBlocks { first, last });
            of_message[number] = Some(turns.len() - 1);
        }
        for block in blocks {
            let Some(known) = facts.block_facts(block) else { continue };
            let row = &session.blocks[block.at()];
            match message.class {
                MessageClass::Assistant if !message.added => {
                    if let Some(turn) = of_message[number].and_then(|at| turns.get_mut(at)) {
                        turn.add_reply(known, &row.kind, &mut list);
                    }
                }
                MessageClass::Tool => {
                    let asked = row.pair.and_then(|call| of_message[session.blocks[call.at()].message.at()]);
                    let at = asked.or(turns.len().checked_sub(1));
                    if let Some(at) = at.filter(|_| row.stands_for.is_none()) {
                        turns[at].add_result(known, &row.kind);
                        places[at].last = places[at].last.max(block);
                    }
                }
                MessageClass::User | MessageClass::Injected | MessageClass::Summary => {
                    next.add_before_reply(known, message.class);
                }
                MessageClass::Assistant | MessageClass::System => {}
            }
        }
    }
    turns.iter_mut().for_each(TurnFacts::sort_names);
    (turns, places)
}

impl TurnFacts {
    fn add_before_reply(&mut self, known: &BlockFacts, class: MessageClass) {
        self.compacted |= known.compacts;
        self.interrupted |= known.interrupts;
        if known.interrupts || known.n_bytes == 0 {
            return;
        }
        if class != MessageClass::User || known.compacts {
            self.harness = true;
            return;
        }
        let HumanFacts { n_bytes, approves, .. } =
            self.human.unwrap_or(HumanFacts { approves: true, ..HumanFacts::default() });
        self.human = Some(HumanFacts {
            n_bytes: n_bytes.saturating_add(known.n_bytes),
            approves: approves && known.approves,
            asks: known.asks,
        });
    }

    fn add_reply(&mut self, known: &BlockFacts, kind: &BlockKind, list: &mut Option<TaskFacts>) {
        match kind {
            BlockKind::Text => {
                self.text_bytes = self.text_bytes.saturating_add(known.n_bytes);
                self.cues.0 |= known.cues.0;
            }
            BlockKind::Reasoning => {
                self.reasoning_bytes = self.reasoning_bytes.saturating_add(known.n_bytes);
                self.reasoning_cues.0 |= known.cues.0;
            }
            BlockKind::Call(_) => {
                let effects = known.effects;
                self.n_calls = self.n_calls.saturating_add(1);
                let looks = [Effect::Look, Effect::Delegate, Effect::Run, Effect::Ask, Effect::GitLook];
                let works = [Effect::Edit, Effect::Publish, Effect::Mutate];
                let only_looks = effects.has_any(&looks) && !effects.has_any(&works);
                self.n_looks = self.n_looks.saturating_add(u16::from(only_looks));
                self.effects.0 |= effects.0;
                self.delegates_writing |= known.delegates_writing;
                self.leaves_plan |= known.leaves_plan;
                if let Some(tasks) = known.tasks {
                    self.add_tasks(tasks, list);
                }
                if effects.contains(Effect::Edit) {
                    self.edited.extend_from_slice(&known.files);
                }
                if effects.contains(Effect::Look) {
                    self.read.extend_from_slice(&known.files);
                }
                self.files.extend_from_slice(&known.files);
            }
            BlockKind::Result(_) | BlockKind::Image | BlockKind::Opaque => {}
        }
        self.words.extend_from_slice(&known.words);
        self.used.extend_from_slice(&known.used);
    }

    fn add_tasks(&mut self, tasks: TaskFacts, list: &mut Option<TaskFacts>) {
        if !tasks.is_list {
            self.tasks_created = self.tasks_created.saturating_add(tasks.n_items);
            self.tasks_started = self.tasks_started.saturating_add(tasks.n_started);
            self.tasks_done = self.tasks_done.saturating_add(tasks.n_done);
            return;
        }
        let before = list.replace(tasks).unwrap_or_default();
        let is_new = before.n_items == 0 || tasks.n_done < before.n_done;
        self.tasks_created = self.tasks_created.saturating_add(u8::from(is_new));
        let is_started = tasks.n_started > 0 && (before.current != tasks.current || before.n_started == 0);
        self.tasks_started = self.tasks_started.saturating_add(u8::from(is_started));
        let n_done = if is_new { 0 } else { tasks.n_done.saturating_sub(before.n_done) };
        self.tasks_done = self.tasks_done.saturating_add(n_done);
    }

    fn add_result(&mut self, known: &BlockFacts, kind: &BlockKind) {
        self.out_bytes = self.out_bytes.saturating_add(known.n_bytes);
        self.failed |= matches!(kind, BlockKind::Result(result) if !result.ok);
        self.held.extend_from_slice(&known.held);
    }

    fn sort_names(&mut self) {
        for hashes in [&mut self.words, &mut self.used, &mut self.held] {
            hashes.sort_unstable();
            hashes.dedup();
        }
        for files in [&mut self.read, &mut self.edited, &mut self.files] {
            files.sort_unstable();
            files.dedup();
        }
    }
}
