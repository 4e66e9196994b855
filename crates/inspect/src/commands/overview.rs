//! The overview: what happened in a session, in tokens and money.

use std::collections::BTreeMap;

use cwl_engine::{BlockIdx, ReplacementCause, Session, TurnIdx, reported_turns};

use crate::ApiError;
use crate::api::{
    CacheRules, ConsumerRow, CostAnswer, CostRequest, MissRow, OverviewAnswer, OverviewLine,
    OverviewLineKind, ViewRequest,
};
use crate::commands::compactions::{needed_names, removed_content};
use crate::commands::replay::{full_totals, replaced_before};
use crate::figures::{count_noun, saturate_u32, with_commas};
use crate::measure::compactions::Compactions;
use crate::measure::measured::{Terms, write_dollars};
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::measure::sizes::reported_prompts;
use crate::present::consumers::{
    BlockPresence, Consumer, RepeatedReads, consumers_by_file, consumers_by_kind, largest_consumers,
    repeated_reads,
};
use crate::present::item::call_subjects;

const CONSUMERS_LISTED: usize = 12;
const MISSES_LISTED: usize = 100;

/// Returns what happened in the session on a view's branch; the view's policy and budget do not matter.
///
/// # Errors
/// If the view is not understood, and those of the texts.
pub fn overview(opened: &SessionSnapshot, request: &ViewRequest) -> Result<OverviewAnswer, ApiError> {
    let audits = Compactions::audit(opened, &request.view)?;
    let run = &audits.run;
    let session = &run.branch.session;
    let terms = Terms::look_up(opened, &CacheRules::default());
    let of_cost = CostRequest { view: request.view.clone(), cache: CacheRules::default() };
    let cost = super::reported_cost(opened, &of_cost)?;
    let presence = BlockPresence::of_history(session, &run.branch.growth);
    let repeated = repeated_reads(run, &audits.material, &presence);
    let reported: Vec<u64> = reported_prompts(session).into_iter().map(Option::unwrap_or_default).collect();
    let counted = full_totals(run);
    let window = opened.window_of_shares("100%")?;
    let lines = [
        cost_line(&cost),
        fullest_line(&reported, &counted, window),
        compactions_line(opened, &audits)?,
        clearings_line(session),
        hidden_line(run),
        repeated_line(opened, run, &repeated),
    ];
    let mut replaced_turns = replaced_before(run, ReplacementCause::Compaction);
    replaced_turns.extend(replaced_before(run, ReplacementCause::Clearing));
    replaced_turns.sort_unstable();
    replaced_turns.dedup();
    let consumers = consumers_by_kind(run, &presence);
    let sent = consumers.iter().map(|one| one.sent).fold(0, u64::saturating_add);
    let in_answer = |found: Vec<Consumer>| -> Vec<ConsumerRow> {
        let (listed, others) = largest_consumers(found, CONSUMERS_LISTED);
        listed.into_iter().chain(others).map(|one| consumer_row(opened, run, one, sent)).collect()
    };
    let files = file_consumers(opened, run, &presence)?;
    let mut misses = cost.misses;
    let n_misses = saturate_u32(misses.len());
    keep_dearest(&mut misses);
    Ok(OverviewAnswer {
        revision: opened.revision(),
        counted_by: run.counted_by(),
        lines: lines.into_iter().flatten().collect(),
        cost: request_costs(session, &terms),
        reported,
        counted,
        replaced_turns,
        window,
        sent,
        consumers: in_answer(consumers),
        files: in_answer(files),
        misses,
        n_misses,
    })
}

fn line(kind: OverviewLineKind, says: String) -> OverviewLine {
    OverviewLine { kind, says, turn: None, block: None, line: None }
}

fn cost_line(cost: &CostAnswer) -> Option<OverviewLine> {
    let nothing = cost.n_reported == 0 && cost.n_summaries == 0 && !cost.of_totals;
    let says = match (&cost.unpriced, nothing) {
        (_, true) if cost.n_requests == 0 => return None,
        (_, true) => "The log reports no usage, so the cost of the session is not known.".to_owned(),
        (Some(unpriced), _) if cost.reported.total_cost == 0 => {
            format!("The cost of the session is not known: {}.", unpriced.says)
        }
        (unpriced, _) => {
            let missed = match cost.missed_cost {
                // Less than half a cent reads as $0.00.
                0..5_000 => String::new(),
                missed => format!(
                    "; {} of it paid for what {} did not read from the prompt cache",
                    write_dollars(missed),
                    count_noun(saturate_u32(cost.misses.len()), "request")
                ),
            };
            let unpriced =
                unpriced.as_ref().map(|unpriced| format!(" {}.", unpriced.says)).unwrap_or_default();
            format!("The session cost {}{missed}.{unpriced}", write_dollars(cost.reported.total_cost))
        }
    };
    Some(line(OverviewLineKind::Cost, says))
}

