//! The product's promised figures beside their limits, measured on generated logs. `make bench` runs
//! `product --replay LOG --reopen LOG`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that measures and prints")]

mod common;
mod page;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cwl_engine::{
    EventLog, GraphTimeline, History, Material, Overhead, Policy, PolicyOptions, Replay, ReplayInput,
    Session, TokenTable,
};
use cwl_host::api::{ExportRequest, ViewCut, ViewSettings};
use cwl_host::{Inspector, LogInput, Tools, export_session, load_file};
use cwl_tokens::Tokenizer;
use serde_json::json;

use common::{Table, anonymous_memory, mb, median, megabytes_per_second, milliseconds, within};
use page::{Painted, ask, first_paint, start_host};

/// The allocator of the released programs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let path = |flag: &str| {
        let at = args.iter().position(|arg| arg == flag)?;
        args.get(at + 1).map(PathBuf::from)
    };
    let (Some(replay), Some(reopen)) = (path("--replay"), path("--reopen")) else {
        println!("product --replay LOG --reopen LOG; `make bench` generates both");
        return;
    };
    let mut table = Table::default();
    replays(&mut table, &replay);
    export(&mut table, &replay);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(host(&mut table, &reopen));
    table.print();
}

/// Times replays over one prebuilt session: the cost of a τ drag.
fn replays(table: &mut Table, path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    let (events, _) = cwl_formats::parse_log(cwl_formats::Format::Pi, &bytes);
    let mut log = EventLog::default();
    let mut texts: Vec<Vec<(String, u32)>> = Vec::new();
    for parsed in events {
        let images: Vec<u32> = parsed.event.body.all_blocks().map(|block| block.images).collect();
        let contents = parsed.contents.into_iter().map(|content| content.text);
        texts.push(contents.zip(images).collect());
        log.push(parsed.event);
    }
    let tools = cwl_formats::default_tools();
    let (session, _) = Session::build(&log, None, History::AsRecorded, &tools);
    let built = Instant::now();
    let (growth, _) = GraphTimeline::build(&session);
    let growth_took = built.elapsed();
    let flat: Vec<&str> =
        session.blocks.iter().map(|b| texts[b.event.at()][b.part as usize].0.as_str()).collect();
    let n_bytes: usize = flat.iter().map(|text| text.len()).sum();
    cwl_tokens::load_vocabulary(Tokenizer::O200k);
    let counting = Instant::now();
    let units = cwl_tokens::count_all(Tokenizer::O200k, &flat);
    let fast = megabytes_per_second(n_bytes, counting.elapsed());
    let residues = growth.graph.episodes().filter_map(|(idx, episode)| {
        Some((idx, cwl_tokens::count_units(Tokenizer::O200k, &episode.residue_text()?)))
    });
    let tokens = TokenTable::new(1, units, residues.collect::<BTreeMap<_, _>>());
    let options = PolicyOptions::default();
    let policy = Policy::find("cwl").unwrap();
    let run = |budget| {
        let input = ReplayInput {
            session: &session,
            growth: &growth,
            table: &tokens,
            material: &Material::default(),
            pins: &[],
            overhead: &Overhead::default(),
            budget,
            policy,
            options: &options,
        };
        let start = Instant::now();
        let replay = Replay::run(&input);
        (start.elapsed(), replay.n_steps())
    };
    let n_steps = run(80_000).1;
    let times: Vec<Duration> = (0..300).map(|_| run(80_000).0).collect();
    let shape = format!(
        "{} turns, {} blocks, {} episodes, {n_steps} steps",
        session.turns.len() - 1,
        session.blocks.len(),
        growth.graph.episodes.len(),
    );
    table.row("one replay of cwl", &shape, median(&times), "≤ 5 ms", within(median(&times), 5.0));
    let sweep = Instant::now();
    for budget in 0..100 {
        run(20_000 + budget * 4_000);
    }
    table.plain("a hundred budgets, one after the other", &shape, &milliseconds(sweep.elapsed()));
    table.plain("graph and its growth, built anew", &shape, &milliseconds(growth_took));
    // The reference counts a sample of the same texts on one thread; so does the fast path.
    let sample: Vec<&str> = flat.iter().copied().step_by(20).collect();
    let n_sample: usize = sample.iter().map(|text| text.len()).sum();
    let one_thread = |tokenizer| {
        cwl_tokens::load_vocabulary(tokenizer);
        let start = Instant::now();
        let total: u64 = sample.iter().map(|text| u64::from(cwl_tokens::count_units(tokenizer, text))).sum();
        (megabytes_per_second(n_sample, start.elapsed()), total)
    };
    let ((ours, total), (reference, expected)) =
        (one_thread(Tokenizer::O200k), one_thread(Tokenizer::O200kRef));
    assert_eq!(total, expected, "both tokenizers count the same");
    table.plain(
        "tokens of distinct texts (o200k)",
        &format!("{:.1} MB over the cores, {:.1} MB on one thread", mb(n_bytes), mb(n_sample)),
        &format!(
            "{fast:.0} MB/s; one thread {ours:.0} MB/s, tiktoken-rs {reference:.0} MB/s: {:.1} ×",
            ours / reference
        ),
    );
}

