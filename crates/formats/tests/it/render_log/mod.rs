//! Renders logs in memory, for tests.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each test file uses its own part")]

pub mod rules;

use std::collections::BTreeSet;
use std::path::Path;

use cwl_engine::{
    BlockIdx, BlockKind, Content, Cut, EpisodeIdx, EventIdx, EventLog, Fate, GoneReason, GraphTimeline,
    History, KeptReason, Material, MessageOrigin, Overhead, ParsedEvent, Placeholder, Policy, PolicyOptions,
    Provider, RawPayload, RenderedContext, RenderedItem, RenderedMessage, Replay, ReplayInput, Session,
    StateAt, TokenTable, TurnIdx,
};
use cwl_formats::render::{ContentSource, Rendering, Repair, render_context};
use cwl_formats::{Format, default_tools, detect_format, parse_log};
use serde_json::{Value, json};

pub const PROVIDERS: [Provider; 5] =
    [Provider::Pi, Provider::Anthropic, Provider::OpenAiResponses, Provider::OpenAiChat, Provider::Gemini];

/// A log in memory, as the store would return it.
pub struct Log {
    pub format: Format,
    pub events: Vec<ParsedEvent>,
    pub session: Session,
}

impl Log {
    pub fn read(log: &str) -> Self {
        Self::parse(Format::Pi, log.as_bytes())
    }

    pub fn parse(format: Format, log: &[u8]) -> Self {
        Self::from_events(format, parse_log(format, log).0)
    }

    pub fn from_events(format: Format, events: Vec<ParsedEvent>) -> Self {
        let mut event_log = EventLog::default();
        for parsed in &events {
            event_log.push(parsed.event.clone());
        }
        let (session, _) = Session::build(&event_log, None, History::AsRecorded, &default_tools());
        Self { format, events, session }
    }

    /// Renders all blocks except `gone`, with a residue before some messages.
    pub fn render(&self, provider: Provider, gone: &BTreeSet<usize>, residues: &[usize]) -> Rendering {
        render_context(provider, self.format, &self.session, &self.context(gone, residues), self)
    }

    pub fn context(&self, gone: &BTreeSet<usize>, residues: &[usize]) -> RenderedContext {
        let mut messages = Vec::new();
        for idx in self.session.model_order(self.session.messages.len()) {
            let items: Vec<RenderedItem> = self
                .session
                .blocks_of(idx)
                .map(|(block, _)| {
                    let fate = if gone.contains(&block.at()) {
                        Fate::Gone(GoneReason::Excluded)
                    } else {
                        Fate::Kept(KeptReason::Prologue)
                    };
                    RenderedItem { block, episode: None, fate }
                })
                .collect();
            if residues.iter().any(|at| items.iter().any(|item| item.block.at() == *at)) {
                let origin =
                    MessageOrigin::Residue { episode: EpisodeIdx::new(0), text: "[a] found it".to_owned() };
                messages.push(RenderedMessage { origin, tokens: 0, items: Vec::new() });
            }
            messages.push(RenderedMessage { origin: MessageOrigin::Log(idx), tokens: 0, items });
        }
        RenderedContext {
            turn: self.session.last_turn(),
            step: 0,
            total: 0,
            overhead: 0,
            answers_calls: false,
            messages,
        }
    }

    /// Masks the results among `masked` with placeholders, and returns those it masked.
    pub fn mask(&self, context: &mut RenderedContext, masked: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut done = BTreeSet::new();
        let is_result = |at: usize| matches!(self.session.blocks[at].kind, BlockKind::Result(_));
        for item in context.messages.iter_mut().flat_map(|message| &mut message.items) {
            let at = item.block.at();
            if masked.contains(&at) && is_result(at) && item.fate.is_kept() {
                item.fate = Fate::Masked(Placeholder::Cleared, GoneReason::Excluded);
                done.insert(at);
            }
        }
        done
    }

    pub fn block(&self, id: &str) -> usize {
        let found = self.session.blocks.iter().position(|block| block.id.to_string() == id);
        found.unwrap_or_else(|| panic!("no block {id}"))
    }

