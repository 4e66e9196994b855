//! Rendered contexts as the JSON a client would post: the messages, never keys or headers.
//!
//! A log's messages are read into parts that belong to no provider (`part`), laid out by the rules of the provider they go
//! to (`rules`, `layout`), and written in its form by one file each. The counted texts go out to the letter, a call's input
//! as compact JSON; images, signatures and encrypted parts come from the log's own JSON, in any provider's form. A log of
//! pi rendered for pi keeps its very bytes.
//!
//! If a provider would refuse the context as it stands, the rendering repairs it and lists every repair;
//! repairs never change what a policy did or counted.

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

/// The source of a session's texts: events themselves hold none.
pub trait ContentSource {
    /// Returns the texts of one block, by its record and its position among the record's blocks.
    fn content(&self, event: EventIdx, part: u32) -> Content;

    /// Returns the record around its blocks.
    fn envelope(&self, event: EventIdx) -> RawPayload;
}

/// A context as one provider's JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendering {
    /// The messages as the JSON text of an array, compact but for what the log itself spells otherwise.
    ///
    /// If the log holds a system prompt or the definitions of tools, and the provider has a place for them
    /// beside the messages, the text is an object with that provider's members: `system`, `tools` and `messages`
    /// (Anthropic), `instructions`, `tools` and `input` (OpenAI Responses), `tools` and `messages` (OpenAI
    /// Chat, whose system messages stand among the others), `systemInstruction`, `tools` and `contents`
    /// (Gemini), `systemPrompt`, `tools` and `messages` (pi).
    pub body: String,
    /// The repairs: first of messages no provider is sent, then the rest, each in the order of the request.
    pub repairs: Vec<Repair>,
}

/// Renders the context of a log of that format for `provider`, all of it at once; see [`write_context()`].
pub fn render_context(
    provider: Provider,
    format: Format,
    session: &Session,
    context: &RenderedContext,
    contents: &dyn ContentSource,
) -> Rendering {
    let mut body = Vec::new();
    let written = write_context((provider, format), session, context, contents, &mut body);
    // A vector takes all that is written, and only texts are written.
    Rendering { body: String::from_utf8(body).unwrap_or_default(), repairs: written.unwrap_or_default() }
}

/// Writes the context of a log of that format for a provider message by message, as [`Rendering::body`] says; returns the
/// repairs as in [`Rendering::repairs`].
///
/// For [`Provider::Pi`] these are the messages pi hands to its provider layer, with what that layer does to every request;
/// for the others what a request to their API carries.
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
