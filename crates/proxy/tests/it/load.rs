//! Many parallel requests, and large ones.

use std::sync::Arc;

use tokio::sync::Barrier;

use crate::common::{Peer, pair, within};

const N: usize = 200;
const LARGE: usize = 10 << 20;

#[test]
fn two_hundred_requests_are_on_their_way_at_once() {
    within(async {
        let (proxy, upstream) = pair().await;
        // No request is answered before all have arrived.
        let all = Arc::new(Barrier::new(N));
        tokio::spawn({
            let all = Arc::clone(&all);
            async move {
                loop {
                    let (mut server, all) = (Peer::from(&upstream).await, Arc::clone(&all));
                    tokio::spawn(async move {
                        let head = server.head().await;
                        let path = head.split(' ').nth(1).unwrap().to_owned();
                        all.wait().await;
                        let answer =
                            format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{path}", path.len());
                        server.send(answer).await;
                    });
                }
            }
        });
        let mut clients = tokio::task::JoinSet::new();
        for n in 0..N {
            let mut client = Peer::to(&proxy).await;
            clients.spawn(async move {
                client.post(&format!("/{n}"), b"{}").await;
                let answer = String::from_utf8(client.rest().await).unwrap();
                assert!(answer.ends_with(&format!("\r\n\r\n/{n}")), "{answer}");
            });
        }
        assert_eq!(clients.join_all().await.len(), N);
    });
}

// Linux gives a listener the room that it asks for, up to 4,096.
#[cfg(target_os = "linux")]
#[test]
fn a_burst_has_room_before_it_is_accepted() {
    use cwl_proxy::{Proxy, ProxyLimits, Upstream};
    use tokio::net::TcpStream;

    within(async {
        let upstream = Upstream::parse("http://127.0.0.1:9", false).unwrap();
        let proxy = Proxy::listen(0, upstream, None, ProxyLimits::USUAL).await.unwrap();
        // No connection is accepted before `run`.
        let mut waiting = Vec::new();
        for _ in 0..N {
            waiting.push(TcpStream::connect(("127.0.0.1", proxy.port())).await.unwrap());
        }
        assert_eq!(waiting.len(), N);
    });
}

#[test]
fn ten_megabytes_go_both_ways() {
    within(async {
        let (proxy, upstream) = pair().await;
        let large: Arc<Vec<u8>> = Arc::new((0..LARGE).map(|at| ((at * 31) >> 8) as u8).collect());
        let answered = tokio::spawn({
            let large = Arc::clone(&large);
            async move {
                let mut server = Peer::from(&upstream).await;
                server.head().await;
                let got = server.exactly(LARGE).await;
                server.send(format!("HTTP/1.1 200 OK\r\ncontent-length: {LARGE}\r\n\r\n")).await;
                server.send(&got).await;
                assert!(got == *large, "the upstream got every byte");
            }
        });
        let mut client = Peer::to(&proxy).await;
        client.post("/v1/messages", &large).await;
        client.head().await;
        assert!(client.rest().await == *large, "the client got every byte back");
        answered.await.unwrap();
    });
}
