//! The binary as people and scripts use it: data, messages, exit codes.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::common::{Cwl, sample};

fn golden(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/tests/golden").join(name);
    path.display().to_string()
}

const LIKE_GOLDEN: [&str; 6] = ["--tokenizer", "chars4", "--overhead", "0", "--set", "classify_shell=false"];

/// Returns a document's trace in the form of the golden ones.
fn without_head(document: &str) -> String {
    let (head, trace) = document.split_once("}, \"budget_source\": \"user\", ").unwrap();
    assert!(head.starts_with("{\"schema\": {\"name\": \"replay\", \"version\": 1}, \"about\": {"), "{head}");
    format!("{{{trace}")
}

#[test]
fn replays_are_the_golden_ones() {
    let cwl = Cwl::new();
    for name in ["tame", "wild", "broken"] {
        for budget in ["6000", "20000", "60000"] {
            let mut args = vec!["replay", "--json", "--budget", budget];
            args.extend(LIKE_GOLDEN);
            let log = golden(&format!("{name}.jsonl"));
            args.push(&log);
            let expected = std::fs::read_to_string(golden(&format!("{name}.cwl.{budget}.json"))).unwrap();
            assert!(without_head(&cwl.ok(&args)) == expected, "{name} at {budget} is not the golden trace");
        }
    }
    assert!(!cwl.dir.path().join("data").exists(), "a command on a file touches no store");
}

/// A replay of many turns is summarised, and printed whole on request.
#[test]
fn a_long_replay_is_summarised() {
    let cwl = Cwl::new();
    let log = sample("long");
    let told = cwl.ok(&["replay", &log, "--budget", "20k"]);
    let whole = cwl.ok(&["replay", &log, "--budget", "20k", "--steps"]);
    let last = told.lines().last().unwrap();
    assert!(
        last.starts_with("and ") && last.ends_with("`--steps` lists every turn and every step"),
        "{told}"
    );
    assert!(told.lines().count() < 40 && whole.lines().count() > 400, "{told}");
    let pass = told.lines().find(|line| line.ends_with("steps")).unwrap();
    let (turn, _) = pass.split_once("  ").unwrap();
    assert!(whole.lines().any(|line| line.starts_with(turn) && pass.starts_with(line)), "{pass}");
    let short = ["replay", &sample("quickstart"), "--budget", "8k"];
    assert_eq!(cwl.ok(&short), cwl.ok(&[&short[..], &["--steps"]].concat()), "what is short is told whole");
}

