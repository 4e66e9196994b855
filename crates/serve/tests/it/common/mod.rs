//! A real server on a real socket, and a client that sends exactly the given bytes.
#![allow(clippy::unwrap_used, unreachable_pub, dead_code)]

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cwl_host::api::DefaultsAnswer;
use cwl_host::{Inspector, InspectorConfig};
use cwl_serve::{Page, Server};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub const DEADLINE: Duration = Duration::from_secs(120);

/// A page of two files, with a secret beside it.
pub const INDEX: &str = "<!doctype html><script type=module src=assets/a.js></script>";

pub struct Served {
    pub port: u16,
    pub token: String,
    pub inspector: Arc<Inspector>,
    pub folder: TempDir,
    end: Option<oneshot::Sender<()>>,
    run: JoinHandle<()>,
}

impl Served {
    pub async fn start() -> Self {
        Self::start_with(|server| server).await
    }

    pub async fn start_with(set_up: impl FnOnce(Server) -> Server) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let dist = folder.path().join("dist");
        std::fs::create_dir_all(dist.join("assets")).unwrap();
        std::fs::write(dist.join("index.html"), INDEX).unwrap();
        std::fs::write(dist.join("assets/a.js"), "export {}").unwrap();
        std::fs::write(folder.path().join("secret.json"), "\"secret\"").unwrap();
        let config = InspectorConfig {
            data_dir: folder.path().join("data"),
            defaults: DefaultsAnswer::default(),
            folders: Some(Vec::new()),
            corpora: None,
        };
        let inspector = Inspector::start(config).await.unwrap();
        let server = set_up(Server::listen(0, Page::open_folder(Some(dist)).unwrap()).await.unwrap());
        let port = server.port();
        let address = server.page_address();
        let token = address.strip_prefix(&format!("http://127.0.0.1:{port}/#token=")).unwrap().to_owned();
        let (end, ended) = oneshot::channel();
        let run = tokio::spawn(server.run(Arc::clone(&inspector), async {
            ended.await.ok();
        }));
        Self { port, token, inspector, folder, end: Some(end), run }
    }

    pub fn log(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Sends a request with `{port}` and `{token}` filled in and line ends corrected; returns the answer.
    pub async fn ask(&self, request: &str) -> Reply {
        let mut stream = self.connect().await;
        stream.write_all(self.filled(request).as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        timeout(DEADLINE, stream.read_to_end(&mut bytes)).await.expect("an answer and its end").unwrap();
        Reply::parse(&bytes)
    }

    pub async fn call(&self, name: &str, body: &str) -> Reply {
        let length = body.len();
        self.ask(&format!(
            "POST /call/{name} HTTP/1.1\nHost: 127.0.0.1:{{port}}\nAuthorization: Bearer {{token}}\n\
             Content-Type: application/json\nContent-Length: {length}\nConnection: close\n\n{body}"
        ))
        .await
    }

    pub async fn pushes(&self) -> Pushes {
        let mut stream = self.connect().await;
        let request = "GET /push HTTP/1.1\nHost: localhost:{port}\nAuthorization: Bearer {token}\n\n";
        stream.write_all(self.filled(request).as_bytes()).await.unwrap();
        let mut pushes = Pushes { stream, heard: String::new() };
        pushes.until("\n:\n\n").await;
        pushes
    }

    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], self.port))).await.unwrap()
    }

    pub fn filled(&self, request: &str) -> String {
        let (head, body) = request.split_once("\n\n").unwrap();
        let head = head.replace("{port}", &self.port.to_string()).replace("{token}", &self.token);
        format!("{}\r\n\r\n{body}", head.replace('\n', "\r\n"))
    }

    pub async fn end(mut self) {
        drop(self.end.take());
        timeout(DEADLINE, &mut self.run).await.expect("the server ends").unwrap();
    }
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Reply {
    fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
        let headers = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        Self { status: status.unwrap_or(0), headers, body: body.to_owned() }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

pub struct Pushes {
    stream: TcpStream,
    pub heard: String,
}

impl Pushes {
    pub async fn until(&mut self, what: &str) {
        while !self.heard.replace('\r', "").contains(what) {
            let n_bytes = self.read().await;
            assert_ne!(n_bytes, 0, "the stream ended before {what:?}: {:?}", self.heard);
        }
    }

    pub async fn until_end(&mut self) {
        while self.read().await != 0 {}
    }

    async fn read(&mut self) -> usize {
        let mut piece = [0; 4096];
        let n_bytes =
            timeout(DEADLINE, self.stream.read(&mut piece)).await.expect("something is heard").unwrap();
        self.heard.push_str(&String::from_utf8_lossy(&piece[..n_bytes]));
        n_bytes
    }
}
