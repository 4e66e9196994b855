//! Tokens from unknown issuers, recognised by a prefix before random characters.

use std::ops::Range;

use crate::plain::{classes_of, entropy_of, turns_of};

const LENGTHS: Range<usize> = 20..4000;

/// Harnesses, providers and build tools generate ids with these prefixes, which grant no access.
const NAMES: &[&str] = &[
    "toolu",
    "msg",
    "call",
    "req",
    "resp",
    "chatcmpl",
    "cmpl",
    "gen",
    "run",
    "ses",
    "sess",
    "session",
    "fc",
    "rs",
    "item",
    "thread",
    "step",
    "asst",
    "file",
    "batch",
    "evt",
    "event",
    "trace",
    "span",
    "chunk",
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "md5",
    "part",
    "prt",
    "tool",
    "img",
    "task",
    "tmp",
    "job",
    "node",
    "index",
    "srvtoolu",
    "user",
    "org",
    "commit",
    "hash",
    "blob",
    "tree",
    "image",
    "layer",
    "agent",
    "turn",
    "reasoning",
    "ws",
    "ig",
    "vs",
    "id",
    "uuid",
    "cache",
    "lib",
    "main",
    "vendor",
    "build",
    "v1",
    "v2",
    "h",
    "z",
    "zn",
    "data",
    "attachment",
    "container",
];

/// Id prefixes that may follow another prefix.
const IDS: &[&str] = &["toolu", "srvtoolu", "msg", "call", "req", "resp", "chatcmpl"];

pub(crate) fn find_shapes(text: &str, mut each: impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !is_of_shape(bytes[at]) {
            at += 1;
            continue;
        }
        let len = bytes[at..].iter().take_while(|byte| is_of_shape(**byte)).count();
        let range = at..at + len;
        at = range.end;
        if len < LENGTHS.start {
            continue;
        }
        let before = range.start.checked_sub(1).map(|before| bytes[before]);
        let alone = stands_alone(before, bytes.get(range.end).copied());
        let is_secret = |token: &str| {
            LENGTHS.contains(&token.len()) && (is_token(token) || alone && is_drawn_alone(token))
        };
        // A full stop after a token is not part of it.
        let whole = text[range.clone()].trim_end_matches('.');
        if is_secret(whole) {
            each(range.start..range.start + whole.len());
            continue;
        }
        let mut start = range.start;
        for part in whole.split(['.', '~']) {
            if part.len() < len && is_secret(part) {
                each(start..start + part.len());
            }
            start += part.len() + 1;
        }
    }
}

fn is_of_shape(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~')
}

/// False if the neighbours belong to an address, a path or longer base64.
fn stands_alone(before: Option<u8>, behind: Option<u8>) -> bool {
    let joins = |byte: u8| matches!(byte, b'/' | b'+' | b'%' | b'@' | b'\\' | b'#' | 0x80..);
    before.is_none_or(|byte| !joins(byte) && byte != b'$')
        && behind.is_none_or(|byte| !joins(byte) && byte != b'=')
}

/// For tokens without a prefix. A longer one may be a base64 line.
fn is_drawn_alone(text: &str) -> bool {
    let (lower, upper, digits) = classes_of(text);
    let is_whole = lower + upper + digits == text.len();
    let n = if lower > 0 && upper > 0 { 28 } else { 30 };
    is_whole && (n..=56).contains(&text.len()) && is_drawn(text)
}

fn is_token(text: &str) -> bool {
    // An id and a secret, both random.
    if text.split(['_', '.']).filter(|part| part.len() >= 18 && is_drawn(part)).count() >= 2 {
        return true;
    }
    let Some((prefix, rest)) = text.split_once(['_', '-', '.', '~']) else { return false };
    let begins = prefix.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    if !begins || prefix.len() > 16 || is_name(prefix) {
        return false;
    }
    let parts = || text.split(['_', '-', '.', '~']);
    let body = rest.split(['_', '-', '.', '~']).max_by_key(|part| part.len()).unwrap_or_default();
    let before =
        parts().zip(parts().skip(1)).find(|(_, part)| *part == body).map_or(prefix, |(before, _)| before);
    if IDS.contains(&before) {
        return false;
    }
    let sign = text.as_bytes()[prefix.len()];
    let is_dotted = matches!(sign, b'.' | b'~');
    is_drawn(body) && (!is_dotted || body.len() >= 24)
        || is_drawn_hex(body) && sign == b'_' && prefix.len() <= 6
}

fn is_name(prefix: &str) -> bool {
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(prefix))
}

/// Random letters and digits, but no hexadecimal hash.
pub(crate) fn is_drawn(body: &str) -> bool {
    let (lower, upper, digits) = classes_of(body);
    let turns = turns_of(body);
    let of_three = body.len() >= 16 && lower >= 2 && upper >= 2 && digits >= 2 && turns * 5 >= body.len() * 2;
    let is_hex = body.bytes().all(|byte| byte.is_ascii_hexdigit());
    let of_two =
        body.len() >= 20 && digits >= 4 && lower.max(upper) >= 4 && !is_hex && turns * 10 >= body.len() * 3;
    let of_letters = body.len() >= 28 && lower >= 8 && upper >= 8 && turns * 20 >= body.len() * 9;
    (of_three || of_two || of_letters) && entropy_of(body) >= 3.3
}

fn is_drawn_hex(body: &str) -> bool {
    body.len() >= 32 && body.bytes().all(|byte| byte.is_ascii_hexdigit()) && entropy_of(body) >= 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_told_from_names() {
        let finds = |text: &str| {
            let mut found = Vec::new();
            find_shapes(text, |range| found.push(text[range].to_owned()));
            found
        };
        for token in [
            "newco_a8F3kQ92xLm04ZpT7rWv1cYb",
            "NC-a8F3kQ92xLm04ZpT7r",
            "nc_org_k7x2m9q4w8e3r5t1y6u0p",
            "nc_3f8a9c1e7b2d4f60aa1b2c3d4e5f6071",
        ] {
            assert_eq!(finds(&format!("the token {token}.")), [token]);
        }
        for name in [
            "toolu_01A8F3kQ92xLm04ZpT7rWv1c",
            "pre-prompt-toolu_01A8F3kQ92xLm04ZpT7rWv1c.json",
            "use_http2_stream_handler_of_v1",
            "commit-3f8a9c1e7b2d4f60aa1b2c3d4e5f60718293a4b5",
            "sha512-a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKs",
            "7ff19f61-ecb1-4db1-a001-2b67bc69826c",
            "the-longest-name-of-a-file-2026-11-23",
            "parseHttp2StreamOfUtf8Text_andMore",
        ] {
            assert_eq!(finds(name), Vec::<String>::new(), "{name}");
        }
    }
}
