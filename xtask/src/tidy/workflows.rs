//! Workflows for continuous integration: they are valid, and everything they name in this repository exists.

use std::collections::{BTreeMap, BTreeSet};

use clap::CommandFactory;
use serde::Deserialize;
use serde_json::Value;

use super::{Finding, TrackedFile};
use crate::pattern;

const FOLDER: &str = ".github/workflows/";

#[derive(Deserialize)]
struct Workflow {
    permissions: Option<BTreeMap<String, String>>,
    jobs: BTreeMap<String, Job>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Job {
    #[serde(default)]
    needs: Value,
    timeout_minutes: Option<u32>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    uses: Option<String>,
    #[serde(default)]
    run: String,
}

pub(crate) fn check(files: &[TrackedFile]) -> Vec<Finding> {
    let known: BTreeMap<&str, &str> = files.iter().map(|file| (&*file.path, &*file.text)).collect();
    let targets = targets(known.get("Makefile").unwrap_or(&""));
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.path.starts_with(FOLDER)) {
        let mut say = |message: String| findings.push(Finding::error(&file.path, 0, message));
        let workflow: Workflow = match serde_saphyr::from_str(&file.text) {
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
            let needs = job.needs.as_array().map_or(std::slice::from_ref(&job.needs), Vec::as_slice);
            for need in needs.iter().filter_map(Value::as_str) {
                if !workflow.jobs.contains_key(need) {
                    say(format!("the job {name} needs {need}, which is no job"));
                }
            }
            for step in &job.steps {
                if let Some(uses) = step.uses.as_ref().filter(|uses| !is_pinned(uses)) {
                    say(format!("{uses} may change: name a whole commit"));
                }
                missing(&step.run, &targets, &known).into_iter().for_each(&mut say);
            }
        }
    }
    findings
}

/// Tells whether an action is pinned to a full commit, whose content cannot change.
fn is_pinned(uses: &str) -> bool {
    pattern("^(?:[^@]*@[0-9a-fA-F]{40}|\\./[^@]*)$").is_match(uses)
}

fn missing(run: &str, targets: &BTreeSet<&str>, known: &BTreeMap<&str, &str>) -> Vec<String> {
    let tasks = crate::Args::command();
    let named = |text: &str| -> Vec<&str> {
        pattern(text).captures_iter(run).map(|found| found.extract::<1>().1[0]).collect()
    };
    let calls = named(r"(?m)(?:^|\s)make[ \t]+([^&|;\n]+)");
    let makes = calls.iter().flat_map(|words| words.split_whitespace());
    let makes =
        makes.filter(|word| !word.starts_with('-') && !word.contains(['=', '$']) && !targets.contains(word));
    let mut found: Vec<String> =
        makes.map(|target| format!("runs make {target}, which is no target")).collect();
    for task in named(r"cargo\s+xtask\s+([^\s&|;]+)") {
        if tasks.find_subcommand(task).is_none() {
            found.push(format!("runs cargo xtask {task}, which is no task"));
        }
    }
    for path in named(r#"(?m)(?:^|[\s"'])(?:\./)?(\.ci/[^\s"'&|;]*|packaging/[^\s"'&|;]*\.sh)\b"#) {
        if !known.contains_key(path) {
            found.push(format!("runs {path}, which is no file"));
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

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    const MAKEFILE: &str =
        "A := x\nexport B := y\n.PHONY: check\ncheck: build ## Checks\n\tmake nothing: x\ntest deny:\n";

    fn check_text(text: &str, expected: &[&str]) {
        let files = [file("Makefile", MAKEFILE), file(".ci/run", ""), file(".github/workflows/a.yml", text)];
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
