//! Spellings: the texts that a learned secret may stand in elsewhere, before they are encoded.
//!
//! A secret is learned as it reads: without escapes and in one line. Base64 and hex are made of the bytes as they were,
//! with escapes and line ends, and often without the sign or the bracket that stood behind the secret in its text.

use std::collections::BTreeSet;

use crate::layers::Layers;
use crate::plain::{is_random, is_telling};

/// The shortest part of a secret that is looked for by itself.
const LEAST: usize = 16;

/// Returns how else a secret may be spelled that reads as `bare`.
pub(crate) fn spellings_of(found: &str, bare: &str) -> BTreeSet<String> {
    let mut spellings = BTreeSet::new();
    if let Ok(layers) = Layers::of(found) {
        layers.each(|text, flat, _| {
            spellings.insert(flat.text().to_owned());
            if flat.is_wrapped() {
                add_lines(text, &mut spellings);
            }
        });
    }
    spellings.insert(trimmed(bare).to_owned());
    spellings.retain(|text| text != bare && is_telling(text));
    spellings
}

/// Adds a text of several lines as a file holds it, and each of its lines that looks drawn by chance.
fn add_lines(text: &str, spellings: &mut BTreeSet<String>) {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    spellings.insert(lines.join("\n"));
    spellings.insert(lines.join("\r\n"));
    // In a string of JSON or of code the line ends are escaped.
    spellings.insert(lines.join("\\n"));
    let drawn = lines.into_iter().filter(|line| line.len() >= LEAST && is_random(line));
    spellings.extend(drawn.map(str::to_owned));
}

/// Returns a secret without the signs and the open brackets that stand around it in prose, in code and in lists.
fn trimmed(secret: &str) -> &str {
    let closes = |sign: char| match sign {
        '}' => !secret.contains('{'),
        ')' => !secret.contains('('),
        ']' => !secret.contains('['),
        '>' => !secret.contains('<'),
        _ => ",;:.=\\'\"`*_-".contains(sign),
    };
    let opens = |sign: char| "([{<'\"`*_-.~".contains(sign);
    secret.trim_end_matches(closes).trim_start_matches(opens)
}

/// Lists the parts of a secret that were drawn by chance, where it is put together of several: the values of a
/// connection string, the last steps of an address, an id and its secret.
pub(crate) fn drawn_parts(secret: &str) -> Vec<&str> {
    let is_of_token = |sign: char| sign.is_ascii_alphanumeric() || "_.~+-=/".contains(sign);
    let mut parts = Vec::new();
    for piece in secret.split(|sign: char| !is_of_token(sign)).flat_map(|piece| {
        // A slash leads on in an address, and is a letter in base64.
        let steps = if piece.starts_with("//") { "/" } else { "\n" };
        piece.split(steps)
    }) {
        // Equal signs end a text in base64, and stand between a name and its value elsewhere.
        let value = piece.trim_end_matches('=').rfind('=').map_or(piece, |at| &piece[at + 1..]);
        if value.len() >= LEAST && value.len() < secret.len() && is_random(value) {
            parts.push(value);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_spelled_as_it_stood_and_without_what_ends_it() {
        let check = |found: &str, bare: &str, spelled: &[&str]| {
            let all = spellings_of(found, bare);
            assert!(spelled.iter().all(|text| all.contains(*text)), "{found:?}: {all:?}");
        };
        check("Tr0ub4dor&3", "Tr0ub4dor&3", &[]);
        check("Tr0ub4dor&3}", "Tr0ub4dor&3}", &["Tr0ub4dor&3"]);
        check("Tr0ub%34dor", "Tr0ub4dor", &["Tr0ub%34dor"]);
        check("Tr0u\n  b4dor", "Tr0ub4dor", &["Tr0u\nb4dor", "Tr0u\r\nb4dor"]);
        check(
            r"a8F3kQ92xLm04ZpT\nf8F3kQ92xLm04ZpT",
            "a8F3kQ92xLm04ZpTf8F3kQ92xLm04ZpT",
            &["a8F3kQ92xLm04ZpT", r"a8F3kQ92xLm04ZpT\nf8F3kQ92xLm04ZpT"],
        );
    }

    #[test]
    fn a_secret_of_several_parts_has_those_that_were_drawn() {
        let check = |secret: &str, parts: &[&str]| assert_eq!(drawn_parts(secret), parts, "{secret}");
        check("a8F3kQ92xLm04ZpT7rWv1cYb", &[]);
        check("Endpoint=sb://ns/;Key=a8F3kQ92xLm04ZpT7/Wv1cY=", &["a8F3kQ92xLm04ZpT7/Wv1cY="]);
        check("https://hooks.example/services/T01/a8F3kQ92xLm04ZpT7", &["a8F3kQ92xLm04ZpT7"]);
        check("123456789:a8F3kQ92xLm04ZpT7", &["a8F3kQ92xLm04ZpT7"]);
        check("jdbc:db://host/x?user=a&password=tr0ub4dor", &[]);
    }
}
