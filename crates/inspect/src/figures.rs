//! Numbers and texts for people.

pub use cwl_engine::{count_noun, with_commas};

pub fn saturate_u32(number: impl TryInto<u32>) -> u32 {
    number.try_into().unwrap_or(u32::MAX)
}

/// Replaces control characters by spaces. A text from a log could otherwise steer the terminal.
pub fn on_one_line(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|char| if char.is_control() { ' ' } else { char })
}

pub fn shorten_line(text: &str, n_chars: usize) -> String {
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
}
