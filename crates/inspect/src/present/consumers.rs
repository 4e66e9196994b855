//! Consumers: what filled the requests of a session as it happened, by kind, tool and file.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{
    BlockIdx, BlockKind, GraphChange, GraphTimeline, Material, MessageClass, NameKind, Session, TurnIdx,
};

use crate::api::ConsumerKind;
use crate::figures::saturate_u32;
use crate::measure::run::ReplayRun;
use crate::present::item::tool_of;

/// A kind of content, a tool, an MCP server or a file, with everything of it that the requests held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Consumer {
    pub kind: ConsumerKind,
    pub name: String,
    pub n_blocks: u32,
    /// The size of its blocks, each once, tokens.
    pub tokens: u64,
    /// The size of its blocks, once for each request that held them, tokens.
    pub sent: u64,
    pub largest: Option<BlockIdx>,
}

/// For each block the requests that held it, as half-open ranges of turn positions.
pub(crate) struct BlockPresence {
    spans: Vec<Vec<(usize, usize)>>,
    n_requests: usize,
}

impl BlockPresence {
    pub(crate) fn of_history(session: &Session, growth: &GraphTimeline) -> Self {
        let n_requests = session.turns.iter().filter(|turn| turn.message.is_some()).count();
        let mut since: Vec<Option<usize>> = vec![None; session.blocks.len()];
        let mut spans = vec![Vec::new(); session.blocks.len()];
        for at in 0..session.turns.len() {
            for change in growth.changes_at(turn_at(at)) {
                match *change {
                    GraphChange::Arrived(run) => run.range().for_each(|block| since[block] = Some(at)),
                    GraphChange::Restored(block) => since[block.at()] = Some(at),
                    GraphChange::Dropped(block, _) => {
                        if let Some(from) = since[block.at()].take() {
                            spans[block.at()].push((from, at));
                        }
                    }
                    _ => {}
                }
            }
        }
        for (spans, since) in spans.iter_mut().zip(since) {
            spans.extend(since.map(|from| (from, session.turns.len())));
        }
        Self { spans, n_requests }
    }

    fn n_requests(&self, block: BlockIdx) -> u64 {
        let within = |(from, to): &(usize, usize)| to.min(&self.n_requests).saturating_sub(*from) as u64;
        self.spans[block.at()].iter().map(within).sum()
    }

    fn holds(&self, block: BlockIdx, turn: usize) -> bool {
        self.spans[block.at()].iter().any(|(from, to)| (*from..*to).contains(&turn))
    }
}

pub fn turn_at(position: usize) -> TurnIdx {
    TurnIdx::new(saturate_u32(position).saturating_add(1))
}

struct ConsumerSums<'a> {
    run: &'a ReplayRun,
    presence: &'a BlockPresence,
    sums: BTreeMap<(ConsumerKind, String), Consumer>,
}

impl ConsumerSums<'_> {
    fn add_block(&mut self, kind: ConsumerKind, name: &str, block: BlockIdx) {
        let table = &self.run.sizes.table;
        let units = table.units(block);
        let new = || Consumer { kind, name: name.to_owned(), n_blocks: 0, tokens: 0, sent: 0, largest: None };
        let sum = self.sums.entry((kind, name.to_owned())).or_insert_with(new);
        sum.n_blocks += 1;
        // Units until all are added: a block alone rounds up.
        sum.tokens = sum.tokens.saturating_add(units);
        sum.sent = sum.sent.saturating_add(units.saturating_mul(self.presence.n_requests(block)));
        if sum.largest.is_none_or(|largest| table.units(largest) < units) {
            sum.largest = Some(block);
        }
    }

    fn finish(self) -> Vec<Consumer> {
        let table = &self.run.sizes.table;
        let in_tokens = |sum: Consumer| Consumer {
            tokens: table.tokens_from_units(sum.tokens),
            sent: table.tokens_from_units(sum.sent),
            ..sum
        };
        let mut found: Vec<Consumer> =
            self.sums.into_values().map(in_tokens).filter(|consumer| consumer.tokens > 0).collect();
        found.sort_by_key(|consumer| std::cmp::Reverse((consumer.sent, consumer.tokens)));
        found
    }
}

/// Divides everything that the requests held by kind, tool and MCP server; the parts add up to the whole.
pub(crate) fn consumers_by_kind(run: &ReplayRun, presence: &BlockPresence) -> Vec<Consumer> {
    let session = &run.branch.session;
    let mut sums = ConsumerSums { run, presence, sums: BTreeMap::new() };
    for block in (0..session.blocks.len()).map(BlockIdx::new) {
        let (kind, name) = consumer_of(session, block);
        sums.add_block(kind, name, block);
    }
    let mut found = sums.finish();
    let overhead = |at: usize| run.replay.overhead.tokens_at(turn_at(at));
    let unlogged: Vec<u64> = (0..presence.n_requests).map(overhead).collect();
    if let Some(tokens) = unlogged.iter().copied().max().filter(|tokens| *tokens > 0) {
        let sent = unlogged.into_iter().fold(0, u64::saturating_add);
        let (kind, name) = (ConsumerKind::Unlogged, String::new());
        found.push(Consumer { kind, name, n_blocks: 0, tokens, sent, largest: None });
        found.sort_by_key(|consumer| std::cmp::Reverse((consumer.sent, consumer.tokens)));
    }
    found
}

