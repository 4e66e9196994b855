//! Tables of text parsed at compile time: a missing row is a compile error.

pub(crate) const fn split_once(text: &'static str, separator: u8) -> (&'static str, &'static str) {
    let mut at = 0;
    while at < text.len() && text.as_bytes()[at] != separator {
        at += 1;
    }
    let (before, after) = text.split_at(at);
    (before, if after.is_empty() { after } else { after.split_at(1).1 })
}

pub(crate) const fn split_cell(row: &'static str, separator: u8) -> (&'static str, &'static str) {
    let (cell, rest) = split_once(row, separator);
    (cell.trim_ascii(), rest)
}

/// `==` for `&str` in a `const fn`.
pub(crate) const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}
