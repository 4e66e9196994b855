//! A typical receiver: rebuilds each file from the messages alone and fails on the first message that cannot
//! follow the one before.
#![allow(unreachable_pub)]
#![cfg_attr(not(unix), allow(dead_code))]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cwl_tail::{Cursor, EntryKind, LogFolder, TailConfig, TailHandle, TailMessage, read_once, spawn_tailer};
use tokio::sync::mpsc::{Receiver, channel};
use tokio::time::{Instant, timeout_at};

/// Only reached if something is wrong; generous, because the machine may be busy.
const DEADLINE: Duration = Duration::from_secs(120);

/// A file as known from the messages.
#[derive(Default)]
pub struct Rebuilt {
    pub bytes: Vec<u8>,
    pub cursor: Option<Cursor>,
    pub gone: bool,
    pub at_end: bool,
}

/// Maximum depth of folders for [`any_log`].
pub const DEPTH: usize = 12;

/// Accepts every file `*.jsonl`, ignoring case, and every folder down to twelve levels.
pub fn any_log(below: &Path, kind: EntryKind) -> bool {
    match kind {
        EntryKind::Folder => below.components().count() <= DEPTH,
        EntryKind::File => below.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl")),
    }
}

/// A folder with [`any_log`] as its filter.
pub fn logs_in(path: impl Into<PathBuf>) -> LogFolder {
    LogFolder { path: path.into(), wanted: any_log }
}

/// A running tail over a temporary folder.
pub struct Live {
    pub base: tempfile::TempDir,
    pub handle: TailHandle,
    pub files: BTreeMap<PathBuf, Rebuilt>,
    /// All messages without bytes, in order, with names below the base.
    pub story: Vec<String>,
    /// The last reported length of each found file.
    pub sizes_told: BTreeMap<PathBuf, u64>,
    receiver: Receiver<TailMessage>,
    runtime: tokio::runtime::Runtime,
    chunk: usize,
    sentinels: usize,
}

/// A configuration driven by events alone: the next walk comes too late.
pub fn by_events() -> TailConfig {
    TailConfig { walk_every: Duration::from_secs(3600), chunk: 64, ..TailConfig::default() }
}

impl Live {
    /// Prepares a folder and starts the tail; the configuration's paths are inside the folder.
    pub fn start(prepare: impl FnOnce(&Path) -> TailConfig) -> Self {
        let base = tempfile::tempdir().unwrap();
        let config = prepare(base.path());
        let chunk = config.chunk;
        // A single place, so the tail always waits for the receiver.
        let (sender, receiver) = channel(1);
        let handle = spawn_tailer(config, sender).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (files, story, sizes_told) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
        Self { base, handle, files, story, sizes_told, receiver, runtime, chunk, sentinels: 0 }
    }

    /// Follows one file, which may not exist, by events alone.
    pub fn following(name: &str) -> Self {
        Self::start(|base| TailConfig { files: vec![(base.join(name), None)], ..by_events() })
    }

