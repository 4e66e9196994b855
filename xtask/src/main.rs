//! Development tasks, run as `cargo xtask TASK`.

mod lines;
mod prose;
mod release;
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
    /// Makes a release: the version, the changelog's section, packages, bills of materials, checksums, and two builds compared.
    Release(release::ReleaseArgs),
    /// Builds the last commit twice in two folders, and tells what differs.
    Reproduce(release::ReproduceArgs),
    /// Prints what the changelog says of a release.
    Notes {
        /// The version, as 0.2.0 or v0.2.0
        version: String,
    },
    /// Takes times, serial numbers and paths of this machine out of bills of materials.
    Sbom {
        /// The folder whose path they must not name
        #[arg(long)]
        root: PathBuf,
        /// The files, in the form of CycloneDX as JSON
        files: Vec<PathBuf>,
    },
    /// Counts the lines of Rust code of each crate, apart for the product and for its tests.
    Lines,
    /// Measures the names of functions and the comments of each crate against the goals of the house.
    Prose,
}

fn main() -> anyhow::Result<()> {
    match Args::parse().task {
        Task::Sample(args) => sample::run(&args),
        Task::Gen { check } => typescript::run(check, &mut std::io::stdout()),
        Task::Tidy => tidy::run(&mut std::io::stdout()),
        Task::Release(args) => release::run(&args, &root(), &mut std::io::stdout()),
        Task::Reproduce(args) => release::reproduce(&args, &root(), &mut std::io::stdout()),
        Task::Notes { version } => release::notes(&version, &root(), &mut std::io::stdout()),
        Task::Sbom { root, files } => release::sbom::settle(&files, &root),
        Task::Lines => lines::run(&mut std::io::stdout()),
        Task::Prose => prose::run(&mut std::io::stdout()),
    }
}

/// The workspace's root folder.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}
