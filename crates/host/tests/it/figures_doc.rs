//! Parts of the docs that are generated from the program: options, and figures of the long sample.
//! Conclusions in the text are checked against the figures.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;

use cwl_engine::Rule;
use cwl_host::api::{
    CompareColumn, CompareRequest, SweepAnswer, SweepRequest, VerdictRequest, ViewCut, ViewSettings,
};
use cwl_host::{LogInput, SessionSnapshot, Tools, commands, load_file, with_commas, write_dollars};

use crate::{common::generated, policies_doc};

const POLICIES: [&str; 13] = [
    "cwl",
    "cwl+",
    "pi-cwl",
    "window",
    "mask",
    "claude-code-clearing",
    "opencode-prune",
    "fold",
    "summary",
    "auto",
    "ladder",
    "tiers",
    "none",
];

/// Settings in the text that differ from the defaults: policy, budget, options.
const SETTINGS: [(&str, &str, &str); 11] = [
    ("cwl", "80000", ""),
    ("cwl", "80000", "low_water=750"),
    ("window", "80000", "low_water=750"),
    ("cwl+", "80000", "idle=0 low_water=800"),
    ("cwl+", "80000", "low_water=600"),
    ("cwl+", "80000", "low_water=700"),
    ("cwl+", "80000", ""),
    ("cwl+", "80000", "low_water=800"),
    ("cwl+", "80000", "low_water=850"),
    ("cwl+", "80000", "low_water=900"),
    ("cwl+", "82000", ""),
];

static LONG: LazyLock<SessionSnapshot> = LazyLock::new(|| {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/pi/long/input.jsonl"));
    load_file(&LogInput::File(path), None, &Tools::builtin_tables()).unwrap()
});

fn view(policy: &str, budget: &str, options: &str) -> ViewSettings {
    let option = |option: &str| option.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    let options = options.split_whitespace().map(|one| option(one).unwrap()).collect();
    ViewSettings { policy: policy.into(), budget: budget.into(), options, ..ViewSettings::counted("o200k") }
}

fn columns(views: Vec<ViewSettings>) -> Vec<CompareColumn> {
    let (cut, cache) = (ViewCut::default(), Default::default());
    let request = CompareRequest { views, cut, cache, by: Default::default(), bands: Default::default() };
    commands::compare(&LONG, &request).unwrap().columns
}

static DEFAULTS: LazyLock<Vec<CompareColumn>> =
    LazyLock::new(|| columns(POLICIES.iter().map(|policy| view(policy, "80000", "")).collect()));

static OF_SETTINGS: LazyLock<Vec<CompareColumn>> = LazyLock::new(|| {
    columns(SETTINGS.iter().map(|(policy, budget, options)| view(policy, budget, options)).collect())
});

/// The sweep in docs/frontier.md.
static SWEEP: LazyLock<SweepAnswer> = LazyLock::new(|| {
    let beside = ["cwl+", "window", "summary", "mask", "auto"];
    let request = SweepRequest {
        view: view("cwl", "80000", ""),
        budgets: vec!["40k..160k:20k".into()],
        cache: Default::default(),
        beside: beside.iter().map(|policy| view(policy, "80000", "")).collect(),
        by: Default::default(),
    };
    commands::sweep(&LONG, &request).unwrap()
});

fn cost(column: &CompareColumn) -> u64 {
    column.measured.cost.total_cost
}

fn hits(column: &CompareColumn) -> u32 {
    column.measured.recall.hit_per_mille
}

fn share(per_mille: u32) -> String {
    format!("{}.{} %", per_mille / 10, per_mille % 10)
}

fn by_default(policy: &str) -> &'static CompareColumn {
    DEFAULTS.iter().find(|column| column.policy == policy).unwrap()
}

fn setting(policy: &str, budget: &str, options: &str) -> &'static CompareColumn {
    let place = SETTINGS.iter().position(|setting| *setting == (policy, budget, options)).unwrap();
    &OF_SETTINGS[place]
}

