//! Ways in which texts truncate or lay out a secret that was learned elsewhere.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use cwl_redact::{Learner, People};

use crate::plant::Planted;

/// Minimum length of a truncated secret: half of it is still distinct from any word.
pub(crate) const LEAST_CUT: usize = 24;

/// A name, and a function that returns the text and the parts that must not survive.
pub(crate) type Setting = (&'static str, fn(&str) -> (String, Vec<String>));

/// Truncated by a tool: beginning, end or both are missing.
pub(crate) const CUT: &[Setting] = &[
    ("cut, its head shown", |secret| {
        let shown = &secret[..boundary(secret, secret.len() * 3 / 5)];
        (format!("ran with {shown}... [truncated 300 characters]\n"), vec![shown.to_owned()])
    }),
    ("cut at the end of the text", |secret| {
        let shown = &secret[..boundary(secret, secret.len() * 3 / 5)];
        (format!("ran with {shown}"), vec![shown.to_owned()])
    }),
    ("cut, its tail shown", |secret| {
        let shown = &secret[boundary(secret, secret.len() * 2 / 5)..];
        (format!("[output truncated]…{shown}\nok"), vec![shown.to_owned()])
    }),
    ("cut, its middle shown", |secret| {
        let shown = &secret[boundary(secret, secret.len() / 4)..boundary(secret, secret.len() * 7 / 8)];
        (format!("…{shown}…"), vec![shown.to_owned()])
    }),
];

/// Laid out differently.
pub(crate) const SET: &[Setting] = &[
    ("in a box", |secret| rows(secret, 16, |_, row| format!("│ {row:<16} │"))),
    ("in numbered lines", |secret| rows(secret, 20, |n, row| format!("{n:>6}\t{row}"))),
    ("in a diff", |secret| rows(secret, secret.len().div_ceil(2), |_, row| format!("+{row}"))),
    ("in capitals", |secret| {
        let capitals = secret.to_ascii_uppercase();
        (format!("SET {capitals}"), vec![capitals])
    }),
    ("with signs without width", |secret| {
        let written: String = secret.chars().flat_map(|sign| [sign, '\u{200b}']).collect();
        (format!("copied {written} from a page"), vec![written])
    }),
    ("quoted-printable", |secret| {
        let written: String = secret.bytes().map(|byte| format!("={byte:02X}")).collect();
        (format!("body: {written}"), vec![written])
    }),
    ("dumped by xxd", |secret| {
        let lines = secret.as_bytes().chunks(16).zip(0..).map(|(row, n)| {
            let digits: Vec<String> =
                row.chunks(2).map(|two| two.iter().map(|byte| format!("{byte:02x}")).collect()).collect();
            (
                format!("{:08x}: {:<39}  {}", n * 16, digits.join(" "), String::from_utf8_lossy(row)),
                String::from_utf8_lossy(row).into_owned(),
            )
        });
        let (lines, rows): (Vec<String>, Vec<String>) = lines.unzip();
        (format!("$ xxd f\n{}\n", lines.join("\n")), rows.into_iter().filter(|row| row.len() >= 8).collect())
    }),
    ("base64 of base64", |secret| {
        let written = BASE64_STANDARD.encode(BASE64_STANDARD.encode(format!("user:{secret}\n")));
        (format!("data: {written}"), vec![written])
    }),
    ("base64 of UTF-16", |secret| {
        let bytes: Vec<u8> = secret.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let written = BASE64_STANDARD.encode(bytes);
        (format!("powershell -enc {written}"), vec![written])
    }),
    ("a list of bytes", |secret| listed(secret, |byte| byte.to_string())),
    ("a list of bytes in hex", |secret| listed(secret, |byte| format!("0x{byte:02x}"))),
    ("octal escapes", |secret| {
        let written: String = secret.bytes().map(|byte| format!("\\{byte:03o}")).collect();
        (format!("printf '{written}'"), vec![written])
    }),
    ("entities", |secret| {
        let written: String = secret.bytes().map(|byte| format!("&#x{byte:02x};")).collect();
        (format!("<p>{written}</p>"), vec![written])
    }),
];

/// Returns true if nothing of any part's middle survives after the secret was learned elsewhere.
pub(crate) fn is_hidden(one: &Planted, setting: &Setting) -> bool {
    let (text, parts) = setting.1(&one.secret);
    let mut learner = Learner::new(&People::default());
    learner.text(&one.input);
    learner.text(&text);
    let Ok(mut redactor) = learner.finish() else { return false };
    let written = redactor.text(&text);
    !parts.iter().any(|part| written.contains(crate::plant::middle(part)))
}

fn rows(secret: &str, width: usize, row: fn(usize, &str) -> String) -> (String, Vec<String>) {
    let signs: Vec<char> = secret.chars().filter(|sign| *sign != '\n').collect();
    let parts: Vec<String> = signs.chunks(width.max(1)).map(|part| part.iter().collect()).collect();
    let lines: Vec<String> = parts.iter().zip(1..).map(|(part, n)| row(n, part)).collect();
    (format!("said:\n{}\ndone", lines.join("\n")), parts.into_iter().filter(|part| part.len() >= 8).collect())
}

fn listed(secret: &str, byte: fn(u8) -> String) -> (String, Vec<String>) {
    let written = secret.bytes().map(byte).collect::<Vec<_>>().join(", ");
    (format!("let x = [{written}];"), vec![written])
}

fn boundary(secret: &str, at: usize) -> usize {
    secret.floor_char_boundary(at)
}
