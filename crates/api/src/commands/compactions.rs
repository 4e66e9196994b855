//! Compactions: what each one took, what the session needed again, and what others would have kept.

use cwl_engine::{BlockIdx, CompactionAudit, DigestLine, LostNames, NameKind, NeededName, Slot, TurnIdx};

use crate::ApiError;
use crate::dto::{
    CacheRulesDto, CompactedDto, CompactionDto, CompactionSaysDto, CompactionsDto, GotAgainDto, InsteadDto,
    NeededDto, NeededFateDto, NeededNameDto, ViewRequest,
};
use crate::figures::{counted, grouped, shortened, small};
use crate::measure::compactions::Compactions;
use crate::measure::measured::{Terms, dollars};
use crate::measure::opened::Opened;

/// The most names, files and decisions that are listed of one compaction.
const NAMES_LISTED: usize = 60;
const FILES_LISTED: usize = 20;
const DECISIONS_LISTED: usize = 8;
/// A name or a line that is longer is cut, characters.
const SHOWN_CHARS: usize = 120;

/// Audits the compactions that the log records, on the branch of a view.
///
/// # Errors
/// Where the view is not understood, and those of the texts.
pub fn compactions(opened: &Opened, request: &ViewRequest) -> Result<CompactionsDto, ApiError> {
    let all = Compactions::of(opened, &request.view)?;
    let terms = Terms::of(opened, &CacheRulesDto::default());
    let audits = (1u32..).zip(&all.audits);
    Ok(CompactionsDto {
        revision: opened.revision(),
        counted_by: all.run.counted_by(),
        is_annotated: all.run.branch.has_episodes(),
        compactions: audits
            .map(|(number, audit)| compaction(opened, &all, &terms, audit, number))
            .collect::<Result<_, _>>()?,
        price: terms.price,
    })
}

fn compaction(
    opened: &Opened,
    all: &Compactions,
    terms: &Terms,
    audit: &CompactionAudit,
    number: u32,
) -> Result<CompactionDto, ApiError> {
    let table = &all.run.sizes.table;
    let replacement = all.replacement(audit);
    let (said, has_summary) = all.said(opened, audit)?;
    let (before, after) = (all.size_before(audit).unwrap_or(0), all.size_after(audit));
    let instead = all.instead(audit, after)?.into_iter().map(|answer| InsteadDto {
        policy: answer.policy.name.to_owned(),
        tokens: answer.left.after,
        is_over: answer.left.is_over,
        n_kept: small(answer.n_kept),
        n_named: small(answer.n_named),
    });
    let mut dto = CompactionDto {
        number,
        turn: audit.turn.number(),
        next_turn: audit.next.map(TurnIdx::number),
        line: replacement.line,
        before,
        after,
        stated_before: replacement.tokens_before,
        gone: gone(all, audit),
        summary_tokens: table.tokens(all.brought(audit).iter().map(|block| table.units(*block)).sum()),
        has_summary,
        needed: needed(all, audit, |one| all.fate(one, &said)),
        again: got_again(all, terms, &audit.needed),
        n_late: small(audit.late.len()),
        late_again: got_again(all, terms, &audit.late),
        n_calls_before_edit: audit.n_calls_before_edit,
        edit_turn: audit.edit.map(TurnIdx::number),
        instead: instead.collect(),
        n_recoverable: small(audit.taken_blocks().len()),
        says: CompactionSaysDto {
            gone: String::new(),
            needed: String::new(),
            again: String::new(),
            edit: String::new(),
        },
    };
    dto.says = says(&dto);
    Ok(dto)
}

/// Tells what a compaction took.
fn gone(all: &Compactions, audit: &CompactionAudit) -> CompactedDto {
    let table = &all.run.sizes.table;
    let drops = &all.replacement(audit).drops;
    let number = small(audit.replacement);
    let none = LostNames::default();
    let lost = all.material.lost.iter().find(|lost| lost.replacement == number).unwrap_or(&none);
    let decided =
        |line: &&DigestLine| line.slot == Slot::Decisions && drops.binary_search(&line.block).is_ok();
    let mut decisions: Vec<&DigestLine> = all.material.digest.iter().filter(decided).collect();
    let n_decisions = small(decisions.len());
    let last = decisions.split_off(decisions.len().saturating_sub(DECISIONS_LISTED));
    CompactedDto {
        n_blocks: small(drops.len()),
        tokens: table.tokens(drops.iter().map(|block| table.units(*block)).sum()),
        n_files: lost.n_paths,
        files: lost.paths.iter().take(FILES_LISTED).map(|path| shown(path)).collect(),
        n_commands: lost.n_commands,
        n_symbols: lost.n_symbols,
        n_decisions,
        decisions: last.iter().map(|line| shown(&line.text)).collect(),
    }
}

