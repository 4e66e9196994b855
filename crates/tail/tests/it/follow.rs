//! Following files while they change on a real file system.
// Links, pipes and permissions are Unix features.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::common::{Live, by_events, logs_in};
use cwl_tail::{LogFolder, TailConfig, TailMessage, read_once, spawn_tailer};

#[test]
fn a_found_log_is_followed() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("a.jsonl"), "one\n").unwrap();
    let (sender, mut receiver) = tokio::sync::mpsc::channel(16);
    let logs = LogFolder { path: home.path().into(), wanted: |_, _| true };
    let tail = spawn_tailer(TailConfig { folders: vec![logs], ..Default::default() }, sender).unwrap();
    let mut read = Vec::new();
    while read != b"one\n" {
        match receiver.blocking_recv().unwrap() {
            TailMessage::Found { path, .. } => tail.follow_file(path, None),
            TailMessage::Appended { bytes, .. } => read.extend_from_slice(&bytes),
            _ => {}
        }
    }
}

#[test]
fn appends_come_as_they_are_written() {
    let mut live = Live::following("a.jsonl");
    live.write("a.jsonl", "{\"one\":1}\n{\"tw");
    live.until_bytes("a.jsonl", "{\"one\":1}\n{\"tw");
    live.append("a.jsonl", "o\":2}\n");
    live.until_bytes("a.jsonl", "{\"one\":1}\n{\"two\":2}\n");
    live.append("a.jsonl", [0xff, 0x00, b'\r', 0xc3]);
    live.until_bytes("a.jsonl", b"{\"one\":1}\n{\"two\":2}\n\xff\x00\r\xc3");
    assert!(live.files[&live.at("a.jsonl")].at_end);
    live.settle();
    assert!(live.story.is_empty(), "appends are nothing else: {:?}", live.story);
}

#[test]
fn a_file_is_awaited_with_its_folders() {
    let mut live = Live::following("x/y/z/a.jsonl");
    live.settle();
    for folder in ["x", "x/y", "x/y/z"] {
        fs::create_dir(live.at(folder)).unwrap();
        live.settle();
    }
    live.write("x/y/z/a.jsonl", "one\n");
    live.until_bytes("x/y/z/a.jsonl", "one\n");
    assert!(live.story.is_empty(), "{:?}", live.story);
}

#[test]
fn truncation_and_rewriting_start_again() {
    let mut live = Live::following("a.jsonl");
    live.write("a.jsonl", "one\ntwo\n");
    live.until_bytes("a.jsonl", "one\ntwo\n");
    fs::File::options().write(true).open(live.at("a.jsonl")).unwrap().set_len(4).unwrap();
    live.until_bytes("a.jsonl", "one\n");
    assert_eq!(live.story, ["truncated a.jsonl"]);

    // In place and with the same size: only the bytes differ.
    use std::io::Write;
    let mut file = fs::File::options().write(true).open(live.at("a.jsonl")).unwrap();
    file.write_all(b"six\n").unwrap();
    live.until_bytes("a.jsonl", "six\n");
    assert_eq!(live.story, ["truncated a.jsonl", "replaced a.jsonl"]);
    live.settle();
}

#[test]
fn an_emptied_file_is_told_without_bytes() {
    let mut live = Live::following("a.jsonl");
    live.write("a.jsonl", "one\n");
    live.until_bytes("a.jsonl", "one\n");
    live.write("a.jsonl", "");
    live.until_told("truncated a.jsonl");
    live.append("a.jsonl", "two\n");
    live.until_bytes("a.jsonl", "two\n");
    live.settle();
    assert_eq!(live.story, ["truncated a.jsonl"]);
}

#[test]
fn a_touch_is_nothing() {
    let mut live = Live::following("a.jsonl");
    live.write("a.jsonl", "one\n");
    live.until_bytes("a.jsonl", "one\n");
    let file = fs::File::options().append(true).open(live.at("a.jsonl")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)).unwrap();
    live.settle();
    assert_eq!((live.bytes("a.jsonl"), live.story.len()), (&b"one\n"[..], 0));
}

