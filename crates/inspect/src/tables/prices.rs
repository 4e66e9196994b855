//! The price table, with the user's overrides.

use std::sync::Arc;

use cwl_engine::{CacheOptions, Prices, Rates};
use serde::Deserialize;
use toml::Value;

use crate::access::{HostAccess, TableFile};
use crate::asked::budget::parse_decimal;
use crate::tables::patterns::{best_fit, normalize_model};
use crate::tables::tools::{UserTable, document_of};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceRow {
    pub name: String,
    /// Model names; `*` matches anything.
    models: Vec<String>,
    pub prices: Prices,
    pub cache: CacheOptions,
    /// The model's context window, tokens, if the user's row states it. Other windows are in `models.toml`.
    window: Option<u64>,
    pub as_of: String,
    pub source: String,
}

#[derive(Debug, Clone)]
pub struct PriceTable {
    rows: Vec<PriceRow>,
    default: String,
    pub problems: Vec<String>,
}

impl PriceTable {
    pub fn builtin_table() -> Self {
        let mut table = Self { rows: Vec::new(), default: String::new(), problems: Vec::new() };
        table.read_rows(include_str!("../../prices.toml"));
        table
    }

    /// Reads the user's `prices.toml` over the built-in table.
    pub fn of_user(access: &dyn HostAccess) -> Arc<Self> {
        static KEPT: UserTable<PriceTable> = UserTable::new();
        let make = |file: Option<&TableFile>| file.map_or_else(Self::builtin_table, Self::from_file);
        KEPT.current_table(access.table_file("prices"), |_| true, make)
    }

    pub fn from_file(file: &TableFile) -> Self {
        let mut table = Self::builtin_table();
        table.problems = file.read_with("prices", |text| {
            table.read_rows(text);
            std::mem::take(&mut table.problems)
        });
        table
    }

    /// Finds a model's row. The flag is true if no row matches; the row is then the user's default, or has no prices.
    pub fn of_model(&self, model: Option<&str>) -> (&PriceRow, bool) {
        match best_fit(&self.rows, |row| &row.models, model) {
            Some((_, row)) => (row, false),
            None => (self.default_row(), true),
        }
    }

    pub fn window_of(&self, model: Option<&str>) -> Option<u64> {
        let (row, assumed) = self.of_model(model);
        row.window.filter(|_| !assumed)
    }

    pub fn all_rows(&self) -> impl Iterator<Item = &PriceRow> {
        self.rows.iter()
    }

    /// Returns the default row's name; `None` if unlisted models have no price.
    pub fn default_name(&self) -> Option<&str> {
        Some(self.default.as_str()).filter(|name| !name.is_empty())
    }

    fn default_row(&self) -> &PriceRow {
        static FREE: std::sync::LazyLock<PriceRow> = std::sync::LazyLock::new(|| PriceRow {
            name: String::new(),
            models: Vec::new(),
            prices: Prices::default(),
            cache: CacheOptions::default(),
            window: None,
            as_of: String::new(),
            source: "no price".into(),
        });
        self.rows.iter().find(|row| row.name == self.default).unwrap_or(&FREE)
    }

    fn read_rows(&mut self, text: &str) {
        let document = match document_of(text, "prices") {
            Ok(document) => document,
            Err(problem) => {
                self.problems.push(problem);
                return;
            }
        };
        let mut rows: Vec<PriceRow> = Vec::new();
        for (key, value) in document {
            match (key.as_str(), value) {
                ("default", Value::String(name)) => self.default = name,
                ("price", Value::Array(listed)) => {
                    for (number, listed) in (1..).zip(listed) {
                        match listed.try_into::<TypedRow>() {
                            Ok(row) => rows.push(row.into()),
                            Err(why) => {
                                let why = why.message();
                                self.problems.push(format!("price {number} is left out: {why}"));
                            }
                        }
                    }
                }
                _ => self.problems.push(format!("`{key}` is not known; write `default` or `[[price]]`")),
            }
        }
        self.rows.retain(|known| rows.iter().all(|row| row.name != known.name));
        rows.append(&mut self.rows);
        self.rows = rows;
        if !self.default.is_empty() && !self.rows.iter().any(|row| row.name == self.default) {
            self.problems.push(format!("the default `{}` is no price's name", self.default));
        }
    }
}

