//! Facts: all that inference knows of a session, in numbers, turn by turn.
//!
//! The facts of a block depend on nothing but the block, so that a follower of a log need not read a text twice.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::cue::{Cues, approves, asks, cues_of, end_of, start_of, tells_of_compaction};
use super::effect::{Effect, Effects, effects_of_call};
use super::naming::{finding_in, headline_of};
use crate::measure::{each_patched, each_path, each_symbol, normal_path};
use crate::shell::FileWord;
use crate::{
    ArgumentRole, BlockIdx, BlockKind, CallReading, MessageClass, Session, SessionBlock, ToolClass,
    shell_commands,
};

/// The most files, words, symbols that a block gives.
const MAX_FILES: usize = 16;
const MAX_WORDS: usize = 96;
const MAX_USED: usize = 96;
const MAX_HELD: usize = 192;

/// A file that a block names: hashes of its name and of the two folders above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileFact {
    /// The file's name.
    pub name: u32,
    /// The last two folders of its path; 0 without any.
    pub folder: u32,
}

/// A change to the agent's own list of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TaskFacts {
    /// The call writes down a whole list.
    pub is_list: bool,
    /// Items that are added, or the length of the list.
    pub n_items: u8,
    /// Items that are being worked on.
    pub n_started: u8,
    /// Items that are done.
    pub n_done: u8,
    /// A hash of the item that is being worked on.
    pub current: u32,
}

/// The facts of one block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlockFacts {
    n_bytes: u32,
    effects: Effects,
    cues: Cues,
    /// Of a human message: it only approves; it asks. Of any: it says that a compaction was.
    approves: bool,
    asks: bool,
    compacts: bool,
    interrupts: bool,
    /// A call that asks a subagent to write.
    delegates_writing: bool,
    leaves_plan: bool,
    tasks: Option<TaskFacts>,
    files: Box<[FileFact]>,
    words: Box<[u32]>,
    used: Box<[u32]>,
    held: Box<[u32]>,
    /// The first words of the agent's text, for a name.
    pub(super) headline: Option<Arc<str>>,
    /// The sentence in which the agent says what it found.
    pub(super) finding: Option<Arc<str>>,
    /// The name of the first file of a call.
    pub(super) file: Option<Arc<str>>,
}

impl BlockFacts {
    /// Makes the facts of a call that is known by its effects and its files alone.
    pub fn of_deed(effects: Effects, files: &[FileFact]) -> Self {
        Self { effects, files: files.into(), ..Self::default() }
    }

    /// Makes the facts of a human's words.
    pub fn of_human(human: HumanFacts) -> Self {
        let HumanFacts { n_bytes, approves, asks } = human;
        Self { n_bytes, approves, asks, ..Self::default() }
    }

    /// Works out the facts of a block from its row, the class of its message, its text and, of a call, its arguments.
    pub fn of(
        row: &SessionBlock,
        class: MessageClass,
        text: &str,
        reading: Option<&CallReading<'_>>,
    ) -> Self {
        let n_bytes = u32::try_from(text.trim().len()).unwrap_or(u32::MAX);
        let facts = Self { n_bytes, ..Self::default() };
        match (&row.kind, class) {
            (BlockKind::Call(call), _) => {
                facts.of_call(&call.name, row.class.unwrap_or(ToolClass::Other), text, reading)
            }
            (BlockKind::Result(_), _) => Self { held: symbols(start_of(text, 24_000), MAX_HELD), ..facts },
            (BlockKind::Text, MessageClass::Assistant) => Self {
                cues: cues_of(text),
                words: words_of([start_of(text, 600)].into_iter()),
                used: symbols(start_of(text, 4000), MAX_USED),
                headline: headline_of(text),
                finding: finding_in(text),
                ..facts
            },
            (BlockKind::Reasoning, _) => Self { cues: cues_of(end_of(text, 600)), ..facts },
            (BlockKind::Text, MessageClass::User | MessageClass::Injected | MessageClass::Summary) => Self {
                approves: approves(text),
                asks: asks(text),
                compacts: class == MessageClass::Summary || tells_of_compaction(text),
                interrupts: text.starts_with("[Request interrupted"),
                ..facts
            },
            _ => facts,
        }
    }

