//! `dedup`: calls with the same tool and the same arguments keep only their last output, and failed calls lose
//! their arguments after some turns.
//!
//! After Dynamic Context Pruning, a plugin of OpenCode: an older output of a repeated call becomes a placeholder,
//! unless its tool is one of `exclude_tools`; an older call that failed loses its arguments, and its error stays.
//! A failed call loses its arguments when `error_turns` later replies have come. The budget does not matter.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::mask::tokens_saved;
use crate::{
    Action, BlockIdx, BlockKind, KeptReason, OptionSpec, Pass, Placeholder, PolicyRun, ReplayInput, Session,
    StateAt, Subject, Transition, TurnIdx,
};

const SAME_CALL: OptionSpec = OptionSpec::look_up("dedup", "same_call");
const ERROR_TURNS: OptionSpec = OptionSpec::look_up("dedup", "error_turns");

struct Dedup {
    same_call: bool,
    error_turns: usize,
    newest: BTreeMap<u64, BlockIdx>,
    /// Calls that came again, as long as their results may still come.
    repeated: Vec<BlockIdx>,
    failed: Vec<BlockIdx>,
}

pub(super) fn begin_run<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    let number = |spec| input.options.number_value(spec);
    Box::new(Dedup {
        same_call: number(&SAME_CALL) == 1,
        error_turns: usize::try_from(number(&ERROR_TURNS)).unwrap_or(usize::MAX),
        newest: BTreeMap::new(),
        repeated: Vec::new(),
        failed: Vec::new(),
    })
}

enum Wait {
    Done,
    /// A block is held, or has not come.
    Longer,
}

impl Dedup {
    fn on_block(&mut self, block: BlockIdx, pass: &Pass<'_>) {
        let ReplayInput { session, material, .. } = pass.input;
        match &session.blocks[block.at()].kind {
            BlockKind::Call(_) if self.same_call => {
                let print = material.alike.get(block.at()).copied().unwrap_or(0);
                if print > 0
                    && let Some(older) = self.newest.insert(print, block)
                {
                    self.repeated.push(older);
                }
            }
            BlockKind::Result(result) if !result.ok && self.error_turns > 0 => self.failed.push(block),
            _ => {}
        }
    }

    fn clear_repeated(call: BlockIdx, pass: &mut Pass<'_>) -> Wait {
        let ReplayInput { session, growth, options, .. } = pass.input;
        let BlockKind::Call(known) = &session.blocks[call.at()].kind else { return Wait::Done };
        let excluded = options.excludes_tool(&known.name);
        let mut wait = Wait::Longer;
        for result in growth.blocks_of_pair(call).filter(|block| *block != call) {
            let BlockKind::Result(answer) = &session.blocks[result.at()].kind else { continue };
            if !pass.state(result).has_arrived() {
                continue;
            }
            wait = match answer.ok {
                false => Self::clear_arguments(result, pass),
                true if excluded => Wait::Done,
                true => Self::mask(result, result, Placeholder::Superseded, pass),
            };
        }
        wait
    }

    fn clear_arguments(result: BlockIdx, pass: &mut Pass<'_>) -> Wait {
        match pass.input.session.blocks[result.at()].pair {
            Some(call) => Self::mask(call, result, Placeholder::Arguments, pass),
            None => Wait::Done,
        }
    }

    fn mask(block: BlockIdx, result: BlockIdx, placeholder: Placeholder, pass: &mut Pass<'_>) -> Wait {
        let ReplayInput { session, table, .. } = pass.input;
        if pass.is_held(block) {
            return Wait::Longer;
        }
        if pass.may_take(block) && session.is_evictable(block) && tokens_saved(table, block, placeholder) > 0
        {
            pass.mask_block(block, placeholder);
            let action = match placeholder {
                Placeholder::Superseded => Action::Supersede,
                _ => Action::Clear,
            };
            pass.end_step(Subject::Output(result), action);
        }
        Wait::Done
    }

    fn is_old(&self, result: BlockIdx, session: &Session, turn: TurnIdx) -> bool {
        let Some(call) = session.blocks[result.at()].pair else { return true };
        let own = session.turn_after(session.blocks[call.at()].message).at();
        turn.at().saturating_sub(own) >= self.error_turns
    }
}

impl PolicyRun for Dedup {
    fn on_transition(&mut self, transition: Transition, pass: &mut Pass<'_>) {
        if let Transition::Arrived(run) = transition {
            run.blocks().for_each(|block| self.on_block(block, pass));
        }
    }

    fn evict(&mut self, pass: &mut Pass<'_>) {
        let session = pass.input.session;
        for call in core::mem::take(&mut self.repeated) {
            if matches!(Self::clear_repeated(call, pass), Wait::Longer) {
                self.repeated.push(call);
            }
        }
        for result in core::mem::take(&mut self.failed) {
            let is_due = self.is_old(result, session, pass.turn);
            if !is_due || matches!(Self::clear_arguments(result, pass), Wait::Longer) {
                self.failed.push(result);
            }
        }
    }
}

pub(super) fn kept_reasons(input: &ReplayInput<'_>, _: &StateAt) -> Vec<KeptReason> {
    let session = input.session;
    let reason = |block: &crate::SessionBlock| match block.kind {
        BlockKind::Call(_) | BlockKind::Result(_) => KeptReason::Eligible,
        _ => KeptReason::OutOfReach,
    };
    session.blocks.iter().map(reason).collect()
}
