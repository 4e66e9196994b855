//! Eviction of parts from passing requests, decided anew for each body.
//!
//! A body contains the whole history, so only unit counts are kept between requests, and for each session its
//! settings, its journal and its last request, for the owner who steers it. In doubt the request is forwarded
//! unchanged: a body not fully understood, a policy without the marks it needs, or an edited list the provider would
//! refuse.

mod counts;
mod decide;
mod evictor;
mod proxied;
mod session_id;
mod sessions;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use cwl_engine::ParsedEvent;
use cwl_formats::Format;
use cwl_host::Tools;
use cwl_inspect::DecisionSettings;
use cwl_live::{GivenSettings, LiveVerdict, SetRequest};
use cwl_tokens::Tokenizer;

pub(crate) use evictor::Evictor;

use decide::{BodyDecider, DecidedBody, ParsedBody, apply_edits};
use proxied::{ProxiedSession, parse_settings};
use session_id::{RequestOwner, find_owner};
use sessions::{ProxiedSessions, SharedSession};

pub struct Eviction {
    given: GivenSettings,
    settings: DecisionSettings,
    decider: Arc<BodyDecider>,
    sessions: Option<ProxiedSessions>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BodyOutcome {
    Keep,
    Evict { body: String, figures: EvictionFigures, notice: String },
    PassThrough(String),
}

/// Sizes in tokens of the chosen tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub(crate) struct EvictionFigures {
    pub(crate) whole: u64,
    pub(crate) sent: u64,
    pub(crate) n_parts: usize,
}

impl Eviction {
    /// Parses settings as users type them; each of `options` is `KEY=VALUE`.
    ///
    /// # Errors
    /// Returns a sentence if an argument is invalid or the policy cannot run live.
    pub fn parse(
        policy: &str,
        budget: &str,
        options: &[String],
        tokenizer: &str,
        tools: Tools,
    ) -> Result<Self, String> {
        let options = options.iter().map(|option| {
            let (key, value) = option.split_once('=').ok_or_else(|| format!("`{option}` is no KEY=VALUE"))?;
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        });
        let given = GivenSettings::default().with_request(SetRequest {
            policy: Some(policy.to_owned()),
            budget: Some(budget.to_owned()),
            options: Some(options.collect::<Result<BTreeMap<_, _>, String>>()?),
            tokenizer: Some(tokenizer.to_owned()),
            ..SetRequest::default()
        });
        let tokenizer: Tokenizer =
            tokenizer.parse().map_err(|error: cwl_tokens::UnknownTokenizer| error.to_string())?;
        let settings = parse_settings(&given, tokenizer).map_err(|failure| failure.reason)?;
        let decider = Arc::new(BodyDecider::new(tokenizer, tools));
        Ok(Self { given, settings, decider, sessions: None })
    }

    /// Listens on a control socket for each session, in the folder of the store.
    #[must_use]
    pub fn with_control(self, data_dir: &Path) -> Self {
        Self { sessions: Some(ProxiedSessions::new(data_dir)), ..self }
    }

    pub fn policy(&self) -> &'static str {
        self.settings.policy.name
    }

    /// τ, in tokens.
    pub fn budget(&self) -> u64 {
        self.settings.budget
    }

    pub(crate) fn decide_body(&self, format: Format, path: &str, body: &[u8]) -> BodyOutcome {
        self.try_decide(format, path, body).unwrap_or_else(BodyOutcome::PassThrough)
    }

    fn try_decide(&self, format: Format, path: &str, body: &[u8]) -> Result<BodyOutcome, String> {
        let parsed = ParsedBody::parse(format, body);
        let DecidedBody { checked, policy, .. } =
            match self.find_session(format, path, body, &parsed.events)? {
                Some((session, n_tools)) => {
                    let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
                    session.decide(format, body, parsed, n_tools)?
                }
                None => self.decider.decide_body(&self.settings, format, body, parsed)?,
            };
        match checked.verdict {
            LiveVerdict::Keep => Ok(BodyOutcome::Keep),
            LiveVerdict::PassThrough => Err(checked.passes.unwrap_or_default()),
            LiveVerdict::Evict => {
                let figures = EvictionFigures {
                    whole: checked.figures.whole,
                    sent: checked.figures.sent,
                    n_parts: checked.evicted.len(),
                };
                let body = apply_edits(format, body, &checked.edits)?;
                let budget = checked.figures.budget;
                let notice =
                    format!("{policy} holds requests at {budget} tokens: what is evicted is not sent");
                Ok(BodyOutcome::Evict { body, figures, notice })
            }
        }
    }

    fn find_session(
        &self,
        format: Format,
        path: &str,
        body: &[u8],
        events: &[ParsedEvent],
    ) -> Result<Option<(SharedSession, usize)>, String> {
        let Some(sessions) = &self.sessions else { return Ok(None) };
        let Some(RequestOwner { session, n_tools }) = find_owner(path, body, events) else { return Ok(None) };
        let begin = || {
            let Self { given, settings, decider, .. } = self;
            ProxiedSession::new(
                Arc::clone(decider),
                given.clone(),
                settings.clone(),
                session.clone(),
                format.name(),
            )
        };
        let found = sessions.find_or_begin(&session, begin).map_err(|error| error.to_string())?;
        Ok(Some((found, n_tools)))
    }
}
