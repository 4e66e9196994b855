//! A decision about one body, and the edited body.

use std::sync::{Mutex, PoisonError};

use cwl_engine::{
    Annotation, Content, ContentBlock, ParsedEvent, Problem, ProblemKind, Provider, SessionBlock,
};
use cwl_formats::{BodyEdit, BodyPlace, Format, count_body_messages, edit_body, parse_log, place_in_body};
use cwl_host::Tools;
use cwl_inspect::{
    DecisionSettings, MessageEdit, MessagePlaces, PartEdit, PartPlace, SessionHistory, decide,
};
use cwl_live::CheckedDecision;
use cwl_tokens::Tokenizer;

use super::counts::TextCounts;

pub(super) struct BodyDecider {
    pub(super) tokenizer: Tokenizer,
    tools: Tools,
    counts: Mutex<TextCounts>,
}

pub(super) struct ParsedBody {
    pub(super) events: Vec<ParsedEvent>,
    problems: Vec<Problem>,
}

impl ParsedBody {
    pub(super) fn parse(format: Format, body: &[u8]) -> Self {
        let (events, problems) = parse_log(format, body);
        Self { events, problems }
    }
}

pub(super) struct DecidedBody {
    pub(super) checked: CheckedDecision,
    pub(super) policy: &'static str,
    /// Tokens of system prompt and tools, which no policy can evict.
    pub(super) fixed: u64,
}

impl BodyDecider {
    pub(super) fn new(tokenizer: Tokenizer, tools: Tools) -> Self {
        Self { tokenizer, tools, counts: Mutex::default() }
    }

    /// Decides about a body. The provider of `settings` gives way to that of the body's format.
    ///
    /// # Errors
    /// Returns the reason if the body is not understood whole, or τ is not above system prompt and tools.
    pub(super) fn decide_body(
        &self,
        settings: &DecisionSettings,
        format: Format,
        body: &[u8],
        parsed: ParsedBody,
    ) -> Result<DecidedBody, String> {
        let text = read_text(body)?;
        let (tokenizer, settings) =
            (self.tokenizer, DecisionSettings { provider: provider_of(format), ..settings.clone() });
        let ParsedBody { events, problems } = parsed;
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
        let fixed = history.fixed_tokens(&settings.overhead);
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
        let decision = decide(&mut history, &settings, |_| Annotation::Declared, &places, &mut count_text);
        Ok(DecidedBody { checked: CheckedDecision::new(decision, None), policy: settings.policy.name, fixed })
    }
}

pub(super) fn apply_edits(format: Format, body: &[u8], edits: &[MessageEdit]) -> Result<String, String> {
    let edits: Vec<BodyEdit> = edits.iter().flat_map(body_edits).collect();
    edit_body(format, read_text(body)?, &edits).map_err(|error| error.to_string())
}

fn read_text(body: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(body).map_err(|error| format!("the body is no text ({error})"))
}

fn provider_of(format: Format) -> Provider {
    match format {
        Format::OpenaiResponses => Provider::OpenAiResponses,
        Format::OpenaiChat => Provider::OpenAiChat,
        Format::Gemini => Provider::Gemini,
        _ => Provider::Anthropic,
    }
}

fn body_edits(edit: &MessageEdit) -> Vec<BodyEdit> {
    match edit {
        MessageEdit::Remove { message } => vec![BodyEdit::Remove(*message)],
        MessageEdit::Change { message, parts } => {
            let edit = |part: &PartEdit| {
                let place = BodyPlace { message: *message, part: part.part };
                match part.replaced_by {
                    Some(text) => BodyEdit::ReplacePart(place, text.to_owned()),
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