/// Times the export of a large log with redaction, as `cwl export` does without writing the
/// file.
fn export(table: &mut Table, path: &Path) {
    let start = Instant::now();
    let opened = load_file(&LogInput::File(path.to_owned()), None, &Tools::builtin_tables()).unwrap();
    let loaded = start.elapsed();
    let view = ViewSettings { budget: "80k".into(), ..ViewSettings::counted("o200k") };
    let request = ExportRequest { view, cut: ViewCut::default(), redact: true };
    let start = Instant::now();
    let page = export_session(&opened, &request).unwrap();
    let took = start.elapsed();
    let shape = format!(
        "{:.1} MB log (loaded in {}), {:.1} MB in the page",
        mb(std::fs::metadata(path).unwrap().len() as usize),
        milliseconds(loaded),
        mb(page.session.as_str().len()),
    );
    table.row("export of a large log", &shape, took, "≤ 10 s", within(took, 10_000.0));
}

/// Times the host: first index, τ drag, re-open.
async fn host(table: &mut Table, log: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let followed = folder.path().join("followed.jsonl");
    std::fs::copy(log, &followed).unwrap();
    let size = std::fs::metadata(&followed).unwrap().len();
    let start = Instant::now();
    let inspector = start_host(&data_dir).await;
    let first = first_paint(&inspector, &followed).await;
    let took = start.elapsed();
    let shape =
        format!("{} messages, {} turns, {:.1} MB", first.n_messages, first.n_turns, mb(size as usize));
    table.plain(
        "first index to first paint data",
        &shape,
        &format!("{} ({:.0} MB/s)", milliseconds(took), megabytes_per_second(size as usize, took)),
    );
    drag(table, &inspector, &first, &shape).await;
    drop(inspector);

    let mut times = Vec::new();
    let mut stages: Vec<Vec<Duration>> = vec![Vec::new(); STAGES.len()];
    for _ in 0..15 {
        let start = Instant::now();
        let inspector = start_host(&data_dir).await;
        stages[0].push(start.elapsed());
        let again = first_paint(&inspector, &followed).await;
        times.push(start.elapsed());
        for (stage, took) in stages[1..].iter_mut().zip(again.took) {
            stage.push(took);
        }
        assert_eq!(again.n_messages, first.n_messages, "the store holds the whole session");
    }
    let parts: Vec<String> = STAGES
        .iter()
        .zip(&stages)
        .map(|(name, times)| format!("{name} {}", milliseconds(median(times))))
        .collect();
    table.row(
        "re-open, to first paint data",
        &format!("{shape}: {}", parts.join(", ")),
        median(&times),
        "≤ 100 ms",
        within(median(&times), 100.0),
    );
    table.plain("memory of this process (anonymous)", "bench with one host", &anonymous_memory());
}

/// Times a τ drag: a frame under a new budget.
async fn drag(table: &mut Table, inspector: &Arc<Inspector>, painted: &Painted, shape: &str) {
    let mut times = Vec::new();
    for number in 0..100 {
        let view = json!({ "budget": (20_000 + number * 1_371).to_string() });
        let start = Instant::now();
        ask(inspector, "frame", json!({ "session": painted.session, "view": view, "held": "graph" })).await;
        times.push(start.elapsed());
    }
    table.row(
        "a frame under another τ",
        shape,
        median(&times),
        "≤ 16 ms, a frame",
        within(median(&times), 16.0),
    );
}

/// Stages of a re-open.
const STAGES: [&str; 4] = ["store", "open", "frame", "context"];
