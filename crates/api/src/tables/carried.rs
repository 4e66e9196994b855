//! The table of what is sent back: for how long a harness and its provider carry reasoning of earlier replies.

use std::sync::LazyLock;

use cwl_formats::Format;
use serde::Deserialize;

use crate::dto::CarriedDto;
use crate::tables::patterns::{letters, spelled};

/// The knowledge of one format and some models.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CarriedRow {
    formats: Vec<String>,
    /// Names of models, `*` for anything.
    models: Vec<String>,
    /// For how long reasoning is sent back.
    pub(crate) carried: CarriedDto,
    /// Where it is from.
    pub(crate) source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    row: Vec<CarriedRow>,
}

static ROWS: LazyLock<Vec<CarriedRow>> = LazyLock::new(|| {
    // A test reads the table, which comes with the program.
    toml::from_str(include_str!("../../carried.toml")).map(|table: Table| table.row).unwrap_or_default()
});

/// The row of everything that no row names.
static UNKNOWN: CarriedRow = CarriedRow {
    formats: Vec::new(),
    models: Vec::new(),
    carried: CarriedDto::Unknown,
    source: String::new(),
};

/// Finds the row of a format and a model.
pub(crate) fn of_model(format: Format, model: Option<&str>) -> &'static CarriedRow {
    let model = spelled(model.unwrap_or_default());
    let of_format = ROWS.iter().filter(|row| row.formats.iter().any(|name| name == format.name()));
    let best = of_format
        .filter_map(|row| Some((letters(&row.models, &model)?, row)))
        .max_by_key(|(n_letters, _)| *n_letters);
    best.map_or(&UNKNOWN, |(_, row)| row)
}

/// Returns how many rows there are.
pub(crate) fn n_rows() -> usize {
    ROWS.len()
}

/// Tells whether a format has reasoning that is carried until the human speaks again.
pub(crate) fn may_lapse(format: Format) -> bool {
    ROWS.iter().any(|row| {
        row.carried == CarriedDto::UntilHuman && row.formats.iter().any(|name| name == format.name())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_table_is_understood_and_every_row_has_a_source() {
        let table: Table = toml::from_str(include_str!("../../carried.toml")).unwrap();
        assert_eq!(table.row, *ROWS);
        for row in &table.row {
            assert!(!row.source.is_empty() && !row.models.is_empty(), "{row:?}");
            assert!(row.formats.iter().all(|name| name.parse::<Format>().is_ok()), "{row:?}");
        }
    }

    #[test]
    fn a_format_and_a_model_have_their_row_and_others_are_unknown() {
        use CarriedDto::{Always, Never, Unknown, UntilHuman};
        let check = |format: Format, model: &str, expected: CarriedDto| {
            assert_eq!(of_model(format, Some(model)).carried, expected, "{format} {model}");
        };
        check(Format::ClaudeCode, "claude-opus-4-8", Always);
        check(Format::ClaudeCode, "anthropic/claude-opus-4.6-thinking", Always);
        check(Format::ClaudeCode, "claude-sonnet-4-6", Always);
        check(Format::ClaudeCode, "claude-fable-5", Always);
        check(Format::ClaudeCode, "claude-sonnet-4-5-20250929", Unknown);
        check(Format::ClaudeCode, "claude-haiku-4-5", Unknown);
        check(Format::ClaudeCode, "glm-5.1", Unknown);
        check(Format::Pi, "claude-opus-4-5", Always);
        check(Format::Pi, "claude-opus-4-1", UntilHuman);
        check(Format::Codex, "gpt-5.3-codex", UntilHuman);
        check(Format::OpenaiChat, "o3", Never);
        check(Format::Copilot, "gpt-5.5", Unknown);
        assert_eq!(of_model(Format::Codex, None).carried, UntilHuman);
        assert!(may_lapse(Format::Codex) && !may_lapse(Format::ClaudeCode));
    }
}
