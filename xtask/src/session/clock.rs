//! Simulated time, so that samples do not depend on the date.

use anyhow::{Context as _, Result};
use jiff::Timestamp;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    now_ms: i64,
}

impl Clock {
    pub(crate) fn starting(at: &str) -> Result<Self> {
        let at: Timestamp = at.parse().with_context(|| format!("{at} is no time"))?;
        Ok(Self { now_ms: at.as_millisecond() })
    }

    pub(crate) fn now_ms(self) -> i64 {
        self.now_ms
    }

    pub(crate) fn advance(&mut self, ms: u64) {
        self.now_ms += ms as i64;
    }
}

/// Formats a time like JavaScript's `toISOString`; times beyond the calendar become 1970.
pub(crate) fn iso(at_ms: i64) -> String {
    let at = Timestamp::from_millisecond(at_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn times_as_javascript_writes_them() {
        let mut clock = Clock::starting("2026-03-02T08:41:07Z").unwrap();
        assert_eq!(iso(clock.now_ms()), "2026-03-02T08:41:07.000Z");
        clock.advance(30);
        assert_eq!(iso(clock.now_ms()), "2026-03-02T08:41:07.030Z");
        assert!(Clock::starting("monday").is_err());
    }
}
