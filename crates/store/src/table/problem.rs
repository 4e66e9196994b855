//! Table `problem`, and `diagnostic`, which has the same columns: what is odd.

use cwl_engine::{BlockId, EntryId, EpisodeName, MarkField, Place, Problem, ProblemKind, ToolCallId};
use rusqlite::{Connection, Row, params};

use super::{bits, unbits};
use crate::error::Fault;

/// Whose problems.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Owner {
    /// A log: ground, table `problem`.
    Source(i64),
    /// A build of the derived tables: table `diagnostic`.
    Build(i64),
}

/// Writes problems from `first_place` on.
pub(crate) fn save(
    db: &Connection,
    owner: Owner,
    first_place: u64,
    problems: &[Problem],
) -> Result<(), Fault> {
    let (table, key, id) = match owner {
        Owner::Source(id) => ("problem", "source_id", id),
        Owner::Build(id) => ("diagnostic", "build_id", id),
    };
    let mut statement = db.prepare_cached(&format!(
        "INSERT INTO {table} ({key}, place, line, entry, block_entry, block_idx, code, severity, subject, amount,
           message)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
    ))?;
    for (nth, problem) in (0_u64..).zip(problems) {
        let place = first_place.saturating_add(nth);
        let block = problem.place.block.as_ref();
        let (subject, amount) = payload(&problem.kind);
        statement.execute(params![
            id,
            bits(place),
            problem.place.line.map(bits),
            problem.place.entry.as_ref().map(EntryId::as_str),
            block.map(|block| block.entry.as_str()),
            block.map(|block| block.index),
            problem.kind.code(),
            problem.kind.severity().name(),
            subject,
            amount.map(bits),
            problem.kind.to_string(),
        ])?;
    }
    Ok(())
}

/// Returns problems in the order in which they were found.
pub(crate) fn load(db: &Connection, owner: Owner) -> Result<Vec<Problem>, Fault> {
    let (table, key, id) = match owner {
        Owner::Source(id) => ("problem", "source_id", id),
        Owner::Build(id) => ("diagnostic", "build_id", id),
    };
    let mut statement = db.prepare_cached(&format!(
        "SELECT line, entry, block_entry, block_idx, code, subject, amount FROM {table}
         WHERE {key} = ?1 ORDER BY place"
    ))?;
    let mut rows = statement.query([id])?;
    let mut problems = Vec::new();
    while let Some(row) = rows.next()? {
        let block = match row.get::<_, Option<String>>(2)? {
            Some(entry) => Some(BlockId { entry: EntryId::new(entry), index: row.get(3)? }),
            None => None,
        };
        let entry = row.get::<_, Option<String>>(1)?.map(EntryId::new);
        let place = Place { line: row.get::<_, Option<i64>>(0)?.map(unbits), entry, block };
        problems.push(Problem { place, kind: kind(row)? });
    }
    Ok(problems)
}

/// The detail of a kind beside its code: a text, a number, or nothing.
fn payload(kind: &ProblemKind) -> (Option<&str>, Option<u64>) {
    match kind {
        ProblemKind::StartWhileOpen { open: name }
        | ProblemKind::NameReused { renamed: name }
        | ProblemKind::UnknownDependency { name }
        | ProblemKind::DependencyOnAct { name }
        | ProblemKind::DependencyNotClosed { name }
        | ProblemKind::EndNamesOther { name } => (Some(name.as_str()), None),
        ProblemKind::MalformedMark { field } => (Some(field.key()), None),
        ProblemKind::ResultWithoutCall { call }
        | ProblemKind::CallWithoutResult { call }
        | ProblemKind::ResultRepeated { call }
        | ProblemKind::CallRepeated { call } => (Some(call.as_str()), None),
        ProblemKind::NotJson { reason: text }
        | ProblemKind::UnknownRecord { record: text }
        | ProblemKind::UnknownPart { part: text }
        | ProblemKind::OddField { field: text } => (Some(text), None),
        ProblemKind::EntryRepeated { entry }
        | ProblemKind::UnknownParent { parent: entry }
        | ProblemKind::UnknownKeep { entry }
        | ProblemKind::MissingParent { parent: entry } => (Some(entry.as_str()), None),
        ProblemKind::UnknownTarget { target: text }
        | ProblemKind::MissingHistory { before: text }
        | ProblemKind::DamagedCompression { reason: text } => (Some(text), None),
        ProblemKind::UnknownVersion { version } => (None, Some(u64::from(*version))),
        ProblemKind::SeveralObjects { n_objects } => (None, Some(u64::from(*n_objects))),
        ProblemKind::LongLine { n_bytes } => (None, Some(*n_bytes)),
        ProblemKind::EndWithoutOpen
        | ProblemKind::ActWithoutDependencies
        | ProblemKind::NoDescription
        | ProblemKind::DescriptionOnAct
        | ProblemKind::DependenciesOnExploration
        | ProblemKind::NeverClosed
        | ProblemKind::NotObject
        | ProblemKind::TornLine
        | ProblemKind::LossyText
        | ProblemKind::ParentCycle
        | ProblemKind::NoHeader
        | ProblemKind::UnsureAuthor
        | ProblemKind::UnreadableSummary => (None, None),
    }
}

