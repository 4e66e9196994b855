//! Reading OpenCode's files up to 1.1.

use std::fs;
use std::path::{Path, PathBuf};

use cwl_discover::{DatabaseError, OpencodeFiles, opencode_files};

/// Writes files below a folder; returns the session's main file.
fn storage(dir: &Path, files: &[(&str, &str)]) -> PathBuf {
    for (name, text) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir.join("session/p/ses_1.json")
}

fn check(why: &str, files: &[(&str, &str)], expected: Option<(&[&str], &[&str])>) {
    let dir = tempfile::tempdir().unwrap();
    let read = opencode_files(&storage(dir.path(), files)).unwrap();
    let ids = |read: &OpencodeFiles| {
        let messages = read.messages.iter().map(|it| format!("{} {}", it.id, it.data)).collect::<Vec<_>>();
        let parts =
            read.parts.iter().map(|it| format!("{}/{} {}", it.message, it.id, it.data)).collect::<Vec<_>>();
        (messages, parts)
    };
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let expected = expected.map(|(messages, parts)| (owned(messages), owned(parts)));
    assert_eq!(read.as_ref().map(ids), expected, "{why}");
}

#[test]
fn a_session_is_its_files_in_the_order_of_their_ids() {
    check(
        "the parts of its messages, and of no others",
        &[
            ("session/p/ses_1.json", "{}"),
            ("message/ses_1/msg_2.json", "2"),
            ("message/ses_1/msg_1.json", "1"),
            ("message/ses_2/msg_3.json", "3"),
            ("part/msg_1/prt_b.json", "b"),
            ("part/msg_1/prt_a.json", "a"),
            ("part/msg_2/prt_c.json", "c"),
            ("part/msg_3/prt_d.json", "d"),
            ("part/msg_1/prt_e.json.tmp", "e"),
            ("part/msg_1/folder.json/prt_f.json", "f"),
        ],
        Some((&["msg_1 1", "msg_2 2"], &["msg_1/prt_a a", "msg_1/prt_b b", "msg_2/prt_c c"])),
    );
    check("nothing was said yet", &[("session/p/ses_1.json", "{}")], Some((&[], &[])));
    check("there is none", &[("message/ses_1/msg_1.json", "1")], None);
}

#[test]
fn odd_files_are_data_and_left_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let session = storage(dir.path(), &[("session/p/ses_1.json", "{"), ("message/ses_1/msg_1.json", "")]);
    fs::write(dir.path().join("message/ses_1/msg_2.json"), b"\xFF{").unwrap();
    let before = fs::metadata(&session).unwrap().modified().unwrap();
    let read = opencode_files(&session).unwrap().unwrap();
    let texts: Vec<&str> = read.messages.iter().map(|message| message.data.as_str()).collect();
    assert_eq!((read.session.as_str(), texts), ("{", vec!["", "\u{fffd}{"]));
    assert_eq!(fs::metadata(&session).unwrap().modified().unwrap(), before);
    assert_eq!(opencode_files(Path::new("ses_1.json")).unwrap(), None, "it stands in no storage");
    assert_eq!(opencode_files(Path::new("/")).unwrap(), None);
}

#[cfg(unix)]
#[test]
fn what_leads_elsewhere_is_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let session = storage(dir.path(), &[("session/p/ses_1.json", "{}"), ("message/ses_1/msg_1.json", "1")]);
    fs::write(dir.path().join("secret"), "s").unwrap();
    std::os::unix::fs::symlink(dir.path().join("secret"), dir.path().join("message/ses_1/msg_2.json"))
        .unwrap();
    let pipe = dir.path().join("message/ses_1/msg_3.json");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let read = opencode_files(&session).unwrap().unwrap();
    assert_eq!(read.messages.len(), 1);
    assert_eq!((read.messages[0].id.as_str(), read.messages[0].data.as_str()), ("msg_1", "1"));
    fs::remove_file(&session).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&session).status().unwrap().success());
    match opencode_files(&session) {
        Err(DatabaseError::File { path, .. }) => assert_eq!(path, session),
        other => panic!("a pipe is no session: {other:?}"),
    }
}

#[test]
fn a_session_that_is_too_large_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let session = storage(dir.path(), &[("session/p/ses_1.json", "{}"), ("message/ses_1/msg_1.json", "1")]);
    let file = fs::File::create(dir.path().join("message/ses_1/msg_2.json")).unwrap();
    // A sparse file: it has a length and takes no space.
    file.set_len(300 << 20).unwrap();
    match opencode_files(&session) {
        Err(DatabaseError::TooLarge { session, .. }) => assert_eq!(session, "ses_1"),
        other => panic!("{:?}", other.map(|read| read.map(|read| read.messages.len()))),
    }
}
