//! A log builder for tests, with records `e1`, `e2`, … in order, and dumps of results.

mod dump;
mod plain_pi_cwl;

pub use dump::{dump_context, dump_graph, dump_steps};
pub use plain_pi_cwl::{PlainPass, PlainStep, plain_pi_cwl};

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{
    AnswerForm, Author, BlockIdx, BlockKind, CallReading, Change, Compaction, ContentBlock, DeclaredKind,
    DelimiterMark, DigestBuilder, EntryId, EpisodeName, EventBody, EventLog, GraphTimeline, Holds,
    HumanWords, Keep, Material, Message, MessageForm, Parent, Placeholder, ReplacementCause, ReplyOutcome,
    Rewrite, RewriteTarget, Role, SUMMARY_TITLE, Session, SessionEvent, SummarySlot, TokenTable, ToolCall,
    ToolClass, ToolResult, ToolTable, Usage, UsageReport,
};

#[derive(Debug, Clone)]
pub enum Part {
    Text(String),
    Reasoning(String),
    Signed(String),
    Unsent(String),
    Call(String, String),
    CallWith(String, String, String),
    Shell(String, String),
    Mark(String, DelimiterMark),
}

pub fn expl(name: &str) -> DelimiterMark {
    open(name, DeclaredKind::Exploratory, &[])
}

pub fn act(name: &str, dependencies: &[&str]) -> DelimiterMark {
    open(name, DeclaredKind::Action, dependencies)
}

fn open(name: &str, kind: DeclaredKind, dependencies: &[&str]) -> DelimiterMark {
    let dependencies = dependencies.iter().map(|name| EpisodeName::new(*name)).collect::<Vec<_>>();
    let dependencies = (!dependencies.is_empty()).then_some(dependencies);
    DelimiterMark::Open { name: EpisodeName::new(name), kind, dependencies, odd: Vec::new() }
}

/// Ends an episode; an empty description counts as none.
pub fn end(description: &str) -> DelimiterMark {
    let description = (!description.is_empty()).then(|| Arc::from(description));
    DelimiterMark::Close { name: None, description, odd: Vec::new() }
}

/// One unit is one byte of text.
#[derive(Debug, Clone, Default)]
pub struct LogBuilder {
    pub log: EventLog,
    units: BTreeMap<(usize, u32), u32>,
    texts: BTreeMap<(usize, u32), String>,
    fork: Option<EntryId>,
}

