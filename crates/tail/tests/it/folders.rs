//! Finding logs in watched folders.
// Links, pipes and permissions are Unix features.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use crate::common::{DEPTH, Live, any_log, by_events, logs_in};
use cwl_tail::{EntryKind, LogFolder, RETELL, TailConfig, list_logs};

/// Compares the messages, in any order.
fn check(live: &mut Live, expected: &[&str]) {
    live.until(&format!("{expected:?} is told"), |live| live.story.len() >= expected.len());
    live.settle();
    let mut told = live.story.clone();
    told.sort();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(told, expected);
}

#[test]
fn logs_are_found_at_the_start_and_later() {
    let mut live = Live::start(|base| {
        fs::create_dir_all(base.join("logs/p/q")).unwrap();
        for name in ["logs/a.jsonl", "logs/p/b.jsonl", "logs/p/q/c.jsonl", "logs/p/notes.txt", "logs/d.jsonl"]
        {
            fs::write(base.join(name), "one\n").unwrap();
        }
        let files = vec![(base.join("logs/d.jsonl"), None)];
        TailConfig { files, folders: vec![logs_in(base.join("logs"))], ..by_events() }
    });
    check(&mut live, &["found logs/a.jsonl", "found logs/p/b.jsonl", "found logs/p/q/c.jsonl"]);
    live.story.clear();
    live.write("logs/p/q/new.jsonl", "");
    live.write("logs/p/q/new.txt", "");
    check(&mut live, &["found logs/p/q/new.jsonl"]);
}

