//! Arguments shared by commands: session, view, cut and cache rules.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use cwl_host::api::{BudgetOrigin, CacheRules, MarkProblem, ViewCut, ViewSettings};
use cwl_host::commands;
use cwl_host::{
    OpenOnce, SessionSnapshot, budget_of, check_view, default_data_dir, open_once, read_budget,
    tools_of_user, with_commas,
};

use super::known;
use crate::out::{Failure, clean_text, say_first, warn_user};
use crate::progress::with_progress;

/// The log that a command reads.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// A session: a log, `-` for standard input, a pipe, an id or its beginning, or what `cwl sessions` shows
    #[arg(value_name = "SESSION")]
    pub(crate) file: PathBuf,
    /// The format of the log; without it the content tells
    #[arg(long, value_name = "FORMAT", value_parser = known::known_formats(), hide_possible_values = true)]
    pub(crate) format: Option<String>,
}

impl InputArgs {
    pub(crate) fn load_log(&self) -> Result<SessionSnapshot, Failure> {
        let tools = tools_of_user();
        say_first(tools.problems.iter().cloned(), " odd entries in tables of your own");
        let opened = with_progress(&format!("reading {}", self.file.display()), |progress| {
            let once = OpenOnce {
                format: self.format.as_deref(),
                tools: &tools,
                data_dir: default_data_dir().ok(),
                folders: None,
                progress: &|done, total| progress.update_line(done, total),
            };
            open_once(&self.file, &once)
        })?;
        if let Some(copy) = commands::copy_of(&opened) {
            warn_user(&copy);
        }
        if let Some(unread) = commands::unread_of(&opened) {
            warn_user(&format!("{unread}; `cwl report --problems` lists them"));
        }
        Ok(opened)
    }
}

/// Whose marks give the episodes.
#[derive(Debug, Args)]
#[command(next_help_heading = "View")]
pub(crate) struct AnnotationArgs {
    /// Whose episodes: auto (the agent's own, else inferred ones), declared, inferred, filled (the agent's own, and inferred ones between them), a name or a file of marks
    #[arg(
        long = "annotation",
        value_name = "auto|declared|inferred|filled|NAME|FILE",
        default_value = "auto"
    )]
    name: String,
}

impl AnnotationArgs {
    /// Warns on standard error about odd marks, and about the limits of marks made afterwards.
    pub(crate) fn warn_about_marks(
        &self,
        opened: &SessionSnapshot,
        view: &ViewSettings,
    ) -> Result<(), Failure> {
        let from = commands::episodes_from(opened, view)?;
        let told = |problem: &MarkProblem| {
            let MarkProblem { mark, name, line, message, .. } = problem;
            format!("mark {mark} (`{}`), line {line}: {}", clean_text(name), clean_text(message))
        };
        say_first(from.problems.iter().map(told), " odd marks; `cwl graph FILE --json` lists all");
        from.note.iter().for_each(|note| warn_user(note));
        Ok(())
    }
}

/// The policy, the budget and the counter of a view.
#[derive(Debug, Args)]
#[command(next_help_heading = "View")]
pub(crate) struct ViewArgs {
    /// Eviction policy; `cwl policies` says what each does [default: cwl]
    #[arg(long, value_name = "NAME", value_parser = known::known_policies(), hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    /// Token budget: 80000, 80k, or 50% of the window [default: what pi-cwl's trace says, else 80000]
    #[arg(long, value_name = "TOKENS", allow_hyphen_values = true)]
    pub(crate) budget: Option<String>,
    /// The unit of all counts: the provider's tokens, or a tokenizer's [default: provider; of a corpus o200k]
    #[arg(long, value_name = "NAME", value_parser = known::known_tokenizers())]
    pub(crate) tokenizer: Option<String>,
    /// Tokens outside the log (system prompt, tool definitions), or auto
    #[arg(long, value_name = "TOKENS", default_value = "auto", allow_hyphen_values = true)]
    pub(crate) overhead: String,
    /// The model's context window, for budgets in per cent
    #[arg(long, value_name = "TOKENS", allow_hyphen_values = true)]
    pub(crate) window: Option<String>,
    /// An option of the policy, as `cwl policies NAME` lists them; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The last record of a branch, as `cwl branches` lists them; without it the session's current branch
    #[arg(long, value_name = "RECORD")]
    pub(crate) branch: Option<String>,
    #[command(flatten)]
    pub(crate) annotation: AnnotationArgs,
    /// A pin: a text, /an expression/ or block:ID that no policy may evict; can be repeated
    #[arg(long, value_name = "TEXT")]
    pub(crate) pin: Vec<String>,
    /// A probe: a text or /an expression/ that the context must hold from a turn on; can be repeated
    #[arg(long, value_name = "[TURN:]TEXT")]
    pub(crate) probe: Vec<String>,
}

