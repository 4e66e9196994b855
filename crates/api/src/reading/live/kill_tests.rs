//! A process that is killed while it reads a log into the store loses and doubles nothing, whatever wrote the log.
#![allow(clippy::unwrap_used)]
use super::*;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Where the other process finds its log and its store.
const DIR: &str = "CWL_KILL_TEST_DIR";
/// Kills in all, shared out over the logs, unless `CWL_KILLS` says how many.
const KILLS: usize = 40;
/// So many kills surely hit every kind of log in the midst; fewer need not.
const SURELY: usize = 200;
/// Logs that are read and killed at once.
const LANES: usize = 2;
/// How many transactions a log takes at the least.
const PIECES: usize = 128;
/// A kill comes no later than this after reading has begun, so that all of them take half a minute on a busy
/// machine too.
const LONGEST: Duration = Duration::from_millis(400);
/// By then a process has begun to read, or it never will.
const DEADLINE: Duration = Duration::from_secs(60);

/// One process goes on with a log of which another one has read a part.
#[derive(Debug, Clone, Copy, PartialEq)]
enum After {
    /// It reads the rest; nothing is read twice.
    GoesOn,
    /// It reads the rest, or all of it again where a record needs one before it.
    Either,
    /// It reads all of it again.
    ReadsAgain,
    /// There is no part: the log is one document, which is there or not.
    Whole,
}

/// At least one log of every format; a name that ends in `.zst` is that sample, packed.
const LOGS: &[(&str, After)] = &[
    ("pi/long/input.jsonl", After::GoesOn),
    ("pi/v1/input.jsonl", After::ReadsAgain),
    ("claude-code/quickstart/input.jsonl", After::Either),
    ("claude-code/compaction/input.jsonl", After::Either),
    ("codex/quickstart/input.jsonl", After::ReadsAgain),
    ("codex/quickstart/input.jsonl.zst", After::ReadsAgain),
    ("copilot/quickstart/input.jsonl", After::ReadsAgain),
    ("qwen-code/quickstart/input.jsonl", After::ReadsAgain),
    ("gemini-cli/quickstart/input.jsonl", After::ReadsAgain),
    ("gemini-cli/document/input.json", After::Whole),
    ("opencode/quickstart/input.json", After::Whole),
    ("atif/quickstart/input.json", After::Whole),
    ("swe-agent/quickstart/input.json", After::Whole),
    ("mini-swe-agent/quickstart/input.json", After::Whole),
    ("anthropic/requests/input.jsonl", After::ReadsAgain),
    ("openai-chat/requests/input.jsonl", After::ReadsAgain),
    ("openai-responses/requests/input.jsonl", After::ReadsAgain),
    ("gemini/requests/input.jsonl", After::ReadsAgain),
];

/// The other process. It is no test of its own: it needs a parent to say where the log is.
#[test]
#[ignore = "started by another test as a process of its own"]
fn reading_process() {
    if let Some(dir) = std::env::var_os(DIR) {
        let dir = Path::new(&dir);
        // Loading the vocabulary takes most of the life of a short reading, and touches nothing.
        cwl_tokens::load_vocabulary(AT_INGEST);
        std::fs::write(begun(dir), "").unwrap();
        read_in(dir);
    }
}

fn read_in(dir: &Path) {
    let library = Arc::new(Library::open_folder(&dir.join("data")).unwrap());
    let size = std::fs::metadata(dir.join("log")).unwrap().len() as usize;
    let opening = FollowRequest { chunk: size.div_ceil(PIECES), ..FollowRequest::default() };
    let mut live =
        LogFollower::open_log(library, &dir.join("log"), Tools::builtin_tables(), &opening).unwrap();
    drop(live.publish_revision());
    live.save_derived().unwrap();
}

/// The file that the other process makes when it begins to read.
fn begun(dir: &Path) -> PathBuf {
    dir.join("begun")
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

impl Running {
    /// Starts a process and waits until it begins to read.
    fn start(dir: &Path) -> Self {
        // There is none before the first process.
        std::fs::remove_file(begun(dir)).ok();
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "reading::live::kill_tests::reading_process", "--ignored"])
            .env(DIR, dir)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut running = Self(child.unwrap());
        let has_begun = running.ends_or(Instant::now() + DEADLINE, || begun(dir).exists());
        assert!(has_begun || begun(dir).exists(), "the other process does not read");
        running
    }

    /// Waits until something is so; false where the process ends before, or it is not so by then.
    fn ends_or(&mut self, until: Instant, is_so: impl Fn() -> bool) -> bool {
        while Instant::now() < until && self.0.try_wait().unwrap().is_none() {
            if is_so() {
                return true;
            }
            std::thread::sleep(until.saturating_duration_since(Instant::now()).min(Duration::from_millis(1)));
        }
        false
    }
}

/// A log, and what a store holds that read it in one go.
struct Whole {
    name: &'static str,
    after: After,
    log: Vec<u8>,
    format: Format,
    ground: String,
    /// How long that took, or as long as we wait.
    took: Duration,
}

/// The state of a store after the kills of one log.
#[derive(Debug, Default)]
struct Left {
    n_parts: usize,
    n_wholes: usize,
}

