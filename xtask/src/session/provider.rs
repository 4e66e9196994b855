//! An invented provider that counts each request's prompt, caches its beginning, and reports usage.
//!
//! The reports depend only on the log's messages and clock, and nothing here was taken from the engine's model of the
//! prompt cache.

use serde_json::{Value, json};

use super::rng::Rng;

/// Tokens in the system prompt and tool definitions: before every history, and in no log.
const SYSTEM_AND_TOOLS: u64 = 4_200;
const MESSAGE_FRAME: u64 = 3;
/// Shortest cached prefix, in tokens.
const CACHE_MINIMUM: u64 = 1_024;
/// How long a prefix is cached after its last use, in milliseconds.
const CACHE_LIFETIME_MS: i64 = 5 * 60_000;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
}

impl Usage {
    pub(crate) fn total(self) -> u64 {
        self.input + self.output + self.cache_read + self.cache_write
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Provider {
    prompt: u64,
    cached: u64,
    asked_ms: i64,
    rng: Rng,
}

impl Provider {
    pub(crate) fn new(seed: u64) -> Self {
        Self { prompt: SYSTEM_AND_TOOLS, cached: 0, asked_ms: i64::MIN, rng: Rng::new(seed) }
    }

    pub(crate) fn add(&mut self, tokens: u64) {
        self.prompt += tokens + MESSAGE_FRAME;
    }

    /// Answers a request made at `asked_ms`, and adds the reply to the history.
    pub(crate) fn answer(&mut self, asked_ms: i64, reply_tokens: u64) -> Usage {
        // The harness sets the cache breakpoint on the last message, with a few tokens behind it.
        let marked = self.prompt - self.rng.between(3, 9);
        let alive = asked_ms.saturating_sub(self.asked_ms) <= CACHE_LIFETIME_MS;
        let cache_read = if alive && self.cached >= CACHE_MINIMUM { self.cached.min(marked) } else { 0 };
        let cache_write = if marked >= CACHE_MINIMUM { marked - cache_read } else { 0 };
        let input = self.prompt - cache_read - cache_write;
        let output = reply_tokens + MESSAGE_FRAME;
        self.cached = marked;
        self.asked_ms = asked_ms;
        self.prompt += output;
        Usage { input, output, cache_read, cache_write }
    }
}

/// Estimates the tokens of `text` without a vocabulary: by words, groups of three digits, indents and signs.
///
/// The weights are a least-squares fit to `o200k` over the texts of `samples/pi/long`. A single text is off
/// by about three per cent, the sum of all texts by less than one.
pub(crate) fn tokens(text: &str) -> u64 {
    let mut hundredths = 0;
    let (mut before, mut run) = (b'\n', 0_u64);
    for byte in text.bytes() {
        // One byte stands for all of its kind.
        let kind = match byte {
            b'a'..=b'z' => b'a',
            b'A'..=b'Z' => b'A',
            b'0'..=b'9' => b'0',
            b' ' | b'\t' => b' ',
            b'\n' | b'\r' => b'\n',
            _ => b'.',
        };
        run = if kind == before { run + 1 } else { 1 };
        hundredths += match kind {
            b'a' if run == 1 && before != b'A' => 116,
            b'A' if run == 1 => 116,
            b'0' if run % 3 == 1 => 160,
            b' ' if run == 2 => 104,
            b'\n' if run == 1 => 45,
            b'.' => 38,
            _ => 0,
        };
        before = kind;
    }
    (hundredths + 50) / 100
}

pub(crate) fn usage_fields(usage: Usage) -> Value {
    // Billionths of a dollar: tokens, times the price of one.
    let costs =
        [usage.input * 3_000, usage.output * 15_000, usage.cache_read * 300, usage.cache_write * 3_750];
    json!({
        "input": usage.input,
        "output": usage.output,
        "cacheRead": usage.cache_read,
        "cacheWrite": usage.cache_write,
        "totalTokens": usage.total(),
        "cost": {
            "input": dollars(costs[0]),
            "output": dollars(costs[1]),
            "cacheRead": dollars(costs[2]),
            "cacheWrite": dollars(costs[3]),
            "total": dollars(costs.iter().sum()),
        },
    })
}

fn dollars(nano: u64) -> Value {
    if nano.is_multiple_of(1_000_000_000) { json!(nano / 1_000_000_000) } else { json!(nano as f64 / 1e9) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes requests at these minutes, each after a message of 1,000 tokens.
    fn usages(minutes: &[i64]) -> Vec<Usage> {
        let mut provider = Provider::new(3);
        let answered = minutes.iter().map(|minute| {
            provider.add(1_000);
            provider.answer(minute * 60_000, tokens("Seven modules."))
        });
        answered.collect()
    }

    fn prompt(usage: &Usage) -> u64 {
        usage.total() - usage.output
    }

    #[test]
    fn what_was_marked_before_is_read_until_five_minutes_have_passed() {
        let usages = usages(&[0, 1, 6, 12]);
        assert_eq!(usages[0].cache_read, 0);
        assert_eq!(prompt(&usages[0]), 5_203);
        assert_eq!(usages[1].cache_read, prompt(&usages[0]) - usages[0].input);
        assert_eq!(usages[2].cache_read, prompt(&usages[1]) - usages[1].input, "five minutes to the second");
        assert_eq!(usages[3].cache_read, 0, "six minutes");
        for pair in usages.windows(2) {
            assert_eq!(prompt(&pair[1]), prompt(&pair[0]) + pair[0].output + 1_003);
        }
    }

    #[track_caller]
    fn check(text: &str, expected: u64) {
        assert_eq!(tokens(text), expected, "{text}");
    }

    #[test]
    fn counts_follow_the_text() {
        check("", 0);
        check("pub mod opml;", 4);
        check("let total = 1234567;", 8);
        check("    HttpServer::new()\n", 6);
        check("2026-03-02T08:41:07Z", 15);
    }

    #[test]
    fn a_usage_is_written_with_its_price() {
        let usage = Usage { input: 5, output: 100, cache_read: 10_000, cache_write: 2_000 };
        let fields = usage_fields(usage);
        assert_eq!(fields["totalTokens"], 12_105);
        assert_eq!(fields["cost"]["cacheWrite"], 0.0075);
        assert_eq!(fields["cost"]["total"], 0.012_015);
        assert_eq!(usage_fields(Usage::default())["cost"]["total"], 0);
    }
}
