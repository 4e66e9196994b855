//! `none`: evicts nothing; the history as the harness left it.

use alloc::boxed::Box;

use crate::{Pass, PolicyRun, ReplayInput};

struct NoEviction;

pub(super) fn begin_run<'a>(_: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    Box::new(NoEviction)
}

impl PolicyRun for NoEviction {
    fn evict(&mut self, _: &mut Pass<'_>) {}
}
