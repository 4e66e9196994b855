//! Arguments of the commands that print a list: which part of it, and in which order.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use cwl_host::api::{SessionFilter, SessionsOrder};

use super::{CacheArgs, CutArgs, InputArgs, RecordedArgs, ViewArgs};

/// The order of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelsSort {
    /// As the table has them, by provider
    Table,
    /// By name
    Name,
    /// The largest context window first
    Window,
}

#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// A model as a log names it, or a part of a name
    pub(crate) name: Option<String>,
    /// The order
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) sort: ModelsSort,
    /// The most models that are listed
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BranchesSort {
    /// The current one first, then the newest
    Current,
    /// The last written first
    Newest,
    /// The longest first
    Messages,
}

#[derive(Debug, Args)]
pub(crate) struct BranchesArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The order
    #[arg(long, value_enum, default_value = "current")]
    pub(crate) sort: BranchesSort,
    /// The most branches that are listed
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    /// Only sessions of this program, as the list names it
    #[arg(long, value_name = "NAME")]
    pub(crate) harness: Option<String>,
    /// Only sessions that were recorded in this folder or below it
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Only sessions whose model has this in its name
    #[arg(long, value_name = "TEXT")]
    pub(crate) model: Option<String>,
    /// Only sessions that changed since: 45m, 12h, 7d, 2w, or a day as 2026-10-24
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// The order
    #[arg(long, value_enum, default_value = "changed")]
    pub(crate) sort: SessionsSort,
    /// The most sessions that are listed
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Also print the model, the folder and the log of each
    #[arg(long, short)]
    pub(crate) long: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SessionsSort {
    /// The last changed first
    Changed,
    /// The largest history first
    Tokens,
    /// The most requests first
    Turns,
    /// The largest log first
    Size,
    /// By title
    Title,
}

impl SessionsArgs {
    pub(crate) fn wanted_sessions(&self) -> SessionFilter {
        SessionFilter {
            harness: self.harness.clone(),
            cwd: self.cwd.clone(),
            model: self.model.clone(),
            since: self.since.clone(),
            sort: match self.sort {
                SessionsSort::Changed => SessionsOrder::Changed,
                SessionsSort::Tokens => SessionsOrder::Tokens,
                SessionsSort::Turns => SessionsOrder::Turns,
                SessionsSort::Size => SessionsOrder::Size,
                SessionsSort::Title => SessionsOrder::Title,
            },
            limit: self.limit,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphSort {
    /// As they begin
    Turn,
    /// The largest first
    Tokens,
    /// By name
    Name,
}

#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The order
    #[arg(long, value_enum, default_value = "turn", conflicts_with = "whole")]
    pub(crate) sort: GraphSort,
    /// The most episodes that are listed
    #[arg(long, value_name = "N", conflicts_with = "whole")]
    pub(crate) limit: Option<usize>,
    /// Print JSON: all episodes as they begin, since edges name their places
    #[arg(long, group = "whole")]
    pub(crate) json: bool,
    /// Print the graph in the DOT language
    #[arg(long, group = "whole")]
    pub(crate) dot: bool,
    /// Print the graph as a Mermaid flowchart
    #[arg(long, group = "whole")]
    pub(crate) mermaid: bool,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// The order of the log
    Log,
    /// The largest first
    Size,
    /// The last evicted first
    Turn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReacquisitionsSort {
    /// Marks that can be mended first; of each class, the dearest
    Cost,
    /// By the turn in which it was read again
    Turn,
    /// By likely cause, the dearest cause first
    Cause,
}

#[derive(Debug, Args)]
pub(crate) struct ReacquisitionsArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The order
    #[arg(long, value_enum, default_value = "cost")]
    pub(crate) sort: ReacquisitionsSort,
    /// The most that are printed [default: 20, and all in JSON]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, Args)]
pub(crate) struct EvictedArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Print only blocks whose text matches this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(crate) grep: Option<String>,
    /// The order
    #[arg(long, value_enum, default_value = "size")]
    pub(crate) sort: Sort,
    /// The most blocks that are printed
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print the texts in full
    #[arg(long)]
    pub(crate) full: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) cut: CutArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CapturedSort {
    /// By turn
    Turn,
    /// The largest difference from the log first
    Difference,
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
    /// The order
    #[arg(long, value_enum, default_value = "turn")]
    pub(crate) sort: CapturedSort,
    /// The most requests that are listed
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) recorded: RecordedArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompactionsSort {
    /// As they happened
    Turn,
    /// The largest first
    Taken,
    /// The most content read again afterwards first
    Again,
}

#[derive(Debug, Args)]
pub(crate) struct CompactionsArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Print the text to recover by: the outputs that compaction N took and later turns needed
    #[arg(long, value_name = "N")]
    pub(crate) recovery: Option<u32>,
    /// Only these policies in its place, separated by commas [default: all that can take part]
    #[arg(long, alias = "policy", value_name = "NAMES", value_delimiter = ',')]
    pub(crate) policies: Vec<String>,
    /// The order
    #[arg(long, value_enum, default_value = "turn")]
    pub(crate) sort: CompactionsSort,
    /// The most compactions that are printed
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) recorded: RecordedArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MissesSort {
    /// By turn
    Turn,
    /// The dearest first
    Cost,
}

#[derive(Debug, Args)]
pub(crate) struct CostArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The order of the requests that missed the cache
    #[arg(long, value_enum, default_value = "turn")]
    pub(crate) sort: MissesSort,
    /// The most of these requests that are listed, the dearest [default: 20, and all in JSON]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) cache: CacheArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}
