//! Tests of `cwl live`: its lines, its refusals, and its decisions in a log.
#![allow(clippy::unwrap_used)]

#[path = "../../../inspect/tests/it/story.rs"]
#[allow(dead_code, reason = "the stories of another crate's tests")]
mod story;
mod lines;
mod lists;
mod opencode;
mod recorded;
#[cfg(unix)]
mod steered;
mod documented;

use cwl_host::Tools;
use cwl_live::LiveServer;
use serde_json::{Value, json};

/// A client with its own server.
pub(crate) struct Client {
    server: LiveServer,
    pub(crate) folder: tempfile::TempDir,
}

impl Client {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { server: LiveServer::new(folder.path().to_owned(), Tools::builtin_tables()), folder }
    }

    /// Sends a `hello` with `settings`.
    pub(crate) fn greeted(settings: &Value) -> Self {
        let mut client = Self::new();
        let answer = client.ask(&hello(settings));
        assert_eq!(answer["type"], "ready", "{answer}");
        client
    }

    pub(crate) fn ask(&mut self, line: &Value) -> Value {
        serde_json::to_value(self.server.answer_line(&line.to_string())).unwrap()
    }

    /// Asks for a decision about `list`; the first `from` messages are known already.
    pub(crate) fn decide(&mut self, list: &[Value], from: usize) -> Value {
        self.ask(&json!({"type": "decide", "from": from, "digest": digest(&list[..from]), "messages": list[from..]}))
    }
}

pub(crate) fn hello(settings: &Value) -> Value {
    let mut hello = json!({"type": "hello", "protocol": 1, "client": "test", "harness": "pi 1.6.0", "session": "s",
        "tokenizer": "chars4"});
    hello.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    hello
}

/// Digest of a list, computed as a client does.
pub(crate) fn digest(list: &[Value]) -> String {
    use sha2::{Digest, Sha256};
    let add = |before: String, message: &Value| {
        Sha256::digest(format!("{before}{message}")).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    list.iter().fold(String::new(), add)
}

/// Applies the edits in an answer, as a client does.
pub(crate) fn edited(list: &[Value], answer: &Value) -> Vec<Value> {
    let numbers = |value: &Value| -> Vec<usize> {
        value.as_array().unwrap().iter().map(|one| one.as_u64().unwrap() as usize).collect()
    };
    let gone: Vec<usize> = answer["remove"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|run| {
            let run = numbers(run);
            run[0]..=run[1]
        })
        .collect();
    let mut sent = Vec::new();
    for at in 0..=list.len() {
        for text in answer["insert"].as_array().unwrap().iter().filter(|text| text["before"] == at) {
            sent.push(json!({"role": "user", "content": [{"type": "text", "text": text["text"]}]}));
        }
        let Some(message) = list.get(at).filter(|_| !gone.contains(&at)) else { continue };
        let mut message = message.clone();
        if let Some(change) =
            answer["change"].as_array().unwrap().iter().find(|change| change["message"] == at)
        {
            let parts = message["content"].as_array_mut().unwrap();
            for part in numbers(&change["remove"]).into_iter().rev() {
                parts.remove(part);
            }
        }
        sent.push(message);
    }
    sent
}
