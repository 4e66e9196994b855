//! Names: everything blocks hold, and later blocks that use it.
//!
//! A *path* is held by the result of a call that read the file, a *command* by the result of
//! running it (for a search: the tool and its arguments), and a *symbol*, an identifier of at
//! least six characters that first appeared in a result, by every result with it. A call's
//! arguments and the model's words use the names they contain. Text inserted by a harness in place
//! of an output holds nothing. A call that edits *changes* its files.
//!
//! Everything comes from the log alone: a use does not consider whether the file changed since,
//! and a symbol may be a plain word the model would have used anyway.
//!
//! Limits keep the cost linear in the log's length: [`MAX_NEW`] new symbols per text, [`MAX_USES`]
//! uses per block, [`MAX_GOT`] paths and commands per call, and [`MAX_HELD`] names in total.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::hash::{BuildHasherDefault, Hasher};
use core::ops::Range;

use indexmap::IndexMap;
use indexmap::map::Entry;

use crate::infer::effects_of_call;
use crate::material::is_code;
use crate::tool::normal::{MAX_NAME, join_path, normal_command, normal_path};
use crate::tool::shell::{FileWord, is_path_like};
use crate::tool::words::{each_command, each_patched, each_path, each_symbol};
use crate::{
    Argument, ArgumentRole, BlockIdx, BlockKind, CallReading, Effect, FileChange, LostNames, MessageClass,
    Name, NameKind, ReplacementCause, Role, Session, ToolClass, Use, shell_commands,
};

const MAX_NEW: usize = 2048;
const MAX_USES: usize = 128;
const MAX_GOT: usize = 32;
/// Maximum number of known names, including symbols that are not tracked.
const MAX_HELD: usize = 1 << 20;
const MAX_LOST: usize = 64;

#[derive(Debug)]
pub struct NamesBuilder<'a> {
    session: &'a Session,
    cwd: String,
    known: NameIndex,
    got: BTreeMap<BlockIdx, Vec<u32>>,
    names: Vec<Name>,
    uses: Vec<Use>,
    n_uses_left: usize,
    lost: Vec<LostNames>,
    n_replaced: usize,
    changes: Vec<FileChange>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundNames {
    pub names: Vec<Name>,
    pub uses: Vec<Use>,
    pub changes: Vec<FileChange>,
    pub lost: Vec<LostNames>,
}

impl<'a> NamesBuilder<'a> {
    pub fn new(session: &'a Session, cwd: Option<&str>) -> Self {
        Self {
            session,
            cwd: cwd.and_then(|cwd| normal_path(cwd, "")).unwrap_or_default(),
            known: NameIndex::default(),
            got: BTreeMap::new(),
            names: Vec::new(),
            uses: Vec::new(),
            n_uses_left: 0,
            lost: Vec::new(),
            n_replaced: 0,
            changes: Vec::new(),
        }
    }

    /// Adds a block with its counted text and, for a call, its arguments. Blocks never added do
    /// not exist.
    pub fn add_block(&mut self, block: BlockIdx, text: &str, reading: Option<&CallReading<'_>>) {
        let Some(row) = self.session.blocks.get(block.at()) else { return };
        self.count_lost(row.message.at());
        let message = self.session.message_of(block);
        let is_reply = message.role == Role::Assistant && !message.added;
        self.n_uses_left = if is_reply { MAX_USES } else { 0 };
        match &row.kind {
            BlockKind::Call(call) => {
                if let Some(reading) = reading {
                    self.add_call(block, &call.name, reading);
                }
            }
            BlockKind::Result(_) if row.stands_for.is_none() => return self.add_result(block, text),
            BlockKind::Text if message.class == MessageClass::Assistant => {
                self.paths_in(block, text);
                each_command(text, |line| {
                    if self.n_uses_left == 0 {
                        return;
                    }
                    let Some(command) = normal_command(line, &self.cwd) else { return };
                    self.uses_name(NameKind::Command, &command.text, block, None);
                });
                self.symbols_in(block, text);
            }
            BlockKind::Text | BlockKind::Result(_) | BlockKind::Reasoning => {}
            BlockKind::Image | BlockKind::Opaque => return,
        }
        let mut n_new = 0;
        each_symbol(text, |word| self.known.note_mention(word, &mut n_new));
    }