#[test]
fn standard_input_and_pipes_are_logs_like_any_other() {
    let cwl = Cwl::new();
    let log = golden("tame.jsonl");
    // Only the log's name differs.
    let told = |text: &str| {
        let mut document: serde_json::Value = serde_json::from_str(text).unwrap();
        document["about"]["log"].take();
        document
    };
    let from_file = told(&cwl.ok(&["graph", "--json", &log]));
    let bytes = std::fs::read(&log).unwrap();
    let through = |mut child: Child| {
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        let output = child.wait_with_output().unwrap();
        told(&String::from_utf8(output.stdout).unwrap())
    };
    for name in ["-", "/dev/stdin"] {
        let mut command = cwl.command(&["graph", "--json", name]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        assert!(through(child) == from_file, "{name}");
    }
    let pipe = cwl.dir.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let child = cwl.command(&["graph", "--json", "pipe"]).stdout(Stdio::piped()).spawn().unwrap();
    std::fs::OpenOptions::new().write(true).open(&pipe).unwrap().write_all(&bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(told(&String::from_utf8(output.stdout).unwrap()) == from_file, "a named pipe");
}

/// Every format name for `--format`.
const FORMATS: &str = "pi, claude-code, codex, copilot, vscode-copilot, gemini-cli, qwen-code, kimi-code, droid, antigravity, cursor, opencode, hermes, atif, swe-agent, mini-swe-agent, kv-cache-trace, anthropic, openai-chat, openai-responses, gemini";

/// Each message is one line with fault, remedy, and the file at the end.
#[test]
fn unreadable_input_is_one_line() {
    let cwl = Cwl::new();
    std::fs::create_dir(cwl.dir.path().join("folder")).unwrap();
    cwl.file("empty.jsonl", b"");
    cwl.file("blank.jsonl", b"\n\n");
    cwl.file("binary.jsonl", &[0, 1, 2, 0xff]);
    cwl.file(
        "wide.jsonl",
        &"{\"type\":\"session\"}\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
    );
    cwl.file("text.txt", b"hello world\n");
    let check = |args: &[&str], expected: &str| {
        let said = cwl.refused(args);
        assert_eq!(said.lines().count(), 1, "{said}");
        assert_eq!(said.trim_end(), format!("cwl: {expected}"), "{args:?}");
    };
    let nothing = "no such file and no session of that id; check the path, or look at `cwl sessions`";
    check(&["report", "none.jsonl"], &format!("{nothing}: none.jsonl"));
    check(&["graph", "none.jsonl/x"], &format!("{nothing}: none.jsonl/x"));
    check(&["replay", "folder"], "this is a folder, not a log file; name one .jsonl file: folder");
    check(
        &["report", "empty.jsonl"],
        "there is nothing in it yet; try again when the agent has written to it: empty.jsonl",
    );
    check(
        &["report", "blank.jsonl"],
        "there is nothing in it yet; try again when the agent has written to it: blank.jsonl",
    );
    check(&["context", "-"], "there is nothing in it yet; try again when the agent has written to it: -");
    check(
        &["evicted", "binary.jsonl"],
        "it is not text; of a database `cwl sessions` lists the sessions: binary.jsonl",
    );
    check(
        &["cost", "wide.jsonl"],
        "it is text in UTF-16; write it in UTF-8, as with `iconv -f UTF-16 -t UTF-8`: wide.jsonl",
    );
    check(
        &["graph", "--format", "codex", &sample("quickstart")],
        &format!(
            "nothing in it reads as codex; it begins like pi: leave --format out: {}",
            sample("quickstart")
        ),
    );
    check(
        &["graph", "--format", "pi", "text.txt"],
        "nothing in it reads as pi; check which program wrote it: text.txt",
    );
    check(
        &["report", "text.txt"],
        &format!("no known log starts like this; if it is one, force its format: {FORMATS}: text.txt"),
    );
    check(
        &["report", "--format", "vi", "text.txt"],
        &format!("unknown format `vi`; known formats are {FORMATS}"),
    );
}

#[test]
fn a_share_of_a_window_that_nobody_knows_is_refused() {
    let cwl = Cwl::new();
    let unknown =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/openai-responses/quickstart/input.jsonl");
    assert_eq!(
        cwl.refused(&["replay", &unknown.display().to_string(), "--budget", "50%"]).trim_end(),
        "cwl: a budget of 50% needs the size of the model's window, which the log does not say; give it in tokens, as with --window 200000"
    );
}

#[test]
fn pins_and_probes_that_fail_are_said_beside_the_data() {
    let cwl = Cwl::new();
    let sample = sample("quickstart");
    let said = |args: &[&str]| {
        let mut all = vec!["context", &sample, "--policy", "window", "--budget", "6000"];
        all.extend(args);
        let output = cwl.run(&all);
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let lost = said(&["--pin", "grace_in_days"]);
    assert!(lost.contains("V006 error since turn 26, step 3, f474d157:0 (line 74): "), "{lost}");
    assert!(lost.contains(": the pin grace_in_days has not survived"), "{lost}");
    let absent = said(&["--probe", "2: nobody says this"]);
    assert!(
        absent.contains("V010 error since turn 2: the probe 2: nobody says this is not answerable"),
        "{absent}"
    );
    assert!(!said(&["--pin", "grace"]).contains("V006"), "it is said to the end");
}

#[test]
fn bad_choices_are_refused_before_anything_is_read() {
    let cwl = Cwl::new();
    let check = |args: &[&str], expected: &str| {
        let mut all = vec!["replay", "none.jsonl"];
        all.extend(args);
        assert_eq!(cwl.refused(&all).trim_end(), format!("cwl: {expected}"), "{args:?}");
    };
    check(&["--budget", "lots"], "`lots` is no token budget; write 80000, 80k or 50%");
    check(&["--budget", "150%"], "`150%` is no token budget; write 80000, 80k or 50%");
    let unknown = cwl.refused(&["replay", "none.jsonl", "--policy", "magic"]);
    assert!(unknown.starts_with("cwl: unknown policy `magic`; known policies are cwl, "), "{unknown}");
    check(
        &["--pin", "block:x"],
        "pin: `block:x` names no block; a block is ENTRY:INDEX, as `cwl context --as list` shows it",
    );
    check(&["--probe", "/(/"], "probe: `/(/` is no regular expression (unclosed group)");
    check(
        &["--tokenizer", "abacus"],
        "unknown tokenizer \"abacus\"; known are provider, o200k, cl100k, chars4, o200k-ref, cl100k-ref",
    );
    check(&["--overhead", "some"], "`some` is no overhead; write a number of tokens, as 4200, or auto");
    check(&["--set", "speed"], "`--set speed` has no value; write --set key=value");
    check(
        &["--set", "speed=9"],
        "cwl has no option `speed`; it has: classify_shell, ignore_compaction, ignore_eviction, keep_last_turn, granularity, low_water, protected_turns, levels, residue; options are set as --set key=value",
    );
    check(
        &["--set", "residue=all"],
        "`residue` takes description|none, not `all`; options are set as --set key=value",
    );
    assert!(cwl.refused(&["replay", "none.jsonl", "--speed"]).contains("--speed"));
    assert!(cwl.refused(&["mend", "none.jsonl"]).contains("mend"), "stages that have not come do not exist");
    assert!(cwl.refused(&["context", "none.jsonl", "--turn", "soon"]).contains("write a number or now"));
    let branch = cwl.refused(&["graph", &sample("quickstart"), "--branch", "nowhere"]);
    assert_eq!(branch, "cwl: no record `nowhere` to end a branch with; `cwl branches` lists the branches\n");
    let pattern = cwl.refused(&["evicted", &sample("quickstart"), "--grep", "("]);
    assert!(pattern.starts_with("cwl: `(` is no regular expression"), "{pattern}");
    assert_eq!(pattern.lines().count(), 1, "{pattern}");
}

#[test]
fn a_share_of_the_window_is_a_budget() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    // The log does not give the window; the table of prices has the model's: 200,000 tokens.
    assert_eq!(
        cwl.ok(&["replay", "--json", &log, "--budget", "4%"]),
        cwl.ok(&["replay", "--json", &log, "--budget", "8000"])
    );
    let share = cwl.ok(&["replay", "--json", &log, "--budget", "4%", "--window", "200k"]);
    assert_eq!(share, cwl.ok(&["replay", "--json", &log, "--budget", "8000"]));
}

#[test]
fn contexts_in_every_form() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let with = |more: &[&str]| {
        let mut args = vec!["context", &log, "--budget", "8k"];
        args.extend(more);
        cwl.run(&args)
    };
    let text = String::from_utf8(with(&[]).stdout).unwrap();
    assert!(text.contains("── user (harness), residue, "), "descriptions stay: {text}");
    let list = String::from_utf8(with(&["--as", "list"]).stdout).unwrap();
    assert!(
        list.lines().any(|line| line.starts_with("-  ")) && list.lines().any(|line| line.starts_with("+  "))
    );
    for form in ["pi", "anthropic", "openai", "openai-chat", "gemini"] {
        let output = with(&["--as", form]);
        let body: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(body.as_array().is_some_and(|messages| !messages.is_empty()), "{form}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.lines().all(|line| line.starts_with("cwl: re")), "refusals and repairs: {said}");
    }
    let json: serde_json::Value =
        serde_json::from_slice(&with(&["--json", "--turn", "20", "--step", "0"]).stdout).unwrap();
    assert_eq!((&json["turn"], &json["step"]), (&20.into(), &0.into()));
    let sum = |key: bool| -> u64 {
        let items = json["items"].as_array().unwrap().iter();
        items.filter(|item| item["kept"] == key).map(|item| item["tokens"].as_u64().unwrap()).sum()
    };
    assert_eq!(
        sum(true) + json["overhead"].as_u64().unwrap(),
        json["total"],
        "kept items add up to the total"
    );
    assert!(sum(false) > 0);
}

#[test]
fn evicted_text_is_searched() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let all = cwl.ok(&["evicted", &log, "--budget", "8k"]);
    let some = cwl.ok(&["evicted", &log, "--budget", "8k", "--grep", "fetchoutcome", "--sort", "size"]);
    let n_items = |text: &str| text.lines().filter(|line| !line.starts_with("    ")).count();
    assert!(n_items(&some) > 0 && n_items(&some) < n_items(&all), "{some}");
    let full = cwl.ok(&["evicted", &log, "--budget", "8k", "--grep", "FetchOutcome", "--full"]);
    assert!(full.contains("FetchOutcome"));
}

#[test]
fn graphs_in_every_form() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let graph: serde_json::Value = serde_json::from_str(&cwl.ok(&["graph", "--json", &log])).unwrap();
    let (n_episodes, n_edges) =
        (graph["episodes"].as_array().unwrap().len(), graph["edges"].as_array().unwrap().len());
    let dot = cwl.ok(&["graph", "--dot", &log]);
    assert_eq!((dot.matches("label=").count(), dot.matches("->").count()), (n_episodes, n_edges));
    let mermaid = cwl.ok(&["graph", "--mermaid", &log]);
    assert_eq!((mermaid.matches("<br/>").count(), mermaid.matches("-->").count()), (n_episodes, n_edges));
    assert_eq!(cwl.ok(&["graph", &log]).lines().count(), n_episodes + 1, "one line each, and the titles");
}

