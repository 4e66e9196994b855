//! Number formatting for people.

use alloc::{
    format,
    string::{String, ToString},
};

/// Writes a number with commas: `1,200`.
pub fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes a count with its noun, singular or plural: `1 file`, `1,200 dependencies`, `2 breaches`.
/// `what` is the singular.
pub fn count_noun(n: impl TryInto<u64>, what: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    let many = |stem: &str, end: &str| format!("{} {stem}{end}", with_commas(n));
    match what.strip_suffix('y') {
        _ if n == 1 => format!("1 {what}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => many(stem, "ies"),
        _ if ["s", "x", "ch", "sh"].iter().any(|end| what.ends_with(end)) => many(what, "es"),
        _ => many(what, "s"),
    }
}

#[cfg(test)]
mod tests {
    use super::count_noun;

    #[test]
    fn a_count_and_its_thing_agree() {
        let check = |n: u64, what, expected| assert_eq!(count_noun(n, what), expected);
        check(1, "token", "1 token");
        check(0, "token", "0 tokens");
        check(1200, "dependency", "1,200 dependencies");
        check(2, "key", "2 keys");
        check(2, "breach", "2 breaches");
        check(2, "pass", "2 passes");
        check(3, "more name", "3 more names");
    }
}
