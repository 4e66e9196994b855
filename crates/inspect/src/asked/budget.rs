//! Budgets and overheads as people type them: `80000`, `80k`, `50%`; `4200`, `auto`.

use crate::{ApiError, ErrorCode};

/// Parses a token budget. A percentage is relative to `window`, the model's context window.
///
/// # Errors
/// If `text` is not a budget, or is a percentage and `window` is `None`.
pub fn read_budget(text: &str, window: Option<u64>) -> Result<u64, ApiError> {
    let bad = || {
        ApiError::new(ErrorCode::BadView, format!("`{text}` is no token budget"))
            .with_hint("write 80000, 80k or 50%")
    };
    let typed = text.trim();
    if let Some(share) = typed.strip_suffix('%') {
        let per_mille = parse_decimal(share.trim(), 10).filter(|share| *share <= 1000).ok_or_else(bad)?;
        let Some(window) = window else {
            return Err(ApiError::new(
                ErrorCode::NeedsWindow,
                format!(
                    "a budget of {typed} needs the size of the model's window, which the log does not say"
                ),
            )
            .with_hint("give it in tokens, as with --window 200000"));
        };
        return u64::try_from(u128::from(window) * u128::from(per_mille) / 1000).map_err(|_too_large| bad());
    }
    read_tokens(typed).ok_or_else(bad)
}

/// Parses a token count: `80000`, `80k`, `1.5m`, `80_000`.
pub(crate) fn read_tokens(text: &str) -> Option<u64> {
    let text: String = text.trim().chars().filter(|c| !matches!(c, '_' | ',' | '\'')).collect();
    match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => parse_decimal(&text[..at], 1000),
        Some((at, 'm' | 'M')) => parse_decimal(&text[..at], 1_000_000),
        Some(_) => parse_decimal(&text, 1),
        None => None,
    }
}

/// Parses a decimal number and multiplies it by `unit`. Returns `None` unless the result is a whole number and has at
/// most 18 digits.
pub(crate) fn parse_decimal(text: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()) && part.len() <= 18;
    if !digits(whole) || !digits(fraction) || whole.is_empty() || (text.contains('.') && fraction.is_empty())
    {
        return None;
    }
    let mut scale = 1u64;
    let mut rest = 0u64;
    for digit in fraction.bytes() {
        scale = scale.checked_mul(10)?;
        rest = rest.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
    }
    let parts = u128::from(rest) * u128::from(unit);
    if parts % u128::from(scale) != 0 {
        return None;
    }
    let whole = whole.parse::<u64>().ok()?.checked_mul(unit)?;
    whole.checked_add(u64::try_from(parts / u128::from(scale)).ok()?)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedOverhead {
    Given(u64),
    Auto,
}

/// Parses an overhead: a token count or `auto`.
///
/// # Errors
/// If `text` is neither.
pub fn read_overhead(text: &str) -> Result<AskedOverhead, ApiError> {
    if text.trim() == "auto" {
        return Ok(AskedOverhead::Auto);
    }
    read_tokens(text).map(AskedOverhead::Given).ok_or_else(|| {
        ApiError::new(ErrorCode::BadView, format!("`{text}` is no overhead"))
            .with_hint("write a number of tokens, as 4200, or auto")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn budgets() {
        let check = |text: &str, window: Option<u64>, expected: Result<u64, ErrorCode>| {
            assert_eq!(read_budget(text, window).map_err(|error| error.code), expected, "{text}");
        };
        check("80000", None, Ok(80_000));
        check(" 80k ", None, Ok(80_000));
        check("80K", None, Ok(80_000));
        check("1.5k", None, Ok(1500));
        check("0.2m", None, Ok(200_000));
        check("80_000", None, Ok(80_000));
        check("80,000", None, Ok(80_000));
        check("0", None, Ok(0));
        check("50%", Some(200_000), Ok(100_000));
        check("12.5%", Some(200_000), Ok(25_000));
        check("100%", Some(u64::MAX), Ok(u64::MAX));
        check("50%", None, Err(ErrorCode::NeedsWindow));
        check("101%", Some(200_000), Err(ErrorCode::BadView));
        for bad in
            ["", "k", "%", "-1", "1e5", "80 k x", "1.", ".5k", "1.0001k", "99999999999999999999", "８０k"]
        {
            check(bad, Some(200_000), Err(ErrorCode::BadView));
        }
        check("99999999999999999k", None, Err(ErrorCode::BadView));
    }

    #[test]
    fn a_share_without_a_window_names_the_way_out() {
        let error = read_budget("50%", None).unwrap_err().to_string();
        assert!(error.contains("--window"), "{error}");
    }

    #[test]
    fn overheads() {
        assert_eq!(read_overhead("auto").unwrap(), AskedOverhead::Auto);
        assert_eq!(read_overhead("4.2k").unwrap(), AskedOverhead::Given(4200));
        assert_eq!(read_overhead("some").unwrap_err().code, ErrorCode::BadView);
    }
}