fn fullest_line(reported: &[u64], counted: &[u64], window: Option<u64>) -> Option<OverviewLine> {
    let largest = |sizes: &[u64]| {
        (1u32..).zip(sizes.iter().copied()).max_by_key(|(turn, size)| (*size, std::cmp::Reverse(*turn)))
    };
    let ((turn, size), verb) = match largest(reported)? {
        (_, 0) => (largest(counted)?, "counts"),
        fullest => (fullest, "held"),
    };
    let of_window = match window.filter(|window| *window > 0) {
        Some(window) => {
            let share = size.saturating_mul(100) / window;
            format!("{} of the {} tokens of the window ({share} %)", with_commas(size), with_commas(window))
        }
        None => count_noun(size, "token"),
    };
    let says = format!("The fullest request, at turn {}, {verb} {of_window}.", with_commas(turn.into()));
    Some(OverviewLine { turn: Some(turn), ..line(OverviewLineKind::Fullest, says) })
}

fn compactions_line(opened: &SessionSnapshot, all: &Compactions) -> Result<Option<OverviewLine>, ApiError> {
    let (mut n_taken, mut n_needed, mut n_lost, mut n_untold) = (0u32, 0u32, 0u32, 0u32);
    for audit in &all.audits {
        let gone = removed_content(all, audit);
        let texts = all.replacement_texts(opened, audit)?;
        let needed = needed_names(all, audit, |one| all.fate_of_name(one, &texts));
        n_taken = n_taken
            .saturating_add(gone.n_files)
            .saturating_add(gone.n_commands)
            .saturating_add(gone.n_symbols);
        n_needed = n_needed.saturating_add(needed.n_names - needed.n_kept);
        n_lost = n_lost.saturating_add(needed.n_lost);
        n_untold = n_untold.saturating_add(needed.n_untold);
    }
    let n_compactions = match all.audits.len() {
        0 => return Ok(None),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{} times", with_commas(n as u64)),
    };
    let used = describe_use(n_needed, n_lost, n_untold);
    let says = match n_taken {
        0 => format!("The harness compacted {n_compactions}; every name is still in the context."),
        _ => format!(
            "The harness compacted {n_compactions} and removed {} (files, commands and identifiers) from the context; {used}.",
            count_noun(n_taken, "name")
        ),
    };
    let turn = all.audits.first().map(|audit| audit.turn.number());
    Ok(Some(OverviewLine { turn, ..line(OverviewLineKind::Compactions, says) }))
}

fn describe_use(n_needed: u32, n_lost: u32, n_untold: u32) -> String {
    let needed = match n_needed {
        0 => return "none was used again".to_owned(),
        1 => "1 was used again".to_owned(),
        n => format!("{} were used again", with_commas(n.into())),
    };
    if n_untold == n_needed {
        return format!("{needed}, and the log does not hold the summary's text");
    }
    let lost = match (n_needed, n_lost) {
        (1, 0) => "and a summary mentions it".to_owned(),
        (1, _) => "and no summary mentions it".to_owned(),
        (_, 0) => "and summaries mention them".to_owned(),
        (_, n) => format!("and no summary mentions {} of these", with_commas(n.into())),
    };
    match n_untold {
        0 => format!("{needed}, {lost}"),
        n => format!("{needed}, {lost} (of {} the log does not tell)", with_commas(n.into())),
    }
}

fn clearings_line(session: &Session) -> Option<OverviewLine> {
    let cleared = || session.replacements.iter().filter(|one| one.cause == ReplacementCause::Clearing);
    let n_blocks = saturate_u32(cleared().map(|one| one.drops.len()).sum::<usize>());
    let first = cleared().next()?;
    let says = format!(
        "The harness cleared {} without a summary, at {}.",
        count_noun(n_blocks, "old output"),
        count_noun(saturate_u32(cleared().count()), "place")
    );
    let turn = Some(session.turn_of(first).number());
    Some(OverviewLine { turn, ..line(OverviewLineKind::Clearings, says) })
}

fn hidden_line(run: &ReplayRun) -> Option<OverviewLine> {
    let (losses, gains) = (&run.sizes.losses, &run.sizes.gains);
    let largest = losses.iter().max_by_key(|loss| loss.tokens);
    let lost = largest.map(|loss| {
        format!(
            "{} smaller than the log accounts for, by up to {} tokens",
            requests_are(losses.len()),
            with_commas(loss.tokens)
        )
    });
    let gained = gains.iter().max_by_key(|gain| gain.tokens).map(|gain| {
        format!(
            "{} larger than what came in, by up to {} tokens",
            requests_are(gains.len()),
            with_commas(gain.tokens)
        )
    });
    let said: Vec<String> = lost.into_iter().chain(gained).collect();
    let turn = largest.map(|loss| loss.from).or_else(|| Some(gains.first()?.at))?;
    let says = format!("{}: the log does not say why.", said.join("; "));
    Some(OverviewLine { turn: Some(saturate_u32(turn + 1)), ..line(OverviewLineKind::Hidden, says) })
}

