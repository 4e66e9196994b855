//! Numbers and texts for people.

pub use cwl_engine::{count_noun, with_commas};

/// Converts to a wire number, saturating at `u32::MAX`.
pub(crate) fn saturate_u32(number: impl TryInto<u32>) -> u32 {
    number.try_into().unwrap_or(u32::MAX)
}

/// Maximum characters of a page's error in a terminal.
const REPORT_LIMIT: usize = 4_000;

/// Logs an error of the page, where a person or a test sees it.
pub fn report_of_page(message: &str) {
    tracing::error!(target: "page", "{}", describe_reported(message));
}

fn describe_reported(message: &str) -> String {
    on_one_line(message).take(REPORT_LIMIT).collect()
}

/// Replaces control characters by spaces. A text from a log could otherwise steer the terminal.
pub(crate) fn on_one_line(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|char| if char.is_control() { ' ' } else { char })
}

/// Puts a text from a log on one line without control characters, truncated after `n_chars`.
pub(crate) fn shorten_line(text: &str, n_chars: usize) -> String {
    let mut chars = on_one_line(text);
    let mut shown: String = chars.by_ref().take(n_chars).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_short_line() {
        let check = |name: &str, expected: &str| assert_eq!(shorten_line(name, 80), expected);
        check("src/ingest.rs", "src/ingest.rs");
        check("cargo test\n\u{1b}[2J", "cargo test  [2J");
        check(&"é".repeat(90), &format!("{}…", "é".repeat(80)));
    }

    #[test]
    fn a_report_is_one_harmless_line() {
        let check = |message: &str, expected: &str| assert_eq!(describe_reported(message), expected);
        check("TypeError: x is undefined", "TypeError: x is undefined");
        check("a\nb\r\n\x1b[2Jc\u{9b}d", "a b   [2Jc d");
        assert_eq!(describe_reported(&"é".repeat(9_000)).chars().count(), REPORT_LIMIT);
    }
}
