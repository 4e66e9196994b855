//! Capture keeps requests to a model and nothing else.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cwl_proxy::{Capture, Eviction, Notices, Proxy, ProxyLimits, Upstream};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::common::{Peer, listen, within};

const KEY: &str = "sk-invented-0123456789";

pub(crate) struct CapturingPair {
    dir: tempfile::TempDir,
    port: u16,
    upstream: tokio::net::TcpListener,
    end: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

impl CapturingPair {
    async fn start(limits: ProxyLimits) -> Self {
        let said = |said: &str| panic!("nothing is the matter: {said}");
        Self::start_with(limits, None, Arc::new(said)).await
    }

    pub(crate) async fn start_with(
        limits: ProxyLimits,
        eviction: Option<Eviction>,
        notices: Notices,
    ) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (upstream, address) = listen().await;
        let to = Upstream::parse(&address, false).unwrap();
        let capture = Capture::open(&dir.path().join("deep/kept"), Arc::clone(&notices)).unwrap();
        let mut proxy = Proxy::listen(0, to, None, limits).await.unwrap().with_capture(capture);
        if let Some(eviction) = eviction {
            proxy = proxy.with_eviction(eviction, notices);
        }
        let (end, ended) = oneshot::channel::<()>();
        let port = proxy.port();
        let running = tokio::spawn(proxy.run(async { drop(ended.await) }));
        Self { dir, port, upstream, end, running }
    }

    async fn exchange(&self, path: &str, more: &str, body: &[u8], answer: &[u8]) {
        assert_eq!(self.exchange_changed(path, more, body, answer).await, body);
    }

    pub(crate) async fn exchange_changed(
        &self,
        path: &str,
        more: &str,
        body: &[u8],
        answer: &[u8],
    ) -> Vec<u8> {
        let mut client = Peer::at(self.port).await;
        let head = format!(
            "POST {path}?key={KEY} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nx-api-key: {KEY}\r\n\
             Authorization: Bearer {KEY}\r\n{more}Content-Length: {}\r\n\r\n",
            body.len()
        );
        client.send([head.as_bytes(), body].concat()).await;
        let mut server = Peer::from(&self.upstream).await;
        let head = server.head().await;
        assert!(head.contains(KEY));
        let length =
            head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let got = server.exactly(length.unwrap()).await;
        server.send(answer).await;
        drop(server);
        client.rest().await;
        got
    }

    pub(crate) async fn end(self) -> (tempfile::TempDir, PathBuf, Vec<Value>) {
        self.end.send(()).unwrap();
        self.running.await.unwrap();
        let folder = self.dir.path().join("deep/kept");
        let index = std::fs::read_to_string(folder.join("captured.jsonl")).unwrap();
        let lines = index.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (self.dir, folder, lines)
    }
}

pub(crate) fn body_of(folder: &Path, line: &Value) -> Vec<u8> {
    std::fs::read(folder.join(line["request_file"].as_str().unwrap())).unwrap()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn a_body_is_kept_as_it_was_sent_and_no_key_with_it() {
    within(async {
        let pair = CapturingPair::start(ProxyLimits::USUAL).await;
        let body = br#"{ "model":"claude-x", "messages" : [{"role":"user","content":"\u00e9"}],
            "metadata":{"user_id":"{\"session_id\":\"s1\"}"} }"#;
        let stream = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"type\":\"message\",\"id\":\"msg_1\",\"content\":[],\"usage\":{\"input_tokens\":3}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\"}}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":9}}\n\n";
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(stream.as_bytes()).unwrap();
        let packed = packer.finish().unwrap();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nrequest-id: {KEY}\r\ncontent-length: {}\r\n\r\n",
            packed.len()
        );
        pair.exchange("/v1/messages", "", body, &[head.as_bytes(), &packed].concat()).await;
        let none = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
        // Token counts and model lists are no requests to a model.
        pair.exchange("/v1/messages/count_tokens", "", body, none).await;
        pair.exchange("/v1/models", "", b"", none).await;
        let (_dir, folder, lines) = pair.end().await;
        let [line] = &lines[..] else { panic!("{lines:?}") };
        assert_eq!(body_of(&folder, line), body, "byte for byte");
        let expected = json!({
            "version": 1, "api": "anthropic", "session": "s1", "model": "claude-x", "status": 200, "reply_id": "msg_1",
            "calls": ["toolu_1"], "usage": {"input_tokens": 3, "output_tokens": 9}, "stop": "tool_use",
        });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(line[name], *value, "{name}");
        }
        assert!(line["at"].as_str().unwrap().ends_with('Z'), "{line}");
        for path in files_below(&folder) {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            assert!(!text.contains(KEY) && !text.contains("localhost"), "{}: {text}", path.display());
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
                assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700), "{}", path.display());
            }
        }
    });
}

