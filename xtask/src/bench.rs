//! `cargo xtask bench`: how long things take that people wait for, through the same door as the window.
//!
//! Only with the feature `bench`, so that the house rules build without the product. Run it with `make bench`: an
//! unoptimised build says nothing.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use cwl_api::dto::{DefaultsDto, PushDto, SessionDto};
use cwl_api::{Answer, Inspector, InspectorConfig};
use serde_json::{Value, json};

use crate::sample::stress::{self, Size};

/// How long one answer or push may take before the run is given up.
const PATIENCE: Duration = Duration::from_secs(600);
const N_BUDGETS: u32 = 60;
const N_APPENDS: usize = 60;

/// One measured figure beside the one to reach.
struct Figure {
    what: &'static str,
    measured: String,
    goal: &'static str,
}

/// Measures and prints a table of figures.
///
/// # Errors
/// When the host does not answer or the disk fails; a missed goal is no error.
pub(crate) fn run(out: &mut dyn Write) -> anyhow::Result<()> {
    if cfg!(debug_assertions) {
        writeln!(out, "note: this is an unoptimised build; use `make bench`")?;
    }
    let folder = crate::root().join("target/bench");
    std::fs::create_dir_all(&folder).context("target/bench")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut figures = Vec::new();

    let long = folder.join("long.jsonl");
    make_log(&long, Size { turns: 4_000, blocks: 60_000, episodes: 1_500, bytes: None })?;
    runtime.block_on(long_session(&folder, &long, &mut figures))?;

    let usual = folder.join("usual.jsonl");
    make_log(&usual, Size { turns: 3_300, blocks: 10_000, episodes: 300, bytes: None })?;
    runtime.block_on(reopening(&folder, &usual, &mut figures))?;

    let live = folder.join("live.jsonl");
    make_log(&live, Size { turns: 300, blocks: 3_000, episodes: 60, bytes: None })?;
    runtime.block_on(following(&folder, &live, &mut figures))?;

    let width = figures.iter().map(|figure| figure.what.len()).max().unwrap_or_default();
    for Figure { what, measured, goal } in figures {
        writeln!(out, "{what:<width$}  {measured:<34}  goal {goal}")?;
    }
    Ok(())
}

/// Writes a generated session, the same in every run.
fn make_log(log: &Path, size: Size) -> anyhow::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(log)?);
    stress::write(&mut file, size, 1)?;
    Ok(file.flush()?)
}

async fn long_session(folder: &Path, log: &Path, figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let bytes = std::fs::metadata(log)?.len();
    let host = start(fresh(folder)?).await?;
    let since = Instant::now();
    let session = open(&host, log).await?;
    let took = since.elapsed();
    figures.push(Figure {
        what: "first index of a long session",
        measured: format!("{} for {} MB ({} MB/s)", ms(took), bytes / 1_000_000, rate(bytes, took)),
        goal: "none for this size",
    });
    let turns = json!({ "session": session.session, "view": view(80_000) });
    let since = Instant::now();
    ask(&host, "graph", turns.clone()).await?;
    figures.push(Figure { what: "its graph", measured: ms(since.elapsed()), goal: "100 ms" });

    let mut levels = Vec::new();
    let mut replays = Vec::new();
    for n in 0..N_BUDGETS {
        // A budget each that was not asked for before, as under a drag.
        let budget = 20_000 + n * 2_311;
        let request = json!({ "session": session.session, "view": view(budget), "cut": {} });
        let since = Instant::now();
        ask(&host, "levels", request).await?;
        levels.push(since.elapsed());
        let request = json!({ "session": session.session, "view": view(budget + 1) });
        let since = Instant::now();
        ask(&host, "replay", request).await?;
        replays.push(since.elapsed());
    }
    figures.push(Figure {
        what: "levels under another τ, 1,500 episodes",
        measured: spread(levels),
        goal: "5 ms",
    });
    figures.push(Figure { what: "the whole replay as JSON", measured: spread(replays), goal: "16 ms" });
    figures.push(Figure { what: "memory (anonymous)", measured: anonymous_memory(), goal: "300 MB" });
    Ok(())
}

