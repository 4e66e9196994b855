//! What a provider would have reported as used, estimated from the history.

use super::rng::Rng;

/// Prompt tokens of the system prompt and the tool definitions.
const OVERHEAD: u64 = 4_200;
/// Characters at which the harness starts to evict: 80,000 of its own tokens of four.
const EVICT_ABOVE: u64 = 80_000 * 4;

/// Tokens of one request and its answer.
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

/// Follows the size of the prompt through a session.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    chars: u64,
    cached: u64,
    rng: Rng,
}

impl Meter {
    pub(crate) fn new(seed: u64) -> Self {
        Self { chars: 0, cached: 0, rng: Rng::new(seed) }
    }

    /// Adds what a message put into the history.
    pub(crate) fn add(&mut self, n_chars: usize) {
        self.chars += n_chars as u64;
    }

    /// Returns the characters in the history now.
    pub(crate) fn chars(&self) -> u64 {
        self.chars
    }

    /// The history was replaced by one of `chars` characters.
    pub(crate) fn replace(&mut self, chars: u64) {
        self.chars = chars;
        self.cached = OVERHEAD;
    }

    /// Returns the prompt tokens of the next request.
    pub(crate) fn prompt(&self) -> u64 {
        OVERHEAD + tokens(self.chars)
    }

    /// Measures a request and its answer of `n_chars` characters, which joins the history.
    ///
    /// The harness keeps the history below its threshold, and every eviction
    /// costs the cached prefix behind the place it touched.
    pub(crate) fn reply(&mut self, n_chars: usize) -> Usage {
        if self.chars > EVICT_ABOVE {
            self.chars = EVICT_ABOVE - self.rng.between(0, 14_000);
            self.cached = OVERHEAD + tokens(self.chars) * self.rng.between(4, 40) / 100;
        }
        let prompt = self.prompt();
        let input = self.rng.between(3, 12);
        let cache_read = self.cached.min(prompt - input);
        let usage = Usage {
            input,
            output: tokens(n_chars as u64) + 12,
            cache_read,
            cache_write: prompt - input - cache_read,
        };
        self.cached = prompt;
        self.chars += n_chars as u64;
        usage
    }
}

/// About 3.3 characters of code and prose make a token.
fn tokens(chars: u64) -> u64 {
    chars * 10 / 33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_grows_with_the_history_and_stays_below_the_cap() {
        let mut meter = Meter::new(3);
        let mut before = 0;
        for turn in 0..400 {
            meter.add(3_000);
            let usage = meter.reply(300);
            let prompt = usage.total() - usage.output;
            if turn < 50 {
                assert!(prompt > before);
            }
            assert!(prompt <= OVERHEAD + tokens(EVICT_ABOVE), "{prompt}");
            before = prompt;
        }
    }

    #[test]
    fn what_was_sent_before_is_read_from_the_cache() {
        let mut meter = Meter::new(3);
        meter.add(10_000);
        let first = meter.reply(100);
        let second = meter.reply(100);
        assert_eq!(first.cache_read, 0);
        assert_eq!(second.cache_read, first.total() - first.output);
    }
}
