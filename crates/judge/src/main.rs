//! Fits the inference of episodes to sessions marked by readers, and evaluates it: `make fit`, `make judge`.
#![allow(clippy::print_stdout, reason = "a program that measures and prints")]

mod answer;
mod crf;
mod declared;
mod fit;
mod marks;
mod minimum;
mod numbers;
mod play;
mod quality;
mod report;
mod score;
mod table;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};
use cwl_engine::{Hindsight, History, WEIGHTS, Weights, divide_weighted, edges_between};

use fit::{MarkedSession, Settings, fit};
use score::{Score, score};

/// Fits and evaluates the inference of episodes.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Writes the numbers of the marked sessions whose logs (SESSION.jsonl) are in a folder.
    Numbers {
        /// The folder with the logs.
        logs: PathBuf,
    },
    /// Evaluates by leaving one repository out at a time.
    Judge {
        #[command(flatten)]
        settings: Settings,
        /// Writes the figures into docs/inference.md.
        #[arg(long)]
        write: bool,
    },
    /// Prints a session turn by turn: where readers, and a fit to the other repositories, begin episodes.
    Show {
        /// The short name.
        session: String,
        #[command(flatten)]
        settings: Settings,
    },
    /// Fits the weights to all marked sessions, and writes the engine's table.
    Fit(Settings),
    /// Evaluates the value of inference on a folder's logs: `cwl` on inferred episodes against shuffled ones,
    /// `window` and `mask`.
    Value {
        /// The folder; `NAME.FORMAT.jsonl`, or SESSION.jsonl of a marked session.
        logs: PathBuf,
        /// Writes the figures into docs/inference.md.
        #[arg(long)]
        write: bool,
    },
    /// Evaluates the quality rules: how rarely they fire on sound marks, and whether they find spoiled ones.
    Quality {
        /// Writes the figures into docs/lints.md.
        #[arg(long)]
        write: bool,
        /// Sets a threshold, as Q009.stretch_turns=8; can be repeated.
        #[arg(long)]
        set: Vec<String>,
    },
    /// Counts the logs in a folder in which `cwl` evicts at half their size.
    Evicts {
        /// The folder.
        logs: PathBuf,
    },
    /// Plays a reader: reads a prompt of `cwl annotate --reader` from standard input, and answers with the marks of a
    /// reading.
    Answer {
        /// The reading, as d01.A.
        reading: String,
    },
    /// Scores JSON marks against JSON marks.
    Score {
        /// Marks, then a prediction in the same form.
        files: Vec<PathBuf>,
    },
}

fn write_table(settings: Settings) -> anyhow::Result<()> {
    let sessions = sessions()?;
    let all: Vec<&MarkedSession> = sessions.iter().collect();
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
        Task::Judge { settings, write } => judge(settings, write),
        Task::Show { session, settings } => show(&session, settings),
        Task::Value { logs, write } => value::value(&logs, write),
        Task::Quality { write, set } => {
            let text = quality::report(&sessions()?, &quality::thresholds(&set)?)?;
            println!("{text}");
            if write { report::write_into("lints.md", "calibration", &text) } else { Ok(()) }
        }
        Task::Evicts { logs } => value::evicts(&logs),
        Task::Fit(settings) => write_table(settings),
        Task::Answer { reading } => {
            let prompt = std::io::read_to_string(std::io::stdin())?;
            println!("{}", answer::answer_prompt(&home().join("marks"), &reading, &prompt)?);
            Ok(())
        }
        Task::Score { files } => {
            for pair in files.chunks(2) {
                let [gold, found] = pair else { continue };
                let read = |path: &Path| -> anyhow::Result<marks::Marks> {
                    Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)
                };
                let (gold, found) = (read(gold)?, read(found)?);
                println!(
                    "{}",
                    report::row(&gold.session, &score(&gold.turns, &gold.episodes, &found.episodes))
                );
            }
            Ok(())
        }
    }
}

