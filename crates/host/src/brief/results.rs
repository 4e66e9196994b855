//! Results of calls in a line: failure, exit code, size, and how the text begins and ends.

use std::sync::LazyLock;

use regex::Regex;

use crate::brief::text::one_line;
use cwl_inspect::figures::with_commas;

/// Shown characters of the beginning and of the end, and of the end of a failure.
const SHOWN: usize = 80;
const SHOWN_OF_FAILURE: usize = 240;
const LINES_WITH_CODE: usize = 6;

/// Describes a result for a reader.
///
/// `start` is the text, or its beginning if `end` holds its end; both are clean.
pub(super) fn describe_result(
    start: &str,
    end: Option<&str>,
    n_chars: u32,
    is_failure: bool,
    is_shell: bool,
) -> String {
    let code = is_shell.then(|| exit_code(start, end)).flatten();
    let size = format!("{} characters", with_commas(n_chars.into()));
    let head = match (code, is_failure) {
        (Some(0), false) => format!("exit code 0, {size}"),
        (Some(code), _) => format!("failed with exit code {code}, {size}"),
        (None, true) => format!("failed, {size}"),
        (None, false) => size,
    };
    let has_failed = is_failure || code.is_some_and(|code| code != 0);
    let most = if has_failed { SHOWN_OF_FAILURE } else { SHOWN };
    let whole = one_line(start, SHOWN + most);
    let n_whole = start.split_whitespace().map(|word| word.chars().count() + 1).sum::<usize>();
    if whole.is_empty() {
        return head;
    }
    if end.is_none() && n_whole <= SHOWN + most + 1 {
        return format!("{head}: {whole}");
    }
    format!(
        "{head}: {} … {}",
        one_line(start, SHOWN).trim_end_matches('…'),
        end_line(end.unwrap_or(start), most)
    )
}

fn end_line(text: &str, n_chars: usize) -> String {
    let (mut words, mut n_taken) = (Vec::new(), 0);
    for word in text.split_whitespace().rev() {
        n_taken += word.chars().count() + 1;
        if n_taken > n_chars + 1 && !words.is_empty() {
            break;
        }
        words.push(word);
    }
    words.reverse();
    let line = words.join(" ");
    let n_line = line.chars().count();
    line.chars().skip(n_line.saturating_sub(n_chars)).collect()
}

/// Finds the exit code that a harness wrote at the beginning or the end of a shell command's result.
fn exit_code(start: &str, end: Option<&str>) -> Option<i64> {
    static CODE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let words =
            r#"^\W*(?:(?:command|process) )?(?:exit code|exited with(?: exit)? code):? +(-?\d{1,10})\b"#;
        let code = format!("(?i){words}|\"exit_code\":\\s*(-?\\d{{1,10}})\\b");
        Regex::new(&code).ok()
    });
    let code = CODE.as_ref()?;
    let read = |line: &str| -> Option<i64> {
        let found = code.captures(line)?;
        found.get(1).or_else(|| found.get(2))?.as_str().parse().ok()
    };
    let first = start.lines().take(LINES_WITH_CODE).find_map(read);
    first.or_else(|| end.unwrap_or(start).lines().rev().take(LINES_WITH_CODE).find_map(read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_found_as_harnesses_write_them() {
        let check = |text: &str, expected: Option<i64>| assert_eq!(exit_code(text, None), expected, "{text}");
        check("Exit code 2\nsrc/a.rs", Some(2));
        check("Output: x\nError: (none)\nExit Code: 101\nSignal: (none)\nProcess Group PGID: 7", Some(101));
        check("Exit code: 128\nWall time: 1 second", Some(128));
        check("Wall time: 1 s\nProcess exited with code 0\nOutput:\nx", Some(0));
        check("x\n\nCommand exited with code 130", Some(130));
        check("<exited with exit code 1>", Some(1));
        check(r#"{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.1}}"#, Some(1));
        check("exit codes are numbers\nthe exit code 3 is odd", None);
        check("", None);
        let deep = format!("{}Exit code: 3\n{}", "a\n".repeat(9), "b\n".repeat(9));
        check(&deep, None);
    }

    #[test]
    fn a_result_shows_how_it_begins_and_ends() {
        let check = |start: &str, end: Option<&str>, is_failure: bool, is_shell: bool, expected: &str| {
            let n_chars = u32::try_from(start.len()).unwrap_or_default();
            assert_eq!(describe_result(start, end, n_chars, is_failure, is_shell), expected);
        };
        check("", None, false, true, "0 characters");
        check("a\n b", None, false, false, "4 characters: a b");
        check("no such file", None, true, false, "failed, 12 characters: no such file");
        check("ok\nExit Code: 0", None, false, true, "exit code 0, 15 characters: ok Exit Code: 0");
        check(
            "no\nExit Code: 1",
            None,
            false,
            true,
            "failed with exit code 1, 15 characters: no Exit Code: 1",
        );
        check("no\nExit Code: 1", None, false, false, "15 characters: no Exit Code: 1");
        let long = format!("begin {}end", "word ".repeat(100));
        let head = format!("begin {}", "word ".repeat(14)) + "word";
        let tail = "word ".repeat(15) + "end";
        check(&long, None, false, false, &format!("509 characters: {head} … {tail}"));
        let tail = "word ".repeat(47) + "end";
        check(&long, None, true, false, &format!("failed, 509 characters: {head} … {tail}"));
        check("begin", Some("x end"), false, false, "5 characters: begin … x end");
    }
}