#[test]
fn the_report_shows_a_session_at_a_glance() {
    let cwl = Cwl::new();
    let report = cwl.ok(&["report", &sample("quickstart"), "--budget", "8k"]);
    insta::assert_snapshot!(report);
    assert!(!report.contains('\u{1b}'), "no colours where the output is no terminal");
}

/// A session without episodes over its budget: the report says so, and shows what the harness took out and
/// what else helps.
#[test]
fn the_report_of_a_session_without_episodes_says_what_is_true() {
    let cwl = Cwl::new();
    let sample = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name);
        path.display().to_string()
    };
    let compacted = sample("codex/compacted/input.jsonl");
    let fits = "none: the history fits the budget";
    let report = cwl.ok(&["report", &compacted, "--budget", "300", "--annotation", "declared"]);
    insta::assert_snapshot!(report);
    assert!(!report.contains(fits), "{report}");
    let roomy = cwl.ok(&["report", &compacted, "--budget", "80k", "--annotation", "declared"]);
    assert!(roomy.contains(fits) && roomy.contains("0 turns over the budget"), "{roomy}");
    assert!(!roomy.contains("Policies that need no episodes"), "nothing is over the budget: {roomy}");

    let check = |log: &str, policy: &str, expected: &str| {
        let (policy, keep) =
            policy.split_once('@').map_or((policy, None), |(policy, keep)| (policy, Some(keep)));
        let log = sample(log);
        let mut args =
            vec!["report", &log, "--budget", "300", "--annotation", "declared", "--policy", policy];
        args.extend(keep.iter().flat_map(|keep| ["--set", keep]));
        let report = cwl.ok(&args);
        assert!(report.contains(expected), "{expected}: {report}");
        assert!(!report.contains(fits), "{report}");
    };
    check("claude-code/errors/input.jsonl", "cwl", "but cwl evicts episodes only, and there is none");
    check(
        "claude-code/errors/input.jsonl",
        "cwl",
        "claude-code-clearing is the clearing rule of this harness",
    );
    check("opencode/pruned/input.json", "fold", "but fold evicts episodes only, and there is none");
    check("opencode/pruned/input.json", "none", "none: this policy evicts nothing");
    check("pi/v1/input.jsonl", "cwl", "no clearing rule of this harness is known; mask is the general one");
    check("pi/quickstart/input.jsonl", "mask@keep=1000", "and mask may take nothing of what is there (");
}

