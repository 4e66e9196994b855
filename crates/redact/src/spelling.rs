//! Spellings: the parts of a learned secret that may stand elsewhere without the rest.
//!
//! A secret is learned as it reads: without escapes and in one line, and often with the sign or the bracket that stood behind
//! it in its text.

use crate::fragments::may_be_cut;
use crate::plain::is_random;

/// The fewest letters and digits of a piece told from other texts when it is cut.
const LEAST_PIECE: usize = 12;
/// The shortest part of a secret looked for by itself.
const LEAST: usize = 16;

/// Returns `secret` without the signs and the open brackets that stand around it in prose, in code and in lists.
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

/// Lists the parts of a secret drawn by chance, where it is put together of several: the values of a connection string, the
/// last steps of an address, an id and its secret.
pub(crate) fn drawn_parts(secret: &str) -> Vec<&str> {
    let mut parts = pieces(secret);
    parts.retain(|part| part.len() >= LEAST && part.len() < secret.len() && is_random(part));
    parts
}

/// Lists the pieces of a secret drawn by chance, which may be all of it: a part of one is told from other texts.
pub(crate) fn drawn_pieces(secret: &str) -> Vec<&str> {
    let mut parts = pieces(secret);
    parts.retain(|part| {
        let letters: Vec<u8> = part.bytes().filter(u8::is_ascii_alphanumeric).collect();
        letters.len() >= LEAST_PIECE && (is_random(part) || may_be_cut(&letters))
    });
    parts
}

/// Lists the pieces of a secret between signs that are of no token.
fn pieces(secret: &str) -> Vec<&str> {
    let is_of_token = |sign: char| sign.is_ascii_alphanumeric() || "_.~+-=/".contains(sign);
    let steps = secret.split(|sign: char| !is_of_token(sign)).flat_map(|piece| {
        // A slash leads on in an address, and is a letter in base64.
        piece.split(if piece.starts_with("//") { "/" } else { "\n" })
    });
    // Equal signs stand between a name and its value, between two values, and end a text in base64.
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
