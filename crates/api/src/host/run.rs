//! The loop: what the follower tells goes into the store, and what changed is pushed, never more often than a
//! screen is drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use cwl_tail::TailMessage;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::dto::PushDto;
use crate::figures::small;
use crate::host::documents::{refresh_files, refresh_open};
use crate::host::moved::{Whereabouts, follow_rename, found_again};
use crate::reading::live::Live;
use crate::recent::locked;
use crate::{ApiError, ErrorCode, Inspector};

/// Pushes of one session are at least this far apart: one frame of a screen.
const FRAME: Duration = Duration::from_millis(16);
/// The break after a push, as a multiple of the time that its revision took to make.
const BREAK: u32 = 3;
/// Derived rows are stored when a log has been quiet for so long.
const QUIET: Duration = Duration::from_secs(1);
/// A log that could not be stored is tried again after this.
const RETRY: Duration = Duration::from_secs(1);
/// The list of sessions is said to have changed at most this often.
const LIST_EVERY: Duration = Duration::from_secs(1);
/// How many messages are taken at once.
const BATCH: usize = 64;

/// The work that the loop still has to do, and when.
#[derive(Default)]
struct Due {
    /// Logs whose new revision is to be published.
    dirty: BTreeSet<PathBuf>,
    /// Logs whose derived rows are to be stored.
    derive: BTreeMap<PathBuf, Instant>,
    /// Logs that are to be loaded again.
    retry: BTreeMap<PathBuf, Instant>,
    list: bool,
}

/// The effects of a batch of messages.
#[derive(Default)]
struct Taken {
    dirty: BTreeSet<PathBuf>,
    failed: BTreeMap<PathBuf, ApiError>,
    trouble: Vec<String>,
    list: bool,
}

