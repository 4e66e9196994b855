//! Numbers: facts about marked sessions, turn by turn, without any text.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, anyhow};
use cwl_engine::{
    BlockIdx, BlockKind, Cues, Effect, Effects, EventLog, Facts, FileFact, FoundNames, History, HumanFacts,
    NameKind, NamesBuilder, NumbersBuilder, Session, TurnFacts, turn_facts,
};
use cwl_formats::Format;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Numbers {
    pub session: String,
    pub turns: Vec<Turn>,
}

/// One turn's [`TurnFacts`], with names as small numbers and the turn's lines in the log.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Turn {
    pub first: u64,
    pub last: u64,
    #[serde(skip_serializing_if = "is_default")]
    effects: u16,
    #[serde(skip_serializing_if = "is_default")]
    n_calls: u16,
    #[serde(skip_serializing_if = "is_default")]
    n_looks: u16,
    #[serde(skip_serializing_if = "is_default")]
    out_bytes: u32,
    #[serde(skip_serializing_if = "is_default")]
    text_bytes: u32,
    #[serde(skip_serializing_if = "is_default")]
    reasoning_bytes: u32,
    #[serde(skip_serializing_if = "is_default")]
    cues: u16,
    #[serde(skip_serializing_if = "is_default")]
    reasoning_cues: u16,
    /// Bytes, approves, asks.
    #[serde(skip_serializing_if = "is_default")]
    human: Option<(u32, bool, bool)>,
    /// failed, harness, compacted, interrupted, leaves_plan, delegates_writing.
    #[serde(skip_serializing_if = "is_default")]
    flags: [u8; 6],
    /// Created, started, done.
    #[serde(skip_serializing_if = "is_default")]
    tasks: [u8; 3],
    #[serde(skip_serializing_if = "is_default")]
    read: Vec<(u32, u32)>,
    #[serde(skip_serializing_if = "is_default")]
    edited: Vec<(u32, u32)>,
    #[serde(skip_serializing_if = "is_default")]
    files: Vec<(u32, u32)>,
    #[serde(skip_serializing_if = "is_default")]
    words: Vec<u32>,
    #[serde(skip_serializing_if = "is_default")]
    used: Vec<u32>,
    #[serde(skip_serializing_if = "is_default")]
    held: Vec<u32>,
    #[serde(skip_serializing_if = "is_default")]
    pub uses: Vec<UseNumbers>,
}

/// Turn that held the used name, kind (an index into [`UseKind::ALL`]), number of the name, and 1 if it was
/// reacquired.
pub(crate) type UseNumbers = (u32, u8, u32, u8);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UseKind {
    Path,
    Command,
    /// An identifier in code notation.
    Symbol,
    /// An identifier that may be an ordinary word.
    Word,
    /// An identifier from a failed result.
    Error,
    Number,
    Edited,
}

impl UseKind {
    pub(crate) const ALL: [Self; 7] =
        [Self::Path, Self::Command, Self::Symbol, Self::Word, Self::Error, Self::Number, Self::Edited];
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Turn {
    pub(crate) fn facts(&self) -> TurnFacts {
        let is = |at: usize| self.flags[at] != 0;
        let files = |pairs: &[(u32, u32)]| -> Vec<FileFact> {
            let mut files: Vec<FileFact> =
                pairs.iter().map(|&(name, folder)| FileFact { name, folder }).collect();
            files.sort_unstable();
            files
        };
        let human = self.human.map(|(n_bytes, approves, asks)| HumanFacts { n_bytes, approves, asks });
        TurnFacts {
            effects: Effects(self.effects),
            n_calls: self.n_calls,
            n_looks: self.n_looks,
            failed: is(0),
            out_bytes: self.out_bytes,
            text_bytes: self.text_bytes,
            reasoning_bytes: self.reasoning_bytes,
            cues: Cues(self.cues),
            reasoning_cues: Cues(self.reasoning_cues),
            human,
            harness: is(1),
            compacted: is(2),
            interrupted: is(3),
            tasks_created: self.tasks[0],
            tasks_started: self.tasks[1],
            tasks_done: self.tasks[2],
            leaves_plan: is(4),
            delegates_writing: is(5),
            read: files(&self.read),
            edited: files(&self.edited),
            files: files(&self.files),
            words: self.words.clone(),
            used: self.used.clone(),
            held: self.held.clone(),
        }
    }
}

struct NameNumbers {
    numbers: HashMap<u32, u32>,
}

impl NameNumbers {
    fn from_turns(turns: &[(TurnFacts, u64, u64)]) -> Self {
        let mut n_turns: HashMap<u32, u32> = HashMap::new();
        let mut order = Vec::new();
        for (turn, _, _) in turns {
            let files =
                turn.files.iter().chain(&turn.edited).chain(&turn.read).flat_map(|f| [f.name, f.folder]);
            let mut all: Vec<u32> =
                turn.words.iter().chain(&turn.used).chain(&turn.held).copied().chain(files).collect();
            all.sort_unstable();
            all.dedup();
            for name in all {
                let n = n_turns.entry(name).or_insert(0);
                *n += 1;
                if *n == 1 {
                    order.push(name);
                }
            }
        }
        Self { numbers: order.into_iter().zip(1..).collect() }
    }

    fn one(&self, name: u32) -> u32 {
        if name == 0 { 0 } else { self.numbers.get(&name).copied().unwrap_or(0) }
    }

    fn all(&self, names: &[u32]) -> Vec<u32> {
        let mut names: Vec<u32> = names.iter().map(|name| self.one(*name)).collect();
        names.sort_unstable();
        names
    }