#[test]
fn an_atomic_replacement_is_another_file() {
    let mut live = Live::following("a.jsonl");
    live.write("a.jsonl", "one\n");
    live.until_bytes("a.jsonl", "one\n");
    // The same first bytes would be an append if identities were not compared.
    live.write("a.jsonl.tmp", "one\ntwo\n");
    live.rename("a.jsonl.tmp", "a.jsonl");
    live.until_bytes("a.jsonl", "one\ntwo\n");
    assert_eq!(live.story, ["replaced a.jsonl"]);
    live.append("a.jsonl", "three\n");
    live.until_bytes("a.jsonl", "one\ntwo\nthree\n");
    live.settle();
    assert_eq!(live.story, ["replaced a.jsonl"], "the new file is followed like the old");
}

#[test]
fn a_rename_tells_the_new_name() {
    let mut live = Live::following("a.jsonl");
    live.write("a.jsonl", "one\n");
    live.until_bytes("a.jsonl", "one\n");
    live.rename("a.jsonl", "b.jsonl");
    live.until_told("gone a.jsonl -> b.jsonl");
    live.write("a.jsonl", "new\n");
    live.until_bytes("a.jsonl", "new\n");
    live.settle();
    assert_eq!(live.story, ["gone a.jsonl -> b.jsonl", "replaced a.jsonl"]);
}

#[test]
fn a_renamed_file_goes_on_under_its_new_name() {
    let mut live = Live::following("a.jsonl");
    live.write("a.jsonl", "one\n");
    live.until_bytes("a.jsonl", "one\n");
    let cursor = live.files[&live.at("a.jsonl")].cursor.clone();
    live.rename("a.jsonl", "b.jsonl");
    live.append("b.jsonl", "two\n");
    live.until_told("gone a.jsonl -> b.jsonl");
    let mut rest = Vec::new();
    read_once(&live.at("b.jsonl"), cursor.as_ref(), 64, |message| match message {
        TailMessage::Appended { offset, bytes, .. } => rest.push((offset, bytes)),
        other => panic!("the file is the same: {other:?}"),
    })
    .unwrap();
    assert_eq!(rest, [(4, b"two\n".to_vec())]);
}

#[test]
fn a_file_moved_out_of_sight_is_gone() {
    let mut live = Live::following("a.jsonl");
    fs::create_dir(live.at("elsewhere")).unwrap();
    live.write("a.jsonl", "one\n");
    live.until_bytes("a.jsonl", "one\n");
    live.rename("a.jsonl", "elsewhere/a.jsonl");
    live.until_told("gone a.jsonl");
}

#[test]
fn deletion_and_creation_are_told() {
    let mut live = Live::following("a.jsonl");
    live.write("a.jsonl", "one\n");
    live.until_bytes("a.jsonl", "one\n");
    fs::remove_file(live.at("a.jsonl")).unwrap();
    live.until_told("gone a.jsonl");
    assert_eq!(live.bytes("a.jsonl"), b"one\n", "what was read stays inspectable");
    live.write("a.jsonl", "one\n");
    live.until_told("replaced a.jsonl");
    live.until_bytes("a.jsonl", "one\n");
    live.settle();
    assert_eq!(live.story, ["gone a.jsonl", "replaced a.jsonl"]);
}

#[test]
fn a_folder_that_is_deleted_and_made_again_is_watched_again() {
    let mut live = Live::following("x/y/a.jsonl");
    for round in 0..3 {
        fs::create_dir_all(live.at("x/y")).unwrap();
        live.write("x/y/a.jsonl", format!("round {round}\n"));
        live.until_bytes("x/y/a.jsonl", format!("round {round}\n"));
        live.append("x/y/a.jsonl", "more\n");
        live.until_bytes("x/y/a.jsonl", format!("round {round}\nmore\n"));
        fs::remove_dir_all(live.at("x")).unwrap();
        live.until("it is gone", |live| live.story.len() == 2 * round + 1);
    }
    let (gone, replaced) = ("gone x/y/a.jsonl", "replaced x/y/a.jsonl");
    assert_eq!(live.story, [gone, replaced, gone, replaced, gone]);
}

#[test]
fn a_folder_exchanged_while_nobody_looks_is_watched_anew() {
    let mut live = Live::following("x/a.jsonl");
    for exchange in [(|live: &Live| fs::remove_dir_all(live.at("x")).unwrap()) as fn(&Live), |live: &Live| {
        live.rename("x", &format!("old-{}", live.story.len()))
    }] {
        let told = live.story.len();
        fs::create_dir_all(live.at("x")).unwrap();
        // More than the channel holds, so the tail waits for the receiver meanwhile.
        live.write("x/a.jsonl", "x".repeat(1000));
        live.until("it has begun", |live| !live.bytes("x/a.jsonl").is_empty());
        exchange(&live);
        fs::create_dir(live.at("x")).unwrap();
        live.write("x/a.jsonl", "new\n");
        live.until_bytes("x/a.jsonl", "new\n");
        live.settle();
        live.append("x/a.jsonl", "more\n");
        live.until_bytes("x/a.jsonl", "new\nmore\n");
        assert!(live.story.len() > told, "the first file is void: {:?}", live.story);
        fs::remove_dir_all(live.at("x")).unwrap();
        live.until("it is gone", |live| live.files[&live.at("x/a.jsonl")].gone);
        live.files.clear();
    }
}

