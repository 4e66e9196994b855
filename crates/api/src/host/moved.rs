//! Logs that got another name, while the host follows them or while no program did.
//!
//! OpenClaw deletes and resets a session by renaming its log. What was read stays, the session keeps its
//! number, and what is still written under the new name is read too.

use std::path::{Path, PathBuf};

use cwl_discover::{Catalogue, is_deleted};
use cwl_tail::{Cursor, TailMessage, continues};

use crate::ApiError;
use crate::host::inspector::Inspector;
use crate::reading::live::LogFollower;
use crate::recent::lock_unpoisoned;

/// The new whereabouts of a followed log that is not there under its name any more.
pub(crate) enum MovedLog {
    /// The log is unknown or deleted.
    Gone,
    /// The log is followed under this name now, by which the harness says that it is deleted.
    Deleted(PathBuf),
    /// The log is followed under this name now.
    Renamed(PathBuf),
}

/// Follows a log to its new name, if it is the same file and nothing else has its old name.
pub(crate) fn follow_rename(host: &Inspector, from: &Path, to: Option<&Path>) -> MovedLog {
    let Some(to) = to.map(cwl_discover::real_path).filter(|to| to.as_path() != from) else {
        return MovedLog::Gone;
    };
    let Some(slot) = host.live_slot(from) else { return MovedLog::Gone };
    let mut live = lock_unpoisoned(&slot);
    let Some(live) = &mut *live else { return MovedLog::Gone };
    let cursor = live.follow_cursor();
    if from.exists() || host.live_slot(&to).is_some() || !continues(&to, &cursor) {
        return MovedLog::Gone;
    }
    live.path.clone_from(&to);
    {
        let mut lives = lock_unpoisoned(&host.lives);
        let slot = lives.remove(from);
        lives.extend(slot.map(|slot| (to.clone(), slot)));
    }
    host.catalogue.note_move(from, &to);
    host.tail.unfollow_file(from);
    host.tail.follow_file(to.clone(), Some(cursor));
    if is_deleted(&to) { MovedLog::Deleted(to) } else { MovedLog::Renamed(to) }
}

/// Returns the name a log has now which is not there under its own: the same file with the same bytes.
pub(crate) fn new_name(catalogue: &Catalogue, old: &Path, cursor: &Cursor) -> Option<PathBuf> {
    // Nothing was read of it, so nothing can be recognised.
    if cursor.offset == 0 || old.exists() {
        return None;
    }
    catalogue.with_identity(cursor.identity).into_iter().find(|path| continues(path, cursor))
}

/// Returns the name a followed log has now, where the follower saw no rename: it may have come before the folder was
/// watched.
pub(crate) fn found_again(host: &Inspector, path: &Path) -> Option<PathBuf> {
    let slot = host.live_slot(path)?;
    let cursor = lock_unpoisoned(&slot).as_ref()?.follow_cursor();
    new_name(&host.catalogue, path, &cursor)
}

pub(crate) fn go_on(host: &Inspector, live: &mut LogFollower) -> Result<(), ApiError> {
    let old = live.path.clone();
    let Some(new) = new_name(&host.catalogue, &old, &live.follow_cursor()) else { return Ok(()) };
    live.path.clone_from(&new);
    live.reload_stored()?;
    host.catalogue.note_move(&old, &new);
    if is_deleted(&new) {
        live.apply_message(TailMessage::Gone { path: old, renamed_to: Some(new) })?;
    }
    Ok(())
}

/// Returns the name under which a log is followed, or would be: the old one where the log has it again.
pub(crate) fn present_name(host: &Inspector, path: &Path) -> PathBuf {
    match host.catalogue.moved_names().get(path) {
        None => path.to_owned(),
        Some(to) if !path.exists() && host.live_slot(to).is_some() => to.clone(),
        Some(_) => {
            // Another log has the name now, and the session with it.
            if let Some(to) = host.catalogue.end_move(path) {
                host.tail.unfollow_file(&to);
                lock_unpoisoned(&host.lives).remove(&to);
            }
            path.to_owned()
        }
    }
}
