//! Output from build tools and test runners that the agent runs on the project.

use anyhow::Result;

use super::project::{Project, plural};
use super::puts::{put, put_line};
use super::rng::Rng;
use super::teller::CWD;

#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) test: String,
    pub(crate) message: String,
}

struct Binary {
    target: String,
    source: String,
    tests: Vec<String>,
}

impl Binary {
    fn is_unit(&self) -> bool {
        self.source.starts_with("src/")
    }

    /// A hash as cargo appends it to a target's name, the same in every build.
    fn hash(&self) -> String {
        let seed = self
            .source
            .bytes()
            .fold(7, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
        Rng::new(seed).hex(16)
    }
}

fn binaries(project: &Project) -> Result<Vec<Binary>> {
    let mut unit = Vec::new();
    let mut binaries = Vec::new();
    for path in project.glob("*.rs", ".")? {
        let names = declared(project.text(path)?);
        if let Some(module) = path.strip_prefix("src/").and_then(|path| path.strip_suffix(".rs")) {
            let module = module.trim_end_matches("/mod").replace('/', "::");
            unit.extend(names.iter().map(|name| format!("{module}::tests::{name}")));
        } else if !names.is_empty() {
            let target = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rs").to_owned();
            binaries.push(Binary { target, source: path.to_owned(), tests: names });
        }
    }
    unit.sort();
    for (source, tests) in [("src/main.rs", Vec::new()), ("src/lib.rs", unit)] {
        binaries.insert(0, Binary { target: "tidewater".to_owned(), source: source.to_owned(), tests });
    }
    Ok(binaries)
}

fn declared(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut marked = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            marked = true;
        } else if let Some(rest) = line.trim_start_matches("async ").strip_prefix("fn ") {
            if marked {
                names.extend(rest.split(['(', '<']).next().map(str::to_owned));
            }
            marked = false;
        }
    }
    names
}