impl Whole {
    fn read(name: &'static str, after: After) -> Self {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
        let log = match name.strip_suffix(".zst") {
            Some(plain) => zstd::encode_all(&std::fs::read(samples.join(plain)).unwrap()[..], 3).unwrap(),
            None => std::fs::read(samples.join(name)).unwrap(),
        };
        let format = detect_format(&plain_beginning(&log, HEAD)).unwrap();
        let mut whole = Self { name, after, log, format, ground: String::new(), took: LONGEST };
        let dir = whole.new_dir();
        let mut running = Running::start(dir.path());
        let started = Instant::now();
        assert!(running.0.wait().unwrap().success(), "{name}");
        whole.took = started.elapsed().min(LONGEST);
        assert_eq!(whole.read_to(dir.path()), whole.log.len(), "{name} is read to its end");
        whole.ground = whole.ground(dir.path());
        whole
    }

    fn new_dir(&self) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("log"), &self.log).unwrap();
        dir
    }

    /// Kills readers of the log until it is through, then takes a new store.
    fn kill(&self, seed: u32, n_kills: usize) -> Left {
        let mut dice = seed;
        let mut below = |n: u32| {
            dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            u64::from(dice >> 8) % u64::from(n)
        };
        let took_us = u32::try_from(self.took.as_micros()).unwrap().max(1);
        let mut left = Left::default();
        let mut dir = self.new_dir();
        for kill in 1..=n_kills {
            let mut running = Running::start(dir.path());
            running.ends_or(Instant::now() + Duration::from_micros(below(took_us)), || false);
            drop(running);
            let n_bytes = self.read_to(dir.path());
            let is_whole = n_bytes == self.log.len();
            left.n_parts += usize::from(n_bytes > 0 && !is_whole);
            left.n_wholes += usize::from(is_whole);
            if is_whole || kill == n_kills {
                read_in(dir.path());
                self.check(dir.path(), kill);
                dir = self.new_dir();
            }
        }
        left
    }

    /// Returns how far the store has read, bytes, and checks that its rows are those of the bytes until there.
    fn read_to(&self, dir: &Path) -> usize {
        let store = cwl_store::Store::open(&dir.join("data")).unwrap();
        let Some(row) = store.read_handle().unwrap().all_sources().unwrap().pop() else { return 0 };
        let n_bytes = row.cursor.offset as usize;
        let (mut feeder, mut rest, mut n_records) = (Feeder::new(self.format), &self.log[..n_bytes], 0);
        while let Some(parsed) = feeder.feed_bytes(&mut rest, FileIdentity::UNKNOWN) {
            n_records += parsed.batch.events.len();
        }
        assert_eq!(
            row.n_events as usize, n_records,
            "{}: rows and cursor are one, at byte {n_bytes}",
            self.name
        );
        n_bytes
    }

    /// Checks a store in which the log is through.
    fn check(&self, dir: &Path, n_kills: usize) {
        let name = self.name;
        let found = self.ground(dir);
        let differing = found.lines().zip(self.ground.lines()).find(|(found, expected)| found != expected);
        assert_eq!(differing, None, "{name}, after {n_kills} kills");
        assert_eq!(found.len(), self.ground.len(), "{name}, after {n_kills} kills");
        assert_eq!(crate::check_store(&dir.join("data")).unwrap(), Vec::<String>::new(), "{name}");
        assert_eq!(std::fs::read(dir.join("log")).unwrap(), self.log, "{name} is as it was");
    }

    /// Every row of every table that holds what was read, as text.
    fn ground(&self, dir: &Path) -> String {
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
                let cells = columns.iter().enumerate().filter(|(_, column)| !self.may_differ(column));
                let cells = cells.map(|(at, column)| format!("{column} {:?}", row.get_ref(at).unwrap()));
                lines.push(cells.collect::<Vec<_>>().join(" | "));
            }
            lines.sort();
            text += &format!("## {name}: {} rows\n{}\n", lines.len(), lines.join("\n"));
        }
        text
    }

    /// The copies of a log are different files, their last pieces end where the last kill had them begin, and how often
    /// one was read again is what the kills decide.
    fn may_differ(&self, column: &str) -> bool {
        ["path", "dev", "inode", "tail_len", "tail_hash"].contains(&column)
            || column == "generation" && self.after != After::GoesOn
    }
}

#[test]
fn killed_at_any_moment_a_log_is_stored_once_and_whole() {
    let n_in_all = std::env::var("CWL_KILLS").map_or(KILLS, |n| n.parse().unwrap());
    let next = AtomicUsize::new(0);
    let lane = || {
        let mut all = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((name, after)) = LOGS.get(at).copied() else { return all };
            let whole = Whole::read(name, after);
            let n_kills = n_in_all / LOGS.len() + usize::from(at < n_in_all % LOGS.len());
            let left = whole.kill(at as u32, n_kills);
            all.push((whole.format, after, left));
        }
    };
    let all: Vec<(Format, After, Left)> = std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..LANES).map(|_| scope.spawn(lane)).collect();
        lanes.into_iter().flat_map(|lane| lane.join().unwrap()).collect()
    });
    for &format in Format::ALL {
        assert!(all.iter().any(|(of, ..)| *of == format), "{format} has a log here");
    }
    for expected in [After::GoesOn, After::Either, After::ReadsAgain] {
        let n_parts: usize =
            all.iter().filter(|(_, after, _)| *after == expected).map(|(.., left)| left.n_parts).sum();
        assert!(
            n_parts > 0 || n_in_all < SURELY,
            "of {n_in_all} kills at random moments, some come in the midst of a log: {all:?}"
        );
    }
    let in_the_midst = all.iter().filter(|(_, after, left)| *after == After::Whole && left.n_parts > 0);
    assert_eq!(in_the_midst.count(), 0, "a document is there or not: {all:?}");
}
