//! Compactions: what each one took, what the session needed again, and what a policy would have kept.

use cwl_engine::{
    BlockIdx, CompactionAudit, DigestLine, LostNames, NameKind, NeededName, SummarySlot, TurnIdx,
};

use crate::ApiError;
use crate::dto::{
    CacheRulesDto, CompactedDto, CompactionDto, CompactionSaysDto, CompactionsDto, GotAgainDto, InsteadDto,
    NeededDto, NeededFateDto, NeededNameDto, ViewRequest,
};
use crate::figures::{count_noun, saturate_u32, shorten_line, with_commas};
use crate::measure::compactions::Compactions;
use crate::measure::measured::{Terms, write_dollars};
use crate::measure::opened::SessionSnapshot;

/// Maximum number of names, files and decisions listed per compaction.
const NAMES_LISTED: usize = 60;
const FILES_LISTED: usize = 20;
const DECISIONS_LISTED: usize = 8;
/// Longest displayed name or line, in characters.
const SHOWN_CHARS: usize = 120;

/// Audits the recorded compactions on a view's branch.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn compactions(opened: &SessionSnapshot, request: &ViewRequest) -> Result<CompactionsDto, ApiError> {
    let all = Compactions::audit(opened, &request.view)?;
    let terms = Terms::look_up(opened, &CacheRulesDto::default());
    let audits = (1u32..).zip(&all.audits);
    Ok(CompactionsDto {
        revision: opened.revision(),
        counted_by: all.run.counted_by(),
        is_annotated: all.run.branch.has_episodes(),
        compactions: audits
            .map(|(number, audit)| compaction_dto(opened, &all, &terms, audit, number))
            .collect::<Result<_, _>>()?,
        price: terms.price,
    })
}

fn compaction_dto(
    opened: &SessionSnapshot,
    all: &Compactions,
    terms: &Terms,
    audit: &CompactionAudit,
    number: u32,
) -> Result<CompactionDto, ApiError> {
    let table = &all.run.sizes.table;
    let replacement = all.replacement_of(audit);
    let (said, has_summary) = all.harness_mentions(opened, audit)?;
    let (before, after) = (all.size_before(audit).unwrap_or(0), all.size_after(audit));
    let instead = all.alternatives(audit, after)?.into_iter().map(|answer| InsteadDto {
        policy: answer.policy.name.to_owned(),
        tokens: answer.left.after,
        is_over: answer.left.is_over,
        n_kept: saturate_u32(answer.n_kept),
        n_named: saturate_u32(answer.n_named),
    });
    let mut dto = CompactionDto {
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
        has_summary,
        needed: needed_names(all, audit, |one| all.fate_of_name(one, &said)),
        again: got_again(all, terms, &audit.needed),
        n_late: saturate_u32(audit.late.len()),
        late_again: got_again(all, terms, &audit.late),
        n_calls_before_edit: audit.n_calls_before_edit,
        edit_turn: audit.edit.map(TurnIdx::number),
        instead: instead.collect(),
        n_recoverable: saturate_u32(audit.taken_blocks().len()),
        says: CompactionSaysDto {
            gone: String::new(),
            needed: String::new(),
            again: String::new(),
            edit: String::new(),
        },
    };
    dto.says = say_compaction(&dto);
    Ok(dto)
}

