//! The host: one store, the logs that are followed, and an answer to every command.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::broadcast;

use crate::dto::{DefaultsDto, PushDto};
use crate::{ApiError, ErrorCode};

/// What a host is started with.
#[derive(Debug, Clone)]
pub struct InspectorConfig {
    /// The folder of the store.
    pub data_dir: PathBuf,
    /// What a window opens on.
    pub defaults: DefaultsDto,
    /// The folders that are searched for logs; `None` is the default folders.
    pub folders: Option<Vec<PathBuf>>,
}

/// An answer as it goes over the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// JSON.
    Json(String),
    /// Raw bytes.
    Bytes(Vec<u8>),
}

/// The host of all commands; dropping the last handle stops it.
pub struct Inspector {
    defaults: DefaultsDto,
    pushes: broadcast::Sender<PushDto>,
}

/// How many pushes a slow receiver may be behind before it misses some; it then asks again.
const PUSHES_KEPT: usize = 1024;

impl Inspector {
    /// Opens the store and starts to follow logs; needs a tokio runtime.
    ///
    /// # Errors
    /// Where the store cannot be opened or files cannot be watched.
    pub async fn start(config: InspectorConfig) -> Result<Arc<Self>, ApiError> {
        let (pushes, _) = broadcast::channel(PUSHES_KEPT);
        Ok(Arc::new(Self { defaults: config.defaults, pushes }))
    }

    /// Returns a receiver of everything that is pushed from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<PushDto> {
        self.pushes.subscribe()
    }

    /// Answers a command by its name and JSON arguments.
    ///
    /// # Errors
    /// With the code that tells why.
    pub async fn dispatch(self: &Arc<Self>, name: &str, args: serde_json::Value) -> Result<Answer, ApiError> {
        match (name, args) {
            ("defaults", _) => {
                serde_json::to_string(&self.defaults).map(Answer::Json).map_err(ApiError::internal)
            }
            _ => Err(ApiError::new(ErrorCode::BadRequest, format!("no command `{name}`"))),
        }
    }
}
