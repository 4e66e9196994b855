//! Development tasks, run as `cargo xtask TASK`.

mod lines;
mod prose;
mod release;
mod session;
mod tidy;
mod typescript;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use clap::{Parser, Subcommand};
use regex::Regex;

#[derive(Debug, Parser)]
#[command(name = "xtask", about = "Development tasks of this workspace")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Writes a big session for benchmarks.
    Session(session::SessionArgs),
    /// Writes or checks the TypeScript for the wire types.
    Gen {
        /// Reports how the committed files differ, and writes nothing.
        #[arg(long)]
        check: bool,
    },
    /// Checks import fences and the house rules.
    Tidy,
    /// Makes a release: version, changelog section, packages, bills of materials, checksums, and a comparison
    /// of two builds.
    Release(release::ReleaseArgs),
    /// Builds the last commit twice in two folders, and reports differences.
    Reproduce(release::ReproduceArgs),
    /// Prints the changelog's section on a release.
    Notes {
        /// The version, as 0.2.0 or v0.2.0
        version: String,
    },
    /// Removes times, serial numbers and this machine's paths from bills of materials.
    Sbom {
        /// The folder whose path they must not name
        #[arg(long)]
        root: PathBuf,
        /// The files, as CycloneDX JSON
        files: Vec<PathBuf>,
    },
    /// Counts lines of Rust code per crate, separately for the product and its tests.
    Lines,
    /// Measures function names and comments per crate against the house goals.
    Prose,
}

fn main() -> anyhow::Result<()> {
    match Args::parse().task {
        Task::Session(args) => session::run(&args),
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

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

pub(crate) fn output_of(command: &mut Command) -> anyhow::Result<String> {
    let output =
        command.output().with_context(|| format!("{} is needed", command.get_program().display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("{} {}: {said}{}", command.get_program().display(), arguments.join(" "), errors.trim());
    }
    Ok(said.into_owned())
}
