//! The retention table: how long a harness and its provider send reasoning of earlier replies back. The user's file
//! overrides rows.

use std::sync::{Arc, LazyLock};

use cwl_formats::Format;
use serde::Deserialize;

use crate::access::TableFile;
use crate::api::ReasoningRetention;
use crate::tables::patterns::{longest_fit, normalize_model};
use crate::tables::rows::{NamedRow, put_over, read_rows};

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedRow {
    pub name: String,
    pub formats: Vec<String>,
    /// Model names; `*` matches anything.
    pub models: Vec<String>,
    pub carried: ReasoningRetention,
    #[serde(default)]
    pub as_of: String,
    #[serde(default)]
    pub source: String,
}

#[derive(Debug, Clone)]
pub struct CarriedTable {
    rows: Vec<Arc<CarriedRow>>,
    /// The first `n_own` rows are the user's.
    pub n_own: usize,
    pub problems: Vec<String>,
}

static BUILTIN: LazyLock<Arc<CarriedTable>> =
    LazyLock::new(|| Arc::new(CarriedTable::of_rows(Vec::new(), Vec::new())));

static UNKNOWN: LazyLock<Arc<CarriedRow>> = LazyLock::new(|| {
    Arc::new(CarriedRow {
        name: String::new(),
        formats: Vec::new(),
        models: Vec::new(),
        carried: ReasoningRetention::Unknown,
        as_of: String::new(),
        source: String::new(),
    })
});

impl CarriedTable {
    pub fn builtin_table() -> Arc<Self> {
        BUILTIN.clone()
    }

    /// Reads a file over the built-in table. A missing file changes nothing.
    pub fn from_file(file: &TableFile) -> Arc<Self> {
        let mut own = Vec::new();
        let problems = file.read_with("what is sent back", |text| {
            let (rows, problems) = read_rows(text, "row", "what is sent back");
            own = rows;
            problems
        });
        Arc::new(Self::of_rows(own, problems))
    }

    fn of_rows(own: Vec<CarriedRow>, problems: Vec<String>) -> Self {
        // Faults are ignored: a test checks the built-in table.
        let (builtin, _) = read_rows(include_str!("../../carried.toml"), "row", "what is sent back");
        let n_own = own.len();
        let rows = put_over(own, builtin).into_iter().map(Arc::new).collect();
        Self { rows, n_own, problems }
    }

    pub fn of_model(&self, format: Format, model: Option<&str>) -> Arc<CarriedRow> {
        let model = normalize_model(model.unwrap_or_default());
        let of_format = self.rows.iter().filter(|row| row.is_of(format));
        let fitting = of_format.filter_map(|row| Some((longest_fit(&row.models, &model)?, row)));
        // The first of equally good rows wins, so the user's rows take precedence.
        let best = fitting.reduce(|best, one| if one.0 > best.0 { one } else { best });
        best.map_or(&*UNKNOWN, |(_, row)| row).clone()
    }

    pub(crate) fn may_lapse(&self, format: Format) -> bool {
        self.rows.iter().any(|row| row.carried == ReasoningRetention::UntilHuman && row.is_of(format))
    }

    pub fn all_rows(&self) -> &[Arc<CarriedRow>] {
        &self.rows
    }
}

impl CarriedRow {
    fn is_of(&self, format: Format) -> bool {
        self.formats.iter().any(|name| name == format.name())
    }
}

impl NamedRow for CarriedRow {
    fn row_name(&self) -> &str {
        &self.name
    }