/// Prints a `cargo test` run with its arguments. `true` if all tests passed.
pub(crate) fn test(
    project: &mut Project,
    arguments: &[&str],
    failures: &[Failure],
    rng: &mut Rng,
) -> Result<(String, bool)> {
    let mut out = compiled(project, "   Compiling", "test", "`test` profile [unoptimized + debuginfo]", rng);
    let only = arguments
        .iter()
        .position(|argument| *argument == "--test")
        .and_then(|at| arguments.get(at + 1))
        .copied();
    let lib_only = arguments.contains(&"--lib");
    let filter =
        arguments.iter().find(|argument| !argument.starts_with('-') && Some(**argument) != only).copied();
    let chosen = |binary: &Binary| match only {
        Some(only) => binary.target == only,
        None => !lib_only || binary.source == "src/lib.rs",
    };
    for binary in binaries(project)?.iter().filter(|binary| chosen(binary)) {
        let unit = if binary.is_unit() { "unittests " } else { "" };
        put_line!(
            out,
            "     Running {unit}{} (target/debug/deps/{}-{})\n",
            binary.source,
            binary.target,
            binary.hash()
        );
        if !run(binary, filter, failures, rng, &mut out) {
            let flag =
                if binary.is_unit() { "--lib".to_owned() } else { format!("--test {}", binary.target) };
            put!(out, "error: test failed, to rerun pass `{flag}`");
            return Ok((out, false));
        }
    }
    if only.is_none() && !lib_only {
        out.push_str("   Doc-tests tidewater\n\nrunning 0 tests\n\n");
        out.push_str(
            "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        );
    }
    Ok((out.trim_end().to_owned(), true))
}

fn run(binary: &Binary, filter: Option<&str>, failures: &[Failure], rng: &mut Rng, out: &mut String) -> bool {
    let chosen: Vec<&String> =
        binary.tests.iter().filter(|test| filter.is_none_or(|part| test.contains(part))).collect();
    let failed: Vec<&Failure> =
        failures.iter().filter(|failure| chosen.iter().any(|test| **test == failure.test)).collect();
    put_line!(out, "running {} test{}", chosen.len(), plural(chosen.len()));
    for test in &chosen {
        let verdict = if failed.iter().any(|failure| failure.test == **test) { "FAILED" } else { "ok" };
        put_line!(out, "test {test} ... {verdict}");
    }
    if !failed.is_empty() {
        out.push_str("\nfailures:\n\n");
        for failure in &failed {
            put_line!(
                out,
                "---- {} stdout ----\n\n{}\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
                failure.test,
                failure.message
            );
        }
        out.push_str("\nfailures:\n");
        for failure in &failed {
            put_line!(out, "    {}", failure.test);
        }
    }
    let verdict = if failed.is_empty() { "ok" } else { "FAILED" };
    put_line!(
        out,
        "\ntest result: {verdict}. {} passed; {} failed; 0 ignored; 0 measured; {} filtered out; finished in 0.{:02}s\n",
        chosen.len() - failed.len(),
        failed.len(),
        binary.tests.len() - chosen.len(),
        if chosen.is_empty() { 0 } else { rng.between(2, 64) }
    );
    failed.is_empty()
}

pub(crate) fn build(project: &mut Project, command: &'static str, rng: &mut Rng) -> String {
    let printed = match command {
        "build" => compiled(project, "   Compiling", "release", "`release` profile [optimized]", rng),
        _ => compiled(project, "    Checking", command, "`dev` profile [unoptimized + debuginfo]", rng),
    };
    printed.trim_end().to_owned()
}

fn compiled(project: &mut Project, verb: &str, kind: &'static str, profile: &str, rng: &mut Rng) -> String {
    let mut out = String::new();
    if project.build(kind) {
        put_line!(out, "{verb} tidewater v0.7.2 ({CWD})");
        put_line!(
            out,
            "    Finished {profile} target(s) in {}.{:02}s",
            rng.between(4, 23),
            rng.between(0, 100)
        );
    } else {
        put_line!(out, "    Finished {profile} target(s) in 0.{:02}s", rng.between(9, 40));
    }
    out
}

pub(crate) fn vitest(project: &Project, rng: &mut Rng) -> Result<String> {
    let mut out =
        String::from("\n> tidewater-ui@ test\n> vitest run\n\n\n RUN  v3.2.4 /home/dev/tidewater/ui\n\n");
    let paths = project.glob("*.test.ts", "ui/src")?;
    let mut total = 0;
    for path in &paths {
        let tests = project.text(path)?.lines().filter(|line| line.trim_start().starts_with("it(")).count();
        total += tests;
        let shown = path.trim_start_matches("ui/");
        put_line!(out, " ✓ {shown} ({tests} test{}) {}ms", plural(tests), rng.between(3, 31));
    }
    put!(
        out,
        "\n Test Files  {n} passed ({n})\n      Tests  {total} passed ({total})\n   Duration  1.{:02}s (transform {}ms, setup 0ms, collect {}ms, tests {}ms, environment 1.0{}s, prepare {}ms)",
        rng.between(8, 70),
        rng.between(70, 130),
        rng.between(110, 190),
        rng.between(24, 70),
        rng.between(0, 10),
        rng.between(180, 290),
        n = paths.len(),
    );
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sample::source_text;

    #[test]
    fn lists_the_tests_that_the_sources_declare() {
        let mut project = Project::new(source_text::initial_tree());
        let declared: usize = binaries(&project).unwrap().iter().map(|binary| binary.tests.len()).sum();
        assert!(declared > 60, "{declared}");
        let (out, passed) = test(&mut project, &[], &[], &mut Rng::new(1)).unwrap();
        assert!(passed);
        assert_eq!(out.lines().filter(|line| line.ends_with("... ok")).count(), declared);
        assert!(out.contains("test ingest::backoff::tests::stops_at_the_cap ... ok\n"));
    }

    #[test]
    fn a_failure_ends_the_run() {
        let mut project = Project::new(source_text::initial_tree());
        let failure =
            Failure { test: "ingest::backoff::tests::stops_at_the_cap".into(), message: "boom".into() };
        let (out, passed) = test(&mut project, &["backoff"], &[failure], &mut Rng::new(1)).unwrap();
        assert!(!passed);
        assert!(out.contains("3 passed; 1 failed"));
        assert!(out.ends_with("`--lib`"));
    }
}