#[test]
fn each_api_is_told_by_its_path() {
    within(async {
        let pair = CapturingPair::start(ProxyLimits::USUAL).await;
        let answer = |body: &str| format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let responses = answer(
            r#"{"object":"response","id":"resp_1","output":[{"type":"function_call","call_id":"c1"}],"usage":{"input_tokens":1}}"#,
        );
        let packed =
            zstd::encode_all(&br#"{"model":"gpt","input":[],"prompt_cache_key":"thread"}"#[..], 3).unwrap();
        pair.exchange("/v1/responses", "Content-Encoding: zstd\r\n", &packed, responses.as_bytes()).await;
        let chat = answer(r#"{"id":"chat_1","choices":[{"message":{},"finish_reason":"stop"}]}"#);
        pair.exchange("/v1/chat/completions", "", br#"{"model":"local","messages":[]}"#, chat.as_bytes())
            .await;
        let gemini = answer(r#"[{"responseId":"g1","candidates":[]}]"#);
        pair.exchange(
            "/v1beta/models/gemini-3:streamGenerateContent",
            "",
            br#"{"contents":[]}"#,
            gemini.as_bytes(),
        )
        .await;
        let (_dir, folder, lines) = pair.end().await;
        let told: Vec<_> = lines
            .iter()
            .map(|line| ["api", "model", "session", "reply_id"].map(|name| line[name].clone()))
            .collect();
        assert_eq!(
            json!(told),
            json!([
                ["openai-responses", "gpt", "thread", "resp_1"],
                ["openai-chat", "local", null, "chat_1"],
                ["gemini", "gemini-3", null, "g1"],
            ])
        );
        assert!(
            body_of(&folder, &lines[0]).starts_with(br#"{"model":"gpt""#),
            "unpacked, so that it can be read"
        );
    });
}

#[test]
fn requests_without_a_whole_answer_are_told() {
    within(async {
        let limits = ProxyLimits { answer: std::time::Duration::from_millis(50), ..ProxyLimits::USUAL };
        let pair = CapturingPair::start(limits).await;
        let body = br#"{"model":"m","messages":[]}"#;
        pair.exchange("/v1/messages", "", body, b"HTTP/1.1 529 Overloaded\r\ncontent-length: 2\r\n\r\n{}")
            .await;
        pair.exchange("/v1/messages", "", body, b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\ndata: {}\n")
            .await;
        pair.exchange("/v1/messages", "", body, b"").await;
        pair.exchange(
            "/v1/messages",
            "Content-Encoding: rot13\r\n",
            body,
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
        )
        .await;
        pair.exchange(
            "/v1/messages",
            "",
            b"no json",
            b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n",
        )
        .await;
        let (_dir, folder, lines) = pair.end().await;
        let told: Vec<_> = lines.iter().map(|line| [line["status"].clone(), line["stop"].clone()]).collect();
        assert_eq!(json!(told), json!([[529, null], [200, null], [null, null], [200, null], [400, null]]));
        assert!(lines[2]["note"].as_str().unwrap().contains("before it answered"), "{}", lines[2]);
        assert_eq!(lines[3]["request_file"], Value::Null);
        assert_eq!(lines[3]["note"], "the body was not kept: the encoding rot13 is unknown");
        assert_eq!(body_of(&folder, &lines[4]), b"no json");
    });
}
