//! Workflows for continuous integration: they are valid, and everything they name in this repository exists.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use serde::Deserialize;

use super::{Finding, TrackedFile};

const FOLDER: &str = ".github/workflows/";

#[derive(Deserialize)]
struct Workflow {
    #[serde(default)]
    permissions: Option<BTreeMap<String, String>>,
    jobs: BTreeMap<String, Job>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Job {
    #[serde(default)]
    needs: OneOrMany,
    timeout_minutes: Option<u32>,
    steps: Vec<Step>,
}

#[derive(Deserialize, Default)]
#[serde(untagged)]
enum OneOrMany {
    #[default]
    None,
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
struct Step {
    uses: Option<String>,
    run: Option<String>,
}

pub(crate) fn check(files: &[TrackedFile]) -> Vec<Finding> {
    let text_of =
        |path: &str| files.iter().find(|file| file.path == path).and_then(|file| file.text.as_deref());
    let targets = targets(text_of("Makefile").unwrap_or_default());
    let tasks = tasks(text_of("xtask/src/main.rs").unwrap_or_default());
    let known: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.path.starts_with(FOLDER)) {
        let mut say = |message: String| findings.push(Finding::error(&file.path, 0, message));
        let workflow: Workflow = match serde_saphyr::from_str(file.text.as_deref().unwrap_or_default()) {
            Ok(workflow) => workflow,
            Err(error) => {
                say(format!("cannot be read as a workflow: {error}"));
                continue;
            }
        };
        if workflow.permissions.is_none() {
            say("says no `permissions`, so that its token may do everything".to_owned());
        }
        for (name, job) in &workflow.jobs {
            if job.timeout_minutes.is_none() {
                say(format!("the job {name} has no `timeout-minutes`"));
            }
            let needs: &[String] = match &job.needs {
                OneOrMany::None => &[],
                OneOrMany::One(need) => std::slice::from_ref(need),
                OneOrMany::Many(needs) => needs,
            };
            for need in needs.iter().filter(|need| !workflow.jobs.contains_key(*need)) {
                say(format!("the job {name} needs {need}, which is no job"));
            }
            for step in &job.steps {
                if let Some(uses) = step.uses.as_ref().filter(|uses| !is_pinned(uses)) {
                    say(format!("{uses} may change: name a whole commit"));
                }
                let run = step.run.as_deref().unwrap_or_default();
                missing(run, &targets, &tasks, &known).into_iter().for_each(&mut say);
            }
        }
    }
    findings
}

/// Tells whether an action is pinned to a full commit, whose content cannot change.
fn is_pinned(uses: &str) -> bool {
    let Some((_, version)) = uses.split_once('@') else { return uses.starts_with("./") };
    version.len() == 40 && version.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn missing(
    run: &str,
    targets: &BTreeSet<&str>,
    tasks: &BTreeSet<String>,
    known: &BTreeSet<&str>,
) -> Vec<String> {
    let mut found = Vec::new();
    for line in run.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        for (at, word) in words.iter().enumerate() {
            let rest = || words[at + 1..].iter().take_while(|word| !["&&", "||", ";", "|"].contains(*word));
            if *word == "make" {
                let is_target = |word: &&&str| !word.starts_with('-') && !word.contains(['=', '$']);
                for target in rest().filter(is_target).filter(|target| !targets.contains(**target)) {
                    found.push(format!("runs make {target}, which is no target"));
                }
            }
            let is_xtask = *word == "xtask" && at > 0 && words[at - 1] == "cargo";
            if let Some(task) = rest().next().filter(|task| is_xtask && !tasks.contains(**task)) {
                found.push(format!("runs cargo xtask {task}, which is no task"));
            }
            let path = word.trim_start_matches("./").trim_matches(['"', '\'']);
            let is_ours =
                path.starts_with(".ci/") || (path.starts_with("packaging/") && path.ends_with(".sh"));
            if is_ours && !known.contains(path) {
                found.push(format!("runs {path}, which is no file"));
            }
        }
    }
    found
}

fn targets(makefile: &str) -> BTreeSet<&str> {
    makefile
        .lines()
        .filter(|line| !line.starts_with(['\t', '#', ' ', '.']))
        .filter_map(|line| line.split_once(':'))
        .filter(|(_, rest)| !rest.starts_with('='))
        .flat_map(|(names, _)| names.split_whitespace())
        .collect()
}

/// Task names in xtask: its enum's variants, as clap spells them.
fn tasks(main: &str) -> BTreeSet<String> {
    let body = main.split_once("enum Task {").map_or("", |(_, body)| body);
    let variant = Regex::new(r"(?m)^    ([A-Z][A-Za-z]*)").expect("a constant pattern");
    let end = body.find("\n}").unwrap_or(body.len());
    variant.captures_iter(&body[..end]).map(|found| found[1].to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    const MAKEFILE: &str =
        "A := x\nexport B := y\n.PHONY: check\ncheck: build ## Checks\n\tmake nothing: x\ntest deny:\n";
    const MAIN: &str =
        "enum Task {\n    /// Writes.\n    Gen {\n        check: bool,\n    },\n    Tidy,\n}\n";

    fn check_text(text: &str, expected: &[&str]) {
        let files = [
            file("Makefile", MAKEFILE),
            file("xtask/src/main.rs", MAIN),
            file(".ci/run", ""),
            file(".github/workflows/a.yml", text),
        ];
        let found: Vec<String> = check(&files).into_iter().map(|finding| finding.message).collect();
        let is_as_expected = found.len() == expected.len()
            && found.iter().zip(expected).all(|(found, part)| found.contains(part));
        assert!(is_as_expected, "{text}\n{found:?}");
    }

    fn check_run(run: &str, expected: &[&str]) {
        let run = run.replace('\n', "\n          ");
        check_text(
            &format!(
                "permissions:\n  contents: read\njobs:\n  a:\n    timeout-minutes: 5\n    steps:\n      - run: |\n          {run}\n"
            ),
            expected,
        );
    }

    #[test]
    fn everything_that_a_workflow_runs_is_there() {
        check_run(".ci/run\nmake check deny", &[]);
        check_run("make test A=1 -j2 && ./.ci/run", &[]);
        check_run("cargo xtask tidy\ncargo xtask gen --check", &[]);
        check_run("make nothing", &["make nothing, which is no target"]);
        check_run("make A", &["make A, which"]);
        check_run("cargo xtask publish", &["cargo xtask publish"]);
        check_run("./.ci/gone && packaging/gone.sh", &[".ci/gone", "packaging/gone.sh"]);
    }

    #[test]
    fn a_workflow_is_read_limited_and_pinned() {
        let job = |more: &str| {
            format!(
                "permissions:\n  contents: read\njobs:\n  a:\n    timeout-minutes: 5\n    {more}\n    steps:\n      - run: make test\n"
            )
        };
        check_text("jobs: [", &["cannot be read"]);
        check_text(&job("name: A"), &[]);
        check_text(&job("needs: a"), &[]);
        check_text(&job("needs: [a, b]"), &["needs b, which is no job"]);
        check_text("jobs:\n  a:\n    steps: []\n", &["permissions", "timeout-minutes"]);
        for (uses, is_pinned_there) in [
            ("actions/checkout@v4", false),
            ("a/b@0123456789abcdef0123456789abcdef01234567", true),
            ("./here", true),
            ("actions/checkout@main", false),
            ("actions/checkout", false),
            ("a/b@v", false),
        ] {
            assert_eq!(is_pinned(uses), is_pinned_there, "{uses}");
        }
    }
}
