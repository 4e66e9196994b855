//! Renders contexts as the JSON that a client would send: the messages, without keys or headers.
//!
//! A log's messages become parts without a provider (`part`), are arranged by the target provider's rules
//! (`rules`, `layout`), and are written by one file per provider. Counted texts are sent verbatim, a call's
//! input as compact JSON. Images, signatures and encrypted parts come from the log's own JSON, in any
//! provider's format. pi's logs rendered for pi keep their exact bytes.
//!
//! If a provider would refuse the context, rendering repairs it and lists every repair; repairs never change
//! what a policy did or counted.

mod agent_message;
mod anthropic;
mod definition;
mod gemini;
mod image;
mod layout;
mod openai_chat;
mod openai_responses;
mod own;
mod pairs;
mod part;
mod pi;
mod reasoning;
mod repair;
mod request;
mod rules;
mod source;

use std::io::{self, Write};

use cwl_engine::{Content, EventIdx, Provider, RawPayload, RenderedContext, Session};

use crate::Format;
pub use image::{InlineImage, inline_images, inline_pdfs};
pub use repair::{Repair, RepairKind};
use request::{FailedReplyRule, ProviderRequest};

/// Access to a session's texts, which events do not hold.
pub trait ContentSource {
    fn content(&self, event: EventIdx, part: u32) -> Content;

    /// The record's JSON around its blocks.
    fn envelope(&self, event: EventIdx) -> RawPayload;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendering {
    /// JSON text of the messages' array, compact except for parts copied from the log.
    ///
    /// If the log holds a system prompt or tool definitions, and the provider puts them beside the messages,
    /// the text is an object instead, with the members `system`, `tools` and `messages` (Anthropic),
    /// `instructions`, `tools` and `input` (OpenAI Responses), `tools` and `messages` (OpenAI Chat, which has
    /// system messages), `systemInstruction`, `tools` and `contents` (Gemini), `systemPrompt`, `tools` and
    /// `messages` (pi).
    pub body: String,
    /// Repairs: first the replies and results sent to no provider, then the others, each in the request's
    /// order.
    pub repairs: Vec<Repair>,
}

/// Renders a context for `provider` at once; see [`write_context()`].
pub fn render_context(
    provider: Provider,
    format: Format,
    session: &Session,
    context: &RenderedContext,
    contents: &dyn ContentSource,
) -> Rendering {
    let mut body = Vec::new();
    let written = write_context((provider, format), session, context, contents, &mut body);
    // Writing to a vector cannot fail, and only valid UTF-8 is written.
    Rendering { body: String::from_utf8(body).unwrap_or_default(), repairs: written.unwrap_or_default() }
}

/// Writes a context for `provider` message by message in the form of [`Rendering::body`], and returns the
/// repairs.
///
/// For [`Provider::Pi`] the output is what pi passes to its provider layer, plus the changes this layer makes
/// to every request; for the others, the body of a request to their API.
///
/// # Errors
/// If `out` fails.
pub fn write_context(
    (provider, format): (Provider, Format),
    session: &Session,
    context: &RenderedContext,
    contents: &dyn ContentSource,
    out: &mut dyn Write,
) -> io::Result<Vec<Repair>> {
    let as_pi = provider == Provider::Pi && format == Format::Pi;
    let refused = if as_pi { FailedReplyRule::Send } else { FailedReplyRule::LeaveOut };
    let request = ProviderRequest::new(format, session, context, contents, refused);
    match provider {
        Provider::Pi if as_pi => pi::write_request(&request, out),
        Provider::Pi => agent_message::write_request(&request, out),
        Provider::Anthropic => anthropic::write_request(&request, out),
        Provider::OpenAiResponses => openai_responses::write_request(&request, out),
        Provider::OpenAiChat => openai_chat::write_request(&request, out),
        Provider::Gemini => gemini::write_request(&request, out),
    }
}
