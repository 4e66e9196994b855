//! Failed tool calls: Codex logs no flag, so the printed text and ui events have to tell.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::json::{Value, is_json};
use crate::known::names_of;

/// Calls that failed according to a ui event, until their outputs come.
#[derive(Clone, Default)]
pub(super) struct Failures {
    calls: BTreeSet<String>,
}

/// Beyond this number, the alphabetically first call is dropped.
const MAX_FAILURES: usize = 256;
const MAX_HEAD: usize = 12;

impl Failures {
    pub(super) fn note_failure(&mut self, call: &str) {
        if self.calls.len() >= MAX_FAILURES {
            self.calls.pop_first();
        }
        self.calls.insert(call.to_owned());
    }

    pub(super) fn take_failure(&mut self, call: &str) -> bool {
        self.calls.remove(call)
    }
}

pub(super) fn has_succeeded(text: &str) -> bool {
    match exit_code(text) {
        Some(code) => code == 0,
        None => !names_of("codex.refusals").iter().any(|refusal| text.starts_with(refusal)),
    }
}

fn exit_code(text: &str) -> Option<i64> {
    if text.starts_with('{') && is_json(text) {
        // Until 0.72: a JSON text with the output and its metadata.
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
        // The command's own output follows this line and may look like anything.
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
            failures.note_failure(&format!("call {n:04}"));
        }
        assert_eq!(failures.calls.len(), MAX_FAILURES);
        assert!(failures.take_failure("call 0999"));
        assert!(!failures.take_failure("call 0999"));
        assert!(!failures.take_failure("call 0000"));
    }
}