/// Adds up the calls and results of each file; `path_of` gives the file of a call or of its result.
pub(crate) fn consumers_by_file<'a>(
    run: &ReplayRun,
    presence: &BlockPresence,
    path_of: impl Fn(BlockIdx) -> Option<&'a str>,
) -> Vec<Consumer> {
    let mut sums = ConsumerSums { run, presence, sums: BTreeMap::new() };
    for block in (0..run.branch.session.blocks.len()).map(BlockIdx::new) {
        if let Some(path) = path_of(block) {
            sums.add_block(ConsumerKind::File, path, block);
        }
    }
    sums.finish()
}

fn consumer_of(session: &Session, block: BlockIdx) -> (ConsumerKind, &str) {
    let row = &session.blocks[block.at()];
    let of_call = || tool_of(&session.blocks[row.pair?.at()].kind);
    if row.holds.human_words().is_some() {
        return (ConsumerKind::Human, "");
    }
    if let Some(tool) = row.holds.defined_tool() {
        return (ConsumerKind::ToolDefinitions, mcp_server(tool).unwrap_or_default());
    }
    if let Some(tool) = tool_of(&row.kind).or_else(of_call) {
        return match mcp_server(tool) {
            Some(server) => (ConsumerKind::Server, server),
            None => (ConsumerKind::Tool, tool),
        };
    }
    let kind = match (&row.kind, session.class_of(block)) {
        (BlockKind::Reasoning, _) => ConsumerKind::Reasoning,
        (_, MessageClass::System) => ConsumerKind::System,
        (_, MessageClass::User) => ConsumerKind::Human,
        (_, MessageClass::Injected) => ConsumerKind::Injected,
        (_, MessageClass::Summary) => ConsumerKind::Summary,
        (_, MessageClass::Assistant | MessageClass::Tool) => ConsumerKind::Model,
    };
    (kind, "")
}

/// Returns the server of an MCP tool's name: `mcp__SERVER__TOOL`, or `SERVER__TOOL` in Gemini CLI.
fn mcp_server(tool: &str) -> Option<&str> {
    let (server, name) = tool.strip_prefix("mcp__").unwrap_or(tool).split_once("__")?;
    (!server.is_empty() && !name.is_empty()).then_some(server)
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RepeatedReads {
    pub results: Vec<BlockIdx>,
    pub tokens: u64,
}

/// Finds the reads of a file whose content was still in the context, and which nothing had changed since.
pub(crate) fn repeated_reads(
    run: &ReplayRun,
    material: &Material,
    presence: &BlockPresence,
) -> RepeatedReads {
    let session = &run.branch.session;
    let is_file =
        |name: u32| material.names.get(name as usize).is_some_and(|name| name.kind == NameKind::Path);
    let mut results = BTreeSet::new();
    for one in material.uses.iter().filter(|one| is_file(one.name)) {
        let Some(again) = one.again else { continue };
        let turn = session.turn_after(session.blocks[again.at()].message).at();
        let is_changed = material
            .changes
            .iter()
            .any(|change| change.name == one.name && one.held < change.by && change.by < again);
        // The request that led to the read is the one before the result came in.
        if !is_changed && presence.holds(one.held, turn.saturating_sub(1)) {
            results.insert(again);
        }
    }
    let units = results.iter().map(|block| run.sizes.table.units(*block)).sum();
    RepeatedReads { tokens: run.sizes.table.tokens_from_units(units), results: results.into_iter().collect() }
}

pub(crate) fn largest_consumers(
    mut found: Vec<Consumer>,
    n_listed: usize,
) -> (Vec<Consumer>, Option<Consumer>) {
    if found.len() <= n_listed + 1 {
        return (found, None);
    }
    let rest = found.split_off(n_listed);
    let sum = |of: fn(&Consumer) -> u64| rest.iter().map(of).fold(0, u64::saturating_add);
    let others = Consumer {
        kind: ConsumerKind::Others,
        name: rest.len().to_string(),
        n_blocks: saturate_u32(rest.iter().map(|one| u64::from(one.n_blocks)).sum::<u64>()),
        tokens: sum(|one| one.tokens),
        sent: sum(|one| one.sent),
        largest: None,
    };
    (found, Some(others))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_of_a_tool_is_in_its_name() {
        let check = |tool: &str, expected: Option<&str>| assert_eq!(mcp_server(tool), expected, "{tool}");
        check("mcp__github__list_issues", Some("github"));
        check("mcp__claude_ai_Linear__get", Some("claude_ai_Linear"));
        check("Read", None);
        check("mcp__github", None);
        check("mcp____x", None);
        check("cwl__delimiter", Some("cwl"));
    }
}
