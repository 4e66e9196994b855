//! Fits the inference of episodes to sessions that readers marked, and judges it. `make fit`, `make judge`.
#![allow(clippy::print_stdout, reason = "a program that measures and prints")]

mod crf;
mod fit;
mod marks;
mod minimum;
mod numbers;
mod score;
mod table;
mod value;

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};
use cwl_engine::{Hindsight, History, Weights, divide, edges_between};

use fit::{Marked, Settings, fit};
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
    Judge(Settings),
    /// Prints a session turn by turn: where readers and the fit to the other repositories begin episodes.
    Show {
        /// Its short name.
        session: String,
        #[command(flatten)]
        settings: Settings,
    },
    /// Fits the weights to all marked sessions, and writes the engine's table.
    Fit(Settings),
    /// Judges by the use of it: `cwl` on inferred episodes beside shuffled ones, `window` and `mask`, on the logs of a folder.
    Value {
        /// The folder; `NAME.FORMAT.jsonl`, or SESSION.jsonl of a marked session.
        logs: PathBuf,
    },
    /// Scores JSON marks against JSON marks.
    Score {
        /// Marks, then a prediction of the same form.
        files: Vec<PathBuf>,
    },
}

fn write_table(settings: Settings) -> anyhow::Result<()> {
    let sessions = sessions()?;
    let all: Vec<&Marked> = sessions.iter().collect();
    let weights = fit(&all, settings)?;
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
        Task::Judge(settings) => judge(settings),
        Task::Show { session, settings } => show(&session, settings),
        Task::Value { logs } => value::value(&logs),
        Task::Fit(settings) => write_table(settings),
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

fn show(name: &str, settings: Settings) -> anyhow::Result<()> {
    let sessions = sessions()?;
    let Some(session) = sessions.iter().find(|session| session.name == name) else {
        anyhow::bail!("no session is called {name}");
    };
    let others: Vec<&Marked> =
        sessions.iter().filter(|other| other.repository != session.repository).collect();
    let weights = fit(&others, settings)?;
    let segments = divide(&session.facts, &weights);
    let features = cwl_engine::features_of(&session.facts);
    for (at, (start, _)) in features.iter().enumerate() {
        let mut marks = String::new();
        for reading in &session.readings {
            let (read, _) = session.read_segments(reading);
            marks += sign(&read, at);
        }
        let names: Vec<&str> = start.iter().map(|feature| feature.name()).collect();
        let score: i32 = start
            .iter()
            .map(|feature| weights.start[*feature as usize][1].max(weights.start[*feature as usize][2]))
            .sum();
        println!("{at:3} {marks} {} {score:4} {}", sign(&segments, at), names[1..].join(" "));
    }
    Ok(())
}

/// Writes a turn as `E` or `A` where an exploration or an act begins, `e` or `a` within one, `.` outside.
fn sign(segments: &[cwl_engine::Segment], at: usize) -> &'static str {
    let Some(segment) = segments.iter().find(|segment| (segment.first..segment.end).contains(&at)) else {
        return ".";
    };
    match (segment.label, segment.first == at) {
        (1, true) => "E",
        (1, false) => "e",
        (2, true) => "A",
        (2, false) => "a",
        _ => ".",
    }
}

/// Scores the edges alone: drawn between a reader's own episodes.
fn edge_scores(session: &Marked, weights: &Weights) -> Vec<Score> {
    let of = |marks: &marks::Marks| {
        let (segments, _) = session.read_segments(marks);
        let edges = edges_between(&session.facts, &segments, Hindsight::WholeAct, weights);
        score(&marks.turns, &marks.episodes, &session.episodes(&segments, &edges))
    };
    session.readings.iter().map(of).collect()
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

fn judge(settings: Settings) -> anyhow::Result<()> {
    let sessions = sessions()?;
    let fold = |at: usize| -> anyhow::Result<(Vec<Score>, Vec<Score>)> {
        let others: Vec<&Marked> =
            sessions.iter().filter(|other| other.repository != sessions[at].repository).collect();
        let weights = fit(&others, settings)?;
        Ok((scores(&sessions[at], &weights), edge_scores(&sessions[at], &weights)))
    };
    let n = sessions.len();
    let found: Vec<anyhow::Result<(Vec<Score>, Vec<Score>)>> = std::thread::scope(|scope| {
        let halves: Vec<_> = (0..2)
            .map(|half| {
                scope.spawn(move || (half..n).step_by(2).map(|at| (at, fold(at))).collect::<Vec<_>>())
            })
            .collect();
        let mut all: Vec<_> = halves.into_iter().flat_map(|half| half.join().unwrap_or_default()).collect();
        all.sort_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, found)| found).collect()
    });
    let (mut all, mut alone) = (Vec::new(), Vec::new());
    for (session, found) in sessions.iter().zip(found) {
        let (found, edges) = found?;
        line(&session.name, &mean(&found));
        line("", &mean(&edges));
        all.extend(found);
        alone.extend(edges);
    }
    line("mean", &mean(&all));
    line("edges alone", &mean(&alone));
    Ok(())
}
