//! Compactions: what each one took, what the session needed again, and what a policy would have kept.

use cwl_engine::{
    BlockIdx, CompactionAudit, DetailAtCut, DetailKind, DigestLine, EditPace, FateCounts, LostNames,
    NameKind, NeededName, SummarySlot, TokenTable, TurnIdx, pace_after, pace_before,
};

use crate::ApiError;
use crate::api::{
    CacheRules, CompactedContent, CompactionReport, CompactionSentences, CompactionsAnswer,
    CounterfactualRow, DetailCounts, EditPaceFigures, NeededDetails, NeededNameFate, NeededNameRow,
    NeededNames, ReacquiredCounts, SummaryForm, ViewRequest,
};
use crate::figures::{saturate_u32, shorten_line};
use crate::measure::compactions::{Compactions, KindCounts, count_kinds};
use crate::measure::measured::Terms;
use crate::measure::opened::SessionSnapshot;
use crate::present::compaction::say_compaction;
use crate::present::recall_question::recall_questions;

const NAMES_LISTED: usize = 60;
const FILES_LISTED: usize = 20;
const DECISIONS_LISTED: usize = 8;
const SHOWN_CHARS: usize = 120;

/// Audits the recorded compactions on a view's branch.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn compactions(opened: &SessionSnapshot, request: &ViewRequest) -> Result<CompactionsAnswer, ApiError> {
    let all = Compactions::audit(opened, &request.view)?;
    let terms = Terms::look_up(opened, &CacheRules::default());
    let details = all.find_details(opened)?;
    let audits = (1u32..).zip(all.audits.iter().zip(&details));
    Ok(CompactionsAnswer {
        revision: opened.revision(),
        counted_by: all.run.counted_by(),
        is_annotated: all.run.branch.has_episodes(),
        compactions: audits
            .map(|(number, (audit, details))| {
                compaction_report(opened, &all, &terms, (audit, details.as_slice()), number)
            })
            .collect::<Result<_, _>>()?,
        price: terms.price,
    })
}

fn compaction_report(
    opened: &SessionSnapshot,
    all: &Compactions,
    terms: &Terms,
    (audit, details): (&CompactionAudit, &[DetailAtCut]),
    number: u32,
) -> Result<CompactionReport, ApiError> {
    let session = &all.run.branch.session;
    let table = &all.run.sizes.table;
    let replacement = all.replacement_of(audit);
    let texts = all.replacement_texts(opened, audit)?;
    let (before, after) = (all.size_before(audit).unwrap_or(0), all.size_after(audit));
    let instead = all.alternatives(audit, details, after)?.into_iter().map(|answer| CounterfactualRow {
        policy: answer.policy.name.to_owned(),
        tokens: answer.left.after,
        is_over: answer.left.is_over,
        n_kept: saturate_u32(answer.n_kept),
        n_named: saturate_u32(answer.n_named),
        kinds: detail_counts(&answer.kinds, true),
        details: needed_details(&answer.kinds, true),
    });
    // The number of a compaction is that of its audit, from 1.
    let before_it = (number as usize).checked_sub(2).and_then(|at| all.audits.get(at));
    let from = before_it.map_or(TurnIdx::FIRST, |audit| audit.turn);
    let is_told = texts.form == SummaryForm::Text;
    let fates = all.fates_after(audit, details, &texts);
    let kinds = count_kinds(details, fates.iter().copied());
    let (questions, n_questions) = recall_questions(opened, session, details, &fates, is_told)?;
    let mut report = CompactionReport {
        number,
        turn: audit.turn.number(),
        next_turn: audit.next.map(TurnIdx::number),
        line: replacement.line,
        before,
        after,
        stated_before: replacement.tokens_before,
        gone: removed_content(all, audit),
        summary_tokens: table
            .tokens_from_units(all.blocks_put_in(audit).iter().map(|block| table.units(*block)).sum()),
        has_summary: is_told,
        summary: texts.form,
        kinds: detail_counts(&kinds, is_told),
        details: needed_details(&kinds, is_told),
        questions,
        n_questions,
        needed: needed_names(all, audit, |one| all.fate_of_name(one, &texts)),
        again: got_again(all, terms, &audit.needed),
        n_late: saturate_u32(audit.late.len()),
        late_again: got_again(all, terms, &audit.late),
        n_calls_before_edit: audit.n_calls_before_edit,
        edit_turn: audit.edit.map(TurnIdx::number),
        pace: pace_figures(table, &pace_after(session, audit)),
        pace_before: pace_figures(table, &pace_before(session, from, audit)),
        instead: instead.collect(),
        n_recoverable: saturate_u32(audit.taken_blocks().len()),
        says: CompactionSentences {
            gone: String::new(),
            kinds: String::new(),
            questions: String::new(),
            needed: String::new(),
            again: String::new(),
            edit: String::new(),
        },
    };
    report.says = say_compaction(&report);
    Ok(report)
}

