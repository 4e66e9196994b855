//! The views, as a person with the `sqlite3` shell sees them.

use cwl_engine::*;
use cwl_store::*;
use rusqlite::Connection;

use crate::common::*;

pub(crate) fn store_with_rows() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let source = store.source("/logs/a.jsonl", "pi").unwrap();
    let torn = Problem { place: Place::at_entry(7, "e7".into()), kind: ProblemKind::LossyText };
    ingest(&mut store, source, &story(), &[torn]);
    let episode = |name: &str, kind, dependencies| EpisodeRow {
        name: name.into(),
        kind,
        state: Life::Closed,
        cut_off: false,
        start: BlockPlace { seq: 2, part: 1 },
        end: None,
        n_blocks: 3,
        first_turn: 2,
        closed_turn: None,
        description: None,
        dependencies,
    };
    let dependencies = vec![
        DependencyRow { declared: "look".into(), upon: Some(0) },
        DependencyRow { declared: "dream".into(), upon: None },
    ];
    let mut vanished = episode("~1", EpisodeKind::Unannotated, vec![]);
    vanished.state = Life::Vanished;
    let episodes = [
        episode("look", EpisodeKind::Exploratory, vec![]),
        episode("look around", EpisodeKind::Exploratory, vec![]),
        episode("fix", EpisodeKind::Action, dependencies),
        vanished,
    ];
    let unknown = ProblemKind::UnknownDependency { name: "dream".into() };
    let diagnostics = [Problem { place: Place::at_line(3), kind: unknown }];
    let derived = derived(1, 7, &episodes, &diagnostics);
    assert_eq!(store.save_derived(source, &derived).unwrap(), RebuildOutcome::Swapped);
    (dir, store)
}

#[test]
fn every_view() {
    let (_dir, store) = store_with_rows();
    let db = Connection::open(store.file_path()).unwrap();
    // The shell may be configured to trust no schema.
    db.pragma_update(None, "trusted_schema", false).unwrap();
    let all: String = ["sessions", "messages", "blocks", "episodes", "dependencies", "problems"]
        .iter()
        .map(|view| format!("## {view}\n{}", table(&db, &format!("SELECT * FROM {view}"))))
        .collect();
    insta::assert_snapshot!(all);
}

#[test]
fn views_hold_for_times_that_are_none() {
    let (_dir, store) = store_with_rows();
    let db = Connection::open(store.file_path()).unwrap();
    for at in [i64::MIN, i64::MAX, -1, 0] {
        db.execute("UPDATE event SET at_ms = ?1", [at]).unwrap();
        let n_rows: i64 = db.query_row("SELECT count(*) FROM messages", [], |row| row.get(0)).unwrap();
        assert_eq!(n_rows, 5, "at {at}");
    }
}
