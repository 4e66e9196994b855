//! Measures latency with and without the proxy: `cargo bench -p cwl-proxy`. The limit is 5 ms more to the first byte,
//! at the 95th percentile.
#![allow(clippy::print_stdout, clippy::unwrap_used, dead_code)]

#[path = "../tests/it/common.rs"]
mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{Peer, listen, start};
use cwl_proxy::ProxyLimits;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

const N: usize = 1_000;
const N_AT_ONCE: usize = 200;
const USUAL: usize = 200_000;
const LARGE: usize = 10 << 20;
const LIMIT: Duration = Duration::from_millis(5);

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(measure());
}

async fn measure() {
    let (listener, address) = listen().await;
    let direct = listener.local_addr().unwrap().port();
    tokio::spawn(answer_all(listener));
    let proxy = start(&address, ProxyLimits::USUAL).await;
    println!("{:34} {:>24} {:>24} {:>10}", "request", "without p50, p95", "with p50, p95", "added p95");
    for (name, n, n_bytes) in [("200 kB", N, USUAL), ("10 MB", 50, LARGE)] {
        let body = Arc::new(vec![b'x'; n_bytes]);
        let mut times = [Vec::new(), Vec::new()];
        // Alternates both, so another program disturbs both alike.
        for _ in 0..n {
            for (port, times) in [direct, proxy.port].into_iter().zip(&mut times) {
                times.push(first_byte(port, &body).await);
            }
        }
        report(&format!("{name}, one after the other"), times, n_bytes == USUAL);
    }
    let body = Arc::new(vec![b'x'; USUAL]);
    let mut times = [Vec::new(), Vec::new()];
    for (port, times) in [direct, proxy.port].into_iter().zip(&mut times) {
        let mut all = JoinSet::new();
        for _ in 0..N_AT_ONCE {
            let body = Arc::clone(&body);
            all.spawn(async move { first_byte(port, &body).await });
        }
        *times = all.join_all().await;
    }
    report(&format!("200 kB, {N_AT_ONCE} at once"), times, false);
}

/// Time from a request's first byte to its answer's first byte.
async fn first_byte(port: u16, body: &[u8]) -> Duration {
    let mut client = Peer::at(port).await;
    let begin = Instant::now();
    client.post("/v1/messages", body).await;
    client.exactly(1).await;
    let time = begin.elapsed();
    client.rest().await;
    time
}

async fn answer_all(listener: TcpListener) {
    loop {
        let mut server = Peer::from(&listener).await;
        tokio::spawn(async move {
            let head = server.head().await.to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            server.exactly(length.parse().unwrap()).await;
            server.send("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}").await;
        });
    }
}

fn report(name: &str, times: [Vec<Duration>; 2], is_bounded: bool) {
    let [without, with] = times.map(|mut times| {
        times.sort_unstable();
        [50, 95].map(|percent| times[times.len() * percent / 100])
    });
    let added = with[1].saturating_sub(without[1]);
    println!(
        "{name:34} {:>11.2?} {:>12.2?} {:>11.2?} {:>12.2?} {added:>10.2?}",
        without[0], without[1], with[0], with[1]
    );
    assert!(!is_bounded || added <= LIMIT, "{name}: {added:?} is more than {LIMIT:?}");
}
