//! Rendered contexts as the JSON that a client would post: the messages, never keys or headers.
//!
//! What goes out is made of the log's own bytes. Where a provider would refuse the context as it stands, the
//! rendering repairs it and lists every repair; repairs never change what a policy did or counted.

mod anthropic;
mod pi;
mod repair;
mod request;
mod source;

use std::fmt;

use cwl_engine::{Content, EventIdx, Provider, RawPayload, RenderedContext, Session};

pub use repair::Repair;
use request::Request;

/// Where the texts of a session come from: events themselves hold none.
pub trait Contents {
    /// Returns the texts of one block, by its record and its position among the record's blocks.
    fn content(&self, event: EventIdx, part: u32) -> Content;

    /// Returns the record around its blocks.
    fn envelope(&self, event: EventIdx) -> RawPayload;
}

/// A context as one provider's JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendering {
    /// The messages as the JSON text of an array, compact but for what the log itself spells otherwise.
    pub body: String,
    /// What had to be changed: first what no provider is sent, then the rest, each in the order of the request.
    pub repairs: Vec<Repair>,
}

/// A provider that nothing is rendered for yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unrendered {
    /// The provider.
    pub provider: Provider,
}

impl fmt::Display for Unrendered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "requests to {:?} are not rendered; choose one of {RENDERED:?}", self.provider)
    }
}

impl std::error::Error for Unrendered {}

/// The providers that contexts can be rendered for.
pub const RENDERED: [Provider; 2] = [Provider::Pi, Provider::Anthropic];

/// Renders a context for a provider.
///
/// For [`Provider::Pi`] these are the messages that pi hands to its provider layer, with what that layer does
/// to every request; for [`Provider::Anthropic`] the `messages` of a request to the Messages API.
pub fn render(
    provider: Provider,
    session: &Session,
    context: &RenderedContext,
    contents: &dyn Contents,
) -> Result<Rendering, Unrendered> {
    let request = || Request::new(session, context, contents);
    match provider {
        Provider::Pi => Ok(pi::render(request())),
        Provider::Anthropic => Ok(anthropic::render(request())),
        Provider::OpenAiResponses | Provider::OpenAiChat | Provider::Gemini => Err(Unrendered { provider }),
    }
}
