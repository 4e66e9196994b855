use std::path::PathBuf;

use clap::{Args, Subcommand};
use cwl_corpus::{Constraint, Shard};

use super::ViewArgs;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct CorpusArgs {
    #[command(subcommand)]
    pub(crate) act: Option<CorpusAct>,
    /// Logs, folders of logs, and databases; without one the sessions that `cwl sessions` finds on this machine
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The folder of the tables; what is up to date there stays as it is
    #[arg(long, value_name = "DIR", required = true)]
    pub(crate) out: Option<PathBuf>,
    /// Policies and budgets of the table of runs, POLICY,…@BUDGET,…, a policy with options as POLICY:KEY=VALUE,KEY=VALUE; can be
    /// repeated [default: none, the table is empty]
    #[arg(long, value_name = "POLICIES@BUDGETS")]
    pub(crate) runs: Vec<String>,
    /// Write titles, names, folders and sentences, with secrets redacted; without it they are hashes
    #[arg(long)]
    pub(crate) with_texts: bool,
    /// Leave secrets, names and paths as they are; needs --i-know
    #[arg(long, requires = "i_know", requires = "with_texts")]
    pub(crate) no_redact: bool,
    /// Confirm that every reader of the tables may read everything in them
    #[arg(long)]
    pub(crate) i_know: bool,
    /// The file with the key of the hashes; it is created if it is missing [default: the file `key` in the folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) work: CorpusWorkArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

/// Share of the work, and how it is done.
#[derive(Debug, Args)]
pub(crate) struct CorpusWorkArgs {
    /// Work on one of N shares of the logs, I from 1 to N; all shares write into one folder
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = parse_shard)]
    pub(crate) shard: Shard,
    /// How many logs are worked on at once [default: one on each core]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Write everything again
    #[arg(long)]
    pub(crate) fresh: bool,
}

impl CorpusWorkArgs {
    /// Number of logs that are worked on at once.
    pub(crate) fn n_threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }
}

/// Answers from the tables of a corpus, and logs for one.
#[derive(Debug, Subcommand)]
pub(crate) enum CorpusAct {
    /// Write one HTML page about the sessions of a corpus: distributions, policies by budget, findings
    Report(CorpusReportArgs),
    /// Write the sessions of a data set in Parquet as logs: one for each row whose messages have the form of chat completions
    Unpack(CorpusUnpackArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CorpusReportArgs {
    /// The folder of the tables
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The file to write; `-` is standard output [default: report.html in the folder]
    #[arg(long, value_name = "OUT")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CorpusUnpackArgs {
    /// The Parquet files of one set
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The folder of the logs; logs that are there stay as they are
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Unpack N rows, drawn by a hash of their places: the same ones every time [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<u64>,
    /// The model that wrote the sessions, if the set does not name it; without one their cost is not known
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The column that tells whether the task was solved [default: the first of resolved, solved, success, reward, target]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) outcome: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct TrialArgs {
    /// Logs, folders of logs, and databases; without one the sessions that `cwl sessions` finds on this machine
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The folder of the tables and of the page; what is up to date there stays as it is
    #[arg(long, value_name = "DIR", required_unless_present = "fetch_list")]
    pub(crate) out: Option<PathBuf>,
    /// Budgets at which every policy is run; choose them between the part of a request that the log does not hold and the largest request [default: 20k,40k,60k,80k,120k unless --runs names others]
    #[arg(long, value_name = "BUDGETS")]
    pub(crate) budgets: Option<String>,
    /// Policies and budgets, POLICY,…@BUDGET,…, as `cwl corpus` takes them, beside --budgets; can be repeated
    #[arg(long, value_name = "POLICIES@BUDGETS")]
    pub(crate) runs: Vec<String>,
    #[command(flatten)]
    pub(crate) work: CorpusWorkArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// List public sets of logs: what they hold, under which licence, and the lines that get them
    #[arg(long, exclusive = true)]
    pub(crate) fetch_list: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ChooseArgs {
    /// The folder of the tables, with runs
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// A limit that the choice must meet, FIGURE>=LIMIT (or <=, >, <); can be repeated: recall (a share), reacquired (mean tokens),
    /// over (the share of turns over the budget), cost (mean dollars)
    #[arg(long = "constraint", value_name = "CONSTRAINT", value_parser = Constraint::parse_constraint)]
    pub(crate) constraints: Vec<Constraint>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    Shard::parse_shard(text).ok_or_else(|| "write I/N, I from 1 to N, as 2/8".to_owned())
}
