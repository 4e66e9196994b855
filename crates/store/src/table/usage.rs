//! Usage columns, shared by the tables `message` and `usage_report`.

use cwl_engine::Usage;
use rusqlite::{Row, ToSql};

use super::to_signed;
use crate::error::Fault;
use crate::sql;

macro_rules! usage_columns {
    () => {
        "input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, cache_write_hour_tokens, \
         beside_input_tokens, beside_cache_read_tokens, beside_cache_write_tokens, stated_cost, copied"
    };
}
macro_rules! usage_parameters {
    () => {
        "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
    };
}
pub(crate) use {usage_columns, usage_parameters};

#[derive(Default)]
pub(crate) struct UsageColumns([Option<i64>; 11]);

impl UsageColumns {
    pub(crate) fn new(usage: Option<&Usage>) -> Self {
        let Some(usage) = usage else { return Self::default() };
        Self([
            Some(to_signed(usage.input)),
            Some(to_signed(usage.output)),
            Some(to_signed(usage.cache_read)),
            Some(to_signed(usage.cache_write)),
            Some(to_signed(usage.reasoning)),
            Some(to_signed(usage.cache_write_hour)),
            Some(to_signed(usage.beside_input)),
            Some(to_signed(usage.beside_cache_read)),
            Some(to_signed(usage.beside_cache_write)),
            usage.stated_cost.map(to_signed),
            Some(i64::from(usage.copied)),
        ])
    }

    pub(crate) fn params_after<'a>(&'a self, first: &[&'a dyn ToSql]) -> Vec<&'a dyn ToSql> {
        first.iter().copied().chain(self.0.iter().map(|value| value as &dyn ToSql)).collect()
    }
}

/// Reads a usage from column `first` on; `None` if the columns are null.
///
/// Logs stored by older versions have null in the later columns.
pub(crate) fn read_usage(row: &Row<'_>, first: usize) -> Result<Option<Usage>, Fault> {
    let amount = |nth| sql::read_unsigned(row, first + nth);
    let later = |nth| Ok::<u64, Fault>(amount(nth)?.unwrap_or(0));
    Ok(match (amount(0)?, amount(1)?, amount(2)?, amount(3)?) {
        (Some(input), Some(output), Some(cache_read), Some(cache_write)) => Some(Usage {
            input,
            output,
            reasoning: later(4)?,
            cache_read,
            cache_write,
            cache_write_hour: later(5)?,
            beside_input: later(6)?,
            beside_cache_read: later(7)?,
            beside_cache_write: later(8)?,
            stated_cost: amount(9)?,
            copied: later(10)? > 0,
        }),
        _ => None,
    })
}
