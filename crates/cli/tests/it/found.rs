//! The command line describes itself: tables, help, completions, man pages, filters.

use std::process::Stdio;

use serde_json::Value;

use crate::common::{Cwl, sample};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn policies_formats_and_models_come_from_the_tables() {
    let cwl = Cwl::new();
    let policies = json(&cwl.ok(&["policies", "--json"]));
    let names: Vec<&str> = policies["policies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|policy| policy["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"cwl") && names.contains(&"none"));
    let list = cwl.ok(&["policies"]);
    assert!(names.iter().all(|name| list.lines().any(|line| line.starts_with(name))), "{list}");
    let one = cwl.ok(&["policies", "mask"]);
    assert!(one.contains("keep_tokens") && one.contains("newest <keep> outputs stay"), "{one}");
    assert!(cwl.refused(&["policies", "magic"]).contains("known policies are cwl, "));
    let formats = cwl.ok(&["formats"]);
    assert!(
        formats.contains("Copilot CLI: events.jsonl") && formats.contains("a session of Goose"),
        "{formats}"
    );
    let models = cwl.ok(&["models", "claude-opus-4-5-20251101"]);
    assert!(models.contains("200,000") && models.contains("source: "), "{models}");
    assert!(!cwl.dir.path().join("data").exists(), "no store is made");
}

#[test]
fn branches_are_listed_as_branch_takes_them() {
    let cwl = Cwl::new();
    let log = sample("branches");
    let listed = json(&cwl.ok(&["branches", &log, "--json"]));
    let branches = listed["branches"].as_array().unwrap();
    assert!(branches.len() > 1 && branches[0]["current"] == true, "{listed}");
    let text = cwl.ok(&["branches", &log]);
    for branch in branches {
        let leaf = branch["leaf"].as_str().unwrap();
        assert!(text.lines().any(|line| line.starts_with(leaf)), "{text}");
        assert!(!branch["text"].as_str().unwrap().is_empty(), "{branch}");
        cwl.ok(&["graph", &log, "--branch", leaf]);
    }
}

#[test]
fn help_completions_and_pages_are_made_of_the_arguments() {
    let cwl = Cwl::new();
    let help = cwl.ok(&["--help"]);
    assert!(help.contains("Exit codes:") && help.contains("Global options:"), "{help}");
    let replay = cwl.ok(&["replay", "--help"]);
    assert!(replay.contains("Examples:\n  cwl replay 0a789f64") && replay.contains("View:"), "{replay}");
    assert!(cwl.ok(&["completions", "bash"]).contains("claude-code-clearing"), "policies are offered");
    assert!(cwl.ok(&["completions", "fish"]).contains("cwl"));
    assert!(cwl.ok(&["man"]).contains(".TH cwl 1"));
    let folder = cwl.dir.path().join("pages");
    cwl.ok(&["man", "--out", "pages"]);
    assert!(std::fs::read_to_string(folder.join("cwl-replay.1")).unwrap().contains("Examples"));
}

/// A reader may close the pipe early: that is no failure.
#[test]
fn a_reader_of_help_may_go_away() {
    let cwl = Cwl::new();
    for args in [&["completions", "bash"][..], &["man"], &["schema", "report"], &["policies"], &["--help"]] {
        let mut child = cwl.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code().is_some_and(|code| code < 3) && !said.contains("panicked"),
            "{args:?}: {said}"
        );
    }
}

#[test]
fn colours_and_messages_are_as_the_user_wants_them() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let report = |args: &[&str], no_color: bool| {
        let mut all = vec!["report", &log, "--budget", "8k"];
        all.extend(args);
        let mut command = cwl.command(&all);
        if no_color {
            command.env("NO_COLOR", "1");
        }
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let plain = report(&[], false);
    assert!(!plain.contains('\u{1b}'), "no terminal, no colours");
    assert!(report(&["--color", "always"], true).contains('\u{1b}'), "asked for by name");
    assert_eq!(report(&["--color", "never"], false), plain);
    let said = |args: &[&str]| String::from_utf8(cwl.run(args).stderr).unwrap();
    assert!(said(&["evicted", &log, "--budget", "8k"]).contains("blocks"));
    assert_eq!(said(&["evicted", &log, "--budget", "8k", "-q"]), "");
    assert!(said(&["report", "none.jsonl", "--quiet"]).contains("no such file"), "a failure is said");
}

#[test]
fn lists_are_cut_where_the_user_says() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let evicted = |args: &[&str]| {
        let mut all = vec!["evicted", &log, "--budget", "8k", "--json"];
        all.extend(args);
        json(&cwl.ok(&all))["items"].as_array().unwrap().len()
    };
    assert_eq!((evicted(&["--limit", "2"]), evicted(&[]) > 2), (2, true));
    let policies = json(&cwl.ok(&["policies", "--json"]));
    let names: Vec<String> = policies["policies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|policy| policy["name"].as_str().unwrap().to_owned())
        .collect();
    let compared =
        json(&cwl.ok(&["compare", &log, "--budget", "8k", "--json", "--policies", &names.join(",")]));
    assert_eq!(compared["columns"].as_array().unwrap().len(), names.len(), "as many policies as one likes");
}

