//! Runs the agent's shell commands: their output is computed from the project.

use anyhow::{Context as _, Result, bail};

use super::cargo_output::{self, Failure};
use super::project::{Project, plural};
use super::puts::{put, put_line};
use super::rng::Rng;
use super::text_diff;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Printed {
    pub(crate) text: String,
    pub(crate) exit_code: i32,
}

/// Runs a chain of pipelines (`a | b && c`) over `project`.
///
/// # Errors
/// If a program is unknown here; then the script must give its output.
pub(crate) fn run(
    project: &mut Project,
    command: &str,
    failures: &[Failure],
    rng: &mut Rng,
) -> Result<Printed> {
    let mut printed = Printed { text: String::new(), exit_code: 0 };
    for pipeline in command.replace(" 2>&1", "").split(" && ") {
        let mut stages = pipeline.split(" | ").map(words);
        let first = stages.next().context("an empty pipeline")?;
        let (mut text, exit_code) = program(project, &first, failures, rng)?;
        for stage in stages {
            text = filtered(&text, &stage)?;
        }
        if !text.is_empty() && !printed.text.is_empty() {
            printed.text.push('\n');
        }
        printed.text.push_str(text.trim_end_matches('\n'));
        printed.exit_code = exit_code;
        if exit_code != 0 {
            break;
        }
    }
    Ok(printed)
}

fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in command.trim().chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, ' ') => words.push(String::new()),
            _ => {
                if let Some(word) = words.last_mut() {
                    word.push(letter);
                }
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn program(
    project: &mut Project,
    words: &[String],
    failures: &[Failure],
    rng: &mut Rng,
) -> Result<(String, i32)> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let text = match words.as_slice() {
        ["cd", _] => String::new(),
        ["wc", "-l", paths @ ..] => line_counts(project, paths)?,
        ["ls", folder] => {
            project.list(folder).iter().map(|name| name.trim_end_matches('/')).collect::<Vec<_>>().join("\n")
        }
        ["rg", flags @ .., pattern, under] => search(project, flags, pattern, under)?,
        ["cargo", "test", arguments @ ..] => {
            let (text, passed) = cargo_output::test(project, arguments, failures, rng)?;
            return Ok((text, if passed { 0 } else { 101 }));
        }
        ["cargo", "clippy", ..] => cargo_output::build(project, "clippy", rng),
        ["cargo", "build", "--release"] => cargo_output::build(project, "build", rng),
        ["cargo", "check"] => cargo_output::build(project, "check", rng),
        ["npm", "test"] => cargo_output::vitest(project, rng)?,
        ["npm", "run", "lint"] => "\n> tidewater-ui@ lint\n> eslint src --max-warnings 0\n".to_owned(),
        ["npx", "tsc", "--noEmit"] => String::new(),
        ["git", arguments @ ..] => git(project, arguments)?,
        _ => bail!("no output known for: {}", words.join(" ")),
    };
    Ok((text, 0))
}

fn filtered(text: &str, stage: &[String]) -> Result<String> {
    let stage: Vec<&str> = stage.iter().map(String::as_str).collect();
    Ok(match stage.as_slice() {
        ["tail", count] => {
            let lines: Vec<&str> = text.trim_end().lines().collect();
            lines[lines.len().saturating_sub(number(count)?)..].join("\n")
        }
        ["grep", part] => text.lines().filter(|line| line.contains(part)).collect::<Vec<_>>().join("\n"),
        _ => bail!("no filter known for: {}", stage.join(" ")),
    })
}

fn number(text: &str) -> Result<usize> {
    text.trim_start_matches('-')
        .trim_start_matches('n')
        .parse()
        .with_context(|| format!("{text} is no number"))
}

fn line_counts(project: &Project, paths: &[&str]) -> Result<String> {
    let mut out = String::new();
    let mut total = 0;
    let files: Vec<&str> = paths.iter().flat_map(|under| project.paths(under)).collect();
    for path in &files {
        let lines = project.text(path)?.lines().count();
        total += lines;
        put_line!(out, "{lines:>6} {path}");
    }
    if files.len() > 1 {
        put_line!(out, "{total:>6} total");
    }
    Ok(out)
}

fn search(project: &Project, flags: &[&str], pattern: &str, under: &str) -> Result<String> {
    let found = project.matches(pattern, under)?;
    let mut paths: Vec<&str> = found.iter().map(|(path, ..)| *path).collect();
    if flags.contains(&"-l") {
        paths.dedup();
        return Ok(paths.join("\n"));
    }
    let lines: Vec<String> = found.iter().map(|(path, line, text)| format!("{path}:{line}:{text}")).collect();
    Ok(lines.join("\n"))
}

