//! What came out of a tool, and whether it failed: Codex logs no flag, only what the tool printed.

use std::borrow::Cow;
use std::collections::BTreeSet;

use cwl_engine::{ProblemKind, RawPayload};

use crate::blocks::Blocks;
use crate::json::{Kind, Value, is_json};
use crate::payload::{around_text, whole};

/// Calls of which an event for the ui said that they failed, until their outputs come.
#[derive(Clone, Default)]
pub(super) struct Failures {
    calls: BTreeSet<String>,
}

/// At most so many failures wait for their outputs; a log with more loses the oldest by name.
const MAX_FAILURES: usize = 256;
/// How Codex begins an output of its own, where the tool did not run or did not finish.
const REFUSALS: [&str; 13] = [
    "err: ",
    "aborted",
    "exec_command failed",
    "write_stdin failed",
    "execution error",
    "failed in sandbox",
    "failed to parse function arguments",
    "failed to parse exec_command arguments",
    "apply_patch verification failed",
    "unsupported call",
    "unsupported custom tool call",
    "user rejected MCP tool call",
    "user cancelled MCP tool call",
];
/// The head of a command's output has at most so many lines.
const MAX_HEAD: usize = 12;

impl Failures {
    pub(super) fn note(&mut self, call: &str) {
        if self.calls.len() >= MAX_FAILURES {
            self.calls.pop_first();
        }
        self.calls.insert(call.to_owned());
    }

    fn take(&mut self, call: &str) -> bool {
        self.calls.remove(call)
    }
}

/// What came out of a tool.
pub(super) struct Output {
    pub(super) ok: bool,
    pub(super) text: String,
    pub(super) images: u32,
    pub(super) raw: RawPayload,
}

/// Reads an output: a string, a list of parts, or the object of the oldest versions.
pub(super) fn read_output(
    output: Option<Value<'_>>,
    call: &str,
    failures: &mut Failures,
    blocks: &mut Blocks<'_, '_>,
) -> Output {
    let failed = failures.take(call);
    let mut read = Output { ok: !failed, text: String::new(), images: 0, raw: RawPayload::default() };
    let Some(output) = output else {
        blocks.notes.odd("output");
        return read;
    };
    match output.kind() {
        Kind::Text => {
            read.text = blocks.notes.required_text(Some(output), "output").into_owned();
            read.raw = around_text(output, Some(output));
        }
        Kind::List => parts(output, &mut read, blocks),
        Kind::Object => {
            let [content, success] = output.fields(["content", "success"]);
            read.text = blocks.notes.text(content, "output.content").unwrap_or_default().into_owned();
            read.ok &= success.is_none_or(|success| success.kind() != Kind::Bool(false));
            read.raw = around_text(output, content);
        }
        Kind::Null | Kind::Bool(_) | Kind::Number => {
            blocks.notes.odd("output");
            read.raw = whole(output);
        }
    }
    read.ok &= has_succeeded(&read.text);
    read
}

fn parts(output: Value<'_>, read: &mut Output, blocks: &mut Blocks<'_, '_>) {
    let mut texts = Vec::new();
    for part in output.items() {
        let [kind, text] = part.fields(["type", "text"]);
        match kind.and_then(Value::text).as_ref().map(|kind| &*kind.value) {
            Some("input_text" | "output_text" | "text") => {
                read.text.push_str(&blocks.notes.required_text(text, "text"));
                texts.push(text);
            }
            Some("input_image" | "image") => read.images = read.images.saturating_add(1),
            other => {
                let part = other.unwrap_or(part.kind().name()).into();
                blocks.notes.note_part(blocks.next, ProblemKind::UnknownPart { part });
            }
        }
    }
    // Of several texts no one stretch of the log is their sum.
    let only = if let [only] = texts[..] { only } else { None };
    read.raw = around_text(output, only);
}

