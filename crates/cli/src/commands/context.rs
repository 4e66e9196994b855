//! `cwl context`: prints the context that the model would receive.

use std::collections::BTreeMap;

use cwl_api::commands;
use cwl_api::dto::{BodyRequest, ContextDto, DocumentDto, FindingDto, ItemDto, SeverityDto, ViewDto};
use cwl_api::{Extent, InPieces, Opened, grouped};
use owo_colors::Style;

use crate::args::{As, ContextArgs};
use crate::out::{Failure, Out, clean, one_line, paint, say, say_first};
use crate::table;

pub(crate) fn run(args: &ContextArgs, out: &mut Out) -> Result<(), Failure> {
    let view = args.view.view()?;
    let opened = args.input.load()?;
    let (view, source) = args.view.said(view, &opened);
    args.view.annotation.say(&opened, &view)?;
    let cut = args.cut.cut(&opened, &view)?;
    if args.json {
        let about = commands::about(&opened, &view, source)?;
        return commands::context_in_pieces(&opened, &view, cut, (true, Extent::IN_FULL), |context| {
            out.json(&DocumentDto::new(context).about(about))
        })?;
    }
    match args.form {
        As::List => {
            let context = commands::context(&opened, &view, cut, true, Extent::ALL)?;
            list(&context, out)?;
            remarks(&context, &view);
        }
        As::Text => {
            commands::context_in_pieces(&opened, &view, cut, (false, Extent::IN_FULL), |context| {
                text(&context, out)?;
                remarks(&context.answer, &view);
                Ok::<_, Failure>(())
            })??;
        }
        form => {
            if let Some(provider) = form.provider() {
                post(&opened, &BodyRequest { session: 0, view, cut, provider }, out)?;
            }
        }
    }
    Ok(())
}

/// Prints the request as it would be posted, and says which repairs it needed.
fn post(opened: &Opened, request: &BodyRequest, out: &mut Out) -> Result<(), Failure> {
    let about = commands::write_body(opened, request, out.writer())??;
    out.line("")?;
    let violations = about.violations.iter().map(|violation| format!("refused as it stands: {violation}"));
    say_first(violations, " for which it would be refused as it stands; `--json` lists them");
    say_first(about.repairs.iter().map(|repair| format!("repaired: {repair}")), " that were repaired");
    Ok(())
}

/// Says on standard error how large the context is, how far over the budget, and why providers would refuse it.
fn remarks(context: &ContextDto, view: &ViewDto) {
    let ContextDto { turn, step, .. } = context;
    let (total, tokenizer, overhead) = (grouped(context.total), &view.tokenizer, grouped(context.overhead));
    say(&format!(
        "turn {turn}, step {step}: {total} tokens by {tokenizer}, {overhead} of them not in the log"
    ));
    if let Some(reported) = context.reported {
        say(&format!("the provider reported {} for this turn's request as it was made", grouped(reported)));
    }
    if let Some(over) = &context.over_budget {
        let held: Vec<String> =
            over.held_by.iter().map(|(what, tokens)| format!("{what} {}", grouped(*tokens))).collect();
        say(&format!("the budget cannot be met, {} tokens over: {}", grouped(over.above), held.join(", ")));
    }
    let is_grave = |finding: &&FindingDto| finding.watched || finding.severity == SeverityDto::Error;
    say_first(context.findings.iter().filter(is_grave).map(found), " findings; `--json` lists all");
    let refusals = refusals(context).into_iter();
    let refused =
        refusals.map(|(violation, providers)| format!("{} would refuse: {violation}", providers.join(", ")));
    say_first(refused, " that a provider would refuse; `--json` lists all");
}

/// Writes a finding of the verification with its turn, block and line.
pub(crate) fn found(finding: &FindingDto) -> String {
    let step = finding.step.map(|step| format!(", step {step}")).unwrap_or_default();
    let block = finding.block.as_ref().map(|block| format!(", {}", clean(block))).unwrap_or_default();
    let line = finding.line.map(|line| format!(" (line {line})")).unwrap_or_default();
    let message = one_line(&finding.message, FINDING_CHARS);
    format!("{} {} since turn {}{step}{block}{line}: {message}", finding.code, finding.severity, finding.turn)
}

/// The most characters of a finding's sentence.
const FINDING_CHARS: usize = 200;

/// Returns each violation once, with all providers that would refuse it.
fn refusals(context: &ContextDto) -> Vec<(&str, Vec<&str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for of_provider in &context.violations {
        for violation in &of_provider.violations {
            let at = *places.entry(violation).or_insert_with(|| {
                found.push((violation, Vec::new()));
                found.len() - 1
            });
            // One provider may refuse the same twice; the words are the same.
            if found[at].1.last() != Some(&of_provider.provider.name()) {
                found[at].1.push(of_provider.provider.name());
            }
        }
    }
    found
}

fn heading(item: &ItemDto) -> String {
    let who = item.speaker();
    let tool = item.tool.as_deref().map(|tool| format!(" {}", clean(tool))).unwrap_or_default();
    let failed = if item.failed { ", failed" } else { "" };
    format!("{who}, {}{tool}{failed}, {}, {}", item.kind, item.size(), clean(&item.block))
}

fn text(context: &InPieces<'_, ContextDto>, out: &mut Out) -> Result<(), Failure> {
    for item in context.items() {
        let item = item?;
        out.line(paint(format!("── {}", heading(&item)), Style::new().dimmed()))?;
        let sent = item.placeholder.as_ref().unwrap_or(&item.text);
        if !sent.is_empty() {
            out.line(clean(sent.trim_end_matches('\n')))?;
        }
        if item.n_images > 0 {
            out.line(format!("[{} image{}]", item.n_images, if item.n_images == 1 { "" } else { "s" }))?;
        }
        out.line("")?;
    }
    Ok(())
}

/// The most characters of a text in the list.
const LIST_CHARS: usize = 60;

fn list(context: &ContextDto, out: &mut Out) -> Result<(), Failure> {
    let mut table = table::begin(&["", "block", "role", "kind", "#tokens", "why", "text"]);
    for item in &context.items {
        let tool = item.tool.as_deref().map(|tool| format!(" {}", clean(tool))).unwrap_or_default();
        table.add_row([
            if item.kept { "+".to_owned() } else { "-".to_owned() },
            clean(&item.block),
            item.role.to_string(),
            format!("{}{tool}", item.kind),
            format!("{}{}", grouped(item.tokens), if item.derived { "*" } else { "" }),
            clean(&item.reason),
            one_line(&item.text, LIST_CHARS),
        ]);
    }
    table::print(&table, out)?;
    if context.items.iter().any(|item| item.derived) {
        say("* derived from the usage that the provider reported: the log has no text of it");
    }
    Ok(())
}
