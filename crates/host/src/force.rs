//! The tables in force, each row with its source and date, and the user's files overriding them.

use std::path::Path;

use cwl_discover::Harnesses;
use cwl_formats::{ListSource, default_tool_sources, default_tools, known_sources, tool_sources};
use cwl_inspect::access::TableFile;
use cwl_inspect::figures::with_commas;
use cwl_inspect::tables::breakpoints::breakpoint_rows;
use cwl_inspect::tables::models::WindowTable;
use cwl_inspect::tables::pictures::picture_rows;
use cwl_inspect::tables::prices::{PriceTable, write_rate};
use cwl_inspect::tables::tools::Tools;
use cwl_redact::rule_sources;

use crate::api::{ReasoningRetention, ReferenceRow, ReferenceTable, TablesAnswer};
use crate::machine::{config_dir, read_table, tools_of_folder};

/// Returns the tables in use. Tables a user may override come first.
pub fn tables_in_force() -> TablesAnswer {
    tables_of(config_dir().as_deref())
}

pub fn tables_of(dir: Option<&Path>) -> TablesAnswer {
    let file = |name: &str| dir.map(|dir| dir.join(format!("{name}.toml")));
    let table = |name: &str| dir.map(|dir| read_table(dir, name));
    let tools = dir.map_or_else(Tools::builtin_tables, tools_of_folder);
    let owned = |table: ReferenceTable| {
        let own_file = file(&table.name);
        let is_there = own_file.as_ref().is_some_and(|file| file.exists());
        ReferenceTable { own_file: own_file.map(|file| file.display().to_string()), is_there, ..table }
    };
    let tables = vec![
        owned(prices_table(table("prices").as_ref())),
        owned(models_table(table("models").as_ref())),
        owned(of_tools(&tools, table("tools").as_ref())),
        owned(carried_table(&tools)),
        owned(folder_rows(file("folders").as_deref())),
        reference_table(
            "breakpoints",
            "where harnesses set the breakpoints of the prompt cache",
            breakpoint_rows()
                .iter()
                .map(|row| builtin_row(&row.name, row.describe_habit(), &row.as_of, &row.source))
                .collect(),
        ),
        reference_table(
            "pictures",
            "how many tokens pictures and pages of PDFs are",
            picture_rows()
                .iter()
                .map(|row| builtin_row(&row.name, row.describe_rule(), &row.as_of, &row.source))
                .collect(),
        ),
        reference_table(
            "records",
            "which records, attachments and injected texts harnesses write",
            known_sources().map(|one| list_row(one, "names", false)).collect(),
        ),
        reference_table(
            "secrets",
            "how secrets look that exports leave out",
            rule_sources()
                .into_iter()
                .map(|one| ReferenceRow {
                    name: one.name.to_owned(),
                    says: format!("{} rules", one.n_rules),
                    as_of: non_empty(one.as_of),
                    source: non_empty(one.source),
                    is_own: false,
                })
                .collect(),
        ),
    ];
    TablesAnswer { version: env!("CARGO_PKG_VERSION").to_owned(), tables }
}

fn prices_table(file: Option<&TableFile>) -> ReferenceTable {
    let builtin = PriceTable::builtin_table();
    let table_of_user = file.map_or_else(PriceTable::builtin_table, PriceTable::from_file);
    let row = |row: &cwl_inspect::tables::prices::PriceRow| {
        let rates = row.prices.rates;
        ReferenceRow {
            name: row.name.clone(),
            says: format!("{} in, {} out", write_rate(rates.input), write_rate(rates.output)),
            as_of: non_empty(&row.as_of),
            source: non_empty(&row.source),
            is_own: builtin.all_rows().all(|known| known != row),
        }
    };
    let rows = table_of_user.all_rows().map(row).collect();
    let holds = "what tokens cost, in dollars per million, and how the providers' caches work";
    ReferenceTable { problems: table_of_user.problems.clone(), ..reference_table("prices", holds, rows) }
}