    /// Works out the part of the facts that rules of quality read: the effects and the files of a call, and the human's words.
    pub fn of_deeds(
        row: &SessionBlock,
        class: MessageClass,
        text: &str,
        reading: Option<&CallReading<'_>>,
    ) -> Self {
        let facts = Self { n_bytes: u32::try_from(text.trim().len()).unwrap_or(u32::MAX), ..Self::default() };
        match (&row.kind, class) {
            (BlockKind::Call(call), _) => {
                facts.of_files(&call.name, row.class.unwrap_or(ToolClass::Other), text, reading)
            }
            (BlockKind::Text, MessageClass::User | MessageClass::Injected | MessageClass::Summary) => {
                Self { approves: approves(text), asks: asks(text), ..facts }
            }
            _ => facts,
        }
    }

    /// Adds the effects of a call and the files that it names.
    fn of_files(self, name: &str, class: ToolClass, text: &str, reading: Option<&CallReading<'_>>) -> Self {
        let effects = effects_of_call(name, class, reading);
        let arguments = || reading.into_iter().flat_map(|reading| &reading.arguments);
        let mut files = Files::default();
        if !effects.has(Effect::Tasks) {
            for argument in arguments() {
                match argument.role {
                    ArgumentRole::Path => files.add(&argument.text),
                    ArgumentRole::Text if effects.has(Effect::Edit) => files.of_patch(&argument.text),
                    ArgumentRole::Command | ArgumentRole::Text => {}
                }
            }
            if let Some(line) = reading.and_then(CallReading::command_line) {
                files.of_patch(&line);
                for command in shell_commands(&line) {
                    command.each_file(|word| match word {
                        FileWord::Read(path) | FileWord::Named(path) => files.add(path),
                    });
                }
            }
        }
        let is_plain = !arguments().any(|argument| argument.role == ArgumentRole::Path);
        if is_plain && effects.has(Effect::Look) && class != ToolClass::Shell {
            each_path(start_of(text, 600), |path| files.add(path));
        }
        Self { effects, file: files.first, files: files.found.into_boxed_slice(), ..self }
    }

    fn of_call(self, name: &str, class: ToolClass, text: &str, reading: Option<&CallReading<'_>>) -> Self {
        let facts = self.of_files(name, class, text, reading);
        let effects = facts.effects;
        let tool = name.rsplit("__").next().unwrap_or(name).to_ascii_lowercase();
        let texts =
            || reading.into_iter().flat_map(|reading| &reading.arguments).map(|argument| &*argument.text);
        let mut said = String::new();
        for text in texts() {
            said.push_str(start_of(text, 1500));
            said.push(' ');
        }
        Self {
            delegates_writing: effects.has(Effect::Delegate) && delegates_writing(&said),
            leaves_plan: tool == "exitplanmode" || tool == "exit_plan_mode",
            tasks: effects.has(Effect::Tasks).then(|| tasks_of(&tool, reading)).flatten(),
            words: words_of([start_of(&said, 1500)].into_iter()),
            used: symbols(start_of(text, 6000), MAX_USED),
            ..facts
        }
    }
}

/// The files that a call names.
#[derive(Default)]
struct Files {
    found: Vec<FileFact>,
    first: Option<Arc<str>>,
}

impl Files {
    fn add(&mut self, path: &str) {
        let Some(path) = normal_path(path, "") else { return };
        let path = path.trim_end_matches('/');
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name.is_empty() || self.found.len() == MAX_FILES {
            return;
        }
        let mut folders = above.rsplit('/');
        let (last, before) = (folders.next().unwrap_or_default(), folders.next().unwrap_or_default());
        let folder = if above.is_empty() { 0 } else { hash(last) ^ hash(before).rotate_left(7) };
        let file = FileFact { name: hash(name), folder };
        if !self.found.contains(&file) {
            self.found.push(file);
        }
        // No episode is about `/dev/null`.
        if self.first.is_none() && above != "/dev" {
            self.first = Some(start_of(name, 48).into());
        }
    }

    /// Adds the files of a patch.
    fn of_patch(&mut self, text: &str) {
        each_patched(text, |path| self.add(path));
    }
}

/// Tells whether a task for a subagent is to write rather than to look.
fn delegates_writing(said: &str) -> bool {
    let lead = start_of(said, 240).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lead.contains(word));
    has(&["implement", "fix", "creat", "write", "add ", "updat", "refactor", "execut", "build"])
        && !has(&["explor", "research", "review", "analy", "investigat", "find", "check", "understand"])
}

