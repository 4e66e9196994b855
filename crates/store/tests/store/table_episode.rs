//! Tables `build`, `episode`, `dependency` and `diagnostic`: built beside the current rows, swapped, and void
//! if outdated.

use cwl_engine::*;
use cwl_store::*;
use rusqlite::{Connection, OptionalExtension, params};

use crate::common::*;

fn episodes() -> Vec<EpisodeRow> {
    let episode = |name: &str, kind, state| EpisodeRow {
        name: name.into(),
        kind,
        state,
        cut_off: false,
        start: BlockPlace { seq: 0, part: 1 },
        end: None,
        n_blocks: 0,
        first_turn: 1,
        closed_turn: None,
        description: None,
        dependencies: Vec::new(),
    };
    vec![
        EpisodeRow {
            end: Some(BlockPlace { seq: u32::MAX, part: u32::MAX }),
            cut_off: true,
            closed_turn: Some(u32::MAX),
            description: Some("learned\0 much".into()),
            n_blocks: u32::MAX,
            ..episode("look", EpisodeKind::Exploratory, Life::Closed)
        },
        EpisodeRow {
            description: Some("".into()),
            ..episode("~1", EpisodeKind::Unannotated, Life::Vanished)
        },
        EpisodeRow {
            dependencies: vec![
                DependencyRow { declared: "look".into(), upon: Some(0) },
                DependencyRow { declared: "".into(), upon: None },
                DependencyRow { declared: "look".into(), upon: Some(0) },
            ],
            ..episode("fix#2", EpisodeKind::Action, Life::Open)
        },
    ]
}

fn diagnostics() -> Vec<Problem> {
    vec![
        Problem { place: Place::at_line(2), kind: ProblemKind::NameReused { renamed: "fix#2".into() } },
        Problem { place: Place::at_line(1), kind: ProblemKind::NeverClosed },
    ]
}

#[test]
fn saved_and_loaded() {
    let dir = tempfile::tempdir().unwrap();
    let (mut store, source) = store_in(dir.path());
    let read = store.read_handle().unwrap();
    assert_eq!(derived_rows(&store, source, 1), None);
    assert_eq!(figures(&read, 1), None);
    let (episodes, diagnostics) = (episodes(), diagnostics());
    let derived = derived(1, 7, &episodes, &diagnostics);
    let expected = SessionFigures {
        n_turns: 2,
        tokens: 1234,
        tokenizer: "o200k".into(),
        n_episodes: 2,
        is_annotated: true,
        n_problems: 2,
    };
    for _ in 0..2 {
        assert_eq!(store.save_derived(source, &derived).unwrap(), RebuildOutcome::Swapped);
        let diagnostics = diagnostics.iter().map(|problem| problem.kind.to_string()).collect();
        assert_eq!(derived_rows(&store, source, 1), Some((episodes.clone(), diagnostics)));
        assert_eq!(figures(&read, 1), Some(expected.clone()));
        check_sound(&store);
    }
    assert_eq!(derived_rows(&store, source, 2), None, "other rules need other rows");
    assert_eq!(figures(&read, 2), None);
}

#[test]
fn the_newer_wins() {
    let dir = tempfile::tempdir().unwrap();
    let (mut store, source) = store_in(dir.path());
    let read = store.read_handle().unwrap();
    let derived = |version, n_events| derived(version, n_events, &[], &[]);
    assert_eq!(store.save_derived(source, &derived(2, 7)).unwrap(), RebuildOutcome::Swapped);
    assert_eq!(store.save_derived(source, &derived(1, 7)).unwrap(), RebuildOutcome::Newer);
    assert_eq!(store.save_derived(source, &derived(3, 6)).unwrap(), RebuildOutcome::Outdated);
    assert!(derived_rows(&store, source, 2).is_some(), "what was not kept changed nothing");
    assert!(figures(&read, 2).is_some_and(|figures| !figures.is_annotated && figures.n_episodes == 0));

    let on = cursor(1100);
    let more = [event(8, EventBody::Quiet { record: "x".into() }, &[])];
    let batch = Ingest {
        source,
        expected_offset: 1000,
        events: &more,
        problems: &[],
        counts: &[],
        cursor: &on,
        reader: b"",
        rules: 1,
    };
    store.ingest_batch(&batch).unwrap();
    assert_eq!(derived_rows(&store, source, 2), None, "the log went on");
    assert_eq!(figures(&read, 2), None);
    assert_eq!(store.save_derived(source, &derived(2, 8)).unwrap(), RebuildOutcome::Swapped);
    assert!(derived_rows(&store, source, 2).is_some());
}