    fn files(&self, files: &[FileFact]) -> Vec<(u32, u32)> {
        files.iter().map(|file| (self.one(file.name), self.one(file.folder))).collect()
    }
}

pub(crate) struct Read {
    /// The session, as if its harness had evicted nothing.
    pub session: Session,
    pub texts: Vec<String>,
    pub cwd: Option<String>,
}

pub(crate) fn read_log(path: &Path, format: &str, history: History) -> anyhow::Result<Read> {
    let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let format: Format = format.parse().ok().ok_or_else(|| anyhow!("{format} is no format"))?;
    let (events, _) = cwl_formats::parse_log(format, &bytes);
    let mut log = EventLog::default();
    let mut of_event: Vec<Vec<String>> = Vec::new();
    for parsed in events {
        of_event.push(parsed.contents.into_iter().map(|content| content.text).collect());
        log.push(parsed.event);
    }
    let (session, _) = Session::build(&log, None, history, &cwl_formats::default_tools());
    let text = |row: &cwl_engine::SessionBlock| {
        of_event
            .get(row.event.at())
            .and_then(|texts| texts.get(row.part as usize))
            .cloned()
            .unwrap_or_default()
    };
    let texts = session.blocks.iter().map(text).collect();
    Ok(Read { session, texts, cwd: log.header().cwd.as_deref().map(str::to_owned) })
}

pub(crate) fn facts_of(read: &Read) -> Facts {
    let mut facts = cwl_engine::FactsBuilder::new(&read.session);
    for (at, text) in read.texts.iter().enumerate() {
        let block = cwl_engine::BlockIdx::new(at);
        let reading = match &read.session.blocks[at].kind {
            cwl_engine::BlockKind::Call(call) => Some(cwl_formats::read_call(&call.name, text)),
            _ => None,
        };
        facts.add_block(block, text, reading.as_ref());
    }
    facts.finish()
}

pub(crate) fn numbers_of(session: &str, read: &Read) -> Numbers {
    let turns = turn_facts(&read.session, &facts_of(read));
    let renamed = NameNumbers::from_turns(&turns);
    let lines: Vec<(u64, u64)> = turns.iter().map(|(_, first, last)| (*first, *last)).collect();
    let mut uses = uses_of(read, &lines);
    let turn = |(at, (facts, first, last)): (usize, &(TurnFacts, u64, u64))| Turn {
        first: *first,
        last: *last,
        effects: facts.effects.0,
        n_calls: facts.n_calls,
        n_looks: facts.n_looks,
        out_bytes: facts.out_bytes,
        text_bytes: facts.text_bytes,
        reasoning_bytes: facts.reasoning_bytes,
        cues: facts.cues.0,
        reasoning_cues: facts.reasoning_cues.0,
        human: facts.human.map(|human| (human.n_bytes, human.approves, human.asks)),
        flags: [
            facts.failed,
            facts.harness,
            facts.compacted,
            facts.interrupted,
            facts.leaves_plan,
            facts.delegates_writing,
        ]
        .map(u8::from),
        tasks: [facts.tasks_created, facts.tasks_started, facts.tasks_done],
        read: renamed.files(&facts.read),
        edited: renamed.files(&facts.edited),
        files: renamed.files(&facts.files),
        words: renamed.all(&facts.words),
        used: renamed.all(&facts.used),
        held: renamed.all(&facts.held),
        uses: std::mem::take(&mut uses[at]),
    };
    Numbers { session: session.to_owned(), turns: turns.iter().enumerate().map(turn).collect() }
}

fn uses_of(read: &Read, lines: &[(u64, u64)]) -> Vec<Vec<UseNumbers>> {
    let session = &read.session;
    let mut names = NamesBuilder::new(session, read.cwd.as_deref());
    let mut numbers = NumbersBuilder::new(session);
    for (at, text) in read.texts.iter().enumerate() {
        let block = BlockIdx::new(at);
        let reading = match &session.blocks[at].kind {
            BlockKind::Call(call) => Some(cwl_formats::read_call(&call.name, text)),
            _ => None,
        };
        names.add_block(block, text, reading.as_ref());
        numbers.add_block(block, text);
    }
    let FoundNames { names, uses, .. } = names.finish();
    let turn_of = |block: BlockIdx| {
        let line = session.message_of(block).line;
        lines.partition_point(|(first, _)| *first <= line).checked_sub(1)
    };
    let failed =
        |block: BlockIdx| matches!(&session.blocks[block.at()].kind, BlockKind::Result(result) if !result.ok);
    let facts = facts_of(read);
    let edits = |block: BlockIdx| facts.effects_of(block).contains(Effect::Edit);
    let mut found: Vec<Vec<UseNumbers>> = vec![Vec::new(); lines.len()];
    let mut add = |by: BlockIdx, held: BlockIdx, kind: UseKind, name: usize, again: bool| {
        let (Some(by), Some(held)) = (turn_of(by), turn_of(held)) else { return };
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let row = (small(held), kind as u8, small(name), u8::from(again));
        if held < by && !found[by].contains(&row) {
            found[by].push(row);
        }
    };
    for one in &uses {
        let name = &names[one.name as usize];
        let kind = match name.kind {
            NameKind::Path if edits(one.by) => UseKind::Edited,
            NameKind::Path => UseKind::Path,
            NameKind::Command => UseKind::Command,
            NameKind::Symbol if !name.is_telling() => UseKind::Word,
            NameKind::Symbol if failed(one.held) => UseKind::Error,
            NameKind::Symbol => UseKind::Symbol,
        };
        add(one.by, one.held, kind, one.name as usize, one.again.is_some());
    }
    let mut known: HashMap<std::sync::Arc<str>, usize> = HashMap::new();
    for one in numbers.finish() {
        let next = names.len() + known.len();
        let name = *known.entry(one.text).or_insert(next);
        add(one.by, one.held, UseKind::Number, name, false);
    }
    found
}
