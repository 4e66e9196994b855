//! First index of a very large log beside the sum of its parts' limits, and the rate of the tokenizer.
//!
//! `make bench` generates the log and runs `ingest --first LOG`. A child process reads the log, and its
//! memory is sampled from outside. The limits are then measured on the same bytes, one after the other on one
//! thread: programs that only parse, only count, or only insert.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that measures and prints")]

mod common;

use std::borrow::Cow;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cwl_engine::{BlockKind, Role};
use cwl_formats::{Format, LogReader};
use cwl_host::api::DefaultsAnswer;
use cwl_host::{CommandAnswer, Inspector, InspectorConfig};
use cwl_tokens::Tokenizer;
use serde::Deserialize;
use serde_json::{Value, json};

use common::{Table, mb, median, megabytes_per_second, milliseconds};

/// Goals: a multiple of the summed limits, and an amount of memory.
const TIMES_THE_LIMITS: f64 = 2.0;
const MEMORY_MB: u64 = 300;
/// Goal of the tokenizer against the reference.
const TIMES_THE_REFERENCE: f64 = 4.0;
/// Repetitions of counting.
const PASSES: usize = 9;

/// The allocator of the released programs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let after = |flag: &str| {
        let at = args.iter().position(|arg| arg == flag)?;
        args.get(at + 1).map(PathBuf::from)
    };
    if let (Some(log), Some(data_dir)) = (after("--child"), after("--data")) {
        return child(&log, &data_dir);
    }
    let Some(log) = after("--first") else {
        println!("ingest --first LOG; `make bench` generates it");
        return;
    };
    let mut table = Table::default();
    counting(&mut table);
    first_index(&mut table, &log);
    table.print();
}

/// Fields of a reply that are read. The window gets replies as text, so no tree is built here.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Reply {
    session: u32,
    n_blocks: u64,
    pending: u64,
}

/// Reads a log into an empty store up to the first paint, as the window does, and prints the times.
fn child(log: &Path, data_dir: &Path) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let said = runtime.block_on(async {
        let start = Instant::now();
        let config = InspectorConfig {
            data_dir: data_dir.to_owned(),
            defaults: DefaultsAnswer::default(),
            folders: Some(Vec::new()),
            corpora: None,
        };
        let inspector = Inspector::start(config).await.unwrap();
        let ask = async |name: &str, args: Value| match inspector.dispatch(name, args).await.unwrap() {
            CommandAnswer::Json(json) => serde_json::from_str::<Reply>(&json).unwrap(),
            CommandAnswer::Bytes(_) => Reply::default(),
        };
        let session = ask("open", json!({ "target": log.display().to_string() })).await;
        let (number, view) = (session.session, json!({}));
        ask("frame", json!({ "session": number, "view": view })).await;
        let page =
            json!({ "session": number, "view": view, "cut": {}, "list": { "type": "context", "ghosts": true }, "offset": 0, "limit": 100 });
        ask("page", page).await;
        let (seconds, processor) = (start.elapsed().as_secs_f64(), processor_seconds());
        let start = Instant::now();
        let query = json!({ "query": "unread", "session": number });
        while ask("search", query.clone()).await.pending != 0 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let index = start.elapsed().as_secs_f64();
        let mut searches = Vec::new();
        for word in
            ["unread", "poller", "assert_eq", "self store cursor", "\"retry schedule\"", "7ff", "folde"]
        {
            let start = Instant::now();
            ask("search", json!({ "query": word })).await;
            searches.push(start.elapsed());
        }
        json!({
            "seconds": seconds, "processor": processor, "blocks": session.n_blocks,
            "index": index, "search": median(&searches).as_secs_f64(),
        })
    });
    println!("{said}");
}

