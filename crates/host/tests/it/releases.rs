//! Stored fixtures of every release: this program opens each with everything people made, and a program with
//! an older schema refuses a newer store and leaves it unchanged.

use std::path::{Path, PathBuf};

use cwl_store::{Fault, Store};

use crate::common::{Host, story, user};
use serde_json::{Value, json};

/// Databases of a store, each packed in the fixture.
const FILES: [&str; 2] = ["sessions.sqlite", "user.sqlite"];

/// Folder of fixtures, with one folder per version.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/releases")
}

/// Releases with a fixture, by version.
fn releases() -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
        .collect();
    found.sort();
    found
}

fn told_of(release: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(release.join("told.json")).unwrap()).unwrap()
}

/// Unpacks a release's store into a new folder.
fn unpacked(release: &Path) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    for file in FILES {
        let packed = std::fs::File::open(release.join(format!("{file}.zst"))).unwrap();
        std::fs::write(data.join(file), zstd::decode_all(packed).unwrap()).unwrap();
    }
    dir
}

/// Collects everything that must outlive a release: read logs and what people made.
async fn told(host: &Host) -> Value {
    let pick = |from: &Value, names: &[&str]| -> Value {
        names
            .iter()
            .map(|name| ((*name).to_owned(), from[*name].clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let mut sessions = Vec::new();
    let listed = host.call("sessions", json!({})).await;
    let mut rows: Vec<&Value> = listed["rows"].as_array().unwrap().iter().collect();
    rows.sort_by_key(|row| row["path"].as_str().unwrap().to_owned());
    for row in rows {
        let opened = host.call("open", json!({"target": row["path"]})).await;
        let session = json!({"session": opened["session"]});
        let overlays = host.call("overlays", session.clone()).await;
        let mut marks = Vec::new();
        for overlay in overlays["overlays"].as_array().unwrap() {
            let kept = json!({"session": opened["session"], "name": overlay["name"]});
            marks.push(json!({"name": overlay["name"], "json": host.call("marks_json", kept).await["json"]}));
        }
        let mut texts = Vec::new();
        for block in ["00000001:0", "00000002:0"] {
            let block = json!({"session": opened["session"], "branch": null, "block": block});
            texts.push(host.call("block", block).await["text"].clone());
        }
        let notes = host.call("notes", session.clone()).await["notes"].clone();
        let notes: Vec<Value> = notes
            .as_array()
            .unwrap()
            .iter()
            .map(|note| pick(note, &["subject", "body", "written_ms"]))
            .collect();
        let views = host.call("saved_views", session).await["views"].clone();
        let views: Vec<Value> =
            views.as_array().unwrap().iter().map(|view| pick(view, &["name", "query"])).collect();
        sessions.push(json!({
            "row": pick(row, &["id", "path", "format", "cwd", "pinned", "n_notes"]),
            "n_turns": opened["n_turns"],
            "notes": notes,
            "views": views,
            "marks": marks,
            "texts": texts,
        }));
    }
    json!({"sessions": sessions})
}

/// Writes the store of this program as the fixture of its version, if `CWL_RELEASE` is set: a part of
/// `make release`.
#[tokio::test(flavor = "multi_thread")]
async fn the_store_of_this_release_is_written() {
    if std::env::var_os("CWL_RELEASE").is_none() {
        return;
    }
    // The store holds paths of logs, so the folder has the same name on every machine.
    let dir = tempfile::Builder::new().prefix("cwl-release").rand_bytes(0).tempdir().unwrap();
    let host = Host::in_folder(dir).await;
    let (mut first, mut second) = (host.log("a.jsonl"), host.log("b.jsonl"));
    story(&mut first);
    second.header("s-2");
    second.add(user("Another log, with nothing in it that a person made."));
    second.add(user("Its second line."));
    host.open(&second).await;
    let number = host.open(&first).await["session"].as_u64().unwrap();
    let with = |more: Value| {
        let mut all = json!({"session": number});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    for (subject, body, written_ms) in [
        (json!({"on": "session"}), "of the session: ü\n<b>", 1_700_000_000_000_u64),
        (json!({"on": "episode", "name": "map-retries"}), "of an episode", 1_700_000_000_001),
        (json!({"on": "block", "block": "00000005:0"}), "of a block", 1_700_000_000_002),
    ] {
        host.call("save_note", with(json!({"subject": subject, "body": body, "written_ms": written_ms})))
            .await;
    }
    host.call("save_view", with(json!({"name": "here", "query": "turn=3&policy=cwl&tau=8k"}))).await;
    let marks = r#"{"made_by": "me", "episodes": [{"name": "a", "type": "act", "first": 2, "last": 9}]}"#;
    host.call("save_marks", with(json!({"name": "hand", "json": marks}))).await;
    let path = host.call("session", json!({"session": number})).await["path"].clone();
    host.call("pin", json!({"path": path, "pinned": true})).await;
    let expected = told(&host).await;
    assert_eq!(expected["sessions"].as_array().unwrap().len(), 2);

    let Host { dir, inspector, pushes } = host;
    drop((inspector, pushes));
    let release = folder().join(env!("CARGO_PKG_VERSION"));
    std::fs::create_dir_all(&release).unwrap();
    for file in FILES {
        let path = dir.path().join("data").join(file);
        // Puts all content into the main file, in as few pages as possible.
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        drop(db);
        let packed = zstd::encode_all(std::fs::File::open(&path).unwrap(), 19).unwrap();
        std::fs::write(release.join(format!("{file}.zst")), packed).unwrap();
    }
    let text = serde_json::to_string_pretty(&expected).unwrap() + "\n";
    std::fs::write(release.join("told.json"), text).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn this_program_opens_the_store_of_every_release() {
    let releases = releases();
    assert!(!releases.is_empty());
    for (version, release) in releases {
        let expected = told_of(&release);
        let host = Host::in_folder(unpacked(&release)).await;
        let found = told(&host).await;
        assert_eq!(found, expected, "{version}");
        let notes: usize = expected["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["notes"].as_array().unwrap().len())
            .sum();
        assert_eq!(notes, 3, "{version}: the fixture has what people make");
        let hits = crate::search::search(&host, json!({"query": "retries"})).await;
        assert_eq!(hits["sessions"].as_array().unwrap().len(), 1, "{version}: {hits}");
        let Host { dir, inspector, pushes } = host;
        drop((inspector, pushes));
        let store = Store::open(&dir.path().join("data")).unwrap();
        assert_eq!(store.check_integrity().unwrap(), [], "{version}: the store contradicts itself");
    }
}

/// A newer store: one of its files has a migration more than this program knows.
#[test]
fn an_older_program_refuses_a_newer_store_and_leaves_it_alone() {
    for (version, release) in releases() {
        for newer in FILES {
            let dir = unpacked(&release);
            let data = dir.path().join("data");
            let db = rusqlite::Connection::open(data.join(newer)).unwrap();
            db.execute("INSERT INTO migration VALUES (900, '0900_add_moon.sql', 'x')", []).unwrap();
            drop(db);
            let bytes = || FILES.map(|file| std::fs::read(data.join(file)).unwrap());
            let before = bytes();
            let error = Store::open(&data).err().expect("refused");
            assert!(matches!(error.fault, Fault::Newer { found: 900, .. }), "{version}, {newer}: {error}");
            assert!(bytes() == before, "{version}, {newer}: a refused store is left alone");
        }
    }
}

/// One file is older and the other newer: nothing is migrated before both are known.
#[test]
fn nothing_is_migrated_before_both_files_are_known() {
    let dir = tempfile::tempdir().unwrap();
    drop(Store::open(dir.path()).unwrap());
    let user = rusqlite::Connection::open(dir.path().join("user.sqlite")).unwrap();
    user.execute("INSERT INTO migration VALUES (900, '0900_add_moon.sql', 'x')", []).unwrap();
    drop(user);
    std::fs::write(dir.path().join("sessions.sqlite"), "").unwrap();
    let error = Store::open(dir.path()).err().expect("refused");
    assert!(matches!(error.fault, Fault::Newer { .. }), "{error}");
    let sessions = rusqlite::Connection::open(dir.path().join("sessions.sqlite")).unwrap();
    let n: i64 = sessions.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(n, 0, "no table was made");
}

/// The user's own tables from every release are still understood.
#[test]
fn the_tables_of_every_release_are_understood() {
    for (version, release) in releases() {
        let tools = cwl_host::tools_of_folder(&release.join("config"));
        assert_eq!(tools.problems, Vec::<String>::new(), "{version}");
        for table in cwl_host::tables_of(Some(&release.join("config"))).tables {
            assert_eq!(table.problems, Vec::<String>::new(), "{version}: {}", table.name);
            assert_eq!(
                table.n_own > 0,
                table.own_file.is_some(),
                "{version}: {} has a row of the user's",
                table.name
            );
        }
    }
}

/// Every release in the changelog has its fixture.
#[test]
fn every_release_has_a_fixture() {
    let changelog = include_str!("../../../../CHANGELOG.md");
    let told = changelog.lines().filter_map(|line| line.strip_prefix("## [")?.split(']').next());
    let known: Vec<String> = releases().into_iter().map(|(version, _)| version).collect();
    for version in told.filter(|version| *version != "Unreleased") {
        assert!(known.iter().any(|known| known == version), "make release writes that of {version}");
    }
}
