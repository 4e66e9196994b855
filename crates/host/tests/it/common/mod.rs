//! A log written record by record, as an agent writes it, and a host that follows it.
#![allow(clippy::unwrap_used, unreachable_pub, dead_code)]

pub mod columns;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use cwl_host::api::{DefaultsAnswer, Push};
use cwl_host::{CommandAnswer, Inspector, InspectorConfig};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::time::{Duration, timeout};

use self::columns::read_columns;

/// A pi log on disk.
pub struct Log {
    pub path: PathBuf,
    n_records: u32,
}

/// A record without its place in a log.
pub struct Draft(Value);

impl Draft {
    /// Returns the record's line at the end of a log, without a line end.
    pub fn at(self, log: &mut Log) -> String {
        let parent =
            log.n_records.checked_sub(1).map(|last| format!("{last:08x}")).filter(|_| log.n_records > 1);
        let record = json!({
            "type": "message",
            "id": format!("{:08x}", log.n_records),
            "parentId": parent,
            "timestamp": "2026-01-02T03:04:05.000Z",
            "message": self.0,
        });
        log.n_records += 1;
        record.to_string()
    }
}

impl Log {
    pub fn new(path: PathBuf) -> Self {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
        Self { path, n_records: 0 }
    }

    /// Truncates the file in place.
    pub fn clear(&mut self) {
        std::fs::write(&self.path, "").unwrap();
        self.n_records = 0;
    }