#[test]
fn a_folder_made_with_a_log_in_it_at_once_is_searched() {
    let mut live = Live::watching("logs");
    fs::create_dir(live.at("logs")).unwrap();
    let mut expected = Vec::new();
    for n in 0..20 {
        let folder = format!("logs/{n}/deep/deeper");
        fs::create_dir_all(live.at(&folder)).unwrap();
        live.write(&format!("{folder}/a.jsonl"), "one\n");
        expected.push(format!("found {folder}/a.jsonl"));
    }
    check(&mut live, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    live.write("logs/3/deep/b.jsonl", "");
    live.until_told("found logs/3/deep/b.jsonl");
}

#[test]
fn moving_in_and_out_is_told() {
    let mut live = Live::watching("logs");
    fs::create_dir_all(live.at("logs/p")).unwrap();
    fs::create_dir_all(live.at("outside/project/sub")).unwrap();
    live.write("outside/a.jsonl", "");
    live.write("outside/project/sub/b.jsonl", "");
    live.settle();
    live.rename("outside/a.jsonl", "logs/a.jsonl");
    live.rename("outside/project", "logs/project");
    check(&mut live, &["found logs/a.jsonl", "found logs/project/sub/b.jsonl"]);
    live.story.clear();
    live.write("logs/project/sub/c.jsonl", "");
    check(&mut live, &["found logs/project/sub/c.jsonl"]);
    live.story.clear();

    live.rename("logs/a.jsonl", "logs/p/a.jsonl");
    check(&mut live, &["found logs/p/a.jsonl", "gone logs/a.jsonl -> logs/p/a.jsonl"]);
    live.story.clear();
    live.rename("logs/p/a.jsonl", "outside/a.jsonl");
    live.rename("logs/project", "outside/project");
    check(
        &mut live,
        &["gone logs/p/a.jsonl", "gone logs/project/sub/b.jsonl", "gone logs/project/sub/c.jsonl"],
    );
    live.story.clear();
    live.write("outside/project/sub/d.jsonl", "");
    check(&mut live, &[]);
}

#[test]
fn a_folder_exchanged_while_nobody_looks_is_searched_anew() {
    let mut live = Live::watching("logs");
    fs::create_dir_all(live.at("logs/p/deep")).unwrap();
    live.write("logs/p/deep/old.jsonl", "");
    live.until_told("found logs/p/deep/old.jsonl");
    live.settle();
    // More than the channel holds, so the tail waits for the receiver meanwhile.
    for n in 0..9 {
        live.write(&format!("logs/{n}.jsonl"), "");
    }
    live.rename("logs/p", "p");
    fs::create_dir_all(live.at("logs/p/deep")).unwrap();
    live.write("logs/p/deep/new.jsonl", "");
    live.until_told("found logs/p/deep/new.jsonl");
    live.until("the old one is gone", |live| live.story.iter().any(|told| told.starts_with("gone")));
    live.write("logs/p/deep/newer.jsonl", "");
    live.until_told("found logs/p/deep/newer.jsonl");
}

#[test]
fn a_root_that_is_deleted_and_made_again_is_watched_again() {
    let mut live = Live::watching("a/logs");
    for round in 0..3 {
        fs::create_dir_all(live.at("a/logs/p")).unwrap();
        live.write("a/logs/p/x.jsonl", format!("{round}"));
        live.until_told("found a/logs/p/x.jsonl");
        live.write("a/logs/p/y.jsonl", "");
        live.until_told("found a/logs/p/y.jsonl");
        live.story.clear();
        fs::remove_dir_all(live.at("a")).unwrap();
        live.until("both are gone", |live| live.story.len() == 2);
        assert!(live.story.iter().all(|told| told.starts_with("gone a/logs/p/")), "{:?}", live.story);
        live.story.clear();
    }
}

#[test]
fn a_root_can_be_a_link_and_keeps_its_name() {
    let mut live = Live::start(|base| {
        fs::create_dir_all(base.join("real/p")).unwrap();
        fs::write(base.join("real/p/a.jsonl"), "one\n").unwrap();
        std::os::unix::fs::symlink(base.join("real"), base.join("logs")).unwrap();
        TailConfig { folders: vec![logs_in(base.join("logs"))], ..by_events() }
    });
    check(&mut live, &["found logs/p/a.jsonl"]);
    live.follow("logs/p/a.jsonl");
    live.until_bytes("logs/p/a.jsonl", "one\n");
    live.append("real/p/a.jsonl", "two\n");
    live.until_bytes("logs/p/a.jsonl", "one\ntwo\n");
    live.write("real/p/b.jsonl", "");
    check(&mut live, &["found logs/p/a.jsonl", "found logs/p/b.jsonl"]);
}

#[test]
fn only_files_are_logs_and_links_to_folders_are_left_alone() {
    let mut live = Live::start(|base| {
        fs::create_dir_all(base.join("logs/folder.jsonl")).unwrap();
        fs::create_dir_all(base.join("outside")).unwrap();
        fs::write(base.join("outside/a.jsonl"), "").unwrap();
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(base.join(to), base.join(name)).unwrap();
        link("logs", "logs/circle");
        link("outside", "logs/outside");
        link("outside/a.jsonl", "logs/link.jsonl");
        link("nowhere", "logs/broken.jsonl");
        let pipe = base.join("logs/pipe.jsonl");
        assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
        TailConfig { folders: vec![logs_in(base.join("logs"))], ..by_events() }
    });
    check(&mut live, &["found logs/link.jsonl"]);
}

#[test]
fn a_followed_file_tells_its_own_end_once() {
    let mut live = Live::watching("logs");
    fs::create_dir(live.at("logs")).unwrap();
    live.write("logs/a.jsonl", "one\n");
    live.until_told("found logs/a.jsonl");
    live.follow("logs/a.jsonl");
    live.until_bytes("logs/a.jsonl", "one\n");
    live.rename("logs/a.jsonl", "logs/b.jsonl");
    check(&mut live, &["found logs/a.jsonl", "found logs/b.jsonl", "gone logs/a.jsonl -> logs/b.jsonl"]);
}

#[test]
fn a_root_that_is_a_file_is_told() {
    let mut live = Live::watching("logs");
    live.write("logs", "");
    live.until_told("unreadable logs: is not a folder");
    fs::remove_file(live.at("logs")).unwrap();
    fs::create_dir(live.at("logs")).unwrap();
    live.write("logs/a.jsonl", "");
    live.until_told("found logs/a.jsonl");
}

#[test]
fn a_flood_of_names_is_found_in_the_end() {
    let mut live = Live::start(|base| {
        fs::create_dir(base.join("logs")).unwrap();
        TailConfig {
            folders: vec![logs_in(base.join("logs"))],
            walk_every: Duration::from_secs(3600),
            ..by_events()
        }
    });
    // More than the set of changed names holds: it is cleared, and everything is looked at.
    for n in 0..17_000 {
        fs::hard_link(live.at("logs/0.jsonl"), live.at(&format!("logs/{n}.jsonl")))
            .or_else(|_| fs::write(live.at(&format!("logs/{n}.jsonl")), ""))
            .unwrap();
    }
    live.until("all are found", |live| live.story.len() == 17_000);
}

#[test]
fn a_file_that_nobody_follows_is_told_again_when_it_grows() {
    let mut live = Live::watching("logs");
    fs::create_dir(live.at("logs")).unwrap();
    live.write("logs/a.jsonl", "one\n");
    live.until_told("found logs/a.jsonl");
    let (start, n_appends) = (Instant::now(), 2000);
    for _ in 0..n_appends {
        live.append("logs/a.jsonl", "heartbeat\n");
    }
    let length = 4 + 10 * n_appends;
    let path = live.at("logs/a.jsonl");
    live.until("its whole length is told", |live| live.sizes_told.get(&path) == Some(&length));
    let told = live.story.len() as u128;
    let most = 2 + start.elapsed().as_millis() / RETELL.as_millis();
    assert!(told <= most, "a burst is told now and then, not with each row: {told} times");
    assert!(live.bytes("logs/a.jsonl").is_empty(), "and nothing of it was read");
}

#[test]
fn a_clock_that_goes_back_hides_nothing() {
    let mut live = Live::watching("logs");
    fs::create_dir(live.at("logs")).unwrap();
    live.write("logs/a.jsonl", "one\n");
    live.until_told("found logs/a.jsonl");
    live.story.clear();
    let file = fs::File::options().append(true).open(live.at("logs/a.jsonl")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000)).unwrap();
    live.until_told("found logs/a.jsonl");
    // The same length and an older time than before: still a different file.
    live.story.clear();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    live.until_told("found logs/a.jsonl");
    live.settle();
    assert_eq!(live.story, ["found logs/a.jsonl"], "once is enough");
}

