//! Renamed logs, whether the host follows them or no program was running.
//!
//! OpenClaw deletes and resets a session by renaming its log. Records stay, the session keeps its number, and
//! lines under the new name are read too.

use std::path::{Path, PathBuf};

use cwl_discover::Catalogue;
use cwl_formats::layout::is_deleted;
use cwl_inspect::recent::lock_unpoisoned;
use cwl_tail::{Cursor, TailMessage, continues};

use crate::ApiError;
use crate::host::inspector::Inspector;
use crate::reading::live::LogFollower;

pub(crate) enum MovedLog {
    /// Unknown, or deleted.
    Gone,
    /// Renamed by the harness to a name that marks it as deleted; now followed under that name.
    Deleted(PathBuf),
    Renamed(PathBuf),
}

/// Follows a log to its new name, if it is the same file, the old name is free, and the new one is not followed.
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

/// Finds a renamed log's present name: the same file with the same bytes.
pub(crate) fn new_name(catalogue: &Catalogue, old: &Path, cursor: &Cursor) -> Option<PathBuf> {
    // Nothing of it was read, so nothing can be recognised.
    if cursor.offset == 0 || old.exists() {
        return None;
    }
    catalogue.with_identity(cursor.identity).into_iter().find(|path| continues(path, cursor))
}

/// Finds a followed log whose rename was not seen, as it may have happened before its folder was watched.
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

/// The name under which a log is or would be followed. If the old name is taken again, the old name wins.
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
