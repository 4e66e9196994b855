//! `cwl compactions`: prints the audit of every compaction that the log records, or the text to recover one by.

use std::cmp::Reverse;

use cwl_api::commands;
use cwl_api::dto::{
    BudgetSourceDto, CompactionDto, CompactionsDto, DocumentDto, InsteadDto, NameKindDto, NeededFateDto,
    NeededNameDto, RecoveryRequest, ViewRequest,
};
use cwl_api::grouped;
use owo_colors::Style;

use super::report::title;
use crate::args::{CompactionsArgs, CompactionsSort};
use crate::out::{Failure, Out, clean, keep, one_line, paint, say, say_first};
use crate::progress::during;
use crate::table;

/// The most names that are printed of one compaction; JSON has more.
const NAMES_PRINTED: usize = 15;
/// The most characters of a name in a table, and of a decision.
const NAME_CHARS: usize = 60;
const DECISION_CHARS: usize = 100;

pub(crate) fn run(args: &CompactionsArgs, out: &mut Out) -> Result<(), Failure> {
    let view = args.recorded.view()?;
    let opened = args.input.load()?;
    args.recorded.annotation.say(&opened, &view)?;
    let about = commands::about(&opened, &view, BudgetSourceDto::Default)?;
    if let Some(compaction) = args.recovery {
        let request = RecoveryRequest { session: 0, view, compaction };
        let recovery = commands::recovery(&opened, &request)?;
        if args.json {
            return out.json(&DocumentDto::new(recovery).about(about));
        }
        say(&format!(
            "{} outputs, {} characters; {} more did not fit",
            grouped(recovery.n_blocks.into()),
            grouped(recovery.n_chars),
            grouped(recovery.n_left_out.into())
        ));
        return out.line(clean(recovery.text.trim_end_matches('\n')));
    }
    let request = ViewRequest { session: 0, view };
    let mut audited = during("auditing", |_| commands::compactions(&opened, &request))?;
    say_first(audited.price.problems.iter().cloned(), " odd entries");
    match args.sort {
        CompactionsSort::Turn => {}
        CompactionsSort::Taken => audited.compactions.sort_by_key(|one| Reverse(one.gone.tokens)),
        CompactionsSort::Again => audited.compactions.sort_by_key(|one| Reverse(one.again.tokens)),
    }
    keep(&mut audited.compactions, args.limit);
    if args.json { out.json(&DocumentDto::new(audited).about(about)) } else { text(&audited, out) }
}

fn text(audited: &CompactionsDto, out: &mut Out) -> Result<(), Failure> {
    if audited.compactions.is_empty() {
        return out.line("no compaction: the log records none on this branch");
    }
    out.line(format!("sizes without what the log does not hold, counted by {}", audited.counted_by))?;
    out.line(clean(&audited.price.says))?;
    audited.compactions.iter().try_for_each(|one| compaction(one, out))?;
    if !audited.is_annotated {
        out.line("")?;
        out.line("policies that go by episodes take no part: there are none")?;
    }
    Ok(())
}

fn compaction(one: &CompactionDto, out: &mut Out) -> Result<(), Failure> {
    let stated = one.stated_before.map(|stated| format!(" (the log states {})", grouped(stated)));
    title(
        &format!(
            "Compaction {}, before turn {} (line {}): {}{} → {} tokens",
            one.number,
            grouped(one.turn.into()),
            grouped(one.line),
            grouped(one.before),
            stated.unwrap_or_default(),
            grouped(one.after)
        ),
        out,
    )?;
    let says = &one.says;
    for sentence in [&says.gone, &says.needed, &says.again, &says.edit] {
        out.line(sentence)?;
    }
    list("files", &one.gone.files, one.gone.n_files, out)?;
    if !one.gone.decisions.is_empty() {
        out.line(format!("decisions, the last {}:", one.gone.decisions.len()))?;
    }
    for decision in &one.gone.decisions {
        out.line(format!("    {}", one_line(decision, DECISION_CHARS)))?;
    }
    names(&one.needed.names, one.needed.n_names, out)?;
    instead(&one.instead, one, out)?;
    if one.n_recoverable > 0 {
        let blocks = grouped(one.n_recoverable.into());
        out.line(format!("to recover: {blocks} outputs, `cwl compactions FILE --recovery {}`", one.number))?;
    }
    Ok(())
}

fn list(what: &str, items: &[String], n_all: u32, out: &mut Out) -> Result<(), Failure> {
    if items.is_empty() {
        return Ok(());
    }
    let more = (n_all as usize).saturating_sub(items.len());
    let more = if more > 0 { format!(", {} more", grouped(more as u64)) } else { String::new() };
    out.line(format!("{what}: {}{more}", clean(&items.join(", "))))
}

fn names(names: &[NeededNameDto], n_all: u32, out: &mut Out) -> Result<(), Failure> {
    if names.is_empty() {
        return Ok(());
    }
    out.line("")?;
    let mut rows = table::begin(&["used again", "kind", "its block", "#turn", "#uses", "#got again"]);
    for name in names.iter().take(NAMES_PRINTED) {
        let kind = match name.kind {
            NameKindDto::File => "file",
            NameKindDto::Command => "command",
            NameKindDto::Symbol => "identifier",
        };
        let fate = match name.fate {
            NeededFateDto::Lost => "lost",
            NeededFateDto::Named => "lost, its name is said",
            NeededFateDto::Kept => "stayed",
        };
        rows.add_row([
            one_line(&name.name, NAME_CHARS),
            kind.to_owned(),
            fate.to_owned(),
            grouped(name.turn.into()),
            grouped(name.n_uses.into()),
            name.again_tokens.map(grouped).unwrap_or_default(),
        ]);
    }
    table::print(&rows, out)?;
    match (n_all as usize).saturating_sub(NAMES_PRINTED) {
        0 => Ok(()),
        more => out.line(paint(format!("{} more", grouped(more as u64)), Style::new().dimmed())),
    }
}

fn instead(answers: &[InsteadDto], one: &CompactionDto, out: &mut Out) -> Result<(), Failure> {
    if one.needed.n_names == 0 {
        return Ok(());
    }
    out.line("")?;
    let n_names = grouped(one.needed.n_names.into());
    out.line(format!("of these {n_names} names, had a policy been asked at this turn for this size:"))?;
    let mut rows = table::begin(&["policy", "#blocks kept", "#said", "#tokens", ""]);
    rows.add_row([
        "the harness".to_owned(),
        grouped(one.needed.n_kept.into()),
        grouped(one.needed.n_named.into()),
        grouped(one.after),
        String::new(),
    ]);
    for answer in answers {
        rows.add_row([
            answer.policy.clone(),
            grouped(answer.n_kept.into()),
            grouped(answer.n_named.into()),
            grouped(answer.tokens),
            if answer.is_over { "cannot get down to it".to_owned() } else { String::new() },
        ]);
    }
    table::print(&rows, out)
}