fn write_numbers(logs: &Path) -> anyhow::Result<()> {
    let mut done = BTreeSet::new();
    for marks in marks::read_all(&home().join("marks"))? {
        if !done.insert(marks.session.clone()) {
            continue;
        }
        let log = logs.join(format!("{}.jsonl", marks.session));
        if !log.exists() {
            println!("{}: no log here, its numbers stay", marks.session);
            continue;
        }
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

fn sessions() -> anyhow::Result<Vec<MarkedSession>> {
    marked(|marks| !marks.aside)
}

fn aside() -> anyhow::Result<Vec<MarkedSession>> {
    marked(|marks| marks.aside)
}

fn marked(is_meant: impl Fn(&marks::Marks) -> bool) -> anyhow::Result<Vec<MarkedSession>> {
    let mut all = marks::read_all(&home().join("marks"))?;
    all.retain(is_meant);
    let mut names: Vec<String> = all.iter().map(|marks| marks.session.clone()).collect();
    names.dedup();
    names
        .iter()
        .map(|name| {
            let text = std::fs::read_to_string(home().join("numbers").join(format!("{name}.json")))?;
            let numbers: numbers::Numbers = serde_json::from_str(&text)?;
            let readings = all.iter().filter(|marks| marks.session == *name).cloned().collect();
            Ok(MarkedSession::new(&numbers, readings))
        })
        .collect()
}

fn scores(session: &MarkedSession, weights: &Weights) -> Vec<Score> {
    let segments = divide_weighted(&session.facts, weights);
    let edges = edges_between(&session.facts, &segments, Hindsight::WholeAct, weights);
    let found = session.episodes(&segments, &edges);
    session.readings.iter().map(|marks| score(&marks.turns, &marks.episodes, &found)).collect()
}

fn show(name: &str, settings: Settings) -> anyhow::Result<()> {
    let sessions = sessions()?;
    let Some(session) = sessions.iter().find(|session| session.name == name) else {
        anyhow::bail!("no session is called {name}");
    };
    let others: Vec<&MarkedSession> =
        sessions.iter().filter(|other| other.repository != session.repository).collect();
    let weights = fit(&others, settings)?;
    let segments = divide_weighted(&session.facts, &weights);
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

/// `E` or `A` if an exploration or an act begins at the turn, `e` or `a` within one, `.` outside.
fn sign(segments: &[cwl_engine::LabeledSegment], at: usize) -> &'static str {
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

fn edge_scores(session: &MarkedSession, weights: &Weights) -> Vec<Score> {
    let of = |marks: &marks::Marks| {
        let (segments, _) = session.read_segments(marks);
        let edges = edges_between(&session.facts, &segments, Hindsight::WholeAct, weights);
        score(&marks.turns, &marks.episodes, &session.episodes(&segments, &edges))
    };
    session.readings.iter().map(of).collect()
}

struct Fold {
    found: Vec<Score>,
    edges: Vec<Score>,
    tasks: (usize, usize),
    /// Margin of each predicted start, and whether a reader has that start.
    margins: Vec<(i32, bool)>,
}

impl Fold {
    fn measure(session: &MarkedSession, weights: &Weights) -> Self {
        let segments = divide_weighted(&session.facts, weights);
        let mut margins = Vec::new();
        for marks in &session.readings {
            let (read, _) = session.read_segments(marks);
            for segment in segments.iter().filter(|segment| segment.label != 0) {
                let is_read = read.iter().any(|other| other.first.abs_diff(segment.first) <= 1);
                margins.push((segment.margin, is_read));
            }
        }
        Self {
            found: scores(session, weights),
            edges: edge_scores(session, weights),
            tasks: declared::tasks_found(session, weights),
            margins,
        }
    }
}

/// Evaluates every session with weights fitted to the other repositories.
fn folds(sessions: &[MarkedSession], settings: Settings) -> anyhow::Result<Vec<Fold>> {
    let repositories: BTreeSet<&str> = sessions.iter().map(|session| session.repository.as_str()).collect();
    let without = |repository: &str| -> anyhow::Result<Weights> {
        let others: Vec<&MarkedSession> =
            sessions.iter().filter(|other| other.repository != repository).collect();
        fit(&others, settings)
    };
    let without = &without;
    let weights: BTreeMap<&str, Weights> = std::thread::scope(|scope| {
        let threads: Vec<_> = repositories
            .iter()
            .map(|repository| (*repository, scope.spawn(move || without(repository))))
            .collect();
        let join = |(repository, thread): (_, std::thread::ScopedJoinHandle<'_, anyhow::Result<Weights>>)| {
            let weights = thread.join().unwrap_or_else(|_| anyhow::bail!("a fit panicked"))?;
            Ok((repository, weights))
        };
        threads.into_iter().map(join).collect::<anyhow::Result<_>>()
    })?;
    Ok(sessions.iter().map(|session| Fold::measure(session, &weights[session.repository.as_str()])).collect())
}

fn judge(settings: Settings, write: bool) -> anyhow::Result<()> {
    let sessions = sessions()?;
    let folds = folds(&sessions, settings)?;
    let aside = aside()?;
    let found: Vec<Vec<Score>> = aside.iter().map(|session| scores(session, &WEIGHTS)).collect();
    let samples = declared::samples(&home().join("../../samples"))?;
    let text = report::report(&sessions, &folds, (&aside, &found), &samples);
    println!("{text}");
    if write {
        report::write("judged", &text)?;
    }
    Ok(())
}
