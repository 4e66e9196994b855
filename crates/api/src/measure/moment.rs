//! The state and context at a cut, and what several commands ask about them.

use std::sync::OnceLock;

use cwl_engine::{Pairing, Provider, RenderedContext, Session, StateAt, Violation};

use crate::measure::opened::Run;

/// The forms of a request that are rendered, by the name that people type.
pub(crate) const PROVIDERS: [(&str, Provider); 5] = [
    ("pi", Provider::Pi),
    ("anthropic", Provider::Anthropic),
    ("openai", Provider::OpenAiResponses),
    ("openai-chat", Provider::OpenAiChat),
    ("gemini", Provider::Gemini),
];

/// The state and context at a cut.
pub(crate) struct Moment {
    pub(crate) state: StateAt,
    pub(crate) context: RenderedContext,
    /// The violations that each provider would refuse, in the order of [`PROVIDERS`]: every page of a list tells them.
    refused: OnceLock<Vec<Vec<Violation>>>,
}

impl Moment {
    pub(crate) fn new(state: StateAt, context: RenderedContext) -> Self {
        Self { state, context, refused: OnceLock::new() }
    }

    /// Tells whether the budget is met at this cut.
    pub(crate) fn is_met(&self, run: &Run) -> bool {
        self.context.total <= run.replay.budget
    }

    /// Lists what each provider would refuse, by the provider's name; worked out once.
    pub(crate) fn refused(&self, session: &Session) -> impl Iterator<Item = (&'static str, &[Violation])> {
        let lists = self.refused.get_or_init(|| {
            let pairing = Pairing::of(session, &self.context);
            PROVIDERS.iter().map(|(_, provider)| pairing.violations(session, *provider)).collect()
        });
        PROVIDERS.iter().zip(lists).map(|((name, _), list)| (*name, list.as_slice()))
    }
}