    pub fn finish(mut self) -> FoundNames {
        self.count_lost(usize::MAX);
        self.uses.sort_by_key(|one| one.by);
        let Self { names, uses, mut changes, lost, .. } = self;
        changes.sort_by_key(|one| (one.by, one.name));
        changes.dedup();
        FoundNames { names, uses, changes, lost }
    }

    fn count_lost(&mut self, message: usize) {
        let session = self.session;
        while let Some(one) = session.replacements.get(self.n_replaced).filter(|one| one.at <= message) {
            if one.cause == ReplacementCause::Compaction {
                let mut is_taken = alloc::vec![false; session.blocks.len()];
                one.drops.iter().for_each(|block| is_taken[block.at()] = true);
                let lost = self.known.held_by(|holder| is_taken[holder.at()]);
                self.lost.push(LostNames { replacement: place_of(self.n_replaced), ..lost });
            }
            self.n_replaced += 1;
        }
    }

    fn add_call(&mut self, block: BlockIdx, tool: &str, reading: &CallReading<'_>) {
        let class = self.session.blocks[block.at()].class.unwrap_or(ToolClass::Other);
        let edits = effects_of_call(tool, class, Some(reading)).contains(Effect::Edit);
        // A search's name consists of all its arguments.
        let is_search = class == ToolClass::Search;
        let mut asked = if is_search { String::from(tool) } else { String::new() };
        for Argument { role, text } in &reading.arguments {
            let is_command = class == ToolClass::Shell && *role == ArgumentRole::Command;
            let path = if *role == ArgumentRole::Path { normal_path(text, &self.cwd) } else { None };
            if is_search && asked.len() <= MAX_NAME {
                asked.push(' ');
                asked.push_str(path.as_deref().unwrap_or(text));
            }
            match path {
                Some(path) if matches!(class, ToolClass::Read | ToolClass::Other) => {
                    self.note_acquisition(NameKind::Path, &path, block);
                }
                Some(path) => self.uses_name(NameKind::Path, &path, block, None),
                None if is_command => {}
                None => self.paths_in(block, text),
            }
            self.symbols_in(block, text);
            if edits {
                match role {
                    ArgumentRole::Path => self.edits_file(text, block),
                    ArgumentRole::Text | ArgumentRole::Command => {
                        each_patched(text, |path| self.edits_file(path, block));
                    }
                }
            }
        }
        match class {
            ToolClass::Shell => {
                if let Some(line) = reading.command_line() {
                    let folder = self.add_command(block, &line);
                    self.add_files(block, &line, &folder, edits);
                }
            }
            ToolClass::Search => drop(self.add_command(block, &asked)),
            ToolClass::Read | ToolClass::Write | ToolClass::Delimiter | ToolClass::Other => {}
        }
    }

    fn add_command(&mut self, block: BlockIdx, line: &str) -> String {
        let Some(command) = normal_command(line, &self.cwd) else { return String::new() };
        if command.text.len() <= MAX_NAME {
            self.note_acquisition(NameKind::Command, &command.text, block);
        }
        command.folder
    }

