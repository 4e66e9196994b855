//! Texts of a log as they stand in an answer: harmless, short, indented.

use crate::present::hidden::reveal_hidden;

/// Returns `text` without characters that steer a terminal or are not seen.
pub(crate) fn harmless_text(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' => c,
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    reveal_hidden(text).replace("\r\n", "\n").chars().map(shown).collect()
}

/// Returns a text whose lines after the first one are indented by so many blanks; empty lines are left out.
pub(crate) fn indent_text(text: &str, by: usize) -> String {
    let blanks = format!("\n{}", " ".repeat(by));
    text.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join(&blanks)
}

/// Returns a text of at most so many characters: its beginning, and the number of those that are left out.
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

/// Returns the beginning of `text` with its blank space made single blanks, on one line.
pub(crate) fn one_line(text: &str, n_chars: usize) -> String {
    let line: Vec<&str> = text.split_whitespace().take(n_chars).collect();
    let line = line.join(" ");
    match line.char_indices().nth(n_chars) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}
