//! Reads the small language in which the stories are written.
//!
//! A line that begins with `@word` starts a directive, and `--` starts a reply of the model. All lines up to the next
//! directive are the body of the directive.
//!
//! - outside of replies: `begin TIME`, `at TIME`, `human`, `shell COMMAND` (the body
//!   is its output), `inject KIND`, `model PROVIDER NAME`, `name` and `label`
//! - in replies: `think`, `say`, `error MESSAGE`, `aborted`, and the calls
//!   `start KIND NAME DEPENDENCY…`, `end`, `read PATH OFFSET LIMIT`, `image PATH`,
//!   `grep PATTERN in PATH`, `find GLOB in PATH`, `ls`, `fetch`, `bash`,
//!   `edit PATH` (old and new text between `<<<<`, `====` and `>>>>`), `write PATH`
//! - below a call: `out` (the output), `gen KIND COUNT` (a generated one),
//!   `exit CODE`, `fails TEST` (with the message of its panic), `refused` (why)

use anyhow::{Context as _, Result};

use super::project::Project;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Directive<'a> {
    pub(crate) line: usize,
    /// The word after `@`, or `--`.
    pub(crate) name: &'a str,
    pub(crate) rest: &'a str,
    body: Vec<&'a str>,
}

impl Directive<'_> {
    pub(crate) fn text(&self) -> String {
        let mut lines = vec![self.rest];
        lines.extend(&self.body);
        lines.join("\n").trim_matches('\n').to_owned()
    }

    pub(crate) fn file(&self) -> String {
        let mut text = self.body.join("\n").trim_end_matches('\n').to_owned();
        text.push('\n');
        text
    }

    pub(crate) fn replacement(&self) -> Result<(String, String)> {
        let at = |mark: &str| {
            let found = self.body.iter().position(|line| *line == mark);
            found.with_context(|| format!("line {}: an edit needs {mark}", self.line))
        };
        let (open, middle, close) = (at("<<<<")?, at("====")?, at(">>>>")?);
        anyhow::ensure!(open < middle && middle < close, "line {}: marks out of order", self.line);
        Ok((self.body[open + 1..middle].join("\n"), self.body[middle + 1..close].join("\n")))
    }
}

/// Splits `script` into directives; lines before the first one are comments.
pub(crate) fn directives(script: &str) -> Vec<Directive<'_>> {
    let mut found: Vec<Directive<'_>> = Vec::new();
    for (at, line) in script.lines().enumerate() {
        let head = if line == "--" {
            Some(("--", ""))
        } else {
            line.strip_prefix('@').map(|rest| rest.split_once(' ').unwrap_or((rest, "")))
        };
        match (head, found.last_mut()) {
            (Some((name, rest)), _) => {
                found.push(Directive { line: at + 1, name, rest: rest.trim(), body: Vec::new() })
            }
            (None, Some(last)) => last.body.push(line),
            (None, None) => {}
        }
    }
    found
}

/// Replaces each `{line:PATH:NEEDLE}` by the line number where NEEDLE stands now.
pub(crate) fn with_line_numbers(text: &str, project: &Project) -> Result<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{line:") {
        let (hole, remaining) = after.split_once('}').context("an open {line:")?;
        let (path, needle) = hole.split_once(':').with_context(|| format!("{hole} names no text"))?;
        out.push_str(before);
        out.push_str(&project.line_of(path, needle)?.to_string());
        rest = remaining;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn directives_take_the_lines_below_them() {
        let found = directives("comment\n@human one\ntwo\n\n--\n@read a b\n");
        let names: Vec<_> = found.iter().map(|it| (it.line, it.name, it.text())).collect();
        assert_eq!(
            names,
            [(2, "human", "one\ntwo".to_owned()), (5, "--", String::new()), (6, "read", "a b".to_owned())]
        );
    }

    #[test]
    fn edits_have_an_old_and_a_new_side() {
        let found = directives("@edit a\n<<<<\n  x\n====\n  y\n  z\n>>>>\n@edit b\n<<<<\n");
        assert_eq!(found[0].replacement().unwrap(), ("  x".to_owned(), "  y\n  z".to_owned()));
        assert!(found[1].replacement().is_err());
    }

    #[test]
    fn line_numbers_are_looked_up() {
        let project = Project::new([("a.rs".to_owned(), "one\ntwo\n".to_owned())].into());
        assert_eq!(with_line_numbers("a.rs:{line:a.rs:two}!", &project).unwrap(), "a.rs:2!");
        assert!(with_line_numbers("{line:a.rs:three}", &project).is_err());
        assert!(with_line_numbers("{line:a.rs", &project).is_err());
    }
}
