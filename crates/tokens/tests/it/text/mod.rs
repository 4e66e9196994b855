//! Generated texts, equal in every run.

#![allow(dead_code, reason = "each test file uses some")]

/// A small random generator, so texts do not depend on a library's.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

pub(crate) fn grow(len: usize, mut part: impl FnMut(&mut Dice) -> String) -> String {
    let mut dice = Dice::new(len as u64);
    let mut text = String::new();
    while text.len() < len {
        text += &part(&mut dice);
    }
    text
}

pub(crate) type Generator = fn(usize) -> String;

/// Inputs on which tokenizers are known to panic or to take quadratic time, by name.
pub(crate) const WORST: [(&str, Generator); 16] = [
    ("one letter", |len| "a".repeat(len)),
    ("random letters", letters),
    ("base64", base64),
    ("spaces", |len| " ".repeat(len)),
    ("spaces before a word", |len| " ".repeat(len) + "x"),
    ("newlines", |len| "\n".repeat(len)),
    ("dashes", |len| "-".repeat(len)),
    ("random ideographs", ideographs),
    ("replacement characters", |len| "\u{fffd}".repeat(len / 3)),
    ("lossy bytes", lossy),
    ("no-break spaces", |len| "\u{a0}".repeat(len / 2)),
    // The fast crate checks the whole rest after each of these runs of spaces: 93 s without cuts.
    ("no-break space and digit", |len| "\u{a0}1".repeat(len / 3)),
    ("newline and no-break space", |len| "!\n\u{a0}".repeat(len / 4)),
    ("slash lines", |len| "!\n/".repeat(len / 3)),
    ("combining marks", |len| "e\u{301}".repeat(len / 3)),
    ("indented ideographs", |len| "字。\n\u{3000}\u{3000}".repeat(len / 13)),
];

pub(crate) fn prose(len: usize) -> String {
    const WORDS: [&str; 24] = [
        "the",
        "Agent",
        "reads",
        "a",
        "file",
        "and",
        "doesn't",
        "it's",
        "they'll",
        "I'VE",
        "context",
        "window",
        "naïve",
        "Überschrift",
        "déjà",
        "vu",
        "token",
        "budget",
        "1,024",
        "3.14",
        "(see",
        "below)",
        "“quoted”",
        "—",
    ];
    grow(len, |dice| {
        let end = [" ", " ", " ", " ", ", ", ". ", ".\n", "!\n\n", "\u{a0}", "?\r\n"];
        format!("{}{}", dice.pick(&WORDS), dice.pick(&end))
    })
}

pub(crate) fn code(len: usize) -> String {
    const LINES: [&str; 12] = [
        "fn main() {",
        "    let getUserName = vec![0x1F, 42];",
        "\tif (a != b && c->d) { return; }",
        "}",
        "",
        "// ---- a comment ----------------------------------------",
        "  \"key\": [1, 2.5e-10, null, true],",
        "        self.field_name_with_underscores += SCREAMING_SNAKE;",
        "    ",
        "path/to/file.rs:12:34: error[E0308]",
        "</div></div>",
        "#!/usr/bin/env python3",
    ];
    grow(len, |dice| format!("{}{}", dice.pick(&LINES), dice.pick(&["\n", "\n", "\n\n", "\r\n"])))
}

/// Listings, test runs, coloured logs, hex dumps and diffs, as shells print them.
pub(crate) fn tool_output(len: usize) -> String {
    grow(len, |dice| {
        let (number, time) = (dice.below(1 << 20), dice.below(86_400));
        let line = match dice.below(8) {
            0 => format!("-rw-r--r--  1 ann staff {number:>9} Mar  2 10:{:02} part_{number:x}.rs", time % 60),
            1 => format!("test store::tests::keeps_{number} ... \u{1b}[32mok\u{1b}[0m"),
            2 => format!(
                "2026-03-02T{:02}:{:02}:07.{number:06}Z  WARN ingest: feed={number} status=50{}",
                time / 3_600,
                time / 60 % 60,
                number % 5
            ),
            3 => format!("{number:08x}  7f 45 4c 46 {:02x} 01 01 00 |.ELF....|", number % 256),
            4 => format!(
                "@@ -{number},7 +{number},9 @@ impl Store {{\n-    let old = {number};\n+\tlet new = {time};"
            ),
            5 => format!(
                "src/part.rs:{number}:{}: error[E0{}]: mismatched types",
                time % 120,
                100 + time % 600
            ),
            6 => format!(
                "{{\"id\":{number},\"ok\":true,\"took_ms\":{}.{},\"path\":\"/a\\\\b\"}}",
                time,
                number % 10
            ),
            _ => format!("[{}{}] {}%\r", "=".repeat(number % 40), " ".repeat(40 - number % 40), number % 101),
        };
        line + dice.pick(&["\n", "\n", "\r\n", "\n\n"])
    })
}

pub(crate) fn cjk(len: usize) -> String {
    grow(len, |dice| {
        let script =
            [(0x4e00, 0x51a5), (0x3041, 86), (0x30a1, 90), (0xac00, 11_172), (0x3001, 3)][dice.below(5)];
        let letter = char::from_u32(script.0 + dice.below(script.1) as u32).unwrap_or('漢');
        format!("{letter}{}", dice.pick(&["", "", "", "", "", "。\n\u{3000}\u{3000}", " ", "ABC", "12"]))
    })
}

pub(crate) fn emoji(len: usize) -> String {
    const EMOJI: [&str; 8] = ["😀", "👩‍👩‍👧", "🇫🇷", "❤️", "👍🏽", "✅ ", "🚀done", "⚠️\n"];
    grow(len, |dice| dice.pick(&EMOJI).to_owned())
}

pub(crate) fn spaces(len: usize) -> String {
    const SPACES: [&str; 12] =
        [" ", "   ", "\t", "\n", "\r\n", "\r", "\u{a0}", "\u{3000}", "\u{85}", "\u{2028}", "x", "1"];
    grow(len, |dice| dice.pick(&SPACES).repeat(1 + dice.below(9)))
}

pub(crate) fn base64(len: usize) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    grow(len, |dice| char::from(DIGITS[dice.below(64)]).to_string())
}

pub(crate) fn letters(len: usize) -> String {
    grow(len, |dice| char::from(b'a' + dice.below(26) as u8).to_string())
}

pub(crate) fn ideographs(len: usize) -> String {
    grow(len, |dice| char::from_u32(0x4e00 + dice.below(20_000) as u32).unwrap_or('漢').to_string())
}

pub(crate) fn lossy(len: usize) -> String {
    let mut dice = Dice::new(7);
    let bytes: Vec<u8> = (0..len / 2).map(|_| dice.below(256) as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(crate) fn special_tokens(len: usize) -> String {
    const SPECIAL: [&str; 6] = [
        "<|endoftext|>",
        "<|endofprompt|>",
        "<|fim_prefix|>",
        "<|im_start|>assistant\n",
        "<|endoftext|",
        "<|start|>",
    ];
    grow(len, |dice| format!("{}{}", dice.pick(&SPECIAL), dice.pick(&["", " ", "text", "\n"])))
}
