//! References made from the program's own tables: policies, formats and models.

use std::path::Path;

use cwl_discover::Roots;
use cwl_engine::Rates;
use cwl_formats::{Format, list_lookalikes};
use cwl_inspect::asked::view::find_policy;
use cwl_inspect::tables::models::WindowTable;
use cwl_inspect::tables::prices::{PriceRow, PriceTable, write_rate};

use crate::ApiError;
use crate::api::{
    FolderRow, FormatRow, FormatsAnswer, ModelRow, ModelsAnswer, PoliciesAnswer, RatesInDollars,
};
use crate::commands::session::choices;
use crate::machine::{ThisMachine, config_dir};

/// Returns all policies with their options, or one by name.
///
/// # Errors
/// If no policy has that name.
pub fn policies(name: Option<&str>) -> Result<PoliciesAnswer, ApiError> {
    let wanted = name.map(find_policy).transpose()?;
    let mut policies = choices().policies;
    policies.retain(|policy| wanted.is_none_or(|wanted| wanted.name == policy.name));
    Ok(PoliciesAnswer { policies })
}

pub fn formats() -> FormatsAnswer {
    let format =
        |format: &Format| FormatRow { name: format.name().to_owned(), about: format.about().to_owned() };
    let folder = |(harness, path): (&'static str, &Path)| FolderRow {
        harness: harness.to_owned(),
        path: path.display().to_string(),
        is_there: path.is_dir(),
    };
    FormatsAnswer {
        formats: Format::ALL.iter().map(format).collect(),
        folders: Roots::of_user().harness_places().map(folder).collect(),
        unread: list_lookalikes().into_iter().map(str::to_owned).collect(),
    }
}

/// Returns the table of prices with the user's rows. `wanted` narrows it to one model, or to names that
/// contain a text.
pub fn models(wanted: Option<&str>) -> ModelsAnswer {
    let table = PriceTable::of_user(&ThisMachine);
    let windows = WindowTable::of_user(&ThisMachine);
    let wanted = wanted.map(str::to_lowercase);
    let exact = wanted.as_deref().map(|name| table.of_model(Some(name))).filter(|(_, assumed)| !assumed);
    let is_wanted = |row: &&PriceRow| {
        let holds = |wanted: &String| row.name.to_lowercase().contains(wanted.as_str());
        wanted.as_ref().is_none_or(holds) || exact.is_some_and(|(found, _)| found.name == row.name)
    };
    ModelsAnswer {
        models: table.all_rows().filter(is_wanted).map(|row| model_row(row, &windows)).collect(),
        default: table.default_name().map(str::to_owned),
        own_file: config_dir().map(|dir| dir.join("prices.toml").display().to_string()),
        problems: table.problems.iter().chain(&windows.problems).cloned().collect(),
    }
}

fn model_row(row: &PriceRow, windows: &WindowTable) -> ModelRow {
    // An example model name: the pattern without its stars.
    let model = row.model_patterns().first().map(|pattern| pattern.replace('*', ""));
    let known = model.as_deref().and_then(|model| windows.row_of(model));
    ModelRow {
        name: row.name.clone(),
        models: row.model_patterns().to_vec(),
        window: windows.window_of(model.as_deref()),
        window_source: known.map(|row| format!("{}, {}", row.source, row.as_of)),
        prices: rates_in_dollars(row.prices.rates),
        long_above: row.prices.long.map(|(above, _)| above),
        long: row.prices.long.map(|(_, of_long)| rates_in_dollars(of_long)),
        cache_minimum: row.cache.minimum,
        cache_granularity: row.cache.granularity,
        cache_lifetime: row.cache.lifetime_ms / 1000,
        as_of: row.as_of.clone(),
        source: row.source.clone(),
    }
}

fn rates_in_dollars(
    Rates { input, cache_read, cache_write, cache_write_hour, output }: Rates,
) -> RatesInDollars {
    let [input, cache_read, cache_write, cache_write_hour, output] =
        [input, cache_read, cache_write, cache_write_hour, output].map(write_rate);
    RatesInDollars { input, cache_read, cache_write, cache_write_hour, output }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_table_is_told_whole() {
        let policies = |name| super::policies(name).map(|found| found.policies);
        let all = policies(None).unwrap();
        for policy in &all {
            assert!(policy.options.iter().all(|option| !option.sentence.is_empty()), "{}", policy.name);
            assert_eq!(policies(Some(&policy.name)).unwrap().len(), 1);
        }
        assert!(policies(Some("magic")).is_err());
        let formats = formats();
        assert_eq!(formats.formats.len(), Format::ALL.len());
        assert!(formats.formats.iter().all(|format| !format.about.is_empty()));
        assert!(formats.unread.iter().any(|name| name.contains("Goose")), "{:?}", formats.unread);
        let models = super::models(None);
        assert_eq!(models.default, None, "a model of no row has no price");
        assert!(models.models.iter().all(|row| !row.models.is_empty() && !row.source.is_empty()));
        let named = |name: &str| super::models(Some(name)).models.len();
        assert_eq!(named("claude-opus-4-5-20251101"), 1, "a model as a log names it");
        assert!(named("Opus") > 1 && named("opus") < models.models.len(), "a part of names");
        assert_eq!(named("no such model"), 0);
    }
}