impl PriceRow {
    /// False only for the fallback row without a name.
    pub(crate) fn is_priced(&self) -> bool {
        !self.name.is_empty()
    }

    pub fn model_patterns(&self) -> &[String] {
        &self.models
    }

    /// Returns the row's age in days at `at_ms` (milliseconds since 1970), if the row is outdated.
    pub(crate) fn days_behind(&self, at_ms: i64) -> Option<i64> {
        let days = at_ms.div_euclid(86_400_000) - day_of(&self.as_of)?;
        (days > HALF_A_YEAR).then_some(days)
    }
}

/// Prices older than this many days are outdated.
const HALF_A_YEAR: i64 = 182;

/// Parses a date (`2026-10-24`) as days since 1970.
fn day_of(text: &str) -> Option<i64> {
    let day: jiff::civil::Date = text.parse().ok()?;
    Some(day.duration_since(jiff::civil::date(1970, 1, 1)).as_hours() / 24)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedRow {
    name: PriceName,
    models: Vec<String>,
    input: Rate,
    cache_read: Option<Rate>,
    cache_write: Option<Rate>,
    cache_write_hour: Option<Rate>,
    output: Rate,
    /// Prompts above this many tokens are charged at the `long_…` prices.
    long_above: Option<u64>,
    long_input: Option<Rate>,
    long_cache_read: Option<Rate>,
    long_cache_write: Option<Rate>,
    long_cache_write_hour: Option<Rate>,
    long_output: Option<Rate>,
    minimum: Option<u64>,
    granularity: Option<u64>,
    /// Seconds.
    lifetime: Option<u64>,
    window: Option<u64>,
    #[serde(default)]
    as_of: String,
    #[serde(default)]
    source: String,
}

impl From<TypedRow> for PriceRow {
    fn from(row: TypedRow) -> Self {
        let rates = |input: Rate, [read, write, hour]: [Option<Rate>; 3], output: Rate| Rates {
            input: input.0,
            cache_read: read.unwrap_or(input).0,
            cache_write: write.unwrap_or(input).0,
            cache_write_hour: hour.or(write).unwrap_or(input).0,
            output: output.0,
        };
        let of_cache = [row.cache_read, row.cache_write, row.cache_write_hour];
        let of_long_cache = [row.long_cache_read, row.long_cache_write, row.long_cache_write_hour];
        let long_input = row.long_input.unwrap_or(row.input);
        let long_output = row.long_output.unwrap_or(row.output);
        let long = rates(long_input, of_long_cache, long_output);
        let usual = CacheOptions::default();
        Self {
            name: row.name.0,
            models: row.models.iter().map(|name| normalize_model(name)).collect(),
            prices: Prices {
                rates: rates(row.input, of_cache, row.output),
                long: row.long_above.map(|above| (above, long)),
            },
            cache: CacheOptions {
                minimum: row.minimum.unwrap_or(usual.minimum),
                granularity: row.granularity.unwrap_or(usual.granularity).max(1),
                lifetime_ms: row.lifetime.map_or(usual.lifetime_ms, |seconds| seconds.saturating_mul(1000)),
                ..usual
            },
            window: row.window,
            as_of: row.as_of,
            source: row.source,
        }
    }
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct PriceName(String);

impl TryFrom<String> for PriceName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        if name.is_empty() { Err("it has no `name`") } else { Ok(Self(name)) }
    }
}

/// Millionths of a dollar per million tokens.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "Value")]
struct Rate(u64);

impl TryFrom<Value> for Rate {
    type Error = String;

    fn try_from(typed: Value) -> Result<Self, Self::Error> {
        read_rate(&typed).map(Self).ok_or_else(|| format!("`{typed}` is no price like 3.75"))
    }
}

/// Maximum [`Rate`]: a million dollars per million tokens.
const DEAREST: u64 = 1_000_000_000_000;

