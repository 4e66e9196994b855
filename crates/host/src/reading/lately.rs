//! Live logs, told by their last modification.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// A log modified within this time is live. A long tool call writes nothing meanwhile, so the time is
/// generous.
const LIVE_FOR_MS: i64 = 5 * 60 * 1000;

pub(crate) fn now_ms() -> i64 {
    ms_of(SystemTime::now())
}

pub(crate) fn is_live(changed_at_ms: Option<i64>, now_ms: i64) -> bool {
    // Both ends are bounded: a time in the future must not make a session live for ever.
    let range = -LIVE_FOR_MS..LIVE_FOR_MS;
    changed_at_ms.is_some_and(|changed| range.contains(&now_ms.saturating_sub(changed)))
}

pub(crate) fn is_file_live(path: &Path) -> bool {
    let changed = std::fs::metadata(path).and_then(|metadata| metadata.modified());
    is_live(changed.ok().map(ms_of), now_ms())
}

fn ms_of(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_live_while_it_is_written() {
        let check = |changed: Option<i64>, expected: bool| {
            assert_eq!(is_live(changed, 1_000 * LIVE_FOR_MS), expected, "{changed:?}");
        };
        let now = 1_000 * LIVE_FOR_MS;
        check(Some(now), true);
        check(Some(now - LIVE_FOR_MS + 1), true);
        check(Some(now - LIVE_FOR_MS), false);
        check(Some(now + LIVE_FOR_MS - 1), true);
        check(Some(now + 10 * LIVE_FOR_MS), false);
        check(Some(i64::MIN), false);
        check(None, false);
    }
}
