//! The rows of every sample agree with the commands.

use cwl_corpus::{Cell, ColumnValues, TextsAs, rows_of_log, rows_of_unread};
use cwl_host::api::{
    CacheRules, CompareRequest, FrontierMeasure, SweepRequest, ViewCut, ViewRequest, ViewSettings,
};
use cwl_host::commands;
use cwl_host::{ApiError, ErrorCode, SessionSnapshot};

use crate::common::{asked, column, n_rows, numbers, of_session, open, opened, samples};

fn number(n: impl TryInto<i64>) -> Cell {
    Cell::Number(n.try_into().ok().unwrap())
}

/// The cost of a view in a comparison, in millionths of a dollar.
fn compared_cost(log: &SessionSnapshot, view: ViewSettings) -> i64 {
    let compare = CompareRequest {
        views: vec![view],
        cut: ViewCut::default(),
        cache: CacheRules::default(),
        by: FrontierMeasure::Recall,
        bands: Default::default(),
    };
    let compared = commands::compare(log, &compare).unwrap();
    i64::try_from(compared.columns[0].measured.cost.total_cost).unwrap()
}

#[test]
fn every_sample_has_the_rows_that_the_commands_have() {
    for (place, log) in opened() {
        let name = place.name.display().to_string();
        let rows = rows_of_log(&log, &name, 1, None, &asked("", TextsAs::Hashed)).unwrap();
        let request =
            ViewRequest { view: ViewSettings { budget: "8k".into(), ..ViewSettings::counted("o200k") } };
        let session = commands::session(&log).unwrap();
        let graph = commands::graph(&log, &request).unwrap();
        let lint = commands::lint(&log, &request).unwrap();
        let stories = commands::reacquisition_stories(&log, &request).unwrap();
        let compactions = commands::compactions(&log, &request).unwrap();
        let replay = commands::replay(&log, &request).unwrap();
        let n_made = session.n_turns as usize - 1;
        assert_eq!(n_rows(&rows, "sessions"), 1, "{name}");
        assert_eq!(n_rows(&rows, "turns"), n_made, "{name}");
        assert_eq!(n_rows(&rows, "episodes"), graph.episodes.len(), "{name}");
        assert_eq!(n_rows(&rows, "findings"), lint.findings.len(), "{name}");
        assert_eq!(n_rows(&rows, "reacquisitions"), stories.stories.len(), "{name}");
        assert_eq!(n_rows(&rows, "compactions"), compactions.compactions.len(), "{name}");
        assert_eq!(of_session(&rows, "n_turns"), number(n_made), "{name}");
        assert_eq!(of_session(&rows, "budget"), number(8000), "{name}");
        let sent: Vec<Option<i64>> =
            replay.after.iter().take(n_made).map(|n| i64::try_from(*n).ok()).collect();
        assert_eq!(numbers(&rows, "turns", "sent"), sent, "{name}");
        // The bands add up to the request.
        let bands = ["unlogged", "human", "prologue", "act", "expl", "unannotated", "reasoning", "residue"];
        let bands = bands.map(|band| numbers(&rows, "turns", &format!("band_{band}")));
        for (turn, sent) in sent.iter().enumerate() {
            let sum: i64 = bands.iter().filter_map(|band| band[turn]).sum();
            assert_eq!(Some(sum), *sent, "{name}, turn {}", turn + 1);
        }
        // A declared dependency is an edge of the graph; an undeclared one is none.
        let figure = |part: &str| {
            let figure = lint.figures.iter().find(|one| one.name == "recall");
            figure.map_or(0, |figure| figure.parts.iter().find(|one| one.name == part).unwrap().n)
        };
        let n_edges: u64 = ["used", "unused", "untold", "forgotten"].map(figure).iter().sum();
        assert_eq!(n_rows(&rows, "dependencies") as u64, n_edges, "{name}");
        for row in 0..n_rows(&rows, "dependencies") {
            let place = |column: &str| match numbers(&rows, "dependencies", column)[row] {
                Some(place) => u32::try_from(place).unwrap(),
                None => panic!("{name}: an edge has two ends"),
            };
            let edge = (place("depends_on"), place("act"));
            let is_declared = column(&rows, "dependencies", "is_declared").cell_at(row);
            assert_eq!(is_declared, Cell::Flag(graph.edges.contains(&edge)), "{name}: {edge:?}");
        }
    }
}