    fn add_files(&mut self, block: BlockIdx, line: &str, folder: &str, edits: bool) {
        for command in shell_commands(line).filter(|command| command.program_name().as_deref() != Some("cd"))
        {
            command.each_file(|word| {
                let (FileWord::Read(path) | FileWord::Named(path)) = word;
                // A command with redirected output changes only its target; other commands change
                // the files they name.
                let is_changed = match word {
                    FileWord::Read(_) => false,
                    FileWord::Named(path) => !command.writes || command.targets.iter().any(|to| to == path),
                };
                let path = join_path(folder, path);
                if edits && is_changed {
                    self.edits_file(&path, block);
                }
                let Some(path) = normal_path(&path, &self.cwd) else { return };
                match word {
                    FileWord::Read(_) => self.note_acquisition(NameKind::Path, &path, block),
                    FileWord::Named(_) => self.uses_name(NameKind::Path, &path, block, None),
                }
            });
        }
    }

    fn add_result(&mut self, block: BlockIdx, text: &str) {
        let row = &self.session.blocks[block.at()];
        if let Some(got) = row.pair.and_then(|call| self.got.get(&call))
            && self.is_got(block)
        {
            got.iter().for_each(|name| self.known.names[*name as usize].holder = Some(block));
        }
        let mut n_new = 0;
        each_symbol(text, |word| self.known.note_in_result(word, block, &mut n_new));
    }

    fn is_got(&self, result: BlockIdx) -> bool {
        let row = &self.session.blocks[result.at()];
        matches!(&row.kind, BlockKind::Result(result) if result.ok || row.class == Some(ToolClass::Shell))
    }

    fn note_acquisition(&mut self, kind: NameKind, text: &str, call: BlockIdx) {
        let again = self.session.blocks[call.at()].pair.filter(|result| self.is_got(*result));
        self.uses_name(kind, text, call, again);
        let Some(name) = self.known.add_name(kind, text) else { return };
        let got = self.got.entry(call).or_default();
        if got.len() < MAX_GOT && !got.contains(&name) {
            got.push(name);
        }
    }

    fn edits_file(&mut self, path: &str, by: BlockIdx) {
        let Some(path) = normal_path(path, &self.cwd) else { return };
        let Some(place) = self.known.find_name(NameKind::Path, &path) else { return };
        if self.known.names[place as usize].holder.is_some() {
            let name = self.place_of_used(place, NameKind::Path, &path);
            self.changes.push(FileChange { name, by });
        }
    }

    fn place_of_used(&mut self, place: u32, kind: NameKind, text: &str) -> u32 {
        *self.known.names[place as usize].listed.get_or_insert_with(|| {
            self.names.push(Name { kind, text: Arc::from(text) });
            place_of(self.names.len() - 1)
        })
    }

    fn paths_in(&mut self, block: BlockIdx, text: &str) {
        each_path(text, |word| {
            if self.n_uses_left > 0
                && is_path_like(word)
                && let Some(path) = normal_path(word, &self.cwd)
            {
                self.uses_name(NameKind::Path, &path, block, None);
            }
        });
    }

    fn symbols_in(&mut self, block: BlockIdx, text: &str) {
        each_symbol(text, |word| {
            if self.n_uses_left > 0 {
                self.uses_name(NameKind::Symbol, word, block, None);
            }
        });
    }

    fn uses_name(&mut self, kind: NameKind, text: &str, by: BlockIdx, again: Option<BlockIdx>) {
        let Some(place) = self.known.find_name(kind, text) else { return };
        let row = &mut self.known.names[place as usize];
        let Some(held) = row.holder else { return };
        let message = |block: BlockIdx| self.session.blocks[block.at()].message;
        // A parallel call may be logged after another call's result.
        if message(held) >= message(by) {
            return;
        }
        if let Some(last) = row.used.and_then(|used| self.uses.get_mut(used as usize))
            && message(last.by) == message(by)
            && last.held == held
        {
            last.again = last.again.or(again);
            return;
        }
        if self.n_uses_left == 0 {
            return;
        }
        self.n_uses_left -= 1;
        let name = self.place_of_used(place, kind, text);
        self.known.names[place as usize].used = Some(place_of(self.uses.len()));
        self.uses.push(Use { name, by, held, again });
    }
}

