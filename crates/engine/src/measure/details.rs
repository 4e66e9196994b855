//! Details: files, commands and numbers, each with the blocks that say it.
//!
//! A *file* counts if a call or a message of the human or the model names its path. A *command* is a shell command line
//! that the agent ran. A *number* is one that may be rare ([`super::NumberUse`]), told by any text. Reasoning says
//! nothing, because most requests do not hold it any more.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use strum::{Display, IntoStaticStr, VariantArray};

use crate::material::names::hash;
use crate::material::numbers::each_number;
use crate::tool::normal::{MAX_NAME, join_path, normal_command, normal_path};
use crate::tool::shell::{FileWord, is_path_like};
use crate::tool::words::{each_patched, each_path};
use crate::{
    Argument, ArgumentRole, BlockIdx, BlockKind, CallReading, MessageClass, NameKind, Session, ToolClass,
    shell_commands,
};

/// Maximum number of files and of numbers that one block says.
const MAX_SAID: usize = 200;
const MAX_KNOWN: usize = 1 << 18;

/// The last four kinds are lines of the [digest](crate::digest_lines).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray, Display)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
#[strum(serialize_all = "snake_case")]
pub enum DetailKind {
    File,
    Command,
    Number,
    /// The telling line of a failing result.
    Error,
    /// A sentence in which the model states a choice or a reason.
    Decision,
    /// A sentence in which the human states a rule.
    Constraint,
    /// An unfinished item of the newest task list, or a question without an answer.
    OpenItem,
}

impl DetailKind {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Saying {
    pub block: BlockIdx,
    /// True if a call of the agent, or its words, name the detail, rather than contain it somewhere.
    pub is_named: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    pub kind: DetailKind,
    pub text: Arc<str>,
    /// Blocks in log order, each once.
    pub said: Vec<Saying>,
}

#[derive(Debug)]
pub struct DetailsBuilder<'a> {
    session: &'a Session,
    cwd: String,
    known: BTreeMap<u64, (DetailKind, Arc<str>)>,
    said: Vec<(u64, Saying)>,
}

impl<'a> DetailsBuilder<'a> {
    pub fn new(session: &'a Session, cwd: Option<&str>) -> Self {
        let cwd = cwd.and_then(|cwd| normal_path(cwd, "")).unwrap_or_default();
        Self { session, cwd, known: BTreeMap::new(), said: Vec::new() }
    }

    pub fn add_block(&mut self, block: BlockIdx, text: &str, reading: Option<&CallReading<'_>>) {
        let Some(row) = self.session.blocks.get(block.at()) else { return };
        let message = self.session.message_of(block);
        match (&row.kind, reading) {
            (BlockKind::Call(_), Some(reading)) => self.add_call(block, reading),
            (BlockKind::Result(_), _) => self.add_text(block, text, false),
            (BlockKind::Text, _) => {
                let is_reply = message.class == MessageClass::Assistant && !message.added;
                if is_reply || message.is_typed() {
                    self.add_named_paths(block, text);
                }
                self.add_text(block, text, is_reply);
            }
            _ => {}
        }
    }

    pub fn finish(mut self) -> Vec<Detail> {
        self.said.sort_unstable_by_key(|(hash, saying)| (*hash, saying.block, !saying.is_named));
        self.said.dedup_by_key(|(hash, saying)| (*hash, saying.block));
        let mut details: Vec<Detail> = self
            .said
            .chunk_by(|(one, _), (other, _)| one == other)
            .filter_map(|sayings| {
                let (kind, text) = self.known.get(&sayings.first()?.0)?;
                let said = sayings.iter().map(|(_, saying)| *saying).collect();
                Some(Detail { kind: *kind, text: text.clone(), said })
            })
            .collect();
        details.sort_by(|one, other| (one.kind, &one.text).cmp(&(other.kind, &other.text)));
        details
    }

    fn add_call(&mut self, block: BlockIdx, reading: &CallReading<'_>) {
        let class = self.session.blocks[block.at()].class.unwrap_or(ToolClass::Other);
        for Argument { role, text } in &reading.arguments {
            match role {
                // The path of a search is most often a folder.
                ArgumentRole::Path
                    if matches!(class, ToolClass::Read | ToolClass::Write) || is_file_word(text) =>
                {
                    self.name_path(block, text);
                }
                ArgumentRole::Path => {}
                ArgumentRole::Text | ArgumentRole::Command => {
                    each_patched(text, |path| self.name_path(block, path));
                }
            }
            self.add_text(block, text, true);
        }
        let line = reading.command_line().filter(|_| class == ToolClass::Shell);
        let Some((line, command)) = line.and_then(|line| Some((normal_command(&line, &self.cwd)?, line)))
        else {
            return;
        };
        if line.text.len() <= MAX_NAME {
            self.learn(DetailKind::Command, &line.text);
            self.say(DetailKind::Command, &line.text, block, true);
        }
        for part in shell_commands(&command).filter(|part| part.program_name().as_deref() != Some("cd")) {
            part.each_file(|word| {
                let (FileWord::Read(path) | FileWord::Named(path)) = word;
                if matches!(word, FileWord::Read(_)) || is_file_word(path) {
                    self.name_path(block, &join_path(&line.folder, path));
                }
            });
        }
    }

    fn add_named_paths(&mut self, block: BlockIdx, text: &str) {
        each_path(text, |word| {
            if word.contains('/') && is_file_word(word) {
                self.name_path(block, word);
            }
        });
    }

    fn name_path(&mut self, block: BlockIdx, path: &str) {
        if let Some(path) = normal_path(path, &self.cwd).filter(|path| path != ".") {
            self.learn(DetailKind::File, &path);
            self.say(DetailKind::File, &path, block, true);
        }
    }

    fn add_text(&mut self, block: BlockIdx, text: &str, is_named: bool) {
        let mut n_left = MAX_SAID;
        each_path(text, |word| {
            if n_left > 0
                && is_path_like(word)
                && let Some(path) = normal_path(word, &self.cwd)
            {
                n_left -= 1;
                self.say(DetailKind::File, &path, block, false);
            }
        });
        let mut n_left = MAX_SAID;
        each_number(text, |digits, _| {
            if n_left > 0 {
                n_left -= 1;
                self.learn(DetailKind::Number, digits);
                self.say(DetailKind::Number, digits, block, is_named);
            }
        });
    }

    fn learn(&mut self, kind: DetailKind, text: &str) {
        if self.known.len() < MAX_KNOWN {
            self.known.entry(print_of(kind, text)).or_insert_with(|| (kind, text.to_string().into()));
        }
    }

    fn say(&mut self, kind: DetailKind, text: &str, block: BlockIdx, is_named: bool) {
        self.said.push((print_of(kind, text), Saying { block, is_named }));
    }
}

fn print_of(kind: DetailKind, text: &str) -> u64 {
    match kind {
        DetailKind::File => hash(NameKind::Path, text),
        DetailKind::Command => hash(NameKind::Command, text),
        _ => hash(NameKind::Symbol, text),
    }
}

fn is_file_word(word: &str) -> bool {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-@+[]~:".contains(&byte) || byte >= 0x80;
    let name = word.rsplit('/').next().unwrap_or_default();
    let name = name.trim_end_matches(|c: char| c == ':' || c.is_ascii_digit());
    // `main..HEAD` is a range of commits.
    word.bytes().all(is_usual) && is_path_like(name) && !name.contains("..")
}
