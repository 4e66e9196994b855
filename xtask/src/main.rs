//! Development tasks, run as `cargo xtask TASK`.

mod sample;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "xtask", about = "Development tasks of this workspace")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Writes the sample sessions, checks them, or writes a big one for benchmarks.
    Sample(sample::SampleArgs),
}

fn main() -> anyhow::Result<()> {
    match Args::parse().task {
        Task::Sample(args) => sample::run(&args),
    }
}
