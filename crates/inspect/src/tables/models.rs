//! The table of context windows, with the user's overrides.

use std::sync::Arc;

use serde::Deserialize;

use crate::access::{HostAccess, TableFile};
use crate::tables::patterns::best_fit;
use crate::tables::prices::PriceTable;
use crate::tables::rows::{NamedRow, put_over, read_rows};
use crate::tables::tools::UserTable;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowRow {
    pub name: String,
    /// Model names; `*` matches anything.
    models: Vec<String>,
    pub window: u64,
    #[serde(default)]
    pub as_of: String,
    #[serde(default)]
    pub source: String,
}

#[derive(Debug, Clone)]
pub struct WindowTable {
    rows: Vec<WindowRow>,
    /// The first `n_own` rows are the user's.
    pub n_own: usize,
    pub problems: Vec<String>,
    /// The user's prices. A price row may state a window, too.
    prices: Option<Arc<PriceTable>>,
}

impl WindowTable {
    pub fn builtin_table() -> Self {
        let mut table = Self { rows: Vec::new(), n_own: 0, problems: Vec::new(), prices: None };
        table.problems = table.read_rows(include_str!("../../models.toml"));
        table.n_own = 0;
        table
    }

    /// Reads the user's `models.toml` over the built-in table. Windows in the user's `prices.toml` override built-in
    /// rows.
    pub fn of_user(access: &dyn HostAccess) -> Arc<Self> {
        static KEPT: UserTable<WindowTable> = UserTable::new();
        let file = access.table_file("models");
        let prices = file.is_some().then(|| PriceTable::of_user(access));
        let is_of_prices = |known: &Self| match (&known.prices, &prices) {
            (Some(known), Some(now)) => Arc::ptr_eq(known, now),
            (known, now) => known.is_none() && now.is_none(),
        };
        KEPT.current_table(file, is_of_prices, |file| match file {
            Some(file) => Self { prices: prices.clone(), ..Self::from_file(file) },
            None => Self::builtin_table(),
        })
    }

    /// Reads a file over the built-in table. A missing file changes nothing.
    pub fn from_file(file: &TableFile) -> Self {
        let mut table = Self::builtin_table();
        table.problems = file.read_with("models", |text| table.read_rows(text));
        table
    }

    pub fn window_of(&self, model: Option<&str>) -> Option<u64> {
        let row = self.of_model(model);
        let is_own = row.is_some_and(|(at, _)| at < self.n_own);
        let of_prices = || self.prices.as_ref().and_then(|prices| prices.window_of(model));
        let known = row.map(|(_, row)| row.window);
        if is_own { known } else { of_prices().or(known) }
    }

    pub fn row_of(&self, model: &str) -> Option<&WindowRow> {
        self.of_model(Some(model)).map(|(_, row)| row)
    }

    pub fn all_rows(&self) -> &[WindowRow] {
        &self.rows
    }

    fn of_model(&self, model: Option<&str>) -> Option<(usize, &WindowRow)> {
        best_fit(&self.rows, |row| &row.models, model)
    }

    fn read_rows(&mut self, text: &str) -> Vec<String> {
        let (own, problems) = read_rows(text, "model", "models");
        self.n_own = own.len();
        self.rows = put_over(own, std::mem::take(&mut self.rows));
        problems
    }
}

impl NamedRow for WindowRow {
    fn row_name(&self) -> &str {
        &self.name
    }

    fn row_fault(&self) -> Option<String> {
        (self.name.is_empty() || self.window == 0).then(|| "it has no `name` or no window".to_owned())
    }

    fn model_patterns(&mut self) -> &mut [String] {
        &mut self.models
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_row_has_a_source_and_a_day() {
        let table = WindowTable::builtin_table();
        assert_eq!(table.problems, Vec::<String>::new());
        for row in table.all_rows() {
            assert!(row.as_of.parse::<jiff::civil::Date>().is_ok() && !row.source.is_empty(), "{row:?}");
            assert!(!row.models.is_empty() && row.window >= 1000, "{row:?}");
        }
        let check = |model: &str, expected: Option<u64>| {
            assert_eq!(table.window_of(Some(model)), expected, "{model}");
        };
        check("claude-opus-4-5-20251101", Some(200_000));
        check("claude-opus-4.6", Some(1_000_000));
        check("anthropic/claude-sonnet-4-20250514", Some(200_000));
        check("gpt-5.3-codex", Some(400_000));
        check("gpt-5.4", Some(1_050_000));
        check("gpt-5.4-2026-03-05", Some(1_050_000));
        check("gpt-4o", None);
        check("unheard-of", None);
        assert_eq!(table.window_of(None), None);
    }

    #[test]
    fn the_users_file_is_read_over_the_builtin_table() {
        assert!(
            WindowTable::from_file(&TableFile::missing("models.toml")).problems.is_empty(),
            "a missing file is no problem"
        );
        let check = |text: &str, expected: Option<u64>, n_own: usize, n_problems: usize| {
            let table = WindowTable::from_file(&TableFile::with_text("models.toml", text));
            assert_eq!(table.window_of(Some("gpt-5")), expected, "{text}");
            assert_eq!(
                (table.n_own, table.problems.len()),
                (n_own, n_problems),
                "{text}: {:?}",
                table.problems
            );
            assert!(
                table.problems.iter().all(|problem| problem.ends_with("models.toml")),
                "the path is last"
            );
        };
        let row = |rest: &str| format!("[[model]]\nname = \"mine\"\nmodels = [\"*GPT-5\"]\n{rest}");
        check("", Some(400_000), 0, 0);
        check(&row("window = 128000"), Some(128_000), 1, 0);
        check("[[model]]\nname = \"gpt-5\"\nmodels = [\"nothing\"]\nwindow = 1", None, 1, 0);
        check(&row("window = -1"), Some(400_000), 0, 1);
        check(&row("window = 0"), Some(400_000), 0, 1);
        check(&row("window = 1\ncolour = 1"), Some(400_000), 0, 1);
        check("model = 1", Some(400_000), 0, 1);
        check("not toml", Some(400_000), 0, 1);
    }
}