fn place_of(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[derive(Debug, Default)]
struct NameIndex {
    /// Keyed by hash in insertion order. If two names collide, only the first is tracked.
    names: IndexMap<u64, KnownName, BuildHasherDefault<AsHashed>>,
    texts: String,
}

#[derive(Debug, Default)]
struct AsHashed(u64);

impl Hasher for AsHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[derive(Debug)]
struct KnownName {
    kind: NameKind,
    text: Range<u32>,
    /// `None` for a symbol that first appeared outside a result.
    holder: Option<BlockIdx>,
    listed: Option<u32>,
    used: Option<u32>,
}

impl NameIndex {
    fn find_name(&self, kind: NameKind, text: &str) -> Option<u32> {
        let (place, _, row) = self.names.get_full(&hash(kind, text))?;
        let known = &self.texts[row.text.start as usize..row.text.end as usize];
        (row.kind == kind && known == text).then(|| place_of(place))
    }

    fn add_name(&mut self, kind: NameKind, text: &str) -> Option<u32> {
        let n_held = self.names.len();
        let Entry::Vacant(entry) = self.names.entry(hash(kind, text)) else {
            return self.find_name(kind, text);
        };
        if n_held >= MAX_HELD {
            return None;
        }
        let start = place_of(self.texts.len());
        self.texts.push_str(text);
        let text = start..place_of(self.texts.len());
        entry.insert(KnownName { kind, text, holder: None, listed: None, used: None });
        Some(place_of(n_held))
    }

    fn held_by(&self, is_meant: impl Fn(BlockIdx) -> bool) -> LostNames {
        let mut lost = LostNames::default();
        let mut paths = Vec::new();
        for row in self.names.values() {
            let Some(holder) = row.holder.filter(|holder| is_meant(*holder)) else { continue };
            match row.kind {
                NameKind::Path => paths.push((Reverse(holder), row.text.clone())),
                NameKind::Command => lost.n_commands += 1,
                NameKind::Symbol if is_code(&self.texts[row.text.start as usize..row.text.end as usize]) => {
                    lost.n_symbols += 1;
                }
                NameKind::Symbol => {}
            }
        }
        paths.sort_unstable_by_key(|(holder, text)| (*holder, text.start));
        lost.n_paths = place_of(paths.len());
        let texts = paths.into_iter().take(MAX_LOST);
        lost.paths =
            texts.map(|(_, text)| Arc::from(&self.texts[text.start as usize..text.end as usize])).collect();
        lost
    }

    fn note_mention(&mut self, word: &str, n_new: &mut usize) {
        if *n_new < MAX_NEW && !self.names.contains_key(&hash(NameKind::Symbol, word)) {
            *n_new += 1;
            self.add_name(NameKind::Symbol, word);
        }
    }

    fn note_in_result(&mut self, word: &str, block: BlockIdx, n_new: &mut usize) {
        if let Some(place) = self.find_name(NameKind::Symbol, word) {
            let row = &mut self.names[place as usize];
            // A symbol that first appeared outside a result never gets a holder.
            row.holder = row.holder.map(|_| block);
        } else if *n_new < MAX_NEW
            && let Some(place) = self.add_name(NameKind::Symbol, word)
        {
            *n_new += 1;
            self.names[place as usize].holder = Some(block);
        }
    }
}

/// Hashes a name eight bytes at a time; the same on every machine.
pub(crate) fn hash(kind: NameKind, text: &str) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| {
        let mixed = (hash ^ word).wrapping_mul(FACTOR);
        mixed ^ mixed >> 32
    };
    let (eights, rest) = text.as_bytes().as_chunks::<8>();
    let last = rest.iter().fold(text.len() as u64, |last, byte| last << 8 | u64::from(*byte));
    let words = eights.iter().map(|eight| u64::from_le_bytes(*eight)).chain([last]);
    words.fold(mix(0, kind as u64 + 1), mix).wrapping_mul(FACTOR)
}
