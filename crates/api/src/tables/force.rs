//! The tables in force: what the program knows of the world as data, from which day it is, and which file of the user goes over it.

use std::path::Path;

use cwl_formats::default_tools;

use crate::dto::{TableDto, TablesDto};
use crate::tables::carried;
use crate::tables::models::WindowTable;
use crate::tables::prices::PriceTable;
use crate::tables::tools::{Tools, config_dir};

/// Returns the tables that answers are worked out with, those that a user may override first.
pub fn tables_in_force() -> TablesDto {
    of_folder(config_dir().as_deref())
}

fn of_folder(dir: Option<&Path>) -> TablesDto {
    let file = |name: &str| dir.map(|dir| dir.join(name));
    let own = |name: &str| {
        let file = file(name);
        let is_there = file.as_ref().is_some_and(|file| file.exists());
        (file.map(|file| file.display().to_string()), is_there)
    };
    let table =
        |name: &str, holds: &str, days: &[&str], n_rows: usize, n_own: usize, problems: Vec<String>| {
            let (own_file, is_there) = own(&format!("{name}.toml"));
            let days: Vec<&str> = days.iter().copied().filter(|day| !day.is_empty()).collect();
            TableDto {
                name: name.to_owned(),
                holds: holds.to_owned(),
                n_rows,
                n_own,
                oldest: days.iter().min().map(|day| (*day).to_owned()),
                newest: days.iter().max().map(|day| (*day).to_owned()),
                own_file,
                is_there,
                problems,
            }
        };
    let or_builtin = |name: &str| file(&format!("{name}.toml")).unwrap_or_default();
    let prices = PriceTable::of_file(&or_builtin("prices"));
    let windows = WindowTable::of_file(&or_builtin("models"));
    let tools = Tools::of_file(&or_builtin("tools"));
    let builtin = PriceTable::builtin();
    let n_prices = prices.rows().filter(|row| builtin.rows().all(|known| known != *row)).count();
    let known = default_tools();
    let n_tools =
        tools.table.classes.iter().filter(|(name, class)| known.classes.get(*name) != Some(*class)).count();
    let days: Vec<&str> = prices.rows().map(|row| row.as_of.as_str()).collect();
    let mut tables = vec![table(
        "prices",
        "what tokens cost, and how the providers' caches work",
        &days,
        days.len(),
        n_prices,
        prices.problems.clone(),
    )];
    let days: Vec<&str> = windows.rows().iter().map(|row| row.as_of.as_str()).collect();
    tables.push(table(
        "models",
        "how large the windows of models are",
        &days,
        days.len(),
        windows.n_own,
        windows.problems.clone(),
    ));
    tables.push(table(
        "tools",
        "which tool searches, reads, writes, or marks episodes",
        &[],
        tools.table.classes.len(),
        n_tools,
        tools.problems.clone(),
    ));
    tables.push(TableDto {
        name: "carried".to_owned(),
        holds: "for how long reasoning is sent back".to_owned(),
        n_rows: carried::n_rows(),
        ..TableDto::default()
    });
    TablesDto { version: env!("CARGO_PKG_VERSION").to_owned(), tables }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_table_tells_its_rows_and_the_users_own() {
        let dir = tempfile::tempdir().unwrap();
        let told = |name: &str| {
            let tables = of_folder(Some(dir.path())).tables;
            tables.into_iter().find(|table| table.name == name).unwrap()
        };
        for name in ["prices", "models", "tools"] {
            let table = told(name);
            assert!(table.n_rows > 10 && table.n_own == 0 && !table.is_there, "{table:?}");
            assert!(table.own_file.unwrap().ends_with(&format!("{name}.toml")));
        }
        assert_eq!(told("models").oldest.as_deref(), Some("2026-07-02"));
        assert!(told("carried").n_rows > 1 && told("carried").own_file.is_none());
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        write(
            "models.toml",
            "[[model]]\nname = \"mine\"\nmodels = [\"mine\"]\nwindow = 9\nas_of = \"2027-01-01\"\n",
        );
        write("prices.toml", "[[price]]\nname = \"mine\"\nmodels = [\"mine\"]\ninput = 1\noutput = 2\n");
        write("tools.toml", "[mine]\nsearch = [\"grep\", \"lookup\"]\nread = 1\n");
        let models = told("models");
        assert_eq!((models.n_own, models.is_there, models.newest.as_deref()), (1, true, Some("2027-01-01")));
        assert_eq!(told("prices").n_own, 1);
        assert_eq!((told("tools").n_own, told("tools").problems.len()), (1, 1), "grep searches as it is");
        assert!(
            of_folder(None).tables.iter().all(|table| table.own_file.is_none() && table.problems.is_empty())
        );
    }
}