fn table_of_policies() -> String {
    let mut table = "| policy | mean request | turns over τ | steps | recall | bound | read again | from the cache | cost |\n\
                     |---|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for (policy, column) in POLICIES.iter().zip(&*DEFAULTS) {
        let measured = &column.measured;
        writeln!(
            table,
            "| `{policy}` | {} | {} | {} | {} | {} | {} | {} | {} |",
            with_commas(measured.mean_total),
            column.over_budget.len(),
            with_commas(measured.n_steps),
            share(hits(column)),
            share(measured.recall.bound_per_mille),
            with_commas(measured.recall.reacquired_tokens),
            share(measured.cost.cached_per_mille),
            write_dollars(cost(column)),
        )
        .unwrap();
    }
    table
}

fn table_of_settings() -> String {
    let mut table =
        "| policy | τ | `--set` | cost | recall | read again | from the cache |\n|---|--:|---|--:|--:|--:|--:|\n"
            .to_owned();
    for ((policy, budget, options), column) in SETTINGS.iter().zip(&*OF_SETTINGS) {
        let options: Vec<String> = options.split_whitespace().map(|option| format!("`{option}`")).collect();
        writeln!(
            table,
            "| `{policy}` | {} | {} | {} | {} | {} | {} |",
            with_commas(budget.parse().unwrap()),
            options.join(", "),
            write_dollars(cost(column)),
            share(hits(column)),
            with_commas(column.measured.recall.reacquired_tokens),
            share(column.measured.cost.cached_per_mille),
        )
        .unwrap();
    }
    table
}

fn table_of_claims() -> String {
    let mut table = "| claim, and how it is tested | holds here | figures |\n|---|---|---|\n".to_owned();
    for claim in &SWEEP.claims {
        let holds = match claim.holds {
            Some(true) => "yes",
            Some(false) => "no",
            None => "cannot tell",
        };
        writeln!(table, "| {} | {holds} | {} |", claim.claim, claim.figures).unwrap();
    }
    table
}

/// Counts the settings of a policy on the sweep's frontier.
fn n_on_frontier(policy: &str) -> usize {
    SWEEP.frontier.on.iter().filter(|on| on.setting.policy == policy).count()
}

fn table_of_frontier() -> String {
    let n_budgets = SWEEP.points.len();
    let mut table = "| policy | settings on the Pareto frontier |\n|---|--:|\n".to_owned();
    for policy in ["cwl", "cwl+", "window", "summary", "mask", "auto"] {
        writeln!(table, "| `{policy}` | {} of {n_budgets} |", n_on_frontier(policy)).unwrap();
    }
    table
}

fn table_of_rules() -> String {
    let mut table =
        "| code | severity | title | meaning | remedy | occurs |\n|---|---|---|---|---|---|\n".to_owned();
    for Rule { code, severity, title, meaning, remedy, occurs, .. } in Rule::all() {
        let severity = severity.name();
        writeln!(table, "| {code} | {severity} | {title} | {meaning} | {remedy} | {occurs} |").unwrap();
    }
    table
}

/// One test writes all parts of a page, since parallel tests would overwrite each other.
#[test]
fn pages_are_as_the_program_says() {
    generated("docs/rules.md", "rules", &table_of_rules());
    generated("docs/policies.md", "options", &policies_doc::table());
    generated("docs/policies.md", "rules", &policies_doc::table_of_rules());
    generated("docs/policies.md", "figures", &table_of_policies());
    generated("docs/policies.md", "settings", &table_of_settings());
    generated("docs/policies.md", "claims", &table_of_claims());
    generated("docs/frontier.md", "frontier", &table_of_frontier());
    let request = VerdictRequest { view: view("cwl", "80000", ""), cache: Default::default() };
    let verdict = commands::verdict(&LONG, &request).unwrap();
    let verdict = format!("> {}.\n>\n> {}.\n", verdict.says, verdict.scope.says);
    generated("docs/frontier.md", "verdict", &verdict);
}

/// Checks that a page has a sentence, and that the sentence is true.
#[track_caller]
fn check(page: &str, sentence: &str, is_so: bool) {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(page);
    let text = std::fs::read_to_string(path).unwrap();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&text).contains(&words(sentence)), "{page} no longer says: {sentence}");
    assert!(is_so, "{page} says what is not so: {sentence}");
}

