//! Arguments: commands and options.

#[cfg(feature = "corpus")]
mod corpus;
mod diff;
mod examples;
mod known;
mod lint;
mod lists;
#[cfg(feature = "live")]
mod live;
#[cfg(feature = "proxy")]
mod proxy;
mod shared;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use cwl_host::api::Provider;

use crate::commands::compare::{CompareArgs, SweepArgs};
use crate::out::ColorChoice;

#[cfg(feature = "corpus")]
pub(crate) use corpus::{ChooseArgs, CorpusAct, CorpusArgs, CorpusReportArgs, CorpusUnpackArgs, TrialArgs};
pub(crate) use diff::DiffArgs;
pub(crate) use examples::{build_command, parse_args};
pub(crate) use lint::{LintArgs, LintSort};
pub(crate) use lists::{
    BranchesArgs, BranchesSort, CapturedArgs, CapturedSort, CompactionsArgs, CompactionsSort, CostArgs,
    EvictedArgs, GraphArgs, GraphSort, MissesSort, ModelsArgs, ModelsSort, ReacquisitionsArgs,
    ReacquisitionsSort, SessionsArgs, Sort,
};
#[cfg(feature = "live")]
pub(crate) use live::{LiveAct, LiveArgs, LiveSetArgs, LiveStatusArgs};
#[cfg(feature = "proxy")]
pub(crate) use proxy::ProxyArgs;
pub(crate) use shared::{CacheArgs, CutArgs, InputArgs, RecordedArgs, ViewArgs};

/// Shows what a coding agent's model would receive under an eviction policy and a token budget.
#[derive(Debug, Parser)]
#[command(name = "cwl", version, about, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    /// Without one the program says which sessions it found and which commands show them.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options of all commands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Say nothing on standard error but why a command failed
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the sessions of the store and of this machine
    Sessions(SessionsArgs),
    /// Show the episodes of a session and their dependencies
    Graph(GraphArgs),
    /// Run a policy over all turns of a session
    Replay(ReplayArgs),
    /// Show what the model would receive at a turn
    Context(ContextArgs),
    /// Show what the model would not receive at a turn, and why
    Evicted(EvictedArgs),
    /// Show what the agent read again after the policy had evicted it: why, and what would have helped
    #[command(alias = "regrets")]
    Reacquisitions(ReacquisitionsArgs),
    /// Audit the compactions that the log records: what went, what was needed again, what others would have kept
    Compactions(CompactionsArgs),
    /// Compare the requests that the harness kept as it sent them with what the log gives
    Captured(CapturedArgs),
    /// Show what a session cost and why the prompt cache was missed, as the provider reported it
    Cost(CostArgs),
    /// Compare policies on one session: side by side, over several budgets, or on the Pareto frontier
    Compare(CompareArgs),
    /// Alias of `cwl compare --view budgets`
    Sweep(SweepArgs),
    /// Compare two sessions of one task: what each did, where they part, and the figures of both
    Diff(DiffArgs),
    /// Print a session on one page: tokens over time, episodes, largest evictions
    Report(ReportArgs),
    /// List everything that is found about logs, their marks and a policy's passes, for scripts and CI
    Lint(LintArgs),
    /// Write tables of many sessions as Parquet, for DuckDB, Polars and other readers; texts become hashes
    #[cfg(feature = "serve")]
    Corpus(CorpusArgs),
    /// Choose a policy and a budget from the runs of a corpus: on one half of its sessions, reported on the other
    #[cfg(feature = "corpus")]
    Choose(ChooseArgs),
    /// Compare all policies over many sessions, at equal mean request and at equal cost
    #[cfg(feature = "corpus")]
    Trial(TrialArgs),
    /// Mark the episodes of a session afterwards: print it for a reader, save the marks that come back
    #[cfg(feature = "serve")]
    Annotate(AnnotateArgs),
    /// Write a session as one HTML page with the stepper; secrets are redacted
    #[cfg(feature = "serve")]
    Export(ExportArgs),
    /// Follow a log while it is written, a line per turn
    Tail(TailArgs),
    /// Serve the window's page to browsers on this machine
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    /// Serve tools to an agent over standard input and output, by the Model Context Protocol
    #[cfg(feature = "mcp")]
    Mcp(McpArgs),
    /// Stand between a harness and its provider: hand its requests on as they are
    #[cfg(feature = "proxy")]
    Proxy(ProxyArgs),
    /// Decide for a running agent what its next request leaves out, over standard input and output; its extension starts it
    #[cfg(feature = "live")]
    Live(LiveArgs),
    /// Read logs into the store
    Import(ImportArgs),
    /// Maintain the store
    #[command(subcommand)]
    Db(DbAct),
    /// List the policies, or the options of one
    Policies(PoliciesArgs),
    /// List the formats of logs and the folders that are searched
    Formats(PrintArgs),
    /// List the models whose prices and windows are known; rows of your own stand in prices.toml and models.toml
    Models(ModelsArgs),
    /// List the branches of a session
    Branches(BranchesArgs),
    /// Print the JSON schema of a document, or the names of all
    Schema(SchemaArgs),
    /// Write completions for a shell
    Completions(CompletionsArgs),
    /// Write the pages for man
    Man(ManArgs),
}

