//! `mask`: observation masking. Old tool outputs are replaced by a short placeholder; calls and all words of
//! the model, the human and the harness stay.
//!
//! Several rows of the registry share this policy, with defaults from their sources ([`super::registry`]); what the
//! sources leave open is decided so:
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
//!   newest outputs go, without a minimum saving. The trigger of 100,000 tokens is the budget here, unless
//!   `trigger` is set. `clear_inputs` replaces a call's arguments together with its output.
//! - `gemini-mask`: outputs of the last turn neither go nor count; the output that crosses 50,000 tokens goes,
//!   and all older ones, if a pass saves 30,000 tokens.
//! - `claude-code-idle`: a pass happens only at the first request after a pause of an hour.
//! - `clear-thinking` and `inspect-edit` also take reasoning ([`super::thinking`]).

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::cheap_turns::late_turns;
use super::thinking::{self, Thinking};
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
const TRIGGER: OptionSpec = OptionSpec::look_up("mask", "trigger");
const IDLE: OptionSpec = OptionSpec::look_up("mask", "idle");
const CLEAR_AT_LEAST: OptionSpec = OptionSpec::look_up("mask", "clear_at_least");
const EXCLUDE_WRITE: OptionSpec = OptionSpec::look_up("mask", "exclude_write");
const CLEAR_INPUTS: OptionSpec = OptionSpec::look_up("mask", "clear_inputs");

struct MaskOptions<'a> {
    options: &'a PolicyOptions,
    keep: usize,
    keep_turns: usize,
    keep_tokens: u64,
    protected_turns: usize,
    /// Tokens above which a pass begins, in the place of τ; 0 for τ.
    trigger: u64,
    /// Seconds of the pause that a pass waits for; 0 for none.
    idle: u64,
    always: bool,
    until_met: bool,
    clear_at_least: u64,
    exclude_write: bool,
    clear_inputs: bool,
    /// Lines of records with the harness's own clearings; text inserted by a clearing is not an
    /// output.
    clearings: BTreeSet<u64>,
}

impl<'a> MaskOptions<'a> {
    fn from_options(session: &Session, options: &'a PolicyOptions) -> Self {
        let by_clearing = |one: &&Replacement| one.cause == ReplacementCause::Clearing;
        let number = |spec| options.number_value(&spec);
        Self {
            options,
            keep: usize::try_from(number(KEEP)).unwrap_or(usize::MAX),
            keep_turns: usize::try_from(number(KEEP_TURNS)).unwrap_or(usize::MAX),
            keep_tokens: number(KEEP_TOKENS),
            protected_turns: usize::try_from(options.protected_turns).unwrap_or(usize::MAX),
            trigger: number(TRIGGER),
            idle: number(IDLE),
            always: number(ALWAYS) == 1,
            until_met: number(UNTIL_MET) == 1,
            clear_at_least: number(CLEAR_AT_LEAST),
            exclude_write: number(EXCLUDE_WRITE) == 1,
            clear_inputs: number(CLEAR_INPUTS) == 1,
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
        !matches!(call, Some(BlockKind::Call(call)) if self.options.excludes_tool(&call.name))
    }

    fn input_of(&self, session: &Session, output: BlockIdx) -> Option<BlockIdx> {
        let call = session.blocks[output.at()].pair.filter(|_| self.clear_inputs)?;
        session.is_evictable(call).then_some(call)
    }
}

pub(super) fn tokens_saved(table: &TokenTable, block: BlockIdx, placeholder: Placeholder) -> u64 {
    let stays = table.tokens_from_units(table.placeholder_units(placeholder));
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
struct Mask<'a> {
    rules: MaskOptions<'a>,
    thinking: Thinking,
    late: Vec<TurnIdx>,
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
    Box::new(Mask {
        thinking: Thinking::new(input),
        late: late_turns(input.session, rules.idle.saturating_mul(1000)),
        rules,
        outputs: Vec::new(),
        humans,
        next: 0,
        edge: 0,
        end: 0,
        kept_tokens: 0,
        savings: 0,
    })
}

impl Mask<'_> {
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
        let ReplayInput { session, table, .. } = pass.input;
        let saved = |block: BlockIdx, placeholder| match pass.state(block).is_pinned() {
            true => 0,
            false => tokens_saved(table, block, placeholder),
        };
        let saves = match saved(block, Placeholder::Cleared) {
            0 => 0,
            saves => {
                let input = self.rules.input_of(session, block);
                saves + input.map_or(0, |input| saved(input, Placeholder::Arguments))
            }
        };
        let tokens = table.tokens_from_units(table.units(block));
        self.outputs.push(MaskableOutput { block, tokens, saves, there: true, masked: false });
    }
}

