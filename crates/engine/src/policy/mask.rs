//! `mask`: observation masking. Old tool outputs are replaced by a short placeholder; calls and all words of
//! the model, the human and the harness stay.
//!
//! Three rows of the registry share this policy, with defaults from these sources:
//!
//! - `mask`: the 10 newest outputs stay. The paper on observation masking (arXiv 2508.21433) keeps the
//!   outputs of the last 10 turns (`keep=0`, `keep_turns=10`) and masks before every request (`always=1`).
//!   By default we mask only over the budget, so all policies are comparable at one τ.
//! - `opencode-prune`: from the harness's source. The last 2 human turns and the newest 40,000 tokens of
//!   outputs stay, a pass happens only if it frees more than 20,000 tokens, outputs of `skill` never go, and
//!   the budget does not matter. The harness prunes at the end of a human turn; before a request, its 2
//!   turns are the last 3, including the one just begun. The harness's estimate of 4 characters per token is
//!   replaced by the view's tokenizer.
//! - `claude-code-clearing`: Claude Code's logs record which outputs were cleared, but not the rule. The row
//!   uses the provider's documented clearing (`clear_tool_uses_20250919`): over the trigger, all but the 3
//!   newest outputs go, without a minimum saving. The trigger of 100,000 tokens is the budget here.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::{
    Action, BlockIdx, BlockKind, KeptReason, OptionSpec, Pass, Placeholder, PolicyOptions, PolicyRun,
    Presence, Replacement, ReplacementCause, ReplayInput, Session, StateAt, Subject, TokenTable, ToolClass,
    Transition, TurnIdx, protected_from,
};

const KEEP: OptionSpec = OptionSpec::look_up("mask", "keep");
const KEEP_TURNS: OptionSpec = OptionSpec::look_up("mask", "keep_turns");
const KEEP_TOKENS: OptionSpec = OptionSpec::look_up("mask", "keep_tokens");
const ALWAYS: OptionSpec = OptionSpec::look_up("mask", "always");
const UNTIL_MET: OptionSpec = OptionSpec::look_up("mask", "until_met");
const CLEAR_AT_LEAST: OptionSpec = OptionSpec::look_up("mask", "clear_at_least");
const EXCLUDE_WRITE: OptionSpec = OptionSpec::look_up("mask", "exclude_write");
const EXCLUDE_SKILL: OptionSpec = OptionSpec::look_up("mask", "exclude_skill");

struct MaskOptions {
    keep: usize,
    keep_turns: usize,
    keep_tokens: u64,
    protected_turns: usize,
    always: bool,
    until_met: bool,
    clear_at_least: u64,
    exclude_write: bool,
    exclude_skill: bool,
    /// Lines of records with the harness's own clearings; text inserted by a clearing is not an
    /// output.
    clearings: BTreeSet<u64>,
}

impl MaskOptions {
    fn from_options(session: &Session, options: &PolicyOptions) -> Self {
        let by_clearing = |one: &&Replacement| one.cause == ReplacementCause::Clearing;
        let number = |spec| options.number_value(&spec);
        Self {
            keep: usize::try_from(number(KEEP)).unwrap_or(usize::MAX),
            keep_turns: usize::try_from(number(KEEP_TURNS)).unwrap_or(usize::MAX),
            keep_tokens: number(KEEP_TOKENS),
            protected_turns: usize::try_from(options.protected_turns).unwrap_or(usize::MAX),
            always: number(ALWAYS) == 1,
            until_met: number(UNTIL_MET) == 1,
            clear_at_least: number(CLEAR_AT_LEAST),
            exclude_write: number(EXCLUDE_WRITE) == 1,
            exclude_skill: number(EXCLUDE_SKILL) == 1,
            clearings: session.replacements.iter().filter(by_clearing).map(|one| one.line).collect(),
        }
    }

    fn kept_from(&self, session: &Session, turn: TurnIdx) -> usize {
        match self.keep_turns {
            0 => usize::MAX,
            n => session.turns[turn.at().saturating_sub(n)].end,
        }
    }

    /// Returns `true` if an output may be masked. Other outputs do not count towards the kept ones
    /// either.
    fn covers_output(&self, session: &Session, block: BlockIdx) -> bool {
        let (row, message) = (&session.blocks[block.at()], session.message_of(block));
        if !matches!(row.kind, BlockKind::Result(_)) || !session.is_evictable(block) {
            return false;
        }
        if message.added && self.clearings.contains(&message.line) {
            return false;
        }
        if self.exclude_write && row.class == Some(ToolClass::Write) {
            return false;
        }
        let call = row.pair.map(|call| &session.blocks[call.at()].kind);
        !(self.exclude_skill && matches!(call, Some(BlockKind::Call(call)) if is_skill(&call.name)))
    }
}

fn is_skill(name: &str) -> bool {
    let last = name.as_bytes().split_last_chunk::<5>();
    last.is_some_and(|(before, last)| {
        last.eq_ignore_ascii_case(b"skill") && (before.is_empty() || before.ends_with(b"__"))
    })
}

fn tokens_saved(table: &TokenTable, block: BlockIdx) -> u64 {
    let stays = table.tokens_from_units(table.placeholder_units(Placeholder::Cleared));
    table.tokens_from_units(table.units(block)).saturating_sub(stays)
}

struct MaskableOutput {
    block: BlockIdx,
    tokens: u64,
    /// Tokens saved by a placeholder; 0 for an output that never goes.
    saves: u64,
    there: bool,
    masked: bool,
}

