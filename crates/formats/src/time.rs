use crate::json::Value;

pub(crate) fn time_of(value: Value<'_>) -> Option<i64> {
    iso_time(value).or_else(|| milliseconds_of(value))
}

/// Reads ISO 8601 as milliseconds since 1970; without an offset, UTC is assumed.
pub(crate) fn iso_time(value: Value<'_>) -> Option<i64> {
    let text = value.text()?;
    match text.value.parse::<jiff::Timestamp>() {
        Ok(time) => Some(time.as_millisecond()),
        Err(_) => {
            let civil = text.value.parse::<jiff::civil::DateTime>().ok()?;
            Some(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond())
        }
    }
}

/// Reads a number of milliseconds; the cast saturates.
pub(crate) fn milliseconds_of(value: Value<'_>) -> Option<i64> {
    value.number().filter(|ms| ms.is_finite()).map(|ms| ms as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: Option<i64>) {
        assert_eq!(time_of(Value::trusted(json, 0)), expected, "{json}");
    }

    #[test]
    fn times_as_logs_write_them() {
        check("\"2026-02-02T02:40:00.123Z\"", Some(1_770_000_000_123));
        check("\"2026-02-02T03:40:00+01:00\"", Some(1_770_000_000_000));
        check("\"2026-02-02T02:40:00.123456\"", Some(1_770_000_000_123));
        check("1770000000123", Some(1_770_000_000_123));
        check("1770000000123.9", Some(1_770_000_000_123));
        check("1e400", None);
        check("\"yesterday\"", None);
        check("null", None);
    }
}
