//! `cwl context`: prints the context that the model would receive.

use std::collections::BTreeMap;

use cwl_host::api::{BodyRequest, ContextAnswer, ContextItem, Document, FindingRow, Severity};
use cwl_host::commands;
use cwl_host::{InPieces, PageExtent, SessionSnapshot, with_commas};
use owo_colors::Style;

use crate::args::{ContextArgs, ContextFormat};
use crate::out::{Failure, Stdout, clean_text, one_line, paint_text, say_first, warn_user};
use crate::table;

pub(crate) fn run(args: &ContextArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.view.parse_view()?;
    let opened = args.input.load_log()?;
    let (view, source) = args.view.apply_budget_aloud(view, &opened);
    args.view.annotation.warn_about_marks(&opened, &view)?;
    let cut = args.cut.parse_cut(&opened, &view)?;
    if args.json {
        let about = commands::about(&opened, &view, source)?;
        return commands::context_in_pieces(&opened, &view, cut, (true, PageExtent::IN_FULL), |context| {
            out.write_json(&Document::new(context).with_about(about))
        })?;
    }
    match args.form {
        ContextFormat::List => {
            let context = commands::context(&opened, &view, cut, true, PageExtent::ALL)?;
            print_items(&context, out)?;
            print_remarks(&context);
        }
        ContextFormat::Text => {
            commands::context_in_pieces(&opened, &view, cut, (false, PageExtent::IN_FULL), |context| {
                print_context(&context, out)?;
                print_remarks(&context.answer);
                Ok::<_, Failure>(())
            })??;
        }
        form => {
            if let Some(provider) = form.request_format() {
                print_body(&opened, &BodyRequest { view, cut, provider }, out)?;
            }
        }
    }
    Ok(())
}

fn print_body(opened: &SessionSnapshot, request: &BodyRequest, out: &mut Stdout) -> Result<(), Failure> {
    let about = commands::write_body(opened, request, out.writer())??;
    out.write_line("")?;
    let violations = about.violations.iter().map(|violation| format!("refused as it stands: {violation}"));
    say_first(violations, " for which it would be refused as it stands; `--json` lists them");
    say_first(about.repairs.iter().map(|repair| format!("repaired: {repair}")), " that were repaired");
    Ok(())
}

fn print_remarks(context: &ContextAnswer) {
    let ContextAnswer { turn, step, .. } = context;
    let (total, overhead) = (with_commas(context.total), with_commas(context.overhead));
    warn_user(&format!(
        "turn {turn}, step {step}: {total} tokens, {overhead} of them not in the log; counted in {}",
        context.counted_by
    ));
    if let Some(reported) = context.reported {
        warn_user(&format!(
            "the provider reported {} for this turn's request as it was made",
            with_commas(reported)
        ));
    }
    if let Some(over) = &context.over_budget {
        let held: Vec<String> =
            over.held_by.iter().map(|(what, tokens)| format!("{what} {}", with_commas(*tokens))).collect();
        warn_user(&format!(
            "the budget cannot be met, {} tokens over: {}",
            with_commas(over.above),
            held.join(", ")
        ));
    }
    let is_grave = |finding: &&FindingRow| finding.watched || finding.severity == Severity::Error;
    say_first(context.findings.iter().filter(is_grave).map(write_finding), " findings; `--json` lists all");
    let refusals = list_refusals(context).into_iter();
    let refused =
        refusals.map(|(violation, providers)| format!("{} would refuse: {violation}", providers.join(", ")));
    say_first(refused, " that a provider would refuse; `--json` lists all");
}

pub(crate) fn write_finding(finding: &FindingRow) -> String {
    let step = finding.step.map(|step| format!(", step {step}")).unwrap_or_default();
    let block = finding.block.as_ref().map(|block| format!(", {}", clean_text(block))).unwrap_or_default();
    let line = finding.line.map(|line| format!(" (line {line})")).unwrap_or_default();
    let message = one_line(&finding.message, FINDING_CHARS);
    format!("{} {} since turn {}{step}{block}{line}: {message}", finding.code, finding.severity, finding.turn)
}

const FINDING_CHARS: usize = 200;

fn list_refusals(context: &ContextAnswer) -> Vec<(&str, Vec<&str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for of_provider in &context.violations {
        for violation in &of_provider.violations {
            let at = *places.entry(violation).or_insert_with(|| {
                found.push((violation, Vec::new()));
                found.len() - 1
            });
            // One provider may refuse the same thing twice.
            if found[at].1.last() != Some(&of_provider.provider.name()) {
                found[at].1.push(of_provider.provider.name());
            }
        }
    }
    found
}

fn item_heading(item: &ContextItem) -> String {
    let who = item.speaker_label();
    let failed = if item.failed { ", failed" } else { "" };
    format!(
        "{who}, {}{failed}, {}, {}",
        clean_text(&item.kind_label()),
        item.size_label(),
        clean_text(&item.block)
    )
}

fn print_context(context: &InPieces<'_, ContextAnswer>, out: &mut Stdout) -> Result<(), Failure> {
    for item in context.make_items() {
        let item = item?;
        out.write_line(paint_text(format!("── {}", item_heading(&item)), Style::new().dimmed()))?;
        let sent = item.placeholder.as_ref().unwrap_or(&item.text);
        if !sent.is_empty() {
            out.write_line(clean_text(sent.trim_end_matches('\n')))?;
        }
        if item.n_images > 0 {
            out.write_line(format!(
                "[{} image{}]",
                item.n_images,
                if item.n_images == 1 { "" } else { "s" }
            ))?;
        }
        out.write_line("")?;
    }
    Ok(())
}

const LIST_CHARS: usize = 60;

fn print_items(context: &ContextAnswer, out: &mut Stdout) -> Result<(), Failure> {
    let mut table = table::begin_table(&["", "block", "role", "kind", "#tokens", "why", "text"]);
    for item in &context.items {
        table.add_row([
            if item.kept { "+".to_owned() } else { "-".to_owned() },
            clean_text(&item.block),
            item.role.to_string(),
            clean_text(&item.kind_label()),
            format!("{}{}", with_commas(item.tokens), if item.derived { "*" } else { "" }),
            clean_text(&item.reason),
            one_line(&item.text, LIST_CHARS),
        ]);
    }
    table::print_table(&table, out)?;
    if context.items.iter().any(|item| item.derived) {
        warn_user("* derived from the usage that the provider reported: the log has no text of it");
    }
    Ok(())
}
