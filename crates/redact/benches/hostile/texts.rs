//! Texts designed to be slow.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// Size of a text, just below the maximum that is searched.
pub(crate) const SIZE: usize = 2_000_000;

/// A random generator with the same sequence in every run.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from((self.next() >> 11) % n as u64).unwrap_or(0)
    }

    fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next().to_le_bytes()[3]).collect()
    }

    fn letters(&mut self, n: usize, of: &[u8]) -> String {
        (0..n).map(|_| char::from(of[self.below(of.len())])).collect()
    }
}

const ALPHANUMERIC: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

pub(crate) type Case = (&'static str, fn() -> Vec<String>);

pub(crate) const ALL: &[Case] = &[
    ("base64 in lines", || vec![wrapped(&base64(SIZE * 73 / 100), 76)]),
    ("base64 in one line", || vec![base64(SIZE * 3 / 4 - 3)]),
    ("base64 of base64 of base64", || {
        vec![BASE64_STANDARD.encode(BASE64_STANDARD.encode(base64(SIZE * 27 / 64)))]
    }),
    ("base64 of bytes, all as values of `token`", || {
        let mut chance = Chance::new(2);
        vec![lines(|_| format!("{{\"token\":\"{}\"}}", BASE64_STANDARD.encode(chance.bytes(30_000))))]
    }),
    ("one value of `token`", || vec![format!("{{\"token\":\"{}\"}}", base64(SIZE * 3 / 4 - 20))]),
    ("hex in one line", || vec![hex(SIZE)]),
    ("a dump in hex", || vec![lines(|n| format!("{n:08x}: {}  ................", spaced_hex(n)))]),
    ("58,000 keys", || vec![keys(58_000)]),
    ("58,000 keys, twice, then without their ends", || {
        let cut: Vec<String> = keys(58_000).lines().map(|key| key[..key.len() - 9].to_owned()).collect();
        vec![keys(58_000), keys(58_000), cut.join("…\n")]
    }),
    ("58,000 keys with the same first half", || {
        vec![(0..58_000).map(|n| format!("ghp_a8F3kQ92xLm04ZpT7rWv{n:012x}\n")).take(48_000).collect()]
    }),
    ("keys of numbers that count", || vec![lines(|n| format!("token=a8F3kQ92xLm0{n:08}4ZpT7rWv"))]),
    ("one key over and over", || vec![lines(|_| "ghp_a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKs".to_owned())]),
    ("a key that repeats itself", || {
        let text = "a1b2c3d4".repeat(SIZE / 8);
        vec![format!("password=\"{}\"", &text[..390]), text]
    }),
    ("secrets that begin each other", || {
        let long = Chance::new(3).letters(390, ALPHANUMERIC);
        vec![lines(|n| format!("token=\"{}\"", &long[..12 + n % 378])), long.repeat(SIZE / 390)]
    }),
    ("first lines of private keys", || vec![lines(|_| format!("-----BEGIN RSA {} KEY-----", "PRIVATE"))]),
    ("torn private keys", || {
        let mut chance = Chance::new(4);
        vec![lines(|_| format!("-----BEGIN {} KEY-----\n{}", "PRIVATE", chance.letters(64, ALPHANUMERIC)))]
    }),
    ("lines of base64 before no end of a key", || {
        let mut text = wrapped(&base64(SIZE * 72 / 100), 64);
        text += &format!("private key -----EN {} KEY-----", "PRIVATE");
        vec![text]
    }),
    ("escaped eight times", || {
        vec![lines(|n| format!("{}n{}\"token\": x{n}", "\\".repeat(255), "\\".repeat(127)))]
    }),
    ("every letter escaped", || vec!["\\u0061".repeat(SIZE / 6)]),
    ("percent of percent", || vec!["%2525252525252541".repeat(SIZE / 17)]),
    ("nothing but backslashes", || vec!["\\".repeat(SIZE)]),
    ("nothing but spaces behind a name", || vec![lines(|_| format!("password{}=", " ".repeat(30)))]),
    ("nothing but names", || vec!["token".repeat(SIZE / 5)]),
    ("nothing but digits", || vec!["0123456789".repeat(SIZE / 10)]),
    ("nothing but one letter", || vec!["a".repeat(SIZE)]),
    ("nothing but quotes", || vec!["\"'`".repeat(SIZE / 3)]),
    ("nothing but line ends", || vec!["\n".repeat(SIZE)]),
    ("nothing but points", || vec!["a.".repeat(SIZE / 2)]),
    ("nothing but at signs", || vec!["a@a.".repeat(SIZE / 4)]),
    ("a list of small bytes", || {
        vec![format!("[{}]", (0..SIZE / 4).map(|n| (n % 251).to_string()).collect::<Vec<_>>().join(","))]
    }),
    ("JSON of empty lists", || vec![format!("[{}[]]", "[],".repeat(SIZE / 3 - 2))]),
    ("JSON of small objects", || vec![format!("[{}0]", "{\"\":0},".repeat(SIZE / 7 - 2))]),
    ("JSON of names without values", || vec![lines(|n| format!("{{\"password\":\"a{n}B{n}\"}}"))]),
    ("lines with numbers", || {
        let mut chance = Chance::new(5);
        vec![lines(|n| format!("{n:>6}\t{}", chance.letters(40, ALPHANUMERIC)))]
    }),
    ("boxes", || {
        let mut chance = Chance::new(6);
        vec![lines(|_| format!("│ {} │", chance.letters(40, ALPHANUMERIC)))]
    }),
    ("addresses with passwords", || vec![lines(|n| format!("postgres://u{n}:pA{n}ss@db{n}.example/x"))]),
    ("cookies", || {
        vec![format!("cookie: {}", (0..90_000).map(|n| format!("k{n}=a8F3kQ92xL{n};")).collect::<String>())]
    }),
    ("integrity hashes", || {
        let mut chance = Chance::new(8);
        vec![lines(|n| {
            format!("\"integrity\": \"sha512-{}\", \"{n}\"", BASE64_STANDARD.encode(chance.bytes(64)))
        })]
    }),
    ("prose", || vec!["The parser reads one record at a time, and the store keeps it. ".repeat(SIZE / 63)]),
];

fn base64(n: usize) -> String {
    BASE64_STANDARD.encode(Chance::new(1).bytes(n))
}

fn hex(n: usize) -> String {
    Chance::new(1).letters(n, b"0123456789abcdef")
}

fn spaced_hex(n: usize) -> String {
    let mut chance = Chance::new(n as u64 + 1);
    (0..8).map(|_| chance.letters(4, b"0123456789abcdef")).collect::<Vec<_>>().join(" ")
}

fn wrapped(text: &str, width: usize) -> String {
    let lines = text.as_bytes().chunks(width).map(String::from_utf8_lossy);
    lines.collect::<Vec<_>>().join("\n")
}

fn keys(n: usize) -> String {
    let mut chance = Chance::new(9);
    // Short enough for all tokens to fit in one text.
    (0..n).map(|_| format!("npm_{}\n", chance.letters(28, ALPHANUMERIC))).collect()
}

fn lines(mut line: impl FnMut(usize) -> String) -> String {
    let mut text = String::new();
    for n in 0.. {
        let line = line(n);
        if text.len() + line.len() >= SIZE {
            break;
        }
        text += &line;
        text.push('\n');
    }
    text
}