    fn row_fault(&self) -> Option<String> {
        if self.name.is_empty() {
            return Some("it has no `name`".to_owned());
        }
        let unknown = self.formats.iter().find(|name| name.parse::<Format>().is_err())?;
        Some(format!("`{unknown}` is no format (cwl formats lists them)"))
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
    fn the_table_is_understood_and_every_row_has_a_source_and_a_day() {
        let (rows, problems) = read_rows::<CarriedRow>(include_str!("../../carried.toml"), "row", "x");
        assert_eq!((problems, rows.len()), (Vec::new(), CarriedTable::builtin_table().rows.len()));
        for row in &rows {
            assert!(row.as_of.parse::<jiff::civil::Date>().is_ok() && !row.source.is_empty(), "{row:?}");
            assert!(!row.models.is_empty() && !row.formats.is_empty(), "{row:?}");
            let same = rows.iter().filter(|other| other.name == row.name).count();
            assert_eq!(same, 1, "{}: a name of its own", row.name);
        }
    }

    #[test]
    fn the_users_file_goes_over_it() {
        let check = |text: &str, expected: ReasoningRetention, n_own: usize, n_problems: usize| {
            let table = CarriedTable::from_file(&TableFile::with_text("carried.toml", text));
            assert_eq!(
                table.of_model(Format::ClaudeCode, Some("claude-opus-4-8")).carried,
                expected,
                "{text}"
            );
            assert_eq!(
                (table.n_own, table.problems.len()),
                (n_own, n_problems),
                "{text}: {:?}",
                table.problems
            );
            assert!(
                table.problems.iter().all(|problem| problem.ends_with("carried.toml")),
                "the path is last"
            );
        };
        let row = |name: &str, rest: &str| {
            format!(
                "[[row]]\nname = \"{name}\"\nformats = [\"claude-code\"]\nmodels = [\"*opus-4.8*\"]\n{rest}"
            )
        };
        let never = "carried = \"never\"";
        check("", ReasoningRetention::Always, 0, 0);
        check(&row("mine", never), ReasoningRetention::Never, 1, 0);
        check(&row("", never), ReasoningRetention::Always, 0, 1);
        check(&row("mine", "carried = \"sometimes\""), ReasoningRetention::Always, 0, 1);
        check(&row("mine", never).replace("claude-code", "nothing"), ReasoningRetention::Always, 0, 1);
        check("rows = 1", ReasoningRetention::Always, 0, 1);
        check("not toml", ReasoningRetention::Always, 0, 1);
        // A row with a known name replaces that row, including the models it does not repeat.
        let newer = row("claude-code-newer", never);
        check(&newer, ReasoningRetention::Never, 1, 0);
        let table = CarriedTable::from_file(&TableFile::with_text("carried.toml", &newer));
        assert_eq!(
            table.of_model(Format::ClaudeCode, Some("claude-sonnet-4-6")).carried,
            ReasoningRetention::Unknown
        );
    }

    #[test]
    fn a_format_and_a_model_have_their_row_and_others_are_unknown() {
        use ReasoningRetention::{Always, Never, Unknown, UntilHuman};
        let table = CarriedTable::builtin_table();
        let check = |format: Format, model: &str, expected: ReasoningRetention| {
            assert_eq!(table.of_model(format, Some(model)).carried, expected, "{format} {model}");
        };
        check(Format::ClaudeCode, "claude-opus-4-8", Always);
        check(Format::ClaudeCode, "anthropic/claude-opus-4.6-thinking", Always);
        check(Format::ClaudeCode, "claude-sonnet-4-6", Always);
        check(Format::ClaudeCode, "claude-fable-5", Always);
        check(Format::ClaudeCode, "claude-opus-5", Always);
        check(Format::Pi, "claude-opus-5-20260901", Always);
        check(Format::ClaudeCode, "claude-sonnet-4-5-20250929", Unknown);
        check(Format::ClaudeCode, "claude-haiku-4-5", Unknown);
        check(Format::ClaudeCode, "glm-5.1", Unknown);
        check(Format::Pi, "claude-opus-4-5", Always);
        check(Format::Pi, "claude-opus-4-1", UntilHuman);
        check(Format::Codex, "gpt-5.3-codex", UntilHuman);
        check(Format::OpenaiChat, "o3", Never);
        check(Format::Copilot, "gpt-5.5", Unknown);
        assert_eq!(table.of_model(Format::Codex, None).carried, UntilHuman);
        assert!(table.may_lapse(Format::Codex) && !table.may_lapse(Format::ClaudeCode));
    }
}
