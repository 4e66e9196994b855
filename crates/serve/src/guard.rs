//! The guard, which admits or refuses a request by its head alone.
//!
//! Any web page can make a browser send requests to this machine, and can map a name of its own to 127.0.0.1.
//! Such a request lacks our name in `Host`, our origin in `Origin`, or the token.

use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri, header};
use cwl_host::{ApiError, ErrorCode};

use crate::token::ServerToken;

#[derive(Clone)]
pub(crate) struct AccessGuard {
    pub(crate) port: u16,
    pub(crate) token: ServerToken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdmittedRequest<'a> {
    Page,
    Call(&'a str),
    Pushes,
    Report,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestRefusal {
    Host,
    Origin,
    Method,
    Kind,
    Token,
}

impl RequestRefusal {
    pub(crate) fn into_response(self) -> (StatusCode, ApiError) {
        const WHOLE_ADDRESS: &str = "open the whole address that cwl serve printed, with what follows the #";
        const POST: &str = "POST /call/NAME with content-type application/json";
        use ErrorCode::{BadRequest, NoAccess};
        use StatusCode as Status;
        let (status, code, message, hint) = match self {
            Self::Host => (
                Status::MISDIRECTED_REQUEST,
                NoAccess,
                "the request is for another host",
                "open the address that cwl serve printed; a forwarded port keeps its number",
            ),
            Self::Origin => {
                (Status::FORBIDDEN, NoAccess, "the request comes from another page", WHOLE_ADDRESS)
            }
            Self::Method => (Status::METHOD_NOT_ALLOWED, BadRequest, "that cannot be done here", POST),
            Self::Kind => (Status::UNSUPPORTED_MEDIA_TYPE, BadRequest, "a call is JSON", POST),
            Self::Token => (Status::UNAUTHORIZED, NoAccess, "this address has no valid token", WHOLE_ADDRESS),
        };
        (status, ApiError::new(code, message).with_hint(hint))
    }
}

static SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
static SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
static SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

impl AccessGuard {
    pub(crate) fn admit_request<'a>(
        &self,
        method: &Method,
        uri: &'a Uri,
        headers: &HeaderMap,
    ) -> Result<AdmittedRequest<'a>, RequestRefusal> {
        let host = only_header(headers, &header::HOST).ok_or(RequestRefusal::Host)?;
        if !self.is_ours(host)
            || uri.authority().is_some_and(|authority| authority.as_str().as_bytes() != host)
        {
            return Err(RequestRefusal::Host);
        }
        if headers.contains_key(header::ORIGIN) {
            let origin = only_header(headers, &header::ORIGIN).ok_or(RequestRefusal::Origin)?;
            if origin.strip_prefix(b"http://") != Some(host) {
                return Err(RequestRefusal::Origin);
            }
        }
        let wish = match uri.path() {
            "/push" => AdmittedRequest::Pushes,
            "/report" => AdmittedRequest::Report,
            path => path.strip_prefix("/call/").map_or(AdmittedRequest::Page, AdmittedRequest::Call),
        };
        if !comes_from_here(headers, wish) {
            return Err(RequestRefusal::Origin);
        }
        match wish {
            AdmittedRequest::Page if method == Method::GET || method == Method::HEAD => return Ok(wish),
            AdmittedRequest::Pushes if method == Method::GET => {}
            AdmittedRequest::Call(_) | AdmittedRequest::Report if method == Method::POST => {
                if !is_json(headers) {
                    return Err(RequestRefusal::Kind);
                }
            }
            AdmittedRequest::Page
            | AdmittedRequest::Pushes
            | AdmittedRequest::Call(_)
            | AdmittedRequest::Report => return Err(RequestRefusal::Method),
        }
        let said = only_header(headers, &header::AUTHORIZATION).ok_or(RequestRefusal::Token)?;
        if self.token.is_said_by(said) { Ok(wish) } else { Err(RequestRefusal::Token) }
    }

    fn is_ours(&self, host: &[u8]) -> bool {
        let Self { port, .. } = self;
        ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| format!("{name}:{port}").as_bytes() == host)
    }
}

fn only_header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a [u8]> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| value.as_bytes())
}

/// Tells whether the request comes from our page or from the user; `true` if the browser does not say.
///
/// A link on another page may open ours, since even a terminal may be a page. Without the token our page
/// shows nothing, and it cannot be framed.
fn comes_from_here(headers: &HeaderMap, wish: AdmittedRequest<'_>) -> bool {
    if !headers.contains_key(&SEC_FETCH_SITE) {
        return true;
    }
    match only_header(headers, &SEC_FETCH_SITE) {
        Some(b"same-origin") => true,
        Some(b"none") => wish == AdmittedRequest::Page,
        _ => {
            wish == AdmittedRequest::Page
                && only_header(headers, &SEC_FETCH_MODE) == Some(b"navigate")
                && only_header(headers, &SEC_FETCH_DEST) == Some(b"document")
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    only_header(headers, &header::CONTENT_TYPE)
        .and_then(|kind| kind.split(|byte| *byte == b';').next())
        .is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(b"application/json"))
}
