//! `none`: nothing is evicted; the history as the harness left it.

use alloc::boxed::Box;

use crate::{Pass, PolicyRun, ReplayInput};

struct None;

pub(super) fn begin<'a>(_: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
    Box::new(None)
}

impl PolicyRun for None {
    fn pass(&mut self, _: &mut Pass<'_>) {}
}
