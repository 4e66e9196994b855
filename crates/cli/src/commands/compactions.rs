//! `cwl compactions`: prints an audit for each recorded compaction, or a recovery text.

use std::cmp::Reverse;

use cwl_host::api::{
    BudgetOrigin, CompactionReport, CompactionsAnswer, CounterfactualRow, DetailCounts, DetailKind, Document,
    NameKind, NeededDetails, NeededNameFate, NeededNameRow, RecoveryRequest, ViewRequest,
};
use cwl_host::commands;
use cwl_host::{count_noun, with_commas};
use owo_colors::Style;

use super::report::print_title;
use crate::args::{CompactionsArgs, CompactionsSort};
use crate::out::{Failure, Stdout, clean_text, keep_first, one_line, paint_text, say_first, warn_user};
use crate::progress::with_progress;
use crate::table;

/// Maximum number of names printed per compaction; JSON has more.
const NAMES_PRINTED: usize = 15;
/// Longest name in a table and longest decision, in characters.
const NAME_CHARS: usize = 40;
const DECISION_CHARS: usize = 100;

pub(crate) fn run(args: &CompactionsArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.recorded.parse_view()?;
    let opened = args.input.load_log()?;
    args.recorded.annotation.warn_about_marks(&opened, &view)?;
    let about = commands::about(&opened, &view, BudgetOrigin::Default)?;
    if let Some(compaction) = args.recovery {
        let request = RecoveryRequest { view, compaction };
        let recovery = commands::recovery(&opened, &request)?;
        if args.json {
            return out.write_json(&Document::new(recovery).with_about(about));
        }
        warn_user(&format!(
            "{} outputs, {} characters; {} more did not fit",
            with_commas(recovery.n_blocks.into()),
            with_commas(recovery.n_chars),
            with_commas(recovery.n_left_out.into())
        ));
        return out.write_line(clean_text(recovery.text.trim_end_matches('\n')));
    }
    let request = ViewRequest { view };
    let mut audited = with_progress("auditing", |_| commands::compactions(&opened, &request))?;
    say_first(audited.price.problems.iter().cloned(), " odd entries");
    if !args.policies.is_empty() {
        keep_policies(&args.policies, &mut audited)?;
    }
    match args.sort {
        CompactionsSort::Turn => {}
        CompactionsSort::Taken => audited.compactions.sort_by_key(|one| Reverse(one.gone.tokens)),
        CompactionsSort::Again => audited.compactions.sort_by_key(|one| Reverse(one.again.tokens)),
    }
    keep_first(&mut audited.compactions, args.limit);
    if args.json {
        out.write_json(&Document::new(audited).with_about(about))
    } else {
        print_compactions(&audited, out)
    }
}

fn keep_policies(names: &[String], audited: &mut CompactionsAnswer) -> Result<(), Failure> {
    for name in names {
        let reason = match commands::needs_episodes(name)? && !audited.is_annotated {
            true => "the session has no episodes",
            false => "the policy evicts nothing, or needs marks of the agent",
        };
        let has_name = |one: &CompactionReport| one.instead.iter().any(|answer| answer.policy == *name);
        if !audited.compactions.is_empty() && !audited.compactions.iter().any(has_name) {
            warn_user(&format!("{name} takes no part: {reason}"));
        }
    }
    for one in &mut audited.compactions {
        one.instead.retain(|answer| names.contains(&answer.policy));
    }
    Ok(())
}

fn print_compactions(audited: &CompactionsAnswer, out: &mut Stdout) -> Result<(), Failure> {
    if audited.compactions.is_empty() {
        return out.write_line("no compaction: the log records none on this branch");
    }
    out.write_line(format!("sizes without what the log does not hold, counted in {}", audited.counted_by))?;
    out.write_line(clean_text(&audited.price.says))?;
    audited.compactions.iter().try_for_each(|one| print_compaction(one, out))?;
    if !audited.is_annotated {
        out.write_line("")?;
        out.write_line("policies that go by episodes take no part: there are none")?;
    }
    Ok(())
}

