//! The guard admits or refuses requests: raw requests, each with its status.

use std::net::{SocketAddr, UdpSocket};

use crate::common::{INDEX, Served};
use serde_json::{Value, json};
use tokio::net::TcpStream;

/// Sends each request with `Connection: close`, and compares the status.
async fn check(cases: &[(&str, u16)]) {
    let served = Served::start().await;
    for (request, status) in cases {
        let (head, body) = request.split_once("\n\n").unwrap_or((request, ""));
        let reply = served.ask(&format!("{head}\nConnection: close\n\n{body}")).await;
        assert_eq!(reply.status, *status, "{request}\n→ {reply:?}");
        assert!(!reply.body.contains("secret"), "{request}");
        for (name, _) in &reply.headers {
            assert!(
                !name.starts_with("access-control-"),
                "{request}\n→ {name}: no other origin is ever allowed anything"
            );
        }
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{request}");
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"), "{request}");
        assert!(
            reply.header("content-security-policy").unwrap().starts_with("default-src 'none'"),
            "{request}"
        );
        assert_eq!(reply.header("cache-control"), Some("no-store"), "{request}");
        assert_eq!(reply.header("set-cookie"), None, "{request}: a cookie is sent to every port");
        if *status >= 400 {
            let error: serde_json::Value = serde_json::from_str(&reply.body).unwrap();
            for part in ["code", "message", "hint", "path"] {
                assert!(error.get(part).is_some(), "{request}\n→ the error has no {part}: {}", reply.body);
            }
        }
    }
    served.end().await;
}

const PORT: &str = "Host: 127.0.0.1:{port}";
const CALL: &str = "Authorization: Bearer {token}\nContent-Type: application/json\nContent-Length: 2\n\n{}";

fn call(head: &str) -> String {
    format!("POST /call/defaults HTTP/1.1\n{head}\n{CALL}")
}

