//! The state and context at a cut, with queries shared by several commands.

use std::sync::OnceLock;

use cwl_engine::{Pairing, RenderedContext, Session, StateAt, Violation};

use crate::api::Provider;
use crate::measure::run::ReplayRun;

pub struct CutContext {
    pub state: StateAt,
    pub context: RenderedContext,
    /// Faults rejected by each provider, in [`Provider::ALL`] order. Kept because every page of a list repeats them.
    refused: OnceLock<Vec<Vec<Violation>>>,
}

impl CutContext {
    pub fn new(state: StateAt, context: RenderedContext) -> Self {
        Self { state, context, refused: OnceLock::new() }
    }

    pub fn is_met(&self, run: &ReplayRun) -> bool {
        self.context.total <= run.replay.budget_at(self.state.cut.turn)
    }

    pub(crate) fn provider_violations(
        &self,
        session: &Session,
    ) -> impl Iterator<Item = (Provider, &[Violation])> {
        let lists = self.refused.get_or_init(|| {
            let pairing = Pairing::from_context(session, &self.context);
            Provider::ALL.iter().map(|provider| pairing.find_violations(session, *provider)).collect()
        });
        Provider::ALL.iter().zip(lists).map(|(provider, list)| (*provider, list.as_slice()))
    }
}