#[test]
fn a_renamed_folder_takes_its_files_along() {
    let mut live = Live::following("x/a.jsonl");
    fs::create_dir(live.at("x")).unwrap();
    live.write("x/a.jsonl", "one\n");
    live.until_bytes("x/a.jsonl", "one\n");
    live.settle();
    live.rename("x", "y");
    live.until("the file is gone", |live| live.story.len() == 1);
    fs::create_dir(live.at("x")).unwrap();
    live.write("x/a.jsonl", "new\n");
    live.until_bytes("x/a.jsonl", "new\n");
    live.append("y/a.jsonl", "not followed\n");
    live.settle();
    assert_eq!(live.bytes("x/a.jsonl"), b"new\n");
    assert!(live.story[0].starts_with("gone x/a.jsonl"), "{:?}", live.story);
    assert_eq!(live.story[1..], ["replaced x/a.jsonl"]);
}

#[test]
fn a_resumed_file_says_only_what_is_new() {
    let mut live = Live::start(|base| {
        let mut files = Vec::new();
        for name in ["same", "longer", "shorter", "gone"] {
            fs::write(base.join(name), "one\ntwo\n").unwrap();
            files.push((base.join(name), Some(read_once(&base.join(name), None, 64, |_| ()).unwrap())));
        }
        fs::write(base.join("longer"), "one\ntwo\nthree\n").unwrap();
        fs::write(base.join("shorter"), "one\n").unwrap();
        fs::remove_file(base.join("gone")).unwrap();
        TailConfig { files, ..by_events() }
    });
    // The test's receiver lacks the bytes before the cursor, so they are added here.
    let longer = live.at("longer");
    live.files.entry(longer).or_default().bytes = b"one\ntwo\n".to_vec();
    live.until_bytes("longer", "one\ntwo\nthree\n");
    live.until_bytes("shorter", "one\n");
    live.until_told("gone gone");
    assert_eq!(live.story, ["truncated shorter", "gone gone"]);
    assert_eq!(live.bytes("same"), b"");
}

#[test]
fn unfollow_and_follow_again() {
    let mut live = Live::following("a.jsonl");
    live.write("a.jsonl", "one\n");
    live.until_bytes("a.jsonl", "one\n");
    live.handle.unfollow_file(&live.at("a.jsonl"));
    // A look already under way may still read; after this there is none.
    live.settle();
    live.append("a.jsonl", "two\n");
    live.settle_except("a.jsonl");
    assert_eq!(live.bytes("a.jsonl"), b"one\n", "nobody follows it");
    let cursor = live.files[&live.at("a.jsonl")].cursor.clone();
    live.handle.follow_file(live.at("a.jsonl"), cursor);
    live.until_bytes("a.jsonl", "one\ntwo\n");
    live.append("a.jsonl", "three\n");
    live.until_bytes("a.jsonl", "one\ntwo\nthree\n");
    live.settle();
}

#[test]
fn a_walk_finds_what_events_do_not_tell() {
    let mut live = Live::following("link/a.jsonl");
    fs::create_dir_all(live.at("one/sub")).unwrap();
    fs::create_dir_all(live.at("two/sub")).unwrap();
    live.write("one/sub/a.jsonl", "one\n");
    live.write("two/sub/a.jsonl", "two\n");
    link(&live, "one/sub", "link");
    live.until_bytes("link/a.jsonl", "one\n");
    // A watched folder sees no event if a link on the way changes its target.
    link(&live, "two/sub", "link.new");
    live.rename("link.new", "link");
    live.handle.walk_now();
    live.until_bytes("link/a.jsonl", "two\n");
    live.append("two/sub/a.jsonl", "more\n");
    live.until_bytes("link/a.jsonl", "two\nmore\n");
    assert_eq!(live.story, ["replaced link/a.jsonl"], "from then on events tell again");
}

