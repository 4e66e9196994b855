//! The sample sessions: an agent's week on an invented project.
//!
//! A script is played over a project in memory; the events that come out are in
//! no harness's format until a writer writes them. Nothing depends on the clock
//! or the machine: the same bytes come out every time.

mod api_anthropic;
mod api_chat;
mod api_gemini;
mod api_history;
mod api_quirks;
mod api_responses;
mod api_writer;
mod atif_writer;
mod bulk;
mod cargo_output;
mod claude_agents;
mod claude_quirks;
mod claude_rows;
mod claude_sketch;
#[cfg(test)]
mod claude_tests;
mod claude_tools;
mod claude_trees;
mod claude_writer;
mod clock;
mod codex_items;
mod codex_quirks;
mod codex_samples;
#[cfg(test)]
mod codex_tests;
mod codex_tools;
mod codex_writer;
mod gemini_samples;
mod gemini_tools;
mod gemini_writer;
mod household;
mod meter;
mod mini_writer;
mod opencode_samples;
mod opencode_tools;
mod opencode_writer;
mod pi_relatives;
mod pi_writer;
mod project;
mod provider;
mod puts;
mod quirks;
mod readmes;
mod rng;
mod script;
mod shell;
mod source_text;
mod story;
pub(crate) mod stress;
mod swe_writer;
mod teller;
#[cfg(test)]
mod tests;
mod text_diff;
mod tools;

use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;

use self::pi_writer::{PiVersion, PiWriter};
use self::quirks::Quirk;

/// The arguments of `cargo xtask sample`.
#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    /// Compares the files on disk with what would be written, and writes nothing.
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

/// A file of the samples, with its path below the samples folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SampleFile {
    pub(crate) path: String,
    pub(crate) text: String,
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

/// Runs `cargo xtask sample`.
pub(crate) fn run(args: &SampleArgs) -> Result<()> {
    if let (Some(out), Some(turns), Some(blocks), Some(episodes)) =
        (&args.stress, args.turns, args.blocks, args.episodes)
    {
        let file = fs::File::create(out).with_context(|| format!("creating {}", out.display()))?;
        let mut file = BufWriter::with_capacity(1 << 20, file);
        stress::write(&mut file, stress::Size { turns, blocks, episodes, bytes: args.bytes }, 0x5742)?;
        return file.flush().with_context(|| format!("writing {}", out.display()));
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    let files = samples()?;
    if args.check { check(&folder, &files) } else { write(&folder, &files) }
}

/// Makes every sample, in the order of their paths.
pub(crate) fn samples() -> Result<Vec<SampleFile>> {
    let branches = [
        Quirk::BlankLine { row: 5 },
        Quirk::Glued { row: 9 },
        Quirk::UnknownRecord { row: 14 },
        Quirk::Glued { row: 33 },
        Quirk::TornTail,
    ];
    let (branches_script, version_1, version_2) = (
        include_str!("texts/scripts/branches.txt"),
        include_str!("texts/scripts/version-1.txt"),
        include_str!("texts/scripts/version-2.txt"),
    );
    let logs = [
        (
            "branches",
            quirks::damaged(&pi_log(branches_script, PiVersion::Three, 3)?, &branches)?,
            readmes::BRANCHES,
        ),
        ("long", pi_log(&LONG.concat(), PiVersion::Three, 2)?, readmes::LONG),
        (
            "quickstart",
            pi_log(include_str!("texts/scripts/quickstart.txt"), PiVersion::Three, 1)?,
            readmes::QUICKSTART,
        ),
        ("v1", pi_log(version_1, PiVersion::One, 4)?, readmes::VERSION_1),
        ("v2", pi_log(version_2, PiVersion::Two, 5)?, readmes::VERSION_2),
    ];
    let files = logs.into_iter().flat_map(|(name, log, readme)| {
        let readme = SampleFile { path: format!("pi/{name}/README.md"), text: readme.to_owned() };
        [readme, SampleFile { path: format!("pi/{name}/input.jsonl"), text: log }]
    });
    let documents = [atif_writer::samples, swe_writer::samples, mini_writer::samples, api_writer::samples];
    let documents: Vec<Vec<SampleFile>> = documents.into_iter().map(|make| make()).collect::<Result<_>>()?;
    let files = files.chain(documents.into_iter().flatten()).chain(pi_relatives::samples()?);
    Ok(files
        .chain(codex_samples::codex_samples()?)
        .chain(claude_writer::samples()?)
        .chain(gemini_samples::samples()?)
        .chain(opencode_samples::samples()?)
        .collect())
}

fn pi_log(script: &str, version: PiVersion, seed: u64) -> Result<String> {
    let mut writer = PiWriter::new(Vec::new(), version, seed);
    for timed in teller::tell(script, seed)? {
        writer.write(&timed)?;
    }
    Ok(String::from_utf8(writer.into_inner())?)
}

fn write(folder: &Path, files: &[SampleFile]) -> Result<()> {
    for file in files {
        let path = folder.join(&file.path);
        let parent = path.parent().context("a sample stands in a folder")?;
        fs::create_dir_all(parent).with_context(|| format!("creating {}", parent.display()))?;
        fs::write(&path, &file.text).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

/// Fails with the first line that differs, of every file that differs.
fn check(folder: &Path, files: &[SampleFile]) -> Result<()> {
    let mut differing = Vec::new();
    for file in files {
        let found = match fs::read_to_string(folder.join(&file.path)) {
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