    /// Watches one folder, which may not exist, by events alone.
    pub fn watching(name: &str) -> Self {
        Self::start(|base| TailConfig { folders: vec![logs_in(base.join(name))], ..by_events() })
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.base.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.at(name), bytes).unwrap();
    }

    pub fn append(&self, name: &str, bytes: impl AsRef<[u8]>) {
        use std::io::Write;
        fs::File::options().append(true).open(self.at(name)).unwrap().write_all(bytes.as_ref()).unwrap();
    }

    pub fn rename(&self, from: &str, to: &str) {
        fs::rename(self.at(from), self.at(to)).unwrap();
    }

    pub fn follow(&self, name: &str) {
        self.handle.follow_file(self.at(name), None);
    }

    /// Bytes read from a file.
    pub fn bytes(&self, name: &str) -> &[u8] {
        self.files.get(&self.at(name)).map_or(&[], |file| &file.bytes)
    }

    /// Takes messages until the condition holds.
    pub fn until(&mut self, why: &str, holds: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + DEADLINE;
        while !holds(self) {
            let next = self.runtime.block_on(async { timeout_at(deadline, self.receiver.recv()).await });
            match next {
                Ok(Some(message)) => self.take(message),
                Ok(None) => panic!("the tail ended before {why}; so far {:?}", self.story),
                Err(_) => panic!("in vain: {why}; so far {:?}, {}", self.story, self.sizes()),
            }
        }
    }

    /// Takes messages until the file has exactly these bytes.
    pub fn until_bytes(&mut self, name: &str, expected: impl AsRef<[u8]>) {
        let expected = expected.as_ref();
        self.until(&format!("all of {name} is read"), |live| live.bytes(name) == expected);
    }

    /// Takes messages until this one has come.
    pub fn until_told(&mut self, what: &str) {
        self.until(what, |live| live.story.iter().any(|told| told == what));
    }

    /// Takes all pending messages, and fails if another walk brings out further ones.
    pub fn settle(&mut self) {
        self.settle_except("");
    }

    /// Like `settle`, but the file `unfollowed` may be longer than its known bytes.
    pub fn settle_except(&mut self, unfollowed: &str) {
        // One round for pending messages, one for those they cause, one for the walk.
        for round in 0..3 {
            if round == 1 {
                self.handle.walk_now();
            }
            let name = format!("sentinel-{}", self.sentinels);
            self.sentinels += 1;
            self.write(&name, "here");
            self.follow(&name);
            self.until_bytes(&name, "here");
            self.handle.unfollow_file(&self.at(&name));
        }
        let unfollowed = self.at(unfollowed);
        for (path, file) in self.files.iter().filter(|(path, _)| **path != unfollowed) {
            let Some(cursor) = file.cursor.as_ref().filter(|_| !file.gone && path.is_file()) else {
                continue;
            };
            let mut again = Vec::new();
            let end = read_once(path, Some(cursor), 64, |message| again.push(message)).unwrap();
            assert_eq!(again, [], "a cursor made from the chunks of {path:?} resumes at their end");
            assert_eq!((end.offset, end.head), (cursor.offset, cursor.head));
        }
    }

    fn take(&mut self, message: TailMessage) {
        match message {
            TailMessage::Appended { path, offset, bytes, identity, at_end } => {
                let file = self.files.entry(path).or_default();
                assert!(!file.gone, "a file that came back is replaced first");
                assert_eq!(offset, file.bytes.len() as u64, "chunks follow each other without a gap");
                assert!((1..=self.chunk).contains(&bytes.len()), "a chunk of {} bytes", bytes.len());
                file.bytes.extend_from_slice(&bytes);
                file.at_end = at_end;
                let cursor = file.cursor.get_or_insert_with(|| Cursor::at_start(identity));
                cursor.identity = identity;
                // In odd pieces, like lines.
                bytes.chunks(7).for_each(|piece| cursor.advance(piece));
            }
            TailMessage::Truncated { path } => self.void("truncated", path),
            TailMessage::Replaced { path } => self.void("replaced", path),
            TailMessage::Gone { path, renamed_to } => {
                let to = renamed_to.map_or(String::new(), |to| format!(" -> {}", self.named(&to)));
                self.story.push(format!("gone {}{to}", self.named(&path)));
                self.files.entry(path).or_default().gone = true;
            }
            TailMessage::Found { path, stamp } => {
                self.story.push(format!("found {}", self.named(&path)));
                self.sizes_told.insert(path, stamp.length);
            }
            TailMessage::Unreadable { path, reason } => {
                self.story.push(format!("unreadable {}: {reason}", self.named(&path)));
            }
        }
    }

    fn void(&mut self, what: &str, path: PathBuf) {
        self.story.push(format!("{what} {}", self.named(&path)));
        self.files.insert(path, Rebuilt::default());
    }

    fn named(&self, path: &Path) -> String {
        path.strip_prefix(self.base.path()).unwrap_or(path).display().to_string()
    }

    fn sizes(&self) -> String {
        let sizes =
            self.files.iter().map(|(path, file)| format!("{}: {}", self.named(path), file.bytes.len()));
        sizes.collect::<Vec<_>>().join(", ")
    }
}
