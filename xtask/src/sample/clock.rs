//! Simulated time, so that samples do not depend on the date.

use anyhow::{Context as _, Result, ensure};
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

    /// Advances to a time in ISO 8601, which must not be past.
    pub(crate) fn wait_until(&mut self, at: &str) -> Result<()> {
        let target = Self::starting(at)?;
        ensure!(target.now_ms >= self.now_ms, "{at} is past, it is {}", iso(self.now_ms));
        *self = target;
        Ok(())
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

    #[test]
    fn waiting_never_goes_back() {
        let mut clock = Clock::starting("2026-03-02T08:41:07Z").unwrap();
        clock.wait_until("2026-03-03T00:00:00Z").unwrap();
        assert_eq!(iso(clock.now_ms()), "2026-03-03T00:00:00.000Z");
        assert!(clock.wait_until("2026-03-02T23:00:00Z").is_err());
    }
}