fn requests_are(n: usize) -> String {
    match n {
        1 => "1 request is".to_owned(),
        n => format!("{} requests are", with_commas(n as u64)),
    }
}

fn repeated_line(
    opened: &SessionSnapshot,
    run: &ReplayRun,
    repeated: &RepeatedReads,
) -> Option<OverviewLine> {
    let session = &run.branch.session;
    let largest = *repeated.results.iter().max_by_key(|block| run.sizes.table.units(**block))?;
    let (n, tokens) = (repeated.results.len(), count_noun(repeated.tokens, "token"));
    let outputs = match n {
        1 => format!("1 file output ({tokens}) was"),
        n => format!("{} file outputs ({tokens}) were", with_commas(n as u64)),
    };
    let says = format!("{outputs} read again although an unchanged copy was still in the context.");
    Some(OverviewLine {
        turn: Some(shown_at(session, largest).number()),
        block: Some(session.blocks[largest.at()].id.to_string()),
        line: Some(opened.line_of(session, largest)),
        ..line(OverviewLineKind::Repeated, says)
    })
}

fn shown_at(session: &Session, block: BlockIdx) -> TurnIdx {
    session.turn_after(session.blocks[block.at()].message).min(session.last_turn())
}

fn consumer_row(opened: &SessionSnapshot, run: &ReplayRun, one: Consumer, all_sent: u64) -> ConsumerRow {
    let session = &run.branch.session;
    let share = u128::from(one.sent) * 1000 / u128::from(all_sent.max(1));
    ConsumerRow {
        kind: one.kind,
        n_blocks: one.n_blocks,
        tokens: one.tokens,
        sent: one.sent,
        share: saturate_u32(share),
        block: one.largest.map(|block| session.blocks[block.at()].id.to_string()),
        turn: one.largest.map(|block| shown_at(session, block).number()),
        line: one.largest.map(|block| opened.line_of(session, block)),
        name: one.name,
    }
}

fn file_consumers(
    opened: &SessionSnapshot,
    run: &ReplayRun,
    presence: &BlockPresence,
) -> Result<Vec<Consumer>, ApiError> {
    let session = &run.branch.session;
    let subjects = call_subjects(opened, session, (0..session.blocks.len()).map(BlockIdx::new))?;
    let cwd = opened.log.header().cwd.map(|cwd| format!("{}/", cwd.trim_end_matches('/')));
    let short = |path: &str| match &cwd {
        Some(cwd) => path.strip_prefix(cwd.as_str()).unwrap_or(path).to_owned(),
        None => path.to_owned(),
    };
    let paths: BTreeMap<BlockIdx, String> = subjects
        .into_iter()
        .filter_map(|(block, subject)| Some((block, short(subject.path.as_deref()?))))
        .collect();
    Ok(consumers_by_file(run, presence, |block| paths.get(&block).map(String::as_str)))
}

fn request_costs(session: &Session, terms: &Terms) -> Vec<u64> {
    let made = session.turns.iter().filter_map(|turn| turn.message);
    made.zip(reported_turns(session))
        .map(|(reply, request)| {
            let model = session.messages[reply.at()].model.as_deref();
            request
                .filter(|request| !request.copied)
                .map_or(0, |request| terms.cost_of_request(&request, model).total_cost)
        })
        .collect()
}

fn keep_dearest(misses: &mut Vec<MissRow>) {
    let mut order: Vec<(u64, u64, u32)> =
        misses.iter().map(|miss| (miss.cost, miss.tokens, miss.turn)).collect();
    order.sort_by_key(|one| std::cmp::Reverse(*one));
    if let Some(least) = order.get(MISSES_LISTED.saturating_sub(1)) {
        misses.retain(|miss| (miss.cost, miss.tokens, miss.turn) >= *least);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_used_again_are_told_with_what_summaries_mention() {
        for ((n_needed, n_lost, n_untold), says) in [
            ((0, 0, 0), "none was used again"),
            ((1, 0, 0), "1 was used again, and a summary mentions it"),
            ((1, 1, 0), "1 was used again, and no summary mentions it"),
            ((1, 0, 1), "1 was used again, and the log does not hold the summary's text"),
            ((4, 0, 0), "4 were used again, and summaries mention them"),
            ((4, 2, 0), "4 were used again, and no summary mentions 2 of these"),
            ((4, 2, 1), "4 were used again, and no summary mentions 2 of these (of 1 the log does not tell)"),
            ((4, 0, 4), "4 were used again, and the log does not hold the summary's text"),
        ] {
            assert_eq!(describe_use(n_needed, n_lost, n_untold), says);
        }
    }
}