fn git(project: &mut Project, arguments: &[&str]) -> Result<String> {
    Ok(match arguments {
        ["status", "--short"] => project
            .changes()
            .iter()
            .map(
                |(state, path)| if *state == '?' { format!("?? {path}") } else { format!(" {state} {path}") },
            )
            .collect::<Vec<_>>()
            .join("\n"),
        ["diff", "--stat"] => diff_stat(project),
        ["diff", paths @ ..] => diff(project, paths),
        ["add", ..] => String::new(),
        ["commit", "-m", subject] => project.commit(subject)?,
        ["log", "--stat", "--oneline", count] => {
            let newest = project.history.iter().rev().take(number(count)?);
            newest
                .map(|commit| format!("{} {}\n{}", commit.hash, commit.subject, commit.stat))
                .collect::<Vec<_>>()
                .join("\n")
        }
        _ => bail!("no output known for: git {}", arguments.join(" ")),
    })
}

fn diff(project: &Project, paths: &[&str]) -> String {
    let mut out = String::new();
    for (state, path) in project.changes() {
        if state != 'M' || (!paths.is_empty() && !paths.iter().any(|under| path.starts_with(under))) {
            continue;
        }
        let (before, after) = project.versions(path);
        put!(
            out,
            "diff --git a/{path} b/{path}\nindex {}..{} 100644\n--- a/{path}\n+++ b/{path}\n{}",
            blob_name(before),
            blob_name(after),
            text_diff::unified(before, after)
        );
    }
    out
}

fn blob_name(text: &str) -> String {
    let seed = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Rng::new(seed).hex(7)
}

fn diff_stat(project: &Project) -> String {
    let changes: Vec<(&str, usize, usize)> = project
        .changes()
        .into_iter()
        .filter(|(state, _)| *state == 'M')
        .map(|(_, path)| {
            let (before, after) = project.versions(path);
            let (added, removed) = text_diff::stat(before, after);
            (path, added, removed)
        })
        .collect();
    let width = changes.iter().map(|(path, ..)| path.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (path, added, removed) in &changes {
        let total = added + removed;
        // git scales the bar so that a line fits the terminal.
        let scale = (total / 40).max(1);
        put_line!(
            out,
            " {path:width$} | {total:>3} {}{}",
            "+".repeat(added.div_ceil(scale)),
            "-".repeat(removed.div_ceil(scale))
        );
    }
    let (added, removed) =
        changes.iter().fold((0, 0), |sum, (_, added, removed)| (sum.0 + added, sum.1 + removed));
    put!(
        out,
        " {} file{} changed, {added} insertion{}(+), {removed} deletion{}(-)",
        changes.len(),
        plural(changes.len()),
        plural(added),
        plural(removed)
    );
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sample::source_text;

    #[track_caller]
    fn check(command: &str, expected: &str) {
        let mut project = Project::new(source_text::initial_tree());
        let printed = run(&mut project, command, &[], &mut Rng::new(1)).unwrap();
        assert_eq!((printed.text.as_str(), printed.exit_code), (expected, 0), "{command}");
    }

    #[test]
    fn programs_over_the_tree() {
        check("wc -l src/lib.rs", "     9 src/lib.rs");
        check("rg -l 'function ago' ui/src", "ui/src/lib/time.ts");
        check(
            "rg -n 'function ago' ui/src",
            "ui/src/lib/time.ts:9:export function ago(at: string, now: number = Date.now()): string {",
        );
        check("git status --short", "");
        check("ls migrations | tail -1", "0002_labels_and_searches.sql");
        check("cd ui && npx tsc --noEmit", "");
    }

    #[test]
    fn quotes_keep_blanks() {
        assert_eq!(words("git commit -m \"a b\" 'c d'"), ["git", "commit", "-m", "a b", "c d"]);
    }

    #[test]
    fn a_diff_shows_the_edit() {
        let mut project = Project::new(source_text::initial_tree());
        project.edit("src/lib.rs", "pub mod opml;\n", "pub mod opml;\npub mod search;\n").unwrap();
        let printed = run(&mut project, "git diff src", &[], &mut Rng::new(1)).unwrap().text;
        assert!(printed.starts_with("diff --git a/src/lib.rs b/src/lib.rs\n"), "{printed}");
        assert!(printed.contains("\n+pub mod search;\n"), "{printed}");
        assert!(run(&mut project, "make coffee", &[], &mut Rng::new(1)).is_err());
    }
}
