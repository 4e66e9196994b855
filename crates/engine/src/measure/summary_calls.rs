//! Calls for summaries: a harness that summarises asks a model for it, and pays for that call too.
//!
//! Our summaries are made by fixed rules; here they are taken as if a model had written them: it reads what the summary
//! stands for, and writes as much as the summary has.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::{Action, BlockStates, Memory, Move, Replay, ReplayInput, Transition, TurnIdx};

/// A call for a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SummaryCall {
    /// The turn before whose request it is made.
    pub turn: TurnIdx,
    /// The content that is summarised: blocks as they stood in the context, and summaries that go, tokens.
    pub input: u64,
    /// The summary, tokens.
    pub output: u64,
}

/// Lists the calls for summaries before all requests that were made, in order.
pub fn summary_calls(input: &ReplayInput<'_>, replay: &Replay) -> Vec<SummaryCall> {
    let mut calls = Vec::new();
    // A policy without memory makes no summaries.
    if !replay.has_summaries() || matches!(replay.policy.memory, Memory::PerTurn(_)) {
        return calls;
    }
    let table = input.table;
    let mut states = BlockStates::new(input.growth.n_blocks());
    states.pin(input.pins);
    let made = input.session.turns.iter().filter(|turn| turn.message.is_some()).count();
    for turn in (0..made).map(TurnIdx::from_position) {
        states.grow_to(input.growth, turn, |_, _| {});
        for effect in replay.effects_of(turn) {
            states.moved(effect.as_move());
        }
        let steps = replay.steps_of(input, turn);
        for step in &*steps.steps {
            let (mut read, mut made) = (0, BTreeMap::new());
            steps.each_move(step, |one| {
                let told = states.moved(one);
                match (one, told) {
                    (Move::Out(_), Some(Transition::Changed { block, was, .. })) => {
                        read += was.units(table, block);
                    }
                    // A summary that is made here and lifted again is kept outside the context.
                    (Move::Lifted(number), _) if made.contains_key(&number) => {}
                    (Move::Lifted(number), _) => read += steps.summary(number).units,
                    (Move::Placed(number), _) => drop(made.insert(number, steps.summary(number).units)),
                    _ => {}
                }
            });
            // A summary that is paged in was made before.
            if !made.is_empty() && step.action != Action::PageIn {
                let written = made.values().sum();
                calls.push(SummaryCall { turn, input: table.tokens(read), output: table.tokens(written) });
            }
        }
    }
    calls
}
