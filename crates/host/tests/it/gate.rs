//! The gate for links.

use std::path::Path;

use crate::common::{Host, story};
use serde_json::{Value, json};

async fn admit(host: &Host, session: &str) -> Value {
    host.call("admit", json!({"session": session})).await
}

fn admitted(target: &str, known: bool) -> Value {
    json!({"target": target, "known": known, "marks": null})
}

async fn refusal(host: &Host, session: &str) -> String {
    let error = host.error("admit", json!({"session": session})).await;
    let code = serde_json::to_value(error.code).unwrap();
    code.as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_known_session_is_let_in_by_any_of_its_names() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let path = log.path.canonicalize().unwrap().display().to_string();
    let known = admitted(&path, true);
    // In a folder of logs, and never opened.
    for name in [path.as_str(), "s-1", "a", "a.jsonl"] {
        assert_eq!(admit(&host, name).await, known, "{name}");
    }
    let roundabout = log.path.parent().unwrap().join("../logs/./a.jsonl").display().to_string();
    assert_eq!(admit(&host, &roundabout).await, known);
    let number = host.open(&log).await["session"].to_string();
    assert_eq!(admit(&host, &number).await, known);
    assert_eq!(refusal(&host, "no-such-session").await, "missing");
    assert_eq!(refusal(&host, "").await, "missing");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_file_is_asked_about_until_it_was_opened() {
    let host = Host::start().await;
    let mut log = host.log("../elsewhere/b.jsonl");
    story(&mut log);
    let path = log.path.canonicalize().unwrap().display().to_string();
    assert_eq!(admit(&host, &path).await, admitted(&path, false));
    host.open(&log).await;
    assert_eq!(admit(&host, &path).await, admitted(&path, true));
    let none = format!("{path}.none");
    assert_eq!(admit(&host, &none).await, admitted(&none, false), "that it is not there is told later");
    // A link must not name a path relative to the working directory.
    assert_eq!(refusal(&host, "./b.jsonl").await, "refused");
    let folder = Path::new(&path).parent().unwrap();
    assert_eq!(refusal(&host, folder.to_str().unwrap()).await, "notAFile");
    // A corpus opens as a table, after consent.
    std::fs::create_dir(folder.join("sessions")).unwrap();
    std::fs::write(folder.join("corpus.json"), "{}").unwrap();
    assert_eq!(admit(&host, folder.to_str().unwrap()).await, admitted(folder.to_str().unwrap(), false));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn devices_and_networks_are_refused_also_behind_links() {
    let host = Host::start().await;
    let folder = host.dir.path().join("elsewhere");
    std::fs::create_dir_all(&folder).unwrap();
    let (device, way) = (folder.join("a.jsonl"), folder.join("way"));
    std::os::unix::fs::symlink("/dev/zero", &device).unwrap();
    std::os::unix::fs::symlink("/proc", &way).unwrap();
    let behind = [device.display().to_string(), way.join("self/environ").display().to_string()];
    let plain = [
        "/dev/zero",
        "/proc/self/environ",
        "/sys",
        "//server/share/a.jsonl",
        r"\\server\a",
        "file:///etc/passwd",
    ];
    for target in plain.into_iter().chain(behind.iter().map(String::as_str)) {
        assert_eq!(refusal(&host, target).await, "refused", "{target}");
    }
    let listed = host.call("sessions", json!({})).await;
    assert_eq!(listed["rows"].as_array().unwrap().len(), 0, "nothing was opened");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_marks_is_asked_about_and_its_place_is_held_to_the_same() {
    let host = Host::start().await;
    let mut log = host.log("a.jsonl");
    story(&mut log);
    let session = log.path.canonicalize().unwrap().display().to_string();
    let request = |annotation: &str| json!({"session": session, "annotation": annotation});
    for word in ["auto", "inferred", "by-hand", "{\"episodes\": []}", ""] {
        assert_eq!(host.call("admit", request(word)).await, admitted(&session, true), "{word}");
    }
    let marks = host.dir.path().canonicalize().unwrap().join("marks.json").display().to_string();
    let asked = json!({"target": session, "known": false, "marks": marks});
    assert_eq!(host.call("admit", request(&marks)).await, asked, "also of a known session");
    for (annotation, expected) in [
        ("//server/share/marks.json", "refused"),
        ("https://example.com/marks.json", "refused"),
        ("marks.json", "refused"),
        ("../marks.json", "refused"),
    ] {
        let error = host.error("admit", request(annotation)).await;
        assert_eq!(serde_json::to_value(error.code).unwrap(), expected, "{annotation}");
    }
    if cfg!(unix) {
        let error = host.error("admit", request("/dev/zero")).await;
        assert_eq!(serde_json::to_value(error.code).unwrap(), "refused");
    }
}
