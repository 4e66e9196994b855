//! Facts: everything inference knows about a session's blocks, as numbers.
//!
//! A block's facts depend only on the block, so a follower of a log reads each text once.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::cue::{Cues, cues_of, end_of, is_approval, is_question, start_of, tells_of_compaction};
use super::effect::{Effect, Effects, effects_of_call};
use super::naming::{finding_in, headline_of, intent_in};
use crate::tool::normal::normal_path;
use crate::tool::shell::FileWord;
use crate::tool::words::{each_patched, each_path, each_symbol};
use crate::{
    ArgumentRole, BlockIdx, BlockKind, CallReading, MessageClass, Session, SessionBlock, ToolClass,
    shell_commands,
};

const MAX_FILES: usize = 16;
const MAX_WORDS: usize = 96;
const MAX_USED: usize = 96;
const MAX_HELD: usize = 192;

/// A file named by a block: hashes of `name` and of the two folders above.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileFact {
    pub name: u32,
    pub folder: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TaskFacts {
    pub is_list: bool,
    pub n_items: u8,
    pub n_started: u8,
    pub n_done: u8,
    pub current: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlockFacts {
    pub(super) n_bytes: u32,
    pub(super) effects: Effects,
    pub(super) cues: Cues,
    pub(super) approves: bool,
    pub(super) asks: bool,
    pub(super) compacts: bool,
    pub(super) interrupts: bool,
    pub(super) delegates_writing: bool,
    pub(super) leaves_plan: bool,
    pub(super) tasks: Option<TaskFacts>,
    pub(super) files: Box<[FileFact]>,
    pub(super) words: Box<[u32]>,
    pub(super) used: Box<[u32]>,
    pub(super) held: Box<[u32]>,
    pub(super) headline: Option<Arc<str>>,
    /// A sentence of reasoning about the next step, for a name if there is no text.
    pub(super) intent: Option<Arc<str>>,
    pub(super) finding: Option<Arc<str>>,
    pub(super) file: Option<Arc<str>>,
}

impl BlockFacts {
    pub fn of_deed(effects: Effects, files: &[FileFact]) -> Self {
        Self { effects, files: files.into(), ..Self::default() }
    }

    pub fn of_human(human: HumanFacts) -> Self {
        let HumanFacts { n_bytes, approves, asks } = human;
        Self { n_bytes, approves, asks, ..Self::default() }
    }

    pub fn from_block(
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
            (BlockKind::Result(_), _) => {
                Self { held: symbol_hashes(start_of(text, 24_000), MAX_HELD), ..facts }
            }
            (BlockKind::Text, MessageClass::Assistant) => Self {
                cues: cues_of(text),
                words: words_of([start_of(text, 600)].into_iter()),
                used: symbol_hashes(start_of(text, 4000), MAX_USED),
                headline: headline_of(text),
                finding: finding_in(text),
                ..facts
            },
            (BlockKind::Reasoning, _) => {
                let end = end_of(text, 600);
                Self { cues: cues_of(end), intent: intent_in(end), ..facts }
            }
            (BlockKind::Text, MessageClass::User | MessageClass::Injected | MessageClass::Summary) => Self {
                approves: is_approval(text),
                asks: is_question(text),
                compacts: class == MessageClass::Summary || tells_of_compaction(text),
                interrupts: text.starts_with("[Request interrupted"),
                ..facts
            },
            _ => facts,
        }
    }

    /// Computes only the facts quality rules need: effects and files for calls, words for the human.
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
                Self { approves: is_approval(text), asks: is_question(text), ..facts }
            }
            _ => facts,
        }
    }

    fn of_files(self, name: &str, class: ToolClass, text: &str, reading: Option<&CallReading<'_>>) -> Self {
        let effects = effects_of_call(name, class, reading);
        let arguments = || reading.into_iter().flat_map(|reading| &reading.arguments);
        let mut files = Files::default();
        if !effects.contains(Effect::Tasks) {
            for argument in arguments() {
                match argument.role {
                    ArgumentRole::Path => files.add_path(&argument.text),
                    ArgumentRole::Text if effects.contains(Effect::Edit) => files.of_patch(&argument.text),
                    ArgumentRole::Command | ArgumentRole::Text => {}
                }
            }
            if let Some(line) = reading.and_then(CallReading::command_line) {
                files.of_patch(&line);
                for command in shell_commands(&line) {
                    command.each_file(|word| match word {
                        FileWord::Read(path) | FileWord::Named(path) => files.add_path(path),
                    });
                }
            }
        }
        let is_plain = !arguments().any(|argument| argument.role == ArgumentRole::Path);
        if is_plain && effects.contains(Effect::Look) && class != ToolClass::Shell {
            each_path(start_of(text, 600), |path| files.add_path(path));
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
            delegates_writing: effects.contains(Effect::Delegate) && delegates_writing(&said),
            leaves_plan: tool == "exitplanmode" || tool == "exit_plan_mode",
            tasks: effects.contains(Effect::Tasks).then(|| tasks_of(&tool, reading)).flatten(),
            words: words_of([start_of(&said, 1500)].into_iter()),
            used: symbol_hashes(start_of(text, 6000), MAX_USED),
            ..facts
        }
    }
}

