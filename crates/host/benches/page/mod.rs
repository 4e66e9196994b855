//! A host for a bench, and the questions of a page that opens a session.
#![allow(dead_code, reason = "each bench uses some")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cwl_host::api::DefaultsAnswer;
use cwl_host::{CommandAnswer, Inspector, InspectorConfig};
use serde_json::{Value, json};

/// Starts a host that finds no logs by itself.
pub(crate) async fn start_host(data_dir: &Path) -> Arc<Inspector> {
    let config = InspectorConfig {
        data_dir: data_dir.to_owned(),
        defaults: DefaultsAnswer::default(),
        folders: Some(Vec::new()),
        corpora: None,
    };
    Inspector::start(config).await.unwrap()
}

pub(crate) struct Painted {
    /// Duration of each stage after the first.
    pub(crate) took: [Duration; 3],
    pub(crate) session: Value,
    pub(crate) n_messages: u64,
    pub(crate) n_turns: u64,
    pub(crate) last_entry: String,
}

/// Asks for everything the window needs to paint: session, frame, last page of the context.
pub(crate) async fn first_paint(inspector: &Arc<Inspector>, log: &Path) -> Painted {
    let mut since = Instant::now();
    let mut lap = || core::mem::replace(&mut since, Instant::now()).elapsed();
    let session = ask(inspector, "open", json!({ "target": log.display().to_string() })).await;
    let number = session["session"].clone();
    let opened = lap();
    let view = json!({});
    ask(inspector, "frame", json!({ "session": number, "view": view })).await;
    let frame = lap();
    let page = |offset: u64| json!({ "session": number, "view": view, "cut": {}, "list": { "type": "context", "ghosts": true }, "offset": offset, "limit": 100 });
    let context = ask(inspector, "page", page(0)).await;
    let n_items = context["n_items"].as_u64().unwrap();
    let end = ask(inspector, "page", page(n_items.saturating_sub(100))).await;
    let context_took = lap();
    let last = end["items"].as_array().unwrap().last().unwrap()["entry"].as_str().unwrap().to_owned();
    Painted {
        took: [opened, frame, context_took],
        session: number,
        n_messages: session["n_messages"].as_u64().unwrap(),
        n_turns: session["n_turns"].as_u64().unwrap(),
        last_entry: last,
    }
}

pub(crate) async fn ask(inspector: &Arc<Inspector>, name: &str, args: Value) -> Value {
    match inspector.dispatch(name, args).await.unwrap() {
        CommandAnswer::Json(json) => serde_json::from_str(&json).unwrap(),
        CommandAnswer::Bytes(_) => Value::Null,
    }
}

/// The number and the bytes of a frame.
pub(crate) struct FrameSize {
    pub(crate) number: u64,
    pub(crate) n_bytes: usize,
}

/// Asks for the frame of a page that holds the frame numbered `base`; 0 for a whole one.
pub(crate) async fn ask_frame(inspector: &Arc<Inspector>, session: &Value, base: u64) -> FrameSize {
    let args = json!({ "session": session, "view": {}, "base": base });
    let Ok(CommandAnswer::Bytes(bytes)) = inspector.dispatch("frame", args).await else { panic!("no frame") };
    let (length, rest) = bytes.split_first_chunk().unwrap();
    let header: Value = serde_json::from_slice(&rest[..u32::from_le_bytes(*length) as usize]).unwrap();
    FrameSize { number: header["number"].as_u64().unwrap(), n_bytes: bytes.len() }
}
