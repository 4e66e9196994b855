//! The tables `compactions` and `losses`.

use cwl_host::dto::{CompactionDto, DetailCountsDto, DetailKindDto, LossDto};

use super::corpus_table;
use crate::rows::LogName;

corpus_table! {
    COMPACTIONS "compactions" "One row for each compaction that the log records, audited over the stretch from it to the next one or to the end."
    fn push_compaction(log: &LogName, audit: &CompactionDto) {
        log: Key = log.key.clone(), "The log.";
        number: Count = audit.number, "Its number in the log, from 1.";
        turn: Turn = audit.turn, "The first turn whose request is without what it took.";
        next_turn: Turn = audit.next_turn, "The first turn of the next compaction; null where the stretch lasts to the end.";
        line: Line = audit.line, "The line of its record.";
        before: Tokens = audit.before, "The request of that turn had the compaction not been; what the log does not hold is in no size here.";
        after: Tokens = audit.after, "The same request as it was.";
        stated_before: Tokens = audit.stated_before, "The size before it as the log states it; null where it does not.";
        gone_blocks: Count = audit.gone.n_blocks, "The blocks that went.";
        gone_tokens: Tokens = audit.gone.tokens, "Their size.";
        gone_files: Count = audit.gone.n_files, "Files whose content no block in the context holds any more.";
        gone_commands: Count = audit.gone.n_commands, "Commands of which the output went.";
        gone_symbols: Count = audit.gone.n_symbols, "Identifiers that no result in the context holds any more.";
        gone_decisions: Count = audit.gone.n_decisions, "Decisions of the model that went, told by fixed rules.";
        summary_tokens: Tokens = audit.summary_tokens, "The size of what the harness put in its place.";
        has_summary: Flag = audit.has_summary, "True where the log holds a summary with a text.";
        summary_form: Word = audit.summary.name(), "How the log holds the summary: `text`, `encrypted`, or `unlogged`.";
        needed: Count = audit.needed.n_names, "Names that the stretch used again.";
        needed_kept: Count = audit.needed.n_kept, "Those of them whose block stayed.";
        needed_named: Count = audit.needed.n_named, "Those whose block went, and that what stands in its place says.";
        needed_lost: Count = audit.has_summary.then_some(audit.needed.n_lost), "Needed names that went without a word; null if the summary cannot be read.";
        files: Count = kind_counts(audit, DetailKindDto::File).map(|kind| kind.n_all), "Files that a call, or the words of the human or the model, named and that the context before it held.";
        files_literal: Count = kind_counts(audit, DetailKindDto::File).map(|kind| kind.n_literal), "Word for word in the context after it.";
        files_named: Count = kind_counts(audit, DetailKindDto::File).map(|kind| kind.n_named), "Files that it names by an ending of the path.";
        files_needed: Count = kind_counts(audit, DetailKindDto::File).map(|kind| kind.n_needed), "Needed before the next compaction.";
        files_needed_lost: Count = kind_counts(audit, DetailKindDto::File).and_then(|kind| kind.n_needed_lost), "Needed before the next compaction, and nowhere in the context after it; null if the summary cannot be read.";
        commands: Count = kind_counts(audit, DetailKindDto::Command).map(|kind| kind.n_all), "Shell commands that the context before it held.";
        commands_literal: Count = kind_counts(audit, DetailKindDto::Command).map(|kind| kind.n_literal), "Word for word in the context after it.";
        commands_named: Count = kind_counts(audit, DetailKindDto::Command).map(|kind| kind.n_named), "Commands that it names by the program with its first argument.";
        commands_needed: Count = kind_counts(audit, DetailKindDto::Command).map(|kind| kind.n_needed), "Needed before the next compaction.";
        commands_needed_lost: Count = kind_counts(audit, DetailKindDto::Command).and_then(|kind| kind.n_needed_lost), "Needed before the next compaction, and nowhere in the context after it; null if the summary cannot be read.";
        numbers: Count = kind_counts(audit, DetailKindDto::Number).map(|kind| kind.n_all), "Numbers of 4 to 12 digits that the context before it held, without years and multiples of 100.";
        numbers_literal: Count = kind_counts(audit, DetailKindDto::Number).map(|kind| kind.n_literal), "Word for word in the context after it.";
        numbers_needed: Count = kind_counts(audit, DetailKindDto::Number).map(|kind| kind.n_needed), "Needed before the next compaction.";
        numbers_needed_lost: Count = kind_counts(audit, DetailKindDto::Number).and_then(|kind| kind.n_needed_lost), "Needed before the next compaction, and nowhere in the context after it; null if the summary cannot be read.";
        errors: Count = kind_counts(audit, DetailKindDto::Error).map(|kind| kind.n_all), "Telling lines of failing results that the context before it held.";
        errors_literal: Count = kind_counts(audit, DetailKindDto::Error).map(|kind| kind.n_literal), "Word for word in the context after it.";
        errors_needed: Count = kind_counts(audit, DetailKindDto::Error).map(|kind| kind.n_needed), "Needed before the next compaction.";
        errors_needed_lost: Count = kind_counts(audit, DetailKindDto::Error).and_then(|kind| kind.n_needed_lost), "Needed before the next compaction, and nowhere in the context after it; null if the summary cannot be read.";
        decisions: Count = kind_counts(audit, DetailKindDto::Decision).map(|kind| kind.n_all), "Sentences before it in which the model states a choice or a reason.";
        decisions_literal: Count = kind_counts(audit, DetailKindDto::Decision).map(|kind| kind.n_literal), "Word for word in the context after it.";
        decisions_needed: Count = kind_counts(audit, DetailKindDto::Decision).map(|kind| kind.n_needed), "Needed before the next compaction.";
        decisions_needed_lost: Count = kind_counts(audit, DetailKindDto::Decision).and_then(|kind| kind.n_needed_lost), "Needed before the next compaction, and nowhere in the context after it; null if the summary cannot be read.";
        constraints: Count = kind_counts(audit, DetailKindDto::Constraint).map(|kind| kind.n_all), "Sentences before it in which the human states a rule.";
        constraints_literal: Count = kind_counts(audit, DetailKindDto::Constraint).map(|kind| kind.n_literal), "Word for word in the context after it.";
        constraints_needed: Count = kind_counts(audit, DetailKindDto::Constraint).map(|kind| kind.n_needed), "Needed before the next compaction.";
        constraints_needed_lost: Count = kind_counts(audit, DetailKindDto::Constraint).and_then(|kind| kind.n_needed_lost), "Needed before the next compaction, and nowhere in the context after it; null if the summary cannot be read.";
        open_items: Count = kind_counts(audit, DetailKindDto::OpenItem).map(|kind| kind.n_all), "Unfinished items of the newest task list before it, and questions without an answer.";
        open_items_literal: Count = kind_counts(audit, DetailKindDto::OpenItem).map(|kind| kind.n_literal), "Word for word in the context after it.";
        open_items_needed: Count = kind_counts(audit, DetailKindDto::OpenItem).map(|kind| kind.n_needed), "Needed before the next compaction.";
        open_items_needed_lost: Count = kind_counts(audit, DetailKindDto::OpenItem).and_then(|kind| kind.n_needed_lost), "Needed before the next compaction, and nowhere in the context after it; null if the summary cannot be read.";
        again: Count = audit.again.n_results, "Results by which the stretch got something again.";
        again_files: Count = audit.again.n_files, "Those of them that are of a file.";
        again_tokens: Tokens = audit.again.tokens, "Their size.";
        again_cost: Money = audit.again.cost, "The price of writing them into the prompt once.";
        late: Count = audit.n_late, "Names that it had taken and that were used after the next compaction only.";
        late_tokens: Tokens = audit.late_again.tokens, "The size of what was read again then.";
        calls_before_edit: Count = audit.n_calls_before_edit, "Calls of the stretch before its first edit; all of them where it has none.";
        tokens_before_edit: Tokens = audit.pace.tokens, "The size of the replies and results up to that edit, without it.";
        pace_edits: Count = audit.pace_before.n_edits, "Edits from the compaction before, or the start, to this compaction.";
        pace_calls: Count = audit.pace_before.n_calls, "The other calls of that stretch.";
        pace_tokens: Tokens = audit.pace_before.tokens, "The size of its replies and results, without the edits.";
        edit_turn: Turn = audit.edit_turn, "The turn of the first edit of the stretch; null where it has none.";
        recoverable: Count = audit.n_recoverable, "Blocks that went and were needed again.";
    }
}

corpus_table! {
    LOSSES "losses" "One row for each stretch whose requests are smaller than the log accounts for, though it tells of nothing that was taken out."
    fn push_loss(log: &LogName, loss: &LossDto) {
        log: Key = log.key.clone(), "The log.";
        first_turn: Turn = loss.from, "The first turn that shows it.";
        last_turn: Turn = loss.to, "The last turn of the stretch.";
        tokens: Tokens = loss.tokens, "How many tokens fewer were sent, at the least.";
        part: Word = loss.of.name(), "The part of the request that went: `log`, `unlogged`, or `either`.";
        turn: Turn = loss.turn, "The turn whose sizes are the evidence.";
        reported: Tokens = loss.reported, "The size that the provider reported for it.";
        reported_before: Tokens = loss.before, "The size that was reported for the request before, where the report fell; null where the counted size tells it.";
        counted: Tokens = loss.counted, "Its counted size, without what the log does not hold.";
    }
}

fn kind_counts(audit: &CompactionDto, kind: DetailKindDto) -> Option<&DetailCountsDto> {
    audit.kinds.iter().find(|counts| counts.kind == kind)
}
