//! A process killed at any moment neither loses nor duplicates anything.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cwl_store::*;

use crate::common::*;
use crate::processes::ingest_until;

const DIR: &str = "CWL_STORE_TEST_DIR";
const BATCH: &str = "CWL_STORE_TEST_BATCH";
const EVENTS: &str = "CWL_STORE_TEST_EVENTS";

/// A process that ends with the test, however the test ends.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        // The process may have ended by itself.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Starts this test binary as another process that ingests [`endless`] up to `n_events`.
pub(crate) fn child(dir: &Path, n_batch: u32, n_events: u32) -> Running {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::ingesting_process", "--ignored", "--nocapture"])
        .env(DIR, dir)
        .env(BATCH, n_batch.to_string())
        .env(EVENTS, n_events.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    Running(child)
}

/// The other process, not a test by itself: its parent must pass the store's folder.
#[test]
#[ignore = "started by other tests as a process of its own"]
fn ingesting_process() {
    let number = |name| std::env::var(name).ok().and_then(|value| value.parse().ok());
    if let (Some(dir), Some(n_batch), Some(n_events)) = (std::env::var_os(DIR), number(BATCH), number(EVENTS))
    {
        ingest_until(&mut Store::open(Path::new(&dir)).unwrap(), n_batch, n_events);
    }
}

#[test]
fn twenty_kills() {
    let dir = tempfile::tempdir().unwrap();
    let mut n_events = 0;
    for round in 0..20 {
        let mut child = child(dir.path(), 1 + round % 5, u32::MAX);
        // Killed at work, each time a little later in its batch.
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut progress = n_events;
        while progress < n_events + 3 + round * 2 {
            assert!(Instant::now() < deadline, "round {round}: the child makes no progress");
            assert_eq!(child.0.try_wait().unwrap(), None, "round {round}: the child runs until it is killed");
            progress = Store::open(dir.path())
                .and_then(|store| store.read_handle()?.find_source("a"))
                .unwrap()
                .map_or(0, |row| row.n_events);
        }
        child.0.kill().unwrap();
        child.0.wait().unwrap();

        let store = Store::open(dir.path()).unwrap();
        let row = store.read_handle().unwrap().find_source("a").unwrap().unwrap();
        assert!(row.n_events >= progress, "round {round}: what was seen is kept");
        assert_eq!(row.cursor, cursor(u64::from(row.n_events) * RECORD_BYTES), "rows and cursor are one");
        n_events = row.n_events;
        check_sound(&store);
    }
    let store = Store::open(dir.path()).unwrap();
    let whole = tempfile::tempdir().unwrap();
    let mut in_one_go = Store::open(whole.path()).unwrap();
    ingest_until(&mut in_one_go, n_events, n_events);
    assert_eq!(dump(&store), dump(&in_one_go), "after {n_events} records");
}