fn print_compaction(one: &CompactionReport, out: &mut Stdout) -> Result<(), Failure> {
    let stated = one.stated_before.map(|stated| format!(" (the log states {})", with_commas(stated)));
    print_title(
        &format!(
            "Compaction {}, before turn {} (line {}): {}{} → {} tokens",
            one.number,
            with_commas(one.turn.into()),
            with_commas(one.line),
            with_commas(one.before),
            stated.unwrap_or_default(),
            with_commas(one.after)
        ),
        out,
    )?;
    let says = &one.says;
    for sentence in [&says.gone, &says.kinds, &says.questions, &says.needed, &says.again, &says.edit] {
        out.write_line(sentence)?;
    }
    print_list("files", &one.gone.files, one.gone.n_files, out)?;
    if !one.gone.decisions.is_empty() {
        out.write_line(format!("decisions, the last {}:", one.gone.decisions.len()))?;
    }
    for decision in &one.gone.decisions {
        out.write_line(format!("    {}", one_line(decision, DECISION_CHARS)))?;
    }
    print_kinds(&one.kinds, out)?;
    print_names(&one.needed.names, one.needed.n_names, out)?;
    print_counterfactuals(&one.instead, one, out)?;
    print_shares(one, out)?;
    if one.n_recoverable > 0 {
        let blocks = with_commas(one.n_recoverable.into());
        out.write_line(format!(
            "to recover: {blocks} outputs, `cwl compactions FILE --recovery {}`",
            one.number
        ))?;
    }
    Ok(())
}

fn print_list(what: &str, items: &[String], n_all: u32, out: &mut Stdout) -> Result<(), Failure> {
    if items.is_empty() {
        return Ok(());
    }
    let more = (n_all as usize).saturating_sub(items.len());
    let more = if more > 0 { format!(", {} more", with_commas(more as u64)) } else { String::new() };
    out.write_line(format!("{what}: {}{more}", clean_text(&items.join(", "))))
}

fn kind_name(kind: DetailKind) -> &'static str {
    match kind {
        DetailKind::File => "files",
        DetailKind::Command => "commands",
        DetailKind::Number => "numbers",
        DetailKind::Error => "error texts",
        DetailKind::Decision => "decisions",
        DetailKind::Constraint => "constraints",
        DetailKind::OpenItem => "open items",
    }
}

fn print_kinds(kinds: &[DetailCounts], out: &mut Stdout) -> Result<(), Failure> {
    if kinds.iter().all(|kind| kind.n_all == 0) {
        return Ok(());
    }
    out.write_line("")?;
    let titles =
        ["stood before", "#number", "#word for word", "#named", "#lost", "#needed later", "#lost of these"];
    let mut rows = table::begin_table(&titles);
    let told = |n: Option<u32>| n.map_or_else(|| "not told".to_owned(), |n| with_commas(n.into()));
    for kind in kinds.iter().filter(|kind| kind.n_all > 0) {
        rows.add_row([
            kind_name(kind.kind).to_owned(),
            with_commas(kind.n_all.into()),
            with_commas(kind.n_literal.into()),
            match kind.kind {
                DetailKind::File | DetailKind::Command => with_commas(kind.n_named.into()),
                _ => String::new(),
            },
            told(kind.n_lost),
            with_commas(kind.n_needed.into()),
            told(kind.n_needed_lost),
        ]);
    }
    table::print_table(&rows, out)
}

