//! `cwl compare`: policies side by side, over several budgets, or on the Pareto frontier; `cwl sweep` is its
//! second view.

use std::collections::BTreeMap;

use clap::error::{Error, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};
use cwl_host::api::{
    BandsBy, BudgetOrigin, CompareAnswer, CompareColumn, CompareRequest, Document, DocumentAnswer,
    FrontierMeasure, ParetoFrontier, SweepAnswer, SweepRequest, VerdictRequest, ViewSettings, WithVerdict,
};
use cwl_host::{SessionSnapshot, check_view, commands};

use super::compare_table::{print_budgets, print_comparison, print_frontier};
use crate::args::{CacheArgs, CutArgs, InputArgs, ViewArgs};
use crate::out::{Failure, Stdout, say_first};
use crate::progress::with_progress;
use CompareView::{Budgets, Frontier, Table};

pub(crate) const EXAMPLES: &[&str] = &[
    "cwl compare session.jsonl --policies cwl,window@120k,none",
    "cwl compare 0a789f64 --turn 40 --budget 60k --json",
    "cwl compare session.jsonl --view budgets --policy window --budgets 40k..160k:20k,50%",
    "cwl compare session.jsonl --view frontier",
    "cwl compare session.jsonl --view frontier --policies cwl,cwl+,summary --budgets 40k,80k",
];

pub(crate) const SWEEP_EXAMPLES: &[&str] =
    &["cwl sweep 0a789f64", "cwl sweep session.jsonl --policy window --budgets 40k..160k:20k,50%"];

