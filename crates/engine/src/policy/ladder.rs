//! `ladder`: compaction in stages; a stage starts only if the previous one is not enough.
//!
//! Above the high mark, a pass works down to the low mark. First, redundant outputs are masked:
//! outputs a newer one repeats, and outputs whose file or command was read or written again later.
//! Then old turns go under a running summary, cut to the room left by the budget. Everything
//! evicted is covered by the summary, which itself never goes; if the rest alone exceeds the
//! budget, the turn is over budget. The open episode and the last turns stay unchanged.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, BinaryHeap};
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::evictable::may_go;
use super::open_loop::{self, OpenLoop};
use super::running::{Running, TryRange};
use super::summary::SIZE;
use crate::{
    Action, BlockIdx, BlockKind, KeptReason, NameKind, OptionSpec, PairSide, Pass, Placeholder, PolicyRun,
    ReplayInput, StateAt, Subject, ToolClass, Transition,
};

const HIGH: OptionSpec = OptionSpec::look_up("ladder", "high");
const LOW: OptionSpec = OptionSpec::look_up("ladder", "low");
const KEEP_TURNS: OptionSpec = OptionSpec::look_up("ladder", "keep_turns");

pub(super) fn begin_run<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let share = |spec| input.share_of_budget(input.options.number_value(spec));
    let high = share(&HIGH);
    Box::new(Ladder {
        running: Running::new(input, input.options.number_value(&SIZE)),
        high,
        low: share(&LOW).min(high),
        keep_turns: input.options.number_value(&KEEP_TURNS),
        open_loop: OpenLoop::new(input),
        newest: alloc::vec![None; input.session.blocks.len() + 1],
        repeated: RedundantOutputs::new(input.session.blocks.len()),
        superseded: RedundantOutputs::new(input.session.blocks.len()),
        next_use: 0,
        copies: BTreeMap::new(),
        orphaned: Vec::new(),
    })
}

pub(super) fn kept_reason(input: &ReplayInput<'_>, state: &StateAt, block: BlockIdx) -> KeptReason {
    open_loop::kept_reason(input, state, block, input.options.number_value(&KEEP_TURNS))
}

struct RedundantOutputs {
    newer: Vec<Option<BlockIdx>>,
    order: BinaryHeap<Reverse<BlockIdx>>,
}

impl RedundantOutputs {
    fn new(n_blocks: usize) -> Self {
        Self { newer: alloc::vec![None; n_blocks], order: BinaryHeap::new() }
    }

    fn add_newer(&mut self, older: BlockIdx, newer: BlockIdx) {
        if self.newer[older.at()].replace(newer).is_none() {
            self.order.push(Reverse(older));
        }
    }

    fn next_before(&mut self, end: BlockIdx) -> Option<(BlockIdx, BlockIdx)> {
        let Reverse(older) = *self.order.peek().filter(|Reverse(older)| *older < end)?;
        self.order.pop();
        self.newer[older.at()].take().map(|newer| (older, newer))
    }
}

struct Ladder<'a> {
    running: Running<'a>,
    high: u64,
    low: u64,
    keep_turns: u64,
    open_loop: OpenLoop,
    newest: Vec<Option<BlockIdx>>,
    repeated: RedundantOutputs,
    /// Outputs whose file or command came again; the counterpart is the newer output or the
    /// writing call.
    superseded: RedundantOutputs,
    next_use: usize,
    copies: BTreeMap<BlockIdx, Vec<BlockIdx>>,
    orphaned: Vec<BlockIdx>,
}

