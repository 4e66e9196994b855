//! One followed file: what was told of it, and what the next look at it tells.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use crate::TailMessage;
use crate::cursor::{Cursor, FileIdentity};
use crate::read::{FileReader, ReadRefusal};
use crate::renames::Renames;
use crate::stamp::FileStamp;
use crate::trail::Trail;

/// How long a missing file is waited for before it is told to be gone.
///
/// An atomic replacement done in two steps, and a rotation, leave the name empty for a moment, and the new name of
/// a renamed file comes in an event of its own.
pub(crate) const GRACE: Duration = Duration::from_millis(200);

/// A followed file.
pub(crate) struct FollowedFile {
    path: PathBuf,
    reader: FileReader,
    presence: FilePresence,
    /// The last reason told for not being readable.
    reason: Option<String>,
    stamp: Option<FileStamp>,
    names: BTreeSet<PathBuf>,
    /// The trail by which the file is looked for.
    pub(crate) trail: Trail,
    /// True when `trail` may be out of date.
    pub(crate) moved: bool,
}

enum FilePresence {
    /// The file was never there, and nothing is known of it.
    Awaited,
    Present,
    /// The file was there; the time since when it is missing.
    Missing(Instant),
    /// The file was reported as gone.
    Gone,
}

/// When to look at the file again.
pub(crate) enum NextLook {
    /// When something happens to it.
    OnChange,
    /// In its turn: there is more to read.
    Soon,
    /// Then: it may be gone for good.
    At(Instant),
}

impl FollowedFile {
    pub(crate) fn new(path: PathBuf, cursor: Option<Cursor>, chunk: usize) -> Self {
        let presence = if cursor.is_some() { FilePresence::Present } else { FilePresence::Awaited };
        Self {
            reader: FileReader::new(path.clone(), cursor, chunk),
            path,
            presence,
            reason: None,
            stamp: None,
            names: BTreeSet::new(),
            trail: Trail::default(),
            moved: true,
        }
    }

    /// Tells whether the file is as it was when it was last read to its end, as far as its metadata tell.
    pub(crate) fn is_settled(&self) -> bool {
        let now = std::fs::metadata(&self.path).ok().map(|metadata| FileStamp::from_metadata(&metadata));
        matches!(self.presence, FilePresence::Present) && now.is_some() && now == self.stamp
    }

    pub(crate) fn read_chunk(&mut self, renames: &Renames, now: Instant) -> (Vec<TailMessage>, NextLook) {
        let known = self.reader.cursor.as_ref().map(|cursor| cursor.identity);
        match self.reader.read_step() {
            Ok(step) => {
                let mut messages = step.messages;
                let was_replaced = matches!(messages.first(), Some(TailMessage::Replaced { .. }));
                if matches!(self.presence, FilePresence::Gone) {
                    // Its cursor went with it, so nothing was compared.
                    messages.insert(0, TailMessage::Replaced { path: self.path.clone() });
                } else if let (true, Some(to)) = (was_replaced, self.renamed_to(known, renames)) {
                    messages.insert(0, self.gone_message(Some(to)));
                }
                self.presence = FilePresence::Present;
                self.reason = None;
                self.names.clone_from(&self.trail.names);
                self.stamp = (!step.more).then_some(step.stamp);
                (messages, if step.more { NextLook::Soon } else { NextLook::OnChange })
            }
            Err(ReadRefusal::Missing(_)) => {
                self.reason = None;
                self.look_for_missing(known, renames, now)
            }
            Err(refusal @ (ReadRefusal::Io(_) | ReadRefusal::NotAFile(_))) => {
                let reason = refusal.to_string();
                self.stamp = None;
                let is_news = self.reason.as_ref() != Some(&reason);
                self.reason = Some(reason.clone());
                let message = TailMessage::Unreadable { path: self.path.clone(), reason };
                (if is_news { vec![message] } else { Vec::new() }, NextLook::OnChange)
            }
        }
    }

    fn look_for_missing(
        &mut self,
        known: Option<FileIdentity>,
        renames: &Renames,
        now: Instant,
    ) -> (Vec<TailMessage>, NextLook) {
        let since = match self.presence {
            FilePresence::Awaited | FilePresence::Gone => return (Vec::new(), NextLook::OnChange),
            FilePresence::Present => now,
            FilePresence::Missing(since) => since,
        };
        // Also where a rename was seen: a rotation gives the name to another file right after it, and then the log goes on
        // under its name.
        if now < since + GRACE {
            self.presence = FilePresence::Missing(since);
            return (Vec::new(), NextLook::At(since + GRACE));
        }
        let renamed_to = self.renamed_to(known, renames);
        self.presence = FilePresence::Gone;
        self.reader.cursor = None;
        self.stamp = None;
        (vec![self.gone_message(renamed_to)], NextLook::OnChange)
    }

    fn gone_message(&self, renamed_to: Option<PathBuf>) -> TailMessage {
        TailMessage::Gone { path: self.path.clone(), renamed_to }
    }

    /// Returns the file's new name if a rename was seen and the file is there.
    fn renamed_to(&self, known: Option<FileIdentity>, renames: &Renames) -> Option<PathBuf> {
        let known = known?;
        let renamed = |name: &PathBuf| {
            let to = renames.destination(name)?;
            is_there(&to, known).then(|| self.spell_as_given(name, to))
        };
        self.names.iter().find_map(renamed)
    }

    /// Spells a new name as the old one was given, where both are in one folder.
    fn spell_as_given(&self, name: &Path, to: PathBuf) -> PathBuf {
        match to.file_name() {
            Some(file) if to.parent() == name.parent() && self.path.file_name() == name.file_name() => {
                self.path.with_file_name(file)
            }
            _ => to,
        }
    }
}

pub(crate) fn is_there(path: &Path, known: FileIdentity) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| FileIdentity::from_metadata(&metadata).may_be(known))
}