impl LogBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn fork_at(&mut self, entry: &str) -> &mut Self {
        self.fork = Some(EntryId::from(entry));
        self
    }

    pub fn human(&mut self, text: &str) -> &mut Self {
        self.message(
            Role::User,
            Author::Human,
            MessageForm::Plain,
            ReplyOutcome::Complete,
            &[(BlockKind::Text, text)],
        )
    }

    pub fn human_shell(&mut self, text: &str, excluded: bool) -> &mut Self {
        let form = MessageForm::HumanShell { excluded };
        self.message(Role::User, Author::Human, form, ReplyOutcome::Complete, &[(BlockKind::Text, text)])
    }

    pub fn injected(&mut self, text: &str) -> &mut Self {
        let form = MessageForm::Custom { name: "test".into() };
        self.message(Role::User, Author::Harness, form, ReplyOutcome::Complete, &[(BlockKind::Text, text)])
    }

    pub fn reply(&mut self, parts: &[Part]) -> &mut Self {
        self.reply_with(ReplyOutcome::Complete, parts)
    }

    pub fn reply_with(&mut self, outcome: ReplyOutcome, parts: &[Part]) -> &mut Self {
        let with_arguments: Vec<String> = parts
            .iter()
            .map(|part| match part {
                Part::CallWith(_, tool, arguments) => format!("{tool}{arguments}"),
                _ => String::new(),
            })
            .collect();
        let blocks: Vec<(BlockKind, &str)> = parts
            .iter()
            .zip(&with_arguments)
            .map(|(part, with_arguments)| match part {
                Part::CallWith(id, tool, _) => (call(id, tool, None, None), with_arguments.as_str()),
                Part::Text(text) => (BlockKind::Text, text.as_str()),
                Part::Reasoning(text) | Part::Signed(text) | Part::Unsent(text) => {
                    (BlockKind::Reasoning, text.as_str())
                }
                Part::Call(id, tool) => (call(id, tool, None, None), tool.as_str()),
                Part::Shell(id, program) => (call(id, "bash", Some(program), None), program.as_str()),
                Part::Mark(id, mark) => (call(id, "delimiter", None, Some(mark.clone())), "delimiter"),
            })
            .collect();
        let holds: Vec<Holds> = parts
            .iter()
            .map(|part| match part {
                Part::Signed(_) => Holds::Signature,
                Part::Unsent(_) => Holds::UnsentReasoning,
                _ => Holds::Nothing,
            })
            .collect();
        self.message_holding((Role::Assistant, Author::Model, MessageForm::Plain, outcome), &blocks, &holds)
    }

    /// Adds the failed result of a refused call: harness text, then human words.
    pub fn refusal(&mut self, call: &str, before: &str, words: &str) -> &mut Self {
        let text = format!("{before}{words}");
        let length = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX);
        let ranges = alloc::vec![length(before)..length(&text)];
        let holds = Holds::Words(HumanWords { ranges, text_len: length(&text) }.into());
        let result = ToolResult { call: call.into(), name: None, ok: false, mark: None };
        let frame = (Role::Tool, Author::Tool, MessageForm::Plain, ReplyOutcome::Complete);
        self.message_holding(frame, &[(BlockKind::Result(result), &text)], &[holds])
    }

    pub fn result(&mut self, call: &str, text: &str) -> &mut Self {
        self.answer(call, text, true)
    }

    pub fn failure(&mut self, call: &str, text: &str) -> &mut Self {
        self.answer(call, text, false)
    }

    pub fn recorded(&mut self, call: &str, text: &str, ok: bool, mark: DelimiterMark) -> &mut Self {
        self.recorded_as("delimiter", call, text, ok, mark)
    }

    pub fn recorded_as(
        &mut self,
        tool: &str,
        call: &str,
        text: &str,
        ok: bool,
        mark: DelimiterMark,
    ) -> &mut Self {
        let name = Some(Arc::from(tool));
        let result = BlockKind::Result(ToolResult { call: call.into(), name, ok, mark: Some(mark) });
        let form = MessageForm::Plain;
        self.message(Role::Tool, Author::Tool, form, ReplyOutcome::Complete, &[(result, text)])
    }

    /// Adds a reply, and right away a result for every call: `n_bytes` long, or `ok` for a mark.
    pub fn step(&mut self, parts: &[Part], n_bytes: usize) -> &mut Self {
        self.reply(parts);
        for part in parts {
            match part {
                Part::Call(id, _) | Part::CallWith(id, ..) | Part::Shell(id, _) => {
                    self.result(id, &"x".repeat(n_bytes))
                }
                Part::Mark(id, _) => self.result(id, "ok"),
                Part::Text(_) | Part::Reasoning(_) | Part::Signed(_) | Part::Unsent(_) => self,
            };
        }
        self
    }

    pub fn compaction_of(&mut self, summary: &str, kept: &[&str]) -> &mut Self {
        self.compacted(summary, Keep::Entries(kept.iter().map(|entry| EntryId::from(*entry)).collect()))
    }

    /// Adds a compaction that keeps everything from `keep_from` on, or nothing if empty.
    pub fn compaction(&mut self, summary: &str, keep_from: &str) -> &mut Self {
        let keep = if keep_from.is_empty() { Keep::Nothing } else { Keep::From(EntryId::from(keep_from)) };
        self.compacted(summary, keep)
    }

    fn compacted(&mut self, summary: &str, keep: Keep) -> &mut Self {
        let block = ContentBlock { index: 0, kind: BlockKind::Text, images: 0, holds: Holds::default() };
        let message = message(Role::User, Author::Harness, MessageForm::Summary, vec_of(block));
        let body = EventBody::Compaction(Compaction { summary: Some(message), keep, tokens_before: None });
        self.push(body, &[summary])
    }

    pub fn clearing(&mut self, call: &str, placeholder: &str) -> &mut Self {
        let result = ToolResult { call: call.into(), name: None, ok: true, mark: None };
        let replacement = (Role::Tool, Author::Tool, BlockKind::Result(result));
        self.rewrite(
            ReplacementCause::Clearing,
            RewriteTarget::Results(call.into()),
            Some(replacement),
            placeholder,
        )
    }

    pub fn rewind(&mut self, target: RewriteTarget) -> &mut Self {
        self.rewrite(ReplacementCause::Rewind, target, None, "")
    }

    pub fn eviction(&mut self, target: RewriteTarget) -> &mut Self {
        self.rewrite(ReplacementCause::Eviction, target, None, "")
    }

    pub fn put_before(&mut self, entry: Option<&str>, text: &str) -> &mut Self {
        let replacement = (Role::User, Author::Harness, BlockKind::Text);
        let target = RewriteTarget::Before(entry.map(EntryId::from));
        self.rewrite(ReplacementCause::Eviction, target, Some(replacement), text)
    }

    pub fn revision(&mut self, entry: &str, text: &str) -> &mut Self {
        let replacement = (Role::User, Author::Harness, BlockKind::Text);
        self.rewrite(ReplacementCause::Revision, RewriteTarget::Entry(entry.into()), Some(replacement), text)
    }

    /// Rewrites a record as a call with the id of an earlier one.
    pub fn call_revision(&mut self, entry: &str, id: &str, tool: &str) -> &mut Self {
        let replacement = (Role::Assistant, Author::Model, call(id, tool, None, None));
        self.rewrite(ReplacementCause::Revision, RewriteTarget::Entry(entry.into()), Some(replacement), tool)
    }

    fn rewrite(
        &mut self,
        cause: ReplacementCause,
        target: RewriteTarget,
        replacement: Option<(Role, Author, BlockKind)>,
        text: &str,
    ) -> &mut Self {
        let replaced_by: Vec<Message> = replacement
            .into_iter()
            .map(|(role, author, kind)| {
                let form = MessageForm::Custom { name: "test".into() };
                message(
                    role,
                    author,
                    form,
                    vec_of(ContentBlock { index: 0, kind, images: 0, holds: Holds::default() }),
                )
            })
            .collect();
        let texts: &[&str] = if replaced_by.is_empty() { &[] } else { &[text] };
        self.push(
            EventBody::Rewrite(Rewrite { cause, changes: alloc::vec![Change { target, replaced_by }] }),
            texts,
        )
    }

    pub fn reported(&mut self, input: u64) -> &mut Self {
        let usage = Some(Usage { input, ..Usage::default() });
        self.push(EventBody::Usage(UsageReport { usage, ..UsageReport::default() }), &[])
    }

    /// Makes the tree woven and the last record a part of `reply`.
    pub fn part_of(&mut self, reply: &str) -> &mut Self {
        let mut events = self.log.events().to_vec();
        if let Some(last) = events.last_mut()
            && let EventBody::Message(message) = &mut last.body
        {
            message.reply = Some(reply.into());
        }
        self.log = EventLog::default();
        for mut event in events {
            if let Parent::Entry(parent) = event.parent {
                event.parent = Parent::Woven(parent);
            }
            self.log.push(event);
        }
        self
    }

    pub fn aside(&mut self) -> &mut Self {
        let mut events = self.log.events().to_vec();
        if let Some(last) = events.last_mut() {
            last.side = true;
        }
        self.log = EventLog::default();
        for event in events {
            self.log.push(event);
        }
        self
    }

    pub fn last(&self) -> String {
        format!("e{}", self.log.events().len())
    }

    pub fn build(&self, divisor: u32) -> (Session, GraphTimeline, TokenTable) {
        let (session, _) = Session::build(&self.log, None, crate::History::AsRecorded, &tools());
        let (growth, _) = GraphTimeline::build(&session);
        let table = self.table(&session, &growth, divisor);
        (session, growth, table)
    }

    pub fn table(&self, session: &Session, growth: &GraphTimeline, divisor: u32) -> TokenTable {
        let mut units: Vec<u32> = session
            .blocks
            .iter()
            .map(|block| self.units.get(&(block.event.at(), block.part)).copied().unwrap_or(0))
            .collect();
        let excluded = (0..units.len()).map(BlockIdx::new).filter(|block| session.is_excluded(*block));
        let unsent = excluded.map(|block| (block, core::mem::take(&mut units[block.at()]))).collect();
        let residues = growth
            .graph
            .episodes()
            .filter_map(|(idx, episode)| Some((idx, u32::try_from(episode.residue_text()?.len()).ok()?)))
            .collect();
        let placeholders =
            Placeholder::ALL.map(|stand_in| u32::try_from(stand_in.text().len()).unwrap_or(u32::MAX));
        TokenTable::new(divisor, units, residues).with_placeholders(placeholders).with_unsent(unsent)
    }

    /// Returns the material without names and uses; one unit is one byte.
    ///
    /// `read` parses a call's arguments from its tool and its text.
    pub fn material(
        &self,
        session: &Session,
        growth: &GraphTimeline,
        read: impl for<'a> Fn(&str, &'a str) -> CallReading<'a>,
    ) -> Material {
        let units = |text: &str| u32::try_from(text.len() + 1).unwrap_or(u32::MAX);
        let mut digest = DigestBuilder::new(session, growth);
        let mut material = Material {
            title_units: units(SUMMARY_TITLE),
            heading_units: SummarySlot::ALL.map(|slot| units(slot.heading())),
            ..Material::default()
        };
        let mut firsts: BTreeMap<(bool, &str), u64> = BTreeMap::new();
        for (at, row) in session.blocks.iter().enumerate() {
            let text = self.texts.get(&(row.event.at(), row.part)).map_or("", String::as_str);
            let reading = match &row.kind {
                BlockKind::Call(call) => Some(read(&call.name, text)),
                _ => None,
            };
            digest.add_block(BlockIdx::new(at), text, reading.as_ref());
            let is_call = matches!(row.kind, BlockKind::Call(_));
            let has_print = is_call || matches!(row.kind, BlockKind::Result(_));
            let mut print = || *firsts.entry((is_call, text)).or_insert(at as u64 + 1);
            material.alike.push(if has_print && !text.is_empty() { print() } else { 0 });
        }
        let (lines, plans) = digest.finish();
        material.plans = plans;
        material.digest = lines
            .into_iter()
            .map(|line| {
                let units = units(&line.as_text());
                line.with_units(units)
            })
            .collect();
        material
    }

    pub fn each_text(&self, session: &Session, mut visit: impl FnMut(BlockIdx, &str)) {
        for (at, row) in session.blocks.iter().enumerate() {
            let text = self.texts.get(&(row.event.at(), row.part)).map_or("", String::as_str);
            visit(BlockIdx::new(at), text);
        }
    }

    fn answer(&mut self, call: &str, text: &str, ok: bool) -> &mut Self {
        let result = ToolResult { call: call.into(), name: None, ok, mark: None };
        let block = (BlockKind::Result(result), text);
        self.message(Role::Tool, Author::Tool, MessageForm::Plain, ReplyOutcome::Complete, &[block])
    }

    fn message(
        &mut self,
        role: Role,
        author: Author,
        form: MessageForm,
        outcome: ReplyOutcome,
        blocks: &[(BlockKind, &str)],
    ) -> &mut Self {
        self.message_holding((role, author, form, outcome), blocks, &[])
    }

    fn message_holding(
        &mut self,
        (role, author, form, outcome): (Role, Author, MessageForm, ReplyOutcome),
        blocks: &[(BlockKind, &str)],
        holds: &[Holds],
    ) -> &mut Self {
        let texts: Vec<&str> = blocks.iter().map(|(_, text)| *text).collect();
        let holds = holds.iter().cloned().chain(core::iter::repeat(Holds::Nothing));
        let blocks = (0u32..)
            .zip(blocks)
            .zip(holds)
            .map(|((index, (kind, _)), holds)| ContentBlock { index, kind: kind.clone(), images: 0, holds })
            .collect();
        let body = EventBody::Message(Message { outcome, ..message(role, author, form, blocks) });
        self.push(body, &texts)
    }

    fn push(&mut self, body: EventBody, texts: &[&str]) -> &mut Self {
        let at = self.log.events().len();
        for (part, text) in (0u32..).zip(texts) {
            self.units.insert((at, part), u32::try_from(text.len()).unwrap_or(u32::MAX));
            self.texts.insert((at, part), (*text).to_string());
        }
        let parent = match self.fork.take() {
            Some(entry) => Parent::Entry(entry),
            None if at == 0 => Parent::Root,
            None => Parent::Entry(EntryId::new(format!("e{at}"))),
        };
        let number = at + 1;
        self.log.push(SessionEvent {
            side: false,
            line: number as u64,
            entry: EntryId::new(format!("e{number}")),
            parent,
            at_ms: None,
            body,
        });
        self
    }
}