#[test]
fn a_walk_renews_a_watch_that_went_elsewhere() {
    let mut live = Live::start(|base| {
        fs::create_dir_all(base.join("g/x/y")).unwrap();
        fs::write(base.join("g/x/y/a.jsonl"), "one\n").unwrap();
        TailConfig { files: vec![(base.join("g/x/y/a.jsonl"), None)], ..by_events() }
    });
    live.until_bytes("g/x/y/a.jsonl", "one\n");
    // Only the file's own folder is watched, so no event tells that a parent was exchanged.
    live.rename("g", "h");
    fs::create_dir_all(live.at("g/x/y")).unwrap();
    live.write("g/x/y/a.jsonl", "new\n");
    live.handle.walk_now();
    live.until_bytes("g/x/y/a.jsonl", "new\n");
    live.append("g/x/y/a.jsonl", "more\n");
    live.until_bytes("g/x/y/a.jsonl", "new\nmore\n");
    assert_eq!(live.story, ["replaced g/x/y/a.jsonl"]);
}

#[test]
fn a_walk_comes_by_itself() {
    let config = |base: &Path| TailConfig {
        files: vec![(base.join("link/a.jsonl"), None)],
        walk_every: Duration::from_millis(20),
        ..by_events()
    };
    let mut live = Live::start(config);
    fs::create_dir(live.at("one")).unwrap();
    fs::create_dir(live.at("two")).unwrap();
    live.write("one/a.jsonl", "one\n");
    live.write("two/a.jsonl", "two\n");
    link(&live, "one", "link");
    live.until_bytes("link/a.jsonl", "one\n");
    link(&live, "two", "link.new");
    live.rename("link.new", "link");
    live.until_bytes("link/a.jsonl", "two\n");
}

fn link(live: &Live, to: &str, name: &str) {
    std::os::unix::fs::symlink(live.at(to), live.at(name)).unwrap();
}

#[test]
fn the_target_of_a_link_is_followed() {
    let mut live = Live::following("link.jsonl");
    fs::create_dir(live.at("real")).unwrap();
    live.write("real/a.jsonl", "one\n");
    link(&live, "real/a.jsonl", "link.jsonl");
    live.until_bytes("link.jsonl", "one\n");
    live.append("real/a.jsonl", "two\n");
    live.until_bytes("link.jsonl", "one\ntwo\n");
    live.write("real/b.jsonl", "other\n");
    link(&live, "real/b.jsonl", "new");
    live.rename("new", "link.jsonl");
    live.until_bytes("link.jsonl", "other\n");
    live.append("real/b.jsonl", "more\n");
    live.until_bytes("link.jsonl", "other\nmore\n");
    live.settle();
    assert_eq!(live.story, ["replaced link.jsonl"]);
}

#[test]
fn what_cannot_be_read_is_told_once_and_tried_again() {
    let mut live = Live::following("a.jsonl");
    fs::create_dir(live.at("a.jsonl")).unwrap();
    live.until_told("unreadable a.jsonl: is a folder, not a file");
    live.settle();
    fs::remove_dir(live.at("a.jsonl")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(live.at("a.jsonl")).status().unwrap().success());
    live.until_told("unreadable a.jsonl: is a pipe, not a file");
    live.settle();
    assert_eq!(live.story.len(), 2, "each reason once: {:?}", live.story);
    fs::remove_file(live.at("a.jsonl")).unwrap();
    live.write("a.jsonl", "one\n");
    live.until_bytes("a.jsonl", "one\n");
    assert_eq!(live.story.len(), 2);

    let mut devices = Live::start(|_| TailConfig { files: vec![("/dev/zero".into(), None)], ..by_events() });
    devices.until_told("unreadable /dev/zero: is a device, not a file");
}

#[test]
fn links_in_a_circle_are_unreadable() {
    let mut live = Live::following("circle");
    link(&live, "circle", "circle");
    live.until("it is told", |live| live.story.iter().any(|told| told.starts_with("unreadable circle: ")));
    fs::remove_file(live.at("circle")).unwrap();
    live.write("circle", "one\n");
    live.until_bytes("circle", "one\n");
}

