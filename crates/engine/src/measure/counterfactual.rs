//! Counterfactual compaction: what a policy would have kept at the turn of a compaction, with the
//! same room.
//!
//! The history up to that turn is the recorded one, earlier compactions included. From this
//! compaction on, removals by the harness to save room are ignored. The policy makes a single
//! pass, before that turn's request: it decides at the same moment as the harness, with the same
//! content.

use alloc::vec::Vec;

use crate::{
    BlockIdx, BlockStates, EpisodeIdx, GraphChange, Move, Pass, PolicyRun, ReplayInput, Summary, TurnIdx,
};

#[derive(Debug, Clone)]
pub struct CounterfactualCompaction {
    pub before: u64,
    pub after: u64,
    pub is_over: bool,
    pub summaries: Vec<Summary>,
    /// Episodes whose description stays.
    pub residues: Vec<EpisodeIdx>,
    states: BlockStates,
}

impl CounterfactualCompaction {
    /// Runs a policy's single pass instead of `replacement`, a position in [`crate::Session::replacements`].
    pub fn replay_once(input: &ReplayInput<'_>, replacement: usize) -> Option<Self> {
        let ReplayInput { session, growth, .. } = *input;
        let turn = session.turn_of(session.replacements.get(replacement)?);
        let mut pass = Pass::new(*input);
        let mut run = input.policy.begin_run(*input);
        for at in 0..=turn.at() {
            let at = TurnIdx::from_position(at);
            pass.go_to(at);
            for change in growth.changes_at(at) {
                if at < turn || !is_left_out(input, *change, replacement) {
                    pass_on(&mut pass, run.as_mut(), change);
                }
            }
        }
        // Messages inserted by the ignored replacements arrived with the rest and must leave
        // again.
        let number = u32::try_from(replacement).unwrap_or(u32::MAX);
        for block in blocks_put_back(input, replacement, turn) {
            pass_on(&mut pass, run.as_mut(), &GraphChange::Dropped(block, number));
        }
        let before = run.total_before(&pass);
        pass.begin_steps();
        run.evict(&mut pass);
        let (after, is_over) = (pass.total(), pass.is_over());
        let mut placed: Vec<u32> = Vec::new();
        for one in &pass.log.moves {
            match one {
                Move::Placed(number) => placed.push(*number),
                Move::Lifted(number) => placed.retain(|one| one != number),
                _ => {}
            }
        }
        let summaries = placed.iter().map(|number| pass.log.summaries[*number as usize].clone()).collect();
        let episodes = growth.graph.episodes().map(|(episode, _)| episode);
        let residues = episodes.filter(|episode| pass.has_residue(*episode)).collect();
        Some(Self { before, after, is_over, summaries, residues, states: pass.ledger.states().clone() })
    }

    pub fn contains(&self, block: BlockIdx) -> bool {
        self.states.state(block).is_there()
    }
}

fn pass_on(pass: &mut Pass<'_>, run: &mut dyn PolicyRun, change: &GraphChange) {
    if let Some(transition) = pass.apply_change(change) {
        run.on_transition(transition, pass);
    }
}

fn is_left_out(input: &ReplayInput<'_>, change: GraphChange, from: usize) -> bool {
    let replacements = &input.session.replacements;
    match change {
        GraphChange::Dropped(_, by) => {
            let by = by as usize;
            by >= from && replacements.get(by).is_some_and(|one| one.cause.saves_room())
        }
        GraphChange::Restored(block) => replacements[from].restores.binary_search(&block).is_ok(),
        _ => false,
    }
}

fn blocks_put_back(input: &ReplayInput<'_>, from: usize, turn: TurnIdx) -> Vec<BlockIdx> {
    let session = input.session;
    let due = session.replacements[from..].iter().take_while(|one| session.turn_of(one) <= turn);
    let mut blocks = Vec::new();
    for one in due.filter(|one| one.cause.saves_room()) {
        let messages = session.messages.iter().skip(one.at);
        let own = messages.take_while(|message| message.added && message.entry == one.entry);
        blocks.extend(own.flat_map(|message| message.blocks.clone()).map(BlockIdx::new));
    }
    blocks
}
