//! Log texts inside an answer: safe, short and indented.

use cwl_inspect::present::hidden::reveal_hidden;

pub(crate) fn harmless_text(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' => c,
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    reveal_hidden(text).replace("\r\n", "\n").chars().map(shown).collect()
}

/// Indents all lines but the first by `by` spaces, and drops empty lines.
pub(crate) fn indent_text(text: &str, by: usize) -> String {
    let blanks = format!("\n{}", " ".repeat(by));
    text.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join(&blanks)
}

/// Shortens a text to `n_chars` characters and says how many are missing.
pub(crate) fn shorten_text(text: &str, n_chars: usize) -> String {
    let text = text.trim();
    match text.char_indices().nth(n_chars) {
        Some((end, _)) => {
            let left_out = text[end..].chars().count();
            format!("{} […{left_out} more characters]", text[..end].trim_end())
        }
        None => text.to_owned(),
    }
}

/// The first `n_chars` characters on one line, with single spaces.
pub(crate) fn one_line(text: &str, n_chars: usize) -> String {
    let line: Vec<&str> = text.split_whitespace().take(n_chars).collect();
    let line = line.join(" ");
    match line.char_indices().nth(n_chars) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}
