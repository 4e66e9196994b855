//! Fits the inference of episodes to sessions that readers marked, and judges it. `make fit`, `make judge`.
#![allow(clippy::print_stdout, reason = "a program that measures and prints")]

mod crf;
mod fit;
mod marks;
mod minimum;
mod numbers;
mod score;
mod table;

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};
use cwl_engine::{Hindsight, History, Weights, divide, edges_between};

use fit::{Marked, fit};
use score::{Score, mean, score};

/// Fits and judges the inference of episodes.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Writes the numbers of the marked sessions, read from their logs (SESSION.jsonl in a folder).
    Numbers {
        /// The folder with the logs.
        logs: PathBuf,
    },
    /// Judges by leaving one repository out at a time.
    Judge {
        /// How strongly weights are kept small.
        #[arg(long, default_value_t = SCALE)]
        scale: f64,
    },
    /// Fits the weights to all marked sessions, and writes the engine's table.
    Fit {
        /// How strongly weights are kept small.
        #[arg(long, default_value_t = SCALE)]
        scale: f64,
    },
    /// Scores JSON marks against JSON marks.
    Score {
        /// Marks, then a prediction of the same form.
        files: Vec<PathBuf>,
    },
}

/// How strongly weights are kept small where nothing else is asked for.
const SCALE: f64 = 0.7;

fn write_table(scale: f64) -> anyhow::Result<()> {
    let sessions = sessions()?;
    let all: Vec<&Marked> = sessions.iter().collect();
    let weights = fit(&all, scale)?;
    let n_readings = sessions.iter().map(|session| session.readings.len()).sum();
    let path = home().join("../engine/src/infer/table.rs");
    std::fs::write(&path, table::rust(&weights, sessions.len(), n_readings))?;
    println!("wrote {}", path.display());
    Ok(())
}

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn main() -> anyhow::Result<()> {
    match Args::parse().task {
        Task::Numbers { logs } => write_numbers(&logs),
        Task::Judge { scale } => judge(scale),
        Task::Fit { scale } => write_table(scale),
        Task::Score { files } => {
            for pair in files.chunks(2) {
                let [gold, found] = pair else { continue };
                let read = |path: &Path| -> anyhow::Result<marks::Marks> {
                    Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)
                };
                let (gold, found) = (read(gold)?, read(found)?);
                line(&gold.session, &score(&gold.turns, &gold.episodes, &found.episodes));
            }
            Ok(())
        }
    }
}

fn write_numbers(logs: &Path) -> anyhow::Result<()> {
    let mut done = std::collections::BTreeSet::new();
    for marks in marks::read_all(&home().join("marks"))? {
        if !done.insert(marks.session.clone()) {
            continue;
        }
        let log = logs.join(format!("{}.jsonl", marks.session));
        let read = numbers::read_log(&log, &marks.format, History::Full)?;
        let numbers = numbers::numbers_of(&marks.session, &read);
        let apart =
            numbers.turns.iter().zip(&marks.turns).filter(|(turn, lines)| turn.first != lines.0).count();
        println!(
            "{}: {} turns ({} by the marks), {apart} begin elsewhere",
            marks.session,
            numbers.turns.len(),
            marks.turns.len()
        );
        let path = home().join("numbers").join(format!("{}.json", marks.session));
        std::fs::create_dir_all(home().join("numbers"))?;
        let mut text = format!("{{\"session\":\"{}\",\"turns\":[\n", numbers.session);
        let rows: Vec<String> = numbers.turns.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        text += &rows.join(",\n");
        text += "\n]}\n";
        std::fs::write(path, text)?;
    }
    Ok(())
}

fn sessions() -> anyhow::Result<Vec<Marked>> {
    let all = marks::read_all(&home().join("marks"))?;
    let mut names: Vec<String> = all.iter().map(|marks| marks.session.clone()).collect();
    names.dedup();
    names
        .iter()
        .map(|name| {
            let text = std::fs::read_to_string(home().join("numbers").join(format!("{name}.json")))?;
            let numbers: numbers::Numbers = serde_json::from_str(&text)?;
            let readings = all.iter().filter(|marks| marks.session == *name).cloned().collect();
            Ok(Marked::new(&numbers, readings))
        })
        .collect()
}

fn scores(session: &Marked, weights: &Weights) -> Vec<Score> {
    let segments = divide(&session.facts, weights);
    let edges = edges_between(&session.facts, &segments, Hindsight::WholeAct, weights);
    let found = session.episodes(&segments, &edges);
    session.readings.iter().map(|marks| score(&marks.turns, &marks.episodes, &found)).collect()
}

fn line(name: &str, score: &Score) {
    println!(
        "{name:12} F1 {:.3} (P {:.2} R {:.2})  WindowDiff {:.3}  kappa {:.3}  edges P {:.2} R {:.2} F {:.2}  episodes {}/{}",
        score.f1,
        score.precision,
        score.recall,
        score.window_diff,
        score.kappa,
        score.edge_precision.unwrap_or(f64::NAN),
        score.edge_recall.unwrap_or(f64::NAN),
        score.edge_f(),
        score.n_gold,
        score.n_found
    );
}

fn judge(scale: f64) -> anyhow::Result<()> {
    let sessions = sessions()?;
    let fold = |at: usize| -> anyhow::Result<Vec<Score>> {
        let others: Vec<&Marked> =
            sessions.iter().filter(|other| other.repository != sessions[at].repository).collect();
        Ok(scores(&sessions[at], &fit(&others, scale)?))
    };
    let n = sessions.len();
    let found: Vec<anyhow::Result<Vec<Score>>> = std::thread::scope(|scope| {
        let halves: Vec<_> = (0..2)
            .map(|half| {
                scope.spawn(move || (half..n).step_by(2).map(|at| (at, fold(at))).collect::<Vec<_>>())
            })
            .collect();
        let mut all: Vec<_> = halves.into_iter().flat_map(|half| half.join().unwrap_or_default()).collect();
        all.sort_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, found)| found).collect()
    });
    let mut all = Vec::new();
    for (session, found) in sessions.iter().zip(found) {
        let found = found?;
        line(&session.name, &mean(&found));
        all.extend(found);
    }
    line("mean", &mean(&all));
    Ok(())
}
