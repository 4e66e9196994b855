//! Headers: hop-by-hop headers are removed, others are forwarded.

use hyper::HeaderMap;
use hyper::header::{self, HeaderName};

/// Hop-by-hop headers (RFC 9110, section 7.6.1), and proxy headers never forwarded.
static OF_CONNECTION: [HeaderName; 8] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

pub(crate) fn remove_of_connection(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        // A client cannot remove `Content-Length` or `Host` through `Connection`.
        .filter(|name| *name != header::CONTENT_LENGTH && *name != header::HOST)
        .collect();
    for name in OF_CONNECTION.iter().chain(&named) {
        headers.remove(name);
    }
}

pub(crate) fn prepare_request(headers: &mut HeaderMap) {
    remove_of_connection(headers);
    // The client sets the upstream's `Host`; the proxy itself has answered `Expect: 100-continue`.
    headers.remove(header::HOST);
    headers.remove(header::EXPECT);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn headers_of_a_connection_end_with_it() {
        let check = |given: &str, expected: &str| {
            let mut headers = HeaderMap::new();
            for (name, value) in given.split("; ").filter_map(|header| header.split_once(": ")) {
                headers.append(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
            }
            prepare_request(&mut headers);
            let mut left: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
            left.sort_unstable();
            assert_eq!(left.join(" "), expected, "{given}");
        };
        check("X-Api-Key: k; anthropic-version: 1; Host: a", "anthropic-version x-api-key");
        check("Connection: keep-alive, X-One; X-One: 1; X-Two: 2; Keep-Alive: timeout=5", "x-two");
        check("Connection: X-One; Connection: x-two, , \t; X-One: 1; X-Two: 2", "");
        check("Connection: content-length, host; Content-Length: 3", "content-length");
        check(
            "Transfer-Encoding: chunked; TE: trailers; Trailer: x; Upgrade: h2c; Expect: 100-continue",
            "trailer",
        );
        check("Proxy-Authorization: Basic a; Proxy-Connection: x; Authorization: Bearer k", "authorization");
        check("Accept-Encoding: br; Content-Encoding: zstd", "accept-encoding content-encoding");
    }
}
