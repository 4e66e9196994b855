//! `pi-cwl`: eviction as the published harness does it, which differs from the paper.
//!
//! Every turn starts from the whole history. A segment is a range of messages, from the result that starts it to the one
//! that ends it, whatever rules of the protocol that breaks; the oldest one on which no other waits goes first, be it an
//! act or not. Its reasoning goes (not an act's), then searches, shell commands and reads by the tool's own name, then all
//! its messages but the human's; nothing stays in its place. Calls whose results go with a range stay behind, and the other
//! way round: the published form really cuts there, and the checks of a context name it.
//!
//! The harness counts by the characters of a message (`chars4`), or asks a provider for every count where it can. The
//! latter cannot be played again; the same policy over the sizes of `o200k` stands in for it.

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

/// Lists the messages without a block that are gone at a cut.
pub(super) fn bare_messages(input: &ReplayInput<'_>, cut: Cut) -> Vec<MessageIdx> {
    if !input.session.messages.iter().any(|message| message.blocks.is_empty()) {
        return Vec::new();
    }
    let steps = pi_cwl_pass(input, cut.turn).empties.into_iter();
    steps.take(cut.step).flatten().collect()
}

/// Images count in results and in what extensions put in, and nowhere else; what is not sent counts as well.
pub(super) fn adjust_sizes(session: &Session, table: &TokenTable) -> TokenTable {
    let uncounted = session.blocks.iter().enumerate().filter(|(_, row)| {
        row.kind == BlockKind::Image
            && !matches!(session.messages[row.message.at()].form, MessageForm::Custom { .. })
    });
    table.clone().with_unsent_counted().with_sizes(uncounted.map(|(at, _)| (BlockIdx::new(at), 0)))
}