/// Times the child process and the limits.
fn first_index(table: &mut Table, log: &Path) {
    let folder = tempfile::tempdir_in(log.parent().unwrap()).unwrap();
    let (said, memory) = run_child(log, &folder.path().join("data"));
    let (seconds, processor) = (said["seconds"].as_f64().unwrap(), said["processor"].as_f64().unwrap());
    let n_bytes = std::fs::metadata(log).unwrap().len() as usize;
    let limits = Limits::measure(log, folder.path());
    let sum = limits.sum().as_secs_f64();
    let shape = format!("{:.0} MB, {} lines, {} blocks", mb(n_bytes), limits.n_lines, said["blocks"]);
    table.push(
        "first index, to first paint data",
        &shape,
        &format!(
            "{seconds:.1} s ({:.0} MB/s), {processor:.1} s of processor",
            megabytes_per_second(n_bytes, Duration::from_secs_f64(seconds))
        ),
        &format!("≤ {TIMES_THE_LIMITS} × the limits, {:.1} s", sum * TIMES_THE_LIMITS),
        &format!("{:.2} × {}", seconds / sum, verdict(seconds <= sum * TIMES_THE_LIMITS)),
    );
    table.plain(
        "  its limits, one thread each",
        &format!(
            "the same bytes; {:.0} MB of texts, counted and inserted as they are",
            mb(limits.n_text_bytes)
        ),
        &format!(
            "{sum:.1} s: JSON {:.1} + o200k {:.1} + SQLite {:.1}",
            limits.json.as_secs_f64(),
            limits.tokens.as_secs_f64(),
            limits.sqlite.as_secs_f64()
        ),
    );
    table.plain(
        "  its search index, made behind",
        "from the first paint on, at half of one core",
        &format!("{:.1} s", said["index"].as_f64().unwrap()),
    );
    let search = Duration::from_secs_f64(said["search"].as_f64().unwrap());
    table.plain("  a search in it", "the median of seven, fifty hits each, by turn", &milliseconds(search));
    match memory {
        Some(memory) => table.push(
            "  its memory (anonymous, peak)",
            "the process that reads and indexes it, tokenizer and store included",
            &format!("{memory} MB"),
            &format!("≤ {MEMORY_MB} MB"),
            verdict(memory <= MEMORY_MB),
        ),
        None => table.plain("  its memory", "", "not known on this system"),
    }
}

/// Runs [`child`] as a process and samples its memory. Returns its output and the peak in MB.
fn run_child(log: &Path, data_dir: &Path) -> (Value, Option<u64>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([std::ffi::OsStr::new("--child"), log.as_os_str()])
        .args([std::ffi::OsStr::new("--data"), data_dir.as_os_str()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut peak = None;
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(anonymous_kb(child.id()));
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    (serde_json::from_str(&said).unwrap(), peak.map(|kb| kb / 1000))
}

fn anonymous_kb(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.trim().strip_suffix(" kB")?.parse().ok())
}

/// Processor seconds of this process over all threads.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    // Fields 14 and 15 of the line, in hundredths of a second: 12 and 13 after the name.
    behind_name.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>()
        / 100.0
}

/// Lower bounds for the parts of ingest.
struct Limits {
    json: Duration,
    tokens: Duration,
    sqlite: Duration,
    n_lines: usize,
    n_text_bytes: usize,
}

/// A line as read by a program that knows the format and needs only the texts.
#[derive(Deserialize)]
#[allow(dead_code, reason = "reading them is what is timed")]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    id: Cow<'a, str>,
    #[serde(borrow, default)]
    timestamp: Cow<'a, str>,
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: Vec<Stage<'a>>,
}

#[derive(Deserialize)]
struct Stage<'a> {
    #[serde(borrow, default)]
    text: Cow<'a, str>,
    #[serde(borrow, default)]
    thinking: Cow<'a, str>,
}

