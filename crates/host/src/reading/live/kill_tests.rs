//! A process killed while it reads a log into the store loses and doubles nothing, for logs of every format.
#![allow(clippy::unwrap_used)]
use super::*;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Environment variable with the folder of log and store, for the child process.
const DIR: &str = "CWL_KILL_TEST_DIR";
/// Total kills over all logs, unless `CWL_KILLS` sets another number.
const KILLS: usize = 40;
/// From this many kills on, every kind of log is surely hit midway.
const SURELY: usize = 200;
/// Logs that are tested in parallel.
const LANES: usize = 2;
/// Least number of transactions per log.
const PIECES: usize = 128;
/// Latest kill after reading has begun, so the whole test takes half a minute even on a busy machine.
const LONGEST: Duration = Duration::from_millis(400);
/// Latest time for a child process to begin reading.
const DEADLINE: Duration = Duration::from_secs(180);

/// Behaviour of a second process towards a partly read log.
#[derive(Debug, Clone, Copy, PartialEq)]
enum After {
    /// Reads the rest; nothing is read twice.
    GoesOn,
    /// Reads the rest, or everything again if a record needs an earlier one.
    Either,
    /// Reads everything again.
    ReadsAgain,
    /// The log is one document: stored whole or not at all.
    Whole,
}

/// At least one log per format. A name with the ending `.zst` is that sample, packed.
const LOGS: &[(&str, After)] = &[
    ("pi/long/input.jsonl", After::GoesOn),
    ("pi/v1/input.jsonl", After::ReadsAgain),
    ("claude-code/quickstart/input.jsonl", After::Either),
    ("claude-code/compaction/input.jsonl", After::Either),
    ("codex/quickstart/input.jsonl", After::ReadsAgain),
    ("codex/quickstart/input.jsonl.zst", After::ReadsAgain),
    ("copilot/quickstart/input.jsonl", After::ReadsAgain),
    ("qwen-code/quickstart/input.jsonl", After::ReadsAgain),
    ("kimi-code/quickstart/input.jsonl", After::ReadsAgain),
    ("droid/quickstart/input.jsonl", After::ReadsAgain),
    ("antigravity/quickstart/input.jsonl", After::ReadsAgain),
    ("vscode-copilot/quickstart/input.jsonl", After::ReadsAgain),
    ("cursor/records/input.jsonl", After::ReadsAgain),
    ("gemini-cli/quickstart/input.jsonl", After::ReadsAgain),
    ("gemini-cli/document/input.json", After::Whole),
    ("opencode/quickstart/input.json", After::Whole),
    ("hermes/quickstart/input.json", After::Whole),
    ("atif/quickstart/input.json", After::Whole),
    ("swe-agent/quickstart/input.json", After::Whole),
    ("mini-swe-agent/quickstart/input.json", After::Whole),
    ("kv-cache-trace/quickstart/input.json", After::Whole),
    ("anthropic/requests/input.jsonl", After::ReadsAgain),
    ("openai-chat/requests/input.jsonl", After::ReadsAgain),
    ("openai-responses/requests/input.jsonl", After::ReadsAgain),
    ("gemini/requests/input.jsonl", After::ReadsAgain),
];

/// The child process. Alone it does nothing: its parent names the log.
#[test]
#[ignore = "started by another test as a process of its own"]
fn reading_process() {
    if let Some(dir) = std::env::var_os(DIR) {
        let dir = Path::new(&dir);
        // Loaded before the timer of the kill starts: loading takes most of a short run and touches no file.
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

/// The file that marks that the child has begun to read.
fn begun(dir: &Path) -> PathBuf {
    dir.join("begun")
}

/// A child process that is killed on drop.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // The process may have ended by itself.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

impl Running {
    /// Starts a child and waits until it begins to read.
    fn start(dir: &Path) -> Self {
        // The first child has no such file before it.
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

    /// Waits for `is_so`. Returns `false` if the process ends first, or at `until`.
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

/// A log, and the content of a store that read it in one go.
struct Whole {
    name: &'static str,
    after: After,
    log: Vec<u8>,
    format: Format,
    ground: String,
    /// Duration of that reading, capped by the longest wait.
    took: Duration,
}

/// State of the store after all kills of a log.
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

    /// Kills readers until one finishes the log, then checks the store.
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

    /// Returns how many bytes the store has read, and checks its rows against that part of the log.
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

    /// Checks the store of a finished log.
    fn check(&self, dir: &Path, n_kills: usize) {
        let name = self.name;
        let found = self.ground(dir);
        let differing = found.lines().zip(self.ground.lines()).find(|(found, expected)| found != expected);
        assert_eq!(differing, None, "{name}, after {n_kills} kills");
        assert_eq!(found.len(), self.ground.len(), "{name}, after {n_kills} kills");
        assert_eq!(crate::check_store(&dir.join("data")).unwrap(), Vec::<String>::new(), "{name}");
        assert_eq!(std::fs::read(dir.join("log")).unwrap(), self.log, "{name} is as it was");
    }

    /// Dumps all rows of the ground tables as text.
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

    /// Columns that may differ: copies of a log are different files, their last pieces begin where the last
    /// kill left them, and kills decide how often a log is read again.
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
