//! The background search index.
//!
//! Each step indexes texts for a fraction of a second, once nothing was opened or written for a moment, and
//! never during a log's first read. Each step is a transaction: nothing is lost if the program ends, and
//! several programs may index at once.

use std::sync::{Arc, Weak};
use std::time::Duration;

use cwl_store::IndexProgress;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use crate::Inspector;
use crate::error::store_error;
use crate::host::inspector::run_blocking;

const QUIET: Duration = Duration::from_secs(1);
/// Longest delay caused by an agent that writes all the time.
const PATIENCE: Duration = Duration::from_secs(5);
/// Text bytes per step: a few hundredths of a second, for which other writers may have to wait.
const STEP_BYTES: usize = 1 << 20;

pub(crate) struct IndexerSignal(Arc<Notify>);

impl IndexerSignal {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Notify::new()))
    }

    pub(crate) fn ring(&self) {
        self.0.notify_one();
    }

    pub(crate) fn new_listener(&self) -> Arc<Notify> {
        Arc::clone(&self.0)
    }
}

impl Drop for IndexerSignal {
    fn drop(&mut self) {
        self.ring();
    }
}

pub(crate) async fn keep_indexed(host: Weak<Inspector>, bell: Arc<Notify>) {
    loop {
        bell.notified().await;
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until && timeout(QUIET, bell.notified()).await.is_ok() {}
        loop {
            let Some(host) = host.upgrade() else { return };
            if host.is_reading() {
                drop(host);
                sleep(QUIET).await;
                continue;
            }
            let started = Instant::now();
            let library = host.stores.main();
            drop(host);
            let step = run_blocking(move || {
                library.write_behind(|store| store.index_step(STEP_BYTES)).map_err(store_error)
            });
            match step.await {
                // Pauses for as long as the step took, so other writers get their turn.
                Ok(IndexProgress::Some) => sleep(started.elapsed()).await,
                Ok(IndexProgress::All | IndexProgress::Newer) => break,
                Err(error) => {
                    tracing::warn!(%error, "texts were not indexed; tried again later");
                    break;
                }
            }
        }
    }
}
