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

/// How long a file must be missing before it is reported as gone.
///
/// A replacement in two steps and a rotation both leave the name empty for a moment, and a renamed file's new
/// name arrives in a separate event.
pub(crate) const GRACE: Duration = Duration::from_millis(200);

pub(crate) struct FollowedFile {
    path: PathBuf,
    reader: FileReader,
    presence: FilePresence,
    reason: Option<String>,
    stamp: Option<FileStamp>,
    names: BTreeSet<PathBuf>,
    pub(crate) trail: Trail,
    pub(crate) moved: bool,
}

enum FilePresence {
    Awaited,
    Present,
    Missing(Instant),
    Gone,
}

pub(crate) enum NextLook {
    OnChange,
    /// After the other tasks in the queue: there is more to read.
    Soon,
    /// At this time: the file may be gone by then.
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
                    // The cursor was dropped when the file went, so nothing could be compared.
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
        // Also waits after a rename: a rotation puts another file under the name directly afterwards, and
        // then the log continues under its name.
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

    fn renamed_to(&self, known: Option<FileIdentity>, renames: &Renames) -> Option<PathBuf> {
        let known = known?;
        let renamed = |name: &PathBuf| {
            let to = renames.destination(name)?;
            is_there(&to, known).then(|| self.spell_as_given(name, to))
        };
        self.names.iter().find_map(renamed)
    }

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
