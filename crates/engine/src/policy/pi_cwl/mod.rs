//! `pi-cwl`: eviction in the published harness, which differs from the paper.
//!
//! Every turn starts from the whole history. A segment is a range of messages, from the result that starts
//! it to the result that ends it, even against the protocol's rules. The oldest segment without dependents
//! goes first, act or not. Within a segment, reasoning goes first (not for an act), then searches, shell
//! commands and reads by tool name, and finally all its messages except the human's; no residue stays. A
//! call may be left without its result and vice versa: the published harness really cuts there, and the
//! validity checks report it.
//!
//! The harness counts a message's characters (`chars4`), or asks the provider for exact counts if possible.
//! Exact counts cannot be replayed; sizes by `o200k` replace exact counts.

mod columns;
mod kept;
mod run;
mod schedule;
mod segment;

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::{
    BlockIdx, BlockKind, Cut, MessageForm, MessageIdx, PolicyRun, ReplayInput, Session, Steps, TokenTable,
    TurnIdx,
};
pub(super) use kept::kept_reasons;
pub use run::{PiCwlPass, pi_cwl_pass};

pub(super) fn begin_run<'a>(input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    Box::new(run::PiCwlRun::new(input))
}

pub(super) fn list_steps(input: ReplayInput<'_>, turn: TurnIdx) -> Steps<'static> {
    pi_cwl_pass(&input, turn).pass
}

pub(super) fn bare_messages(input: &ReplayInput<'_>, cut: Cut) -> Vec<MessageIdx> {
    if !input.session.messages.iter().any(|message| message.blocks.is_empty()) {
        return Vec::new();
    }
    let steps = pi_cwl_pass(input, cut.turn).empties.into_iter();
    steps.take(cut.step).flatten().collect()
}

pub(super) fn adjust_sizes(session: &Session, table: &TokenTable) -> TokenTable {
    let uncounted = session.blocks.iter().enumerate().filter(|(_, row)| {
        row.kind == BlockKind::Image
            && !matches!(session.messages[row.message.at()].form, MessageForm::Custom { .. })
    });
    table.clone().with_unsent_counted().with_sizes(uncounted.map(|(at, _)| (BlockIdx::new(at), 0)))
}
