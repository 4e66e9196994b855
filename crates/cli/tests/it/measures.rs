//! The views of `cwl compare`, and its alias `cwl sweep`, as people and scripts use them.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

struct Cwl(tempfile::TempDir);

impl Cwl {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_cwl"))
            .args(args)
            .current_dir(self.0.path())
            .env("CWL_DATA_DIR", self.0.path().join("data"))
            .env("CWL_CONFIG_DIR", self.0.path())
            .env("HOME", self.0.path())
            .env_remove("CWL_LOG")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(args)).unwrap()
    }

    fn refused(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(output.stdout.is_empty(), "{args:?}");
        assert_eq!(said.lines().count(), 1, "{said}");
        said
    }
}

fn tame() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/tests/golden/tame.jsonl");
    path.display().to_string()
}

fn figure(value: &Value, path: &str) -> u64 {
    value.pointer(path).and_then(Value::as_u64).unwrap_or_else(|| panic!("no number {path} in {value}"))
}

#[test]
fn a_sweep_has_a_row_for_each_budget() {
    let cwl = Cwl::new();
    let log = tame();
    let args = ["sweep", &log, "--budgets", "6k..20k:7k,60k", "--json"];
    let sweep = cwl.json(&args);
    let points = sweep["points"].as_array().unwrap();
    let budgets: Vec<u64> = points.iter().map(|point| figure(point, "/budget")).collect();
    assert_eq!(budgets, [6_000, 13_000, 20_000, 60_000]);
    for point in points.iter().chain([&sweep["uncapped"]]) {
        let parts = ["cached_cost", "written_cost", "fresh_cost", "output_cost", "summary_cost"];
        let sum: u64 = parts.iter().map(|part| figure(point, &format!("/cost/{part}"))).sum();
        assert_eq!(sum, figure(point, "/cost/total_cost"), "{point}");
        assert!(sum > 0);
        assert!(figure(point, "/recall/hit_tokens") <= figure(point, "/recall/bound_tokens"), "{point}");
        assert!(figure(point, "/mean_total") <= figure(point, "/max_total"));
    }
    assert!(sweep["uncapped"]["budget"].is_null());
    assert_eq!(figure(&sweep["uncapped"], "/n_steps"), 0);
    let tight = &points[0];
    assert!(figure(tight, "/n_steps") > 0);
    assert!(figure(tight, "/mean_total") < figure(&sweep["uncapped"], "/mean_total"));
    assert!(figure(tight, "/cost/cached_per_mille") < figure(&sweep["uncapped"], "/cost/cached_per_mille"));
    assert_eq!(sweep["claims"].as_array().unwrap().len(), 7, "all claims are told, whatever comes out");
    let text = cwl.ok(&args[..4]);
    for expected in ["6,000", "60,000", "none", "list price as of", "What the paper says"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
}

#[test]
fn a_comparison_has_a_column_for_each_policy() {
    let cwl = Cwl::new();
    let log = tame();
    let args = ["compare", &log, "--policies", "cwl@6k,none,cwl", "--budget", "20k", "--json"];
    let compared = cwl.json(&args);
    let columns = compared["columns"].as_array().unwrap();
    let names: Vec<_> = columns
        .iter()
        .map(|column| format!("{}@{}", column["policy"].as_str().unwrap(), figure(column, "/budget")))
        .collect();
    assert_eq!(names, ["cwl@6000", "none@20000", "cwl@20000"]);
    let n_requests = usize::try_from(figure(&compared, "/n_requests")).unwrap();
    for column in columns {
        let bands = column["bands"].as_array().unwrap();
        let sum: u64 = bands.iter().map(|band| band[1].as_u64().unwrap()).sum();
        assert_eq!(sum, figure(column, "/total"), "bands add up");
        assert_eq!(column["after"].as_array().unwrap().len(), n_requests + 1);
        let so_far = column["cost_so_far"].as_array().unwrap();
        assert_eq!(so_far.len(), n_requests);
        assert!(so_far.is_sorted_by_key(|cost| cost.as_u64()));
        assert_eq!(so_far.last().unwrap().as_u64().unwrap(), figure(column, "/cost/total_cost"));
    }
    assert_eq!(figure(&columns[1], "/n_gone"), 0);
    assert!(figure(&columns[0], "/n_gone") > 0);
    // Each column agrees with the other commands.
    let context = cwl.json(&["context", &log, "--budget", "6k", "--json"]);
    assert_eq!(figure(&context, "/total"), figure(&columns[0], "/total"));
    let at_two = cwl.json(&["compare", &log, "--policies", "cwl", "--turn", "2", "--json"]);
    assert_eq!(figure(&at_two, "/turn"), 2);
    let sweep = cwl.json(&["sweep", &log, "--budgets", "6k", "--json"]);
    assert_eq!(sweep["points"][0]["cost"], columns[0]["cost"], "one cost model");
    assert_eq!(sweep["points"][0]["recall"], columns[0]["recall"], "one recall");
    let text = cwl.ok(&args[..6]);
    for expected in ["cost of the session", "recall", "20,000", "6,000"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
}

/// The Pareto frontier by brute force.
fn on_frontier(settings: &[(u64, u64)]) -> Vec<bool> {
    let beats = |a: &(u64, u64), b: &(u64, u64)| a.0 <= b.0 && a.1 >= b.1 && a != b;
    settings.iter().map(|one| !settings.iter().any(|other| beats(other, one))).collect()
}

#[test]
fn the_frontier_has_what_no_other_setting_beats() {
    let cwl = Cwl::new();
    let log = tame();
    let worth = |point: &Value| (figure(point, "/cost/total_cost"), figure(point, "/recall/hit_per_mille"));
    let args = ["sweep", &log, "--budgets", "6k..18k:3k", "--beside", "window,summary,mask", "--json"];
    let sweep = cwl.json(&args);
    let beside = sweep["beside"].as_array().unwrap();
    let names: Vec<&str> = beside.iter().map(|one| one["policy"].as_str().unwrap()).collect();
    assert_eq!(names, ["window", "summary", "mask"]);
    let mut points: Vec<&Value> = sweep["points"].as_array().unwrap().iter().collect();
    points.push(&sweep["uncapped"]);
    points.extend(beside.iter().flat_map(|one| one["points"].as_array().unwrap()));
    assert_eq!(points.len(), 5 * 4 + 1);
    let expected = on_frontier(&points.iter().map(|point| worth(point)).collect::<Vec<_>>());
    let told: Vec<bool> = points.iter().map(|point| point["frontier"].as_bool().unwrap()).collect();
    let n_acting = (0..points.len()).filter(|at| told[*at] && figure(points[*at], "/n_steps") > 0).count();
    assert!(n_acting > 1, "several evict and are on it: {told:?}");
    for at in 0..points.len() {
        // Only one of equal settings is listed.
        let mut twins = (0..points.len()).filter(|other| worth(points[*other]) == worth(points[at]));
        assert!(!told[at] || expected[at], "{}", points[at]);
        assert!(!expected[at] || twins.any(|twin| told[twin]), "{}", points[at]);
    }
    let on = sweep["frontier"]["on"].as_array().unwrap();
    assert_eq!(on.len(), told.iter().filter(|told| **told).count());
    assert!(on.is_sorted_by_key(|one| figure(one, "/cost")), "the cheapest first");
    for one in on {
        let point = points[usize::try_from(figure(one, "/place")).unwrap()];
        assert_eq!((figure(one, "/cost"), figure(one, "/kept")), worth(point));
    }
    let text = cwl.ok(&args[..6]);
    for expected in ["policy", "frontier"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    // A comparison gives the same frontier, in any order.
    let columns =
        ["compare", &log, "--policies", "window@9k,cwl@6k,summary@6k,none", "--sort", "cost", "--json"];
    let compared = cwl.json(&columns);
    for one in compared["frontier"]["on"].as_array().unwrap() {
        let column = &compared["columns"][usize::try_from(figure(one, "/place")).unwrap()];
        assert_eq!(column["policy"], one["policy"]);
        assert!(column["frontier"].as_bool().unwrap());
    }
}

#[test]
fn a_sweep_is_a_comparison_of_budgets() {
    let cwl = Cwl::new();
    let log = tame();
    for more in [&[][..], &["--budgets", "6k,9k", "--beside", "mask", "--by", "reacquired"]] {
        for json in [&[][..], &["--json"]] {
            let sweep = cwl.ok(&[&["sweep", &log], more, json].concat());
            assert_eq!(cwl.ok(&[&["compare", &log, "--view", "budgets"], more, json].concat()), sweep);
        }
    }
}

#[test]
fn the_frontier_is_listed_with_the_cheapest_first() {
    let cwl = Cwl::new();
    let log = tame();
    let compare = |more: &[&str]| cwl.ok(&[&["compare", &log, "--view", "frontier"], more].concat());
    let chosen = ["--policies", "cwl,window,summary", "--budgets", "6k..18k:3k"];
    let told: Value = serde_json::from_str(&compare(&[&chosen[..], &["--json"]].concat())).unwrap();
    let swept = ["sweep", &log, "--budgets", "6k..18k:3k", "--beside", "window,summary", "--json"];
    assert_eq!(told, cwl.json(&swept), "one document");
    let on = told["frontier"]["on"].as_array().unwrap();
    let text = compare(&chosen);
    assert!(text.starts_with(&format!("{} of 16 settings are on the Pareto frontier", on.len())), "{text}");
    let mut rows = text.lines().skip_while(|line| !line.starts_with("policy "));
    assert!(!rows.next().unwrap().contains("frontier"), "{text}");
    for one in on {
        let words: Vec<&str> = rows.next().unwrap().split_whitespace().collect();
        let budget =
            one["budget"].as_u64().map_or("none".to_owned(), |budget| format!("{},000", budget / 1000));
        assert_eq!(words[..2], [one["policy"].as_str().unwrap(), &budget], "{text}");
    }
    // Without options: all policies at the budgets of the verdict, as in the window.
    let all: Value = serde_json::from_str(&compare(&["--json"])).unwrap();
    assert_eq!(all["points"].as_array().unwrap().len(), 6);
    let policies = cwl.json(&["policies", "--json"])["policies"].as_array().unwrap().len();
    assert_eq!(
        all["beside"].as_array().unwrap().len(),
        policies - 2,
        "cwl is not beside itself, none has no budget"
    );
    let unasked = compare(&["--policies", "cwl,mask", "--by", "probes"]);
    assert!(unasked.contains("both a known cost and answered probes; --probe asks one"), "{unasked}");
}

#[test]
fn probes_and_findings_are_counted_for_each_policy() {
    let cwl = Cwl::new();
    let log = tame();
    let probes = ["--probe", "start [expl] t0-expl-0", "--probe", "3:/no such text/"];
    let mut args = vec!["compare", &log, "--policies", "cwl,window,summary,none", "--budget", "6k", "--json"];
    assert!(cwl.json(&args)["columns"][0]["probes"]["answered_per_mille"].is_null(), "none is asked");
    args.extend(probes);
    let compared = cwl.json(&args);
    let columns = compared["columns"].as_array().unwrap();
    for column in columns {
        let [asked, answered, taken] =
            ["asked", "answered", "taken"].map(|part| figure(column, &format!("/probes/{part}")));
        assert_eq!(asked, figure(&columns[3], "/probes/asked"), "all policies are asked the same");
        assert!(answered + taken <= asked, "{column}");
        assert_eq!(figure(column, "/probes/answered_per_mille"), answered * 1000 / asked);
        // The same number as in the list of findings.
        let policy = column["policy"].as_str().unwrap();
        let mut lint = vec!["lint", &log, "--policy", policy, "--budget", "6k", "--json"];
        lint.extend(probes);
        let listed = cwl.json(&lint);
        let findings = listed["logs"][0]["findings"].as_array().unwrap();
        let codes: Vec<&str> = findings.iter().map(|one| one["code"].as_str().unwrap()).collect();
        let n_verified = codes.iter().filter(|code| code.starts_with('V')).count() as u64;
        assert_eq!(figure(column, "/found/verification"), n_verified, "{policy}: {codes:?}");
        let may_depend = ["Q005", "Q006", "Q007", "Q008"];
        let n_doubts = codes.iter().filter(|code| may_depend.contains(code)).count() as u64;
        assert!(figure(column, "/found/doubts") <= n_doubts, "{policy}: {codes:?}");
    }
    assert_eq!(figure(&columns[3], "/probes/taken"), 0, "no policy took anything");
    assert!(figure(&columns[1], "/probes/taken") > 0, "recency takes old texts: {}", columns[1]["probes"]);
    args.retain(|arg| *arg != "--json");
    let text = cwl.ok(&args);
    for expected in
        ["probes, asked", "taken by the policy", "found by verification", "on the Pareto frontier"]
    {
        assert!(text.contains(expected), "{expected} in {text}");
    }
}

#[test]
fn the_cache_is_as_one_says() {
    let cwl = Cwl::new();
    let log = tame();
    let cost = |more: &[&str]| {
        let mut args = vec!["sweep", &log, "--budgets", "1m", "--json"];
        args.extend(more);
        cwl.json(&args)["points"][0]["cost"].clone()
    };
    let prompt = |cost: &Value| ["cached", "written", "fresh"].map(|part| figure(cost, &format!("/{part}")));
    let never = cost(&["--cache-minimum", "100000000"]);
    assert_eq!(prompt(&never)[..2], [0, 0], "nothing is large enough");
    let usual = cost(&["--cache-lifetime", "0"]);
    assert!(figure(&usual, "/cached") > 0 && figure(&usual, "/total_cost") < figure(&never, "/total_cost"));
    assert_eq!(
        prompt(&usual).iter().sum::<u64>(),
        prompt(&never).iter().sum::<u64>(),
        "the prompts are the same"
    );
    let coarse = cost(&["--cache-lifetime", "0", "--cache-granularity", "1000"]);
    assert_eq!(figure(&coarse, "/cached") % 1000, 0);
    assert!(figure(&coarse, "/fresh") > 0);
}

#[test]
fn the_users_prices_are_taken() {
    let cwl = Cwl::new();
    let log = tame();
    let sweep = || cwl.run(&["sweep", &log, "--budgets", "1m", "--json"]);
    // A pattern as long as the built-in one: the user's row wins.
    let mine = "[[price]]\nname = \"mine\"\nmodels = [\"*gpt-5.4\"]\ninput = 1\ncache_read = 1\ncache_write = 1\noutput = 0\nas_of = \"2026-01-02\"\n";
    std::fs::write(cwl.0.path().join("prices.toml"), mine).unwrap();
    let output = sweep();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(told["price"]["says"].as_str().unwrap().contains("2026-01-02"));
    let cost = &told["points"][0]["cost"];
    let tokens: u64 =
        ["cached", "written", "fresh"].map(|part| figure(cost, &format!("/{part}"))).iter().sum();
    assert_eq!(figure(cost, "/total_cost"), tokens, "a dollar per million is a millionth per token");
    std::fs::write(cwl.0.path().join("prices.toml"), "[[price]]\nname = 1\n").unwrap();
    let said = String::from_utf8(sweep().stderr).unwrap();
    assert!(said.trim_end().ends_with("prices.toml"), "the file stands last: {said}");
}

#[test]
fn what_cannot_be_swept_or_compared_is_refused() {
    let cwl = Cwl::new();
    let log = tame();
    let check = |args: &[&str], expected: &str| {
        let said = cwl.refused(args);
        assert!(said.contains(expected), "{args:?}: {said}");
    };
    check(&["sweep", &log, "--budgets", "60k..40k:1k"], "no range of budgets");
    check(&["sweep", &log, "--budgets", "1..100000:1"], "larger step");
    check(&["sweep", &log, "--budgets", "many"], "no token budget");
    check(&["sweep", &log, "--policy", "magic"], "unknown policy");
    check(&["sweep", &log, "--beside", "magic"], "unknown policy");
    check(&["sweep", &log, "--beside", "window@9k"], "all of --budgets");
    check(&["compare", &log, "--policies", "cwl,magic"], "unknown policy");
    check(&["compare", &log, "--policies", &["none"; 65].join(",")], "ask for 1 to 64");
    check(&["compare", &log, "--policies", "cwl@x"], "no token budget");
    check(&["compare", "none.jsonl"], "no such file");
    let view = |view: &str, option: &str, value: &str, way_out: &str| {
        let said = cwl.refused(&["compare", &log, "--view", view, option, value]);
        let what = format!("the argument '{option}' cannot be used with '--view {view}'; ");
        assert!(said.contains(&what) && said.contains(way_out), "{said}");
    };
    view("table", "--budgets", "6k,9k", "add '--view budgets'");
    view("table", "--beside", "mask", "'--policies'");
    view("budgets", "--policies", "cwl", "'--policy'");
    view("budgets", "--turn", "now", "leave it out");
    view("budgets", "--step", "2", "leave it out");
    view("budgets", "--sort", "cost", "leave it out");
    view("frontier", "--turn", "now", "leave it out");
    view("frontier", "--step", "2", "leave it out");
    view("frontier", "--sort", "cost", "leave it out");
    view("frontier", "--beside", "mask", "'--policies'");
    check(&["compare", &log, "--budgets", "6k"], "'--view table'; add '--view budgets'");
    check(&["compare", &log, "--view", "frontier", "--policies", "cwl@6k"], "write cwl");
}