#[test]
fn a_session_without_episodes_has_something_in_the_place_of_a_graph() {
    let cwl = Cwl::new();
    insta::assert_snapshot!(cwl.ok(&["graph", &sample("v1"), "--annotation", "declared"]));
}

/// A reader's marks for a log without any.
const MARKS: &str = r#"{"made_by": "a reader", "episodes": [
    {"name": "look", "type": "expl", "first": 4, "last": 14, "dependencies": [], "description": "found"},
    {"name": "fix", "type": "act", "first": 16, "last": 28, "dependencies": ["look", "gone"]}]}"#;

#[test]
fn marks_of_a_reader_give_the_episodes() {
    let cwl = Cwl::new();
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/claude-code/compaction/input.jsonl");
    let log = log.display().to_string();
    let file = cwl.dir.path().join("marks.json");
    std::fs::write(&file, MARKS).unwrap();
    let file = file.display().to_string();
    let json = |args: &[&str]| -> serde_json::Value { serde_json::from_str(&cwl.ok(args)).unwrap() };
    let graph = json(&["graph", &log, "--json", "--annotation", &file]);
    let marked = |at: usize| -> String {
        let one = &graph["episodes"][at];
        format!("{} {} {}-{} {}", one["name"], one["kind"], one["line"], one["last_line"], one["source"])
            .replace('"', "")
    };
    assert_eq!(marked(0), "look expl 4-14 written");
    assert_eq!(graph["edges"], serde_json::json!([[0, 2]]), "{graph}");
    assert_eq!(graph["from"]["by"], "a reader");
    assert_eq!(graph["from"]["problems"][0]["mark"], 2);
    assert_eq!(graph["about"]["source"], "written");
    let trace = json(&["replay", &log, "--json", "--budget", "2k", "--annotation", &file]);
    assert_eq!(trace["source"], "written");
    assert!(trace["turns"].as_array().unwrap().iter().any(|turn| turn["steps"] != serde_json::json!([])));
    let report = cwl.ok(&["report", &log, "--annotation", &file]);
    let second = "episodes: marked afterwards by a reader (marks.json)";
    assert!(report.lines().take(4).any(|line| line == second), "{report}");
    for picture in ["--dot", "--mermaid"] {
        let drawn = cwl.ok(&["graph", &log, picture, "--annotation", &file]);
        assert!(drawn.contains("episodes marked afterwards by a reader"), "{drawn}");
    }
    // The harness of pi-cwl goes by the agent's own calls, even if there are none.
    let own = json(&["graph", &sample("v1"), "--json", "--policy", "pi-cwl"]);
    assert_eq!((&own["from"]["source"], own["episodes"].as_array().unwrap().len()), (&"declared".into(), 0));
    assert_eq!(json(&["graph", &sample("v1"), "--json"])["from"]["source"], "inferred");
    let other = json(&["graph", &log, "--json", "--policy", "pi-cwl", "--annotation", &file]);
    assert!(other["from"]["note"].as_str().unwrap().contains("would not do so"), "{other}");
}

