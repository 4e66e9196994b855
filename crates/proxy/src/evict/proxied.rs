//! One session behind the proxy: its settings, its journal, and its last request.

use std::sync::Arc;

use cwl_formats::Format;
use cwl_host::api::{LiveChange, LiveEventKind, LivePreview, LiveProcessRow};
use cwl_inspect::DecisionSettings;
use cwl_live::{
    CheckedDecision, DecisionJournal, DecisionNote, EvictedParts, GivenSettings, LiveVerdict, MarksChoice,
    ReadyAnswer, SessionNames, SettingsFailure, SteerableSession, TokenCounts, describe_effect,
    empty_preview, group_by_reason, refused_preview,
};
use cwl_tokens::Tokenizer;
use hyper::body::Bytes;

use super::decide::{BodyDecider, DecidedBody, ParsedBody};

/// Longest body kept for previews, in bytes.
const KEPT: usize = 8 << 20;

pub(super) struct ProxiedSession {
    decider: Arc<BodyDecider>,
    given: GivenSettings,
    settings: DecisionSettings,
    journal: DecisionJournal,
    last: Option<LastRequest>,
    left_out: EvictedParts,
    n_tools: usize,
    fixed: u64,
}

struct LastRequest {
    format: Format,
    body: Bytes,
}

impl ProxiedSession {
    pub(super) fn new(
        decider: Arc<BodyDecider>,
        given: GivenSettings,
        settings: DecisionSettings,
        session: String,
        harness: &str,
    ) -> Self {
        let client = format!("cwl proxy {}", env!("CARGO_PKG_VERSION"));
        let names = SessionNames { session, harness: harness.to_owned(), client };
        Self {
            decider,
            given,
            settings,
            journal: DecisionJournal::new(names),
            last: None,
            left_out: EvictedParts::default(),
            n_tools: 0,
            fixed: 0,
        }
    }

    /// Decides about a request with `n_tools` tools under the settings in force.
    ///
    /// # Errors
    /// Returns the reason if the body goes on unchanged.
    pub(super) fn decide(
        &mut self,
        format: Format,
        body: &[u8],
        parsed: ParsedBody,
        n_tools: usize,
    ) -> Result<DecidedBody, String> {
        // Fewer tools: a subagent's request, or a side question.
        let is_main = n_tools >= self.n_tools;
        if is_main {
            self.n_tools = n_tools;
            let kept = if body.len() <= KEPT { Bytes::copy_from_slice(body) } else { Bytes::new() };
            self.last = Some(LastRequest { format, body: kept });
        }
        let decided = self.decider.decide_body(&self.settings, format, body, parsed);
        let ready = self.ready();
        let note = match &decided {
            Ok(decided) => self.note_of(&decided.checked, is_main),
            Err(reason) => DecisionNote {
                turn: None,
                verdict: LiveVerdict::PassThrough,
                reason: Some(reason),
                tokens: TokenCounts { whole: 0, sent: 0, budget: self.settings.budget, over_budget: false },
                evicted: 0,
                gone: Vec::new(),
                n_back: 0,
            },
        };
        self.journal.note_decision(&ready, note);
        if let (Ok(decided), true) = (&decided, is_main) {
            (self.left_out, self.fixed) =
                (EvictedParts::from_evicted(&decided.checked.evicted), decided.fixed);
        }
        decided
    }

    fn note_of<'a>(&self, checked: &'a CheckedDecision, is_main: bool) -> DecisionNote<'a> {
        let CheckedDecision { verdict, passes, evicted, figures, .. } = checked;
        let (gone, n_back) = match is_main {
            true => {
                let (n_back, _) = self.left_out.beyond(&EvictedParts::from_evicted(evicted));
                (group_by_reason(self.left_out.filter_new(evicted)), n_back)
            }
            false => (group_by_reason(evicted.iter()), 0),
        };
        DecisionNote {
            // A body does not tell the turn of the log.
            turn: None,
            verdict: *verdict,
            reason: passes.as_deref(),
            tokens: TokenCounts {
                whole: figures.whole,
                sent: figures.sent,
                budget: self.settings.budget,
                over_budget: figures.over_budget,
            },
            evicted: evicted.len(),
            gone,
            n_back,
        }
    }

    fn ready(&self) -> ReadyAnswer {
        let ready = self.given.in_force(&self.settings, self.decider.tokenizer, MarksChoice::Declared);
        // System prompt and tools stand in the body.
        ReadyAnswer { overhead: self.fixed, ..ready }
    }

    fn resolve(&self, change: LiveChange) -> Result<(GivenSettings, DecisionSettings), SettingsFailure> {
        let given = self.given.with_request(change.into());
        let settings = parse_settings(&given, self.decider.tokenizer)?;
        settings.check(self.fixed)?;
        Ok((given, settings))
    }

    fn try_preview(&self, last: &LastRequest, change: LiveChange) -> Result<LivePreview, SettingsFailure> {
        let (_, changed) = self.resolve(change)?;
        let decide = |settings: &DecisionSettings| {
            let parsed = ParsedBody::parse(last.format, &last.body);
            let decided = self.decider.decide_body(settings, last.format, &last.body, parsed);
            decided.map(|decided| decided.checked).map_err(SettingsFailure::from)
        };
        Ok(describe_effect(&decide(&self.settings)?, &decide(&changed)?))
    }
}

impl SteerableSession for ProxiedSession {
    fn status(&self, n_events: usize) -> LiveProcessRow {
        self.journal.status(self.ready(), n_events)
    }

    fn preview(&mut self, change: LiveChange) -> LivePreview {
        match &self.last {
            None => empty_preview(),
            Some(last) if last.body.is_empty() => LivePreview {
                says: "the last request is too large to try a change on".to_owned(),
                ..empty_preview()
            },
            Some(last) => self.try_preview(last, change).unwrap_or_else(refused_preview),
        }
    }

    fn set_by_owner(&mut self, change: LiveChange) -> Result<(), SettingsFailure> {
        (self.given, self.settings) = self.resolve(change)?;
        self.journal.note_settings(&self.ready(), LiveEventKind::SetByOwner);
        Ok(())
    }
}

/// Parses settings for use on bodies, which keep the tokenizer of the proxy and the marks that the agent declared.
///
/// # Errors
/// Fails if a setting is invalid or the policy cannot run live.
pub(super) fn parse_settings(
    given: &GivenSettings,
    tokenizer: Tokenizer,
) -> Result<DecisionSettings, SettingsFailure> {
    let (settings, asked_tokenizer, marks) = given.resolve()?;
    if marks != MarksChoice::Declared {
        return Err(SettingsFailure::from(format!(
            "the proxy knows only marks that the agent declared, no {} ones",
            marks.name()
        )));
    }
    if asked_tokenizer != tokenizer {
        return Err("the proxy keeps its tokenizer; start it again with another --tokenizer"
            .to_owned()
            .into());
    }
    settings.check(0)?;
    Ok(settings)
}