/// Follows all opened logs until the host or the follower is gone.
pub(crate) async fn follow(mut messages: mpsc::Receiver<TailMessage>, host: Weak<Inspector>) {
    let mut due = Due::default();
    let start = Instant::now();
    let (mut next_push, mut next_list) = (start, start);
    loop {
        let wake = due.wake(next_push, next_list);
        let wait = async {
            match wake {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        let mut batch = Vec::new();
        tokio::select! {
            n_messages = messages.recv_many(&mut batch, BATCH) => if n_messages == 0 { return },
            () = wait => {}
        }
        let Some(host) = host.upgrade() else { return };
        let now = Instant::now();
        if !batch.is_empty() {
            due.note(take(&host, batch).await, &host, now);
        }
        if !due.dirty.is_empty() && now >= next_push {
            let dirty = std::mem::take(&mut due.dirty);
            let started = Instant::now();
            publish(&host, dirty).await;
            // A break after it: a long log may be written to all the time, and the page has its own work with each.
            next_push = Instant::now() + (started.elapsed() * BREAK).max(FRAME);
            due.list = true;
            host.bell.ring();
        }
        if due.list && now >= next_list {
            due.list = false;
            next_list = now + LIST_EVERY;
            host.push(PushDto::Sessions);
        }
        for path in taken_at(&mut due.retry, now) {
            due.note(again(&host, path).await, &host, now);
        }
        for path in taken_at(&mut due.derive, now) {
            derive(&host, path).await;
        }
    }
}

impl Due {
    fn wake(&self, next_push: Instant, next_list: Instant) -> Option<Instant> {
        let push = (!self.dirty.is_empty()).then_some(next_push);
        let list = self.list.then_some(next_list);
        let timed = self.derive.values().chain(self.retry.values()).copied();
        push.into_iter().chain(list).chain(timed).min()
    }

    fn note(&mut self, taken: Taken, host: &Inspector, now: Instant) {
        for (path, error) in taken.failed {
            // Said once; while it goes on it is tried in silence. That the store fails is told of the store.
            let told = error.code == ErrorCode::Store && host.stores.is_told();
            if self.retry.insert(path, now + RETRY).is_none() && !told {
                host.push(PushDto::Trouble { message: error.to_string() });
            }
        }
        for message in taken.trouble {
            host.push(PushDto::Trouble { message });
        }
        for path in &taken.dirty {
            self.derive.insert(path.clone(), now + QUIET);
        }
        self.dirty.extend(taken.dirty);
        self.list |= taken.list;
    }
}

fn taken_at(times: &mut BTreeMap<PathBuf, Instant>, now: Instant) -> Vec<PathBuf> {
    let ready: Vec<PathBuf> =
        times.iter().filter(|(_, at)| **at <= now).map(|(path, _)| path.clone()).collect();
    for path in &ready {
        times.remove(path);
    }
    ready
}

/// Takes messages in order, on a thread that may wait for the disk.
async fn take(host: &Arc<Inspector>, batch: Vec<TailMessage>) -> Taken {
    let taken = host.blocking(move |host| {
        let mut taken = Taken::default();
        for message in batch {
            take_one(host, message, &mut taken);
        }
        Ok(taken)
    });
    taken.await.unwrap_or_else(|error| Taken { trouble: vec![error.to_string()], ..Taken::default() })
}

fn take_one(host: &Inspector, message: TailMessage, taken: &mut Taken) {
    taken.list |= host.catalogue.hear(&message);
    let path = match &message {
        TailMessage::Found { path, .. } => {
            refresh_files(host, path);
            return refresh_open(host, path);
        }
        TailMessage::Unreadable { path, reason } => {
            taken.trouble.push(format!(
                "cannot read: {reason}; it is tried again when it changes: {}",
                path.display()
            ));
            return;
        }
        TailMessage::Gone { path, renamed_to } => {
            taken.list = true;
            let new = renamed_to.clone().or_else(|| found_again(host, path));
            match follow_rename(host, path, new.as_deref()) {
                Whereabouts::Gone => path.clone(),
                Whereabouts::Deleted(to) => to,
                Whereabouts::Renamed(to) => {
                    taken.dirty.insert(to);
                    return;
                }
            }
        }
        TailMessage::Appended { path, .. }
        | TailMessage::Truncated { path }
        | TailMessage::Replaced { path } => path.clone(),
    };
    with_live(host, &path, taken, |live| live.message(message));
}

fn with_live(
    host: &Inspector,
    path: &Path,
    taken: &mut Taken,
    act: impl FnOnce(&mut Live) -> Result<(), ApiError>,
) {
    match host.with_live(path, act) {
        None => {}
        Some(Ok(())) => {
            taken.dirty.insert(path.to_owned());
        }
        Some(Err(error)) => {
            taken.failed.insert(path.to_owned(), error);
        }
    }
}

/// Loads a log again that could not be stored.
async fn again(host: &Arc<Inspector>, path: PathBuf) -> Taken {
    let taken = host.blocking(move |host| {
        let mut taken = Taken::default();
        with_live(host, &path, &mut taken, Live::reload);
        Ok(taken)
    });
    taken.await.unwrap_or_default()
}

/// Makes the next revision of each log, puts it in the place of the last one, and tells.
async fn publish(host: &Arc<Inspector>, paths: BTreeSet<PathBuf>) {
    let pushes = host.blocking(move |host| {
        let pushes = paths.iter().filter_map(|path| host.with_live(path, |live| publish_one(host, live)));
        Ok(pushes.collect::<Vec<_>>())
    });
    match pushes.await {
        Ok(pushes) => pushes.into_iter().for_each(|push| host.push(push)),
        Err(error) => host.push(PushDto::Trouble { message: error.to_string() }),
    }
}

/// Makes the next revision of a log, puts it in the place of the last one, and returns what tells of it.
pub(crate) fn publish_one(host: &Inspector, live: &mut Live) -> PushDto {
    let (opened, restarted) = live.publish();
    let current = opened.current();
    let push = PushDto::Session {
        session: opened.session(),
        revision: opened.revision(),
        n_turns: small(current.session.turns.len()),
        n_episodes: small(current.growth.graph.iter().count()),
        restarted,
        gone: live.gone,
    };
    locked(&host.opened).insert(opened.session(), opened);
    push
}

/// Stores what is derived from a log that has become quiet; a failure is tried again with the next change.
async fn derive(host: &Arc<Inspector>, path: PathBuf) {
    let derived = host.blocking(move |host| host.with_live(&path, Live::save_derived).unwrap_or(Ok(())));
    if let Err(error) = derived.await {
        tracing::warn!(%error, "derived rows were not stored");
    }
}
