//! A log that a test writes as an agent would: record by record.
#![allow(clippy::unwrap_used, unreachable_pub, dead_code)]

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

/// A pi log on disk.
pub struct Log {
    pub path: PathBuf,
    n_records: u32,
}

/// A record that does not know its place yet.
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

/// Returns an answer without its revision, which counts per process.
pub fn apart(answer: &Value) -> Value {
    let mut answer = answer.clone();
    if let Some(fields) = answer.as_object_mut() {
        fields.remove("revision");
    }
    answer
}