fn kind(row: &Row<'_>) -> Result<ProblemKind, Fault> {
    let code: String = row.get(4)?;
    let text = || -> Result<String, Fault> { Ok(row.get(5)?) };
    let boxed = || text().map(String::into_boxed_str);
    let name = || text().map(EpisodeName::new);
    let entry = || text().map(EntryId::new);
    let call = || text().map(ToolCallId::new);
    let amount = || -> Result<u64, Fault> { Ok(row.get(6).map(unbits)?) };
    Ok(match code.as_str() {
        "P001" => ProblemKind::StartWhileOpen { open: name()? },
        "P002" => ProblemKind::EndWithoutOpen,
        "P003" => ProblemKind::NameReused { renamed: name()? },
        "P004" => ProblemKind::ActWithoutDependencies,
        "P005" => ProblemKind::UnknownDependency { name: name()? },
        "P006" => ProblemKind::DependencyOnAct { name: name()? },
        "P007" => ProblemKind::DependencyNotClosed { name: name()? },
        "P008" => ProblemKind::NoDescription,
        "P009" => ProblemKind::DescriptionOnAct,
        "P010" => ProblemKind::DependenciesOnExploration,
        "P011" => ProblemKind::NeverClosed,
        "P012" => ProblemKind::MalformedMark { field: field(&text()?)? },
        "P013" => ProblemKind::EndNamesOther { name: name()? },
        "L001" => ProblemKind::NotJson { reason: boxed()? },
        "L002" => ProblemKind::NotObject,
        "L003" => ProblemKind::SeveralObjects { n_objects: row.get(6)? },
        "L004" => ProblemKind::TornLine,
        "L005" => ProblemKind::LongLine { n_bytes: amount()? },
        "L006" => ProblemKind::LossyText,
        "L007" => ProblemKind::UnknownRecord { record: boxed()? },
        "L008" => ProblemKind::UnknownPart { part: boxed()? },
        "L009" => ProblemKind::OddField { field: boxed()? },
        "L010" => ProblemKind::EntryRepeated { entry: entry()? },
        "L011" => ProblemKind::UnknownParent { parent: entry()? },
        "L012" => ProblemKind::ParentCycle,
        "L013" => ProblemKind::UnknownKeep { entry: entry()? },
        "L014" => ProblemKind::NoHeader,
        "L015" => ProblemKind::ResultWithoutCall { call: call()? },
        "L016" => ProblemKind::CallWithoutResult { call: call()? },
        "L017" => ProblemKind::ResultRepeated { call: call()? },
        "L018" => ProblemKind::CallRepeated { call: call()? },
        "L019" => ProblemKind::UnknownVersion { version: row.get(6)? },
        "L020" => ProblemKind::MissingParent { parent: entry()? },
        "L021" => ProblemKind::UnknownTarget { target: boxed()? },
        "L022" => ProblemKind::UnsureAuthor,
        "L023" => ProblemKind::UnreadableSummary,
        "L024" => ProblemKind::MissingHistory { before: boxed()? },
        "L025" => ProblemKind::DamagedCompression { reason: boxed()? },
        code => return Err(Fault::Damaged(format!("a problem of unknown code {code}"))),
    })
}

fn field(key: &str) -> Result<MarkField, Fault> {
    [MarkField::Action, MarkField::Name, MarkField::Type, MarkField::Dependencies, MarkField::Description]
        .into_iter()
        .find(|field| field.key() == key)
        .ok_or_else(|| Fault::Damaged(format!("a problem with an unknown field {key}")))
}