fn models_table(file: Option<&TableFile>) -> ReferenceTable {
    let windows = file.map_or_else(WindowTable::builtin_table, WindowTable::from_file);
    let rows = windows.all_rows().iter().enumerate().map(|(at, row)| ReferenceRow {
        name: row.name.clone(),
        says: with_commas(row.window),
        as_of: non_empty(&row.as_of),
        source: non_empty(&row.source),
        is_own: at < windows.n_own,
    });
    let rows = rows.collect();
    ReferenceTable {
        problems: windows.problems,
        ..reference_table("models", "how large the windows of models are, in tokens", rows)
    }
}

/// Lists the tool table. Rows are harnesses; `n_rows` and `n_own` count tool names.
fn of_tools(tools: &Tools, file: Option<&TableFile>) -> ReferenceTable {
    let text = file.and_then(|file| file.text.as_ref().ok()?.as_deref());
    let own = text.map(tool_sources).unwrap_or_default();
    let own = own.into_iter().map(|one| list_row(one, "names", true));
    let rows =
        own.chain(default_tool_sources().into_iter().map(|one| list_row(one, "names", false))).collect();
    let known = default_tools();
    let is_own = |(name, class): &(&String, &_)| known.classes.get(*name) != Some(*class);
    ReferenceTable {
        n_rows: tools.table.classes.len(),
        n_own: tools.table.classes.iter().filter(is_own).count(),
        problems: tools
            .problems
            .iter()
            .filter(|problem| !tools.carried.problems.contains(problem))
            .cloned()
            .collect(),
        ..reference_table("tools", "which tool searches, reads, writes, or marks episodes", rows)
    }
}

fn carried_table(tools: &Tools) -> ReferenceTable {
    let table_of_user = &tools.carried;
    let rows = table_of_user.all_rows().iter().enumerate().map(|(at, row)| {
        let carried = match row.carried {
            ReasoningRetention::Always => "always",
            ReasoningRetention::UntilHuman => "until the human speaks",
            ReasoningRetention::Never => "never",
            ReasoningRetention::Unknown => "not known",
        };
        ReferenceRow {
            name: row.name.clone(),
            says: format!("{carried}: {} of {}", row.models.join(" "), row.formats.join(", ")),
            as_of: non_empty(&row.as_of),
            source: non_empty(&row.source),
            is_own: at < table_of_user.n_own,
        }
    });
    let rows = rows.collect();
    ReferenceTable {
        problems: table_of_user.problems.clone(),
        ..reference_table("carried", "for how long reasoning is sent back", rows)
    }
}

fn builtin_row(name: &str, says: String, as_of: &str, source: &str) -> ReferenceRow {
    ReferenceRow {
        name: name.to_owned(),
        says,
        as_of: non_empty(as_of),
        source: non_empty(source),
        is_own: false,
    }
}

fn folder_rows(file: Option<&Path>) -> ReferenceTable {
    let harnesses = file.map_or_else(|| Harnesses::builtin_table().clone(), Harnesses::of_file);
    let rows = harnesses.rows.iter().enumerate().map(|(at, row)| ReferenceRow {
        name: row.name.clone(),
        says: row.describe_place(),
        as_of: non_empty(&row.as_of),
        source: non_empty(&row.source),
        is_own: at < harnesses.n_own,
    });
    let rows = rows.collect();
    ReferenceTable {
        problems: harnesses.problems(),
        ..reference_table("folders", "where harnesses keep their logs", rows)
    }
}

fn reference_table(name: &str, holds: &str, rows: Vec<ReferenceRow>) -> ReferenceTable {
    let days = || rows.iter().filter_map(|row| row.as_of.as_deref());
    ReferenceTable {
        name: name.to_owned(),
        holds: holds.to_owned(),
        n_rows: rows.len(),
        n_own: rows.iter().filter(|row| row.is_own).count(),
        oldest: days().min().map(str::to_owned),
        newest: days().max().map(str::to_owned),
        rows,
        ..ReferenceTable::default()
    }
}

