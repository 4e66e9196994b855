//! The search index, made behind what people wait for.
//!
//! Texts are put into it in steps of a fraction of a second, once nothing was opened or written for a moment, and
//! never while a log is being read for the first time. Each step is a transaction, so nothing is lost when the
//! program ends in between, and several programs may do it at once.

use std::sync::{Arc, Weak};
use std::time::Duration;

use cwl_store::IndexProgress;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use crate::Inspector;
use crate::host::inspector::run_blocking;

/// Nothing is indexed before it was quiet for so long.
const QUIET: Duration = Duration::from_secs(1);
/// An agent that writes all the time holds it up no longer than this.
const PATIENCE: Duration = Duration::from_secs(5);
/// How much text one step takes: a few hundredths of a second, for which a writer may have to wait.
const STEP_BYTES: usize = 1 << 20;

/// Signals the indexer that there may be new texts, and that its owner is gone.
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

/// Indexes what there is whenever the bell rings, until `host` is gone.
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
            let step = run_blocking(move || Ok(library.write_behind(|store| store.index_step(STEP_BYTES))?));
            match step.await {
                // As long a break as the step took: other writers go first.
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