    pub fn show_repairs(&self, rendering: &Rendering) -> Vec<String> {
        let place = |block: BlockIdx| self.session.blocks[block.at()].id.to_string();
        let show = |repair: &Repair| {
            let at = match (repair.block, repair.message) {
                (Some(block), _) => place(block),
                (None, Some(message)) => self.session.messages[message.at()].entry.to_string(),
                (None, None) => "residue".to_owned(),
            };
            format!("{} {at}", name_of(repair))
        };
        rendering.repairs.iter().map(show).collect()
    }
}

/// Returns a repair's name in kebab case: `ResultMoved` is `result-moved`.
pub fn name_of(repair: &Repair) -> String {
    let mut name = String::new();
    for c in format!("{:?}", repair.kind).chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

impl ContentSource for Log {
    fn content(&self, event: EventIdx, part: u32) -> Content {
        self.events[event.at()].contents[part as usize].clone()
    }

    fn envelope(&self, event: EventIdx) -> RawPayload {
        self.events[event.at()].envelope.clone()
    }
}

/// Writes a version 3 log with these messages and records as `m1`, `m2`, …
pub fn log_of(records: &[Value]) -> String {
    let mut log = "{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n".to_owned();
    let mut parent = Value::Null;
    for (n, record) in (1..).zip(records) {
        let id = json!(format!("m{n}"));
        let mut line = if record.get("role").is_some() {
            json!({"type": "message", "message": record})
        } else {
            record.clone()
        };
        line["id"] = id.clone();
        line["parentId"] = parent;
        line["timestamp"] = json!("2026-02-02T02:40:00.000Z");
        parent = id;
        log += &format!("{line}\n");
    }
    log
}

pub fn user(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1})
}

pub fn reply(content: Value) -> Value {
    json!({"role": "assistant", "api": "anthropic-messages", "provider": "anthropic", "content": content, "stopReason": "stop"})
}

pub fn call(id: &str) -> Value {
    json!({"type": "toolCall", "id": id, "name": "read", "arguments": {"path": "x", "n": 1}})
}

pub fn result(id: &str, text: &str) -> Value {
    json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": [{"type": "text", "text": text}], "isError": false})
}

pub fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

impl Log {
    /// Returns the context of a turn under a policy and a budget; a token is four characters.
    pub fn played(&self, policy: &str, budget: u64, turn: TurnIdx) -> RenderedContext {
        let session = &self.session;
        let (growth, _) = GraphTimeline::build(session);
        let n_chars = |text: &str| u32::try_from(text.chars().count()).unwrap();
        let text_of = |event: EventIdx, part: u32| &*self.events[event.at()].contents[part as usize].text;
        let units = session.blocks.iter().map(|block| n_chars(text_of(block.event, block.part))).collect();
        let residues = growth
            .graph
            .episodes()
            .filter_map(|(idx, episode)| Some((idx, n_chars(&episode.residue_text()?))));
        let table = TokenTable::new(4, units, residues.collect());
        let (policy, options) = (Policy::find(policy).unwrap(), PolicyOptions::default());
        let input = ReplayInput {
            session,
            growth: &growth,
            table: &table,
            material: &Material::default(),
            pins: &[],
            overhead: &Overhead::default(),
            budget,
            policy,
            options: &options,
        };
        let replay = Replay::run(&input);
        let state = StateAt::fold_to(&input, &replay, Cut::end_of(turn));
        cwl_engine::render(&input, &replay, &state)
    }

    pub fn render_played(&self, provider: Provider, context: &RenderedContext) -> Rendering {
        render_context(provider, self.format, &self.session, context, self)
    }
}

pub fn sample(case: &str) -> Log {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case);
    let found =
        ["input.jsonl", "input.json"].into_iter().find_map(|name| std::fs::read(folder.join(name)).ok());
    let bytes = found.unwrap_or_else(|| panic!("no sample {case}"));
    Log::parse(detect_format(&bytes).unwrap(), &bytes)
}
