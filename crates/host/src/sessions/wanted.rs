//! Filters for the session list: by harness, folder, model and time, with an order and a limit.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use crate::api::{SessionFilter, SessionListRow, SessionsAnswer, SessionsOrder};
use crate::reading::lately::now_ms;
use crate::{ApiError, ErrorCode};

struct FamilyFilter {
    harness: Option<String>,
    model: Option<String>,
    folder: Option<PathBuf>,
    since_ms: Option<i64>,
}

/// Reduces `list` to what `asked` describes. A session stays together with its subagents if one of them
/// matches. Returns how many matching sessions the limit drops, subagents not counted.
///
/// # Errors
/// If the time is not understood.
pub fn wanted_sessions(list: &mut SessionsAnswer, asked: &SessionFilter) -> Result<usize, ApiError> {
    let wanted = FamilyFilter {
        harness: asked.harness.clone(),
        model: asked.model.as_ref().map(|model| model.to_lowercase()),
        folder: asked.cwd.as_deref().map(absolute_folder),
        since_ms: asked.since.as_deref().map(|since| read_since(since, now_ms())).transpose()?,
    };
    list.rows.retain(|row| wanted.is_in(row));
    match asked.sort {
        SessionsOrder::Changed => list.rows.sort_by_key(|row| Reverse(row.changed_at_ms)),
        SessionsOrder::Tokens => list.rows.sort_by_key(|row| Reverse(row.tokens)),
        SessionsOrder::Turns => list.rows.sort_by_key(|row| Reverse(row.n_turns)),
        SessionsOrder::Size => list.rows.sort_by_key(|row| Reverse(row.size)),
        SessionsOrder::Title => list.rows.sort_by_cached_key(|row| row.title.to_lowercase()),
    }
    let n_left_out = asked.limit.map_or(0, |limit| list.rows.len().saturating_sub(limit));
    list.rows.truncate(list.rows.len() - n_left_out);
    Ok(n_left_out)
}

impl FamilyFilter {
    fn is_in(&self, row: &SessionListRow) -> bool {
        let is_model = |model: &String| {
            row.model.as_ref().is_some_and(|of_row| of_row.to_lowercase().contains(model.as_str()))
        };
        let is_below =
            |folder: &PathBuf| row.cwd.as_ref().is_some_and(|cwd| Path::new(cwd).starts_with(folder));
        let is_it = self.harness.as_ref().is_none_or(|harness| *harness == row.harness)
            && self.model.as_ref().is_none_or(is_model)
            && self.folder.as_ref().is_none_or(is_below)
            && self.since_ms.is_none_or(|since| row.changed_at_ms.is_some_and(|changed| changed >= since));
        is_it || row.children.iter().any(|child| self.is_in(child))
    }
}

/// Returns `folder` as logs record it. The folder may be missing, so the file system is not consulted.
fn absolute_folder(folder: &str) -> PathBuf {
    let path = std::path::absolute(folder).unwrap_or_else(|_| PathBuf::from(folder));
    path.components().collect()
}

/// Parses an age (`45m`, `12h`, `7d`, `2w`) or a day (`2026-10-24`) into milliseconds since 1970.
fn read_since(text: &str, now_ms: i64) -> Result<i64, ApiError> {
    let text = text.trim();
    let bad = || {
        ApiError::new(ErrorCode::BadRequest, format!("`{text}` is no time"))
            .with_hint("write 45m, 12h, 7d, 2w or a day, as 2026-10-24")
    };
    let minutes = [('m', 1), ('h', 60), ('d', 24 * 60), ('w', 7 * 24 * 60)];
    if let Some((unit, factor)) = minutes.iter().find(|(unit, _)| text.ends_with(*unit)) {
        let number: i64 = text.trim_end_matches(*unit).parse().map_err(|_no_number| bad())?;
        let ago = number.checked_mul(factor * 60_000).filter(|_| number >= 0).ok_or_else(bad)?;
        return Ok(now_ms.saturating_sub(ago));
    }
    let day: jiff::civil::Date = text.parse().map_err(|_no_day| bad())?;
    // A day in the local time zone.
    let at = day.to_zoned(jiff::tz::TimeZone::system()).map_err(|_out_of_range| bad())?;
    Ok(at.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn times() {
        let now = 1_000 * 86_400_000;
        for (text, minutes) in [("45m", 45), ("12h", 720), (" 7d ", 10_080), ("2w", 20_160), ("0m", 0)] {
            assert_eq!(read_since(text, now).unwrap(), now - minutes * 60_000, "{text}");
        }
        assert!(read_since("2026-10-24", now).unwrap() > now);
        for bad in ["", "d", "-1d", "soon", "2026-13-01", "99999999999999999w", "1.5d"] {
            assert!(read_since(bad, now).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_family_is_asked_for_by_any_of_its_members() {
        let row = |title: &str, harness: &str, cwd: &str, model: &str, at: i64| SessionListRow {
            title: title.to_owned(),
            harness: harness.to_owned(),
            cwd: Some(cwd.to_owned()),
            model: Some(model.to_owned()),
            changed_at_ms: Some(at),
            tokens: Some(u64::try_from(at).unwrap()),
            ..SessionListRow::default()
        };
        let called = SessionListRow {
            children: vec![row("its subagent", "pi", "/home/dev/b", "claude-haiku-4-5", 1)],
            ..row("caller", "pi", "/home/dev/a", "claude-opus-4-5", 30)
        };
        let rows = [
            row("alone", "codex", "/home/dev/ab", "gpt-5", 20),
            called,
            row("Bare", "codex", "/", "gpt-5", 10),
        ];
        let check = |asked: SessionFilter, expected: &[&str], n_left_out: usize| {
            let mut list = SessionsAnswer {
                rows: rows.to_vec(),
                folders: Vec::new(),
                notices: Vec::new(),
                n_pending: 0,
            };
            assert_eq!(wanted_sessions(&mut list, &asked).unwrap(), n_left_out, "{asked:?}");
            let titles: Vec<&str> = list.rows.iter().map(|row| row.title.as_str()).collect();
            assert_eq!(titles, expected, "{asked:?}");
        };
        let of = SessionFilter::default;
        let text = |text: &str| Some(text.to_owned());
        check(of(), &["caller", "alone", "Bare"], 0);
        check(SessionFilter { harness: text("codex"), ..of() }, &["alone", "Bare"], 0);
        check(SessionFilter { model: text("Haiku"), ..of() }, &["caller"], 0);
        check(SessionFilter { cwd: text("/home/dev/a/"), ..of() }, &["caller"], 0);
        check(SessionFilter { cwd: text("/home/dev/b"), ..of() }, &["caller"], 0);
        check(SessionFilter { since: text("1d"), ..of() }, &[], 0);
        check(SessionFilter { limit: Some(1), ..of() }, &["caller"], 2);
        check(SessionFilter { sort: SessionsOrder::Title, ..of() }, &["alone", "Bare", "caller"], 0);
        check(
            SessionFilter { sort: SessionsOrder::Tokens, limit: Some(9), ..of() },
            &["caller", "alone", "Bare"],
            0,
        );
    }
}
