//! Development tasks, run as `cargo xtask TASK`.

mod lines;
mod sample;
mod tidy;
mod typescript;

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "xtask", about = "Development tasks of this workspace")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Writes the generated samples, checks them, or writes a big session for benchmarks.
    Sample(sample::SampleArgs),
    /// Writes the TypeScript of the wire types, or checks it.
    Gen {
        /// Only tells how the committed files differ, and writes nothing.
        #[arg(long)]
        check: bool,
    },
    /// Checks import fences and the rules of the house.
    Tidy,
    /// Counts the lines of Rust code of each crate, apart for the product and for its tests.
    Lines,
}

fn main() -> anyhow::Result<()> {
    match Args::parse().task {
        Task::Sample(args) => sample::run(&args),
        Task::Gen { check } => typescript::run(check, &mut std::io::stdout()),
        Task::Tidy => tidy::run(&mut std::io::stdout()),
        Task::Lines => lines::run(&mut std::io::stdout()),
    }
}

/// Returns the root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}