/// Returns a small tool table: `grep` and `rg` search, `read` reads, `bash` runs commands, `edit`
/// writes, `ask` asks the human.
pub fn tools() -> ToolTable {
    let classes = [
        ("grep", ToolClass::Search),
        ("read", ToolClass::Read),
        ("bash", ToolClass::Shell),
        ("edit", ToolClass::Write),
    ];
    ToolTable {
        classes: classes.into_iter().map(|(name, class)| (name.to_string(), class)).collect(),
        search_programs: core::iter::once(String::from("rg")).collect(),
        answers: core::iter::once((String::from("ask"), AnswerForm::Whole)).collect(),
    }
}

fn call(id: &str, tool: &str, program: Option<&str>, mark: Option<DelimiterMark>) -> BlockKind {
    BlockKind::Call(ToolCall { id: id.into(), name: tool.into(), program: program.map(Arc::from), mark })
}

fn message(role: Role, author: Author, form: MessageForm, blocks: Vec<ContentBlock>) -> Message {
    Message {
        role,
        author,
        form,
        blocks,
        model: None,
        usage: None,
        outcome: ReplyOutcome::Complete,
        reply: None,
    }
}

fn vec_of(block: ContentBlock) -> Vec<ContentBlock> {
    alloc::vec![block]
}
