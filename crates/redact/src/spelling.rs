//! A learned secret's parts that may stand elsewhere without the rest.
//!
//! A secret is learned without escapes and in one line, but often with the punctuation or the bracket that
//! stood behind it.

use crate::fragments::may_be_cut;
use crate::plain::is_random;

/// How many letters and digits make a truncated piece recognisable.
const LEAST_PIECE: usize = 12;
/// Shorter parts are not searched separately.
const LEAST: usize = 16;

/// Strips punctuation and unbalanced brackets around `secret`, as in prose, code and lists.
pub(crate) fn trimmed(secret: &str) -> &str {
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

/// Lists a composite secret's random parts: values in a connection string, last segments in an address, an id
/// and its secret.
pub(crate) fn drawn_parts(secret: &str) -> Vec<&str> {
    let mut parts = pieces(secret);
    parts.retain(|part| part.len() >= LEAST && part.len() < secret.len() && is_random(part));
    parts
}

pub(crate) fn drawn_pieces(secret: &str) -> Vec<&str> {
    let mut parts = pieces(secret);
    parts.retain(|part| {
        let letters: Vec<u8> = part.bytes().filter(u8::is_ascii_alphanumeric).collect();
        letters.len() >= LEAST_PIECE && (is_random(part) || may_be_cut(&letters))
    });
    parts
}

fn pieces(secret: &str) -> Vec<&str> {
    let is_of_token = |sign: char| sign.is_ascii_alphanumeric() || "_.~+-=/".contains(sign);
    let steps = secret.split(|sign: char| !is_of_token(sign)).flat_map(|piece| {
        // A slash separates segments in an address, but is a letter in base64.
        piece.split(if piece.starts_with("//") { "/" } else { "\n" })
    });
    // An equals sign separates a name and its value, or ends base64.
    steps
        .flat_map(|piece| {
            let last = piece.trim_end_matches('=').rfind('=').map_or(0, |at| at + 1);
            piece[..last].split('=').chain([&piece[last..]])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_around_a_secret_is_none_of_it() {
        let check = |secret: &str, core: &str| assert_eq!(trimmed(secret), core);
        check("Tr0ub4dor&3", "Tr0ub4dor&3");
        check("Tr0ub4dor&3}", "Tr0ub4dor&3");
        check("'Tr0ub4dor',", "Tr0ub4dor");
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
