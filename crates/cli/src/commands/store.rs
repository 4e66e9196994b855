//! `cwl import` and `cwl db`: the store.

use std::process::ExitCode;

use cwl_api::dto::{DocumentDto, ImportedDto};
use cwl_api::{
    check_store, default_data_dir, grouped, restore_notes, store_path, tables_in_force, vacuum_store,
};

use super::{host, runtime};
use crate::args::{DbAct, ImportArgs};
use crate::out::{Failure, Out, clean, say};
use crate::table;

pub(crate) fn import(args: &ImportArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let runtime = runtime()?;
    let mut failed = false;
    runtime.block_on(async {
        // A session that is no file is found in the folders of the harnesses.
        let folders = args.files.iter().all(|file| file.exists()).then(Vec::new);
        let host = host(folders).await?;
        for file in &args.files {
            match host.import(file.display().to_string(), args.format.clone()).await {
                Ok(session) if args.json => out.json(&DocumentDto::new(ImportedDto::of(&session)))?,
                Ok(session) => out.line(format!(
                    "{}  {} turns, {} blocks, {} problems  {}",
                    session.session,
                    session.n_turns.saturating_sub(1),
                    grouped(u64::from(session.n_blocks)),
                    session.problems.len(),
                    clean(&session.path)
                ))?,
                Err(error) => {
                    say(&error.to_string());
                    failed = true;
                }
            }
        }
        Ok::<_, Failure>(())
    })?;
    Ok(if failed { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

pub(crate) fn db(act: &DbAct, out: &mut Out) -> Result<ExitCode, Failure> {
    if let DbAct::Tables { name, json } = act {
        tables(name.as_deref(), *json, out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let data_dir = default_data_dir()?;
    match act {
        DbAct::Tables { .. } => {}
        DbAct::Path => out.line(store_path(&data_dir)?.display())?,
        DbAct::Restore => out.line(clean(&restore_notes(&data_dir)?))?,
        DbAct::Vacuum => out.line(vacuum_store(&data_dir)?)?,
        DbAct::Check => {
            let findings = check_store(&data_dir)?;
            for finding in &findings {
                out.line(clean(finding))?;
            }
            if !findings.is_empty() {
                return Ok(ExitCode::from(1));
            }
            out.line("the store is sound")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists the tables in force, or the rows of one, and says what is odd about the user's own files.
fn tables(name: Option<&str>, json: bool, out: &mut Out) -> Result<(), Failure> {
    let mut told = tables_in_force();
    let known: Vec<String> = told.tables.iter().map(|table| table.name.clone()).collect();
    if let Some(name) = name {
        told.tables.retain(|table| table.name == name);
        if told.tables.is_empty() {
            return Err(Failure::Said(format!(
                "there is no table `{name}`; tables are {}",
                known.join(", ")
            )));
        }
    }
    if json {
        return out.json(&DocumentDto::new(told));
    }
    if let (Some(_), Some(one)) = (name, told.tables.first()) {
        let mut rows = table::begin(&["row", "it says", "day", "yours", "source"]);
        for row in &one.rows {
            let text = |text: &Option<String>| clean(text.as_deref().unwrap_or("not said"));
            let yours = if row.is_own { "yes" } else { "" };
            let cells = [clean(&row.name), clean(&row.says), text(&row.as_of)];
            rows.add_row(cells.into_iter().chain([yours.to_owned(), text(&row.source)]).collect::<Vec<_>>());
        }
        table::print(&rows, out)?;
        one.problems.iter().for_each(|problem| say(problem));
        return Ok(());
    }
    let mut rows = table::begin(&["table", "#rows", "#yours", "days", "what it holds", "your own file"]);
    for one in &told.tables {
        let days = match (&one.oldest, &one.newest) {
            (Some(oldest), Some(newest)) if oldest != newest => format!("{oldest} to {newest}"),
            (Some(day), _) => day.clone(),
            (None, _) => String::new(),
        };
        let file = match (&one.own_file, one.is_there) {
            (Some(file), true) => clean(file),
            (Some(file), false) => format!("{} (none)", clean(file)),
            (None, _) => "cannot be changed".to_owned(),
        };
        let count = |n: usize| grouped(n as u64);
        rows.add_row([one.name.clone(), count(one.n_rows), count(one.n_own), days, one.holds.clone(), file]);
    }
    table::print(&rows, out)?;
    told.tables.iter().flat_map(|one| &one.problems).for_each(|problem| say(problem));
    Ok(())
}
