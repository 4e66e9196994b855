//! How much is read from logs that are only listed; no answer shows it.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cwl_formats::HEAD;
use tokio::time::timeout;

use crate::api::{DefaultsAnswer, Push};
use crate::{Inspector, InspectorConfig};

const DEADLINE: Duration = Duration::from_secs(120);

async fn start(dir: &Path) -> Arc<Inspector> {
    let config = InspectorConfig {
        data_dir: dir.join("data"),
        defaults: DefaultsAnswer::default(),
        folders: Some(vec![dir.join("logs")]),
        corpora: None,
    };
    Inspector::start(config).await.unwrap()
}

fn write(path: &Path, n_bytes: usize) {
    let header = r#"{"type":"session","version":3,"id":"s1","cwd":"/never/touched"}"#;
    let prompt =
        r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"Fix it"}}"#;
    let mut text = format!("{header}\n{prompt}\n");
    while text.len() < n_bytes {
        text.push_str(&format!("{}\n", r#"{"type":"custom","id":"c","parentId":"a","customType":"beat"}"#));
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// agentsview 1073: each heartbeat of a subagent caused a parse of the whole log.
#[tokio::test(flavor = "multi_thread")]
async fn a_burst_of_heartbeats_reads_nothing_again() {
    let dir = tempfile::tempdir().unwrap();
    let host = start(dir.path()).await;
    let log = dir.path().join("logs/p/s1/subagents/agent-1.jsonl");
    write(&dir.path().join("logs/p/s1.jsonl"), 0);
    write(&log, 2 * HEAD);
    assert_eq!(host.all_sessions().await.unwrap().rows.len(), 1);
    let n_read = host.catalogue.heads.n_read();
    assert_eq!(n_read, 2, "each log was opened once");
    let mut pushes = host.subscribe();
    let mut file = std::fs::File::options().append(true).open(&log).unwrap();
    for _ in 0..2000 {
        file.write_all(b"{\"type\":\"custom\",\"id\":\"c\",\"parentId\":\"a\",\"customType\":\"beat\"}\n")
            .unwrap();
    }
    let size = std::fs::metadata(&log).unwrap().len();
    loop {
        let list = host.all_sessions().await.unwrap();
        if list.rows[0].children[0].size == size {
            break;
        }
        while timeout(DEADLINE, pushes.recv()).await.unwrap().unwrap() != Push::Sessions {}
    }
    assert_eq!(host.catalogue.heads.n_read(), n_read, "what was read of it still stands");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_the_store_holds_is_not_opened_for_the_list() {
    let dir = tempfile::tempdir().unwrap();
    let logs = dir.path().join("logs");
    (0..20).for_each(|n| write(&logs.join(format!("{n}.jsonl")), 0));
    let host = start(dir.path()).await;
    for n in 0..20 {
        host.open_target(logs.join(format!("{n}.jsonl")).display().to_string(), None).await.unwrap();
    }
    assert_eq!(host.all_sessions().await.unwrap().rows.len(), 20);
    assert_eq!(host.catalogue.heads.n_read(), 0);
    drop(host);
    let host = start(dir.path()).await;
    let list = host.all_sessions().await.unwrap();
    assert_eq!(list.rows.iter().filter(|row| row.tokens.is_some() && row.title == "Fix it").count(), 20);
    assert_eq!(host.catalogue.heads.n_read(), 0, "nor after a restart");
}