impl Limits {
    fn measure(log: &Path, folder: &Path) -> Self {
        let mut file = std::io::BufReader::with_capacity(4 << 20, std::fs::File::open(log).unwrap());
        let (mut line, mut n_lines, mut n_parsed) = (Vec::new(), 0, 0);
        let start = Instant::now();
        while file.read_until(b'\n', &mut line).unwrap() > 0 {
            n_lines += 1;
            let read: Line<'_> = serde_json::from_slice(&line).unwrap();
            let parts = read.message.iter().flat_map(|message| &message.content);
            n_parsed += parts.map(|part| part.text.len() + part.thinking.len()).sum::<usize>();
            line.clear();
        }
        let json = start.elapsed();

        let texts = texts_of(log);
        let n_text_bytes: usize = texts.iter().map(String::len).sum();
        assert!(n_parsed <= n_text_bytes, "the texts are those that were parsed, and arguments of calls");
        cwl_tokens::load_vocabulary(Tokenizer::O200k);
        let start = Instant::now();
        let units: u64 =
            texts.iter().map(|text| u64::from(cwl_tokens::count_units(Tokenizer::O200k, text))).sum();
        let tokens = start.elapsed();
        assert!(units > 0);

        let named: Vec<([u8; 32], &str)> =
            texts.iter().map(|text| (*blake3::hash(text.as_bytes()).as_bytes(), text.as_str())).collect();
        let start = Instant::now();
        insert(&folder.join("limit.sqlite"), &named).unwrap();
        Self { json, tokens, sqlite: start.elapsed(), n_lines, n_text_bytes }
    }

    fn sum(&self) -> Duration {
        self.json + self.tokens + self.sqlite
    }
}