#[test]
fn what_the_docs_conclude_from_them_is_so() {
    let [cwl, plus, window, none] = ["cwl", "cwl+", "window", "none"].map(by_default);
    let stopped = setting("cwl", "80000", "low_water=750");
    let window_stopped = setting("window", "80000", "low_water=750");
    let former = setting("cwl+", "80000", "idle=0 low_water=800");
    let larger = setting("cwl+", "82000", "");
    let near = |one: u64, other: u64, per_mille: u64| one.abs_diff(other) * 1000 <= other * per_mille;
    let page = "docs/policies.md";
    let is_an_eighth = near((cost(none) - cost(cwl)) * 8, cost(none), 100);
    check(page, "It costs about an eighth less than no eviction at all", is_an_eighth);
    let is_dearer = |column: &&CompareColumn| cost(column) > cost(cwl);
    let dearer: Vec<&str> = DEFAULTS.iter().filter(is_dearer).map(|column| &*column.policy).collect();
    let is_so = dearer == ["pi-cwl", "window", "none"];
    check(page, "every other policy but `pi-cwl` and `window` is cheaper", is_so);
    let costs_more = |budget: u64| {
        let point = SWEEP.points.iter().find(|point| point.budget == Some(budget)).unwrap();
        point.measured.cost.total_cost > cost(none)
    };
    let is_from = !costs_more(80_000) && [100_000, 120_000, 140_000, 160_000].into_iter().all(costs_more);
    check(page, "At 100,000 and above it costs more than no eviction", is_from);
    let is_half = cost(stopped) * 2 < cost(cwl) && cost(plus) * 2 < cost(cwl);
    check(page, "makes fewer, larger passes and costs less than half", is_half);
    check(
        page,
        "at τ = 82,000 it finds what `cwl` finds at 80,000, for less than half",
        hits(larger).abs_diff(hits(cwl)) <= 5 && cost(larger) * 2 < cost(cwl),
    );
    check(
        page,
        "`window` finds a little more again than `cwl`",
        hits(window) > hits(cwl) && hits(window) < hits(cwl) + 30,
    );
    check(page, "it is as dear", near(cost(window), cost(cwl), 100));
    check(
        page,
        "with a stop at 750 per mille it comes near `cwl+`",
        near(cost(window_stopped), cost(plus), 150) && hits(window_stopped).abs_diff(hits(plus)) <= 5,
    );
    let fold = by_default("fold");
    let is_cheapest = DEFAULTS.iter().all(|column| cost(column) >= cost(fold) && hits(column) >= hits(fold));
    check(page, "`fold` is the cheapest and loses nearly all recall", is_cheapest && hits(fold) < 300);
    check(
        page,
        "a tenth cheaper than the defaults until November 2026 at the same recall",
        cost(plus) * 10 < cost(former) * 9 && hits(plus).abs_diff(hits(former)) <= 5,
    );

    let page = "docs/demo.md";
    let sums = format!("({} against {})", write_dollars(cost(cwl)), write_dollars(cost(none)));
    check(page, &sums, true);
    check(page, "costs about an eighth less than no eviction", is_an_eighth);
    let summaries = ["summary", "auto", "ladder", "tiers"].map(by_default);
    let is_cheaper = |column: &&CompareColumn| cost(column) < cost(cwl) && hits(column) < hits(cwl);
    check(
        page,
        "compaction is cheaper here, and finds less of what is used again",
        summaries.iter().all(is_cheaper),
    );
    check(page, "costs less than half of the setting in use", cost(plus) * 2 < cost(cwl));

    let page = "docs/frontier.md";
    let is_none = n_on_frontier("cwl") == 0 && n_on_frontier("window") == 0;
    check(
        page,
        "no setting of `cwl` as in the paper and none of `window` is on the Pareto frontier",
        is_none,
    );
    let is_most =
        n_on_frontier("summary") >= n_on_frontier("cwl+") && n_on_frontier("auto") >= n_on_frontier("cwl+");
    check(page, "`summary` and `auto` have more settings on it than `cwl+`", is_most);
}