impl ViewArgs {
    /// Returns the view, checked as far as possible without a log.
    pub(crate) fn parse_view(&self) -> Result<ViewSettings, Failure> {
        let mut options = BTreeMap::new();
        for pair in &self.set {
            let Some((key, value)) = pair.split_once('=') else {
                return Err(Failure::Said(format!("`--set {pair}` has no value; write --set key=value")));
            };
            options.insert(key.trim().to_owned(), value.trim().to_owned());
        }
        let window = self.window.as_deref().map(|window| read_budget(window, None)).transpose()?;
        let view = ViewSettings {
            policy: self.policy.clone().unwrap_or_else(|| ViewSettings::default().policy),
            budget: self.budget.clone().unwrap_or_else(|| ViewSettings::default().budget),
            tokenizer: self.tokenizer.clone().unwrap_or_else(|| ViewSettings::default().tokenizer),
            overhead: self.overhead.clone(),
            window,
            options,
            branch: self.branch.clone(),
            annotation: self.annotation.name.clone(),
            pins: self.pin.clone(),
            probes: self.probe.clone(),
        };
        check_view(&view)?;
        Ok(view)
    }

    /// Sets a log's own budget in the view, unless `--budget` is given. Also returns the source of the
    /// budget.
    pub(crate) fn apply_budget(
        &self,
        view: ViewSettings,
        opened: &SessionSnapshot,
    ) -> (ViewSettings, BudgetOrigin) {
        let (budget, source) = budget_of(opened, self.budget.as_deref());
        (ViewSettings { budget, ..view }, source)
    }

    /// Like [`ViewArgs::apply_budget`], with a message on standard error if the budget comes from the log.
    pub(crate) fn apply_budget_aloud(
        &self,
        view: ViewSettings,
        opened: &SessionSnapshot,
    ) -> (ViewSettings, BudgetOrigin) {
        let (view, source) = self.apply_budget(view, opened);
        if source == BudgetOrigin::Trace {
            let budget = read_budget(&view.budget, None).map_or_else(|_| view.budget.clone(), with_commas);
            warn_user(&format!("the budget is {budget} tokens, as in pi-cwl's trace; --budget sets another"));
        }
        (view, source)
    }
}

/// A position in time.
#[derive(Debug, Args)]
#[command(next_help_heading = "Position")]
pub(crate) struct CutArgs {
    /// The turn, from 1, or now
    #[arg(long, value_name = "N|now", default_value = "now", value_parser = number_or("now"), allow_hyphen_values = true)]
    pub(crate) turn: OrLast,
    /// The number of the turn's steps that are taken, or end
    #[arg(long, value_name = "K|end", default_value = "end", value_parser = number_or("end"), allow_hyphen_values = true)]
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
    /// Returns the cut. The session must have it under this view.
    pub(crate) fn parse_cut(
        &self,
        opened: &SessionSnapshot,
        view: &ViewSettings,
    ) -> Result<ViewCut, Failure> {
        let cut = ViewCut { turn: self.turn.0, step: self.step.0 };
        commands::check_cut(opened, view, cut)?;
        Ok(cut)
    }
}

/// The view of a command that tells what the harness did, whatever a policy would do.
#[derive(Debug, Args)]
pub(crate) struct RecordedArgs {
    /// The unit of all counts: the provider's tokens, or a tokenizer's
    #[arg(long, value_name = "NAME", default_value = "provider", value_parser = known::known_tokenizers())]
    pub(crate) tokenizer: String,
    /// The last record of a branch; without it the session's current branch
    #[arg(long, value_name = "RECORD")]
    pub(crate) branch: Option<String>,
    #[command(flatten)]
    pub(crate) annotation: AnnotationArgs,
}

impl RecordedArgs {
    /// Returns the view. Policy and budget do not matter for what the harness did.
    pub(crate) fn parse_view(&self) -> Result<ViewSettings, Failure> {
        let view = ViewSettings {
            tokenizer: self.tokenizer.clone(),
            branch: self.branch.clone(),
            annotation: self.annotation.name.clone(),
            ..ViewSettings::default()
        };
        check_view(&view)?;
        Ok(view)
    }
}

/// The rules of the provider's prompt cache.
#[derive(Debug, Args)]
#[command(next_help_heading = "Prompt cache")]
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
    pub(crate) fn cache_rules(&self) -> CacheRules {
        let Self { cache_minimum: minimum, cache_granularity: granularity, cache_lifetime: lifetime } = *self;
        CacheRules { minimum, granularity, lifetime }
    }
}
