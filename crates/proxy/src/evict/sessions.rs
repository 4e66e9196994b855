//! The sessions behind the proxy, each with its control socket.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cwl_live::{ControlSocket, LockFailure, SessionLock, SteerableSession};

use super::proxied::ProxiedSession;

const N_KEPT: usize = 32;

pub(super) type SharedSession = Arc<Mutex<ProxiedSession>>;

/// The sessions behind one proxy; the newest request's session stands last.
pub(super) struct ProxiedSessions {
    data_dir: PathBuf,
    kept: Mutex<Vec<SteeredEntry>>,
}

struct SteeredEntry {
    id: String,
    proxied: SharedSession,
    /// `None` if the system has no such sockets, or the folder takes none. Dropped before the lock.
    _control: Option<ControlSocket>,
    _lock: Option<SessionLock>,
}

impl ProxiedSessions {
    pub(super) fn new(data_dir: &Path) -> Self {
        Self { data_dir: data_dir.to_owned(), kept: Mutex::default() }
    }

    /// Finds a session, or begins one and listens on its control socket.
    ///
    /// # Errors
    /// Fails if another process decides for the session. Without a socket for any other reason, the settings stay.
    pub(super) fn find_or_begin(
        &self,
        id: &str,
        begin: impl FnOnce() -> ProxiedSession,
    ) -> Result<SharedSession, LockFailure> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|session| session.id == id) {
            let found = kept.remove(at);
            let proxied = Arc::clone(&found.proxied);
            kept.push(found);
            return Ok(proxied);
        }
        let lock = match SessionLock::take_lock(&self.data_dir, id) {
            Err(LockFailure::Held) => return Err(LockFailure::Held),
            lock => lock.ok(),
        };
        let proxied = Arc::new(Mutex::new(begin()));
        let steerable: Arc<Mutex<dyn SteerableSession>> = Arc::<Mutex<ProxiedSession>>::clone(&proxied);
        let control = lock.as_ref().and_then(|_| ControlSocket::listen(&self.data_dir, id, steerable).ok());
        if kept.len() == N_KEPT {
            kept.remove(0);
        }
        kept.push(SteeredEntry {
            id: id.to_owned(),
            proxied: Arc::clone(&proxied),
            _control: control,
            _lock: lock,
        });
        Ok(proxied)
    }
}
