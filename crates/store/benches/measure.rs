//! Measures ingest and loading on invented logs: `cargo bench -p cwl-store`.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::{Duration, Instant};

use cwl_engine::*;
use cwl_store::*;

const BATCH: usize = 500;

fn main() -> Result<(), Box<dyn Error>> {
    let dir = std::env::temp_dir().join(format!("cwl-store-measure-{}", std::process::id()));
    let mut store = Store::open(&dir)?;
    let mut words = Words(42);
    // 12,500 messages with 50,000 blocks of 1.7 kB on average, the average in real logs.
    let events: Vec<_> = (0..12_500).map(|seq| record(&mut words, seq)).collect();
    let n_bytes: usize =
        events.iter().flat_map(|event| &event.contents).map(|content| content.text.len()).sum();

    let source = store.source("/logs/measure.jsonl", "pi")?;
    let start = Stopwatch::start();
    let mut hashes = Vec::new();
    for (batch, events) in events.chunks(BATCH).enumerate() {
        let batch = batch as u64;
        let cursor = SourceCursor { offset: batch + 1, ..SourceCursor::default() };
        hashes.extend(
            store
                .ingest_batch(&Ingest {
                    source,
                    expected_offset: batch,
                    events,
                    problems: &[],
                    counts: &[],
                    cursor: &cursor,
                    reader: b"",
                    rules: 1,
                })?
                .hashes,
        );
    }
    let seconds = start.seconds();
    println!(
        "ingest: {} blocks, {:.1} MB of text in {seconds:.2} s: {:.0} blocks/s, {:.0} MB/s",
        hashes.len(),
        n_bytes as f64 / 1e6,
        hashes.len() as f64 / seconds,
        n_bytes as f64 / 1e6 / seconds
    );

    let counter = Counter { tokenizer: "o200k", implementation: "none 0" };
    let counts: Vec<_> = hashes.iter().map(|hash| (*hash, 1)).collect();
    let start = Stopwatch::start();
    store.save_counts(counter, &counts)?;
    println!("save_counts: {} in {:.0} ms", counts.len(), start.seconds() * 1e3);
    store.checkpoint()?;
    println!("file: {:.1} MB", std::fs::metadata(store.file_path())?.len() as f64 / 1e6);

    // 10,000 messages with 40,000 blocks.
    let reopened = store.source("/logs/reopened.jsonl", "pi")?;
    let cursor = SourceCursor { offset: 1, ..SourceCursor::default() };
    store.ingest_batch(&Ingest {
        source: reopened,
        expected_offset: 0,
        events: &events[..10_000],
        problems: &[],
        counts: &[],
        cursor: &cursor,
        reader: b"",
        rules: 1,
    })?;
    store.checkpoint()?;
    let read = store.read_handle()?;
    median("load_log, 10,000 messages, 40,000 blocks", || Ok(read.load_log(reopened)?.0.events().len()))?;
    median("counts, 40,000 blocks", || Ok(read.block_counts(reopened, counter)?.len()))?;
    median("sources", || Ok(read.all_sources()?.len()))?;
    median("uncounted, nothing to find", || {
        Ok(read.uncounted_texts(reopened, counter, BlockPlace::default(), 100)?.texts.len())
    })?;
    median("one text", || {
        let at = BlockPlace { seq: words.next() % 10_000, part: 0 };
        Ok(read.block_contents(reopened, &[at])?.iter().flatten().map(|content| content.text.len()).sum())
    })?;
    median("scan of all texts", || {
        let mut n_bytes = 0;
        read.scan_texts(reopened, |_, text| n_bytes += text.len())?;
        Ok(n_bytes)
    })?;
    let mut at = 1;
    median("append of one record", || {
        let cursor = SourceCursor { offset: at + 1, ..SourceCursor::default() };
        let event = record(&mut Words(at), 10_000 + u32::try_from(at)?);
        store.ingest_batch(&Ingest {
            source: reopened,
            expected_offset: at,
            events: &[event],
            problems: &[],
            counts: &[],
            cursor: &cursor,
            reader: b"",
            rules: 1,
        })?;
        at += 1;
        Ok(1)
    })?;
    median("restart", || {
        store.restart_log(reopened)?;
        Ok(1)
    })?;
    std::fs::remove_dir_all(dir)?;
    Ok(())
}

