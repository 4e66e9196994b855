//! `none`: nothing is evicted; the history as the harness left it.

use alloc::boxed::Box;

use crate::{GraphChange, Ledger, PolicyRun, ReplayInput, StepLog, TurnIdx};

struct None;

pub(super) fn begin<'a>(_: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    Box::new(None)
}

impl PolicyRun for None {
    fn grow(&mut self, _: &GraphChange, _: &mut Ledger<'_>, _: &mut StepLog) {}

    fn pass(&mut self, _: TurnIdx, _: &mut Ledger<'_>, _: &mut StepLog) {}
}