/// Understands a call that keeps the list of tasks.
fn tasks_of(tool: &str, reading: Option<&CallReading<'_>>) -> Option<TaskFacts> {
    let texts = || reading.into_iter().flat_map(|reading| &reading.arguments).map(|argument| &*argument.text);
    let count = |states: &[&str]| {
        let n = texts().filter(|text| states.contains(text)).count();
        u8::try_from(n).unwrap_or(u8::MAX)
    };
    let (n_started, n_done) = (count(&["in_progress"]), count(&["completed", "cancelled"]));
    let n_waiting = count(&["pending"]);
    match tool {
        "taskcreate" => Some(TaskFacts { n_items: 1, ..TaskFacts::default() }),
        "taskupdate" => Some(TaskFacts { n_started, n_done, ..TaskFacts::default() }),
        _ if n_started + n_done + n_waiting > 0 => {
            let all: Vec<&str> = texts().collect();
            let at = all.iter().position(|text| *text == "in_progress");
            // The item's own words stand before its state, or behind it.
            let near = at.map(|at| all[at.saturating_sub(1).min(at)]);
            let n_items = n_started.saturating_add(n_done).saturating_add(n_waiting);
            Some(TaskFacts { is_list: true, n_items, n_started, n_done, current: near.map_or(0, hash) })
        }
        _ => None,
    }
}

/// Returns the hashes of the words of texts: four letters, digits and `_` or more, in small letters.
fn words_of<'a>(texts: impl Iterator<Item = &'a str>) -> Box<[u32]> {
    let mut found = Vec::new();
    for text in texts {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let is_word = |word: &&str| word.len() > 3 && !word.as_bytes()[0].is_ascii_digit();
        found.extend(words.filter(is_word).take(4 * MAX_WORDS).map(|word| hash(&word.to_ascii_lowercase())));
    }
    set_of(found, MAX_WORDS)
}

/// Returns the hashes of the identifiers of a text.
fn symbols(text: &str, n_most: usize) -> Box<[u32]> {
    let mut found = Vec::new();
    each_symbol(text, |word| {
        if found.len() < 8 * n_most {
            found.push(hash(word));
        }
    });
    set_of(found, n_most)
}

fn set_of(mut found: Vec<u32>, n_most: usize) -> Box<[u32]> {
    found.sort_unstable();
    found.dedup();
    found.truncate(n_most);
    found.into_boxed_slice()
}

/// FNV-1a.
pub(super) fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The facts of all blocks of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    blocks: Vec<Arc<BlockFacts>>,
}

impl Facts {
    /// Puts the facts of the blocks of a session together, in their order.
    pub fn new(blocks: Vec<Arc<BlockFacts>>) -> Self {
        Self { blocks }
    }

    pub(super) fn block(&self, block: BlockIdx) -> Option<&BlockFacts> {
        self.blocks.get(block.at()).map(|facts| &**facts)
    }

    /// Returns the effects of a call.
    pub fn effects_of(&self, block: BlockIdx) -> Effects {
        self.block(block).map(|facts| facts.effects).unwrap_or_default()
    }

    /// Returns the files that a call names.
    pub(crate) fn files_of(&self, block: BlockIdx) -> &[FileFact] {
        self.block(block).map_or(&[], |facts| &facts.files)
    }

    /// Returns what is known of a human's words.
    pub(crate) fn human(&self, block: BlockIdx) -> Option<HumanFacts> {
        let BlockFacts { n_bytes, approves, asks, .. } = *self.block(block)?;
        Some(HumanFacts { n_bytes, approves, asks })
    }
}

/// Collects the facts of the blocks of a session.
#[derive(Debug)]
pub struct FactsBuilder<'a> {
    session: &'a Session,
    facts: Facts,
}

impl<'a> FactsBuilder<'a> {
    /// Begins.
    pub fn new(session: &'a Session) -> Self {
        let nothing = Arc::new(BlockFacts::default());
        Self { session, facts: Facts { blocks: alloc::vec![nothing; session.blocks.len()] } }
    }

    /// Takes note of a block: its counted text and, for a call, its arguments.
    pub fn block(&mut self, block: BlockIdx, text: &str, reading: Option<&CallReading<'_>>) {
        let Some(row) = self.session.blocks.get(block.at()) else { return };
        let class = self.session.message_of(block).class;
        self.facts.blocks[block.at()] = Arc::new(BlockFacts::of(row, class, text, reading));
    }

    /// Returns the facts.
    pub fn finish(self) -> Facts {
        self.facts
    }
}

/// The human's words before a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HumanFacts {
    /// How long they are, bytes.
    pub n_bytes: u32,
    /// They only approve.
    pub approves: bool,
    /// They end with a question.
    pub asks: bool,
}