/// Tells by what was printed whether a tool did its work: by an exit code where there is one.
fn has_succeeded(text: &str) -> bool {
    match exit_code(text) {
        Some(code) => code == 0,
        None => !REFUSALS.iter().any(|refusal| text.starts_with(refusal)),
    }
}

/// Finds the exit code in one of the shapes in which Codex has written a command's output.
fn exit_code(text: &str) -> Option<i64> {
    if text.starts_with('{') && is_json(text) {
        // Until 0.72: JSON in a string, with the output and its metadata.
        let [output, metadata] = Value::trusted(text, 0).fields(["output", "metadata"]);
        let [code] = metadata.filter(|_| output.is_some())?.fields(["exit_code"]);
        return code?.raw().parse().ok();
    }
    let mut lines = text.lines().take(MAX_HEAD);
    let mut line = Cow::Borrowed(lines.next()?);
    if !["Exit code: ", "Chunk ID: ", "Wall time: "].iter().any(|head| line.starts_with(head)) {
        return None;
    }
    let mut code = None;
    loop {
        for head in ["Exit code: ", "Process exited with code "] {
            if let Some(rest) = line.strip_prefix(head) {
                code = code.or(rest.trim().parse().ok());
            }
        }
        // What the command printed comes behind this line and may look like anything.
        if line == "Output:" {
            return code;
        }
        line = Cow::Borrowed(lines.next()?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, code: Option<i64>, ok: bool) {
        assert_eq!(exit_code(text), code, "exit code of {text:?}");
        assert_eq!(has_succeeded(text), ok, "success of {text:?}");
    }

    #[test]
    fn json_in_a_string() {
        check(r#"{"output":"x","metadata":{"exit_code":0,"duration_seconds":0.1}}"#, Some(0), true);
        check(r#"{"output":"","metadata":{"exit_code":1,"duration_seconds":0.0}}"#, Some(1), false);
        check(r#"{"metadata":{"exit_code":1}}"#, None, true);
        check(r#"{"output":"x"}"#, None, true);
        check(r#"{"output":"x","metadata":{"exit_code":"1"}}"#, None, true);
        check(r#"{"output":"#, None, true);
    }

    #[test]
    fn the_exit_code_in_the_first_line() {
        check("Exit code: 255\nWall time: 2 seconds\nOutput:\nx", Some(255), false);
        check("Exit code: 0\nWall time: 2 seconds\nTotal output lines: 9\nOutput:\n", Some(0), true);
        check("Exit code: see below", None, true);
        check("Exit code: 1", None, true);
    }

    #[test]
    fn the_head_of_the_unified_tool() {
        let head = "Chunk ID: f788d3\nWall time: 0.05 seconds\n";
        check(
            &format!("{head}Process exited with code 0\nOriginal token count: 9\nOutput:\nx"),
            Some(0),
            true,
        );
        check(&format!("{head}Process exited with code 101\nOutput:\n"), Some(101), false);
        check(&format!("{head}Process running with session ID 7\nOutput:\nx"), None, true);
        check("Wall time: 0.1 seconds\nProcess exited with code -1\nOutput:\n", Some(-1), false);
    }

    #[test]
    fn what_a_command_prints_is_not_its_exit_code() {
        check("Wall time: 1 seconds\nOutput:\nProcess exited with code 1\n", None, true);
        check("Process exited with code 1\nOutput:\n", None, true);
        check("err is a word", None, true);
        check("", None, true);
    }

    #[test]
    fn refusals() {
        check("err: \"no server\"", None, false);
        check("aborted by user after 3.1s", None, false);
        check("exec_command failed for `rm`: rejected by user", None, false);
        check("apply_patch verification failed: no such line", None, false);
    }

    #[test]
    fn failures_are_few_and_taken_once() {
        let mut failures = Failures::default();
        for n in 0..1000 {
            failures.note(&format!("call {n:04}"));
        }
        assert_eq!(failures.calls.len(), MAX_FAILURES);
        assert!(failures.take("call 0999"));
        assert!(!failures.take("call 0999"));
        assert!(!failures.take("call 0000"));
    }
}
