//! The shell commands that the samples' agent runs, computed from the project.

use anyhow::{Context as _, Result, bail};

use super::cargo_output::{self, Failure};
use super::project::{Project, plural};
use super::puts::{put, put_line};
use super::rng::Rng;
use super::text_diff;

/// What a command printed and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Printed {
    pub(crate) text: String,
    pub(crate) exit_code: i32,
}

/// Runs `a && b` chains of pipelines over the project; an error for programs it
/// does not know, whose output a script has to give.
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

/// Splits at blanks outside quotes; quotes go.
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
        ["cat", paths @ ..] => {
            paths.iter().map(|path| project.text(path)).collect::<Result<Vec<_>>>()?.concat()
        }
        ["head", count, path] => first_lines(project.text(path)?, number(count)?),
        ["sed", "-n", range, path] => {
            let (from, to) = range.trim_end_matches('p').split_once(',').context("a sed range")?;
            let (from, to) = (number(from)?, number(to)?);
            project.text(path)?.lines().skip(from - 1).take(to + 1 - from).collect::<Vec<_>>().join("\n")
        }
        ["wc", "-l", paths @ ..] => line_counts(project, paths)?,
        ["ls", "-la", folder] => long_listing(project, folder)?,
        ["ls", folder] => {
            project.list(folder).iter().map(|name| name.trim_end_matches('/')).collect::<Vec<_>>().join("\n")
        }
        ["find", folder, "-name", pattern] => project.glob(pattern, folder)?.join("\n"),
        ["rg", flags @ .., pattern, under] => search(project, flags, pattern, under)?,
        ["cargo", "test", arguments @ ..] => {
            let (text, passed) = cargo_output::test(project, arguments, failures, rng)?;
            return Ok((text, if passed { 0 } else { 101 }));
        }
        ["cargo", "clippy", ..] => cargo_output::build(project, "clippy", rng),
        ["cargo", command @ ("check" | "fmt" | "build"), ..] => {
            let command = if words.contains(&"--release") { "build --release" } else { command };
            cargo_output::build(project, command, rng)
        }
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
        ["head", count] => first_lines(text, number(count)?),
        ["tail", count] => {
            let lines: Vec<&str> = text.trim_end().lines().collect();
            lines[lines.len().saturating_sub(number(count)?)..].join("\n")
        }
        ["wc", "-l"] => text.trim_end().lines().count().to_string(),
        ["grep", "-v", part] => {
            text.lines().filter(|line| !line.contains(part)).collect::<Vec<_>>().join("\n")
        }
        ["grep", part] => text.lines().filter(|line| line.contains(part)).collect::<Vec<_>>().join("\n"),
        ["sort"] => {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            lines.join("\n")
        }
        _ => bail!("no filter known for: {}", stage.join(" ")),
    })
}

fn number(text: &str) -> Result<usize> {
    text.trim_start_matches('-')
        .trim_start_matches('n')
        .parse()
        .with_context(|| format!("{text} is no number"))
}

fn first_lines(text: &str, count: usize) -> String {
    text.lines().take(count).collect::<Vec<_>>().join("\n")
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

fn long_listing(project: &Project, folder: &str) -> Result<String> {
    let mut out = String::new();
    let names = project.list(folder);
    put_line!(out, "total {}", names.len() * 8);
    for name in names {
        match name.strip_suffix('/') {
            Some(name) => {
                put_line!(out, "drwxr-xr-x 2 dev dev   4096 Feb 27 17:52 {name}");
            }
            None => {
                let path = if folder == "." {
                    name.clone()
                } else {
                    format!("{}/{name}", folder.trim_end_matches('/'))
                };
                put_line!(out, "-rw-r--r-- 1 dev dev {:>6} Feb 27 17:52 {name}", project.text(&path)?.len());
            }
        }
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
        ["commit", "-q", "-m", subject] => project.commit(subject).map(|_| String::new())?,
        ["commit", "-m", subject] => project.commit(subject)?,
        ["log", "--oneline", count] => {
            let newest = project.history.iter().rev().take(number(count)?);
            newest.map(|commit| format!("{} {}", commit.hash, commit.subject)).collect::<Vec<_>>().join("\n")
        }
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

/// Seven digits that depend on the text only.
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
        // git scales the bar so that a line stays within the terminal
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
        check("head -1 src/lib.rs", "//! tidewater: a feed reader for one household.");
        check("sed -n '1,1p' src/lib.rs", "//! tidewater: a feed reader for one household.");
        check(
            "rg -n 'function ago' ui/src",
            "ui/src/lib/time.ts:9:export function ago(at: string, now: number = Date.now()): string {",
        );
        check("find tests -name '*.atom'", "tests/fixtures/notes.atom");
        check("git status --short", "");
        check("ls migrations | wc -l", "2");
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