/// Parses dollars per million tokens, with at most six decimal places.
fn read_rate(value: &Value) -> Option<u64> {
    let text = match value {
        Value::Integer(number) => number.to_string(),
        // The shortest text of a float is what was typed.
        Value::Float(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return None,
    };
    parse_decimal(&text, 1_000_000).filter(|rate| *rate <= DEAREST)
}

pub fn write_rate(rate: u64) -> String {
    let (whole, fraction) = (rate / 1_000_000, rate % 1_000_000);
    let mut fraction = format!("{fraction:06}");
    while fraction.len() > 2 && fraction.ends_with('0') {
        fraction.pop();
    }
    format!("{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_model_has_a_price_and_unknown_ones_the_default() {
        let table = PriceTable::builtin_table();
        assert_eq!(table.problems, Vec::<String>::new());
        let check = |model: &str, expected: (&str, bool)| {
            let (row, assumed) = table.of_model(Some(model));
            assert_eq!((row.name.as_str(), assumed), expected, "{model}");
        };
        check("claude-opus-4-5-20251101", ("claude-opus-4-5", false));
        check("claude-opus-4-20250514", ("claude-opus-4", false));
        check("claude-opus-4-1", ("claude-opus-4", false));
        check("anthropic/claude-opus-4.6", ("claude-opus-4-6", false));
        check("claude-opus-4-6-thinking", ("claude-opus-4-6", false));
        check("claude-opus-5", ("claude-opus-5", false));
        check("claude-opus-5-5-20260901", ("claude-opus-5-5", false));
        check("claude-sonnet-5", ("claude-sonnet-5", false));
        check("claude-sonnet-5.5", ("claude-sonnet-5-5", false));
        check("claude-3-7-sonnet-20250219", ("claude-3-sonnet", false));
        check("claude-3-opus-20240229", ("claude-3-opus", false));
        check("claude-haiku-5-5", ("claude-haiku-5-5", false));
        check("openai/gpt-5.5", ("gpt-5-5", false));
        check("gpt-5.6-sol", ("gpt-5-6-sol", false));
        check("gpt-5.1-codex-max", ("gpt-5", false));
        check("gpt-5.1", ("gpt-5-1", false));
        check("gpt-5.4-mini", ("gpt-5-4-mini", false));
        check("gpt-5.3-codex", ("gpt-5-3-codex", false));
        check("gpt-5.3-codex-spark", ("", true));
        check("gemini-3-pro-preview", ("gemini-3-pro", false));
        check("us.anthropic.claude-sonnet-4-5-20250929-v1:0", ("claude-sonnet-4", false));
        check("Claude-Haiku-4-5", ("claude-haiku-4-5", false));
        check("gpt-5", ("gpt-5", false));
        check("openai/gpt-5-mini-2025-08-07", ("gpt-5-mini", false));
        check("gpt-5.1-codex-mini", ("gpt-5-1-codex-mini", false));
        check("gpt-4.1", ("gpt-4-1", false));
        check("google/gemini-2.5-flash-lite", ("gemini-2-5-flash-lite", false));
        check("google/gemini-2.5-flash", ("gemini-2-5-flash", false));
        check("gpt-9-preview", ("", true));
        check("", ("", true));
        assert!(table.of_model(None).1);
        for row in &table.rows {
            assert_eq!(row.as_of.len(), 10, "{}: a day", row.name);
            assert!(!row.source.is_empty(), "{}: a source", row.name);
            let Rates { input, cache_read, cache_write, cache_write_hour, output } = row.prices.rates;
            assert!(0 < cache_read && cache_read <= input && input <= cache_write);
            assert!(cache_write <= cache_write_hour && cache_write_hour < output, "{}", row.name);
            let is_hour = row.name.starts_with("claude");
            assert_eq!(cache_write_hour, if is_hour { 2 * input } else { cache_write }, "{}", row.name);
        }
    }

    #[test]
    fn long_prompts_and_minimums_are_those_of_the_model() {
        let table = PriceTable::builtin_table();
        let check = |model: &str, long: Option<(u64, u64, u64)>, minimum: u64| {
            let row = table.of_model(Some(model)).0;
            let tier = row.prices.long.map(|(above, rates)| (above, rates.input, rates.output));
            assert_eq!((tier, row.cache.minimum), (long, minimum), "{model}");
        };
        check("claude-sonnet-4-5-20250929", None, 1024);
        check("claude-sonnet-4-6", None, 1024);
        check("claude-opus-4-5", None, 4096);
        check("claude-opus-4-6", None, 4096);
        check("claude-opus-4-7", None, 2048);
        check("claude-opus-4-8", None, 1024);
        check("claude-fable-5", None, 512);
        check("claude-haiku-5-5", Some((100_000, 500_000, 2_500_000)), 1024);
        check("gpt-5.5", Some((272_000, 10_000_000, 45_000_000)), 1024);
        check("gpt-5.4", Some((272_000, 5_000_000, 22_500_000)), 1024);
        check("gpt-5-codex", None, 1024);
        check("gemini-3-pro-preview", Some((200_000, 4_000_000, 18_000_000)), 4096);
        check("gemini-2.5-flash", None, 2048);
        check("unheard-of", None, 1024);
    }

    #[test]
    fn a_row_that_is_much_older_than_a_session_is_known() {
        for (text, day) in
            [("1970-01-01", 0), ("2000-02-29", 11_016), ("2000-03-01", 11_017), ("2026-11-23", 20_780)]
        {
            assert_eq!(day_of(text), Some(day), "{text}");
        }
        for text in ["", "2026", "2026-13-01", "2026-11-x", "soon"] {
            assert_eq!(day_of(text), None, "{text}");
        }
        let row = |as_of: &str| PriceRow {
            as_of: as_of.to_owned(),
            ..PriceTable::builtin_table().default_row().clone()
        };
        let at = |day: &str| day_of(day).unwrap() * 86_400_000;
        assert_eq!(row("2025-11-30").days_behind(at("2026-05-31")), None, "182 days are half a year");
        assert_eq!(row("2025-11-30").days_behind(at("2026-06-01")), Some(183));
        assert_eq!(row("2026-11-30").days_behind(at("2026-06-01")), None, "newer than the session");
        assert_eq!(row("lately").days_behind(at("2026-06-01")), None);
    }

    #[test]
    fn the_users_file_is_read_over_the_builtin_table() {
        assert!(
            PriceTable::from_file(&TableFile::missing("prices.toml")).problems.is_empty(),
            "a missing file is no problem"
        );
        let check = |text: &str, model: &str, input: u64, n_problems: usize| {
            let table = PriceTable::from_file(&TableFile::with_text("prices.toml", text));
            assert_eq!(table.of_model(Some(model)).0.prices.rates.input, input, "{text}");
            assert_eq!(table.problems.len(), n_problems, "{text}: {:?}", table.problems);
            assert!(
                table.problems.iter().all(|problem| problem.ends_with("prices.toml")),
                "the path is last"
            );
        };
        let row = |rest: &str| format!("[[price]]\nname = \"mine\"\nmodels = [\"gpt-5\"]\n{rest}");
        check("", "gpt-5", 1_250_000, 0);
        check(&row("input = 7.5\noutput = 8"), "gpt-5", 7_500_000, 0);
        check(&row("input = \"0.000001\"\noutput = 8"), "gpt-5", 1, 0);
        check(&row("output = 8"), "gpt-5", 1_250_000, 1);
        check(&row("input = -1\noutput = 8"), "gpt-5", 1_250_000, 1);
        check(&row("input = nan\noutput = 8"), "gpt-5", 1_250_000, 1);
        check(&row("input = 1e300\noutput = 8"), "gpt-5", 1_250_000, 1);
        check(&row("input = 1\noutput = 8\ncolour = 1"), "gpt-5", 1_250_000, 1);
        check(&row("input = 1\noutput = 8\nlong_above = -5"), "gpt-5", 1_250_000, 1);
        check("default = \"gpt-5\"", "unheard-of", 1_250_000, 0);
        check("default = \"unheard-of\"", "unheard-of", 0, 1);
        check("price = 1", "gpt-5", 1_250_000, 1);
        check("not toml", "gpt-5", 1_250_000, 1);
    }

    #[test]
    fn prices_are_written_as_they_are_read() {
        for (text, rate) in [("3.75", 3_750_000), ("0.30", 300_000), ("15.00", 15_000_000), ("0.000001", 1)] {
            assert_eq!(read_rate(&Value::String(text.into())), Some(rate), "{text}");
            assert_eq!(write_rate(rate), text);
        }
    }
}