/// Every list has a chosen order and length, also as JSON.
#[test]
fn lists_are_in_the_order_that_the_user_says() {
    let cwl = Cwl::new();
    let sample = |name: &str| {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
        root.join(name).join("input.jsonl").display().to_string()
    };
    // One figure of each row, under an order.
    let figures = |args: &[&str], list: &str, figure: &str| -> Vec<i64> {
        let all = [args, &["--json"]].concat();
        let output = cwl.run(&all);
        let answer = json(&String::from_utf8(output.stdout).unwrap());
        let rows = answer.pointer(list).unwrap_or_else(|| panic!("{all:?}: {answer}")).as_array().unwrap();
        rows.iter().map(|row| row.pointer(figure).and_then(serde_json::Value::as_i64).unwrap_or(-1)).collect()
    };
    let check = |command: &[&str], order: &str, list: &str, figure: &str, is_falling: bool| {
        let sorted = figures(&[command, &["--sort", order]].concat(), list, figure);
        let is_sorted =
            if is_falling { sorted.is_sorted_by(|a, b| a >= b) } else { sorted.is_sorted_by(|a, b| a <= b) };
        assert!(sorted.len() > 1 && is_sorted, "{command:?} by {order}: {sorted:?}");
        let first = figures(&[command, &["--sort", order, "--limit", "1"]].concat(), list, figure);
        assert_eq!(first, sorted[..1], "{command:?} by {order}");
    };
    let (long, captured) = (sample("pi/long"), sample("claude-code/captured"));
    let reacquisitions = ["reacquisitions", &long, "--budget", "30k"];
    check(&reacquisitions, "turn", "/stories", "/again/turn", false);
    let lint = ["lint", &long, "--budget", "30k"];
    check(&lint, "line", "/logs/0/findings", "/line", false);
    check(&lint, "cost", "/logs/0/findings", "/cost", true);
    let cost = ["cost", &long];
    let by_turn = figures(&["cost", &long, "--sort", "turn", "--limit", "3"], "/misses", "/turn");
    assert!(by_turn.len() == 3 && by_turn.is_sorted(), "the dearest, in order: {by_turn:?}");
    check(&cost, "cost", "/misses", "/cost", true);
    let branches = sample("pi/branches");
    check(&["branches", &branches], "newest", "/branches", "/line", true);
    check(&["branches", &branches], "messages", "/branches", "/n_messages", true);
    check(&["models"], "window", "/models", "/window", true);
    check(&["captured", &captured], "turn", "/turns", "/turn", false);
    check(&["captured", &captured], "difference", "/turns", "/only_log", true);
    let evicted = ["evicted", &long, "--budget", "30k"];
    check(&evicted, "size", "/items", "/tokens", true);
    check(&evicted, "turn", "/items", "/evicted_turn", true);
    let compared = |order: &str, figure: &str| {
        figures(&["compare", &long, "--budget", "30k", "--sort", order], "/columns", figure)
    };
    for (order, figure) in
        [("cost", "/cost/total_cost"), ("reacquired", "/recall/reacquired_tokens"), ("mean", "/mean_total")]
    {
        let sorted = compared(order, figure);
        assert!(sorted.len() == 7 && sorted.is_sorted() && sorted[0] >= 0, "{order}: {sorted:?}");
    }
    let compacted = sample("codex/compacted");
    for order in ["turn", "taken", "again"] {
        assert_eq!(
            figures(&["compactions", &compacted, "--sort", order, "--limit", "1"], "/compactions", "/turn")
                .len(),
            1
        );
    }

    // Letters for severities, gravest first.
    let text =
        String::from_utf8(cwl.run(&["lint", &long, "--budget", "30k", "--sort", "severity"]).stdout).unwrap();
    let places: Vec<usize> = text
        .lines()
        .filter_map(|line| {
            ["error", "warning", "info", "doubt"].iter().position(|word| line.contains(&format!(": {word} ")))
        })
        .collect();
    assert!(places.len() > 3 && places.is_sorted(), "{text}");

    // A graph lists its episodes, and counts those left out.
    let listed = cwl.run(&["graph", &long, "--sort", "tokens", "--limit", "3"]);
    assert_eq!(String::from_utf8_lossy(&listed.stdout).lines().count(), 4, "the titles and three episodes");
    let more = String::from_utf8(listed.stderr).unwrap();
    assert!(more.starts_with("cwl: and ") && more.ends_with(" more\n"), "{more}");
    assert!(cwl.refused(&["graph", &long, "--json", "--limit", "3"]).contains("cannot be used with"));
}

#[test]
fn sessions_are_filtered_and_the_last_turns_of_one_are_followed() {
    let cwl = Cwl::new();
    let copy = |name: &str, to: &str| {
        let to = cwl.dir.path().join("agent/sessions/--home-dev--").join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(sample(name), &to).unwrap();
    };
    copy("quickstart", "2026_1.jsonl");
    copy("branches", "2026_2.jsonl");
    let rows = |args: &[&str]| {
        let mut all = vec!["sessions", "--json"];
        all.extend(args);
        json(&cwl.ok(&all))["rows"].as_array().unwrap().clone()
    };
    let all = rows(&[]);
    assert_eq!((all.len(), rows(&["--limit", "1"]).len(), rows(&["--harness", "codex"]).len()), (2, 1, 0));
    assert_eq!((rows(&["--since", "1h"]).len(), rows(&["--harness", "pi"]).len()), (2, 2));
    let cwd = all[0]["cwd"].as_str().unwrap();
    assert!(!rows(&["--cwd", cwd]).is_empty() && rows(&["--cwd", "/no/such/folder"]).is_empty());
    assert!(cwl.refused(&["sessions", "--since", "soon"]).contains("write 45m, 12h, 7d, 2w"));
    let list = cwl.ok(&["sessions"]);
    for row in &all {
        let name = row["name"].as_str().unwrap();
        assert!(list.lines().any(|line| line.starts_with(name)), "{list}");
        cwl.ok(&["graph", name]);
        cwl.ok(&["import", name]);
    }
    let mut child = cwl
        .command(&["tail", all[0]["name"].as_str().unwrap(), "-n", "2", "--json"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let mut turn = || json(&lines.next().unwrap().unwrap())["turn"].as_u64().unwrap();
    let (first, second) = (turn(), turn());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(second, first + 1);
}
