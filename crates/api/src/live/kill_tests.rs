//! A process that is killed while it reads a log into the store loses and doubles nothing.
#![allow(clippy::unwrap_used)]
use super::*;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where the other process finds its log and its store.
const DIR: &str = "CWL_KILL_TEST_DIR";
/// Over a hundred transactions for the log.
const CHUNK: usize = 16 << 10;
/// A kill comes no later than this, so that two hundred take half a minute on a busy machine too.
const LONGEST: Duration = Duration::from_millis(500);
/// In all, shared out over the lanes.
const KILLS: u32 = 200;
const LANES: u32 = 2;
const LOG: &[u8] = include_bytes!("../../../../samples/pi/long/input.jsonl");

/// The other process. It is no test of its own: it needs a parent to say where the log is.
#[test]
#[ignore = "started by another test as a process of its own"]
fn reading_process() {
    if let Some(dir) = std::env::var_os(DIR) {
        read_in(Path::new(&dir));
    }
}

fn read_in(dir: &Path) {
    let library = Arc::new(Library::open(&dir.join("data")).unwrap());
    let opening = Opening { chunk: CHUNK, ..Opening::default() };
    let mut live = Live::open(library, &dir.join("log.jsonl"), Tools::builtin(), &opening).unwrap();
    drop(live.publish());
    live.save_derived().unwrap();
}

/// A process that ends with the test, however the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn start(dir: &Path) -> Running {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "live::kill_tests::reading_process", "--ignored"])
        .env(DIR, dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Running(child.unwrap())
}

/// Returns how far the store has read, bytes, and checks that its rows are those of so many bytes.
fn read_to(dir: &Path, records_before: &[u64]) -> u64 {
    let store = cwl_store::Store::open(&dir.join("data")).unwrap();
    let Some(row) = store.read().unwrap().sources().unwrap().pop() else { return 0 };
    let offset = row.cursor.offset;
    let n_lines = LOG[..offset as usize].iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(u64::from(row.n_events), records_before[n_lines], "rows and cursor are one, at byte {offset}");
    offset
}

/// Every row of every table that holds what was read, as text.
fn ground(dir: &Path) -> String {
    let db = rusqlite::Connection::open(dir.join("data/sessions.sqlite")).unwrap();
    let derived = ["build", "episode", "dependency", "diagnostic"];
    let mut names = db.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search%'
         ORDER BY name",
    ).unwrap();
    let names: Vec<String> =
        names.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    let mut text = String::new();
    for name in names.iter().filter(|name| !derived.contains(&name.as_str())) {
        let mut statement = db.prepare(&format!("SELECT * FROM {name}")).unwrap();
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut lines = Vec::new();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let cells = columns.iter().enumerate().filter(|(_, column)| !of_the_file(column));
            let cells = cells.map(|(at, _)| format!("{:?}", row.get_ref(at).unwrap()));
            lines.push(cells.collect::<Vec<_>>().join(" | "));
        }
        lines.sort();
        text += &format!("## {name}: {} rows\n{}\n", lines.len(), lines.join("\n"));
    }
    text
}

/// The copies of the log are different files, and their last pieces end where the last kill had them begin.
fn of_the_file(column: &str) -> bool {
    ["path", "dev", "inode", "tail_len", "tail_hash"].contains(&column)
}

/// What a lane of kills compares with.
struct Whole {
    /// How many records stand in so many lines.
    records_before: Vec<u64>,
    /// The ground rows of a store that was made in one go.
    ground: String,
    /// How long a process takes that nobody kills, or as long as we wait.
    took: Duration,
}

/// Kills readers of one log until it is through, then takes a new store; returns how many kills left a part of it.
fn lane(seed: u32, whole: &Whole) -> u32 {
    let mut dice = seed;
    let mut below = |n: u32| {
        dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u64::from(dice >> 8) % u64::from(n)
    };
    let took_us = u32::try_from(whole.took.as_micros()).unwrap();
    let mut n_parts = 0;
    let mut dir = new_dir();
    for kill in 0..KILLS / LANES {
        let mut running = start(dir.path());
        let until = Instant::now() + Duration::from_micros(below(took_us));
        while Instant::now() < until && running.0.try_wait().unwrap().is_none() {
            std::thread::sleep(until.saturating_duration_since(Instant::now()).min(Duration::from_millis(1)));
        }
        drop(running);
        let offset = read_to(dir.path(), &whole.records_before);
        n_parts += u32::from(offset > 0 && offset < LOG.len() as u64);
        if offset == LOG.len() as u64 || kill + 1 == KILLS / LANES {
            read_in(dir.path());
            let found = ground(dir.path());
            let differing =
                found.lines().zip(whole.ground.lines()).find(|(found, expected)| found != expected);
            assert_eq!(differing, None, "lane {seed}, after {kill} kills");
            assert_eq!(found.len(), whole.ground.len(), "lane {seed}, after {kill} kills");
            let data_dir = dir.path().join("data");
            assert_eq!(crate::check_store(&data_dir).unwrap(), Vec::<String>::new());
            assert_eq!(std::fs::read(dir.path().join("log.jsonl")).unwrap(), LOG, "the log is as it was");
            dir = new_dir();
        }
    }
    n_parts
}

fn new_dir() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("log.jsonl"), LOG).unwrap();
    dir
}

#[test]
fn two_hundred_kills() {
    let mut reader = cwl_formats::Reader::new(Format::Pi);
    let mut records_before = vec![0];
    for line in LOG.split_inclusive(|byte| *byte == b'\n') {
        let n_records = reader.feed(line).events.len() as u64;
        records_before.push(records_before.last().unwrap() + n_records);
    }
    let in_one_go = new_dir();
    let started = Instant::now();
    assert!(start(in_one_go.path()).0.wait().unwrap().success());
    let whole =
        Whole { records_before, ground: ground(in_one_go.path()), took: started.elapsed().min(LONGEST) };
    let whole = &whole;
    let n_parts: u32 = std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..LANES).map(|seed| scope.spawn(move || lane(seed, whole))).collect();
        lanes.into_iter().map(|lane| lane.join().unwrap()).sum()
    });
    assert!(n_parts > 0, "of {KILLS} kills at random moments, some come in the midst of the log");
}