/// Policies of a table without `--policies`.
const USUAL_POLICIES: &str = "cwl,cwl+,pi-cwl,window,mask,summary,none";
const USUAL_BUDGETS: &str = "40k..160k:10k";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareView {
    /// Policies side by side, each at one budget
    Table,
    /// The cost and the recall of one policy at several budgets
    Budgets,
    /// The settings on the Pareto frontier of cost and recall, the cheapest first
    Frontier,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareSort {
    /// As they were given
    Given,
    /// The cheapest first
    Cost,
    /// The fewest tokens read again first
    #[value(alias = "regret")]
    Reacquired,
    /// The smallest mean request first
    Mean,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeptBy {
    /// The share still in the context of what later turns use again
    #[value(name = "recall", alias = "look-back")]
    Recall,
    /// The share of probes that the requests answer
    Probes,
    /// Tokens that the agent read again after the policy had evicted them
    #[value(alias = "regret")]
    Reacquired,
}

impl From<KeptBy> for FrontierMeasure {
    fn from(by: KeptBy) -> Self {
        match by {
            KeptBy::Recall => Self::Recall,
            KeptBy::Probes => Self::Probes,
            KeptBy::Reacquired => Self::Reacquired,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The figures to show
    #[arg(id = "shown", long = "view", value_name = "VIEW", value_enum, default_value = "table")]
    shown: CompareView,
    /// The policies of the table or the frontier, separated by commas; in the table NAME@BUDGET has its own budget: cwl,window@120k,none [default: cwl,cwl+,pi-cwl,window,mask,summary,none, with `--view frontier` all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    policies: Vec<String>,
    /// The order of the table
    #[arg(long, value_enum, default_value = "given")]
    sort: CompareSort,
    #[command(flatten)]
    swept: SweepArgs,
    #[command(flatten)]
    cut: CutArgs,
}

/// The options of `cwl sweep`, which `cwl compare` has too.
#[derive(Debug, Args)]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    input: InputArgs,
    /// The budgets: 80k, 50%, or a range FROM..TO:STEP; separated by commas [default: 40k..160k:10k, with `--view frontier` those of the verdict]
    #[arg(long, value_name = "BUDGETS", value_delimiter = ',', allow_hyphen_values = true)]
    budgets: Vec<String>,
    /// Other policies over the same budgets, separated by commas: cwl+,window,summary
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    beside: Vec<String>,
    /// The measure of what a setting on the frontier keeps
    #[arg(long, value_enum, default_value = "recall")]
    by: KeptBy,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    cache: CacheArgs,
    #[command(flatten)]
    view: ViewArgs,
}

/// Options that some views lack: the option, the views that have it, and the way out in the others.
const VIEW_OPTIONS: [(&str, &[CompareView], &str); 6] = [
    ("policies", &[Table, Frontier], "name one policy with '--policy', and others with '--beside'"),
    ("budgets", &[Budgets, Frontier], "add '--view budgets', or write '--policies cwl@60k,window@80k'"),
    ("beside", &[Budgets], "name all policies with '--policies'"),
    ("sort", &[Table], "leave it out: budgets rise, and a frontier has the cheapest first"),
    ("turn", &[Table], "leave it out: its figures are about all turns"),
    ("step", &[Table], "leave it out: its figures are about all turns"),
];

pub(crate) fn check_options(matches: &ArgMatches) -> Result<(), Error> {
    let Some(matches) = matches.subcommand_matches("compare") else { return Ok(()) };
    let Some(shown) = matches.get_one::<CompareView>("shown") else { return Ok(()) };
    for (option, views, way_out) in VIEW_OPTIONS {
        if matches.value_source(option) == Some(ValueSource::CommandLine) && !views.contains(shown) {
            let view = format!("{shown:?}").to_lowercase();
            let why = format!("the argument '--{option}' cannot be used with '--view {view}'; {way_out}\n");
            return Err(Error::raw(ErrorKind::ArgumentConflict, why));
        }
    }
    Ok(())
}

pub(crate) fn run(args: &CompareArgs, out: &mut Stdout) -> Result<(), Failure> {
    let session = ComparedSession::open(&args.swept, args.shown)?;
    match args.shown {
        Table => session.print(compare(args, &session)?, print_comparison, out),
        Budgets => print_sweep(&session, out),
        Frontier => {
            let mut names = args.policies.clone();
            if names.is_empty() {
                // A sweep measures no eviction once, whatever its policies.
                let all = commands::choices().policies.into_iter().map(|policy| policy.name);
                names.extend(all.filter(|name| name != "none"));
            }
            let views = session.bare_views(&names)?;
            let session = ComparedSession { view: views[0].clone(), ..session };
            session.print(sweep(&session, views, &args.swept.budgets)?, print_frontier, out)
        }
    }
}

pub(crate) fn run_sweep(args: &SweepArgs, out: &mut Stdout) -> Result<(), Failure> {
    print_sweep(&ComparedSession::open(args, Budgets)?, out)
}

fn print_sweep(session: &ComparedSession<'_>, out: &mut Stdout) -> Result<(), Failure> {
    let mut views = vec![session.view.clone()];
    views.extend(session.bare_views(&session.args.beside)?);
    let usual = [USUAL_BUDGETS.to_owned()];
    let budgets = if session.args.budgets.is_empty() { &usual } else { session.args.budgets.as_slice() };
    session.print(sweep(session, views, budgets)?, print_budgets, out)
}

fn sweep(
    session: &ComparedSession<'_>,
    mut views: Vec<ViewSettings>,
    budgets: &[String],
) -> Result<SweepAnswer, Failure> {
    let SweepArgs { cache, by, .. } = session.args;
    let request = SweepRequest {
        view: views.remove(0),
        budgets: budgets.to_vec(),
        cache: cache.cache_rules(),
        beside: views,
        by: (*by).into(),
    };
    let swept = with_progress("trying budgets", |_| commands::sweep(&session.opened, &request))?;
    say_first(swept.price.problems.iter().cloned(), " odd entries");
    Ok(swept)
}

fn compare(args: &CompareArgs, session: &ComparedSession<'_>) -> Result<CompareAnswer, Failure> {
    let ComparedSession { opened, view, .. } = session;
    let usual: Vec<String> = USUAL_POLICIES.split(',').map(str::to_owned).collect();
    let policies = if args.policies.is_empty() { &usual } else { &args.policies };
    let views = policies.iter().map(|text| view_of(text, view)).collect::<Result<Vec<_>, _>>()?;
    // Policies take different numbers of steps: the first policy's steps count.
    let cut = args.cut.parse_cut(opened, views.first().unwrap_or(view))?;
    let SweepArgs { cache, by, .. } = &args.swept;
    let (cache, by) = (cache.cache_rules(), (*by).into());
    let request = CompareRequest { views, cut, cache, by, bands: BandsBy::default() };
    let mut compared = with_progress("comparing policies", |_| commands::compare(opened, &request))?;
    sort_columns(&mut compared, args.sort);
    say_first(compared.price.problems.iter().cloned(), " odd entries");
    Ok(compared)
}

struct ComparedSession<'a> {
    args: &'a SweepArgs,
    opened: SessionSnapshot,
    view: ViewSettings,
    source: BudgetOrigin,
}

impl<'a> ComparedSession<'a> {
    fn open(args: &'a SweepArgs, shown: CompareView) -> Result<Self, Failure> {
        let view = args.view.parse_view()?;
        let opened = args.input.load_log()?;
        let (view, source) = match shown {
            Table => args.view.apply_budget_aloud(view, &opened),
            Budgets | Frontier => args.view.apply_budget(view, &opened),
        };
        args.view.annotation.warn_about_marks(&opened, &view)?;
        Ok(Self { args, opened, view, source })
    }

    fn bare_views(&self, names: &[String]) -> Result<Vec<ViewSettings>, Failure> {
        let bare = |name: &String| match name.split_once('@') {
            Some((policy, _)) => Err(Failure::Said(format!(
                "`{name}` has a budget of its own, but every policy of this view has all of --budgets; write {policy}"
            ))),
            None => view_of(name, &self.view),
        };
        names.iter().map(bare).collect()
    }

    fn print<A>(&self, answer: A, print_text: PrintText<A>, out: &mut Stdout) -> Result<(), Failure>
    where
        WithVerdict<A>: DocumentAnswer,
    {
        let about = commands::about(&self.opened, &self.view, self.source)?;
        let request = VerdictRequest { view: self.view.clone(), cache: self.args.cache.cache_rules() };
        let verdict = with_progress("judging policies", |_| commands::verdict(&self.opened, &request))?;
        let with_verdict = WithVerdict { answer, verdict };
        match self.args.json {
            true => out.write_json(&Document::new(with_verdict).with_about(about)),
            false => print_text(&with_verdict, out),
        }
    }
}

type PrintText<A> = fn(&WithVerdict<A>, &mut Stdout) -> Result<(), Failure>;

fn sort_columns(compared: &mut CompareAnswer, by: CompareSort) {
    let mut columns: Vec<(usize, CompareColumn)> = compared.columns.drain(..).enumerate().collect();
    columns.sort_by_key(|(_, column)| match by {
        CompareSort::Given => 0,
        CompareSort::Cost => column.measured.cost.total_cost,
        CompareSort::Reacquired => column.measured.recall.reacquired_tokens,
        CompareSort::Mean => column.measured.mean_total,
    });
    let place_of = |before: u32| {
        let place = columns.iter().position(|(at, _)| *at == before as usize);
        place.and_then(|place| u32::try_from(place).ok()).unwrap_or(before)
    };
    let ParetoFrontier { on, cwl, others, .. } = &mut compared.frontier;
    on.iter_mut().map(|one| &mut one.place).chain(cwl).chain(others).for_each(|at| *at = place_of(*at));
    compared.columns = columns.into_iter().map(|(_, column)| column).collect();
}

/// Parses `NAME` or `NAME@BUDGET`. Each policy takes the set options that it knows.
fn view_of(text: &str, view: &ViewSettings) -> Result<ViewSettings, Failure> {
    let (policy, budget) = text.trim().split_once('@').unwrap_or((text.trim(), view.budget.as_str()));
    let bare = ViewSettings {
        policy: policy.to_owned(),
        budget: budget.to_owned(),
        options: BTreeMap::new(),
        ..view.clone()
    };
    check_view(&bare)?;
    let mut options = view.options.clone();
    options.retain(|key, value| {
        let one = BTreeMap::from([(key.clone(), value.clone())]);
        policy == view.policy || check_view(&ViewSettings { options: one, ..bare.clone() }).is_ok()
    });
    Ok(ViewSettings { options, ..bare })
}
