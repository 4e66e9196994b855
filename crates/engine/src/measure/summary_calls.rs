//! Calls for summaries: a harness that summarises asks a model for the summary and pays for it.
//!
//! Our summaries are made by fixed rules, but priced as if a model had written them. A harness
//! asks in the same conversation: the model reads the request from its start to the end of the
//! summarised content, mostly from the provider's cache, and writes as much as the summary has.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::{Action, BlockIdx, BlockStates, Memory, Move, Replay, ReplayInput, Transition, TurnIdx};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SummaryCall {
    /// The call precedes this turn's request.
    pub turn: TurnIdx,
    /// Summarised content, tokens: blocks as they were in the context, and replaced summaries.
    pub input: u64,
    /// Tokens read: the request from its start to the end of the summarised content.
    pub prompt: u64,
    /// Part of `prompt` shared with the previous request, which a live cache contains, tokens.
    pub cached: u64,
    pub output: u64,
}

pub fn summary_calls(input: &ReplayInput<'_>, replay: &Replay) -> Vec<SummaryCall> {
    let mut calls = Vec::new();
    // A policy without memory makes no summaries.
    if !replay.has_summaries() || matches!(replay.policy.memory, Memory::PerTurn(_)) {
        return calls;
    }
    let table = input.table;
    let mut states = BlockStates::new(input.growth.n_blocks());
    states.pin_blocks(input.pins);
    let (mut sent_before, mut standing) = (states.clone(), 0u64);
    let made = input.session.turns.iter().filter(|turn| turn.message.is_some()).count();
    for turn in (0..made).map(TurnIdx::from_position) {
        states.grow_to(input.growth, turn, |_, _| {});
        for effect in replay.effects_of(turn) {
            states.apply_move(effect.as_move());
        }
        let steps = replay.steps_of(input, turn);
        for step in &*steps.steps {
            let (mut read, mut made, mut last) = (0, BTreeMap::new(), None);
            let (units_before, states_before) = (standing, states.clone());
            steps.each_move(step, |one| {
                let told = states.apply_move(one);
                match (one, told) {
                    (Move::Out(_), Some(Transition::Changed { block, was, .. })) => {
                        read += was.units_of(table, block);
                        last = last.max(Some(block));
                    }
                    // A summary placed and lifted in the same step is stored outside the context.
                    (Move::Lifted(number), _) if made.contains_key(&number) => {
                        standing -= steps.summary_numbered(number).units;
                    }
                    (Move::Lifted(number), _) => {
                        read += steps.summary_numbered(number).units;
                        standing -= steps.summary_numbered(number).units;
                    }
                    (Move::Placed(number), _) => {
                        standing += steps.summary_numbered(number).units;
                        made.insert(number, steps.summary_numbered(number).units);
                    }
                    _ => {}
                }
            });
            // A paged-in summary was written earlier.
            if !made.is_empty() && step.action != Action::PageIn {
                let written = made.values().sum();
                let overhead = replay.overhead.tokens_at(turn);
                let (prompt, cached) = prefix_size(input, &states_before, &sent_before, last);
                let tokens =
                    |units: u64| overhead.saturating_add(table.tokens_from_units(units_before + units));
                calls.push(SummaryCall {
                    turn,
                    input: table.tokens_from_units(read),
                    prompt: tokens(prompt),
                    cached: tokens(cached),
                    output: table.tokens_from_units(written),
                });
            }
        }
        sent_before.clone_from(&states);
    }
    calls
}

/// Returns a request's size up to a block, and the part shared with the previous request, units.
fn prefix_size(
    input: &ReplayInput<'_>,
    states: &BlockStates,
    before: &BlockStates,
    last: Option<BlockIdx>,
) -> (u64, u64) {
    let (mut prompt, mut cached, mut is_same) = (0, 0, true);
    for at in 0..last.map_or(0, |last| last.at() + 1) {
        let block = BlockIdx::new(at);
        let (now, then) = (states.state(block), before.state(block));
        is_same &= now.form() == then.form();
        let units = now.units_of(input.table, block);
        prompt += units;
        cached += if is_same { units } else { 0 };
    }
    (prompt, cached)
}