/// How a list is printed.
#[derive(Debug, Args)]
pub(crate) struct PrintArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PoliciesArgs {
    /// The policy whose options are listed
    #[arg(value_parser = known::known_policies())]
    pub(crate) name: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder for a page of each command; without it the page of the program, to standard output
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// List every turn and every step, however many there are
    #[arg(long)]
    pub(crate) steps: bool,
    /// Print the whole trace as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContextFormat {
    /// A line per block, ghosts included
    List,
    /// The texts that the model would receive
    Text,
    /// The messages that pi would hand to its provider
    Pi,
    /// The messages of a request to the Anthropic Messages API
    Anthropic,
    /// The input of a request to the OpenAI Responses API
    #[value(name = "openai")]
    OpenAi,
    /// The messages of a request to the OpenAI Chat Completions API
    #[value(name = "openai-chat")]
    OpenAiChat,
    /// The contents of a request to the Gemini API
    Gemini,
}

impl ContextFormat {
    /// Returns the provider whose request form this is, if any.
    pub(crate) fn request_format(self) -> Option<Provider> {
        match self {
            Self::List | Self::Text => None,
            Self::Pi => Some(Provider::Pi),
            Self::Anthropic => Some(Provider::Anthropic),
            Self::OpenAi => Some(Provider::OpenAiResponses),
            Self::OpenAiChat => Some(Provider::OpenAiChat),
            Self::Gemini => Some(Provider::Gemini),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ContextArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The form to print
    #[arg(long = "as", value_enum, default_value = "text")]
    pub(crate) form: ContextFormat,
    /// Print JSON: every block with its reason, ghosts included
    #[arg(long, conflicts_with = "form")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) cut: CutArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Print only the problems of the log, all of them, with their lines
    #[arg(long, conflicts_with = "json")]
    pub(crate) problems: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[cfg(feature = "serve")]
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The file to write; `-` is standard output
    #[arg(long, value_name = "OUT")]
    pub(crate) html: PathBuf,
    /// The engine of the page, WebAssembly; without it the one in this program, or `cwl-page-engine.wasm.gz` beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) engine: Option<PathBuf>,
    /// Leave secrets, names and paths as they are; needs --i-know
    #[arg(long, requires = "i_know")]
    pub(crate) no_redact: bool,
    /// Confirm that every reader of the page may read everything in it
    #[arg(long)]
    pub(crate) i_know: bool,
    /// The folder of a built page; without it the page in this program
    #[arg(long, value_name = "DIR")]
    pub(crate) ui: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) cut: CutArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[cfg(feature = "serve")]
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("act").required(true))]
#[command(group = clap::ArgGroup::new("saves"))]
pub(crate) struct AnnotateArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Print the guide for a reader and the session condensed to its turns, in pages; secrets are redacted
    #[arg(long, group = "act")]
    pub(crate) brief: bool,
    /// The page of the brief, from 1; the guide stands on the first one
    #[arg(long, value_name = "N", requires = "brief", default_value = "1")]
    pub(crate) page: usize,
    /// Check a file of marks, and save them; `-` is standard input. If anything is odd, the command says it by line, saves nothing and ends with exit code 2
    #[arg(long, value_name = "MARKS", groups = ["act", "saves"])]
    pub(crate) apply: Option<PathBuf>,
    /// Save what can be used of the marks although something is odd
    #[arg(long, requires = "apply", conflicts_with = "reader")]
    pub(crate) partial: bool,
    /// Let a command mark the session: guide and brief go to its standard input, the last JSON object with `episodes` on its standard output is the answer. No shell reads the command; it runs in an empty folder
    #[arg(long, value_name = "COMMAND", groups = ["act", "saves"])]
    pub(crate) reader: Option<String>,
    /// Say how many tokens would go to the reader, and start nothing
    // clap drops a requirement that another argument excludes.
    #[arg(long, requires = "reader", conflicts_with_all = ["apply", "delete"])]
    pub(crate) dry_run: bool,
    /// How many seconds one answer of the reader may take
    #[arg(long, value_name = "SECONDS", requires = "reader", default_value = "900", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) time_limit: u64,
    /// The most tokens of one prompt; a longer brief goes to the reader in parts, with the marks so far
    #[arg(long, value_name = "TOKENS", requires = "reader", default_value = "100000")]
    pub(crate) part_tokens: u64,
    /// Redact secrets, names and paths in what goes to the reader, which is the default
    #[arg(long, requires = "reader", conflicts_with = "no_redact")]
    pub(crate) redact: bool,
    /// Leave secrets, names and paths in what goes to the reader; needs --i-know
    #[arg(long, requires_all = ["reader", "i_know"])]
    pub(crate) no_redact: bool,
    /// Confirm that the reader and its provider may read everything in the session
    #[arg(long)]
    pub(crate) i_know: bool,
    /// The name to save the marks under, by which `--annotation NAME` finds them [default: that of the file, or of the reader's program]
    #[arg(id = "saved_name", long = "name", value_name = "NAME", requires = "saves")]
    pub(crate) name: Option<String>,
    /// Who made the marks, a person or a model [default: what the marks say, or the reader's program]
    #[arg(long, value_name = "WHO", requires = "saves")]
    pub(crate) by: Option<String>,
    /// List the marks that are saved for the session
    #[arg(long, group = "act")]
    pub(crate) list: bool,
    /// Print saved marks as JSON
    #[arg(long, value_name = "NAME", group = "act")]
    pub(crate) export: Option<String>,
    /// Remove saved marks
    #[arg(long, value_name = "NAME", group = "act")]
    pub(crate) delete: Option<String>,
    /// Write a page about the marks of --annotation before and after they were changed
    #[arg(long, value_name = "HTML", group = "act")]
    pub(crate) report: Option<PathBuf>,
    /// The annotation before, for --report [default: the one that the marks were changed from]
    #[arg(long, value_name = "NAME", requires = "report")]
    pub(crate) before: Option<String>,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// A session or a folder of logs; without it the folders where agents keep their logs
    #[arg(value_name = "SESSION|DIR")]
    pub(crate) path: Option<PathBuf>,
    /// The format of the log; without it the content tells
    #[arg(long, value_name = "FORMAT", value_parser = known::known_formats())]
    pub(crate) format: Option<String>,
    /// The number of past turns to print of each session [default: all]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) lines: Option<u32>,
    /// Print JSON, an object on a line for each turn
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[cfg(feature = "serve")]
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// A session log, the folder of a corpus, the id of a known session, or a link (cwl-inspector://…); without
    /// it the list of sessions
    #[arg(value_name = "PATH|SESSION_ID|LINK")]
    pub(crate) target: Option<String>,
    /// The turn to open at, from 1; without it the newest
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), requires = "target")]
    pub(crate) turn: Option<u32>,
    /// The port; 0 is any free one [default: 4357, or a free one when 4357 is in use]
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Play a sample as if an agent were writing it now
    #[arg(long, conflicts_with = "target")]
    pub(crate) demo: bool,
    /// The folder of the store; without it CWL_DATA_DIR or the platform's data directory
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// The folder of a built page; without it the page in this program
    #[arg(long, value_name = "DIR")]
    pub(crate) ui: Option<PathBuf>,
    /// The engine of exported pages, WebAssembly; without it the one in this program, or `cwl-page-engine.wasm.gz` beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) engine: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[cfg(feature = "mcp")]
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Also answer about sessions that were recorded in this folder or below it; can be repeated [default: the folder that the server is started in, unless that is your home or the root of all files]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// Offer `cwl_annotate`, by which an agent saves marks of a session
    #[arg(long)]
    pub(crate) allow_annotate: bool,
    /// The folder of the store; without it CWL_DATA_DIR or the platform's data directory
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The session logs
    #[arg(required = true, value_name = "SESSION")]
    pub(crate) files: Vec<PathBuf>,
    /// The format of the log; without it the content tells
    #[arg(long, value_name = "FORMAT", value_parser = known::known_formats())]
    pub(crate) format: Option<String>,
    /// Print a JSON document a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The document; without it all names are listed
    pub(crate) name: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DbAct {
    /// Print the path of the store
    Path,
    /// Give back disk space that the store no longer needs
    Vacuum,
    /// Check the store; with findings the exit code is 1
    Check,
    /// Replace the file of notes and marks by its last sound copy; the old file is kept
    Restore,
    /// List the tables that are in force, with their days and your own files, or the rows of one with their sources
    Tables {
        /// The table whose rows to list
        #[arg(value_name = "TABLE")]
        name: Option<String>,
        /// Print the table as JSON
        #[arg(long)]
        json: bool,
    },
}
