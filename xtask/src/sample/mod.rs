//! Generated sessions: an agent's week on an invented project, and big sessions for benchmarks.
//!
//! A teller plays a script over a project in memory. The resulting events are in no harness's format until
//! the writer turns them into a pi log. Nothing depends on clock or machine, so the bytes are always the
//! same. All other samples are frozen files that nothing here writes or compares.

mod clock;
mod rng;
mod puts;

mod story;
mod script;
mod teller;
mod tools;
mod project;
mod source_text;
mod text_diff;
mod shell;
mod cargo_output;
mod bulk;
mod household;

mod pi_writer;
mod provider;

mod stress;

#[cfg(test)]
mod tests;

use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;

use self::pi_writer::PiWriter;

/// The arguments of `cargo xtask sample`.
#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    /// Compares the generated samples on disk with new ones, and writes nothing.
    #[arg(long, conflicts_with = "stress")]
    check: bool,
    /// Writes one big session for benchmarks to this file instead of the samples.
    #[arg(long, value_name = "OUT", requires_all = ["turns", "blocks", "episodes"])]
    stress: Option<PathBuf>,
    /// Replies of the model in the big session.
    #[arg(long, requires = "stress")]
    turns: Option<u64>,
    /// Blocks in the big session.
    #[arg(long, requires = "stress")]
    blocks: Option<u64>,
    /// Episodes in the big session.
    #[arg(long, requires = "stress")]
    episodes: Option<u64>,
    /// About how many bytes the big session has.
    #[arg(long, requires = "stress")]
    bytes: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SampleFile {
    path: &'static str,
    text: String,
}

const LONG: [&str; 8] = [
    include_str!("texts/scripts/long-1-polling.txt"),
    include_str!("texts/scripts/long-2-ci.txt"),
    include_str!("texts/scripts/long-3-search.txt"),
    include_str!("texts/scripts/long-4-stream-and-opml.txt"),
    include_str!("texts/scripts/long-5-unread.txt"),
    include_str!("texts/scripts/long-6-stall.txt"),
    include_str!("texts/scripts/long-7-review.txt"),
    include_str!("texts/scripts/long-8-sanitiser.txt"),
];

pub(crate) fn run(args: &SampleArgs) -> Result<()> {
    if let (Some(out), Some(turns), Some(blocks), Some(episodes)) =
        (&args.stress, args.turns, args.blocks, args.episodes)
    {
        let file = fs::File::create(out).with_context(|| format!("creating {}", out.display()))?;
        let mut file = BufWriter::with_capacity(1 << 20, file);
        stress::write(&mut file, stress::Size { turns, blocks, episodes, bytes: args.bytes }, 0x5742)?;
        return file.flush().with_context(|| format!("writing {}", out.display()));
    }
    let folder = crate::root().join("samples");
    let files = samples()?;
    if args.check { check(&folder, &files) } else { write(&folder, &files) }
}

fn samples() -> Result<Vec<SampleFile>> {
    let long = SampleFile { path: "pi/long/input.jsonl", text: pi_log(&LONG.concat(), 2)? };
    let quickstart = SampleFile {
        path: "pi/quickstart/input.jsonl",
        text: pi_log(include_str!("texts/scripts/quickstart.txt"), 1)?,
    };
    Ok(vec![long, quickstart])
}

fn pi_log(script: &str, seed: u64) -> Result<String> {
    let mut writer = PiWriter::new(Vec::new(), seed);
    for timed in teller::tell(script, seed)? {
        writer.write(&timed)?;
    }
    Ok(String::from_utf8(writer.into_inner())?)
}

fn write(folder: &Path, files: &[SampleFile]) -> Result<()> {
    for file in files {
        let path = folder.join(file.path);
        let parent = path.parent().context("a sample stands in a folder")?;
        fs::create_dir_all(parent).with_context(|| format!("creating {}", parent.display()))?;
        fs::write(&path, &file.text).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

/// Fails with the first differing line of every file that differs.
fn check(folder: &Path, files: &[SampleFile]) -> Result<()> {
    let mut differing = Vec::new();
    for file in files {
        let found = match fs::read_to_string(folder.join(file.path)) {
            Ok(found) => found,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                differing.push(format!("samples/{} is missing", file.path));
                continue;
            }
            Err(error) => bail!("reading samples/{}: {error}", file.path),
        };
        if found != file.text {
            let same = found.lines().zip(file.text.lines()).take_while(|(a, b)| a == b).count();
            differing.push(format!("samples/{} differs from line {}", file.path, same + 1));
        }
    }
    ensure!(differing.is_empty(), "{}; run `cargo xtask sample`", differing.join(", "));
    Ok(())
}