pub(super) fn removed_content(all: &Compactions, audit: &CompactionAudit) -> CompactedDto {
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
    CompactedDto {
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
    fate: impl Fn(&NeededName) -> NeededFateDto,
) -> NeededDto {
    let table = &all.run.sizes.table;
    let session = &all.run.branch.session;
    let mut names: Vec<NeededNameDto> = Vec::with_capacity(audit.needed.len());
    for one in &audit.needed {
        let Some(name) = all.needed_name(one) else { continue };
        names.push(NeededNameDto {
            kind: name.kind.into(),
            name: shorten_shown(&name.text),
            fate: fate(one),
            turn: one.turn.number(),
            n_uses: one.n_uses,
            block: session.blocks[one.held.at()].id.to_string(),
            again_tokens: one.again.map(|again| table.tokens_from_units(table.units(again))),
        });
    }
    let n_of = |fate| saturate_u32(names.iter().filter(|name| name.fate == fate).count());
    let (n_kept, n_named, n_lost) =
        (n_of(NeededFateDto::Kept), n_of(NeededFateDto::Named), n_of(NeededFateDto::Lost));
    let n_names = saturate_u32(names.len());
    // A stable sort: within a kind, names stay in first-use order.
    names.sort_by_key(|name| (name.fate, name.kind));
    names.truncate(NAMES_LISTED);
    NeededDto { n_names, n_kept, n_named, n_lost, names }
}

pub(super) fn got_again(all: &Compactions, terms: &Terms, needed: &[NeededName]) -> GotAgainDto {
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
    GotAgainDto {
        n_results: saturate_u32(results.len()),
        n_files,
        tokens,
        cost: terms.cost_of_writing(tokens),
    }
}

fn say_compaction(dto: &CompactionDto) -> CompactionSaysDto {
    let CompactedDto { n_blocks, tokens, n_files, n_commands, n_symbols, n_decisions, .. } = dto.gone;
    let gone = format!(
        "{} with {} went: the contents of {}, the outputs of {}, {} that no result in the context holds any more, and {}",
        count_noun(n_blocks, "block"),
        count_noun(tokens, "token"),
        count_noun(n_files, "file"),
        count_noun(n_commands, "command"),
        count_noun(n_symbols, "identifier"),
        count_noun(n_decisions, "decision"),
    );
    let size = count_noun(dto.summary_tokens, "token");
    let instead = match dto.has_summary {
        true => format!("what stands in their place ({size}) says"),
        false => format!("what the log holds in their place ({size}, no summary) says"),
    };
    let NeededDto { n_names, n_kept, n_named, n_lost, .. } = dto.needed;
    let needed = match n_names {
        0 => "nothing that the context held before was used again".to_owned(),
        _ => format!(
            "of {} that {} used again, the blocks of {} stayed; {instead} {} more by name, and {} went without a word",
            count_noun(n_names, "name"),
            if n_names == 1 { "was" } else { "were" },
            with_commas(n_kept.into()),
            with_commas(n_named.into()),
            with_commas(n_lost.into()),
        ),
    };
    CompactionSaysDto { gone, needed, again: again_says(dto), edit: edit_says(dto) }
}

fn again_says(dto: &CompactionDto) -> String {
    let one = |again: &GotAgainDto| {
        format!(
            "{} read again ({} by reading, {} by running a command or a search), {}{}",
            count_noun(again.n_results, "output"),
            with_commas(again.n_files.into()),
            with_commas((again.n_results - again.n_files).into()),
            count_noun(again.tokens, "token"),
            again.cost.map_or_else(String::new, |cost| format!(", {} to send once", write_dollars(cost)))
        )
    };
    let now = match dto.again.n_results {
        0 => "nothing of it was read again".to_owned(),
        _ => one(&dto.again),
    };
    match dto.n_late {
        0 => now,
        n_late => {
            let late = match dto.late_again.n_results {
                0 => String::new(),
                _ => format!(", {}", one(&dto.late_again)),
            };
            format!("{now}; after the next compaction {} of it used{late}", count_noun(n_late, "more name"))
        }
    }
}

fn edit_says(dto: &CompactionDto) -> String {
    let calls = count_noun(dto.n_calls_before_edit, "call");
    let end = if dto.next_turn.is_some() { "up to the next compaction" } else { "up to the end" };
    match (dto.edit_turn, dto.n_calls_before_edit) {
        (Some(turn), _) => format!("{calls} until the first edit, at turn {}", with_commas(turn.into())),
        (None, 0) => format!("no call {end}"),
        (None, _) => format!("{calls} and no edit {end}"),
    }
}

pub fn shorten_shown(text: &str) -> String {
    shorten_line(text, SHOWN_CHARS)
}
