//! Measures how counting time grows with text length, on the worst known texts: `cargo bench -p cwl-tokens`.
//! Eight times the text should take about eight times as long; 64 times as long means quadratic.
#![allow(clippy::print_stdout)]

#[path = "../tests/it/text/mod.rs"]
mod text;

use std::time::{Duration, Instant};

use cwl_tokens::{Tokenizer, count_units};

const LARGE: usize = 1 << 20;
const SMALL: usize = LARGE / 8;

fn main() {
    println!("{:10} {:28} {:>10} {:>10} {:>6}", "tokenizer", "text", "128 KiB", "1 MiB", "times");
    for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k] {
        for (name, generate) in text::WORST {
            let [small, large] = [SMALL, LARGE].map(|len| fastest(tokenizer, &generate(len)));
            let times = large.as_secs_f64() / small.as_secs_f64();
            println!("{tokenizer:10} {name:28} {small:>10.1?} {large:>10.1?} {times:>6.1}");
        }
    }
}

/// Returns the shortest of three times, least disturbed by other programs.
fn fastest(tokenizer: Tokenizer, text: &str) -> Duration {
    let timed = || {
        let start = Instant::now();
        std::hint::black_box(count_units(tokenizer, text));
        start.elapsed()
    };
    (0..3).map(|_| timed()).min().unwrap_or_default()
}
