//! The guard: which requests are looked at. A pure function of a request's head.
//!
//! Any web page can make a browser send requests to this machine, and can give a name of its own the address
//! 127.0.0.1. What such a request cannot have is: our name in `Host`, our origin in `Origin`, and the token.

use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri, header};
use cwl_api::ErrorCode;

use crate::token::Token;

/// What is compared with.
#[derive(Clone)]
pub(crate) struct Door {
    /// The port that is listened on.
    pub(crate) port: u16,
    pub(crate) token: Token,
}

/// What a request that was let in asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish<'a> {
    /// A file of the page.
    Page,
    /// The answer of a command.
    Call(&'a str),
    /// All pushes from now on.
    Pushes,
    /// An error of the page is to be written down.
    Report,
}

/// Why a request is not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Another name than this machine's own.
    Host,
    /// A page of somebody else.
    Origin,
    /// No such method here.
    Method,
    /// A body that is no JSON.
    Kind,
    /// No token, or a wrong one.
    Token,
}

impl Refusal {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::Origin => StatusCode::FORBIDDEN,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Kind => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Token => StatusCode::UNAUTHORIZED,
        }
    }

    pub(crate) fn code(self) -> ErrorCode {
        match self {
            Self::Host | Self::Origin | Self::Token => ErrorCode::NoAccess,
            Self::Method | Self::Kind => ErrorCode::BadRequest,
        }
    }

    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Host => "the request is for another host",
            Self::Origin => "the request comes from another page",
            Self::Method => "that cannot be done here",
            Self::Kind => "a call is JSON",
            Self::Token => "this address has no valid token",
        }
    }

    pub(crate) fn hint(self) -> &'static str {
        match self {
            Self::Host => "open the address that cwl serve printed; a forwarded port keeps its number",
            Self::Origin | Self::Token => {
                "open the whole address that cwl serve printed, with what follows the #"
            }
            Self::Method | Self::Kind => "POST /call/NAME with content-type application/json",
        }
    }
}

static SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
static SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
static SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

impl Door {
    /// Returns what a request asks for, or why it is not looked at.
    pub(crate) fn admit<'a>(
        &self,
        method: &Method,
        uri: &'a Uri,
        headers: &HeaderMap,
    ) -> Result<Wish<'a>, Refusal> {
        let host = only(headers, &header::HOST).ok_or(Refusal::Host)?;
        if !self.is_ours(host)
            || uri.authority().is_some_and(|authority| authority.as_str().as_bytes() != host)
        {
            return Err(Refusal::Host);
        }
        if headers.contains_key(header::ORIGIN) {
            let origin = only(headers, &header::ORIGIN).ok_or(Refusal::Origin)?;
            if origin.strip_prefix(b"http://") != Some(host) {
                return Err(Refusal::Origin);
            }
        }
        let wish = match uri.path() {
            "/push" => Wish::Pushes,
            "/report" => Wish::Report,
            path => path.strip_prefix("/call/").map_or(Wish::Page, Wish::Call),
        };
        if !comes_from_here(headers, wish) {
            return Err(Refusal::Origin);
        }
        match wish {
            Wish::Page if method == Method::GET || method == Method::HEAD => return Ok(wish),
            Wish::Pushes if method == Method::GET => {}
            Wish::Call(_) | Wish::Report if method == Method::POST => {
                if !is_json(headers) {
                    return Err(Refusal::Kind);
                }
            }
            Wish::Page | Wish::Pushes | Wish::Call(_) | Wish::Report => return Err(Refusal::Method),
        }
        let said = only(headers, &header::AUTHORIZATION).ok_or(Refusal::Token)?;
        if self.token.is_said_by(said) { Ok(wish) } else { Err(Refusal::Token) }
    }

    /// Tells whether a host is one of this machine's own names with our port.
    fn is_ours(&self, host: &[u8]) -> bool {
        let Self { port, .. } = self;
        ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| format!("{name}:{port}").as_bytes() == host)
    }
}

/// Returns a header's value where it is there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a [u8]> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| value.as_bytes())
}

/// Tells whether a browser, where it says so, sends this for our page or for the person in front of it.
///
/// A link from another page may open ours, as one in a terminal that is itself a page: without the token it shows
/// nothing, and it cannot be framed.
fn comes_from_here(headers: &HeaderMap, wish: Wish<'_>) -> bool {
    if !headers.contains_key(&SEC_FETCH_SITE) {
        return true;
    }
    match only(headers, &SEC_FETCH_SITE) {
        Some(b"same-origin") => true,
        Some(b"none") => wish == Wish::Page,
        _ => {
            wish == Wish::Page
                && only(headers, &SEC_FETCH_MODE) == Some(b"navigate")
                && only(headers, &SEC_FETCH_DEST) == Some(b"document")
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    only(headers, &header::CONTENT_TYPE)
        .and_then(|kind| kind.split(|byte| *byte == b';').next())
        .is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(b"application/json"))
}
