//! The loop: file events go into the store, and changes are pushed, at most once per screen frame.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use cwl_inspect::measure::opened::BranchSize;
use cwl_inspect::recent::lock_unpoisoned;
use cwl_tail::TailMessage;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::api::Push;
use crate::host::documents::{refresh_files, refresh_open};
use crate::host::moved::{MovedLog, follow_rename, found_again};
use crate::reading::live::LogFollower;
use crate::{ApiError, ErrorCode, Inspector};

const FRAME: Duration = Duration::from_millis(16);
const QUIET: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_secs(1);
const LIST_EVERY: Duration = Duration::from_secs(1);
const BATCH: usize = 64;

#[derive(Default)]
struct PendingWork {
    dirty: BTreeSet<PathBuf>,
    derive: BTreeMap<PathBuf, Instant>,
    retry: BTreeMap<PathBuf, Instant>,
    list: bool,
}

#[derive(Default)]
struct BatchEffects {
    dirty: BTreeSet<PathBuf>,
    failed: BTreeMap<PathBuf, ApiError>,
    trouble: Vec<String>,
    list: bool,
}

pub(crate) async fn follow_logs(mut messages: mpsc::Receiver<TailMessage>, host: Weak<Inspector>) {
    let mut due = PendingWork::default();
    let start = Instant::now();
    let (mut next_push, mut next_list) = (start, start);
    loop {
        let wake = due.next_wake(next_push, next_list);
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
            due.note_effects(apply_batch(&host, batch).await, &host, now);
        }
        if !due.dirty.is_empty() && now >= next_push {
            let dirty = std::mem::take(&mut due.dirty);
            publish_revisions(&host, dirty).await;
            next_push = Instant::now() + FRAME;
            due.list = true;
            host.bell.ring();
        }
        if due.list && now >= next_list {
            due.list = false;
            next_list = now + LIST_EVERY;
            host.send_push(Push::Sessions);
        }
        for path in taken_at(&mut due.retry, now) {
            due.note_effects(load_again(&host, path).await, &host, now);
        }
        for path in taken_at(&mut due.derive, now) {
            store_derived(&host, path).await;
        }
    }
}

impl PendingWork {
    fn next_wake(&self, next_push: Instant, next_list: Instant) -> Option<Instant> {
        let push = (!self.dirty.is_empty()).then_some(next_push);
        let list = self.list.then_some(next_list);
        let timed = self.derive.values().chain(self.retry.values()).copied();
        push.into_iter().chain(list).chain(timed).min()
    }

    fn note_effects(&mut self, taken: BatchEffects, host: &Inspector, now: Instant) {
        for (path, error) in taken.failed {
            // Reported once, then retried silently. A failing store is reported by the store itself.
            let told = error.code == ErrorCode::Store && host.stores.is_told();
            if self.retry.insert(path, now + RETRY).is_none() && !told {
                host.send_push(Push::Trouble { message: error.to_string() });
            }
        }
        for message in taken.trouble {
            host.send_push(Push::Trouble { message });
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

/// Applies messages in order, on a thread that may block on the disk.
async fn apply_batch(host: &Arc<Inspector>, batch: Vec<TailMessage>) -> BatchEffects {
    let taken = host.run_blocking(move |host| {
        let mut taken = BatchEffects::default();
        for message in batch {
            take_one(host, message, &mut taken);
        }
        Ok(taken)
    });
    taken
        .await
        .unwrap_or_else(|error| BatchEffects { trouble: vec![error.to_string()], ..BatchEffects::default() })
}

fn take_one(host: &Inspector, message: TailMessage, taken: &mut BatchEffects) {
    if let TailMessage::Found { path, .. } = &message
        && !host.catalogue.watches_file(path)
    {
        // A database that the user opened by its name: its other sessions are not listed.
        return refresh_open(host, path);
    }
    taken.list |= host.catalogue.apply_message(&message);
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
                MovedLog::Gone => path.clone(),
                MovedLog::Deleted(to) => to,
                MovedLog::Renamed(to) => {
                    taken.dirty.insert(to);
                    return;
                }
            }
        }
        TailMessage::Appended { path, .. }
        | TailMessage::Truncated { path }
        | TailMessage::Replaced { path } => path.clone(),
    };
    with_live(host, &path, taken, |live| live.apply_message(message));
}

fn with_live(
    host: &Inspector,
    path: &Path,
    taken: &mut BatchEffects,
    act: impl FnOnce(&mut LogFollower) -> Result<(), ApiError>,
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

async fn load_again(host: &Arc<Inspector>, path: PathBuf) -> BatchEffects {
    let taken = host.run_blocking(move |host| {
        let mut taken = BatchEffects::default();
        with_live(host, &path, &mut taken, LogFollower::reload_stored);
        Ok(taken)
    });
    taken.await.unwrap_or_default()
}

async fn publish_revisions(host: &Arc<Inspector>, paths: BTreeSet<PathBuf>) {
    let pushes = host.run_blocking(move |host| {
        let pushes = paths.iter().filter_map(|path| host.with_live(path, |live| publish_one(host, live)));
        Ok(pushes.collect::<Vec<_>>())
    });
    match pushes.await {
        Ok(pushes) => pushes.into_iter().for_each(|push| host.send_push(push)),
        Err(error) => host.send_push(Push::Trouble { message: error.to_string() }),
    }
}

pub(crate) fn publish_one(host: &Inspector, live: &mut LogFollower) -> Push {
    let (opened, restarted) = live.publish_revision();
    let BranchSize { n_turns, n_episodes } = opened.current_size();
    let push = Push::Session {
        session: opened.session(),
        revision: opened.revision(),
        n_turns,
        n_episodes,
        restarted,
        gone: live.gone,
    };
    lock_unpoisoned(&host.opened).insert(opened.session(), opened);
    push
}

async fn store_derived(host: &Arc<Inspector>, path: PathBuf) {
    let derived =
        host.run_blocking(move |host| host.with_live(&path, LogFollower::save_derived).unwrap_or(Ok(())));
    if let Err(error) = derived.await {
        tracing::warn!(%error, "derived rows were not stored");
    }
}
