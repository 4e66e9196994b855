//! Arguments: the commands and options that people type.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use cwl_api::commands;
use cwl_api::dto::{BudgetSourceDto, CacheRulesDto, CutDto, ProviderDto, ViewDto};
use cwl_api::{LogInput, Opened, Tools, budget_of, check_view, grouped, load_file, read_budget};

use crate::out::{Failure, say};

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

/// The log that a command reads.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// The session log; `-` is standard input
    pub(crate) file: PathBuf,
    /// The format of the log; without it the content tells
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
}

impl InputArgs {
    /// Loads the log.
    pub(crate) fn load(&self) -> Result<Opened, Failure> {
        let input = if self.file.as_os_str() == "-" {
            let mut bytes = Vec::new();
            std::io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .map_err(|error| Failure::Said(format!("cannot read standard input ({error})")))?;
            LogInput::Bytes(bytes)
        } else {
            LogInput::File(self.file.clone())
        };
        let tools = Tools::of_user();
        for problem in &tools.problems {
            say(problem);
        }
        let opened = load_file(&input, self.format.as_deref(), &tools)?;
        if let Some(copy) = commands::copy_of(&opened) {
            say(&copy);
        }
        Ok(opened)
    }
}

/// The policy, the budget and the counter of a view.
#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// Eviction policy
    #[arg(long, value_name = "NAME", default_value = "cwl")]
    pub(crate) policy: String,
    /// Token budget: 80000, 80k, or 50% of the window [default: what pi-cwl's trace says, else 80000]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<String>,
    /// The tokenizer that counts: o200k, cl100k, chars4, o200k-ref, cl100k-ref
    #[arg(long, value_name = "NAME", default_value = "o200k")]
    pub(crate) tokenizer: String,
    /// Tokens outside the log (system prompt, tool definitions), or auto
    #[arg(long, value_name = "TOKENS", default_value = "auto")]
    pub(crate) overhead: String,
    /// The model's context window, for budgets in per cent
    #[arg(long, value_name = "TOKENS")]
    pub(crate) window: Option<String>,
    /// An option of the policy; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The last record of a branch; without it the session's current branch
    #[arg(long, value_name = "RECORD")]
    pub(crate) branch: Option<String>,
    /// A pin: a text, /an expression/ or block:ID that no policy may evict; can be repeated
    #[arg(long, value_name = "TEXT")]
    pub(crate) pin: Vec<String>,
    /// A probe: a text or /an expression/ that the context must hold from a turn on; can be repeated
    #[arg(long, value_name = "[TURN:]TEXT")]
    pub(crate) probe: Vec<String>,
}

impl ViewArgs {
    /// Returns the view, checked as far as possible without a log.
    pub(crate) fn view(&self) -> Result<ViewDto, Failure> {
        let mut options = BTreeMap::new();
        for pair in &self.set {
            let Some((key, value)) = pair.split_once('=') else {
                return Err(Failure::Said(format!("`--set {pair}` has no value; write --set key=value")));
            };
            options.insert(key.trim().to_owned(), value.trim().to_owned());
        }
        let window = self.window.as_deref().map(|window| read_budget(window, None)).transpose()?;
        let view = ViewDto {
            policy: self.policy.clone(),
            budget: self.budget.clone().unwrap_or_else(|| ViewDto::default().budget),
            tokenizer: self.tokenizer.clone(),
            overhead: self.overhead.clone(),
            window,
            options,
            branch: self.branch.clone(),
            pins: self.pin.clone(),
            probes: self.probe.clone(),
        };
        check_view(&view)?;
        Ok(view)
    }

    /// Returns the view of a log and the source of its budget; without `--budget` it is the harness's own.
    pub(crate) fn of(&self, view: ViewDto, opened: &Opened) -> (ViewDto, BudgetSourceDto) {
        let (budget, source) = budget_of(opened, self.budget.as_deref());
        (ViewDto { budget, ..view }, source)
    }

    /// Does the same as [`ViewArgs::of`], and says on standard error when the budget comes from the log.
    pub(crate) fn said(&self, view: ViewDto, opened: &Opened) -> (ViewDto, BudgetSourceDto) {
        let (view, source) = self.of(view, opened);
        if source == BudgetSourceDto::Trace {
            let budget = read_budget(&view.budget, None).map_or_else(|_| view.budget.clone(), grouped);
            say(&format!("the budget is {budget} tokens, as in pi-cwl's trace; --budget sets another"));
        }
        (view, source)
    }
}

/// A position in time.
#[derive(Debug, Args)]
pub(crate) struct CutArgs {
    /// The turn, from 1, or now
    #[arg(long, value_name = "N|now", default_value = "now", value_parser = number_or("now"))]
    pub(crate) turn: OrLast,
    /// The number of the turn's steps that are taken, or end
    #[arg(long, value_name = "K|end", default_value = "end", value_parser = number_or("end"))]
    pub(crate) step: OrLast,
}

/// A number, or the last one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OrLast(pub(crate) Option<u32>);

fn number_or(last: &'static str) -> impl Fn(&str) -> Result<OrLast, String> + Clone {
    move |text| {
        if text == last {
            return Ok(OrLast(None));
        }
        text.parse()
            .map(|number| OrLast(Some(number)))
            .map_err(|_no_number| format!("write a number or {last}"))
    }
}

impl CutArgs {
    pub(crate) fn cut(&self) -> CutDto {
        CutDto { turn: self.turn.0, step: self.step.0 }
    }
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

/// The view of a command that tells what the harness did, whatever a policy would do.
#[derive(Debug, Args)]
pub(crate) struct RecordedArgs {
    /// The tokenizer that counts: o200k, cl100k, chars4, o200k-ref, cl100k-ref
    #[arg(long, value_name = "NAME", default_value = "o200k")]
    pub(crate) tokenizer: String,
    /// The last record of a branch; without it the session's current branch
    #[arg(long, value_name = "RECORD")]
    pub(crate) branch: Option<String>,
}

impl RecordedArgs {
    /// Returns the view; policy and budget do not matter to what the harness did.
    pub(crate) fn view(&self) -> Result<ViewDto, Failure> {
        let view =
            ViewDto { tokenizer: self.tokenizer.clone(), branch: self.branch.clone(), ..ViewDto::default() };
        check_view(&view)?;
        Ok(view)
    }
}

/// The rules of the provider's prompt cache.
#[derive(Debug, Args)]
pub(crate) struct CacheArgs {
    /// The shortest prompt that is cached, tokens [default: from the table of prices]
    #[arg(long, value_name = "TOKENS")]
    cache_minimum: Option<u64>,
    /// The length of a cached prefix is a multiple of this, tokens [default: from the table of prices]
    #[arg(long, value_name = "TOKENS")]
    cache_granularity: Option<u64>,
    /// The time that a prefix is kept after its last use, seconds; 0 is for ever [default: from the table of prices]
    #[arg(long, value_name = "SECONDS")]
    cache_lifetime: Option<u64>,
}

impl CacheArgs {
    pub(crate) fn rules(&self) -> CacheRulesDto {
        let Self { cache_minimum: minimum, cache_granularity: granularity, cache_lifetime: lifetime } = *self;
        CacheRulesDto { minimum, granularity, lifetime }
    }
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
    #[arg(long, value_name = "BUDGETS", default_value = "40k..160k:10k", value_delimiter = ',')]
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
    #[arg(long, value_name = "BUDGETS", value_delimiter = ',')]
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