/// Only logs two levels down, and nothing in folders named `cache`.
fn two_down(below: &Path, kind: EntryKind) -> bool {
    let depth = below.components().count();
    match kind {
        EntryKind::Folder => depth == 1 && !below.ends_with("cache"),
        EntryKind::File => depth == 2 && any_log(below, kind),
    }
}

#[test]
fn the_caller_says_what_counts() {
    let mut live = Live::start(|base| {
        let folder = LogFolder { path: base.join("logs"), wanted: two_down };
        TailConfig { folders: vec![folder], ..by_events() }
    });
    for folder in ["logs/p/deep", "logs/cache", "logs/q"] {
        fs::create_dir_all(live.at(folder)).unwrap();
    }
    let names =
        ["logs/a.jsonl", "logs/p/b.jsonl", "logs/p/deep/c.jsonl", "logs/cache/d.jsonl", "logs/q/e.json"];
    names.iter().for_each(|name| live.write(name, "one\n"));
    check(&mut live, &["found logs/p/b.jsonl"]);
    live.story.clear();
    live.rename("logs/cache", "logs/kept");
    check(&mut live, &["found logs/kept/d.jsonl"]);
    live.story.clear();
    live.rename("logs/kept", "logs/cache");
    check(&mut live, &["gone logs/kept/d.jsonl -> logs/cache/d.jsonl"]);
}

#[test]
fn listing_finds_what_following_finds() {
    let mut live = Live::start(|base| {
        for folder in ["logs/p/q/r", "logs/cache", "real", "other"] {
            fs::create_dir_all(base.join(folder)).unwrap();
        }
        for name in ["logs/a.jsonl", "logs/p/b.jsonl", "logs/p/q/c.jsonl", "logs/p/q/r/d.jsonl", "logs/x.txt"]
        {
            fs::write(base.join(name), "one\n").unwrap();
        }
        fs::write(base.join("real/linked.jsonl"), "three").unwrap();
        std::os::unix::fs::symlink("../real/linked.jsonl", base.join("logs/link.jsonl")).unwrap();
        std::os::unix::fs::symlink("nowhere", base.join("logs/dangling.jsonl")).unwrap();
        std::os::unix::fs::symlink("../other", base.join("logs/folder-link")).unwrap();
        std::os::unix::fs::symlink("logs", base.join("given")).unwrap();
        fs::create_dir(base.join("logs/folder.jsonl")).unwrap();
        fs::write(base.join("other/not-seen.jsonl"), "").unwrap();
        TailConfig { folders: vec![logs_in(base.join("logs"))], ..by_events() }
    });
    live.until("five are found", |live| live.story.len() == 5);
    live.settle();
    let real = live.base.path().canonicalize().unwrap();
    let listed = list_logs(&[logs_in(live.at("given")), logs_in(live.at("missing"))], 100).logs;
    let names = |found: Vec<&Path>| -> Vec<String> {
        found.iter().map(|path| path.strip_prefix(&real).unwrap().display().to_string()).collect()
    };
    assert_eq!(
        names(listed.iter().map(|log| log.path.as_path()).collect()),
        ["logs/a.jsonl", "logs/p/b.jsonl", "logs/p/q/c.jsonl", "logs/p/q/r/d.jsonl", "real/linked.jsonl"],
        "a link to a file counts as that file",
    );
    let lengths: Vec<u64> = listed.iter().map(|log| log.stamp.length).collect();
    assert_eq!(lengths, [4, 4, 4, 4, 5]);
    assert_eq!(list_logs(&[logs_in(live.at("logs"))], 3).logs.len(), 3, "no more than asked for");
    let mut told: Vec<u64> = live.sizes_told.into_values().collect();
    told.sort_unstable();
    assert_eq!(told, lengths, "the follower tells the same");
}

#[test]
fn logs_are_known_by_their_name() {
    for (name, expected) in [
        ("a/b.jsonl", true),
        ("a/B.JSONL", true),
        ("a/b.json", false),
        ("a/b.jsonl.tmp", false),
        ("a/.jsonl", false),
        ("a/jsonl", false),
    ] {
        assert_eq!(any_log(Path::new(name), EntryKind::File), expected, "{name}");
    }
    let deep = "d/".repeat(DEPTH + 1);
    assert!(any_log(Path::new("a/b"), EntryKind::Folder) && !any_log(Path::new(&deep), EntryKind::Folder));
}