fn detail_counts(kinds: &KindCounts, is_told: bool) -> Vec<DetailCounts> {
    let all = DetailKind::ALL.iter().zip(kinds);
    all.map(|(kind, counts)| DetailCounts {
        kind: *kind,
        n_all: counts.n_all,
        n_literal: counts.n_literal,
        n_named: counts.n_named,
        n_lost: is_told.then(|| counts.n_lost()),
        n_needed: counts.n_needed,
        n_needed_literal: counts.n_needed_literal,
        n_needed_named: counts.n_needed_named,
        n_needed_lost: is_told.then(|| counts.n_needed_lost()),
    })
    .collect()
}

fn needed_details(kinds: &KindCounts, is_told: bool) -> NeededDetails {
    let n_needed = kinds.iter().map(|counts| counts.n_needed).sum();
    let n_lost: u32 = kinds.iter().map(FateCounts::n_needed_lost).sum();
    NeededDetails { n_needed, n_remain: is_told.then_some(n_needed - n_lost) }
}

fn pace_figures(table: &TokenTable, pace: &EditPace) -> EditPaceFigures {
    let units = pace.blocks.iter().map(|block| table.units(*block)).sum();
    EditPaceFigures {
        from_turn: pace.from.number(),
        n_edits: pace.n_edits,
        n_calls: pace.n_calls,
        tokens: table.tokens_from_units(units),
    }
}

pub(super) fn removed_content(all: &Compactions, audit: &CompactionAudit) -> CompactedContent {
    let table = &all.run.sizes.table;
    let drops = &all.replacement_of(audit).drops;
    let number = saturate_u32(audit.replacement);
    let none = LostNames::default();
    let lost = all.material.lost.iter().find(|lost| lost.replacement == number).unwrap_or(&none);
    let decided =
        |line: &&DigestLine| line.slot == SummarySlot::Decisions && drops.binary_search(&line.block).is_ok();
    let mut decisions: Vec<&DigestLine> = all.material.digest.iter().filter(decided).collect();
    let n_decisions = saturate_u32(decisions.len());
    let last = decisions.split_off(decisions.len().saturating_sub(DECISIONS_LISTED));
    CompactedContent {
        n_blocks: saturate_u32(drops.len()),
        tokens: table.tokens_from_units(drops.iter().map(|block| table.units(*block)).sum()),
        n_files: lost.n_paths,
        files: lost.paths.iter().take(FILES_LISTED).map(|path| shorten_shown(path)).collect(),
        n_commands: lost.n_commands,
        n_symbols: lost.n_symbols,
        n_decisions,
        decisions: last.iter().map(|line| shorten_shown(&line.text)).collect(),
    }
}

pub(super) fn needed_names(
    all: &Compactions,
    audit: &CompactionAudit,
    fate: impl Fn(&NeededName) -> NeededNameFate,
) -> NeededNames {
    let table = &all.run.sizes.table;
    let session = &all.run.branch.session;
    let mut names: Vec<NeededNameRow> = Vec::with_capacity(audit.needed.len());
    for one in &audit.needed {
        let Some(name) = all.needed_name(one) else { continue };
        names.push(NeededNameRow {
            kind: name.kind,
            name: shorten_shown(&name.text),
            fate: fate(one),
            turn: one.turn.number(),
            n_uses: one.n_uses,
            block: session.blocks[one.held.at()].id.to_string(),
            again_tokens: one.again.map(|again| table.tokens_from_units(table.units(again))),
        });
    }
    let n_of = |fate| saturate_u32(names.iter().filter(|name| name.fate == fate).count());
    let (n_kept, n_named) = (n_of(NeededNameFate::Kept), n_of(NeededNameFate::Named));
    let (n_lost, n_untold) = (n_of(NeededNameFate::Lost), n_of(NeededNameFate::Untold));
    let n_names = saturate_u32(names.len());
    // A stable sort: within a kind, names stay in first-use order.
    names.sort_by_key(|name| (name.fate, name.kind));
    names.truncate(NAMES_LISTED);
    NeededNames { n_names, n_kept, n_named, n_lost, n_untold, names }
}

pub(super) fn got_again(all: &Compactions, terms: &Terms, needed: &[NeededName]) -> ReacquiredCounts {
    let table = &all.run.sizes.table;
    let results = CompactionAudit::got_again(needed);
    let tokens = table.tokens_from_units(results.iter().map(|result| table.units(*result)).sum());
    let is_of_file = |result: &&BlockIdx| {
        needed.iter().any(|one| {
            one.again == Some(**result)
                && all.needed_name(one).is_some_and(|name| name.kind == NameKind::Path)
        })
    };
    let n_files = saturate_u32(results.iter().filter(is_of_file).count());
    ReacquiredCounts {
        n_results: saturate_u32(results.len()),
        n_files,
        tokens,
        cost: terms.cost_of_writing(tokens),
    }
}

pub fn shorten_shown(text: &str) -> String {
    shorten_line(text, SHOWN_CHARS)
}