#[test]
fn an_annotation_that_is_not_there_says_the_way_out() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let check = |annotation: &str, says: &[&str]| {
        let failed = cwl.refused(&["graph", &log, "--annotation", annotation]);
        says.iter().for_each(|says| assert!(failed.contains(says), "{annotation}: {failed}"));
    };
    check("corrected", &["no marks are stored as `corrected`", "./MARKS.json"]);
    check("", &["no annotation is named"]);
    check("./gone.json", &["the marks cannot be read", "gone.json"]);
    check(&log, &["the marks are", "marks are JSON: "]);
}

#[test]
fn the_evicted_begin_with_the_largest() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let evicted: serde_json::Value =
        serde_json::from_str(&cwl.ok(&["evicted", "--json", &log, "--budget", "8k"])).unwrap();
    let sizes: Vec<u64> =
        evicted["items"].as_array().unwrap().iter().map(|item| item["tokens"].as_u64().unwrap()).collect();
    assert!(sizes.len() > 2 && sizes.is_sorted_by(|one, next| one >= next), "{sizes:?}");
}

/// Without `--budget`, a session of pi-cwl uses the harness's own budget, and every output says so.
#[test]
fn a_budget_says_where_it_comes_from() {
    let cwl = Cwl::new();
    let agent = cwl.dir.path().join("home/.claude/agent");
    std::fs::create_dir_all(agent.join("sessions/--p--")).unwrap();
    std::fs::create_dir_all(agent.join("cwl")).unwrap();
    let of_sample =
        |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/pi-cwl/loop").join(name);
    let log = agent.join("sessions/--p--/loop.jsonl");
    std::fs::copy(of_sample("input.jsonl"), &log).unwrap();
    std::fs::copy(of_sample("trace.json"), agent.join("cwl/loop.json")).unwrap();
    let traced = log.display().to_string();
    let plain = of_sample("input.jsonl").display().to_string();
    let note = "cwl: the budget is 900 tokens, as in pi-cwl's trace; --budget sets another";
    let check = |command: &str, log: &str, more: &[&str], source: Option<&str>, said: bool| {
        let args: Vec<&str> = [command, log, "--json"].iter().chain(more).copied().collect();
        let output = cwl.run(&args);
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer.get("budget_source").and_then(|it| it.as_str()), source, "{args:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stderr.lines().any(|line| line == note), said, "{args:?}: {stderr}");
        answer
    };
    for command in ["context", "evicted"] {
        check(command, &traced, &[], Some("trace"), true);
        check(command, &traced, &["--budget", "80000"], Some("user"), false);
        check(command, &plain, &[], Some("default"), false);
    }
    assert_eq!(check("replay", &traced, &[], Some("trace"), true)["budget"], 900);
    assert_eq!(check("replay", &plain, &[], Some("default"), false)["budget"], 80_000);
    assert_eq!(check("replay", &traced, &["--budget", "50%"], Some("user"), false)["budget"], 100_000);

    let report = cwl.ok(&["report", &traced]);
    for line in [
        "policy cwl at 900 tokens (as in pi-cwl's trace), counted in",
        "2 passes above 900 tokens",
        "1,040 → 940 tokens, removed silence-future-times",
        "940 → 890 tokens, stripped find-ago-callers",
    ] {
        assert!(report.contains(line), "{line}: {report}");
    }
    assert!(cwl.ok(&["report", &plain]).contains("policy cwl at 80,000 tokens (the default)"));
    let given = cwl.ok(&["report", &traced, "--budget", "2k"]);
    assert!(given.contains("policy cwl at 2,000 tokens (given)"), "{given}");
}

