//! Kubernetes manifests: every value in a secret's data is secret, whatever its key.

use std::ops::Range;

const MOST_LINES: usize = 400;

pub(crate) fn find_in_manifests(text: &str, mut each: impl FnMut(Range<usize>)) {
    if !text.contains("Secret") {
        return;
    }
    let mut start = 0;
    let lines: Vec<(usize, &str)> = text
        .split_inclusive('\n')
        .map(|line| {
            let begin = start;
            start += line.len();
            (begin, line.trim_end())
        })
        .collect();
    let is_end = |line: &str| line.trim_start().starts_with("---") || line == "EOF";
    let mut done = 0;
    for (at, (_, line)) in lines.iter().enumerate() {
        if !matches!(
            line.trim_start().trim_start_matches("- "),
            "kind: Secret" | "kind: \"Secret\"" | "kind: 'Secret'"
        ) {
            continue;
        }
        let first = at.saturating_sub(MOST_LINES).max(done);
        let first = lines[first..at]
            .iter()
            .rposition(|(_, line)| is_end(line))
            .map_or(first, |found| first + found + 1);
        let last = lines.len().min(at + MOST_LINES);
        let last = lines[at..last].iter().position(|(_, line)| is_end(line)).map_or(last, |found| at + found);
        values_of(&lines[first..last], &mut each);
        done = last;
    }
}

fn values_of(lines: &[(usize, &str)], each: &mut impl FnMut(Range<usize>)) {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut outer = None;
    for (start, line) in lines {
        if matches!(line.trim_start(), "data:" | "stringData:") {
            outer = Some(indent(line));
            continue;
        }
        match outer {
            Some(outer) if line.is_empty() || indent(line) > outer => {}
            _ => {
                outer = None;
                continue;
            }
        }
        // A multi-line value continues in lines without a key.
        let value = line.split_once(": ").map_or(*line, |(_, value)| value).trim_start();
        let inner = value.trim_matches(['"', '\'']);
        if inner.len() >= 3 && !inner.ends_with(':') && !matches!(inner, "|-" | ">-" | "|+") {
            let from = start + line.len() - value.len() + usize::from(value.starts_with(['"', '\'']));
            each(from..from + inner.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_under_any_key() {
        let check = |text: &str, values: &[&str]| {
            let mut found = Vec::new();
            find_in_manifests(text, |range| found.push(&text[range]));
            assert_eq!(found, values, "{text}");
        };
        check(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  user: YWRtaW4=\n  x: 'aHVudGVyMg=='\n---\nkind: ConfigMap\ndata:\n  a: b c d\n",
            &["YWRtaW4=", "aHVudGVyMg=="],
        );
        check("stringData:\n  any: hunter22\nkind: Secret\n", &["hunter22"]);
        check("kind: Secret\nstringData:\n  f: |\n    one=two\ntype: Opaque\n", &["one=two"]);
        check("kind: SecretProviderClass\ndata:\n  a: hunter22\n", &[]);
    }
}
