//! Missing, hanging and dying upstreams, and clients that go away.

use std::time::Duration;

use cwl_proxy::{Certificates, Proxy, ProxyLimits, Upstream};

use crate::common::{Peer, asked, listen, pair, run, start, within};
use crate::trust::certificate_path;

const SHORT: ProxyLimits =
    ProxyLimits { connect: Duration::from_secs(20), answer: Duration::from_millis(50) };

#[test]
fn an_upstream_that_is_not_there_is_told() {
    within(async {
        let (listener, address) = listen().await;
        drop(listener);
        let (status, message) = asked(&start(&address, ProxyLimits::USUAL).await).await;
        assert_eq!(status, 502);
        assert!(
            message.starts_with("cwl proxy cannot reach 127.0.0.1 (") && message.contains("refused"),
            "{message}"
        );
    });
}

#[test]
fn an_upstream_that_hangs_is_told() {
    within(async {
        let (listener, address) = listen().await;
        let proxy = start(&address, SHORT).await;
        let (answer, server) = tokio::join!(asked(&proxy), async {
            let mut server = Peer::from(&listener).await;
            server.head().await;
            server
        });
        assert_eq!(answer, (504, "127.0.0.1 did not begin to answer within 0 seconds".to_owned()));
        assert_eq!({ server }.rest().await, b"{}", "the request ends there, too");
    });
}

#[test]
fn a_handshake_that_hangs_is_told() {
    within(async {
        let (listener, address) = listen().await;
        let upstream = Upstream::parse(&address.replace("http:", "https:"), false).unwrap();
        let trusted = Certificates::of_file(&certificate_path()).unwrap();
        let limits = ProxyLimits { connect: Duration::from_millis(50), ..ProxyLimits::USUAL };
        let proxy = run(Proxy::listen(0, upstream, Some(&trusted), limits).await.unwrap());
        let (answer, _server) = tokio::join!(asked(&proxy), Peer::from(&listener));
        assert_eq!(
            answer,
            (504, "no connection to 127.0.0.1 within 0 seconds; is the network there?".to_owned())
        );
    });
}

#[test]
fn an_upstream_that_dies_before_it_answers_is_told() {
    within(async {
        let (proxy, upstream) = pair().await;
        let (answer, ()) = tokio::join!(asked(&proxy), async {
            let mut server = Peer::from(&upstream).await;
            server.head().await;
            drop(server);
        });
        assert_eq!(answer.0, 502, "{}", answer.1);
        assert!(
            answer.1.starts_with("127.0.0.1 broke the connection off before it answered ("),
            "{}",
            answer.1
        );
    });
}

#[test]
fn an_answer_that_breaks_off_breaks_off() {
    for head in ["transfer-encoding: chunked\r\n\r\n4\r\nab\n\n", "content-length: 9\r\n\r\nab\n\n"] {
        within(async {
            let (proxy, upstream) = pair().await;
            let mut client = Peer::to(&proxy).await;
            client.post("/v1/messages", b"{}").await;
            let mut server = Peer::from(&upstream).await;
            server.head().await;
            server.send(format!("HTTP/1.1 200 OK\r\n{head}")).await;
            client.until("ab\n\n").await;
            drop(server);
            let rest = String::from_utf8(client.rest().await).unwrap();
            assert!(!rest.contains("0\r\n\r\n"), "an end that did not come is not invented: {rest:?}");
        });
    }
}

/// Checks that the upstream's connection ends if the client goes away after `answer` has begun.
fn check_cancelled(request: &str, answer: &str) {
    within(async {
        let (proxy, upstream) = pair().await;
        let mut client = Peer::to(&proxy).await;
        client.send(format!("POST /v1/messages HTTP/1.1\r\nHost: localhost\r\n{request}")).await;
        let mut server = Peer::from(&upstream).await;
        server.head().await;
        server.send(answer).await;
        if !answer.is_empty() {
            client.head().await;
        }
        drop(client);
        server.rest().await;
    });
}

#[test]
fn a_client_that_goes_away_ends_its_request() {
    check_cancelled("Content-Length: 2\r\n\r\n{}", "");
    check_cancelled("Content-Length: 2\r\n\r\n{}", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    check_cancelled(
        "Content-Length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\na\n\r\n",
    );
    check_cancelled("Content-Length: 900\r\n\r\n{", "");
}

#[test]
fn answers_that_have_begun_may_finish_when_the_proxy_ends() {
    within(async {
        let (listener, address) = listen().await;
        let upstream = Upstream::parse(&address, false).unwrap();
        let proxy = Proxy::listen(0, upstream, None, ProxyLimits::USUAL).await.unwrap();
        let port = proxy.port();
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let running = tokio::spawn(proxy.run(async { drop(ended.await) }));
        let mut client = Peer::at(port).await;
        client.post("/v1/messages", b"{}").await;
        let mut server = Peer::from(&listener).await;
        server.head().await;
        server.send("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab").await;
        client.until("ab").await;
        end.send(()).unwrap();
        // An ending proxy accepts no connections.
        while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {}
        server.send("cd").await;
        assert_eq!(client.rest().await, b"cd");
        running.await.unwrap();
    });
}
