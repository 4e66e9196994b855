//! Line diffs, as `git diff` and an edit tool print them.

use super::puts::put_line;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineChange<'a> {
    Kept(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

/// Compares two texts by a longest common subsequence of lines.
///
/// Quadratic in the changed middle, which is short in source files.
pub(crate) fn compare<'a>(old: &'a str, new: &'a str) -> Vec<LineChange<'a>> {
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);

    let width = b.len() + 1;
    let mut longest = vec![0_u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = if a[i] == b[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }

    let mut changes: Vec<LineChange<'a>> = old[..head].iter().map(|line| LineChange::Kept(line)).collect();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            changes.push(LineChange::Kept(a[i]));
            i += 1;
            j += 1;
        } else if i < a.len() && (j == b.len() || longest[(i + 1) * width + j] >= longest[i * width + j + 1])
        {
            changes.push(LineChange::Removed(a[i]));
            i += 1;
        } else {
            changes.push(LineChange::Added(b[j]));
            j += 1;
        }
    }
    changes.extend(old[old.len() - tail..].iter().map(|line| LineChange::Kept(line)));
    changes
}

/// A run of changes with its context: indices into the comparison, and the one-based start lines in the old
/// and the new text.
struct Hunk {
    range: std::ops::Range<usize>,
    old_start: usize,
    new_start: usize,
}

fn hunks(changes: &[LineChange<'_>], context: usize) -> Vec<Hunk> {
    let changed = |change: &LineChange<'_>| !matches!(change, LineChange::Kept(_));
    let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
    for at in (0..changes.len()).filter(|at| changed(&changes[*at])) {
        let range = at.saturating_sub(context)..(at + context + 1).min(changes.len());
        match ranges.last_mut() {
            Some(last) if range.start <= last.end => last.end = range.end,
            _ => ranges.push(range),
        }
    }
    ranges
        .into_iter()
        .map(|range| {
            let before = &changes[..range.start];
            let old = before.iter().filter(|change| !matches!(change, LineChange::Added(_))).count();
            let new = before.iter().filter(|change| !matches!(change, LineChange::Removed(_))).count();
            Hunk { range, old_start: old + 1, new_start: new + 1 }
        })
        .collect()
}

/// Formats hunks as `git diff` does, without the file header.
pub(crate) fn unified(old: &str, new: &str) -> String {
    let changes = compare(old, new);
    let mut out = String::new();
    for hunk in hunks(&changes, 3) {
        let part = &changes[hunk.range];
        let n_old = part.iter().filter(|change| !matches!(change, LineChange::Added(_))).count();
        let n_new = part.iter().filter(|change| !matches!(change, LineChange::Removed(_))).count();
        // git counts from zero if a side has no lines.
        let old_start = if n_old == 0 { 0 } else { hunk.old_start };
        let new_start = if n_new == 0 { 0 } else { hunk.new_start };
        put_line!(out, "@@ -{old_start},{n_old} +{new_start},{n_new} @@");
        for change in part {
            let (sign, line) = match change {
                LineChange::Kept(line) => (' ', line),
                LineChange::Removed(line) => ('-', line),
                LineChange::Added(line) => ('+', line),
            };
            put_line!(out, "{sign}{line}");
        }
    }
    out
}

/// Formats hunks with line numbers, as pi's edit tool does in its details. Also returns the first changed
/// line of the new text.
pub(crate) fn numbered(old: &str, new: &str) -> (String, usize) {
    let changes = compare(old, new);
    let width = old.lines().count().max(new.lines().count()).to_string().len();
    let mut out = String::new();
    let mut first = None;
    for hunk in hunks(&changes, 4) {
        if hunk.range.start > 0 {
            put_line!(out, " {:width$} ...", "");
        }
        let (mut old_line, mut new_line) = (hunk.old_start, hunk.new_start);
        for change in &changes[hunk.range] {
            match change {
                LineChange::Kept(line) => {
                    put_line!(out, " {new_line:width$} {line}");
                    old_line += 1;
                    new_line += 1;
                }
                LineChange::Removed(line) => {
                    first.get_or_insert(new_line);
                    put_line!(out, "-{old_line:width$} {line}");
                    old_line += 1;
                }
                LineChange::Added(line) => {
                    first.get_or_insert(new_line);
                    put_line!(out, "+{new_line:width$} {line}");
                    new_line += 1;
                }
            }
        }
    }
    (out.trim_end().to_owned(), first.unwrap_or(1))
}

pub(crate) fn stat(old: &str, new: &str) -> (usize, usize) {
    let changes = compare(old, new);
    let added = changes.iter().filter(|change| matches!(change, LineChange::Added(_))).count();
    let removed = changes.iter().filter(|change| matches!(change, LineChange::Removed(_))).count();
    (added, removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: &str) {
        assert_eq!(unified(old, new), expected);
    }

    #[test]
    fn hunks_as_git_prints_them() {
        check("a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
        check("", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n");
        check("a\n", "", "@@ -1,1 +0,0 @@\n-a\n");
        check("a\nb\n", "a\nb\n", "");
        check("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "@@ -6,3 +6,4 @@\n 6\n 7\n 8\n+9\n");
    }

    #[test]
    fn applying_the_changes_gives_the_new_text() {
        let cases =
            [("a\nb\nc\nd", "b\nx\nd\ne"), ("", "q"), ("same\nsame\nsame", "same\nsame"), ("k\nl", "")];
        for (old, new) in cases {
            let changes = compare(old, new);
            let kept_or = |wanted_added: bool| -> Vec<&str> {
                changes
                    .iter()
                    .filter_map(|change| match change {
                        LineChange::Kept(line) => Some(*line),
                        LineChange::Added(line) if wanted_added => Some(*line),
                        LineChange::Removed(line) if !wanted_added => Some(*line),
                        _ => None,
                    })
                    .collect()
            };
            assert_eq!(kept_or(true), new.lines().collect::<Vec<_>>());
            assert_eq!(kept_or(false), old.lines().collect::<Vec<_>>());
        }
    }

    #[test]
    fn numbered_lines_point_into_the_texts() {
        let (text, first) = numbered("a\nb\nc", "a\nB\nc");
        assert_eq!(text, " 1 a\n-2 b\n+2 B\n 3 c");
        assert_eq!(first, 2);
    }
}
