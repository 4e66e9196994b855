//! The host behind the page: one [`Inspector`], started once, and one stream of pushes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cwl_host::api::Push;
use cwl_host::{ApiError, Inspector, InspectorConfig};
use tauri::async_runtime::JoinHandle;
use tauri::ipc::Channel;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::OnceCell;

use crate::drops::DropPush;
use crate::settings::SettingsOfUser;

const READERS_END: Duration = Duration::from_secs(2);

pub(crate) struct Host {
    config: InspectorConfig,
    inspector: OnceCell<Result<Arc<Inspector>, ApiError>>,
    stream: Mutex<Option<JoinHandle<()>>>,
    drops: Mutex<Option<Channel<DropPush>>>,
}

impl Host {
    pub(crate) fn new(config: InspectorConfig) -> Self {
        Self { config, inspector: OnceCell::new(), stream: Mutex::new(None), drops: Mutex::new(None) }
    }

    /// Returns the inspector; the first call starts it.
    ///
    /// # Errors
    /// The reason for a failed start, at every call: the page shows it as a card.
    pub(crate) async fn get_inspector(&self) -> Result<Arc<Inspector>, ApiError> {
        let start = || async {
            let inspector = Inspector::start_anyway(self.config.clone()).await?;
            inspector.use_reader_settings(Arc::new(SettingsOfUser));
            Ok(inspector)
        };
        self.inspector.get_or_init(start).await.clone()
    }

    pub(crate) fn end(&self) {
        if let Some(Ok(inspector)) = self.inspector.get() {
            inspector.stop_readers(READERS_END);
        }
    }

    /// Reports dragged files to this channel from now on, and to no earlier one.
    pub(crate) fn drops_to(&self, channel: Channel<DropPush>) {
        *self.drops.lock().unwrap_or_else(PoisonError::into_inner) = Some(channel);
    }

    pub(crate) fn notify_page(&self, drop: DropPush) {
        let mut drops = self.drops.lock().unwrap_or_else(PoisonError::into_inner);
        // A page that is gone is ignored.
        if drops.as_ref().is_some_and(|channel| channel.send(drop).is_err()) {
            *drops = None;
        }
    }

    /// Streams pushes to this channel from now on, and to no earlier one: a reloaded page leaves its channel
    /// behind.
    pub(crate) fn stream_to(&self, inspector: &Inspector, channel: Channel<Push>) {
        let mut pushes = inspector.subscribe();
        let task = tauri::async_runtime::spawn(async move {
            loop {
                match pushes.recv().await {
                    Ok(push) => {
                        if channel.send(push).is_err() {
                            break;
                        }
                    }
                    // The page sees the gap in the revisions and asks again.
                    Err(RecvError::Lagged(n_missed)) => tracing::warn!("{n_missed} pushes were missed"),
                    Err(RecvError::Closed) => break,
                }
            }
        });
        let earlier = self.stream.lock().unwrap_or_else(PoisonError::into_inner).replace(task);
        if let Some(earlier) = earlier {
            earlier.abort();
        }
    }
}
