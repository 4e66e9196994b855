//! The tables `compactions` and `losses`.

use cwl_host::api::{CompactionReport, DetailCounts, DetailKind, HiddenLossRow};

use super::corpus_table;
use crate::rows::LogName;

corpus_table! {
    COMPACTIONS "compactions" "One row for each compaction that the log records, audited over the stretch from it to the next one or to the end."
    fn push_compaction(log: &LogName, audit: &CompactionReport) {
        log: Key = log.key.clone(), "The log.";
        number: Count = audit.number, "The number of the compaction in the log, from 1.";
        turn: Turn = audit.turn, "The first turn whose request lacks what the compaction removed.";
        next_turn: Turn = audit.next_turn, "The first turn of the next compaction; null if the stretch lasts to the end.";
        line: Line = audit.line, "The line of the compaction's record.";
        before: Tokens = audit.before, "The request of that turn without the compaction. No size here includes content that the log does not hold.";
        after: Tokens = audit.after, "The request of that turn with the compaction.";
        stated_before: Tokens = audit.stated_before, "The size before the compaction as the log states it; null if the log does not.";
        gone_blocks: Count = audit.gone.n_blocks, "Blocks that the compaction removed.";
        gone_tokens: Tokens = audit.gone.tokens, "The size of these blocks.";
        gone_files: Count = audit.gone.n_files, "Files whose content no block in the context holds any more.";
        gone_commands: Count = audit.gone.n_commands, "Commands whose output the compaction removed.";
        gone_symbols: Count = audit.gone.n_symbols, "Identifiers that no result in the context holds any more.";
        gone_decisions: Count = audit.gone.n_decisions, "Decisions of the model that the compaction removed, found by fixed rules.";
        summary_tokens: Tokens = audit.summary_tokens, "The size of what the harness put in place of the removed blocks.";
        has_summary: Flag = audit.has_summary, "True if the log holds a summary with a text.";
        summary_form: Word = audit.summary.name(), "The form in which the log holds the summary: `text`, `encrypted`, or `unlogged`.";
        needed: Count = audit.needed.n_names, "Names that the stretch used again.";
        needed_kept: Count = audit.needed.n_kept, "Needed names whose block stayed.";
        needed_named: Count = audit.needed.n_named, "Needed names whose block went, and that the summary mentions.";
        needed_lost: Count = audit.has_summary.then_some(audit.needed.n_lost), "Needed names that are lost: neither a block nor the summary has them; null if the summary cannot be read.";
        files: Count = kind_counts(audit, DetailKind::File).map(|kind| kind.n_all), "Files named by a call, the human or the model, and held by the context before the compaction.";
        files_literal: Count = kind_counts(audit, DetailKind::File).map(|kind| kind.n_literal), "Files that stand word for word in the context after the compaction.";
        files_named: Count = kind_counts(audit, DetailKind::File).map(|kind| kind.n_named), "Files that the context after the compaction names by an ending of the path.";
        files_needed: Count = kind_counts(audit, DetailKind::File).map(|kind| kind.n_needed), "Files needed before the next compaction.";
        files_needed_lost: Count = kind_counts(audit, DetailKind::File).and_then(|kind| kind.n_needed_lost), "Files needed before the next compaction, and nowhere in the context after this one; null if the summary cannot be read.";
        commands: Count = kind_counts(audit, DetailKind::Command).map(|kind| kind.n_all), "Shell commands that the context before the compaction held.";
        commands_literal: Count = kind_counts(audit, DetailKind::Command).map(|kind| kind.n_literal), "Commands that stand word for word in the context after the compaction.";
        commands_named: Count = kind_counts(audit, DetailKind::Command).map(|kind| kind.n_named), "Commands that the context after the compaction names by the program with its first argument.";
        commands_needed: Count = kind_counts(audit, DetailKind::Command).map(|kind| kind.n_needed), "Commands needed before the next compaction.";
        commands_needed_lost: Count = kind_counts(audit, DetailKind::Command).and_then(|kind| kind.n_needed_lost), "Commands needed before the next compaction, and nowhere in the context after this one; null if the summary cannot be read.";
        numbers: Count = kind_counts(audit, DetailKind::Number).map(|kind| kind.n_all), "Numbers of 4 to 12 digits that the context before the compaction held, without years and multiples of 100.";
        numbers_literal: Count = kind_counts(audit, DetailKind::Number).map(|kind| kind.n_literal), "Numbers that stand in the context after the compaction.";
        numbers_needed: Count = kind_counts(audit, DetailKind::Number).map(|kind| kind.n_needed), "Numbers needed before the next compaction.";
        numbers_needed_lost: Count = kind_counts(audit, DetailKind::Number).and_then(|kind| kind.n_needed_lost), "Numbers needed before the next compaction, and nowhere in the context after this one; null if the summary cannot be read.";
        errors: Count = kind_counts(audit, DetailKind::Error).map(|kind| kind.n_all), "Telling lines of failing results that the context before the compaction held.";
        errors_literal: Count = kind_counts(audit, DetailKind::Error).map(|kind| kind.n_literal), "Such lines that stand word for word in the context after the compaction.";
        errors_needed: Count = kind_counts(audit, DetailKind::Error).map(|kind| kind.n_needed), "Such lines needed before the next compaction.";
        errors_needed_lost: Count = kind_counts(audit, DetailKind::Error).and_then(|kind| kind.n_needed_lost), "Such lines needed before the next compaction, and nowhere in the context after this one; null if the summary cannot be read.";
        decisions: Count = kind_counts(audit, DetailKind::Decision).map(|kind| kind.n_all), "Sentences before the compaction in which the model states a choice or a reason.";
        decisions_literal: Count = kind_counts(audit, DetailKind::Decision).map(|kind| kind.n_literal), "Such sentences that stand word for word in the context after the compaction.";
        decisions_needed: Count = kind_counts(audit, DetailKind::Decision).map(|kind| kind.n_needed), "Such sentences needed before the next compaction.";
        decisions_needed_lost: Count = kind_counts(audit, DetailKind::Decision).and_then(|kind| kind.n_needed_lost), "Such sentences needed before the next compaction, and nowhere in the context after this one; null if the summary cannot be read.";
        constraints: Count = kind_counts(audit, DetailKind::Constraint).map(|kind| kind.n_all), "Sentences before the compaction in which the human states a rule.";
        constraints_literal: Count = kind_counts(audit, DetailKind::Constraint).map(|kind| kind.n_literal), "Rules that stand word for word in the context after the compaction.";
        constraints_needed: Count = kind_counts(audit, DetailKind::Constraint).map(|kind| kind.n_needed), "Rules needed before the next compaction.";
        constraints_needed_lost: Count = kind_counts(audit, DetailKind::Constraint).and_then(|kind| kind.n_needed_lost), "Rules needed before the next compaction, and nowhere in the context after this one; null if the summary cannot be read.";
        open_items: Count = kind_counts(audit, DetailKind::OpenItem).map(|kind| kind.n_all), "Unfinished items of the newest task list before the compaction, and questions without an answer.";
        open_items_literal: Count = kind_counts(audit, DetailKind::OpenItem).map(|kind| kind.n_literal), "Open items that stand word for word in the context after the compaction.";
        open_items_needed: Count = kind_counts(audit, DetailKind::OpenItem).map(|kind| kind.n_needed), "Open items needed before the next compaction.";
        open_items_needed_lost: Count = kind_counts(audit, DetailKind::OpenItem).and_then(|kind| kind.n_needed_lost), "Open items needed before the next compaction, and nowhere in the context after this one; null if the summary cannot be read.";
        again: Count = audit.again.n_results, "Results by which the stretch read something again.";
        again_files: Count = audit.again.n_files, "Results by which the stretch read a file again.";
        again_tokens: Tokens = audit.again.tokens, "The size of the results that were read again.";
        again_cost: Money = audit.again.cost, "The price of writing these results into the prompt once.";
        late: Count = audit.n_late, "Names that the compaction removed and that were used only after the next compaction.";
        late_tokens: Tokens = audit.late_again.tokens, "The size of what was read again after the next compaction.";
        calls_before_edit: Count = audit.n_calls_before_edit, "Calls of the stretch before its first edit; all its calls if the stretch has no edit.";
        tokens_before_edit: Tokens = audit.pace.tokens, "The size of the replies and results before that edit.";
        pace_edits: Count = audit.pace_before.n_edits, "Edits from the compaction before, or the start, to this compaction.";
        pace_calls: Count = audit.pace_before.n_calls, "The other calls between the compaction before, or the start, and this compaction.";
        pace_tokens: Tokens = audit.pace_before.tokens, "The size of the replies and results of these calls, without the edits.";
        edit_turn: Turn = audit.edit_turn, "The turn of the first edit of the stretch; null if the stretch has no edit.";
        recoverable: Count = audit.n_recoverable, "Blocks that the compaction removed and that were needed again.";
    }
}

corpus_table! {
    LOSSES "losses" "One row for each stretch whose requests are smaller than the log accounts for, though it tells of nothing that was taken out."
    fn push_loss(log: &LogName, loss: &HiddenLossRow) {
        log: Key = log.key.clone(), "The log.";
        first_turn: Turn = loss.from, "The first turn that shows the loss.";
        last_turn: Turn = loss.to, "The last turn of the stretch.";
        tokens: Tokens = loss.tokens, "The least number of tokens by which requests are smaller.";
        part: Word = loss.of.name(), "The part of the request that went: `log`, `unlogged`, or `either`.";
        turn: Turn = loss.turn, "The turn whose sizes are the evidence.";
        reported: Tokens = loss.reported, "The size that the provider reported for that turn.";
        reported_before: Tokens = loss.before, "The size that was reported for the request before, if the report fell; null if the counted size shows the loss.";
        counted: Tokens = loss.counted, "The counted size of that turn, without content that the log does not hold.";
    }
}

fn kind_counts(audit: &CompactionReport, kind: DetailKind) -> Option<&DetailCounts> {
    audit.kinds.iter().find(|counts| counts.kind == kind)
}