/// A swap that fails half-way leaves the old build intact.
#[test]
fn all_or_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (mut store, source) = store_in(dir.path());
    let (episodes, diagnostics) = (episodes(), diagnostics());
    let derived = derived(1, 7, &episodes, &diagnostics);
    store.save_derived(source, &derived).unwrap();
    let before = dump(&store);
    for (when, table) in [
        ("BEFORE INSERT", "episode"),
        ("BEFORE INSERT", "diagnostic"),
        ("BEFORE DELETE", "dependency"),
        ("BEFORE UPDATE", "build"),
    ] {
        let db = rusqlite::Connection::open(store.file_path()).unwrap();
        db.execute_batch(&format!(
            "CREATE TRIGGER fail {when} ON {table} BEGIN SELECT RAISE (ABORT, 'injected'); END"
        ))
        .unwrap();
        store.save_derived(source, &derived).unwrap_err();
        db.execute_batch("DROP TRIGGER fail").unwrap();
        assert_eq!(dump(&store), before, "{when} {table}");
    }
}

fn figures(read: &ReadHandle, version: u32) -> Option<SessionFigures> {
    read.session_figures(version).unwrap().into_values().next()
}

fn store_in(dir: &std::path::Path) -> (Store, SourceId) {
    let mut store = Store::open(dir).unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest(&mut store, source, &story(), &[]);
    (store, source)
}

/// Returns a log's episodes and diagnostics as a SQL shell sees them; `None` if they have another version or
/// cover other records.
fn derived_rows(store: &Store, source: SourceId, version: u32) -> Option<(Vec<EpisodeRow>, Vec<String>)> {
    let db = Connection::open(store.file_path()).unwrap();
    let build: Option<i64> = db
        .query_row(
            "SELECT u.id FROM build AS u JOIN source AS s ON s.id = u.source_id
             WHERE s.id = ?1 AND u.current = 1 AND u.version = ?2 AND u.n_events = s.n_events",
            params![source.number(), version],
            |row| row.get(0),
        )
        .optional()
        .unwrap();
    let build = build?;
    let mut statement = db
        .prepare(
            "SELECT name, kind, state, cut_off, start_seq, start_part, end_seq, end_part, n_blocks, first_turn,
               closed_turn, description FROM episode WHERE build_id = ?1 ORDER BY idx",
        )
        .unwrap();
    let mut episodes: Vec<EpisodeRow> = statement
        .query_map([build], |row| {
            let word = |column| row.get::<_, String>(column);
            let end = row.get::<_, Option<u32>>(6)?;
            Ok(EpisodeRow {
                name: word(0)?.as_str().into(),
                kind: word(1)?.parse().unwrap(),
                state: word(2)?.parse().unwrap(),
                cut_off: row.get(3)?,
                start: BlockPlace { seq: row.get(4)?, part: row.get(5)? },
                end: end.map(|seq| BlockPlace { seq, part: row.get(7).unwrap() }),
                n_blocks: row.get(8)?,
                first_turn: row.get(9)?,
                closed_turn: row.get(10)?,
                description: row.get(11)?,
                dependencies: Vec::new(),
            })
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut statement = db
        .prepare("SELECT action, name, upon FROM dependency WHERE build_id = ?1 ORDER BY action, place")
        .unwrap();
    let mut rows = statement.query([build]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let (action, name): (u32, String) = (row.get(0).unwrap(), row.get(1).unwrap());
        let dependency = DependencyRow { declared: name.as_str().into(), upon: row.get(2).unwrap() };
        episodes[action as usize].dependencies.push(dependency);
    }
    let mut statement =
        db.prepare("SELECT message FROM diagnostic WHERE build_id = ?1 ORDER BY place").unwrap();
    let messages = statement.query_map([build], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    Some((episodes, messages))
}