impl Mask<'_> {
    fn is_due(&self, pass: &Pass<'_>) -> bool {
        if self.rules.idle > 0 && self.late.binary_search(&pass.turn).is_err() {
            return false;
        }
        let limit = match self.rules.trigger {
            0 => pass.budget(),
            trigger => trigger.saturating_add(pass.history()),
        };
        self.rules.always || self.rules.idle > 0 || pass.total() > limit
    }

    fn mask_output(&self, output: BlockIdx, pass: &mut Pass<'_>) {
        let ReplayInput { session, table, .. } = pass.input;
        pass.mask_block(output, Placeholder::Cleared);
        let input = self.rules.input_of(session, output);
        let goes = |input: &BlockIdx| {
            pass.may_take(*input) && tokens_saved(table, *input, Placeholder::Arguments) > 0
        };
        if let Some(input) = input.filter(goes) {
            pass.mask_block(input, Placeholder::Arguments);
        }
        pass.end_step(Subject::Output(output), Action::Clear);
    }
}

impl PolicyRun for Mask<'_> {
    fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        self.thinking.on_transition(transition, pass);
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

    fn on_release(&mut self, block: BlockIdx, _: &mut Pass<'_>) {
        self.thinking.on_release(block);
    }

    fn evict(&mut self, pass: &mut Pass<'_>) {
        if !self.is_due(pass) {
            return;
        }
        self.thinking.evict(pass);
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
                let block = output.block;
                self.mask_output(block, pass);
            }
        }
    }
}

pub(super) fn kept_reasons(input: &ReplayInput<'_>, state: &StateAt) -> Vec<KeptReason> {
    let ReplayInput { session, table, options, .. } = *input;
    let rules = MaskOptions::from_options(session, options);
    let protected = protected_from(session, options.protected_turns, state.cut.turn);
    let kept_from = rules.kept_from(session, state.cut.turn);
    let thinking_from = thinking::kept_from(input, state);
    let mut reasons = alloc::vec![KeptReason::OutOfReach; session.blocks.len()];
    let (mut n_newer, mut newer_tokens) = (0, 0);
    for (at, row) in session.blocks.iter().enumerate().rev() {
        let block = BlockIdx::new(at);
        let presence = state.presence(block);
        if presence == Presence::Absent || !rules.covers_output(session, block) {
            if let Some(reason) = thinking::kept_reason(thinking_from, session, block) {
                reasons[at] = reason;
            }
            continue;
        }
        n_newer += 1;
        let recent = n_newer <= rules.keep || row.message.at() >= kept_from;
        if !recent && row.message.at() < protected && !matches!(presence, Presence::Dropped(_)) {
            newer_tokens += table.tokens_from_units(table.units(block));
        }
        if tokens_saved(table, block, Placeholder::Cleared) > 0 {
            let reason = if recent {
                KeptReason::Recent
            } else if row.message.at() >= protected {
                KeptReason::Protected
            } else if newer_tokens <= rules.keep_tokens {
                KeptReason::Recent
            } else {
                KeptReason::Eligible
            };
            if let Some(input) = rules.input_of(session, block) {
                reasons[input.at()] = reason.clone();
            }
            reasons[at] = reason;
        }
    }
    reasons
}
