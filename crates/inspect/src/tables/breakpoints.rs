//! The breakpoint table: models cached only at breakpoints, and where harnesses set breakpoints.

use std::sync::LazyLock;

use cwl_engine::BreakpointHabit;
use cwl_formats::Format;
use serde::Deserialize;

use crate::tables::patterns::best_fit;
use crate::tables::rows::{NamedRow, read_rows};

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BreakpointRow {
    pub name: String,
    /// Log formats; if empty, every format without a row of its own.
    pub formats: Vec<String>,
    /// Model names; `*` matches anything.
    pub models: Vec<String>,
    head: bool,
    last_messages: u8,
    pub as_of: String,
    pub source: String,
}

static ROWS: LazyLock<Vec<BreakpointRow>> = LazyLock::new(|| {
    // Faults are ignored: a test checks the built-in table.
    read_rows(include_str!("../../breakpoints.toml"), "row", "breakpoints").0
});

pub fn breakpoint_rows() -> &'static [BreakpointRow] {
    &ROWS
}

pub(crate) fn breakpoint_row(format: Format, model: &str) -> Option<&'static BreakpointRow> {
    let fitting = |is_of: &dyn Fn(&&BreakpointRow) -> bool| {
        let rows: Vec<&'static BreakpointRow> = ROWS.iter().filter(is_of).collect();
        best_fit(&rows, |row| &row.models, Some(model)).map(|(_, row)| *row)
    };
    let is_named = |row: &&BreakpointRow| row.formats.iter().any(|name| name == format.name());
    fitting(&is_named).or_else(|| fitting(&|row: &&BreakpointRow| row.formats.is_empty()))
}

impl BreakpointRow {
    pub(crate) fn breakpoint_habit(&self) -> BreakpointHabit {
        BreakpointHabit { head: self.head, last_messages: self.last_messages }
    }

    pub fn describe_habit(&self) -> String {
        let head = if self.head { "after tools and system prompt, and " } else { "" };
        let last = match self.last_messages {
            1 => "at the end of the last message".to_owned(),
            n => format!("at the ends of the last {n} messages"),
        };
        format!("{head}{last}")
    }
}

impl NamedRow for BreakpointRow {
    fn row_name(&self) -> &str {
        &self.name
    }

    fn row_fault(&self) -> Option<String> {
        // Providers accept at most four.
        let n_most = u8::from(self.head) + self.last_messages;
        (self.name.is_empty() || !(1..=4).contains(&n_most))
            .then(|| "it has no `name`, or not one to four breakpoints".to_owned())
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
    fn every_row_is_understood_and_names_formats_that_there_are() {
        let (rows, problems) =
            read_rows::<BreakpointRow>(include_str!("../../breakpoints.toml"), "row", "breakpoints");
        assert_eq!((problems, rows.len()), (Vec::new(), breakpoint_rows().len()));
        for row in &rows {
            assert!(row.as_of.parse::<jiff::civil::Date>().is_ok() && !row.source.is_empty(), "{row:?}");
            assert!(row.formats.iter().all(|name| name.parse::<Format>().is_ok()), "{row:?}");
        }
    }

    #[test]
    fn models_of_anthropic_have_breakpoints_and_others_have_none() {
        let check = |format: Format, model: &str, expected: Option<(bool, u8)>| {
            let habit = breakpoint_row(format, model).map(|row| row.breakpoint_habit());
            let found = habit.map(|habit| (habit.head, habit.last_messages));
            assert_eq!(found, expected, "{format} {model}");
        };
        check(Format::ClaudeCode, "claude-opus-4-8", Some((true, 1)));
        check(Format::Pi, "anthropic/claude-sonnet-4.6", Some((true, 1)));
        check(Format::Opencode, "claude-opus-4-5", Some((true, 2)));
        check(Format::Copilot, "claude-sonnet-4", Some((true, 1)));
        check(Format::Pi, "gpt-5.4", None);
        check(Format::ClaudeCode, "glm-5.1", None);
    }
}