/// Tells what became of the names that were used again.
fn needed(
    all: &Compactions,
    audit: &CompactionAudit,
    fate: impl Fn(&NeededName) -> NeededFateDto,
) -> NeededDto {
    let table = &all.run.sizes.table;
    let session = &all.run.branch.session;
    let mut names: Vec<NeededNameDto> = Vec::with_capacity(audit.needed.len());
    for one in &audit.needed {
        let Some(name) = all.name(one) else { continue };
        names.push(NeededNameDto {
            kind: name.kind.into(),
            name: shown(&name.text),
            fate: fate(one),
            turn: one.turn.number(),
            n_uses: one.n_uses,
            block: session.blocks[one.held.at()].id.to_string(),
            again_tokens: one.again.map(|again| table.tokens(table.units(again))),
        });
    }
    let n_of = |fate| small(names.iter().filter(|name| name.fate == fate).count());
    let (n_kept, n_named, n_lost) =
        (n_of(NeededFateDto::Kept), n_of(NeededFateDto::Named), n_of(NeededFateDto::Lost));
    let n_names = small(names.len());
    // Stable: within a kind they stay in the order of their first uses.
    names.sort_by_key(|name| (name.fate, name.kind));
    names.truncate(NAMES_LISTED);
    NeededDto { n_names, n_kept, n_named, n_lost, names }
}

fn got_again(all: &Compactions, terms: &Terms, needed: &[NeededName]) -> GotAgainDto {
    let table = &all.run.sizes.table;
    let results = CompactionAudit::got_again(needed);
    let tokens = table.tokens(results.iter().map(|result| table.units(*result)).sum());
    let is_of_file = |result: &&BlockIdx| {
        needed.iter().any(|one| {
            one.again == Some(**result) && all.name(one).is_some_and(|name| name.kind == NameKind::Path)
        })
    };
    let n_files = small(results.iter().filter(is_of_file).count());
    GotAgainDto { n_results: small(results.len()), n_files, tokens, cost: terms.cost_of_writing(tokens) }
}

fn says(dto: &CompactionDto) -> CompactionSaysDto {
    let CompactedDto { n_blocks, tokens, n_files, n_commands, n_symbols, n_decisions, .. } = dto.gone;
    let gone = format!(
        "{} with {} went: the contents of {}, the outputs of {}, {} that no result in the context holds any more, and {}",
        counted(n_blocks, "block"),
        counted(tokens, "token"),
        counted(n_files, "file"),
        counted(n_commands, "command"),
        counted(n_symbols, "identifier"),
        counted(n_decisions, "decision"),
    );
    let size = counted(dto.summary_tokens, "token");
    let instead = match dto.has_summary {
        true => format!("what stands in their place ({size}) says"),
        false => format!("what the log holds in their place ({size}, no summary) says"),
    };
    let NeededDto { n_names, n_kept, n_named, n_lost, .. } = dto.needed;
    let needed = match n_names {
        0 => "nothing that the context held before was used again".to_owned(),
        _ => format!(
            "of {} that {} used again, the blocks of {} stayed; {instead} {} more by name, and {} went without a word",
            counted(n_names, "name"),
            if n_names == 1 { "was" } else { "were" },
            grouped(n_kept.into()),
            grouped(n_named.into()),
            grouped(n_lost.into()),
        ),
    };
    CompactionSaysDto { gone, needed, again: again_says(dto), edit: edit_says(dto) }
}

fn again_says(dto: &CompactionDto) -> String {
    let one = |again: &GotAgainDto| {
        format!(
            "{} got again ({} by reading, {} by running a command or a search), {}{}",
            counted(again.n_results, "output"),
            grouped(again.n_files.into()),
            grouped((again.n_results - again.n_files).into()),
            counted(again.tokens, "token"),
            again.cost.map_or_else(String::new, |cost| format!(", {} to send once", dollars(cost)))
        )
    };
    let now = match dto.again.n_results {
        0 => "nothing of it was got again".to_owned(),
        _ => one(&dto.again),
    };
    match dto.n_late {
        0 => now,
        n_late => {
            let late = match dto.late_again.n_results {
                0 => String::new(),
                _ => format!(", {}", one(&dto.late_again)),
            };
            format!("{now}; after the next compaction {} of it used{late}", counted(n_late, "more name"))
        }
    }
}

fn edit_says(dto: &CompactionDto) -> String {
    let calls = counted(dto.n_calls_before_edit, "call");
    let end = if dto.next_turn.is_some() { "up to the next compaction" } else { "up to the end" };
    match (dto.edit_turn, dto.n_calls_before_edit) {
        (Some(turn), _) => format!("{calls} until the first edit, at turn {}", grouped(turn.into())),
        (None, 0) => format!("no call {end}"),
        (None, _) => format!("{calls} and no edit {end}"),
    }
}

/// Writes a text of a log on one line, cut where it is long.
pub(super) fn shown(text: &str) -> String {
    shortened(text, SHOWN_CHARS)
}