fn list_row(one: ListSource, unit: &str, is_own: bool) -> ReferenceRow {
    let says = format!("{} {unit}", one.n_names);
    ReferenceRow {
        name: one.name,
        says,
        as_of: non_empty(&one.as_of),
        source: non_empty(&one.source),
        is_own,
    }
}

fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_row_of_the_program_has_a_source_and_a_day() {
        for table in tables_of(None).tables {
            assert!(table.own_file.is_none() && table.problems.is_empty() && table.n_own == 0, "{table:?}");
            assert!(table.rows.len() > 1 && table.oldest.is_some(), "{}", table.name);
            for row in &table.rows {
                let day = row.as_of.as_ref().unwrap().parse::<jiff::civil::Date>();
                assert!(
                    day.is_ok() && row.source.is_some() && !row.says.is_empty(),
                    "{}: {row:?}",
                    table.name
                );
            }
        }
    }

    #[test]
    fn each_table_tells_its_rows_and_the_users_own() {
        let dir = tempfile::tempdir().unwrap();
        let told = |name: &str| {
            let tables = tables_of(Some(dir.path())).tables;
            tables.into_iter().find(|table| table.name == name).unwrap()
        };
        for name in ["prices", "models", "tools", "carried", "folders"] {
            let table = told(name);
            assert!(table.n_rows > 5 && table.n_own == 0 && !table.is_there, "{table:?}");
            assert!(table.own_file.unwrap().ends_with(&format!("{name}.toml")));
        }
        assert_eq!(told("models").oldest.as_deref(), Some("2026-07-02"));
        for name in ["breakpoints", "pictures", "records", "secrets"] {
            assert!(told(name).own_file.is_none(), "{name}");
        }
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        write(
            "models.toml",
            "[[model]]\nname = \"mine\"\nmodels = [\"mine\"]\nwindow = 9\nas_of = \"2027-01-01\"\n",
        );
        write("prices.toml", "[[price]]\nname = \"mine\"\nmodels = [\"mine\"]\ninput = 1\noutput = 2\n");
        write("tools.toml", "[mine]\nsource = \"my own\"\nsearch = [\"grep\", \"lookup\"]\nread = 1\n");
        write(
            "carried.toml",
            "[[row]]\nname = \"codex\"\nformats = [\"codex\"]\nmodels = [\"*\"]\ncarried = \"never\"\nodd = 1\n",
        );
        let models = told("models");
        assert_eq!((models.n_own, models.is_there, models.newest.as_deref()), (1, true, Some("2027-01-01")));
        let prices = told("prices");
        let first = &prices.rows[0];
        assert_eq!(
            (first.name.as_str(), first.says.as_str(), first.is_own),
            ("mine", "1.00 in, 2.00 out", true)
        );
        assert_eq!((prices.n_own, &first.source), (1, &None));
        let tools = told("tools");
        assert_eq!((tools.n_own, tools.problems.len()), (1, 1), "grep searches as it is");
        assert_eq!(tools.rows[0].source.as_deref(), Some("my own"));
        let carried = told("carried");
        assert_eq!((carried.n_own, carried.problems.len()), (0, 1), "{carried:?}");
        write(
            "carried.toml",
            "[[row]]\nname = \"codex\"\nformats = [\"codex\"]\nmodels = [\"*\"]\ncarried = \"never\"\n",
        );
        write(
            "folders.toml",
            "[[harness]]\nname = \"codex\"\nhomes = [{ folder = \"/b\" }]\nsessions = [\"s\"]\nlayout = \"any\"\n",
        );
        let folders = told("folders");
        assert_eq!((folders.n_own, folders.rows[0].says.as_str()), (1, "s in /b"));
        let carried = told("carried");
        assert_eq!((carried.n_own, carried.rows[0].says.as_str()), (1, "never: * of codex"));
        assert_eq!(carried.rows.iter().filter(|row| row.name == "codex").count(), 1);
    }
}
