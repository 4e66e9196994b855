//! Tables `build`, `episode`, `dependency` and `diagnostic`: built beside, swapped, and void when outdated.

use cwl_engine::*;
use cwl_store::*;

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
            ..episode("look", EpisodeKind::Exploratory, EpisodeState::Closed)
        },
        EpisodeRow {
            description: Some("".into()),
            ..episode("~1", EpisodeKind::Unannotated, EpisodeState::Vanished)
        },
        EpisodeRow {
            dependencies: vec![
                DependencyRow { declared: "look".into(), upon: Some(0) },
                DependencyRow { declared: "".into(), upon: None },
                DependencyRow { declared: "look".into(), upon: Some(0) },
            ],
            ..episode("fix#2", EpisodeKind::Action, EpisodeState::Open)
        },
    ]
}

fn diagnostics() -> Vec<Problem> {
    vec![
        Problem { place: Place::line(2), kind: ProblemKind::NameReused { renamed: "fix#2".into() } },
        Problem { place: Place::line(1), kind: ProblemKind::NeverClosed },
    ]
}

#[test]
fn saved_and_loaded() {
    let (mut store, source) = store_of(&story());
    let read = store.read().unwrap();
    assert_eq!(read.derived(source, 1).unwrap(), None);
    assert_eq!(figures(&read, 1), None);
    let (episodes, diagnostics) = (episodes(), diagnostics());
    let derived = derived(1, 7, &episodes, &diagnostics);
    let expected =
        SessionFigures { n_turns: 2, tokens: 1234, n_episodes: 2, is_annotated: true, n_problems: 2 };
    for _ in 0..2 {
        assert_eq!(store.save_derived(source, &derived).unwrap(), Rebuilt::Swapped);
        let rows = read.derived(source, 1).unwrap().unwrap();
        assert_eq!((rows.episodes, rows.diagnostics), (episodes.clone(), diagnostics.clone()));
        assert_eq!(figures(&read, 1), Some(expected));
        check_sound(&store);
    }
    assert_eq!(read.derived(source, 2).unwrap(), None, "other rules need other rows");
    assert_eq!(figures(&read, 2), None);
}

#[test]
fn the_newer_wins() {
    let (mut store, source) = store_of(&story());
    let read = store.read().unwrap();
    let derived = |version, n_events| derived(version, n_events, &[], &[]);
    assert_eq!(store.save_derived(source, &derived(2, 7)).unwrap(), Rebuilt::Swapped);
    assert_eq!(store.save_derived(source, &derived(1, 7)).unwrap(), Rebuilt::Newer);
    assert_eq!(store.save_derived(source, &derived(3, 6)).unwrap(), Rebuilt::Outdated);
    assert!(read.derived(source, 2).unwrap().is_some(), "what was not kept changed nothing");
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
    };
    store.ingest(&batch).unwrap();
    assert_eq!(read.derived(source, 2).unwrap(), None, "the log went on");
    assert_eq!(figures(&read, 2), None);
    assert_eq!(store.save_derived(source, &derived(2, 8)).unwrap(), Rebuilt::Swapped);
    assert!(read.derived(source, 2).unwrap().is_some());
}

/// A swap that fails half-way leaves the old build, whole.
#[test]
fn all_or_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path()).unwrap();
    let source = store.source("a", "pi").unwrap();
    ingest(&mut store, source, &story(), &[]);
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
        let db = rusqlite::Connection::open(store.path()).unwrap();
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