#[test]
fn runs_are_the_points_of_a_sweep_and_the_columns_of_a_comparison() {
    let wanted = ["pi/quickstart", "pi/forgotten", "claude-code/compaction", "codex/quickstart"];
    for (place, log) in opened() {
        let name = place.name.display().to_string();
        if !wanted.iter().any(|case| name.contains(&format!("/{case}/"))) {
            continue;
        }
        let rows = rows_of_log(&log, &name, 1, None, &asked("cwl,mask,none@4k,8k", TextsAs::Hashed)).unwrap();
        let mut expected = Vec::new();
        for policy in ["cwl", "mask"] {
            let request = SweepRequest {
                view: ViewSettings { policy: policy.into(), ..ViewSettings::counted("o200k") },
                budgets: vec!["4k".into(), "8k".into()],
                cache: CacheRules::default(),
                beside: Vec::new(),
                by: FrontierMeasure::Recall,
            };
            let swept = commands::sweep(&log, &request).unwrap();
            expected.extend(
                swept.points.iter().map(|point| (point.budget, point.measured, point.over_budget_turns)),
            );
            if policy == "mask" {
                expected.push((None, swept.uncapped.measured, swept.uncapped.over_budget_turns));
            }
        }
        let of = |column: &str| numbers(&rows, "runs", column);
        for (row, (budget, measured, over)) in expected.iter().enumerate() {
            let told = |n: u64| i64::try_from(n).ok();
            assert_eq!(of("budget")[row], budget.and_then(told), "{name}");
            assert_eq!(of("cost")[row], told(measured.cost.total_cost), "{name}");
            assert_eq!(of("recall")[row], Some(measured.recall.hit_per_mille.into()), "{name}");
            assert_eq!(of("reacquired")[row], told(measured.recall.reacquired_tokens), "{name}");
            assert_eq!(of("n_steps")[row], told(measured.n_steps), "{name}");
            assert_eq!(of("over_budget_turns")[row], Some((*over).into()), "{name}");
        }
        assert_eq!(n_rows(&rows, "runs"), expected.len(), "{name}");
        let view =
            ViewSettings { policy: "mask".into(), budget: "4k".into(), ..ViewSettings::counted("o200k") };
        assert_eq!(of("cost")[2], Some(compared_cost(&log, view)), "{name}: mask at 4k");
        let request = ViewRequest {
            view: ViewSettings {
                policy: "mask".into(),
                budget: "4k".into(),
                ..ViewSettings::counted("o200k")
            },
        };
        let n_passes = commands::replay(&log, &request).unwrap().n_steps.iter().filter(|n| **n > 0).count();
        assert_eq!(of("n_passes")[2], i64::try_from(n_passes).ok(), "{name}");
    }
}

#[test]
fn runs_with_options_are_those_of_the_commands() {
    let log = open(&samples().join("claude-code/compaction/input.jsonl")).unwrap();
    let runs = "mask:keep=1,mask:keep=10,mask:keep=1,until_met=1,mask:keep=01@4k";
    let rows = rows_of_log(&log, "x", 1, None, &asked(runs, TextsAs::Hashed)).unwrap();
    let ColumnValues::Texts(options) = column(&rows, "runs", "options") else { panic!("options are texts") };
    let options: Vec<&str> = options.iter().flatten().map(AsRef::as_ref).collect();
    // A default value is no option, and no setting runs twice.
    assert_eq!(options, ["keep=1", "", "keep=1,until_met=1"]);
    let costs = numbers(&rows, "runs", "cost");
    for (row, options) in options.iter().enumerate() {
        let options = options.split(',').filter_map(|option| option.split_once('='));
        let options = options.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let view = ViewSettings {
            policy: "mask".into(),
            budget: "4k".into(),
            options,
            ..ViewSettings::counted("o200k")
        };
        assert_eq!(costs[row], Some(compared_cost(&log, view)), "{row}");
    }
    assert!(costs[0] != costs[1], "the option matters");
}

#[test]
fn a_log_that_cannot_be_read_is_a_row() {
    let problem = ApiError::new(ErrorCode::Binary, "this is not text");
    let rows = rows_of_unread("/logs/picture.jsonl", Some(3), &problem, &asked("", TextsAs::Plain));
    assert_eq!((n_rows(&rows, "sessions"), n_rows(&rows, "turns"), rows.n_unread), (1, 0, 1));
    assert_eq!(of_session(&rows, "problem"), Cell::from("binary"));
    assert_eq!(of_session(&rows, "problem_says"), Cell::from("this is not text"));
    assert_eq!(of_session(&rows, "path"), Cell::from("/logs/picture.jsonl"));
    assert_eq!(of_session(&rows, "n_turns"), Cell::Null);
}
