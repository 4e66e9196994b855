//! Forwards one request to the upstream and the answer back.

use std::error::Error;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::{HeaderMap, Method, Request, Response, Uri, Version};
use tokio::time::timeout;

use crate::answer::ProxyAnswer;
use crate::body::RelayedBody;
use crate::capture::{CaptureSink, RecordTap, RequestRecord, TapSide};
use crate::connect::{ConnectTimeout, UpstreamClient};
use crate::evict::Evictor;
use crate::headers::{prepare_request, remove_of_connection};
use crate::upstream::{Upstream, is_local_host};

pub(crate) struct Route {
    pub(crate) upstream: Upstream,
    pub(crate) client: UpstreamClient,
    pub(crate) connect: Duration,
    pub(crate) answer: Duration,
    pub(crate) capture: Option<CaptureSink>,
    pub(crate) evictor: Option<Evictor>,
}

impl Route {
    /// Forwards a request and returns the answer once it begins. Dropping the future or the answer's body ends the
    /// upstream request.
    pub(crate) async fn forward(&self, request: Request<Incoming>) -> Response<RelayedBody> {
        self.ask_upstream(request).await.unwrap_or_else(ProxyAnswer::into_response)
    }

    async fn ask_upstream(&self, request: Request<Incoming>) -> Result<Response<RelayedBody>, ProxyAnswer> {
        admit_request(request.method(), request.uri(), request.headers())?;
        let (mut head, body) = request.into_parts();
        let tap = self.begin_record(&head.method, &head.uri, &head.headers);
        let sent_tap = tap.clone().map(|tap| (tap, TapSide::Request));
        let body = match &self.evictor {
            Some(evictor) => evictor.send_body(&mut head, body, sent_tap).await?,
            None => RelayedBody::stream(body, sent_tap),
        };
        head.uri = self.upstream.address_of(&head.uri).ok_or(ProxyAnswer::BadAddress)?;
        head.version = Version::HTTP_11;
        prepare_request(&mut head.headers);
        let asked = self.client.request(Request::from_parts(head, body));
        let answer = match timeout(self.answer, asked).await {
            Ok(answer) => answer.map_err(|error| self.explain(&error)),
            Err(_elapsed) => {
                let upstream = self.upstream.host().to_owned();
                Err(ProxyAnswer::NoAnswer { upstream, seconds: self.answer.as_secs() })
            }
        };
        let (mut head, body) = match answer {
            Ok(answer) => answer.into_parts(),
            Err(failure) => {
                if let Some(tap) = tap {
                    tap.note(&failure.message());
                }
                return Err(failure);
            }
        };
        if let Some(tap) = &tap {
            tap.begin_answer(head.status.as_u16(), &head.headers);
        }
        remove_of_connection(&mut head.headers);
        Ok(Response::from_parts(head, RelayedBody::stream(body, tap.map(|tap| (tap, TapSide::Answer)))))
    }

    fn begin_record(&self, method: &Method, target: &Uri, headers: &HeaderMap) -> Option<RecordTap> {
        let sink = self.capture.clone()?;
        RequestRecord::begin(method, target, headers).map(|record| RecordTap::new(record, sink))
    }

    /// Turns a client error into an answer. Only the innermost cause is quoted: causes mention addresses and
    /// connections, never headers.
    fn explain(&self, error: &hyper_util::client::legacy::Error) -> ProxyAnswer {
        let upstream = self.upstream.host().to_owned();
        let (mut is_slow, mut why) = (false, String::new());
        let mut next = error.source();
        while let Some(cause) = next {
            is_slow |= cause.is::<ConnectTimeout>();
            why = cause.to_string();
            next = cause.source();
        }
        match (error.is_connect(), is_slow) {
            (true, true) => ProxyAnswer::SlowConnection { upstream, seconds: self.connect.as_secs() },
            (true, false) => ProxyAnswer::Unreachable { upstream, why },
            (false, _) => ProxyAnswer::BrokenOff { upstream, why },
        }
    }
}

/// Refuses requests not meant for the upstream. Any page in a browser can send requests to this machine, and can point
/// a host name at 127.0.0.1 (DNS rebinding). A program names a local host in `Host` and sends no foreign `Origin`.
fn admit_request(method: &Method, target: &Uri, headers: &HeaderMap) -> Result<(), ProxyAnswer> {
    let is_local =
        |address: &str| address.parse().is_ok_and(|address: Uri| address.host().is_some_and(is_local_host));
    let text = |value: &HeaderValue| value.to_str().map(str::to_owned).unwrap_or_default();
    if method == Method::CONNECT
        || target.authority().is_some_and(|authority| !is_local_host(authority.host()))
    {
        return Err(ProxyAnswer::AnyAddress);
    }
    // HTTP/1.0 requests have no `Host`.
    if headers.get_all(header::HOST).iter().map(text).any(|host| !is_local(&host)) {
        return Err(ProxyAnswer::ForeignHost);
    }
    if headers.get_all(header::ORIGIN).iter().map(text).any(|origin| !is_local(&origin)) {
        return Err(ProxyAnswer::ForeignPage);
    }
    if headers.contains_key(header::UPGRADE) {
        return Err(ProxyAnswer::Upgrade);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_requests_of_programs_to_this_machine_go_on() {
        let check = |line: &str, given: &str, expected: Result<(), ProxyAnswer>| {
            let (method, target) = line.split_once(' ').unwrap();
            let mut headers = HeaderMap::new();
            for (name, value) in given.split("; ").filter_map(|header| header.split_once(": ")) {
                headers.append(name.parse::<header::HeaderName>().unwrap(), value.parse().unwrap());
            }
            let admitted = admit_request(&method.parse().unwrap(), &target.parse().unwrap(), &headers);
            assert_eq!(admitted, expected, "{line}, {given}");
        };
        for host in ["127.0.0.1:4358", "localhost:4358", "[::1]:4358", "LOCALHOST", "dev.localhost:80"] {
            check("POST /v1/messages?beta=true", &format!("host: {host}"), Ok(()));
            check("GET /", &format!("host: {host}; origin: http://{host}"), Ok(()));
        }
        check("HEAD /", "", Ok(()));
        check("GET http://127.0.0.1:4358/v1/models", "host: 127.0.0.1:4358", Ok(()));
        for host in ["rebound.example:4358", "127.0.0.1.example", "192.168.0.2:4358", "", "a b"] {
            check("POST /v1/messages", &format!("host: {host}"), Err(ProxyAnswer::ForeignHost));
        }
        check("POST /v1/messages", "host: localhost; host: a.example", Err(ProxyAnswer::ForeignHost));
        for origin in ["https://page.example", "null", "http://localhost.example"] {
            check(
                "POST /v1/messages",
                &format!("host: localhost; origin: {origin}"),
                Err(ProxyAnswer::ForeignPage),
            );
        }
        check("CONNECT api.anthropic.com:443", "host: api.anthropic.com:443", Err(ProxyAnswer::AnyAddress));
        check("GET http://api.example/v1", "host: api.example", Err(ProxyAnswer::AnyAddress));
        check("GET /v1/responses", "host: localhost; upgrade: websocket", Err(ProxyAnswer::Upgrade));
    }
}