/// Processor time of this thread, unaffected by other programs; wall time if the system does not provide it.
struct Stopwatch {
    processor: Option<Duration>,
    wall: Instant,
}

impl Stopwatch {
    fn start() -> Self {
        Self { processor: Self::processor(), wall: Instant::now() }
    }

    fn seconds(&self) -> f64 {
        match (self.processor, Self::processor()) {
            (Some(start), Some(end)) => (end - start).as_secs_f64(),
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }

    fn processor() -> Option<Duration> {
        let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        stat.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    }
}

fn median(what: &str, mut run: impl FnMut() -> Result<usize, Box<dyn Error>>) -> Result<(), Box<dyn Error>> {
    let mut millis = Vec::new();
    let mut size = 0;
    for _ in 0..15 {
        let start = Stopwatch::start();
        size = run()?;
        millis.push(start.seconds() * 1e3);
    }
    millis.sort_by(f64::total_cmp);
    println!("{what}: median {:.2} ms, worst {:.2} ms ({size})", millis[7], millis[14]);
    Ok(())
}

fn record(words: &mut Words, seq: u32) -> ParsedEvent {
    let sizes = [words.next() % 400, words.next() % 600, words.next() % 3000, words.next() % 9600];
    let contents: Vec<_> = sizes
        .into_iter()
        .map(|size| {
            let text = words.text(size as usize);
            let before = r#"{"type":"text","text":"#.to_owned();
            Content { text, raw: RawPayload::Around { before, after: "}".to_owned() } }
        })
        .collect();
    let id = format!("{:08x}", words.next());
    let call = ToolCall {
        id: ToolCallId::new(format!("toolu_{id}")),
        name: "bash".into(),
        program: Some("rg".into()),
        mark: None,
    };
    let kinds = [BlockKind::Reasoning, BlockKind::Text, BlockKind::Call(call), BlockKind::Text];
    let blocks = (0..)
        .zip(kinds)
        .map(|(index, kind)| ContentBlock { index, kind, images: 0, holds: cwl_engine::Holds::Nothing })
        .collect();
    let message = Message {
        role: Role::Assistant,
        author: Author::Model,
        form: MessageForm::Plain,
        blocks,
        model: Some("a-model-of-some-name".into()),
        usage: Some(Usage {
            input: 10,
            output: 200,
            cache_read: 30_000,
            cache_write: 900,
            ..Usage::default()
        }),
        outcome: ReplyOutcome::Complete,
        reply: None,
    };
    let before = format!(
        r#"{{"type":"message","id":"{id}","parentId":"{:08x}","timestamp":"2026-11-21T10:00:00.000Z","message":{{"role":"assistant","api":"messages","provider":"p","model":"a-model-of-some-name","content":"#,
        words.next()
    );
    let event = SessionEvent {
        side: false,
        line: u64::from(seq) + 1,
        entry: EntryId::new(id),
        parent: Parent::Previous,
        at_ms: Some(i64::from(seq)),
        body: EventBody::Message(message),
    };
    ParsedEvent { event, contents, envelope: RawPayload::Around { before, after: "}}".to_owned() } }
}

/// Distinct text that compresses about as well as code and prose.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }

    fn text(&mut self, n_bytes: usize) -> String {
        const SYLLABLES: [&str; 32] = [
            "let ", "fn ", "re", "tion", "self.", "(", ") ", "{\n    ", "}\n", "er", "in", "the ", "and ",
            "st", "on", "al", "value", "block", "_", "; ", "::", "en", "ing ", "of ", "to ", "a ", "is ",
            "0", "1", "2", ", ", ". ",
        ];
        let mut text = String::with_capacity(n_bytes + 80);
        while text.len() < n_bytes {
            // Real texts repeat themselves: two thirds of this one are repetitions.
            if text.len() > 100 && self.next() % 6 < 4 {
                let from = (self.next() as usize) % (text.len() - 80);
                let again = text[from..from + 20 + (self.next() % 60) as usize].to_owned();
                text.push_str(&again);
            } else {
                for _ in 0..6 {
                    text.push_str(SYLLABLES[(self.next() % 32) as usize]);
                }
            }
        }
        text
    }
}
