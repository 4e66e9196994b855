//! Error answers from the proxy itself, in the providers' JSON form.

use hyper::body::Bytes;
use hyper::header::{self, HeaderValue};
use hyper::{Response, StatusCode};

use crate::body::RelayedBody;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProxyAnswer {
    ForeignHost,
    /// `Origin` names a foreign page: the sender is a browser.
    ForeignPage,
    /// The request treats the proxy as a general one: `CONNECT`, or an absolute address elsewhere.
    AnyAddress,
    Upgrade,
    BadAddress,
    Unreachable {
        upstream: String,
        why: String,
    },
    SlowConnection {
        upstream: String,
        seconds: u64,
    },
    NoAnswer {
        upstream: String,
        seconds: u64,
    },
    RequestBroken,
    BrokenOff {
        upstream: String,
        why: String,
    },
}

impl ProxyAnswer {
    fn status(&self) -> StatusCode {
        match self {
            Self::ForeignHost => StatusCode::MISDIRECTED_REQUEST,
            Self::ForeignPage => StatusCode::FORBIDDEN,
            Self::AnyAddress | Self::BadAddress | Self::RequestBroken => StatusCode::BAD_REQUEST,
            Self::Upgrade => StatusCode::UPGRADE_REQUIRED,
            Self::Unreachable { .. } | Self::BrokenOff { .. } => StatusCode::BAD_GATEWAY,
            Self::SlowConnection { .. } | Self::NoAnswer { .. } => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    pub(crate) fn message(&self) -> String {
        match self {
            Self::ForeignHost => {
                "the request is for another host; use the address that cwl proxy printed".to_owned()
            }
            Self::ForeignPage => {
                "a page in a browser sent the request; cwl proxy is for programs of this machine".to_owned()
            }
            Self::AnyAddress => {
                "cwl proxy goes to one upstream only; set the harness's base URL, and no HTTP_PROXY"
                    .to_owned()
            }
            Self::Upgrade => {
                "cwl proxy speaks HTTP only; ask without an upgrade (as to WebSocket)".to_owned()
            }
            Self::RequestBroken => "the body of the request broke off".to_owned(),
            Self::BadAddress => "the path of the request cannot be read".to_owned(),
            Self::Unreachable { upstream, why } => {
                format!(
                    "cwl proxy cannot reach {upstream} ({why}); is the address right, and the network there?"
                )
            }
            Self::SlowConnection { upstream, seconds } => {
                format!("no connection to {upstream} within {seconds} seconds; is the network there?")
            }
            Self::NoAnswer { upstream, seconds } => {
                format!("{upstream} did not begin to answer within {seconds} seconds")
            }
            Self::BrokenOff { upstream, why } => {
                format!("{upstream} broke the connection off before it answered ({why}); ask again")
            }
        }
    }

    pub(crate) fn into_response(self) -> Response<RelayedBody> {
        let json = serde_json::json!({
            "type": "error",
            "error": { "type": "cwl_proxy_error", "message": self.message() },
        });
        let mut answer = Response::new(RelayedBody::whole(Bytes::from(json.to_string()), None));
        *answer.status_mut() = self.status();
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self == Self::Upgrade {
            headers.insert(header::UPGRADE, HeaderValue::from_static("HTTP/1.1"));
        }
        answer
    }
}