    pub fn add_raw(&mut self, text: &str) {
        let mut file = std::fs::OpenOptions::new().append(true).open(&self.path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    pub fn header(&mut self, id: &str) {
        self.add_raw(&format!(
            "{}\n",
            json!({"type": "session", "version": 3, "id": id, "cwd": "/never/touched"})
        ));
        self.n_records = 1;
    }

    pub fn add(&mut self, draft: Draft) {
        let line = draft.at(self);
        self.add_raw(&format!("{line}\n"));
    }
}

pub fn user(text: &str) -> Draft {
    Draft(json!({"role": "user", "content": [{"type": "text", "text": text}]}))
}

pub fn reply(text: &str, calls: &[(&str, &str, Value)]) -> Draft {
    let mut content = vec![json!({"type": "text", "text": text})];
    content.extend(
        calls
            .iter()
            .map(|(id, name, args)| json!({"type": "toolCall", "id": id, "name": name, "arguments": args})),
    );
    Draft(
        json!({"role": "assistant", "content": content, "stopReason": "stop", "provider": "p", "model": "m"}),
    )
}

pub fn result(call: &str, tool: &str, text: &str) -> Draft {
    Draft(json!({
        "role": "toolResult", "toolCallId": call, "toolName": tool, "isError": false,
        "content": [{"type": "text", "text": text}],
    }))
}

fn marked(call: &str, text: &str, event: Value) -> Draft {
    Draft(json!({
        "role": "toolResult", "toolCallId": call, "toolName": "delimiter", "isError": false,
        "content": [{"type": "text", "text": text}], "details": {"chunkEvent": event},
    }))
}

pub fn start(call: &str, name: &str, kind: &str, dependencies: Option<&[&str]>) -> Draft {
    let mut chunk = json!({"name": name, "type": kind});
    if let Some(dependencies) = dependencies {
        chunk["dependencies"] = json!(dependencies);
    }
    marked(call, &format!("start [{kind}] {name}"), json!({"action": "start", "chunk": chunk}))
}

pub fn end(call: &str, name: &str, kind: &str, description: Option<&str>) -> Draft {
    let mut chunk = json!({"name": name, "type": kind});
    if let Some(description) = description {
        chunk["description"] = json!(description);
    }
    marked(call, &format!("end [{kind}] {name}"), json!({"action": "end", "chunk": chunk}))
}

/// The answer without its revision, which counts per process.
pub fn apart(answer: &Value) -> Value {
    let mut answer = answer.clone();
    if let Some(fields) = answer.as_object_mut() {
        fields.remove("revision");
    }
    answer
}

/// Longer than anything in these tests takes on a working machine.
pub const DEADLINE: Duration = Duration::from_secs(120);

pub struct Host {
    pub dir: tempfile::TempDir,
    pub inspector: Arc<Inspector>,
    pub pushes: Receiver<Push>,
}

impl Host {
    pub async fn start() -> Self {
        Self::in_folder(tempfile::tempdir().unwrap()).await
    }

    pub async fn in_folder(dir: tempfile::TempDir) -> Self {
        let inspector = Inspector::start(InspectorConfig {
            data_dir: dir.path().join("data"),
            defaults: DefaultsAnswer::default(),
            folders: Some(vec![dir.path().join("logs")]),
            corpora: None,
        })
        .await
        .unwrap();
        let pushes = inspector.subscribe();
        Self { dir, inspector, pushes }
    }

    /// Stops the host and starts another one on the same store.
    pub async fn again(self) -> Self {
        let Self { dir, inspector, pushes } = self;
        drop((inspector, pushes));
        Self::in_folder(dir).await
    }

    pub fn log(&self, name: &str) -> Log {
        Log::new(self.dir.path().join("logs").join(name))
    }

    pub async fn call(&self, name: &str, args: Value) -> Value {
        match self.inspector.dispatch(name, args).await {
            Ok(CommandAnswer::Json(json)) => serde_json::from_str(&json).unwrap(),
            Ok(CommandAnswer::Bytes(bytes)) => read_columns(&bytes, None).answer,
            Err(error) => panic!("{name}: {error}"),
        }
    }

    pub async fn error(&self, name: &str, args: Value) -> cwl_host::ApiError {
        self.inspector.dispatch(name, args).await.expect_err(name)
    }

    pub async fn open(&self, log: &Log) -> Value {
        self.call("open", json!({"target": log.path})).await
    }

    /// Waits for a push that satisfies `wanted`; revisions must have no gap.
    pub async fn pushed(&mut self, revision: &mut u32, wanted: impl Fn(&Pushed) -> bool) -> Pushed {
        loop {
            let push = timeout(DEADLINE, self.pushes.recv()).await.expect("a push in time").unwrap();
            match push {
                Push::Session { revision: now, n_turns, n_episodes, restarted, gone, .. } => {
                    assert_eq!(now, *revision + 1, "a push was missed");
                    *revision = now;
                    let pushed = Pushed { n_turns, n_episodes, restarted, gone };
                    if wanted(&pushed) {
                        return pushed;
                    }
                }
                Push::Sessions
                | Push::Progress { .. }
                | Push::Notes { .. }
                | Push::Marks { .. }
                | Push::Reader { .. }
                | Push::Missed => {}
                Push::Store { trouble: Some(trouble) } => panic!("trouble: {trouble:?}"),
                Push::Store { trouble: None } => {}
                Push::Trouble { message } => panic!("trouble: {message}"),
            }
        }
    }
}

#[derive(Debug)]
pub struct Pushed {
    pub n_turns: u32,
    pub n_episodes: u32,
    pub restarted: bool,
    pub gone: bool,
}

/// A short session: an exploration, and an act that depends on it.
pub fn story(log: &mut Log) {
    log.header("s-1");
    log.add(user("Please make the retries back off."));
    log.add(reply(
        "start [expl] map-retries",
        &[("d1", "delimiter", json!({"action": "start", "name": "map-retries", "type": "expl"}))],
    ));
    log.add(start("d1", "map-retries", "expl", None));
    log.add(reply("Looking for the retry loop.", &[("g1", "grep", json!({"pattern": "retry"}))]));
    log.add(result("g1", "grep", &"src/retry.rs:12: fn retry() {}\n".repeat(200)));
    log.add(reply(
        "Done looking.",
        &[("d2", "delimiter", json!({"action": "end", "description": "Retries live in src/retry.rs."}))],
    ));
    log.add(end("d2", "map-retries", "expl", Some("Retries live in src/retry.rs.")));
    log.add(reply(
        "Now the change.",
        &[(
            "d3",
            "delimiter",
            json!({"action": "start", "name": "fix-retries", "type": "act", "dependencies": ["map-retries"]}),
        )],
    ));
    log.add(start("d3", "fix-retries", "act", Some(&["map-retries"])));
    log.add(reply("Editing.", &[("e1", "edit", json!({"path": "src/retry.rs"}))]));
    log.add(result("e1", "edit", "ok"));
    log.add(reply("Done.", &[("d4", "delimiter", json!({"action": "end"}))]));
    log.add(end("d4", "fix-retries", "act", None));
    log.add(reply("The retries back off now.", &[]));
}

pub fn view(budget: &str) -> Value {
    json!({"policy": "cwl", "budget": budget, "tokenizer": "o200k", "overhead": "0"})
}

/// Compares a page's part between `<!-- NAME: written by `make gen` -->` and `<!-- NAME: end -->` with
/// `expected`. With `CWL_GEN` set, writes it instead.
#[track_caller]
pub fn generated(page: &str, name: &str, expected: &str) {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let (begin, end) =
        (format!("<!-- {name}: written by `make gen` -->\n"), format!("<!-- {name}: end -->\n"));
    let (before, rest) = text.split_once(&begin).expect("the page has a place for it");
    let (_, after) = rest.split_once(&end).expect("the part has an end");
    let expected = format!("{before}{begin}\n{expected}\n{end}{after}");
    if std::env::var_os("CWL_GEN").is_some() {
        std::fs::write(&path, &expected).unwrap();
    } else {
        assert!(text == expected, "{page} is out of date at `{name}`: run `make gen` and commit it");
    }
}
