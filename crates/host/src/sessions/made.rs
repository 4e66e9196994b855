//! The user's pins and notes in the session list.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::Inspector;
use crate::api::SessionListRow;

struct PinsAndNotes {
    pins: BTreeSet<PathBuf>,
    n_notes: BTreeMap<PathBuf, u32>,
}

/// Marks rows with pins or notes. An unreadable store marks none, and is reported elsewhere.
pub(crate) fn mark_made(host: &Inspector, rows: &mut [SessionListRow]) {
    let made = host.stores.main().run_read(|reader| Ok((reader.pinned_paths()?, reader.n_notes()?)));
    let Ok((pins, n_notes)) = made else { return };
    if pins.is_empty() && n_notes.is_empty() {
        return;
    }
    // Pins and notes are stored under the log's first name.
    let moves = host.catalogue.moved_names();
    let shown = |path: &str| moves.get(Path::new(path)).cloned().unwrap_or_else(|| PathBuf::from(path));
    let mut made =
        PinsAndNotes { pins: pins.iter().map(|path| shown(path)).collect(), n_notes: BTreeMap::new() };
    for (path, n) in &n_notes {
        *made.n_notes.entry(shown(path)).or_default() += n;
    }
    made.mark_rows(rows);
}

impl PinsAndNotes {
    fn mark_rows(&self, rows: &mut [SessionListRow]) {
        for row in rows {
            row.pinned = self.pins.contains(Path::new(&row.path));
            row.n_notes = self.n_notes.get(Path::new(&row.path)).copied().unwrap_or(0);
            self.mark_rows(&mut row.children);
        }
    }
}

pub(crate) fn names_of(host: &Inspector, path: &str) -> Vec<String> {
    let moves = host.catalogue.moved_names();
    let earlier = moves.iter().filter(|(_, to)| to.as_path() == Path::new(path));
    let earlier = earlier.map(|(from, _)| from.display().to_string());
    std::iter::once(path.to_owned()).chain(earlier).collect()
}