/// Outputs in three zones by age: up to `edge`, outputs may go; up to `end`, they are kept by
/// their tokens; the rest is kept by number or human turn. Both bounds only move towards the
/// newest output, with running sums per zone, so an idle pass costs nothing.
struct Mask {
    rules: MaskOptions,
    outputs: Vec<MaskableOutput>,
    humans: Vec<usize>,
    next: usize,
    edge: usize,
    end: usize,
    kept_tokens: u64,
    savings: u64,
}

pub(super) fn begin_run<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let rules = MaskOptions::from_options(input.session, input.options);
    let humans = match rules.protected_turns {
        0 => Vec::new(),
        _ => (0..input.session.messages.len()).filter(|at| input.session.messages[*at].is_typed()).collect(),
    };
    let outputs = Vec::new();
    Box::new(Mask { rules, outputs, humans, next: 0, edge: 0, end: 0, kept_tokens: 0, savings: 0 })
}

impl Mask {
    fn turn_up(&mut self, block: BlockIdx, there: bool) {
        let Ok(at) = self.outputs.binary_search_by_key(&block, |output| output.block) else { return };
        let output = &mut self.outputs[at];
        output.there = there;
        let sum = match at {
            at if at < self.edge && !output.masked => Some((&mut self.savings, output.saves)),
            at if at >= self.edge && at < self.end => Some((&mut self.kept_tokens, output.tokens)),
            _ => None,
        };
        if let Some((sum, tokens)) = sum {
            *sum = if there { *sum + tokens } else { *sum - tokens };
        }
        if there {
            self.next = self.next.min(at);
        }
    }

    fn age_zones(&mut self, pass: &Pass<'_>) {
        let ReplayInput { session, growth, .. } = pass.input;
        let mut end = self.outputs.len().saturating_sub(self.rules.keep);
        if let Some(nth) = self.rules.protected_turns.checked_sub(1) {
            let n_humans = self.humans.partition_point(|at| *at < session.turn_at(pass.turn).end);
            let protected = n_humans.checked_sub(nth + 1).map_or(0, |at| self.humans[at]);
            let is_old = |output: &MaskableOutput| growth.message_of(output.block) < protected;
            end = end.min(self.outputs.partition_point(is_old));
        }
        end = end.min(self.outputs.partition_point(|output| {
            growth.message_of(output.block) < self.rules.kept_from(session, pass.turn)
        }));
        while self.end < end {
            let output = &self.outputs[self.end];
            self.kept_tokens += if output.there { output.tokens } else { 0 };
            self.end += 1;
        }
        while self.edge < self.end && self.kept_tokens > self.rules.keep_tokens {
            let output = &self.outputs[self.edge];
            if output.there {
                self.kept_tokens -= output.tokens;
                self.savings += output.saves;
            }
            self.edge += 1;
        }
    }

    fn on_output(&mut self, block: BlockIdx, pass: &Pass<'_>) {
        let table = pass.input.table;
        let saves = if pass.state(block).is_pinned() { 0 } else { tokens_saved(table, block) };
        let tokens = table.tokens_from_units(table.units(block));
        self.outputs.push(MaskableOutput { block, tokens, saves, there: true, masked: false });
    }
}

impl PolicyRun for Mask {
    fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        if let Transition::Arrived(run) = transition {
            for block in run.blocks() {
                if self.rules.covers_output(pass.input.session, block) {
                    self.on_output(block, pass);
                }
            }
        } else if let Some((block, is)) = transition.by_harness() {
            self.turn_up(block, !is.is_dropped());
        }
    }

    fn evict(&mut self, pass: &mut Pass<'_>) {
        if !self.rules.always && !pass.is_over() {
            return;
        }
        self.age_zones(pass);
        if self.savings == 0 || self.savings < self.rules.clear_at_least {
            return;
        }
        let stop = if self.rules.until_met && !self.rules.always { pass.budget() } else { 0 };
        while self.next < self.edge && pass.total() > stop {
            let output = &mut self.outputs[self.next];
            self.next += 1;
            if output.there && !output.masked && output.saves > 0 {
                output.masked = true;
                self.savings -= output.saves;
                pass.mask_block(output.block, Placeholder::Cleared);
                pass.end_step(Subject::Output(output.block), Action::Clear);
            }
        }
    }
}

pub(super) fn kept_reasons(input: &ReplayInput<'_>, state: &StateAt) -> Vec<KeptReason> {
    let ReplayInput { session, table, options, .. } = *input;
    let rules = MaskOptions::from_options(session, options);
    let protected = protected_from(session, options.protected_turns, state.cut.turn);
    let kept_from = rules.kept_from(session, state.cut.turn);
    let mut reasons = alloc::vec![KeptReason::OutOfReach; session.blocks.len()];
    let (mut n_newer, mut newer_tokens) = (0, 0);
    for (at, row) in session.blocks.iter().enumerate().rev() {
        let block = BlockIdx::new(at);
        let presence = state.presence(block);
        if presence == Presence::Absent || !rules.covers_output(session, block) {
            continue;
        }
        n_newer += 1;
        let recent = n_newer <= rules.keep || row.message.at() >= kept_from;
        if !recent && row.message.at() < protected && !matches!(presence, Presence::Dropped(_)) {
            newer_tokens += table.tokens_from_units(table.units(block));
        }
        if tokens_saved(table, block) > 0 {
            reasons[at] = if recent {
                KeptReason::Recent
            } else if row.message.at() >= protected {
                KeptReason::Protected
            } else if newer_tokens <= rules.keep_tokens {
                KeptReason::Recent
            } else {
                KeptReason::Eligible
            };
        }
    }
    reasons
}