async fn check_calls(cases: &[(&str, u16)]) {
    let cases: Vec<(String, u16)> = cases.iter().map(|(head, status)| (call(head), *status)).collect();
    let cases: Vec<(&str, u16)> = cases.iter().map(|(request, status)| (request.as_str(), *status)).collect();
    check(&cases).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_this_machines_own_names_are_answered() {
    check_calls(&[
        ("Host: 127.0.0.1:{port}", 200),
        ("Host: localhost:{port}", 200),
        ("Host: [::1]:{port}", 200),
        // A foreign name that resolves to this machine.
        ("Host: evil.example:{port}", 421),
        ("Host: localhost.evil.example:{port}", 421),
        ("Host: 127.0.0.1.evil.example:{port}", 421),
        ("Host: 127.0.0.1", 421),
        ("Host: 127.0.0.1:80", 421),
        ("Host: 127.0.0.1:{port}0", 421),
        ("Host: 0.0.0.0:{port}", 421),
        ("Host: 127.1:{port}", 421),
        ("Host: 127.0.0.2:{port}", 421),
        ("Host: LOCALHOST:{port}", 421),
        ("Host: user@127.0.0.1:{port}", 421),
        ("Host:", 421),
        ("X-Forwarded-Host: 127.0.0.1:{port}", 421),
        ("Host: 127.0.0.1:{port}\nHost: 127.0.0.1:{port}", 421),
        ("Host: 127.0.0.1:{port}\nHost: evil.example", 421),
    ])
    .await;
    check(&[
        ("GET / HTTP/1.1\nHost: evil.example:{port}", 421),
        ("GET / HTTP/1.0", 421),
        ("GET http://127.0.0.1:{port}/ HTTP/1.1\nHost: 127.0.0.1:{port}", 200),
        ("GET http://evil.example/ HTTP/1.1\nHost: 127.0.0.1:{port}", 421),
        ("GET http://localhost:{port}/ HTTP/1.1\nHost: 127.0.0.1:{port}", 421),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_pages_are_not_answered() {
    let own = |rest: &str| format!("{PORT}\n{rest}");
    let cases: Vec<(String, u16)> = [
        ("Origin: http://127.0.0.1:{port}", 200),
        ("Origin: http://localhost:{port}", 403),
        ("Origin: https://127.0.0.1:{port}", 403),
        ("Origin: http://127.0.0.1:1", 403),
        ("Origin: http://127.0.0.1", 403),
        ("Origin: https://evil.example", 403),
        ("Origin: null", 403),
        ("Origin:", 403),
        ("Origin: http://127.0.0.1:{port}\nOrigin: https://evil.example", 403),
        ("Sec-Fetch-Site: same-origin", 200),
        ("Sec-Fetch-Site: same-site", 403),
        ("Sec-Fetch-Site: cross-site", 403),
        ("Sec-Fetch-Site: none", 403),
        ("Sec-Fetch-Site: nonsense", 403),
        ("Sec-Fetch-Site: same-origin\nSec-Fetch-Site: cross-site", 403),
        ("Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document", 403),
    ]
    .map(|(head, status)| (own(head), status))
    .into();
    let cases: Vec<(&str, u16)> = cases.iter().map(|(head, status)| (head.as_str(), *status)).collect();
    check_calls(&cases).await;
    let page = |head: &str| format!("GET / HTTP/1.1\n{PORT}\n{head}");
    let cases: Vec<(String, u16)> = [
        ("Sec-Fetch-Site: none\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document", 200),
        ("Sec-Fetch-Site: same-origin", 200),
        // A link on another page may open this one: it shows nothing without the token.
        ("Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document", 200),
        ("Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe", 403),
        ("Sec-Fetch-Site: same-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe", 403),
        ("Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: no-cors\nSec-Fetch-Dest: script", 403),
        ("Sec-Fetch-Site: cross-site", 403),
        ("Origin: https://evil.example", 403),
    ]
    .map(|(head, status)| (page(head), status))
    .into();
    let cases: Vec<(&str, u16)> = cases.iter().map(|(request, status)| (request.as_str(), *status)).collect();
    check(&cases).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_but_the_page_needs_the_token() {
    let wrong = "Authorization: Bearer 00000000000000000000000000000000";
    let json = "Content-Type: application/json\nContent-Length: 2\n\n{}";
    let cases = [
        ("GET / HTTP/1.1", 200),
        ("HEAD / HTTP/1.1", 200),
        ("GET /?session=a&turn=3 HTTP/1.1", 200),
        ("GET /index.html HTTP/1.1", 200),
        ("GET /push HTTP/1.1", 401),
        ("GET /push?token={token} HTTP/1.1", 401),
        ("GET /push HTTP/1.1\nCookie: token={token}", 401),
        (&format!("GET /push HTTP/1.1\n{wrong}"), 401),
        (&format!("POST /call/defaults HTTP/1.1\n{json}"), 401),
        (&format!("POST /call/nothing HTTP/1.1\n{json}"), 401),
        (&format!("POST /call/defaults?token={{token}} HTTP/1.1\n{json}"), 401),
        (&format!("POST /call/defaults HTTP/1.1\n{wrong}\n{json}"), 401),
        (&format!("POST /call/defaults HTTP/1.1\nAuthorization: Basic {{token}}\n{json}"), 401),
        (&format!("POST /call/defaults HTTP/1.1\nAuthorization: Bearer {{token}}\n{wrong}\n{json}"), 401),
        (&format!("POST /report HTTP/1.1\n{json}"), 401),
        (&format!("POST /report HTTP/1.1\nAuthorization: Bearer {{token}}\n{json}"), 200),
        (&format!("POST /call/defaults HTTP/1.1\nauthorization: Bearer {{token}}\n{json}"), 200),
    ];
    let cases: Vec<(String, u16)> = cases
        .iter()
        .map(|(request, status)| (request.replacen("HTTP/1.1", &format!("HTTP/1.1\n{PORT}"), 1), *status))
        .collect();
    let cases: Vec<(&str, u16)> = cases.iter().map(|(request, status)| (request.as_str(), *status)).collect();
    check(&cases).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_what_no_other_page_can_send_unasked() {
    let with = |method: &str, kind: &str| {
        format!(
            "{method} /call/defaults HTTP/1.1\n{PORT}\nAuthorization: Bearer {{token}}\n{kind}Content-Length: 2\n\n{{}}"
        )
    };
    let cases: Vec<(String, u16)> = [
        ("POST", "Content-Type: application/json\n", 200),
        ("POST", "Content-Type: application/json; charset=utf-8\n", 200),
        ("POST", "Content-Type: Application/JSON\n", 200),
        // A form, or a script without preflight, can send these.
        ("POST", "Content-Type: text/plain\n", 415),
        ("POST", "Content-Type: application/x-www-form-urlencoded\n", 415),
        ("POST", "Content-Type: multipart/form-data; boundary=x\n", 415),
        ("POST", "Content-Type: text/plain; application/json\n", 415),
        ("POST", "Content-Type: application/json\nContent-Type: text/plain\n", 415),
        ("POST", "", 415),
        ("GET", "Content-Type: application/json\n", 405),
        ("PUT", "Content-Type: application/json\n", 405),
        ("DELETE", "Content-Type: application/json\n", 405),
        ("PATCH", "Content-Type: application/json\n", 405),
        (
            "OPTIONS",
            "Access-Control-Request-Method: POST\nAccess-Control-Request-Headers: authorization\n",
            405,
        ),
    ]
    .map(|(method, kind, status)| (with(method, kind), status))
    .into();
    let cases: Vec<(&str, u16)> = cases.iter().map(|(request, status)| (request.as_str(), *status)).collect();
    check(&cases).await;
    check(&[
        ("POST / HTTP/1.1\nHost: 127.0.0.1:{port}\nContent-Length: 0", 405),
        ("OPTIONS / HTTP/1.1\nHost: 127.0.0.1:{port}", 405),
        ("TRACE / HTTP/1.1\nHost: 127.0.0.1:{port}", 405),
        (
            "POST /push HTTP/1.1\nHost: 127.0.0.1:{port}\nAuthorization: Bearer {token}\nContent-Length: 0",
            405,
        ),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_path_leads_out_of_the_page() {
    let paths = [
        "/secret.json",
        "/../secret.json",
        "/assets/../../secret.json",
        "/%2e%2e/secret.json",
        "/..%2fsecret.json",
        "/%2e%2e%2fsecret.json",
        "/..%5csecret.json",
        "/assets/%2e%2e/%2e%2e/secret.json",
        "/....//secret.json",
        "//secret.json",
        "/assets",
        "/assets/",
        "/assets/b.js",
        "/etc/passwd",
        "/data/cwl.sqlite",
        "/call",
        "/push/",
    ];
    let cases: Vec<(String, u16)> =
        paths.iter().map(|path| (format!("GET {path} HTTP/1.1\n{PORT}"), 404)).collect();
    let cases: Vec<(&str, u16)> = cases.iter().map(|(request, status)| (request.as_str(), *status)).collect();
    check(&cases).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_served_as_what_it_is() {
    let served = Served::start().await;
    let get =
        async |path: &str| served.ask(&format!("GET {path} HTTP/1.1\n{PORT}\nConnection: close\n\n")).await;
    let index = get("/").await;
    assert_eq!((index.status, index.body.as_str()), (200, INDEX));
    assert_eq!(index.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(get("/assets/a.js").await.header("content-type"), Some("text/javascript; charset=utf-8"));
    let head = served.ask(&format!("HEAD / HTTP/1.1\n{PORT}\nConnection: close\n\n")).await;
    assert_eq!((head.body.as_str(), head.header("content-length")), ("", index.header("content-length")));
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_but_loopback_is_listened_on() {
    let served = Served::start().await;
    // The address this machine would use towards another; nothing is sent.
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    let outward =
        socket.connect("192.0.2.1:9").and_then(|()| socket.local_addr()).map(|address| address.ip());
    let mut addresses = vec![[127, 0, 0, 2].into()];
    addresses.extend(outward.ok().filter(|address| !address.is_loopback()));
    for address in addresses {
        let reached = TcpStream::connect(SocketAddr::new(address, served.port)).await;
        assert!(reached.is_err(), "{address} is not 127.0.0.1");
    }
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_servers_do_not_share_a_token() {
    let (one, other) = (Served::start().await, Served::start().await);
    assert_ne!(one.token, other.token);
    let request =
        format!("GET /push HTTP/1.1\n{PORT}\nAuthorization: Bearer {}\nConnection: close\n\n", one.token);
    assert_eq!(other.ask(&request).await.status, 401);
    one.end().await;
    other.end().await;
}

/// A client with the token can read logs and no other files: naming a format makes no file a log.
#[tokio::test(flavor = "multi_thread")]
async fn only_logs_are_opened() {
    let served = Served::start().await;
    let secret = served.log("id_ed25519", "-----BEGIN OPENSSH PRIVATE KEY-----\nMTIz\n");
    for format in [Value::Null, json!("claude-code"), json!("pi"), json!("openai-chat")] {
        let reply = served.call("open", &json!({ "target": secret, "format": format }).to_string()).await;
        assert_eq!(reply.status, 422, "{format}: {reply:?}");
        assert!(reply.body.contains("unknownFormat") && !reply.body.contains("MTIz"), "{format}: {reply:?}");
    }
    served.end().await;
}
