//! Eviction of parts from passing requests, decided anew for each body.
//!
//! A body contains the whole history, so only unit counts are kept between requests. In doubt the request is forwarded
//! unchanged: a body not fully understood, a policy without the marks it needs, or an edited list the provider would
//! refuse.

mod counts;
mod evictor;

use std::sync::{Mutex, PoisonError};

use cwl_api::{Tools, read_budget};
use cwl_engine::{
    Annotation, Content, ContentBlock, GraphTimeline, Policy, PolicyOptions, ProblemKind, Provider,
    SessionBlock,
};
use cwl_formats::{BodyEdit, BodyPlace, Format, count_body_messages, edit_body, parse_log, place_in_body};
use cwl_inspect::{
    DecisionSettings, MessageEdit, MessagePlaces, PartPlace, SessionHistory, Verdict, decide, fixed_tokens,
};
use cwl_tokens::Tokenizer;

pub(crate) use evictor::Evictor;

use counts::TextCounts;

/// Policy, τ, tokenizer and tools for evictions from passing requests.
pub struct Eviction {
    policy: &'static Policy,
    options: PolicyOptions,
    budget: u64,
    tokenizer: Tokenizer,
    tools: Tools,
    counts: Mutex<TextCounts>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BodyOutcome {
    /// Nothing is evicted.
    Keep,
    /// The edited body to send.
    Evict { body: String, figures: EvictionFigures },
    /// Forwards the body unchanged, for the given reason.
    PassThrough(String),
}

/// Sizes in tokens of the chosen tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub(crate) struct EvictionFigures {
    /// Request as received.
    pub(crate) whole: u64,
    /// Request as sent.
    pub(crate) sent: u64,
    /// Number of parts not sent.
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
        let policy = Policy::find(policy).ok_or_else(|| {
            let known: Vec<&str> = Policy::ALL.iter().map(|policy| policy.name).collect();
            format!("there is no policy `{policy}`; there are {}", known.join(", "))
        })?;
        let mut read = PolicyOptions::defaults(policy).map_err(|error| error.to_string())?;
        read.keep_last_turn = true;
        for option in options {
            let (key, value) = option.split_once('=').ok_or_else(|| format!("`{option}` is no KEY=VALUE"))?;
            read.set_from_text(policy, key.trim(), value.trim()).map_err(|error| error.to_string())?;
        }
        let budget = read_budget(budget, None).map_err(|error| error.to_string())?;
        let tokenizer = tokenizer.parse().map_err(|error: cwl_tokens::UnknownTokenizer| error.to_string())?;
        let eviction = Self { policy, options: read, budget, tokenizer, tools, counts: Mutex::default() };
        eviction.settings(Provider::Anthropic).check(0).map_err(|error| error.to_string())?;
        Ok(eviction)
    }

    pub fn policy(&self) -> &'static str {
        self.policy.name
    }

    /// τ, in tokens.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    fn settings(&self, provider: Provider) -> DecisionSettings {
        let Self { policy, options, budget, .. } = self;
        DecisionSettings { policy, options: options.clone(), budget: *budget, overhead: 0.into(), provider }
    }

    /// Decides about a body and applies the edits.
    pub(crate) fn decide_body(&self, format: Format, body: &[u8]) -> BodyOutcome {
        self.try_decide(format, body).unwrap_or_else(BodyOutcome::PassThrough)
    }

    fn try_decide(&self, format: Format, body: &[u8]) -> Result<BodyOutcome, String> {
        let text = std::str::from_utf8(body).map_err(|error| format!("the body is no text ({error})"))?;
        let (tokenizer, settings) = (self.tokenizer, self.settings(provider_of(format)));
        let (events, problems) = parse_log(format, body);
        // A body never states who wrote a text in the user's role. Such a text counts as human and stays.
        if let Some(odd) = problems.iter().find(|problem| !matches!(problem.kind, ProblemKind::UnsureAuthor))
        {
            return Err(format!("the body is not understood whole ({})", odd.kind));
        }
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut count_text = |text: &str| counts.count(tokenizer, text);
        let mut history =
            SessionHistory::new(self.tools.table().clone(), tokenizer.divisor(), &mut count_text);
        for event in events {
            history.push_event(event, |block: &ContentBlock, content: &Content| {
                let pictures = block.images.saturating_mul(tokenizer.image_units());
                count_text(&content.text).saturating_add(pictures)
            });
        }
        let session = history.build_session();
        let (growth, _) = GraphTimeline::build(&session);
        let table = history.build_table(&session, &growth, &mut count_text);
        let fixed = fixed_tokens(&session, &table, &settings.overhead);
        settings.check(fixed).map_err(|error| error.to_string())?;
        let n_messages = count_body_messages(format, text).ok_or("the body has no list of messages")?;
        // System prompt and tools are outside the list and never evicted; they get places in an extra message after
        // its end.
        let place_of = |row: &SessionBlock| {
            let beside = BodyPlace { message: n_messages, part: row.id.index };
            let BodyPlace { message, part } =
                place_in_body(row.id.entry.as_str(), row.id.index).unwrap_or(beside);
            Some(PartPlace { message, part })
        };
        let places = MessagePlaces { n_messages: n_messages + 1, place_of: &place_of };
        let decision = decide(&history, &settings, |_| Annotation::Declared, &places, &mut count_text);
        match &decision.verdict {
            Verdict::Keep => Ok(BodyOutcome::Keep),
            Verdict::PassThrough(reason) => Err(reason.to_string()),
            Verdict::Evict => {
                let edits: Vec<BodyEdit> = decision.edits.iter().flat_map(body_edits).collect();
                let body = edit_body(format, text, &edits).map_err(|error| error.to_string())?;
                let figures = EvictionFigures {
                    whole: decision.figures.whole,
                    sent: decision.figures.sent,
                    n_parts: decision.evicted.len(),
                };
                Ok(BodyOutcome::Evict { body, figures })
            }
        }
    }
}

/// Provider whose rules bodies in this format must satisfy.
fn provider_of(format: Format) -> Provider {
    match format {
        Format::OpenaiResponses => Provider::OpenAiResponses,
        Format::OpenaiChat => Provider::OpenAiChat,
        Format::Gemini => Provider::Gemini,
        _ => Provider::Anthropic,
    }
}

/// Translates one list edit into body edits.
fn body_edits(edit: &MessageEdit) -> Vec<BodyEdit> {
    match edit {
        MessageEdit::Remove { message } => vec![BodyEdit::Remove(*message)],
        MessageEdit::Change { message, parts } => {
            let edit = |part: &cwl_inspect::PartEdit| {
                let place = BodyPlace { message: *message, part: part.part };
                match &part.replaced_by {
                    Some(text) => BodyEdit::ReplacePart(place, text.clone()),
                    None => BodyEdit::RemovePart(place),
                }
            };
            parts.iter().map(edit).collect()
        }
        MessageEdit::Insert { before: PartPlace { message, part }, text } => {
            vec![BodyEdit::Insert(BodyPlace { message: *message, part: *part }, text.clone())]
        }
        MessageEdit::Join { message } => vec![BodyEdit::Join(*message)],
    }
}