fn print_shares(one: &CompactionReport, out: &mut Stdout) -> Result<(), Failure> {
    let shown: Vec<usize> = (0..one.kinds.len()).filter(|at| one.kinds[*at].n_all > 0).collect();
    if one.instead.is_empty() || shown.is_empty() {
        return Ok(());
    }
    out.write_line("")?;
    out.write_line("what remains of each kind, word for word or by name, and of all that was needed:")?;
    let short = |at: &usize| match one.kinds[*at].kind {
        DetailKind::Error => "#errors".to_owned(),
        DetailKind::OpenItem => "#open".to_owned(),
        kind => format!("#{}", kind_name(kind)),
    };
    let titles: Vec<String> = shown.iter().map(short).collect();
    let titles: Vec<&str> = ["policy"]
        .into_iter()
        .chain(titles.iter().map(String::as_str))
        .chain(["#needed", "#tokens"])
        .collect();
    let mut rows = table::begin_table(&titles);
    let mut add_row = |name: &str, kinds: &[DetailCounts], details: &NeededDetails, tokens: u64| {
        let of_kind = |at: &usize| {
            let kind = &kinds[*at];
            let is_told = kind.n_lost.is_some();
            percent_of(is_told.then_some(kind.n_literal + kind.n_named), kind.n_all)
        };
        let needed = percent_of(details.n_remain, details.n_needed);
        let cells = shown.iter().map(of_kind).chain([needed, with_commas(tokens)]);
        rows.add_row([name.to_owned()].into_iter().chain(cells).collect::<Vec<_>>());
    };
    add_row("the harness", &one.kinds, &one.details, one.after);
    for answer in &one.instead {
        add_row(&answer.policy, &answer.kinds, &answer.details, answer.tokens);
    }
    table::print_table(&rows, out)
}

fn percent_of(part: Option<u32>, whole: u32) -> String {
    match (part, u64::from(whole)) {
        (_, 0) => String::new(),
        (None, _) => "?".to_owned(),
        (Some(part), whole) => format!("{} %", (u64::from(part) * 100 + whole / 2) / whole),
    }
}

fn print_names(names: &[NeededNameRow], n_all: u32, out: &mut Stdout) -> Result<(), Failure> {
    if names.is_empty() {
        return Ok(());
    }
    out.write_line("")?;
    let mut rows = table::begin_table(&["used again", "kind", "its block", "#turn", "#uses", "#read again"]);
    for name in names.iter().take(NAMES_PRINTED) {
        let kind = match name.kind {
            NameKind::Path => "file",
            NameKind::Command => "command",
            NameKind::Symbol => "identifier",
        };
        let fate = match name.fate {
            NeededNameFate::Lost => "lost",
            NeededNameFate::Untold => "went, not told",
            NeededNameFate::Named => "lost, its name is said",
            NeededNameFate::Kept => "stayed",
        };
        rows.add_row([
            one_line(&name.name, NAME_CHARS),
            kind.to_owned(),
            fate.to_owned(),
            with_commas(name.turn.into()),
            with_commas(name.n_uses.into()),
            name.again_tokens.map(with_commas).unwrap_or_default(),
        ]);
    }
    table::print_table(&rows, out)?;
    match (n_all as usize).saturating_sub(NAMES_PRINTED) {
        0 => Ok(()),
        more => {
            out.write_line(paint_text(format!("{} more", with_commas(more as u64)), Style::new().dimmed()))
        }
    }
}

fn print_counterfactuals(
    answers: &[CounterfactualRow],
    one: &CompactionReport,
    out: &mut Stdout,
) -> Result<(), Failure> {
    if one.needed.n_names == 0 {
        return Ok(());
    }
    out.write_line("")?;
    let names = count_noun(one.needed.n_names, "name");
    out.write_line(format!("the same {names}, if a policy had evicted down to this size at this turn:"))?;
    let mut rows = table::begin_table(&["policy", "#blocks kept", "#said", "#tokens", ""]);
    rows.add_row([
        "the harness".to_owned(),
        with_commas(one.needed.n_kept.into()),
        with_commas(one.needed.n_named.into()),
        with_commas(one.after),
        String::new(),
    ]);
    for answer in answers {
        rows.add_row([
            answer.policy.clone(),
            with_commas(answer.n_kept.into()),
            with_commas(answer.n_named.into()),
            with_commas(answer.tokens),
            if answer.is_over { "cannot get down to it".to_owned() } else { String::new() },
        ]);
    }
    table::print_table(&rows, out)
}