#[test]
fn the_store_is_filled_and_looked_after() {
    let cwl = Cwl::new();
    let (quick, v2) = (sample("quickstart"), sample("v2"));
    let imported = cwl.ok(&["import", &quick, &v2]);
    assert_eq!(imported.lines().count(), 2);
    assert_eq!(cwl.ok(&["import", &quick, &v2]), imported, "a second time changes nothing");
    let sessions: serde_json::Value = serde_json::from_str(&cwl.ok(&["sessions", "--json"])).unwrap();
    assert_eq!(sessions["rows"].as_array().unwrap().len(), 2);
    assert_eq!(cwl.ok(&["sessions"]).lines().count(), 3);
    assert!(PathBuf::from(cwl.ok(&["db", "path"]).trim_end()).is_file());
    assert_eq!(cwl.ok(&["db", "check"]), "the store is sound\n");
    assert!(cwl.ok(&["db", "vacuum"]).starts_with("0 texts removed"));
    let output = cwl.run(&["import", "none.jsonl", &quick]);
    assert_eq!(output.status.code(), Some(2), "one that fails is told, the others are imported");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1);
}

#[test]
fn a_store_that_cannot_be_used_is_one_line() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let data = cwl.dir.path().join("data");
    let check = |expected: &str| {
        for args in [vec!["import", &log], vec!["tail", &log], vec!["db", "path"], vec!["db", "vacuum"]] {
            let said = cwl.refused(&args);
            assert!(said.starts_with("cwl: ") && said.trim_end().lines().count() == 1, "{args:?}: {said}");
            assert!(said.contains(expected) && said.contains("data"), "{args:?}: {said}");
        }
        // The list works without a store and says so; a command without need for a store does not ask for
        // one.
        let listed = cwl.command(&["sessions"]).output().unwrap();
        let said = String::from_utf8_lossy(&listed.stderr);
        assert!(
            listed.status.success() && said.lines().next().is_some_and(|line| line.contains("store")),
            "{said}"
        );
        cwl.ok(&["report", &log]);
    };
    std::fs::write(&data, "").unwrap();
    check("cannot make the folder of the store");
    assert!(cwl.refused(&["db", "check"]).contains("cannot make the folder of the store"));
    std::fs::remove_file(&data).unwrap();
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("user.sqlite"), "no database at all. ".repeat(1000)).unwrap();
    check("the store is damaged");
    // A check looks for damage; the remedy stands beside it.
    let found = cwl.run(&["db", "check"]);
    let said = String::from_utf8(found.stdout).unwrap();
    assert!(
        found.status.code() == Some(1) && said.contains("user.sqlite") && said.contains("db restore"),
        "{said}"
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let cwl = Cwl::new();
    let mut child = cwl
        .command(&["context", &sample("long"), "--policy", "none"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!first.is_empty());
}

#[test]
fn the_users_tool_table_is_used() {
    let cwl = Cwl::new();
    let log = sample("quickstart");
    let before = cwl.ok(&["replay", "--json", &log, "--budget", "8k"]);
    std::fs::create_dir_all(cwl.dir.path().join("config")).unwrap();
    cwl.file("config/tools.toml", b"[mine]\nsearch = [\"read\"]\nodd = [\"x\"]\n");
    let output = cwl.run(&["replay", "--json", &log, "--budget", "8k"]);
    assert_ne!(String::from_utf8(output.stdout).unwrap(), before, "reads are bulk output now");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("`mine.odd` is no class"), "{said}");
}
