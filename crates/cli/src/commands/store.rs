//! `cwl import` and `cwl db`: the store.

use std::process::ExitCode;

use cwl_host::api::{Document, ImportAnswer};
use cwl_host::{
    check_store, default_data_dir, restore_notes, store_path, tables_in_force, vacuum_store, with_commas,
};

use super::{build_runtime, start_host};
use crate::args::{DbAct, ImportArgs};
use crate::out::{Failure, Stdout, clean_text, warn_user};
use crate::table;

pub(crate) fn import_logs(args: &ImportArgs, out: &mut Stdout) -> Result<ExitCode, Failure> {
    let runtime = build_runtime()?;
    let mut failed = false;
    runtime.block_on(async {
        // A session that is no file is searched in the harnesses' folders.
        let folders = args.files.iter().all(|file| file.exists()).then(Vec::new);
        let host = start_host(folders).await?;
        for file in &args.files {
            match host.import(file.display().to_string(), args.format.clone()).await {
                Ok(session) if args.json => {
                    out.write_json(&Document::new(ImportAnswer::from_session(&session)))?
                }
                Ok(session) => out.write_line(format!(
                    "{}  {} turns, {} blocks, {} problems  {}",
                    session.session,
                    session.n_turns.saturating_sub(1),
                    with_commas(u64::from(session.n_blocks)),
                    session.problems.len(),
                    clean_text(&session.path)
                ))?,
                Err(error) => {
                    warn_user(&error.to_string());
                    failed = true;
                }
            }
        }
        Ok::<_, Failure>(())
    })?;
    Ok(if failed { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

pub(crate) fn maintain_store(act: &DbAct, out: &mut Stdout) -> Result<ExitCode, Failure> {
    if let DbAct::Tables { name, json } = act {
        print_tables(name.as_deref(), *json, out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let data_dir = default_data_dir()?;
    match act {
        DbAct::Tables { .. } => {}
        DbAct::Path => out.write_line(store_path(&data_dir)?.display())?,
        DbAct::Restore => out.write_line(clean_text(&restore_notes(&data_dir)?))?,
        DbAct::Vacuum => out.write_line(vacuum_store(&data_dir)?)?,
        DbAct::Check => {
            let findings = check_store(&data_dir)?;
            for finding in &findings {
                out.write_line(clean_text(finding))?;
            }
            if !findings.is_empty() {
                return Ok(ExitCode::from(1));
            }
            out.write_line("the store is sound")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print_tables(name: Option<&str>, json: bool, out: &mut Stdout) -> Result<(), Failure> {
    let mut answer = tables_in_force();
    let known: Vec<String> = answer.tables.iter().map(|table| table.name.clone()).collect();
    if let Some(name) = name {
        answer.tables.retain(|table| table.name == name);
        if answer.tables.is_empty() {
            return Err(Failure::Said(format!(
                "there is no table `{name}`; tables are {}",
                known.join(", ")
            )));
        }
    }
    if json {
        return out.write_json(&Document::new(answer));
    }
    if let (Some(_), Some(one)) = (name, answer.tables.first()) {
        let mut rows = table::begin_table(&["row", "it says", "day", "yours", "source"]);
        for row in &one.rows {
            let text = |text: &Option<String>| clean_text(text.as_deref().unwrap_or("not said"));
            let yours = if row.is_own { "yes" } else { "" };
            let cells = [clean_text(&row.name), clean_text(&row.says), text(&row.as_of)];
            rows.add_row(cells.into_iter().chain([yours.to_owned(), text(&row.source)]).collect::<Vec<_>>());
        }
        table::print_table(&rows, out)?;
        one.problems.iter().for_each(|problem| warn_user(problem));
        return Ok(());
    }
    let mut rows =
        table::begin_table(&["table", "#rows", "#yours", "days", "what it holds", "your own file"]);
    for one in &answer.tables {
        let days = match (&one.oldest, &one.newest) {
            (Some(oldest), Some(newest)) if oldest != newest => format!("{oldest} to {newest}"),
            (Some(day), _) => day.clone(),
            (None, _) => String::new(),
        };
        let file = match (&one.own_file, one.is_there) {
            (Some(file), true) => clean_text(file),
            (Some(file), false) => format!("{} (none)", clean_text(file)),
            (None, _) => "cannot be changed".to_owned(),
        };
        let count = |n: usize| with_commas(n as u64);
        rows.add_row([one.name.clone(), count(one.n_rows), count(one.n_own), days, one.holds.clone(), file]);
    }
    table::print_table(&rows, out)?;
    answer.tables.iter().flat_map(|one| &one.problems).for_each(|problem| warn_user(problem));
    Ok(())
}
