//! Work: what each turn did, in terms two sessions of the same task share.
//!
//! A *unit* of work is a call, the human's words before a request, an episode mark, or a reply
//! without calls. Two units are equal if they have the same effect on the same files with the same
//! outcome; calls without files must have the same command or arguments. Paths are relative to the
//! session's folder, so copies of a project compare. Texts are compared too but never align units,
//! since two models use different words.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::infer::effects_of_call;
use crate::tool::normal::{join_path, normal_command, normal_path};
use crate::tool::shell::FileWord;
use crate::tool::words::each_patched;
use crate::{
    ArgumentRole, BlockIdx, BlockKind, CallReading, Effect, Material, MessageClass, Session, ToolClass,
    TurnIdx, shell_commands,
};

const MAX_FILES: usize = 16;
/// Characters kept per unit, enough to show where similar ones differ.
const KEPT_CHARS: usize = 2000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkKind {
    Human,
    Mark,
    Call(Effect),
    Reply,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkUnit {
    pub turn: TurnIdx,
    pub kind: WorkKind,
    /// Files, command or words in one line, at most 2,000 characters.
    pub what: Arc<str>,
    pub block: BlockIdx,
    pub ok: bool,
    /// Hash of the work; units with equal keys are equal, whatever their texts.
    pub key: u64,
    print: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionWork {
    /// In turn order; each turn with a reply has at least one if the session has a block.
    pub units: Vec<WorkUnit>,
    /// Hash of each turn's other texts: the reply's own words, and harness text before it.
    said: Vec<u64>,
}

impl SessionWork {
    pub fn unit_keys(&self) -> Vec<u64> {
        self.units.iter().map(|unit| unit.key).collect()
    }

    pub fn n_calls(&self) -> usize {
        self.units.iter().filter(|unit| matches!(unit.kind, WorkKind::Call(_))).count()
    }

    pub fn n_edits(&self) -> usize {
        self.units.iter().filter(|unit| unit.kind == WorkKind::Call(Effect::Edit)).count()
    }

    /// Counts looking calls before the first edit, or all looking calls if there is no edit.
    pub fn n_looks_before_edit(&self) -> usize {
        let before = self.units.iter().take_while(|unit| unit.kind != WorkKind::Call(Effect::Edit));
        before.filter(|unit| matches!(unit.kind, WorkKind::Call(Effect::Look | Effect::GitLook))).count()
    }

    pub fn first_edit(&self) -> Option<TurnIdx> {
        self.units.iter().find(|unit| unit.kind == WorkKind::Call(Effect::Edit)).map(|unit| unit.turn)
    }

    pub fn of_turn(&self, turn: TurnIdx) -> &[WorkUnit] {
        let first = self.units.partition_point(|unit| unit.turn < turn);
        let end = self.units.partition_point(|unit| unit.turn <= turn);
        &self.units[first..end]
    }

    pub(super) fn said_at(&self, turn: TurnIdx) -> u64 {
        self.said.get(turn.at()).copied().unwrap_or_default()
    }
}

impl WorkUnit {
    /// Makes a unit without texts; white space in `what` does not matter.
    pub fn new(turn: TurnIdx, kind: WorkKind, what: &str, block: BlockIdx, ok: bool) -> Self {
        let tag = match kind {
            WorkKind::Human => 1,
            WorkKind::Mark => 2,
            WorkKind::Reply => 3,
            WorkKind::Call(effect) => 16 + effect as u64,
        };
        let mut key = mix_text(BASIS, "") ^ (2 * tag + u64::from(ok));
        let mut shown = String::new();
        for word in what.split_whitespace() {
            key = mix_text(key, word);
            if shown.len() < 4 * KEPT_CHARS {
                if !shown.is_empty() {
                    shown.push(' ');
                }
                shown.push_str(word);
            }
        }
        let mut chars = shown.chars().filter(|c| !c.is_control());
        let mut line: String = chars.by_ref().take(KEPT_CHARS).collect();
        if chars.next().is_some() {
            line.push('…');
        }
        Self { turn, kind, what: line.into(), block, ok, key, print: key }
    }

    pub(super) fn reads_as(&self, other: &Self) -> bool {
        self.print == other.print
    }
}

/// Lists the results that reacquired an earlier result's path or command without a change to it in
/// between, in log order. Independent of any policy.
pub fn got_again(material: &Material) -> Vec<BlockIdx> {
    let changed = |name: u32, from: BlockIdx, to: BlockIdx| {
        let since = material.changes.partition_point(|change| change.by < from);
        let until = material.changes[since..].iter().take_while(|change| change.by < to);
        until.into_iter().any(|change| change.name == name)
    };
    let again = material.uses.iter().filter(|one| !changed(one.name, one.held, one.by));
    let mut found: Vec<BlockIdx> = again.filter_map(|one| one.again).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[derive(Debug)]
pub struct WorkBuilder<'a> {
    session: &'a Session,
    cwd: String,
    units: Vec<WorkUnit>,
    said: Vec<u64>,
    calls: BTreeMap<BlockIdx, usize>,
}

impl<'a> WorkBuilder<'a> {
    pub fn new(session: &'a Session, cwd: Option<&str>) -> Self {
        Self {
            session,
            cwd: cwd.and_then(|cwd| normal_path(cwd, "")).unwrap_or_default(),
            units: Vec::new(),
            said: alloc::vec![0; session.turns.len()],
            calls: BTreeMap::new(),
        }
    }

    pub fn add_block(&mut self, block: BlockIdx, text: &str, reading: Option<&CallReading<'_>>) {
        let Some(row) = self.session.blocks.get(block.at()) else { return };
        let message = self.session.message_of(block);
        let class = message.class;
        let after = self.session.turn_after(row.message);
        let of_reply = TurnIdx::new(after.number().saturating_sub(1).max(1));
        match (&row.kind, class) {
            (BlockKind::Call(call), _) if row.stands_for.is_none() => {
                let kind = match row.class {
                    Some(ToolClass::Delimiter) => WorkKind::Mark,
                    class => {
                        let effects = effects_of_call(&call.name, class.unwrap_or(ToolClass::Other), reading);
                        WorkKind::Call(effects.first().unwrap_or(Effect::Run))
                    }
                };
                let what = self.what_of(kind, row.class, text, reading);
                let answer = row.pair.map(|result| &self.session.blocks[result.at()].kind);
                let ok = !matches!(answer, Some(BlockKind::Result(result)) if !result.ok);
                self.calls.insert(block, self.units.len());
                self.add_unit(of_reply, kind, &what, block, ok, text);
            }
            (BlockKind::Result(_), _) if row.stands_for.is_none() => {
                match row.pair.and_then(|call| self.calls.get(&call)) {
                    Some(unit) => {
                        let print = &mut self.units[*unit].print;
                        *print = mix_text(*print, text);
                    }
                    None => self.add_saying(of_reply, text),
                }
            }
            (BlockKind::Text, MessageClass::User) if !message.added && !text.trim().is_empty() => {
                self.add_unit(after, WorkKind::Human, text, block, true, text);
            }
            (_, MessageClass::Assistant | MessageClass::Tool) => self.add_saying(of_reply, text),
            _ => self.add_saying(after, text),
        }
    }

    pub fn finish(mut self) -> SessionWork {
        let mut has_unit = alloc::vec![false; self.said.len()];
        for unit in self.units.iter().filter(|unit| unit.kind != WorkKind::Human) {
            if let Some(has) = has_unit.get_mut(unit.turn.at()) {
                *has = true;
            }
        }
        for (at, turn) in self.session.turns.iter().enumerate() {
            let Some(message) = turn.message.filter(|_| !has_unit[at]) else { continue };
            // A reply without blocks stands at the last block, if nothing follows it; without any block nothing
            // can be shown.
            let Some(last) = self.session.blocks.len().checked_sub(1) else { break };
            let first = BlockIdx::new(self.session.messages[message.at()].blocks.start.min(last));
            self.add_unit(TurnIdx::from_position(at), WorkKind::Reply, "", first, true, "");
        }
        // A parallel call may be logged after another call's result; the human speaks before the
        // reply.
        self.units.sort_by_key(|unit| (unit.turn, unit.kind != WorkKind::Human));
        SessionWork { units: self.units, said: self.said }
    }

    fn add_unit(&mut self, turn: TurnIdx, kind: WorkKind, what: &str, block: BlockIdx, ok: bool, text: &str) {
        let mut unit = WorkUnit::new(turn, kind, what, block, ok);
        unit.print = mix_text(unit.print, text);
        self.units.push(unit);
    }

    fn add_saying(&mut self, turn: TurnIdx, text: &str) {
        if let Some(said) = self.said.get_mut(turn.at()) {
            *said = mix_text(*said, text);
        }
    }

    fn what_of(
        &self,
        kind: WorkKind,
        class: Option<ToolClass>,
        text: &str,
        reading: Option<&CallReading<'_>>,
    ) -> String {
        let Some(reading) = reading else { return String::from(text) };
        let line = reading.command_line().filter(|_| class == Some(ToolClass::Shell));
        let by_files = matches!(kind, WorkKind::Call(Effect::Look | Effect::Edit))
            && class != Some(ToolClass::Search)
            && line.as_deref().is_none_or(|line| !is_search(line));
        let files = if by_files { self.files_of_call(reading, line.as_deref()) } else { Vec::new() };
        if !files.is_empty() {
            return files.join(" ");
        }
        if let Some(command) = line.and_then(|line| normal_command(&line, &self.cwd)) {
            return command.text;
        }
        let mut words = String::new();
        for argument in &reading.arguments {
            let path = match argument.role {
                ArgumentRole::Path => normal_path(&argument.text, &self.cwd),
                ArgumentRole::Command | ArgumentRole::Text => None,
            };
            words.push_str(path.as_deref().unwrap_or(&argument.text));
            words.push(' ');
        }
        words
    }

    fn files_of_call(&self, reading: &CallReading<'_>, line: Option<&str>) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        let mut add = |path: &str| {
            if let Some(path) = normal_path(path, &self.cwd).filter(|_| files.len() < MAX_FILES) {
                files.push(path);
            }
        };
        for argument in &reading.arguments {
            match argument.role {
                ArgumentRole::Path => add(&argument.text),
                ArgumentRole::Text => each_patched(&argument.text, &mut add),
                ArgumentRole::Command => {}
            }
        }
        if let Some(line) = line {
            let folder = normal_command(line, &self.cwd).map(|command| command.folder).unwrap_or_default();
            each_patched(line, &mut add);
            for command in shell_commands(line).filter(|one| one.program_name().as_deref() != Some("cd")) {
                command.each_file(|word| {
                    let (FileWord::Read(path) | FileWord::Named(path)) = word;
                    add(&join_path(&folder, path));
                });
            }
        }
        files.sort_unstable();
        files.dedup();
        files
    }
}

fn is_search(line: &str) -> bool {
    const SEARCHES: [&str; 6] = ["rg", "grep", "git grep", "ag", "find", "fd"];
    shell_commands(line).any(|one| one.program_name().is_some_and(|program| SEARCHES.contains(&&*program)))
}

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// Adds `text` to a hash (FNV-1a) with an end marker, so `a b` and `ab` differ.
fn mix_text(figure: u64, text: &str) -> u64 {
    let step = |figure: u64, byte: u8| (figure ^ u64::from(byte)).wrapping_mul(PRIME);
    step(text.bytes().fold(figure, step), 0xff)
}
