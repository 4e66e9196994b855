//! The page may do the same in a browser as in the window.

use std::collections::BTreeMap;

use crate::common::Served;
use serde_json::Value;

#[tokio::test(flavor = "multi_thread")]
async fn the_policy_is_the_windows() {
    let config: Value = serde_json::from_str(include_str!("../../../../src-tauri/tauri.conf.json")).unwrap();
    let window = config["app"]["security"]["csp"].as_object().unwrap();
    let mut window: BTreeMap<String, String> =
        window.iter().map(|(name, sources)| (name.clone(), sources.as_str().unwrap().to_owned())).collect();
    let served = Served::start().await;
    let reply = served.ask("GET / HTTP/1.1\nHost: 127.0.0.1:{port}\nConnection: close\n\n").await;
    let policy = reply.header("content-security-policy").unwrap();
    let mut server: BTreeMap<String, String> = policy
        .split("; ")
        .map(|directive| directive.split_once(' ').unwrap())
        .map(|(name, sources)| (name.to_owned(), sources.to_owned()))
        .collect();
    assert_eq!(window.remove("connect-src").unwrap(), "ipc: http://ipc.localhost");
    assert_eq!(server.remove("connect-src").unwrap(), "'self'", "the page talks to its own server only");
    assert_eq!(server, window, "all else is the same list");
    served.end().await;
}