async fn reopening(folder: &Path, log: &Path, figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let data_dir = fresh(folder)?;
    let host = start(data_dir.clone()).await?;
    let n_messages = open(&host, log).await?.n_messages;
    drop(host);
    let mut took = Vec::new();
    for _ in 0..5 {
        let since = Instant::now();
        let host = start(data_dir.clone()).await?;
        let session = open(&host, log).await?;
        let request = json!({ "session": session.session, "view": view(80_000) });
        ask(&host, "graph", request.clone()).await?;
        ask(&host, "replay", request).await?;
        took.push(since.elapsed());
    }
    let mut measured = spread(took);
    write!(measured, ", {n_messages} messages")?;
    figures.push(Figure { what: "opening an indexed session, to paint data", measured, goal: "100 ms" });
    Ok(())
}

async fn following(folder: &Path, log: &Path, figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(log)?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = lines.len().saturating_sub(N_APPENDS);
    let (head, tail) = lines.split_at(at);
    std::fs::write(log, head.concat())?;
    let host = start(fresh(folder)?).await?;
    let session = open(&host, log).await?.session;
    let mut pushes = host.subscribe();
    let mut file = std::fs::OpenOptions::new().append(true).open(log)?;
    let mut took = Vec::new();
    for line in tail {
        let since = Instant::now();
        file.write_all(line.as_bytes())?;
        let told = async {
            loop {
                if let PushDto::Session { session: told, .. } = pushes.recv().await?
                    && told == session
                {
                    return anyhow::Ok(());
                }
            }
        };
        tokio::time::timeout(PATIENCE, told).await.context("no push came")??;
        let request = json!({ "session": session, "view": view(80_000) });
        ask(&host, "graph", request).await?;
        took.push(since.elapsed());
    }
    figures.push(Figure {
        what: "from an appended line to its graph",
        measured: spread(took),
        goal: "p95 100 ms",
    });
    Ok(())
}

async fn start(data_dir: PathBuf) -> anyhow::Result<Arc<Inspector>> {
    let config = InspectorConfig { data_dir, defaults: DefaultsDto::default(), folders: Some(Vec::new()) };
    Ok(Inspector::start(config).await?)
}

async fn open(host: &Arc<Inspector>, log: &Path) -> anyhow::Result<SessionDto> {
    let Answer::Json(answer) = ask(host, "open", json!({ "target": log })).await? else {
        bail!("open answers JSON");
    };
    Ok(serde_json::from_str(&answer)?)
}

async fn ask(host: &Arc<Inspector>, name: &str, args: Value) -> anyhow::Result<Answer> {
    let answer = tokio::time::timeout(PATIENCE, host.dispatch(name, args)).await;
    Ok(answer.with_context(|| format!("{name} did not answer"))??)
}

fn view(budget: u32) -> Value {
    json!({ "budget": budget.to_string() })
}

/// Returns an empty folder for a store.
fn fresh(folder: &Path) -> anyhow::Result<PathBuf> {
    let data_dir = folder.join("data");
    if data_dir.exists() {
        std::fs::remove_dir_all(&data_dir).context("the store of the run before")?;
    }
    std::fs::create_dir_all(&data_dir)?;
    Ok(data_dir)
}

fn ms(took: Duration) -> String {
    format!("{:.1} ms", took.as_secs_f64() * 1e3)
}

fn rate(bytes: u64, took: Duration) -> u64 {
    let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX).max(1);
    bytes / 1_000 / millis
}

/// The middle and the 95th of a hundred.
fn spread(mut took: Vec<Duration>) -> String {
    took.sort_unstable();
    let at =
        |percent: usize| took.get(took.len() * percent / 100).or(took.last()).copied().unwrap_or_default();
    format!("p50 {}, p95 {}", ms(at(50)), ms(at(95)))
}

fn anonymous_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .and_then(|number| number.trim().parse::<u64>().ok());
    kilobytes.map_or_else(|| "not known on this system".to_owned(), |kb| format!("{} MB", kb / 1_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_series() {
        let series = |list: &[u64]| spread(list.iter().map(|&n| Duration::from_millis(n)).collect());
        assert_eq!(series(&[]), "p50 0.0 ms, p95 0.0 ms");
        assert_eq!(series(&[7]), "p50 7.0 ms, p95 7.0 ms");
        let hundred: Vec<u64> = (1..=100).rev().collect();
        assert_eq!(series(&hundred), "p50 51.0 ms, p95 96.0 ms");
        assert_eq!(rate(2_000_000, Duration::from_millis(500)), 4);
    }
}