#[test]
fn a_forbidden_file_is_read_when_it_is_allowed() {
    use std::os::unix::fs::PermissionsExt;
    let mut live = Live::following("a.jsonl");
    let forbid = |live: &Live, mode| {
        fs::set_permissions(live.at("a.jsonl.new"), fs::Permissions::from_mode(mode)).unwrap();
    };
    live.write("a.jsonl.new", "one\n");
    forbid(&live, 0o000);
    // Root may read everything; then the file is simply read.
    let is_forbidden = fs::File::open(live.at("a.jsonl.new")).is_err();
    live.rename("a.jsonl.new", "a.jsonl");
    if is_forbidden {
        live.until("it is told", |live| {
            live.story.iter().any(|told| told.starts_with("unreadable a.jsonl: "))
        });
        fs::set_permissions(live.at("a.jsonl"), fs::Permissions::from_mode(0o600)).unwrap();
    }
    live.until_bytes("a.jsonl", "one\n");
}

#[test]
fn odd_paths_are_no_trouble() {
    let odd = ["", "/", "..", "a\0b", "."];
    let mut live = Live::start(|base| TailConfig {
        files: odd.iter().map(|path| (path.into(), None)).chain([(base.join("a"), None)]).collect(),
        folders: odd.iter().filter(|path| path.is_empty() || path.contains('\0')).map(logs_in).collect(),
        ..by_events()
    });
    live.write("a", "one\n");
    live.until_bytes("a", "one\n");
}

#[test]
fn a_log_is_left_as_it_is() {
    use std::os::unix::fs::MetadataExt;
    let mut live = Live::following("a.jsonl");
    let text = "{\"line\":1}\n".repeat(100);
    live.write("a.jsonl", &text);
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let file = fs::File::options().append(true).open(live.at("a.jsonl")).unwrap();
    file.set_times(fs::FileTimes::new().set_accessed(old).set_modified(old)).unwrap();
    let state = || {
        let metadata = file.metadata().unwrap();
        (
            metadata.mtime_nsec(),
            metadata.mtime(),
            metadata.atime(),
            metadata.ctime(),
            metadata.mode(),
            metadata.len(),
        )
    };
    let before = state();
    live.until_bytes("a.jsonl", &text);
    live.settle();
    assert_eq!(state(), before, "reading leaves no trace, not even in the access time");
    assert_eq!(fs::read_to_string(live.at("a.jsonl")).unwrap(), text);
}

#[test]
fn a_big_file_does_not_hold_up_a_small_one() {
    let mut live = Live::start(|base| {
        fs::write(base.join("big"), "x".repeat(1 << 20)).unwrap();
        fs::write(base.join("small"), "one\n").unwrap();
        let files = ["big", "small"].map(|name| (base.join(name), None)).into();
        TailConfig { files, chunk: 1 << 10, ..by_events() }
    });
    live.until_bytes("small", "one\n");
    assert!(live.bytes("big").len() < 1 << 16, "they take turns");
    live.until("the big one is read", |live| live.bytes("big").len() == 1 << 20);
}

#[test]
fn dropping_the_handle_ends_the_thread() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    fs::write(&path, "x".repeat(1 << 16)).unwrap();
    for taken in [0, 1, 5] {
        let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
        let alive = sender.downgrade();
        let config = TailConfig { files: vec![(path.clone(), None)], chunk: 16, ..by_events() };
        let handle = spawn_tailer(config, sender).unwrap();
        for _ in 0..taken {
            assert!(receiver.blocking_recv().is_some());
        }
        // The channel is full now or soon: the thread waits for a receiver that takes nothing.
        drop(handle);
        assert!(alive.upgrade().is_none(), "the thread has ended, and let go of the channel");
    }
}

#[test]
fn a_receiver_that_is_dropped_ends_the_thread() {
    let folder = tempfile::tempdir().unwrap();
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    let alive = sender.downgrade();
    let handle =
        spawn_tailer(TailConfig { folders: vec![logs_in(folder.path())], ..by_events() }, sender).unwrap();
    drop(receiver);
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    while alive.upgrade().is_some() {
        assert!(std::time::Instant::now() < deadline, "the thread notices that nobody listens");
        std::thread::yield_now();
    }
    handle.follow_file(folder.path().join("a"), None);
    handle.walk_now();
}

#[test]
fn a_slow_receiver_loses_nothing() {
    let mut live = Live::following("a.jsonl");
    live.write("a.jsonl", "");
    let mut whole = String::new();
    for n in 0..2000 {
        let line = format!("{{\"line\":{n}}}\n");
        live.append("a.jsonl", &line);
        whole.push_str(&line);
    }
    live.until_bytes("a.jsonl", &whole);
    live.settle();
    assert!(live.story.is_empty(), "{:?}", live.story);
}