impl Ladder<'_> {
    fn may_mask(&self, block: BlockIdx, placeholder: Placeholder, pass: &Pass<'_>) -> bool {
        let ReplayInput { session, growth, table, .. } = pass.input;
        // Masking must save at least one whole token.
        let least = table.placeholder_units(placeholder) + u64::from(table.divisor());
        pass.may_take(block)
            && table.units(block) >= least
            && may_go(growth.class_of(block))
            && growth.message_of(block) >= session.turns[0].end
            && growth.side_of(block) == PairSide::Result
    }

    fn clear_referring(&mut self, gone: BlockIdx, pass: &mut Pass<'_>) {
        for copy in self.copies.remove(&gone).unwrap_or_default() {
            if pass.state(copy).is_masked() {
                pass.mask_block(copy, Placeholder::Cleared);
            }
        }
    }

    fn correct_placeholders(&mut self, gone: impl IntoIterator<Item = BlockIdx>, pass: &mut Pass<'_>) {
        for kept in gone {
            if !pass.state(kept).is_there() {
                self.clear_referring(kept, pass);
                if pass.has_moved() {
                    pass.end_step(Subject::Output(kept), Action::Clear);
                }
            }
        }
    }

    fn prune_outputs(&mut self, end: BlockIdx, pass: &mut Pass<'_>) {
        let rungs = [(Placeholder::Duplicate, Action::Dedupe), (Placeholder::Superseded, Action::Supersede)];
        for (placeholder, action) in rungs {
            while pass.total() > self.low + pass.history() {
                let redundant = match placeholder {
                    Placeholder::Duplicate => &mut self.repeated,
                    _ => &mut self.superseded,
                };
                let Some((older, newer)) = redundant.next_before(end) else { break };
                if pass.state(newer).is_there() && self.may_mask(older, placeholder, pass) {
                    pass.mask_block(older, placeholder);
                    pass.end_step(Subject::Output(older), action);
                    let mut copies = self.copies.remove(&older).unwrap_or_default();
                    copies.push(older);
                    self.copies.entry(newer).or_default().append(&mut copies);
                }
            }
        }
    }

    fn find_superseded(&mut self, pass: &Pass<'_>) {
        let ReplayInput { session, material, .. } = pass.input;
        while let Some(one) = material.uses.get(self.next_use).filter(|one| pass.state(one.by).has_arrived())
        {
            // Wait for the result.
            if one.again.is_some_and(|again| !pass.state(again).has_arrived()) {
                break;
            }
            self.next_use += 1;
            let name = material.names.get(one.name as usize);
            if name.is_none_or(|name| name.kind == NameKind::Symbol) {
                continue;
            }
            let wrote = || {
                let by = &session.blocks[one.by.at()];
                let pair = by.pair.map(|pair| &session.blocks[pair.at()].kind);
                let is_done = matches!(pair, Some(BlockKind::Result(result)) if result.ok);
                by.class == Some(ToolClass::Write) && is_done
            };
            let newer = one.again.or_else(|| wrote().then_some(one.by)).filter(|newer| *newer > one.held);
            if let Some(newer) = newer {
                self.superseded.add_newer(one.held, newer);
            }
        }
    }

    fn on_output(&mut self, block: BlockIdx, pass: &Pass<'_>) {
        if pass.input.growth.side_of(block) != PairSide::Result {
            return;
        }
        let alike = pass.input.material.alike.get(block.at()).copied().filter(|alike| *alike != 0);
        let alike = alike.and_then(|alike| usize::try_from(alike).ok());
        if let Some(newest) = alike.and_then(|alike| self.newest.get_mut(alike))
            && pass.state(block).is_there()
            && let Some(older) = newest.replace(block)
        {
            self.repeated.add_newer(older, block);
        }
    }
}

impl PolicyRun for Ladder<'_> {
    fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        self.running.on_transition(transition, pass);
        self.open_loop.on_transition(transition, pass);
        match transition {
            Transition::Arrived(run) => run.blocks().for_each(|block| self.on_output(block, pass)),
            Transition::Changed { block, is, .. } if is.is_dropped() && self.copies.contains_key(&block) => {
                self.orphaned.push(block);
            }
            _ => {}
        }
    }

    fn on_release(&mut self, block: BlockIdx, pass: &mut Pass<'_>) {
        self.running.on_release(block, pass);
    }

    fn evict(&mut self, pass: &mut Pass<'_>) {
        let session = pass.input.session;
        let orphaned = core::mem::take(&mut self.orphaned);
        self.correct_placeholders(orphaned, pass);
        self.find_superseded(pass);
        self.running.refresh_summary(pass);
        if pass.total() > self.high + pass.history() {
            let most = self.open_loop.end_of_old(pass, self.keep_turns);
            let first = session.messages.get(session.turns[most].end).map(|message| message.blocks.start);
            let end = BlockIdx::new(first.unwrap_or(session.blocks.len()));
            self.prune_outputs(end, pass);
            let goal = self.low + pass.history();
            if pass.total() > goal {
                let limit = pass.budget();
                self.running.cover_turns(&TryRange { least: 0, soft: most, most, goal, limit }, pass);
            }
            let growth = pass.input.growth;
            let had_copies = |block: &BlockIdx| {
                *block < end && growth.side_of(*block) != PairSide::Neither && self.copies.contains_key(block)
            };
            let gone: BTreeSet<BlockIdx> = pass.removed_blocks().filter(had_copies).collect();
            self.correct_placeholders(gone, pass);
        }
    }
}