#[derive(Default)]
struct Files {
    found: Vec<FileFact>,
    first: Option<Arc<str>>,
}

impl Files {
    fn add_path(&mut self, path: &str) {
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
        // `/dev/null` is never an episode's subject.
        if self.first.is_none() && above != "/dev" {
            self.first = Some(start_of(name, 48).into());
        }
    }

    fn of_patch(&mut self, text: &str) {
        each_patched(text, |path| self.add_path(path));
    }
}

fn delegates_writing(said: &str) -> bool {
    let lead = start_of(said, 240).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lead.contains(word));
    has(&["implement", "fix", "creat", "write", "add ", "updat", "refactor", "execut", "build"])
        && !has(&["explor", "research", "review", "analy", "investigat", "find", "check", "understand"])
}

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
            // The item's text is next to its state.
            let near = at.map(|at| all[at.saturating_sub(1).min(at)]);
            let n_items = n_started.saturating_add(n_done).saturating_add(n_waiting);
            Some(TaskFacts { is_list: true, n_items, n_started, n_done, current: near.map_or(0, hash) })
        }
        _ => None,
    }
}

fn words_of<'a>(texts: impl Iterator<Item = &'a str>) -> Box<[u32]> {
    let mut found = Vec::new();
    for text in texts {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let is_word = |word: &&str| word.len() > 3 && !word.as_bytes()[0].is_ascii_digit();
        found.extend(words.filter(is_word).take(4 * MAX_WORDS).map(|word| hash(&word.to_ascii_lowercase())));
    }
    set_of(found, MAX_WORDS)
}

fn symbol_hashes(text: &str, n_most: usize) -> Box<[u32]> {
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

pub(super) fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HumanFacts {
    pub n_bytes: u32,
    pub approves: bool,
    pub asks: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    blocks: Vec<Arc<BlockFacts>>,
}

impl Facts {
    pub fn new(blocks: Vec<Arc<BlockFacts>>) -> Self {
        Self { blocks }
    }

    pub(super) fn block_facts(&self, block: BlockIdx) -> Option<&BlockFacts> {
        self.blocks.get(block.at()).map(|facts| &**facts)
    }

    pub fn effects_of(&self, block: BlockIdx) -> Effects {
        self.block_facts(block).map(|facts| facts.effects).unwrap_or_default()
    }

    pub(crate) fn files_of(&self, block: BlockIdx) -> &[FileFact] {
        self.block_facts(block).map_or(&[], |facts| &facts.files)
    }

    pub(crate) fn human_facts(&self, block: BlockIdx) -> Option<HumanFacts> {
        let BlockFacts { n_bytes, approves, asks, .. } = *self.block_facts(block)?;
        Some(HumanFacts { n_bytes, approves, asks })
    }
}

#[derive(Debug)]
pub struct FactsBuilder<'a> {
    session: &'a Session,
    facts: Facts,
}

impl<'a> FactsBuilder<'a> {
    pub fn new(session: &'a Session) -> Self {
        let nothing = Arc::new(BlockFacts::default());
        Self { session, facts: Facts { blocks: alloc::vec![nothing; session.blocks.len()] } }
    }

    pub fn add_block(&mut self, block: BlockIdx, text: &str, reading: Option<&CallReading<'_>>) {
        let Some(row) = self.session.blocks.get(block.at()) else { return };
        let class = self.session.message_of(block).class;
        self.facts.blocks[block.at()] = Arc::new(BlockFacts::from_block(row, class, text, reading));
    }

    pub fn finish(self) -> Facts {
        self.facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_episode_is_called_after_a_file_and_not_after_a_device() {
        let mut files = Files::default();
        files.add_path("/dev/null");
        assert_eq!(files.first, None);
        files.add_path("src/parser.rs");
        assert_eq!(files.first.as_deref(), Some("parser.rs"));
    }
}
