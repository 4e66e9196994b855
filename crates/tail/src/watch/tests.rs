//! Which folders are watched. Messages do not show this: too many watches would only be noticed after days.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::LogFolder;
use std::fs;
use std::os::unix::fs::symlink;

use tokio::sync::mpsc::{Receiver, channel};

struct Idle {
    tailer: Tailer,
    base: tempfile::TempDir,
    /// Keeps the tailer running, which stops without a receiver.
    _receiver: Receiver<TailMessage>,
}

impl Idle {
    fn new(config: impl FnOnce(&Path) -> TailConfig) -> Self {
        let base = tempfile::tempdir().unwrap();
        let (sender, _receiver) = channel(100);
        let tailer = Tailer::new(config(base.path()), sender).unwrap();
        Self { tailer, base, _receiver }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.base.path().join(name)
    }

    fn order(&self, order: Order) {
        self.tailer.bell.leave_order(order);
    }

    /// Runs all tasks, then compares the watched folders.
    fn check(&mut self, why: &str, expected: &[&str]) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        // A walk finds changes whose events have not arrived yet.
        self.order(Order::Walk);
        runtime.block_on(async {
            loop {
                assert!(self.tailer.take_turn().await.is_ok());
                if self.tailer.queue.is_empty() {
                    break;
                }
            }
        });
        let base = self.base.path().canonicalize().unwrap();
        let expected =
            expected.iter().map(|name| if name.is_empty() { base.clone() } else { base.join(name) });
        assert_eq!(self.tailer.watches.alive(), expected.collect::<Vec<_>>(), "{why}");
    }
}

#[test]
fn a_followed_file_holds_the_folders_that_lead_to_it() {
    let mut idle = Idle::new(|_| TailConfig::default());
    for folder in ["links", "one", "two"] {
        fs::create_dir(idle.at(folder)).unwrap();
    }
    symlink("../one/a.jsonl", idle.at("links/a.jsonl")).unwrap();
    idle.order(Order::Follow(idle.at("links/a.jsonl"), None));
    idle.check("the link and its target", &["links", "one"]);

    fs::remove_file(idle.at("links/a.jsonl")).unwrap();
    symlink("../two/a.jsonl", idle.at("links/a.jsonl")).unwrap();
    idle.check("the link leads elsewhere", &["links", "two"]);

    fs::remove_dir(idle.at("two")).unwrap();
    idle.check("the nearest folder that is there", &["", "links"]);

    idle.order(Order::Follow(idle.at("one/b.jsonl"), None));
    idle.order(Order::Follow(idle.at("one/c.jsonl"), None));
    idle.order(Order::Unfollow(idle.at("links/a.jsonl")));
    idle.check("two files, one folder", &["one"]);
    idle.order(Order::Unfollow(idle.at("one/b.jsonl")));
    idle.check("one is left", &["one"]);
    idle.order(Order::Unfollow(idle.at("one/c.jsonl")));
    idle.check("nothing is followed", &[]);
    assert!(idle.tailer.names.is_empty(), "and no name is waited for");
}

fn is_log(below: &Path, kind: EntryKind) -> bool {
    kind == EntryKind::Folder || below.extension().is_some_and(|extension| extension == "jsonl")
}

fn logs_in(path: PathBuf) -> LogFolder {
    LogFolder { path, wanted: is_log }
}

#[test]
fn a_watched_folder_holds_what_is_below_it() {
    let mut idle =
        Idle::new(|base| TailConfig { folders: vec![logs_in(base.join("logs"))], ..TailConfig::default() });
    idle.check("it is awaited", &[""]);
    fs::create_dir_all(idle.at("one/p/q")).unwrap();
    fs::create_dir_all(idle.at("two/r")).unwrap();
    symlink("one", idle.at("logs")).unwrap();
    idle.check("a link to one", &["", "one", "one/p", "one/p/q"]);
    fs::remove_file(idle.at("logs")).unwrap();
    symlink("two", idle.at("logs")).unwrap();
    idle.check("a link to two", &["", "two", "two/r"]);
    fs::remove_dir(idle.at("two/r")).unwrap();
    idle.check("a folder less", &["", "two"]);
    fs::remove_file(idle.at("logs")).unwrap();
    idle.check("it is awaited again", &[""]);
    assert_eq!(idle.tailer.folders.tree.len(), 0, "and nothing is listed");
}

#[test]
fn a_watch_that_could_not_be_renewed_is_started_later() {
    let mut idle = Idle::new(|_| TailConfig::default());
    let folder = idle.base.path().canonicalize().unwrap().join("x");
    fs::create_dir(&folder).unwrap();
    let (work, path) = (QueueTask::Root(0), folder.join("a.jsonl"));
    let trail = idle.tailer.settle_trail(&work, &path, Trail::default());
    assert_eq!(idle.tailer.watches.alive(), std::slice::from_ref(&folder));
    fs::remove_dir(&folder).unwrap();
    idle.tailer.watches.renew_below(&folder);
    assert!(idle.tailer.watches.alive().is_empty());
    fs::create_dir(&folder).unwrap();
    idle.tailer.settle_trail(&work, &path, trail);
    assert_eq!(idle.tailer.watches.alive(), [folder], "the trail is as before, but its watch was dead");
}

#[test]
fn no_more_folders_are_watched_than_allowed_and_those_are_the_freshest() {
    let mut idle = Idle::new(|base| TailConfig {
        folders: vec![logs_in(base.join("logs"))],
        watched: 3,
        ..TailConfig::default()
    });
    let changed = |idle: &Idle, folder: &str, seconds: u64| {
        let folder = fs::File::open(idle.at(folder)).unwrap();
        folder.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    };
    for (folder, seconds) in [("logs/a", 300), ("logs/b", 100), ("logs/c", 200), ("logs", 1)] {
        fs::create_dir_all(idle.at(folder)).unwrap();
        fs::write(idle.at(folder).join("x.jsonl"), "").unwrap();
        changed(&idle, folder, seconds);
    }
    idle.check("the root, and the two freshest below it", &["", "logs", "logs/a", "logs/c"]);
    fs::write(idle.at("logs/b/x.jsonl"), "more").unwrap();
    idle.check("what goes on in a folder makes it fresh", &["", "logs", "logs/a", "logs/b"]);
    idle.order(Order::Follow(idle.at("logs/c/x.jsonl"), None));
    idle.check("what is followed is watched in any case", &["", "logs", "logs/a", "logs/b", "logs/c"]);
    idle.order(Order::Unfollow(idle.at("logs/c/x.jsonl")));
    idle.check("and then makes room again", &["", "logs", "logs/a", "logs/b"]);
    fs::remove_dir_all(idle.at("logs/b")).unwrap();
    idle.check("a folder that is gone makes room", &["", "logs", "logs/a", "logs/c"]);
}
