//! Tells real secrets from placeholders, hashes and ordinary words.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

pub(crate) fn is_placeholder(value: &str) -> bool {
    static PLAIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)^(?:(?:bearer|basic|token)\s+)?(?:
                (?:\[redacted:[a-z0-9-]+\#\d+\])+           # already a mark
              | .*\$\{\{?[\w\ .:/?\[\](),'\x22+-]*(?:\}.*)?      # filled in later
              | \$\(.* | .*\{\{\s*[\w\ .|$-]*(?:\}.*)? | <%.*
              | \$(?:(?-i:[A-Z_][A-Z0-9_]*|[a-z_][A-Za-z_]*\d?)|[@*\#?\d])(?:[/.:\->\[].*)?
              | <[^<>]{0,60}>? | \{[\w.:\ -]{0,30}\}.? | \((?:[a-z_.]+(?:\(\w*\))?[\ ,]*)*\)?
              | %\(?\w*\)?[sdvr]? | %\w+%
              | \[?(?:redacted|hidden|secret|masked)\]?
              | [*•x.\-_=\#]+                                # hidden, or nothing
              | (?:str|string|bool|boolean|int|integer|number|object|array|any|null|none|nil|undefined|true|false|
                  required|optional|bearer|basic|yes|no|value|text|bytes|vec|self|this)[\[\]?,;:)>|]*
              | &?(?:self|this|os|process|env|std|config|settings|options|request|req|ctx|args|opts|params)\.[\w.\[\]()]*
              | git@.*                                       # a user of a protocol, and no person
              | your[\w-]*                                   # a manual's
            )$",
        )
        .ok()
    });
    PLAIN.as_ref().is_some_and(|plain| plain.is_match(value))
}

/// Checks for an integrity hash around the range: `sha512-…` in a lock file, `h1:…` in a Go module.
pub(crate) fn is_integrity_hash(text: &str, range: &Range<usize>) -> bool {
    static HASH: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // The hash may begin before, at, or behind the range's start.
        Regex::new(r"(?-u)\b(?:sha(?:1|224|256|384|512)[-:=]|h1:)[A-Za-z0-9+/_-]{20,}={0,2}").ok()
    });
    const MOST_BEFORE: usize = 8;
    let from = text.floor_char_boundary(range.start.saturating_sub(MOST_BEFORE));
    let has_sign = |part: &str| part.contains("sha") || part.contains("h1:");
    let near = &text[from..range.end];
    has_sign(&near[..near.floor_char_boundary(2 * MOST_BEFORE)])
        && HASH.as_ref().is_some_and(|hash| hash.find(near).is_some_and(|one| from + one.end() >= range.end))
}

pub(crate) fn marks_in(text: &str) -> impl Iterator<Item = Range<usize>> {
    const BEGIN: &str = "[redacted:";
    text.match_indices(BEGIN).filter_map(|(start, _)| {
        let rest = &text.as_bytes()[start + BEGIN.len()..];
        let kind = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
        let number = rest.get(kind + 1..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let end = kind + 1 + number;
        let is_mark = kind > 0 && number > 0 && rest[kind] == b'#' && rest.get(end) == Some(&b']');
        is_mark.then(|| start..start + BEGIN.len() + end + 1)
    })
}

/// Letters and digits alternate in random values.
pub(crate) fn is_random(value: &str) -> bool {
    let (lower, upper, digits) = classes_of(value);
    // Punctuation between a name's words does not count as alternation.
    let signs = value.bytes().filter(u8::is_ascii_alphanumeric).map(class);
    let turns = signs.clone().zip(signs.skip(1)).filter(|(a, b)| a != b).count();
    value.len() >= 12 && digits >= 2 && lower + upper >= 2 && turns * 5 >= lower + upper + digits
}

/// Lists parts that are secrets by themselves: a password behind a user name, a token behind its scheme, and
/// random cookie values.
pub(crate) fn parts_of<'a>(secret: &'a str, kind: &str) -> Vec<&'a str> {
    match kind {
        "password" => secret.split_once(':').map(|(_, password)| password).into_iter().collect(),
        "authorization" => secret.split_once(' ').map(|(_, token)| token.trim()).into_iter().collect(),
        "cookie" => secret.split([';', '=', ' ']).filter(|part| is_random(part)).collect(),
        _ => Vec::new(),
    }
}

pub(crate) fn classes_of(value: &str) -> (usize, usize, usize) {
    let mut counts = [0; 4];
    value.bytes().for_each(|byte| counts[usize::from(class(byte))] += 1);
    (counts[0], counts[1], counts[2])
}

pub(crate) fn turns_of(value: &str) -> usize {
    value.bytes().zip(value.bytes().skip(1)).filter(|(a, b)| class(*a) != class(*b)).count()
}

/// Shannon entropy, in bits per byte.
pub(crate) fn entropy_of(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let shares = counts.into_iter().filter(|n| *n > 0).map(|n| f64::from(n) / text.len() as f64);
    shares.map(|share| -share * share.log2()).sum()
}

fn class(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}

/// Specific enough that the same text elsewhere can only be the secret.
pub(crate) fn is_telling(secret: &str) -> bool {
    let classes = [
        secret.bytes().any(|byte| byte.is_ascii_lowercase()),
        secret.bytes().any(|byte| byte.is_ascii_uppercase()),
        secret.bytes().any(|byte| byte.is_ascii_digit()),
        secret.bytes().any(|byte| !byte.is_ascii_alphanumeric()),
    ];
    let n_classes = classes.iter().filter(|there| **there).count();
    // A text of a single class needs more length and entropy than most words and dates have.
    secret.len() >= 8 && n_classes >= 2 || secret.len() >= 12 && entropy_of(secret) >= 2.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_stay() {
        for plain in [
            "$TOKEN",
            "${TOKEN}",
            "<your key>",
            "{{ token }}",
            "****",
            "xxxxxxxx",
            "string",
            "null",
            "[redacted:secret#3]",
            "os.environ",
            "process.env.API_KEY",
            "your-api-key",
        ] {
            assert!(is_placeholder(plain), "{plain}");
        }
        for secret in ["hunter2", "correct horse", "x7Kd-02", "stringent", "nullify"] {
            assert!(!is_placeholder(secret), "{secret}");
        }
    }

    #[test]
    fn hashes_of_files_are_told() {
        let check = |text: &str, secret: &str| {
            let start = text.find(secret).unwrap_or_default();
            is_integrity_hash(text, &(start..start + secret.len()))
        };
        let hash = "a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKs==";
        assert!(check(&format!("\"integrity\": \"sha512-{hash}\""), hash));
        assert!(check(&format!("golang.org/x/net v0.1.0 h1:{hash}"), hash));
        assert!(check(&format!("hash = \"sha256:{hash}\""), &format!("sha256:{hash}")));
        assert!(!check(&format!("token = \"{hash}\""), hash));
        assert!(!check(&format!("sha512-abc {hash}"), hash));
    }

    #[test]
    fn what_is_drawn_by_chance_is_told_from_names() {
        for random in ["a8F3kQ92xLm04Z", "3f8a9c1e7b2d4f60", "wJalrXUtnFEMI7K7MDENGbPxRfiCY0"] {
            assert!(is_random(random), "{random}");
        }
        for name in ["next_token_of_line", "TokenStream2", "abcdefghijklmnop", "1234567890123456", "short1A"]
        {
            assert!(!is_random(name), "{name}");
        }
    }
}
