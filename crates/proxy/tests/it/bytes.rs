//! Requests and answers pass unchanged.

use crate::common::{Peer, pair, within};

#[test]
fn a_request_reaches_the_upstream_as_the_harness_sent_it() {
    within(async {
        let (proxy, upstream) = pair().await;
        let mut client = Peer::to(&proxy).await;
        let body = "{ \"b\":1,\r\n\t\"a\" : [1.0, 1e2, \"\\u00e9\u{e9}\"] }\n";
        let head = "POST /v1/messages?beta=true&x=%2F HTTP/1.1\r\nHost: localhost:1\r\nX-Api-Key: secret\r\n\
                    anthropic-version: 2023-06-01\r\nanthropic-beta: a,b\r\nAnthropic-Beta: c\r\n\
                    Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nTE: trailers\r\naccept-encoding: gzip, br";
        client.send(format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())).await;
        let mut server = Peer::from(&upstream).await;
        let got = server.head().await;
        let mut lines: Vec<&str> = got.lines().collect();
        assert_eq!(lines.remove(0), "POST /v1/messages?beta=true&x=%2F HTTP/1.1");
        lines.sort_unstable();
        let host = format!("Host: {}", upstream.local_addr().unwrap());
        let length = format!("Content-Length: {}", body.len());
        let expected: [&str; 7] = [
            "Anthropic-Beta: c",
            &length,
            &host,
            "X-Api-Key: secret",
            "accept-encoding: gzip, br",
            "anthropic-beta: a,b",
            "anthropic-version: 2023-06-01",
        ];
        let lower = |lines: &[&str]| lines.iter().map(|line| line.to_lowercase()).collect::<Vec<_>>();
        assert_eq!(lower(&lines).len(), expected.len(), "{got}");
        for line in expected {
            let is_there = lines.contains(&line)
                || line.starts_with("Host") && lines.contains(&&*line.replace("Host", "host"));
            assert!(is_there, "{line} in {got}");
        }
        assert_eq!(server.exactly(body.len()).await, body.as_bytes());
    });
}

fn check_answer(request: &str, answer: &[u8], expected_head: &str, expected_body: &[u8]) {
    within(async {
        let (proxy, upstream) = pair().await;
        let mut client = Peer::to(&proxy).await;
        client.send(format!("{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).await;
        let mut server = Peer::from(&upstream).await;
        server.head().await;
        server.send(answer).await;
        drop(server);
        // A server may put its headers in any order.
        let sorted = |head: &str| {
            let mut lines: Vec<String> = head.lines().map(str::to_owned).collect();
            lines[1..].sort_unstable();
            lines
        };
        let expected = format!("{expected_head}\r\nconnection: close");
        assert_eq!(sorted(&client.head().await), sorted(&expected), "{request}");
        assert_eq!(client.rest().await, expected_body, "{request}");
    });
}

#[test]
fn an_answer_reaches_the_harness_as_the_upstream_sent_it() {
    let zipped = [0x1f, 0x8b, 8, 0, 0, 0xff, b'\r', b'\n', 0];
    check_answer(
        "POST /v1/messages",
        &[&b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\nRequest-Id: req_1\r\n\r\n"[..], &zipped].concat(),
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\nRequest-Id: req_1",
        &zipped,
    );
    check_answer(
        "GET /any/path",
        b"HTTP/1.1 529 Overloaded here\r\nretry-after: 7\r\ncontent-length: 2\r\nkeep-alive: timeout=5\r\n\r\n{}",
        "HTTP/1.1 529 Overloaded here\r\nretry-after: 7\r\ncontent-length: 2",
        b"{}",
    );
    check_answer(
        "GET /stream",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na\n\n\r\n2\r\nb\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked",
        b"3\r\na\n\n\r\n2\r\nb\n\r\n0\r\n\r\n",
    );
    check_answer(
        "HEAD /",
        b"HTTP/1.1 405 Method Not Allowed\r\nAllow: POST\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 405 Method Not Allowed\r\nAllow: POST\r\nContent-Length: 5",
        b"",
    );
    check_answer(
        "DELETE /v1/files/x",
        b"HTTP/1.1 307 Temporary Redirect\r\nLocation: https://elsewhere.example/\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://elsewhere.example/\r\nContent-Length: 0",
        b"",
    );
}

#[test]
fn a_stream_comes_piece_by_piece() {
    within(async {
        let (proxy, upstream) = pair().await;
        let mut client = Peer::to(&proxy).await;
        client.post("/v1/messages", b"{}").await;
        let mut server = Peer::from(&upstream).await;
        server.head().await;
        server
            .send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            .await;
        // The head arrives before the body, and each piece before the next is written.
        assert!(client.head().await.starts_with("HTTP/1.1 200 OK"));
        for n in 0..20 {
            let piece = format!("event: ping\ndata: {n:02}\n\n");
            server.send(format!("{:x}\r\n{piece}\r\n", piece.len())).await;
            assert!(client.until("\n\n").await.ends_with(&piece), "{piece}");
            client.until("\r\n").await;
        }
        server.send("0\r\n\r\n").await;
        assert_eq!(client.rest().await, b"0\r\n\r\n");
    });
}

#[test]
fn a_request_goes_on_piece_by_piece() {
    within(async {
        let (proxy, upstream) = pair().await;
        let mut client = Peer::to(&proxy).await;
        client
            .send("POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n")
            .await;
        let mut server = Peer::from(&upstream).await;
        let head = server.head().await.to_lowercase();
        assert!(head.contains("transfer-encoding: chunked") && !head.contains("expect"), "{head}");
        assert_eq!(client.head().await, "HTTP/1.1 100 Continue");
        client.send("3\r\nabc\r\n").await;
        assert_eq!(server.until("abc\r\n").await, "3\r\nabc\r\n");
        client.send("0\r\n\r\n").await;
        assert_eq!(server.until("0\r\n\r\n").await, "0\r\n\r\n");
    });
}