/// Inserts texts and a row per block, in the fastest way for SQLite.
fn insert(path: &Path, texts: &[([u8; 32], &str)]) -> rusqlite::Result<()> {
    let mut db = rusqlite::Connection::open(path)?;
    for (name, value) in [("page_size", "16384"), ("journal_mode", "WAL"), ("synchronous", "NORMAL")] {
        db.pragma_update(None, name, value)?;
    }
    db.execute_batch(
        "CREATE TABLE text (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, data BLOB NOT NULL) STRICT;
         CREATE TABLE block (seq INTEGER PRIMARY KEY, text_id INTEGER NOT NULL, units INTEGER NOT NULL) STRICT;",
    )?;
    let mut seq = 0;
    for batch in texts.chunks(5_000) {
        let tx = db.transaction()?;
        let mut find = tx.prepare("SELECT id FROM text WHERE hash = ?1")?;
        let mut save = tx.prepare(
            "INSERT INTO text (hash, data) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING RETURNING id",
        )?;
        let mut block = tx.prepare("INSERT INTO block (seq, text_id, units) VALUES (?1, ?2, ?3)")?;
        for (hash, text) in batch {
            let new = save.query((&hash[..], text.as_bytes()))?.next()?.map(|row| row.get(0)).transpose()?;
            let id: i64 = match new {
                Some(id) => id,
                None => find.query_row([&hash[..]], |row| row.get(0))?,
            };
            seq += 1;
            block.execute((seq, id, text.len() as i64))?;
        }
        drop((find, save, block));
        tx.commit()?;
    }
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// Returns the texts of all blocks in log order.
fn texts_of(log: &Path) -> Vec<String> {
    let mut file = std::fs::File::open(log).unwrap();
    let mut reader = LogReader::new(Format::Pi);
    let (mut chunk, mut texts) = (vec![0; 4 << 20], Vec::new());
    loop {
        let n_bytes = file.read(&mut chunk).unwrap();
        if n_bytes == 0 {
            return texts;
        }
        let events = reader.feed_bytes(&chunk[..n_bytes]).events;
        texts.extend(events.into_iter().flat_map(|event| event.contents).map(|content| content.text));
    }
}

/// Times the tokenizer and its reference on this project's code, its prose (documents, doc comments, words in
/// a sample), and a sample's tool output.
fn counting(table: &mut Table) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = |ends: &[&str]| -> Vec<String> {
        let list = Command::new("git").arg("-C").arg(&root).args(["ls-files", "-z"]).output().unwrap().stdout;
        let names = String::from_utf8(list).unwrap();
        let wanted = names.split('\0').filter(|name| ends.iter().any(|end| name.ends_with(end)));
        wanted.filter_map(|name| std::fs::read_to_string(root.join(name)).ok()).collect()
    };
    let code = files(&[".rs", ".ts", ".tsx", ".sql", ".css"]);
    let mut prose = files(&[".md"]);
    prose.extend(code.iter().map(|file| {
        let lines = file.lines().map(str::trim_start);
        let documents = lines.filter_map(|line| line.strip_prefix("//!").or(line.strip_prefix("///")));
        documents.flat_map(|line| [line, "\n"]).collect()
    }));
    let said = |kind: &BlockKind| matches!(kind, BlockKind::Text | BlockKind::Reasoning);
    prose.extend(of_sample(&root, &|role, kind| said(kind) && matches!(role, Role::User | Role::Assistant)));
    let output = of_sample(&root, &|_, kind| matches!(kind, BlockKind::Result(_)));
    for tokenizer in [Tokenizer::O200k, Tokenizer::O200kRef] {
        cwl_tokens::load_vocabulary(tokenizer);
    }
    for (name, mut texts) in [("code", code), ("prose", prose), ("tool output", output)] {
        texts.sort_unstable();
        texts.dedup();
        let n_bytes: usize = texts.iter().map(String::len).sum();
        // A tokenizer caches pieces, and these texts should be new: each pass has a fresh thread. The
        // shortest pass is the least disturbed one.
        let pass = |tokenizer| {
            let texts = &texts;
            let counting = move || {
                let start = Instant::now();
                let units: u64 =
                    texts.iter().map(|text| u64::from(cwl_tokens::count_units(tokenizer, text))).sum();
                (start.elapsed(), units)
            };
            std::thread::scope(|scope| scope.spawn(counting).join().unwrap())
        };
        let (mut fast, mut reference) = (Duration::MAX, Duration::MAX);
        for _ in 0..PASSES {
            let ((ours, units), (theirs, expected)) = (pass(Tokenizer::O200k), pass(Tokenizer::O200kRef));
            assert_eq!(units, expected, "both count the same {name}");
            (fast, reference) = (fast.min(ours), reference.min(theirs));
        }
        let ratio = reference.as_secs_f64() / fast.as_secs_f64();
        table.push(
            &format!("tokens of distinct {name} (o200k), one thread"),
            &format!("{:.2} MB, {} texts; the shortest of {PASSES} passes", mb(n_bytes), texts.len()),
            &format!(
                "{:.0} MB/s; tiktoken-rs {:.0} MB/s",
                megabytes_per_second(n_bytes, fast),
                megabytes_per_second(n_bytes, reference)
            ),
            &format!("≥ {TIMES_THE_REFERENCE} × the reference"),
            &format!("{ratio:.1} × {}", verdict(ratio >= TIMES_THE_REFERENCE)),
        );
    }
}

/// Returns the texts of chosen blocks in the long sample.
fn of_sample(root: &Path, wanted: &dyn Fn(Role, &BlockKind) -> bool) -> Vec<String> {
    let log = std::fs::read(root.join("samples/pi/long/input.jsonl")).unwrap();
    let (events, _) = cwl_formats::parse_log(Format::Pi, &log);
    let mut texts = Vec::new();
    for parsed in events {
        let blocks = parsed.event.body.all_messages().flat_map(|m| m.blocks.iter().map(move |b| (m.role, b)));
        let wanted: Vec<bool> = blocks.map(|(role, block)| wanted(role, &block.kind)).collect();
        let chosen = parsed.contents.into_iter().zip(wanted).filter(|(_, wanted)| *wanted);
        texts.extend(chosen.map(|(content, _)| content.text));
    }
    texts
}

fn verdict(holds: bool) -> &'static str {
    if holds { "within" } else { "ABOVE" }
}
