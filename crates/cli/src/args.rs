//! Arguments: the commands and options that people type.

mod shared;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use cwl_api::dto::ProviderDto;

pub(crate) use shared::{CacheArgs, CutArgs, InputArgs, RecordedArgs, ViewArgs};

/// Shows what a coding agent's model would receive under an eviction policy and a token budget.
#[derive(Debug, Parser)]
#[command(name = "cwl", version, about, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
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
    /// Audit the compactions that the log records: what went, what was needed again, what others would have kept
    Compactions(CompactionsArgs),
    /// Compare the requests that the harness kept as it sent them with what the log gives
    Captured(CapturedArgs),
    /// Show what a session cost and why the prompt cache was missed, as the provider reported it
    Cost(CostArgs),
    /// Show the cost and the look-back of one policy at several budgets
    Sweep(SweepArgs),
    /// Compare policies on one session, side by side
    Compare(CompareArgs),
    /// Print a session on one page: tokens over time, episodes, largest evictions
    Report(ReportArgs),
    /// Write a session as one HTML page with the stepper; secrets are redacted
    Export(ExportArgs),
    /// Follow a log while it is written, a line per turn
    Tail(TailArgs),
    /// Serve the window's page to browsers on this machine
    Serve(ServeArgs),
    /// Read logs into the store
    Import(ImportArgs),
    /// Maintain the store
    #[command(subcommand)]
    Db(DbAct),
}

#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["dot", "mermaid"])]
    pub(crate) json: bool,
    /// Print the graph in the DOT language
    #[arg(long, conflicts_with = "mermaid")]
    pub(crate) dot: bool,
    /// Print the graph as a Mermaid flowchart
    #[arg(long)]
    pub(crate) mermaid: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    /// List every turn and every step, however many there are
    #[arg(long)]
    pub(crate) steps: bool,
    /// Print the whole trace as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The form in which a context is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum As {
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

impl As {
    /// Returns the request form, where it is one.
    pub(crate) fn provider(self) -> Option<ProviderDto> {
        match self {
            Self::List | Self::Text => None,
            Self::Pi => Some(ProviderDto::Pi),
            Self::Anthropic => Some(ProviderDto::Anthropic),
            Self::OpenAi => Some(ProviderDto::OpenAiResponses),
            Self::OpenAiChat => Some(ProviderDto::OpenAiChat),
            Self::Gemini => Some(ProviderDto::Gemini),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ContextArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) cut: CutArgs,
    /// The form to print
    #[arg(long = "as", value_enum, default_value = "text")]
    pub(crate) form: As,
    /// Print JSON: every block with its reason, ghosts included
    #[arg(long, conflicts_with = "form")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

/// The order of evicted blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// The order of the log
    Log,
    /// The largest first
    Size,
    /// The last evicted first
    Turn,
}

#[derive(Debug, Args)]
pub(crate) struct EvictedArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) cut: CutArgs,
    /// Print only blocks whose text matches this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(crate) grep: Option<String>,
    /// The order
    #[arg(long, value_enum, default_value = "size")]
    pub(crate) sort: Sort,
    /// Print the texts in full
    #[arg(long)]
    pub(crate) full: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CapturedArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The folder with the bodies and their index.jsonl, or a rollout trace of Codex [default: the log's own folder, `bodies` or `trace` in it]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) bodies: Option<PathBuf>,
    /// List the blocks of this turn that only the log or only the body has
    #[arg(long, value_name = "TURN")]
    pub(crate) turn: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) recorded: RecordedArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompactionsArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Print the text to recover by: the outputs that compaction N took and later turns needed
    #[arg(long, value_name = "N")]
    pub(crate) recovery: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) recorded: RecordedArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CostArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) cache: CacheArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The budgets: 80k, 50%, or a range FROM..TO:STEP; separated by commas
    #[arg(
        long,
        value_name = "BUDGETS",
        default_value = "40k..160k:10k",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub(crate) budgets: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) cache: CacheArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The policies, separated by commas; NAME@BUDGET has its own budget: cwl,window@120k,none
    #[arg(long, value_name = "NAMES", default_value = "cwl,pi-cwl,window,none", value_delimiter = ',')]
    pub(crate) policies: Vec<String>,
    #[command(flatten)]
    pub(crate) cut: CutArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) cache: CacheArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Print only what is odd about the log, all of it, with the lines
    #[arg(long, conflicts_with = "json")]
    pub(crate) problems: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The file to write; `-` is standard output
    #[arg(long, value_name = "OUT")]
    pub(crate) html: PathBuf,
    /// The budgets to choose from in the page: 80k, 50%, or a range FROM..TO:STEP; separated by commas
    #[arg(long, value_name = "BUDGETS", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) budgets: Vec<String>,
    #[command(flatten)]
    pub(crate) cut: CutArgs,
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
    pub(crate) view: ViewArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// A log or a folder of logs; without it the folders where agents keep their logs
    pub(crate) path: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// A session log, the id of a known session, or a link (cwl-inspector://…); without it the list of sessions
    #[arg(value_name = "PATH|SESSION_ID|LINK")]
    pub(crate) target: Option<String>,
    /// The turn to open at, from 1; without it the newest
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
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
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The session logs
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The format of the log; without it the content tells
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DbAct {
    /// Print the path of the store
    Path,
    /// Give back disk space that the store no longer needs
    Vacuum,
    /// Check the store; with findings the exit code is 1
    Check,
}
