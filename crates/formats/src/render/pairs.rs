//! Pairs of calls and results in a request, and their ids.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{BlockIdx, BlockKind, Provider, Role};

use super::request::{ProviderRequest, RequestMessage};
use super::rules::ProviderRules;
use crate::Format;

#[derive(Default)]
pub(super) struct Pairs {
    pub(super) result_of: BTreeMap<BlockIdx, BlockIdx>,
    pub(super) call_of: BTreeMap<BlockIdx, BlockIdx>,
    pub(super) invented: BTreeSet<BlockIdx>,
    /// Position of each result in the request. Block indices have another order if a result replaces another
    /// one.
    pub(super) order: BTreeMap<BlockIdx, usize>,
}

impl Pairs {
    pub(super) fn from_request(request: &ProviderRequest<'_>) -> Self {
        let mut calls = BTreeSet::new();
        // Replacement calls by the call that the log's results name.
        let mut in_place_of: BTreeMap<BlockIdx, BlockIdx> = BTreeMap::new();
        let mut pairs = Self::default();
        for sent in &request.messages {
            let RequestMessage::Log { row, blocks, .. } = sent else { continue };
            for &block in blocks {
                let of_block = &request.session.blocks[block.at()];
                match &of_block.kind {
                    BlockKind::Call(_) if row.role == Role::Assistant => {
                        calls.insert(block);
                        in_place_of.extend(of_block.stands_for.map(|other| (other, block)));
                    }
                    BlockKind::Result(_) if matches!(row.role, Role::User | Role::Tool) => {
                        let call = of_block.pair.and_then(|call| {
                            let is_sent = calls.contains(&call);
                            if is_sent { Some(call) } else { in_place_of.get(&call).copied() }
                        });
                        // Providers refuse a second result for the same call.
                        if let Some(call) = call
                            && !pairs.result_of.contains_key(&call)
                        {
                            pairs.result_of.insert(call, block);
                            pairs.call_of.insert(block, call);
                            pairs.order.insert(block, pairs.order.len());
                        }
                    }
                    _ => {}
                }
            }
        }
        if request.answers_calls {
            pairs.invented = unanswered_calls(request, &pairs);
        }
        pairs
    }

    fn answered_calls(&self) -> BTreeSet<BlockIdx> {
        self.result_of.keys().chain(&self.invented).copied().collect()
    }
}

/// Finds calls without a result before the next reply or user message; the newest reply's calls may still be
/// running.
fn unanswered_calls(request: &ProviderRequest<'_>, pairs: &Pairs) -> BTreeSet<BlockIdx> {
    let mut found = BTreeSet::new();
    let mut waiting: Vec<BlockIdx> = Vec::new();
    for sent in &request.messages {
        let RequestMessage::Log { row, blocks, .. } = sent else {
            found.extend(waiting.drain(..));
            continue;
        };
        if row.role == Role::Tool {
            continue;
        }
        found.extend(waiting.drain(..));
        if row.role == Role::Assistant {
            let is_alone = |block: &&BlockIdx| {
                matches!(request.kind_of(**block), BlockKind::Call(_)) && !pairs.result_of.contains_key(block)
            };
            waiting.extend(blocks.iter().filter(is_alone));
        }
    }
    found
}

/// Returns the provider's id of a call: pi appends the id of OpenAI's item to the call's id.
fn id_for(format: Format, provider: Provider, own: &str) -> &str {
    let is_of_openai = matches!(provider, Provider::OpenAiResponses | Provider::OpenAiChat);
    match own.split_once('|') {
        Some((call, _)) if format == Format::Pi && is_of_openai && !call.is_empty() => call,
        _ => own,
    }
}

pub(super) fn call_ids(
    request: &ProviderRequest<'_>,
    pairs: &Pairs,
    rules: ProviderRules,
) -> BTreeMap<BlockIdx, String> {
    let mut taken = BTreeSet::new();
    let mut n_alike: BTreeMap<String, u32> = BTreeMap::new();
    let mut ids = BTreeMap::new();
    for block in pairs.answered_calls() {
        let BlockKind::Call(call) = request.kind_of(block) else { continue };
        let own = id_for(request.format, rules.provider, call.id.as_str());
        let id = rules.spelling.map_or_else(|| own.to_owned(), |spelling| spelling.spell_id(own));
        let max_id = rules.spelling.map_or(usize::MAX, |spelling| spelling.max_id);
        let mut sent = id.clone();
        while !taken.insert(sent.clone()) {
            let n_same = n_alike.entry(id.clone()).or_insert(1);
            *n_same += 1;
            let suffix = format!("-{n_same}");
            sent = id.chars().take(max_id - suffix.len()).collect::<String>() + &suffix;
        }
        ids.insert(block, sent);
    }
    ids
}