/// The facts of one turn: the human's words before a request, the reply, and the results that answer it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TurnFacts {
    /// The effects of its calls.
    pub effects: Effects,
    /// How many calls it makes, and how many of them only look.
    pub n_calls: u16,
    /// Calls that look and change nothing.
    pub n_looks: u16,
    /// A result reports a failure.
    pub failed: bool,
    /// The size of its results, bytes.
    pub out_bytes: u32,
    /// The size of the agent's words, bytes.
    pub text_bytes: u32,
    /// The size of its reasoning, bytes.
    pub reasoning_bytes: u32,
    /// The cues of its words.
    pub cues: Cues,
    /// The cues of its reasoning.
    pub reasoning_cues: Cues,
    /// The human's words before it.
    pub human: Option<HumanFacts>,
    /// The harness put words before it.
    pub harness: bool,
    /// A compaction was before it.
    pub compacted: bool,
    /// The human interrupted before it.
    pub interrupted: bool,
    /// Items of the list of tasks that it creates.
    pub tasks_created: u8,
    /// Items that it starts.
    pub tasks_started: u8,
    /// Items that it finishes.
    pub tasks_done: u8,
    /// It leaves the mode in which it only plans.
    pub leaves_plan: bool,
    /// It asks a subagent to write.
    pub delegates_writing: bool,
    /// The files that it looks at.
    pub read: Vec<FileFact>,
    /// The files that it edits.
    pub edited: Vec<FileFact>,
    /// All files that it names.
    pub files: Vec<FileFact>,
    /// The words of its texts and arguments, as hashes, sorted.
    pub words: Vec<u32>,
    /// The identifiers that it uses, as hashes, sorted.
    pub used: Vec<u32>,
    /// The identifiers in its results, as hashes, sorted.
    pub held: Vec<u32>,
}

/// A turn's blocks: its reply's first block, and the last block of it or of a result that answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TurnBlocks {
    pub(super) first: BlockIdx,
    pub(super) last: BlockIdx,
}

/// Puts the facts of blocks together, turn by turn; turns without a block of their own are left out.
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
            let Some(known) = facts.block(block) else { continue };
            let row = &session.blocks[block.at()];
            match message.class {
                MessageClass::Assistant if !message.added => {
                    if let Some(turn) = of_message[number].and_then(|at| turns.get_mut(at)) {
                        turn.reply(known, &row.kind, &mut list);
                    }
                }
                MessageClass::Tool => {
                    let asked = row.pair.and_then(|call| of_message[session.blocks[call.at()].message.at()]);
                    let at = asked.or(turns.len().checked_sub(1));
                    if let Some(at) = at.filter(|_| row.stands_for.is_none()) {
                        turns[at].result(known, &row.kind);
                        places[at].last = places[at].last.max(block);
                    }
                }
                MessageClass::User | MessageClass::Injected | MessageClass::Summary => {
                    next.before(known, message.class);
                }
                MessageClass::Assistant | MessageClass::System => {}
            }
        }
    }
    turns.iter_mut().for_each(TurnFacts::sort);
    (turns, places)
}

impl TurnFacts {
    fn before(&mut self, known: &BlockFacts, class: MessageClass) {
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

    fn reply(&mut self, known: &BlockFacts, kind: &BlockKind, list: &mut Option<TaskFacts>) {
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
                    self.tasks(tasks, list);
                }
                if effects.has(Effect::Edit) {
                    self.edited.extend_from_slice(&known.files);
                }
                if effects.has(Effect::Look) {
                    self.read.extend_from_slice(&known.files);
                }
                self.files.extend_from_slice(&known.files);
            }
            BlockKind::Result(_) | BlockKind::Image | BlockKind::Opaque => {}
        }
        self.words.extend_from_slice(&known.words);
        self.used.extend_from_slice(&known.used);
    }

    fn tasks(&mut self, tasks: TaskFacts, list: &mut Option<TaskFacts>) {
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

    fn result(&mut self, known: &BlockFacts, kind: &BlockKind) {
        self.out_bytes = self.out_bytes.saturating_add(known.n_bytes);
        self.failed |= matches!(kind, BlockKind::Result(result) if !result.ok);
        self.held.extend_from_slice(&known.held);
    }

    fn sort(&mut self) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_episode_is_called_after_a_file_and_not_after_a_device() {
        let mut files = Files::default();
        files.add("/dev/null");
        assert_eq!(files.first, None);
        files.add("src/parser.rs");
        assert_eq!(files.first.as_deref(), Some("parser.rs"));
    }
}
