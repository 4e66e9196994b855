//! Limits on the number of connections, and on their silence.
//!
//! Each connection begins as a stranger, with few places for strangers. A request with the token makes it
//! known, and frees its place. If all places are taken, the oldest stranger makes room once its time is up,
//! so silent connections can never lock out clients with the token.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep_until};

#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectionLimits {
    /// Maximum number of connections without the token.
    pub(crate) n_strangers: usize,
    pub(crate) n_known: usize,
    /// How long a stranger keeps its place while others wait.
    pub(crate) patience: Duration,
    /// Longest time for a request to arrive, and longest idle time between requests.
    pub(crate) silence: Duration,
}

impl ConnectionLimits {
    /// Default limits. They need few open files on any system. Places turn over 640 times a second, so even
    /// callers without the token that are faster than any browser hold up no other client; on loopback a
    /// request arrives at once.
    pub(crate) const USUAL: Self = Self {
        n_strangers: 64,
        n_known: 512,
        patience: Duration::from_millis(100),
        silence: Duration::from_secs(15),
    };
}

pub(crate) struct Connections {
    allowance: ConnectionLimits,
    strangers: Mutex<BTreeMap<u64, (Instant, oneshot::Sender<()>)>>,
    n_known: AtomicUsize,
    next: AtomicUsize,
    left: Notify,
}

impl Connections {
    pub(crate) fn new(allowance: ConnectionLimits) -> Self {
        let (strangers, n_known, next) = Default::default();
        Self { allowance, strangers, n_known, next, left: Notify::new() }
    }

    /// Waits for a stranger's place, and closes the oldest stranger once its time is up.
    pub(crate) async fn wait_for_room(&self) {
        loop {
            let left = self.left.notified();
            let first = {
                let mut strangers = self.lock_strangers();
                if strangers.len() < self.allowance.n_strangers {
                    return;
                }
                let over = |since: Instant| since.elapsed() >= self.allowance.patience;
                match strangers.first_entry() {
                    Some(first) if over(first.get().0) => {
                        let (_, close) = first.remove();
                        // A stranger that has just ended by itself needs no signal.
                        if close.send(()).is_ok() {
                            return;
                        }
                        None
                    }
                    first => first.map(|first| first.get().0),
                }
            };
            let had_its_time = first.map_or_else(Instant::now, |since| since + self.allowance.patience);
            tokio::select! {
                () = left => {}
                () = sleep_until(had_its_time) => {}
            }
        }
    }

    /// Takes a place for a connection. The receiver is ready when the connection must close for another.
    pub(crate) fn begin_connection(&self) -> (u64, oneshot::Receiver<()>) {
        let number = self.next.fetch_add(1, Ordering::Relaxed) as u64;
        let (close, closed) = oneshot::channel();
        self.lock_strangers().insert(number, (Instant::now(), close));
        (number, closed)
    }

    fn lock_strangers(&self) -> MutexGuard<'_, BTreeMap<u64, (Instant, oneshot::Sender<()>)>> {
        self.strangers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct ActiveConnection<'a> {
    connections: &'a Connections,
    number: u64,
    is_known: std::sync::atomic::AtomicBool,
}

impl<'a> ActiveConnection<'a> {
    pub(crate) fn new(connections: &'a Connections, number: u64) -> Self {
        Self { connections, number, is_known: Default::default() }
    }

    /// Notes that the connection has shown the token. `false` if too many have.
    pub(crate) fn mark_known(&self) -> bool {
        if self.is_known.load(Ordering::Acquire) {
            return true;
        }
        let Connections { allowance, n_known, left, .. } = self.connections;
        let more = |n: usize| (n < allowance.n_known).then_some(n + 1);
        if n_known.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_err() {
            return false;
        }
        self.is_known.store(true, Ordering::Release);
        drop(self.connections.lock_strangers().remove(&self.number));
        left.notify_one();
        true
    }
}

impl Drop for ActiveConnection<'_> {
    fn drop(&mut self) {
        if *self.is_known.get_mut() {
            self.connections.n_known.fetch_sub(1, Ordering::AcqRel);
        }
        drop(self.connections.lock_strangers().remove(&self.number));
        self.connections.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn allowing(patience: Duration) -> Connections {
        Connections::new(ConnectionLimits { n_strangers: 2, n_known: 1, patience, ..ConnectionLimits::USUAL })
    }

    #[tokio::test]
    async fn who_shows_the_token_makes_room() {
        let connections = allowing(Duration::from_secs(1000));
        let [(first, _one), (second, _other)] =
            [connections.begin_connection(), connections.begin_connection()];
        let (first, second) =
            (ActiveConnection::new(&connections, first), ActiveConnection::new(&connections, second));
        assert!(connections.wait_for_room().now_or_never().is_none(), "all places are taken");
        assert!(first.mark_known() && first.mark_known(), "again and again");
        assert!(connections.wait_for_room().now_or_never().is_some());
        assert!(!second.mark_known(), "there are too many that are known");
        drop(first);
        assert!(second.mark_known(), "until one of them ends");
    }

    #[tokio::test]
    async fn the_first_stranger_makes_room_when_it_has_had_its_time() {
        let connections = allowing(Duration::ZERO);
        let [(_, mut first), (_, mut second)] =
            [connections.begin_connection(), connections.begin_connection()];
        assert!(first.try_recv().is_err());
        connections.wait_for_room().await;
        assert!(first.try_recv().is_ok(), "it is told to close");
        assert!(second.try_recv().is_err());
    }
}
